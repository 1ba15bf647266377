"""The ways to publish a table: every choice of levels that keeps the promises, as a worker counted them, and rows under one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.groups.stats import CodedKeys
from sfumato.web.figures import Weighing
from sfumato.web.project import Project

__all__ = ["Finer", "MadeUp", "Point", "Way", "Ways", "made_up", "read_ways"]


@frozen
class Way:
    """A choice of levels that keeps every promise: what it costs, and how many records it leaves out."""

    levels: Mapping[str, int]
    score: float
    left_out: int
    smallest_group: int
    weighing: Weighing

    @property
    def detail(self) -> float:
        """What is kept, from 0 to 1."""
        return self.weighing.kept(self.score)


@frozen
class Point:
    """The best choice if groups had to be of size ``k``."""

    k: int | None
    suppress_at_most: float
    asked: bool
    score: float | None


@frozen
class Finer:
    """What stops one level finer: how many records it would leave out, and which promise that breaks."""

    attribute: str
    level: int
    records: int | None = None
    binds: str | None = None


@frozen
class Ways:
    """All of them; ``top`` is the last level of each column, ``lattice`` how many choices there are, ``allowed`` the limit."""

    top: Mapping[str, int]
    lattice: int
    allowed: int
    proven: bool
    ways: tuple[Way, ...]
    curve: tuple[Point, ...]
    why: tuple[Finer, ...]
    weighing: Weighing

    def at(self, levels: Mapping[str, int]) -> Way | None:
        """Return the way with these levels, if it keeps every promise."""
        wanted = tuple(levels[name] for name in self.top)
        return next((way for way in self.ways if tuple(way.levels.values()) == wanted), None)


def read_ways(folder: Path, weighing: Weighing) -> Ways:
    """Return what a worker counted."""
    found: dict[str, Any] = json.loads((folder / "exploration.json").read_bytes())
    return Ways(
        top=found["columns"],
        lattice=found["lattice"],
        allowed=found["records_that_may_be_left_out"],
        proven=found["proven"],
        ways=tuple(_made(Way, {**one, "weighing": weighing}) for one in found["solutions"]),
        curve=tuple(_made(Point, one) for one in found["curve"]),
        why=tuple(_made(Finer, one) for one in found["why"]),
        weighing=weighing,
    )


def _made(kind: type[Any], told: Mapping[str, object]) -> Any:
    return kind(**{one.name: told[one.name] for one in fields(kind) if one.name in told})


@frozen
class MadeUp:
    """Somebody who does not exist, before and after; ``alike`` real records look like that afterwards."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    alike: int


def made_up(project: Project, trees: Mapping[str, Tree], levels: Mapping[str, int], count: int = 4) -> list[MadeUp]:
    """Return invented people: values drawn column by column, so that no row is the row of anybody."""
    table, names = project.found.table, list(levels)
    dictionaries = {name: table.dictionary(name) for name in names}
    labels = {name: _labels(trees[name], levels[name]) for name in names}
    raw = table.groups(names)
    codes = np.stack([_codes(raw.keys, names, name, dictionaries[name].values) for name in names])
    shown = np.stack([_shown(labels[name], dictionaries[name].values)[codes[at]] for at, name in enumerate(names)])
    rng, out = np.random.default_rng(0), list[MadeUp]()
    for _ in range(20 * count):
        drawn = [
            int(rng.choice(len(one.counts), p=np.asarray(one.counts) / np.asarray(one.counts).sum()))
            for one in dictionaries.values()
        ]
        if bool((codes == np.array(drawn)[:, None]).all(axis=0).any()):
            continue  # somebody has exactly these values
        before = tuple(to_text(dictionaries[name].values[at]) for name, at in zip(names, drawn, strict=True))
        after = tuple(labels[name][value] for name, value in zip(names, before, strict=True))
        alike = (shown == np.array(after, object)[:, None]).all(axis=0)
        out.append(MadeUp(before, after, int(np.asarray(raw.sizes)[alike].sum())))
        if len(out) == count:
            break
    return out


def _labels(tree: Tree, level: int) -> dict[str, str]:
    return {path[0]: path[min(level, len(path) - 1)] for path in tree.to_levels()}


def _codes(keys: Sequence[Any], names: Sequence[str], name: str, values: Sequence[object]) -> np.ndarray[Any, Any]:
    """Return where in the dictionary each group's value of a column stands."""
    held = CodedKeys.of(keys[names.index(name)])
    place = {value: at for at, value in enumerate(values)}
    known = np.array([place.get(value, -1) for value in held.values] + [-1])
    return np.asarray(known[held.codes])


def _shown(labels: Mapping[str, str], values: Sequence[object]) -> np.ndarray[Any, Any]:
    return np.array([labels.get(to_text(value), "") for value in values] + [""], dtype=object)
