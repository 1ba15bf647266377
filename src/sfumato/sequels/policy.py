"""A policy for a release of a series: the columns of a table, whose records they are, and how releases follow each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from sfumato.catalogue import TABLE, build, ids, requirement
from sfumato.contracts.algorithm import Search
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.model import MechanismModel, Model, Requirement, TableModel
from sfumato.contracts.thing import Thing
from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, NotKnown, Unsupported
from sfumato.policy import SharedPolicy, Spec, SpecOrId
from sfumato.tables.policy import DEFAULT_METRICS, ColumnPolicy, Policy

__all__ = ["SHAPE", "Kind", "SeriesPolicy"]

SHAPE = "series"

Kind = Literal["sequential", "continuous", "dynamic", "serial"]

_ALGORITHMS: Mapping[str, str] = {
    "sequential": "tds4sa",
    "continuous": "bcf-anonymizer",
    "dynamic": "m-invariance-anonymize",
    "serial": "hd-composition",
}


class SeriesPolicy(SharedPolicy):
    """What a release of a series must keep, beside all releases before it."""

    columns: dict[str, ColumnPolicy] = Field(min_length=1)
    """Every column of the table, by name."""
    person: str | None = None
    """The column that tells whose record it is; it is never published, and the ledger keeps keyed names only."""
    algorithm: Spec = Field(default={"id": "bcf-anonymizer"})
    """How the next release is made; the kind of the series has its own if none is given."""
    metrics: tuple[SpecOrId, ...] = DEFAULT_METRICS
    """Metrics to report: ids, or id and parameters."""

    @model_validator(mode="before")
    @classmethod
    def _completed(cls, given: object) -> object:
        """Take the algorithm of the kind if none is named, and what it shares with the requirement from there."""
        if not isinstance(given, Mapping):
            return given
        series = given.get("series")
        kind = series.get("kind") if isinstance(series, Mapping) else getattr(series, "kind", None)
        out = {**given, "shape": SHAPE}
        if kind in _ALGORITHMS:
            begins = kind == "sequential" and not _on_series(given.get("requirements"))
            out.setdefault("algorithm", {"id": "tdr" if begins else _ALGORITHMS[str(kind)]})
        asked = out.get("algorithm")
        spelled = {"id": asked} if isinstance(asked, str) else asked
        listed = given.get("requirements")
        if isinstance(spelled, Mapping) and isinstance(listed, (list, tuple)):
            alike = [one for one in listed if isinstance(one, Mapping) and one.get("id") == spelled.get("id")]
            out["algorithm"] = {**(alike[0] if len(alike) == 1 else {}), **spelled}
        return out

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        own = {"requirements": [partial(_model, one) for one in self.requirements]}
        own["metrics"] = [partial(build, one, "metric") for one in self.metrics]
        for place, make in super()._things():
            if place == ("algorithm",):
                yield place, self.search
                continue
            at = place[1] if len(place) == 2 and place[0] in own else None
            yield place, make if not isinstance(at, int) else own[str(place[0])][at]
        for column, entry in self.columns.items():
            unread = isinstance(entry.hierarchy, dict) and entry.hierarchy.get("file") is not None
            named = isinstance(entry.hierarchy, str) or (isinstance(entry.hierarchy, dict) and "id" in entry.hierarchy)
            if named and not unread and entry.hierarchy is not None:
                yield ("columns", column, "hierarchy"), partial(build, entry.hierarchy, "hierarchy")

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        return list(ColumnPolicy.model_fields) if len(path) > 1 and path[0] == "columns" else super()._known_keys(path)

    def _with_files_read(self, base: Path) -> Self:
        read = self.as_table()._with_files_read(base).columns
        kept = {name: entry.model_copy(update={"role": self.columns[name].role}) for name, entry in read.items()}
        return self.model_copy(update={"columns": kept})

    # ---- what it says ------------------------------------------------------------------------------------------------

    @property
    def kind(self) -> Kind | None:
        """How releases follow each other, if that is said."""
        return None if self.series is None else self.series.kind

    def models(self) -> list[Requirement]:
        """Return the requirements on the series, and those of tables on the release."""
        made = [_model(spec) for spec in self.requirements]
        for model in made:
            if isinstance(model, MechanismModel):
                raise Unsupported(f"{model.id} speaks of a procedure, not of releases", thing=model.id)
        return [model for model in made if isinstance(model, Model)]

    def procedures(self) -> list[MechanismModel]:
        """Return nothing: releases of a series are judged by what is published, and :meth:`models` refuses all else."""
        return []

    def search(self) -> Search[Any]:
        """Return the algorithm; the first release of a sequential series may be made as a table is."""
        try:
            return super().search()
        except NotKnown:
            if self.kind != "sequential":
                raise
        found: Search[Any] = build(self.algorithm, "algorithm", TABLE)
        return found

    def measures(self) -> list[DataMetric]:
        """Return the metrics to report: those of tables, which releases are."""
        return [build(spec, "metric") for spec in self.metrics]

    def roles(self) -> dict[str, Role]:
        """Return the role of each column, in the order of the policy."""
        return {name: entry.role for name, entry in self.columns.items()}

    def of_role(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role, in the order of the policy."""
        return tuple(name for name, entry in self.columns.items() if entry.role == role)

    def about(self) -> dict[str, Json]:
        """Return what must stay the same from release to release: the columns that are published, and their hierarchies."""
        roles = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
        told = {"role", "type", "hierarchy", "range", "missing"}
        return {
            name: entry.model_dump(mode="json", exclude_defaults=True, include=told)
            for name, entry in sorted(self.columns.items())
            if entry.role in roles
        }

    def as_table(self) -> Policy:
        """Return the same document as one for tables: how to read the data, roles, gaps, hierarchies, what tables must keep.

        The column of persons is private there: read with its records, and never published.
        """
        columns = {
            name: entry.model_copy(update={"role": Role.PRIVATE}) if name == self.person else entry
            for name, entry in self.columns.items()
        }
        plain = [
            spec for spec, model in zip(self.requirements, self.models(), strict=True) if isinstance(model, TableModel)
        ]
        shared = {name: getattr(self, name) for name in SharedPolicy.model_fields if name not in ("shape", "algorithm")}
        return Policy.model_construct(
            None, **{**shared, "columns": columns, "requirements": tuple(plain), "metrics": self.metrics}
        )


def _on_series(listed: object) -> bool:
    """Tell whether something is required of the series, and not of its next table alone."""
    known = ids("model", SHAPE)
    return isinstance(listed, (list, tuple)) and any(
        (one.get("id") if isinstance(one, Mapping) else getattr(one, "id", one)) in known for one in listed
    )


def _model(spec: Mapping[str, object]) -> Thing:
    if "id" not in spec:
        raise BadRequest("needs an id", parameter="model", available=ids("model", SHAPE))
    return requirement(str(spec["id"]), SHAPE).from_spec(spec)
