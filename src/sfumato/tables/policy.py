"""The policy for tables: what each column is, and how it may be masked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from sfumato.catalogue import build, find, home_of, shapes
from sfumato.contracts.algorithm import Algorithm
from sfumato.contracts.cells import CellRequirement, cell_shape
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.model import MechanismModel, TableModel
from sfumato.contracts.published import Published
from sfumato.contracts.thing import Thing, parameters
from sfumato.data.html import html_table
from sfumato.data.json import Json
from sfumato.data.messages import tell
from sfumato.data.schema import ColumnType, MissingRule, Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.policy import Section, SharedPolicy, Spec, SpecOrId, without
from sfumato.recodings.pseudonymization import Pseudonymization

__all__ = [
    "BY_WEIGHTS",
    "DEFAULT_METRICS",
    "KEY_VARIABLE",
    "ColumnPolicy",
    "LevelBounds",
    "Policy",
    "SearchOn",
    "policy_of",
    "table_models",
]

KEY_VARIABLE = "SFUMATO_PSEUDONYM_KEY"

BY_WEIGHTS = "weights"
"""What a policy says for its population if sampling weights tell how many persons look like a group."""

DEFAULT_METRICS: tuple[str, ...] = ("loss", "iloss", "minimal-distortion", "discernibility", "average-group-size")


class LevelBounds(Section):
    """Between which levels of its hierarchy a column is published; level 0 is the raw value."""

    at_least: int = Field(default=0, ge=0)
    """The finest level that may be published."""
    at_most: int | None = Field(default=None, ge=0)
    """The most general level that may be published; the root if not given."""

    @field_validator("at_most")
    @classmethod
    def _at_most(cls, given: int | None, known: ValidationInfo) -> int | None:
        """Refuse an empty range."""
        if given is not None and given < known.data.get("at_least", 0):
            raise PydanticCustomError("levels", "must not be below at_least")
        return given


class ColumnPolicy(Section):
    """What one column is and how it may be masked."""

    role: Role
    """What the column is to an adversary and to the recipient."""
    type: ColumnType | None = None
    """The type to read the column as; found from the data if not given."""
    format: str | None = None
    """How values are written that are not in canonical form, by an example: dd.mm.yyyy, 1.234,5, excel."""
    hierarchy: SpecOrId | None = None
    """How values become more general: the id of a hierarchy and its parameters."""
    range: tuple[float, float] | None = None
    """The range of a number that is cut into intervals without a hierarchy; observed if not given."""
    levels: LevelBounds | None = None
    """Between which levels of its hierarchy the column is published; for algorithms that choose levels."""
    importance: float | None = Field(default=None, ge=0.0, allow_inf_nan=False)
    """How much the detail of this column matters, beside 1 for the others: its weight in the metric that a search minimises."""
    missing: MissingRule | None = None
    """What to do with missing values: refuse (the default), drop-record, own-value; plain columns keep them."""
    pseudonym: dict[str, object] | bool | None = None
    """Publish keyed pseudonyms instead of leaving an identifier out: true, or parameters of pseudonymization."""
    cells: dict[str, object] | None = None
    """What is asked of cells that have a shape of their own: a policy of that shape. ``role: SHAPE`` is short for it."""
    aggregate: Literal["mean", "median", "geometric-mean", "mode", "interval"] | None = None
    """Publish what stands for the group of each record: of numbers a mean, the median, or from the least to the largest; or the
    most frequent value. For columns with the role plain."""
    publish_anyway: str | None = None
    """Why a plain or sensitive column goes that may name persons; the reason stands in the certificate, for everyone."""

    @model_validator(mode="before")
    @classmethod
    def _shaped(cls, given: object) -> object:
        """Read the id of a shape in place of a role: the column is plain, its cells have that shape."""
        role = given.get("role") if isinstance(given, Mapping) else None
        if not isinstance(given, Mapping) or role in list(Role) or role not in shapes():
            return given
        own = {key: value for key, value in given.items() if key in cls.model_fields}
        asked = {key: value for key, value in given.items() if key not in own}
        return {**own, "role": Role.PLAIN, "cells": {"shape": role, **asked}}

    @field_validator("cells")
    @classmethod
    def _cells(cls, given: dict[str, object] | None, known: ValidationInfo) -> dict[str, object] | None:
        """Keep what means the same in one form; what is wrong in it is refused later, by its place."""
        if given is None:
            return None
        if known.data.get("role", Role.PLAIN) != Role.PLAIN:
            raise PydanticCustomError("cells", "are for columns with the role plain only")
        try:
            return {**_cell_policy(given).document()}
        except BadRequest:
            return given

    @field_validator("aggregate")
    @classmethod
    def _aggregate(cls, given: str | None, known: ValidationInfo) -> str | None:
        """Take a statistic for columns that no search touches."""
        if given is not None and known.data.get("role", Role.PLAIN) != Role.PLAIN:
            raise PydanticCustomError("aggregate", "is for columns with the role plain only")
        return given

    @field_validator("publish_anyway")
    @classmethod
    def _publish_anyway(cls, given: str | None, known: ValidationInfo) -> str | None:
        """Take a reason, for columns that leave as they are: plain and sensitive ones are looked at for names of persons."""
        if given is not None and not given.strip():
            raise PydanticCustomError("publish_anyway", "must be a reason, in words")
        if given is not None and known.data.get("role", Role.PLAIN) not in (Role.PLAIN, Role.SENSITIVE):
            raise PydanticCustomError("publish_anyway", "is for columns with the role plain or sensitive only")
        return given

    @field_validator("pseudonym", mode="before")
    @classmethod
    def _pseudonym(cls, given: object, known: ValidationInfo) -> object:
        """Take parameters for identifiers only; what means the same is kept in one form."""
        if given is None or given is False:
            return None
        if given is not True and not isinstance(given, Mapping):
            raise PydanticCustomError("pseudonym", "must be true or a mapping of parameters")
        if known.data.get("role", Role.IDENTIFIER) != Role.IDENTIFIER:
            raise PydanticCustomError("pseudonym", "is for columns with the role identifier only")
        return given or True


class SearchOn(Section):
    """What the search sees instead of all rows; what it finds is judged, and mended, on all of them."""

    sample: int = Field(ge=1)
    """About how many records are drawn."""
    seed: int = Field(default=0, ge=0)
    """Seed of the draw."""


class Policy(SharedPolicy):
    """A policy for tables, version 1."""

    columns: dict[str, ColumnPolicy] = Field(min_length=1)
    """Every column of the table, by name."""
    algorithm: Spec = Field(default={"id": "tdr"})
    """Id and parameters of the algorithm."""
    metrics: tuple[SpecOrId, ...] = DEFAULT_METRICS
    """Metrics to report: ids, or id and parameters."""
    search_on: SearchOn | None = None
    """A sample that the search sees, where the distinct rows of the table are too many."""
    population: str | None = None
    """A table of everybody who may be in this one, for requirements that count people: a file, beside the policy; or
    ``weights``, if the sums of sampling weights tell how many people there are."""
    weights: str | None = None
    """The column that says how many persons each record stands for; metrics count these, requirements count records."""

    def measures(self) -> list[DataMetric]:
        """Return the metrics to report."""
        return [metric for metric in super().measures() if isinstance(metric, DataMetric)]

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        yield from super()._things()
        for column, entry in self.columns.items():
            unread = isinstance(entry.hierarchy, dict) and entry.hierarchy.get("file") is not None
            if entry.hierarchy is not None and not unread:
                yield ("columns", column, "hierarchy"), partial(build, entry.hierarchy, "hierarchy")
        for column, spec in self.pseudonyms().items():
            yield ("columns", column, "pseudonym"), partial(_pseudonymization, column, spec)
        for column, entry in self.columns.items():
            if entry.cells is not None:
                yield ("columns", column, "cells"), partial(_cell_search, entry.cells)

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        inside: dict[str | int, type[Section]] = {"columns": ColumnPolicy, "search_on": SearchOn}
        found = inside.get(path[0]) if len(path) > 1 else None
        found = LevelBounds if len(path) > 3 and path[2] == "levels" else found
        return super()._known_keys(path) if found is None else list(found.model_fields)

    def _with_files_read(self, base: Path) -> Self:
        """Return the policy with every taxonomy file read in, so that it stands on its own."""
        columns = dict(self.columns)
        for name, entry in self.columns.items():
            if isinstance(entry.hierarchy, dict) and entry.hierarchy.get("file") is not None:
                try:
                    builder = build(entry.hierarchy, "hierarchy").resolved(base)
                except BadRequest as error:
                    raise BadRequest(
                        error.rule,
                        column=name,
                        parameter=error.parameter,
                        value=error.value,
                        available=error.available,
                        where=error.where,
                    ) from None
                columns[name] = entry.model_copy(update={"hierarchy": builder.spec()})
            if entry.cells is not None:
                read = _cell_policy(entry.cells)._with_files_read(base)
                columns[name] = entry.model_copy(update={"cells": read.document()})
        found = None if self.population in (None, BY_WEIGHTS) else str(base / self.population)
        return self.model_copy(update={"columns": columns, **({} if found is None else {"population": found})})

    def _fingerprinted(self) -> dict[str, Json]:
        out = super()._fingerprinted()
        out = out if self.population == BY_WEIGHTS else without(out, "population")
        columns: dict[str, Json] = {}
        for name, entry in self.columns.items():
            told: dict[str, Json] = entry.model_dump(mode="json", exclude_defaults=True)
            if isinstance(entry.pseudonym, dict):
                told["pseudonym"] = without(entry.pseudonym, "key_file", "key_variable") or True
            if entry.cells is not None:
                told["cells"] = _cell_policy(entry.cells)._fingerprinted()
            columns[name] = told
        return {**out, "columns": columns}

    @classmethod
    def new(
        cls,
        columns: Mapping[str, ColumnPolicy | Role | str | Mapping[str, object]],
        requirements: Sequence[Thing | Mapping[str, object]],
        *,
        algorithm: Thing | Mapping[str, object] | str = "tdr",
        suppress_at_most: float = 0.0,
        metrics: Sequence[Thing | Mapping[str, object] | str] = DEFAULT_METRICS,
        title: str = "",
        purpose: str = "",
        recipients: str = "",
        steward: str = "",
        seed: int | None = None,
    ) -> Policy:
        """Return a policy whose parts an editor knows: things by their classes, columns by their roles.

        >>> from sfumato.models import KAnonymity
        >>> Policy.new({"age": Role.QUASI_IDENTIFIER, "ill": "sensitive"}, [KAnonymity(k=5)], algorithm="mondrian")
        Policy(k-anonymity k=5; mondrian)
        """
        named = {name: {"role": entry} if isinstance(entry, str) else entry for name, entry in columns.items()}
        return cls.of(
            {
                "columns": named,
                "requirements": list(requirements),
                "algorithm": {"id": algorithm} if isinstance(algorithm, str) else algorithm,
                "limits": {"suppress_at_most": suppress_at_most},
                "metrics": list(metrics),
                "title": title,
                "purpose": purpose,
                "recipients": recipients,
                "steward": steward,
                **({} if seed is None else {"seed": seed}),
            }
        )

    @classmethod
    def for_dataset(cls, dataset: Any, **asked: Any) -> Policy:
        """Return a policy for one of :mod:`sfumato.datasets`: its roles, taxonomies and ranges, and what is asked."""
        columns: dict[str, dict[str, object]] = {}
        for name, role in dataset.roles.items():
            columns[name] = {"role": str(role)}
            if role is Role.QUASI_IDENTIFIER:
                if name in dataset.taxonomies:
                    columns[name]["hierarchy"] = {"id": "taxonomy", "tree": dataset.taxonomies[name]}
                elif name in dataset.ranges:
                    columns[name]["range"] = dataset.ranges[name]
        return cls.of({"columns": columns, **asked})

    # ---- what it says ------------------------------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        header = [tell(f"page.notebook.{name}") for name in ("column", "role", "hierarchy", "missing")]
        rows = [
            [name, entry.role, _id_of(entry.hierarchy), entry.missing or ""] for name, entry in self.columns.items()
        ]
        return super()._repr_html_() + html_table(header, rows)

    def roles(self) -> dict[str, Role]:
        """Return the role of each column, in the order of the policy."""
        return {name: entry.role for name, entry in self.columns.items()}

    def models(self) -> list[TableModel]:
        """Return the requirements on the published table."""
        return [model for model in super().models() if isinstance(model, TableModel)]

    def search(self) -> Algorithm:
        """Return the algorithm; where it minimises a metric that names no weights, columns weigh what they are worth."""
        found = build(self.weighed(), "algorithm", self.shape) if self.importance() else super().search()
        assert isinstance(found, Algorithm)
        return found

    def importance(self) -> dict[str, float]:
        """Return how much the detail of columns matters, where the policy says so."""
        return {name: entry.importance for name, entry in self.columns.items() if entry.importance is not None}

    def weighed(self) -> dict[str, object]:
        """Return the algorithm's id and parameters, with the importance of columns as weights of its metric."""
        spec, known = dict(self.algorithm), self.of_role(Role.QUASI_IDENTIFIER)
        weights = {name: weight for name, weight in self.importance().items() if name in known}
        found = [
            one for one, _, _ in parameters(find(str(spec["id"]), "algorithm", self.shape)) if one.name == "metric"
        ]
        given = spec.get("metric", found[0].default if found else None)
        metric = {"id": given} if isinstance(given, str) else given
        if not weights or not isinstance(metric, Mapping) or metric.get("weights") is not None:
            return spec
        takes = {one.name for one, _, _ in parameters(find(str(metric["id"]), "metric", self.shape))}
        return {**spec, "metric": {**metric, "weights": weights}} if "weights" in takes else spec

    def of_role(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role, in the order of the policy."""
        return tuple(name for name, entry in self.columns.items() if entry.role == role)

    def counted(self) -> tuple[str, ...]:
        """Return the columns that a search and its check count together: quasi-identifiers, target, what requirements read."""
        read = {name for model in self.models() for name in model.needs()}
        roles = (Role.QUASI_IDENTIFIER, Role.TARGET)
        return tuple(name for name, entry in self.columns.items() if entry.role in roles or name in read)

    def dropped(self) -> tuple[str, ...]:
        """Return the columns that are never published, in the order of the policy: identifiers, private, not needed."""
        return tuple(name for name, entry in self.columns.items() if entry.role.hidden and not entry.pseudonym)

    def pseudonyms(self) -> dict[str, dict[str, object]]:
        """Return the identifiers that are published as pseudonyms, each with the parameters of its pseudonymization.

        Where the policy names no place, the key is in the environment variable ``SFUMATO_PSEUDONYM_KEY``.
        """
        out: dict[str, dict[str, object]] = {}
        for name, entry in self.columns.items():
            if entry.pseudonym:
                given = dict(entry.pseudonym) if isinstance(entry.pseudonym, dict) else {}
                place = {} if {"key_file", "key_variable"} & set(given) else {"key_variable": KEY_VARIABLE}
                out[name] = {**given, **place}
        return out

    def cells(self) -> dict[str, SharedPolicy]:
        """Return the columns whose cells have a shape of their own, each with what is asked of them and the policy's date."""
        return {
            name: _cell_policy(entry.cells if self.date is None else {"date": self.date, **entry.cells})
            for name, entry in self.columns.items()
            if entry.cells is not None
        }

    def cell_requirements(self) -> list[CellRequirement]:
        """Return what is required of cells that have a shape of their own."""
        return [
            CellRequirement(column=name, within=asked.shape, model=model)
            for name, asked in self.cells().items()
            for model in asked.models()
        ]

    def aggregates(self) -> dict[str, str]:
        """Return the columns that are published as what stands for the group of each record, each with the statistic."""
        return {name: entry.aggregate for name, entry in self.columns.items() if entry.aggregate is not None}

    def without_pseudonyms(self) -> Policy:
        """Return the policy with all identifiers left out, for work that needs no key."""
        plain = {name: entry.model_copy(update={"pseudonym": None}) for name, entry in self.columns.items()}
        return self.model_copy(update={"columns": plain})

    def hierarchy(self, column: str) -> HierarchyBuilder | None:
        """Return the hierarchy of a column, if it has one."""
        spec = self.columns[column].hierarchy
        builder: HierarchyBuilder | None = None if spec is None else build(spec, "hierarchy")
        return builder


def _id_of(given: Mapping[str, object] | str | None) -> str:
    return str(given["id"]) if isinstance(given, Mapping) else given or ""


def policy_of(published: Published) -> Policy | None:
    """Return the policy of a table that was kept beside what is published, if there is one."""
    kept = published.private.policy
    return kept if isinstance(kept, Policy) else None


def table_models(requirements: Any) -> list[TableModel]:
    """Return requirements given as models, specs or ids; those that no table can show are refused."""
    given = requirements if isinstance(requirements, (list, tuple)) else [requirements]
    made: list[Any] = [
        entry if isinstance(entry, (TableModel, MechanismModel)) else build(entry, "model") for entry in given
    ]
    for model in made:
        if not isinstance(model, (TableModel, MechanismModel)):
            home = home_of(type(model))
            raise BadRequest(
                f"is a requirement on data of the shape {home}; give a policy of that shape (--policy)",
                parameter="requirements",
                value=model.id,
            )
        if isinstance(model, MechanismModel):
            raise Unsupported(
                f"{model.id} speaks of a procedure; no table can show whether it holds",
                thing=model.id,
                alternatives=[f"sfumato.models.{type(model).__name__}.audit"],
            )
    return made


def _cell_policy(asked: Mapping[str, object]) -> SharedPolicy:
    """Return the policy of cells; refuse a shape that no cell has, and requirements that no cell can show."""
    policy = SharedPolicy.of(asked)
    cell_shape(policy.shape)
    if policy.procedures():
        raise BadRequest("cells are judged by what is published, not by a procedure", parameter="requirements")
    return policy


def _cell_search(asked: Mapping[str, object]) -> Thing:
    return _cell_policy(asked).search()


def _pseudonymization(column: str, spec: Mapping[str, object]) -> Pseudonymization:
    """Build the pseudonymization of one column, to see whether its parameters are right."""
    known = [declared.name for declared, _, _ in parameters(Pseudonymization)]
    for name in spec:
        if name == "key":
            raise BadRequest(
                "a key never stands in a policy; name where it is",
                parameter="pseudonym.key",
                available=["key_variable", "key_file"],
            )
        if name == "columns" or name not in known:
            raise BadRequest(
                "is not a parameter",
                parameter=f"pseudonym.{name}",
                value=name,
                available=[known_name for known_name in known if known_name != "columns"],
            )
    return Pseudonymization.from_spec({**spec, "columns": [column]})
