"""What a search over levels found, in sentences: why the levels are these, and how sure it is that no others are better.

Examples of groups that would be too small stay out: their values are finer than what is published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.reports.words import counted, number, percent, printable

__all__ = ["certainty", "finer_level", "gap_words", "levels_text", "solution_rows"]


def levels_text(levels: Mapping[str, int]) -> str:
    """Return levels with the names of their columns.

    >>> levels_text({"job": 1, "sex": 0})
    'job 1, sex 0'
    """
    return ", ".join(f"{printable(name, 60)} {level}" for name, level in levels.items())


def finer_level(entry: Mapping[str, Any]) -> str:
    """Say why a column is not one level finer.

    >>> finer_level({"attribute": "sex", "level": 0, "height": 1, "binds": None})
    'It is published as it is.'
    """
    if entry["level"] == 0:
        return "It is published as it is."
    if entry["binds"] is None:
        better = entry["cost"]
        left_out = f"{counted(entry['records'], 'record')} left out of {number(entry['allowed'])} that may be"
        if better > 0:
            return f"One level finer is allowed ({left_out}) and would score better by {number(better)}."
        worse = "and would score no better" if better == 0 else f"but would score worse by {number(-better)}"
        return f"One level finer is allowed ({left_out}), {worse}."
    records = counted(entry["records"], "record")
    groups = counted(entry["groups"], "group")
    some = "" if entry["breaking"] >= entry["records"] else f"for {number(entry['breaking'])} of them "
    allowed = f"{counted(entry['allowed'], 'record')} may be" if entry["allowed"] else "none may be"
    return (
        f"One level finer, {records} in {groups} would have to be left out, and {allowed}; {some}the reason is "
        f"{printable(entry['binds'], 120)}. The largest such group has {counted(entry['example_size'], 'record')}."
    )


def gap_words(gap: float | None) -> str:
    """Say how much better another choice can be at most."""
    if gap is None:
        return "nothing is known about how much better others could be"
    return f"others score at most {percent(gap, 1)} better"


def certainty(facts: Mapping[str, Any], *, proven: bool, chosen: bool) -> str:
    """Say how sure it is that no other choice of levels is better; ``chosen``: the policy named the levels."""
    metric = printable(facts["metric"]["id"] if isinstance(facts["metric"], Mapping) else facts["metric"])
    seen = f"{counted(facts['lattice'], 'choice')} of levels, {number(facts['checks'])} of them counted"
    score = f"{metric} {number(facts['score'])}"
    if chosen:
        return f"The policy chose these levels ({score}); whether others are better was not searched."
    if proven:
        return f"No other choice of levels scores better: {score} is proven to be the lowest ({seen})."
    unsure = gap_words(facts["gap"])
    return f"These are the best levels that were found ({score}), not proven to be the best: {unsure} ({seen})."


def solution_rows(solutions: Sequence[Mapping[str, Any]], levels: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return other choices for a table; the one that is published is marked."""
    return [
        {
            "rank": at + 1,
            "levels": [number(level) for level in entry["levels"].values()],
            "score": number(entry["score"]),
            "left_out": number(entry["left_out"]),
            "groups": number(entry["groups_kept"]),
            "published": dict(entry["levels"]) == dict(levels),
        }
        for at, entry in enumerate(solutions)
    ]
