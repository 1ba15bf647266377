"""CAHD: every feasible task ends with groups of the degree that was asked for, which plain counting confirms."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.contracts.model import Requirement
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.transactions import Baskets
from sfumato.transactions.algorithms.cahd import Cahd, CahdFacts
from sfumato.transactions.attack import BasketKnowledge
from sfumato.transactions.attacks import TransactionLinkageAttack
from sfumato.transactions.basket_groups import BasketGroups
from sfumato.transactions.models.privacy_degree import PrivacyDegree
from sfumato.transactions.models.rho1_to_rho2 import Rho1ToRho2
from sfumato.transactions.releases.grouped_baskets import GroupedBaskets
from sfumato.transactions.task import BasketTask

PRIVATE = "xyz"
sets = st.lists(st.frozensets(st.sampled_from("abcdef" + PRIVATE), max_size=5), min_size=1, max_size=24)


def made(baskets: list[frozenset[str]]) -> Baskets:
    return Baskets.of(baskets, private=[name for name in PRIVATE if any(name in one for one in baskets)])


def feasible(baskets: list[frozenset[str]], p: int) -> bool:
    return all(sum(name in one for one in baskets) * p <= len(baskets) for name in PRIVATE)


@given(
    baskets=sets,
    p=st.integers(2, 4),
    alpha=st.integers(1, 3),
    leftovers=st.sampled_from(["single-group", "attach-nearest-valid"]),
)
def test_groups_have_the_degree(baskets: list[frozenset[str]], p: int, alpha: int, leftovers: str) -> None:
    algorithm, data = Cahd(alpha=alpha, leftovers=leftovers), made(baskets)
    if not feasible(baskets, p):
        with pytest.raises(Infeasible, match="more than one basket of"):
            algorithm.group(data, p)
        return
    found = algorithm.group(data, p)
    assert sorted(at for group in found.groups for at in group) == list(range(len(baskets)))
    for group in found.groups:
        counts = Counter(name for at in group for name in baskets[at] if name in PRIVATE)
        assert max(counts.values(), default=0) * p <= len(group)
    if leftovers == "single-group":
        formed = [group for group in found.groups if set(group) != set(found.leftover)]
        # The heuristic: a private item is once in a group that the search formed.
        assert all(len(group) == p for group in formed)
        for group in formed:
            counts = Counter(name for at in group for name in baskets[at] if name in PRIVATE)
            assert max(counts.values()) == 1


@given(baskets=sets, p=st.integers(2, 3))
def test_the_release_judges_itself_and_keeps_every_basket(baskets: list[frozenset[str]], p: int) -> None:
    baskets = [*baskets, frozenset("ax"), *[frozenset("b")] * p]
    if not feasible(baskets, p):
        return
    wanted: Requirement = PrivacyDegree(p=p)
    outcome = Cahd().run(BasketTask(made(baskets), [wanted]), Run.seeded(1))
    built = outcome.built
    assert built is not None
    (verdict,) = built.kind.verify(built.tables, [wanted], ())
    assert verdict.satisfied
    assert isinstance(outcome.facts, CahdFacts)
    items: dict[object, set[str]] = {row[0]: set() for row in built.tables["baskets"].to_rows()}
    for basket, item in built.tables["items"].to_rows():
        items[basket].add(str(item))
    public = Counter(frozenset(one - set(PRIVATE)) for one in baskets)
    assert Counter(frozenset(one) for one in items.values()) == public
    counts = Counter({str(row[1]): 0 for row in built.tables["private"].to_rows()})
    for row in built.tables["private"].to_rows():
        counts[str(row[1])] += int(str(row[2]))
    assert counts == Counter(name for one in baskets for name in one if name in PRIVATE)


def test_the_literal_rule_of_the_paper_would_be_unsafe() -> None:
    # Private items r, s, s, none in that order: grouping the first with the last would leave {s, s}.
    baskets = Baskets.of([{"r"}, {"s"}, {"s"}, set()], private=["r", "s"])
    found = Cahd(alpha=2).group(baskets, 2)
    assert set(map(frozenset, found.groups)) == {frozenset({0, 1}), frozenset({2, 3})} or len(found.groups) == 1


def test_tables_that_do_not_fit_are_refused() -> None:
    from sfumato.engines import from_rows

    baskets = from_rows(["basket", "group"], [(0, 0), (1, 0)])
    items = from_rows(["basket", "item"], [(0, "a")])
    private = from_rows(["group", "item", "baskets"], [(0, "x", 1)])
    kind = GroupedBaskets()
    good = {"baskets": baskets, "items": items, "private": private}
    assert kind.guarantee(good) == {"privacy_degree": 2.0}
    for part, rows in [
        ("items", from_rows(["basket", "item"], [(7, "a")])),
        ("private", from_rows(["group", "item", "baskets"], [(5, "x", 1)])),
        ("private", from_rows(["group", "item", "baskets"], [(0, "x", 3)])),
        ("baskets", from_rows(["basket", "group"], [(0, 0), (0, 0)])),
        ("baskets", from_rows(["basket"], [(0,)])),
    ]:
        with pytest.raises(BadRequest):
            kind.view({**good, part: rows})
    with pytest.raises(Unsupported):
        kind.verify(good, [Rho1ToRho2(rho1=0.1, rho2=0.2)], ())  # type: ignore[list-item]


def test_what_is_asked_wrongly_is_refused() -> None:
    baskets = Baskets.of([{"a", "x"}, {"a"}], private=["x"])
    with pytest.raises(BadRequest, match="every basket once"):
        Cahd().group(baskets, 2, [0, 0])
    with pytest.raises(Unsupported, match="privacy-degree"):
        Cahd().run(BasketTask(baskets, []), Run.seeded(0))
    wanted: Requirement = PrivacyDegree(p=2)
    with pytest.raises(BadRequest, match="at least one of each"):
        Cahd().run(BasketTask(Baskets.of([{"a"}, {"b"}]), [wanted]), Run.seeded(0))
    with pytest.raises(BadRequest, match=">= 2"):
        PrivacyDegree(p=1)


def test_numbers_tell_nothing_of_the_order() -> None:
    baskets = Baskets.of([{f"i{at}"} for at in range(40)] + [{"a", "x"}], private=["x"])
    wanted: Requirement = PrivacyDegree(p=2)
    outcome = Cahd(order="given").run(BasketTask(baskets, [wanted]), Run(rng=np.random.default_rng(4)))
    assert outcome.built is not None
    assert outcome.built.tables["items"].to_rows() != [*((at, f"i{at}") for at in range(40)), (40, "a")]


def test_through_every_door(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    baskets = [set(rng.choice(list("abcdefgh"), 3, replace=False).tolist()) for _ in range(40)]
    for at in (3, 17, 30):
        baskets[at].add("insulin")
    policy = {
        "shape": "transactions",
        "items": {"private": ["insulin"]},
        "requirements": [{"id": "privacy-degree", "p": 4}],
        "algorithm": {"id": "cahd"},
    }
    release = sfumato.anonymize(baskets, policy)
    sfumato.publish(release, tmp_path / "out")
    verified = sfumato.verify(tmp_path / "out/public")
    assert verified.verdict
    assert [entry.recounted for entry in verified.certificate.requirements] == ["plain"]
    assert any("record linkage" in told for told in verified.certificate.not_protected_against)
    # Public items are exact: whoever knows enough of them finds the basket.
    assert sfumato.attack(release, "transaction-linkage-attack").highest == 1.0


def test_private_items_are_concluded_from_the_counts_of_groups() -> None:
    baskets = Baskets.of([{"a", "x"}, {"a", "b"}, {"b"}, {"c", "x"}, {"c"}], private=["x"])
    built = GroupedBaskets.build(BasketGroups.of(baskets, [[0, 1, 2], [3, 4]]), np.random.default_rng(1))
    seen = GroupedBaskets().seen(built.tables)
    everybody = TransactionLinkageAttack().run(seen, BasketKnowledge(), Run())
    assert everybody.details["breach"] == 0.5
    one = TransactionLinkageAttack().run(seen, BasketKnowledge(known=("a",)), Run())
    assert one.details["probabilities"] == {"x": pytest.approx(1 / 3)}
    other = TransactionLinkageAttack().run(seen, BasketKnowledge(known=("c",), learn=("y",)), Run())
    assert other.details["probabilities"] == {}
