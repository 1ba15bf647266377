"""The three questions asked of a table and a policy: a part is held out, and the answers stand side by side."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from attacks.questions.drawn_people import people
from sfumato.errors import BadRequest
from sfumato.verbs.three_questions import three_questions

POLICY: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier"},
        "job": {"role": "quasi-identifier"},
        "city": {"role": "quasi-identifier"},
        "income": {"role": "plain", "publish_anyway": "invented"},
        "ill": {"role": "sensitive"},
    },
    "requirements": [{"id": "k-anonymity", "k": 20}],
}


def test_a_split_gives_three_answers() -> None:
    found = three_questions(people(3, 1200), POLICY, attempts=300)
    assert (found.released, found.held_out) == (600, 600)
    assert (found.aux, found.sensitive) == (("age", "job", "city"), "ill")
    assert [question.id for question in found.questions] == ["singling-out", "linkability", "inference"]
    assert found.singling_out.answer == "no"
    told = found.document()
    assert [entry["answer"] for entry in told["questions"]] == [question.answer for question in found.questions]
    assert told["questions"][0]["release_attempts"] == 300


def test_columns_left_as_they_are_give_persons_away() -> None:
    found = three_questions(people(3, 1200), POLICY, aux=["age", "job", "city", "income"])
    assert found.singling_out.answer == "yes"
    assert found.inference.answer == "yes"
    assert found.aux == ("age", "job", "city", "income")


def test_several_secrets_are_guessed_from_one_release() -> None:
    two = POLICY | {"columns": POLICY["columns"] | {"income": {"role": "sensitive", "publish_anyway": "invented"}}}
    found = three_questions(people(3, 600), two, sensitive=["ill", "income"], attempts=200)
    one = three_questions(people(3, 600), two, sensitive="income", attempts=200)
    assert [question.about for question in found.questions] == [None, None, "ill", "income"]
    assert (found.singling_out, found.further) == (one.singling_out, (one.inference,))
    with pytest.raises(BadRequest, match="twice"):
        three_questions(people(3, 600), two, sensitive=["ill", "ill"])


def test_repetitions_hold_out_other_records_and_the_order_of_rows_does_not_matter() -> None:
    table = people(3, 600)
    once = three_questions(table, POLICY, seed=2)
    again = three_questions(table.reverse(), POLICY, seed=2)
    assert once == again
    twice = three_questions(table, POLICY, seed=2, repetitions=2)
    assert twice.inference.excess is not None
    assert twice.inference.excess.release.attempts == 600
    assert once != three_questions(table, POLICY, seed=3)


def test_a_question_that_cannot_be_asked_says_why() -> None:
    found = three_questions(people(3, 600), POLICY, aux=["age"])
    assert found.linkability.answer == "not asked"
    assert "two columns" in found.linkability.reading
    assert found.document()["questions"][1]["answer"] == "not asked"
    plain = POLICY | {"columns": POLICY["columns"] | {"ill": {"role": "plain"}}}
    assert three_questions(people(3, 600), plain).inference.answer == "not asked"


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        ({"control": 0}, "control"),
        ({"control": 1.0}, "control"),
        ({"control": 0.0001}, "control"),
        ({"control": True}, "control"),
        ({"repetitions": 0}, "repetitions"),
        ({"seed": -1}, "seed"),
        ({"attempts": 0}, "singling-out.attempts"),
        ({"attempts": None}, "singling-out.attempts"),
        ({"confidence": None}, "singling-out.confidence"),
        ({"progress": []}, "progress"),
        ({"neighbours": 0}, "linkability.neighbours"),
        ({"aux": ["nose"]}, "aux"),
        ({"aux": []}, "aux"),
        ({"aux": ["age", "age"]}, "aux"),
        ({"aux": ["age", "ill"]}, "sensitive"),
        ({"sensitive": "nose"}, "sensitive"),
        ({"sensitive": "age"}, "sensitive"),
    ],
)
def test_wrong_requests_are_refused_by_name(given: dict[str, Any], parameter: str) -> None:
    with pytest.raises(BadRequest) as caught:
        three_questions(people(3, 100), POLICY, **given)
    assert caught.value.parameter == parameter


def test_of_two_sensitive_columns_one_must_be_named() -> None:
    both = POLICY | {"columns": POLICY["columns"] | {"income": {"role": "sensitive"}}}
    with pytest.raises(BadRequest, match="say which"):
        three_questions(people(3, 100), both)
    assert three_questions(people(3, 100), both, sensitive="income").sensitive == "income"


def test_identifiers_are_dropped_and_missing_values_settled() -> None:
    table = (
        people(3, 400)
        .with_row_index("number")
        .with_columns(pl.when(pl.col("number") % 10 == 0).then(None).otherwise(pl.col("job")).alias("job"))
    )
    columns = {"number": {"role": "identifier"}, **POLICY["columns"]} | {
        "job": {"role": "quasi-identifier", "missing": "own-value"}
    }
    found = three_questions(table, POLICY | {"columns": columns})
    assert found.linkability.excess is not None
    assert found.linkability.excess.release.attempts == 200


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "explanation" / "three_questions.md").read_text(
        encoding="utf-8"
    )
    (example,) = re.findall(r"```python\n(.*?)```", text, re.S)
    exec(compile(example, "three_questions.md", "exec"), {})
    assert capsys.readouterr().out.startswith("Yes, the release lets an outsider single out a person")
