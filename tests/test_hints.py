"""Hints name what helps: no search that refuses too, no guess from nothing, no error in the words of Python."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import sfumato
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models import KAnonymity, TCloseness

TABLE = sfumato.from_rows(["job", "ill"], [("Artist", "flu"), ("Lawyer", "hiv")] * 6)
TREE = {"id": "taxonomy", "tree": {"Any": ["Artist", "Lawyer"]}}
COLUMNS = {"job": {"role": "quasi-identifier", "hierarchy": TREE}, "ill": {"role": "sensitive"}}


def asked(requirement: dict[str, Any], algorithm: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"columns": COLUMNS, "requirements": [requirement], "algorithm": algorithm, **more}


@pytest.mark.parametrize(
    "algorithm", ["spalm", "mpalm", "l-diversity-incognito", "anatomize", "genetic-algorithm", "mu-argus"]
)
def test_a_search_that_would_refuse_too_is_not_named(algorithm: str) -> None:
    with pytest.raises(Unsupported) as refused:
        sfumato.anonymize(TABLE, asked({"id": "k-map", "k": 2}, {"id": algorithm}), external=TABLE)
    for other in refused.value.alternatives:
        sfumato.anonymize(TABLE, asked({"id": "k-map", "k": 2}, {"id": other}), external=TABLE)


def test_nothing_is_not_taken_for_a_misspelling() -> None:
    error = BadRequest("is required and missing", parameter="rows", available=["none", "some"])
    assert "did you mean" not in str(error)
    assert "did you mean 'some'" in str(BadRequest("is unknown", value="sme", available=["none", "some"]))


def test_who_leaves_everybody_out_is_not_told_that_as_many_are_allowed() -> None:
    policy = asked(
        {"id": "k-anonymity", "k": 7}, {"id": "optimal", "levels": {"job": 0}}, limits={"suppress_at_most": 1.0}
    )
    with pytest.raises(Infeasible, match="leave out every record"):
        sfumato.anonymize(TABLE, policy)


def test_a_missing_or_unknown_parameter_is_told_in_our_words() -> None:
    with pytest.raises(BadRequest, match=r"k-anonymity\.k: is required and missing"):
        KAnonymity()  # type: ignore[call-arg]
    with pytest.raises(BadRequest, match=r"t-closeness\.tt: is not a parameter"):
        TCloseness(tt=0.1, t=0.1, sensitive="ill", ground_distance="equal")  # type: ignore[call-arg]
    model = KAnonymity(k=3)
    assert pickle.loads(pickle.dumps(model)) == copy.deepcopy(model) == model
