"""The deFinetti attack: the exact way against all permutations, the other two against the exact one, and bad pairs."""

from __future__ import annotations

from fractions import Fraction
from itertools import count, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_definetti import Group, beliefs
from sfumato.attacks.anatomy._exact_worlds import tables_with_margins
from sfumato.attacks.anatomy._record_beliefs import Beliefs
from sfumato.attacks.anatomy.attack_definetti import AttackDeFinetti

NAMES = ("Smoker", "Sex")


def pair_of(groups: list[Group], columns: int, *, counted: bool) -> dict[str, Any]:
    qit = [(*record, number) for number, (records, _) in enumerate(groups) for record in records]
    rows: list[tuple[Any, ...]] = []
    for number, (_, values) in enumerate(groups):
        if counted:
            rows += [(number, value, list(values).count(value)) for value in sorted(set(values))]  # type: ignore[type-var]
        else:
            rows += [(number, value) for value in values]
    return {
        "qit": sfumato.from_rows([*NAMES[:columns], "Group"], qit),
        "st": sfumato.from_rows(["Group", "Disease", *(["Count"] if counted else [])], rows),
    }


def tried(pair: dict[str, Any], columns: int, **parameters: Any) -> Beliefs:
    found = sfumato.attack(pair, AttackDeFinetti(**parameters), qid=NAMES[:columns], sensitive="Disease")
    assert isinstance(found, Beliefs)
    return found


def drawn(rng: np.random.Generator, groups: int, most: int, columns: int) -> list[Group]:
    """Draw groups in which values go with the first quasi-identifier, more or less."""
    made: list[Group] = []
    for _ in range(groups):
        size = int(rng.integers(1, most + 1))
        records = [tuple(rng.choice(["y", "n", "?"], columns).tolist()) for _ in range(size)]
        values = [
            {"y": "Cancer", "n": "Flu"}.get(one[0], "Ulcer")
            if rng.random() < 0.6
            else rng.choice(["Flu", "Ulcer"]).item()
            for one in records
        ]
        made.append((records, rng.permutation(values).tolist()))
    return made


@st.composite
def small(draw: st.DrawFn) -> tuple[list[Group], int]:
    columns = draw(st.integers(1, 2))
    record = st.tuples(*[st.sampled_from(["y", "n", None])] * columns)
    groups = []
    for _ in range(draw(st.integers(1, 3))):
        records = draw(st.lists(record, min_size=1, max_size=4))
        values = draw(
            st.lists(st.sampled_from(["Cancer", "Flu", "Ulcer"]), min_size=len(records), max_size=len(records))
        )
        groups.append((records, values))
    return groups, columns


@settings(max_examples=40, deadline=None)
@given(small(), st.booleans(), st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(3)]))
def test_exact_against_all_permutations(case: tuple[list[Group], int], counted: bool, alpha: Fraction) -> None:
    groups, columns = case
    found = tried(pair_of(groups, columns, counted=counted), columns, method="exact", dirichlet_alpha=float(alpha))
    row = count()
    for wanted, (records, values) in zip(beliefs(groups, alpha), groups, strict=True):
        for one in wanted:
            at = next(row)
            assert found.posterior(at) == pytest.approx({value: float(share) for value, share in one.items()})
            assert found.per_victim[at] == pytest.approx(float(max(one.values())))
            shares = {value: list(values).count(value) / len(records) for value in set(values)}
            assert found.random_worlds(at) == pytest.approx(shares)


def compared(exact: Beliefs, other: Beliefs) -> np.ndarray[Any, Any]:
    return np.abs(exact.beliefs - other.beliefs)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("columns", [1, 2])
def test_sampler_and_em_against_exact(seed: int, columns: int) -> None:
    groups = drawn(np.random.default_rng(seed), 6, 4, columns)
    pair = pair_of(groups, columns, counted=True)
    exact = tried(pair, columns, method="exact")
    sampled = tried(pair, columns, method="sampler", sweeps=6000, seed=seed)
    expected = tried(pair, columns, method="em", rounds=200)
    assert compared(exact, sampled).max(initial=0.0) < 0.06
    assert compared(exact, expected).mean() < 0.08
    assert compared(exact, expected).max(initial=0.0) < 0.25
    by_counts = np.abs(exact.beliefs - exact.shares)
    if by_counts.mean() > 0.02:  # where there is something to learn, it is nearer to the truth than random worlds
        assert compared(exact, expected).mean() < by_counts.mean()
    for one in (exact, sampled, expected):
        width = np.diff(one.cells.entry)
        assert np.add.reduceat(one.beliefs, one.cells.entry[:-1]) == pytest.approx(np.ones(len(width)))


def test_sampler_with_a_seed() -> None:
    pair = pair_of(drawn(np.random.default_rng(3), 5, 4, 2), 2, counted=False)
    one, again, other = (tried(pair, 2, method="sampler", sweeps=50, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.beliefs, again.beliefs)
    assert not np.array_equal(one.beliefs, other.beliefs)


@pytest.mark.parametrize("method", ["exact", "sampler", "em"])
def test_equal_quasi_identifiers_are_random_worlds(method: str) -> None:
    groups: list[Group] = [([("y", "f")] * 3, ["Flu", "Flu", "Cancer"]), ([("y", "f")] * 2, ["Ulcer", "Flu"])]
    found = tried(pair_of(groups, 2, counted=True), 2, method=method)
    assert np.array_equal(found.beliefs, found.shares)
    assert found.details["above_bound"] == 0


@pytest.mark.parametrize("method", ["exact", "sampler", "em"])
def test_values_that_occur_once_tell_nothing(method: str) -> None:
    groups: list[Group] = [([("a",), ("b",)], ["Flu", "Cancer"]), ([("c",), ("d",)], ["Flu", "Ulcer"])]
    found = tried(pair_of(groups, 1, counted=True), 1, method=method, sweeps=4000)
    assert found.beliefs == pytest.approx(found.shares, abs=0.05 if method == "sampler" else 1e-9)


def test_one_group_is_not_enough_for_random_worlds() -> None:
    groups: list[Group] = [([("y",), ("y",), ("n",), ("n",)], ["Flu", "Flu", "Cancer", "Cancer"])]
    found = tried(pair_of(groups, 1, counted=True), 1, method="exact")
    assert compared(found, tried(pair_of(groups, 1, counted=False), 1)).max() == 0
    # Beliefs about a single record are even, but worlds are not: two smokers with one disease weigh four times as much.
    assert found.beliefs == pytest.approx([0.5] * 4)
    mixed: list[Group] = [([("y",), ("y",), ("n",)], ["Flu", "Flu", "Cancer"])]
    assert tried(pair_of(mixed, 1, counted=True), 1, method="exact").posterior(2)["Cancer"] == pytest.approx(0.5)


def test_learning_across_groups_pays() -> None:
    rng = np.random.default_rng(7)
    groups: list[Group] = []
    truth: list[str] = []
    for _ in range(400):
        records = [(rng.choice(["y", "n"]).item(),) for _ in range(3)]
        values = [
            rng.choice(["Cancer", "Flu", "Ulcer"], p=[0.8, 0.1, 0.1] if one == ("y",) else [0.1, 0.5, 0.4]).item()
            for one in records
        ]
        truth += values
        groups.append((records, values))
    pair = pair_of(groups, 1, counted=True)
    for method in ("sampler", "em"):
        found = tried(pair, 1, method=method, sweeps=300)
        score = found.score(truth)
        assert score.records == 1200
        assert score.accuracy > score.random_worlds_accuracy + 0.1
        assert score.log_loss < score.random_worlds_log_loss - 0.1
    with pytest.raises(sfumato.BadRequest, match="true value"):
        found.score(truth[:5])


def test_score_counts_ties_as_chances() -> None:
    groups: list[Group] = [([("y",), ("y",)], ["Cancer", "Flu"])]
    found = tried(pair_of(groups, 1, counted=True), 1)
    assert found.score(["Cancer", "Flu"]).accuracy == 0.5
    assert found.score(["Cancer", "Flu"]).log_loss == pytest.approx(np.log(2))
    assert found.score(["Cancer", "Gout"]).log_loss == np.inf
    assert found.score(["Cancer", "Gout"]).accuracy == 0.25
    assert found.score(["Cancer", None]).records == 1


def test_truth_from_the_raw_table() -> None:
    qit = sfumato.from_rows(["Age", "Group"], [(30, 1), (31, 1), (40, 2), (40, 2)])
    listed = sfumato.from_rows(["Group", "Disease"], [(1, "Flu"), (1, "HIV"), (2, "Flu"), (2, "HIV")])
    raw = sfumato.from_rows(["Age", "Disease"], [(30, "Flu"), (31, "HIV"), (40, "Flu"), (40, "HIV")])
    found = sfumato.attack({"qit": qit, "st": listed}, "attack-definetti", qid=["Age"], sensitive="Disease", raw=raw)
    assert found.details["scored_records"] == 2  # the two of age 40 cannot be told apart
    assert found.details["accuracy"] == 0.5


def test_generalized_table_and_everybody() -> None:
    """The same groups, told by a generalized table and a table of persons, give the same beliefs."""
    ages = {1: [("y", 21), ("y", 25)], 2: [("n", 31), ("n", 35)], 3: [("y", 41), ("n", 45)], 4: [("y", 51), ("n", 55)]}
    values = {1: ["Cancer", "Cancer"], 2: ["Flu", "Flu"], 3: ["Cancer", "Flu"], 4: ["Flu", "Cancer"]}
    published = [(f"[{number + 1}0-{number + 2}0)", value) for number, listed in values.items() for value in listed]
    persons = [(f"p{age}", "*", smoker, age) for members in ages.values() for smoker, age in members]
    published_rows = [(age, "*", value) for age, value in published]
    external = sfumato.from_rows(["Name", "City", "Smoker", "Age"], persons)
    table = sfumato.from_rows(["Age", "Smoker", "Disease"], published_rows)
    found: Any = sfumato.attack(
        table, "attack-definetti", external=external, name="Name", qid=["Smoker", "Age"], sensitive="Disease"
    )
    groups: list[Group] = [([(one,) for one, _ in ages[number]], values[number]) for number in ages]
    wanted = tried(pair_of(groups, 1, counted=True), 1)
    assert found.details["placed_records"] == 8
    for row in range(8):
        assert found.posterior(row) == pytest.approx(wanted.posterior(row))
    assert not found.warnings
    # A stranger in one group: nobody knows who is published there, and its records keep what the counts say.
    more = sfumato.from_rows(["Name", "City", "Smoker", "Age"], [*persons, ("stranger", "*", "y", 43)])
    partly: Any = sfumato.attack(
        table, "attack-definetti", external=more, name="Name", qid=["Smoker", "Age"], sensitive="Disease"
    )
    assert partly.details["placed_records"] == 6
    assert partly.victims == 8
    assert len(partly.warnings) == 1
    assert partly.per_victim[-1] == 0.5
    with pytest.raises(sfumato.BadRequest, match="placed"):
        partly.posterior(8)


def test_overlapping_groups_place_nobody_twice() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [("[20-40)", "Flu"), ("[20-40)", "HIV"), ("[30-50)", "Flu")])
    external = sfumato.from_rows(["Name", "Age"], [("a", 25), ("b", 35), ("c", 60)])
    found = sfumato.attack(table, "attack-definetti", external=external, name="Name", sensitive="Disease")
    assert found.details["placed_records"] == 0
    assert found.victims == 3
    assert found.per_victim.tolist() == [0.5, 1.0]


def test_how_it_chooses() -> None:
    groups = drawn(np.random.default_rng(0), 30, 4, 1)
    pair = pair_of(groups, 1, counted=True)
    assert tried(pair, 1).details["method"] == "sampler"
    assert tried(pair, 1, sweeps=10_000_000).details["method"] == "em"
    assert tried(pair_of(groups[:4], 1, counted=True), 1).details["method"] == "exact"
    with pytest.raises(sfumato.Unsupported, match="method=em"):
        tried(pair, 1, method="exact")
    assert tried(pair, 1, method="em", rounds=1).warnings


@pytest.mark.parametrize("seed", range(20))
def test_tables_with_margins(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2 if seed % 2 else 3, (int(rng.integers(1, 4)), int(rng.integers(1, 4))))
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    found = tables_with_margins(rows, columns, 10**6)
    assert found is not None
    every = found.reshape(-1, *table.shape)
    assert (every >= 0).all()
    assert (every.sum(axis=2) == rows).all()
    assert (every.sum(axis=1) == columns).all()
    assert len({tuple(one) for one in found.tolist()}) == len(found)
    if table.size <= 4 or (table.sum() <= 4 and table.size <= 6):
        every_cell = product(range(int(table.sum()) + 1), repeat=table.size)
        assert len(found) == sum(
            (one.sum(axis=1) == rows).all() and (one.sum(axis=0) == columns).all()
            for one in (np.array(cells).reshape(table.shape) for cells in every_cell)
        )
    if len(found) > 1:
        assert tables_with_margins(rows, columns, len(found) - 1) is None


PAIR = {
    "qit": sfumato.from_rows(["Age", "Group"], [(30, 1), (31, 1), (40, 2)]),
    "st": sfumato.from_rows(["Group", "Disease", "Count"], [(1, "Flu", 2), (2, "HIV", 1)]),
}


@pytest.mark.parametrize(
    ("change", "options", "parameter"),
    [
        ({"st": (["Group", "Disease", "Count"], [(1, "Flu", 2), (2, "HIV", 2)])}, {}, "st"),
        ({"st": (["Group", "Disease", "Count"], [(1, "Flu", 2), (2, "HIV", -1)])}, {}, "st"),
        ({"st": (["Group", "Disease", "Count"], [(1, "Flu", 2), (2, "HIV", 0.5)])}, {}, "st"),
        ({"st": (["Group", "Disease", "Count"], [(1, "Flu", 2), (3, "HIV", 1)])}, {}, "st"),
        ({"st": (["Group", "Disease", "Count"], [(1, "Flu", 2)])}, {}, "st"),
        ({"st": (["Bucket", "Disease"], [(1, "Flu")])}, {}, "parts"),
        ({"qit": (["Age", "Group"], [(30, 1), (31, None), (40, 2)])}, {}, "qit"),
        ({"qit": (["Age", "Group", "Disease"], [(30, 1, "Flu")])}, {}, "qit"),
        ({}, {"sensitive": "Shoe"}, "sensitive"),
        ({}, {"sensitive": None}, "sensitive"),
        ({}, {"qid": ["Shoe"]}, "qid"),
        ({}, {"qid": ["Group"]}, "qid"),
        ({}, {"qid": []}, "qid"),
        ({}, {"raw": sfumato.from_rows(["Age"], [(30,)])}, "raw"),
    ],
)
def test_bad_pairs(change: dict[str, Any], options: dict[str, Any], parameter: str) -> None:
    pair = {**PAIR, **{part: sfumato.from_rows(*made) for part, made in change.items()}}
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(pair, "attack-definetti", **{"qid": ["Age"], "sensitive": "Disease", **options})
    assert caught.value.parameter == parameter
    assert "Flu" not in str(caught.value)


def test_what_is_missing_is_said() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [("*", "Flu")])
    with pytest.raises(sfumato.BadRequest, match="anatomy pair") as caught:
        sfumato.attack(table, "attack-definetti", qid=["Age"], sensitive="Disease")
    assert caught.value.parameter == "parts"


def test_on_a_release() -> None:
    rows = [(f"p{n}", 20 + n % 7, ["Flu", "HIV", "Ulcer", "Gout"][n % 4]) for n in range(40)]
    policy = {
        "columns": {
            "Name": {"role": "identifier"},
            "Age": {"role": "quasi-identifier"},
            "Disease": {"role": "sensitive"},
        },
        "requirements": [{"id": "l-diversity-frequency", "l": 2, "sensitive": "Disease"}],
        "algorithm": {"id": "anatomize"},
    }
    release = sfumato.anonymize(sfumato.from_rows(["Name", "Age", "Disease"], rows), policy)
    for attack in ("attack-definetti", "attack-anatomy-reconstruction"):
        found = sfumato.attack(release, attack)
        assert found.victims == 40
    assert sfumato.attack(release, "attack-definetti").details["random_worlds_highest"] <= 0.5
