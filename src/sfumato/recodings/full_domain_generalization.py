"""Full-domain generalization: every value of a column climbs to the same level of its tree."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.recodings.tree_recoding import TreeRecoding

__all__ = ["FullDomainGeneralization"]


class FullDomainGeneralization(TreeRecoding):
    """Every value of a column climbs to the same level of its tree.

    Level 0 is the raw value, level ``h`` the root. In an unbalanced tree a leaf at depth ``d < h`` stands for itself up to
    level ``h - d``, so each level is a cut.

    Examples
    --------
    >>> job = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
    >>> FullDomainGeneralization(tree=job, level=1).map(["Engineer", "Dancer"]).labels
    ('Professional', 'Artist')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    Samarati, "Protecting respondents' identities in microdata release", 2001, doi:10.1109/69.971193.
    """

    id: ClassVar[str] = "full-domain-generalization"

    level: int = param(ge=0, doc="how far to climb; 0 leaves the values as they are")

    def validate(self) -> None:
        """Refuse a level above the root."""
        super().validate()
        if self.level > self.tree.height:
            raise BadRequest(
                f"must be at most the height of the tree, {self.tree.height}",
                parameter=f"{self.id}.level",
                value=self.level,
            )

    def cut_nodes(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self.tree.level_nodes[self.level].tolist()))

    def refine(self, value: str) -> FullDomainGeneralization:
        """Replace a published node by its children, and all others with it: the whole column goes down one level."""
        self._refuse_leaf(value)
        if value not in self.published():
            raise BadRequest("is not published", parameter="value", value=value, available=self.published())
        return replace(self, level=self.level - 1)

    def generalize(self, value: str) -> FullDomainGeneralization:
        """Replace the children of a node by the node, and all others with them: the whole column goes up one level."""
        self._refuse_leaf(value)
        above = () if self.level == self.tree.height else replace(self, level=self.level + 1).published()
        if value not in above:
            raise BadRequest("is not a node of the next level", parameter="value", value=value, available=above)
        return replace(self, level=self.level + 1)

    def _refuse_leaf(self, value: str) -> None:
        if not self.tree.children[self.tree.node(value)]:
            raise BadRequest("is a leaf and has no children", parameter="value", value=value)
