"""Paths drawn at random: models beside brute force and their recounts, algorithms beside what they promise."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.contracts.algorithm import Search
from sfumato.contracts.model import Model
from sfumato.contracts.run import Run
from sfumato.errors import Infeasible, Unsupported
from sfumato.publishing.recounting import judged
from sfumato.recounts import Counted
from sfumato.trajectories import Pair, Trajectories
from sfumato.trajectories.algorithms import LocalPairSuppression, PathSuppression, TrajectoryAnonymizer
from sfumato.trajectories.attack import TrajectoryKnowledge
from sfumato.trajectories.attacks import MVSGenerator, TrajectoryLinkageAttack
from sfumato.trajectories.built import BuiltTrajectories
from sfumato.trajectories.known import Known, matching
from sfumato.trajectories.metric import Masked
from sfumato.trajectories.metrics import MaximalFrequentSequences
from sfumato.trajectories.models import LKCPrivacy, PathKAnonymity
from sfumato.trajectories.place_sequence_kernels import onward
from sfumato.trajectories.releases import RecodedTrajectories
from sfumato.trajectories.task import TrajectoryTask

Texts = tuple[str, ...]


@st.composite
def drawn(draw: st.DrawFn, times: int = 5) -> Trajectories:
    """Return some paths at up to three places and five times, with a sensitive column of three values."""
    count = draw(st.integers(1, 10))
    paths = [
        [(place, time) for time in range(times) if (place := draw(st.sampled_from(["a", "b", "c", ""])))]
        for _ in range(count)
    ]
    ill = draw(st.lists(st.sampled_from(["x", "y", "z"]), min_size=count, max_size=count))
    return Trajectories.of(paths, columns={"ill": ill})


def sequences(paths: Trajectories, longest: int, way: str) -> dict[Texts, list[int]]:
    """Return who has each sequence of few known points, by trying all of them."""
    out: dict[Texts, list[int]] = {}
    for person, path in enumerate(paths):
        shown = [str(pair) if way == "pair" else pair.place if way == "location" else str(pair.time) for pair in path]
        for one in {one for size in range(1, longest + 1) for one in combinations(shown, size)}:
            out.setdefault(one, []).append(person)
    return out


def broken(paths: Trajectories, model: LKCPrivacy, way: str = "pair") -> set[Texts]:
    """Return what violates by the definition."""
    ill = list(paths.column("ill"))
    most = Fraction(str(model.C)) if model.sensitive else Fraction(1)
    out = set()
    for one, persons in sequences(paths, model.L, way).items():
        shares = [Fraction(sum(ill[at] == value for at in persons), len(persons)) for value in model.values or "xyz"]
        if len(persons) < model.K or (most < 1 and max(shares) > most):
            out.add(one)
    return out


def recount(model: Model[Trajectories], paths: Trajectories) -> tuple[bool, object, int]:
    groups: dict[tuple[str | None, ...], dict[tuple[str | None, ...], int | float]] = {}
    for path, ill in zip(paths, paths.column("ill"), strict=True):
        inside = groups.setdefault(tuple(map(str, path)), {})
        inside[("ill", str(ill))] = inside.get(("ill", str(ill)), 0) + 1
    found = judged(model, Counted(groups), ())
    return found.satisfied, found.measured, found.violating


MODELS = st.builds(
    LKCPrivacy,
    L=st.integers(1, 4),
    K=st.integers(1, 4),
    C=st.sampled_from([0.4, 0.5, 0.6, 1.0]),
    sensitive=st.just("ill"),
    values=st.sampled_from([None, ("x",), ("x", "z")]),
    knowledge=st.sampled_from(["pair", "location", "time", "any"]),
)


@given(drawn(), MODELS)
def test_lkc_is_that_of_the_definition_and_of_its_recount(paths: Trajectories, model: LKCPrivacy) -> None:
    ways = ("pair", "location", "time") if model.knowledge == "any" else (model.knowledge,)
    verdict = model.judge(paths)
    wanted = [broken(paths, model, way) for way in ways]
    assert verdict.satisfied == (not any(wanted))
    minimal = sum(
        not any(part in one for size in range(1, len(known)) for part in combinations(known, size))
        for one in wanted
        for known in one
    )
    assert verdict.violating_groups == minimal
    assert recount(model, paths) == (verdict.satisfied, verdict.strongest, verdict.violating_groups)


@given(drawn(), MODELS)
def test_minimal_violating_sequences_are_those_of_brute_force(paths: Trajectories, model: LKCPrivacy) -> None:
    wanted = broken(paths, model)
    assert {tuple(map(str, one)) for one in model.violations(paths)} == wanted
    minimal = {
        one
        for one in wanted
        if not any(part in wanted for size in range(1, len(one)) for part in combinations(one, size))
    }
    assert {tuple(map(str, one)) for one in model.minimal_violations(paths)} == minimal
    found = [one for level in MVSGenerator.levels(paths, model) for one in level.violating]
    assert {tuple(map(str, one)) for one in found} == minimal
    told = TrajectoryKnowledge(learn=("ill",))
    mined = MVSGenerator(L=model.L, K=model.K, C=model.C).on(paths, told, Run())
    every = LKCPrivacy(L=model.L, K=model.K, C=model.C, sensitive="ill")
    assert mined.details["sequences"] == len(every.minimal_violations(paths))


def masked(search: Search[TrajectoryTask], task: TrajectoryTask) -> Trajectories | None:
    """Return what a search publishes; nothing where no point would be left, which is refused."""
    try:
        outcome = search.run(task, Run())
    except Infeasible as error:
        if "no point would be left" not in str(error):
            raise
        return None
    assert isinstance(outcome.built, BuiltTrajectories)
    return outcome.built.masked


@given(drawn(), MODELS)
def test_suppression_holds_and_keeps_supports(paths: Trajectories, model: LKCPrivacy) -> None:
    asked = LKCPrivacy(L=model.L, K=model.K, C=model.C, sensitive="ill", values=model.values)
    task = TrajectoryTask(paths, [asked], sensitive=("ill",))
    if asked.empty_violation(paths) is not None:
        with pytest.raises(Infeasible):
            TrajectoryAnonymizer().run(task, Run())
        return
    everywhere = masked(TrajectoryAnonymizer(support=2), task)
    if everywhere is not None:
        assert not broken(everywhere, asked)
        before = sequences(paths, asked.L, "pair")
        assert all(before[one] == persons for one, persons in sequences(everywhere, asked.L, "pair").items())
        assert set(paths.pairs) - set(everywhere.pairs) <= {
            pair for one in asked.minimal_violations(paths) for pair in one
        }
    local = masked(LocalPairSuppression(), task)
    if local is not None:
        assert not broken(local, asked)
        assert all(set(after) <= set(raw) for raw, after in zip(paths, local, strict=True))


@given(drawn(), MODELS)
def test_suppression_holds_whatever_is_known_of_points(paths: Trajectories, model: LKCPrivacy) -> None:
    task = TrajectoryTask(paths, [model], sensitive=("ill",))
    if model.empty_violation(paths) is not None:
        return
    everywhere = masked(TrajectoryAnonymizer(support=2), task)
    if everywhere is not None:
        assert not any(broken(everywhere, model, way) for way in model.ways())
        if len(model.ways()) == 1:
            before = sequences(paths, model.L, model.knowledge)
            assert all(before[one] == held for one, held in sequences(everywhere, model.L, model.knowledge).items())
    if model.knowledge in ("location", "any"):
        with pytest.raises(Unsupported, match="trajectory-anonymizer"):
            LocalPairSuppression().run(task, Run())
        return
    local = masked(LocalPairSuppression(), task)
    if local is not None:
        assert not broken(local, model, model.knowledge)
        assert all(set(after) <= set(raw) for raw, after in zip(paths, local, strict=True))


@given(drawn(), st.integers(1, 4))
def test_maximal_frequent_sequences_are_those_of_brute_force(paths: Trajectories, least: int) -> None:
    frequent = {one: len(persons) for one, persons in sequences(paths, 5, "pair").items() if len(persons) >= least}
    metric = MaximalFrequentSequences(support=least)
    assert {tuple(map(str, one)): support for one, support in metric.frequent(paths).items()} == frequent
    maximal = {one for one in frequent if not any(set(one) < set(other) for other in frequent)}
    assert {tuple(map(str, one)) for one in metric.mine(paths)} == maximal
    assert metric.measure(Masked(paths, paths)).value == 0


@given(drawn(times=3), st.integers(1, 4))
def test_paths_made_alike_cost_the_least(paths: Trajectories, k: int) -> None:
    model = PathKAnonymity(k=k)
    task = TrajectoryTask(paths, [model])
    assert recount(model, paths)[:2] == (model.judge(paths).satisfied, model.judge(paths).strongest)
    if len(paths) < k:
        with pytest.raises(Infeasible):
            PathSuppression().run(task, Run())
        return
    exact, greedy = (masked(PathSuppression(exact=most), task) for most in (12, 0))
    assert all(model.judge(one).satisfied for one in (exact, greedy) if one is not None)
    best = max(
        len(after.places)
        for size in range(len(paths.pairs) + 1)
        for pairs in combinations(paths.pairs, size)
        if model.judge(after := paths.without(pairs)).satisfied
    )
    assert (0 if exact is None else len(exact.places)) == best >= (0 if greedy is None else len(greedy.places))


@given(drawn(), st.integers(1, 3))
def test_linkage_is_that_of_trying_all_points(paths: Trajectories, power: int) -> None:
    found = TrajectoryLinkageAttack(power=power).on(paths, TrajectoryKnowledge(learn=("ill",)), Run())
    ill = list(paths.column("ill"))
    wanted = np.full(len(paths), 1 / len(paths))  # nothing can be known of an empty path
    for persons in sequences(paths, power, "pair").values():
        sure = max(sum(ill[at] == value for at in persons) for value in "xyz")
        wanted[persons] = np.maximum(wanted[persons], max(1, sure) / len(persons))
    assert np.allclose(found.per_victim, wanted, rtol=0, atol=1e-12)
    for one, persons in sequences(paths, 2, "location").items():
        assert matching(paths, [Known(place, None) for place in one]).tolist() == persons


@given(drawn())
def test_what_is_published_is_read_back(paths: Trajectories) -> None:
    kind = RecodedTrajectories(sensitive=("ill",))
    back = kind.trajectories_of(kind.parts_of(paths))
    assert sorted(zip(paths, paths.column("ill"), strict=True)) == sorted(zip(back, back.column("ill"), strict=True))


@given(drawn(), st.integers(0, 4))
def test_onward_is_that_of_plain_code(paths: Trajectories, first: int) -> None:
    persons = np.flatnonzero(paths.lengths > first)
    at = paths.starts[persons] + first
    bounds, who, where = onward(paths.starts, paths.places, persons, at, len(paths.names))
    for place in range(len(paths.names)):
        wanted = []
        for person, point in zip(persons.tolist(), at.tolist(), strict=True):
            later = [one for one in range(point, int(paths.starts[person + 1])) if paths.places[one] == place]
            wanted += [(person, later[0] + 1)] if later else []
        mine = slice(bounds[place], bounds[place + 1])
        assert list(zip(who[mine].tolist(), where[mine].tolist(), strict=True)) == wanted


def test_a_pair_has_a_text() -> None:
    assert str(Pair("a", 3)) == "a@3"
