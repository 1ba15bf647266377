"""What the publisher asks for where recipients get views of one table: which columns of which rows each of them gets."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, model_validator

from sfumato.data.schema import ColumnType
from sfumato.policy import Section, SharedPolicy, Spec, SpecOrId
from sfumato.views.view import View

__all__ = ["SHAPE", "ViewColumn", "ViewPolicy", "ViewQuery"]

SHAPE = "views"


class ViewQuery(Section):
    """What one recipient gets."""

    columns: tuple[str, ...] = Field(min_length=1)
    """The columns of the view."""
    where: str = ""
    """Which rows are in it, such as: age >= 18 and job in (cook, nurse)."""


class ViewColumn(Section):
    """How a column is to be read, where the data do not tell."""

    type: ColumnType | None = None
    """Logical type of the column."""
    values: tuple[str | int | float | bool, ...] | None = None
    """All values that it can have, where everybody knows them."""


class ViewPolicy(SharedPolicy):
    """A policy for views of one table."""

    views: dict[str, ViewQuery] = Field(min_length=1)
    """What each recipient gets, by the name of the view."""
    columns: dict[str, ViewColumn] = Field(default={})
    """Columns whose type or values must be told."""
    algorithm: Spec = Field(default={"id": "answer-views"})
    """Id and parameters of the algorithm."""
    metrics: tuple[SpecOrId, ...] = ()
    """Metrics to report: ids, or id and parameters."""

    @model_validator(mode="before")
    @classmethod
    def _shaped(cls, given: object) -> object:
        return {**given, "shape": SHAPE} if isinstance(given, dict) else given

    @model_validator(mode="after")
    def _readable(self) -> ViewPolicy:
        self.queries()
        return self

    def queries(self) -> tuple[View, ...]:
        """Return the views that are asked for; a condition that cannot be read is refused."""
        return tuple(View.of(name, one.columns, one.where or ()) for name, one in self.views.items())

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        inside: dict[str, type[Section]] = {"views": ViewQuery, "columns": ViewColumn}
        if len(path) > 2 and str(path[0]) in inside:
            return list(inside[str(path[0])].model_fields)
        return super()._known_keys(path)
