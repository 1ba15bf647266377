"""Synthetic tables with a promise: noisy marginals, and the multinomial-Dirichlet model against every table and output."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.naive_sanitization import dirichlet_outputs, tables
from sfumato.algorithms import DPMarginals, ProbabilisticDPSynthesis
from sfumato.algorithms.mechanisms._dirichlet import UNITS, disclosure, polya_draws, smallest_prior, sure_prior
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models import DifferentialPrivacy, ProbabilisticDifferentialPrivacy
from sfumato.perturbations.budget import Budget

pytest.importorskip("opendp")

COLUMNS = ["sex", "job", "age"]
ROWS = [("f" if i % 3 else "m", ("cook", "clerk")[i % 2], 20 + i % 40) for i in range(300)]
KNOWN: dict[str, Any] = {"sex": ["f", "m"], "job": ["cook", "clerk"], "age": {"low": 18, "high": 67, "bins": 5}}
ROLES = {"sex": {"role": "quasi-identifier"}, "job": {"role": "quasi-identifier"}, "age": {"role": "sensitive"}}


def table(rows: Any = ROWS) -> Any:
    return sfumato.from_rows(COLUMNS, rows)


def policy(algorithm: dict[str, Any], requirement: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"columns": ROLES, "requirements": [requirement], "algorithm": algorithm, **changes}


def marginals(epsilon: float = 2.0, **parameters: Any) -> dict[str, Any]:
    spec = {"id": "dp-marginals", "domains": KNOWN, **parameters}
    return policy(spec, {"id": "differential-privacy", "epsilon": epsilon})


# ---- noisy marginals ---------------------------------------------------------------------------------------------------


def test_with_hardly_any_noise_pairs_are_kept_and_others_are_independent() -> None:
    """Epsilon 10,000: noise is 0 but with probability e^-2500. Shares of 4,000 rows lie within 6 standard deviations (1e-8)."""
    asked = marginals(10_000.0, marginals=[["sex", "job"], ["job", "age"]], records=4000)
    release = sfumato.anonymize(table(), {**asked, "seed": 1})
    assert release.private.facts["noisy_counts"]["sex x job"] == [[100.0, 100.0], [50.0, 50.0]]
    drawn = release.table.to_rows()
    slack = 6 * 0.5 / math.sqrt(4000)
    for sex in "fm":
        for job in ("cook", "clerk"):
            true = sum(row[:2] == (sex, job) for row in ROWS) / len(ROWS)
            assert abs(sum(row[:2] == (sex, job) for row in drawn) / 4000 - true) < slack
    assert all(18 <= row[2] <= 67 for row in drawn)


def test_total_and_shape_follow_the_noise() -> None:
    """The noisy total of three marginals at epsilon 2 lies within 200 of the truth but with probability below 1e-9."""
    release = sfumato.anonymize(table(), marginals())
    assert abs(release.table.rows - len(ROWS)) < 200
    assert release.certificate["release"]["parameters"]["domains"]["sex"] == {"values": ["f", "m"]}
    assert [share for _, share in release.private.facts["ledger"]] == pytest.approx([2 / 3] * 3)


def test_statistical_audit_on_neighbouring_tables() -> None:
    """What is seen are counts of two marginals; guilty by chance with probability 1e-7, and 10 instead of 0.1 is convicted."""
    rows = [("f", "cook", 20), ("m", "cook", 20)]
    algorithm = DPMarginals(domains={"sex": ["f", "m"], "job": ["cook", "clerk"]})
    first, second = ({"counts": algorithm.exact(table(held))} for held in (rows, rows[1:]))

    def spending(epsilon: float) -> Callable[[Any, np.random.Generator], float]:
        def run(held: Any, rng: np.random.Generator) -> float:
            sex, job = algorithm.noised(held["counts"], Budget(epsilon))
            return float(sex[0] + job[0])

        return run

    sure: dict[str, Any] = {"rng": np.random.default_rng(2), "runs": 1600, "confidence": 1 - 1e-7}
    assert DifferentialPrivacy(epsilon=1.0).audit_samples(spending(1.0), first, second, **sure).satisfied
    assert not DifferentialPrivacy(epsilon=0.1).audit_samples(spending(10.0), first, second, **sure).satisfied


def test_substituted_records_need_more_noise_and_budgets_end() -> None:
    asked = marginals()
    asked["requirements"] = [{"id": "differential-privacy", "epsilon": 1, "adjacency": "substitute"}]
    assert "replaced" in sfumato.anonymize(table(), asked).certificate["statement"]["parameters"]["neighbours"]
    algorithm, budget = DPMarginals(domains=KNOWN), Budget(1.0)
    algorithm.noised(algorithm.exact(table()), budget)
    with pytest.raises(Infeasible, match="exhausted"):
        algorithm.noised(algorithm.exact(table()), budget)


@pytest.mark.parametrize(
    "wrong",
    [
        {"domains": {}},
        {"domains": {"sex": "f"}},
        {"domains": {"age": {"low": 5, "high": 1, "bins": 3}}},
        {"domains": KNOWN, "marginals": [["sex", "nobody"]]},
        {"domains": KNOWN, "marginals": [["sex", "sex"]]},
        {"domains": KNOWN, "marginals": [["sex", "job"], ["job"]]},
        {"domains": KNOWN, "records": 0},
        {"domains": {f"c{i}": list(range(50)) for i in range(4)}, "marginals": [[f"c{i}" for i in range(4)]]},
    ],
)
def test_marginals_that_cannot_be_counted(wrong: Any) -> None:
    with pytest.raises(BadRequest):
        DPMarginals(**wrong)


def test_values_outside_of_their_domain() -> None:
    small = {"sex": ["f"]}
    with pytest.raises(BadRequest, match="outside"):
        sfumato.anonymize(table(), marginals(domains=small))
    left = sfumato.anonymize(table(), marginals(domains=small, outside="leave-out", records=10))
    assert left.table.to_rows() == [("f",)] * 10


# ---- the multinomial-Dirichlet model -----------------------------------------------------------------------------------

SMALL = [
    (2, 3, 4, 1.0, Fraction(1, 2)),
    (3, 3, 4, 1.0, Fraction(1, 2)),
    (3, 4, 5, 1.5, Fraction(1, 4)),
    (2, 5, 6, 0.5, Fraction(2)),
]


def mechanism(cells: int, n: int, m: int, prior: Fraction) -> dict[tuple[int, ...], dict[Any, float]]:
    return {
        tuple(cell for cell, count in enumerate(held) for _ in range(count)): {
            out: float(p) for out, p in dirichlet_outputs(held, prior, m).items()
        }
        for held in tables(n, cells)
    }


@pytest.mark.parametrize(("cells", "n", "m", "epsilon", "prior"), SMALL)
def test_the_bound_holds_over_all_tables_and_outputs(
    cells: int, n: int, m: int, epsilon: float, prior: Fraction
) -> None:
    model = ProbabilisticDifferentialPrivacy(epsilon=epsilon, delta=0.5)
    exact = model.audit(mechanism(cells, n, m, prior)).measured
    bound = disclosure(cells, n, m, epsilon, int(prior * UNITS))
    assert 0 < exact <= bound + 1e-12


@pytest.mark.parametrize(("cells", "n", "m", "epsilon", "prior"), SMALL)
def test_the_sure_prior_is_private_and_no_smaller_one_is(
    cells: int, n: int, m: int, epsilon: float, prior: Fraction
) -> None:
    enough = Fraction(sure_prior(m, epsilon), UNITS)
    for adjacency in ("substitute", "add-remove"):
        model = DifferentialPrivacy(epsilon=epsilon, adjacency=adjacency)
        both = {**mechanism(cells, n, m, enough), **mechanism(cells, n - 1, m, enough)}
        assert model.audit(both).satisfied
    model = DifferentialPrivacy(epsilon=epsilon, adjacency="substitute")
    assert not model.audit(mechanism(cells, n, m, enough * Fraction(9, 10))).satisfied


def test_the_smallest_prior_is_on_the_edge() -> None:
    units = smallest_prior(4, 200, 100, 1.0, 1e-5)
    assert disclosure(4, 200, 100, 1.0, units) <= 1e-5 < disclosure(4, 200, 100, 1.0, units - UNITS // 100)
    assert units < sure_prior(100, 1.0)
    assert smallest_prior(4, 200, 100, 1.0, 0.0) == sure_prior(100, 1.0)
    assert disclosure(4, 200, 100, 1.0, 0) == 1.0


def test_draws_follow_the_law() -> None:
    """4,000 seeded draws against all 15 outputs by chi-squared at the level 1e-6 (df 14: 58.1)."""
    counts, prior, m, runs = (2, 0, 1), Fraction(1, 2), 4, 4000
    rng = np.random.default_rng(3)
    seen = Counter(
        tuple(np.bincount(polya_draws(np.array(counts), UNITS // 2, m, rng), minlength=3).tolist()) for _ in range(runs)
    )
    law = dirichlet_outputs(counts, prior, m)
    assert sum((seen[out] - runs * float(p)) ** 2 / (runs * float(p)) for out, p in law.items()) < 58.1


def synthesis(requirement: dict[str, Any], **parameters: Any) -> dict[str, Any]:
    spec = {"id": "probabilistic-dp-synthesis", "domains": {"sex": ["f", "m"], "job": ["cook", "clerk"]}, **parameters}
    return policy(spec, requirement, seed=4)


PROBABLY = {"id": "probabilistic-differential-privacy", "epsilon": 1.0, "delta": 1e-4}


def test_the_certificate_states_what_anybody_can_repeat(tmp_path: Path) -> None:
    release = sfumato.anonymize(table(), synthesis(PROBABLY, records=50))
    (entry,) = release.certificate["procedures"]
    assert entry["measured"] <= 1e-4
    assert entry["repeatable"]
    assert entry["procedure"]["population"] == len(ROWS)
    assert sfumato.verify(sfumato.publish(release, tmp_path / "out"))


def test_differential_privacy_needs_the_sure_prior_and_a_declared_size() -> None:
    sure = {"id": "differential-privacy", "epsilon": 1.0}
    release = sfumato.anonymize(table(), synthesis(sure, records=50))
    (entry,) = release.certificate["procedures"]
    assert entry["measured"] == pytest.approx(1.0)
    # Under add-remove the number of records is what is protected.
    assert str(len(ROWS)) not in json.dumps(release.certificate.document)
    with pytest.raises(BadRequest, match="declared"):
        sfumato.anonymize(table(), synthesis(sure))
    with pytest.raises(Infeasible):
        sfumato.anonymize(table(), synthesis(sure, records=50, prior=1.0))


def test_what_it_refuses() -> None:
    with pytest.raises(Unsupported):
        sfumato.anonymize(table(), synthesis({**PROBABLY, "adjacency": "add-remove"}, records=50))
    with pytest.raises(BadRequest, match="number of records"):
        sfumato.anonymize(table(), synthesis(PROBABLY, records=50, population=7))
    with pytest.raises(BadRequest, match="outside"):
        sfumato.anonymize(table(), synthesis(PROBABLY, domains={"sex": ["f"]}))
    with pytest.raises(BadRequest, match="bins"):
        sfumato.anonymize(table(), synthesis(PROBABLY, domains={"age": {"low": 20, "high": 60, "bins": 70}}))
    with pytest.raises(BadRequest, match="cells"):
        ProbabilisticDPSynthesis(domains={f"c{i}": {"low": 1, "high": 1000} for i in range(3)})
    with pytest.raises(BadRequest):
        ProbabilisticDPSynthesis(domains=KNOWN, prior=0)


def test_through_the_commands(commands: Callable[..., Path]) -> None:
    out = commands(COLUMNS, ROWS, synthesis(PROBABLY, records=40))
    assert len((out / "public" / "data.csv").read_text().splitlines()) == 41
