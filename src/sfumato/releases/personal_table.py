"""Personal table: records as they are, except around owners who asked for protection; rows may be added and left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.columns import check_columns, counted, made
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import GroupModel, TableModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import column, columns, param
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, InternalError, Unsupported
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Bools, Ints

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PersonalBlock", "PersonalTable", "added_rows", "judge_owners"]

PERSONAL = ("personal-frequency", "personal-frequency-present")


@frozen(eq=False)
class PersonalBlock:
    """Records that share their published quasi-identifiers, and the sensitive values of rows that are added to them.

    ``members`` are positions of records; ``shown`` the published values, one for each quasi-identifier.
    """

    members: Ints
    shown: tuple[str, ...]
    added: tuple[Hashable, ...] = ()


@frozen(eq=False)
class _Column:
    """A column as codes of its values in order, -1 for missing, and the Arrow type of the values."""

    values: tuple[Hashable, ...]
    codes: Ints
    type: pa.DataType

    @classmethod
    def of(cls, table: Table, name: str, kind: pa.DataType) -> _Column:
        held = table.dictionary(name)
        codes = table.as_rows().codes([name], {name: held})[:, 0].astype(np.int64)
        return cls(held.values, codes, kind)

    def generalized(self, blocks: Sequence[PersonalBlock], at: int) -> tuple[_Column, tuple[str, ...]]:
        """Return the column with the published values of blocks, as texts if some are general; and the general ones."""
        import pyarrow as pa

        texts = [to_text(value) for value in self.values]
        place = {text: code for code, text in enumerate(texts)}
        codes = self.codes.copy()
        for block in blocks:
            codes[block.members] = place.setdefault(block.shown[at], len(place))
        if len(place) == len(texts):
            return replace(self, codes=codes), ()
        ordered = sorted(place)
        rank = np.empty(len(place) + 1, np.int64)
        rank[[place[text] for text in ordered]] = np.arange(len(place))
        rank[-1] = -1
        return _Column(tuple(ordered), rank[codes], pa.string()), tuple(sorted(list(place)[len(texts) :]))

    def taken(self, records: Ints) -> _Column:
        """Return the values of some records; nothing for -1."""
        return replace(self, codes=np.where(records < 0, -1, self.codes[records]))

    def ending(self, values: Sequence[Hashable]) -> _Column:
        """Return the column with these as its last values."""
        code = {value: number for number, value in enumerate(self.values)}
        out = self.codes.copy()
        out[len(out) - len(values) :] = [code[value] for value in values]
        return replace(self, codes=out)

    def arrow(self, order: Ints) -> pa.Array:
        import pyarrow as pa

        codes = self.codes[order]
        return pa.array(list(self.values), self.type).take(pa.array(codes, mask=codes < 0))


class PersonalTable(ReleaseKind):
    """Records as they are, except around owners who asked for protection: these share general values in blocks.

    Some rows may have been added to blocks: they stand for nobody and are not marked. Some records may be left out, and some
    rows may show quasi-identifiers that are not those of their owner. The totals are stated; which rows they are, and who
    asked for protection, is not.

    The check groups the published rows anew. A requirement is asked of the groups that show a general value: each is compared
    with how values are distributed in the published table. What was promised compares with the input, which is not published;
    A added and W left-out rows among N move a published share by at most ``(A + W) / N``, so that is what a stranger must
    allow. The exact comparison is made before publishing.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> rows = [("a", 30, "Flu"), ("b", 35, "HIV"), ("c", 60, "Flu")]
    >>> table = from_rows(["Zip", "Age", "Disease"], rows)
    >>> block = PersonalBlock(np.array([0, 1]), ("*", "[30-40]"), ("Flu",))
    >>> made = PersonalTable.build(table, ["Zip", "Age"], "Disease", [block])
    >>> made.tables["data"].to_rows()
    [('*', '[30-40]', 'Flu'), ('*', '[30-40]', 'Flu'), ('*', '[30-40]', 'HIV'), ('c', '60', 'Flu')]
    >>> made.kind.guarantee(made.tables)
    {'general_groups': 1, 'smallest_general_group': 3}
    >>> made.links.select(["raw Zip", "published Zip", "owner", "records"]).to_rows()
    [(None, '*', 'nobody', 1), ('a', '*', 'other', 1), ('b', '*', 'other', 1)]
    >>> PersonalTable(qid=("Zip",), sensitive="Disease").added
    0

    References
    ----------
    Compare Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 2.2.9 and 3.1.
    """

    id: ClassVar[str] = "personal-table"
    stated: ClassVar[tuple[str, ...]] = ("general", "added", "left_out", "moved", "deviation")
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=False,
        mixed_granularity=True,
        verifiable=say("verifiable.personal"),
        published="records",
        stops=frozenset({"attribute", "probabilistic"}),
        searched=True,
        counted_by="labels",
    )

    qid: tuple[str, ...] = columns("quasi-identifier", some=True, doc="columns that blocks generalize")
    sensitive: str = column("sensitive", doc="column whose frequencies protect")
    general: Mapping[str, tuple[str, ...]] = param(
        default=None, doc="published values of each quasi-identifier that are not raw ones"
    )
    added: int = param(default=0, ge=0, doc="rows that stand for nobody")
    left_out: int = param(default=0, ge=0, doc="records that are not in the release")
    moved: int = param(default=0, ge=0, doc="rows whose quasi-identifiers are not those of their owner")
    deviation: float | None = param(
        default=None,
        ge=0,
        doc="largest difference of shares over the groups of all owners who asked, as the publisher counted it",
    )

    def validate(self) -> None:
        """Refuse general values of other columns."""
        given = self.general if self.general is not None else {}
        if not isinstance(given, Mapping):
            raise BadRequest("must be a mapping of columns to values", parameter=f"{self.id}.general")
        for name, values in given.items():
            if name not in self.qid:
                raise BadRequest(
                    "is not a quasi-identifier", parameter=f"{self.id}.general", value=name, available=self.qid
                )
            if not isinstance(values, (list, tuple)) or not all(isinstance(value, str) for value in values):
                raise BadRequest("must be a list of texts", column=name, parameter=f"{self.id}.general")
        object.__setattr__(self, "general", {name: tuple(given.get(name, ())) for name in self.qid})

    # ---- making ------------------------------------------------------------------------------------------------------

    @classmethod
    def build(
        cls,
        table: Table,
        qid: Sequence[str],
        sensitive: str,
        blocks: Sequence[PersonalBlock],
        *,
        left_out: Sequence[int] | Ints = (),
        protected: Sequence[int] | Ints = (),
        moved: int = 0,
        plain: str = "sampled",
        rng: np.random.Generator | None = None,
        shuffle: bool = False,
    ) -> Built:
        """Return the release of a table under given blocks; records in none of them are published as they are.

        Other columns of an added row are those of a member of its block drawn at random (``plain="sampled"``), or missing.
        Rows are sorted by what is published, or shuffled. The links hold the records in blocks, those whose owners are
        ``protected``, and the rows that stand for nobody; all others are published as they are.
        """
        check_columns(table, "qid", qid)
        check_columns(table, "sensitive", [sensitive])
        rng = rng or np.random.default_rng(0)
        keep = np.ones(table.rows, bool)
        keep[np.asarray(left_out, np.int64)] = False
        added = [value for block in blocks for value in block.added]
        record = np.concatenate([np.flatnonzero(keep), np.full(len(added), -1, np.int64)])
        like = record.copy()  # the record whose values a row shows: its own, or a member of the block it is added to
        at = len(record) - len(added)
        for block in blocks:
            if block.added:
                like[at : at + len(block.added)] = rng.choice(block.members, len(block.added))
                at += len(block.added)
        types = next(iter(table.batches())).schema
        columns: dict[str, _Column] = {}
        owner = np.full(table.rows + 1, "", "<U9")  # the last answers for nobody, -1
        for block in blocks:
            owner[block.members] = "other"
        owner[np.asarray(protected, np.int64)] = "protected"
        owner[-1] = "nobody"
        told = np.flatnonzero(owner[record] != "")
        links: dict[str, object] = {}
        general: dict[str, tuple[str, ...]] = {}
        for name in table.columns:
            held = _Column.of(table, name, types.field(name).type)
            links[f"raw {name}"] = held.taken(record).arrow(told)
            if name in qid:
                held, general[name] = held.generalized(blocks, list(qid).index(name))
                columns[name] = held.taken(like)
            elif name == sensitive:
                columns[name] = held.taken(record).ending(added)
            else:
                columns[name] = held.taken(like if plain == "sampled" else record)
        by_value = [held.codes for held in reversed(columns.values())]
        order = rng.permutation(len(record)) if shuffle else np.lexsort(by_value)
        public = made({name: held.arrow(order) for name, held in columns.items()}, table.home)
        links |= {f"published {name}": held.arrow(told) for name, held in columns.items()}
        links["owner"] = owner[record[told]]
        kind = cls(
            qid=tuple(qid),
            sensitive=sensitive,
            general=general,
            added=len(added),
            left_out=int((~keep).sum()),
            moved=moved,
        )
        return Built(kind, {"data": public}, partial(counted, links, "records", table.home) if len(told) else None)

    # ---- judging -----------------------------------------------------------------------------------------------------

    def roles(self) -> Mapping[str, Role]:
        return {**dict.fromkeys(self.qid, Role.QUASI_IDENTIFIER), self.sensitive: Role.SENSITIVE}

    def truth(self) -> str:
        return say("truth.personal")

    def operation(self, column: str) -> str:
        return "cell-generalization" if self.general.get(column) else "none"

    def general_groups(self, parts: Parts) -> GroupStats:
        """Return the groups of published rows that show a general value, beside how the whole published table looks."""
        table = self.tables(parts)["data"]
        for name in (*self.qid, self.sensitive):
            if name not in table.types:
                raise BadRequest("is not in the published table", parameter=self.id, column=name)
        groups = table.groups(self.qid, [self.sensitive])
        chosen = np.zeros(len(groups), bool)
        for name, keys in zip(groups.columns, groups.keys, strict=True):
            if self.general[name]:
                chosen |= _among(keys, frozenset(self.general[name]))
        return groups.taken(np.flatnonzero(chosen))

    def seen(self, parts: Parts) -> Seen:
        """Return the rows; those that were added stand for nobody and look like the others."""
        return replace(super().seen(parts), nobody=self.added)

    def verify(
        self, parts: Parts, models: Sequence[TableModel], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge the groups that show a general value; refuse requirements that are not about single owners."""
        groups = self.general_groups(parts)
        rows = self.tables(parts)["data"].rows
        slack = (self.added + self.left_out) / rows if rows else 0.0
        return [self._verdict(model, groups, slack) for model in models]

    def _verdict(self, model: TableModel, groups: GroupStats, slack: float) -> Verdict:
        if model.id not in PERSONAL or not isinstance(model, GroupModel):
            raise Unsupported(
                f"{self.id} leaves records as they are unless their owners asked, so it cannot promise {model.id}",
                thing=model.id,
                alternatives=PERSONAL,
            )
        if model.needs() != (self.sensitive,):
            raise BadRequest(
                "is not the column whose frequencies protect",
                parameter=f"{model.id}.sensitive",
                value=", ".join(model.needs()),
                available=[self.sensitive],
            )
        verdict = model.judge(Publication(explicit=groups, qids=self.qid))
        if not slack:
            return verdict
        bound = model.bound()
        # No difference of shares is above 1; a group that is too small measures more and is never excused.
        wide = replace(bound, threshold=min(bound.threshold + slack, 1.0) + 1e-12)
        broken = ~wide.holds(model.measure(groups))
        kept = [one for one in verdict.violations if not wide.holds(np.array([one.measured]))[0]]
        return replace(
            verdict,
            satisfied=not broken.any(),
            bound=say("bound.slack", bound=str(bound), slack=slack),
            violating_groups=int(broken.sum()),
            violating_records=int(groups.sizes[broken].sum()),
            violations=tuple(kept),
        )

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return how many groups show a general value and how many rows the smallest of them has."""
        sizes = self.general_groups(parts).sizes
        smallest = {"smallest_general_group": int(sizes.min())} if len(sizes) else {}
        return {"general_groups": len(sizes), **smallest}

    def statement(self) -> Statement:
        changed = []
        if self.added:
            changed.append(say("statement.rows_of_nobody", count=self.added))
        if self.moved:
            changed.append(say("statement.rows_moved", count=self.moved))
        if self.left_out:
            changed.append(say("statement.who_left_out", count=self.left_out))
        return Statement(
            checked=[
                say("statement.general_groups_up_to")
                if self.added or self.left_out
                else say("statement.general_groups"),
            ],
            not_checkable=[
                say("statement.who_asked")
                if self.deviation is None
                else say("statement.who_asked_measured", deviation=self.deviation),
                say("statement.who_did_not_ask"),
                *changed,
            ],
        )


def judge_owners(built: Built, model: GroupModel, reference: Mapping[Hashable, int]) -> Verdict:
    """Return the exact verdict on the groups in which protected owners are published; ``reference`` counts the input.

    Groups are counted anew from the published rows. This is what only the publisher can check.
    """
    kind = built.kind
    assert isinstance(kind, PersonalTable)
    groups, asked = built.main.groups(kind.qid, [kind.sensitive]), _published(built, kind.qid, "protected")
    keys = zip(*map(list, groups.keys), strict=True)
    shown = groups.taken(np.array([at for at, key in enumerate(keys) if key in asked], np.int64))
    histogram = shown.histograms[kind.sensitive]
    strange = [value for value in histogram.values if value not in reference]
    if strange:
        raise InternalError(f"{len(strange)} published sensitive values do not occur in the input")
    values = tuple(dict.fromkeys([*histogram.values, *reference]))
    return model.check(
        GroupStats(
            kind.qid,
            tuple([None] * len(shown) for _ in kind.qid),  # a verdict on owners names nobody
            shown.sizes,
            {kind.sensitive: replace(histogram, values=values)},
            {kind.sensitive: np.array([reference[value] for value in values], np.int64)},
        )
    )


def added_rows(built: Built) -> list[int]:
    """Return the places of the published rows that stand for nobody; of rows that look alike, the last."""
    nobody = _published(built, built.main.columns, "nobody")
    out = []
    for at, row in reversed(list(enumerate(built.main.to_rows()))) if nobody else ():
        if nobody[row]:
            nobody[row] -= 1
            out.append(at)
    return out[::-1]


def _published(built: Built, columns: Sequence[str], owner: str) -> Counter[tuple[Hashable, ...]]:
    """Return what is published of protected owners, or of nobody, and how often."""
    out: Counter[tuple[Hashable, ...]] = Counter()
    if built.links is None:
        return out
    others = [whose for whose in built.links.dictionary("owner").values if whose != owner]
    told = built.links.without(["owner"], [others])
    for *row, records in told.select([*(f"published {name}" for name in columns), "records"]).to_rows():
        out[tuple(row)] += records
    return out


def _among(keys: Sequence[Hashable], known: frozenset[str]) -> Bools:
    """Tell for each value whether it is one of the known ones."""
    if isinstance(keys, CodedKeys):
        own = np.array([*(value in known for value in keys.values), False], bool)  # the last answers for missing, -1
        return own[keys.codes]
    return np.fromiter((key in known for key in keys), bool, len(keys))
