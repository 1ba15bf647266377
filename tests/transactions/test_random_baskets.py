"""Baskets drawn at random: models beside brute force and their recounts, algorithms beside what they promise."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from sfumato.contracts.algorithm import Search
from sfumato.contracts.model import Model
from sfumato.contracts.run import Run
from sfumato.data.tree import Tree
from sfumato.errors import Infeasible
from sfumato.publishing.recounting import judged
from sfumato.recounts import Counted
from sfumato.transactions import Baskets
from sfumato.transactions.algorithms import (
    AprioriAnonymization,
    DirectAnonymization,
    MoleSuppression,
    OptimalAnonymization,
    OptimalCohesion,
    TopDownPartitioning,
)
from sfumato.transactions.attack import BasketKnowledge
from sfumato.transactions.attacks import AbsenceAttack, TransactionLinkageAttack
from sfumato.transactions.built import BuiltBaskets
from sfumato.transactions.metric import Masked
from sfumato.transactions.metrics import ItemLoss, ItemNCP
from sfumato.transactions.models import HKPCoherence, KMAnonymity, LKCPrivacy, TransactionalKAnonymity
from sfumato.transactions.releases import RecodedBaskets
from sfumato.transactions.task import BasketTask

TREES: list[object] = [
    {"ALL": [{"A": ["a", "b"]}, {"B": ["c", "d", "e"]}, "f"]},
    {"ALL": [{"X": [{"A": ["a", "b"]}, "c"]}, {"Y": [{"B": ["d", "e"]}, "f"]}]},
    {"ALL": ["a", "b", "c", "d", "e", "f"]},
]


def drawn(seed: int, *, private: bool = False) -> Baskets:
    """Return some baskets of up to six public items, and two private ones if asked for."""
    rng = np.random.default_rng(seed)
    count, chance = int(rng.integers(1, 14)), rng.uniform(0.15, 0.8)
    names = list("abcdef") + (["x", "y"] if private else [])
    sets = [{name for name in names if rng.random() < chance} for _ in range(count)]
    tree = Tree.from_nested(TREES[seed % len(TREES)])
    held = {name for one in sets for name in one}
    return Baskets.of(sets, private=sorted(held & {"x", "y"}), tree=tree)


def coherent(baskets: Baskets, h: Fraction, k: int, p: int) -> bool:
    """Judge by the definition, over all combinations."""
    sets = list(baskets)
    public = [name for name in baskets.items if name not in baskets.private]
    for size in range(1, p + 1):
        for known in combinations(public, size):
            holding = [one for one in sets if set(known) <= one]
            if holding and len(holding) < k:
                return False
            for secret in baskets.private:
                if holding and Fraction(sum(secret in one for one in holding), len(holding)) > h:
                    return False
    return True


def recount(model: Model[Baskets], baskets: Baskets) -> tuple[bool, object]:
    groups: dict[tuple[str | None, ...], dict[tuple[str | None, ...], int | float]] = {}
    for one in baskets:
        inside = groups.setdefault(tuple(sorted(one - baskets.private)), {})
        key = tuple(sorted(one & baskets.private))
        inside[key] = inside.get(key, 0) + 1
    found = judged(model, Counted(groups), ())
    return found.satisfied, found.measured


@pytest.mark.parametrize("seed", range(120))
def test_models_judge_as_the_definition_and_as_their_recounts(seed: int) -> None:
    baskets, rng = drawn(seed, private=True), np.random.default_rng(seed + 1000)
    h, k, p = str(rng.choice(["0.5", "0.6", "0.75", "1"])), int(rng.integers(1, 5)), int(rng.integers(1, 5))
    coherence = HKPCoherence(h=float(h), k=k, p=p)
    wanted = coherent(baskets, Fraction(h), k, p)
    assert coherence.judge(baskets).satisfied == wanted
    assert LKCPrivacy(L=p, K=k, C=float(h)).judge(baskets).satisfied == wanted
    anonymity = KMAnonymity(k=k, m=p)
    assert anonymity.judge(baskets).satisfied == coherent(baskets, Fraction(1), k, p)
    whole = TransactionalKAnonymity(k=k)
    for model in (
        coherence,
        anonymity,
        whole,
        LKCPrivacy(L=p, K=k, C=float(h), values=tuple(sorted(baskets.private))[:1]),
    ):
        verdict = model.judge(baskets)
        assert recount(model, baskets) == (verdict.satisfied, verdict.strongest)
    if whole.judge(baskets).satisfied:
        assert anonymity.judge(baskets).satisfied


@pytest.mark.parametrize("seed", range(80))
def test_suppression_is_coherent_true_and_never_cheaper_than_the_best(seed: int) -> None:
    baskets = drawn(seed, private=True)
    model = HKPCoherence(h=0.75, k=2, p=3)
    task = BasketTask(baskets, [model])
    try:
        greedy = MoleSuppression().run(task, Run())
    except Infeasible:
        assert model.empty_mole(baskets) is not None
        return
    masked = _masked(greedy)
    assert coherent(masked, Fraction("0.75"), 2, 3)
    assert all(after == before - set(greedy.facts["suppressed"]) for before, after in zip(baskets, masked, strict=True))
    in_moles = {name for one in model.minimal_moles(baskets) for name in one}
    assert set(greedy.facts["suppressed"]) <= in_moles
    best = OptimalCohesion().run(task, Run())
    assert coherent(_masked(best), Fraction("0.75"), 2, 3)
    assert len(_masked(best).codes) >= len(masked.codes)


@pytest.mark.parametrize("seed", range(80))
def test_cuts_are_anonymous_and_never_cheaper_than_the_best(seed: int) -> None:
    baskets, rng = drawn(seed), np.random.default_rng(seed)
    k, m = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    task = BasketTask(baskets, [KMAnonymity(k=k, m=m)])
    held = sum(bool(one) for one in baskets)
    searches: list[Search[BasketTask]] = [OptimalAnonymization(), AprioriAnonymization(), DirectAnonymization()]
    if 0 < held < k:
        for search in searches:
            with pytest.raises(Infeasible):
                search.run(task, Run())
        return
    losses = []
    for search in searches:
        masked = _masked(search.run(task, Run()))
        assert coherent(masked, Fraction(1), k, m)
        side = Masked(baskets, masked)
        assert side.is_generalization
        losses.append(ItemLoss().measure(side).value)
    assert min(losses) == losses[0] == min(_valid_losses(baskets, k, m))


@pytest.mark.parametrize("seed", range(120))
def test_the_cut_of_the_naive_twin(seed: int) -> None:
    baskets, rng = drawn(seed), np.random.default_rng(seed)
    k, m = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    held = sum(bool(one) for one in baskets)
    if 0 < held < k:
        return
    found = AprioriAnonymization().run(BasketTask(baskets, [KMAnonymity(k=k, m=m)]), Run())
    assert tuple(found.facts["cut"]) == _naive_cut(baskets, k, m)


def _naive_cut(baskets: Baskets, k: int, m: int) -> tuple[str, ...]:
    """Return the cut that size-by-size lifting ends with, by sets of nodes and nothing else."""
    tree = baskets.tree
    assert tree is not None
    paths = {leaf: [tree.node(name) for name in baskets.climb(str(leaf))] for leaf in tree.leaves}
    held = [{node for name in one for node in paths[name]} for one in baskets]
    cut = {leaf: path[0] for leaf, path in paths.items()}

    def support(nodes: Iterable[int]) -> int:
        return sum(set(nodes) <= one for one in held)

    def loss(chosen: Mapping[Hashable, int]) -> int:
        return sum(support([node]) * (int(tree.leaf_count[node]) - 1) for node in set(chosen.values()))

    def lifted(nodes: Iterable[int]) -> dict[Hashable, int]:
        high = {node: [leaf for leaf, path in paths.items() if node in path] for node in nodes}
        return {**cut, **{leaf: node for node, leaves in high.items() for leaf in leaves}}

    def related(one: int, other: int) -> bool:
        return one != other and any(one in path and other in path for path in paths.values())

    for size in range(1, m + 1):
        shown = [{cut[name] for name in one} for one in baskets]
        rare = {some for one in shown for some in combinations(sorted(one), size) if support(some) < k}
        for some in sorted(rare):
            first = {node: next(leaf for leaf, path in paths.items() if node in path) for node in some}
            current = sorted({cut[first[node]] for node in some})
            if support(current) >= k:
                continue
            chains = [
                paths[first_leaf][paths[first_leaf].index(node) :] for node, first_leaf in _leaf_of(current, paths)
            ]
            options = []
            for choice in product(*chains):
                nodes = sorted(set(choice))
                if any(related(a, b) for a, b in combinations(nodes, 2)) or support(nodes) < k:
                    continue
                touched = sum(int(tree.leaf_count[node]) for node in nodes if node not in cut.values())
                options.append((loss(lifted(nodes)), touched, nodes))
            cut = lifted(min(options)[2])
    return tuple(tree.labels[node] for node in sorted(set(cut.values())))


def _leaf_of(nodes: Iterable[int], paths: Mapping[Hashable, list[int]]) -> list[tuple[int, Hashable]]:
    return [(node, next(leaf for leaf, path in paths.items() if node in path)) for node in nodes]


def _valid_losses(baskets: Baskets, k: int, m: int) -> list[float]:
    tree = baskets.tree
    assert tree is not None
    out = []
    for cut in tree.cuts():
        nodes = {
            str(leaf): tree.labels[node]
            for node in cut
            for leaf in tree.leaves[tree.leaf_first[node] : tree.leaf_last[node]]
        }
        after = baskets.cut(nodes)
        if coherent(after, Fraction(1), k, m):
            out.append(ItemLoss().measure(Masked(baskets, after)).value)
    return out


@pytest.mark.parametrize("seed", range(80))
def test_partitions_are_anonymous_generalizations(seed: int) -> None:
    baskets = drawn(seed)
    model = TransactionalKAnonymity(k=2 + seed % 3)
    try:
        masked = _masked(TopDownPartitioning().run(BasketTask(baskets, [model]), Run()))
    except Infeasible:
        held = sum(bool(one) for one in baskets)
        assert 0 < held < model.k or 0 < len(baskets) - held < model.k
        return
    assert model.judge(masked).satisfied
    assert Masked(baskets, masked).is_generalization
    assert 0 <= ItemNCP().measure(Masked(baskets, masked)).value <= 1
    # Whatever is known of items that are and are not there, nobody or at least k baskets fit.
    for size in range(1, 4):
        for names in combinations(masked.items, size):
            for absent in range(size + 1):
                known = BasketKnowledge(known=names[absent:], absent=names[:absent])
                left = AbsenceAttack.left(Baskets.of(list(masked)), known)
                assert not left or len(left) >= model.k


@pytest.mark.parametrize("seed", range(40))
def test_the_best_items_of_everybody_are_those_of_brute_force(seed: int) -> None:
    baskets = drawn(seed, private=True)
    power = 1 + seed % 3
    risk = TransactionLinkageAttack(power=power).on(baskets, BasketKnowledge(), Run()).per_victim
    sets = list(baskets)
    for at, one in enumerate(sets):
        rarest, surest = len(sets), 0.0
        for size in range(1, power + 1):
            for known in combinations(sorted(one - baskets.private), size):
                holding = [other for other in sets if set(known) <= other]
                rarest = min(rarest, len(holding))
                shares = [sum(name in other for other in holding) / len(holding) for name in baskets.private]
                surest = max([surest, *shares])
        assert risk[at] == max(1 / rarest, surest)


@pytest.mark.parametrize("seed", range(30))
def test_tables_of_baskets_are_read_as_the_baskets_they_were_made_of(seed: int) -> None:
    baskets = drawn(seed, private=True)
    kind = RecodedBaskets(private=tuple(sorted(baskets.private)))
    again = kind.baskets_of(kind.parts_of(baskets))
    assert sorted(map(sorted, again)) == sorted(map(sorted, baskets))
    assert again.private == baskets.private


def _masked(outcome: object) -> Baskets:
    built = getattr(outcome, "built", None)
    assert isinstance(built, BuiltBaskets)
    return built.masked
