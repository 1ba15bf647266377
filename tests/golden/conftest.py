"""Golden files: worked examples with known results. Every value under ``expected`` must be compared, none is skipped."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

import sfumato
from sfumato.catalogue import recount, things
from sfumato.contracts.model import TableModel, Verdict
from sfumato.groups.stats import GroupStats
from sfumato.testing.check_recount import check_recount

HERE = Path(__file__).parent


class Golden:
    """One golden file, open for comparison.

    As a context manager it insists, on leaving, that every value under ``expected`` was compared. Real numbers must agree
    within the file's ``tolerance``, or the one given where the file prints rounded figures, or 1e-9; whole numbers, truth
    values and texts must be equal.
    """

    def __init__(self, name: str, *, tolerance: float | None = None) -> None:
        document = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
        self.name = name
        self.input: dict[str, Any] = document["input"]
        self.expected: dict[str, Any] = document["expected"]
        self.tolerance = document.get("tolerance", tolerance if tolerance is not None else 1e-9)
        self._left = set(_leaves(self.expected, ()))

    def __enter__(self) -> Golden:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            assert not self._left, f"{self.name}: never compared: {sorted(map(str, self._left))}"

    def compare(self, found: Any, *path: str | int) -> None:
        """Compare what was computed with the part of ``expected`` at ``path``."""
        wanted: Any = self.expected
        for step in path:
            wanted = wanted[step]
        self._compare(found, wanted, path)

    def _compare(self, found: Any, wanted: Any, path: tuple[str | int, ...]) -> None:
        where = f"{self.name}: expected.{'.'.join(map(str, path))}"
        if isinstance(wanted, dict):
            assert isinstance(found, dict), f"{where}: {found!r} is not a mapping"
            assert set(found) == set(wanted), f"{where}: keys {sorted(found)} instead of {sorted(wanted)}"
            for key in wanted:
                self._compare(found[key], wanted[key], (*path, key))
        elif isinstance(wanted, list):
            assert isinstance(found, (list, tuple)), f"{where}: {found!r} is not a list"
            assert len(found) == len(wanted), f"{where}: {found!r} instead of {wanted!r}"
            for position, entry in enumerate(wanted):
                self._compare(found[position], entry, (*path, position))
        elif isinstance(wanted, float):
            assert isinstance(found, (int, float)), f"{where}: {found!r} is not a number"
            assert not isinstance(found, bool), f"{where}: {found!r} is not a number"
            close = math.isclose(found, wanted, rel_tol=0.0, abs_tol=self.tolerance)
            assert close, f"{where}: {found!r} instead of {wanted!r}"
        else:
            assert isinstance(found, bool) == isinstance(wanted, bool), f"{where}: {found!r} instead of {wanted!r}"
            assert found == wanted, f"{where}: {found!r} instead of {wanted!r}"
        self._left.discard(path)

    def table(self, *names: str) -> Any:
        """Return the input table; a ``count`` column is expanded to records, and only ``names`` are kept if given."""
        return table(self.input["table"], *names)


def _leaves(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    entries = list(below)
    if not entries:
        yield path
    for key, entry in entries:
        yield from _leaves(entry, (*path, key))


def table(given: dict[str, Any], *names: str) -> Any:
    """Return ``{"columns": ..., "rows": ...}`` as a table, expanded by its ``count`` column if it has one."""
    columns, rows = list(given["columns"]), [list(row) for row in given["rows"]]
    if "count" in columns:
        at = columns.index("count")
        rows = [row[:at] + row[at + 1 :] for row in rows for _ in range(row[at])]
        del columns[at]
    made = sfumato.from_rows(columns, rows)
    return made.select(names) if names else made


@pytest.fixture
def golden() -> Callable[..., Golden]:
    """Open a golden file by its name: ``with golden("02-iloss-1") as file: file.compare(found, "table")``."""
    return Golden


@pytest.fixture(autouse=True)
def _judged_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare every verdict of a table model that a golden test asks for with that of its plain recount."""
    for model in things("model", "table"):
        if issubclass(model, TableModel) and recount(model) is not None and hasattr(model, "check"):
            monkeypatch.setattr(model, "check", _twice(model.check))


def _twice(check: Callable[..., Verdict]) -> Callable[..., Verdict]:
    def checked(model: TableModel, groups: Any, *population: GroupStats, **options: Any) -> Verdict:
        verdict = check(model, groups, *population, **options)
        if isinstance(groups, GroupStats):
            check_recount(model, groups, verdict, *population)
        return verdict

    return checked
