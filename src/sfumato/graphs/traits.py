"""What models of graphs claim beside what every model does: what the adversary knows of her victim's place."""

from __future__ import annotations

from typing import Literal

from sfumato.contracts.model import ModelTraits, Requirement
from sfumato.data.frozen import frozen

__all__ = ["GraphTraits", "finds_nobody", "reads_labels"]


@frozen(kw_only=True)
class GraphTraits(ModelTraits):
    """Claims about a model of graphs.

    ``against`` is the strongest structural knowledge that it withstands: the degree of the victim, so many rounds of
    structural queries, the links among the neighbours, or everything about the structure; ``columns`` for none of it, but what
    is known of nodes beside their links. ``labels``: that is known together with the structure, always or where a parameter
    says so.
    """

    against: Literal["degree", "rounds", "neighborhood", "everything", "columns"]
    labels: bool = False


def reads_labels(model: Requirement) -> bool:
    """Tell whether a requirement is about what is known of nodes beside their links, together with these."""
    traits = model.traits
    return (isinstance(traits, GraphTraits) and traits.labels) or bool(getattr(model, "use_labels", False))


def finds_nobody(model: Requirement) -> bool:
    """Tell whether a requirement leaves no node alone: k = 1 asks for nothing, and who is tolerated may be found."""
    return int(getattr(model, "k", 2)) > 1 and not getattr(model, "tolerated", 0.0)
