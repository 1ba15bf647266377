"""From what a search made of baskets to what is published of them, and what is told of the way there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from sfumato.contracts.built import Built
from sfumato.contracts.facts import Facts
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Infeasible
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.releases.locally_recoded_baskets import LocallyRecodedBaskets
from sfumato.transactions.releases.recoded_baskets import RecodedBaskets

__all__ = ["BasketFacts", "BuiltBaskets", "NothingLeft", "built_baskets"]


class NothingLeft(Infeasible):
    """No basket would hold an item: there is nothing to publish."""


@frozen(eq=False)
class BuiltBaskets(Built):
    """Public tables of baskets; ``masked`` are the same baskets in the order of the input, which stays."""

    masked: Baskets = field(kw_only=True)


def built_baskets(masked: Baskets, *, local: bool = False, columns: Mapping[str, str] | None = None) -> BuiltBaskets:
    """Return the public tables of masked baskets; ``local`` if what was done to an item differs from basket to basket.

    ``columns`` says what was done to what stands beside the baskets.
    """
    if not len(masked.codes):
        raise NothingLeft(say("baskets.nothing_left"))
    form = LocallyRecodedBaskets if local else RecodedBaskets
    inner = masked.tree is not None and not set(masked.items) - masked.private <= set(masked.tree.leaves)
    known = None if masked.known is None else tuple(sorted(tuple(sorted(one)) for one in masked.known))
    kind = form(private=tuple(sorted(masked.private)), generalized=inner, columns=columns, known=known)
    return BuiltBaskets(kind, kind.parts_of(masked), masked=masked)


@frozen(eq=False, repr=False, kw_only=True)
class BasketFacts(Facts):
    """What was done to items.

    ``suppressed`` items are left out of every basket, in the order in which they were chosen; ``cut`` are the nodes that are
    published instead of what lies below them. ``violations`` is how many minimal sets of items gave somebody away before.
    """

    suppressed: Sequence[str] = ()
    cut: Sequence[str] = ()
    items_before: int
    items_after: int
    violations: int | None = None

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say how many items are left, and of how many."""
        said: list[str] = [say("baskets.items_left", after=self.items_after, before=self.items_before)]
        if self.violations is not None:
            said.append(say("baskets.moles", count=self.violations))
        return said
