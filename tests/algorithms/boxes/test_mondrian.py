"""Mondrian against plain recursion, by an independent count, and at its edges."""

from __future__ import annotations

import math
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_mondrian import NaiveSpace, _by_width, naive_any, naive_median
from oracles.naive_tdr import NaiveAttribute
from sfumato.algorithms.boxes.mondrian import Mondrian
from sfumato.contracts.published import Release
from sfumato.data.text import interval_label, to_text
from sfumato.engines import get_engine
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.testing.strategies import DrawnTable, tables

SLACK = 1e-9
Holds = Callable[[Sequence[int]], bool]


# ---- requirements, as policies and as plain tests ------------------------------------------------------------------------


def distinct(secret: Sequence[str], l: int) -> Holds:
    return lambda part: len({secret[row] for row in part}) >= l


def diverse(secret: Sequence[str], l: float) -> Holds:
    def holds(part: Sequence[int]) -> bool:
        shares = [count / len(part) for count in Counter(secret[row] for row in part).values()]
        return math.exp(-sum(share * math.log(share) for share in shares)) >= l * (1 - SLACK)

    return holds


def close(secret: Sequence[str], t: float) -> Holds:
    whole = Counter(secret)

    def holds(part: Sequence[int]) -> bool:
        own = Counter(secret[row] for row in part)
        away = sum(abs(own[value] / len(part) - whole[value] / len(secret)) for value in whole) / 2
        return away <= t * (1 + SLACK)

    return holds


REQUIREMENTS: dict[str, tuple[dict[str, Any], Callable[[Sequence[str]], Holds]]] = {
    "distinct": ({"id": "l-diversity-distinct", "l": 2}, lambda secret: distinct(secret, 2)),
    "entropy": ({"id": "l-diversity-entropy", "l": 1.8}, lambda secret: diverse(secret, 1.8)),
    "t": (
        {"id": "t-closeness", "t": 0.3, "ground_distance": "equal"},
        lambda secret: close(secret, 0.3),
    ),
}


def policy_of(drawn: DrawnTable, requirements: Sequence[dict[str, Any]], **algorithm: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {drawn.target: {"role": "sensitive"}}
    for one in drawn.attributes:
        columns[one.name] = {"role": "quasi-identifier"}
        if one.tree is not None:
            columns[one.name]["hierarchy"] = {"id": "taxonomy", "tree": one.tree}
    return {
        "columns": columns,
        "requirements": list(requirements),
        "algorithm": {"id": "mondrian", **algorithm},
        "output": {"row_order": "keep"},
        "metrics": [],
    }


def space_of(drawn: DrawnTable) -> NaiveSpace:
    attributes = [NaiveAttribute(one.name, one.kind, one.tree) for one in drawn.attributes]
    return NaiveSpace(drawn.rows, attributes)


def published_groups(release: Release, width: int) -> dict[tuple[Any, ...], list[int]]:
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, row in enumerate(release.table.to_rows()):
        groups.setdefault(tuple(map(to_text, row[:width])), []).append(number)
    return groups


def label(space: NaiveSpace, at: int, side: Any) -> str:
    """Return how one side of a naive box is published."""
    if isinstance(side, str):
        return side
    low, high = side
    if low == high:
        return to_text(low)
    if space.attributes[at].kind == "interval":
        return interval_label(low, high, closed=True)
    return f"{low}..{high}"


# ---- against the twin ----------------------------------------------------------------------------------------------------


@settings(max_examples=70)
@given(
    drawn=tables(max_rows=40, max_leaves=8),
    k=st.integers(1, 6),
    more=st.sampled_from([None, None, *REQUIREMENTS]),
    threshold=st.sampled_from(["median", "any"]),
)
def test_the_groups_of_the_naive_twin(drawn: DrawnTable, k: int, more: str | None, threshold: str) -> None:
    secret = [row[-1] for row in drawn.rows]
    space = space_of(drawn)
    requirements: list[dict[str, Any]] = [{"id": "k-anonymity", "k": min(k, len(drawn.rows))}]
    tests: list[Holds] = [lambda part: len(part) >= k]
    if more is not None:
        asked, made = REQUIREMENTS[more]
        requirements.append({**asked, "sensitive": drawn.target})
        tests.append(made(secret))
    policy = policy_of(drawn, requirements, threshold=threshold)
    table = sfumato.from_rows(drawn.columns, drawn.rows)

    def allowed(part: Sequence[int]) -> bool:
        return all(test(part) for test in tests)

    if k > len(drawn.rows) or not allowed(space.everything()):
        if k <= len(drawn.rows):
            with pytest.raises(Infeasible):
                sfumato.anonymize(table, policy)
        return
    release = sfumato.anonymize(table, policy)
    wanted = naive_any(space, allowed) if threshold == "any" else naive_median(space, allowed)
    found = published_groups(release, len(drawn.attributes))
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, wanted))
    # Labels are the smallest that cover a group, and the boxes stand from left to right.
    boxes = [tuple(label(space, at, side) for at, side in enumerate(space.box(part))) for part in wanted]
    assert release.private.operations[0].boxes == tuple(boxes)
    assert set(found) == set(boxes)
    # Another count confirms the requirements, and no group has an allowed cut left.
    assert sfumato.check(release.table, policy=release.private.policy).satisfied
    assert all(_by_width(space, part, allowed, anywhere=threshold == "any") is None for part in found.values())


def _wide(rows: int, seed: int, columns: int = 3) -> DrawnTable:
    """Return a table whose columns have almost as many values as it has rows."""
    from sfumato.testing.strategies import DrawnAttribute

    rng = np.random.default_rng(seed)
    leaves = [f"v{i:03d}" for i in range(120)]
    tree = {
        "value": "any",
        "children": [
            {"value": f"g{i}", "children": [{"value": leaf} for leaf in leaves[i : i + 24]]} for i in range(0, 120, 24)
        ],
    }
    made = [
        DrawnAttribute("a0", "interval"),
        DrawnAttribute("a1", "suppress"),
        DrawnAttribute("a2", "taxonomy", tree),
        *(DrawnAttribute(f"a{i}", "interval") for i in range(3, columns)),
    ]
    values = [
        [
            float(rng.integers(0, 5 * rows)) / 2,
            f"w{rng.integers(0, rows):04d}",
            leaves[int(rng.integers(0, 120))],
            *(int(rng.integers(0, 3 * rows)) for _ in range(3, columns)),
        ]
        for _ in range(rows)
    ]
    records = tuple((*row, f"c{rng.integers(0, 4)}") for row in values)
    return DrawnTable((*(one.name for one in made), "class"), records, tuple(made), "class", ())


@pytest.mark.parametrize("threshold", ["median", "any"])
@pytest.mark.parametrize("columns", [3, 12])
def test_long_axes_and_many_columns(threshold: str, columns: int) -> None:
    # 12 columns of 300 values need more than 64 bits side by side.
    drawn = _wide(300, 4, columns)
    space = space_of(drawn)
    release = sfumato.anonymize(
        sfumato.from_rows(drawn.columns, drawn.rows),
        policy_of(drawn, [{"id": "k-anonymity", "k": 4}], threshold=threshold),
    )
    naive = naive_any if threshold == "any" else naive_median
    wanted = naive(space, lambda part: len(part) >= 4)
    found = published_groups(release, columns)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, wanted))
    assert len(found) > 30


@settings(max_examples=40)
@given(drawn=tables(max_rows=40, max_leaves=8), k=st.integers(1, 5))
def test_regions_hold_their_records_and_part_the_whole_space(drawn: DrawnTable, k: int) -> None:
    table = sfumato.from_rows(drawn.columns, drawn.rows)
    asked = [{"id": "k-anonymity", "k": min(k, len(drawn.rows))}]
    boxes, regions = (
        sfumato.anonymize(table, policy_of(drawn, asked, publish=publish)) for publish in ("box", "region")
    )
    width = len(drawn.attributes)
    assert sorted(published_groups(boxes, width).values()) == sorted(published_groups(regions, width).values())
    # Every combination of values has its place, also those that no record has, unless a whole branch of a tree is empty.
    operation = regions.private.operations[0]
    domains = [sorted({row[at] for row in drawn.rows})[:4] for at in range(width)]
    points = list(product(*domains))
    for point in points:
        holding = [
            box
            for box in operation.boxes
            if all(
                operation.scales[name].holds(side, value)
                for name, side, value in zip(operation.qid, box, point, strict=True)
            )
        ]
        assert len(holding) == 1 or (not holding and any(one.tree is not None for one in drawn.attributes))
    if all(one.tree is None for one in drawn.attributes):
        assert operation.labels(points)


@settings(max_examples=40)
@given(drawn=tables(max_rows=40, max_leaves=8), k=st.integers(1, 5), more=st.sampled_from([None, *REQUIREMENTS]))
def test_relaxed_groups_meet_the_requirement_and_are_even(drawn: DrawnTable, k: int, more: str | None) -> None:
    k = min(k, len(drawn.rows))
    asked: list[dict[str, Any]] = [{"id": "k-anonymity", "k": k}]
    if more is not None:
        asked.append({**REQUIREMENTS[more][0], "sensitive": drawn.target})
        if not REQUIREMENTS[more][1]([row[-1] for row in drawn.rows])(range(len(drawn.rows))):
            return
    release = sfumato.anonymize(sfumato.from_rows(drawn.columns, drawn.rows), policy_of(drawn, asked, strict=False))
    assert release.private.operations[0].id == "cell-generalization"
    assert sfumato.check(release.table, policy=release.private.policy).satisfied
    width = len(drawn.attributes)
    for raw, shown in zip(drawn.rows, release.table.to_rows(), strict=True):
        for one, value, text in zip(drawn.attributes, raw[:width], shown[:width], strict=True):
            assert release.private.operations[0].stands_for(one.name, text, value)
    if more is None and all(one.tree is None for one in drawn.attributes):
        # A group of 2k records that are not all alike can always be halved.
        alike = max(Counter(row[:width] for row in drawn.rows).values())
        assert release.private.facts["largest_group"] <= max(2 * k - 1, alike)


def test_ties_at_the_median_stop_strict_cuts_only() -> None:
    table = sfumato.from_rows(["X"], [(1,), *[(5,)] * 9, (8,), (9,)])
    policy: dict[str, Any] = {
        "columns": {"X": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 3}],
        "output": {"row_order": "keep"},
    }
    strict, relaxed = (
        sfumato.anonymize(table, {**policy, "algorithm": {"id": "mondrian", "strict": strict}})
        for strict in (True, False)
    )
    assert strict.private.facts["groups"] == 1
    assert relaxed.private.facts["groups"] > 1
    assert len(set(relaxed.table.to_rows()[1:10])) > 1  # equal records look different


@settings(max_examples=40)
@given(
    kinds=st.lists(st.sampled_from(["interval", "suppress"]), min_size=1, max_size=3),
    data=st.data(),
    k=st.integers(2, 5),
)
def test_any_threshold_bounds_the_groups(kinds: Any, data: st.DataObject, k: int) -> None:
    drawn = data.draw(tables(kinds, max_rows=50))
    k = min(k, len(drawn.rows))
    release = sfumato.anonymize(
        sfumato.from_rows(drawn.columns, drawn.rows), policy_of(drawn, [{"id": "k-anonymity", "k": k}], threshold="any")
    )
    alike = max(Counter(row[:-1] for row in drawn.rows).values())
    assert release.private.facts["largest_group"] <= 2 * len(kinds) * (k - 1) + alike


# ---- through the verbs ---------------------------------------------------------------------------------------------------

JOB = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
COLUMNS = ("job", "age", "town", "illness")
ROWS = [
    ("Engineer", 30, "Bonn", "flu"),
    ("Engineer", 31, "Bonn", "flu"),
    ("Lawyer", 33, "Aachen", "cold"),
    ("Lawyer", 38, "Köln", "flu"),
    ("Dancer", 30, "Bonn", "hiv"),
    ("Dancer", 35, "Ulm", "cold"),
    ("Writer", 40, "Ulm", "flu"),
    ("Writer", 52, "Köln", "cold"),
    ("Writer", 53, "Ulm", "hiv"),
]


def policy(*requirements: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "columns": {
            "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": JOB}},
            "age": {"role": "quasi-identifier"},
            "town": {"role": "quasi-identifier"},
            "illness": {"role": "sensitive"},
        },
        "requirements": list(requirements) or [{"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": "mondrian"},
        **more,
    }


def table(rows: Sequence[Any] = ROWS) -> Any:
    return sfumato.from_rows(COLUMNS, rows)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("algorithm", [{}, {"publish": "region"}, {"strict": False}], ids=str)
def test_written_verified_and_measured(tmp_path: Path, engine: str, algorithm: dict[str, Any]) -> None:
    opened = get_engine(engine).open(table().to_native())
    release = sfumato.anonymize(opened, policy(algorithm={"id": "mondrian", **algorithm}))
    assert release.verdict.satisfied
    assert release.measured["loss"].value < 1
    assert sfumato.verify(sfumato.publish(release, tmp_path / "out"))
    assert any("side by side" in warning for warning in release.warnings)
    assert (
        release.table.to_rows()
        == sfumato.anonymize(table(), policy(algorithm={"id": "mondrian", **algorithm})).table.to_rows()
    )


def test_lkc_privacy_by_the_safe_condition() -> None:
    asked = {"id": "lkc-privacy", "L": 2, "K": 2, "C": 0.5, "sensitive": "illness", "values": ["hiv"]}
    release = sfumato.anonymize(table(), policy(asked))
    (verdict,) = release.verdict
    assert verdict.satisfied
    assert release.private.facts["groups"] > 1
    # Each group on its own has K records and no more than C of the protected value.
    groups = release.table.groups(["job", "age", "town"], ["illness"])
    assert min(groups.sizes) >= 2
    assert max(groups.histograms["illness"].of("hiv") / groups.sizes) <= 0.5
    rare = sfumato.anonymize(table(), policy({"id": "lkc-privacy", "L": 1, "K": 4}))
    assert min(rare.table.groups(["job", "age", "town"]).sizes) >= 4


def test_a_requirement_on_some_columns_holds_too() -> None:
    release = sfumato.anonymize(
        table(),
        policy({"id": "k-anonymity", "k": 3, "qid": ["job"]}, {"id": "k-anonymity", "k": 2, "qid": ["age", "town"]}),
    )
    assert release.verdict.satisfied


def test_the_trace_lists_the_cuts() -> None:
    release = sfumato.anonymize(table(), policy(algorithm={"id": "mondrian", "trace": True}))
    assert len(release.private.trace) == release.private.facts["cuts"]
    assert release.private.trace[0] == {"records": 9, "attribute": "job", "value": "ANY"}


def test_an_interruption_leaves_a_valid_release() -> None:
    def stop(state: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    release = sfumato.anonymize(table(), policy(), on_step=stop, accept_interrupted=lambda outcome: True)
    assert release.private.stopped == "interrupted"
    assert release.verdict.satisfied
    assert release.private.facts["groups"] < sfumato.anonymize(table(), policy()).private.facts["groups"]


def test_order_of_records_makes_no_difference() -> None:
    one = sfumato.anonymize(table(), policy())
    other = sfumato.anonymize(table(ROWS[::-1]), policy())
    assert one.table.to_rows() == other.table.to_rows()


def test_one_record_one_column_one_value() -> None:
    asked: dict[str, Any] = {
        "columns": {"x": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
        "algorithm": {"id": "mondrian"},
    }
    alone = sfumato.anonymize(sfumato.from_rows(["x"], [(3,)]), asked)
    assert [str(row[0]) for row in alone.table.to_rows()] == ["3"]
    same = sfumato.anonymize(sfumato.from_rows(["x"], [("a",)] * 4), asked)
    assert same.table.to_rows() == [("a",)] * 4
    tied = sfumato.from_rows(["x"], [(2,), (1,), (2,)])
    # The median is the largest value, so nothing lies above it.
    assert sfumato.anonymize(tied, asked).table.to_rows() == [("[1-2]",)] * 3
    fine = sfumato.anonymize(tied, {**asked, "algorithm": {"id": "mondrian", "threshold": "any"}})
    assert sorted(str(row[0]) for row in fine.table.to_rows()) == ["1", "2", "2"]


# ---- refusals ------------------------------------------------------------------------------------------------------------


def test_wrong_parameters() -> None:
    with pytest.raises(BadRequest, match="overlap"):
        Mondrian(strict=False, publish="region")
    with pytest.raises(BadRequest, match="evenly"):
        Mondrian(strict=False, threshold="any")


def test_values_that_look_like_a_run_need_a_hierarchy() -> None:
    for strange in ("a..b", "*"):
        with pytest.raises(BadRequest, match="hierarchy") as caught:
            sfumato.anonymize(table([*ROWS, ("Writer", 40, strange, "flu")]), policy())
        assert caught.value.column == "town"


def test_a_model_that_merging_breaks_is_met_by_strict_groups_on_all_columns_only() -> None:
    asked = {"id": "delta-disclosure", "delta": 2.0, "sensitive": "illness"}
    rows = [(*row[:3], illness) for row in ROWS for illness in ("flu", "cold", "hiv")]
    release = sfumato.anonymize(table(rows), policy(asked))
    assert release.verdict.satisfied
    assert release.private.facts["groups"] > 1
    with pytest.raises(Unsupported, match="some of the quasi-identifiers"):
        sfumato.anonymize(table(rows), policy({**asked, "qid": ["age", "job"]}))
    with pytest.raises(Unsupported, match="published alike"):
        sfumato.anonymize(table(rows), policy(asked, algorithm={"id": "mondrian", "strict": False}))


def test_finer_than_recoding_whole_columns() -> None:
    from sfumato.datasets import hospital, sample_policy

    frame = hospital(600, seed=3).to_polars()
    costs = {}
    for algorithm in ("mondrian", "tdr"):
        asked = {
            **sample_policy(),
            "requirements": [{"id": "k-anonymity", "k": 5}],
            "algorithm": {"id": algorithm},
            "metrics": ["normalized-certainty-penalty", "discernibility"],
        }
        release = sfumato.anonymize(frame, asked)
        costs[algorithm] = [measured.value for measured in release.measured.values()]
    assert len(costs["tdr"]) == 2
    assert all(ours < other for ours, other in zip(costs["mondrian"], costs["tdr"], strict=True))


def test_what_parts_cannot_promise_is_refused() -> None:
    with pytest.raises(Unsupported) as caught:
        sfumato.anonymize(table(), policy({"id": "k-combinations", "k": 2, "size": 2}))
    assert caught.value.thing == "k-combinations"


def test_hopeless_requirements_carry_what_was_measured() -> None:
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(table(), policy({"id": "l-diversity-distinct", "l": 4, "sensitive": "illness"}))
    assert caught.value.measured == 3
    with pytest.raises(Infeasible) as caught:
        sfumato.anonymize(table(), policy({"id": "k-anonymity", "k": 10}))
    assert caught.value.measured == 9
    with pytest.raises(Infeasible):
        sfumato.anonymize(
            table(), policy({"id": "lkc-privacy", "L": 1, "K": 2, "C": 0.2, "sensitive": "illness", "values": ["hiv"]})
        )
