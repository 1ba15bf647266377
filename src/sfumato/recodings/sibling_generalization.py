"""Sibling generalization: some children of a node are generalized to it while their siblings stay."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.recodings.tree_recoding import TreeRecoding

__all__ = ["SiblingGeneralization"]


class SiblingGeneralization(TreeRecoding):
    """Some children of a node are generalized to it while their siblings stay.

    A set N of nodes is published; each leaf becomes its nearest ancestor-or-self in N, so every leaf needs one. A node stands
    for the leaves below it that no more specific node of N catches, and metrics count these. A node that catches no
    leaf is dropped. If only one child is generalized, its parent's label stands for that child alone: whoever knows the
    rule learns nothing less.

    A step is named by the node that joins a more general class or leaves it: ``generalize("Engineer")`` sends what
    Engineer stands for to its parent (or, where that would catch other leaves from above, to the nearest node of N), and
    ``refine("Engineer")`` takes it back.

    Examples
    --------
    >>> job = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
    >>> recoding = SiblingGeneralization(tree=job, nodes=("Professional", "Lawyer", "Artist"))
    >>> recoding.map(["Engineer", "Lawyer", "Dancer"]).labels
    ('Professional', 'Lawyer', 'Artist')
    >>> recoding.represented["Professional"], recoding.mixed_granularity
    (('Engineer',), True)
    >>> recoding.generalize("Lawyer").published()
    ('Professional', 'Artist')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "sibling-generalization"

    nodes: tuple[str, ...] = param(doc="labels of the published nodes, at least one at or above every leaf")

    def validate(self) -> None:
        """Refuse node sets that leave a leaf without a node; drop nodes that catch none."""
        super().validate()
        given = sorted({self.tree.node(label) for label in self.nodes})
        nearest = self._nearest(given)
        bare = [leaf for leaf, node in zip(self.tree.leaves, nearest.tolist(), strict=True) if node < 0]
        if bare:
            raise BadRequest(
                f"must hold a node at or above every leaf, {len(bare)} {'have' if len(bare) > 1 else 'has'} none",
                parameter=f"{self.id}.nodes",
                value=self.nodes,
            )
        caught = sorted(set(nearest.tolist()))
        object.__setattr__(self, "nodes", tuple(self.tree.labels[node] for node in caught))

    def _nearest(self, nodes: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        out = np.full(len(self.tree.leaves), -1, np.int32)
        for node in nodes:
            out[self.tree.leaf_first[node] : self.tree.leaf_last[node]] = node
        return out

    def cut_nodes(self) -> tuple[int, ...]:
        """Return the published nodes, left to right, each before those below it."""
        return tuple(self.tree.node_of[label] for label in self.nodes)

    @property
    def mixed_granularity(self) -> bool:
        """Whether a published node lies below another one: whether the nodes are no cut."""
        return not self.tree.is_cut(self.cut_nodes())

    def generalize(self, value: str) -> SiblingGeneralization:
        """Send what a published node stands for to the lowest node above it that takes nothing else down with it."""
        node = self.tree.node(value)
        published = set(self.cut_nodes())
        if node not in published:
            raise BadRequest("is not published", parameter="value", value=value, available=self.nodes)
        above = int(self.tree.parent[node])
        while above >= 0 and self.tree.labels[above] == value:  # a level that repeats its only child is no step
            above = int(self.tree.parent[above])
        if above < 0:
            raise BadRequest("is the root", parameter="value", value=value)
        below = slice(self.tree.leaf_first[above], self.tree.leaf_last[above])
        # A leaf below the parent that is published above it would come down to the parent: that is no generalization.
        if (self.tree.depth[self.node_of_leaf[below]] < self.tree.depth[above]).any():
            while above not in published:
                above = int(self.tree.parent[above])
        return self._with((published - {node}) | {above})

    def refine(self, value: str) -> SiblingGeneralization:
        """Publish a node by itself that belongs to the class of a node above it: the inverse of :meth:`generalize`."""
        node = self.tree.node(value)
        if node not in self.cut_nodes():
            finer = self._with({*self.cut_nodes(), node})
            if node in finer.cut_nodes() and finer.generalize(value) == self:
                return finer
        raise BadRequest(
            "must be one step below a published node and stand for a part of it",
            parameter="value",
            value=value,
            available=self.nodes,
        )

    def _with(self, nodes: set[int]) -> SiblingGeneralization:
        return replace(self, nodes=tuple(self.tree.labels[node] for node in sorted(nodes)))
