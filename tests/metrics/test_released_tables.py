"""Releases that are nothing but a table: what labels stand for, records that are gone, rows that stand for nobody."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.contracts.metric import DataMetric
from sfumato.tables.statistics import published_stats, release_stats
from sfumato.verbs.measure import data_metrics

JOB = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
RAW = sfumato.from_rows(
    ["Job", "Age"], [("Engineer", 30), ("Engineer", 32), ("Lawyer", 38), ("Dancer", 30), ("Writer", 41), ("Writer", 50)]
)


def jobs(*labels: str) -> sfumato.Table:
    return sfumato.from_rows(["Job"], [(label,) for label in labels])


def measured(metric: Any, *labels: str, **options: Any) -> Any:
    return sfumato.measure(RAW, jobs(*labels), metric, hierarchies={"Job": JOB}, **options)


def test_labels_are_nodes_of_the_tree() -> None:
    found = measured(
        ["loss", "minimal-distortion", "normalized-certainty-penalty"], *["Professional"] * 3, *["Artist"] * 3
    )
    assert found["loss"].value == pytest.approx(1 / 3)
    assert found["minimal-distortion"].value == 6
    assert found["normalized-certainty-penalty"].value == 3


def test_a_star_is_the_root() -> None:
    assert measured("loss", *["*"] * 6).value == 1
    assert measured("minimal-distortion", *["*"] * 6).value == 12


def test_a_label_that_is_no_node_is_refused_by_name() -> None:
    with pytest.raises(sfumato.BadRequest, match="no node of the hierarchy") as caught:
        measured("loss", *["Professional"] * 3, *["Artists"] * 3)
    assert caught.value.column == "Job"
    assert caught.value.value == ["Artists"]
    with pytest.raises(sfumato.BadRequest, match="no raw value"):
        sfumato.measure(RAW, jobs(*["Artist"] * 6), "loss", qid=["Job"])
    with pytest.raises(sfumato.BadRequest, match="no interval"):
        sfumato.measure(RAW, sfumato.from_rows(["Age"], [("[30-40)",)] * 5 + [("old",)]), "loss", qid=["Age"])


def test_labels_of_one_value_may_differ() -> None:
    """Local recoding: nobody knows which Engineer became what, and what climbs in total does not depend on it."""
    labels = ["Professional", "Engineer", "Professional", "ANY", "Artist", "Writer"]
    found = measured(["minimal-distortion", "precision", "loss", "discernibility"], *labels)
    assert found["minimal-distortion"].value == 1 + 0 + 1 + 2 + 1 + 0
    assert found["precision"].value == pytest.approx(5 / 12)
    assert found["loss"].value == pytest.approx((1 + 0 + 1 + 3 + 1 + 0) / 3 / 6)
    assert found["discernibility"].value == 2**2 + 4
    for metric in ("kl-divergence", "non-uniform-entropy"):
        with pytest.raises(sfumato.BadRequest, match="needs to know"):
            measured(metric, *labels)
    assert not {"kl-divergence", "non-uniform-entropy"} & set(measured(None, *labels))


def test_more_records_than_there_are_below_a_label_are_refused() -> None:
    with pytest.raises(sfumato.BadRequest, match="more than there are below it") as caught:
        measured("loss", *["Professional"] * 4, *["Artist"] * 2)
    assert caught.value.value == "Professional"
    with pytest.raises(sfumato.BadRequest, match="must be named"):
        measured("loss", *["ANY"] * 7)


def test_rows_that_stand_for_nobody_fill_groups_and_pay_nothing() -> None:
    labels = ["Artist", *["Professional"] * 3, *["Artist"] * 3, "Professional"]
    found = measured(["discernibility", "minimal-distortion", "ambiguity"], *labels, added=[0, 7])
    assert found["discernibility"].value == 3 * 4 + 3 * 4
    assert found["minimal-distortion"].value == 6
    assert found["ambiguity"].value == 12
    # Two groups of four rows over two values each; the raw shares are 2, 1 and 1, 2 of six.
    wanted = 2 * (2 / 6 * log2(2 / 6 * 4) + 1 / 6 * log2(1 / 6 * 4))
    assert measured("kl-divergence", *labels, added=[0, 7]).value == pytest.approx(wanted)
    for wrong in ([8], [-1], [0, 0]):
        with pytest.raises(sfumato.BadRequest, match="row numbers") as caught:
            measured("loss", *labels, added=wrong)
        assert caught.value.parameter == "added"


def test_records_that_are_gone_are_suppressed() -> None:
    assert measured("discernibility", *["Professional"] * 3).value == 9 + 3 * 6
    assert measured("loss", *["Professional"] * 3).value == pytest.approx((3 / 3 + 3) / 6)
    assert measured("minimal-distortion", *["Professional"] * 3).value == 3 + 6
    some = measured(["loss", "minimal-distortion"], *["Professional"] * 2, *["Artist"] * 3)  # one Professional is gone
    assert some["loss"].value == pytest.approx((5 / 3 + 1) / 6)
    assert some["minimal-distortion"].value == 5 + 2
    with pytest.raises(sfumato.BadRequest, match="what the suppressed records would have become"):
        measured({"id": "loss", "gs_factor": 0.2}, *["Professional"] * 3)


def test_intervals_and_numbers() -> None:
    ages = sfumato.from_rows(["Age"], [("[30-40)",)] * 4 + [("[40-50]",)] * 2)
    found = sfumato.measure(RAW, ages, ["loss", "ambiguity", "minimal-distortion"], qid=["Age"])
    assert found["loss"].value == pytest.approx(0.5)
    assert found["ambiguity"].value == 4 * 3 + 2 * 2  # 30, 32, 38 and 41, 50
    assert found["minimal-distortion"].value == 6
    mixed = sfumato.from_rows(["Age"], [("30",), ("30",), ("[30-40)",), ("[30-40)",), ("*",), ("*",)])
    assert sfumato.measure(RAW, mixed, "loss", qid=["Age"]).value == pytest.approx((0 + 0 + 10 + 10 + 20 + 20) / 20 / 6)


def test_suppressed_values_and_suppressed_cells() -> None:
    values = jobs("Engineer", "Engineer", "*", "*", "Writer", "Writer")  # Lawyer and Dancer everywhere
    assert sfumato.measure(RAW, values, "loss", qid=["Job"]).value == pytest.approx(2 * (2 - 1) / 3 / 6)
    cells = jobs("Engineer", "*", "Lawyer", "Dancer", "Writer", "*")  # one Engineer, one Writer
    assert sfumato.measure(RAW, cells, "loss", qid=["Job"]).value == pytest.approx(2 * 1 / 6)
    assert sfumato.measure(RAW, cells, "minimal-distortion", qid=["Job"]).value == 2


def test_recodings_of_whole_records_speak_for_themselves() -> None:
    cells = sfumato.recode(RAW, {"id": "cell-suppression", "cells": [[0, "Job"], [5, "Job"]]})
    found = sfumato.measure(RAW, cells, qid=["Job"])
    assert found["loss"].value == pytest.approx(2 / 6)
    assert "non-uniform-entropy" not in found
    assert sfumato.measure(RAW, cells.table, "loss", qid=["Job"]).value == found["loss"].value
    few = sfumato.recode(RAW, {"id": "record-suppression", "qid": ["Job"], "k": 2})
    found = sfumato.measure(RAW, few)
    assert found["loss"].value == pytest.approx(2 / 6)
    assert found["discernibility"].value == 4 + 4 + 2 * 6
    # Trees say more than the operation knows: a suppressed record then climbs two levels.
    assert found["minimal-distortion"].value == 2
    assert sfumato.measure(RAW, few, "minimal-distortion", hierarchies={"Job": JOB}).value == 4


def test_an_untouched_table_costs_nothing() -> None:
    found = sfumato.measure(RAW, RAW, qid=["Job", "Age"])
    for name in ("loss", "iloss", "precision", "kl-divergence", "non-uniform-entropy", "normalized-certainty-penalty"):
        assert found[name].value == 0, name
    assert found["ambiguity"].value == RAW.rows


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(sfumato.BadRequest, match="needs the columns") as caught:
        sfumato.measure(RAW, RAW)
    assert caught.value.parameter == "qid"
    with pytest.raises(sfumato.BadRequest, match="is not a column") as caught:
        sfumato.measure(RAW, jobs("ANY"), "loss", qid=["Job", "Age"])
    assert caught.value.parameter == "release"
    with pytest.raises(sfumato.BadRequest, match="not a release"):
        measured("igpl", *["ANY"] * 6)
    with pytest.raises(sfumato.BadRequest, match="needs a class"):
        measured("classification-metric", *["ANY"] * 6)
    with pytest.raises(sfumato.BadRequest, match="target"):
        measured("classification-metric", *["ANY"] * 6, target="Job")
    with pytest.raises(sfumato.BadRequest, match="target"):
        measured("classification-metric", *["ANY"] * 6, target="Class")
    holes = sfumato.from_rows(["Job"], [("Engineer",), (None,)])
    with pytest.raises(sfumato.BadRequest, match="missing") as caught:
        sfumato.measure(holes, jobs("ANY", "ANY"), "loss", hierarchies={"Job": JOB})
    with pytest.raises(sfumato.BadRequest, match="missing") as caught:
        sfumato.measure(jobs("Engineer", "Lawyer"), holes, "loss", hierarchies={"Job": JOB})
    assert caught.value.column == "Job"


def test_all_data_metrics_are_asked() -> None:
    found = sfumato.measure(
        RAW, sfumato.recode(RAW, {"Job": {"id": "full-domain-generalization", "level": 1}}, {"Job": JOB})
    )
    asked = data_metrics()
    assert {metric.id for metric in asked} - set(found) == {"classification-metric"}
    assert all(isinstance(metric, DataMetric) for metric in asked)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_engines_agree(engine: str, tmp_path: Path) -> None:
    RAW.write(tmp_path / "raw.csv")
    table = sfumato.read(tmp_path / "raw.csv", engine=engine)
    spec = {
        "Job": {"id": "full-domain-generalization", "level": 1},
        "Age": {"id": "discretization", "edges": [30, 40, 51]},
    }
    release = sfumato.recode(table, spec, {"Job": JOB})
    found = {name: one.value for name, one in sfumato.measure(table, release).items()}
    other = sfumato.measure(RAW, sfumato.recode(RAW, spec, {"Job": JOB}))
    assert found == pytest.approx({name: one.value for name, one in other.items()})


def test_many_wide_columns_still_find_their_groups() -> None:
    """More combinations of labels than fit into one number."""
    names = [f"c{number}" for number in range(12)]
    rows = [tuple(f"v{(row * (at + 3)) % 97}" for at in range(12)) for row in range(300)]
    table = sfumato.from_rows(names, rows)
    stats = release_stats(table, table, qid=names)
    assert stats.raw_group is not None
    assert sorted(stats.raw_group.tolist()) == list(range(len(stats.groups)))
    assert sfumato.measure(table, table, "kl-divergence", qid=names).value == pytest.approx(0, abs=1e-9)


def test_published_stats_collapse_what_a_search_compressed_with_more_columns() -> None:
    table = sfumato.from_rows(
        ["Job", "Class"], [("Engineer", "y"), ("Engineer", "n"), ("Lawyer", "y"), ("Dancer", "n")]
    )
    release = sfumato.recode(table, {"Job": {"id": "full-domain-generalization", "level": 1}}, {"Job": JOB})
    dictionaries = {"Job": table.dictionary("Job")}
    raw = table.compress(["Job"], ["Class"], dictionaries | {"Class": table.dictionary("Class")})
    groups = release.table.groups(["Job"], ["Class"])
    stats = published_stats(dictionaries, release.recodings, groups, table.rows, raw=raw, target="Class")
    assert stats.raw_sizes is not None
    assert sorted(stats.raw_sizes.tolist()) == [1, 1, 2]
    assert {metric.id for metric in data_metrics() if metric.applies(stats) is not None} == set()
    two = sfumato.from_rows(["b", "a"], [("x", "p"), ("x", "q"), ("y", "p")])
    as_they_are = {name: {"id": "value-suppression", "suppressed": []} for name in ("a", "b")}
    kept = sfumato.recode(two, as_they_are)
    turned = published_stats(
        {name: two.dictionary(name) for name in ("a", "b")},
        kept.recodings,
        kept.table.groups(["b", "a"]),
        two.rows,
        raw=two.compress(["a", "b"]),
    )
    assert turned.suppressed == 0
    with pytest.raises(sfumato.BadRequest, match="does not hold the groups"):
        published_stats(dictionaries, release.recodings, table.groups(["Job"]), table.rows, raw=raw)
