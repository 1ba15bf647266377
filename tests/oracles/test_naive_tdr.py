"""The naive run against the worked examples, the tie rules on tables small enough for paper, and its own promises."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.testing.strategies import DrawnTable, tables

from .naive_tdr import NaiveAttribute, NaiveResult, naive_tdr, reduce_requirement

GOLDEN = Path(__file__).parent.parent / "golden"


def golden(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    return loaded


def run(given_: dict[str, Any], **options: Any) -> NaiveResult:
    """Run a golden input of the 03 family; a row with a count stands for that many records."""
    columns = given_["table"]["columns"]
    assert columns[-2:] == ["Class", "count"]
    rows = [tuple(row[:-1]) for row in given_["table"]["rows"] for _ in range(row[-1])]
    attributes = [
        NaiveAttribute(name, "taxonomy", tree=spec["taxonomy"])
        if spec["type"] == "categorical"
        else NaiveAttribute(name, "interval", range=tuple(spec["range"]))
        for name, spec in given_["attributes"].items()
    ]
    requirement = [(tuple(part["qid"]), part["k"]) for part in given_["requirement"]]
    score: Literal["igpl", "infogain"] = "infogain" if given_.get("score") == "infogain" else "igpl"
    return naive_tdr(rows, columns[:-1], attributes, "Class", requirement, score, **options)


def by_text(a: dict[tuple[str, ...], int]) -> dict[str, int]:
    return {"|".join(qid): size for qid, size in a.items()}


def named(entry: dict[str, Any]) -> dict[str, Any]:
    """Rename the keys of a golden entry to ours."""
    names = {"InfoGain": "gain", "AnonyLoss": "loss", "Score": "score", "A_after": "a_after"}
    return {names.get(key, key): value for key, value in entry.items()}


def compare(found: dict[str, Any], expected: dict[str, Any], tolerance: float) -> None:
    expected = named(expected)
    assert {key: found[key] for key in ("attribute", "value")} == {key: expected[key] for key in ("attribute", "value")}
    for key in ("gain", "loss", "score"):
        assert found[key] == pytest.approx(expected[key], abs=tolerance)


@pytest.mark.parametrize("name", ["03-tdr-run-1", "03-tdr-score-vs-infogain-1", "03-tdr-score-vs-infogain-2"])
def test_worked_runs(name: str) -> None:
    case = golden(name)
    expected, tolerance = case["expected"], case["tolerance"]
    result = run(case["input"])

    assert len(result.trace) == len(expected["trace"])
    for found, wanted in zip(result.trace, expected["trace"], strict=True):
        compare(found, wanted, tolerance)
        assert by_text(found["a_after"]) == wanted["A_after"]
        assert found.get("split_at") == wanted.get("split_at")
        assert len(found["candidates"]) == len(wanted["candidates"])
        for candidate, other in zip(found["candidates"], wanted["candidates"], strict=True):
            compare(candidate, other, tolerance)
            assert (candidate["valid"], candidate["beneficial"]) == (other["valid"], other["beneficial"])

    assert result.solution == expected["solution_set"]
    counted = sorted([*row, count] for row, count in Counter(result.masked_rows).items())
    assert counted == sorted(expected["masked_table"]["rows"])
    keys = ("attribute", "value", "valid", "beneficial")
    assert [{key: c[key] for key in keys} for c in result.rejected_at_end] == expected["rejected_at_end"]
    final = by_text(result.final_a)
    assert (final if isinstance(expected["A"], dict) else min(final.values())) == expected["A"]


def test_score_of_one_candidate() -> None:
    case = golden("03-tdr-score-1")
    wanted = case["input"]["candidate"]
    (found,) = [c for c in run(case["input"], max_refinements=0).rejected_at_end if c["value"] == wanted["value"]]
    compare(found, {**wanted, **case["expected"]}, case["tolerance"])


def test_states_after_each_of_the_first_steps() -> None:
    case = golden("03-tdr-tips-qits-1")
    for steps, state in enumerate(case["expected"]["states"]):
        result = run(case["input"], max_refinements=steps)
        records = [row[:-1] for row in result.masked_rows]  # without the class
        leaves = [[*leaf, size] for leaf, size in Counter(records).items()]
        assert sorted(leaves) == sorted(state["tips"]["leaf_partitions"])
        for qid, tree in state["qits"].items():
            positions = [["Education", "Sex", "Work_Hrs"].index(name) for name in qid.split("|")]
            assert Counter("|".join(row[i] for i in positions) for row in records) == tree["counts"]
            assert result.final_a[tuple(qid.split("|"))] == tree["A"]


def test_specialization_without_the_beneficial_rule() -> None:
    case = golden("02-top-down-specialization-1")
    given_, expected = case["input"], case["expected"]
    attributes = [NaiveAttribute(name, "taxonomy", tree=given_["taxonomies"][name]) for name in given_["qid"]]
    rows = [tuple(row) for row in given_["table"]["rows"]]
    result = naive_tdr(
        rows,
        given_["table"]["columns"],
        attributes,
        given_["class"],
        [(tuple(given_["qid"]), given_["k"])],
        require_beneficial=False,
    )
    assert [step["value"] for step in result.trace] == [step["chosen"] for step in expected["trace"]]
    for found, wanted in zip(result.trace, expected["trace"], strict=True):
        assert [c["value"] for c in found["candidates"]] == [c["value"] for c in wanted["candidates"]]
        for candidate, other in zip(found["candidates"], wanted["candidates"], strict=True):
            numbers = (candidate["gain"], candidate["loss"], candidate["score"])
            assert numbers == pytest.approx((other["infogain"], other["anony_loss"], other["igpl"]), abs=1e-6)
            assert candidate["valid"] == other["valid"]
    assert {name: sorted(state["cut"]) for name, state in result.solution.items()} == expected["final_cuts"]
    assert min(result.final_a.values()) == expected["min_group_size"]


def test_beneficial_rule_leaves_a_pure_node_alone() -> None:
    case = golden("02-top-down-specialization-1")["input"]
    attributes = [NaiveAttribute(name, "taxonomy", tree=case["taxonomies"][name]) for name in case["qid"]]
    rows = [tuple(row) for row in case["table"]["rows"]]
    result = naive_tdr(rows, case["table"]["columns"], attributes, "Class", [(("Edu", "Sex"), 4)])
    assert result.solution["Edu"] == {"cut": ["9th", "10th", "Univ"]}


# ---- rules that the worked examples do not reach -------------------------------------------------------------------------

JOBS = [("a", "Y")] * 2 + [("b", "N")] * 2 + [("c", "Y"), ("c", "N")]


def test_disclosure_of_suppressed_values() -> None:
    result = naive_tdr(JOBS, ["job", "cls"], [NaiveAttribute("job", "suppress")], "cls", [(("job",), 2)])
    # a and b tie at first, then b and c give the same partition, then c is a mere relabel
    assert [step["value"] for step in result.trace] == ["a", "b", "c"]
    assert [step["loss"] for step in result.trace] == [4.0, 0.0, 0.0]
    # 1 - 4/6 I(1,3), then I(1,3) - 2/4 I(1,1), with I(1,3) = 0.811278
    assert [step["gain"] for step in result.trace] == pytest.approx([0.459148, 0.311278, 0.0], abs=1e-6)
    assert [c["value"] for c in result.trace[1]["candidates"]] == ["b", "c"]
    assert result.trace[1]["candidates"][0]["gain"] == result.trace[1]["candidates"][1]["gain"]
    assert "split_at" not in result.trace[0]
    assert result.solution == {"job": {"suppressed": [], "disclosed": ["a", "b", "c"]}}
    assert result.masked_rows == JOBS


def test_values_that_stay_suppressed() -> None:
    rows = [("x", "Y")] * 3 + [("y", "N")] + [("z", "N")] * 2
    result = naive_tdr(rows, ["job", "cls"], [NaiveAttribute("job", "suppress")], "cls", [(("job",), 3)])
    assert result.solution == {"job": {"suppressed": ["y", "z"], "disclosed": ["x"]}}
    assert [row[0] for row in result.masked_rows] == ["x", "x", "x", "*", "*", "*"]
    assert result.final_a == {("job",): 3}
    assert [(c["value"], c["valid"], c["beneficial"]) for c in result.rejected_at_end] == [
        ("y", False, False),
        ("z", False, False),
    ]


def test_suppressed_numbers_stand_in_number_order() -> None:
    rows = [(10, "Y"), (10, "N"), (2, "Y"), (2, "N")]
    result = naive_tdr(rows, ["code", "cls"], [NaiveAttribute("code", "suppress")], "cls", [(("code",), 1)])
    assert result.solution == {"code": {"suppressed": [], "disclosed": [2, 10]}}
    assert result.masked_rows[0] == ("10", "Y")


@pytest.mark.parametrize(
    ("values", "range_", "label"),
    [
        ([17, 90], None, "[17-90]"),
        ([17, 90], (17, 90), "[17-90]"),
        ([17, 90], (1, 99), "[1-99)"),
        ([0.5, 2.0], None, "[0.5-2]"),
        ([-3, -1], (-3, 0), "[-3-0)"),
    ],
)
def test_interval_labels(values: list[float], range_: tuple[float, float] | None, label: str) -> None:
    rows = [(value, "Y") for value in values]
    result = naive_tdr(rows, ["age", "cls"], [NaiveAttribute("age", "interval", range=range_)], "cls", [(("age",), 1)])
    assert result.solution == {"age": {"intervals": [label]}}
    assert result.trace == []


def test_split_ties_go_to_the_smallest_value() -> None:
    rows = [(1, "Y"), (2, "N"), (3, "N"), (4, "Y")]
    result = naive_tdr(rows, ["age", "cls"], [NaiveAttribute("age", "interval")], "cls", [(("age",), 1)])
    assert [(step["value"], step["split_at"]) for step in result.trace] == [("[1-4]", 2), ("[2-4]", 4)]
    assert result.solution == {"age": {"intervals": ["[1-2)", "[2-4)", "[4-4]"]}}
    assert [row[0] for row in result.masked_rows] == ["[1-2)", "[2-4)", "[2-4)", "[4-4]"]
    # one distinct value: no candidate; two of one class: a candidate that is not beneficial
    assert [(c["value"], c["beneficial"]) for c in result.rejected_at_end] == [("[2-4)", False)]


def test_split_gains_that_differ_by_round_off_tie() -> None:
    # splitting at 2 and at 3 gains the same on paper; as floats the split at 3 is ahead in the last digit
    rows = [(1, c) for c in "NNN"] + [(2, c) for c in "YNNN"] + [(3, c) for c in "YYN"]
    result = naive_tdr(rows, ["age", "cls"], [NaiveAttribute("age", "interval")], "cls", [(("age",), 1)])
    assert result.trace[0]["split_at"] == 2


def test_gain_is_never_negative() -> None:
    # equal shares in both parts: 1 - 0.2 - 0.8 is below zero in floats
    rows = [("a", c) for c in "YN"] + [("b", c) for c in "YN" * 4]
    result = naive_tdr(rows, ["job", "cls"], [NaiveAttribute("job", "suppress")], "cls", [(("job",), 1)])
    assert [step["gain"] for step in result.trace] == [0.0, 0.0]


def test_equal_scores_go_to_the_attribute_given_first() -> None:
    rows = [("a", "p", "Y"), ("b", "q", "N")]
    attributes = [NaiveAttribute("x", "suppress"), NaiveAttribute("y", "suppress")]
    for order in (attributes, attributes[::-1]):
        result = naive_tdr(rows, ["x", "y", "cls"], order, "cls", [(("x", "y"), 1)], max_refinements=1)
        assert result.trace[0]["attribute"] == order[0].name


def test_scores_that_differ_by_round_off_tie() -> None:
    # (0Y 1N)(3Y 6N) and (0Y 1N)(1Y 2N)(2Y 4N) have the same gain on paper, and not as floats
    rows = [("x0", "y0", "N")] + [("x1", "y1", c) for c in "YNN"] + [("x1", "y2", c) for c in "YYNNNN"]
    trees = {
        name: {"value": name, "children": [{"value": f"{name}{i}"} for i in range(size)]}
        for name, size in (("x", 2), ("y", 3))
    }
    attributes = [NaiveAttribute(name, "taxonomy", tree=tree) for name, tree in trees.items()]
    for order in (attributes, attributes[::-1]):
        result = naive_tdr(rows, ["x", "y", "cls"], order, "cls", [(("x", "y"), 1)], "infogain", max_refinements=1)
        first, second = result.trace[0]["candidates"]
        assert first["gain"] != second["gain"]
        assert first["gain"] == pytest.approx(second["gain"], abs=1e-14)
        assert result.trace[0]["attribute"] == order[0].name


def test_empty_taxonomy_child_stays_in_the_cut_and_is_no_candidate() -> None:
    empty = {"value": "E", "children": [{"value": "e1"}, {"value": "e2"}]}
    tree = {"value": "R", "children": [empty, {"value": "F", "children": [{"value": "f1"}, {"value": "f2"}]}]}
    rows = [("f1", "Y"), ("f1", "N"), ("f2", "N")]
    result = naive_tdr(rows, ["q", "cls"], [NaiveAttribute("q", "taxonomy", tree=tree)], "cls", [(("q",), 1)])
    # the first step has one child with records: gain 0 and loss 0, performed because it is beneficial
    assert [(step["value"], step["gain"], step["loss"]) for step in result.trace[:1]] == [("R", 0.0, 0.0)]
    assert [step["value"] for step in result.trace] == ["R", "F"]
    assert result.solution == {"q": {"cut": ["E", "f1", "f2"]}}
    assert result.rejected_at_end == []


def test_cover_rule() -> None:
    case = golden("03-requirement-cover-1")
    reduced = reduce_requirement([(tuple(part["qid"]), part["k"]) for part in case["input"]["requirement"]])
    assert reduced == [(tuple(part["qid"]), part["k"]) for part in case["expected"]["reduced"]]
    assert reduce_requirement([(("A", "B"), 2), (("A",), 3)]) == [(("A", "B"), 2), (("A",), 3)]
    assert reduce_requirement([(("A", "B"), 2), (("B", "A"), 5)]) == [(("B", "A"), 5)]
    assert reduce_requirement([(("A", "B"), 2), (("B", "A"), 2)]) == [(("A", "B"), 2)]
    assert reduce_requirement([(("A",), 1), (("A", "B"), 1), (("A", "B", "C"), 1)]) == [(("A", "B", "C"), 1)]


@pytest.mark.parametrize(("k", "loss"), [(1, 1.0), (2, 2.0)])
def test_loss_averages_over_the_reduced_requirement(k: int, loss: float) -> None:
    rows = [("a", "p", "Y"), ("a", "q", "N"), ("b", "p", "N"), ("b", "q", "N"), ("b", "q", "N")]
    attributes = [NaiveAttribute("y", "suppress"), NaiveAttribute("x", "suppress")]
    requirement = [(("x", "y"), 1), (("x",), k)]
    result = naive_tdr(rows, ["x", "y", "cls"], attributes, "cls", requirement, max_refinements=1)
    assert (result.trace[0]["attribute"], result.trace[0]["value"]) == ("y", "p")
    # disclosing x = a now takes A(x, y) from 2 to 1 and A(x) from 5 to 2; with k = 1 the QID {x} is covered
    (found,) = [c for c in result.rejected_at_end if c["value"] == "a"]
    assert found["loss"] == loss


def test_without_a_target_only_free_refinement_moves() -> None:
    attributes = [NaiveAttribute("job", "suppress"), NaiveAttribute("cls", "suppress")]
    still = naive_tdr(JOBS, ["job", "cls"], attributes, None, [(("job",), 1)])
    assert still.trace == []
    assert still.masked_rows == [("*", cls) for _, cls in JOBS]  # cls is in no QID: passed through
    assert list(still.solution) == ["job"]
    free = naive_tdr(JOBS, ["job", "cls"], attributes, None, [(("job",), 1)], require_beneficial=False)
    assert [(step["value"], step["gain"], step["score"]) for step in free.trace] == [(v, 0.0, 0.0) for v in "abc"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"requirement": [(("job",), 7)]}, "fewer records"),
        ({"requirement": [(("job",), 0)]}, "at least 1"),
        ({"requirement": []}, "needs a QID"),
        ({"requirement": [(("cls",), 1)]}, "cannot be masked"),
        ({"score": "other"}, "igpl or infogain"),
        ({"attributes": [NaiveAttribute("job", "taxonomy", tree={"value": "a"})]}, "not a leaf"),
        ({"rows": [("*", "Y")]}, "suppressed symbol"),
    ],
)
def test_contradictions_are_refused(change: dict[str, Any], words: str) -> None:
    asked: dict[str, Any] = {
        "rows": JOBS,
        "columns": ["job", "cls"],
        "attributes": [NaiveAttribute("job", "suppress")],
        "target": "cls",
        "requirement": [(("job",), 1)],
    }
    with pytest.raises(ValueError, match=words):
        naive_tdr(**{**asked, **change})


# ---- promises on random tables -------------------------------------------------------------------------------------------


def run_drawn(table: DrawnTable, rows: list[tuple[Any, ...]] | None = None, **options: Any) -> NaiveResult:
    attributes = [NaiveAttribute(a.name, a.kind, a.tree, a.range) for a in table.attributes]
    records = list(table.rows) if rows is None else rows
    return naive_tdr(records, list(table.columns), attributes, table.target, list(table.requirement), **options)


SCORES = st.sampled_from(["igpl", "infogain"])


@settings(deadline=None, max_examples=60)
@given(table=tables(), score=SCORES, require_beneficial=st.booleans())
def test_every_state_is_safe_and_the_last_is_final(table: DrawnTable, score: str, require_beneficial: bool) -> None:
    result = run_drawn(table, score=score, require_beneficial=require_beneficial)
    for qid, k in table.requirement:  # also those the cover rule dropped
        positions = [table.columns.index(name) for name in qid]
        assert min(Counter(tuple(row[i] for i in positions) for row in result.masked_rows).values()) >= k
    for step in result.trace:
        assert all(step["a_after"][qid] >= k for qid, k in reduce_requirement(list(table.requirement)))
    assert not any(c["valid"] and (c["beneficial"] or not require_beneficial) for c in result.rejected_at_end)
    dead: set[tuple[str, Any]] = set()
    for candidates in [*(step["candidates"] for step in result.trace), result.rejected_at_end]:
        assert not any(c["valid"] and (c["attribute"], c["value"]) in dead for c in candidates)
        dead |= {(c["attribute"], c["value"]) for c in candidates if not c["valid"]}


@settings(deadline=None, max_examples=60)
@given(table=tables(), order=st.randoms(use_true_random=False))
def test_row_order_does_not_matter(table: DrawnTable, order: Any) -> None:
    places = list(range(len(table.rows)))
    order.shuffle(places)
    plain, shuffled = run_drawn(table), run_drawn(table, [table.rows[i] for i in places])
    assert shuffled.trace == plain.trace
    assert shuffled.solution == plain.solution
    assert shuffled.masked_rows == [plain.masked_rows[i] for i in places]


@settings(deadline=None, max_examples=60)
@given(table=tables(max_k=1))
def test_k_of_one_refines_every_beneficial_value(table: DrawnTable) -> None:
    assert not any(c["beneficial"] for c in run_drawn(table).rejected_at_end)


@settings(deadline=None, max_examples=60)
@given(table=tables(min_rows=1, max_k=2), steps=st.integers(0, 4))
def test_stopping_early_gives_a_prefix(table: DrawnTable, steps: int) -> None:
    whole, part = run_drawn(table), run_drawn(table, max_refinements=steps)
    assert part.trace == whole.trace[:steps]
