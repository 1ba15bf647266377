"""Numbers as sentences that a reader without a course in privacy understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.catalogue import find
from sfumato.contracts.certificate import RequirementEntry
from sfumato.contracts.model import TableModel
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.thing import Thing
from sfumato.data.schema import Role
from sfumato.data.text import SUPPRESSED
from sfumato.data.tree import Tree
from sfumato.data.words import counted, number, percent, printable
from sfumato.errors import BadRequest, Unsupported
from sfumato.recodings.discretization import Discretization
from sfumato.recodings.full_domain_generalization import FullDomainGeneralization
from sfumato.recodings.tree_recoding import TreeRecoding
from sfumato.recodings.value_suppression import ValueSuppression

__all__ = [
    "ROLES",
    "asked",
    "by_size",
    "counted",
    "ending",
    "gist",
    "jointly",
    "known",
    "listing",
    "number",
    "operation",
    "percent",
    "printable",
    "promise",
]

ROLES: Mapping[Role, str] = {
    Role.IDENTIFIER: "names a person; left out of the release",
    Role.QUASI_IDENTIFIER: "an outsider may know it of a person; masked until records look alike",
    Role.SENSITIVE: "what nobody should learn about a person; published unchanged",
    Role.TARGET: "what the release should still help to predict; published unchanged",
    Role.PLAIN: "published unchanged, not part of what was checked",
    Role.PRIVATE: "read by the algorithm only; left out of the release",
}

_ENDINGS = {
    "no step was left": "It ran to its end.",
    "max_refinements": "It stopped early, after the largest number of steps that the policy allows.",
    "deadline": "It stopped early, when the time that the policy allows was over.",
    "interrupted": "It was interrupted, and the state it had reached was accepted.",
}

_LISTED = 12


def listing(names: Sequence[str]) -> str:
    """Write names as ``a, b and c``; a long list is cut.

    >>> listing(["zip", "age", "sex"])
    'zip, age and sex'
    """
    shown = [printable(name, 60) for name in names]
    if len(shown) > _LISTED:
        return ", ".join(shown[: _LISTED - 1]) + f" and {len(shown) - _LISTED + 1} more columns"
    return " and ".join(([", ".join(shown[:-1])] if len(shown) > 1 else []) + shown[-1:])


def gist(thing: str, kind: str) -> str:
    """Return the first sentence of what the catalogue says about an id."""
    found = known(thing, kind)
    return f"A {kind} of somebody's own." if found is None else found.summary().replace("``", "")


def known(thing: str, kind: str) -> type[Thing] | None:
    """Return what a certificate names; ``None`` if it is somebody's own and not installed here."""
    try:
        return find(thing, kind)
    except (BadRequest, Unsupported):
        return None


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
    columns = listing(entry.quasi_identifier)
    if by_size(entry) and "k" in entry.parameters:
        return f"every record shares its published values of {columns} with at least {least(entry) - 1:,} others"
    about = f"columns: {columns}; " if columns else ""
    return f"{gist(entry.model, 'model').rstrip('.')} ({about}needed: {entry.needed})"


def promise(entry: RequirementEntry) -> str:
    """Say in one sentence what was measured for a requirement of a certificate, and what it means for a person."""
    columns = listing(entry.quasi_identifier)
    these = "this value" if len(entry.quasi_identifier) == 1 else "these values"
    measured = entry.measured
    if not by_size(entry):
        holds = "holds" if entry.satisfied else "does not hold"
        where = f" on {columns}" if columns else ""
        return f"{entry.model} {holds}{where}: measured {number(measured)}, needed {entry.needed}."
    if measured is None:
        return "No record is published."
    if measured <= 1:
        return (
            f"At least one record looks like no other on {columns}: "
            f"an adversary who knows {these} of that person finds the record for certain."
        )
    return (
        f"Every record looks like at least {counted(int(measured) - 1, 'other')} on {columns}: an adversary who knows {these} "
        f"of a person finds that person's record with a chance of at most 1 in {measured:,}."
    )


def jointly(entries: Sequence[RequirementEntry], columns: Sequence[str], smallest: int) -> str | None:
    """Say what no requirement covers: the protected columns taken all together. ``None`` if one requirement does."""
    if any(set(entry.quasi_identifier) >= set(columns) for entry in entries):
        return None
    found = "for certain" if smallest <= 1 else f"with a chance of 1 in {smallest:,}"
    return (
        f"no requirement covers all {len(columns)} protected columns together: an adversary who knows all of them of a person "
        f"finds that person's record, at worst, {found}"
    )


def operation(recoding: ColumnRecoding | None) -> str:
    """Say what was done to a column."""
    if recoding is None or recoding.identity:
        return "published unchanged"
    labels = recoding.published()
    if isinstance(recoding, ValueSuppression):
        return _suppression(recoding)
    if len(labels) == 1:
        return "all values masked"
    if isinstance(recoding, Discretization):
        return f"cut into {counted(len(labels), 'interval')}"
    if isinstance(recoding, TreeRecoding):
        return _generalization(recoding, len(labels))
    return f"{recoding.id}: {counted(len(labels), 'published value')}"


def _suppression(recoding: ValueSuppression) -> str:
    if recoding.domain is None:
        kept = recoding.disclosed
        return f"rare values masked as {SUPPRESSED}" if kept is None else f"all but {len(kept):,} values masked"
    hidden = sum(recoding.hides(value) for value in recoding.domain)
    if hidden == len(recoding.domain):
        return "all values masked"
    return f"{hidden:,} of {counted(len(recoding.domain), 'value')} masked as {SUPPRESSED}, the others unchanged"


def _generalization(recoding: TreeRecoding, count: int) -> str:
    tree: Tree = recoding.tree
    climbed = ""
    if isinstance(recoding, FullDomainGeneralization):
        climbed = f" by {recoding.level} of {counted(tree.height, 'level')}"
    text = f"generalized{climbed}: {counted(len(tree.leaves), 'value')} became {count:,}"
    own = len(set(recoding.cut_nodes()) & set(tree.leaf_nodes.tolist()))
    return f"{text}, {own:,} of them unchanged" if own else text


def ending(stopped: str) -> str:
    """Say why a search ended."""
    return _ENDINGS.get(stopped, f"It stopped early: {stopped}.")
