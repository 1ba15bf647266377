"""(X,Y)-linkability: no value on Y can be inferred from a value on X with confidence above h."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models._xy_model import XYModel
from sfumato.models.sensitive_model import Counterexamples, Value, fewest_records, largest_of

__all__ = ["XYLinkability"]


class XYLinkability(XYModel):
    """No value on Y can be inferred from a value on X with confidence above h.

    ``l_y(x)`` is the share of ``y`` among the records with ``x`` on X, ``L_y(X)`` the largest over all ``x``, ``L_Y(X)``
    the largest over all ``y``. The requirement holds iff ``L_Y(X) <= h``. X is ``qid``, Y is ``y`` and disjoint from it; with
    ``values`` only those values on Y are protected. Values on different columns, or with bounds of their own, are several
    requirements.

    Adversary: knows the values on X of a person who is in the table and infers a value on Y from its share.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Hepatitis": 2, "HIV": 1}, {"Flu": 1, "HIV": 3}], column="Disease")
    >>> verdict = XYLinkability(y=("Disease",), h=0.7).check(groups)
    >>> verdict.satisfied, verdict.strongest, verdict.violations[0].witness
    (False, 0.75, {'value': 'HIV', 'confidence': 0.75})

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.3, definition 2.3.
    Wang, Fung, "Anonymizing sequential releases", 2006.
    """

    id: ClassVar[str] = "xy-linkability"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="value",
    )
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{"s0": 30}, {"s0": 5, "s1": 5}], column="Disease"),
            [0, 0],
        )
    }
    adversary: ClassVar[str] = say("adversary.xy-linkability")
    level: ClassVar[str] = "smallest h"

    h: float = param(gt=0, le=1, doc="largest confidence with which a value on Y may be inferred")
    values: tuple[Value | tuple[Value, ...], ...] | None = param(
        default=None, doc="values on Y to protect, all if not given; with several columns in Y, one list per value"
    )

    def validate(self) -> None:
        """Refuse an empty list of values and values that do not fit the columns of Y."""
        super().validate()
        refuse_unfit_values(self.id, self.y, self.values)

    def with_values(self, held: Callable[[str, Any], Any]) -> Self:
        """Return the model with the values it protects as their column holds them."""
        return replace(self, values=held_values(self.y, self.values, held))

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the largest l_y(x) of each group."""
        return largest_of(self.histogram(groups), self.values) / groups.sizes

    def bound(self) -> Bound:
        """Confidence must not exceed h."""
        return at_most(self.h)

    def least_size(self) -> int:
        """Return the smallest size whose single records do not exceed h, if all values are protected."""
        return fewest_records(1 / self.h) if self.values is None else 1

    def by_value(self, groups: GroupStats) -> dict[Hashable, float]:
        """Return L_y(X) for each protected value on Y that occurs."""
        histogram = self.histogram(groups)
        largest = np.zeros(len(histogram.values))
        np.maximum.at(largest, histogram.code, histogram.count / groups.sizes[histogram.group()])
        return {
            value: float(share)
            for value, share in zip(histogram.values, largest, strict=True)
            if share > 0 and (self.values is None or value in self.values)
        }

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the value on Y that can be inferred, and how surely."""
        row, size = self.histogram(groups).row(group), int(groups.sizes[group])
        known = {value: count for value, count in row.items() if self.values is None or value in self.values}
        value = max(known, key=lambda candidate: known[candidate])
        return {"value": value, "confidence": known[value] / size}

    def necessary(self, records: int) -> str | None:
        """Too few records, each with a value of its own, already exceed h."""
        least = self.least_size()
        return f"a group needs {least} records, the table has only {records}" if records < least else None


def held_values(y: tuple[str, ...], values: tuple[Any, ...] | None, held: Callable[[str, Any], Any]) -> Any:
    """Return values on Y with each part as its column holds it."""
    if values is None:
        return None
    return tuple(tuple(map(held, y, value)) if isinstance(value, tuple) else held(y[0], value) for value in values)


def refuse_unfit_values(model: str, y: tuple[str, ...], values: tuple[object, ...] | None) -> None:
    """Refuse an empty list of protected values, and values that have not one part for each column of Y."""
    if values is None:
        return
    if not values:
        raise BadRequest("must name at least one value, or be left out for all", parameter=f"{model}.values")
    for value in values:
        parts = len(value) if isinstance(value, tuple) else 1
        if parts != len(y) or (len(y) == 1 and isinstance(value, tuple)):
            rule = "must be single values" if len(y) == 1 else f"must be lists of {len(y)} values, one for each of y"
            raise BadRequest(rule, parameter=f"{model}.values", value=value, available=y)
