"""Reconstruction error: how far counts of a private item, estimated from groups of baskets, lie from the true ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import product
from math import fsum, log
from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.contracts.thing import Thing, param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, InternalError
from sfumato.transactions.basket_groups import group_numbers
from sfumato.transactions.baskets import Baskets

__all__ = ["Cell", "ReconstructionError"]

_LISTED = 16  # items of a question up to which all its cells are listed


@frozen
class Cell:
    """Which of the asked items a basket has (1) or has not (0), and the true and the estimated share of the private item."""

    holds: Mapping[str, int]
    actual: float
    estimated: float


class ReconstructionError(Thing):
    """How far the share of a private item over public ones, estimated from groups, lies from the true one.

    A question counts the baskets that have the private item ``s`` and a given pattern C of the public items ``q1 .. qr``. Truly
    ``Act(C)`` of all occurrences of s lie in C; from the groups of a release a reader estimates ``Est(C) = sum over groups of
    a b / |G|``, divided by all occurrences, where a counts s in the group and b its baskets of pattern C. The error is
    ``KL(Act || Est) = sum Act(C) ln(Act(C) / Est(C))``, 0 for C with ``Act(C) = 0``.

    Examples
    --------
    >>> baskets = Baskets.of([{"meat"}, {"cream", "x"}], private=["x"])
    >>> metric = ReconstructionError(item="x", query=("cream",))
    >>> round(metric.measure(baskets, [[0, 1]]).value, 4)
    0.6931
    >>> metric.measure(baskets, [[0], [1]]).value
    0.0

    References
    ----------
    Ghinita, Tao, Kalnis, "On the anonymization of sparse high-dimensional data", 2008, doi:10.1109/ICDE.2008.4497480.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.3.3.
    """

    id: ClassVar[str] = "reconstruction-error"
    kind: ClassVar[str] = "metric"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", purpose="special")

    item: str = param(doc="the private item that is asked for")
    query: tuple[str, ...] = param(doc="the public items whose presence and absence make the cells")

    def validate(self) -> None:
        """Refuse a question about nothing or the same item twice."""
        if not self.query or len({*self.query, self.item}) <= len(self.query):
            raise BadRequest("must name public items, each once", parameter=f"{self.id}.query", value=list(self.query))

    def measure(self, baskets: Baskets, groups: Sequence[Collection[int]]) -> Measured:
        """Return the error for baskets in groups, given by their places."""
        errors = [
            cell.actual * log(cell.actual / cell.estimated) for cell in self._cells(baskets, groups) if cell.actual
        ]
        return Measured(self.id, max(fsum(errors), 0.0), lowest=0.0)

    def cells(self, baskets: Baskets, groups: Sequence[Collection[int]]) -> list[Cell]:
        """Return all cells of the question, in the order of their patterns."""
        if len(self.query) > _LISTED:
            raise BadRequest(f"has more than {_LISTED} items to list all cells of", parameter=f"{self.id}.query")
        found = {tuple(cell.holds.values()): cell for cell in self._cells(baskets, groups)}
        return [
            found.get(bits, Cell(dict(zip(self.query, bits, strict=True)), 0.0, 0.0))
            for bits in product((0, 1), repeat=len(self.query))
        ]

    def estimated_count(self, baskets: Baskets, groups: Sequence[Collection[int]], holds: Mapping[str, int]) -> float:
        """Return how many baskets with the private item a reader expects in one cell."""
        wanted = tuple(holds[name] for name in self.query)
        shares = [cell.estimated for cell in self._cells(baskets, groups) if tuple(cell.holds.values()) == wanted]
        return fsum(shares) * sum(self.item in one for one in baskets)

    def _cells(self, baskets: Baskets, groups: Sequence[Collection[int]]) -> list[Cell]:
        """Return the cells that some basket lies in."""
        number = group_numbers(groups, len(baskets)).tolist()
        patterns = [tuple(int(name in one) for name in self.query) for one in baskets]
        having = [at for at, one in enumerate(baskets) if self.item in one]
        if not having:
            raise BadRequest("no basket holds it", parameter=f"{self.id}.item", value=self.item)
        occurs = Counter(number[at] for at in having)
        sizes = Counter(number)
        inside = Counter(zip(number, patterns, strict=True))
        actual = Counter(patterns[at] for at in having)
        estimated: dict[tuple[int, ...], float] = {}
        for (group, pattern), count in inside.items():
            estimated[pattern] = estimated.get(pattern, 0.0) + occurs[group] * count / sizes[group]
        total = len(having)
        if any(not estimated.get(pattern) for pattern in actual):
            raise InternalError("a cell with a private item was estimated to have none")
        return [
            Cell(dict(zip(self.query, pattern, strict=True)), actual[pattern] / total, value / total)
            for pattern, value in sorted(estimated.items())
        ]
