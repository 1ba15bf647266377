"""Sites with the same columns, from a contract to a certified joint table that central Mondrian finds too."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import sfumato
from sfumato.errors import BadRequest, SfumatoError
from sfumato.parties.contract import Contract
from sfumato.parties.plan import planned, sentences_before
from sfumato.parties.simulation import collaborate, simulate

TREE = {"value": "any", "children": [{"value": "A", "children": [{"value": "a"}, {"value": "b"}]}, {"value": "c"}]}


def contract(**protocol: Any) -> dict[str, Any]:
    return {
        "holders": {"north": {}, "south": {}, "west": {}},
        "protocol": {"id": "distributed-mondrian", "mode": "sum", **protocol},
        "columns": {
            "patient": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "range": [0, 99]},
            "ward": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": TREE}},
            "ill": {"role": "sensitive"},
        },
        "requirements": [
            {"id": "k-anonymity", "k": 3},
            {"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"},
        ],
    }


@pytest.fixture(scope="module")
def sites() -> dict[str, pl.DataFrame]:
    rng = np.random.default_rng(2)
    return {
        name: pl.DataFrame(
            {
                "patient": [f"{name}{at}" for at in range(12)],
                "age": rng.integers(20, 70, 12),
                "ward": rng.choice(["a", "b", "c"], 12),
                "ill": rng.choice(["flu", "hiv"], 12),
            }
        )
        for name in ("north", "south", "west")
    }


def test_the_joint_table_is_certified_and_that_of_one_holder(sites: dict[str, pl.DataFrame]) -> None:
    release = simulate(contract(labels="tight"), sites)
    assert release.verdict
    policy = {key: value for key, value in contract().items() if key not in ("holders", "protocol")}
    central = sfumato.anonymize(pl.concat(sites.values()), {**policy, "algorithm": {"id": "mondrian"}})
    assert sorted(release.table.to_rows()) == sorted(central.table.to_rows())
    assert "patient" not in release.table.columns
    assert any("takes its own records out" in warning for warning in release.warnings)


def test_what_sites_did_not_agree_on_is_refused(sites: dict[str, pl.DataFrame]) -> None:
    def refused(document: dict[str, Any], tables: dict[str, Any], error: str) -> None:
        with pytest.raises(SfumatoError, match=error):
            collaborate(document, tables)

    refused(
        {**contract(), "requirements": [{"id": "l-diversity-entropy", "l": 1.2, "sensitive": "ill"}]},
        sites,
        "keeps k-anonym",
    )
    refused(contract(l=4), sites, "number of sites")
    refused(contract(), {**sites, "west": sites["west"].drop("ill")}, "does not have the column")
    refused(contract(), {**sites, "west": sites["west"].with_columns(more=pl.lit(1))}, "does not name")
    refused(contract(), {"north": sites["north"], "south": sites["south"]}, "those of the contract")
    unbound = contract()
    unbound["columns"]["age"] = {"role": "quasi-identifier"}
    refused(unbound, sites, "needs a range")
    values = contract()
    values["columns"]["ward"]["hierarchy"] = "suppression"
    refused(values, sites, "taxonomy")
    two = {**contract(), "holders": {"north": {}, "south": {}}}
    with pytest.raises(BadRequest, match="use bits"):
        collaborate(two, {name: sites[name] for name in ("north", "south")})


def test_a_plan_of_sites_says_what_each_will_learn_and_refuses_what_a_run_would() -> None:
    found = planned(Contract.of(contract()))
    assert found.together == ["age", "ward"]
    assert not any("step takes" in one for one in found.words())
    assert any("sums themselves" in one for one in found.words())
    assert not any("sums themselves" in one for one in planned(Contract.of(contract(mode="bits"))).words())
    assert sentences_before(Contract.of(contract())) == found.words()  # who approves a session is told as much
    with pytest.raises(BadRequest, match="number of sites"):
        planned(Contract.of(contract(l=4)))


@pytest.mark.parametrize("ends", [[99, 0], [float("-inf"), 99], [0, float("nan")]])
def test_a_range_that_cannot_be_halved_is_refused(ends: list[float], sites: dict[str, pl.DataFrame]) -> None:
    asked = contract()
    asked["columns"]["age"]["range"] = ends
    with pytest.raises(BadRequest, match="must rise"):
        planned(Contract.of(asked))
    with pytest.raises(BadRequest, match="must rise"):
        collaborate(asked, sites)
