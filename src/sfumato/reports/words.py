"""Numbers as sentences that a reader without a course in privacy understands."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.catalogue import known
from sfumato.contracts.certificate import RequirementEntry
from sfumato.contracts.model import TableModel
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data import words
from sfumato.data.messages import called, signs, tell, worded
from sfumato.data.text import SUPPRESSED
from sfumato.data.tree import Tree
from sfumato.data.words import counted, printable
from sfumato.recodings.discretization import Discretization
from sfumato.recodings.full_domain_generalization import FullDomainGeneralization
from sfumato.recodings.tree_recoding import TreeRecoding
from sfumato.recodings.value_suppression import ValueSuppression

__all__ = [
    "asked",
    "bounded",
    "by_size",
    "counted",
    "ending",
    "gist",
    "jointly",
    "listing",
    "number",
    "operation",
    "percent",
    "printable",
    "promise",
]

_ENDINGS = {"no step was left": "end", "max_refinements": "steps", "deadline": "time", "interrupted": "interrupted"}

_PLAIN = (
    "l-diversity-distinct",
    "l-diversity-entropy",
    "l-diversity-frequency",
    "l-diversity-recursive",
    "t-closeness",
)
"""Requirements on sensitive columns that have a sentence of their own."""


def listing(names: Sequence[str]) -> str:
    """Write names as ``a, b and c``; a long list is cut.

    >>> listing(["zip", "age", "sex"])
    'zip, age and sex'
    """
    return tell("page.listing", names=names)


def number(value: float | None) -> str:
    """Write a number for reading, with the signs of the language."""
    return signs(words.number(value))


def percent(part: float, whole: float) -> str:
    """Write a share, with the signs of the language."""
    return signs(words.percent(part, whole))


def bounded(needed: str) -> str:
    """Say which side of a threshold is safe."""
    said = worded(needed)
    return said.replace(">=", tell("page.requirement.at_least")).replace("<=", tell("page.requirement.at_most"))


def gist(thing: str, kind: str) -> str:
    """Return the first sentence of what the catalogue says about an id."""
    found = known(thing, kind)
    if found is None:
        return tell(f"page.own.{kind}")
    return called(f"gist.{kind}.{thing}", found.summary().replace("``", ""))


def by_size(entry: RequirementEntry) -> bool:
    """Tell whether a requirement of a certificate is about the size of groups alone."""
    found = known(entry.model, "model")
    return found is not None and issubclass(found, TableModel) and found.traits.by_size_alone


def least(entry: RequirementEntry) -> int:
    """Return the ``k`` that a requirement asks for; 1 if it asks for none."""
    k = entry.parameters.get("k", 1)
    return k if isinstance(k, int) else 1


def asked(entry: RequirementEntry) -> str:
    """Say what a requirement of a certificate asks for."""
    columns, needed = entry.quasi_identifier, worded(entry.needed)
    if by_size(entry) and "k" in entry.parameters:
        return tell("page.asked.by_size", columns=columns, others=least(entry) - 1)
    said = gist(entry.model, "model").rstrip(".")
    if columns:
        return tell("page.asked.on_columns", gist=said, columns=columns, needed=needed)
    return tell("page.asked.needed", gist=said, needed=needed)


def promise(entry: RequirementEntry) -> str:
    """Say in one sentence what was measured for a requirement of a certificate, and what it means for a person."""
    columns, measured = entry.quasi_identifier, entry.measured
    if entry.model in _PLAIN and entry.satisfied and measured is not None:
        said = {"sensitive": entry.parameters.get("sensitive"), "needed": bounded(entry.needed)}
        return tell(f"page.promise.model.{entry.model}", columns=columns, measured=measured, **said)
    if not by_size(entry):
        where = tell("page.promise.on", columns=columns) if columns else ""
        if measured is None and entry.satisfied:
            return tell("page.promise.nobody", model=entry.model, where=where, needed=worded(entry.needed))
        return tell(
            "page.promise.holds" if entry.satisfied else "page.promise.fails",
            model=entry.model,
            where=where,
            measured=measured,
            needed=worded(entry.needed),
        )
    if measured is None:
        return tell("page.promise.nothing")
    if measured <= 1:
        return tell("page.promise.alone", columns=columns, count=len(columns))
    return tell("page.promise.alike", others=int(measured) - 1, columns=columns, count=len(columns), measured=measured)


def jointly(entries: Sequence[RequirementEntry], columns: Sequence[str], smallest: int | None) -> str | None:
    """Say what no requirement covers: the protected columns taken all together. ``None`` if one requirement does.

    A stranger is not told how small the ``smallest`` group is.
    """
    if any(set(entry.quasi_identifier) >= set(columns) for entry in entries):
        return None
    if smallest is None:
        return tell("page.jointly.public", columns=len(columns))
    if smallest <= 1:
        return tell("page.jointly.certain", columns=len(columns))
    return tell("page.jointly.chance", columns=len(columns), smallest=smallest)


def operation(recoding: ColumnRecoding | None) -> str:
    """Say what was done to a column."""
    if recoding is None or recoding.identity:
        return tell("page.done.unchanged")
    labels = recoding.published()
    if isinstance(recoding, ValueSuppression):
        return _suppression(recoding)
    if len(labels) == 1:
        return tell("page.done.all_masked")
    if isinstance(recoding, Discretization):
        return tell("page.done.intervals", count=len(labels))
    if isinstance(recoding, TreeRecoding):
        return _generalization(recoding, len(labels))
    return tell("page.done.other", operation=recoding.id, count=len(labels))


def _suppression(recoding: ValueSuppression) -> str:
    if recoding.domain is None:
        kept = recoding.disclosed
        return (
            tell("page.done.rare", suppressed=SUPPRESSED)
            if kept is None
            else tell("page.done.all_but", count=len(kept))
        )
    hidden = sum(recoding.hides(value) for value in recoding.domain)
    if hidden == len(recoding.domain):
        return tell("page.done.all_masked")
    return tell("page.done.some", hidden=hidden, values=len(recoding.domain), suppressed=SUPPRESSED)


def _generalization(recoding: TreeRecoding, count: int) -> str:
    tree: Tree = recoding.tree
    values = len(tree.leaves)
    if isinstance(recoding, FullDomainGeneralization):
        text = tell("page.done.climbed", level=recoding.level, levels=tree.height, values=values, count=count)
    else:
        text = tell("page.done.generalized", values=values, count=count)
    own = len(set(recoding.cut_nodes()) & set(tree.leaf_nodes.tolist()))
    return tell("page.done.partly_own", text=text, own=own) if own else text


def ending(stopped: str) -> str:
    """Say why a search ended."""
    known = _ENDINGS.get(stopped)
    return tell(f"page.ending.{known}") if known is not None else tell("page.ending.early", why=worded(stopped))
