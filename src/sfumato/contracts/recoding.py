"""Recodings: the learned mapping from raw to published values, saved as JSON and applied to any table of the schema.

A :class:`ColumnRecoding` knows one column and gives every value one label. A :class:`TableRecoding` looks at whole records,
or at single cells and records. Both are states of a search space: a step makes them finer or coarser and the same step
undoes it, two of them can be compared, and each can be drawn.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

from sfumato.contracts.engine import Table
from sfumato.contracts.thing import Thing
from sfumato.data.frozen import frozen
from sfumato.errors import Unsupported
from sfumato.groups.published import PublishedStats
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["ColumnRecoding", "Mapped", "Recoding", "TableRecoding"]


@frozen(eq=False)
class Mapped:
    """What a recoding makes of a list of distinct values: one label each, and what each label stands for.

    ``covered``: raw values (or width) that the label covers, of ``domain``. ``climbed`` and ``root_climb``: levels from the
    value to its label and to the root; -1 without levels. ``outside``: positions of values the recoding had not seen and
    placed by its declared rule.
    """

    labels: tuple[str, ...]
    covered: Floats
    domain: float
    climbed: Ints
    root_climb: Ints
    continuous: bool = False
    outside: tuple[int, ...] = ()


class Recoding(Thing):
    """What all recodings share: steps to finer and coarser states, comparison, a drawing, a saved form."""

    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    @property
    def mixed_granularity(self) -> bool:
        """Whether a value and a more general one that covers it may stand side by side in the output.

        A learner takes the two for unrelated values and builds contradictory branches.
        """
        return False

    def refine(self, value: Any) -> Recoding:
        """Return the recoding one step finer; ``value`` names the step, and :meth:`generalize` undoes it.

        What names a step depends on the recoding: the node that is split into its children, the node that leaves the class
        above it, the number at which an interval is cut, the value or cell that is disclosed. A step that the state does
        not allow is refused.
        """
        raise self._without("steps")

    def generalize(self, value: Any) -> Recoding:
        """Return the recoding one step coarser; the inverse of :meth:`refine` for the same ``value``."""
        raise self._without("steps")

    def is_finer_than(self, other: Recoding) -> bool:
        """Tell whether every label of this recoding is the other's label or below it; each is finer than itself."""
        raise self._without("order")

    def common_refinement(self, other: Recoding) -> Recoding:
        """Return the coarsest recoding that is finer than both."""
        raise self._without("common refinement")

    @abstractmethod
    def draw(self) -> str:
        """Return the state as plain text, a line for each published value."""

    def state(self) -> Mapping[str, object]:
        """Return the JSON form of the state; by default the parameters."""
        return self.spec()

    def _without(self, what: str) -> Unsupported:
        return Unsupported(f"{self.id} has no {what}", thing=self.id)


class ColumnRecoding(Recoding):
    """The published form of one column: maps every value, known or new, to a label."""

    @abstractmethod
    def map(self, values: Sequence[Hashable], *, column: str = "", unknown: str = "declared") -> Mapped:
        """Return the label of each value.

        ``unknown`` says what to do with values the recoding cannot place: ``refuse``, ``root`` (publish the most general
        label), or ``declared`` (numbers go to the end interval, new values of a suppressed column stay suppressed, values
        outside a taxonomy are refused).
        """

    @abstractmethod
    def published(self) -> tuple[str, ...]:
        """Return the labels that may appear in a release, in order."""

    @property
    def identity(self) -> bool:
        """Whether every value is published as it is."""
        return False

    def draw(self) -> str:
        """Return the labels, one to a line."""
        return "\n".join(self.published())


class TableRecoding(Recoding):
    """The published form of whole records: what happens to a value depends on the record it stands in."""

    @abstractmethod
    def apply(self, table: Table, *, unknown: str = "declared") -> Table:
        """Return the recoded table; columns stay, and so does the order of records.

        ``unknown`` says what to do with values the recoding cannot place: ``refuse``, ``root`` (publish the most general
        labels), or ``declared`` (as the recoding itself says).
        """

    def stats(
        self,
        table: Table,
        *,
        qid: Sequence[str] = (),
        histograms: Sequence[str] = (),
        unknown: str = "declared",
        published: Table | None = None,
    ) -> PublishedStats:
        """Return what metrics read of a raw table under this recoding.

        Records are grouped by ``qid``, by the recoded columns if not given; ``histograms`` names columns that the groups
        count. ``published`` is the recoded table, where it was made already.
        """
        return self._stats(table, tuple(qid), histograms, unknown, published)

    @abstractmethod
    def _stats(
        self, table: Table, qid: tuple[str, ...], histograms: Sequence[str], unknown: str, published: Table | None
    ) -> PublishedStats:
        """Return what metrics read; see :meth:`stats`."""

    def published(self, column: str) -> tuple[str, ...] | None:
        """Return the labels that may appear in a column, in order; ``None`` where values may stay as they are."""
        return None

    def marks(self, column: str) -> tuple[str, ...]:
        """Return what it writes over values of a column that has a recoding of its own."""
        return ()

    def publishes(self, column: str, label: str) -> bool:
        """Tell whether a text may appear in a column of the recoded table; yes if the recoding cannot say."""
        known = self.published(column)
        return known is None or label in known

    def stands_for(self, column: str, label: Hashable, value: Hashable) -> bool:
        """Tell whether a published value may stand for a raw one: the value itself unless the recoding says more."""
        return label == value
