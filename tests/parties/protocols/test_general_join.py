"""Records that meet in a column that is no key."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import BadRequest
from sfumato.parties.protocols import GeneralJoin


def test_a_person_that_would_become_two_records_is_refused() -> None:
    with pytest.raises(BadRequest, match="k persons"):
        GeneralJoin().of({"a": "x"}, {"b": "x", "c": "x"})


def test_missing_values_never_meet_and_forms_of_a_text_do() -> None:
    found = GeneralJoin(fold_case=True).of({"a": None, "b": " Caf\u00e9"}, {"c": None, "d": "cafe\u0301 "})
    assert found.pairs == ((1, "b", "d"),)
    assert found.unmatched == (("a",), ("c",))


def test_numbers_are_drawn() -> None:
    names = {f"a{at}": str(at) for at in range(20)}
    found = GeneralJoin().of(names, names, rng=np.random.default_rng(0))
    numbers = [number for number, _, _ in found.pairs]
    assert sorted(numbers) == list(range(1, 21))
    assert numbers != sorted(numbers)


def test_two_records_of_one_name_are_refused() -> None:
    with pytest.raises(BadRequest, match="alike"):
        GeneralJoin().of([("a", "x"), ("a", "y")], {"b": "x"})
