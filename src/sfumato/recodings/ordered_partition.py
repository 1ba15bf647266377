"""Ordered partition: the values of an ordered column become runs of neighbours."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np

from sfumato.contracts.recoding import ColumnRecoding, Mapped, Recoding
from sfumato.contracts.thing import param
from sfumato.data.text import SUPPRESSED, to_text
from sfumato.errors import BadRequest, Unsupported, misspelt

__all__ = ["OrderedPartition", "run_label"]


def run_label(texts: Sequence[str], first: int, last: int) -> str:
    """Return what a run from ``first`` to before ``last`` is called: its value, ``first..last``, or ``*`` for all.

    >>> run_label(("A", "B", "C"), 1, 3), run_label(("A", "B", "C"), 0, 1), run_label(("A", "B", "C"), 0, 3)
    ('B..C', 'A', '*')
    """
    if last - first == 1:
        return texts[first]
    return SUPPRESSED if last - first == len(texts) else f"{texts[first]}..{texts[last - 1]}"


class OrderedPartition(ColumnRecoding):
    """The values of an ordered column become runs of neighbours.

    ``domain`` lists the values v_1 < v_2 < ... < v_n, ``starts`` those at which a new run begins (the first always does). A run
    is published as ``first..last``, a run of one value as the value itself, and one run of all values as ``*``. n values
    have ``2^(n-1)`` such partitions. Values outside the domain have no place in the order. A step is named by the value at
    which a run is cut (``refine``) or joined to the one before (``generalize``).

    Examples
    --------
    >>> grade = OrderedPartition(domain=("A", "B", "C", "D"), starts=("B", "D"))
    >>> grade.map(["A", "C", "D"]).labels
    ('A', 'B..C', 'D')
    >>> grade.generalize("D").published()
    ('A', 'B..D')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.1.1.3.
    Bayardo, Agrawal, "Data privacy through optimal k-anonymization", 2005, doi:10.1109/ICDE.2005.42.
    """

    id: ClassVar[str] = "ordered-partition"

    domain: tuple[Hashable, ...] = param(doc="all values from first to last")
    starts: tuple[str, ...] = param(default=(), doc="texts of the values at which a new run begins, besides the first")

    def validate(self) -> None:
        """Refuse an empty or repeating order, starts that are not in it, and labels that could mean two things."""
        if not self.domain:
            raise BadRequest("must list at least one value", parameter=f"{self.id}.domain")
        if len(set(self._texts)) != len(self._texts):
            raise BadRequest("lists a value twice", parameter=f"{self.id}.domain")
        for start in self.starts:
            if start not in self._texts[1:]:
                raise BadRequest(
                    "must be values of the domain after the first", parameter=f"{self.id}.starts", value=start
                )
        # In the order of the domain, each once: the way to a state leaves no trace in it.
        given = set(self.starts)
        object.__setattr__(self, "starts", tuple(text for text in self._texts if text in given))
        labels = self.published()
        if len(set(labels)) != len(labels):
            raise BadRequest("has a run that is called like a value", parameter=f"{self.id}.domain")

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple(to_text(value) for value in self.domain)

    @cached_property
    def _edges(self) -> tuple[int, ...]:
        return (0, *(self._texts.index(start) for start in self.starts), len(self.domain))

    @property
    def identity(self) -> bool:
        """Whether every run is one value."""
        return len(self.starts) == len(self.domain) - 1

    def published(self) -> tuple[str, ...]:
        """Return the labels of the runs in order."""
        return tuple(run_label(self._texts, first, last) for first, last in pairwise(self._edges))

    def map(self, values: Sequence[Hashable], *, column: str = "", unknown: str = "declared") -> Mapped:
        """Return the run of each value; see :class:`ColumnRecoding`."""
        places = {value: place for place, value in enumerate(self.domain)}
        found = [places.get(value, -1) for value in values]
        outside = tuple(position for position, place in enumerate(found) if place < 0)
        if outside and unknown != "root":
            raise BadRequest(
                f"{len(outside)} value{'s have' if len(outside) > 1 else ' has'} no place in the order",
                column=column or None,
                values=[values[position] for position in outside],
                shown=misspelt([values[position] for position in outside], self._texts),
            )
        runs = np.searchsorted(np.asarray(self._edges), found, side="right") - 1
        labels, sizes = self.published(), np.diff(self._edges)
        here = np.asarray(found) >= 0
        covered = np.where(here, sizes[np.maximum(runs, 0)], len(self.domain)).astype(np.float64)
        return Mapped(
            labels=tuple(labels[run] if known else SUPPRESSED for run, known in zip(runs, here, strict=True)),
            covered=covered,
            domain=float(len(self.domain)),
            climbed=(covered > 1).astype(np.int64),
            root_climb=np.ones(len(values), np.int64),
            outside=outside,
        )

    def refine(self, value: Hashable) -> OrderedPartition:
        """Cut a run before a value."""
        text = to_text(value)
        if text in self.starts or text not in self._texts[1:]:
            raise BadRequest(
                "must be a value inside a run, not its first",
                parameter="value",
                value=text,
                available=[known for known in self._texts[1:] if known not in self.starts],
            )
        return replace(self, starts=(*self.starts, text))

    def generalize(self, value: Hashable) -> OrderedPartition:
        """Join the run that begins with a value to the one before."""
        text = to_text(value)
        if text not in self.starts:
            raise BadRequest(
                "must be the first value of a run after the first", parameter="value", value=text, available=self.starts
            )
        return replace(self, starts=tuple(start for start in self.starts if start != text))

    def is_finer_than(self, other: Recoding) -> bool:
        """Tell whether every run of this one lies in a run of the other."""
        return set(self._alike(other).starts) <= set(self.starts)

    def common_refinement(self, other: Recoding) -> OrderedPartition:
        """Cut wherever one of the two cuts."""
        return replace(self, starts=(*self.starts, *self._alike(other).starts))

    def _alike(self, other: Recoding) -> OrderedPartition:
        if not isinstance(other, OrderedPartition) or other.domain != self.domain:
            raise Unsupported(f"{self.id} is compared with runs of the same order only", thing=self.id)
        return other

    def draw(self) -> str:
        """Return the runs in order, each with the values it holds."""
        runs = [self._texts[first:last] for first, last in pairwise(self._edges)]
        wide = max(map(len, self.published()))
        return "\n".join(
            f"{label.ljust(wide)}  {', '.join(run)}" for label, run in zip(self.published(), runs, strict=True)
        )

    def state(self) -> Mapping[str, object]:
        """Return the order as canonical texts."""
        return {**self.spec(), "domain": list(self._texts)}
