"""Releases that recode whole records or leave groups out, from the search to the folder and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import sfumato
import sfumato.cli.apply
import sfumato.cli.measure
from sfumato.algorithms.stepwise.tdr import TDR
from sfumato.cli.main import app
from sfumato.contracts.algorithm import AlgorithmTraits, Outcome, Task
from sfumato.contracts.published import Release
from sfumato.data.schema import ColumnType
from sfumato.engines import get_engine
from sfumato.errors import BadRequest, InternalError
from sfumato.publishing import folder
from sfumato.recodings import (
    CellGeneralization,
    CellSuppression,
    Discretization,
    MultidimensionalGeneralization,
    SubtreeGeneralization,
)
from sfumato.tables.policy import Policy
from sfumato.tables.statistics import release_stats

JOB = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
COLUMNS = ("name", "job", "age", "class")
ROWS: list[tuple[Any, ...]] = [
    ("ann", "Engineer", 30, "Y"),
    ("bob", "Lawyer", 32, "N"),
    ("cid", "Engineer", 31, "Y"),
    ("dan", "Dancer", 38, "N"),
    ("eve", "Writer", 40, "Y"),
    ("fay", "Engineer", 39, "Y"),
    ("gus", "Dancer", 36, "N"),
]
BOXES = (("Professional", "[30-35)"), ("ANY", "[35-40]"))
SHOWN = [BOXES[0], BOXES[0], BOXES[0], BOXES[1], BOXES[1], BOXES[1], BOXES[1]]
TRAITS = replace(TDR.traits, suppresses_records=True)


def policy(**more: Any) -> dict[str, Any]:
    return {
        "columns": {
            "name": {"role": "identifier"},
            "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": JOB}},
            "age": {"role": "quasi-identifier"},
            "class": {"role": "target"},
        },
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "metrics": ["loss", "discernibility", "minimal-distortion"],
        **more,
    }


def boxes(**more: Any) -> MultidimensionalGeneralization:
    made = {"qid": ("job", "age"), "trees": {"job": JOB}, "ranges": {"age": (30, 40)}, "boxes": BOXES}
    return MultidimensionalGeneralization(**{**made, **more})


def cells() -> CellGeneralization:
    return CellGeneralization(
        trees={"job": JOB},
        ranges={"age": (30, 40)},
        cells=tuple(
            (row, name, label)
            for row, labels in enumerate(SHOWN)
            for name, label in zip(("job", "age"), labels, strict=True)
        ),
    )


def stars() -> CellSuppression:
    return CellSuppression(cells=tuple((row, name) for row in range(len(ROWS)) for name in ("job", "age")))


@dataclass
class Fixed:
    """A search that has made up its mind."""

    outcome: Outcome
    id: str = TDR.id
    kind: str = TDR.kind
    traits: AlgorithmTraits = TRAITS
    procedures: tuple[str, ...] = ()

    @staticmethod
    def summary() -> str:
        return TDR.summary()

    @staticmethod
    def refuse_unpromised(models: object) -> None:
        """Promise nothing that could be broken."""

    def run(self, task: Task, rng: np.random.Generator) -> Outcome:
        return self.outcome


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Release]:
    """Return a function that makes the release of an outcome that is decided beforehand."""

    def make(
        outcome: Outcome, rows: Sequence[tuple[Any, ...]] = ROWS, *, engine: str = "polars", **more: Any
    ) -> Release:
        table = get_engine(engine).open(sfumato.from_rows(COLUMNS, rows).to_native())
        with monkeypatch.context() as patched:
            patched.setattr(Policy, "search", lambda self: Fixed(outcome))
            return sfumato.anonymize(table, policy(**more))

    return make


@pytest.fixture
def groups_left_out() -> Outcome:
    """Return an outcome that recodes columns and leaves out one group."""
    return Outcome(
        recodings={
            "job": SubtreeGeneralization(tree=JOB, cut=("Professional", "Dancer", "Writer")),
            "age": Discretization(edges=(30, 35, 40)),
        },
        suppressed=[("Writer", "[35-40)"), ("Professional", "[35-40)")],
    )


OPERATIONS: dict[str, Callable[[], Any]] = {"boxes": boxes, "cells": cells, "stars": stars}


@pytest.fixture(params=OPERATIONS)
def operation(request: pytest.FixtureRequest) -> Any:
    """Return recodings of whole records, one after the other."""
    return OPERATIONS[request.param]()


def published(release: Release, operation: Any) -> list[tuple[Any, ...]]:
    labels = [("*", "*")] * len(ROWS) if isinstance(operation, CellSuppression) else SHOWN
    return sorted((*label, row[3]) for label, row in zip(labels, ROWS, strict=True))


# ---- recodings of whole records ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet"])
def test_the_whole_thread(decided: Callable[..., Release], operation: Any, tmp_path: Path, form: str) -> None:
    release = decided(Outcome(operation=operation))
    assert release.table.to_rows() == published(release, operation)
    assert release.verdict
    assert release.private.operations == (operation,)
    out = sfumato.publish(release, tmp_path / "out", format=form)
    assert sfumato.verify(out)
    certificate = json.loads((out / "public" / "certificate.json").read_text())
    assert [entry["operation"] for entry in certificate["columns"]] == [operation.id, operation.id, "none"]
    fields = {entry["name"]: entry for entry in json.loads((out / "public" / "schema.json").read_text())["fields"]}
    assert fields["job"]["operation"] == fields["age"]["operation"] == operation.id
    assert "operation" not in fields["class"]
    if isinstance(operation, MultidimensionalGeneralization):
        assert fields["age"]["constraints"] == {"enum": ["[30-35)", "[35-40]"]}
    saved = json.loads((out / "private" / "recoding.json").read_text())
    assert [entry["id"] for entry in saved["records"]] == [operation.id]
    raw = sfumato.from_rows(COLUMNS, ROWS)
    for again in (sfumato.apply(out, raw), sfumato.apply(release, raw), sfumato.apply(out / "private", raw)):
        assert again.table.to_rows() == release.table.to_rows()
        assert again.operations == [operation] or again.operations == (operation,)
        assert again.verdict
        assert (again.left_out, again.outside) == (0, {})
    measured = {name: value.value for name, value in release.measured.items()}
    for given in (release, out, sfumato.apply(out, raw)):
        found = sfumato.measure(raw, given, list(measured))
        assert {name: value.value for name, value in found.items()} == measured


def test_every_engine_gives_the_same_release(decided: Callable[..., Release], operation: Any, tmp_path: Path) -> None:
    made = [decided(Outcome(operation=operation), engine=engine) for engine in ("polars", "duckdb")]
    assert [release.table.engine for release in made] == ["polars", "duckdb"]
    assert made[0].table.to_rows() == made[1].table.to_rows()
    assert made[0].measured == made[1].measured
    files = [sfumato.publish(release, tmp_path / release.table.engine) / "public" for release in made]
    for name in ("data.csv", "certificate.json", "schema.json"):
        assert (files[0] / name).read_bytes() == (files[1] / name).read_bytes()


def test_metrics_are_those_of_the_recoding(decided: Callable[..., Release], tmp_path: Path) -> None:
    release = decided(Outcome(operation=boxes()))
    assert release.measured["discernibility"].value == 3**2 + 4**2
    # Half of the leaves below Professional: (2-1)/(4-1); all below ANY. Widths are 5 of 10.
    assert release.measured["loss"].value == pytest.approx(((3 * 1 / 3 + 4) / 7 + 0.5) / 2)
    found = release_stats(sfumato.from_rows(COLUMNS, ROWS), sfumato.publish(release, tmp_path / "out"))
    assert found.target == "class"
    assert found.groups.histograms["class"].dense().tolist() == [[2, 2], [1, 2]]
    assert found.cover_domain.tolist() == [4.0, 7.0]
    assert found.group_cover.tolist() == [[4.0, 4.0], [2.0, 3.0]]


def test_another_raw_table_is_not_taken_for_the_right_one(decided: Callable[..., Release], tmp_path: Path) -> None:
    out = sfumato.publish(decided(Outcome(operation=boxes())), tmp_path / "out")
    others = sfumato.from_rows(COLUMNS, [*ROWS[:2], *ROWS[3:5], *[("joe", "Writer", 37, "N")] * 3])
    with pytest.raises(BadRequest, match="more than there are below it"):
        sfumato.measure(others, out, "minimal-distortion")
    with pytest.raises(BadRequest, match="in no box"):
        sfumato.measure(sfumato.from_rows(COLUMNS, [*ROWS, ("joe", "Dancer", 31, "N")]), out, "loss")


def test_boxes_hold_for_new_records_by_their_rule(decided: Callable[..., Release], tmp_path: Path) -> None:
    out = sfumato.publish(decided(Outcome(operation=boxes())), tmp_path / "out")
    new = [*ROWS, ("kit", "Lawyer", 33, "N")]
    assert sfumato.apply(out, sfumato.from_rows(COLUMNS, new)).table.groups(["job", "age"]).as_dict() == {
        ("ANY", "[35-40]"): 4,
        ("Professional", "[30-35)"): 4,
    }
    strange = sfumato.from_rows(COLUMNS, [*ROWS, ("lou", "Dancer", 31, "N"), ("mia", "Plumber", 36, "N")])
    with pytest.raises(BadRequest, match="2 records lie in no box"):
        sfumato.apply(out, strange)
    applied = sfumato.apply(out, strange, unknown="root")
    assert applied.table.groups(["job", "age"]).as_dict()["ANY", "*"] == 2
    assert applied.verdict
    found = sfumato.measure(strange, applied, ["discernibility", "loss"])
    assert found["discernibility"].value == 4 + 9 + 16
    alone = sfumato.apply(out, sfumato.from_rows(COLUMNS, [("kit", "Lawyer", 33, "N")]))
    assert not alone.verdict


def test_records_in_no_box_go_to_the_nearest_if_so_asked(decided: Callable[..., Release], tmp_path: Path) -> None:
    release = decided(Outcome(operation=boxes()))
    # Boxes are (Professional, [30-35)) and (ANY, [35-40]): 31 is 4 of 10 away from the second, Dancer 1 from the first.
    strange = [
        ("lou", "Dancer", 31, "N"),
        ("mia", "Plumber", 36, "N"),
        ("ned", "Lawyer", 52, "N"),
        ("oda", "Lawyer", 12, "N"),
    ]
    applied = sfumato.apply(release, sfumato.from_rows(COLUMNS, strange), unknown="nearest")
    assert applied.table.groups(["job", "age"]).as_dict() == {("ANY", "[35-40]"): 3, ("Professional", "[30-35)"): 1}
    assert applied.outside == {"job": 1, "age": 3}
    again = sfumato.apply(
        sfumato.publish(release, tmp_path / "out"), sfumato.from_rows(COLUMNS, strange), unknown="nearest"
    )
    assert again.table.to_rows() == applied.table.to_rows()


def test_cells_know_their_own_records_only(decided: Callable[..., Release], tmp_path: Path) -> None:
    out = sfumato.publish(decided(Outcome(operation=cells())), tmp_path / "out")
    with pytest.raises(BadRequest, match=r"row must lie in 0\.\.5"):
        sfumato.apply(out, sfumato.from_rows(COLUMNS, ROWS[:6]))
    with pytest.raises(BadRequest, match="does not cover"):
        sfumato.apply(out, sfumato.from_rows(COLUMNS, ROWS[::-1]))


def test_columns_in_which_nothing_changes_are_published_as_they_are(
    decided: Callable[..., Release], tmp_path: Path
) -> None:
    rows = [(name, job, 35, kind) for name, job, _, kind in ROWS]
    operation = boxes(boxes=(("ANY", "35"),))
    release = decided(Outcome(operation=operation), rows)
    assert release.table.types["age"] is ColumnType.INTEGER
    out = sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(out)
    raw = sfumato.from_rows(COLUMNS, rows)
    assert sfumato.measure(raw, out, "loss").value == sfumato.measure(raw, release, "loss").value == 0.5


@pytest.mark.parametrize("label", ["Artist", "Plumber"])
def test_a_file_with_a_value_that_is_not_published_is_stopped(
    decided: Callable[..., Release], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, label: str
) -> None:
    release = decided(Outcome(operation=boxes()))
    real = folder.file_digest

    def tampered(path: Path) -> str:
        path.write_text(path.read_text("utf-8").replace("Professional", label), encoding="utf-8")
        return real(path)

    monkeypatch.setattr(folder, "file_digest", tampered)
    with pytest.raises(InternalError, match=r"fail the check of recoded-table: schema\.json: lists other values"):
        sfumato.publish(release, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


# ---- groups that are left out --------------------------------------------------------------------------------------------


def test_groups_are_left_out_everywhere(
    decided: Callable[..., Release], groups_left_out: Outcome, tmp_path: Path
) -> None:
    release = decided(groups_left_out, limits={"suppress_at_most": 0.3})
    assert release.counts["records_suppressed"] == 2
    assert release.table.groups(["job", "age"]).as_dict() == {("Dancer", "[35-40)"): 2, ("Professional", "[30-35)"): 3}
    out = sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(out)
    raw = sfumato.from_rows(COLUMNS, ROWS)
    for given in (out, release):
        applied = sfumato.apply(given, raw)
        assert applied.table.to_rows() == release.table.to_rows()
        assert applied.left_out == 2
        assert [known.id for known in applied.operations] == ["group-suppression"]
        assert applied.verdict
        for one in (given, applied):
            found = release_stats(raw, one)
            assert (found.records, found.suppressed) == (7, 2)
            assert sorted(found.suppressed_sizes.tolist()) == [1, 1]
            measured = sfumato.measure(raw, one, ["loss", "discernibility", "minimal-distortion"])
            assert {name: value.value for name, value in measured.items()} == {
                name: value.value for name, value in release.measured.items()
            }
    more = sfumato.apply(out, sfumato.from_rows(COLUMNS, [*ROWS, ("kit", "Lawyer", 36, "N")]))
    assert more.left_out == 3


def test_a_file_with_records_that_were_to_be_left_out_is_stopped(
    decided: Callable[..., Release], groups_left_out: Outcome, tmp_path: Path
) -> None:
    release = decided(groups_left_out, limits={"suppress_at_most": 0.3})
    (left,) = release.private.operations
    more = replace(left, groups=(*left.groups, ("Dancer", "[35-40)")))
    worse = replace(release, private=replace(release.private, operations=(more,)))
    with pytest.raises(InternalError, match="2 records that were to be left out"):
        sfumato.publish(worse, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


# ---- reports and the command line ----------------------------------------------------------------------------------------


def test_the_report_shows_published_values(decided: Callable[..., Release], operation: Any, tmp_path: Path) -> None:
    out = sfumato.publish(decided(Outcome(operation=operation)), tmp_path / "out")
    page = (out / "private" / "report.html").read_text()
    values = 1 if isinstance(operation, CellSuppression) else 2
    said = f"recoded record by record ({operation.id}): {values} published value"
    assert said.capitalize() in page
    if values > 1:
        assert "[30-35)" in page
        assert "Professional" in page
    for hidden in ("Engineer", "Lawyer", "Dancer", "Writer", "c1-cut", "Open dots"):
        assert hidden not in page


def test_the_report_of_many_overlapping_intervals(decided: Callable[..., Release], tmp_path: Path) -> None:
    rows = [(f"n{at}", "Engineer", 30 + at // 2 / 10, "Y") for at in range(100)]
    edges = [(30 + at / 10, 30 + (at + 1) / 10) for at in range(50)]
    labels = [f"[{low:g}-{high:g})" for low, high in edges]
    operation = boxes(ranges={"age": (30, 36)}, boxes=tuple(("Engineer", label) for label in labels))
    release = decided(Outcome(operation=operation), rows)
    page = (sfumato.publish(release, tmp_path / "out") / "private" / "report.html").read_text()
    assert "50 published values" in page
    assert "the 23 most frequent values" in page


def test_the_report_counts_groups_that_are_left_out(
    decided: Callable[..., Release], groups_left_out: Outcome, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = decided(groups_left_out, limits={"suppress_at_most": 0.3})
    page = (sfumato.publish(release, tmp_path / "out") / "private" / "report.html").read_text()
    assert "Groups of records that were left out as a whole" in page
    assert "Records left out to meet the requirements" in page
    from sfumato.reports.text import print_release

    print_release(release, tmp_path / "out")
    assert "left out: 2 records in 2 groups" in capsys.readouterr().out


def test_the_terminal_names_the_operation(
    decided: Callable[..., Release], operation: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from sfumato.reports.text import print_release

    print_release(decided(Outcome(operation=operation)), tmp_path / "out")
    told = capsys.readouterr().out
    lines = [line.split() for line in told.splitlines()]
    assert [line[1] for line in lines if line[:1] in (["job"], ["age"])] == [operation.id] * 2
    assert "left out:" not in told


def test_measure_and_apply_from_the_command_line(
    decided: Callable[..., Release], operation: Any, groups_left_out: Outcome, tmp_path: Path
) -> None:
    raw = tmp_path / "raw.csv"
    sfumato.from_rows(COLUMNS, ROWS).write(raw)
    release = decided(Outcome(operation=operation))
    out = sfumato.publish(release, tmp_path / "out")
    done = CliRunner().invoke(app, ["measure", str(raw), str(out), "--json"])
    assert done.exit_code == 0, done.output
    found = {entry["metric"]: entry["value"] for entry in json.loads(done.stdout)["metrics"]}
    for name, value in release.measured.items():
        assert found[name] == pytest.approx(value.value)
    done = CliRunner().invoke(app, ["apply", str(out), str(raw), "-o", str(tmp_path / "again.csv")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "again.csv").read_bytes() == (out / "public" / "data.csv").read_bytes()
    less = sfumato.publish(decided(groups_left_out, limits={"suppress_at_most": 0.3}), tmp_path / "less")
    done = CliRunner().invoke(app, ["apply", str(less), str(raw), "-o", str(tmp_path / "less.csv")])
    assert "2 records are left out" in done.stdout


def test_measure_is_told_the_raw_table_with_missing_values(decided: Callable[..., Release], tmp_path: Path) -> None:
    """Cells are found by their place after records with missing values were dropped, as in the release."""
    columns = policy()["columns"]
    columns["job"] = {**columns["job"], "missing": "drop-record"}
    rows = [ROWS[0], ("zoe", None, 33, "N"), *ROWS[1:]]
    release = decided(Outcome(operation=cells()), rows, columns=columns)
    raw = sfumato.from_rows(COLUMNS, rows)
    out = sfumato.publish(release, tmp_path / "out")
    for given in (release, out, sfumato.apply(out, raw)):
        assert sfumato.measure(raw, given, "discernibility").value == 3**2 + 4**2
