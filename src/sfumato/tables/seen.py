"""What an adversary has before her, put together from a release and whatever tables the steward gives beside it.

In an audit several are tried: who knows all quasi-identifiers, who has an external table, who knows less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.catalogue import build
from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.attack import unlinkable
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Names, Reading, Seen, TableKnowledge, Told
from sfumato.contracts.model import TableModel
from sfumato.contracts.published import Published
from sfumato.data.schema import ColumnType, Role
from sfumato.data.tree import Tree
from sfumato.engines import read
from sfumato.errors import BadRequest, SfumatoError
from sfumato.publishing.published import open_published
from sfumato.recodings.record_recoding import RecordRecoding
from sfumato.recodings.scales import TreeScale
from sfumato.tables.open import open_table
from sfumato.tables.policy import Policy, policy_of

__all__ = ["adversaries", "named", "offered", "open_seen", "protected", "seen_of"]


def open_seen(source: object, told: Told | None = None, *, learns: bool = True) -> tuple[Seen, TableKnowledge]:
    """Return how an adversary reads what is published, and what she knows; :class:`TableKnowledge` says what may be told.

    ``learns`` tells whether the attack looks at a sensitive column: if not, none of several need be named.
    """
    published = open_published(source)
    said = told or {}
    readings = _readings(published, said.get("hierarchies"))
    seen = seen_of(published, readings)

    def beside(given: object) -> Table | None:
        return None if given is None else _read_alike(given, readings)

    def before(given: object) -> Table | None:
        policy = policy_of(published)
        return open_table(given, policy) if policy is not None and isinstance(given, (str, Path)) else beside(given)

    external, raw, other = beside(said.get("external")), before(said.get("raw")), said.get("other")
    asked, qid = said.get("sensitive"), said.get("qid")
    learn = _one(named(asked))
    known = tuple(qid) if qid is not None else _shared(seen, external, said.get("name"), learn)
    if len(set(known)) < len(known):
        raise BadRequest("names a column twice", parameter="qid", value=list(known))
    # What is read from here on knows these labels, too.
    unread = [name for name in known if name not in readings]
    readings |= _declared(policy_of(published), unread, [raw, external, published.private.raw])
    if asked is None:
        held = protected(seen, known)
        learn = _one(held) if learns or len(held) == 1 else ()
    models = tuple(one if isinstance(one, TableModel) else build(one, "model") for one in said.get("models", ()))
    return seen, TableKnowledge(
        known=known,
        learn=learn,
        other=None if other is None else seen_of(open_published(other), readings),
        external=external,
        name=said.get("name"),
        owners=beside(said.get("owners")),
        raw=raw,
        control=beside(said.get("control")),
        corrupted=beside(said.get("corrupted")),
        models=models or seen.models,
        hierarchies=said.get("hierarchies"),
        population=said.get("population"),
        weight=said.get("weight"),
        household=said.get("household"),
    )


def seen_of(published: Published, readings: Mapping[str, Reading]) -> Seen:
    """Return how an adversary reads what is published who knows what labels stand for."""
    seen = published.form.seen(published.tables)
    models = tuple(model for model in published.models if isinstance(model, TableModel))
    return replace(seen, roles=seen.roles or published.roles, readings=readings, models=models)


def _read_alike(source: object, readings: Mapping[str, Reading]) -> Table:
    """Open a table; where a hierarchy holds texts a file is read as texts, so that codes with leading zeros stay codes."""
    texts = [
        name
        for name, reading in readings.items()
        if isinstance(reading, TreeScale) and all(isinstance(leaf, str) for leaf in reading.tree.leaves)
    ]
    if not texts or not isinstance(source, (str, Path)):
        return open_table(source)
    known = open_table(source).columns
    return read(source, types={name: ColumnType.TEXT for name in texts if name in known})


def named(given: str | Sequence[str] | None) -> Names:
    """Return the columns that are named, one or several, each once."""
    if given is None or isinstance(given, str):
        return () if given is None else (given,)
    if not isinstance(given, Iterable) or not all(isinstance(name, str) for name in given):
        raise BadRequest("must name columns", parameter="sensitive", value=str(given))
    return tuple(dict.fromkeys(given))


def _one(columns: Names) -> Names:
    """Return the column to learn, if there is one; an attack learns one at a time."""
    if len(columns) > 1:
        raise BadRequest("say which sensitive column is to be learnt", parameter="sensitive", available=columns)
    return columns


def _shared(seen: Seen, external: Table | None, name: str | None, learn: Names) -> Names:
    """Return the columns to link by: quasi-identifiers where roles are known, else whatever both tables have."""
    if external is None:
        return offered(seen, learn)
    known = offered(seen, learn) if seen.roles else seen.table.columns
    return tuple(column for column in known if column != name and column not in learn and column in external.types)


def offered(seen: Seen, learn: Names) -> Names:
    """Return the quasi-identifiers of a release, as its roles tell; of a bare table none. Nobody links by what was changed."""
    named = seen.of_role(Role.QUASI_IDENTIFIER)
    beside = {*learn, *seen.changed}
    return tuple(column for column in named if column in seen.table.types and column not in beside)


def protected(seen: Seen, known: Sequence[str]) -> Names:
    """Return the sensitive columns of a release; what the adversary is said to know is not to be learnt."""
    held = seen.held()
    return tuple(name for name in seen.of_role(Role.SENSITIVE) if name in held and name not in known)


def _declared(policy: Policy | None, columns: Sequence[str], tables: Sequence[Table | None]) -> dict[str, Reading]:
    """Return what the hierarchies of a policy make of values at hand: a release that keeps no recoding shows their labels."""
    out: dict[str, Reading] = {}
    for column in columns:
        builder = policy.hierarchy(column) if policy is not None and column in policy.columns else None
        held = [table.dictionary(column).values for table in tables if table is not None and column in table.types]
        if builder is None or not held:
            continue
        try:
            out[column] = TreeScale(builder.build(held[0], column=column))
        except SfumatoError:
            continue  # values without a place in the hierarchy: labels stand for themselves
    return out


def _readings(published: Published, hierarchies: Mapping[str, object] | None) -> dict[str, Reading]:
    out: dict[str, Reading] = {}
    for operation in published.private.operations:
        if isinstance(operation, RecordRecoding):
            out.update(operation.scales)
    for column, recoding in published.recodings.items():
        tree = getattr(recoding, "tree", None)
        if isinstance(tree, Tree):
            out[column] = TreeScale(tree)
    for column, given in (hierarchies or {}).items():
        if not isinstance(given, (Tree, Mapping)) or (isinstance(given, Mapping) and "id" in given):
            raise BadRequest("must be a tree or a nested mapping", column=column, parameter="hierarchies")
        out[column] = TreeScale(given if isinstance(given, Tree) else Tree.from_nested(given))
    return out


_MOST_ADVERSARIES = 8


def adversaries(published: Published, told: Told) -> Adversaries[TableKnowledge]:
    """Return who is tried on what is published, from what was told; columns that are nowhere are refused."""
    given, qid, learn = told.get("raw"), told.get("qid"), told.get("sensitive")
    columns = protected(seen_of(published, {}), qid or ()) if learn is None else named(learn)
    beside: Told = {**told, "sensitive": columns[:1], "raw": published.private.raw if given is None else given}
    seen, knowledge = open_seen(published, beside, learns=False)
    _refuse_unknown(seen, knowledge, columns)
    if unlinkable(seen, knowledge) is not None:
        # What is published is nobody's own value: whoever looks for nobody in particular can still be tried.
        knowledge = replace(knowledge, external=None, name=None)
    linking = _each(seen, knowledge, columns)
    every = knowledge.known if qid is not None else offered(seen, columns[:1]) or knowledge.known
    _refuse_another(None if given is None else knowledge.raw, (*every, *columns))
    all_knowing = linking
    if every != knowledge.known:
        # An external table that lacks some columns limits those who have only that; others know more.
        knowledge = replace(knowledge, known=every, external=None, name=None)
        all_knowing = _each(seen, knowledge, columns)
    narrower = [_adversary(seen, replace(knowledge, known=known)) for known in _assumed(seen, every)]
    return Adversaries(all_knowing, linking, [*narrower, *(linking[:1] if linking is not all_knowing else [])])


def _each(seen: Seen, knowledge: TableKnowledge, columns: Names) -> list[Adversary[TableKnowledge]]:
    """Return an adversary for each column to learn."""
    learnt: list[Names] = [(name,) for name in columns] or [()]
    return [_adversary(seen, replace(knowledge, learn=one)) for one in learnt]


def _adversary(seen: Seen, knowledge: TableKnowledge) -> Adversary[TableKnowledge]:
    raw = knowledge.raw
    if raw is None or any(name not in raw.types for name in (*knowledge.known, *knowledge.learn)):
        return Adversary(seen, knowledge)
    return Adversary(seen, knowledge, seen.keep(("before", raw), lambda: seen.original(raw)))


def _assumed(seen: Seen, known: Names) -> list[Names]:
    """Return what the adversaries of single requirements know, where that is less than all columns."""
    wanted = [tuple(name for name in known if name in (model.qid or known)) for model in seen.models]
    return [one for one in dict.fromkeys(wanted) if one and one != known][:_MOST_ADVERSARIES]


def _refuse_unknown(seen: Seen, knowledge: TableKnowledge, columns: Names) -> None:
    """Refuse columns that are not published: no attack could be tried, which is not what was asked."""
    if not knowledge.known and seen.stands_for != "statistics" and not seen.changed:
        rule = "say which columns an adversary may know"
        if seen.roles:
            where = "published column" if knowledge.external is None else "column of the external table"
            rule = f"no {where} is a quasi-identifier: {rule}"
        raise BadRequest(rule, parameter="qid", available=seen.table.columns)
    for parameter, names, held in (
        ("qid", knowledge.known, seen.table.columns),
        ("sensitive", columns, seen.held()),
    ):
        for name in names:
            if name not in held:
                raise BadRequest("is not a published column", parameter=parameter, value=name, available=held)
    for name in columns:
        if name in knowledge.known:
            raise BadRequest("is known to the adversary and cannot be learnt", parameter="sensitive", value=name)


def _refuse_another(raw: Table | None, columns: Sequence[str]) -> None:
    """Refuse a table before masking that lacks the columns: nothing could be compared, which is not what was asked."""
    for name in columns:
        if raw is not None and name not in raw.types:
            raise BadRequest("lacks a column of the release", parameter="raw", value=name, available=raw.columns)
