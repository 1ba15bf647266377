"""Trees that are worked out: the path of each value follows from a rule, the tree is the union of the paths."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from sfumato.data.tree import Tree
from sfumato.errors import BadRequest

__all__ = ["tree_of_paths"]


def tree_of_paths(
    path: Callable[[Hashable], Sequence[str]],
    values: Sequence[Hashable],
    *,
    column: str,
    rule: str,
    available: Iterable[object] | None = None,
) -> Tree:
    """Return the tree over the paths of ``values``; those without a path are refused all at once.

    ``rule`` says what a value must be, ``available`` what would have been accepted.

    >>> tree_of_paths(lambda value: (str(value), "*"), [1, 2], column="age", rule="must be a number").leaves
    (1, 2)
    """
    paths: list[Sequence[str]] = []
    outside: list[Hashable] = []
    for value in values:
        try:
            paths.append(path(value))
        except KeyError:
            outside.append(value)
    if outside:
        count = f"{len(outside)} value{'s have' if len(outside) > 1 else ' has'} no place in the hierarchy: "
        raise BadRequest(count + rule, column=column or None, values=outside, available=available)
    return Tree.from_paths(paths, values, column=column)
