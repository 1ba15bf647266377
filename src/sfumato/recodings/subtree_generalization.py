"""Subtree generalization: one node of the tree on every path from the root to a leaf, the same for all records."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.recodings.tree_recoding import TreeRecoding

__all__ = ["SubtreeGeneralization"]


class SubtreeGeneralization(TreeRecoding):
    """One node of the tree on every path from the root to a leaf, the same for all records.

    If one child of a node is generalized to it, so are all its children. A tree ``H`` has ``C(H) = 1 + product of C(child)``
    such cuts, a leaf one.

    Examples
    --------
    >>> job = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
    >>> recoding = SubtreeGeneralization(tree=job, cut=("Professional", "Dancer", "Writer"))
    >>> recoding.map(["Engineer", "Dancer"]).labels
    ('Professional', 'Dancer')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "subtree-generalization"

    cut: tuple[str, ...] = param(doc="labels of the published nodes, exactly one above every leaf")

    def validate(self) -> None:
        """Refuse node sets that are not a cut."""
        super().validate()
        if not self.tree.is_cut(self.cut):
            raise BadRequest(
                "must hold exactly one node on every path from the root to a leaf",
                parameter=f"{self.id}.cut",
                value=self.cut,
            )

    def cut_nodes(self) -> tuple[int, ...]:
        return tuple(sorted(self.tree.node(label) for label in self.cut))

    def refine(self, value: str) -> SubtreeGeneralization:
        """Replace a published node by its children: specialization."""
        node = self.tree.node(value)
        if node not in self.cut_nodes():
            raise BadRequest("is not published", parameter="value", value=value, available=self.published())
        if not self.tree.children[node]:
            raise BadRequest("is a leaf and has no children", parameter="value", value=value)
        return self._with((set(self.cut_nodes()) - {node}) | set(self.tree.children[node]))

    def generalize(self, value: str) -> SubtreeGeneralization:
        """Replace all children of a node by the node; allowed only if all of them are published."""
        node = self.tree.node(value)
        below = set(self.tree.children[node])
        if not below or not below <= set(self.cut_nodes()):
            raise BadRequest(
                "must be a node whose children are all published",
                parameter="value",
                value=value,
                available=self.published(),
            )
        return self._with((set(self.cut_nodes()) - below) | {node})

    def _with(self, nodes: set[int]) -> SubtreeGeneralization:
        return replace(self, cut=tuple(self.tree.labels[node] for node in sorted(nodes)))
