"""Releases of every kind in a folder: files by part, each hashed, verified again, refused on any changed byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.contracts.built import Built
from sfumato.contracts.published import Release
from sfumato.datasets import hospital
from sfumato.errors import BadRequest, Infeasible, InternalError, Unsupported
from sfumato.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity
from sfumato.publishing import folder
from sfumato.publishing import published as publishing
from sfumato.publishing.published import open_published
from sfumato.releases import (
    AnatomyPair,
    ClusterRelease,
    HistogramRelease,
    NoisyAnswers,
    PermutedTable,
    PerturbedTable,
    SyntheticTable,
)
from sfumato.tables.build import given_release

# A code that looks like a number, a missing value, a comma, a float: what files may get wrong.
ROWS = [
    (30, "007", "Flu", 1.5, 10),
    (32, "008", "HIV", 2.25, 20),
    (36, "007", None, 0.1, 30),
    (38, "010", "Heart, left", 1e-7, 40),
    (30, "008", "Flu", 3.5, 50),
    (31, "009", "HIV", 3.5, 60),
]
COLUMNS = ["Age", "Zip", "Disease", "Dose", "Income"]
GROUPS = [2, 2, 2, 5, 5, 5]


def table(engine: str = "polars") -> Any:
    made = sfumato.from_rows(COLUMNS, ROWS)
    return made if engine == "polars" else sfumato.read(made.to_native(), engine=engine)


def rng() -> np.random.Generator:
    return np.random.default_rng(8)


KINDS: dict[str, Callable[[str], tuple[Built, list[Any]]]] = {
    "pair": lambda e: (
        AnatomyPair.build(table(e), GROUPS, ["Age", "Zip"], "Disease", rng()),
        [FrequencyLDiversity(l=2, sensitive="Disease", missing="count"), KAnonymity(k=1)],
    ),
    "bucketized": lambda e: (
        AnatomyPair.build(table(e), GROUPS, ["Age", "Zip"], "Disease", rng(), form="bucketized"),
        [FrequencyLDiversity(l=2, sensitive="Disease", missing="count")],
    ),
    "composite": lambda e: (
        AnatomyPair.build(table(e), GROUPS, ["Age"], ["Disease", "Zip"], rng()),
        [FrequencyLDiversity(l=1.5, sensitive="Zip")],
    ),
    "permuted": lambda e: (
        PermutedTable.build(table(e), GROUPS, ["Age", "Zip"], "Dose", rng()),
        [DistinctLDiversity(l=2, sensitive="Dose")],
    ),
    "clusters": lambda e: (ClusterRelease.build(table(e), GROUPS, ["Age", "Dose"], "Disease"), [KAnonymity(k=3)]),
    "bare clusters": lambda e: (ClusterRelease.build(table(e), GROUPS, ["Age"], centre="mean"), [KAnonymity(k=3)]),
    "histogram": lambda e: (HistogramRelease.build(table(e), GROUPS, ["Income"]), [KAnonymity(k=3)]),
    "synthetic": lambda e: (
        SyntheticTable.build(table(e), mechanism="copula", domains={"Age": {"range": [0, 99]}}),
        [],
    ),
    "perturbed": lambda e: (
        PerturbedTable.build(table(e), ["Dose"], mechanism="additive-noise", settings={"scale": 1}),
        [KAnonymity(k=1, qid=("Zip",))],
    ),
    "answers": lambda e: (
        NoisyAnswers.build(["a, b", "c"], [1.5, 2.0], mechanism="laplace", epsilon=0.5, budget=1.0, engine=e),
        [],
    ),
}
SEVERAL = {
    "pair": {"qit", "st"},
    "composite": {"qit", "st"},
    "permuted": {"data", "aggregates"},
    "clusters": {"clusters", "sensitive"},
}


def released(name: str, engine: str = "polars") -> Release:
    built, models = KINDS[name](engine)
    return given_release(built, models)


@pytest.mark.parametrize("name", KINDS)
def test_any_changed_byte_fails(name: str, tmp_path: Path) -> None:
    release = released(name)
    out = sfumato.publish(release, tmp_path / "out")
    public = {path.name: path for path in (out / "public").iterdir()}
    del public["report.html"]  # made from the other files, and outside of the seal
    wanted = {f"{part}.csv" for part in SEVERAL.get(name, {"data"})}
    assert set(public) == {*wanted, "schema.json", "certificate.json"}
    assert sfumato.verify(out)
    assert sfumato.verify(out / "public", engine="duckdb")
    certificate = json.loads(public["certificate.json"].read_bytes())
    listed = {entry["file"]: entry["sha256"] for entry in certificate["release"]["files"]}
    assert listed == {file: publishing.file_digest(public[file]) for file in wanted}
    assert certificate["statement"] == release.certificate["statement"]
    for path in public.values():
        original = path.read_bytes()
        places = sorted({0, len(original) // 3, len(original) // 2, len(original) - 2})
        changes = [original[:at] + bytes([original[at] ^ 1]) + original[at + 1 :] for at in places]
        for changed in (*changes, original + b"\n", original[:-1]):
            path.write_bytes(changed)
            with pytest.raises(BadRequest):
                sfumato.verify(out)
        path.unlink()
        with pytest.raises(BadRequest):
            sfumato.verify(out)
        path.write_bytes(original)
    assert sfumato.verify(out)


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "arrow", "jsonl", "xlsx"])
@pytest.mark.parametrize("name", KINDS)
def test_every_format_gives_the_same_tables(name: str, form: str, tmp_path: Path) -> None:
    release = released(name)
    out = sfumato.publish(release, tmp_path / "out", format=form)
    assert sfumato.verify(out)
    for part, found in open_published(out).tables.items():
        assert found.columns == release.tables[part].columns
        assert found.types == release.tables[part].types
        if form == "xlsx":  # a spreadsheet keeps 16 digits
            assert [list(row) for row in found.to_rows()] == _nearly(release.tables[part].to_rows())
        else:
            assert found.to_rows() == release.tables[part].to_rows()


def _nearly(rows: list[Any]) -> list[Any]:
    return [[pytest.approx(cell, rel=1e-14) if isinstance(cell, float) else cell for cell in row] for row in rows]


def test_sums_that_a_spreadsheet_rounds_are_refused(tmp_path: Path) -> None:
    values = sfumato.from_rows(["Age", "Dose"], [(age, 1 / (age + 3)) for age in range(40)])
    release = given_release(PermutedTable.build(values, [1] * 40, ["Age"], "Dose", rng()))
    assert sfumato.verify(sfumato.publish(release, tmp_path / "csv"))
    with pytest.raises(Unsupported, match="spreadsheets round"):
        sfumato.publish(release, tmp_path / "xlsx", format="xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["csv"]


@pytest.mark.parametrize("name", KINDS)
def test_both_engines_give_the_same_bytes(name: str, tmp_path: Path) -> None:
    for engine in ("polars", "duckdb"):
        sfumato.publish(released(name, engine), tmp_path / engine)
    for path in (tmp_path / "polars" / "public").iterdir():
        assert path.read_bytes() == (tmp_path / "duckdb" / "public" / path.name).read_bytes(), path.name


def test_public_and_private_are_apart(tmp_path: Path) -> None:
    built, models = KINDS["pair"]("polars")
    release = given_release(built, models)
    out = sfumato.publish(release, tmp_path / "out")
    links = sfumato.read(out / "private" / "links.csv", types={"raw Zip": "text"})
    assert links.columns == ("raw Age", "raw Zip", "raw Disease", "group", "records")
    assert set(links.to_rows()) == {(*row[:3], group, 1) for row, group in zip(ROWS, GROUPS, strict=True)}
    assert not (out / "private" / "policy.yaml").exists()
    # Older versions wrote positions to links.json, and nothing ever read them back.
    (out / "private" / "links.csv").rename(out / "private" / "links.json")
    assert open_published(out).tables["qit"].to_rows() == release.tables["qit"].to_rows()
    assert sfumato.report(out).is_file()
    text = (out / "public" / "certificate.json").read_text()
    assert "seed" not in text
    assert "Flu" not in text
    certificate = json.loads(text)
    assert any(line.startswith("record linkage") for line in certificate["not_protected_against"]) is False
    assert certificate["guarantee"] == {"max_link_probability": pytest.approx(1 / 3), "l": 3}
    assert set(release.public) == {"qit", "st"}
    only_groups = given_release(built, models[:1]).certificate["not_protected_against"]
    assert any(line.startswith("record linkage") for line in only_groups)
    assert not any(line.startswith("attribute linkage") for line in only_groups)


def test_a_grouping_that_fails_is_not_released() -> None:
    built, _ = KINDS["pair"]("polars")
    with pytest.raises(Infeasible, match="l-diversity-frequency") as caught:
        given_release(built, [FrequencyLDiversity(l=4, sensitive="Disease", missing="count")])
    assert caught.value.measured == 3


def test_files_that_fail_their_check_are_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = released("pair")
    honest = folder.file_digest

    def tampered(path: Path) -> str:
        if path.name == "st.csv":
            path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
        return honest(path)

    monkeypatch.setattr(folder, "file_digest", tampered)
    with pytest.raises(InternalError):
        sfumato.publish(release, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_policy_brings_requirements_roles_and_format(tmp_path: Path) -> None:
    raw = hospital(60, seed=1).to_polars()
    names = [name for name in raw.columns if raw[name].null_count() == 0]
    shown = sfumato.read(raw.select(names[1:4]))
    policy = sfumato.Policy.of(
        {
            "columns": {
                names[0]: {"role": "identifier"},
                names[1]: {"role": "quasi-identifier"},
                names[2]: {"role": "quasi-identifier"},
                names[3]: {"role": "sensitive"},
            },
            "requirements": [{"id": "l-diversity-distinct", "l": 1, "sensitive": names[3]}],
            "output": {"format": "parquet"},
        }
    )
    built = AnatomyPair.build(shown, [1, 2] * 30, names[1:3], names[3], rng())
    release = given_release(built, policy=policy)
    assert [verdict.model for verdict in release.verdict] == ["l-diversity-distinct"]
    out = sfumato.publish(release, tmp_path / "out")
    assert (out / "public" / "qit.parquet").is_file()
    assert (out / "private" / "policy.yaml").is_file()
    assert sfumato.verify(out)
    exposed = sfumato.read(raw.select(names[:4]))
    with pytest.raises(BadRequest, match="never published"):
        given_release(AnatomyPair.build(exposed, [1, 2] * 30, names[:3], names[3], rng()), policy=policy)


def test_a_false_certificate_is_found_by_counting(tmp_path: Path) -> None:
    """Hashes that fit do not help a certificate that says more than the files show."""
    from sfumato.publishing.certificate import open_certificate, seal

    out = sfumato.publish(released("pair"), tmp_path / "out")
    path = out / "public" / "certificate.json"
    for change in (
        lambda d: d["guarantee"].update(max_link_probability=0.1),
        lambda d: d["requirements"][0].update(measured=9),
    ):
        original = path.read_bytes()
        document = open_certificate(original)
        change(document)
        path.write_bytes(seal(document))
        with pytest.raises(BadRequest, match="certifies"):
            sfumato.verify(out)
        path.write_bytes(original)
