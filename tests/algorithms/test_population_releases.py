"""A population beside a table: three searches, one policy that names it, and what is certified of it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.errors import BadRequest, Infeasible, Unsupported

TREE = {"id": "taxonomy", "tree": {"Any": [{"Art": ["Dancer", "Writer"]}, {"Law": ["Judge", "Lawyer"]}]}}
RNG = random.Random(4)
PEOPLE = [(RNG.choice(["Dancer", "Writer", "Judge", "Lawyer"]), RNG.randint(20, 60)) for _ in range(300)]
ROWS = [(*one, RNG.choice(["flu", "hiv"])) for one in PEOPLE[:90]]


def policy(requirement: dict[str, Any], algorithm: Any, *, ages: bool, **more: Any) -> dict[str, Any]:
    age: dict[str, Any] = {"role": "quasi-identifier"}
    if ages:
        age["hierarchy"] = {"id": "intervals", "lower": 20, "width": 5, "fan_out": [2, 2, 3]}
    return {
        "columns": {"job": {"role": "quasi-identifier", "hierarchy": TREE}, "age": age, "ill": {"role": "sensitive"}},
        "requirements": [requirement],
        "algorithm": {"id": algorithm},
        **more,
    }


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "tdr", "incognito"])
@pytest.mark.parametrize(
    "requirement",
    [
        {"id": "k-map", "k": 12},
        {"id": "delta-presence", "delta_min": 0.0, "delta_max": 0.5},
        {"id": "delta-presence", "delta_min": 0.1, "delta_max": 0.6},
        {"id": "no-attack", "gain": 60, "cost": 7, "attacker": "journalist"},
    ],
)
def test_what_is_certified_holds_by_hand(algorithm: str, requirement: dict[str, Any]) -> None:
    raw = sfumato.from_rows(["job", "age", "ill"], ROWS)
    everybody = sfumato.from_rows(["job", "age"], PEOPLE)
    asked = policy(requirement, algorithm, ages=algorithm not in ("mondrian", "tdr"))
    release = sfumato.anonymize(raw, asked, external=everybody)
    assert release.verdict.satisfied
    published = release.table.groups(["job", "age"]).as_dict()
    people = release.private.beside.external.groups(["job", "age"]).as_dict()
    assert sum(people.values()) == len(PEOPLE)
    if requirement["id"] == "delta-presence":
        shares = [published.get(key, 0) / count for key, count in people.items()]
        assert min(shares) >= requirement["delta_min"]
        assert max(shares) <= requirement["delta_max"]
    else:
        assert min(people[key] for key in published) >= requirement.get("k", 9)
    assert len(published) > 1  # the search did more than mask everything


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "tdr"])
def test_a_share_that_no_masking_brings_down_is_said_as_a_share(algorithm: str) -> None:
    rows = [("a",), ("a",), ("b",)]
    asked = {
        "columns": {"q": {"role": "quasi-identifier"}},
        "requirements": [{"id": "delta-presence", "delta_min": 0.0, "delta_max": 0.1}],
        "algorithm": {"id": algorithm},
    }
    everybody = sfumato.from_rows(["q"], [*rows, ("b",)])
    with pytest.raises(Infeasible, match=r"0\.75, needed >= 0 and <= 0\.1"):
        sfumato.anonymize(sfumato.from_rows(["q"], rows), asked, external=everybody)


def test_the_policy_names_the_population(tmp_path: Path) -> None:
    import polars

    polars.DataFrame(PEOPLE, schema=["job", "age"], orient="row").write_csv(tmp_path / "people.csv")
    asked = sfumato.Policy.of(policy({"id": "k-map", "k": 12}, "optimal", ages=True, population="people.csv"))
    (tmp_path / "policy.yaml").write_text(asked.to_yaml())
    raw = sfumato.from_rows(["job", "age", "ill"], ROWS)
    named = sfumato.anonymize(raw, tmp_path / "policy.yaml")
    given = sfumato.anonymize(
        raw,
        policy({"id": "k-map", "k": 12}, "optimal", ages=True),
        external=sfumato.from_rows(["job", "age"], PEOPLE),
    )
    assert named.table.to_rows() == given.table.to_rows()
    assert str(tmp_path) not in str(dict(named.certificate))
    found = sfumato.explore(raw, tmp_path / "policy.yaml", ks=())
    assert found.solutions[0].levels == named.private.facts["levels"]
    asked = asked.model_copy(update={"population": str(tmp_path / "nobody.csv")})
    with pytest.raises(BadRequest, match=r"nobody\.csv"):
        sfumato.anonymize(raw, asked)


def test_profitability_is_judged_inside_and_refused_where_nobody_knows_what_labels_stand_for(tmp_path: Path) -> None:
    raw = sfumato.from_rows(["job", "age", "ill"], ROWS)
    game = {"id": "profitability", "benefit": 100, "loss": 300, "gain": 60, "cost": 10}
    asked = policy(
        game, "optimal", ages=True, limits={"suppress_at_most": 0.5}, metrics=[{**game, "id": "publisher-payout"}]
    )
    release = sfumato.anonymize(raw, asked)
    assert release.verdict.satisfied
    assert release.measured["publisher-payout"].value > 0
    for algorithm in ("tdr", "mondrian"):
        with pytest.raises(Unsupported, match="optimal"):
            sfumato.anonymize(raw, policy(game, algorithm, ages=False))
    with pytest.raises(Unsupported, match="strict"):
        sfumato.anonymize(
            raw,
            {
                **policy({"id": "k-map", "k": 2}, "mondrian", ages=False),
                "algorithm": {"id": "mondrian", "strict": False},
            },
            external=sfumato.from_rows(["job", "age"], PEOPLE),
        )


@pytest.mark.parametrize("weighed", [False, True])
def test_a_journalists_payout_is_certified_by_the_people_who_were_counted(weighed: bool) -> None:
    """By hand: who looks like a group is counted among the recoded people, or weights are added up."""
    amounts = {"benefit": 100, "loss": 300, "gain": 60, "cost": 5}
    asked = policy(
        {"id": "k-map", "k": 6},
        "optimal",
        ages=True,
        limits={"suppress_at_most": 0.2},
        metrics=[{"id": "publisher-payout", "attacker": "journalist", **amounts}, "entropy-based-information-loss"],
        output={"row_order": "keep"},
    )
    rows = [(*row, 2) for row in ROWS] if weighed else ROWS
    if weighed:
        asked |= {"weights": "w", "population": "weights"}
        asked["columns"]["w"] = {"role": "private"}
    raw = sfumato.from_rows(["job", "age", "ill", "w"][: len(rows[0])], rows)
    everybody = None if weighed else sfumato.from_rows(["job", "age"], PEOPLE)
    release = sfumato.anonymize(raw, asked, external=everybody)
    published = release.table.groups(["job", "age"]).as_dict()
    each = 2 if weighed else 1
    people = {key: each * size for key, size in published.items()}
    if not weighed:
        people = release.private.beside.external.groups(["job", "age"]).as_dict()
    lost = release.measured["entropy-based-information-loss"].value
    gone = each * (len(ROWS) - release.table.rows)
    attacked = sum(size * each * 300 / people[key] for key, size in published.items() if 60 / people[key] > 5)
    kept = each * release.table.rows
    assert attacked > 0
    assert release.measured["publisher-payout"].value == pytest.approx(100 * (kept - (lost - gone)) - attacked)
