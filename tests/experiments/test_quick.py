"""Every experiment in its quick form: it runs to the end, says that its options were others, and keeps what it measured."""

from __future__ import annotations

import pytest

from sfumato.catalogue import build, ids
from sfumato.experiments.course import each_of


class _Notes:
    def __init__(self) -> None:
        self.told: list[tuple[float, str]] = []
        self.stages: list[str] = []

    def stage(self, name: str, total: float | None = None) -> None:
        self.stages.append(name)

    def tick(self, done: float, note: str = "") -> None:
        self.told.append((done, note))


@pytest.mark.usefixtures("public_data")
@pytest.mark.parametrize("name", ids("experiment"))
def test_quick(name: str) -> None:
    watched = _Notes()
    result = build(name, "experiment").run(progress=watched, quick=True)
    assert result.claims
    assert result.series()
    assert "<svg" in result.to_svg()
    assert "default options; this run had" in result.deviations[0]
    assert any(": " in note for _, note in watched.told)  # what was found is told as soon as it is


def test_what_was_measured_is_told_before_the_next_is_begun() -> None:
    watched = _Notes()
    assert each_of(watched, "squares", [2, 3], str, lambda one: one * one, str) == [4, 9]
    assert watched.told == [(0, "2"), (1, "2: 4"), (1, "3"), (2, "3: 9")]


def test_deviations_of_the_default_options_stand_as_they_are() -> None:
    plain = build("tdr-crx", "experiment")
    assert plain.known_deviations == plain.deviations
    assert build({"id": "tdr-crx", "ks": [20]}, "experiment").known_deviations[1:] == plain.deviations
