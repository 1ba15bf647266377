"""Questions as people write them: what is read, what is the same, and what is refused with a reason."""

from __future__ import annotations

import pytest

import sfumato
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.interactive.question import Question

TYPES = {"age": ColumnType.INTEGER, "sex": ColumnType.TEXT, "pay": ColumnType.NUMBER, "born": ColumnType.DATE}
DOMAINS = {"sex": ("f", "m")}


def canonical(text: str) -> list[str]:
    return [part.canonical for part in Question.of(text).typed(TYPES).parts(TYPES, DOMAINS)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("count where age > 29", "SELECT count(*) where age >= 30"),
        ("count where age > 29 and age < 31", "count where age = 30"),
        ("count where sex != f", "count where sex in ('m')"),
        ("sum pay where sex = f and age < 40", "sum(pay) where age <= 39 and sex = 'f'"),
        ("count where pay >= 3 and pay >= 5", "count where pay >= 5"),
        ("count group by sex, age", "count group by age, sex"),
        ("mean(pay)", "average(pay)"),
    ],
)
def test_the_same_question_in_other_words(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("count where age > 29", "count where age > 30"),
        ("count where pay > 5", "count where pay >= 5"),
        ("count", "count(pay)"),
        ("min(pay)", "max(pay)"),
        ("count where born > 2000-01-01", "count where born >= 2000-01-01"),
    ],
)
def test_different_questions(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must be a question such as"),
        ("how many", "must begin with what is asked for"),
        ("sum", "sum needs a column"),
        ("sum(*)", "sum needs a column"),
        ("count, count", "names an aggregate twice"),
        ("count group by sex, sex", "names a group twice"),
        ("count where", "has no condition after where"),
        ("count where age >= 30 or sex = f", "or is refused"),
        ("count where not age = 3", "not is refused"),
        ("count where age", "must be conditions such as"),
        ("count group by sex where age > 3", "where stands before group by"),
        ("count from people", "a desk has one table"),
        ("count where age > 3; drop table people", "a desk has one table"),
        ("count group by", "must be a column"),
        ("sum(sex)", "sum needs numbers"),
        ("count where zip = 3", "is not a column"),
        ("count where age = old", "no integer"),
        ("count where age > nan", "no integer"),
        ("count where age < inf", "no integer"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        Question.of(text).typed(TYPES)


def test_words_in_quotes_are_no_grammar() -> None:
    asked = Question.of("count where sex = 'group by where, or' group by \"my column\"")
    assert asked.where[0].value == "group by where, or"
    assert asked.by == ("my column",)
    assert Question.of(str(asked)) == asked


def test_groups_are_declared_and_not_too_many() -> None:
    with pytest.raises(BadRequest, match="are not declared"):
        Question.of("count group by age").cells(DOMAINS)
    with pytest.raises(BadRequest, match="at most"):
        Question.of("count group by sex, age").cells({**DOMAINS, "age": range(20_000)})


def test_true_answers_for_the_holder() -> None:
    table = sfumato.from_rows(["age", "pay"], [(30, 5.0), (40, None), (50, 9.0)])
    found = {name: Question.of(f"{name}(pay) where age >= 30").exact(table) for name in ("sum", "avg", "min", "median")}
    assert found == {"sum": 14.0, "avg": 7.0, "min": 5.0, "median": 7.0}
    assert Question.of("count where age > 35").exact(table) == 2
    assert Question.of("count(pay) where age > 35").exact(table) == 1
    with pytest.raises(BadRequest, match="about no value"):
        Question.of("max(pay) where age > 99").exact(table)
