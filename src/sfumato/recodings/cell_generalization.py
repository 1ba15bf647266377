"""Cell generalization (local recoding): single values of single records become more general, others stay."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import Recoding
from sfumato.contracts.thing import param
from sfumato.data.text import to_text
from sfumato.data.words import counted
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Bools, Codes, Ints
from sfumato.recodings._records import Labels, Records, Row, refuse_columns
from sfumato.recodings.record_recoding import RecordRecoding
from sfumato.recodings.scales import Scale, TreeScale

__all__ = ["CellGeneralization"]


class CellGeneralization(RecordRecoding):
    """Each cell becomes any label at or above its value, whatever other records with the same value show.

    ``cells`` lists (row number, column, label); all other cells are published as they are. The rows are those of the table
    it was made for: a label that does not cover the value of its cell is refused.

    Records that look alike form a group. With ``covering`` a person may stand behind every published record that covers
    the person's values, so a record's group is all of these; that can only be larger.

    A step is named by the cell and the lower of the two labels: ``generalize((0, "Job", "Engineer"))`` raises a cell
    to the parent of Engineer, ``refine`` with the same triple lowers it again. Only columns with a tree have steps.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> job = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
    >>> table = from_rows(["Job"], [("Engineer",), ("Engineer",), ("Lawyer",)])
    >>> recoding = CellGeneralization(
    ...     trees={"Job": job}, cells=((0, "Job", "Professional"), (2, "Job", "Professional"))
    ... )
    >>> recoding.apply(table).to_rows()
    [('Professional',), ('Engineer',), ('Professional',)]
    >>> recoding.groups(table).as_dict()
    {('Engineer',): 1, ('Professional',): 2}
    >>> recoding.generalize((1, "Job", "Engineer")).groups(table).as_dict()
    {('Professional',): 3}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    Xu, Wang, Pei, Wang, Shi, Fu, "Utility-based anonymization using local recoding", 2006, doi:10.1145/1150402.1150504.
    """

    id: ClassVar[str] = "cell-generalization"

    cells: tuple[tuple[int, str, str], ...] = param(doc="row number, column and label of each generalized cell")
    covering: bool = param(default=False, doc="whether a group is every record that covers a person's values")

    @classmethod
    def from_rows(
        cls, raw: Sequence[Sequence[object]], recoded: Sequence[Sequence[object]], **scales: Any
    ) -> CellGeneralization:
        """Return the recoding that turns raw into recoded rows; the columns are those of ``trees``, ``ranges``, ``orders``."""
        empty = cls(cells=(), **scales)
        cells = []
        for number, (old, new) in enumerate(zip(raw, recoded, strict=True)):
            for name, value, shown in zip(empty.recoded, old, new, strict=True):
                if value is not None and to_text(shown) != empty.scales[name].raw(value):
                    cells.append((number, name, to_text(shown)))
        return cls(cells=tuple(cells), **scales)

    def validate(self) -> None:
        """Refuse cells given twice, and labels that their column does not have; leaves are no generalization and go."""
        super().validate()
        kept: dict[tuple[int, str], str] = {}
        different = dict.fromkeys((name, label) for _, name, label in self.cells)
        for name, label in different:
            if name not in self.scales:
                raise BadRequest("has no tree, range or order", column=name, parameter=f"{self.id}.cells")
            if not self.scales[name].knows(label):
                raise BadRequest("is not a label", column=name, parameter=f"{self.id}.cells", value=label)
        for row, name, label in self.cells:
            if row < 0 or (row, name) in kept:
                raise BadRequest(
                    "must name each cell once, rows from 0", column=name, parameter=f"{self.id}.cells", value=row
                )
            kept[row, name] = label
        places = {name: place for place, name in enumerate(self.scales)}
        leaves = {known for known in different if self._is_leaf(*known)}
        cells = [(row, name, label) for (row, name), label in kept.items() if (name, label) not in leaves]
        cells.sort(key=lambda cell: (cell[0], places[cell[1]]))
        object.__setattr__(self, "cells", tuple(cells))

    def _is_leaf(self, name: str, label: str) -> bool:
        scale = self.scales[name]
        return isinstance(scale, TreeScale) and not scale.parts(label)

    @cached_property
    def label_of(self) -> dict[tuple[int, str], str]:
        """The label of each generalized cell."""
        return {(row, name): label for row, name, label in self.cells}

    @property
    def mixed_granularity(self) -> bool:
        """Whether any cell is generalized: the same value may stand beside it. The recoded rows tell for certain."""
        return bool(self.cells)

    def publishes(self, column: str, label: str) -> bool:
        """Tell whether a text may appear in a column: a value, or the label of a generalized cell."""
        return column not in self.scales or self.scales[column].single(label) or label in self._raised[column]

    @cached_property
    def _raised(self) -> dict[str, frozenset[str]]:
        """The labels of the generalized cells of each column."""
        return {name: frozenset(labels) for name, (_, labels) in self._by_column.items()}

    @cached_property
    def _by_column(self) -> dict[str, tuple[Ints, list[str]]]:
        """The rows and the labels of the generalized cells of each column, rows rising."""
        rows: dict[str, list[int]] = {name: [] for name in self.scales}
        labels: dict[str, list[str]] = {name: [] for name in self.scales}
        for row, name, label in self.cells:
            rows[name].append(row)
            labels[name].append(label)
        return {name: (np.array(rows[name], np.int64), labels[name]) for name in self.scales}

    def _records(self, table: Table, columns: Sequence[str]) -> Records:
        """Return every record: which label a cell gets depends on its row."""
        refuse_columns(table, self.recoded, self.id)
        return Records.of(table, list(dict.fromkeys(columns)))

    def shown(self, records: Records, *, unknown: str = "declared") -> Labels:
        """Return the label of every cell, raw ones included; values without a place are refused or become the root."""
        late = next((row for row, _, _ in self.cells if row >= len(records)), None)
        if late is not None:
            raise BadRequest(f"row must lie in 0..{len(records) - 1}", parameter=f"{self.id}.cells", value=late)
        return {
            name: self._column(name, scale, values, codes, unknown)
            for (name, scale), values, codes in zip(self.scales.items(), records.values, records.codes.T, strict=True)
        }

    def _column(
        self, name: str, scale: Scale, values: Sequence[Hashable], codes: Codes, unknown: str
    ) -> tuple[Codes, list[str | None]]:
        placed = np.array([scale.places(value) for value in values], bool)
        if unknown != "root" and not placed.all():
            lost = [value for value, known in zip(values, placed.tolist(), strict=True) if not known]
            if isinstance(scale, TreeScale):
                raise scale.tree.unknown(lost, column=name)
            count = int(np.count_nonzero(~np.append(placed, True)[codes]))
            raise BadRequest(
                f"{counted(count, 'value lies', 'values lie')} outside what the recoding knows", column=name
            )
        numbers: dict[str, int] = {}
        raw = [scale.raw(value) if known else scale.root for value, known in zip(values, placed.tolist(), strict=True)]
        own = [numbers.setdefault(text, len(numbers)) for text in raw]
        shown = np.array([*own, -1], np.int32)[codes]  # the last entry answers for missing, -1
        rows, labels = self._by_column[name]
        given = np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int32)
        texts: list[str | None] = list(numbers)
        self._refuse_uncovered(name, scale, values, codes[rows], rows, labels)
        free = np.append(placed, False)[codes[rows]]  # a value without a place is the root, whatever its cell says
        shown[rows[free]] = given[free]
        return shown, texts

    def _refuse_uncovered(
        self,
        name: str,
        scale: Scale,
        values: Sequence[Hashable],
        codes: Codes,
        rows: Ints,
        labels: Sequence[str],
    ) -> None:
        """Refuse labels that do not stand for the value of their cell."""
        different = list(dict.fromkeys(labels))
        number = {label: at for at, label in enumerate(different)}
        ranks, first, last = scale.runs(different, values)
        given = np.array([number[label] for label in labels], np.int64)
        rank = np.append(ranks, np.int32(-1))[codes]
        wrong = (codes < 0) | ((rank >= 0) & ~((first[given] <= rank) & (rank < last[given])))
        if wrong.any():
            at = int(wrong.argmax())
            raise BadRequest(
                "does not cover the value of its cell",
                column=name,
                parameter=f"{self.id}.cells",
                value=[int(rows[at]), name, labels[at]],
            )

    def groups(self, table: Table, *, histograms: Sequence[str] = (), unknown: str = "declared") -> GroupStats:
        """Return the groups of a raw table under this recoding, by the option ``covering``.

        Records are grouped by what is published of them. With ``covering`` there is one group for each distinct raw record
        (its key holds raw values, for the publisher's eyes): the published records that cover it, so groups overlap.
        """
        if not self.covering:
            return self.apply(table, unknown=unknown).groups(self.recoded, histograms)
        refuse_columns(table, self.recoded, self.id)
        rows = table.select(self.recoded).to_rows()
        labels = self.labels(rows, unknown=unknown)
        people = list(dict.fromkeys(rows))
        shown: dict[Row, list[int]] = {}
        for number, label in enumerate(labels):
            shown.setdefault(label, []).append(number)
        match = np.array([[self._covers(label, person) for label in shown] for person in people], bool)
        match = match.reshape(len(people), len(shown))
        sizes = match @ np.array([len(members) for members in shown.values()], np.int64)
        counted = {name: self._counted(table, name, list(shown.values()), match) for name in histograms}
        keys = tuple([person[at] for person in people] for at in range(len(self.recoded)))
        return GroupStats(self.recoded, keys, sizes.astype(np.int64), counted)

    def _covers(self, labels: Row, values: Row) -> bool:
        return all(
            label == value if label is None or value is None else label == scale.root or scale.holds(label, value)
            for scale, label, value in zip(self.scales.values(), labels, values, strict=True)
        )

    def _counted(self, table: Table, name: str, members: Sequence[Sequence[int]], match: Bools) -> Histogram:
        column = [row[0] for row in table.select([name]).to_rows()]
        values = list(table.dictionary(name).values)
        values = [None, *values] if None in column else values
        code = {value: number for number, value in enumerate(values)}
        own = np.zeros((len(members), len(values)), np.int64)
        for place, chosen in enumerate(members):
            for number in chosen:
                own[place, code[column[number]]] += 1
        total = match.astype(np.int64) @ own
        group, found = np.nonzero(total)
        return Histogram.from_pairs(len(total), values, group, found, total[group, found])

    # ---- states ------------------------------------------------------------------------------------------------------

    def refine(self, value: tuple[int, str, str]) -> CellGeneralization:
        """Lower a cell from the parent of a label to the label; a cell that reaches a leaf is published as it is."""
        row, name, label, above = self._step(value)
        if self.label_of.get((row, name)) != above:
            raise BadRequest(
                f"the cell must show {above}", column=name, parameter="value", value=self.label_of.get((row, name))
            )
        return self._with({**self.label_of, (row, name): label})

    def generalize(self, value: tuple[int, str, str]) -> CellGeneralization:
        """Raise a cell from a label to its parent; a cell that is published as it is starts from its leaf."""
        row, name, label, above = self._step(value)
        now = self.label_of.get((row, name))
        if now != label and not (now is None and self._is_leaf(name, label)):
            raise BadRequest(f"the cell must show {label}", column=name, parameter="value", value=now)
        return self._with({**self.label_of, (row, name): above})

    def _step(self, value: tuple[int, str, str]) -> tuple[int, str, str, str]:
        try:
            row, name, label = value
        except (TypeError, ValueError):
            raise BadRequest("must be a row, a column and a label", parameter="value", value=str(value)) from None
        scale = self.scales.get(name)
        if not isinstance(scale, TreeScale):
            raise BadRequest("has no tree to step along", column=str(name), available=self.trees or {})
        node = scale.tree.node(label, column=name)
        above = int(scale.tree.parent[node])
        while above >= 0 and scale.tree.labels[above] == label:  # a level that repeats its only child is no step
            above = int(scale.tree.parent[above])
        if above < 0:
            raise BadRequest("is the root", column=name, parameter="value", value=label)
        return row, name, label, scale.tree.labels[above]

    def is_finer_than(self, other: Recoding) -> bool:
        """Tell whether every generalized cell is as general or more so in the other."""
        rival = self._alike(other)
        return all(
            (row, name) in rival and self.scales[name].within(label, rival[row, name])
            for row, name, label in self.cells
        )

    def common_refinement(self, other: Recoding) -> CellGeneralization:
        """Return the lower label of each cell that both generalize; refuse two that no value can have."""
        rival = self._alike(other)
        shared: dict[tuple[int, str], str] = {}
        for row, name, label in self.cells:
            if (row, name) not in rival:
                continue
            lower = self.scales[name].meet(label, rival[row, name])
            if lower is None:
                raise BadRequest("two labels of a cell have nothing in common", column=name, value=[row, label])
            shared[row, name] = lower
        return self._with(shared)

    def _alike(self, other: Recoding) -> Mapping[tuple[int, str], str]:
        if not isinstance(other, CellGeneralization) or not self._same_scales(other):
            raise Unsupported(f"{self.id} is compared with its like over the same trees only", thing=self.id)
        return other.label_of

    def _with(self, labels: Mapping[tuple[int, str], str]) -> CellGeneralization:
        return replace(self, cells=tuple((row, name, label) for (row, name), label in labels.items()))

    def draw(self) -> str:
        """Return the generalized cells, one to a line."""
        return "\n".join(f"row {row}, {name}: {label}" for row, name, label in self.cells) or "no cell is generalized"
