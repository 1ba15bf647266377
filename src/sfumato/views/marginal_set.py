"""Marginals beside a base table: what whoever has all of them knows of the records that one published cell of each holds."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from math import prod

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.region import in_order
from sfumato.engines import read
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.distinct import distinct_rows, found_among
from sfumato.kernels.arrays import Bools, Ints
from sfumato.views.label_refinement import Covers, common_refinement, place_of, placed
from sfumato.views.marginal import COUNT

__all__ = ["Candidates", "Counted", "MarginalSet"]

MOST_CLASSES = 1 << 22
"""Combinations of the finest published values that are looked at one by one."""


@frozen(eq=False, repr=False)
class Counted:
    """One publication: combinations of labels with their numbers, and the label that each finest value has here.

    ``labels[column][atom]`` is the code of the label; ``codes`` are combinations of these, the columns in order.
    """

    name: str
    columns: tuple[str, ...]
    values: Mapping[str, tuple[Hashable, ...]]
    labels: Mapping[str, Ints]
    codes: Ints
    counts: Ints

    def __repr__(self) -> str:
        return f"Counted({self.name}: {', '.join(self.columns)}, {len(self.counts):,} cells)"

    def cell_of(self, atoms: Ints, columns: Sequence[str]) -> Ints:
        """Return the cell of each combination of finest values, -1 where nothing is published; ``columns`` name its columns."""
        own = [name for name in self.columns if name in columns]
        widths = [len(self.values[name]) for name in own]
        if prod(widths) > MOST_CLASSES << 4:
            labels = np.column_stack([self.labels[name][atoms[:, list(columns).index(name)]] for name in own])
            return found_among(self.codes[:, [self.columns.index(name) for name in own]], labels)
        place = np.full(prod(widths), -1, np.int64)
        place[self._key([self.codes[:, self.columns.index(name)] for name in own], widths, len(self.codes))] = (
            np.arange(len(self.codes))
        )
        return place[
            self._key([self.labels[name][atoms[:, list(columns).index(name)]] for name in own], widths, len(atoms))
        ]

    @staticmethod
    def _key(codes: Sequence[Ints], widths: Sequence[int], rows: int) -> Ints:
        key = np.zeros(rows, np.int64)
        for code, width in zip(codes, widths, strict=True):
            key = key * width + code
        return key

    def without(self, column: str) -> Counted:
        """Return the publication summed over one of its columns."""
        if column not in self.columns:
            return self
        kept = [at for at, name in enumerate(self.columns) if name != column]
        codes, number = (
            distinct_rows(self.codes[:, kept])
            if kept
            else (
                np.zeros((1, 0), np.int64),
                np.zeros(len(self.codes), np.int64),
            )
        )
        counts = np.bincount(number, weights=self.counts, minlength=len(codes)).astype(np.int64)
        names = tuple(self.columns[at] for at in kept)
        return Counted(
            self.name,
            names,
            {name: self.values[name] for name in names},
            {name: self.labels[name] for name in names},
            codes,
            counts,
        )


@frozen
class Candidates:
    """The sensitive values that publications leave to one victim: each alone, and all together."""

    each: Mapping[str, tuple[Hashable, ...]]
    together: tuple[Hashable, ...]


@frozen(eq=False, repr=False)
class MarginalSet:
    """Publications on the same records: a base table and marginals, each a partition of them into cells.

    ``atoms`` are the finest published values of each column, over all publications: a combination of them is a *class*. Bins
    are cut where any publication cuts them; a label such as ``2596*`` stands for the finest values that begin so.

    Examples
    --------
    >>> base = {"Zip": ["25*", "25*", "24*"], "Ill": ["Flu", "HIV", "Flu"]}
    >>> both = MarginalSet.of(base, {"zips": {"Zip": [251, 252, 241], "count": [1, 1, 1]}}, sensitive="Ill")
    >>> both.atoms["Zip"], both.candidates({"Zip": 251}).together
    ((241, 251, 252), ('Flu', 'HIV'))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.3.
    Kifer, Gehrke, "Injecting utility into anonymized datasets", 2006, doi:10.1145/1142473.1142499.
    """

    sensitive: str
    atoms: Mapping[str, tuple[Hashable, ...]]
    publications: tuple[Counted, ...]
    held: Ints | None = field(default=None)
    """The classes of real records, where the holder tells them; a stranger takes every class that is possible."""

    @classmethod
    def of(
        cls,
        base: object | None,
        marginals: Mapping[str, object],
        *,
        sensitive: str,
        covers: Covers | None = None,
        table: object | None = None,
        columns: Sequence[str] | None = None,
    ) -> MarginalSet:
        """Open a base table, a row for each record, and marginals with a column ``count``; ``table`` is what the holder has.

        ``columns`` are those of the base that are read, all if not given. ``covers`` tells what labels stand for.
        """
        given: dict[str, Table] = {
            name: one if isinstance(one, Table) else read(one) for name, one in marginals.items()
        }
        counted: list[tuple[str, tuple[str, ...], Sequence[tuple[Hashable, ...]], Ints]] = []
        if base is not None:
            opened = base if isinstance(base, Table) else read(base)
            names = tuple(columns or opened.columns)
            cells = opened.counts(names)
            counted.append(("base", names, list(zip(*cells.keys, strict=True)), cells.sizes))
        for name, one in given.items():
            if COUNT not in one.types:
                raise BadRequest("needs a column of counts", parameter=name, value=COUNT, available=one.columns)
            own = tuple(column for column in one.columns if column != COUNT)
            rows = one.select([*own, COUNT]).to_rows()
            kept = [row for row in rows if row[-1]]
            counted.append((name, own, [row[:-1] for row in kept], np.array([row[-1] for row in kept], np.int64)))
        totals = {int(counts.sum()) for _, _, _, counts in counted}
        if len(totals) > 1:
            raise BadRequest("are not about the same records: their totals differ", parameter="marginals", value=totals)
        if not any(sensitive in own for _, own, _, _ in counted):
            raise BadRequest("is in no publication", parameter="sensitive", value=sensitive)
        made = cls._refined(counted, sensitive, covers or {})
        return made if table is None else made.with_records(table if isinstance(table, Table) else read(table))

    @classmethod
    def _refined(
        cls,
        counted: Sequence[tuple[str, tuple[str, ...], Sequence[tuple[Hashable, ...]], Ints]],
        sensitive: str,
        covers: Covers,
    ) -> MarginalSet:
        names = dict.fromkeys(name for _, own, _, _ in counted for name in own)
        atoms: dict[str, tuple[Hashable, ...]] = {}
        placed: dict[tuple[int, str], tuple[tuple[Hashable, ...], Ints]] = {}
        for name in names:
            lists = {
                at: in_order({row[own.index(name)] for row in rows})
                for at, (_, own, rows, _) in enumerate(counted)
                if name in own
            }
            atoms[name], found = common_refinement(lists, covers.get(name, {}), name)
            placed.update({(at, name): (lists[at], place) for at, place in found.items()})
        publications = []
        for at, (title, own, rows, counts) in enumerate(counted):
            numbers = [{label: code for code, label in enumerate(placed[at, name][0])} for name in own]
            codes = np.array(
                [[number[value] for number, value in zip(numbers, row, strict=True)] for row in rows], np.int64
            ).reshape(-1, len(own))
            publications.append(
                Counted(
                    title,
                    own,
                    {name: placed[at, name][0] for name in own},
                    {name: placed[at, name][1] for name in own},
                    codes,
                    counts,
                )
            )
        return cls(sensitive, atoms, tuple(publications))

    def __repr__(self) -> str:
        return f"MarginalSet({', '.join(map(repr, self.publications))})"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that an adversary may know: all but the sensitive one."""
        return tuple(name for name in self.atoms if name != self.sensitive)

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.publications[0].counts.sum())

    def with_records(self, table: Table) -> MarginalSet:
        """Return the set with the classes that real records are in: nobody else is a victim."""
        cells = table.counts(self.columns)
        columns = []
        for name, held in zip(self.columns, cells.keys, strict=True):
            place = placed(held.values, self.atoms[name], name)
            columns.append(place[held.codes])
        codes = np.unique(np.column_stack(columns), axis=0) if columns else np.zeros((1, 0), np.int64)
        return MarginalSet(self.sensitive, self.atoms, self.publications, codes)

    def stranger(self) -> MarginalSet:
        """Return the set as somebody has it who knows no record: every possible class takes part."""
        return self if self.held is None else MarginalSet(self.sensitive, self.atoms, self.publications)

    @cached_property
    def _every(self) -> Ints:
        """All combinations of finest values, or those of real records."""
        if self.held is not None:
            return self.held
        widths = [len(self.atoms[name]) for name in self.columns]
        if prod(widths) > MOST_CLASSES:
            raise Unsupported(
                f"the publications leave more than {MOST_CLASSES:,} classes: too many to be looked at without the records",
                thing="marginal-privacy-check",
            )
        return (
            np.stack(np.unravel_index(np.arange(prod(widths)), widths), axis=1)
            if widths
            else np.zeros((1, 0), np.int64)
        )

    @cached_property
    def _cells(self) -> tuple[Ints, ...]:
        """The cell of every combination in each publication, summed over the sensitive column."""
        return tuple(one.without(self.sensitive).cell_of(self._every, self.columns) for one in self.publications)

    @cached_property
    def consistent(self) -> Bools:
        """Which combinations every publication leaves possible."""
        found = np.ones(len(self._every), bool)
        for cells in self._cells:
            found &= cells >= 0
        return found

    @cached_property
    def classes(self) -> Ints:
        """The classes that every publication leaves possible, as codes of the finest values."""
        return self._every[self.consistent]

    def cells(self, at: int) -> Ints:
        """Return the cell of each class in a publication summed over the sensitive column."""
        return self._cells[at][self.consistent]

    def bounds(self) -> Ints:
        """Return the most persons that each class can hold: its smallest published cell (Kifer, Gehrke 2006, equation 7)."""
        found = np.full(len(self.classes), np.iinfo(np.int64).max)
        for at, one in enumerate(self.publications):
            found = np.minimum(found, one.without(self.sensitive).counts[self.cells(at)])
        return found

    def distinct(self) -> Ints:
        """Return how many sensitive values each class may have."""
        values = self.atoms[self.sensitive]
        words = (len(values) + 63) // 64
        found = np.full((len(self.classes), words), ~np.uint64(0))
        for at, one in enumerate(self.publications):
            if self.sensitive in one.columns:
                found &= _value_bits(one, self.sensitive, words)[self.cells(at)]
        mask = np.zeros(words * 64, np.uint8)
        mask[: len(values)] = 1
        found &= np.packbits(mask, bitorder="little").view(np.uint64)
        counted: Ints = np.bitwise_count(found).sum(axis=1).astype(np.int64)
        return counted

    def candidates(self, victim: Mapping[str, Hashable]) -> Candidates:
        """Return what is left of the sensitive values of somebody whose finest values are known."""
        for name in self.columns:
            if name not in victim:
                raise BadRequest("must be told of the victim", parameter="victim", value=name, available=self.columns)
        codes = np.array([[place_of(self.atoms[name], victim[name], name) for name in self.columns]], np.int64)
        each: dict[str, tuple[Hashable, ...]] = {}
        for one in self.publications:
            if self.sensitive not in one.columns:
                continue
            bare = one.without(self.sensitive)
            (cell,) = bare.cell_of(codes, self.columns)
            bits = _value_bits(one, self.sensitive, (len(self.atoms[self.sensitive]) + 63) // 64)[cell]
            held = np.unpackbits(bits.view(np.uint8), bitorder="little")
            values = self.atoms[self.sensitive]
            each[one.name] = tuple(value for at, value in enumerate(values) if cell >= 0 and held[at])
        left = [set(values) for values in each.values()]
        return Candidates(each, in_order(set.intersection(*left) if left else ()))


def _value_bits(one: Counted, sensitive: str, words: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """Return the sensitive atoms that each cell holds, as bits."""
    bare = one.without(sensitive)
    at = one.columns.index(sensitive)
    kept = [place for place in range(len(one.columns)) if place != at]
    cell = found_among(bare.codes, one.codes[:, kept]) if kept else np.zeros(len(one.codes), np.int64)
    found = np.zeros((len(bare.codes), words * 64), np.uint8)
    labels = one.labels[sensitive]
    for atom in range(len(labels)):
        found[cell[one.codes[:, at] == labels[atom]], atom] = 1
    return np.packbits(found, axis=1, bitorder="little").view(np.uint64)
