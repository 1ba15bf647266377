"""The Laplace mechanism: exact answers below the noise, sensitivities on neighbours, audits, refusals, the whole thread.

OpenDP's noise cannot be seeded. Where a test draws it, the bounds are so wide that a correct program fails with probability
below 1e-6, as said beside each.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.algorithms import LaplaceMechanism
from sfumato.algorithms.mechanisms._private_queries import private_queries
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models import DifferentialPrivacy
from sfumato.perturbations.budget import Budget
from sfumato.perturbations.opendp_noise import OpenDPLaplace

pytest.importorskip("opendp")

COLUMNS = ["sex", "age", "pay"]
ROWS = [("fm"[i % 2], 18 + (i * 7) % 60, round(900 + (i * 37) % 800 + i / 8, 3)) for i in range(80)]
ROLES = {"sex": {"role": "quasi-identifier"}, "age": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}}
QUERIES: list[dict[str, Any]] = [
    {"count": {"sex": "f"}},
    {"sum": "pay", "low": 0, "high": 2000, "where": {"age": {"low": 30, "high": 50}}},
    {"mean": "age", "low": 0, "high": 100},
    {"histogram": "age", "edges": [0, 30, 50, 120]},
    {"histogram": "sex", "values": ["f", "m", "d"]},
    {"quantile": "age", "q": 0.5, "low": 0, "high": 100},
]


def table(rows: Any = ROWS) -> Any:
    return sfumato.from_rows(COLUMNS, rows)


def policy(queries: Any = QUERIES, epsilon: float = 2.0, **changes: Any) -> dict[str, Any]:
    return {
        "columns": ROLES,
        "requirements": [{"id": "differential-privacy", "epsilon": epsilon}],
        "algorithm": {"id": "laplace-mechanism", "queries": queries},
        **changes,
    }


# ---- what is asked -----------------------------------------------------------------------------------------------------


def test_exact_answers_by_hand() -> None:
    count, total, mean, ages, sexes, median = private_queries(QUERIES, "queries")
    assert count.exact(table()) == [sum(row[0] == "f" for row in ROWS)]
    step = total.unit(table().types["pay"])
    wanted = sum(round(min(max(row[2], 0), 2000) / step) for row in ROWS if 30 <= row[1] <= 50)
    assert total.exact(table()) == [wanted]
    assert mean.exact(table()) == [sum(row[1] for row in ROWS), len(ROWS)]
    assert ages.exact(table()) == [
        sum(low <= row[1] < high for row in ROWS) for low, high in ((0, 30), (30, 50), (50, 121))
    ]
    assert sexes.exact(table()) == [40, 40, 0]
    assert sorted(median.numbers(table())) == sorted(float(row[1]) for row in ROWS)


row = st.tuples(st.sampled_from("fm"), st.one_of(st.none(), st.integers(-50, 150)), st.floats(-3000, 3000, width=32))


@settings(max_examples=80, deadline=None)
@given(rows=st.lists(row, min_size=2, max_size=12), at=st.integers(0, 11), other=row)
def test_no_record_changes_an_answer_by_more_than_its_sensitivity(rows: list[Any], at: int, other: Any) -> None:
    # A column of its own type in every neighbour: one value of each is always there.
    rows = [*rows, ("f", 1, 0.5)]
    at %= len(rows) - 1
    held, without = table(rows), table(rows[:at] + rows[at + 1 :])
    replaced = table([*rows[:at], other, *rows[at + 1 :]])
    for query in private_queries(QUERIES[:5], "queries"):
        kind = None if query.column is None else held.types[query.column]
        parts = slice(0, 1) if query.kind == "mean" else slice(None)
        for near, substitute in ((without, False), (replaced, True)):
            change = sum(abs(a - b) for a, b in zip(query.exact(held)[parts], query.exact(near)[parts], strict=True))
            assert change <= query.sensitivity(kind, substitute)


def test_sensitivities_are_the_textbook_ones() -> None:
    model = DifferentialPrivacy(epsilon=1)
    queries = private_queries(
        [{"count": {}}, {"sum": "age", "low": -5, "high": 20}, {"histogram": "sex", "values": ["f", "m"]}], "queries"
    )
    kind = table().types["age"]
    assert queries[0].sensitivity(None, False) == model.sensitivity("count")
    assert queries[1].sensitivity(kind, False) == model.sensitivity("sum", low=-5, high=20)
    assert queries[2].sensitivity(kind, False) == model.sensitivity("histogram")
    assert queries[2].sensitivity(kind, True) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [{}],
        ["count"],
        [{"count": {}, "sum": "age"}],
        [{"sum": "age"}],
        [{"sum": "age", "low": 0}],
        [{"mean": "age", "high": 3}],
        [{"sum": "age", "low": 5, "high": 5}],
        [{"sum": "age", "low": 0, "high": math.inf}],
        [{"sum": "age", "low": 0, "high": 9, "step": 0}],
        [{"histogram": "age"}],
        [{"histogram": "age", "values": [1], "edges": [0, 1]}],
        [{"histogram": "age", "edges": [3, 1]}],
        [{"histogram": "sex", "values": ["f", "f"]}],
        [{"quantile": "age", "q": 2, "low": 0, "high": 9}],
        [{"quantile": "age", "q": 0.5}],
        [{"quantile": "age", "q": 0.5, "candidates": [2, 1]}],
        [{"count": {}, "epsilon": 0}],
        [{"count": {}, "epsilon": -1}],
        [{"count": {"age": {"low": 1}}}],
        [{"count": {"age": []}}],
        [{"count": {}, "where": {}}],
        [{"count": {}}, {"count": {}}],
        [{"histogram": "sex", "values": 7}],
        [{"histogram": "sex", "values": True}],
        [{"histogram": "sex", "values": "fm"}],
        [{"histogram": "sex", "values": ["f", ["m"]]}],
    ],
)
def test_questions_that_leave_open_what_a_record_changes(wrong: Any) -> None:
    with pytest.raises(BadRequest):
        LaplaceMechanism(queries=wrong)


@pytest.mark.parametrize(
    "wrong", [{"count": {"nobody": 1}}, {"sum": "sex", "low": 0, "high": 1}, {"count": {"age": "old"}}]
)
def test_columns_that_do_not_fit(wrong: Any) -> None:
    with pytest.raises(BadRequest):
        sfumato.anonymize(table(), policy([wrong]))


# ---- the budget --------------------------------------------------------------------------------------------------------


def test_shares_are_spent_and_never_overdrawn() -> None:
    queries = [{"count": {}, "epsilon": 0.7}, {"mean": "age", "low": 0, "high": 100}, {"count": {"sex": "f"}}]
    budget = Budget(1.0)
    answers = LaplaceMechanism(queries=queries).ask(table(), budget)
    assert [answer.epsilon for answer in answers] == pytest.approx([0.7, 0.075, 0.075, 0, 0.15])
    assert budget.left == 0.0
    with pytest.raises(Infeasible, match="exhausted"):
        LaplaceMechanism(queries=[{"count": {}, "epsilon": 0.01}]).ask(table(), budget)


def test_a_share_that_is_not_there_is_refused_before_anything_is_answered() -> None:
    queries = [{"count": {}, "epsilon": 0.7}, {"count": {"sex": "f"}, "epsilon": 0.4}]
    with pytest.raises(Infeasible) as refused:
        sfumato.anonymize(table(), policy(queries, epsilon=1.0))
    assert refused.value.bound == 1.0
    with pytest.raises(Infeasible):
        sfumato.anonymize(table(), policy([{"count": {}, "epsilon": 1.0}, {"count": {"sex": "f"}}], epsilon=1.0))


@pytest.mark.parametrize("epsilon", [0, -1, math.inf])
def test_no_epsilon_no_release(epsilon: float) -> None:
    with pytest.raises(BadRequest):
        sfumato.anonymize(table(), policy(epsilon=epsilon))


def test_requirements_that_it_cannot_promise() -> None:
    with pytest.raises(BadRequest, match="laplace-mechanism"):  # says which algorithms can
        sfumato.anonymize(table(), {**policy(), "algorithm": {"id": "tdr"}})
    with pytest.raises(BadRequest, match="cannot promise"):
        sfumato.anonymize(table(), policy(requirements=[{"id": "d-gamma-privacy", "d": 0.1, "gamma": 0.5}]))
    two = [{"id": "differential-privacy", "epsilon": 1}] * 2
    with pytest.raises(Unsupported, match="exactly one"):
        sfumato.anonymize(table(), policy(requirements=two))
    with pytest.raises(Unsupported):
        sfumato.check(table(), policy=policy())
    with pytest.raises(Unsupported, match="anonymize"):
        sfumato.release(table(), "noisy-answers", policy=policy(), queries=[{}], epsilon=1)


def test_without_opendp_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(Unsupported, match=r"sfumato\[dp\]"):
        sfumato.anonymize(table(), policy())


# ---- the noise ---------------------------------------------------------------------------------------------------------


def test_scale_is_sensitivity_over_share() -> None:
    release = sfumato.anonymize(table(), policy())
    for _, _, epsilon, change, scale in release.table.to_rows():
        if epsilon:
            assert scale * epsilon >= change * (1 - 1e-12)
            assert (
                scale * epsilon <= 1.5 * change
            )  # no more noise than it takes; the scores of a quantile need a little more


@pytest.mark.parametrize(("epsilon", "change"), [(0.5, 1), (1.0, 3), (0.05, 100)])
def test_noise_follows_the_discrete_laplace_law(epsilon: float, change: int) -> None:
    """Compare 4,000 draws with the law, by Hoeffding's bound at 1e-9: 9 cells fail together with probability below 1e-7."""
    noise = OpenDPLaplace(epsilon, change)
    drawn = np.array(noise.add([0] * 4000))
    ratio = math.exp(-1 / noise.scale)
    slack = math.sqrt(math.log(2e9) / (2 * len(drawn)))
    for edge in np.linspace(-2 * noise.scale, 2 * noise.scale, 9):
        edge = math.floor(edge)
        # P(X <= x) of the two-sided geometric law with ratio q: 1 - q^(x+1)/(1+q) for x >= 0, q^(-x)/(1+q) below.
        below = 1 - ratio ** (edge + 1) / (1 + ratio) if edge >= 0 else ratio ** (-edge) / (1 + ratio)
        assert abs((drawn <= edge).mean() - below) <= slack


def test_the_law_itself_is_private_exactly() -> None:
    """Audit the discrete Laplace law as a finite procedure: outputs far out are lumped at both ends, which only helps."""
    epsilon, change = 0.5, 2
    q, reach = math.exp(-epsilon / change), 400

    def law(centre: int) -> dict[int, float]:
        out = {x: (1 - q) / (1 + q) * q ** abs(x - centre) for x in range(-reach + 1, reach)}
        tail = 1 - math.fsum(out.values())
        low = q ** (centre + reach) / (1 + q)
        return {**out, -reach: low, reach: tail - low}

    model = DifferentialPrivacy(epsilon=epsilon)
    audit = model.audit({"with": law(10), "without": law(10 + change)}, [("with", "without")])
    assert audit.satisfied
    assert audit.measured == pytest.approx(epsilon)
    assert not model.audit({"with": law(10), "without": law(13)}, [("with", "without")]).satisfied


RUNS, SURE = 1600, 1 - 1e-7
AUDITED: dict[str, dict[str, Any]] = {
    "count": {"count": {"sex": "f"}},
    "sum": {"sum": "age", "low": 0, "high": 100},
    "mean": {"mean": "age", "low": 0, "high": 100},
    "histogram": {"histogram": "sex", "values": ["f", "m"]},
    "quantile": {"quantile": "age", "q": 1, "candidates": [0, 200], "where": {"sex": "f"}},
}


def answered(query: dict[str, Any], epsilon: float) -> Callable[[Any, np.random.Generator], Any]:
    """Return the procedure on (table, its exact answers); what is seen of two cells is their difference, of a mean its sum."""
    mechanism = LaplaceMechanism(queries=[query])

    def run(held: Any, rng: np.random.Generator) -> Any:
        answers = mechanism.noised(held[1], held[0].types, Budget(epsilon))
        return float(answers[0].answer - (answers[1].answer if query.get("histogram") else 0))

    return run


@pytest.mark.parametrize("kind", AUDITED)
def test_statistical_audit_on_neighbouring_tables(kind: str) -> None:
    """A private procedure is found guilty with probability 1e-7 at most.

    As many runs convict one that spends 5 (on a sum) where it says 0.1: over repeated trials the measured level lies seven
    standard deviations above that.
    """
    rows = [("f", 100, 1.0), ("m", 100, 1.0)]
    query = AUDITED[kind]
    first, second = ((held, LaplaceMechanism(queries=[query]).exact(held)) for held in (table(rows), table(rows[1:])))
    rng = np.random.default_rng(1)
    told = DifferentialPrivacy(epsilon=1.0).audit_samples(
        answered(query, 1.0), first, second, rng=rng, runs=RUNS, confidence=SURE
    )
    assert told.satisfied, told
    broken = DifferentialPrivacy(epsilon=0.1).audit_samples(
        answered(query, 10.0 if kind == "mean" else 5.0), first, second, rng=rng, runs=RUNS, confidence=SURE
    )
    assert not broken.satisfied, broken


def test_a_quantile_is_near() -> None:
    """With epsilon 50 the chance of a candidate whose score is worse by 40 records is below e^-100 times their number."""
    rows = [("f", at, 1.0) for at in range(1, 1001)]
    query = {"quantile": "age", "q": 0.25, "candidates": list(range(0, 1001, 50))}
    (answer,) = LaplaceMechanism(queries=[query]).ask(table(rows), Budget(50))
    assert answer.answer == 250.0


# ---- the whole thread --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_published_verified_and_told(engine: str, tmp_path: Path) -> None:
    held = table() if engine == "polars" else sfumato.read(table().to_native(), engine="duckdb")
    release = sfumato.anonymize(held, policy())
    out = sfumato.publish(release, tmp_path / "out")
    found = sfumato.verify(out)
    assert found
    assert found.unchecked == ()
    certificate = json.loads((out / "public" / "certificate.json").read_text())
    assert certificate["release"]["truthful"] is False
    assert certificate["guarantee"]["epsilon"] <= 2.0
    (entry,) = certificate["procedures"]
    assert (entry["model"], entry["measured"], entry["repeatable"]) == ("differential-privacy", 2.0, True)
    # Not even the number of records is published without noise.
    assert certificate["counts"] == {"rows_published": release.table.rows}
    assert release.private.facts["records_read"] == len(ROWS)
    page = (out / "private" / "report.html").read_text()
    assert "differential-privacy (epsilon=2.0) by laplace-mechanism" in page
    assert "chosen among candidates" in page
    assert "from other answers" in page


def test_a_certificate_that_claims_more_is_refused(tmp_path: Path) -> None:
    from sfumato.publishing.certificate import open_certificate, seal

    out = sfumato.publish(sfumato.anonymize(table(), policy()), tmp_path / "out")
    path = out / "public" / "certificate.json"
    document = open_certificate(path.read_bytes())
    document["procedures"][0]["measured"] = 1.0
    path.write_bytes(seal(document))
    with pytest.raises(BadRequest, match="promises 2"):
        sfumato.verify(out)
    document["procedures"][0]["procedure"]["queries"][4]["values"] = 7
    path.write_bytes(seal(document))
    with pytest.raises(BadRequest, match=r"queries\.values: must be a list"):
        sfumato.verify(out)
    document["procedures"][0]["procedure"]["queries"][4]["values"] = ["f", "m", "d"]
    document["procedures"][0]["parameters"]["epsilon"] = 1.0
    path.write_bytes(seal(document))
    with pytest.raises(BadRequest, match="amount to"):
        sfumato.verify(out)


def test_through_the_commands(commands: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    out = commands(COLUMNS, ROWS, policy([{"count": {"sex": "f"}}], epsilon=1.0))
    assert (out / "public" / "data.csv").is_file()
    said = capsys.readouterr().out
    assert "promised: differential-privacy (epsilon=1.0) by laplace-mechanism" in said
    assert "computed from the stated parameters" in said


def test_substituted_records_need_more_noise() -> None:
    asked = policy([{"histogram": "sex", "values": ["f", "m"]}], epsilon=1.0)
    asked["requirements"] = [{"id": "differential-privacy", "epsilon": 1.0, "adjacency": "substitute"}]
    release = sfumato.anonymize(table(), asked)
    assert [(row[3], row[4]) for row in release.table.to_rows()] == [(2.0, 2.0), (2.0, 2.0)]
    with pytest.raises(BadRequest):
        LaplaceMechanism(queries=[{"count": {}}]).ask(table(), Budget(1), adjacency="far")


def test_shares_add_up_exactly() -> None:
    release = sfumato.anonymize(table(), policy([{"count": {"age": at}} for at in range(20, 50)], epsilon=0.1))
    assert sum((Fraction(row[2]) for row in release.table.to_rows()), Fraction(0)) <= Fraction(1, 10)
