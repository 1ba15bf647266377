"""Columns whose cells have a shape of their own: a note that is a text, a list that is a basket."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, TypeVar

from sfumato.contracts.adversary import Adversaries
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Knowledge
from sfumato.contracts.model import Model, ModelTraits, Requirement, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.run import Run
from sfumato.contracts.shape import Shape
from sfumato.data.json import Json
from sfumato.data.text import to_text
from sfumato.errors import BadRequest

__all__ = ["AnyCellShape", "CellRequirement", "CellShape", "Cells", "cell_shape", "column_cells"]

D = TypeVar("D")
P = TypeVar("P")
T = TypeVar("T")
K = TypeVar("K", bound=Knowledge)

Cells = Sequence[str | None]
"""One column of a table as text, row by row; ``None`` where the cell is missing."""


class CellShape(Shape[D, P, T, K]):
    """A shape that the cells of one table column can have: all cells together are the data, one cell is one person's."""

    @abstractmethod
    def of_cells(self, cells: Cells, asked: Asked, run: Run) -> D:
        """Return the data that cells hold, in their order."""

    @abstractmethod
    def to_cells(self, prepared: P, outcome: Outcome) -> Cells:
        """Return what is published of each cell, in the order in which they came."""

    def inside(self, cells: Cells, asked: Asked, outcome: Outcome | None = None) -> object | None:
        """Return the publisher's own view of cells, as they stand or were masked, if requirements need more than cells."""
        return None if outcome is None or outcome.built is None else outcome.built.inside

    def without_own_values(self, cells: Cells, own: Mapping[str, Cells], asked: Asked) -> tuple[Cells, int]:
        """Return cells without what other columns of the same row tell, and how often that stood there.

        ``own`` are the columns that are not published as they are; a shape whose cells tell nothing leaves them as they are.
        """
        return cells, 0

    def beside(self, prepared: P, hidden: Mapping[str, Sequence[str]]) -> P:
        """Return prepared data that know what columns which stay in the house tell of any row, to say what cells tell of it."""
        return prepared

    def counted(self, outcome: Outcome) -> Mapping[str, int]:
        """Return what a certificate says of masked cells beside their requirements, by the names of its counts."""
        return {}

    def reader(
        self,
        cells: Cells,
        asked: Asked | None,
        raw: Cells | None,
        own: Mapping[str, Cells],
        told: Mapping[str, object],
        run: Run,
    ) -> Adversaries[K] | None:
        """Return who reads published cells, if attacks of this shape can be tried on them.

        ``raw`` are the cells before masking and ``own`` the columns of the same rows that name their persons, where she knows
        them; in the order of that table, not of the release.
        """
        return None

    @abstractmethod
    def judge_cells(self, cells: Cells, model: Requirement, worst: int) -> Verdict:
        """Judge cells as they are published, by nothing but what a stranger reads there."""


AnyCellShape = CellShape[object, object, object, Knowledge]
"""A shape of cells as tables hold it."""


def cell_shape(name: str) -> AnyCellShape:
    """Return a shape that cells can have; it is found by its id when it is needed."""
    from sfumato.catalogue import shape_of, shapes

    found = shape_of(name)
    if not isinstance(found, CellShape):
        able = [one for one in shapes() if isinstance(shape_of(one), CellShape)]
        raise BadRequest("is not a shape that a cell can have", parameter="shape", value=name, available=able)
    return found


def column_cells(table: Table, column: str) -> Cells:
    """Return the cells of a column, row by row, as the text that is written."""
    return [None if row[0] is None else to_text(row[0]) for row in table.select([column]).to_rows()]


class CellRequirement(Model[Publication]):
    """A requirement on the cells of one column, judged by the shape that these have."""

    id: ClassVar[str] = "cells"
    traits: ClassVar[ModelTraits] = ModelTraits(frozenset(), "record")  # it stops nothing that the other columns allow

    column: str
    within: str
    model: Requirement

    def spec(self) -> dict[str, Json]:
        """Return the requirement as its shape knows it."""
        return self.model.spec()

    def private(self) -> tuple[str, ...]:
        """Return what the requirement reads that nobody else gets to see."""
        return self.model.private()

    def judge(self, view: Publication, *, worst: int = 10) -> Verdict:
        """Judge the published cells of the column, or what only the publisher has of them."""
        assert view.table is not None
        held = view.cells.get(self.column) if self.model.private() else None
        if held is not None:
            verdict = self.model.judge(held, worst=worst)
        else:
            verdict = cell_shape(self.within).judge_cells(column_cells(view.table, self.column), self.model, worst)
        return replace(verdict, column=self.column, shape=self.within)
