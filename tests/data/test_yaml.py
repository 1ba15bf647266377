"""What a stranger wrote as YAML is read, or refused before it fills the memory or the stack."""

from __future__ import annotations

from typing import Literal

import pytest
from ruamel.yaml.error import YAMLError

from sfumato.data.yaml import yaml_reader

TYPES: tuple[Literal["rt", "safe", "base"], ...] = ("rt", "safe", "base")
LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
)
CHAIN = "a0: &a0 x\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 3000))
BAD = {
    "brackets": "columns: " + "[" * 20_000 + "]" * 20_000,
    "brackets with entries": "columns: " + "[a, " * 20_000,
    "braces": "{a: " * 20_000,
    "dashes": "- " * 20_000,
    "indentation": "".join(" " * i + "a:\n" for i in range(2000)),
    "keys of keys": "? " * 20_000,
    "billion laughs": LAUGHS,
    "a chain of aliases": CHAIN,
    "itself": "a: &a {b: *a}\n",
}


@pytest.mark.parametrize("typ", TYPES)
@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_what_is_too_deep_or_too_large_is_an_error_of_the_document(
    text: str, typ: Literal["rt", "safe", "base"]
) -> None:
    with pytest.raises(YAMLError, match=r"too deeply|too much|stands in"):
        yaml_reader(typ).load(text)


@pytest.mark.parametrize("typ", TYPES)
def test_anchors_are_for_everybody(typ: Literal["rt", "safe", "base"]) -> None:
    read = yaml_reader(typ).load("a: &tree {x: [p, q]}\nb: *tree\nc: [*tree, *tree]\n")
    assert read["b"] == read["a"] == read["c"][1] == {"x": ["p", "q"]}
    assert yaml_reader(typ).load("[" * 100 + "]" * 100)
