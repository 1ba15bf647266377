"""What the holder of a desk allows: one mode, what columns are, and what is known of their values beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from sfumato.catalogue import build
from sfumato.contracts.algorithm import Search
from sfumato.contracts.thing import Thing
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.interactive.models.query_audit_online import QueryAuditOnline
from sfumato.policy import Section, SharedPolicy, Spec, SpecOrId

__all__ = ["SHAPE", "DeskColumn", "DeskKey", "DeskPolicy", "Mode"]

SHAPE = "desk"

Mode = Literal["exact", "noisy", "cell-key"]
_FAR = 1e15


class DeskKey(Section):
    """How the desk answers."""

    mode: Mode
    """``exact`` under audit, ``noisy`` under a budget, or ``cell-key``: counts whose noise is the same for the same cell."""
    name: str = Field(default="desk", min_length=1)
    """What the ledger calls the desk."""
    audit: Spec = Field(default={"id": "query-audit-online", "m": 5})
    """Which questions are refused where answers are exact: parameters of query-audit-online."""
    epsilon: float = Field(default=0.1, gt=0)
    """What each aggregate costs where answers are noisy, unless the asker says otherwise."""
    per_asker: float | None = Field(default=None, gt=0)
    """What each asker may spend in all; only the budget of the policy bounds it if not given."""
    most: int = Field(default=5, ge=1, le=1000)
    """How far a count is moved at most in the mode cell-key."""
    variance: float = Field(default=4.0, gt=0)
    """The variance of that noise, where a count leaves room for it."""


class DeskColumn(Section):
    """What a column is, and what everybody knows of its values."""

    role: Role
    """What the column is to an asker: sensitive values may be aggregated, identifiers are never read."""
    type: ColumnType | None = None
    """The type to read the column as; found from the data if not given."""
    values: tuple[str | int | float | bool, ...] | None = Field(default=None, min_length=1)
    """All values that it can have, known without the data: groups are made of these."""
    bounds: tuple[float, float] | None = None
    """The range of its values, known without the data: others are moved to its ends before they are added up."""
    step: float | None = Field(default=None, gt=0)
    """How finely values are added up where answers are noisy; 1 for whole numbers, else a ten thousandth of the range."""

    @model_validator(mode="after")
    def _in_order(self) -> DeskColumn:
        if self.bounds is not None and not -_FAR <= self.bounds[0] < self.bounds[1] <= _FAR:
            raise PydanticCustomError("bounds", "must be two numbers, the smaller first, neither beyond 1e15")
        if self.values is not None and len(set(self.values)) < len(self.values):
            raise PydanticCustomError("values", "must be different from each other")
        return self


class DeskPolicy(SharedPolicy):
    """A policy for a desk that answers questions about a table."""

    desk: DeskKey
    """How the desk answers."""
    person: str | None = None
    """The column that names persons, one record each; without it the table of a desk with exact answers cannot change."""
    columns: dict[str, DeskColumn] = Field(min_length=1)
    """Every column that may be asked about, by name."""
    requirements: tuple[Spec, ...] = ()
    """None: what may be asked stands under ``desk``."""
    algorithm: Spec = Field(default={"id": "desk"})
    """None: a desk publishes no table."""
    metrics: tuple[SpecOrId, ...] = ()
    """None: a desk publishes no table."""

    @model_validator(mode="before")
    @classmethod
    def _shaped(cls, given: object) -> object:
        return {**given, "shape": SHAPE} if isinstance(given, Mapping) else given

    @model_validator(mode="after")
    def _fits(self) -> DeskPolicy:
        for key in ("requirements", "metrics"):
            if getattr(self, key):
                raise PydanticCustomError("desk", f"a desk publishes no table: {key} stand in policies for releases")
        if self.desk.mode == "noisy" and not self.budgets:
            raise PydanticCustomError("budget", "a desk with noisy answers needs the name of a budget of the ledger")
        if self.desk.mode != "noisy" and (self.budgets or self.desk.per_asker is not None):
            raise PydanticCustomError("budget", "is for noisy answers, and this desk gives none")
        return self

    def rule(self) -> QueryAuditOnline:
        """Return which sums and counts are refused where answers are exact."""
        made = build(self.desk.audit, "model", SHAPE)
        if not isinstance(made, QueryAuditOnline):
            raise BadRequest("must be query-audit-online", parameter="desk.audit", value=made.id)
        return made

    def search(self) -> Search[Any]:
        """Refuse: a desk publishes no table."""
        raise Unsupported(say("desk.bad.publishes"), thing=SHAPE)

    def roles(self) -> dict[str, Role]:
        """Return the role of each column."""
        return {name: one.role for name, one in self.columns.items()}

    def domains(self) -> dict[str, tuple[str | int | float | bool, ...]]:
        """Return the declared values of columns that have them."""
        return {name: one.values for name, one in self.columns.items() if one.values is not None}

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        yield ("desk", "audit"), self.rule
        yield ("engine",), partial(build, self.engine, "engine")

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        inside: dict[str, type[Section]] = {"desk": DeskKey, "columns": DeskColumn}
        if len(path) > (2 if path[0] == "columns" else 1) and str(path[0]) in inside:
            return list(inside[str(path[0])].model_fields)
        return super()._known_keys(path)
