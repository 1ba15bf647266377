"""Who attacks a published table in an audit: who knows all quasi-identifiers, who has an external table, who knows less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.attack import unlinkable
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Names, Seen, TableKnowledge, Told
from sfumato.contracts.published import Published
from sfumato.errors import BadRequest
from sfumato.tables.seen import named, offered, open_seen, protected, seen_of

__all__ = ["adversaries"]

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
