"""What the algorithms on baskets take."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.contracts.model import Model
from sfumato.data.frozen import frozen
from sfumato.tables.person_columns import PersonColumns
from sfumato.transactions.baskets import Baskets

__all__ = ["BasketTask"]


@frozen(eq=False)
class BasketTask:
    """The baskets, what must hold, and what may be lost.

    ``lose_at_most`` is the largest share of item occurrences that may be left out or changed, ``suppress_at_most`` that of
    persons who may be left out. ``columns`` are those of persons beside their baskets, where there are any.
    """

    baskets: Baskets
    models: Sequence[Model[Baskets]]
    lose_at_most: float = 1.0
    suppress_at_most: float = 0.0
    columns: PersonColumns | None = None
