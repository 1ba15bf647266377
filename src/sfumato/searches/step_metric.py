"""The metric that values the steps of a greedy search, as a parameter names it."""

from __future__ import annotations

from typing import Any

from sfumato.catalogue import build, find, ids
from sfumato.errors import BadRequest

__all__ = ["step_metric"]


def step_metric(kind: type, name: str, *, called: str, owner: str, target: str | None) -> Any:
    """Return the metric of a kind; refuse what is none, and what needs a target where there is no target.

    ``called`` is what messages call the kind, ``owner`` the id of the algorithm whose parameter ``score`` names it.
    """
    parameter = f"{owner}.score"
    known: dict[str, Any] = {one: find(one, "metric") for one in ids("metric")}
    known = {one: thing for one, thing in known.items() if issubclass(thing, kind)}
    if name not in known:
        raise BadRequest(f"is not a {called}", parameter=parameter, value=name, available=list(known))
    metric = build(name, "metric")
    if metric.traits.needs_target and target is None:
        free = [one for one, thing in known.items() if not thing.traits.needs_target]
        raise BadRequest(f"{name} needs a column with the role target", parameter=parameter, available=[*free, "auto"])
    return metric
