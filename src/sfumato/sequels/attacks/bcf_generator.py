"""Generators: what an adversary of a growing table considers possible, person by person."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.sequels.classes import SeriesClasses, nodes_of
from sfumato.sequels.comparable import comparable
from sfumato.sequels.series import Series

__all__ = ["Buddies", "CheckedGenerator", "check_generator"]


@frozen
class Buddies:
    """A record of the earlier release, one of the later release, and the raw record that both are taken for."""

    earlier: Hashable
    later: Hashable
    qid: tuple[Hashable, ...]
    value: Hashable


@frozen
class CheckedGenerator:
    """Whether buddies make a generator, why not, and which records of the later release were then there from the beginning."""

    valid: bool
    reason: str | None
    stayed: tuple[Hashable, ...]
    came: tuple[Hashable, ...]


def check_generator(series: Series, buddies: Sequence[Buddies], *, record: str) -> CheckedGenerator:
    """Tell whether buddies are a generator of the first two releases of a series, in which ``record`` names the records.

    A generator takes every record for an instance of it: a raw record of the same sensitive value whose quasi-identifiers lie
    at or below what is published. Each record of the earlier release has one buddy in the later release, taken for the same raw
    record, and no two have the same; whoever has no buddy in the later release came with it. Records are possible buddies
    exactly if they are comparable and have the same sensitive value.

    >>> series = Series.of(
    ...     [{"Id": ["a1"], "Place": ["Europe"], "S": ["Flu"]},
    ...      {"Id": ["b1", "b2"], "Place": ["UK", "UK"], "S": ["Flu", "HIV"]}],
    ...     qid=["Place"], sensitive="S", hierarchies={"Place": {"Europe": ["UK", "France"]}},
    ... )
    >>> check_generator(series, [Buddies("a1", "b1", ("UK",), "Flu")], record="Id")
    CheckedGenerator(valid=True, reason=None, stayed=('b1',), came=('b2',))
    >>> check_generator(series, [Buddies("a1", "b2", ("UK",), "Flu")], record="Id").reason
    'a record is taken for one of another sensitive value'

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 10.2.3, definition 10.10.
    """
    if len(series) < 2:
        raise BadRequest("a generator is one of two releases", parameter="series")
    whole = SeriesClasses.of(series)
    before, after = (_records(series, table, record) for table in series.releases[:2])
    found = _reason(whole, before, after, buddies)
    mates = {one.later for one in buddies}
    stayed = tuple(name for name in after if name in mates)
    came = tuple(name for name in after if name not in mates)
    return CheckedGenerator(found is None, found, stayed, came)


def _reason(
    whole: SeriesClasses,
    before: Mapping[Hashable, tuple[Hashable, ...]],
    after: Mapping[Hashable, tuple[Hashable, ...]],
    buddies: Sequence[Buddies],
) -> str | None:
    earlier, later = [one.earlier for one in buddies], [one.later for one in buddies]
    if any(name not in before for name in earlier) or any(name not in after for name in later):
        return "a buddy is no record of its release"
    if len(set(earlier)) < len(earlier) or len(set(later)) < len(later):
        return "a record has two buddies"
    if len(earlier) < len(before):
        return "a record of the earlier release has no buddy"
    for one in buddies:
        for shown in (before[one.earlier], after[one.later]):
            if shown[-1] != one.value:
                return "a record is taken for one of another sensitive value"
            if not _covers(whole, shown[:-1], one.qid):
                return "a record is taken for one that it does not cover"
    return None


def _covers(whole: SeriesClasses, shown: Sequence[Hashable], raw: Sequence[Hashable]) -> bool:
    for name, tree, label, value in zip(whole.series.qid, whole.trees, shown, raw, strict=True):
        above, leaf = nodes_of(tree, [label, value], column=name).tolist()
        if tree.children[leaf] or above > leaf or not comparable(tree, above, leaf):
            return False
    return True


def _records(series: Series, table: Table, record: str) -> dict[Hashable, tuple[Hashable, ...]]:
    names = [record, *series.qid, series.protected]
    rows = table.select(names).to_rows()
    found = {row[0]: tuple(row[1:]) for row in rows}
    if len(found) < len(rows):
        raise BadRequest("names two records alike", parameter="record", value=record)
    return found
