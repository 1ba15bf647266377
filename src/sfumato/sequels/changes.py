"""Kinds of series: what each lets happen between two releases, and what it gives the algorithm that makes the next."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

import numpy as np

from sfumato.catalogue import ids
from sfumato.contracts.algorithm import Algorithm, Task
from sfumato.contracts.engine import Table
from sfumato.data.words import counted
from sfumato.errors import BadRequest
from sfumato.sequels.prepare import PreparedSequel
from sfumato.sequels.task import SeriesTask

__all__ = ["refuse_changes", "task_of"]


def refuse_changes(prepared: PreparedSequel) -> None:
    """Refuse what does not happen in a series of the kind that is asked for; say how many, and which kind allows it."""
    if prepared.kind not in ("continuous", "dynamic"):
        return
    here = prepared.digests
    last: dict[Hashable, Hashable] = {}
    for one in prepared.past:
        last |= one.records()
    last.pop(None, None)
    gone = sum(who not in here for who in last)
    changed = sum(who in here and here[str(who)] != digest for who, digest in last.items())
    if prepared.kind == "continuous" and gone:
        raise BadRequest(
            f"{counted(gone, 'record that was published is', 'records that were published are')} not in the data any more; "
            "a continuous series never loses any",
            parameter="series.kind",
            value="continuous",
            available=["dynamic", "serial"],
        )
    if changed:
        raise BadRequest(
            f"{counted(changed, 'person has', 'persons have')} other values than those that were published; a "
            f"{prepared.kind} series has no changes",
            parameter="series.kind",
            value=prepared.kind,
            available=["serial"],
        )


def task_of(prepared: PreparedSequel) -> SeriesTask | Task:
    """Return what the algorithm takes: all records of now, or those that came with each release, or those of now joined."""
    if isinstance(prepared.policy.search(), Algorithm):
        if prepared.past:
            raise BadRequest(
                "knows nothing of the releases before", parameter="algorithm", available=ids("algorithm", "series")
            )
        return prepared.inside.task(None)
    if prepared.kind == "sequential":
        return SeriesTask(
            prepared.inside.table,
            prepared.earlier,
            prepared.models,
            target=prepared.inside.target,
            trees=prepared.trees,
        )
    given = SeriesTask(
        prepared.batch,
        prepared.earlier,
        prepared.models,
        qid=prepared.qid,
        sensitive=prepared.sensitive,
        trees=prepared.trees,
        person=prepared.policy.person,
    )
    if prepared.kind != "continuous":
        return given
    *history, batch = _by_arrival(prepared)
    return replace(given, batch=batch, history=history)


def _by_arrival(prepared: PreparedSequel) -> Iterable[Table]:
    """Yield the records that came with each release so far, and then those that are new."""
    person, rows = str(prepared.policy.person), prepared.batch.as_rows()
    came: dict[Hashable, int] = {}
    for number, one in enumerate(prepared.past):
        for who in one.copy.dictionary(person).values:
            came.setdefault(who, number)
    new = len(prepared.past)
    release = np.array([came.get(who, new) for who in rows.dictionary(person).values], np.int64)
    release = release[rows.codes([person])[:, 0]]
    for number in range(new + 1):
        yield rows.take(np.flatnonzero(release == number))
