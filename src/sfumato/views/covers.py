"""Association covers: values of which one at least must be a person's, whatever the table behind the views was."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.region import Region, in_order
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.views.cells import Box, RecordSets, boxes_of
from sfumato.views.view_set import ViewSet

__all__ = ["Covers", "covers_by_cells"]


@frozen(eq=False, repr=False)
class Covers(Mapping[Hashable, tuple[Hashable, ...]]):
    """The smallest association cover of each identifier that has one: identifier -> values, in order.

    A cover of i is a set of values such that every possible world holds i with one of them at least. Sets are shared: the cover
    of ``identifiers[at]`` is ``choices[codes[starts[n] : starts[n + 1]]]`` with ``n = sets[at]``.
    """

    identifiers: Sequence[Hashable]
    sets: Ints
    starts: Ints
    codes: Ints
    choices: Sequence[Hashable]

    @classmethod
    def of(cls, found: Mapping[Hashable, Sequence[Hashable]]) -> Covers:
        """Return covers that are listed."""
        return cls.shared({name: at for at, name in enumerate(found)}, list(found.values()))

    @classmethod
    def shared(cls, chosen: Mapping[Hashable, int], sets: Sequence[Sequence[Hashable]]) -> Covers:
        """Return the covers of identifiers, each the number of one of these sets."""
        values = in_order({value for cover in sets for value in cover})
        place = {value: at for at, value in enumerate(values)}
        names = in_order(chosen)
        starts = np.concatenate(([0], np.cumsum([len(one) for one in sets]))).astype(np.int64)
        codes = np.array([code for one in sets for code in sorted(place[value] for value in one)], np.int64)
        return cls(names, np.array([chosen[name] for name in names], np.int64), starts, codes, values)

    def __len__(self) -> int:
        return len(self.identifiers)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.identifiers)

    @cached_property
    def _place(self) -> Mapping[Hashable, int]:
        return {name: at for at, name in enumerate(self.identifiers)}

    def __getitem__(self, name: Hashable) -> tuple[Hashable, ...]:
        return self.cover(self._place[name])

    def __repr__(self) -> str:  # identifiers are persons
        return f"Covers({len(self):,} identifiers, the smallest cover has {self.smallest} values)"

    def cover(self, at: int) -> tuple[Hashable, ...]:
        """Return the cover of one identifier, by its place."""
        number = int(self.sets[at])
        inside = self.codes[self.starts[number] : self.starts[number + 1]].tolist()
        return tuple(self.choices[code] for code in inside)

    @cached_property
    def sizes(self) -> Ints:
        """How many values each cover has."""
        return np.diff(self.starts)[self.sets]

    @property
    def smallest(self) -> int | None:
        """The size of the smallest cover of anybody; ``None`` where nobody has one."""
        return int(self.sizes.min()) if len(self) else None

    def below(self, k: int) -> list[tuple[Hashable, tuple[Hashable, ...]]]:
        """Return whoever has a cover of fewer than k values, with it."""
        return [(self.identifiers[at], self.cover(at)) for at in np.flatnonzero(self.sizes < k).tolist()]


def covers_by_cells(views: ViewSet, identifier: str, sensitive: str) -> Covers:
    """Return the smallest covers from the cells that the views cut the record space into.

    For each fact: if every cell that can witness it fixes the identifier to one value j, the values in these cells cover j; a
    cell that leaves the value open makes the cover endless. Without dependencies the witnesses of facts are chosen
    independently, so that a set of pairs is unavoidable if and only if it blocks all witnesses of one fact.

    Facts that are alike in all that other views look at have the same witnesses elsewhere: they are one, and where a single
    view names persons its facts are told apart by nothing but whom they name.
    """
    told = _Signatures.of(views, identifier, sensitive)
    boxes = boxes_of(told.record_sets)
    best: dict[Hashable, int] = {}
    sets: list[tuple[Hashable, ...]] = []
    for number in range(len(views)):
        witnesses: dict[int, list[tuple[tuple[int, ...], Box]]] = {}
        for box in boxes:
            if box[0][number] >= 0:
                witnesses.setdefault(box[0][number], []).append(box)
        for at in sorted(witnesses):
            values = _values(views, witnesses[at], sensitive)
            if values is None:
                continue
            sets.append(values)
            for owner in told.owners(number, at, witnesses[at], identifier):
                if owner not in best or len(values) < len(sets[best[owner]]):
                    best[owner] = len(sets) - 1
    return Covers.shared(best, sets)


@frozen(eq=False)
class _Signatures:
    """How views cut the record space by the columns that matter to others; whom each fact names, if one view alone does."""

    record_sets: Sequence[RecordSets]
    naming: int | None
    names: Sequence[Sequence[Hashable]]
    anybody: Region

    @classmethod
    def of(cls, views: ViewSet, identifier: str, sensitive: str) -> _Signatures:
        reads = [set(view.reads) for view in views.views]
        naming = [at for at, held in enumerate(reads) if identifier in held]
        compared = any(one.column == identifier for view in views.views for one in view.where)
        alone = naming[0] if len(naming) == 1 and not compared else None
        made, names = [], list[list[Hashable]]()
        for at, view in enumerate(views.views):
            others = {sensitive, identifier, *(name for to, held in enumerate(reads) if to != at for name in held)}
            kept = tuple(name for name in view.columns if name in others and (at != alone or name != identifier))
            shown = (identifier,) if at == alone else ()
            asked = (*shown, *kept)
            facts: dict[tuple[Hashable, ...], list[Hashable]] = {}
            if asked:
                for row in zip(*views.answers[at].counts(asked).keys, strict=True):
                    facts.setdefault(row[len(shown) :], []).extend(row[: len(shown)])
            elif views.answers[at].rows:
                facts[()] = []
            made.append(RecordSets(view.name, kept, tuple(facts), view.regions(views.types), views.wholes))
            if at == alone:
                names = list(facts.values())
        return cls(made, alone, names, views.whole(identifier))

    def owners(
        self, view: int, fact: int, witnesses: Sequence[tuple[tuple[int, ...], Box]], identifier: str
    ) -> Sequence[Hashable]:
        """Return whom a fact is about: everybody whom it names, or the only one whom all of its witnesses name."""
        if view == self.naming:
            return self.names[fact]
        found: set[Hashable] = set()
        for sets, box in witnesses:
            if self.naming is not None:
                inside = self.names[sets[self.naming]] if sets[self.naming] >= 0 else ()
                named = inside[0] if len(inside) == 1 else None
            else:
                named = (box.get(identifier) or self.anybody).fixed()
            found.add(named)
            if named is None or len(found) > 1:
                return ()
        return tuple(found)


def _values(
    views: ViewSet, witnesses: Sequence[tuple[tuple[int, ...], Box]], sensitive: str
) -> tuple[Hashable, ...] | None:
    """Return the values that the witnesses of a fact leave; nothing if there is no end of them."""
    values: set[Hashable] = set()
    for _, box in witnesses:
        inside = (box.get(sensitive) or views.whole(sensitive)).values()
        if inside is None:
            return None
        values.update(inside)
    return in_order(values)


def refuse_strange(views: ViewSet, identifier: str, sensitive: str, thing: str) -> None:
    """Refuse columns that the table does not have, one column for both, and persons without a name."""
    known = views.types or dict.fromkeys(views.columns)
    for name, parameter in ((identifier, "identifier"), (sensitive, "sensitive")):
        if name not in known and name not in views.columns:
            raise BadRequest(
                "is not a column of the views", parameter=f"{thing}.{parameter}", value=name, available=known
            )
    if identifier == sensitive:
        raise BadRequest("names the identifier again", parameter=f"{thing}.sensitive", value=sensitive)
    if identifier in views.gaps:
        raise BadRequest("has missing values: a person without a name cannot be protected by it", column=identifier)
