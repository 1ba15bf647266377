"""Continuous series in plain Python: random ones, and crack sizes by trying every possible world; nothing of ours is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st

# Two columns; each tree as child -> parent.
PARENTS = (
    {"a1": "A1", "a2": "A1", "a3": "A2", "A1": "A", "A2": "A"},
    {"b1": "B", "b2": "B"},
)
NESTED = {
    "QA": {"A": [{"A1": ["a1", "a2"]}, {"A2": ["a3"]}]},
    "QB": {"B": ["b1", "b2"]},
}
CUTS = (
    [("A",), ("A1", "A2"), ("a1", "a2", "A2"), ("A1", "a3"), ("a1", "a2", "a3")],
    [("B",), ("b1", "b2")],
)
LEAVES = (("a1", "a2", "a3"), ("b1", "b2"))

Row = tuple[str, str, str]


@dataclass(frozen=True)
class Plain:
    """Raw batches and the cuts by which each release shows everything that came so far."""

    batches: tuple[tuple[Row, ...], ...]
    cuts: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]

    def release(self, number: int) -> list[Row]:
        """Return the rows of one release."""
        rows = [row for batch in self.batches[: number + 1] for row in batch]
        return [(*(shown(at, row[at], self.cuts[number][at]) for at in (0, 1)), row[2]) for row in rows]

    def releases(self) -> list[list[Row]]:
        """Return all releases."""
        return [self.release(number) for number in range(len(self.cuts))]


def path(column: int, value: str) -> list[str]:
    """Return a value and everything above it."""
    out = [value]
    while out[-1] in PARENTS[column]:
        out.append(PARENTS[column][out[-1]])
    return out


def shown(column: int, value: str, cut: Sequence[str]) -> str:
    """Return what a cut shows of a raw value."""
    return next(node for node in path(column, value) if node in cut)


def alike(column: int, one: str, other: str) -> bool:
    """Tell whether two values lie on one path."""
    return one in path(column, other) or other in path(column, one)


def comparable(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether two classes can hold one person."""
    return all(alike(at, one[at], other[at]) for at in (0, 1))


def classes(rows: Sequence[Row]) -> dict[tuple[str, str], Counter[str]]:
    """Return the sensitive values of each class."""
    out: dict[tuple[str, str], Counter[str]] = {}
    for a, b, s in rows:
        out.setdefault((a, b), Counter())[s] += 1
    return out


@st.composite
def series(draw: st.DrawFn, releases: int = 2, largest: int = 5, least: int = 0) -> Plain:
    """Draw a small series; a batch may be empty."""
    row = st.tuples(st.sampled_from(LEAVES[0]), st.sampled_from(LEAVES[1]), st.sampled_from("xyz"))
    batches = tuple(
        tuple(draw(st.lists(row, min_size=max(least, number == 0), max_size=largest))) for number in range(releases)
    )
    cuts = tuple((draw(st.sampled_from(CUTS[0])), draw(st.sampled_from(CUTS[1]))) for _ in range(releases))
    return Plain(batches, cuts)


def worlds(plain: Plain, value: str) -> Iterator[Counter[tuple[int, tuple[str, str]]]]:
    """Yield every way to fill the groups of one sensitive value: how many persons came when and have which raw values.

    People are told by when they came (x) and by their raw values; every assignment of them that gives each class of each
    release its number of records is a world.
    """
    wanted = [{key: held[value] for key, held in classes(rows).items()} for rows in plain.releases()]
    kinds = [(x, leaves) for x in range(len(plain.cuts)) for leaves in product(*LEAVES)]
    kinds = [kind for kind in kinds if all(_class(plain, i, kind[1]) in wanted[i] for i in range(kind[0], len(wanted)))]

    def fill(at: int, left: list[dict[tuple[str, str], int]]) -> Iterator[Counter[tuple[int, tuple[str, str]]]]:
        if at == len(kinds):
            if all(not any(held.values()) for held in left):
                yield Counter()
            return
        x, leaves = kinds[at]
        places = [(i, _class(plain, i, leaves)) for i in range(x, len(left))]
        for count in range(min(left[i][key] for i, key in places) + 1):
            rest = [dict(held) for held in left]
            for i, key in places:
                rest[i][key] -= count
            for world in fill(at + 1, rest):
                yield world + Counter({kinds[at]: count})

    yield from fill(0, wanted)


def _class(plain: Plain, number: int, leaves: tuple[str, ...]) -> tuple[str, str]:
    a, b = (shown(at, leaves[at], plain.cuts[number][at]) for at in (0, 1))
    return a, b


def most_alike(plain: Plain) -> list[dict[tuple[str, str], int]]:
    """Return for each time and raw values the records that can be such a person's: the anonymity that every attack leaves.

    For each value the most that a world holds, values being independent of each other.
    """
    found: list[Counter[tuple[str, str]]] = [Counter() for _ in plain.cuts]
    for value in sorted({row[2] for batch in plain.batches for row in batch}):
        best: Counter[tuple[int, tuple[str, str]]] = Counter()
        for world in worlds(plain, value):
            best |= _by_cell(plain, world)
        for (x, leaves), count in best.items():
            found[x][leaves] += count
    out = []
    for x in range(len(plain.cuts)):
        held = [classes(plain.release(i)) for i in range(len(plain.cuts))]
        everybody = [
            leaves
            for leaves in product(*LEAVES)
            if all(_class(plain, i, leaves) in held[i] for i in range(x, len(held)))
        ]
        out.append({leaves: found[x][leaves] for leaves in everybody})
    return out


def _by_cell(plain: Plain, world: Counter[tuple[int, tuple[str, str]]]) -> Counter[tuple[int, tuple[str, str]]]:
    """Return for each time and raw values the persons who came then and match the same classes ever since."""
    out: Counter[tuple[int, tuple[str, str]]] = Counter()
    for x in range(len(plain.cuts)):
        for leaves in product(*LEAVES):
            mine = [_class(plain, i, leaves) for i in range(x, len(plain.cuts))]
            out[x, leaves] = sum(
                count
                for (when, other), count in world.items()
                if when == x and [_class(plain, i, other) for i in range(x, len(plain.cuts))] == mine
            )
    return out


def levels(before: Sequence[Row], after: Sequence[Row]) -> tuple[int | None, int | None, int | None]:
    """Return FA, CA and BA of two releases by the definitions, pair by pair."""
    one, two = classes(before), classes(after)
    pairs = [(p, q) for p in one for q in two if comparable(p, q)]
    shared = {(p, q): sum(min(one[p][s], two[q][s]) for s in {*one[p], *two[q]}) for p, q in pairs}
    fa = [one[p].total() - max(one[p].total() - shared[p, q] for q in two if (p, q) in shared) for p in one]
    ca = [
        two[q].total() - max(two[q].total() - shared[p, q] for p in one if (p, q) in shared)
        for q in two
        if any((p, q) in shared for p in one)
    ]
    ba = []
    for q in two:
        cracked = 0
        for s, size in two[q].items():
            g1 = [p for p in one if comparable(p, q) and one[p][s]]
            g2 = [r for r in two if two[r][s] and any(comparable(p, r) for p in g1)]
            before_s, after_s = sum(one[p][s] for p in g1), sum(two[r][s] for r in g2)
            cracked += 0 if after_s < size else max(0, before_s - (after_s - size))
        ba.append(two[q].total() - cracked)
    return min(fa, default=None), min(ca, default=None), min(ba) if len(after) > len(before) else None


# ---- making the next release -----------------------------------------------------------------------------------------------


CHILDREN = (
    {"A": ("A1", "A2"), "A1": ("a1", "a2"), "A2": ("a3",)},
    {"B": ("b1", "b2")},
)
PREORDER = (("A", "A1", "a1", "a2", "A2", "a3"), ("B", "b1", "b2"))


def withstands(plain: Plain, cuts: tuple[tuple[str, ...], tuple[str, ...]], k: int, actual: bool) -> bool:
    """Tell whether a next release by cuts leaves k records beside every release before."""
    whole = Plain(plain.batches, (*plain.cuts, cuts))
    after = whole.release(len(plain.cuts))
    if min(held.total() for held in classes(after).values()) < k:
        return False
    for number in range(len(plain.cuts)):
        before = plain.release(number)
        levels_found = actual_levels(before, after) if actual else levels(before, after)
        if any(level is not None and level < k for level in levels_found):
            return False
    return True


def actual_levels(before: Sequence[Row], after: Sequence[Row]) -> tuple[int | None, int | None]:
    """Return FA and BA over real persons: those of before come first in both releases."""
    one, two = classes(before), classes(after)
    pairs = {(p[:2], q[:2]) for p, q in zip(before, after, strict=False)}
    fa = min((sum(min(one[p][s], two[q][s]) for s in "xyz") for p, q in pairs), default=None)
    ba = []
    for q in {row[:2] for row in after[len(before) :]}:
        left = 0
        for s, size in two[q].items():
            g1 = [p for p in one if comparable(p, q) and one[p][s]]
            g2 = [r for r in two if two[r][s] and any(comparable(p, r) for p in g1)]
            room = sum(two[r][s] for r in g2) - sum(one[p][s] for p in g1)
            left += min(size, room) if g1 else size
        ba.append(left)
    return fa, min(ba, default=None)


Cuts = tuple[tuple[str, ...], tuple[str, ...]]


def anonymized(plain: Plain, k: int, actual: bool = False) -> Cuts | None:
    """Return the cuts of the next release by the published algorithm, judged anew at every step; ``None`` if there are none."""
    return refined(plain, lambda cuts: withstands(plain, cuts, k, actual))


def delayed(plain: Plain, l: int) -> Cuts | None:
    """Return the cuts of the next release of Byun's algorithm, if the last batch enters."""
    return refined(plain, lambda cuts: diverse(plain, cuts, l))


def diverse(plain: Plain, cuts: Cuts, l: int) -> bool:
    """Tell whether classes, intersections and differences of a next release by cuts have l values."""
    after = Plain(plain.batches, (*plain.cuts, cuts)).release(len(plain.cuts))
    two = classes(after)
    if min(map(len, two.values())) < l:
        return False
    for number in range(len(plain.cuts)):
        one = classes(plain.release(number))
        if any(len(one[p].keys() & two[q].keys()) < l for p in one for q in two if comparable(p, q)):
            return False
        for before, now in regions(one, two):
            more = sum((two[q] for q in now), Counter()) - sum((one[p] for p in before), Counter())
            if 0 < len(more) < l:
                return False
    return True


def regions(
    one: dict[tuple[str, str], Counter[str]], two: dict[tuple[str, str], Counter[str]]
) -> Iterator[tuple[set[tuple[str, str]], set[tuple[str, str]]]]:
    """Yield the classes of two releases that hang together by being comparable."""
    left = set(two)
    while left:
        now, before = {left.pop()}, set[tuple[str, str]]()
        while True:
            near = {p for p in one if any(comparable(p, q) for q in now)}
            more = {q for q in two if any(comparable(p, q) for p in near)} | now
            if near == before and more == now:
                break
            before, now = near, more
        left -= now
        yield before, now


def refined(plain: Plain, judge: Callable[[Cuts], bool]) -> Cuts | None:
    """Refine by discernibility as long as a judge agrees, then try again what was refused."""
    cuts = [{"A"}, {"B"}]
    rows = [row for batch in plain.batches for row in batch]

    def as_cuts() -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(cuts[0]), tuple(cuts[1])

    def score(column: int, node: str) -> int:
        sizes = classes([(*(shown(at, row[at], tuple(cuts[at])) for at in (0, 1)), row[2]) for row in rows])
        return sum(held.total() ** 2 for key, held in sizes.items() if key[column] == node)

    def holds(column: int, node: str) -> bool:
        cuts[column] = (cuts[column] - {node}) | set(CHILDREN[column][node])
        good = judge(as_cuts())
        cuts[column] = (cuts[column] - set(CHILDREN[column][node])) | {node}
        return good

    if not judge(as_cuts()):
        return None
    dropped: set[tuple[int, str]] = set()
    while True:
        taken = 0
        while True:
            open_nodes = [
                (column, node)
                for column in (0, 1)
                for node in cuts[column]
                if node in CHILDREN[column] and (column, node) not in dropped and score(column, node)
            ]
            if not open_nodes:
                break
            column, node = min(open_nodes, key=lambda one: (-score(*one), one[0], PREORDER[one[0]].index(one[1])))
            if holds(column, node):
                cuts[column] = (cuts[column] - {node}) | set(CHILDREN[column][node])
                taken += 1
            else:
                dropped.add((column, node))
        if not taken or not dropped:
            return as_cuts()
        dropped.clear()
