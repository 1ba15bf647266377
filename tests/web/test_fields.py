"""Forms: what is entered is read as it is declared, and shown as it is entered."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sfumato.catalogue import things
from sfumato.contracts.thing import parameters
from sfumato.data.messages import called, speaking
from sfumato.errors import BadRequest
from sfumato.web.fields import listed, read_field


def test_several_values_are_parted_by_commas() -> None:
    assert read_field("levels", "day, year", tuple[str, ...]) == ["day", "year"]
    assert read_field("fan_out", "2,5", tuple[int, ...]) == [2, 5]
    assert read_field("edges", "0, 17.5,65", tuple[float, ...] | None) == [0, 17.5, 65]
    assert read_field("order", "low, 2, high", tuple[str | int | float, ...]) == ["low", 2, "high"]
    assert read_field("order", '["a, b", "c"]', tuple[str, ...]) == ["a, b", "c"]
    assert read_field("width", "2,5", float | None) == 2.5
    assert read_field("levels", "[[1]]", tuple[tuple[object, ...], ...] | None) == [[1]]
    assert read_field("tree", '{"a": ["b"]}', Mapping[str, object] | None) == {"a": ["b"]}
    for hint in (tuple[int, ...], tuple[tuple[object, ...], ...], int):
        with pytest.raises(BadRequest):
            read_field("x", "2, five", hint)
    for value in (["day", "year"], [2, 5], ["a, b", "c"], ["[1-2)", "x"]):
        assert read_field("x", listed(value), tuple[int | str, ...]) == value
    assert listed(None) == ""


def test_fields_of_hierarchies_speak_german() -> None:
    with speaking("de"):
        for kind in things("hierarchy"):
            for _, rule, _ in parameters(kind):
                assert called(f"gist.field.{rule.doc}", "") != "", (kind.id, rule.doc)
