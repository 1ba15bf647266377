"""From a release in memory to a folder: written aside, read again, verified, sealed, and only then given its name.

``OUT/public`` holds what may leave the house, ``OUT/private`` what must stay. If anything fails nothing is left behind.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from sfumato.contracts.engine import Table
from sfumato.contracts.progress import Progress, Silent
from sfumato.data.schema import ColumnType
from sfumato.engines.sources import FORMATS, format_of
from sfumato.errors import BadRequest, InternalError
from sfumato.recodings.saved import save_recodings
from sfumato.releases.certificate import canonical, seal
from sfumato.releases.certificate import sha256 as digest_of
from sfumato.releases.dictionary import table_schema
from sfumato.releases.recoded_table import RecodedTable
from sfumato.releases.release import Release
from sfumato.reports.html import report_page
from sfumato.verbs.anonymize import refuse_violations
from sfumato.verbs.opening import read

__all__ = ["file_digest", "publish"]


def publish(
    release: Release,
    out: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    separator: str | None = None,
    input_path: str | Path | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write a release to a new folder and return it.

    The data file is read back and verified by counting it anew before anything appears under the final name. ``format`` is
    that of the policy, or of the input, or CSV.
    """
    progress = progress or Silent()
    target = Path(out)
    if target.exists():
        raise BadRequest("exists already; a release never overwrites anything", parameter="output", value=str(target))
    wanted = format or release.private.policy.output.format or _format_of(input_path)
    if wanted not in FORMATS:
        raise BadRequest("is not a format that can be written", parameter="format", value=wanted, available=FORMATS)
    with _aside(target) as folder:
        public, private = folder / "public", folder / "private"
        public.mkdir()
        private.mkdir()
        data = public / f"data{FORMATS[wanted][0]}"
        progress.stage("writing")
        cut = "\t" if wanted == "tsv" else (separator or ",")
        release.table.write(data, wanted, separator=cut)
        schema = canonical(table_schema(release.table.types, release.roles, release.recodings))
        (public / "schema.json").write_bytes(schema)
        progress.stage("verifying the written file")
        written = _verify_written(release, data, wanted, cut)
        document = {
            **release.certificate,
            "release": {**release.certificate["release"], "file": data.name, "format": wanted, "separator": cut},
            "output_sha256": file_digest(data),
            "schema_sha256": digest_of(schema),
        }
        (public / "certificate.json").write_bytes(seal(document))
        progress.stage("reporting")
        _write_private(private, release, input_path)
        page = report_page(replace(release, table=written), document)  # of what was written, not of what was meant
        (private / "report.html").write_text(page, encoding="utf-8")
        progress.stage("done")
    return target


def _format_of(path: str | Path | None) -> str:
    """Return the format of the input file; a release from a database or a frame is written as CSV."""
    if path is None or "://" in str(path):
        return "csv"
    found = format_of(Path(path))[0]
    return "csv" if found == "sqlite" else found


def _verify_written(release: Release, data: Path, wanted: str, separator: str) -> Table:
    """Read the file again and count it anew; what was asked must hold in the bytes that will be handed over."""
    texts = dict.fromkeys(release.recodings, ColumnType.TEXT) if wanted in ("csv", "tsv") else {}
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
    qids = list(release.recodings)
    refuse_violations(RecodedTable().verify(written, policy.models(), qids))
    for name, recoding in release.recodings.items():
        if recoding.identity:
            continue
        allowed = set(recoding.published())
        strange = sum(str(value) not in allowed for value in written.dictionary(name).values)
        if strange:
            raise InternalError(f"column {name!r} holds {strange} values that its recoding does not publish")
    return written


def _write_private(folder: Path, release: Release, input_path: str | Path | None) -> None:
    types = {name: ColumnType(kind) for name, kind in release.private.facts["types"].items()}
    saved = save_recodings(release.recodings, types)
    # Trees over dates or codes have many leaves: without indentation they are written ten times faster.
    (folder / "recoding.json").write_text(json.dumps(saved, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "policy.yaml").write_text(release.private.policy.to_yaml(), encoding="utf-8")
    trace = {
        "steps": list(release.private.trace),
        "facts": dict(release.private.facts),
        "stopped": release.private.stopped,
    }
    (folder / "trace.json").write_text(json.dumps(trace, indent=1, default=str) + "\n", encoding="utf-8")
    known = input_path is not None and Path(input_path).is_file()
    run = {
        "input": None if input_path is None else re.sub(r"//[^/@]*@", "//", str(input_path)),  # no password
        "input_sha256": file_digest(Path(str(input_path))) if known else None,
        "seed": release.private.policy.seed,
        "warnings": list(release.warnings),
    }
    (folder / "run.json").write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, read in blocks."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


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
