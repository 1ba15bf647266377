"""What a kind of release hands to a recount: the groups, and what they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sfumato.recounts._level import Groups, Histogram

__all__ = ["Counted"]


@dataclass(frozen=True)
class Counted:
    """Groups of the published rows.

    ``whole`` counts the texts of a column where groups are not compared with themselves; ``allowance`` is what rows that stand
    for nobody may change in a share.
    """

    groups: Groups
    whole: Mapping[str, Histogram | Mapping[str, int]] = field(default_factory=dict)
    allowance: float = 0.0
