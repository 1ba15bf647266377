"""Top-Down Disclosure against a twin that rescans the table, and through the public verbs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_tdd import NaiveTemplate, naive_tdd
from oracles.naive_tdr import NaiveAttribute
from sfumato.algorithms import TopDownDisclosure
from sfumato.catalogue import build
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.tables.prepare import prepare
from sfumato.testing.strategies import DrawnTable, tables


@dataclass(frozen=True)
class Asked:
    """A drawn table with a sensitive column at its end, and its templates."""

    drawn: DrawnTable
    rows: tuple[tuple[Any, ...], ...]
    templates: tuple[NaiveTemplate, ...]


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    kinds = draw(st.lists(st.sampled_from(["suppress", "suppress", "taxonomy"]), min_size=1, max_size=4))
    drawn = draw(tables(kinds, max_rows=30))
    secret = draw(st.lists(st.sampled_from("xyyzzz"), min_size=len(drawn.rows), max_size=len(drawn.rows)))
    names = [attribute.name for attribute in drawn.attributes]
    template = st.builds(
        NaiveTemplate,
        qid=st.lists(st.sampled_from(names), min_size=1, max_size=len(names), unique=True).map(
            lambda chosen: tuple(sorted(chosen))
        ),
        value=st.sampled_from(sorted(set(secret))),
        h=st.sampled_from([1.0, 0.75, 2 / 3, 0.5]),
    )
    templates = draw(st.lists(template, min_size=1, max_size=3))
    rows = tuple((*row, value) for row, value in zip(drawn.rows, secret, strict=True))
    return Asked(drawn, rows, tuple(templates))


def policy_of(task: Asked, **algorithm: Any) -> sfumato.Policy:
    columns: dict[str, Any] = {}
    for attribute in task.drawn.attributes:
        columns[attribute.name] = {"role": "quasi-identifier"}
        if attribute.kind == "taxonomy":
            columns[attribute.name]["hierarchy"] = {"id": "taxonomy", "tree": attribute.tree}
    return sfumato.Policy.of(
        {
            "columns": {**columns, task.drawn.target: {"role": "target"}, "secret": {"role": "sensitive"}},
            "requirements": [
                {"id": "confidence-bounding", "qid": list(t.qid), "sensitive": "secret", "value": t.value, "h": t.h}
                for t in task.templates
            ],
            "algorithm": {"id": "top-down-disclosure", "trace": "full", **algorithm},
            "output": {"row_order": "keep"},
        }
    )


def same_candidate(found: Any, wanted: Any) -> None:
    assert (found["attribute"], found["value"], found["valid"]) == (
        wanted["attribute"],
        wanted["value"],
        wanted["valid"],
    )
    for number in ("gain", "loss", "score"):
        assert found[number] == pytest.approx(wanted[number], abs=1e-9)


@settings(max_examples=80)
@given(task=asked(), limit=st.sampled_from([None, None, 0, 2]))
def test_same_as_the_naive_twin(task: Asked, limit: int | None) -> None:
    attributes = [NaiveAttribute(a.name, a.kind, a.tree) for a in task.drawn.attributes]
    columns = [*task.drawn.columns, "secret"]
    table = sfumato.from_rows(columns, task.rows)
    try:
        twin = naive_tdd(task.rows, columns, attributes, "class", "secret", task.templates, limit)
    except ValueError:
        with pytest.raises(Infeasible):
            sfumato.anonymize(table, policy_of(task, max_refinements=limit))
        return
    release = sfumato.anonymize(table, policy_of(task, max_refinements=limit))
    trace = release.private.trace
    assert [(e["attribute"], e["value"]) for e in trace] == [(e["attribute"], e["value"]) for e in twin["trace"]]
    for found, wanted in zip(trace, twin["trace"], strict=True):
        same_candidate(found, wanted)
        assert [entry["confidence"] for entry in found["confidences"]] == wanted["confidences"]
        for ours, theirs in zip(found["candidates"], wanted["candidates"], strict=True):
            same_candidate(ours, theirs)
    for ours, theirs in zip(release.private.facts["left"], twin["left"], strict=True):
        same_candidate(ours, theirs)
    assert [entry["confidence"] for entry in release.private.facts["confidences"]] == twin["confidences"]
    assert [tuple(map(str, row)) for row in release.table.to_rows()] == [
        tuple(map(str, row)) for row in twin["masked_rows"]
    ]
    # An independent count of the published rows agrees, and the short trace leads to the same rows.
    verdicts = sfumato.check(release.table, policy=release.private.policy)
    assert verdicts.satisfied
    assert [verdict.strongest for verdict in verdicts] == twin["confidences"]
    short = sfumato.anonymize(table, policy_of(task, max_refinements=limit, trace="steps"))
    assert short.table.to_rows() == release.table.to_rows()


# ---- through the verbs ---------------------------------------------------------------------------------------------------

ROWS = [
    ("Clerk", "US", 30, "Flu", "Y"),
    ("Clerk", "US", 41, "HIV", "N"),
    ("Cook", "CA", 35, "Flu", "Y"),
    ("Cook", "US", 52, "Flu", "N"),
    ("Nurse", "CA", 28, "HIV", "Y"),
    ("Nurse", "CA", 63, "Flu", "Y"),
    ("Nurse", "US", 47, "Flu", "N"),
    ("Nurse", "US", 33, "Flu", "N"),
]
TABLE = sfumato.from_rows(["Job", "Country", "Age", "Disease", "Class"], ROWS)


def policy(*requirements: dict[str, Any], target: bool = True, age: Any = None, **algorithm: Any) -> dict[str, Any]:
    return {
        "columns": {
            "Job": {"role": "quasi-identifier"},
            "Country": {"role": "quasi-identifier"},
            "Age": {"role": "plain", "publish_anyway": "invented"}
            if age is None
            else {"role": "quasi-identifier", **age},
            "Disease": {"role": "sensitive"},
            "Class": {"role": "target" if target else "plain"},
        },
        "requirements": list(requirements) or [template()],
        "algorithm": {"id": "top-down-disclosure", **algorithm},
        "output": {"row_order": "keep"},
    }


def template(value: Any = "HIV", h: float = 0.5, **more: Any) -> dict[str, Any]:
    return {"id": "confidence-bounding", "sensitive": "Disease", "value": value, "h": h, **more}


def test_nothing_valid_is_left_to_disclose() -> None:
    release = sfumato.anonymize(TABLE, policy(template(h=0.34)))
    model = build(template(h=0.34), "model")
    hidden = 0
    for name, recoding in release.recodings.items():
        for value in recoding.domain:
            if not recoding.hides(value):
                continue
            hidden += 1
            finer = build(
                {"id": recoding.id, "domain": recoding.domain, "disclosed": (*recoding.disclosed, value)}, "operation"
            )
            table = sfumato.recode(TABLE, {**release.recodings, name: finer}).table
            assert not sfumato.check(table, model, qid=["Job", "Country"]).satisfied
    assert hidden


def test_without_a_target_the_domain_given_back_is_the_gain() -> None:
    release = sfumato.anonymize(TABLE, policy(target=False))
    assert release.verdict.satisfied
    assert release.private.trace
    assert all(entry["score"] == pytest.approx(entry["gain"] / (1 + entry["loss"])) for entry in release.private.trace)


def test_other_requirements_hold_too_and_cost_nothing_in_the_score() -> None:
    release = sfumato.anonymize(TABLE, policy(template(), {"id": "k-anonymity", "k": 3}))
    assert release.verdict.satisfied
    assert min(release.table.groups(["Job", "Country"]).sizes) >= 3
    alone = sfumato.anonymize(TABLE, policy({"id": "k-anonymity", "k": 3}))
    assert alone.private.trace
    assert {entry["loss"] for entry in alone.private.trace} == {0.0}
    assert alone.private.facts["confidences"] == []


def test_each_template_has_its_own_columns() -> None:
    release = sfumato.anonymize(
        TABLE, policy(template(h=0.25, qid=["Job"]), template("Flu", 1.0, qid=["Country"]), trace="full")
    )
    assert release.verdict.satisfied
    # Nobody knows job and country together, so the country is disclosed in full; clerks are not, half of them have HIV.
    assert release.recodings["Country"].published() == ("CA", "US")
    assert "Clerk" not in release.recodings["Job"].published()


def test_numbers_need_a_hierarchy() -> None:
    with pytest.raises(BadRequest, match="needs a hierarchy") as caught:
        sfumato.anonymize(TABLE, policy(age={}))
    assert caught.value.column == "Age"
    cut = {"hierarchy": {"id": "intervals", "edges": [20, 40, 70]}}
    release = sfumato.anonymize(TABLE, policy(age=cut))
    assert release.verdict.satisfied
    assert release.recodings["Age"].id == "subtree-generalization"


def test_a_template_that_the_suppressed_table_breaks_is_infeasible() -> None:
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(TABLE, policy(template(h=0.2)))
    assert caught.value.measured == 0.25
    assert caught.value.requirement == "confidence-bounding"


def test_a_value_that_does_not_occur_is_refused() -> None:
    with pytest.raises(BadRequest, match="does not occur") as caught:
        sfumato.anonymize(TABLE, policy(template("Hiv")))
    assert (caught.value.parameter, caught.value.column) == ("confidence-bounding.value", "Disease")


@pytest.mark.parametrize("h", [-0.1, 1.1, "half"])
def test_a_bound_outside_its_range_is_refused(h: Any) -> None:
    with pytest.raises(BadRequest) as caught:
        sfumato.anonymize(TABLE, policy(template(h=h)))
    assert caught.value.parameter == "confidence-bounding.h"


def test_a_template_on_an_unknown_column_is_refused() -> None:
    with pytest.raises(BadRequest, match="not a quasi-identifier"):
        sfumato.anonymize(TABLE, policy(template(qid=["Town"])))


def test_requirements_over_combinations_are_not_promised() -> None:
    with pytest.raises(Unsupported):
        sfumato.anonymize(TABLE, policy({"id": "k-combinations", "k": 2, "size": 1}))


def test_the_generator_is_not_used() -> None:
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    TopDownDisclosure().run(prepare(TABLE, sfumato.Policy.of(policy())).task(), Run(rng=rng))
    assert rng.bit_generator.state == before


@pytest.mark.parametrize(("name", "value"), [("max_refinements", -1), ("deadline", 0), ("trace", "all")])
def test_wrong_parameters_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(BadRequest) as caught:
        TopDownDisclosure(**{name: value})
    assert caught.value.parameter == f"top-down-disclosure.{name}"
