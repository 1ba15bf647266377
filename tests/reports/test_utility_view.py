"""What a release is still good for: sentences agree with numbers, and nothing is claimed that was not measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.published import Release
from sfumato.datasets import sample, sample_policy
from sfumato.reports.html import report_page
from sfumato.reports.utility_view import classification_view, queries_view
from sfumato.tables.evidence import predicted, questioned

from .conftest import taken_apart


def test_questions_are_the_same_every_time_and_add_up(sampled: Release) -> None:
    told = questioned(sampled, sampled.private.raw)
    assert told == questioned(sampled, sampled.private.raw)
    assert sum(count for _, count in told["spread"]) == told["queries"] - told["undefined"]
    assert told["sensitive"] == "diagnosis"
    view = queries_view({"queries": told})
    assert view is not None
    assert f"{told['queries'] - told['undefined']} questions" in view["reading"]


def test_an_unmasked_table_answers_without_error() -> None:
    rows = [(town, job) for town in "wxyz" for job in "ab" for _ in range(5)]
    trees = {"town": {"ANY": list("wxyz")}, "job": {"ANY": list("ab")}}
    policy = {
        "columns": {
            name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}}
            for name, tree in trees.items()
        },
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": "optimal"},
    }
    release = sfumato.anonymize(sfumato.from_rows(["town", "job"], rows), policy)
    assert all(recoding.identity for recoding in release.recodings.values())
    assert questioned(release, release.private.raw)["mean"] == 0


def test_nothing_to_ask_is_told(made: Any) -> None:
    told = {"median": None, "reason": "No question was asked: because."}
    assert queries_view({"queries": told}) == {"reading": "No question was asked: because.", "drawing": None}
    assert queries_view({}) is None
    assert classification_view({}) is None


def test_predictions_are_measured_on_both_tables(sampled: Release) -> None:
    pytest.importorskip("sklearn")
    told = predicted(sampled, sampled.private.raw)
    assert told is not None
    view = classification_view({"classification": told})
    assert view is not None
    assert "A decision tree that predicts readmitted is wrong for" in view["reading"]
    assert len(view["rows"]) == 3
    page = taken_apart(report_page(sampled, sampled.certificate, Evidence(utility={"classification": told})))
    assert not page.faults
    assert view["reading"].replace("\u00a0", " ") in page.text


def test_a_large_table_is_learnt_from_a_sample(monkeypatch: pytest.MonkeyPatch, sampled: Release) -> None:
    pytest.importorskip("sklearn")
    from sfumato.tables import evidence

    monkeypatch.setattr(evidence, "_SAMPLE", 3000)
    told = predicted(sampled, sampled.private.raw)
    assert told is not None
    assert "Measured on 3,000 of 10,000 records, drawn at random." in told["notes"]
    assert told["classifiers"][0]["BE"]["n_test"] == 1000
    assert told["same_records_on_both_sides"]


def test_what_was_not_measured_is_said_to_be(sampled: Release) -> None:
    text = taken_apart(report_page(sampled, sampled.certificate)).text
    assert "Not measured: sfumato report OUT --raw TABLE" in text
    assert "The release should help to predict readmitted. How well it does was not measured" in text


def test_releases_of_many_columns_ask_few_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A set of columns costs one grouping of each table, so their number must not grow with the columns."""
    data = sample()
    release = sfumato.anonymize(sfumato.from_dataset(data), sample_policy())
    raw = release.private.raw
    seen: list[tuple[str, ...]] = []
    honest = type(raw).groups

    def counting(self: Any, columns: Any, histograms: Any = ()) -> Any:
        seen.append(tuple(columns))
        return honest(self, columns, histograms)

    monkeypatch.setattr(type(raw), "groups", counting)
    questioned(release, raw)
    assert len(seen) <= 12
    assert np.unique([len(columns) for columns in seen]).tolist() == [3]
