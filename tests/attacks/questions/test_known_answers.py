"""Singling out, linkability, inference: against brute force, and against releases whose answer is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

import sfumato
from attacks.questions.drawn_people import people
from oracles import naive_three_questions as naive
from sfumato.attacks.questions._nearness import Nearness
from sfumato.attacks.questions._persons import People, TableRows
from sfumato.attacks.questions._predicates import Predicates
from sfumato.attacks.questions.inference import Inference
from sfumato.attacks.questions.linkability import Linkability
from sfumato.attacks.questions.singling_out import SinglingOut
from sfumato.contracts.answer import Answer
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.estimates.excess import Rate

QUESTIONS = ("singling-out", "linkability", "inference")
KNOWN = ["age", "income", "job", "city"]
AGES = ("[20-30)", "[30-40]", "[20-40)", "25", "33", "*", None)
ZIPS = ("A", "B", "C", "*", None)


# ---- nearest rows -----------------------------------------------------------------------------------------------------


def small(seed: int) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return published rows with labels, numbers and texts, and two groups of persons; cells may be missing."""
    rng = np.random.default_rng(seed)

    def one(choices: Sequence[Any]) -> Any:
        return choices[int(rng.integers(len(choices)))]

    def person() -> tuple[Any, ...]:
        wage = None if rng.random() < 0.1 else round(float(rng.normal(50, 20)), 1)
        return int(rng.integers(18, 42)), one(("A", "B", "D", None)), wage, one(("x", "y", "z", None))

    people = [person() for _ in range(int(rng.integers(2, 12)))]
    others = [person() for _ in range(int(rng.integers(2, 12)))]
    rows = [
        (one(AGES), one(ZIPS), *person()[2:3], one(("x", "y", "z", "*", None))) for _ in range(int(rng.integers(1, 25)))
    ]
    return rows, people, others


COLUMNS = ["age", "zip", "wage", "ill"]


def tables(seed: int) -> list[Any]:
    types = [("age", "text"), ("zip", "text"), ("wage", "number"), ("ill", "text")]
    raw = [("age", "integer"), *types[1:]]
    return [
        sfumato.read(
            pl.DataFrame(
                rows,
                schema={
                    name: {"text": pl.String, "number": pl.Float64, "integer": pl.Int64}[kind] for name, kind in asked
                },
                orient="row",
            )
        )
        for rows, asked in zip(small(seed), (types, raw, raw), strict=True)
    ]


def spread_out(rows: TableRows) -> list[tuple[Any, ...]]:
    """Return the records of coded rows, one by one."""
    cells = [
        tuple(None if code < 0 else values[code] for values, code in zip(rows.values, codes, strict=True))
        for codes in rows.codes.tolist()
    ]
    return [cell for cell, size in zip(cells, rows.sizes.tolist(), strict=True) for _ in range(size)]


def persons_of(people: People) -> list[tuple[Any, ...]]:
    return [
        tuple(None if code < 0 else values[code] for values, code in zip(people.values, codes, strict=True))
        for codes in people.codes.tolist()
    ]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("columns", [["age", "zip", "wage"], ["age", "zip"], ["wage"]])
@pytest.mark.parametrize("neighbours", [1, 3])
def test_nearest_records_against_brute_force(seed: int, columns: list[str], neighbours: int) -> None:
    published, raw, control = tables(seed)
    rng = np.random.default_rng(seed)
    rows = TableRows.of(published.groups(columns), published.types)
    people = People.drawn([raw, control], columns, 5, rng)
    records, persons = spread_out(rows), persons_of(people)
    near = Nearness(rows, people, columns, {}, Run())
    levels = near.levels(neighbours)
    picked = near.records(levels, neighbours, rng)
    for person in range(len(people)):
        before, at = naive.nearest(records, persons, person, neighbours)
        assert levels[person, 1:].tolist() == [len(before), len(at)]
        taken = [record for record in picked[person].tolist() if record >= 0]
        assert len(set(taken)) == len(taken) == min(neighbours, len(records))
        assert set(before) <= set(taken) <= {*before, *at}


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(("sensitive", "tolerance"), [("ill", None), ("wage", 0.05), ("wage", 0.4)])
def test_guesses_against_brute_force(seed: int, sensitive: str, tolerance: float | None) -> None:
    published, raw, control = tables(seed)
    known = [name for name in COLUMNS[:3] if name != sensitive]
    attack = Inference(known=tuple(known), tolerance=tolerance or 0.05, neighbours=1 + seed % 3)
    found = attack.run(Seen(published), TableKnowledge(raw=raw, control=control, learn=(sensitive,)), Run())
    rows = TableRows.of(published.groups([*known, sensitive]), published.types)
    people = People.drawn([raw, control], [*known, sensitive], 2000, np.random.default_rng(0))
    records, persons = spread_out(rows), persons_of(people)
    right = []
    for person in range(len(people)):
        looks = [record[:-1] for record in records], [one[:-1] for one in persons]
        before, at = naive.nearest(*looks, person, attack.neighbours)
        told = naive.guess([records[row][-1] for row in (*before, *at)], tolerance)
        true = persons[person][-1]
        off = None if told is None or true is None or tolerance is None else abs(told - true)
        right.append(
            told is not None and told == true if tolerance is None else off is not None and off <= tolerance * abs(true)
        )
    assert found.excess.release == Rate(sum(right[: people.inside]), people.inside)
    assert found.excess.control == Rate(sum(right[people.inside :]), len(right) - people.inside)


def test_ties_are_drawn_evenly_and_for_both_sides_apart() -> None:
    published = sfumato.from_rows(["a", "b"], [("*", "*")] * 4)
    people = sfumato.from_rows(["a", "b"], [(number, number) for number in range(4000)])
    found = Linkability(attempts=4000, seed=3).run(
        Seen(published), TableKnowledge(known=("a", "b"), raw=people, control=people), Run()
    )
    assert abs(found.excess.release.share - 0.25) < 0.03
    rows = TableRows.of(published.groups(["a"]), published.types)
    drawn = People.drawn([people, people], ["a"], 4000, np.random.default_rng(1))
    near = Nearness(rows, drawn, ["a"], {}, Run())
    counted = Counter(near.records(near.levels(2), 2, np.random.default_rng(2)).reshape(-1).tolist())
    assert set(counted) == {0, 1, 2, 3}
    assert max(counted.values()) - min(counted.values()) < 400


def test_dates_lie_apart_by_days() -> None:
    days = [date(2000, 1, 1) + timedelta(days=11 * number) for number in range(40)]
    raw = sfumato.read({"born": days, "ill": [f"v{number % 9}" for number in range(40)]})
    near = sfumato.read(
        {"born": [day + timedelta(days=2) for day in days], "ill": [f"v{number % 9}" for number in range(40)]}
    )
    found = sfumato.attack(near, "inference", qid=["born"], sensitive="ill", raw=raw, control=raw)
    assert found.excess.release.share == 1.0


# ---- predicates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_predicates_against_brute_force(seed: int) -> None:
    published, raw, control = tables(seed)
    rows = TableRows.of(published.groups(COLUMNS), published.types)
    drawn = Predicates.drawn(rows, 60, 4, np.random.default_rng(seed))
    asked = [
        tuple(
            None
            if not drawn.used[number, at]
            else (drawn.low[number, at], drawn.high[number, at])
            if drawn.ranged[at]
            else rows.values[at][drawn.label[number, at]]
            for at in range(len(COLUMNS))
        )
        for number in range(60)
    ]
    assert drawn.ranged.tolist() == [False, False, True, False]
    for table in (raw, control):
        people = TableRows.of(table.groups(COLUMNS), table.types)
        expected = [min(sum(naive.fits(one, person) for person in spread_out(people)), 2) for one in asked]
        assert drawn.fitting(people, {}).tolist() == expected
    records = spread_out(rows)
    same = [
        min(
            sum(
                all(
                    one is None
                    or (cell is not None and (one[0] <= cell <= one[1] if isinstance(one, tuple) else one == cell))
                    for one, cell in zip(predicate, record, strict=True)
                )
                for record in records
            ),
            2,
        )
        for predicate in asked
    ]
    assert drawn.fitting(rows, {}).tolist() == same
    different = {tuple(map(str, one)) for one in asked}
    assert int(drawn.first_of_each().sum()) == len(different)


def test_labels_of_a_taxonomy_pick_what_lies_below_them() -> None:
    jobs = {"ANY": [{"Artist": ["Dancer", "Writer"]}, {"Professional": ["Engineer", "Lawyer"]}]}
    raw = sfumato.from_rows(["job"], [("Dancer",), ("Engineer",), ("Lawyer",)])
    masked = sfumato.from_rows(["job"], [("Artist",), ("Professional",), ("Professional",)])
    found = sfumato.attack(masked, "singling-out", qid=["job"], raw=raw, control=raw, hierarchies={"job": jobs})
    assert found.excess.release == Rate(1, 1)  # one artist; of professionals there are two
    assert found.details["predicates_that_fit_one_published_record"] == 1


# ---- releases whose answer is known -----------------------------------------------------------------------------------


def asked(published: Any, question: str, **parameters: Any) -> Answer:
    found = sfumato.attack(
        published, {"id": question, **parameters}, qid=KNOWN, sensitive="ill", raw=people(1), control=people(2)
    )
    assert isinstance(found, Answer)
    return found


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_raw_table_gives_everybody_away(question: str) -> None:
    found = asked(people(1), question)
    assert found.answer == "yes"
    assert found.excess.interval[0] > 0.8
    assert found.reading.startswith("Yes, ")
    assert found.mean == found.highest == found.excess.risk


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_release_without_anything_gives_nobody_away(question: str) -> None:
    hidden = people(1).with_columns([pl.lit("*").alias(name) for name in KNOWN])
    found = asked(hidden, question)
    assert found.excess.interval[0] == 0
    assert found.answer == "no"
    nothing = asked(hidden.with_columns(pl.lit("*").alias("ill")), question)
    assert nothing.excess.release.successes <= 5  # two records of 800 are the same by chance
    assert nothing.answer == "no"


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("seed", [5, 6])
def test_independent_data_give_nobody_away(question: str, seed: int) -> None:
    found = asked(people(seed), question)
    assert found.excess.interval[0] == 0
    assert found.excess.risk < 0.1


def test_a_k_anonymous_release_singles_out_nobody_by_its_quasi_identifiers() -> None:
    policy = {
        "columns": {name: {"role": "quasi-identifier"} for name in KNOWN} | {"ill": {"role": "sensitive"}},
        "requirements": [{"id": "k-anonymity", "k": 10}],
    }
    release = sfumato.anonymize(people(1), policy)
    found = sfumato.attack(release, SinglingOut(), raw=people(1), control=people(2))
    assert found.excess.release.successes == 0
    assert found.answer == "no"
    assert found.details["records_that_nobody_else_looks_like"] == 0


def test_a_copied_record_is_noticed_and_a_noisy_one_less() -> None:
    copied = pl.concat([people(1)[:400], people(5)[400:]])
    half = asked(copied, "inference").excess
    assert 0.3 < half.risk < 0.6
    assert asked(people(1), "inference").excess.risk > half.interval[1]


def test_few_columns_are_worse_guesses_than_many() -> None:
    many = asked(people(1), "linkability", a=["age", "income"], b=["job", "city"]).excess
    few = asked(people(1), "linkability", a=["age"], b=["job"]).excess
    assert many.interval[0] > few.interval[1]
    assert asked(people(1), "singling-out", together=1).details["together"] == 1


# ---- promises ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_seed_decides_and_the_order_of_rows_does_not(question: str) -> None:
    shuffled = sfumato.attack(
        people(1).sample(fraction=1, shuffle=True, seed=1),
        {"id": question, "attempts": 100, "seed": 4},
        qid=KNOWN,
        sensitive="ill",
        raw=people(1).reverse(),
        control=people(2).sample(fraction=1, shuffle=True, seed=2),
    )
    found = asked(people(1), question, attempts=100, seed=4)
    assert shuffled.details == found.details
    assert found.excess.release.attempts == 100


@pytest.mark.parametrize("question", QUESTIONS)
def test_engines_give_the_same_answer(question: str) -> None:
    hidden = people(1).with_columns(pl.lit("*").alias("job"))
    parts = [sfumato.read(frame.to_arrow(), engine="duckdb") for frame in (hidden, people(1), people(2))]
    found = sfumato.attack(
        parts[0], {"id": question, "attempts": 200}, qid=KNOWN, sensitive="ill", raw=parts[1], control=parts[2]
    )
    assert found.details == asked(hidden, question, attempts=200).details


def test_a_larger_control_group_is_cut_down_and_a_smaller_one_is_noted() -> None:
    whole = {"qid": KNOWN, "raw": people(1)}
    larger = sfumato.attack(people(1), "singling-out", control=people(2, 3000), **whole)
    assert not larger.warnings
    assert larger.excess.control.share < 0.2
    (note,) = sfumato.attack(people(1), "singling-out", control=people(2, 100), **whole).warnings
    assert "100 persons" in note


def test_an_empty_release_gives_nobody_away() -> None:
    nothing = sfumato.read(people(1).with_columns(pl.lit(None, pl.String).alias("x"))).drop_missing(["x"])
    for question in QUESTIONS:
        found = asked(nothing, question)
        assert found.victims == 0
        assert found.excess.release.successes == 0


@pytest.mark.parametrize(
    ("attack", "parameter"),
    [
        ({"id": "singling-out", "known": ["age", "nose"]}, "singling-out.known"),
        ({"id": "singling-out", "known": []}, "singling-out.known"),
        ({"id": "linkability", "a": ["age"], "b": ["age"]}, "linkability.b"),
        ({"id": "linkability", "a": ["age", "age"]}, "linkability.a"),
        ({"id": "linkability", "a": KNOWN}, "linkability.b"),
        ({"id": "inference", "known": ["age", "ill"]}, "inference.known"),
        ({"id": "inference", "known": ["age", "age"]}, "inference.known"),
    ],
)
def test_wrong_columns_are_refused_by_name(attack: dict[str, Any], parameter: str) -> None:
    knowledge = TableKnowledge(
        known=tuple(KNOWN), learn=("ill",), raw=sfumato.read(people(1)), control=sfumato.read(people(2))
    )
    view = Seen(sfumato.read(people(1))), knowledge
    made = sfumato.catalogue.build(attack, "attack")
    with pytest.raises(BadRequest) as caught:
        made.run(*view, Run())
    assert caught.value.parameter == parameter
    assert parameter in made.unfit(*view)


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_lacking_is_named(question: str) -> None:
    for lacking in ("raw", "control", *(("sensitive",) if question == "inference" else ())):
        given = {"raw": people(1), "control": people(2), "sensitive": "ill"} | {lacking: None}
        with pytest.raises(BadRequest) as caught:
            sfumato.attack(people(1), question, qid=KNOWN, **given)
        assert caught.value.parameter == lacking
    with pytest.raises(BadRequest, match="is not a column of the control table"):
        sfumato.attack(people(1), question, qid=KNOWN, sensitive="ill", raw=people(1), control=people(2).drop("job"))
