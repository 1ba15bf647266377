"""A tree of values that somebody edits: move, add a group, rename, dissolve; each gives a new tree.

Nodes are called by their place in the order from the root down, so that no value stands in a page's code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import tell
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest

__all__ = ["Branch", "Placed"]


@frozen
class Placed:
    """A node with its place: its number, how deep it lies, the number of the node above."""

    number: int
    depth: int
    above: int | None
    branch: Branch


@frozen
class Branch:
    """A label and what stands under it; a value has nothing under it.

    >>> tree = Branch("any", (Branch("inner", (Branch("a"), Branch("b"))), Branch("c")))
    >>> tree.moved(4, 1).document()
    {'any': [{'inner': ['a', 'b', 'c']}]}
    """

    label: str
    under: tuple[Branch, ...] = ()

    @classmethod
    def of(cls, tree: Tree) -> Branch:
        """Return a tree as branches."""
        made = {node: cls(tree.labels[node]) for node in range(len(tree))}
        for node in range(len(tree) - 1, -1, -1):
            made[node] = replace(made[node], under=tuple(made[child] for child in tree.children[node]))
        return made[0]

    def document(self) -> Json:
        """Return it as a policy writes a tree."""
        return {self.label: [one.document() for one in self.under]} if self.under else self.label

    def walk(self) -> list[Placed]:
        """Return every node from the root down, each above what stands under it."""
        return list(self._walk(0, [0], None))

    def _walk(self, depth: int, count: list[int], above: int | None) -> Iterator[Placed]:
        number = count[0]
        count[0] += 1
        yield Placed(number, depth, above, self)
        for one in self.under:
            yield from one._walk(depth + 1, count, number)

    def values(self) -> set[str]:
        """Return all values: labels with nothing under them."""
        return {one.branch.label for one in self.walk() if not one.branch.under}

    def _opened(self, *numbers: int) -> list[_Node]:
        """Return all nodes, from the root down, in a form that can be changed; refuse numbers that none of them has."""
        nodes: list[_Node] = []

        def opened(branch: Branch, above: _Node | None) -> _Node:
            node = _Node(branch.label, above)
            nodes.append(node)
            node.under = [opened(one, node) for one in branch.under]
            return node

        opened(self, None)
        for number in numbers:
            if not 0 <= number < len(nodes):
                raise BadRequest("is not in the tree", parameter="node", value=number)
        return nodes

    def moved(self, number: int, under: int) -> Branch:
        """Return the tree with a branch under another one; groups that are empty then go."""
        nodes = self._opened(number, under)
        node, target = nodes[number], nodes[under]
        line: _Node | None = target
        while line is not None and line is not node:
            line = line.above
        if node.above is None or line is node or not target.under:
            raise BadRequest(tell("page.web.tree.cannot_move"))
        if node.above is target:
            return self
        target.under.append(node)
        left: _Node | None = node.leave()
        while left is not None and not left.under and left.above is not None:
            left = left.leave()
        return nodes[0].closed()

    def grouped(self, number: int, name: str) -> Branch:
        """Return the tree with a new group around a node."""
        nodes = self._opened(number)
        self._refuse(name)
        node = nodes[number]
        if node.above is None:
            return Branch(name.strip(), (self,))
        group = _Node(name.strip(), node.above, [node])
        node.above.under[node.above.under.index(node)] = group
        return nodes[0].closed()

    def renamed(self, number: int, name: str) -> Branch:
        """Return the tree with another name for a group; values keep theirs."""
        nodes = self._opened(number)
        if not nodes[number].under:
            raise BadRequest(tell("page.web.tree.values_stay"))
        self._refuse(name)
        nodes[number].label = name.strip()
        return nodes[0].closed()

    def dissolved(self, number: int) -> Branch:
        """Return the tree without a group; what stood under it goes one up."""
        nodes = self._opened(number)
        node = nodes[number]
        if node.above is None or not node.under:
            raise BadRequest(tell("page.web.tree.values_stay"))
        at = node.above.under.index(node)
        node.above.under[at : at + 1] = node.under
        return nodes[0].closed()

    def housed(self, values: list[str], under: int) -> Branch:
        """Return the tree with values that had no place, under a group."""
        nodes = self._opened(under)
        nodes[under].under += [_Node(one, nodes[under]) for one in values]
        return nodes[0].closed()

    def _refuse(self, name: str) -> None:
        if not name.strip() or name.strip() in {one.branch.label for one in self.walk()}:
            raise BadRequest(tell("page.web.tree.name"))


@dataclass(eq=False)
class _Node:
    """A node while the tree is changed."""

    label: str
    above: _Node | None
    under: list[_Node] = field(default_factory=list)

    def leave(self) -> _Node | None:
        """Leave the node above, and return it."""
        if self.above is not None:
            self.above.under.remove(self)
        return self.above

    def closed(self) -> Branch:
        """Return the tree from here down."""
        return Branch(self.label, tuple(one.closed() for one in self.under))
