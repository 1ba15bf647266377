"""The public part of a release as files: written aside, opened again as a stranger opens it, compared with what was meant."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from sfumato.contracts.certificate import RequirementEntry
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Requirement, TableModel
from sfumato.contracts.published import Published, Release
from sfumato.contracts.recoding import TableRecoding
from sfumato.data.content import file_digest
from sfumato.data.leftovers import in_use, remove_leftovers
from sfumato.data.schema import ColumnType, Role
from sfumato.data.text import to_text
from sfumato.engines.sources import FORMATS
from sfumato.engines.unused import LARGE, give_back
from sfumato.errors import BadRequest, InternalError, Taken, TooLittle, Unsupported
from sfumato.publishing.certificate import FILE as CERTIFICATE
from sfumato.publishing.certificate import canonical, open_certificate, seal, sha256
from sfumato.publishing.certify import refuse_violations
from sfumato.publishing.dictionary import MARKED, package_schema, table_schema
from sfumato.publishing.formulas import mark, marked, refuse_formula_names, unmarked
from sfumato.publishing.published import SCHEMA, open_published, read_parts
from sfumato.publishing.recounting import Recounts
from sfumato.publishing.verification import verified
from sfumato.recodings.cell_suppression import CellSuppression
from sfumato.recodings.group_suppression import GroupSuppression, masking

__all__ = ["IfExists", "aside", "refuse_taken", "seal_public", "write_public"]


IfExists = Literal["fail", "skip", "replace"]

_DELIMITED = ("csv", "tsv")


def refuse_taken(target: Path, if_exists: IfExists, parameter: str = "output") -> None:
    """Refuse a name that is taken, or in a folder that is not there; only a release may be replaced, by another one."""
    if not target.parent.is_dir():
        missing = not target.parent.exists()
        why = "is not there: make this folder first" if missing else "is not a folder"
        raise BadRequest(why, parameter=parameter, value=str(target.parent))
    if not target.exists() and not target.is_symlink():
        return
    if if_exists == "fail":
        raise Taken("exists already; a release never overwrites anything", parameter=parameter, value=str(target))
    if target.is_symlink() or not (target / "public" / CERTIFICATE).is_file():
        raise Taken(
            "exists already and is no release; only that can be replaced", parameter=parameter, value=str(target)
        )
    if if_exists == "replace" and {path.name for path in target.iterdir()} - {"public", "private"}:
        raise Taken(
            "holds more than a release, which replacing it would remove", parameter=parameter, value=str(target)
        )


@contextmanager
def aside(target: Path, if_exists: IfExists = "fail") -> Iterator[Path]:
    """Give a folder beside the target that becomes the target if all goes well, and vanishes if not.

    Only a killed process leaves it; whoever writes to the same target removes it then, and gives a release that was about to be
    replaced its name back.
    """
    refuse_taken(target, if_exists)
    folder = target.parent / f".{target.name}.{os.getpid()}.unverified"
    try:
        remove_leftovers(target.parent, re.compile(rf"\.{re.escape(target.name)}\.(\d+)\.unverified"))
        old = target.with_name(f".{target.name}.replaced")
        _settle(old, target)
        folder.mkdir()
        usual = stat.S_IMODE(folder.stat().st_mode)
        folder.chmod(0o700)  # nobody reads what is not verified, also where this process is killed
        with in_use(folder):
            yield folder
            folder.chmod(usual)
            if if_exists == "replace" and target.exists():
                target.rename(old)
            folder.rename(target)
            shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):  # somebody else was quicker
            raise Taken(
                "exists already; a release never overwrites anything", parameter="output", value=str(target)
            ) from None
        if error.errno == errno.ENOSPC:
            raise BadRequest("no space is left on the device; nothing was published", parameter="output") from None
        raise BadRequest(
            f"cannot be written ({error.strerror or type(error).__name__}); nothing was published",
            parameter="output",
            value=str(target),
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _settle(old: Path, target: Path) -> None:
    """End what a killed replacement began: the old release stays if no new one has its name."""
    if old.exists() and target.exists():
        shutil.rmtree(old)
    elif old.exists():
        old.rename(target)


def write_public(
    release: Release,
    folder: Path,
    form: str,
    separator: str,
    memory: int | None = None,
    *,
    excel_safe: bool = False,
    beside: Executor | None = None,
) -> Release:
    """Write the tables, their schema and the certificate; return the release as it is written, verified.

    What was asked must hold in the bytes that will be handed over. ``memory`` is a bound in bytes for reading them again.
    ``excel_safe`` marks texts that are taken for formulas. :func:`seal_public` then has to say what the tables hold: hashing
    that begins here, in threads ``beside``, where tables allow it.
    """
    folder.mkdir()
    release = _marked(release) if excel_safe else release
    files = {name: folder / f"{stem}{FORMATS[form][0]}" for name, stem in _stems(release).items()}
    for name, path in files.items():
        release.tables[name].write(path, form, separator=separator)
    schema = canonical({**_schema(release, files, excel_safe), **({"description": MARKED} if excel_safe else {})})
    (folder / SCHEMA).write_bytes(schema)
    described = replace(
        release.certificate.release,
        files=tuple(
            replace(entry, file=files[entry.part].name, sha256=file_digest(files[entry.part]))
            for entry in release.certificate.release.files
        ),
        format=form,
        separator=separator,
    )
    certificate = replace(release.certificate, release=described, schema_sha256=sha256(schema))
    certificate = replace(certificate, requirements=_recounted(replace(release, certificate=certificate), memory))
    published = _opened(replace(release, certificate=certificate), folder, form, memory, excel_safe, beside)
    if max(table.rows for table in published.tables.values()) >= LARGE:
        give_back()  # two engines have read all rows again, and attacks need the room
    return replace(release, tables=published.tables, certificate=published.certified, folder=folder)


def seal_public(written: Release) -> Release:
    """Seal a certificate that says what the written tables hold, whatever their files look like."""
    assert written.folder is not None
    described = written.certificate.release
    files = (replace(one, content_digest=written.tables[one.part].content_digest()) for one in described.files)
    certificate = replace(written.certificate, release=replace(described, files=tuple(files)))
    sealed = seal(certificate)
    (written.folder / CERTIFICATE).write_bytes(sealed)
    return replace(written, certificate=open_certificate(sealed))


def _marked(release: Release) -> Release:
    """Return a release in which no text is taken for a formula, neither in its tables nor in what they are compared with."""
    for table in release.tables.values():
        refuse_formula_names(table)
    types = {name: kind for table in release.tables.values() for name, kind in table.types.items()}
    texts = {name for name, kind in types.items() if kind is ColumnType.TEXT}
    reference = {
        name: {mark(text): count for text, count in counts.items()} if name in texts else counts
        for name, counts in release.certificate.reference.items()
    }
    entries = zip(release.certificate.requirements, release.models, strict=True)
    requirements = tuple(_marked_entry(entry, model, texts) for entry, model in entries)
    return replace(
        release,
        tables={name: marked(table) for name, table in release.tables.items()},
        certificate=replace(release.certificate, reference=reference, requirements=requirements),
    )


def _marked_entry(entry: RequirementEntry, model: Requirement, texts: Set[str]) -> RequirementEntry:
    """Return a requirement that names values as they are written."""
    if not isinstance(model, TableModel):
        return entry

    def written(name: str, value: object) -> object:
        return mark(value) if isinstance(value, str) and name in texts else value

    told = model.with_values(written).spec()
    return replace(
        entry, parameters={**entry.parameters, **{key: told[key] for key in entry.parameters if key in told}}
    )


def _recounted(release: Release, memory: int | None) -> tuple[RequirementEntry, ...]:
    """Return the requirements with who judges them a second time, when the written files are opened again."""
    recounts = Recounts(release, release.private.beside, memory=memory)
    return tuple(
        replace(entry, recounted=recounts.way(model))
        for entry, model in zip(release.certificate.requirements, release.models, strict=True)
    )


def _stems(release: Release) -> dict[str, str]:
    """Return the name of each part's file, without its ending; a single table is always called data."""
    names = list(release.tables)
    return {names[0]: "data"} if len(names) == 1 else {name: name for name in names}


def _schema(release: Release, files: Mapping[str, Path], excel_safe: bool) -> dict[str, Any]:
    if len(files) > 1:
        named = {name: (path.name, release.tables[name].types) for name, path in files.items()}
        return package_schema(named, release.roles)
    schema = table_schema(release.table.types, release.roles, release.recodings, masking(release.private.operations))
    for field in schema["fields"]:
        if "constraints" in field:
            # A label that no record carries may be that of a person who was left out.
            held = {to_text(value) for value in release.table.dictionary(field["name"]).values}
            labels = [mark(label) if excel_safe else label for label in field["constraints"]["enum"]]
            field["constraints"] = {"enum": sorted(label for label in labels if label in held)}
    return schema


# ---- what was written ----------------------------------------------------------------------------------------------------


def _opened(
    release: Release, folder: Path, form: str, memory: int | None, excel_safe: bool, beside: Executor | None
) -> Published:
    """Open the files again and count them anew; stop if they do not hold what the release promises."""
    try:
        home = release.table.home
        # What was read is compared with what was meant: columns that are equal need not be held twice.
        read = read_parts(folder, release.certificate, home, memory)
        tables = {name: read.pop(name).sharing(release.tables[name]) for name in [*read]}
        for table in tables.values():
            if beside is not None and table.in_threads:
                beside.submit(table.content_digest)
        (folder / CERTIFICATE).write_bytes(seal(release.certificate))
        published = open_published(folder, engine=home, private=False, memory=memory, held=tables)
        known = release.private.beside
        verdicts, _ = verified(
            published, known.external, memory, dict(enumerate(known.earlier, 1)), known.external_weights
        )
    except TooLittle:
        raise  # the files may be as they should: there was no room to look
    except BadRequest as error:
        if form == "xlsx":
            raise Unsupported(
                f"spreadsheets round numbers, and the written files then fail the check of {release.kind}: {error}",
                thing="xlsx",
                alternatives=["csv", "parquet"],
            ) from None
        if form in _DELIMITED and any(map(_holds_empty, release.tables.values())):
            raise Unsupported(
                f"empty texts are read as missing from {form}, and the written files then fail the check: {error}",
                thing=form,
                alternatives=["parquet", "jsonl"],
            ) from None
        if excel_safe:
            raise Unsupported(
                f"values that are judged by cannot be marked for spreadsheets in a {release.kind}: {error}",
                thing="excel-safe",
            ) from None
        raise InternalError(
            f"the written files fail the check of {release.kind}: {error}; nothing is published"
        ) from None
    refuse_violations(verdicts, searched=True)
    if any(entry.judged == "inside" for entry in release.certificate.requirements):
        # What owners asked for is not in the files: the rows that were judged with it must be the rows that are written.
        for name, table in published.tables.items():
            if _texts(table) != _texts(release.tables[name]):
                raise InternalError("the written file does not hold the rows of the release; nothing is published")
    _refuse_strange_values(release, unmarked(published.table) if excel_safe else published.table)
    return published


def _holds_empty(table: Table) -> bool:
    """Tell whether a text of the table has no signs; the first in order would be one."""
    texts = [name for name, kind in table.types.items() if kind is ColumnType.TEXT]
    return any("" in table.dictionary(name).values[:1] for name in texts)


def _texts(table: Table) -> list[tuple[str | None, ...]]:
    """Return rows as files hold them: a text without signs, as that of an empty document, is read as missing."""
    return [tuple(None if value is None else to_text(value) or None for value in row) for row in table.to_rows()]


def _refuse_strange_values(release: Release, written: Table) -> None:
    """Stop a file with values that no recoding of the release publishes."""
    # Single cells may be suppressed after their column was recoded.
    symbols = {entry.marker for entry in release.private.operations if isinstance(entry, CellSuppression)}
    for name, recoding in release.recodings.items():
        if recoding.identity:
            continue
        allowed = {*recoding.published(), *symbols}
        strange = sum(str(value) not in allowed for value in written.dictionary(name).values)
        if strange:
            raise InternalError(f"column {name!r} holds {strange} values that its recoding does not publish")
    qids = [name for name in release.of_role(Role.QUASI_IDENTIFIER) if name not in release.recodings]
    for operation in release.private.operations:
        _refuse_strange_records(release, written, operation, qids)


def _refuse_strange_records(release: Release, written: Table, operation: TableRecoding, qids: Sequence[str]) -> None:
    """Stop a file with records that were to be left out, or with values that a recoding of whole records does not publish."""
    if isinstance(operation, GroupSuppression):
        left = operation.records(written)
        if left:
            raise InternalError(f"the written file holds {left} records that were to be left out; nothing is published")
        return
    for name in qids:
        if release.table.types[name] is not ColumnType.TEXT:
            continue  # nothing of this column was masked: its values are written as they were read
        values = written.dictionary(name).values
        strange = sum(not operation.publishes(name, to_text(value)) for value in values)
        if strange:
            raise InternalError(f"column {name!r} holds {strange} values that {operation.id} does not publish")
