"""MultiRelational k-anonymity against a join that is written out, in both readings."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_diversity import bags, joined, merges
from sfumato import BadRequest, GroupStats, Unsupported
from sfumato.models import MultiRelationalKAnonymity, XYAnonymity
from sfumato.models.multir_k_anonymity import owner_groups

PERSON = [{"Pid": 1, "Sex": "M"}, {"Pid": 2, "Sex": "M"}, {"Pid": 3, "Sex": "F"}]
VISIT = [{"Pid": 1, "City": "X"}, {"Pid": 2, "City": "X"}]
KEYS = {"Visit": {"Pid": "Person.Pid"}, "Test": {"Visit": "Visit.No"}, "Pet": {"Pid": "Person.Pid"}}
QID = ("Sex", "City", "Result", "Kind")
HOMES = ("Person.Sex", "Visit.City", "Test.Result", "Pet.Kind")


@st.composite
def databases(draw: st.DrawFn) -> dict[str, list[dict[str, Any]]]:
    """Draw people, their visits, the tests made at visits, and their pets; any of them may be absent."""
    people = [{"Pid": at, "Sex": draw(st.sampled_from("MF"))} for at in range(draw(st.integers(1, 5)))]
    pids = st.integers(0, len(people) - 1)
    visits = [
        {"No": at, "Pid": draw(pids), "City": draw(st.sampled_from(["X", "Y", None]))}
        for at in range(draw(st.integers(0, 6)))
    ]
    tests = [
        {"Visit": draw(st.integers(0, len(visits) - 1)), "Result": draw(st.sampled_from("+-"))}
        for _ in range(draw(st.integers(0, 6)) if visits else 0)
    ]
    pets = [{"Pid": draw(pids), "Kind": draw(st.sampled_from(["cat", "dog"]))} for _ in range(draw(st.integers(0, 4)))]
    return {"Person": people, "Visit": visits, "Test": tests, "Pet": pets}


def table(columns: list[str], rows: list[dict[str, Any]]) -> Any:
    if rows:
        return sfumato.from_rows(columns, [[row[column] for column in columns] for row in rows])
    return sfumato.from_rows(columns, [[0] * len(columns)]).drop_groups(columns[:1], [[0]])


def tables(given_: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    columns = {
        "Person": ["Pid", "Sex"],
        "Visit": ["No", "Pid", "City"],
        "Test": ["Visit", "Result"],
        "Pet": ["Pid", "Kind"],
    }
    return {name: table(columns[name], rows) for name, rows in given_.items()}


@given(databases(), st.integers(1, 3))
def test_agrees_with_the_join_written_out(database: Any, k: int) -> None:
    rows = joined(database, "Person", KEYS)
    groups = owner_groups(tables(database), person="Person", owner="Pid", qid=QID, keys=KEYS)
    assert groups.as_dict() == Counter(tuple(row.get(name) for name in HOMES) for row in rows)
    owners: dict[Any, set[Any]] = {}
    for row in rows:
        owners.setdefault(tuple(row.get(name) for name in HOMES), set()).add(row["Person.Pid"])
    model = MultiRelationalKAnonymity(k=k, owner="Pid", qid=QID)
    assert {groups.key(at): count for at, count in enumerate(model.measure(groups).tolist())} == {
        key: len(found) for key, found in owners.items()
    }
    verdict = model.judge_tables(tables(database), person="Person", keys=KEYS)
    assert verdict.strongest == min(map(len, owners.values()))
    assert verdict.satisfied == (verdict.strongest >= k)


@given(databases(), st.integers(1, 3))
def test_signatures_agree_with_bags(database: Any, k: int) -> None:
    kept = bags(joined(database, "Person", KEYS), "Person.Pid", HOMES)
    alike = Counter(frozenset(bag.items()) for bag in kept.values())
    model = MultiRelationalKAnonymity(k=k, owner="Pid", qid=QID, owner_signature=True)
    verdict = model.judge_tables(tables(database), person="Person", keys=KEYS)
    assert verdict.strongest == min(alike.values())
    assert verdict.groups == len(alike)
    assert verdict.records == sum(sum(bag.values()) for bag in kept.values())
    if verdict.satisfied:
        weaker = MultiRelationalKAnonymity(k=k, owner="Pid", qid=QID)
        assert weaker.judge_tables(tables(database), person="Person", keys=KEYS)


@given(databases(), st.booleans())
def test_a_table_that_is_joined_already_gives_the_same(database: Any, signature: bool) -> None:
    rows = joined(database, "Person", KEYS)
    flat = sfumato.from_rows(["Pid", *QID], [[row.get(name) for name in ("Person.Pid", *HOMES)] for row in rows])
    model = MultiRelationalKAnonymity(k=2, owner="Pid", qid=QID, owner_signature=signature)
    (one,) = sfumato.check(flat, model)
    other = model.judge_tables(tables(database), person="Person", keys=KEYS)
    assert (one.satisfied, one.strongest, one.groups, one.records, one.violating_records) == (
        other.satisfied,
        other.strongest,
        other.groups,
        other.records,
        other.violating_records,
    )


@given(databases(), st.booleans())
def test_coarser_values_never_hurt(database: Any, signature: bool) -> None:
    model = MultiRelationalKAnonymity(k=2, owner="Pid", qid=QID, owner_signature=signature)
    wider = {"X": "anywhere", "Y": "anywhere", None: None}
    coarser = {**database, "Visit": [{**row, "City": wider[row["City"]]} for row in database["Visit"]]}
    before = model.judge_tables(tables(database), person="Person", keys=KEYS)
    after = model.judge_tables(tables(coarser), person="Person", keys=KEYS)
    assert after or not before
    assert after.violating_records <= before.violating_records


@given(merges(), st.integers(1, 4))
def test_on_groups_it_is_xy_anonymity(draw: tuple[list[dict[str, int]], list[int]], k: int) -> None:
    groups = GroupStats.from_histograms(draw[0], column="Pid")
    mine = MultiRelationalKAnonymity(k=k, owner="Pid")
    assert mine.check(groups).strongest == XYAnonymity(y=("Pid",), k=k).check(groups).strongest
    after = groups.merge(draw[1])
    assert mine.check(after) or not mine.check(groups)


def test_an_owner_without_rows_is_checked_with_missing_values() -> None:
    model = MultiRelationalKAnonymity(k=2, owner="Pid", qid=("Sex", "City"))
    verdict = model.judge_tables({"P": PERSON, "V": VISIT}, person="P")
    (violation,) = verdict.violations
    assert violation.group == ("F", None)
    assert violation.witness == {"records": 1, "owners": 1, "record_link_probability": 1.0}


def test_a_bag_tells_more_than_its_values() -> None:
    """Both went to X; one of them twice."""
    tables_ = {"P": PERSON[:2], "V": [*VISIT, VISIT[0]]}
    plain = MultiRelationalKAnonymity(k=2, owner="Pid", qid=("Sex", "City"))
    strict = MultiRelationalKAnonymity(k=2, owner="Pid", qid=("Sex", "City"), owner_signature=True)
    assert plain.judge_tables(tables_, person="P")
    verdict = strict.judge_tables(tables_, person="P")
    assert verdict.strongest == 1
    assert {found.group for found in verdict.violations} == {(((("M", "X"), 1),),), (((("M", "X"), 2),),)}


def test_signatures_cannot_be_told_from_groups_of_records() -> None:
    model = MultiRelationalKAnonymity(k=2, owner="Pid", owner_signature=True)
    with pytest.raises(Unsupported, match="all records of an owner"):
        model.check(GroupStats.from_histograms([{"a": 1, "b": 1}], column="Pid"))


def test_a_column_of_two_tables_is_named_with_its_table() -> None:
    tables_ = {"P": [{"Pid": 1, "City": "X"}], "V": [{"Pid": 1, "City": "Y"}]}
    groups = owner_groups(tables_, person="P", owner="Pid", qid=["P.City", "V.City"])
    assert groups.as_dict() == {("X", "Y"): 1}
    with pytest.raises(BadRequest, match="several tables") as refused:
        owner_groups(tables_, person="P", owner="Pid", qid=["City"])
    assert refused.value.available == ["P.City", "V.City"]


def test_keys_of_several_columns() -> None:
    tables_ = {
        "P": [{"Pid": 1, "Sex": "M"}],
        "V": [{"Pid": 1, "Year": 1, "No": 1, "City": "X"}, {"Pid": 1, "Year": 2, "No": 1, "City": "Y"}],
        "T": [{"Y": 2, "N": 1, "Result": "+"}],
    }
    keys = {"T": {"Y": "V.Year", "N": "V.No"}}
    groups = owner_groups(tables_, person="P", owner="Pid", qid=["City", "Result"], keys=keys)
    assert groups.as_dict() == {("X", None): 1, ("Y", "+"): 1}


def test_nobody_at_all() -> None:
    nobody = sfumato.from_rows(["Pid", "Sex"], [(1, "M")]).drop_groups(["Pid"], [[1]])
    for signature in (False, True):
        model = MultiRelationalKAnonymity(k=2, owner="Pid", qid=("Sex",), owner_signature=signature)
        verdict = model.judge_tables({"P": nobody}, person="P")
        assert verdict.satisfied
        assert verdict.strongest is None


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"person": "Q"}, "is not one of the tables"),
        ({"owner": "Id"}, "lacks the owner column"),
        ({"qid": ["Street"]}, "is not a column of the tables"),
        ({"keys": {"W": {"Pid": "P.Pid"}}}, "is not a child table"),
        ({"keys": {"P": {"Pid": "V.Pid"}}}, "is not a child table"),
        ({"keys": {"V": {"Nr": "P.Pid"}}}, "lacks its foreign key"),
        ({"keys": {"V": {"Pid": "P.Nr"}}}, "leads nowhere"),
        ({"keys": {"V": {"Pid": "P.Sex"}}}, "not a key"),
        ({"keys": {"V": {"Pid": "P.Pid", "City": "V.City"}}}, "must refer to one table"),
        ({"keys": {"V": {"Pid": "V.Pid"}}}, "in a circle"),
        ({"tables": {"P": [*PERSON, {"Pid": None, "Sex": "F"}], "V": VISIT}}, "have no owner"),
        ({"tables": {"P": [*PERSON, PERSON[0]], "V": VISIT}}, "repeats an owner"),
        ({"tables": {"P": PERSON, "V": [*VISIT, {"Pid": 777, "City": "X"}]}}, "has no row in table 'P'"),
        ({"tables": {"P": PERSON, "V": [*VISIT, {"Pid": None, "City": "X"}]}}, "has no row in table 'P'"),
    ],
)
def test_refusals_never_name_people(changed: dict[str, Any], rule: str) -> None:
    asked = {"tables": {"P": PERSON, "V": VISIT}, "person": "P", "owner": "Pid", "qid": ["Sex", "City"], **changed}
    with pytest.raises(BadRequest, match=rule) as refused:
        owner_groups(asked.pop("tables"), **asked)
    assert "777" not in str(refused.value)


def test_bad_parameters() -> None:
    with pytest.raises(BadRequest, match="protects"):
        MultiRelationalKAnonymity(k=2, owner="Pid", qid=("Pid", "Sex"))
    with pytest.raises(BadRequest, match="must name the columns"):
        MultiRelationalKAnonymity(k=2, owner="Pid").judge_tables({"P": PERSON}, person="P")
    for signature in (False, True):
        table = sfumato.from_rows(["Pid", "Sex"], [(1, "M"), (None, "M")])
        with pytest.raises(BadRequest, match="missing values"):
            sfumato.check(table, MultiRelationalKAnonymity(k=2, owner="Pid", owner_signature=signature), qid=["Sex"])


def test_saved_and_rebuilt() -> None:
    model = MultiRelationalKAnonymity(k=2, owner="Pid", qid=("Sex",), owner_signature=True)
    assert MultiRelationalKAnonymity.from_spec(model.spec()) == model
