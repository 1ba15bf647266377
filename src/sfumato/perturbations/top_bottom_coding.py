"""Top and bottom coding: numbers beyond a bound become the bound, all others stay as they are."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed
from sfumato.contracts.thing import column as named
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats
from sfumato.perturbations._reading import KEEP, REFUSE, matrix, present, refuse_unknown

__all__ = ["TopBottomCoding", "shared_bound"]

BOUND, MEAN = "bound", "mean"


class TopBottomCoding(Perturbation):
    """Numbers above a bound become one number, numbers below another one become one; all others stay as they are.

    ``x > u`` is published as ``u*`` and ``x < l`` as ``l*``. A bound is given (``top``, ``bottom``), or is a quantile of the
    column (``top_quantile``, ``bottom_quantile``): the inverse of its empirical distribution, so that it occurs. ``u*`` is
    ``u`` itself, or with ``code: mean`` the mean of what it replaces, which keeps the total of the column.

    At least ``k`` records share the number at each end: where fewer would, the bound moves inwards to the nearest value of
    the column at which enough do. The bounds that were used are told.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["pay"], [(10,), (20,), (30,), (40,), (900,)])
    >>> TopBottomCoding(column="pay", top=100, k=2).apply(table, np.random.default_rng(7)).values("pay")
    [10, 20, 30, 40, 40]
    >>> TopBottomCoding(column="pay", top=30, code="mean").apply(table, np.random.default_rng(7)).values("pay")
    [10, 20, 30, 470, 470]

    References
    ----------
    Hundepool et al., *Statistical Disclosure Control*, 2012, section 3.5.2, doi:10.1002/9781118348239.
    """

    id: ClassVar[str] = "top-bottom-coding"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="kept", randomness="none")

    column: str = named("quasi-identifier", doc="column of numbers")
    top: float | None = param(default=None, doc="largest number that is published as it is")
    bottom: float | None = param(default=None, doc="smallest number that is published as it is")
    top_quantile: float | None = param(default=None, gt=0, le=1, doc="share of the records up to the upper bound")
    bottom_quantile: float | None = param(default=None, gt=0, le=1, doc="share of the records up to the lower bound")
    k: int = param(default=1, ge=1, doc="fewest records that share the number at an end")
    code: str = param(default=BOUND, choices=(BOUND, MEAN), doc="what stands at an end: its bound, or a mean")
    missing: str = param(
        default=REFUSE, choices=(REFUSE, KEEP), doc="whether missing values are refused or stay missing"
    )

    def validate(self) -> None:
        """Take at least one bound, each given once, the lower one below the upper one."""
        for side in ("top", "bottom"):
            given, quantile = getattr(self, side), getattr(self, f"{side}_quantile")
            if given is not None and quantile is not None:
                raise BadRequest("is a bound or a quantile, not both", parameter=f"{self.id}.{side}", value=given)
            if given is not None and not math.isfinite(given):
                raise BadRequest("must be a finite number", parameter=f"{self.id}.{side}", value=given)
        if not any(value is not None for value in (self.top, self.bottom, self.top_quantile, self.bottom_quantile)):
            raise BadRequest("needs a bound: top, bottom or a quantile of them", parameter=self.id)
        for low, high in ((self.bottom, self.top), (self.bottom_quantile, self.top_quantile)):
            if low is not None and high is not None and low >= high:
                raise BadRequest("must lie below the upper bound", parameter=f"{self.id}.bottom", value=low)

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the column with both ends coded; nothing is drawn."""
        refuse_unknown(table, [self.column], f"{self.id}.column")
        rows = present(table, [self.column], self.missing, f"{self.id}.missing")
        data = matrix(table, [self.column], f"{self.id}.column")[:, 0]
        numbers = data[rows]
        if self.k > len(numbers):
            raise BadRequest(
                f"must be at most the number of values, {len(numbers)}", parameter=f"{self.id}.k", value=self.k
            )
        high = self._bound(numbers, self.top, self.top_quantile)
        # The lower end is the upper end of the numbers turned round.
        low = self._bound(numbers, self.bottom, self.bottom_quantile, turned=True)
        if low is not None and high is not None and low >= high:
            raise BadRequest(
                f"the bounds meet once {self.k} records share each end; lower k or leave one end alone",
                column=self.column,
                parameter=f"{self.id}.k",
                value=self.k,
            )
        coded = numbers.copy()
        for beyond, bound in (
            (numbers > (math.inf if high is None else high), high),
            (numbers < (-math.inf if low is None else low), low),
        ):
            if bound is not None and beyond.any():
                coded[beyond] = bound if self.code == BOUND else float(numbers[beyond].mean())
        new = np.full(len(data), np.nan)
        new[rows] = coded
        whole = table.types[self.column] is ColumnType.INTEGER and bool((coded == np.floor(coded)).all())
        # A list is held in the type of the old column, which would cut the decimals of a mean off; an array brings its own.
        published = [None if np.isnan(value) else int(value) for value in new.tolist()] if whole else new
        facts = {side: value for side, value in (("top", high), ("bottom", low)) if value is not None}
        kept = [say("keeps.between_bounds", column=self.column)]
        if self.code == MEAN:
            kept.append(say("keeps.total", column=self.column))
        return Perturbed(
            self,
            {self.column: published},
            table.rows,
            tuple(kept),
            facts=facts,
            private={"records_changed": int((coded != numbers).sum())},
        )

    def _bound(
        self, numbers: Floats, given: float | None, share: float | None, *, turned: bool = False
    ) -> float | None:
        if given is None and share is None:
            return None
        bound = quantile(numbers, share) if given is None and share is not None else float(given or 0.0)
        if turned:
            return -shared_bound(-numbers, -bound, self.k, self.code)
        return shared_bound(numbers, bound, self.k, self.code)


def quantile(numbers: Floats, share: float) -> float:
    """Return the smallest number up to which at least this share of the numbers lies.

    >>> quantile(np.array([3.0, 1.0, 2.0, 4.0]), 0.5)
    2.0
    """
    return float(np.sort(numbers)[max(math.ceil(round(share * len(numbers), 9)) - 1, 0)])


def shared_bound(numbers: Floats, bound: float, k: int, code: str = BOUND) -> float:
    """Return the bound, or the largest value below it at which at least k numbers share what stands at the upper end.

    With the bound itself as the code, numbers that equal it share it; a mean is shared by what it replaces only. Where nothing
    lies beyond the bound, nothing is coded and it stays.

    >>> shared_bound(np.array([1.0, 2.0, 3.0, 9.0]), 5.0, 2), shared_bound(np.array([1.0, 2.0, 3.0, 9.0]), 5.0, 2, "mean")
    (3.0, 2.0)
    """
    ordered = np.sort(numbers)
    beyond = len(ordered) - int(np.searchsorted(ordered, bound, side="right"))
    equal = len(ordered) - int(np.searchsorted(ordered, bound, side="left")) - beyond
    if beyond == 0 or beyond + (equal if code == BOUND else 0) >= k:
        return bound
    if code == BOUND:
        return float(ordered[len(ordered) - k])
    at = len(ordered) - k
    below = ordered[: np.searchsorted(ordered, ordered[at], side="left")]
    # Without a value below, everything is replaced: the bound then lies just under the smallest number.
    return float(below[-1]) if len(below) else float(np.nextafter(ordered[0], -math.inf))
