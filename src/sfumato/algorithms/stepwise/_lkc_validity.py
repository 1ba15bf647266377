"""The validity check of a top-down search under LKC-privacy: would every combination of at most L values stay safe?

A column that still shows one value divides nothing, so only sets of the columns that are specialized already matter, and of
these only the sets with the column of the candidate. Combinations without one of the new values stay as they were, so only
rows that carry the candidate's value are counted. Violations never heal: each candidate is asked about once, when its turn
has come, and is then performed or dropped for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TypeAlias

import numpy as np

from sfumato.algorithms.stepwise._combination_kernels import (
    first_refuted,
    head_rows,
    part_rows,
    plan_blocks,
    smallest_cells,
)
from sfumato.contracts.model import RELATIVE_SLACK
from sfumato.data.compressed import CompressedTable
from sfumato.errors import BadRequest, Infeasible
from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.models.lkc_privacy import LKCPrivacy
from sfumato.searches.columns import Column

__all__ = ["LKCValidity", "Links"]

Rows = Codes
Heads: TypeAlias = Codes | Ints

# Beyond this many column sets the grouping in blocks would cost more than it saves; beyond 62 columns masks end.
MOST_PLANNED = 20_000
MOST_COLUMNS = 62
LARGEST_TABLE = 1 << 22
REMEMBERED = 4


class Links:
    """The rows that carry each shown value of each column, and the number of the value that each row shows.

    ``width[column]`` counts the values that a column shows and that occur. The first part of a refined value keeps its
    digit, the others get new ones.
    """

    def __init__(self, table: CompressedTable, columns: Sequence[Column]) -> None:
        self.codes = table.codes
        rows, count = table.codes.shape
        small = all(len(column.values) <= np.iinfo(np.uint16).max for column in columns)
        self.digits = np.zeros((rows, count), np.uint16 if small else np.int32)
        # Counts are sums of weights, so the narrower type is enough for both or for none.
        whole = np.int32 if table.records <= np.iinfo(np.int32).max else np.int64
        self.weights = table.weights.astype(whole)
        self.width = np.ones(count, np.int64)
        self.buffer = np.empty(rows, np.int32)
        self.everything = np.arange(rows, dtype=np.int32)
        self._order: list[Rows | None] = [None] * count
        self._place: list[list[tuple[int, int]]] = [[(0, rows)] for _ in range(count)]
        self._digit: list[dict[int, int]] = [{0: 0} for _ in range(count)]
        self._digit_of_code = [np.zeros(len(column.values), np.int64) for column in columns]

    def rows(self, column: int, slot: int) -> Rows:
        """Return the rows that carry a value."""
        order = self._order[column]
        first, last = self._place[column][self._digit[column][slot]]
        return (self.everything if order is None else order)[first:last]

    def parts(self, column: int, slot: int, child: Codes) -> tuple[Ints, Ints]:
        """Return the part that each code of a value would go to, and which children the parts are; others do not occur."""
        codes = np.flatnonzero(self._digit_of_code[column] == self._digit[column][slot])
        present, part = np.unique(child[codes], return_inverse=True)
        out = np.full(len(self._digit_of_code[column]), -1, np.int64)
        out[codes] = part
        return out, present.astype(np.int64)

    def split(self, column: int, slot: int, slots: Codes, child: Codes) -> None:
        """Refine a value; ``child`` maps codes to children as before the step, ``slots`` are the children's."""
        if self._order[column] is None:
            self._order[column] = self.everything.copy()
        part, present = self.parts(column, slot, child)
        rows = self.rows(column, slot)
        number, fresh = self._digit[column].pop(slot), int(self.width[column])
        first = self._place[column][number][0]
        ends = np.empty(len(present), np.int64)
        part_rows(self.codes, self.digits, rows, column, part, fresh, ends, self.buffer)
        numbers = np.array([number, *range(fresh, fresh + len(present) - 1)])
        places = [(first + int(low), first + int(high)) for low, high in zip([0, *ends[:-1]], ends, strict=True)]
        self._place[column][number] = places[0]
        self._place[column] += places[1:]
        self._digit[column] |= {
            int(slots[ordinal]): int(digit) for ordinal, digit in zip(present, numbers, strict=True)
        }
        held = part >= 0
        self._digit_of_code[column][held] = numbers[part[held]]
        self.width[column] += len(present) - 1


class LKCValidity:
    """One requirement of LKC-privacy during a top-down search.

    ``smallest`` is the rarest combination of at most L values that the current state shows, ``surest`` the largest confidence
    in a protected value.
    """

    def __init__(self, model: LKCPrivacy, table: CompressedTable, names: Sequence[str], links: Links) -> None:
        self.model = model
        self.links = links
        self.qid = tuple(sorted(names.index(name) for name in (model.qid or names)))
        self.names = tuple(names[index] for index in self.qid)
        self.most = float(model.C) * (1 + RELATIVE_SLACK)
        self.secret, self.secrets, surest = _protected(model, table)
        self.smallest = int(table.records)
        self.surest = surest
        self._counts = np.zeros(min(LARGEST_TABLE, 16 * len(table) + 4096), links.weights.dtype)
        self._suspects: dict[int, list[tuple[int, ...]]] = {}
        self._ahead: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self._now: dict[tuple[int, ...], int] = {}

    def refuse_hopeless(self) -> None:
        """Refuse a task whose fully masked table already fails: no specialization can mend it."""
        model = self.model
        if self.smallest < model.K:
            raise Infeasible(
                f"{model.id} needs {model.K} records that look alike, the table has only {self.smallest}",
                measured=self.smallest,
                bound=model.K,
                requirement=model.id,
            )
        if self.surest > self.most:
            raise Infeasible(
                f"even the fully masked table fails {model.id}: a protected value has a share of {self.surest:.6g}, at most "
                f"{model.C:g} is allowed",
                measured=self.surest,
                bound=model.C,
                requirement=model.id,
            )

    def holds(self, index: int, slot: int, child: Codes) -> tuple[bool, int, float]:
        """Ask about one candidate; return whether it is safe, and the smallest and surest combination it would make.

        An unsafe candidate is not counted to the end, so its numbers are those seen so far.
        """
        rows, heads, parts = self._headed(index, slot, child, self.secret, self.secrets)
        if parts == 1:  # a relabelling: the records stay together
            return True, self.smallest, self.surest
        others = self._others(index)
        length = min(self.model.L - 1, len(others))
        found = np.zeros(2)
        for suspect in self._suspects.get(index, []):
            # What gave one value of the column away often gives another away too.
            if len(suspect) == length:
                asked = np.array([suspect], np.int64).reshape(1, length)
                if self._refuted(rows, heads, parts, asked, np.array([0, 1]), asked, found) >= 0:
                    return False, int(found[0]), float(found[1])
        sets, starts, blocks, lengths = self._plan(others, length, parts, len(rows))
        at = self._refuted(rows, heads, parts, sets, starts, blocks, found, lengths)
        if at >= 0:
            known = self._suspects.setdefault(index, [])
            known.insert(0, tuple(int(column) for column in sets[at]))
            del known[REMEMBERED:]
            return False, int(found[0]), float(found[1])
        return True, min(self.smallest, int(found[0])), max(self.surest, float(found[1]))

    def performed(self, index: int, smallest: int, surest: float) -> None:
        """Note that a candidate was performed, and the numbers it was promised to lead to."""
        self.smallest, self.surest = smallest, surest
        self._ahead = {key: least for key, least in self._ahead.items() if key[0] != index and index not in key[2]}
        self._now = {key: least for key, least in self._now.items() if index not in key}

    def loss(self, index: int, slot: int, child: Codes) -> float:
        """Return how much the smallest group shrinks, on average over the sets of L columns that hold the candidate's.

        Columns that show one value add nothing to a set, so all sets that differ in these alone are counted once and weigh
        as many as they are.
        """
        others = self._others(index)
        idle = len(self.qid) - 1 - len(others)
        length = min(self.model.L, len(self.qid)) - 1
        total = 0
        for size in range(max(0, length - idle), min(length, len(others)) + 1):
            sets = list(combinations(sorted(int(column) for column in others), size))
            new = [chosen for chosen in sets if (index, slot, chosen) not in self._ahead]
            self._count_ahead(index, slot, child, new)
            for chosen in sets:
                now = self._smallest_now(tuple(sorted((index, *chosen))))
                total += comb(idle, length - size) * (now - min(now, self._ahead[index, slot, chosen]))
        return total / comb(len(self.qid) - 1, length)

    # ---- counting ----------------------------------------------------------------------------------------------------

    def _others(self, index: int) -> Ints:
        """Return the other columns that are specialized, those with most values first: they are likeliest to give away."""
        width = self.links.width
        others = [column for column in self.qid if column != index and width[column] > 1]
        return np.array(sorted(others, key=lambda column: -width[column]), np.int64)

    def _headed(self, index: int, slot: int, child: Codes, secret: Rows, secrets: int) -> tuple[Rows, Heads, int]:
        rows = self.links.rows(index, slot)
        part, present = self.links.parts(index, slot, child)
        narrow = len(present) * secrets <= np.iinfo(np.int32).max
        heads: Heads = np.empty(len(rows), np.int32) if narrow else np.empty(len(rows), np.int64)
        head_rows(self.links.codes, rows, index, part, secret, secrets, heads)
        return rows, heads, len(present)

    def _plan(self, others: Ints, length: int, parts: int, rows: int) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the column sets block by block, where each block starts, and the columns of the blocks."""
        places, masks = _sets(len(others), length)
        count = len(places)
        if length == 0 or count == 1 or count > MOST_PLANNED or len(others) > MOST_COLUMNS:
            sets = others[places]
            return sets, np.arange(count + 1), sets, np.full(count, length)
        block_of, blocks = np.empty(count, np.int64), np.empty(count, np.int64)
        limit = min(max(rows // 4, 64), len(self._counts))
        made = plan_blocks(masks, self.links.width[others], parts * self.secrets, limit, block_of, blocks)
        order = np.argsort(block_of, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(block_of, minlength=made))])
        inside = (blocks[:made, None] >> np.arange(len(others))) & 1
        lengths = inside.sum(axis=1)
        columns = others[np.argsort(-inside, axis=1, kind="stable")]
        return others[places[order]], starts, columns, lengths

    def _refuted(
        self,
        rows: Rows,
        heads: Heads,
        parts: int,
        sets: Ints,
        starts: Ints,
        blocks: Ints,
        found: Floats,
        lengths: Ints | None = None,
    ) -> int:
        links = self.links
        return int(
            first_refuted(
                rows,
                heads,
                links.digits,
                links.weights,
                np.ascontiguousarray(sets),
                starts.astype(np.int64),
                np.ascontiguousarray(blocks),
                np.full(len(blocks), sets.shape[1], np.int64) if lengths is None else lengths.astype(np.int64),
                links.width,
                parts * self.secrets,
                self.secrets,
                self.model.K,
                self.most,
                self._counts,
                found,
            )
        )

    def _count_ahead(self, index: int, slot: int, child: Codes, sets: Sequence[tuple[int, ...]]) -> None:
        """Count the smallest combination that a candidate would make on each of the sets of other columns."""
        if not sets:
            return
        nothing = np.zeros(len(self.secret), np.int32)
        rows, heads, parts = self._headed(index, slot, child, nothing, 1)
        for chosen, least in zip(sets, self._smallest_on(rows, heads, parts, sets), strict=True):
            self._ahead[index, slot, chosen] = int(least)

    def _smallest_now(self, columns: tuple[int, ...]) -> int:
        if columns not in self._now:
            rows = self.links.everything
            self._now[columns] = int(self._smallest_on(rows, np.zeros(len(rows), np.int32), 1, [columns])[0])
        return self._now[columns]

    def _smallest_on(self, rows: Rows, heads: Heads, parts: int, sets: Sequence[tuple[int, ...]]) -> Ints:
        links = self.links
        out = np.empty(len(sets), np.int64)
        asked = np.array(sets, np.int64).reshape(len(sets), len(sets[0]))
        smallest_cells(rows, heads, links.digits, links.weights, asked, links.width, parts, self._counts, out)
        return out


@lru_cache(maxsize=64)
def _sets(columns: int, length: int) -> tuple[Ints, Ints]:
    """Return all sets of so many of the first columns, as places and as bit masks."""
    places = np.array(list(combinations(range(columns), length)), np.int64).reshape(comb(columns, length), length)
    masks = (np.int64(1) << np.minimum(places, MOST_COLUMNS)).sum(axis=1)
    return places, masks.astype(np.int64)


def _protected(model: LKCPrivacy, table: CompressedTable) -> tuple[Rows, int, float]:
    """Return the number of the protected value that each row holds (0 for none), how many numbers, and the largest share."""
    nothing = np.zeros(len(table), np.int32)
    if model.sensitive is None or model.values == ():
        return nothing, 1, 0.0
    dictionary = table.dictionaries[model.sensitive]
    unknown = [value for value in model.values or () if value not in dictionary.values]
    if unknown:
        raise BadRequest(
            "names values that do not occur in the sensitive column",
            parameter=f"{model.id}.values",
            column=model.sensitive,
            value=unknown,
        )
    number = np.zeros(len(dictionary), np.int32)
    wanted = [code for code, value in enumerate(dictionary.values) if model.values is None or value in model.values]
    number[wanted] = np.arange(1, len(wanted) + 1)
    codes = table.extra_codes[:, table.extra.index(model.sensitive)]
    held = np.bincount(codes, weights=table.weights, minlength=len(dictionary))[wanted]
    share = float((held / table.records).max()) if len(wanted) else 0.0
    if model.C >= 1:
        return nothing, 1, share
    return np.asarray(number[codes]), len(wanted) + 1, share
