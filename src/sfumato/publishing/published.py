"""From whatever is published to one object: a release in memory, a release folder, tables by part, a bare table.

A stranger reads the public files; any changed byte is refused. Whoever has the whole folder also gets what was kept. A
release that was opened again has no raw table and was not judged anew; its certificate says what was found.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from sfumato.catalogue import TABLE, build, requirement
from sfumato.contracts.cells import CellRequirement, cell_shape
from sfumato.contracts.certificate import Certificate, PartEntry, RequirementEntry
from sfumato.contracts.engine import Engine, SourceOptions, Table
from sfumato.contracts.facts import Facts
from sfumato.contracts.model import Model, ModelTraits, Requirement, TableModel, Verdict
from sfumato.contracts.published import Kept, Published
from sfumato.contracts.release import ReleaseKind
from sfumato.contracts.trace import Step
from sfumato.data.content import file_digest
from sfumato.data.json import Json
from sfumato.data.schema import ColumnType, Role
from sfumato.data.text import as_held
from sfumato.engines import get_engine, open_source, read
from sfumato.engines.parts import is_parts
from sfumato.errors import BadRequest, NotKnown, Unsupported
from sfumato.policy import SharedPolicy
from sfumato.publishing.certificate import FILE as CERTIFICATE
from sfumato.publishing.certificate import open_certificate
from sfumato.publishing.certificate import sha256 as digest_of
from sfumato.publishing.dictionary import schema_parts, schema_types
from sfumato.recodings.saved import load_operations, load_recodings
from sfumato.releases.recoded_table import RecodedTable

__all__ = [
    "Publishable",
    "Unknown",
    "file_bytes",
    "json_file",
    "open_published",
    "public_folder",
    "read_kept",
    "read_parts",
    "read_written",
    "refuse_link",
]

SCHEMA = "schema.json"


@runtime_checkable
class Publishable(Protocol):
    """Whatever can say itself what it would publish."""

    def published(self) -> Published:
        """Return the tables and what made them."""


def open_published(
    source: object,
    policy: SharedPolicy | Mapping[str, object] | str | Path | None = None,
    *,
    engine: str | Engine = "polars",
    private: bool = True,
    held: Mapping[str, Table] | None = None,
    memory: int | None = None,
) -> Published:
    """Return what is published, from a release, a release folder or its public part, tables by part, or any table.

    ``policy`` tells roles, requirements and hierarchies of a bare table, or what the labels of a public part stand for; a
    whole release knows its own. Without ``private`` only public files are read, as a stranger would. ``held`` are tables, by
    part, that were read from these very files already. ``memory`` is a bound in bytes for engines that can keep one.
    """
    if isinstance(source, Published):
        return source
    if isinstance(source, Publishable):
        return source.published()
    asked = None if policy is None else SharedPolicy.of(policy)
    if isinstance(source, (str, Path)) and Path(source).is_dir():
        opener = engine if isinstance(engine, Engine) else get_engine(engine)
        opener = opener if memory is None else opener.bounded(memory)
        return _folder(Path(source), asked, opener, private, held or {})
    if isinstance(source, Mapping) and source and all(isinstance(name, str) for name in source):
        tables = {name: _table(part, engine, memory) for name, part in source.items()}
        return Published(form=RecodedTable(), tables=tables)
    table = _table(source, engine, memory)
    roles = {} if asked is None else asked.roles()
    if asked is None or not roles:
        return Published(form=RecodedTable(), tables={"data": table})
    return Published(
        form=RecodedTable(),
        tables={"data": table},
        roles={name: roles[name] for name in table.columns if name in roles},
        models=tuple(asked.models()),
        private=Kept(policy=asked),
    )


def _table(source: object, engine: str | Engine, memory: int | None) -> Table:
    return source if isinstance(source, Table) else read(source, None if engine == "polars" else engine, memory=memory)


# ---- a folder ------------------------------------------------------------------------------------------------------------


def public_folder(out: str | Path) -> Path:
    """Return the public part of a release folder, or the folder itself if it is one."""
    folder = Path(out)
    return folder / "public" if (folder / "public").is_dir() else folder


def _folder(
    folder: Path, asked: SharedPolicy | None, engine: Engine, private: bool, held: Mapping[str, Table]
) -> Published:
    public = public_folder(folder)
    certificate = open_certificate(file_bytes(public / CERTIFICATE))
    described = certificate.release
    kind: ReleaseKind = build({"id": described.kind, **described.parameters}, "release", described.shape)
    _refuse_unfit(certificate, kind)
    tables = read_parts(public, certificate, engine, held=held)
    inside = folder / "private"
    kept = read_kept(inside, asked) if private and inside.is_dir() and inside != public else Kept(policy=asked)
    types_held = {name: held_as for table in tables.values() for name, held_as in table.types.items()}
    models = [_requirement(entry, described.shape, types_held) for entry in certificate.requirements]
    return Published(
        form=kind,
        tables=tables,
        roles={entry.name: Role(entry.role) for entry in certificate.columns},
        certificate=certificate,
        models=tuple(models),
        private=kept,
        folder=public,
    )


def read_parts(
    public: Path,
    certificate: Certificate,
    engine: str | Engine,
    memory: int | None = None,
    held: Mapping[str, Table] | None = None,
) -> dict[str, Table]:
    """Read the tables of a public folder, which must be as they are certified."""
    types = _types(certificate, _unchanged(public, certificate))
    opener = engine if isinstance(engine, Engine) else get_engine(engine)
    opener = opener if memory is None else opener.bounded(memory)
    files = certificate.release.files
    return {entry.part: _read(public, entry, certificate, types, opener, held or {}) for entry in files}


class Unknown(Model[object]):
    """A requirement that is not known here: somebody's own, which only who has its class can judge."""

    traits: ClassVar[ModelTraits] = ModelTraits(frozenset(), "record")

    called: str

    def spec(self) -> dict[str, Json]:
        return {"id": self.called}

    def private(self) -> tuple[str, ...]:
        return (self.called,)

    def judge(self, view: object, *, worst: int = 10) -> Verdict:
        raise Unsupported(f"{self.called} is not known here", thing=self.called)


def _requirement(entry: RequirementEntry, shape: str, types: Mapping[str, ColumnType]) -> Requirement:
    try:
        within = None if entry.shape is None else cell_shape(entry.shape)
        spec = entry.spec()
        found = requirement(entry.model, entry.shape or shape)
        if not issubclass(found, TableModel):
            spec.pop("qid", None)  # what it was judged by is no parameter of others
        model: Requirement = found.from_spec(spec)  # type: ignore[assignment]
    except (NotKnown, Unsupported):
        return Unknown(called=entry.model)
    if isinstance(model, TableModel):
        # Dates are certified as texts.
        return model.with_values(lambda name, value: _held(value, types.get(name)))
    if entry.column is None or within is None:
        return model
    return CellRequirement(column=entry.column, within=within.id, model=model)


def _held(value: Hashable, kind: ColumnType | None) -> Hashable:
    found = None if kind is None else as_held(value, kind)
    return value if found is None else found


def _refuse_unfit(certificate: Certificate, kind: ReleaseKind) -> None:
    """Refuse a certificate whose entries do not fit together: whoever seals can seal anything."""
    described = certificate.release
    parts, wanted = [entry.part for entry in described.files], kind.part_names()
    if sorted(parts) != sorted(wanted):
        raise BadRequest(
            f"must have exactly the parts {', '.join(wanted)}", parameter=kind.id, value=", ".join(parts) or "none"
        )
    for entry in described.files:
        if entry.file is not None and Path(entry.file).name != entry.file:
            raise BadRequest("names a file outside of the folder", parameter=CERTIFICATE)
    published = {name for entry in described.files for name in entry.columns}
    for column in certificate.columns:
        if column.role not in {role.value for role in Role}:
            raise BadRequest("names a role that there is not", parameter=CERTIFICATE, available=[str(r) for r in Role])
        if column.name not in published:
            raise BadRequest("describes a column that is not published", parameter=CERTIFICATE)
    if isinstance(kind, RecodedTable) and published > {column.name for column in certificate.columns}:
        raise BadRequest("does not describe a column that is published", parameter=CERTIFICATE)
    plain = {column.name for column in certificate.columns if column.role == Role.PLAIN}
    for asked in certificate.requirements:
        if asked.column is not None and asked.column not in plain:
            raise BadRequest(
                "has a requirement on cells of a column that is not published plainly", parameter=CERTIFICATE
            )
        if described.shape == TABLE and asked.column is None and not asked.quasi_identifier:
            raise BadRequest("has a requirement that must name at least one column", parameter=CERTIFICATE)


def _unchanged(folder: Path, certificate: Certificate) -> dict[str, Any]:
    """Return the schema; refuse public files that are not as they were certified."""
    for entry in certificate.release.files:
        data = folder / str(entry.file)
        for path in data.iterdir() if data.is_dir() and not data.is_symlink() else (data,):
            refuse_link(path)
        if entry.file is None or not (data.is_file() or is_parts(data)):
            raise BadRequest("is missing", parameter=entry.file or entry.part)
        if file_digest(data) != entry.sha256:
            raise BadRequest("was changed after it was certified", parameter=data.name)
    schema = file_bytes(folder / SCHEMA)
    if digest_of(schema) != certificate.schema_sha256:
        raise BadRequest("was changed after it was certified", parameter=SCHEMA)
    return json_file(schema, SCHEMA)


def _read(
    folder: Path,
    entry: PartEntry,
    certificate: Certificate,
    types: Mapping[str, Mapping[str, ColumnType]],
    engine: Engine,
    held: Mapping[str, Table],
) -> Table:
    described = certificate.release
    flat = described.format in ("csv", "tsv")
    table = held.get(entry.part) or read_written(
        folder / str(entry.file),
        described.format,
        described.separator if flat else None,
        types[entry.part],
        engine,
        {name for asked in certificate.requirements for name in asked.quasi_identifier},
    )
    known = {name for asked in certificate.requirements for name in asked.quasi_identifier}
    models = [_requirement(asked, described.shape, {}) for asked in certificate.requirements]
    read = {name for model in models if isinstance(model, TableModel) for name in model.needs()}
    hidden = [column.name for column in certificate.columns if column.role == Role.SENSITIVE]
    table.foresee(
        [name for name in table.columns if name in known | read], [name for name in hidden if name in table.types]
    )
    if table.columns != entry.columns or table.rows != entry.rows:
        raise BadRequest("does not hold the certified columns and rows", parameter=entry.file)
    return table


def read_written(
    path: Path,
    form: str | None,
    separator: str | None,
    types: Mapping[str, ColumnType],
    engine: Engine,
    groups: AbstractSet[str] = frozenset(),
) -> Table:
    """Read a written file as its certificate describes it; the columns of groups count as they are written."""
    options = SourceOptions(
        format=form,
        separator=separator,
        encoding=None if separator is None else "utf-8",
        types=types,
        as_written=frozenset(groups),
        may_be_empty=True,
    )
    return open_source(path, engine, options)


def _types(certificate: Certificate, schema: Mapping[str, Any]) -> dict[str, dict[str, ColumnType]]:
    """Return the types to read each part with: those of the schema, which must describe the certified columns."""
    try:
        parts = schema_parts(schema, certificate.release.files[0].part)
        types = {name: schema_types(told) for name, told in parts}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadRequest("is not the schema of a release", parameter=SCHEMA) from None
    if {name: tuple(held) for name, held in types.items()} != {e.part: e.columns for e in certificate.release.files}:
        raise BadRequest("does not describe the certified columns", parameter=SCHEMA)
    return types


# ---- what was kept -------------------------------------------------------------------------------------------------------


def read_kept(folder: Path, asked: SharedPolicy | None = None) -> Kept:
    """Read what the publisher kept, as far as it is there."""
    stated = folder / "policy.yaml"
    policy = _kept_policy(stated, asked) if stated.is_file() else asked
    trace = json_file(folder / "trace.json") if (folder / "trace.json").is_file() else {}
    kept = Kept(
        policy=policy,
        trace=[Step.read(step) for step in trace.get("steps", ())],
        facts=Facts.read(trace.get("facts", {})),
        stopped=trace.get("stopped"),
    )
    if not (folder / "recoding.json").is_file():
        return kept
    document = json_file(folder / "recoding.json")
    recodings, types = load_recodings(document)[:2]
    order = (policy.roles() if policy is not None else {}) or recodings
    return replace(
        kept,
        recodings={name: recodings[name] for name in order if name in recodings},
        operations=tuple(load_operations(document)),
        types=types,
    )


def _kept_policy(stated: Path, asked: SharedPolicy | None) -> SharedPolicy | None:
    try:
        return SharedPolicy.load(stated)
    except (NotKnown, Unsupported):
        return asked  # it holds things of somebody's own that are not known here


def refuse_link(path: Path) -> None:
    """Refuse what is not a plain file of its folder: a link may lead anywhere, and a device never ends."""
    try:
        plain = not path.is_symlink() and (path.is_file() or not path.exists())
    except OSError:  # no file can be called so
        plain = False
    if not plain:
        raise BadRequest("is not a plain file of the folder", parameter=path.name)


def file_bytes(path: Path) -> bytes:
    """Return what a file of a release folder holds; refuse one that is not there."""
    refuse_link(path)
    try:
        return path.read_bytes()
    except OSError:
        raise BadRequest(
            "is not there; give a release folder or its public part", parameter=path.name, value=str(path.parent)
        ) from None


def json_file(given: Path | bytes, name: str | None = None) -> dict[str, Any]:
    """Return the JSON object in a file or in its bytes; anything else is refused by the name of the file."""
    called = name or (given.name if isinstance(given, Path) else "")
    try:
        found = json.loads(file_bytes(given) if isinstance(given, Path) else given)
    except (ValueError, RecursionError):
        raise BadRequest("is not JSON", parameter=called) from None
    if not isinstance(found, dict):
        raise BadRequest("is not what a release keeps there: must be a JSON object", parameter=called)
    return found
