"""Tables are judged as they stand: by what is written, by values of the column's type."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import sfumato
from sfumato.data.content import file_digest
from sfumato.engines import read
from sfumato.publishing.certificate import open_certificate, seal

SPELLED = "age,ill\n1,flu\n1.0,cold\n1e0,flu\n0,cold\n-0,flu\n0.0,cold\n"
POLICY = {
    "columns": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
    "requirements": [{"id": "k-anonymity", "k": 2}],
    "algorithm": {"id": "mondrian"},
}


def spelled(folder: Path) -> Path:
    path = folder / "spelled.csv"
    path.write_text(SPELLED)
    return path


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_rows_that_look_different_are_different(tmp_path: Path, engine: str) -> None:
    path = spelled(tmp_path)
    one = {"id": "k-anonymity", "k": 2}
    assert [verdict.strongest for verdict in sfumato.check(path, one, qid=["age"])] == [1]
    assert not sfumato.check(path, {**one, "qid": ["age"]})
    assert not sfumato.check(path, policy={**POLICY, "engine": {"id": engine}})
    assert sfumato.check(read(path, engine), one, qid=["age"])  # in memory one spelling is left


def test_equal_sensitive_values_are_one_value_however_they_are_spelled(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("job,level\na,1\na,1.0\nb,2\nb,2.0\n")
    (verdict,) = sfumato.check(path, {"id": "l-diversity-distinct", "l": 2, "sensitive": "level"}, qid=["job"])
    assert (verdict.satisfied, verdict.strongest) == (False, 1)


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "jsonl", "sqlite", "xlsx"])
def test_what_is_published_has_one_spelling(tmp_path: Path, form: str) -> None:
    release = sfumato.anonymize(spelled(tmp_path), {**POLICY, "output": {"format": form}})
    sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(tmp_path / "out")
    written = tmp_path / "again.csv"
    release.table.write(written)
    lines = written.read_text().splitlines()[1:]
    groups = [line.split(",")[0] for line in lines]
    assert min(groups.count(text) for text in groups) >= 2


@pytest.mark.parametrize("most", [200_000, 1], ids=["plain", "another engine"])
def test_files_that_were_spelled_apart_and_sealed_again_do_not_verify(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("sfumato.publishing.recounting.MOST_ROWS", most)
    path = tmp_path / "raw.csv"
    path.write_text("age,ill\n" + "1.5,flu\n1.5,cold\n2.5,flu\n2.5,cold\n")
    release = sfumato.anonymize(path, POLICY)
    public = sfumato.publish(release, tmp_path / "out") / "public"
    assert sfumato.verify(tmp_path / "out")
    data = public / "data.csv"
    assert data.read_text() == "age,ill\n1.5,cold\n1.5,flu\n2.5,cold\n2.5,flu\n"
    data.write_text("age,ill\n1.50,cold\n1.5,flu\n2.50,cold\n2.5,flu\n")
    certificate = open_certificate((public / "certificate.json").read_bytes())
    (entry,) = certificate.release.files
    files = (replace(entry, sha256=file_digest(data)),)
    forged = replace(certificate, release=replace(certificate.release, files=files))
    (public / "certificate.json").write_bytes(seal(forged))
    with pytest.raises(sfumato.BadRequest, match="counting the file anew"):
        sfumato.verify(tmp_path / "out")
