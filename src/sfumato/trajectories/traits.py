"""What models of paths claim beside what every model does: against whom they protect and what stays true."""

from __future__ import annotations

from typing import Literal

from sfumato.contracts.model import ModelTraits
from sfumato.data.frozen import frozen

__all__ = ["TrajectoryTraits"]


@frozen(kw_only=True)
class TrajectoryTraits(ModelTraits):
    """Claims about a model of paths (Fung et al. 2010, sections 14.2.3, 14.3.3 and 14.4.2.3); each as it is usually met.

    ``knows``: what is bounded of the adversary: at most L pairs, whole paths, positions up to an uncertainty, or given times of
    each person. ``truthful``: published points are true; ``exact_supports``: and counts in the release are those of the
    original. ``continuous``: positions are needed at all times. ``coordinates``: places must have some.
    """

    knows: Literal["pairs", "path", "uncertainty", "times"]
    truthful: bool
    exact_supports: bool = False
    continuous: bool = False
    coordinates: bool = False
