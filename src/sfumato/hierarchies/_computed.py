"""Trees that are worked out: the path of each value follows from a rule, the tree is the union of the paths."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from sfumato.data.text import to_text
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
    near: Callable[[Hashable], str | None] = lambda value: None,
) -> Tree:
    """Return the tree over the paths of ``values``; those without a path are refused all at once.

    ``rule`` says what a value must be, ``available`` what would have been accepted, ``near`` the nearest accepted place
    of one refused value.

    >>> tree_of_paths(lambda value: (str(value), "*"), [1, 2], column="age", rule="must be a number").leaves
    (1, 2)
    """
    paths: list[Sequence[str]] = []
    outside: list[str] = []
    for value in values:
        try:
            paths.append(path(value))
        except KeyError:
            close = near(value)
            outside.append(to_text(value) + (f" (nearest: {close})" if close else ""))
    if outside:
        count = f"{len(outside)} value{'s have' if len(outside) > 1 else ' has'} no place in the hierarchy: "
        raise BadRequest(count + rule, column=column or None, value=outside, available=available)
    return Tree.from_paths(paths, values, column=column)
