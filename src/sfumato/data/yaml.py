"""YAML that anybody may have written: how deep it is and how much its aliases unfold to is bounded before it is built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ruamel.yaml import YAML

__all__ = ["yaml_reader"]

_DEEPEST = 150
_TOO_DEEP = "found something nested too deeply"
_UNFOLDED = 100_000  # nodes that aliases may add: nine lists of nine aliases each, nine times over, fill any memory


def yaml_reader(typ: Literal["rt", "safe", "base"]) -> YAML:
    """Return a reader of documents; one that is too deep or too large is a ``YAMLError`` like any other mistake in it."""
    from ruamel.yaml import YAML
    from ruamel.yaml.composer import Composer, ComposerError
    from ruamel.yaml.nodes import MappingNode, ScalarNode
    from ruamel.yaml.scanner import RoundTripScanner, Scanner, ScannerError

    reader = YAML(typ=typ, pure=True)

    class BoundedScanner(RoundTripScanner if typ == "rt" else Scanner):  # type: ignore[misc]
        def fetch_flow_collection_start(self, *token: Any, **more: Any) -> None:
            if self.flow_level >= _DEEPEST:  # it looks ahead, and the time for that grows with the square of the depth
                raise ScannerError(None, None, _TOO_DEEP, self.reader.get_mark())
            super().fetch_flow_collection_start(*token, **more)

    class BoundedComposer(Composer):
        def __init__(self, loader: Any = None) -> None:
            super().__init__(loader)
            self.measured: dict[int, tuple[int, int]] = {}
            self.unfolded = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.depth >= _DEEPEST:
                raise ComposerError(None, None, _TOO_DEEP, self.parser.peek_event().start_mark)
            return super().compose_node(parent, index)

        def return_alias(self, a: Any) -> Any:
            if a.end_mark is None:
                raise ComposerError(None, None, "found an alias of what it stands in", a.start_mark)
            nodes, depth = self.extent(a)
            self.unfolded += nodes
            if self.unfolded > _UNFOLDED or self.depth + depth > _DEEPEST:
                raise ComposerError(None, None, "found aliases that unfold to too much", a.start_mark)
            return a

        def extent(self, node: Any) -> tuple[int, int]:
            """Return how many nodes there are in a node, with all aliases unfolded, and how deep they lie."""
            if isinstance(node, ScalarNode):
                return 1, 1
            if id(node) not in self.measured:
                inner = [one for pair in node.value for one in pair] if isinstance(node, MappingNode) else node.value
                below = [self.extent(one) for one in inner]
                deepest = max((depth for _, depth in below), default=0)
                self.measured[id(node)] = 1 + sum(nodes for nodes, _ in below), 1 + deepest
            return self.measured[id(node)]

    reader.Scanner = BoundedScanner
    reader.Composer = BoundedComposer
    return reader
