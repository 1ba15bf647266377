"""What sums that were answered tell of single records: their equations in reduced row echelon form, modulo a secret prime.

Records that no answered question tells apart share a column. The prime is drawn at random and never told: an asker who knew it
could choose questions whose determinant it divides, and the disclosure would not be seen.
"""

from __future__ import annotations

import secrets

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Unsupported
from sfumato.interactive.answered_sums_kernels import add_rows, clear_column, scale_row
from sfumato.interactive.exact_rows import ExactRows
from sfumato.kernels.arrays import Bools, Ints

__all__ = ["AnsweredSums", "Asking"]

_CHECKED = 2_000  # cells of the echelon form up to which it is also kept in rational numbers
_MOST = 1 << 28  # cells of the echelon form: 2 GB
_HALF = 30


@frozen(eq=False)
class Asking:
    """What an answer would add: whether it tells a single record, and what is kept if it is given."""

    tells: bool
    inside: Bools  # the records that it is about
    parted: Ints  # columns of which it takes some records and leaves others
    sizes: Ints  # of all columns then
    drawn: Ints  # secret weights of what each earlier column has inside, or of all of it if it has nothing
    rest: Ints  # what is new of it, by column; nothing if it follows from earlier answers
    factors: Ints  # what each earlier row has where the new one begins
    mark: int  # what is new of it, drawn together by the secret weights
    exact: ExactRows | None


class AnsweredSums:
    """The sums that were answered over some records, and what they tell.

    With the indicator vectors of the answered questions in reduced row echelon form, the value of record j is determined iff
    some row is the unit vector of j. Adding a question needs no multiplication to decide: what it leaves is the question
    minus the rows whose pivot it contains. Whether a row would become a unit vector is seen from one number a row, its product
    with random weights of the records.

    While the form is small it is also kept in rational numbers, and these decide. Beyond that, a disclosure is overlooked only
    if the prime divides one of the minors: with 61 bits and a rank of 1,000 that has a chance below 10^-13.

    Examples
    --------
    >>> sums = AnsweredSums(3)
    >>> for rows in ([0, 1], [1, 2]):
    ...     sums.add(sums.asking(rows))
    >>> sums.asking([0, 2]).tells, sums.asking([0, 1]).tells, sums.rank
    (True, False, 2)

    References
    ----------
    Chin, Ozsoyoglu, "Auditing and inference control in statistical databases", 1982, doi:10.1109/TSE.1982.236161.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 17.1.
    """

    def __init__(self, records: int, *, prime: int | None = None) -> None:
        self.prime = prime or _secret_prime()
        self._column = np.zeros(records, np.int64)
        self._sizes = np.array([records], np.int64)
        self._weights = self._weighed(records)
        self._drawn_columns = self._by_column(np.arange(records), 1)
        self._rows = np.zeros((8, 64), np.int64)
        self._pivots = np.zeros(0, np.int64)
        self._marks = np.zeros(0, np.int64)
        self._exact: ExactRows | None = ExactRows({})

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self._column)

    @property
    def rank(self) -> int:
        """How many answers do not follow from others."""
        return len(self._pivots)

    @property
    def columns(self) -> int:
        """How many kinds of records the answers tell apart."""
        return len(self._sizes)

    @property
    def nbytes(self) -> int:
        """The memory that it takes."""
        held = (self._column, self._sizes, self._weights, self._drawn_columns, self._rows, self._pivots, self._marks)
        return sum(one.nbytes for one in held)

    @property
    def matrix(self) -> Ints:
        """The echelon form modulo the prime, one column for each kind of record."""
        return self._rows[: self.rank, : self.columns]

    def grow(self, records: int) -> None:
        """Add records that no answer was about."""
        untouched = np.flatnonzero(~self.matrix.any(axis=0))
        if not len(untouched):
            untouched = np.array([self.columns])
            self._widen(np.zeros(1, np.int64))
            self._rows[:, self.columns] = 0
            self._sizes, self._drawn_columns = np.append(self._sizes, 0), np.append(self._drawn_columns, 0)
        self._sizes[untouched[0]] += records
        self._column = np.concatenate((self._column, np.full(records, untouched[0], np.int64)))
        self._weights = np.concatenate((self._weights, self._weighed(records)))
        self._drawn_columns = self._by_column(np.arange(self.records), self.columns)

    # ---- deciding ----------------------------------------------------------------------------------------------------

    def asking(self, rows: Ints | Bools | list[int]) -> Asking:
        """Return what an answer about some records would tell; nothing is kept of it."""
        inside = np.zeros(self.records, np.bool_)
        inside[rows] = True
        width, prime = self.columns, self.prime
        taken = np.bincount(self._column[inside], minlength=width)
        touched = taken > 0
        partly = touched & (taken < self._sizes)
        parted = np.flatnonzero(partly)
        if (self.rank + 1) * (width + len(parted)) > _MOST:
            raise Unsupported(
                say("desk.bad.full", rank=self.rank),
                thing="query-audit-online",
            )
        sizes = np.concatenate((np.where(partly, taken, self._sizes), (self._sizes - taken)[parted]))
        drawn = self._drawn_within(inside, partly)
        chosen = touched[self._pivots]
        sums = add_rows(self._rows, chosen, width, prime)
        rest = np.concatenate((touched - sums, -sums[parted])) % prime
        exact = self._exactly(touched, parted)
        first = int(np.argmax(rest != 0))
        if exact is not None and len(exact.rows) != self.rank + bool(rest[first]):
            self._redraw()  # the prime divides a minor
            return self.asking(rows)
        if not rest[first]:
            nothing = np.zeros(0, np.int64)
            return Asking(False, inside, parted, sizes, drawn, nothing, nothing, 0, exact)
        turned = pow(int(rest[first]), -1, prime)
        mark = (self._total(drawn[touched]) - self._total(self._marks[chosen])) * turned % prime
        factors = self._rows[: self.rank, first if first < width else parted[first - width]].copy()
        tells = np.count_nonzero(rest) == 1 and sizes[first] == 1
        if (
            not tells
        ):  # a row becomes the unit vector of a record if nothing but the weight of that record is left of it
            left = (self._marks - _scaled(factors, mark, prime)) % prime
            pivots = self._pivots
            tells = bool(((factors != 0) & (sizes[pivots] == 1) & (left == drawn[pivots])).any())
        if exact is not None:
            tells = bool(exact.told(sizes))
        return Asking(bool(tells), inside, parted, sizes, drawn, _scaled(rest, turned, prime), factors, mark, exact)

    def add(self, asking: Asking) -> None:
        """Keep an answer that was given."""
        if len(asking.parted):
            place = np.full(self.columns, -1, np.int64)
            place[asking.parted] = np.arange(self.columns, self.columns + len(asking.parted))
            outside = np.flatnonzero(~asking.inside & (place[self._column] >= 0))
            left = (self._drawn_columns - asking.drawn)[asking.parted] % self.prime
            self._widen(asking.parted)
            self._column[outside] = place[self._column[outside]]
            self._drawn_columns = np.concatenate((asking.drawn, left))
        self._sizes, self._exact = asking.sizes, asking.exact
        if not len(asking.rest):
            return
        rank, width, prime = self.rank, self.columns, self.prime
        if rank == len(self._rows):
            self._rows = np.concatenate((self._rows, np.zeros_like(self._rows)))
        ratios = np.array([(int(factor) << 64) // prime for factor in asking.factors], np.uint64)
        clear_column(self._rows[:rank, :width], asking.rest, asking.factors, ratios, prime)
        self._rows[rank, :width] = asking.rest
        self._marks = np.append((self._marks - _scaled(asking.factors, asking.mark, prime)) % prime, asking.mark)
        self._pivots = np.append(self._pivots, np.argmax(asking.rest != 0))

    def told(self) -> Ints:
        """Return the records whose values follow from the answers."""
        pivots = self._pivots
        single = (self._sizes[pivots] == 1) & (self._marks == self._drawn_columns[pivots])
        columns = pivots[single] if self._exact is None else np.array(self._exact.told(self._sizes), np.int64)
        return np.flatnonzero(np.isin(self._column, columns))

    # ---- parts -------------------------------------------------------------------------------------------------------

    def _exactly(self, touched: Bools, parted: Ints) -> ExactRows | None:
        """Return the rows in rational numbers after the answer, unless they have become too many."""
        if self._exact is None or len(self._exact) > _CHECKED:
            return None
        places = dict(zip(parted.tolist(), range(self.columns, self.columns + len(parted)), strict=True))
        return self._exact.after(places, np.flatnonzero(touched))

    def _redraw(self) -> None:
        """Take another prime, and the rows modulo it from those in rational numbers."""
        assert self._exact is not None
        self.prime = prime = _secret_prime()
        self._weights = self._weighed(self.records)
        self._drawn_columns = self._by_column(np.arange(self.records), self.columns)
        self._pivots = np.array(list(self._exact.rows), np.int64)
        self._rows[:] = 0
        for at, row in enumerate(self._exact.rows.values()):
            for column, value in row.items():
                self._rows[at, column] = value.numerator * pow(value.denominator, -1, prime) % prime
        marks = [
            sum(int(value) * int(drawn) for value, drawn in zip(row, self._drawn_columns, strict=True)) % prime
            for row in self.matrix
        ]
        self._marks = np.array(marks, np.int64)

    def _widen(self, copied: Ints) -> None:
        """Add columns that are copies of others."""
        width = self.columns + len(copied)
        while width > self._rows.shape[1]:
            self._rows = np.concatenate((self._rows, np.zeros_like(self._rows)), axis=1)
        self._rows[: self.rank, self.columns : width] = self._rows[: self.rank, copied]

    def _weighed(self, records: int) -> Ints:
        """Draw the secret weights of some records."""
        drawn = np.frombuffer(secrets.token_bytes(8 * records), np.uint64)
        return (drawn % np.uint64(self.prime)).astype(np.int64)

    def _drawn_within(self, inside: Bools, partly: Bools) -> Ints:
        """Return the weights of each column together; of columns that are partly inside, of what is inside."""
        if not partly.any():
            return self._drawn_columns
        rows = np.flatnonzero(inside & partly[self._column])
        return np.where(partly, self._by_column(rows, len(partly)), self._drawn_columns)

    def _by_column(self, rows: Ints, width: int) -> Ints:
        """Add up the weights of records by column, modulo the prime; in halves, so that sums of floats are exact."""
        column, weights = self._column[rows], self._weights[rows]
        high = np.bincount(column, weights >> _HALF, width).astype(np.int64) % self.prime
        low = np.bincount(column, weights & ((1 << _HALF) - 1), width).astype(np.int64)
        return np.asarray((_scaled(high, (1 << _HALF) % self.prime, self.prime) + low) % self.prime)

    def _total(self, values: Ints) -> int:
        high, low = int((values >> _HALF).sum()), int((values & ((1 << _HALF) - 1)).sum())
        return ((high << _HALF) + low) % self.prime


def _scaled(row: Ints, factor: int, prime: int) -> Ints:
    return np.asarray(scale_row(row, factor, np.uint64((factor << 64) // prime), prime))


def _secret_prime() -> int:
    """Draw a prime of 61 bits; the witnesses decide for all numbers below 2^64."""
    while True:
        drawn = secrets.randbits(60) | (1 << 60) | 1
        odd, twos = drawn - 1, 0
        while odd % 2 == 0:
            odd, twos = odd // 2, twos + 1
        if all(_strong(drawn, witness, odd, twos) for witness in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
            return drawn


def _strong(number: int, witness: int, odd: int, twos: int) -> bool:
    power = pow(witness, odd, number)
    return power in (1, number - 1) or any((power := power * power % number) == number - 1 for _ in range(twos - 1))
