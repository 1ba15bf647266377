"""Release folders: the same bytes from every engine, every format verified, nothing left behind on failure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sfumato
from sfumato.contracts.published import Release
from sfumato.datasets import hospital, sample, sample_policy
from sfumato.errors import BadRequest, InternalError, Taken, Unsupported
from sfumato.publishing import folder

pytestmark = pytest.mark.slow

FORMATS = ["csv", "tsv", "parquet", "arrow", "jsonl", "xlsx"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(hospital(500, seed=4).write_csv(tmp_path_factory.mktemp("raw") / "h.csv"))


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def releases(source: str) -> dict[str, Release]:
    """What both engines find, before it is written in any format."""
    pytest.importorskip("duckdb")
    return {engine: sfumato.anonymize(source, {**sample_policy(), "engine": engine}) for engine in ("polars", "duckdb")}


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_verified_and_the_same_from_both_engines(
    releases: dict[str, Release], source: str, tmp_path: Path, form: str
) -> None:
    made = {}
    for engine, release in releases.items():
        out = sfumato.publish(release, tmp_path / engine, format=form, input_path=source)
        assert sfumato.verify(out).verdict.satisfied
        assert sfumato.verify(out, engine="duckdb").verdict.satisfied
        made[engine] = files(out / "public")
    assert made["polars"].keys() == made["duckdb"].keys()
    for name, data in made["polars"].items():
        assert data == made["duckdb"][name], name


def test_same_input_policy_and_seed_give_the_same_bytes(source: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        sfumato.publish(sfumato.anonymize(source, sample_policy()), tmp_path / name, input_path=source)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_a_failing_check_leaves_nothing(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the bytes on disk violate the requirement, whatever the search believed, nothing appears."""
    release = sfumato.anonymize(source, sample_policy())
    honest = folder.file_digest

    def tampered(path: Path) -> str:
        head, first, *rest = path.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join([head, "odd," + first.partition(",")[2], *rest]), encoding="utf-8")
        return honest(path)

    monkeypatch.setattr(folder, "file_digest", tampered)
    with pytest.raises(InternalError):
        sfumato.publish(release, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_input_formats_give_the_same_release(source: str, tmp_path: Path) -> None:
    table = sfumato.read(source)
    wanted = sfumato.anonymize(source, sample_policy()).table.to_rows()
    for name in ("h.parquet", "h.arrow", "h.jsonl", "h.tsv"):
        table.write(tmp_path / name)
        release = sfumato.anonymize(str(tmp_path / name), sample_policy())
        masked = list(release.recodings)
        got = release.table.select(masked).to_rows()
        assert got == sfumato.anonymize(source, sample_policy()).table.select(masked).to_rows(), name
    assert len(wanted) == 500


def test_a_thorough_publication_tries_slow_attacks_and_predicts_the_target(tmp_path: Path) -> None:
    release = sfumato.anonymize(sfumato.from_dataset(sample().part(0, 400)), sample_policy())
    quick, thorough = (
        sfumato.publish(release, tmp_path / f"{word}", thorough=word == "thorough") for word in ("quick", "thorough")
    )
    tried = {
        folder.name: {one["attack"] for one in json.loads((folder / "private" / "audit.json").read_text())["tried"]}
        for folder in (quick, thorough)
    }
    assert "suda2" in tried["thorough"]
    assert tried["quick"] < tried["thorough"]
    told = [json.loads((folder / "private" / "utility.json").read_text()) for folder in (quick, thorough)]
    assert ["classification" in one for one in told] == [False, True]
    # What leaves the house is the same.
    for name in ("data.csv", "certificate.json", "schema.json", "report.html"):
        assert (quick / "public" / name).read_bytes() == (thorough / "public" / name).read_bytes()


def test_a_missing_folder_above_is_told(source: str, tmp_path: Path) -> None:
    release = sfumato.anonymize(source, sample_policy())
    with pytest.raises(BadRequest, match="is not there: make this folder first"):
        sfumato.publish(release, tmp_path / "missing" / "out")
    (tmp_path / "file").write_text("")
    with pytest.raises(BadRequest, match="is not a folder"):
        sfumato.publish(release, tmp_path / "file" / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_empty_texts_that_csv_cannot_keep_are_refused_with_what_can(tmp_path: Path) -> None:
    rows = [(text, str(at % 5)) for at, text in enumerate(["p", "q", "r", ""] * 30)]
    columns = {"a": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}}
    policy = {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 3}]}
    release = sfumato.anonymize(sfumato.from_rows(["a", "s"], rows), policy)
    with pytest.raises(Unsupported, match=r"empty texts are read as missing from csv.*parquet"):
        sfumato.publish(release, tmp_path / "out", format="csv")
    assert not list(tmp_path.iterdir())
    sfumato.publish(release, tmp_path / "out", format="parquet")


def test_whoever_comes_second_is_told_that_the_name_is_taken(tmp_path: Path) -> None:
    with pytest.raises(Taken, match="exists already"), folder.aside(tmp_path / "out"):
        (tmp_path / "out" / "public").mkdir(parents=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
