"""Groups and their signatures over a series in which persons come and go: what each release leaves possible of whom."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.text import SUPPRESSED, parse_interval, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Codes, Ints
from sfumato.sequels.series import Series

__all__ = ["Changed", "Hosts", "Signatures", "VictimCandidates", "covers", "victim_candidates"]

Values = tuple[Hashable, ...]


@frozen
class Changed:
    """A person whose group has another signature in a release than in the one before; for the steward's eyes."""

    person: Hashable
    release: int
    before: Values
    after: Values


@frozen(eq=False)
class Hosts:
    """One release as its holder knows it: rows by group, with the person of each (-1: a counterfeit) and her value.

    ``signature`` is the number of each group's signature, ``start`` where its rows begin; rows of a group lie side by side.
    """

    person: Ints
    value: Ints
    start: Ints
    signature: Ints
    labels: tuple[Sequence[Hashable], ...]

    @property
    def sizes(self) -> Ints:
        """Rows of each group."""
        return np.diff(self.start)

    def group_of_row(self) -> Ints:
        """Return the group of each row."""
        return np.repeat(np.arange(len(self.signature)), self.sizes)


class Signatures:
    """The signatures of a series: the set of sensitive values of each group, and which of them host a person, when.

    Groups are the rows that look alike in the quasi-identifiers, or those of one value of ``group``, a column that numbers
    them. A row without a person is a counterfeit. A person has at most one row in a release. Of a single release a stranger,
    who does not know the persons, sees the signatures as well.

    Examples
    --------
    >>> first = {"Id": [1, 2], "Age": ["[20-30]", "[20-30]"], "Disease": ["Flu", "HIV"]}
    >>> then = {"Id": [1, 3], "Age": ["[20-40]", "[20-40]"], "Disease": ["Flu", "Cold"]}
    >>> found = Signatures(Series.of([first, then], qid=["Age"], sensitive="Disease", person="Id"))
    >>> found.changed()
    [Changed(person=1, release=2, before=('Flu', 'HIV'), after=('Cold', 'Flu'))]
    >>> found.candidates()[1]
    ('Flu',)
    """

    def __init__(self, series: Series, group: str | None = None) -> None:
        series.alike()
        if series.person is None and len(series) > 1:
            raise BadRequest("say which column tells the rows of one person", parameter="person")
        self.series = series
        tables = series.releases
        self.persons = _all_values(series, series.person) if series.person is not None else ()
        self.values = _all_values(series, series.protected)
        self._number: dict[bytes, int] = {}
        self.signatures: list[Values] = []
        places = [{value: code for code, value in enumerate(held)} for held in (self.persons, self.values)]
        self.releases: list[Hosts] = []
        for number, table in enumerate(tables, 1):
            keys = [group] if group is not None else list(series.qid)
            if group is not None and group not in table.types:
                raise BadRequest(
                    "is not a column of the release", parameter="group", value=group, available=table.columns
                )
            named = [series.person] if series.person is not None else []
            if any(name not in table.types for name in named):
                raise BadRequest(f"release {number} lacks the column of persons", column=series.person)
            cells = table.counts([*keys, series.protected, *named])
            held = cells.keys[len(keys)]
            value = _placed(held.values, held.codes, places[1])
            held = cells.keys[-1]
            person = _placed(held.values, held.codes, places[0]) if named else np.full(len(cells), -1, np.int64)
            if (value < 0).any():
                raise BadRequest(f"release {number} has a row without a sensitive value", column=series.protected)
            repeated = np.repeat(np.arange(len(cells)), cells.sizes)
            person, value = person[repeated], value[repeated]
            known = np.bincount(person[person >= 0], minlength=len(self.persons))
            if (known > 1).any():
                raise BadRequest(
                    f"release {number} has several rows of {int((known > 1).sum())} persons", column=series.person
                )
            labels = np.column_stack([shown.codes[repeated] for shown in cells.keys[: len(keys)]])
            fresh = np.ones(len(labels), bool)
            fresh[1:] = (labels[1:] != labels[:-1]).any(axis=1)
            start = np.append(np.flatnonzero(fresh), len(labels)).astype(np.int64)
            first = repeated[start[:-1]]
            boxes = tuple(shown.take(first) for shown in cells.keys[: len(keys)])
            self.releases.append(Hosts(person, value, start, self._signed(value, start), boxes))

    def _signed(self, value: Ints, start: Ints) -> Ints:
        """Return the number of each group's signature."""
        out = np.empty(len(start) - 1, np.int64)
        value = value[np.lexsort((value, np.repeat(np.arange(len(out)), np.diff(start))))]
        fresh = np.ones(len(value), bool)
        fresh[1:] = value[1:] != value[:-1]
        fresh[start[:-1]] = True
        kinds, ends = value[fresh], np.append(0, np.cumsum(fresh))[start].tolist()
        for group, (first, last) in enumerate(pairwise(ends)):
            known = self._number.setdefault(kinds[first:last].tobytes(), len(self._number))
            if known == len(self.signatures):
                self.signatures.append(tuple(self.values[code] for code in kinds[first:last].tolist()))
            out[group] = known
        return out

    @cached_property
    def stays(self) -> tuple[Ints, Ints, Ints]:
        """Every stay of a person in a release, in order of person and time: person, release, signature."""
        parts = [
            (hosts.person, np.full(len(hosts.person), at), hosts.signature[hosts.group_of_row()])
            for at, hosts in enumerate(self.releases)
        ]
        person, release, signature = (np.concatenate([part[at] for part in parts]) for at in range(3))
        real = np.flatnonzero(person >= 0)
        order = real[np.lexsort((release[real], person[real]))]
        return person[order], release[order], signature[order]

    def _next(self) -> tuple[Ints, Ints]:
        """Return each stay that is followed by another of the same person, and that one."""
        person, _, _ = self.stays
        first = np.flatnonzero(person[1:] == person[:-1])
        return first, first + 1

    def changed(self) -> list[Changed]:
        """Return every change of signature from one stay of a person to the next."""
        person, release, signature = self.stays
        before, after = self._next()
        moved = np.flatnonzero(signature[before] != signature[after])
        return [
            Changed(
                self.persons[person[one]],
                int(release[other]) + 1,
                self.signatures[signature[one]],
                self.signatures[signature[other]],
            )
            for one, other in zip(before[moved].tolist(), after[moved].tolist(), strict=True)
        ]

    def returned(self) -> list[Hashable]:
        """Return the persons who were away for a release and came back."""
        person, release, _ = self.stays
        before, after = self._next()
        away = np.flatnonzero(release[after] - release[before] > 1)
        return [self.persons[code] for code in np.unique(person[before[away]]).tolist()]

    def candidates(self, *, at_least: int = 1) -> dict[Hashable, Values]:
        """Return what all releases together leave to each person: the values that every signature has which hosted her.

        ``at_least`` leaves out persons with fewer stays. Nothing is left if values changed meanwhile.
        """
        person, _, signature = self.stays
        found: dict[Hashable, Values] = {}
        start = np.flatnonzero(np.append(True, person[1:] != person[:-1])) if len(person) else np.empty(0, np.int64)
        for first, last in zip(start.tolist(), [*start[1:].tolist(), len(person)], strict=True):
            if last - first < at_least:
                continue
            hosted = dict.fromkeys(signature[first:last].tolist())
            left = [self.signatures[one] for one in hosted]
            common = set(left[0]).intersection(*left[1:]) if len(left) > 1 else left[0]
            found[self.persons[person[first]]] = left[0] if len(left) == 1 else tuple(v for v in left[0] if v in common)
        return found


def _all_values(series: Series, name: str) -> Values:
    """Return the values of a column over all releases, by their text."""
    held = {value for table in series.releases if name in table.types for value in table.dictionary(name).values}
    return tuple(sorted(held, key=lambda value: (isinstance(value, str), value)))


def _placed(values: Sequence[Hashable], codes: Codes, place: Mapping[Hashable, int]) -> Ints:
    found: Ints = np.array([*(place[value] for value in values), -1], np.int64)[codes]
    return found


# ---- an adversary without ids --------------------------------------------------------------------------------------------


@frozen
class VictimCandidates:
    """What releases leave possible of a victim whose quasi-identifiers are known: in each of them, and in all together."""

    by_release: tuple[Values, ...]
    common: Values


def covers(label: Hashable, value: Hashable, tree: Tree | None = None) -> bool:
    """Tell whether a published label can stand for a raw value: equal, above it, an interval around it, or suppressed.

    >>> covers("[20-30]", 30), covers("[20-30)", 30), covers("*", 30), covers("29", 30)
    (True, False, True, False)
    """
    text = to_text(label)
    if text in (SUPPRESSED, to_text(value)):
        return True
    if tree is not None and text in tree.node_of and value in tree.leaf_number:
        node, leaf = tree.node_of[text], tree.leaf_number[value]
        return bool(tree.leaf_first[node] <= leaf < tree.leaf_last[node])
    span = parse_interval(text)
    if span is None or not isinstance(value, (int, float)):
        return False
    low, high, closed = span
    return low <= value < high or (closed and value == high)


def victim_candidates(
    series: Series, victim: Mapping[str, Hashable], releases: Sequence[int] | None = None
) -> VictimCandidates:
    """Return the sensitive values that a victim may have who is in some releases, all if not given (0 is the oldest).

    Several groups of one release may cover her: their values are united, and then intersected over the releases.

    >>> first = {"Age": ["[20-30]", "[20-30]"], "Disease": ["Flu", "HIV"]}
    >>> then = {"Age": ["[20-40]", "[20-40]"], "Disease": ["Flu", "Cold"]}
    >>> victim_candidates(Series.of([first, then], qid=["Age"], sensitive="Disease"), {"Age": 25}).common
    ('Flu',)
    """
    lacking = [name for name in series.alike().qid if name not in victim]
    if lacking:
        raise BadRequest("the victim's value is not given", parameter="victim", column=lacking[0])
    found: list[Values] = []
    for number in range(len(series)) if releases is None else releases:
        groups = series.groups(number)
        fits = np.ones(len(groups), bool)
        for name, keys in zip(groups.columns, groups.keys, strict=True):
            known = {label: covers(label, victim[name], series.trees.get(name)) for label in set(keys)}
            fits &= np.fromiter((known[label] for label in keys), bool, len(groups))
        histogram = groups.histograms[series.protected]
        codes = np.unique(histogram.taken(np.flatnonzero(fits)).code)
        found.append(tuple(sorted((histogram.values[code] for code in codes.tolist()), key=str)))
    common = set(found[0]).intersection(*found[1:]) if found else set()
    return VictimCandidates(tuple(found), tuple(sorted(common, key=str)))
