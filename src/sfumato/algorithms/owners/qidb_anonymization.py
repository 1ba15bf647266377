"""QIDB anonymization: protect the owners who ask for it, and leave everybody else's record as it is."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.algorithms.owners._owner_flags import Flags, flags_of_codes, value_weights, zero_or_one
from sfumato.algorithms.owners._qidb import (
    Block,
    FrequencyBlock,
    QidbResult,
    QidbSearch,
    Settings,
    alternating_chain,
    chain_rounds,
    check_frequency,
    complete,
    deviations,
    frequency_distribution_block,
    height_rounds,
    minimal_completions,
    owner_flags,
)
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import OwnerFacts
from sfumato.contracts.owners import Owners
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.decimals import exact_share
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.data.words import counted
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.kernels.arrays import Bools, Ints
from sfumato.models.personal_frequency import PersonalFrequency
from sfumato.releases.personal_table import PersonalBlock, PersonalTable, added_rows
from sfumato.searches.grouping import records_of
from sfumato.searches.lattice import Lattice, Node

__all__ = [
    "FrequencyBlock",
    "QidbAnonymization",
    "check_frequency",
    "complete",
    "deviations",
    "frequency_distribution_block",
    "minimal_completions",
    "owner_flags",
]


class QidbAnonymization(Algorithm):
    """Protect the owners who ask for it, by blocks that look like the whole table, and leave every other record as it is.

    Not every sensitive value is embarrassing, and not every owner of an embarrassing value minds. The steward says

    - ``weights``: which values are embarrassing. A table ``{Cancer: 1, Flu: 0}``, or the name of a private column that holds 0
      or 1. A value without a weight is refused, unless ``default_weight`` says what it counts as.
    - ``flags``: what the owners answered. The name of a private column: 0 "do not disclose", 1 "I do not mind", missing counts
      as 0. Or a table by value, or one answer for all. An answer for a value of weight 0 changes nothing.

    Columns of weights and flags have the role ``private``: they are read and never published. A record is *protected* if its
    weight is 1 and its flag 0.

    Around each protected record, in order, a *block* grows: all records, not yet claimed by another block, that share its
    generalized values. Round by round more general nodes of the hierarchies are tried. A block is accepted where every
    sensitive value is as frequent in it as in the table, within ``th_acct`` of the requirement ``personal-frequency``; of the
    nodes of a round the one with the fewest records, then the first. Its records are then claimed and share their published
    values. What no round could accept is withheld if each embarrassing value in it occurs at most ``th_suppr`` times (which
    ``limits.suppress_at_most`` must allow); else rows are added, as few as possible, if its embarrassing values are within
    ``th_disc`` of their share in the table. Added rows are nobody's and are not marked. If something is left even then,
    nothing is published. All comparisons are exact: ``0.1`` is a tenth.

    The release is a ``personal-table``. **Owners who did not ask get no protection.** Whoever is covered by two blocks is
    still bounded: each has the frequencies of the table, and so has every mixture. A block of one record is possible where
    its value is nearly everybody's; ``min_block_size`` of the requirement excludes it. Columns without a hierarchy have two
    levels, the value and ``*``; numbers need a hierarchy.

    Facts of an outcome (private): ``status``; ``blocks`` and ``withheld`` (seed, node, value, members, added, donors,
    iteration, resolved_by); ``protected``, ``suppressed`` and ``pending`` records; ``rounds``; ``added_rows``, the rows of the
    release that are nobody's; ``rows_added``, ``records_suppressed``; ``owners``, what happened to how many. Those of a
    release also hold ``deviation``, the largest difference of shares in a group with a protected owner.

    Adversary: knows the quasi-identifier of a person in the table, and does not know who asked. Cost: one pass over the
    distinct records for each node that is looked at.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("48602", "Cancer", 0), ("48607", "Flu", None), ("48655", "Cancer", 1), ("48677", "Flu", None)]
    >>> zips = {"486**": [{"4860*": ["48602", "48607"]}, {"4865*": ["48655"]}, {"4867*": ["48677"]}]}
    >>> policy = {
    ...     "columns": {
    ...         "Zip": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": zips}},
    ...         "Disease": {"role": "sensitive"},
    ...         "Answer": {"role": "private"},
    ...     },
    ...     "requirements": [{"id": "personal-frequency", "sensitive": "Disease", "th_acct": "0.1"}],
    ...     "algorithm": {"id": "qidb-anonymization", "weights": {"Cancer": 1, "Flu": 0}, "flags": "Answer"},
    ... }
    >>> release = sfumato.anonymize(sfumato.from_rows(["Zip", "Disease", "Answer"], rows), policy)
    >>> release.table.to_rows()
    [('4860*', 'Cancer'), ('4860*', 'Flu'), ('48655', 'Cancer'), ('48677', 'Flu')]
    >>> release.private.facts["owners"]["protected"], release.private.facts["owners"]["others_as_they_are"]
    (1, 2)
    >>> everybody = QidbAnonymization(default_weight=1, th_disc="1")

    References
    ----------
    Compare Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.9, on requirements of
    single owners, and Xiao, Tao, "Personalized privacy preservation", 2006, doi:10.1145/1142473.1142500, which lets owners
    name what they guard.
    """

    id: ClassVar[str] = "qidb-anonymization"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="cells",
        release="personal-table",
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=False,
        suppresses_records=True,
        cost="distinct records times the nodes of the rounds",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )
    several_quasi_identifiers: ClassVar[bool] = False
    promises: ClassVar[Mapping[str, object]] = {"id": "personal-frequency", "sensitive": "class", "th_acct": "0.2"}

    weights: Mapping[str, int] | str | None = param(
        default=None,
        doc="which sensitive values are embarrassing: 1 or 0 for each value, or the private column that holds it",
    )
    flags: Mapping[str, int] | str | int | None = param(
        default=None,
        doc="whether owners mind: the private column of answers (0 do not disclose, 1 I do not mind), an answer for each "
        "value, or one for all; nobody was asked and all mind if not given",
    )
    default_weight: int | None = param(
        default=None,
        choices=(0, 1),
        doc="the weight of values that weights does not name; they are refused if not given",
    )
    th_n: int = param(default=1, ge=1, doc="fewest records of the table; with fewer nothing is published")
    th_iter: int | None = param(
        default=None, ge=1, doc="rounds of generalization; as many as the schedule has if not given"
    )
    th_suppr: int = param(
        default=0, ge=0, doc="withhold a block in which no embarrassing value occurs more often than this; 0: never"
    )
    th_disc: str | float = param(
        default="0.2",
        ge=0,
        le=1,
        doc="add rows to a block whose embarrassing values are this near to their share in the table; a decimal number",
    )
    schedule: str = param(
        default="height",
        choices=("height", "chain"),
        doc="round i tries all nodes whose levels add up to i, or node i of a chain",
    )
    chain: tuple[tuple[int, ...], ...] | str | None = param(
        default=None,
        doc="nodes that never go down, a level for each quasi-identifier; alternate raises them in turn (the default)",
    )
    suppress_scope: str = param(
        default="block",
        choices=("block", "protected"),
        doc="withhold all records of a block, or protected ones only and leave the others as they are",
    )
    dis_source: str = param(
        default="counterfeit",
        choices=("counterfeit", "donor"),
        doc="added rows are nobody's, or records of owners who do not mind, with quasi-identifiers that are not theirs",
    )
    other_columns: str = param(
        default="sampled",
        choices=("sampled", "missing"),
        doc="what added rows show elsewhere: values of a record of the block, or none, which gives the row away",
    )
    on_unresolved: str = param(
        default="refuse",
        choices=("refuse", "suppress"),
        doc="what to do if an owner cannot be protected: publish nothing, or leave the record out",
    )
    shuffle: bool = param(default=False, doc="shuffle the published rows instead of sorting them")

    def validate(self) -> None:
        """Refuse weights and flags that are not 0 or 1, and a chain without its schedule."""
        for name in ("weights", "flags"):
            given = getattr(self, name)
            if isinstance(given, Mapping):
                for answer in given.values():
                    zero_or_one(answer, parameter=f"{self.id}.{name}")
            elif given is not None and not isinstance(given, str):
                if name == "weights" or isinstance(given, bool):
                    raise BadRequest("must be a table by value or a column", parameter=f"{self.id}.{name}", value=given)
                zero_or_one(given, parameter=f"{self.id}.{name}")
        if self.weights is None and self.default_weight is None:
            raise BadRequest(
                "must say which sensitive values are embarrassing", parameter=f"{self.id}.weights", available=["0", "1"]
            )
        exact_share(self.th_disc, parameter=f"{self.id}.th_disc")
        if self.chain is not None and self.schedule != "chain":
            raise BadRequest("is for the schedule chain only", parameter=f"{self.id}.chain", value=self.schedule)
        if isinstance(self.chain, str) and self.chain != "alternate":
            raise BadRequest("must be a list of nodes or alternate", parameter=f"{self.id}.chain", value=self.chain)

    # ---- running -----------------------------------------------------------------------------------------------------

    def run(self, task: Task, run: Run) -> Outcome:
        """Search and build the release; only what added rows show in other columns is drawn, and the order if asked."""
        model = self._model(task)
        search = self.prepare(task)
        result = search.run(run)
        self._refuse_unpublished(task, model, search, result)
        raw = records_of(task, self.id)
        blocks = [PersonalBlock(block.members, block.value, block.added) for block in result.blocks]
        built = PersonalTable.build(
            raw,
            task.qids,
            model.sensitive,
            blocks,
            left_out=result.suppressed,
            protected=search.seeds,
            moved=sum(len(block.donors) for block in result.blocks),
            plain=self.other_columns,
            rng=run.rng,
            shuffle=self.shuffle,
        )
        added = added_rows(built)
        return Outcome(
            built=built,
            warnings=self._warnings(task, model, search, result, len(added)),
            facts=OwnerFacts(
                status=result.status,
                blocks=[block.told() for block in result.blocks],
                withheld=[block.told() for block in result.withheld],
                suppressed=result.suppressed.tolist(),
                pending=result.pending.tolist(),
                rounds=result.rounds,
                added_rows=added,
                rows_added=len(added),
                records_suppressed=len(result.suppressed),
                protected=search.seeds.tolist(),
                owners=owners_told(search, result),
            ),
        )

    def prepare(self, task: Task) -> QidbSearch:
        """Return the search that a task asks for; its ``run`` gives the blocks, also where nothing may be published."""
        model, raw = self._model(task), records_of(task, self.id)
        held = raw.dictionary(model.sensitive)
        codes = raw.as_rows().codes([model.sensitive])[:, 0].astype(np.int64)
        if held.missing:
            raise BadRequest(
                f"has {held.missing:,} missing values; make them a value of their own and give it a weight",
                column=model.sensitive,
                parameter="missing",
                available=["own-value"],
            )
        weights, named = self._weights(task, model.sensitive, held.values, codes)
        flags = flags_of_codes(codes, held.values, weights, self._answers(task, held.values, codes))
        order = self._order(held.values, codes, named)
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        whole = FrequencyBlock(tuple(held.values[at] for at in order), tuple(held.counts[order].tolist()))
        ranked = Flags(flags.sw, flags.sdf, flags.marked[order], flags.unanswered, flags.ignored)
        lattice = Lattice(task.attributes, task.table)
        settings = Settings(
            th_acct=exact_share(model.th_acct, parameter=f"{model.id}.th_acct"),
            th_disc=exact_share(self.th_disc, parameter=f"{self.id}.th_disc"),
            th_n=self.th_n,
            th_suppr=self.th_suppr,
            scope=model.scope,
            min_block_size=model.min_block_size,
            suppress_scope=self.suppress_scope,
            dis_source=self.dis_source,
            on_unresolved=self.on_unresolved,
        )
        own = raw.as_rows().codes(task.qids, {name: task.table.dictionaries[name] for name in task.qids})
        return QidbSearch(lattice, own, rank[codes], whole, ranked, self._rounds(lattice.top), settings)

    def _model(self, task: Task) -> PersonalFrequency:
        for model in task.models:
            if not isinstance(model, PersonalFrequency):
                raise Unsupported(
                    f"{self.id} protects the owners who ask and leaves the others as they are; it cannot promise {model.id}",
                    thing=model.id,
                    alternatives=[PersonalFrequency.id],
                )
            if model.qid is not None and set(model.qid) != set(task.qids):
                raise Unsupported(f"{self.id} makes blocks of all quasi-identifiers together", thing=model.id)
        if len(task.models) != 1:
            raise Unsupported(f"{self.id} takes one requirement, {PersonalFrequency.id}", thing=self.id)
        only = task.models[0]
        assert isinstance(only, PersonalFrequency)
        return only

    def _rounds(self, top: Node) -> list[list[Node]]:
        if self.schedule == "height":
            return height_rounds(top, self.th_iter)
        chain = self.chain if self.chain is not None and not isinstance(self.chain, str) else alternating_chain(top)
        return chain_rounds(chain, top, self.th_iter)

    # ---- what owners say ---------------------------------------------------------------------------------------------

    def _private(self, task: Task, parameter: str, name: str) -> Ints:
        """Return a private column of 0 and 1, record by record; -1 where it is missing."""
        where = f"{self.id}.{parameter}"
        owners: Table | None = task.owners
        if owners is None or name not in owners.types:
            known = () if owners is None else owners.columns
            raise BadRequest(
                "must name a column with the role private, which is never published",
                parameter=where,
                value=name,
                available=known,
            )
        held = owners.dictionary(name)
        texts = [to_text(value) for value in held.values]
        meant = [{"0": 0, "1": 1, "false": 0, "true": 1}.get(text, -2) for text in texts]
        codes = owners.as_rows().codes([name])[:, 0]
        out = np.array([*meant, -1], np.int64)[codes]
        if (out == -2).any():
            raise BadRequest(
                f"{counted(int((out == -2).sum()), 'record has', 'records have')} something else than 0 or 1",
                parameter=where,
                column=name,
            )
        return out

    def _weights(
        self, task: Task, sensitive: str, values: Sequence[Hashable], codes: Ints
    ) -> tuple[Ints, Sequence[str]]:
        """Return the weight of each sensitive value, and the values in the order in which weights names them."""
        where = f"{self.id}.weights"
        if not isinstance(self.weights, str):
            table: dict[Hashable, int] = dict((self.weights or {}).items())
            found = value_weights(values, table, self.default_weight, column=sensitive, parameter=where)
            return found, [to_text(value) for value in table]
        given = self._private(task, "weights", self.weights)
        low, high = np.full(len(values), 2, np.int64), np.full(len(values), -1, np.int64)
        np.minimum.at(low, codes[given >= 0], given[given >= 0])
        np.maximum.at(high, codes[given >= 0], given[given >= 0])
        if ((low == 0) & (high == 1)).any():
            both = [to_text(values[at]) for at in np.flatnonzero((low == 0) & (high == 1)).tolist()]
            raise BadRequest("gives one sensitive value two weights", parameter=where, column=self.weights, value=both)
        known = {values[at]: int(high[at]) for at in np.flatnonzero(high >= 0).tolist()}
        return value_weights(values, known, self.default_weight, column=sensitive, parameter=where), ()

    def _answers(self, task: Task, values: Sequence[Hashable], codes: Ints) -> Ints:
        if isinstance(self.flags, str):
            return self._private(task, "flags", self.flags)
        if isinstance(self.flags, Mapping):
            said = {str(value): zero_or_one(answer, parameter="flags") for value, answer in self.flags.items()}
            return np.array([said.get(to_text(value), -1) for value in values], np.int64)[codes]
        return np.full(len(codes), -1 if self.flags is None else int(self.flags), np.int64)

    @staticmethod
    def _order(values: Sequence[Hashable], codes: Ints, named: Sequence[str]) -> Ints:
        """Return the values in the order of the frequency block: as weights names them, then by their first record."""
        first = np.full(len(values), len(codes), np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        place = {text: at for at, text in enumerate(named)}
        keys = [(place.get(to_text(value), len(place)), int(first[at])) for at, value in enumerate(values)]
        return np.array(sorted(range(len(values)), key=keys.__getitem__), np.int64)

    # ---- what is told ------------------------------------------------------------------------------------------------

    def _refuse_unpublished(self, task: Task, model: PersonalFrequency, search: QidbSearch, result: QidbResult) -> None:
        """Refuse where nothing may be published, with the numbers."""
        records = len(search.values)
        if result.status == "too-few-records":
            raise Infeasible(
                f"the table has {records:,} records, th_n asks for {self.th_n:,}; nothing is published",
                measured=records,
                bound=self.th_n,
                requirement=model.id,
            )
        if result.status == "not-published":
            raise Infeasible(
                f"{len(result.pending):,} of {len(search.seeds):,} owners who asked could not be protected after "
                f"{result.rounds} rounds; nothing is published. More rounds (th_iter), wider thresholds (th_acct, th_disc, "
                "th_suppr) or on_unresolved: suppress may help",
                measured=len(result.pending),
                bound=0,
                requirement=model.id,
            )
        if len(result.suppressed) == records:
            raise Infeasible(
                "every record would be left out; nothing is published", measured=0, bound=1, requirement=model.id
            )
        if len(result.suppressed) > task.budget:
            raise Infeasible(
                f"{len(result.suppressed):,} records would be left out, limits.suppress_at_most allows {task.budget:,}; "
                "nothing is published",
                measured=len(result.suppressed),
                bound=task.budget,
                requirement=model.id,
            )

    def _warnings(
        self, task: Task, model: PersonalFrequency, search: QidbSearch, result: QidbResult, added: int
    ) -> list[str]:
        out = search.flags.warnings()
        if len(search.seeds) == 0:
            out.append(say("warning.nobody_asked"))
        if search.settings.th_disc <= search.settings.th_acct:
            out.append(say("warning.thresholds", th_disc=self.th_disc, th_acct=model.th_acct))
        lonely = sum(len(block.members) + len(block.added) == 1 for block in result.blocks)
        if lonely:
            out.append(say("warning.lonely_blocks", lonely=lonely))
        if added:
            out.append(say("warning.rows_added", added=added))
            others = [n for n in records_of(task, self.id).columns if n not in (*task.qids, model.sensitive)]
            if others and self.other_columns == "missing":
                out.append(say("warning.rows_lack", names=", ".join(others)))
            elif others:
                out.append(say("warning.rows_repeat", names=", ".join(others)))
        moved = sum(len(block.donors) for block in result.blocks)
        if moved:
            out.append(say("warning.rows_moved", moved=moved))
        if len(result.suppressed):
            share = len(result.suppressed) / len(search.values)
            out.append(say("records.left_out", count=len(result.suppressed), share=share))
        return out


def owners_told(search: QidbSearch, result: QidbResult) -> Owners:
    """Return what happened to how many owners: who asked, by what they are protected, and what the others paid."""
    protected = search.flags.protected
    records = len(protected)
    height = np.array([max(level, 1) for level in search.lattice.top], np.float64)
    climbed = np.zeros(records)
    grown, completed = np.zeros(records, bool), np.zeros(records, bool)
    for block in result.blocks:
        (completed if _gained(block) else grown)[block.members] = True
        climbed[block.members] = float((np.array(block.node) / height).mean()) if len(height) else 0.0
    gone = np.zeros(records, bool)
    gone[result.suppressed] = True
    climbed[gone] = 1.0
    inside = grown | completed

    def mean(chosen: Bools) -> float:
        return float(climbed[chosen].mean()) if chosen.any() else 0.0

    return Owners(
        records=records,
        embarrassing=int((search.flags.sw == 1).sum()),
        protected=int(protected.sum()),
        by_generalization=int((protected & grown).sum()),
        by_added_rows=int((protected & completed).sum()),
        by_withholding=int((protected & gone).sum()),
        asked_without_weight=search.flags.ignored,
        others=int((~protected).sum()),
        others_as_they_are=int((~protected & ~inside & ~gone).sum()),
        others_in_blocks=int((~protected & inside).sum()),
        others_left_out=int((~protected & gone).sum()),
        blocks=len(result.blocks),
        rows_added=sum(len(block.added) for block in result.blocks),
        generalized_protected=mean(protected),
        generalized_others=mean(~protected),
    )


def _gained(block: Block) -> bool:
    return bool(block.added or block.donors)
