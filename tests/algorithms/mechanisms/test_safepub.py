"""Sampling and grouping: the least size by exact tails, the exact divergence below it, a score that one record hardly moves."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.algorithms.mechanisms._random_sampling import delta_of, drawn_records, largest_share, required_size
from sfumato.algorithms.mechanisms.safepub import _score
from sfumato.errors import BadRequest, Contradiction, Infeasible, Unsupported
from sfumato.publishing.certificate import seal
from sfumato.releases import SampledTable
from sfumato.searches.lattice import Lattice, Rollup
from sfumato.tables.prepare import prepare

JOBS = {"Any": [{"Art": ["Dancer", "Writer"]}, {"Law": ["Judge", "Lawyer"]}]}


def weight(n: int, j: int, beta: float) -> float:
    return math.comb(n, j) * beta**j * (1 - beta) ** (n - j)


def naive_delta(k: int, beta: float, epsilon: float, until: int) -> float:
    """Every n up to a number, every term by its definition."""
    gamma = (math.exp(epsilon) - 1 + beta) / math.exp(epsilon)
    return max(
        sum(weight(n, j, beta) for j in range(n + 1) if j > gamma * n)
        for n in range(max(1, math.ceil(k / gamma - 1)), until)
    )


def test_values_that_were_computed_elsewhere() -> None:
    assert math.isclose(delta_of(5, 0.1, 1.0), 0.0001765, abs_tol=5e-8)
    assert math.isclose(delta_of(10, largest_share(1.0), 1.0), 0.047658, abs_tol=5e-7)
    assert [required_size(e, 1e-5, largest_share(e)) for e in (0.5, 1.0, 2.0)] == [51, 61, 113]
    assert required_size(1.0, 1e-6, largest_share(1.0)) == 74


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("k", [1, 2, 5, 13, 30])
@pytest.mark.parametrize("share", [0.2, 0.7, 1.0])
def test_the_bound_is_the_largest_tail(epsilon: float, k: int, share: float) -> None:
    beta = share * largest_share(epsilon)
    assert math.isclose(delta_of(k, beta, epsilon), naive_delta(k, beta, epsilon, 250), rel_tol=1e-9)


def test_an_epsilon_at_which_gamma_is_rounded_to_one_promises_no_delta_of_nothing() -> None:
    """All n records of a group are kept with chance beta^n, more than gamma n: delta is never below that."""
    assert math.isclose(delta_of(5, 0.1, 30.0), 0.1**5, rel_tol=1e-9)
    assert math.isclose(delta_of(5, 0.1, 40.0), 0.1**4, rel_tol=1e-9)  # one record less is counted: the safe side
    assert delta_of(1, largest_share(20.0), 20.0) > 0.999
    assert delta_of(1, largest_share(50.0), 50.0) == 1.0
    assert [required_size(epsilon, 1.5e-5, 0.1) for epsilon in (30.0, 1000.0)] == [5, 6]
    for epsilon in (12.0, 20.0, 36.0, 50.0, 1000.0):
        with pytest.raises(BadRequest, match="or give a smaller beta"):
            required_size(epsilon, 1e-5, largest_share(epsilon))


@pytest.mark.parametrize("epsilon", [1.0, 4.0, 5.0])
def test_what_is_passed_over_would_not_do(epsilon: float) -> None:
    beta = largest_share(epsilon)
    k = required_size(epsilon, 1e-3, beta)
    assert delta_of(k, beta, epsilon) <= 1e-3 < min(delta_of(less, beta, epsilon) for less in range(max(1, k - 40), k))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.5, 2.0])
def test_one_group_with_and_without_a_member_is_never_told_apart_by_more(epsilon: float) -> None:
    """The exact divergence of publishing a group's count if it is at least k, in both directions."""
    beta = largest_share(epsilon)
    for k in (2, 5, 10, 20):
        worst = 0.0
        for n in range(1, 120):
            shown = [[weight(m, j, beta) for j in range(n + 1)] for m in (n, n - 1)]
            told = [[sum(one[:k]), *one[k:]] for one in shown]
            for here, there in (told, told[::-1]):
                excess = sum(max(a - math.exp(epsilon) * b, 0) for a, b in zip(here, there, strict=True))
                worst = max(worst, excess)
        assert worst <= delta_of(k, beta, epsilon) * (1 + 1e-9)
        if (epsilon, k) == (1.0, 10):
            assert math.isclose(worst, 0.019970, abs_tol=5e-7)


def test_tiny_epsilons_and_deltas_are_counted_at_once_and_on_the_safe_side() -> None:
    """Of n records each is kept with a tiny chance: nearly Poisson, so that k hardly depends on epsilon any more."""
    small = 1e-7
    beta = largest_share(small)
    gamma = beta + (1 - beta) * beta
    k = required_size(small, 1e-5, beta)
    tails = []
    for size in (k - 1, k):  # the least n that counts, and the last before one more record is needed
        mean = (math.ceil((math.floor(gamma * math.ceil(size / gamma - 1)) + 1) / gamma) - 1) * beta
        first = math.floor(gamma * math.ceil(size / gamma - 1)) + 1
        tails.append(1 - sum(math.exp(j * math.log(mean) - mean - math.lgamma(j + 1)) for j in range(first)))
    assert tails[1] <= 1e-5 < tails[0]
    assert required_size(1e-9, 1e-5, largest_share(1e-9)) == k == 49
    assert math.isclose(delta_of(49, beta, small), tails[1], rel_tol=1e-4)
    assert required_size(1.0, 1e-300, largest_share(1.0)) == 4380
    with pytest.raises(BadRequest, match="would hold nobody"):
        required_size(1e-12, 1e-5, largest_share(1e-12))


def columns(**more: Any) -> dict[str, Any]:
    return {
        "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": JOBS}},
        "age": {
            "role": "quasi-identifier",
            "hierarchy": {"id": "intervals", "lower": 0, "width": 10, "fan_out": [2, 5]},
        },
        **more,
    }


def asked(algorithm: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "columns": columns(),
        "requirements": [{"id": "approximate-differential-privacy", "epsilon": 1.0, "delta": 1e-5}],
        "algorithm": {"id": "safepub", **(algorithm or {})},
        **more,
    }


RNG = random.Random(3)
ROWS = [(RNG.choice(["Dancer", "Writer", "Judge", "Lawyer"]), RNG.randrange(20, 80)) for _ in range(3000)]


def test_one_record_more_changes_a_score_by_at_most_the_columns() -> None:
    policy = sfumato.Policy.of(asked())
    for seed in range(25):
        rng = random.Random(seed)
        rows = [(rng.choice(["Dancer", "Writer", "Judge"]), rng.randrange(20, 50)) for _ in range(rng.randint(3, 40))]
        rows += [("Lawyer", 79)]  # so that both tables show the same values
        k = rng.randint(1, 6)
        tables = [rows, [*rows, rng.choice(rows)]]
        rollups = []
        for one in tables:
            task = prepare(sfumato.from_rows(["job", "age"], one), policy).task()
            rollups.append(Rollup(Lattice(task.attributes, task.table), task.table))
        for node in rollups[0].lattice.nodes():
            before, after = (_score(rollup, node, k) for rollup in rollups)
            assert abs(after - before) <= 2 + 1e-9


def test_what_is_published_is_true_of_records_and_large(tmp_path: Path) -> None:
    raw = sfumato.from_rows(["job", "age"], ROWS)
    release = sfumato.anonymize(raw, asked({"epsilon_search": 0.5, "steps": 3}))
    assert release.kind == "sampled-table"
    assert release.private.facts["kept"] < len(ROWS)
    sizes = release.table.groups(["job", "age"]).sizes
    k = required_size(0.5, 1e-5, largest_share(0.5))
    assert sizes.min() >= k
    # How many records there were, or were left out, is nobody's business.
    assert release.certificate.counts == {"rows_published": release.table.rows}
    (entry,) = release.certificate.procedures
    assert entry.satisfied
    assert entry.repeatable
    sfumato.publish(release, tmp_path / "out")
    assert not sfumato.verify(tmp_path / "out").left


@pytest.mark.parametrize(("key", "said"), [("k", "states k 5, where"), ("beta", "states beta 0.99, where")])
def test_a_folder_made_with_other_numbers_than_the_procedure_needs_is_refused(
    tmp_path: Path, key: str, said: str
) -> None:
    """Small groups beside a certificate that was sealed anew: k and the share follow from epsilon and delta."""
    release = sfumato.anonymize(sfumato.from_rows(["job", "age"], ROWS), asked({"levels": {"job": 1, "age": 2}}))
    sfumato.publish(release, tmp_path / "out")
    file = tmp_path / "out" / "public" / "certificate.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    del document["digest"]
    stated = document["release"]["parameters"]
    if key == "k":
        stated["k"] = 5
    else:
        stated["settings"]["beta"] = 0.99
    file.write_bytes(seal(document))
    with pytest.raises(Contradiction, match=said):
        sfumato.verify(tmp_path / "out")


def test_levels_chosen_without_the_data_spend_nothing_on_a_search() -> None:
    release = sfumato.anonymize(
        sfumato.from_rows(["job", "age"], ROWS), asked({"levels": {"job": 1, "age": 2}, "beta": 0.3})
    )
    assert {row[0] for row in release.table.to_rows()} == {"Art", "Law"}
    assert release.private.facts["ledger"] == [("search", 0.0), ("sample", 1.0)]


def test_small_groups_are_not_published() -> None:
    rows = [("Dancer", 25)] * 2000 + [("Judge", 25)] * 5
    release = sfumato.anonymize(sfumato.from_rows(["job", "age"], rows), asked({"levels": {"job": 0, "age": 0}}))
    assert {row[0] for row in release.table.to_rows()} == {"Dancer"}
    with pytest.raises(Infeasible, match="stays spent"):
        sfumato.anonymize(sfumato.from_rows(["job", "age"], rows[-5:]), asked({"levels": {"job": 0, "age": 0}}))


def test_each_record_is_drawn_for_itself() -> None:
    counts = np.array([5, 1, 1_000_000, 3])
    kept = drawn_records(counts, 0.25)
    assert (kept <= counts).all()
    # Eight standard deviations: once in 10^15 draws a right one fails.
    assert abs(kept[2] - 250_000) < 8 * math.sqrt(1_000_000 * 0.25 * 0.75)
    assert not np.array_equal(drawn_records(counts, 0.25), drawn_records(counts, 0.25))


@pytest.mark.parametrize("number", [False, True])
def test_one_longer_code_does_not_change_what_a_level_shows(number: bool) -> None:
    """Levels counted from the longest code that occurs would let one record change every published row."""

    def shown(codes: list[str], **given: int) -> set[object]:
        column = {"role": "quasi-identifier", "type": "integer" if number else "text"}
        policy = asked({"levels": {"zip": 3}}, columns={"zip": {**column, "hierarchy": {"id": "redaction", **given}}})
        raw = sfumato.from_rows(["zip"], [(int(code) if number else code,) for code in codes])
        return {row[0] for row in sfumato.anonymize(raw, policy).table.to_rows()}

    short, longer = ["123"] * 400, ["123"] * 400 + ["12345"]
    assert shown(short, length=5) == shown(longer, length=5) == {"12***"}
    for codes in (short, longer):
        with pytest.raises(Unsupported, match="give the hierarchy redaction its length"):
            shown(codes)


def test_what_would_break_the_promise_is_refused() -> None:
    raw = sfumato.from_rows(["job", "age"], ROWS)
    with pytest.raises(BadRequest, match="must leave something"):
        sfumato.anonymize(raw, asked({"epsilon_search": 1.0}))
    with pytest.raises(BadRequest, match="must not be above"):
        sfumato.anonymize(raw, asked({"beta": 0.9}))
    with pytest.raises(BadRequest, match="must name a level"):
        sfumato.anonymize(raw, asked({"levels": {"job": 1}}))
    wide = sfumato.from_rows(["job", "age", "ill"], [(*row, "flu") for row in ROWS])
    with pytest.raises(Unsupported, match="published as it is"):
        sfumato.anonymize(wide, asked(columns=columns(ill={"role": "plain"})))
    learnt = columns(job={"role": "quasi-identifier", "hierarchy": {"id": "frequency", "at_least": 5}})
    with pytest.raises(Unsupported, match="how often values occur"):
        sfumato.anonymize(raw, asked(columns=learnt))
    with pytest.raises(Unsupported, match="cannot be counted"):
        sfumato.anonymize(raw, asked(requirements=[*asked()["requirements"], {"id": "k-anonymity", "k": 2}]))
    with pytest.raises(BadRequest, match="fewer than 4"):
        SampledTable(mechanism="safepub", k=4).verify(sfumato.from_rows(["a"], [("x",)] * 3), [], [])
