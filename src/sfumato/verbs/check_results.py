"""Judge a mining result before it is given away: does a group of fewer than k persons follow from it?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.interactive.mining.result_files import read_result
from sfumato.interactive.mining.small_groups import (
    Found,
    SmallGroup,
    groups_of_leaves,
    groups_of_model,
    groups_of_patterns,
    patterns_of_rules,
)
from sfumato.itemsets.patterns import Patterns

__all__ = ["ResultVerdict", "check_results", "published_patterns"]

_KEYS = ("itemsets", "rules", "leaves")


@frozen
class ResultVerdict:
    """The groups of fewer than ``k`` records that follow from a result; true if there is none and it keeps no record."""

    k: int
    groups: tuple[SmallGroup, ...]
    notes: tuple[str, ...]
    keeps_records: bool

    @property
    def smallest(self) -> int | None:
        """The size of the smallest group that follows."""
        return min((group.count for group in self.groups), default=None)

    def __bool__(self) -> bool:
        return not self.groups and not self.keeps_records


def check_results(result: object, *, k: int = 5, records: int | None = None, run: Run | None = None) -> ResultVerdict:
    """Say whether a set of frequent itemsets, rules, a tree or a fitted model tells of fewer than ``k`` records.

    ``result`` is a file, :class:`Patterns`, an object with ``itemsets`` (each with ``items`` and ``support``), ``rules`` (each
    with ``if``, ``then``, ``support`` and ``confidence``) or ``leaves`` (each with ``if`` and ``counts`` by class), or a fitted
    model or pipeline of scikit-learn. ``records`` is how many records there were, if that is published as well; supports of
    rules may then be shares.

    >>> found = check_results({"itemsets": [{"items": ["a"], "support": 9}, {"items": ["a", "b"], "support": 7}]}, k=3)
    >>> bool(found), found.smallest, found.groups[0].words
    (False, 2, 'hold a and none of b')
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadRequest("must be a whole number of at least 1", parameter="k", value=str(k))
    run = Run.of(run)
    run.stage("looking at what was found")
    held = read_result(result) if isinstance(result, (str, Path)) else result
    if hasattr(held, "get_params") and hasattr(held, "fit"):
        found = groups_of_model(held, k)
        return ResultVerdict(k, found.groups, found.notes, found.keeps_records)
    found = Found()
    if isinstance(held, Mapping) and "leaves" in held:
        found = groups_of_leaves(_list(held, "leaves"), k)
    patterns = published_patterns(held, records)
    run.checkpoint()
    if patterns is not None:
        told = groups_of_patterns(patterns, k)
        found = Found((*found.groups, *told.groups), (*found.notes, *told.notes))
    return ResultVerdict(k, found.groups, found.notes, keeps_records=False)


def published_patterns(held: object, records: int | None = None) -> Patterns | None:
    """Return the supports that a result tells, by itself or by its rules; ``None`` if it holds leaves alone."""
    if isinstance(held, Patterns):
        return held if records is None else Patterns.of({**held.supports, (): records})
    if not isinstance(held, Mapping) or not any(key in held for key in _KEYS):
        raise BadRequest(
            "must hold itemsets, rules or leaves, or be a fitted model", parameter="result", available=_KEYS
        )
    total = held.get("records") if records is None else records
    if total is not None and (isinstance(total, bool) or not isinstance(total, int) or total < 0):
        raise BadRequest("must be a number of records", parameter="records", value=str(total))
    supports: dict[tuple[str, ...], int] = {} if total is None else {(): total}
    for entry in _list(held, "itemsets"):
        items = entry.get("items") if isinstance(entry, Mapping) else None
        if not isinstance(entry, Mapping) or not isinstance(items, list) or not isinstance(entry.get("support"), int):
            raise BadRequest("must have items, a list, and support, a number of records", parameter="itemsets")
        key = tuple(sorted(map(str, items)))
        if supports.setdefault(key, int(entry["support"])) != entry["support"]:
            raise BadRequest("must have one support for each set", parameter="itemsets", value=", ".join(key))
    rules = _list(held, "rules")
    if rules:
        supports = {**patterns_of_rules(rules, total).supports, **supports}
    return Patterns.of(supports) if supports else None


def _list(held: Mapping[str, Any], key: str) -> list[Any]:
    given = held.get(key, [])
    if not isinstance(given, list):
        raise BadRequest("must be a list", parameter=key)
    return given
