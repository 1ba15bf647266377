"""Privacy-MaxEnt: agreement with worlds, optimality under knowledge, counter-examples, contradictions, refusals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_worlds import share_over_worlds
from sfumato import BadRequest, GroupStats
from sfumato.contracts.publication import Publication
from sfumato.models import PrivacyMaxEnt, privacy_maxent
from sfumato.models.privacy_maxent import Belief, Buckets, Knowledge, association_rules, maximum_entropy

PERSONS = st.lists(st.tuples(st.sampled_from("MFX"), st.sampled_from("abc")), min_size=1, max_size=4)
TABLES = st.lists(PERSONS, min_size=1, max_size=3)

Pairs = list[tuple[str, str]]


def made(buckets: list[Pairs]) -> Buckets:
    return Buckets.from_lists([([q for q, _ in b], [s for _, s in b]) for b in buckets], columns=["Sex"])


def truth(buckets: list[Pairs], sex: str, value: str) -> Knowledge:
    having = [s for bucket in buckets for q, s in bucket if q == sex]
    return Knowledge({"Sex": sex}, value, having.count(value) / len(having))


@given(TABLES)
def test_without_knowledge_it_is_the_mean_over_worlds(buckets: list[Pairs]) -> None:
    belief = maximum_entropy(made(buckets))
    exact = share_over_worlds([([q for q, _ in b], [s for _, s in b]) for b in buckets])
    for (sex,) in belief.qi:
        assert belief.of(sex) == pytest.approx({v: float(exact[sex].get(v, 0)) for v in belief.values})


@given(TABLES, st.data())
def test_true_knowledge_is_believed(buckets: list[Pairs], data: st.DataObject) -> None:
    """What holds in the table never contradicts the release; the belief is a distribution that agrees with it."""
    sexes = sorted({q for bucket in buckets for q, _ in bucket})
    chosen = data.draw(st.lists(st.tuples(st.sampled_from(sexes), st.sampled_from("abc")), max_size=4))
    knowledge = [truth(buckets, *pair) for pair in chosen]
    belief = maximum_entropy(made(buckets), knowledge)
    assert belief.probability.sum(axis=1) == pytest.approx(1.0)
    for knows in knowledge:
        assert belief.of(knows.given["Sex"]).get(knows.value, 0.0) == pytest.approx(knows.probability, abs=1e-7)


def entropy_slope(counts: np.ndarray[Any, Any], told: list[np.ndarray[Any, Any]]) -> float:
    """Return the largest change of entropy along directions that keep all sums: 0 at the maximum."""
    rows, columns = counts.shape
    constraints = [np.equal.outer(np.arange(rows), [i])[:, 0] for i in range(rows)]
    a = [np.repeat(row, columns) for row in constraints]
    a += [np.tile(np.arange(columns) == j, rows) for j in range(columns)]
    a += [mask.reshape(-1) for mask in told]
    _, size, basis = np.linalg.svd(np.array(a, float), full_matrices=True)
    free = basis[int((size > 1e-9).sum()) :]
    return float(np.abs(free @ np.log(counts.reshape(-1))).max(initial=0.0))


@settings(max_examples=40)
@given(st.lists(st.integers(1, 5), min_size=2, max_size=4), st.integers(0, 2**32 - 1))
def test_entropy_cannot_grow(sizes: list[int], seed: int) -> None:
    """In one bucket the belief tells the joint distribution: no step that keeps all constraints gains entropy."""
    rng = np.random.default_rng(seed)
    persons = [f"q{i}" for i, size in enumerate(sizes) for _ in range(size)]
    values = rng.choice(["a", "b", "c"], len(persons)).tolist()
    buckets = Buckets.from_lists([(persons, values)], columns=["Q"])
    target = rng.random((len(sizes), len(buckets.values))) + 0.2
    # A distribution with the right sums, from which the knowledge is taken: it can be fulfilled, with nothing at 0.
    wanted_rows, wanted_columns = np.array(sizes, float), np.array([values.count(v) for v in buckets.values], float)
    for _ in range(500):
        target *= (wanted_rows / target.sum(axis=1))[:, None]
        target *= wanted_columns / target.sum(axis=0)
    pieces = [(0, 0), (len(sizes) - 1, len(buckets.values) - 1)]
    knowledge = [
        Knowledge({"Q": f"q{i}"}, buckets.values[j], target[i, j] / sizes[i]) for i, j in dict.fromkeys(pieces)
    ]
    belief = maximum_entropy(buckets, knowledge)
    counts = np.stack([belief.probability[belief.qi.index((f"q{i}",))] * size for i, size in enumerate(sizes)])
    assert counts.sum(axis=0) == pytest.approx(wanted_columns)
    masks = []
    for i, j in dict.fromkeys(pieces):
        mask = np.zeros(counts.shape, bool)
        mask[i, j] = True
        masks.append(mask)
        assert counts[i, j] == pytest.approx(target[i, j])
    assert entropy_slope(counts, masks) < 1e-6


def test_scaling_and_newton_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    buckets = [[("M", "a"), ("F", "b"), ("F", "a")], [("M", "b"), ("X", "c"), ("F", "a")], [("X", "a"), ("M", "c")]]
    knowledge = [truth(buckets, "M", "a"), Knowledge({"Sex": "F"}, "b", 0.3)]
    one = maximum_entropy(made(buckets), knowledge).probability
    monkeypatch.setattr(privacy_maxent, "_NEWTON_SIZE", 0)
    other = maximum_entropy(made(buckets), knowledge).probability
    assert one == pytest.approx(other, abs=1e-9)


def test_forced_zeros() -> None:
    """All men have a, so no man has b and all b are women's, though nothing says so directly."""
    belief = maximum_entropy(
        made([[("M", "a"), ("M", "a"), ("F", "b"), ("F", "b")]]), [Knowledge({"Sex": "M"}, "a", 1.0)]
    )
    assert belief.of("M") == pytest.approx({"a": 1.0, "b": 0.0}, abs=1e-8)
    assert belief.of("F") == pytest.approx({"a": 0.0, "b": 1.0}, abs=1e-8)


def test_only_linked_buckets_move() -> None:
    buckets = [[("M", "a"), ("F", "b")], [("X", "a"), ("X", "b"), ("Y", "c")]]
    plain = maximum_entropy(made(buckets))
    told = maximum_entropy(made(buckets), [Knowledge({"Sex": "M"}, "a", 0.9)])
    assert told.of("M")["a"] == pytest.approx(0.9)
    assert told.of("F")["a"] == pytest.approx(0.1)
    assert told.of("X") == plain.of("X")


def highest(buckets: list[Pairs], knowledge: list[Knowledge]) -> float:
    return float(maximum_entropy(made(buckets), knowledge).probability.max())


def test_merging_may_break_it_with_knowledge() -> None:
    """The stored counter-example to both merge traits."""
    buckets = [
        [("F", "b"), ("F", "c"), ("F", "b"), ("M", "a")],
        [("F", "c"), ("M", "b"), ("X", "b"), ("M", "c")],
        [("M", "a")],
    ]
    knowledge = [Knowledge({"Sex": "X"}, "a", 0.0)]
    merged = [buckets[0] + buckets[1], buckets[2]]
    assert highest(buckets, knowledge) == pytest.approx(0.5)
    assert highest(merged, knowledge) == pytest.approx(4 / 7)
    model = PrivacyMaxEnt(sensitive="S", threshold=0.55, knowledge=tuple(knows.spec() for knows in knowledge))
    before, after = model.check(made(buckets)), model.check(made(merged))
    assert (before.satisfied, after.satisfied) == (True, False)
    assert before.violating_records < after.violating_records
    assert not PrivacyMaxEnt.traits.closed_under_merge
    assert not PrivacyMaxEnt.traits.violations_shrink_under_merge


def test_merging_may_break_it_where_one_quasi_identifier_lies_in_several_buckets() -> None:
    """Women are in all buckets, which evens their belief out; the man's is that of his bucket alone."""
    buckets = [[("F", "a")], [("F", "c"), ("M", "a")], [("F", "b")]]
    assert highest(buckets, []) == pytest.approx(0.5)
    assert highest([buckets[0] + buckets[1], buckets[2]], []) == pytest.approx(2 / 3)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(1, 5), min_size=1), min_size=2, max_size=4))
def test_without_knowledge_merging_groups_of_equal_records_keeps_it(histograms: list[dict[str, int]]) -> None:
    groups = GroupStats.from_histograms(histograms, column="S")
    model = PrivacyMaxEnt(sensitive="S", threshold=1.0)
    merged = model.check(groups.merge([0, 0, *range(1, len(groups) - 1)])).strongest
    assert merged <= model.check(groups).strongest + 1e-12
    shares = [max(h.values()) / sum(h.values()) for h in histograms]
    assert model.check(groups).strongest == pytest.approx(max(shares))


@pytest.mark.parametrize(
    "knowledge",
    [
        [Knowledge({"Sex": "M"}, "a", 0.9)],
        [Knowledge({"Sex": "M"}, "nowhere", 0.1)],
        [Knowledge({"Sex": "M"}, "a", 0.5), Knowledge({"Sex": "F"}, "a", 0.5)],
        [Knowledge({"Sex": "M"}, "a", 0.2), Knowledge({"Sex": "M"}, "a", 0.3)],
    ],
)
def test_contradictions_are_refused_by_name(knowledge: list[Knowledge]) -> None:
    with pytest.raises(BadRequest, match="contradicts the release") as caught:
        maximum_entropy(made([[("M", "a"), ("M", "b"), ("F", "c"), ("F", "b")]]), knowledge)
    assert caught.value.value in [str(knows) for knows in knowledge]


def test_knowledge_about_nobody_is_refused() -> None:
    with pytest.raises(BadRequest, match="nobody has"):
        maximum_entropy(made([[("M", "a")]]), [Knowledge({"Sex": "Z"}, "a", 0.0)])
    with pytest.raises(BadRequest, match="unknown column"):
        maximum_entropy(made([[("M", "a")]]), [Knowledge({"Job": "Z"}, "a", 0.0)])


ROWS = [("M", "old", "a"), ("M", "young", "b"), ("F", "old", "b"), ("F", "young", "b"), ("F", "young", "c")]


def test_strongest_rules_come_first() -> None:
    raw = sfumato.from_rows(["Sex", "Age", "S"], ROWS)
    rules = association_rules(raw, ["Sex", "Age"], "S", positive=3, negative=4)
    strengths = [rule.probability for rule in rules[:3]]
    assert strengths == pytest.approx([2 / 3, 2 / 3, 1 / 2])
    assert [dict(rule.given) for rule in rules[:2]] == [{"Sex": "F"}, {"Age": "young"}]
    assert [(dict(rule.given), rule.value) for rule in rules[3:5]] == [({"Sex": "F"}, "a"), ({"Age": "young"}, "a")]
    assert all(one.probability <= other.probability + 1e-12 for one, other in pairwise(rules[3:]))
    wide = association_rules(raw, ["Sex", "Age"], "S", positive=1, negative=0, width=2)
    assert (len(wide[0].given), wide[0].probability) == (2, 1.0)


def test_rules_of_the_raw_table_are_known() -> None:
    """Buckets of an anatomized table, with the strongest rule of the raw one known to the adversary."""
    rows = [(number // 3, *row) for number, row in enumerate(ROWS)]
    table = sfumato.from_rows(["Bucket", "Sex", "Age", "S"], rows)
    raw = sfumato.from_rows(["Sex", "Age", "S"], ROWS)
    plain = PrivacyMaxEnt(sensitive="S", threshold=0.9, bucket="Bucket")
    knowing = PrivacyMaxEnt(sensitive="S", threshold=0.9, bucket="Bucket", top_positive=1, width=2)
    qid = ["Sex", "Age"]
    (before,), (after,) = (sfumato.check(table, model, qid=qid, raw=raw) for model in (plain, knowing))
    assert before.satisfied
    assert not after.satisfied
    assert after.violations[0].witness["pieces_of_knowledge"] == 1
    assert after.violations[0].measured == pytest.approx(1.0)
    with pytest.raises(BadRequest, match="raw table"):
        sfumato.check(table, knowing, qid=qid)


def test_a_masked_table_is_its_own_buckets() -> None:
    table = sfumato.from_rows(["Sex", "S"], [("M", "a"), ("M", "b"), ("F", "b")])
    (verdict,) = sfumato.check(table, PrivacyMaxEnt(sensitive="S", threshold=0.5), qid=["Sex"])
    (violation,) = verdict.violations
    assert (violation.group, violation.size, violation.measured) == (("F",), 1, 1.0)
    assert violation.witness["value"] == "b"
    with pytest.raises(BadRequest, match="protects"):
        sfumato.check(table, PrivacyMaxEnt(sensitive="S", threshold=0.5), qid=["Sex", "S"])


@pytest.mark.parametrize(
    "knowledge, rule",
    [
        ([{"value": "a", "probability": 0.5}], "given, value and probability"),
        ([{"given": {}, "value": "a", "probability": 0.5}], "at least one column"),
        ([{"given": {"Sex": "M"}, "value": "a", "probability": 1.5}], "probability must be"),
        ([{"given": {"Sex": "M"}, "value": "a", "probability": True}], "probability must be"),
        (["P(a|M)=0"], "given, value and probability"),
    ],
)
def test_bad_knowledge(knowledge: list[Any], rule: str) -> None:
    with pytest.raises(BadRequest, match=rule) as caught:
        PrivacyMaxEnt.from_spec({"sensitive": "S", "threshold": 0.5, "knowledge": knowledge})
    assert caught.value.parameter == "privacy-maxent.knowledge"


@pytest.mark.parametrize("threshold", [0, 1.1])
def test_bad_thresholds(threshold: float) -> None:
    with pytest.raises(BadRequest, match="must be > 0 and <= 1"):
        PrivacyMaxEnt(sensitive="S", threshold=threshold)


def test_small_things() -> None:
    model = PrivacyMaxEnt(
        sensitive="S", threshold=0.5, knowledge=({"given": {"Sex": "M"}, "value": "a", "probability": 0.5},)
    )
    assert PrivacyMaxEnt.from_spec(model.spec()) == model
    assert str(Knowledge({"Sex": "M"}, "a", 0.5)) == "P(a | Sex=M) = 0.5"
    with pytest.raises(BadRequest, match="as many"):
        Buckets.from_lists([(["M"], ["a", "b"])])
    belief: Belief = maximum_entropy(made([[("M", "a")]]))
    with pytest.raises(BadRequest, match="nobody"):
        belief.of("F")
    empty = PrivacyMaxEnt(sensitive="S", threshold=0.5).judge(
        Publication(explicit=GroupStats.from_histograms([], column="S"))
    )
    assert (empty.satisfied, empty.strongest) == (True, None)
