"""Distorted tables: counted like any other rows, and honest about what a row is worth."""

from __future__ import annotations

from typing import Any

import pytest

import sfumato
from sfumato.errors import BadRequest
from sfumato.models import FrequencyLDiversity, KAnonymity, MConfidentiality
from sfumato.releases import DistortedTable

ROWS = [("x", v) for v in "aabbc"] + [("y", v) for v in "abcd"]
TABLE = sfumato.from_rows(["Q", "S"], ROWS)
RULE = {"id": "l-diversity-distinct", "l": 2, "sensitive": "S"}


def built(**options: Any) -> Any:
    return DistortedTable.build(TABLE, ["Q"], "S", mechanism="mask", settings={"l": 2}, **options)


def test_what_it_says() -> None:
    made = built(operations={"Q": "subtree-generalization"})
    kind = made.kind
    assert kind.guarantee(made.tables) == {"max_link_probability": 0.4, "l": 2}
    assert [kind.operation(name) for name in ("Q", "S", "other")] == ["subtree-generalization", "mask", "none"]
    assert kind.groups(made.tables).sizes.tolist() == [5, 4]
    statement = kind.statement()
    assert statement.mechanism == "mask"
    assert "nobody's value" in statement.not_checkable[0]
    assert not kind.traits.truthful
    assert DistortedTable.from_spec(kind.spec()) == kind


def test_requirements_are_counted() -> None:
    made = built()
    models = [
        KAnonymity(k=4),
        KAnonymity(k=5),
        FrequencyLDiversity(l=2.5, sensitive="S"),
        FrequencyLDiversity(l=3, sensitive="S"),
    ]
    assert [bool(one) for one in made.kind.verify(made.tables, models, ["Q"])] == [True, False, True, False]
    assert made.kind.prevented(models) == ["attribute", "record"]


@pytest.mark.parametrize(
    "m, sets, strongest, violating",
    [
        (2, None, 2.5, 0),
        (2.5, None, 2.5, 0),
        (3, None, 2.5, 1),
        (3, (("c",), ("d",)), 4.0, 0),
        (2, (("a", "b"),), 1.25, 1),
        (1.25, (("a", "b"),), 1.25, 0),
        (1.25, (("a", "b", "a"),), 1.25, 0),
        (2, (("z",),), None, 0),
    ],
)
def test_m_confidentiality_is_about_shares(m: float, sets: Any, strongest: float | None, violating: int) -> None:
    made = built()
    model = MConfidentiality(m=m, sensitive="S", requirement=RULE, sets=sets)
    (verdict,) = made.kind.verify(made.tables, [model], ["Q"])
    assert verdict.strongest == (None if strongest is None else pytest.approx(strongest))
    assert (verdict.satisfied, verdict.violating_groups) == (violating == 0, violating)
    assert verdict.violating_records == 5 * violating


@pytest.mark.parametrize(
    "changes, parameter",
    [
        ({"qid": []}, "distorted-table.qid"),
        ({"qid": ["S"]}, "distorted-table.qid"),
        ({"qid": ["Q", "Q"]}, "distorted-table.qid"),
        ({"operations": {"S": "none"}}, "distorted-table.operations"),
        ({"operations": ["Q"]}, "distorted-table.operations"),
        ({"settings": {"seed": 1}}, "distorted-table.settings"),
    ],
)
def test_bad_parameters(changes: dict[str, Any], parameter: str) -> None:
    with pytest.raises(BadRequest) as caught:
        DistortedTable.from_spec({**built().kind.spec(), **changes})
    assert caught.value.parameter == parameter


def test_tables_that_do_not_fit() -> None:
    kind = built().kind
    with pytest.raises(BadRequest, match="not in the published table"):
        kind.groups(TABLE.select(["Q"]))
    for columns in ({"qid": ["P"], "sensitive": "S"}, {"qid": ["Q"], "sensitive": "P"}):
        with pytest.raises(BadRequest, match="not a column"):
            DistortedTable.build(TABLE, **columns, mechanism="mask")
