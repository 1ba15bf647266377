"""Personal tables: what is made of blocks, what a stranger can count, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.errors import BadRequest, InternalError, Unsupported
from sfumato.models import KAnonymity, PersonalFrequency
from sfumato.releases.personal_table import PersonalBlock, PersonalTable, added_rows, judge_owners

ROWS = [("a", 30, "Flu", 1), ("b", 35, "HIV", 2), ("c", 60, "Flu", 3), ("d", 61, "HIV", None)]


def table() -> Any:
    return sfumato.from_rows(["Zip", "Age", "Disease", "Ward"], ROWS)


def block(*members: int, shown: tuple[str, str] = ("*", "[30-40]"), added: tuple[str, ...] = ()) -> PersonalBlock:
    return PersonalBlock(np.array(members), shown, added)


def test_without_blocks_everything_is_as_it_was() -> None:
    built = PersonalTable.build(table(), ["Zip", "Age"], "Disease", [])
    assert built.tables["data"].to_rows() == ROWS
    assert dict(built.tables["data"].types) == dict(table().types)
    assert built.kind.guarantee(built.tables) == {"general_groups": 0}
    (verdict,) = built.kind.verify(built.tables, [PersonalFrequency(sensitive="Disease")], ["Zip", "Age"])
    assert (verdict.satisfied, verdict.groups, verdict.strongest) == (True, 0, None)


def test_a_block_of_raw_values_keeps_types_and_is_not_general() -> None:
    built = PersonalTable.build(table(), ["Zip", "Age"], "Disease", [block(0, shown=("a", "30"), added=("HIV",))])
    assert built.tables["data"].to_rows()[:2] == [("a", 30, "Flu", 1), ("a", 30, "HIV", 1)]
    assert built.kind.guarantee(built.tables) == {"general_groups": 0}


def test_rows_and_records_belong_together() -> None:
    built = PersonalTable.build(table(), ["Zip", "Age"], "Disease", [block(0, 1, added=("Flu", "Flu"))], left_out=[2])
    rows, links = built.tables["data"].to_rows(), built.links.to_rows()
    assert [row[:3] for row in rows] == [*[("*", "[30-40]", "Flu")] * 3, ("*", "[30-40]", "HIV"), ("d", "61", "HIV")]
    nobody = [row for row in links if row[-2] == "nobody"]
    assert {row[:4] for row in nobody} == {(None,) * 4}
    assert sum(row[-1] for row in nobody) == 2
    behind = {row[:4]: row[4:] for row in links if row not in nobody}
    assert behind == {
        ROWS[0]: ("*", "[30-40]", "Flu", 1, "other", 1),
        ROWS[1]: ("*", "[30-40]", "HIV", 2, "other", 1),
    }
    assert [rows[at] for at in added_rows(built)] == [row[4:8] for row in nobody for _ in range(row[-1])]
    kind = built.kind
    assert isinstance(kind, PersonalTable)
    assert (kind.added, kind.left_out, kind.general) == (2, 1, {"Zip": ("*",), "Age": ("[30-40]",)})
    assert [kind.operation(name) for name in ("Zip", "Disease")] == ["cell-generalization", "none"]


def test_a_stranger_allows_for_stated_rows_only() -> None:
    built = PersonalTable.build(table(), ["Zip", "Age"], "Disease", [block(0, 1, added=("Flu", "Flu", "Flu"))])
    model = PersonalFrequency(sensitive="Disease", th_acct="0.01")
    (verdict,) = built.kind.verify(built.tables, [model], ["Zip", "Age"])
    assert verdict.satisfied
    assert "rows added or left out" in verdict.bound
    silent = PersonalTable(qid=("Zip", "Age"), sensitive="Disease", general={"Zip": ["*"]})
    (strict,) = silent.verify(built.tables, [model], ["Zip", "Age"])
    assert (strict.satisfied, strict.violating_groups, strict.strongest) == (False, 1, verdict.strongest)
    # Added rows never excuse a group that is too small.
    small = PersonalFrequency(sensitive="Disease", th_acct="1", min_block_size=6)
    (refused,) = built.kind.verify(built.tables, [small], ["Zip", "Age"])
    assert not refused.satisfied


def test_the_publisher_counts_exactly() -> None:
    both, one, none = (
        PersonalTable.build(table(), ["Zip", "Age"], "Disease", [block(0, 1)], protected=protected)
        for protected in ([1, 3], [1], [])
    )
    model = PersonalFrequency(sensitive="Disease", th_acct="0")
    verdict = judge_owners(both, model, {"Flu": 2, "HIV": 2})
    assert (verdict.satisfied, verdict.groups, verdict.violating_groups) == (False, 2, 1)
    assert judge_owners(one, model, {"Flu": 2, "HIV": 2}).satisfied
    nobody = judge_owners(none, model, {"Flu": 2, "HIV": 2})
    assert (nobody.satisfied, nobody.groups) == (True, 0)
    with pytest.raises(InternalError):
        judge_owners(both, model, {"Flu": 4})


def test_other_requirements_and_columns_are_refused() -> None:
    built = PersonalTable.build(table(), ["Zip", "Age"], "Disease", [block(0, 1)])
    with pytest.raises(Unsupported):
        built.kind.verify(built.tables, [KAnonymity(k=1)], ["Zip", "Age"])
    with pytest.raises(BadRequest, match="is not the column"):
        built.kind.verify(built.tables, [PersonalFrequency(sensitive="Ward")], ["Zip", "Age"])
    with pytest.raises(BadRequest, match="is not in the published table"):
        built.kind.verify(table().select(["Zip", "Disease"]), [PersonalFrequency(sensitive="Disease")], ["Zip"])


@pytest.mark.parametrize("general", [{"Disease": ["Flu"]}, 5])
def test_general_values_belong_to_quasi_identifiers(general: Any) -> None:
    with pytest.raises(BadRequest):
        PersonalTable(qid=("Zip",), sensitive="Disease", general=general)
    with pytest.raises(BadRequest):
        PersonalTable(qid=(), sensitive="Disease")


@pytest.mark.parametrize("odd", [7, True, None, "old", [7], [["old"]], [{}]])
def test_general_values_are_lists_of_texts(odd: object) -> None:
    with pytest.raises(BadRequest, match="must be a list of texts"):
        PersonalTable.from_spec({"id": "personal-table", "qid": ["age"], "sensitive": "s", "general": {"age": odd}})
