"""Value suppression: every instance of some values becomes one symbol, the others are published as they are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.recoding import ColumnRecoding, Mapped, Recoding
from sfumato.contracts.thing import param
from sfumato.data.text import SUPPRESSED, to_text
from sfumato.errors import BadRequest, Unsupported

__all__ = ["ValueSuppression", "suppression_count"]


class ValueSuppression(ColumnRecoding):
    """Every instance of some values becomes ``*``, the others are published as they are.

    Either ``suppressed`` lists what goes, or ``disclosed`` lists what stays; in the second form a value that came later
    stays suppressed. ``*`` stands for all suppressed values of the ``domain`` together. A step is named by the value that is
    disclosed (``refine``) or suppressed (``generalize``).

    Examples
    --------
    >>> ValueSuppression(suppressed=("Engineer",)).map(["Engineer", "Lawyer"]).labels
    ('*', 'Lawyer')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    Wang, Fung, Yu, "Handicapping attacker's confidence: an alternative to k-anonymization", 2007,
    doi:10.1007/s10115-006-0035-5.
    """

    id: ClassVar[str] = "value-suppression"

    suppressed: tuple[Hashable, ...] | None = param(default=None, doc="the values that become one symbol")
    disclosed: tuple[Hashable, ...] | None = param(default=None, doc="the only values that stay as they are")
    domain: tuple[Hashable, ...] | None = param(
        default=None, doc="all values of the column when the recoding was learned"
    )

    def validate(self) -> None:
        """Take exactly one of the two lists."""
        if (self.suppressed is None) == (self.disclosed is None):
            raise BadRequest("needs either suppressed or disclosed", parameter=self.id)

    def hides(self, value: Hashable) -> bool:
        """Tell whether a value is suppressed."""
        if self.suppressed is not None:
            return value in self.suppressed
        return value not in (self.disclosed or ())

    @property
    def identity(self) -> bool:
        """Whether nothing of the known domain is suppressed."""
        return self.domain is not None and not any(self.hides(value) for value in self.domain)

    def published(self) -> tuple[str, ...]:
        """Return the symbol, if any value is suppressed, and the values that stay."""
        known = self.domain or self.disclosed or ()
        shown = tuple(to_text(value) for value in known if not self.hides(value))
        return shown if self.identity else (*shown, SUPPRESSED)

    def map(self, values: Sequence[Hashable], *, column: str = "", unknown: str = "declared") -> Mapped:
        """Return the value itself or the symbol; see :class:`ColumnRecoding`."""
        hidden = np.array([self.hides(value) for value in values], bool)
        known = self.domain if self.domain is not None else tuple(values)
        members = set(known)
        outside = tuple(position for position, value in enumerate(values) if value not in members)
        if outside and unknown == "refuse":
            raise BadRequest(
                f"{len(outside)} value{'s are' if len(outside) > 1 else ' is'} new to the recoding",
                column=column or None,
                values=[values[position] for position in outside],
            )
        if unknown == "root":
            hidden[list(outside)] = True
        merged = sum(self.hides(value) for value in known)
        return Mapped(
            labels=tuple(SUPPRESSED if gone else to_text(value) for value, gone in zip(values, hidden, strict=True)),
            covered=np.where(hidden, float(max(merged, 1)), 1.0),
            domain=float(len(known)),
            climbed=hidden.astype(np.int64),
            root_climb=np.ones(len(values), np.int64),
            outside=outside,
        )

    def refine(self, value: Hashable) -> ValueSuppression:
        """Disclose a suppressed value."""
        self._refuse(value, hidden=True)
        if self.suppressed is not None:
            return replace(self, suppressed=self._ordered(set(self.suppressed) - {value}))
        return replace(self, disclosed=self._ordered({*(self.disclosed or ()), value}))

    def generalize(self, value: Hashable) -> ValueSuppression:
        """Suppress a disclosed value."""
        self._refuse(value, hidden=False)
        if self.suppressed is not None:
            return replace(self, suppressed=self._ordered({*self.suppressed, value}))
        return replace(self, disclosed=self._ordered(set(self.disclosed or ()) - {value}))

    def _refuse(self, value: Hashable, *, hidden: bool) -> None:
        if self.domain is not None and value not in self.domain:
            raise BadRequest("is not a value of the column", parameter="value", value=to_text(value))
        if self.hides(value) != hidden:
            rule = "is not suppressed" if hidden else "is suppressed already"
            raise BadRequest(rule, parameter="value", value=to_text(value))

    def _ordered(self, values: set[Hashable]) -> tuple[Hashable, ...]:
        """Order a list as the domain does, so that the way to a state leaves no trace in it."""
        known = [value for value in self.domain or () if value in values]
        return (*known, *sorted(values.difference(known), key=to_text))

    def is_finer_than(self, other: Recoding) -> bool:
        """Tell whether the other suppresses every value that this one suppresses."""
        rival = self._alike(other)
        if self.disclosed is not None and rival.suppressed is not None and self.domain is None and rival.domain is None:
            return False  # values that nobody has listed are suppressed here and not there
        known = {value for side in (self, rival) for value in side._listed()}
        return all(rival.hides(value) for value in known if self.hides(value))

    def common_refinement(self, other: Recoding) -> ValueSuppression:
        """Return the recoding that suppresses what both suppress."""
        rival = self._alike(other)
        if self.suppressed is not None:
            return replace(self, suppressed=self._ordered({v for v in self.suppressed if rival.hides(v)}))
        if rival.suppressed is not None:
            return rival.common_refinement(self)
        return replace(self, disclosed=self._ordered({*(self.disclosed or ()), *(rival.disclosed or ())}))

    def _listed(self) -> tuple[Hashable, ...]:
        return (*(self.domain or ()), *(self.suppressed or ()), *(self.disclosed or ()))

    def _alike(self, other: Recoding) -> ValueSuppression:
        if not isinstance(other, ValueSuppression):
            raise Unsupported(f"{self.id} is compared with its like only", thing=self.id)
        return other

    def draw(self) -> str:
        """Return the published values, one to a line, and after the symbol what it hides."""
        hidden = [to_text(value) for value in self.domain or self.suppressed or () if self.hides(value)]
        meaning = f"{SUPPRESSED} ({', '.join(hidden)})" if hidden else f"{SUPPRESSED} (everything else)"
        return "\n".join(meaning if label == SUPPRESSED else label for label in self.published())

    def state(self) -> Mapping[str, object]:
        """Return the lists as canonical texts."""
        return {
            key: [to_text(item) for item in value] if isinstance(value, list) else value
            for key, value in self.spec().items()
        }


def suppression_count(values: int) -> int:
    """Return the number of ways to suppress some of ``values`` values, none and all included: ``2^values``.

    >>> suppression_count(5)
    32
    """
    return 1 << values
