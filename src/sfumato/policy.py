"""What the publisher asks for, as one document of every shape: requirements, limits, algorithm, seed.

The same object in Python, YAML and JSON. Errors name the key and, for files, the line.
"""

from __future__ import annotations

import ast
import datetime
import hashlib
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    field_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from sfumato.catalogue import TABLE, build, find, shape_of, shapes, spec_of, things
from sfumato.contracts.algorithm import Search
from sfumato.contracts.metric import ReleaseMetric
from sfumato.contracts.model import MechanismModel, Model, Requirement
from sfumato.contracts.thing import Thing
from sfumato.data.amounts import bytes_of
from sfumato.data.html import html_text
from sfumato.data.json import Json
from sfumato.data.mistakes import mistake
from sfumato.data.schema import Role
from sfumato.data.yaml import yaml_reader
from sfumato.errors import BadRequest, InternalError

__all__ = [
    "AcceptedPolicy",
    "LimitPolicy",
    "OutputPolicy",
    "Section",
    "SeriesKey",
    "SharedPolicy",
    "SourcePolicy",
    "Spec",
    "SpecOrId",
    "read_in",
    "without",
]


class Section(BaseModel):
    """A part of a policy: closed, and never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Say of each key what stands below it: read from the source when a schema is asked for, not whenever it is loaded."""
        schema = handler(core)
        keys = handler.resolve_ref_schema(schema)["properties"]
        for name, text in _texts_below_keys(cls).items():
            key = keys[cls.model_fields[name].alias or name]
            if handler.resolve_ref_schema(key).get("description") != text:  # the section says it of itself
                key.setdefault("description", text)
        return schema


def _texts_below_keys(section: type[Section]) -> dict[str, str]:
    """Return the text below each key of a section, its own or that of a section it extends."""
    found: dict[str, str] = {}
    for cls in reversed(section.__mro__):
        if not issubclass(cls, Section) or cls is Section:
            continue
        (told,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
        assert isinstance(told, ast.ClassDef)
        for key, text in pairwise(told.body):
            if isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name):
                found.pop(key.target.id, None)
                if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                    found[key.target.id] = inspect.cleandoc(str(text.value.value))
    return {name: text for name, text in found.items() if name in section.model_fields}


def _described(given: object) -> object:
    """Return the spec of a thing that was given as an object; leave everything else."""
    try:
        return spec_of(given) if isinstance(given, Thing) else given
    except BadRequest as error:
        raise PydanticCustomError("thing", str(error).replace("{", "{{").replace("}", "}}")) from None


def _spelled_out(given: object) -> object:
    """Return a bare id as the spec of a thing without parameters."""
    return {"id": given} if isinstance(given, str) else _described(given)


Spec = Annotated[dict[str, object], BeforeValidator(_spelled_out)]
"""A thing that a policy names: its id and parameters; given as these, as a bare id or as an object."""
SpecOrId = Annotated[dict[str, object] | str, BeforeValidator(_described)]
"""The same, or a bare id."""


class SourcePolicy(Section):
    """How to read the source where it does not say so itself."""

    format: str | None = None
    """File format, if the file name does not tell."""
    separator: str | None = None
    """Column separator of a text file."""
    encoding: str | None = None
    """Text encoding."""
    missing: tuple[str, ...] = ("",)
    """Texts that stand for a missing value."""
    sheet: str | None = None
    """Sheet of a spreadsheet."""
    table: str | None = None
    """Table of a database."""
    skip_first: int = Field(default=0, ge=0)
    """Lines above the header that are no part of the table."""
    skip_last: int = Field(default=0, ge=0)
    """Lines below the last record that are no part of the table, such as totals."""
    rename_columns: bool = False
    """Give columns without a name, or with one that another column has, a name of their own."""
    header: bool = True
    """Whether names of columns stand above the first record; else columns are called column_1, column_2 and so on."""


class LimitPolicy(Section):
    """What the search may not exceed."""

    suppress_at_most: float = Field(default=0.0, ge=0.0, le=1.0)
    """Largest share of records that may be left out to meet the requirements."""
    memory: str | None = None
    """Memory that a run may use, such as 4GB: what engines that can keep a bound get follows from it."""
    temp: str | None = None
    """Space for temporary files, such as 50GB."""
    distinct_rows: int | None = Field(default=None, ge=1)
    """Largest number of distinct rows that a search may keep."""

    @field_validator("distinct_rows", mode="before")
    @classmethod
    def _number(cls, given: object) -> object:
        if isinstance(given, bool):  # which would count as 1
            raise PydanticCustomError("number", "must be a whole number")
        return given

    @field_validator("memory", "temp")
    @classmethod
    def _amount(cls, given: str | None) -> str | None:
        if given is not None and not bytes_of(given):
            raise PydanticCustomError("amount", "must be an amount such as 4GB")
        return given


class OutputPolicy(Section):
    """How the release is written."""

    format: str | None = None
    """File format; that of the input if not given."""
    row_order: Literal["sorted", "keep"] = "sorted"
    """Whether rows are sorted by what is published, or keep the order of the input (the certificate says so)."""


class SeriesKey(Section):
    """What the release is one of."""

    name: str = Field(min_length=1)
    """What the ledger calls the series."""
    kind: Literal["sequential", "continuous", "dynamic", "serial"] | None = None
    """How releases follow each other, and so what the next one is checked for; not at all if not given."""


class AcceptedPolicy(Section):
    """An attack whose *yes* is accepted."""

    id: str
    """The attack."""
    reason: str
    """Why it may be so, in words; goes into the internal report."""

    @field_validator("id")
    @classmethod
    def _id(cls, given: str) -> str:
        """Refuse what is no attack: nobody would notice that it accepts nothing."""
        try:
            return find(given, "attack").id
        except BadRequest:
            raise PydanticCustomError("accepted", "must be the id of an attack") from None

    @field_validator("reason")
    @classmethod
    def _reason(cls, given: str) -> str:
        if not given.strip():
            raise PydanticCustomError("accepted", "must be a reason, in words")
        return given


class SharedPolicy(Section):
    """What policies for data of every shape say, version 1; each shape adds its own keys."""

    version: Literal[1] = 1
    """Version of this document's grammar."""
    shape: str = TABLE
    """Shape of the data: a table if not given."""
    title: str = ""
    """What the release is, in words; goes into the report."""
    purpose: str = ""
    """What the recipients want to do with it; goes into the internal report."""
    recipients: str = ""
    """Who gets it, and under which terms; goes into the internal report."""
    steward: str = ""
    """Who answers for it; goes into the internal report."""
    date: datetime.date | None = None
    """The day of the release; goes into the internal report, which has no date without it."""
    requirements: tuple[Spec, ...] = Field(min_length=1)
    """Privacy models that must hold, all of them: id and parameters."""
    accepted: tuple[AcceptedPolicy, ...] = ()
    """Attacks whose *yes* is accepted, each with the reason; any other keeps the release from being signed."""
    limits: LimitPolicy = LimitPolicy()
    """What the search may not exceed."""
    algorithm: Spec
    """Id and parameters of the algorithm."""
    metrics: tuple[SpecOrId, ...] = ()
    """Metrics to report: ids, or id and parameters."""
    seed: int = Field(default=0, ge=0)
    """Seed of all randomness; where draws protect and none is given, a fresh one is drawn."""
    engine: SpecOrId = "polars"
    """Where rows live: polars (in memory) or duckdb (larger than memory); an id, or id and parameters."""
    source: SourcePolicy = SourcePolicy()
    """How to read the source."""
    output: OutputPolicy = OutputPolicy()
    """How the release is written."""
    ledger: str | None = None
    """The ledger that remembers the release: a file, beside the policy, or a postgresql:// address without a password."""
    series: SeriesKey | None = None
    """What the release is one of, as the ledger calls it."""
    budget: str | tuple[str, ...] | None = None
    """Which budget of the ledger pays for noise, or several that all pay; nothing is charged if not given."""

    # ---- reading -----------------------------------------------------------------------------------------------------

    @classmethod
    def of(cls, given: SharedPolicy | Mapping[str, object] | str | Path) -> Self:
        """Return a policy from a policy, a mapping, or the path of a YAML or JSON file; its shape decides what it is."""
        if isinstance(given, SharedPolicy):
            return cls._fitting(given)
        if isinstance(given, Mapping):
            return cls._fitting(cls._read_as(given)._checked(given, None, None))
        if not isinstance(given, (str, Path)):
            raise BadRequest("must be a policy, a mapping or a file", parameter="policy", value=type(given).__name__)
        return cls.load(Path(given))

    @classmethod
    def _fitting(cls, made: SharedPolicy, name: str | None = None) -> Self:
        """Refuse a policy for data of another shape than the one that is asked for."""
        if isinstance(made, cls):
            return made
        raise BadRequest(
            "the policy is for data of another shape",
            parameter="shape",
            value=made.shape,
            where=name,
            available=[TABLE],
        )

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a YAML or JSON file; taxonomy files it names are read from beside it."""
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise BadRequest("no such policy file", parameter="policy", value=str(path)) from None
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8 text"
            raise BadRequest(f"policy cannot be read: {reason}", parameter="policy", value=str(path)) from None
        return cls.from_text(text, path.parent, path.name)

    @classmethod
    def from_text(cls, text: str, beside: Path, name: str = "policy") -> Self:
        """Read YAML or JSON; files it names are read from a folder, and errors call it by ``name``."""
        from ruamel.yaml.constructor import DuplicateKeyError
        from ruamel.yaml.error import MarkedYAMLError, YAMLError

        try:
            document = yaml_reader("rt").load(text)
        except YAMLError as error:
            line = ""
            if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
                line = f", line {error.problem_mark.line + 1}"
            problem = (error.problem if isinstance(error, MarkedYAMLError) else None) or "cannot be parsed"
            if isinstance(error, DuplicateKeyError):
                raise BadRequest(
                    "is there twice: only one of both can hold",
                    parameter=problem.split('"')[1],
                    where=f"{name}{line}",
                ) from None
            raise BadRequest(f"not a YAML document: {problem}", where=f"{name}{line}") from None
        if not isinstance(document, Mapping):
            raise BadRequest("a policy is a mapping with the keys columns and requirements", where=name)
        plain = {str(key): _plain(item) for key, item in document.items()}
        made = cls._read_as(plain, name)._checked(plain, document, name)
        return cls._fitting(made._with_files_read(beside)._with_ledger(beside), name)

    @classmethod
    def _read_as(cls, document: Mapping[str, object], name: str | None = None) -> type[SharedPolicy]:
        """Return the class of policies that a document is checked by: that of the shape it names."""
        return _class_for(document, name)

    @classmethod
    def _checked(cls, data: Mapping[str, object], marked: object, name: str | None) -> Self:
        try:
            policy = cls.model_validate(data)
        except ValidationError as error:
            raise cls._refused(error, marked, name) from None
        for where, make in policy._things():
            try:
                made = make()
            except BadRequest as error:
                error.where = _line(marked, where, name) or _key(where)
                raise type(error)(
                    error.rule,
                    parameter=error.parameter,
                    column=str(where[1]) if where[0] == "columns" else error.column,
                    value=error.value,
                    available=error.available,
                    where=error.where,
                ) from None
            if where[0] == "requirements" and isinstance(made, MechanismModel):
                _refuse_unpromised(made, policy, _line(marked, where, name) or _key(where))
            if where == ("algorithm",):
                policy.refuse_unneeded_budget(_line(marked, ("budget",), name))
            if where[0] == "metrics" and not isinstance(made, ReleaseMetric):
                raise BadRequest(
                    "scores steps of a search, not a release", parameter="metrics", value=made.id, where=_key(where)
                )
        return policy

    @classmethod
    def _refused(cls, error: ValidationError, marked: object, name: str | None) -> BadRequest:
        """Return what is wrong with a document in our words: the first mistake, by its key and line."""
        found = [mistake(one) for one in error.errors()]
        first = found[0]
        known, shown = first.choices, first.given
        if first.unknown:
            known, shown = cls._known_keys(first.place), first.place[-1]
        others = sum(one.place[: len(first.place)] != first.place[: len(one.place)] for one in found)
        return BadRequest(
            first.rule + (f" (and {others} more)" if others else ""),
            parameter=_key(first.place),
            value=shown,
            available=known,
            where=_line(marked, first.place, name),
        )

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        """Yield what the policy names by id, each with its place: a wrong one is refused here, not during the work."""
        for i, spec in enumerate(self.requirements):
            yield ("requirements", i), partial(self._requirement, spec)
        yield ("algorithm",), partial(build, self.algorithm, "algorithm", self.shape)
        yield ("engine",), partial(build, self.engine, "engine")
        for i, metric in enumerate(self.metrics):
            yield ("metrics", i), partial(build, metric, "metric", self.shape)

    def _with_files_read(self, base: Path) -> Self:
        """Return the policy with every file read in that it names, so that it stands on its own."""
        return self

    def _with_ledger(self, base: Path) -> Self:
        """Return the policy with the place of its ledger as seen from here."""
        if self.ledger is None or "://" in self.ledger:
            return self
        return self.model_copy(update={"ledger": str(base / self.ledger)})

    @field_validator("ledger")
    @classmethod
    def _ledger(cls, given: str | None) -> str | None:
        """Take no password: policies are kept with releases, and read by many."""
        if given is not None and re.search(r"//[^/@]*:[^/@]*@", given):
            raise PydanticCustomError("ledger", "must not hold a password; PostgreSQL reads it from PGPASSFILE")
        return given

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        """Return the keys that may stand where an unknown one was found; those of the shape come first."""
        inside: dict[str, type[BaseModel]] = {"limits": LimitPolicy, "source": SourcePolicy, "output": OutputPolicy}
        inside["series"], inside["accepted"] = SeriesKey, AcceptedPolicy
        section: type[BaseModel] = inside.get(str(path[0]), cls) if len(path) > 1 else cls
        return sorted(section.model_fields, key=lambda key: section is cls and key in SharedPolicy.model_fields)

    # ---- what it says ------------------------------------------------------------------------------------------------

    @property
    def budgets(self) -> tuple[str, ...]:
        """The budgets of the ledger that pay for noise."""
        return (self.budget,) if isinstance(self.budget, str) else self.budget or ()

    def refuse_unneeded_budget(self, where: str | None = None) -> None:
        """Refuse a budget for an algorithm that spends none."""
        if self.budgets and not self.search().spends:
            raise BadRequest(
                f"is for noise, and {self.algorithm['id']} draws none that a budget pays for",
                parameter="budget",
                where=where,
                available=[thing.id for thing in things("algorithm", self.shape) if getattr(thing, "spends", False)],
            )

    def roles(self) -> dict[str, Role]:
        """Return the role of each column that has one, in the order of the policy."""
        return {}

    def models(self) -> Sequence[Requirement]:
        """Return the requirements on what is published."""
        return [model for model in map(self._requirement, self.requirements) if isinstance(model, Model)]

    def procedures(self) -> list[MechanismModel]:
        """Return the requirements on the procedure, which no table can show."""
        return [model for model in map(self._requirement, self.requirements) if isinstance(model, MechanismModel)]

    def _requirement(self, spec: Mapping[str, object]) -> Thing:
        """Return a requirement that the policy names; a shape may read those of others in its own way."""
        made: Thing = build(spec, "model", self.shape)
        return made

    def search(self) -> Search[Any]:
        """Return the algorithm."""
        algorithm: Search[Any] = build(self.algorithm, "algorithm", self.shape)
        return algorithm

    def measures(self) -> Sequence[ReleaseMetric[Any]]:
        """Return the metrics to report."""
        return [build(spec, "metric", self.shape) for spec in self.metrics]

    def with_k(self, k: int) -> Self:
        """Return the policy with this k in every requirement that has one; one without any is refused."""
        return self.with_levels(k=k)

    def with_levels(self, **levels: int | None) -> Self:
        """Return the policy with these numbers in every requirement that has such a parameter; ``None`` leaves it as it is."""
        requirements = self.requirements
        for name, value in levels.items():
            if value is None:
                continue
            if not any(name in spec for spec in requirements):
                raise BadRequest(
                    f"no requirement has {'an' if name == 'm' else 'a'} {name} to be varied",
                    parameter="policy",
                    available=[str(spec["id"]) for spec in requirements],
                )
            requirements = tuple({**spec, name: value} if name in spec else spec for spec in requirements)
        return self.model_copy(update={"requirements": requirements})

    def __repr__(self) -> str:
        asked = ", ".join(" ".join(f"{key}={value}" for key, value in spec.items()) for spec in self.requirements)
        return f"{type(self).__name__}({asked.replace('id=', '')}; {self.algorithm['id']})"

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        return html_text(repr(self))

    # ---- writing -----------------------------------------------------------------------------------------------------

    def document(self) -> dict[str, Json]:
        """Return the policy as plain data, without keys that have their default; keys of its shape come before requirements."""
        out: dict[str, Json] = self.model_dump(mode="json", exclude_defaults=True)
        shared = list(SharedPolicy.model_fields)
        first = shared[: shared.index("requirements")]
        order = [*first, *(key for key in out if key not in shared), *shared[len(first) :]]
        return {"version": self.version, **{key: out[key] for key in order if key in out}}

    def to_yaml(self) -> str:
        """Return the policy as YAML; codes that look like numbers are quoted."""
        from io import StringIO

        from ruamel.yaml import YAML

        yaml = YAML()
        yaml.default_flow_style = False
        text = StringIO()
        yaml.dump(self.document(), text)
        return text.getvalue()

    def digest(self) -> str:
        """Return the SHA-256 of the canonical form; policies that ask for the same have equal digests.

        The digest is public, and whoever can guess a policy can confirm it: seeds, which undo what was drawn from them, and
        places of keys and ledgers, and who pays, are left out. So are the engine, and what is accepted of attacks: neither
        makes a difference to what is published.
        """
        canonical = json.dumps(self._fingerprinted(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()

    def _fingerprinted(self) -> dict[str, Json]:
        """Return what the digest is made of."""
        return without(self.document(), "engine", "seed", "ledger", "budget", "accepted")


def without(document: Mapping[str, Any], *keys: str) -> dict[str, Json]:
    """Return a document without some of its keys."""
    return {key: value for key, value in document.items() if key not in keys}


def _class_for(document: Mapping[str, object], name: str | None = None) -> type[SharedPolicy]:
    """Return the class of policies for the shape that a document names; a kind of series, or views, name their own."""
    series = document.get("series")
    kind = series.get("kind") if isinstance(series, Mapping) else getattr(series, "kind", None)
    usual = "series" if kind is not None else next((key for key in ("views", "desk") if key in document), TABLE)
    shape = document.get("shape", usual)
    if not isinstance(shape, str):
        raise BadRequest("must be the id of a shape", parameter="shape", where=name, available=shapes())
    found = shape_of(shape).policy
    if not issubclass(found, SharedPolicy):
        raise InternalError(f"the policy of the shape {shape} lacks what all policies share")
    return found


def _refuse_unpromised(model: MechanismModel, policy: SharedPolicy, where: str) -> None:
    """Refuse a requirement on a procedure that the algorithm of the policy cannot promise."""
    algorithm = find(str(policy.algorithm.get("id")), "algorithm", policy.shape)
    if model.id not in getattr(algorithm, "procedures", ()):
        able = [thing.id for thing in things("algorithm", TABLE) if model.id in thing.procedures]  # type: ignore[attr-defined]
        raise BadRequest(
            f"{model.id} is a property of a randomised procedure, not of a table, and {algorithm.id} cannot promise it; "
            "use its audit" + (f", or an algorithm that can: {', '.join(able)}" if able else ""),
            parameter="requirements",
            where=where,
        )


def _plain(value: object) -> object:
    """Turn round-trip YAML containers into plain ones; dates and other scalars become the text they were written as."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    return str(value)


def _key(path: Sequence[str | int]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def _line(marked: Any, path: Sequence[str | int], name: str | None) -> str | None:
    """Find the line of a key in a round-trip YAML document: the deepest part of the path that is there."""
    if marked is None:
        return None
    line, node = None, marked
    for part in path:
        try:
            position = node.lc.item(part) if isinstance(part, int) else node.lc.key(part)
            line, node = position[0], node[part]
        except (AttributeError, KeyError, IndexError, TypeError):
            break
    return f"{name}, line {line + 1}" if line is not None else name


def read_in(given: dict[str, object] | str | None, base: Path) -> dict[str, object] | str | None:
    """Return the spec of a hierarchy with the file read in that it names, if it names one."""
    if isinstance(given, dict) and given.get("file") is not None:
        return {**build(given, "hierarchy").resolved(base).spec()}
    return given
