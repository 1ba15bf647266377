"""Perturbed table, recounted: rows with equal texts in columns that were not perturbed, as many as their weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.errors import Unsupported
from sfumato.recounts._counted import Counted
from sfumato.recounts._written import Part, grouped, listed

__all__ = ["counted"]


def counted(
    parts: Mapping[str, Part], known: Sequence[str], read: Sequence[str], perturbed: Sequence[str], weights: str | None
) -> Counted:
    """Group the published rows; counts of perturbed values show nothing and are refused."""
    if set(perturbed) & {*known, *read}:
        raise Unsupported("counts of perturbed values show nothing", thing="perturbed-table")
    if weights is None:
        return Counted(grouped(parts["data"], known, read))
    return Counted(listed(parts["data"], known, read, weights))
