"""Ordered partition: every value lies in its run, steps undo each other, and what could be misread is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.recodings.discretization import Discretization
from sfumato.recodings.ordered_partition import OrderedPartition, run_label
from sfumato.recodings.saved import load_recodings, save_recodings


@st.composite
def partitions(draw: st.DrawFn) -> OrderedPartition:
    texts = st.text("abcxyz", min_size=1, max_size=3)
    domain = draw(st.one_of(st.lists(texts, min_size=1, max_size=7, unique=True), st.permutations(list(range(6)))))
    starts = [to_text(value) for value in domain[1:] if draw(st.booleans())]
    return OrderedPartition(domain=tuple(domain), starts=tuple(draw(st.permutations(starts))))


@given(recoding=partitions())
def test_every_value_lies_in_its_run(recoding: OrderedPartition) -> None:
    mapped = recoding.map(recoding.domain)
    texts = [to_text(value) for value in recoding.domain]
    run: list[str] = []
    runs = [run]
    for text in texts:
        if text in recoding.starts:
            run = []
            runs.append(run)
        run.append(text)
    wanted = {}
    for run in runs:
        label = run[0] if len(run) == 1 else "*" if len(run) == len(texts) else f"{run[0]}..{run[-1]}"
        for text in run:
            wanted[text] = (label, len(run))
    assert [(label, covered) for label, covered in zip(mapped.labels, mapped.covered, strict=True)] == [
        wanted[text] for text in texts
    ]
    assert recoding.published() == tuple(dict.fromkeys(mapped.labels))
    assert recoding.identity == all(len(run) == 1 for run in runs)
    assert mapped.domain == len(texts)
    assert mapped.climbed.tolist() == [int(wanted[text][1] > 1) for text in texts]


@given(recoding=partitions(), data=st.data())
def test_a_step_is_undone_by_its_inverse(recoding: OrderedPartition, data: st.DataObject) -> None:
    free = [value for value in recoding.domain[1:] if to_text(value) not in recoding.starts]
    if free:
        finer = recoding.refine(value := data.draw(st.sampled_from(free)))
        assert finer.is_finer_than(recoding)
        assert not recoding.is_finer_than(finer)
        assert finer.generalize(value) == recoding
        assert recoding.common_refinement(finer) == finer
    assert recoding.is_finer_than(recoding)


@given(recoding=partitions())
def test_saved_and_loaded_it_is_the_same(recoding: OrderedPartition) -> None:
    kind = ColumnType.INTEGER if isinstance(recoding.domain[0], int) else ColumnType.TEXT
    document = json.loads(json.dumps(save_recodings({"c": recoding}, {"c": kind})))
    assert load_recodings(document)[0]["c"] == recoding


GRADE = OrderedPartition(domain=("A", "B", "C", "D"), starts=("C",))


def test_new_values_have_no_place() -> None:
    for unknown in ("declared", "refuse"):
        with pytest.raises(BadRequest, match="no place in the order") as caught:
            GRADE.map(["A", "F"], column="grade", unknown=unknown)
        assert caught.value.column == "grade"
    mapped = GRADE.map(["A", "F"], unknown="root")
    assert mapped.labels == ("A..B", "*")
    assert mapped.covered.tolist() == [2, 4]
    assert mapped.outside == (1,)


def test_the_drawing_lists_what_a_run_holds() -> None:
    assert GRADE.draw() == "A..B  A, B\nC..D  C, D"


def test_labels_of_runs() -> None:
    assert run_label(("a",), 0, 1) == "a"


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"domain": ()}, "at least one"),
        ({"domain": ("a", "b", "a")}, "twice"),
        ({"domain": (1, "1")}, "twice"),
        ({"domain": ("a", "b"), "starts": ("a",)}, "after the first"),
        ({"domain": ("a", "b"), "starts": ("c",)}, "after the first"),
        ({"domain": ("a", "b", "a..b"), "starts": ("a..b",)}, "called like a value"),
    ],
)
def test_what_is_no_partition_is_refused(given: dict[str, Any], match: str) -> None:
    with pytest.raises(BadRequest, match=match):
        OrderedPartition(**given)


@pytest.mark.parametrize(("step", "value"), [("refine", "A"), ("refine", "C"), ("refine", "F"), ("generalize", "B")])
def test_impossible_steps_are_refused(step: str, value: str) -> None:
    with pytest.raises(BadRequest):
        getattr(GRADE, step)(value)


def test_it_is_compared_with_its_like_only() -> None:
    for other in (Discretization(edges=(0, 1)), OrderedPartition(domain=("A", "B"))):
        with pytest.raises(Unsupported):
            GRADE.is_finer_than(other)
