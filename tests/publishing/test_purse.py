"""Budgets that a policy names: charged before noise is drawn, refused with figures, told by the certificate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sfumato
from sfumato.cli import commands  # noqa: F401  (importing registers the commands)
from sfumato.cli.main import app
from sfumato.errors import BadRequest, Infeasible
from sfumato.ledger.facts import Charged
from sfumato.ledger.ledger import Ledger
from sfumato.publishing.certificate import open_certificate

TABLE = sfumato.from_rows(["sex", "job"], [("f", "cook"), ("m", "clerk")] * 20)
DOMAINS = {"sex": ["f", "m"], "job": ["cook", "clerk"]}
COUNTED = {"id": "laplace-mechanism", "queries": [{"count": {"sex": "f"}}]}
PURE = {"id": "differential-privacy", "epsilon": 0.4}
RARE = {"id": "probabilistic-differential-privacy", "epsilon": 0.4, "delta": 1e-5}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A ledger with two budgets."""
    with Ledger.create(tmp_path / "people.ledger") as ledger:
        ledger.budgets.allot("survey", epsilon=1.0, delta=1e-4)
        ledger.budgets.allot("year", epsilon=2.0, delta=1e-4)
    return tmp_path / "people.ledger"


def policy(place: Path | None, algorithm: dict[str, object] = COUNTED, **keys: object) -> dict[str, object]:
    columns = {"sex": {"role": "quasi-identifier"}, "job": {"role": "quasi-identifier"}}
    told = {"requirements": [PURE], "budget": "survey", **keys}
    return {"columns": columns, "algorithm": algorithm, **({"ledger": str(place)} if place else {}), **told}


@pytest.mark.parametrize(
    ("algorithm", "requirement"),
    [
        (COUNTED, PURE),
        ({"id": "dp-marginals", "domains": DOMAINS, "records": 10}, PURE),
        ({"id": "probabilistic-dp-synthesis", "domains": DOMAINS, "records": 10}, RARE),
        (
            {"id": "probabilistic-dp-synthesis", "domains": DOMAINS, "records": 10},
            {**PURE, "adjacency": "substitute"},
        ),
    ],
)
def test_every_mechanism_charges_before_it_draws(
    place: Path, algorithm: dict[str, object], requirement: dict[str, object]
) -> None:
    asked = policy(place, algorithm, requirements=[requirement], budget=["survey", "year"])
    for spent in (0.4, 0.8):
        (charge,) = sfumato.anonymize(TABLE, asked).certificate.charges
        with Ledger(place) as ledger:
            for name in ("survey", "year"):
                assert ledger.budgets.quote(name, epsilon=0).spent.epsilon == pytest.approx(spent * 1e6, abs=2)
            entry = ledger.entry(charge.size)
            assert isinstance(entry.facts, Charged)
            assert (entry.facts.purpose, charge.head) == (algorithm["id"], entry.head.hex())
        assert charge.budgets == ("survey", "year")
        assert charge.epsilon == pytest.approx(0.4, abs=2e-6)
        assert (0 < charge.delta <= 1e-5) == (requirement is RARE)
    with pytest.raises(
        Infeasible, match=r"survey: 0\.[78].* of 1 .*spent, 0\.4.* asked, 0\.2.* left, enough for 0 such"
    ):
        sfumato.anonymize(TABLE, asked)
    with Ledger(place) as ledger:
        assert ledger.size == 5, "a refused draw leaves no entry, in neither budget"


def test_baskets_charge_what_the_library_states(place: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("who,what\n" + "".join(f"p{at},jazz\n" for at in range(400)))
    asked = {
        "shape": "transactions",
        "person": "who",
        "items": {"column": "what"},
        "requirements": [{"id": "approximate-differential-privacy", "epsilon": 0.5, "delta": 1e-6}],
        "algorithm": {"id": "private-query-release", "epsilon": 0.5, "delta": 1e-6, "most": 1},
        "ledger": str(place),
        "budget": "survey",
    }
    (charge,) = sfumato.anonymize(tmp_path / "rows.csv", asked).certificate.charges
    assert charge.epsilon == pytest.approx(0.5, abs=2e-6)
    assert 0 < charge.delta <= 1e-6


def test_what_fails_before_the_draw_costs_nothing(place: Path) -> None:
    broken = {"id": "dp-marginals", "domains": {"sex": ["f"]}}
    with pytest.raises(BadRequest, match="outside of the declared domain"):
        sfumato.anonymize(TABLE, policy(place, broken))
    with Ledger(place) as ledger:
        assert ledger.budgets.quote("survey", epsilon=0).spent.epsilon == 0


def test_what_cannot_pay_is_refused_before_any_work(place: Path, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="is not a budget of the ledger") as refused:
        sfumato.anonymize("nowhere.csv", policy(place, budget="surveys"))
    assert refused.value.available == ["survey", "year"]
    with pytest.raises(BadRequest, match="is required with a budget"):
        sfumato.anonymize("nowhere.csv", policy(None))
    with pytest.raises(BadRequest, match="there is no ledger"):
        sfumato.anonymize("nowhere.csv", policy(tmp_path / "other.ledger"))
    free = policy(place, {"id": "tdr"}, requirements=[{"id": "k-anonymity", "k": 2}])
    with pytest.raises(BadRequest, match="is for noise, and tdr draws none") as refused:
        sfumato.anonymize(TABLE, free)
    assert "laplace-mechanism" in (refused.value.available or ())


def test_trials_in_the_house_cost_nothing(place: Path) -> None:
    asked = policy(place, {"id": "dp-marginals", "domains": DOMAINS, "records": 30})
    sfumato.three_questions(TABLE, asked, attempts=5, aux=["sex"], sensitive="job")
    with Ledger(place) as ledger:
        assert ledger.size == 3


def test_the_fingerprint_does_not_say_who_pays(place: Path) -> None:
    one, other = (sfumato.Policy.of(policy(place, budget=name)) for name in ("survey", "year"))
    assert one.digest() == other.digest()
    assert sfumato.Policy.of(one.document()) == one


def test_the_thread_on_the_command_line(place: Path, tmp_path: Path) -> None:
    def run(*words: str, code: int = 0) -> str:
        done = CliRunner().invoke(app, list(words))
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == code, done.output
        return done.output

    data, file, out = tmp_path / "people.csv", tmp_path / "policy.json", tmp_path / "out"
    data.write_text("sex,job\n" + "f,cook\nm,clerk\n" * 20)
    file.write_text(json.dumps(policy(None, budget="survey", ledger="people.ledger")))
    said = run("anonymize", str(data), "-p", str(file), "-o", str(out), "--budget", "year", "--budget", "survey")
    assert "charged before the noise was drawn: epsilon 0.4 and delta 0 to year and survey, entry 4" in said
    assert "epsilon 0.4 and delta 0 to year and survey" in (out / "public" / "report.html").read_text()
    run("verify", str(out))
    certificate = open_certificate((out / "public" / "certificate.json").read_bytes())
    assert certificate.charges[0].budgets == ("year", "survey")
    assert "agrees, entry 4" in run("ledger", "verify", str(place), "--against", str(out))
    with Ledger(place) as ledger:
        entry = ledger.entry(4)
        assert isinstance(entry.facts, Charged)
        ledger.budgets.refund(entry.facts.key, "nobody looks at it")
    told = run("ledger", "verify", str(place), "--against", str(out), code=1)
    assert "the noise of this release is not paid there" in told
