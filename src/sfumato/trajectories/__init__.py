"""Trails of people: for each person the places they were at, each at a time, and what else is known of them."""

from __future__ import annotations

from sfumato.trajectories.trajectories import Pair, Trajectories

__all__ = ["Pair", "Trajectories"]
