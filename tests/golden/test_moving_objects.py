"""Moving objects: who walks together, how paths are trimmed and moved, who hides behind whom, what an attacker is left with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sfumato.trajectories.algorithms.mob_extreme_union import MobExtremeUnion
from sfumato.trajectories.algorithms.mob_symmetric import MobSymmetric
from sfumato.trajectories.algorithms.never_walk_alone import NeverWalkAlone
from sfumato.trajectories.attack_graph import AttackGraph
from sfumato.trajectories.attacks.mob_attack_graph import MobAttackGraph
from sfumato.trajectories.hilbert import hilbert_index
from sfumato.trajectories.metrics.mob_information_loss import MobInformationLoss
from sfumato.trajectories.models.k_delta_anonymity import KDeltaAnonymity
from sfumato.trajectories.models.mob_k_anonymity import MobKAnonymity
from sfumato.trajectories.moving_objects import MovingObjects, ObjectGroups
from sfumato.trajectories.recodings.mob_qid import MobQid
from sfumato.trajectories.regions import Cloaked, Regions


def objects(asked: dict[str, Any]) -> MovingObjects:
    """Return the objects of a table of points, with their quasi-identifiers."""
    columns, rows = asked["raw"]["columns"], asked["raw"]["rows"]
    made = MovingObjects.of({row[0]: row[1:] for row in rows}, times=columns[1:])
    return MobQid().mark(made, asked["qid"])


def regions(table: dict[str, Any]) -> Regions:
    return Regions.of({row[0]: row[1:] for row in table["rows"]}, times=table["columns"][1:])


def named(names: Sequence[str], sets: Sequence[Sequence[int]]) -> dict[str, list[str]]:
    return {name: [names[at] for at in members] for name, members in zip(names, sets, strict=True)}


def test_k_delta(golden: Callable[..., Any]) -> None:
    with golden("06-k-delta-1") as file:
        walks = MovingObjects.of(file.input["trajectories"], times=file.input["timestamps"])
        apart = walks.farthest("A", "B")
        file.compare(apart, "max_pointwise_distance")
        pair = ObjectGroups.of(walks, [["A", "B"]])
        file.compare(
            {f"delta={delta}": KDeltaAnonymity(k=2, delta=delta).judge(pair).satisfied for delta in (6, 5.999)},
            "colocalized",
        )
        file.compare(
            {f"k={k},delta=6": KDeltaAnonymity(k=k, delta=6).judge(pair).satisfied for k in (2, 3)},
            "group_is_anonymous",
        )


def test_nwa_preprocessing(golden: Callable[..., Any]) -> None:
    with golden("06-nwa-preprocessing-1") as file:
        spans = {name: (first, last) for name, (first, last) in file.input["spans"].items()}
        found = NeverWalkAlone(pi=file.input["pi"]).preprocess(spans)
        file.compare({name: None if one is None else list(one) for name, one in found.trimmed.items()}, "trimmed")
        file.compare(sorted(map(list, found.classes)), "equivalence_classes")
        file.compare(list(found.discarded), "discarded")


def test_nwa_translation(golden: Callable[..., Any]) -> None:
    with golden("06-nwa-translation-1") as file:
        asked = file.input
        walks = MovingObjects.of(asked["trajectories"], times=asked["timestamps"])
        found = NeverWalkAlone().translate(ObjectGroups.of(walks, [asked["cluster"]]), asked["delta"])
        file.compare(found.centres[0].tolist(), "center")
        moved = {name: np.column_stack((found.x[at], found.y[at])).tolist() for at, name in enumerate(asked["cluster"])}
        file.compare(moved, "translated")
        file.compare(dict(zip(asked["cluster"], found.distortion.tolist(), strict=True)), "distortion")
        file.compare(found.total, "total_distortion")
        after = MovingObjects.of(moved, times=asked["timestamps"])
        file.compare(after.farthest("A", "B"), "max_pairwise_distance_after")
        assert KDeltaAnonymity(k=2, delta=asked["delta"]).judge(ObjectGroups.of(after, [["A", "B"]])).satisfied


def test_mob_attack_graph(golden: Callable[..., Any]) -> None:
    with golden("06-mob-attack-graph-1") as file:
        raw = objects(file.input)
        view = Cloaked.of(raw, regions(file.input["published_regions"]))
        graph = AttackGraph.of(view)

        def people(found: dict[int, tuple[int, ...]]) -> dict[str, list[str]]:
            return {f"I{one + 1}": [raw.names[other] for other in others] for one, others in found.items()}

        file.compare(people(graph.edges()), "edges")
        file.compare(dict(zip(raw.names, graph.object_degrees.tolist(), strict=True)), "o_degree")
        file.compare(int(graph.degrees.min()), "min_i_degree")
        file.compare(graph.symmetric, "symmetric")
        file.compare(graph.perfect_matchings(), "number_of_perfect_matchings")
        left = people(graph.candidates())
        file.compare(left, "candidates_after_pruning")
        file.compare({one: others[0] for one, others in left.items() if len(others) == 1}, "re_identified")
        file.compare(MobKAnonymity(k=file.input["k"]).judge(view).satisfied, "mob_k_anonymous")
        assert MobAttackGraph().on(view).details["re_identified"] == 2


def test_mob_groups(golden: Callable[..., Any]) -> None:
    with golden("06-mob-groups-1") as file:
        raw, k = objects(file.input), file.input["k"]
        union, symmetric = MobExtremeUnion().hide(raw, k), MobSymmetric().hide(raw, k)
        file.compare(named(raw.names, union.sets), "AG")
        held = {
            name: [time for time, there in zip(raw.times, row, strict=True) if there]
            for name, row in zip(raw.names, union.held.tolist(), strict=True)
        }
        file.compare(held, "timestamp_union")
        file.compare(named(raw.names, symmetric.sets), "HS")
        file.compare(union.named_classes(raw), "equivalence_classes_extreme_union")
        file.compare(symmetric.named_classes(raw), "equivalence_classes_symmetric")
        index = hilbert_index(raw.x.astype(np.int64), raw.y.astype(np.int64), 16)
        file.compare(
            {time: dict(zip(raw.names, index[:, at].tolist(), strict=True)) for at, time in enumerate(raw.times)},
            "hilbert_index_order_4_grid_16x16",
        )
        file.compare(
            MobExtremeUnion(distance="hilbert").nearest_groups(raw, k) == union.sets,
            "AG_under_hilbert_distance_is_the_same",
        )
        for hidden in (union, symmetric):
            assert MobKAnonymity(k=k).judge(Cloaked.of(raw, hidden.regions(raw))).satisfied


def test_mob_information_loss(golden: Callable[..., Any]) -> None:
    with golden("06-mob-information-loss-1") as file:
        shown = regions(file.input["published_regions"])
        areas = {
            name: dict(zip(shown.times, row, strict=True))
            for name, row in zip(shown.names, shown.areas.tolist(), strict=True)
        }
        file.compare(areas, "area")
        file.compare(MobInformationLoss().measure(shown).value, "information_loss")
