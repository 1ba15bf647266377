"""Worked examples on paths: Fung, Wang, Fu, Yu 2010, sections 14.1 and 14.2."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import Any

import pytest

import sfumato
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.trajectories import Pair, Trajectories
from sfumato.trajectories.algorithms import TrajectoryAnonymizer
from sfumato.trajectories.attack import TrajectoryKnowledge
from sfumato.trajectories.attacks import MVSGenerator, TrajectoryLinkageAttack
from sfumato.trajectories.metric import Masked
from sfumato.trajectories.metrics import LostPoints, MaximalFrequentSequences
from sfumato.trajectories.models import LKCPrivacy
from sfumato.trajectories.recodings import RFIDPreprocessing
from sfumato.trajectories.task import TrajectoryTask


def _paths(table: Mapping[str, Any]) -> Trajectories:
    assert table["columns"] == ["id", "path", "diagnosis"]
    return Trajectories.of(
        {person: path for person, path, _ in table["rows"]},
        columns={"diagnosis": [diagnosis for _, _, diagnosis in table["rows"]]},
    )


def _text(sequence: Iterable[Pair]) -> str:
    return "".join(f"{pair.place}{pair.time}" for pair in sequence)


def _pairs(text: str) -> list[Pair]:
    return [Pair(text[at], int(text[at + 1])) for at in range(0, len(text), 2)]


def _model(given: Mapping[str, Any], **other: Any) -> LKCPrivacy:
    told = {name: given[name] for name in ("L", "K", "C") if name in given} | other
    return LKCPrivacy(**told, sensitive="diagnosis", values=tuple(given["sensitive_values"]))


def _confidence(paths: Trajectories, known: Iterable[str], value: str = "AIDS") -> float:
    told = TrajectoryKnowledge(known=tuple(known), learn=("diagnosis",))
    found: Any = TrajectoryLinkageAttack().on(paths, told, Run()).details["probabilities"]
    return float(found["diagnosis"][value])


def _known(text: str) -> list[str]:
    return [str(pair) for pair in _pairs(text)]


def test_paths_of_a_stream(golden: Callable[..., Any]) -> None:
    with golden("06-rfid-paths-1") as file:
        paths = RFIDPreprocessing().load(file.input["stream"]["rows"])
        assert paths.persons is not None
        found = {tag: [list(pair) for pair in path] for tag, path in zip(paths.persons, paths, strict=True)}
        file.compare(found, "paths")
        with pytest.raises(BadRequest):
            RFIDPreprocessing().load(file.input["bad_stream"]["rows"])
        file.compare(True, "bad_stream_refused")
        kept = RFIDPreprocessing(two_places="first").load(file.input["bad_stream"]["rows"])
        assert [_text(path) for path in kept] == ["a1"]
        assert kept.mended == {"two-places": 1}


def test_linkage_by_points(golden: Callable[..., Any]) -> None:
    with golden("06-lkc-trajectory-1") as file:
        paths, model = _paths(file.input["table"]), _model(file.input)
        assert paths.persons is not None
        groups = {
            text: [int(paths.persons[at]) for at in paths.holding(_pairs(text))] for text in ("f6c7", "b2d3", "b2f6")
        }
        file.compare(groups, "groups")
        file.compare({text: _confidence(paths, _known(text)) for text in ("b2f6", "b2d3", "f6c7")}, "confidence_AIDS")
        file.compare(model.judge(paths).satisfied, "satisfies")
        file.compare(sorted(map(_text, model.violations(paths))), "violating_sequences")
        longer = _model(file.input, L=4)
        long = [_text(one) for one in longer.violations(paths) if len(one) > 2 and _text(one) == "b2c5f6c7"]
        file.compare(long, "not_violating_because_longer_than_L")
        file.compare(len(_model(file.input, L=3).violations(paths)), "number_of_violating_sequences_L_3")


def test_confidence_is_not_monotone(golden: Callable[..., Any]) -> None:
    with golden("06-lkc-monotonicity-1") as file:
        paths = _paths(file.input["table"])
        shares = {text: _confidence(paths, _known(text)) for text in ("a1b2c3", "a1b2", "a1", "c3")}
        file.compare(shares, "confidence_AIDS")
        found = {length: sorted(map(_text, _model(file.input, L=length).violations(paths))) for length in (1, 2, 3)}
        file.compare({str(length): texts for length, texts in found.items()}, "violating_sequences")
        file.compare(all(len(text) < 6 for text in found[3]), "every_length_3_sequence_passes")
        file.compare(_model(file.input, L=3).judge(paths).satisfied, "satisfies_3_2_50")


def test_places_alone_tell_more(golden: Callable[..., Any]) -> None:
    with golden("06-lkc-weaker-knowledge-1") as file:
        paths = _paths(file.input["table"])
        file.compare(_model(file.input).judge(paths).satisfied, "satisfies")
        shares = {text: _confidence(paths, _known(text)) for text in ("c1", "c4", "c1c4")}
        file.compare(shares | {"location c at any time": _confidence(paths, ["c"])}, "confidence_AIDS")
        file.compare(_model(file.input, knowledge="location").judge(paths).satisfied, "satisfies_location_only")
        assert not _model(file.input, knowledge="any").judge(paths).satisfied
        assert _model(file.input, knowledge="time").judge(paths).satisfied


def test_minimal_violating_sequences(golden: Callable[..., Any]) -> None:
    with golden("06-mvs-generator-1") as file:
        paths, model = _paths(file.input["table"]), _model(file.input)
        first, second = MVSGenerator.levels(paths, model)
        for number, level in ((1, first), (2, second)):
            file.compare([_text(one) for one in level.candidates], f"X{number}")
            file.compare([_text(one) for one in level.violating], f"V{number}")
        file.compare([_text(one) for one in model.minimal_violations(paths)], "minimal_violating_sequences")


def test_maximal_frequent_sequences(golden: Callable[..., Any]) -> None:
    with golden("06-maximal-frequent-sequences-1") as file:
        paths, metric = _paths(file.input["table"]), MaximalFrequentSequences(support=file.input["min_support"])
        found = {_text(one): support for one, support in metric.mine(paths).items()}
        file.compare(found, "support")
        file.compare(sorted(found, key=file.expected["maximal_frequent_sequences"].index), "maximal_frequent_sequences")
        file.compare(len(found), "number")
        file.compare(len(metric.frequent(paths)), "number_of_frequent_sequences")


def test_the_run_of_the_trajectory_anonymizer(golden: Callable[..., Any]) -> None:
    with golden("06-trajectory-anonymizer-1") as file:
        given = file.input
        paths, model = _paths(given["table"]), _model(given)
        search, metric = (
            made(support=given["min_support"]) for made in (TrajectoryAnonymizer, MaximalFrequentSequences)
        )
        task = TrajectoryTask(paths, [model], sensitive=("diagnosis",))
        turns = [
            {
                "scores": {
                    _text([pair]): [score.gain, score.loss + 1, float(score.value)]
                    for pair, score in turn.scores.items()
                },
                "winner": _text([turn.winner]),
            }
            for turn in search.turns(task, Run())
        ]
        file.compare(turns, "iterations")
        file.compare(["priv_gain", "utility_loss_plus_1", "score"], "score_columns")
        outcome = search.run(task, Run())
        facts: Any = outcome.facts
        file.compare([_text([pair]) for pair in facts.suppressed], "suppressed")
        tree: dict[str, dict[str, int]] = {}
        for one, other in model.minimal_violations(paths):
            below = tree.setdefault(_text([one]), {})
            below[_text([other])] = below.get(_text([other]), 0) + 1
        children = {name: {"count": sum(below.values()), "children": below} for name, below in tree.items()}
        file.compare({"count": len(model.minimal_violations(paths)), "children": children}, "mvs_tree")
        built: Any = outcome.built
        masked = Masked(paths, built.masked)
        rows = [
            [int(person), [list(pair) for pair in path], diagnosis]
            for person, path, diagnosis in zip(
                masked.after.persons or (), masked.after, masked.after.column("diagnosis"), strict=True
            )
        ]
        file.compare({"columns": ["id", "path", "diagnosis"], "rows": rows}, "published")
        file.compare(model.judge(masked.after).satisfied, "satisfies")
        kept, before = metric.kept(masked)
        file.compare(
            sorted(map(_text, kept), key=file.expected["original_mfs_preserved"].index), "original_mfs_preserved"
        )
        file.compare(len(kept), "mfs_preserved_count")
        file.compare(before, "mfs_original_count")
        file.compare(metric.measure(masked).value, "utility_loss")
        file.compare(round(LostPoints().measure(masked).value * len(paths.places)), "suppressed_instances")
        file.compare(len(paths.places), "total_instances")
        best = max(
            (
                (len(metric.kept(Masked(paths, after))[0]), [_text([pair]) for pair in pairs])
                for size in range(len(paths.pairs) + 1)
                for pairs in combinations(paths.pairs, size)
                if model.judge(after := paths.without(pairs)).satisfied
            ),
            key=lambda one: (one[0], -len(one[1])),
        )
        file.compare(best[0], "optimal_preserved_mfs_by_exhaustive_search")
        file.compare(best[1], "optimal_set")


def test_the_same_run_by_a_policy(golden: Callable[..., Any]) -> None:
    file = golden("06-trajectory-anonymizer-1")
    model = _model(file.input)
    policy = {
        "shape": "trajectories",
        "columns": {"diagnosis": {"role": "sensitive"}},
        "requirements": [model],
        "algorithm": {"id": "trajectory-anonymizer", "support": file.input["min_support"]},
    }
    release = sfumato.anonymize(_paths(file.input["table"]), policy)
    paths: dict[int, list[tuple[str, int]]] = {}
    for person, place, time in release.tables["points"].to_rows():
        paths.setdefault(person, []).append((place, time))
    found = [(paths[person], diagnosis) for person, _, diagnosis in release.tables["persons"].to_rows()]
    wanted = [([tuple(pair) for pair in path], diagnosis) for _, path, diagnosis in file.expected["published"]["rows"]]
    assert sorted(found) == sorted(wanted)
