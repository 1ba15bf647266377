"""From a release in memory to a folder: written aside, read again, verified, sealed, attacked, and only then given its name.

``OUT/public`` holds what may leave the house, ``OUT/private`` what must stay. A release of one table is ``public/data.csv``,
one of several has a file for each part. Each folder has its own ``report.html``: the public one is made from the public files
alone. If anything fails nothing is left behind.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.catalogue import build
from sfumato.contracts.engine import Table
from sfumato.contracts.progress import Progress, Silent
from sfumato.contracts.recoding import TableRecoding
from sfumato.contracts.release import ReleaseKind
from sfumato.data.schema import ColumnType, Role
from sfumato.data.text import to_text
from sfumato.engines import read
from sfumato.engines.sources import FORMATS, format_of
from sfumato.errors import BadRequest, InternalError, Unsupported
from sfumato.publishing.certificate import canonical, open_certificate, seal
from sfumato.publishing.certificate import sha256 as digest_of
from sfumato.publishing.dictionary import package_schema, table_schema
from sfumato.publishing.digest import file_digest
from sfumato.publishing.evidence import Evidence
from sfumato.publishing.release import Release
from sfumato.publishing.reopen import outside, write_evidence
from sfumato.recodings.cell_suppression import CellSuppression
from sfumato.recodings.group_suppression import GroupSuppression, masking
from sfumato.recodings.saved import save_recodings
from sfumato.releases.recoded_table import RecodedTable
from sfumato.reports.edition import page_of
from sfumato.verbs.anonymize import refuse_violations
from sfumato.verbs.examining import attacked, before_masking, predicted, questioned

__all__ = ["file_digest", "publish"]


def publish(
    release: Release,
    out: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    separator: str | None = None,
    input_path: str | Path | None = None,
    thorough: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Write a release to a new folder and return it.

    The data file is read back and verified by counting it anew before anything appears under the final name. Every attack
    that costs little is tried on it, and what they find goes into ``private/audit.json`` and the report; with ``thorough``
    also those that take long, and the target is predicted from both tables, if there is one. ``format`` is that of the
    policy, or of the input, or CSV.
    """
    progress = progress or Silent()
    target = Path(out)
    if target.exists():
        raise BadRequest("exists already; a release never overwrites anything", parameter="output", value=str(target))
    policy = release.private.policy
    wanted = format or (policy.output.format if policy is not None else None) or _format_of(input_path)
    if wanted not in FORMATS:
        raise BadRequest("is not a format that can be written", parameter="format", value=wanted, available=FORMATS)
    with _aside(target) as folder:
        public, private = folder / "public", folder / "private"
        public.mkdir()
        private.mkdir()
        progress.stage("writing")
        cut = "\t" if wanted == "tsv" else (separator or ",")
        files = {name: public / f"{stem}{FORMATS[wanted][0]}" for name, stem in _stems(release).items()}
        for name, path in files.items():
            release.tables[name].write(path, wanted, separator=cut)
        schema = canonical(_schema(release, files))
        (public / "schema.json").write_bytes(schema)
        progress.stage("verifying the written file" if len(files) == 1 else "verifying the written files")
        written: Table | None = None
        if release.parts:
            _verify_parts(release, files, wanted, cut)
        else:
            written = _verify_written(release, files["data"], wanted, cut)
        sealed = seal(_document(release, files, wanted, cut, schema))
        (public / "certificate.json").write_bytes(sealed)
        # Of what was written, not of what was meant.
        shown = release if written is None else replace(release, table=written)
        progress.stage("attacking")
        evidence = _examined(shown, _run(release, input_path), thorough, progress)
        progress.stage("reporting")
        _write_private(private, release, evidence.run)
        write_evidence(private, evidence)
        (private / "report.html").write_text(page_of(shown, open_certificate(sealed), evidence), encoding="utf-8")
        seen = None if written is None else {"data": written}
        stranger = outside(public, engine=release.table.engine, held=seen)
        page = page_of(stranger, stranger.certificate, Evidence(public=True))
        (public / "report.html").write_text(page, encoding="utf-8")
        progress.stage("done")
    return target


def _examined(release: Release, run: Mapping[str, Any], thorough: bool, progress: Progress) -> Evidence:
    """Attack the release; where the table before masking is at hand, compare the two."""
    findings, untried = attacked(release, thorough=thorough, progress=progress)
    raw = release.private.raw
    if raw is None:
        return Evidence(findings=findings, untried=untried, run=run)
    utility: dict[str, Any] = {"queries": questioned(release, raw)}
    if thorough and (found := predicted(release, raw)) is not None:
        utility["classification"] = found
    before = None if release.parts else before_masking(release, raw)
    return Evidence(findings=findings, untried=untried, before=before, utility=utility, run=run)


def _stems(release: Release) -> dict[str, str]:
    """Return the name of each part's file, without its ending; a single table is always called data."""
    names = list(release.tables)
    return {names[0]: "data"} if len(names) == 1 else {name: name for name in names}


def _schema(release: Release, files: Mapping[str, Path]) -> dict[str, Any]:
    if len(files) == 1:
        schema = table_schema(
            release.table.types, release.roles, release.recodings, masking(release.private.operations)
        )
        for field in schema["fields"]:
            if "constraints" in field:
                # A label that no record carries may be that of a person who was left out.
                held = {to_text(value) for value in release.table.dictionary(field["name"]).values}
                field["constraints"] = {"enum": [label for label in field["constraints"]["enum"] if label in held]}
        return schema
    return package_schema({name: (path.name, release.parts[name].types) for name, path in files.items()}, release.roles)


def _document(
    release: Release, files: Mapping[str, Path], wanted: str, separator: str, schema: bytes
) -> dict[str, Any]:
    """Return what the certificate says of the release and its files."""
    main = next(iter(files.values()))
    described = {**release.certificate["release"], "file": main.name, "format": wanted, "separator": separator}
    if release.parts:
        described["files"] = [
            {
                "part": name,
                "file": path.name,
                "columns": list(release.parts[name].columns),
                "rows": release.parts[name].rows,
                "sha256": file_digest(path),
            }
            for name, path in files.items()
        ]
    return {
        **release.certificate,
        "release": described,
        "output_sha256": file_digest(main),
        "schema_sha256": digest_of(schema),
    }


def _format_of(path: str | Path | None) -> str:
    """Return the format of the input file; a release from a database or a frame is written as CSV."""
    if path is None or "://" in str(path):
        return "csv"
    found = format_of(Path(path))[0]
    return "csv" if found == "sqlite" else found


def _verify_written(release: Release, data: Path, wanted: str, separator: str) -> Table:
    """Read the file again and count it anew; what was asked must hold in the bytes that will be handed over."""
    qids = [name for name, role in release.roles.items() if role is Role.QUASI_IDENTIFIER]
    touched = [*qids, *release.certificate.get("pseudonyms", {}).get("columns", ())]
    texts = dict.fromkeys(touched, ColumnType.TEXT) if wanted in ("csv", "tsv") else {}
    written = read(
        str(data),
        engine=release.table.engine,
        format=wanted,
        separator=separator if wanted in ("csv", "tsv") else None,
        encoding="utf-8" if wanted in ("csv", "tsv") else None,
        types=texts,
    )
    if written.columns != release.table.columns or written.rows != release.table.rows:
        raise InternalError("the written file does not hold the columns and rows of the release; nothing is published")
    policy = release.private.policy
    models = policy.models()
    if any(model.private() for model in models) and _texts(written) != _texts(release.table):
        # What owners asked for is not in the file: the rows that were judged with it must be the rows that are written.
        raise InternalError("the written file does not hold the rows of the release; nothing is published")
    refuse_violations(
        RecodedTable().verify(
            written,
            [model for model in models if not model.private()],
            qids,
            external=release.private.external,
            reference=release.certificate.get("reference"),
        )
    )
    # Single cells may be suppressed after their column was recoded.
    symbols = {entry.marker for entry in release.private.operations if isinstance(entry, CellSuppression)}
    for name, recoding in release.recodings.items():
        if recoding.identity:
            continue
        allowed = {*recoding.published(), *symbols}
        strange = sum(str(value) not in allowed for value in written.dictionary(name).values)
        if strange:
            raise InternalError(f"column {name!r} holds {strange} values that its recoding does not publish")
    for operation in release.private.operations:
        _verify_operation(release, written, operation, [name for name in qids if name not in release.recodings])
    return written


def _texts(table: Table) -> list[tuple[str | None, ...]]:
    return [tuple(None if value is None else to_text(value) for value in row) for row in table.to_rows()]


def _verify_operation(release: Release, written: Table, operation: TableRecoding, qids: Sequence[str]) -> None:
    """Stop a file with records that were to be left out, or with values that a recoding of whole records does not publish."""
    if isinstance(operation, GroupSuppression):
        left = written.rows - operation.apply(written).rows
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


def _verify_parts(release: Release, files: Mapping[str, Path], wanted: str, separator: str) -> None:
    """Read every file again and let the kind's own check count them anew."""
    flat = wanted in ("csv", "tsv")
    tables = {}
    for name, path in files.items():
        meant = release.parts[name]
        tables[name] = read(
            str(path),
            engine=meant.engine,
            format=wanted,
            separator=separator if flat else None,
            encoding="utf-8" if flat else None,
            types=dict(meant.types),
        )
        if tables[name].columns != meant.columns or tables[name].rows != meant.rows:
            raise InternalError(f"the written file of {name} does not hold the columns and rows of the release")
    described = release.certificate["release"]
    kind: ReleaseKind = build({"id": release.kind, **described["parameters"]}, "release")
    qids = [name for name, role in release.roles.items() if role is Role.QUASI_IDENTIFIER]
    try:
        refuse_violations(kind.verify(tables, release.private.requirements(), qids))
        same = kind.guarantee(tables) == release.certificate["guarantee"]
        failed = None if same else "they bound something else than the release does"
    except BadRequest as error:
        failed = str(error)
    if failed is not None and wanted == "xlsx":
        raise Unsupported(
            f"spreadsheets round numbers, and the written files then fail the check of {kind.id}: {failed}",
            thing="xlsx",
            alternatives=["csv", "parquet"],
        )
    if failed is not None:
        raise InternalError(f"the written files fail the check of {kind.id}: {failed}; nothing is published")


def _write_private(folder: Path, release: Release, run: Mapping[str, Any]) -> None:
    policy, links = release.private.policy, release.private.links
    if links is None:
        saved = save_recodings(release.recodings, release.private.types, release.private.operations)
        # Trees over dates or codes have many leaves: without indentation they are written ten times faster.
        (folder / "recoding.json").write_text(json.dumps(saved, ensure_ascii=False) + "\n", encoding="utf-8")
    else:
        behind = {
            "group_of_record": None if links.groups is None else links.groups.tolist(),
            "record_of_row": {part: rows.tolist() for part, rows in links.rows.items()},
            "facts": dict(links.facts),
        }
        (folder / "links.json").write_text(json.dumps(behind, default=_plain) + "\n", encoding="utf-8")
    if policy is not None:
        (folder / "policy.yaml").write_text(policy.to_yaml(), encoding="utf-8")
    trace = {
        "steps": list(release.private.trace),
        "facts": dict(release.private.facts),
        "stopped": release.private.stopped,
    }
    (folder / "trace.json").write_text(json.dumps(trace, indent=1, default=_plain) + "\n", encoding="utf-8")
    (folder / "run.json").write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")


def _run(release: Release, input_path: str | Path | None) -> dict[str, Any]:
    """Return where the release came from, and what its publisher should know."""
    policy = release.private.policy
    known = input_path is not None and Path(input_path).is_file()
    return {
        "input": None if input_path is None else re.sub(r"//[^/@]*@", "//", str(input_path)),  # no password
        "input_sha256": file_digest(Path(str(input_path))) if known else None,
        "seed": release.private.facts.get("seed", None if policy is None else policy.seed),
        "warnings": list(release.warnings),
    }


def _plain(value: Any) -> Any:
    """Return a number of numpy as a number, an array as a list, and anything else as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


@contextmanager
def _aside(target: Path) -> Iterator[Path]:
    """Give a folder beside the target that becomes the target if all goes well, and vanishes if not."""
    folder = target.parent / f".{target.name}.{os.getpid()}.unverified"
    try:
        if not target.parent.is_dir():
            raise BadRequest("is not a folder", parameter="output", value=str(target.parent))
        folder.mkdir()
        yield folder
        folder.rename(target)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise BadRequest("no space is left on the device; nothing was published", parameter="output") from None
        raise BadRequest(
            f"cannot be written ({error.strerror or type(error).__name__}); nothing was published",
            parameter="output",
            value=str(target),
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
