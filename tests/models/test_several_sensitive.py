"""Several sensitive columns: each alone, or with the others known."""

from __future__ import annotations

from typing import Any

import pytest

import sfumato
from sfumato import BadRequest
from sfumato.models import DistinctLDiversity, EntropyLDiversity, KAnonymity
from sfumato.models.several_sensitive import expand

# Each disease goes with one income only: whoever learns the one knows the other.
TABLE = sfumato.from_rows(
    ["Job", "Disease", "Income"],
    [("Artist", "Flu", "low"), ("Artist", "Flu", "low"), ("Artist", "HIV", "high"), ("Artist", "HIV", "high")],
)
MODEL = DistinctLDiversity(l=2, sensitive="?", missing="count")


def test_independent_checks_each_column() -> None:
    models = expand(MODEL, ["Disease", "Income"])
    assert [model.needs() for model in models] == [("Disease",), ("Income",)]
    assert all(model.spec()["missing"] == "count" for model in models)
    assert sfumato.check(TABLE, models, qid=["Job"])


def test_strict_lets_the_adversary_know_the_others() -> None:
    models = expand(MODEL, ["Disease", "Income"], "strict", qid=["Job"])
    verdicts = sfumato.check(TABLE, models)
    assert [verdict.qid for verdict in verdicts] == [("Job", "Income"), ("Job", "Disease")]
    assert [verdict.strongest for verdict in verdicts] == [1, 1]
    assert not verdicts


def test_strict_implies_independent() -> None:
    rows = [(job, d, i) for job in "ab" for d in "xyz" for i in "uv"]
    table = sfumato.from_rows(["Job", "Disease", "Income"], rows)
    for reading in ("independent", "strict"):
        assert sfumato.check(
            table, expand(EntropyLDiversity(l=2, sensitive="?"), ["Disease", "Income"], reading, qid=["Job"])
        )


def test_the_quasi_identifier_of_the_model_stays() -> None:
    (model,) = expand(DistinctLDiversity(l=2, sensitive="?", qid=("Job",)), ["Disease"], "strict")
    assert model == DistinctLDiversity(l=2, sensitive="Disease", qid=("Job",))


@pytest.mark.parametrize(
    ("model", "sensitive", "reading", "qid", "rule"),
    [
        (MODEL, ["Disease"], "loose", ["Job"], "is not one of the choices"),
        (MODEL, [], "independent", None, "at least one column"),
        (MODEL, ["Disease", "Disease"], "independent", None, "none twice"),
        (MODEL, ["Disease"], "strict", None, "needs the quasi-identifier"),
        (MODEL, ["Job"], "strict", ["Job"], "cannot be part of the quasi-identifier"),
        (KAnonymity(k=2), ["Disease"], "independent", None, "has no sensitive column"),
    ],
)
def test_refusals(model: Any, sensitive: list[str], reading: Any, qid: Any, rule: str) -> None:
    with pytest.raises(BadRequest, match=rule):
        expand(model, sensitive, reading, qid=qid)
