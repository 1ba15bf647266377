"""Top-Down Refinement under requirements that need more than group sizes."""

from __future__ import annotations

from typing import Any

import pytest

import sfumato
from sfumato.catalogue import build
from sfumato.contracts.publication import Publication
from sfumato.datasets import hospital, sample_policy
from sfumato.errors import Infeasible, Unsupported

REQUIREMENTS: list[list[dict[str, Any]]] = [
    [{"id": "l-diversity-distinct", "l": 4, "sensitive": "diagnosis"}],
    [{"id": "l-diversity-entropy", "l": 5, "sensitive": "diagnosis"}],
    [{"id": "l-diversity-frequency", "l": 3, "sensitive": "diagnosis"}],
    [{"id": "l-diversity-recursive", "c": 2.0, "l": 3, "sensitive": "diagnosis"}],
    [{"id": "k-anonymity", "k": 4}, {"id": "l-diversity-distinct", "l": 3, "sensitive": "diagnosis"}],
    [
        {"id": "k-anonymity", "k": 3, "qid": ["sex", "birth_date"]},
        {"id": "l-diversity-distinct", "l": 3, "sensitive": "diagnosis", "qid": ["department", "sex"]},
    ],
]


def run(requirements: list[dict[str, Any]], trace: str = "full") -> Any:
    policy = {
        **sample_policy(),
        "requirements": requirements,
        "algorithm": {"id": "tdr", "score": "igpl", "trace": trace},
    }
    return sfumato.anonymize(hospital(400, seed=8).to_polars(), policy)


@pytest.mark.parametrize("requirements", REQUIREMENTS, ids=lambda r: "+".join(entry["id"] for entry in r))
def test_every_state_holds_and_nothing_valid_is_left(requirements: list[dict[str, Any]]) -> None:
    models = [build(entry, "model") for entry in requirements]
    raw = sfumato.read(hospital(400, seed=8).to_polars())
    states: list[dict[str, Any]] = []
    policy = {
        **sample_policy(),
        "requirements": requirements,
        "algorithm": {"id": "tdr", "score": "igpl", "trace": "full"},
    }
    release = sfumato.anonymize(raw, policy, on_step=lambda state: states.append(state.recodings()))
    qids = tuple(release.recodings)

    def holds(recodings: Any) -> bool:
        publication = Publication(table=sfumato.recode(raw, recodings).table, qids=qids)
        return all(model.judge(publication).satisfied for model in models)

    assert states
    assert all(holds(state) for state in states)
    assert release.verdict.satisfied
    # What the search refused at the end is refused for a reason: performing it breaks a requirement.
    left = [entry for entry in release.private.facts["left"] if entry["beneficial"]]
    assert not [entry for entry in left if entry["valid"]]
    for entry in left:
        recoding = release.recodings[entry["attribute"]]
        if recoding.id != "subtree-generalization":
            continue
        tree = recoding.tree
        node = tree.node(entry["value"])
        cut = [label for label in recoding.cut if label != entry["value"]]
        finer = build(
            {"id": recoding.id, "tree": tree, "cut": (*cut, *(tree.labels[child] for child in tree.children[node]))},
            "operation",
        )
        assert not holds({**release.recodings, entry["attribute"]: finer})


def test_the_short_trace_takes_the_same_steps() -> None:
    for requirements in REQUIREMENTS:
        full, short = run(requirements), run(requirements, "steps")
        assert [(e["attribute"], e["value"]) for e in full.private.trace] == [
            (e["attribute"], e["value"]) for e in short.private.trace
        ]


def test_a_hopeless_requirement_is_refused_before_searching_with_the_measured_value() -> None:
    with pytest.raises(Infeasible) as refusal:
        run([{"id": "l-diversity-distinct", "l": 99, "sensitive": "diagnosis"}])
    assert refusal.value.measured == len(set(hospital(400, seed=8).values("diagnosis")))
    assert "99" in str(refusal.value.bound)


def test_a_requirement_over_attribute_subsets_is_not_promised() -> None:
    with pytest.raises(Unsupported):
        run([{"id": "k-combinations", "k": 5, "size": 2}])
