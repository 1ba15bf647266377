"""How sure of a value whoever knows the group of a person may be: the largest share, if the group is large enough."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sfumato.recounts._level import Key, Number, Text

__all__ = ["largest_share", "share_or_shortfall"]


def largest_share(texts: Mapping[Text, Number] | Mapping[Key, Number], bounded: Collection[object] | None) -> Number:
    """Return the largest share of a text in a group, of all or of those that are bounded."""
    counts = [count for text, count in texts.items() if bounded is None or text in bounded]
    return max(counts, default=0) / sum(texts.values())


def share_or_shortfall(share: Number, counted: Number, least: int) -> Number:
    """Return the share where enough was counted; else 1 and the part that is lacking, beyond any bound on a share."""
    return share if counted >= least else 1 + (least - counted) / least
