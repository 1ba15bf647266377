"""The metric that values the steps of a greedy search, as a parameter names it."""

from __future__ import annotations

from typing import Any

from sfumato.catalogue import TABLE, known, things
from sfumato.errors import BadRequest

__all__ = ["step_metric"]


def step_metric(kind: type, name: str, *, called: str, owner: str, target: str | None) -> Any:
    """Return the metric of a kind; refuse what is none, and what needs a target where there is no target.

    ``called`` is what messages call the kind, ``owner`` the id of the algorithm whose parameter ``score`` names it.
    """
    parameter = f"{owner}.score"
    found: Any = known(name, "metric", TABLE)
    if found is None or found.id != name or not issubclass(found, kind):
        raise BadRequest(f"is not a {called}", parameter=parameter, value=name, available=list(_able(kind)))
    if found.traits.needs_target and target is None:
        free = [one for one, thing in _able(kind).items() if not thing.traits.needs_target]
        raise BadRequest(f"{name} needs a column with the role target", parameter=parameter, available=[*free, "auto"])
    return found.from_spec({"id": name})


def _able(kind: type) -> dict[str, Any]:
    """Return the metrics of a kind by id."""
    return {thing.id: thing for thing in things("metric", TABLE) if issubclass(thing, kind)}
