"""Random growing tables and the tasks of their next release."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from oracles import naive_bcf
from oracles.naive_bcf import Plain
from sequels.opened import QID, opened
from sfumato.contracts.algorithm import Outcome
from sfumato.engines import from_rows
from sfumato.sequels.task import SeriesTask

ROW = st.tuples(st.sampled_from(["a1", "a2", "a3"]), st.sampled_from(["b1", "b2"]), st.sampled_from("xyz"))


def table(rows: Any) -> Any:
    """Return rows as a table."""
    return from_rows([*QID, "S"], rows)


def task(plain: Plain, *models: Any) -> SeriesTask:
    """Return the task of the next release; the last batch of a plain series is new."""
    earlier = opened(Plain(plain.batches[:-1], plain.cuts))
    return SeriesTask(table(plain.batches[-1]), earlier, models, [table(rows) for rows in plain.batches[:-1]])


def cuts_of(outcome: Outcome) -> list[tuple[str, ...]]:
    """Return what each column shows."""
    return [outcome.recodings[name].published() for name in QID]  # type: ignore[attr-defined]


def with_next(plain: Plain, outcome: Outcome) -> Plain:
    """Return the series with the release that was found."""
    one, two = cuts_of(outcome)
    return Plain(plain.batches, (*plain.cuts, (one, two)))


@st.composite
def growing(draw: st.DrawFn, releases: int = 1, largest: int = 14) -> Plain:
    """Draw a series that has one batch more than releases."""
    earlier = draw(naive_bcf.series(releases=releases, largest=largest, least=2))
    new = tuple(draw(st.lists(ROW, min_size=1, max_size=largest)))
    return Plain((*earlier.batches, new), earlier.cuts)
