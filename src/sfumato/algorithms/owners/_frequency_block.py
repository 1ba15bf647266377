"""The frequency distribution block: how often each sensitive value occurs in a table, and blocks that are compared with it.

All comparisons are exact: counts stay whole numbers and thresholds are the fractions that their decimal texts say. In binary
floating point ``0.8 - 0.7 > 0.1``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, lcm

import numpy as np

from sfumato.algorithms.owners._owner_block_kernels import complete_counts, frequency_holds
from sfumato.data.decimals import exact_share, fraction_above, fraction_below
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints

__all__ = [
    "SCOPES",
    "Completion",
    "FrequencyBlock",
    "check_frequency",
    "complete",
    "deviations",
    "frequency_distribution_block",
    "may_complete",
    "may_suppress",
    "minimal_completions",
]

Threshold = str | float | Fraction

SCOPES = ("all", "present")


@frozen
class FrequencyBlock:
    """The distinct sensitive values of a table in a fixed order, each with the number of its records.

    >>> block = FrequencyBlock(("Ulcer", "Flu"), (1, 3))
    >>> block.records, block.share("Flu")
    (4, Fraction(3, 4))
    """

    values: tuple[Hashable, ...]
    counts: tuple[int, ...]

    @classmethod
    def from_shares(cls, shares: Mapping[Hashable, Threshold]) -> FrequencyBlock:
        """Return the block of given shares, which add up to 1, with the smallest counts that have them.

        >>> FrequencyBlock.from_shares({"Ulcer": "1/4", "Flu": "0.75"}).counts
        (1, 3)
        """
        exact = {value: exact_share(share, parameter="shares") for value, share in shares.items()}
        if sum(exact.values()) != 1 or not all(exact.values()):
            raise BadRequest("must be above 0 and add up to 1", parameter="shares", value=str(sum(exact.values())))
        n = lcm(*(share.denominator for share in exact.values()))
        return cls(tuple(exact), tuple(int(share * n) for share in exact.values()))

    @property
    def records(self) -> int:
        """Number of records of the table, n."""
        return sum(self.counts)

    def share(self, value: Hashable) -> Fraction:
        """Return the share of a value in the table."""
        return Fraction(self.counts[self.values.index(value)], self.records)

    def rows(self) -> list[tuple[Hashable, int, float]]:
        """Return value, count and probability, a row for each value in order."""
        return [(value, count, count / self.records) for value, count in zip(self.values, self.counts, strict=True)]

    def counted(self, block: Mapping[Hashable, int]) -> Ints:
        """Return the counts of a block in the order of the values; refuse values that the table does not have."""
        strange = [value for value in block if value not in self.values]
        if strange:
            raise BadRequest(
                "has a value that the table does not have", parameter="block", value=strange, available=self.values
            )
        found = np.array([block.get(value, 0) for value in self.values], np.int64)
        if (found < 0).any():
            raise BadRequest("counts must not be negative", parameter="block")
        return found

    def rule(
        self, tolerance: Fraction, *, scope: str = "all", least: int = 1, most: int = 0
    ) -> tuple[Ints, int, int, int, int, bool, int]:
        """Return the comparison with a tolerance in the whole numbers that kernels read, for blocks of up to ``most`` rows."""
        a, r, q = _terms(fraction_below(tolerance * self.records, max(most, self.records)))
        return np.array(self.counts, np.int64), self.records, a, r, q, scope == "all", least

    def bounds(self, tolerance: Fraction, most: int) -> Ints:
        """Return the limits of the counts of blocks of up to ``most`` rows, as kernels read them."""
        out = np.empty((6, len(self.values)), np.int64)
        for d, count in enumerate(self.counts):
            share = Fraction(count, self.records)
            out[:3, d] = _terms(fraction_above(max(share - tolerance, Fraction(0)), most))
            out[3:, d] = _terms(fraction_below(min(share + tolerance, Fraction(1)), most))
        return out


def _terms(value: Fraction) -> tuple[int, int, int]:
    whole, rest = divmod(value.numerator, value.denominator)
    return whole, rest, value.denominator


@frozen
class Completion:
    """The smallest block that holds a given one and has the frequencies of the table: its size, and the added values."""

    size: int
    added: Mapping[Hashable, int]


def frequency_distribution_block(values: Sequence[Hashable], order: Sequence[Hashable] | None = None) -> FrequencyBlock:
    """Return the frequency distribution block of a sensitive column, whatever the flags of its records.

    Values come in the order given (those that do not occur are left out), then in the order of their first record.

    >>> frequency_distribution_block(["Flu", "Ulcer", "Flu"], order=["Ulcer", "Flu"]).rows()
    [('Ulcer', 1, 0.3333333333333333), ('Flu', 2, 0.6666666666666666)]
    """
    counted = Counter(values)
    if not counted:
        raise BadRequest("has no record", parameter="values")
    named = dict.fromkeys([*(value for value in order or () if value in counted), *counted])
    return FrequencyBlock(tuple(named), tuple(counted[value] for value in named))


def deviations(block: Mapping[Hashable, int], whole: FrequencyBlock) -> dict[Hashable, Fraction]:
    """Return how far the share of each value in a block is from its share in the table.

    >>> deviations({"Flu": 1, "Ulcer": 1}, FrequencyBlock(("Ulcer", "Flu"), (1, 3)))
    {'Ulcer': Fraction(1, 4), 'Flu': Fraction(1, 4)}
    """
    counts = whole.counted(block)
    size = int(counts.sum())
    if size == 0:
        raise BadRequest("has no record", parameter="block")
    return {
        value: abs(Fraction(int(count), size) - whole.share(value))
        for value, count in zip(whole.values, counts, strict=True)
    }


def check_frequency(
    block: Mapping[Hashable, int], whole: FrequencyBlock, th_acct: Threshold, *, scope: str = "all", least: int = 1
) -> bool:
    """Tell whether every share of a block is within ``th_acct`` of that of the table, inclusively and exactly.

    ``scope="present"`` asks only about values that occur in the block. A block with fewer than ``least`` records fails.

    >>> whole = FrequencyBlock(("Ulcer", "Flu"), (7, 3))
    >>> check_frequency({"Ulcer": 8, "Flu": 2}, whole, "0.1"), check_frequency({"Ulcer": 8, "Flu": 2}, whole, "0.09")
    (True, False)
    """
    if scope not in SCOPES:
        raise BadRequest("is not one of the choices", parameter="scope", value=scope, available=SCOPES)
    counts = whole.counted(block)
    size = int(counts.sum())
    tolerance = exact_share(th_acct, parameter="th_acct")
    return bool(frequency_holds(counts, size, whole.rule(tolerance, scope=scope, least=least, most=size)))


def may_suppress(block: Mapping[Hashable, int], marked: Collection[Hashable], th_suppr: int) -> bool:
    """Tell whether a block may be withheld: each marked value in it occurs at most ``th_suppr`` times; 0 switches it off.

    >>> may_suppress({"Cancer": 1, "Flu": 2}, {"Cancer"}, 1), may_suppress({"Cancer": 1}, {"Cancer"}, 0)
    (True, False)
    """
    return th_suppr > 0 and all(count <= th_suppr for value, count in block.items() if value in marked)


def may_complete(
    block: Mapping[Hashable, int], whole: FrequencyBlock, marked: Collection[Hashable], th_disc: Threshold
) -> bool:
    """Tell whether rows may be added to a block: the marked values in it are within ``th_disc`` of their share in the table.

    >>> may_complete({"Cancer": 1, "Flu": 1}, FrequencyBlock(("Cancer", "Flu"), (1, 3)), {"Cancer"}, "0.25")
    True
    """
    allowed = exact_share(th_disc, parameter="th_disc")
    found = deviations(block, whole)
    return all(found[value] <= allowed for value, count in block.items() if count and value in marked)


def complete(block: Mapping[Hashable, int], whole: FrequencyBlock, th_acct: Threshold, *, least: int = 1) -> Completion:
    """Return the fewest rows that make the frequencies of a block hold for all values of the table.

    For a final size N value d has between ``L_d = max(count_d, ceil(N (f_d - th)))`` and ``U_d = floor(N (f_d + th))`` rows;
    the smallest N is taken for which these limits leave room. The rows beyond L go one by one to the value with the largest
    ``N f_d - a_d``, ties to the first.

    >>> complete({"Flu": 1}, FrequencyBlock(("Ulcer", "Flu"), (1, 1)), "0.1")
    Completion(size=2, added={'Ulcer': 1})
    """
    counts, tolerance = whole.counted(block), exact_share(th_acct, parameter="th_acct")
    size, most = int(counts.sum()), _most(counts, whole, least)
    final = complete_counts(
        counts,
        size,
        max(least, 1),
        most,
        whole.bounds(tolerance, most),
        np.array(whole.counts, np.int64),
        whole.records,
    )
    added = {value: int(gain) for value, gain in zip(whole.values, final - counts, strict=True) if gain}
    return Completion(int(final.sum()), added)


def minimal_completions(
    block: Mapping[Hashable, int], whole: FrequencyBlock, th_acct: Threshold, *, least: int = 1
) -> int:
    """Return how many different choices of added values are as few as those of :func:`complete`.

    >>> minimal_completions({"Flu": 1}, FrequencyBlock(("Ulcer", "Cold", "Flu"), (1, 1, 2)), "0.5")
    1
    """
    tolerance = exact_share(th_acct, parameter="th_acct")
    final = complete(block, whole, th_acct, least=least).size
    ways = [1] + [0] * final
    for value, count in zip(whole.values, whole.counted(block).tolist(), strict=True):
        low = max(count, ceil(final * (whole.share(value) - tolerance)))
        high = floor(final * (whole.share(value) + tolerance))
        ways = [sum(ways[total - own] for own in range(low, min(high, total) + 1)) for total in range(final + 1)]
    return ways[final]


def _most(counts: Ints, whole: FrequencyBlock, least: int) -> int:
    """Return a size at which a block can be completed: so many copies of the table that it lies inside."""
    copies: int = max(-(-count // own) for count, own in zip(counts.tolist(), whole.counts, strict=True))
    return max(copies, -(-least // whole.records), 1) * whole.records
