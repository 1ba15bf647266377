"""What an adversary believes about the sensitive value of each record, and how right she is where the truth is known."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from sfumato.attacks._partitions import Partition
from sfumato.attacks.anatomy._cells import Cells
from sfumato.contracts.attack import Risk
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Beliefs", "Score", "best_share"]

_ALIKE = 1e-9  # beliefs that differ by less are equally high: a guess is then drawn among them


@frozen
class Score:
    """How right beliefs are: share of records whose likeliest value is the true one, and mean of -ln(belief in the truth).

    Where several values are equally likely, the guess is drawn among them and its chance is counted.
    """

    records: int
    accuracy: float
    log_loss: float
    random_worlds_accuracy: float
    random_worlds_log_loss: float


@frozen(kw_only=True, eq=False)
class Beliefs(Risk):
    """The belief in each sensitive value, record by record. Counts may be shown; beliefs are for the steward's eyes.

    Records are the rows of the pair's first table, or persons of the external table that could be placed; ``per_victim`` is
    the highest belief about each. Published records that could not be placed come after them, group by group.
    """

    partition: Partition
    cells: Cells
    beliefs: Floats
    shares: Floats

    def posterior(self, row: int) -> dict[Hashable, float]:
        """Return the belief about a record or person, given by the row of its table, as ``{value: probability}``."""
        return self._of(row, self.beliefs)

    def random_worlds(self, row: int) -> dict[Hashable, float]:
        """Return the belief of someone who looks at the counts of the record's group alone."""
        return self._of(row, self.shares)

    def score(self, truth: Sequence[Hashable]) -> Score:
        """Return how right the beliefs are, from the true value of each row of the records' or persons' table.

        Rows whose true value is missing are left out; a value that was never published is taken for wrongly guessed.
        """
        rows = int(self.partition.place.max(initial=-1)) + 1
        if len(truth) < rows:
            raise BadRequest("needs the true value of every row", parameter="truth", value=len(truth))
        number = {value: code for code, value in enumerate(self.partition.histogram.values)}
        unpublished = len(number)
        codes = np.array([number.get(value, -1 if value is None else unpublished) for value in truth], np.int64)
        return self.scored(codes[self.partition.place])

    def scored(self, codes: Ints) -> Score:
        """Return how right the beliefs are, from the code of each record's true value; -1 where nobody knows it."""
        known = np.flatnonzero(codes >= 0)
        cell, wanted = self.cells.of_record[known], codes[known]
        entry = self._entry(cell, wanted)
        results = []
        for beliefs in (self.beliefs, self.shares):
            best = best_share(self.cells, beliefs)
            held = np.where(entry >= 0, beliefs[entry], 0.0)
            with np.errstate(divide="ignore"):
                results += [np.where(entry >= 0, best[entry], 0.0), -np.log(held)]
        means = [float(values.mean()) if len(known) else 0.0 for values in results]
        return Score(len(known), *means)

    def _entry(self, cell: Ints, wanted: Ints) -> Ints:
        """Return the entry of a value of each cell, -1 where its group does not have it."""
        histogram, width = self.cells.histogram, self.cells.values + 1
        keys = histogram.group() * width + histogram.code
        key = self.cells.group[cell] * width + wanted
        place = np.minimum(np.searchsorted(keys, key), max(len(keys) - 1, 0))
        entry = self.cells.entry[cell] + place - histogram.start[self.cells.group[cell]]
        return np.where(keys[place] == key, entry, -1)

    def _of(self, row: int, beliefs: Floats) -> dict[Hashable, float]:
        place = int(np.searchsorted(self.partition.place, row))
        if place >= len(self.partition) or self.partition.place[place] != row:
            raise BadRequest("is not a record that could be placed in a group", parameter="row", value=row)
        cell = int(self.cells.of_record[place])
        begin, end = int(self.cells.entry[cell]), int(self.cells.entry[cell + 1])
        histogram = self.cells.histogram
        codes = histogram.code[int(histogram.start[self.cells.group[cell]]) :][: end - begin]
        return {
            histogram.values[code]: belief
            for code, belief in zip(codes.tolist(), beliefs[begin:end].tolist(), strict=True)
        }


def best_share(cells: Cells, beliefs: Floats) -> Floats:
    """Return the chance that a guess at the likeliest value names each one: 1 over those that are equally likely, else 0."""
    if not len(cells):
        return np.empty(0)
    width = np.diff(cells.entry)
    best = beliefs >= np.repeat(cells.highest(beliefs), width) - _ALIKE
    alike: Ints = np.repeat(np.add.reduceat(best.astype(np.int64), cells.entry[:-1]), width)
    return np.where(best, 1.0 / np.maximum(alike, 1), 0.0)
