"""The corruption attack against every set of members who may tell, and against looking single persons up."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_attack_corruption import fewest_for_certainty, posterior, worst
from oracles.naive_attacks import interval
from sfumato.attacks.linkage.attack_corruption import AttackCorruption, Corruptions
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.releases import AnatomyPair

GROUPS = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6), min_size=1, max_size=4)
TABLE = sfumato.from_rows(["Age", "Ill"], [("[20-30)", v) for v in "aab"] + [("[30-40)", v) for v in "abc"])


def attack(table: Any = TABLE, **options: Any) -> Corruptions:
    asked = {"id": "attack-corruption"} | options.pop("asked", {})
    found = sfumato.attack(table, asked, **{"qid": ["Age"], "sensitive": "Ill", **options})
    assert isinstance(found, Corruptions)
    return found


def people(*rows: Any) -> Any:
    return sfumato.from_rows(["Name", "Age", "Ill"], [(f"p{number}", *row) for number, row in enumerate(rows)])


@given(drawn=GROUPS, r=st.integers(0, 4))
def test_the_worst_members_tell(drawn: list[list[str]], r: int) -> None:
    table = sfumato.from_rows(
        ["Age", "Ill"], [(number, value) for number, group in enumerate(drawn) for value in group]
    )
    found = attack(table, asked={"corrupted_members": r})
    assert found.per_victim.tolist() == pytest.approx([worst(group, r) for group in drawn])
    assert found.counts is not None
    assert found.counts.tolist() == [len(group) for group in drawn]
    curve = [max(worst(group, number) for group in drawn) for number in range(7)]
    assert found.details["worst_confidence"][:7] == pytest.approx(curve)
    assert found.details["worst_confidence"][7:] == [1.0] * 4
    fewest = [fewest_for_certainty(group) for group in drawn]
    assert found.details["fewest_corrupted_for_certainty"] == min(fewest)
    certain = [sum(len(g) for g, few in zip(drawn, fewest, strict=True) if few <= number) for number in range(11)]
    assert found.details["records_in_groups_with_certainty"] == certain
    assert found.details["certain_victims"] == certain[r]


@given(drawn=GROUPS)
def test_nobody_corrupted_is_attribute_linkage(drawn: list[list[str]]) -> None:
    table = sfumato.from_rows(
        ["Age", "Ill"], [(number, value) for number, group in enumerate(drawn) for value in group]
    )
    by_number = attack(table, asked={"corrupted_members": 0})
    by_table = attack(table, corrupted=sfumato.from_rows(["Age", "Ill"], [(99, "a")]))
    linkage = sfumato.attack(table, "attack-attribute-linkage", qid=["Age"], sensitive="Ill")
    shares = [max(Counter(group).values()) / len(group) for group in drawn]
    assert by_number.per_victim.tolist() == by_table.per_victim.tolist() == pytest.approx(shares)
    assert (by_number.highest, by_number.mean) == pytest.approx((linkage.highest, linkage.mean))


@pytest.mark.parametrize("seed", range(20))
def test_told_values_are_taken_away(seed: int) -> None:
    """Labels overlap: persons whom several groups cover are counted nowhere, persons whom none covers too."""
    rng = np.random.default_rng(seed)
    labels = ["[20-30)", "[25-35]", "41", "[50-60)"]
    rows = [(rng.choice(labels).item(), rng.choice(list("abc")).item()) for _ in range(20)]
    groups: dict[str, list[str]] = {}
    for label, value in rows:
        groups.setdefault(label, []).append(value)
    told: dict[str, list[str]] = {label: [] for label in groups}
    corrupted, several, nowhere = [], 0, 0
    for _ in range(5):
        age = int(rng.choice([22, 27, 33, 41, 55, 70]))
        covering = [label for label in groups if interval(label, age)]
        value = rng.choice(list("abc")).item()
        if len(covering) == 1 and told[covering[0]].count(value) == groups[covering[0]].count(value):
            continue
        corrupted.append((age, value))
        several, nowhere = several + (len(covering) > 1), nowhere + (not covering)
        if len(covering) == 1:
            told[covering[0]].append(value)
    if not corrupted:
        return
    found = attack(sfumato.from_rows(["Age", "Ill"], rows), corrupted=people(*corrupted))
    assert found.victims == 20
    assert len(found.warnings) == (several > 0) + (nowhere > 0)
    assert (
        f"whom several groups cover, and who are counted in none of them: {several}" in " ".join(found.warnings)
    ) == (several > 0)
    shown = found.seen.groups(found.knowledge)
    for at in range(len(shown)):
        label = str(shown.key(at)[0])
        left = len(groups[label]) - len(told[label])
        wanted = posterior(groups[label], told[label]) if left else {}
        assert found.told[at] == len(told[label])
        assert found.per_victim[at] == pytest.approx(max(wanted.values(), default=0.0))
    for age in (22, 27, 33, 41, 55, 70):
        covering = [label for label in groups if interval(label, age)]
        before = [value for label in covering for value in groups[label]]
        gone = [value for label in covering for value in told[label]]
        belief = found.of({"Age": age})
        assert belief.before == pytest.approx(posterior(before, []) if before else {})
        assert belief.after == pytest.approx(posterior(before, gone) if len(before) > len(gone) else {})


def test_who_told_is_no_victim() -> None:
    found = attack(corrupted=people((22, "a"), (23, "a"), (24, "b"), (31, "a")))
    assert found.victims == 6
    assert found.highest == 0.5
    assert found.details["victims"] == 2
    assert found.details["corrupted_persons"] == 4
    assert found.mean == pytest.approx(2 * 0.5 / 6)
    assert found.of({"Age": 25}).after == {}
    assert found.reading.startswith("After 4 persons of the release told their sensitive value")


def test_numbers_are_compared_by_what_they_are() -> None:
    table = sfumato.from_rows(["Age", "Ill"], [(20, 1), (20, 2)])
    assert attack(table, corrupted=sfumato.from_rows(["Age", "Ill"], [("20", "2")])).of({"Age": 20}).after == {1: 1.0}


def test_anatomy_means_the_same() -> None:
    rows = [(21, "a"), (22, "a"), (22, "b"), (31, "b"), (32, "c"), (22, "c")]
    made = AnatomyPair.build(
        sfumato.from_rows(["Age", "Ill"], rows), [1, 1, 1, 2, 2, 2], ["Age"], "Ill", np.random.default_rng(0)
    )
    kind: Any = made.kind
    told = people((21, "b"), (22, "a"), (32, "c"))
    apart = Seen(made.tables["qit"], parts=made.tables)
    found = AttackCorruption().run(
        replace(apart, counted=kind.groups(made.tables)),
        TableKnowledge(known=("Age",), learn=("Ill",), corrupted=told),
        Run(),
    )
    # 22 stands in both groups; 21 and 32 in one each.
    assert found.told.tolist() == [1, 1]
    (warning,) = found.warnings
    assert warning.endswith("counted in none of them: 1")
    assert found.of({"Age": 21}).after == {"a": 1.0}
    assert found.of({"Age": 22}).before == pytest.approx({"a": 2 / 6, "b": 2 / 6, "c": 2 / 6})
    unfit = AttackCorruption().unfit(apart, TableKnowledge(known=("Age",), learn=("Ill",)))
    assert "beside the published records" in str(unfit)


@pytest.mark.parametrize(
    "options, says",
    [
        ({"corrupted": people((22, "b"), (23, "b"))}, "do not fit the release"),
        ({"corrupted": people((22, "c"))}, "do not fit the release"),
        ({"corrupted": people((22, "z"))}, "do not fit the release"),
        ({"corrupted": people((22, None))}, "some are missing"),
        ({"corrupted": sfumato.from_rows(["Age"], [(22,)])}, "not a column of the table of corrupted"),
        ({"corrupted": sfumato.from_rows(["Ill"], [("a",)])}, "not a column of the table of corrupted"),
        ({"asked": {"corrupted_members": -1}}, "corrupted_members"),
        ({"sensitive": None}, "sensitive"),
        ({"qid": []}, "qid"),
    ],
)
def test_bad_requests(options: dict[str, Any], says: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=says) as caught:
        attack(**options)
    assert "'z'" not in str(caught.value)


def test_a_victim_is_known_by_all_columns() -> None:
    with pytest.raises(sfumato.BadRequest, match="every column"):
        attack().of({"Sex": "f"})


def test_an_empty_release_has_no_victim() -> None:
    empty = TABLE.drop_groups(["Age"], [["[20-30)"], ["[30-40)"]])
    found = attack(empty)
    assert (found.victims, found.highest, found.details["fewest_corrupted_for_certainty"]) == (0, 0.0, None)
