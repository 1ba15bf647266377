"""Sensitive numbers of groups, as their texts write them."""

from __future__ import annotations

from sfumato.errors import BadRequest
from sfumato.recounts._level import Groups, Number, counts_of, number

__all__ = ["numbers_of"]


def numbers_of(groups: Groups) -> list[list[tuple[float, Number]]]:
    """Return the numbers of each group in their order, each with its count; refuse texts that are none."""
    out = []
    for texts in counts_of(groups, "count"):
        read = [(number(text), count) for text, count in texts.items()]
        if any(value is None for value, _ in read):
            raise BadRequest("must hold finite numbers only")
        out.append(sorted((value, count) for value, count in read if value is not None))
    return out
