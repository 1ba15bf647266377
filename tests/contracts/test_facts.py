"""Facts and steps: typed, read by name like a dictionary, written as plain data and read back as what they were."""

from __future__ import annotations

import json
from typing import Any

import pytest

import sfumato
from sfumato.contracts.facts import (
    BoxFacts,
    CoarseningFacts,
    CutFacts,
    Facts,
    LatticeFacts,
    LocalFacts,
    MadeFacts,
    OptimalFacts,
    StepFacts,
)
from sfumato.contracts.levels import BoundLevel, FinerLevel, FreeLevel
from sfumato.contracts.trace import CoarseningStep, CutStep, ImprovementStep, RefinementStep, Step
from sfumato.datasets import patients
from sfumato.tables.policy import Policy


def released(**algorithm: Any) -> Any:
    data = patients()
    policy = Policy.for_dataset(data, requirements=[{"id": "k-anonymity", "k": 2}], algorithm=algorithm)
    return sfumato.anonymize(sfumato.from_dataset(data), policy).private


def written(record: Any) -> Any:
    return json.loads(json.dumps(record.document()))


@pytest.mark.parametrize(
    ("algorithm", "facts", "step"),
    [
        ({"id": "tdr", "trace": "full"}, StepFacts, RefinementStep),
        ({"id": "bottom-up-generalization", "trace": "full"}, CoarseningFacts, CoarseningStep),
        ({"id": "optimal"}, OptimalFacts, None),
        ({"id": "optimal", "local_recoding": True}, LocalFacts, None),
        ({"id": "mingen"}, LatticeFacts, None),
        ({"id": "datafly"}, LatticeFacts, None),
        ({"id": "mondrian", "trace": True}, BoxFacts, CutStep),
        ({"id": "genetic-algorithm", "evaluations": 50}, CutFacts, ImprovementStep),
    ],
    ids=lambda value: value["id"] if isinstance(value, dict) else None,
)
def test_what_was_written_is_read_back(algorithm: Any, facts: type[Facts], step: type[Step] | None) -> None:
    kept = released(**algorithm)
    assert type(kept.facts) is facts
    again = Facts.read(written(kept.facts))
    assert type(again) is facts
    assert again.more is None
    assert written(again) == written(kept.facts)
    assert again.words() == kept.facts.words()
    assert again.done() == kept.facts.done()
    assert {type(one) for one in kept.trace} == ({step} if step else set())
    assert [Step.read(written(one)) for one in kept.trace] == json.loads(
        json.dumps([one.document() for one in kept.trace])
    )
    assert all(type(Step.read(written(one))) is step for one in kept.trace)


def test_facts_are_read_by_name_like_a_dictionary() -> None:
    facts = StepFacts(refinements=3, smallest_group={"a|b": 2}, left=[])
    assert dict(facts) == {"refinements": 3, "smallest_group": {"a|b": 2}, "left": []}
    assert facts == {"refinements": 3, "smallest_group": {"a|b": 2}, "left": []}
    assert (facts["refinements"], facts.get("gap"), "seed" in facts, len(facts)) == (3, None, False, 3)
    with pytest.raises(KeyError):
        facts["seed"]
    with pytest.raises(KeyError):
        facts["more"]
    step = CutStep(records=9, attribute="job", value="ANY")
    assert step == {"records": 9, "attribute": "job", "value": "ANY"}
    assert repr(step) == "CutStep(attribute='job', records=9, value='ANY')"


def test_what_is_known_to_be_nothing_is_told() -> None:
    level = FinerLevel(attribute="sex", level=0, height=1, binds=None)
    assert "binds" in level
    assert level["binds"] is None
    assert "note" not in level


def test_kinds_of_levels_are_told_apart() -> None:
    whole = {"attribute": "age", "level": 0, "height": 3, "binds": None}
    free = {**whole, "records": 1, "allowed": 2, "cost": 0.5}
    bound = {**free, "breaking": 1, "groups": 1, "example": {"age": "31"}, "example_size": 1}
    assert [type(FinerLevel.read(one)) for one in (whole, free, bound)] == [FinerLevel, FreeLevel, BoundLevel]


def test_files_of_other_versions_stay_readable() -> None:
    """What an older version did not write, and what a newer one adds, is no reason to refuse a folder."""
    document = written(released(id="optimal").facts)
    older = {key: value for key, value in document.items() if key != "gap"}
    assert type(Facts.read(older)) is LatticeFacts
    assert written(Facts.read(older)) == older
    newer = Facts.read({**document, "colour": "red"})
    assert isinstance(newer, OptimalFacts)
    assert newer["colour"] == "red"
    assert written(newer) == {**document, "colour": "red"}
    strange = {**document, "why": [{"column": "age"}]}
    assert type(Facts.read(strange)) is Facts
    assert written(Facts.read(strange)) == strange
    assert Facts.read({}) == {}
    assert Step.read({"attribute": "age", "how": "?"}).attribute == "age"


def test_a_request_is_kept_with_its_facts() -> None:
    rows = [(at, "flu") for at in range(6)]
    table = sfumato.from_rows(["Age", "Ill"], rows)
    facts = sfumato.release(table, "aggregated-table", groups=[1, 1, 1, 2, 2, 2], qid=["Age"], seed=4).private.facts
    again = Facts.read(written(facts))
    assert isinstance(again, MadeFacts)
    assert again.asked is not None
    assert (again.asked.kind, again.asked.groups, again.asked.qid, again.seed) == (
        "aggregated-table",
        "given by record",
        ["Age"],
        4,
    )
