"""mu-Argus against its naive twin, through the verbs: what it promises, what it warns of, what it refuses."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_mu_argus import naive_mu_argus
from sfumato.algorithms.lattice.mu_argus import MuArgus
from sfumato.contracts.algorithm import Task
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models import KAnonymity
from sfumato.tables.prepare import prepare
from sfumato.testing.strategies import DrawnTable, tables

CATEGORICAL = st.lists(st.sampled_from(["taxonomy", "suppress"]), min_size=1, max_size=5)


@st.composite
def drawn_tables(draw: st.DrawFn) -> DrawnTable:
    kinds: Any = draw(CATEGORICAL)
    return draw(tables(kinds, max_rows=30, max_leaves=5))


def policy_of(drawn: DrawnTable, requirements: list[dict[str, Any]], switch: float, **changes: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {"class": {"role": "plain"}}
    for attribute in drawn.attributes:
        columns[attribute.name] = {"role": "quasi-identifier"}
        if attribute.tree is not None:
            columns[attribute.name]["hierarchy"] = {"id": "taxonomy", "tree": attribute.tree}
    return {
        "columns": columns,
        "requirements": requirements,
        "algorithm": {"id": "mu-argus", "switch_fraction": switch, "max_combination": 5},
        "output": {"row_order": "keep"},
        **changes,
    }


@settings(max_examples=60, deadline=None)
@given(
    drawn=drawn_tables(),
    k=st.integers(1, 5),
    size=st.integers(1, 4),
    switch=st.sampled_from([0.0, 0.1, 0.4, 1.0]),
    several=st.booleans(),
)
def test_publishes_what_the_naive_twin_does(drawn: DrawnTable, k: int, size: int, switch: float, several: bool) -> None:
    k = min(k, len(drawn.rows))
    names = [attribute.name for attribute in drawn.attributes]
    asked = [(names, k, size)]
    if several and len(names) > 1:
        asked = [(names[:-1], k, size), (names[1:], max(k - 1, 1), 2)]
    requirements = [{"id": "k-combinations", "qid": qid, "k": least, "size": most} for qid, least, most in asked]
    table = sfumato.from_rows(drawn.columns, drawn.rows)
    release = sfumato.anonymize(table, policy_of(drawn, requirements, switch))
    twin = naive_mu_argus(
        [row[:-1] for row in drawn.rows],
        [attribute.tree for attribute in drawn.attributes],
        [([names.index(name) for name in qid], least, most) for qid, least, most in asked],
        switch,
    )
    assert [list(row[:-1]) for row in release.table.to_rows()] == [
        ["*" if value is None else value for value in row] for row in twin.rows
    ]
    assert [row[-1] for row in release.table.to_rows()] == [row[-1] for row in drawn.rows]
    assert [(entry["step"], entry.get("value", "")) for entry in release.private.trace] == twin.steps
    assert release.private.facts["suppressed_cells"] == twin.suppressed
    # The promise, by the check that knows nothing of the search, and by counting.
    assert sfumato.check(release.table, requirements, qid=names)
    at = {name: place for place, name in enumerate(release.table.columns)}
    for qid, least, most in asked:
        for count in range(1, most + 1):
            for chosen in combinations(qid, count):
                shown = [tuple(row[at[name]] for name in chosen) for row in release.table.to_rows()]
                counts = Counter(combination for combination in shown if "*" not in combination)
                assert not counts or min(counts.values()) >= least
    groups = Counter(row[:-1] for row in release.table.to_rows())
    assert release.private.facts["smallest_group"] == min(groups.values())


def cube(size: int = 4) -> Any:
    rows = [tuple(f"{n >> i & 1}" for i in range(size)) for n in range(2**size)]
    return sfumato.from_rows([f"c{i}" for i in range(size)], rows)


def cube_policy(**changes: Any) -> dict[str, Any]:
    return {
        "columns": {f"c{i}": {"role": "quasi-identifier"} for i in range(4)},
        "requirements": [{"id": "k-combinations", "k": 2}],
        "algorithm": {"id": "mu-argus"},
        **changes,
    }


def test_warns_that_larger_combinations_are_not_counted() -> None:
    release = sfumato.anonymize(cube(), cube_policy())
    (warning,) = [text for text in release.warnings if "not k-anonymous" in text]
    assert "up to 3 of the 4" in warning
    assert "has 1 record" in warning
    four = cube_policy(
        requirements=[{"id": "k-combinations", "k": 1, "size": 4}],
        algorithm={"id": "mu-argus", "max_combination": 4},
    )
    assert not [text for text in sfumato.anonymize(cube(), four).warnings if "not k-anonymous" in text]


def test_cells_are_suppressed_where_nothing_can_be_generalized() -> None:
    table = sfumato.from_rows(["a", "b"], [("x", "u"), ("x", "u"), ("x", "v"), ("y", "u")])
    asked = {
        "columns": {"a": {"role": "quasi-identifier"}, "b": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-combinations", "k": 2}],
        "algorithm": {"id": "mu-argus"},
        "output": {"row_order": "keep"},
    }
    release = sfumato.anonymize(table, asked)
    assert release.table.to_rows() == [("x", "u"), ("x", "u"), ("x", "*"), ("*", "u")]
    assert release.private.facts["suppressed_cells"] == 2
    assert release.private.trace[0]["cells"] == {"a": 1, "b": 1}


def test_generalization_and_suppression_are_measured_together() -> None:
    job = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
    rows = [("Engineer", "M"), ("Lawyer", "M"), ("Dancer", "F"), ("Dancer", "F"), ("Writer", "M")]
    table = sfumato.from_rows(["Job", "Sex"], rows)
    asked = {
        "columns": {
            "Job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": job}},
            "Sex": {"role": "quasi-identifier"},
        },
        "requirements": [{"id": "k-combinations", "k": 2}],
        "algorithm": {"id": "mu-argus", "switch_fraction": 0.4},
        "metrics": ["loss", "discernibility"],
        "output": {"row_order": "keep"},
    }
    release = sfumato.anonymize(table, asked)
    assert release.table.to_rows() == [("Professional", "M")] * 2 + [("Dancer", "F")] * 2 + [("*", "M")]
    # Job: two cells leave 1 of 3 steps open, one all of it; Sex: nothing.
    assert release.measured["loss"].value == pytest.approx(((2 / 3 + 1) / 5 + 0) / 2)
    assert release.measured["discernibility"].value == 2 * 2 + 2 * 2 + 1
    assert release.private.recodings["Job"].published() == ("Professional", "Dancer", "Writer")
    assert [operation.id for operation in release.private.operations] == ["cell-suppression"]


def test_the_same_rows_whatever_the_engine_and_the_order(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = [tuple(f"v{v}" for v in rng.integers(0, 4, 4)) for _ in range(60)]
    names = [f"c{i}" for i in range(4)]
    asked = cube_policy(requirements=[{"id": "k-combinations", "k": 3}])
    first = sfumato.anonymize(sfumato.from_rows(names, rows), asked)
    turned = sfumato.anonymize(sfumato.from_rows(names, rows[::-1]), asked)
    file = tmp_path / "rows.csv"
    file.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n", encoding="utf-8")
    other = sfumato.anonymize(str(file), {**asked, "engine": "duckdb"})
    assert first.private.facts["suppressed_cells"] > 0
    assert first.table.to_rows() == turned.table.to_rows() == other.table.to_rows()


def test_fully_suppressed_is_better_than_unsafe() -> None:
    table = sfumato.from_rows(["a"], [("x",), ("y",), ("z",)])
    asked = {
        "columns": {"a": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-combinations", "k": 2}],
        "algorithm": {"id": "mu-argus"},
    }
    assert sfumato.anonymize(table, asked).table.to_rows() == [("*",)] * 3


def test_the_written_files_hold_what_was_promised(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = [tuple(f"v{v}" for v in rng.integers(0, 4, 4)) for _ in range(60)]
    tree = {"value": "any", "children": [{"value": "low", "children": [{"value": "v0"}, {"value": "v1"}]}]}
    tree["children"] += [{"value": "high", "children": [{"value": "v2"}, {"value": "v3"}]}]
    asked = cube_policy(requirements=[{"id": "k-combinations", "k": 3}])
    asked["columns"]["c0"]["hierarchy"] = {"id": "taxonomy", "tree": tree}
    release = sfumato.anonymize(sfumato.from_rows([f"c{i}" for i in range(4)], rows), asked)
    assert release.private.facts["generalizations"] > 0
    assert release.private.facts["suppressed_cells"] > 0
    sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(tmp_path / "out")


# ---- refusals ------------------------------------------------------------------------------------------------------------


def test_k_anonymity_is_refused_with_who_can() -> None:
    with pytest.raises(Unsupported, match="k-combinations") as caught:
        sfumato.anonymize(cube(), cube_policy(requirements=[{"id": "k-anonymity", "k": 2}]))
    assert caught.value.alternatives == ["tdr"]
    with pytest.raises(Unsupported) as caught:
        sfumato.anonymize(cube(), cube_policy(requirements=[{"id": "lkc-privacy", "L": 2, "K": 2}]))
    assert caught.value.thing == "lkc-privacy"


def test_larger_combinations_must_be_allowed() -> None:
    with pytest.raises(BadRequest, match="max_combination") as caught:
        sfumato.anonymize(cube(), cube_policy(requirements=[{"id": "k-combinations", "k": 2, "size": 4}]))
    assert (caught.value.parameter, caught.value.value) == ("k-combinations.size", 4)


def test_more_records_than_there_are_is_infeasible() -> None:
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(cube(), cube_policy(requirements=[{"id": "k-combinations", "k": 17}]))
    assert (caught.value.measured, caught.value.bound) == (16, 17)


def test_numbers_need_a_hierarchy() -> None:
    table = sfumato.from_rows(["a"], [(1,), (2,)])
    asked = {
        "columns": {"a": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-combinations", "k": 1}],
        "algorithm": {"id": "mu-argus"},
    }
    with pytest.raises(BadRequest, match="needs a hierarchy") as caught:
        sfumato.anonymize(table, asked)
    assert caught.value.column == "a"


def test_the_symbol_of_suppression_must_not_be_a_value() -> None:
    table = sfumato.from_rows(["a"], [("*",), ("x",)])
    asked = {
        "columns": {"a": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-combinations", "k": 1}],
        "algorithm": {"id": "mu-argus"},
    }
    with pytest.raises(BadRequest, match="stands for suppressed") as caught:
        sfumato.anonymize(table, asked)
    assert caught.value.column == "a"


def test_records_are_not_left_out() -> None:
    with pytest.raises(Unsupported, match="without leaving records out"):
        sfumato.anonymize(cube(), cube_policy(limits={"suppress_at_most": 0.1}))


def test_cells_need_the_records() -> None:
    asked = cube_policy(requirements=[{"id": "k-combinations", "k": 3}])
    task = prepare(cube(), sfumato.Policy.of(asked)).task()
    with pytest.raises(BadRequest, match="records themselves"):
        MuArgus().run(Task(task.table, task.attributes, task.models), Run.seeded(0))
    with pytest.raises(Unsupported):
        MuArgus().run(Task(task.table, task.attributes, [KAnonymity(k=2)]), Run.seeded(0))


@pytest.mark.parametrize("wrong", [{"max_combination": 0}, {"switch_fraction": -0.1}, {"switch_fraction": 1.1}])
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest) as caught:
        MuArgus(**wrong)
    assert caught.value.parameter == f"mu-argus.{next(iter(wrong))}"
