"""QIDB anonymization as a steward asks for it: weights and flags in all their forms, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import sfumato
from sfumato.errors import BadRequest, Unsupported

from .test_qidb_anonymization import ROWS, WEIGHTS, policy, searched, table

# ---- what a steward writes -----------------------------------------------------------------------------------------------


def test_weights_and_flags_in_all_their_forms() -> None:
    wanted = searched(table(), policy(th_disc="0.5", th_iter=5)).blocks
    assert len(wanted) == 2
    rows = [(*row, WEIGHTS[row[2]]) for row in ROWS]
    columns = policy()["columns"] | {"weight": {"role": "private"}}
    by_column = {**policy(th_disc="0.5", th_iter=5), "columns": columns}
    by_column["algorithm"]["weights"] = "weight"
    assert [b.told() for b in searched(table(rows, "weight"), by_column).blocks] == [b.told() for b in wanted]
    by_value = policy(th_disc="1", flags={"Heart Disease": 1})
    assert searched(table(), by_value).blocks[0].seed == 1
    assert len(searched(table(), policy(flags=1)).blocks) == 0
    assert searched(table(), policy(flags=None)).blocks[0].members.tolist() == list(range(10))
    lenient = policy(weights={"Stomach cancer": 1}, default_weight=0, th_disc="0.5", th_iter=5)
    assert [block.seed for block in searched(table(), lenient).blocks] == [1]


def test_texts_and_truth_values_are_answers_too() -> None:
    wanted = [block.told() for block in searched(table(), policy(th_disc="0.5", th_iter=5)).blocks]
    for said in ({0: "0", 1: "1"}, {0: False, 1: True}, {0: 0.0, 1: 1.0}):
        rows = [(*row[:3], None if row[3] is None else said[row[3]]) for row in ROWS]
        assert [block.told() for block in searched(table(rows), policy(th_disc="0.5", th_iter=5)).blocks] == wanted


def test_describe_explains_weights_and_flags() -> None:
    said = sfumato.describe("qidb-anonymization")
    assert "do not disclose" in said.text
    assert "embarrassing" in said.text
    assert "private" in said.text
    assert {"weights", "flags", "th_n", "th_iter", "th_suppr", "th_disc"} <= {entry.name for entry in said.parameters}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": {"Flu": 2}}, "weights: must be 0 or 1"),
        ({"weights": {"Flu": "no"}}, "weights: must be 0 or 1"),
        ({"weights": None}, "weights: must say which"),
        ({"weights": 1}, "weights: must be"),
        ({"flags": {"Flu": 3}}, "flags: must be 0 or 1"),
        ({"flags": 2}, "flags: must be 0 or 1"),
        ({"flags": True}, "flags: must be"),
        ({"th_n": 0}, "th_n"),
        ({"th_iter": 0}, "th_iter"),
        ({"th_iter": 1.5}, "th_iter"),
        ({"th_suppr": -1}, "th_suppr"),
        ({"th_disc": "-0.1"}, "th_disc"),
        ({"th_disc": 1.1}, "th_disc"),
        ({"th_disc": "much"}, "th_disc"),
        ({"schedule": "random"}, "schedule"),
        ({"chain": [[0, 0]]}, "is for the schedule chain"),
        ({"schedule": "chain", "chain": "zigzag"}, "list of nodes or alternate"),
        ({"weights": {"Stomach cancer": 1}}, "3 sensitive values have no weight"),
        ({"weights": "answer2"}, "role private"),
        ({"flags": "zip"}, "role private"),
        ({"schedule": "chain", "chain": [[1, 1], [0, 2]]}, "never go down"),
        ({"schedule": "chain", "chain": [[0, 9]]}, "must give a level"),
    ],
)
def test_bad_parameters(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        sfumato.anonymize(table(), policy(**changes))


def test_flags_outside_zero_and_one_are_counted_not_shown() -> None:
    rows = [(*row[:3], 7 if i in (2, 5) else row[3]) for i, row in enumerate(ROWS)]
    with pytest.raises(BadRequest, match="2 records have something else than 0 or 1") as error:
        sfumato.anonymize(table(rows), policy())
    assert error.value.column == "answer"
    assert "7" not in str(error.value)


def test_one_value_with_two_weights_is_refused() -> None:
    asked = policy(weights="weight")
    asked["columns"]["weight"] = {"role": "private"}
    rows = [(*row, int(i != 3)) for i, row in enumerate(ROWS)]
    with pytest.raises(BadRequest, match="two weights"):
        sfumato.anonymize(table(rows, "weight"), asked)


def test_a_missing_diagnosis_needs_a_weight() -> None:
    rows = [(*row[:2], None if i == 4 else row[2], row[3]) for i, row in enumerate(ROWS)]
    asked = policy(th_disc="1")
    with pytest.raises(BadRequest, match="missing value"):
        sfumato.anonymize(table(rows), asked)
    asked["columns"]["disease"]["missing"] = "own-value"
    with pytest.raises(BadRequest, match="no weight") as error:
        sfumato.anonymize(table(rows), asked)
    assert error.value.value == ["?"]
    asked["algorithm"]["weights"] = {**WEIGHTS, "?": 0}
    assert sfumato.anonymize(table(rows), asked).table.rows >= 10


@pytest.mark.parametrize(
    "requirement",
    [{"id": "k-anonymity", "k": 2}, {"id": "l-diversity-distinct", "l": 2, "sensitive": "disease"}],
)
def test_other_requirements_are_refused(requirement: dict[str, Any]) -> None:
    with pytest.raises(Unsupported) as error:
        sfumato.anonymize(table(), {**policy(), "requirements": [requirement]})
    assert error.value.alternatives == ["personal-frequency"]


def test_part_of_the_quasi_identifier_and_two_requirements_are_refused() -> None:
    with pytest.raises(Unsupported, match="all quasi-identifiers"):
        sfumato.anonymize(table(), policy({"qid": ["zip"]}))
    twice = policy()
    with pytest.raises(Unsupported, match="one requirement"):
        sfumato.anonymize(table(), {**twice, "requirements": twice["requirements"] * 2})


def test_a_number_without_hierarchy_is_refused_by_name() -> None:
    asked = policy()
    del asked["columns"]["age"]["hierarchy"]
    with pytest.raises(BadRequest) as error:
        sfumato.anonymize(table(), asked)
    assert error.value.column == "age"
