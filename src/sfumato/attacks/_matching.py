"""Persons of a table, or one known by her values, looked up in published groups: what every attack by linking starts from."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from sfumato.attacks._covering import Covers, Missing, covers, matches
from sfumato.contracts.attack import unlinkable
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import MISSING_LABEL, parse_interval, to_text
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Codes, Ints

__all__ = ["LookedUp", "column_of", "look_up", "look_up_one", "names_of"]

_ROOM = 1 << 62  # keys of records stay below this
_COUNTED = 4  # keys are counted instead of sorted while there are at most so many times as many as records


@frozen(eq=False)
class LookedUp:
    """Which groups cover which persons: persons with equal values are one *kind*, and pairs are (kind, group), in order.

    ``warnings`` names the columns with labels that stand for nobody's value: either nobody has it, or nobody said what they
    mean, and then links are missed.
    """

    groups: GroupStats
    kind_of_person: Ints
    pair_kind: Ints
    pair_group: Ints
    warnings: tuple[str, ...] = ()

    @cached_property
    def kinds(self) -> int:
        """Number of distinct persons."""
        return int(self.kind_of_person.max(initial=-1)) + 1

    @cached_property
    def persons(self) -> Ints:
        """How many persons each kind stands for."""
        return np.bincount(self.kind_of_person, minlength=self.kinds)

    @cached_property
    def covered(self) -> Ints:
        """How many persons each group covers."""
        counts = np.bincount(
            self.pair_group, weights=self.persons[self.pair_kind].astype(np.float64), minlength=len(self.groups)
        )
        return counts.astype(np.int64)

    @cached_property
    def rows(self) -> Ints:
        """How many published rows cover each kind of person."""
        counts = np.bincount(
            self.pair_kind, weights=self.groups.sizes[self.pair_group].astype(np.float64), minlength=self.kinds
        )
        return counts.astype(np.int64)

    def groups_of(self, kind: int) -> Ints:
        """Return the groups that cover a kind of person."""
        first, last = np.searchsorted(self.pair_kind, [kind, kind + 1])
        return self.pair_group[first:last]

    def persons_in(self, group: int) -> Ints:
        """Return the places of the persons that a group covers, in order."""
        return np.flatnonzero(np.isin(self.kind_of_person, self.pair_kind[self.pair_group == group]))


def look_up(
    seen: Seen, knowledge: TableKnowledge, persons: Table | None = None, *, missing: Missing = "own-value"
) -> LookedUp:
    """Look up the persons of a table, the external one if not given, in the published groups.

    A missing value is a value of its own, as it is for models; it can also match anything, or nothing.
    """
    if persons is None:
        external = knowledge.external
        assert external is not None
        return seen.keep(("looked up", knowledge, missing), lambda: look_up(seen, knowledge, external, missing=missing))
    _refuse_unlinkable(seen, knowledge)
    groups = seen.groups(knowledge)
    held = {name: persons.dictionary(name) for name in knowledge.known}
    codes = persons.as_rows().codes(knowledge.known, held)
    kinds, kind_of = _kinds(codes, [len(held[name]) for name in knowledge.known])
    columns, shown, wanted = _covered(
        seen, knowledge, groups, {name: held[name].values for name in knowledge.known}, kinds, missing
    )
    kind, group = matches(shown, wanted, columns)
    return LookedUp(groups, kind_of, kind, group, tuple(_unread(seen, groups, columns)))


def look_up_one(seen: Seen, knowledge: TableKnowledge, victim: Mapping[str, Hashable]) -> Ints:
    """Return the published groups that cover a person who is known by her values, column by column."""
    _refuse_unlinkable(seen, knowledge)
    if seen.groups(knowledge).columns != knowledge.known:
        raise BadRequest(
            "the groups are published without quasi-identifiers: nobody can be looked up in them", parameter="victim"
        )
    lacking = [name for name in knowledge.known if name not in victim]
    if lacking:
        raise BadRequest(
            "must tell the value of every column that is linked by",
            parameter="victim",
            column=lacking[0],
            available=knowledge.known,
        )
    codes = np.array([[-1 if victim[name] is None else 0 for name in knowledge.known]], np.int32)
    known = {name: [] if victim[name] is None else [victim[name]] for name in knowledge.known}
    columns, shown, wanted = _covered(seen, knowledge, seen.groups(knowledge), known, codes, "own-value")
    return matches(shown, wanted, columns)[1]


def _refuse_unlinkable(seen: Seen, knowledge: TableKnowledge) -> None:
    reason = unlinkable(seen, knowledge)
    if reason is not None:
        raise BadRequest(reason, parameter="qid")


def _kinds(codes: Codes, sizes: Sequence[int]) -> tuple[Codes, Ints]:
    """Return the distinct rows of codes in order, and which of them each row is; codes start at -1."""
    key, room = np.zeros(len(codes), np.int64), 1
    for at, size in enumerate(sizes):
        if room * (size + 1) >= _ROOM:
            distinct, key = np.unique(key, return_inverse=True)
            room = len(distinct)
        key, room = key * (size + 1) + codes[:, at] + 1, room * (size + 1)
    if room <= _COUNTED * max(len(key), 1):
        used = np.bincount(key, minlength=room) > 0
        kind_of = (np.cumsum(used) - 1)[key]
        count = int(np.count_nonzero(used))
    else:
        distinct, kind_of = np.unique(key, return_inverse=True)
        count = len(distinct)
    somebody = np.empty(count, np.int64)
    somebody[kind_of] = np.arange(len(key))  # whoever is written last looks like all the others
    return codes[somebody], kind_of.astype(np.int64)


def _covered(
    seen: Seen,
    knowledge: TableKnowledge,
    groups: GroupStats,
    values: Mapping[str, Sequence[Hashable]],
    kinds: Codes,
    missing: Missing,
) -> tuple[list[Covers], Codes, Codes]:
    """Return which labels cover which values, column by column, and the codes of groups and of kinds of persons."""
    shown = np.empty((len(groups), len(knowledge.known)), np.int32)
    wanted = kinds.astype(np.int32)
    columns = []
    for at, (name, keys) in enumerate(zip(groups.columns, groups.keys, strict=True)):
        coded = CodedKeys.of(keys)
        labels, known, codes = coded.values, values[name], coded.codes
        if missing != "nothing":
            # Missing gets a code of its own on either side, the one after the last.
            codes = np.where(codes < 0, len(labels), codes)
            wanted[:, at] = np.where(wanted[:, at] < 0, len(known), wanted[:, at])
            labels, known = [*labels, None], [*known, None]
        shown[:, at] = codes
        columns.append(covers(labels, known, seen.readings.get(name), missing=missing))
    return columns, shown, wanted


def _unread(seen: Seen, groups: GroupStats, columns: Sequence[Covers]) -> Iterator[str]:
    """Say in which columns labels stand for no value at all, although they are no interval and in no hierarchy."""
    for name, keys, found in zip(groups.columns, groups.keys, columns, strict=True):
        labels = CodedKeys.of(keys).values
        idle = np.flatnonzero(np.bincount(found.label, minlength=len(labels))[: len(labels)] == 0).tolist()
        reading = seen.readings.get(name)
        texts = [to_text(labels[at]) for at in idle if labels[at] is not None]
        unread = sum(
            text != MISSING_LABEL and parse_interval(text) is None and not (reading is not None and reading.knows(text))
            for text in texts
        )
        if len(idle) == len(labels):
            unread = len(texts)  # whatever they mean: nobody at all can be linked
        if unread:
            yield (say("warning.unread_labels", name=repr(name), unread=unread, labels=len(labels)))


def column_of(table: Table, name: str) -> list[object]:
    """Return the values of one column, row by row."""
    return [row[0] for row in table.select([name]).to_rows()]


def names_of(knowledge: TableKnowledge) -> list[object]:
    """Return the names of the persons of the external table, in order; without a column of names their places, from 0."""
    assert knowledge.external is not None
    return (
        list(range(knowledge.external.rows))
        if knowledge.name is None
        else column_of(knowledge.external, knowledge.name)
    )
