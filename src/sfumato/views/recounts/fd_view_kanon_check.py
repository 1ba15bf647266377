"""k-anonymity of a view set under dependencies, recounted: a witness for every written row, until none avoids a value.

Facts are the rows of views; a fact has options, the records that could be behind it. A world is one option for each fact such
that no two contradict a dependency.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from sfumato.errors import BadRequest, Unsupported
from sfumato.recounts import Groups, Level
from sfumato.views.recounts._records import State, read_views, witnesses
from sfumato.views.recounts._region import Value

__all__ = ["applies", "level"]

_STEPS = 2_000_000  # options that are tried for one world; more are given up

Record = Mapping[str, Value]
Rule = tuple[tuple[str, ...], str]
Side = tuple[tuple[object, ...], Value]
"""What an option says of a determinant: a rule with its values, and the value that is determined."""


def applies(kind: str, mode: str) -> bool:
    """What is shown by exchanging values needs the table, which nobody else has."""
    return mode != "conservative"


def level(groups: Groups, *, k: int, identifier: str, sensitive: str, dependencies: Sequence[str]) -> Level:
    """Judge the smallest cover of everybody: values of which no possible table leaves out all."""
    rules = [_rule(text) for text in dependencies]
    named = {name for before, after in rules for name in (*before, after)}
    views, begun = read_views(groups, {identifier, sensitive, *named})
    seen = {name for view in views for name in view.reads} | {n for n in named if begun[n].listed() is not None}
    binding = [rule for rule in rules if {*rule[0], rule[1]} <= seen]
    bound = {name for before, after in binding for name in (*before, after)}
    facts = []
    for view in views:
        others = [one for one in views if one is not view]
        for row in view.rows:
            found = {
                record: None
                for state in witnesses(view.shown(begun, row), others)
                for record in _records(state, bound, (identifier, sensitive))
            }
            facts.append([dict(record) for record in found])
    worlds = _Worlds(facts, binding)
    best: int | None = None
    broken = 0
    persons = dict.fromkeys(
        record[identifier] for options in facts for record in options if record[identifier] is not None
    )
    for person in persons:
        size = _cover(worlds, person, identifier, sensitive, None if best is None else max(k, best))
        if size is not None:
            broken += size < k
            best = size if best is None else min(best, size)
    return Level(best, broken, not broken)


def _rule(text: str) -> Rule:
    before, _, after = text.partition("->")
    return tuple(name.strip() for name in before.split(",")), after.strip()


def _records(state: State, bound: Collection[str], asked: Sequence[str]) -> Iterator[tuple[tuple[str, Value], ...]]:
    """Yield the records of a place, as far as they matter; a value that stays open is nothing."""
    names = [*sorted(bound), *(name for name in asked if name not in bound)]
    lists: list[Collection[Value]] = []
    for name in names:
        held = state[name].listed()
        if held is None and name in bound:
            raise Unsupported(f"{name} stays open and a dependency names it", thing="fd-view-kanon-check")
        lists.append((None,) if held is None else held)
    for values in product(*lists):
        yield tuple(zip(names, values, strict=True))


def _cover(worlds: _Worlds, person: Value, identifier: str, sensitive: str, enough: int | None) -> int | None:
    """Return the size of the smallest cover of a person, nothing if there is none; beyond ``enough`` any size that is.

    Values of worlds that were found must be hit by every cover: hit them with as few as possible, look for a world that
    avoids these, and so on.
    """
    known: list[frozenset[Value]] = []
    chosen: frozenset[Value] = frozenset()
    while True:
        found = worlds.avoiding({identifier: {person}, sensitive: chosen})
        if found is None:
            if not chosen:
                raise BadRequest("no table with these dependencies has these views", parameter="dependencies")
            return len(chosen)
        values = frozenset(record[sensitive] for record in found if record[identifier] == person)
        values -= {None}
        if not values:  # she need not be there, or her value may be anything
            return None
        known.append(values)
        chosen = _hitting(known)
        if enough is not None and len(chosen) > enough:
            return len(chosen)


def _hitting(sets: Sequence[frozenset[Value]]) -> frozenset[Value]:
    """Return one of the smallest sets that have a value in common with each."""
    best = frozenset[Value]().union(*(sorted(one, key=str)[:1] for one in sets))

    def search(chosen: frozenset[Value], left: Sequence[frozenset[Value]]) -> None:
        nonlocal best
        left = [one for one in left if not one & chosen]
        if not left:
            best = chosen if len(chosen) < len(best) else best
        elif len(chosen) + 1 < len(best):
            for value in min(left, key=len):
                search(chosen | {value}, left)

    search(frozenset(), sets)
    return best


@dataclass(eq=False)
class _Worlds:
    """Facts with their options, and the sides that options take in each dependency."""

    facts: Sequence[Sequence[Record]]
    rules: Sequence[Rule]
    _sides: list[list[list[Side]]] = field(default_factory=list)
    _near: dict[tuple[object, ...], list[tuple[int, int, Value]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at, options in enumerate(self.facts):
            self._sides.append([])
            for place, record in enumerate(options):
                sides: list[Side] = [
                    ((number, *(record[name] for name in before)), record[after])
                    for number, (before, after) in enumerate(self.rules)
                ]
                self._sides[at].append(sides)
                for key, value in sides:
                    self._near.setdefault(key, []).append((at, place, value))

    def avoiding(self, told: Mapping[str, Collection[Value]]) -> list[Record] | None:
        """Return an option for each fact, none with these values together; nothing if there is no such world."""
        alive = [
            [not all(record[name] in values for name, values in told.items()) for record in options]
            for options in self.facts
        ]
        left = [sum(one) for one in alive]
        fixed: dict[tuple[object, ...], Value] = {}
        chosen: dict[int, int] = {}
        steps = 0

        def take(at: int, place: int) -> list[tuple[int, int]]:
            """Choose an option; return the options that it rules out."""
            gone = []
            chosen[at] = place
            for key, value in self._sides[at][place]:
                if key not in fixed:
                    fixed[key] = value
                    for other, option, side in self._near[key]:
                        if side != value and alive[other][option]:
                            alive[other][option] = False
                            left[other] -= 1
                            gone.append((other, option))
            return gone

        trail: list[tuple[int, Iterator[int], list[tuple[int, int]], set[tuple[object, ...]]]] = []
        while True:
            open_ = [at for at in range(len(self.facts)) if at not in chosen]
            if not open_:
                return [self.facts[at][place] for at, place in chosen.items()]
            at = min(open_, key=lambda one: left[one])
            trail.append((at, iter([p for p, there in enumerate(alive[at]) if there]), [], set()))
            while trail:
                at, options, gone, keys = trail.pop()
                for other, option in gone:
                    alive[other][option] = True
                    left[other] += 1
                for key in keys:
                    del fixed[key]
                chosen.pop(at, None)
                place = next(options, None)
                if place is None:
                    continue
                steps += 1
                if steps > _STEPS:
                    raise Unsupported("there are too many worlds to be counted again", thing="fd-view-kanon-check")
                new = {key for key, _ in self._sides[at][place] if key not in fixed}
                gone = take(at, place)
                trail.append((at, options, gone, new))
                if all(left[other] for other in range(len(self.facts)) if other not in chosen):
                    break
            if not trail:
                return None
