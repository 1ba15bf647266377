"""Random axes for kernels: lines of numbers and trees of leaves, as flat arrays and as plain lists beside them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sfumato.algorithms.boxes._span_kernels import Spans
from sfumato.kernels.axes import Axes
from sfumato.kernels.covers import run_maxima

__all__ = ["DrawnAxes", "drawn_axes", "spans_of"]


@dataclass
class DrawnAxes:
    """``lines[a]`` are the numbers of a line, ``None`` for a tree; ``paths[a]`` the nodes above each leaf, the root first."""

    axes: Axes
    lines: list[list[float] | None] = field(default_factory=list)
    paths: list[list[tuple[int, ...]]] = field(default_factory=list)

    def leaves(self, axis: int, node: int) -> list[int]:
        """Return the coordinates below a node."""
        return [leaf for leaf, path in enumerate(self.paths[axis]) if node in path]

    def cover(self, axis: int, low: int, high: int) -> int:
        """Return the lowest node that is above both leaves."""
        return [node for node in self.paths[axis][low] if node in self.paths[axis][high]][-1]

    def length(self, axis: int) -> int:
        """Return how many coordinates an axis has."""
        line = self.lines[axis]
        return len(self.paths[axis]) if line is None else len(line)


def drawn_axes(rng: np.random.Generator, count: int) -> DrawnAxes:
    """Draw some axes of two to seven coordinates each, half of them trees."""
    out = DrawnAxes(Axes(*[np.zeros(0)] * 11))
    parents: list[int] = []
    children: dict[int, list[int]] = {}

    def grow(parent: int, path: tuple[int, ...], leaves: int, axis: int) -> None:
        node = len(parents)
        parents.append(parent)
        children[node] = []
        if parent >= 0:
            children[parent].append(node)
        path = (*path, node)
        if leaves == 1:
            out.paths[axis].append(path)
            return
        cut = sorted(rng.choice(np.arange(1, leaves), int(rng.integers(1, leaves)), replace=False).tolist())
        for size in np.diff([0, *cut, leaves]).tolist():
            grow(node, path, size, axis)

    for axis in range(count):
        out.paths.append([])
        size = int(rng.integers(2, 8))
        if rng.random() < 0.5:
            out.lines.append(None)
            grow(-1, (), size, axis)
        else:
            out.lines.append(np.sort(rng.choice(50, size, replace=False)).astype(float).tolist())
    held = [{leaf for paths in [out.paths[axis]] for leaf in range(len(paths))} for axis in range(count)]
    below = {
        node: [leaf for axis in range(count) for leaf in held[axis] if node in out.paths[axis][leaf]]
        for node in children
    }
    lengths = [out.length(axis) for axis in range(count)]
    ends = np.cumsum([0, *(len(children[node]) for node in range(len(parents)))])
    positions = [
        np.arange(size, dtype=float) if line is None else line for size, line in zip(lengths, out.lines, strict=True)
    ]
    out.axes = Axes(
        tree=np.array([line is None for line in out.lines]),
        place=np.cumsum([0, *lengths[:-1]]),
        position=np.concatenate([np.asarray(one, float) for one in positions]),
        span=np.array([float(one[-1] - one[0]) for one in positions]),
        leaf=np.concatenate(
            [
                np.array([path[-1] for path in paths] if paths else [-1] * size)
                for paths, size in zip(out.paths, lengths, strict=True)
            ]
        ),
        parent=np.array(parents, np.int64),
        first=np.array([min(below[node]) for node in range(len(parents))], np.int64),
        last=np.array([max(below[node]) + 1 for node in range(len(parents))], np.int64),
        child_from=ends[:-1].astype(np.int64),
        child_to=ends[1:].astype(np.int64),
        child=np.array([child for node in range(len(parents)) for child in children[node]], np.int64),
    )
    return out


def spans_of(drawn: DrawnAxes, rng: np.random.Generator) -> Spans:
    """Return costs of sides: a line by its length and a step, a tree by the share of the leaves below the lowest cover."""
    wide = len(drawn.lines)
    tables, start, neighbours = [np.zeros(0)], np.zeros(wide, np.int64), np.zeros(wide, np.int64)
    for axis in range(wide):
        start[axis] = sum(map(len, tables))
        if drawn.lines[axis] is None:
            size = drawn.length(axis)
            neighbours[axis] = size - 1
            covers = [drawn.cover(axis, leaf, leaf + 1) for leaf in range(size - 1)]
            tables.append(run_maxima(np.array([len(drawn.leaves(axis, node)) / size for node in covers])))
    axes = drawn.axes
    factor, step = rng.integers(1, 9, wide) / 16, rng.integers(0, 5, wide) / 8
    return Spans(
        axes.tree,
        axes.place,
        axes.position,
        factor,
        step,
        start,
        neighbours,
        np.concatenate(tables),
        rng.permutation(wide),
    )
