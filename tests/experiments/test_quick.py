"""Every experiment in its quick form: it runs to the end, says that its options were others, and keeps what it measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sfumato.catalogue import build, ids
from sfumato.experiments.course import each_of
from sfumato.experiments.result import ExperimentResult

from .conftest import Notes

# Experiments whose own file runs the quick form and looks further at what it finds.
ELSEWHERE = {
    "basket-utility": "test_basket_utility",
    "bcf-adult": "test_published_again",
    "city-paths": "test_city_paths",
    "m-invariance-adult": "test_published_again",
    "multi-qid": "test_multi_qid",
    "tds4sa-adult": "test_published_again",
}


@pytest.mark.usefixtures("public_data")
@pytest.mark.parametrize("name", [name for name in ids("experiment") if name not in ELSEWHERE])
def test_quick(name: str, quick: Callable[[str], ExperimentResult]) -> None:
    assert quick(name)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_quick_form_is_run_elsewhere(name: str) -> None:
    assert f'quick("{name}")' in Path(__file__).with_name(f"{ELSEWHERE[name]}.py").read_text(encoding="utf-8")


def test_what_was_measured_is_told_before_the_next_is_begun() -> None:
    watched = Notes()
    assert each_of(watched, "squares", [2, 3], str, lambda one: one * one, str) == [4, 9]
    assert watched.told == [(0, "2"), (1, "2: 4"), (1, "3"), (2, "3: 9")]


def test_deviations_of_the_default_options_stand_as_they_are() -> None:
    plain = build("tdr-crx", "experiment")
    assert plain.known_deviations == plain.deviations
    assert build({"id": "tdr-crx", "ks": [20]}, "experiment").known_deviations[1:] == plain.deviations
