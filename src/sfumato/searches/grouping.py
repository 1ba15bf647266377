"""What algorithms that publish groups share: the records, the one sensitive column, what they cannot publish."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.contracts.algorithm import Task
from sfumato.contracts.engine import Table
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported

__all__ = ["group_size", "left_out", "records_of", "sensitive_column"]


def records_of(task: Task, algorithm: str) -> Table:
    """Return the records of a task; refuse one that has none."""
    if task.raw is None:
        raise BadRequest(f"{algorithm} groups single records and needs the table itself", parameter="raw")
    return task.raw


def sensitive_column(task: Task, algorithm: str) -> str:
    """Return the column that the requirements protect; refuse several."""
    named = list(dict.fromkeys(name for model in task.models for name in model.needs()))
    if len(named) > 1:
        raise Unsupported(
            f"{algorithm} bounds what is learnt of one sensitive column, the requirements name {', '.join(named)}",
            thing=algorithm,
        )
    if not named:
        raise Unsupported(
            f"{algorithm} leaves quasi-identifiers exact and can promise nothing about them; it needs a requirement on a "
            "sensitive column",
            thing=task.models[0].id if task.models else algorithm,
        )
    return named[0]


def group_size(task: Task, algorithm: str, alternatives: Sequence[str] = ()) -> int:
    """Return how many records a group needs; refuse requirements on anything but their number."""
    for model in task.models:
        if not model.traits.by_size_alone:
            raise Unsupported(
                f"{algorithm} makes groups of enough records and cannot promise {model.id}; what it can promise is k-anonymity",
                thing=model.id,
                alternatives=alternatives,
            )
    return max((model.least_size() for model in task.models), default=1)


def left_out(task: Task, algorithm: str, published: Sequence[str]) -> list[str]:
    """Return a note on the columns that the release has no place for."""
    gone = [name for name in records_of(task, algorithm).columns if name not in published]
    if not gone:
        return []
    return [say("warning.columns_left_out", names=", ".join(gone))]
