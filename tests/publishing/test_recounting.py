"""A release is judged a second time from its written text, by code that shares nothing with the first judgement."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.publishing import recounting
from sfumato.publishing.certificate import open_certificate, seal
from sfumato.publishing.published import open_published
from sfumato.publishing.recounting import Recounts

ROWS = [("cook", "30", "Flu"), ("cook", "30", "HIV")] * 4 + [("nurse", "4,1", "Flu"), ("nurse", "4,1", None)] * 3


def published(folder: Path, form: str = "csv", **output: object) -> Path:
    policy: Mapping[str, Any] = {
        "columns": {
            "job": {"role": "quasi-identifier"},
            "age": {"role": "quasi-identifier"},
            "ill": {"role": "plain"},
        },
        "requirements": [{"id": "k-anonymity", "k": 5}],
        "output": {"format": form, **output},
    }
    sfumato.publish(sfumato.anonymize(from_rows(["job", "age", "ill"], ROWS), policy), folder)
    return folder


def entries(folder: Path) -> list[dict[str, Any]]:
    document = json.loads((folder / "public" / "certificate.json").read_text("utf-8"))
    return list(document["requirements"])


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "arrow", "jsonl", "sqlite", "xlsx"])
def test_every_written_format_is_counted_as_it_is_written(form: str, tmp_path: Path) -> None:
    folder = published(tmp_path / form, form)
    (entry,) = entries(folder)
    assert (entry["measured"], entry["recounted"]) == (6, "plain")
    (verdict,) = sfumato.verify(folder).verdict
    assert (verdict.strongest, verdict.groups, verdict.records) == (6, 2, 14)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_many_rows_are_counted_by_another_engine(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recounting, "MOST_ROWS", 10)
    asked: list[object] = []
    read = recounting.read_written

    def noted(*given: Any) -> Any:
        asked.append(given[-1].id)
        return read(*given)

    monkeypatch.setattr(recounting, "read_written", noted)
    folder = published(tmp_path / "many")
    assert entries(folder)[0]["recounted"] == "another engine"
    assert sfumato.verify(folder, engine=engine)
    assert asked == ["duckdb", {"polars": "duckdb", "duckdb": "polars"}[engine]]


@pytest.mark.parametrize("form", ["xlsx", "sqlite"])
def test_formats_that_engines_read_alike_are_counted_plain(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recounting, "MOST_ROWS", 10)
    folder = published(tmp_path / form, form)
    assert entries(folder)[0]["recounted"] == "plain"
    assert sfumato.verify(folder)


def test_bounded_memory_is_not_left_to_an_engine_that_keeps_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recounting, "MOST_ROWS", 10)
    folder = published(tmp_path / "out")

    def way(engine: str, memory: int | None = None) -> str:
        opened = open_published(folder / "public", engine=engine, private=False, memory=memory)
        return Recounts(opened, memory=memory).way(opened.models[0])

    assert way("duckdb") == way("polars") == way("polars", 2**30) == "another engine"
    assert way("duckdb", 2**30) == "plain"
    assert sfumato.verify(folder, engine="duckdb", run=sfumato.Run(memory=2**30))
    assert sfumato.verify(folder, run=sfumato.Run(memory=2**30))
    folder = published(tmp_path / "in portions", "parquet")
    assert way("duckdb", 2**30) == "another engine"
    (verdict,) = sfumato.verify(folder, engine="duckdb", run=sfumato.Run(memory=2**30)).verdict
    assert (verdict.strongest, verdict.groups, verdict.records) == (6, 2, 14)


def test_the_second_judgement_asks_neither_model_nor_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = published(tmp_path / "out")

    def refused(*given: object, **options: object) -> object:
        raise AssertionError("the first judgement was asked")

    monkeypatch.setattr("sfumato.models.k_anonymity.KAnonymity.measure", refused)
    monkeypatch.setattr("sfumato.groups.cells.Cells.groups", refused)
    assert sfumato.verify(folder)


def test_a_certificate_that_promises_more_is_refused(tmp_path: Path) -> None:
    folder = published(tmp_path / "out")
    path = folder / "public" / "certificate.json"
    certificate = open_certificate(path.read_bytes())
    (entry,) = certificate.requirements
    path.write_bytes(seal(replace(certificate, requirements=(replace(entry, measured=7),))))
    with pytest.raises(BadRequest, match="certifies 7 for k-anonymity, counting the file anew gives 6"):
        sfumato.verify(folder)
    more = replace(entry, parameters={"k": 7})
    path.write_bytes(seal(replace(certificate, requirements=(more,))))
    with pytest.raises(BadRequest, match="counting the file anew gives 6"):
        sfumato.verify(folder)


def test_a_certificate_without_the_entry_is_still_read(tmp_path: Path) -> None:
    folder = published(tmp_path / "out")
    path = folder / "public" / "certificate.json"
    certificate = open_certificate(path.read_bytes())
    older = replace(certificate, requirements=tuple(replace(one, recounted=None) for one in certificate.requirements))
    path.write_bytes(seal(older))
    assert b'"recounted"' not in path.read_bytes()
    assert sfumato.verify(folder)
