"""Cells of the record space: where records can lie that are in one record set of each view."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product

from sfumato.data.frozen import frozen
from sfumato.data.region import ANYTHING, Region
from sfumato.errors import BadRequest, Unsupported

__all__ = ["Box", "Cell", "RecordSets", "boxes_of", "joined"]

Box = Mapping[str, Region]
"""What is left to each column that something is known of."""
Row = tuple[Hashable, ...]

MOST_BOXES = 200_000
"""Boxes that are kept at a time; more are too many to be looked at one by one."""


@frozen
class Cell:
    """The intersection of one record set of each view: ``sets`` holds the fact of each, ``None`` for what a view leaves out.

    ``boxes`` share no record; a cell without any is empty. Records of any possible world lie in cells that are not.
    """

    sets: tuple[Row | None, ...]
    boxes: tuple[Box, ...]

    @property
    def empty(self) -> bool:
        """Whether no record can lie here."""
        return not self.boxes

    def words(self) -> dict[str, Hashable] | None:
        """Return each column with its only value, or with its condition in words; ``None`` for an empty cell."""
        if len(self.boxes) > 1:
            raise Unsupported("a cell of several boxes is not told as one", thing="view-set")
        return {name: region.words(name) for name, region in self.boxes[0].items()} if self.boxes else None


@frozen(eq=False)
class RecordSets:
    """How one view cuts the record space: a box for each fact, and what its condition leaves out, in boxes."""

    view: str
    columns: tuple[str, ...]
    facts: Sequence[Row]
    condition: Box
    wholes: Mapping[str, Region]

    def whole(self, column: str) -> Region:
        """Return all that a column may hold."""
        return self.wholes.get(column, ANYTHING)

    def fact(self, at: int) -> Box | None:
        """Return where the records of a fact lie."""
        shown = {name: Region.of([value]) for name, value in zip(self.columns, self.facts[at], strict=True)}
        return meet(self.condition, shown, self.wholes)

    def outside(self) -> list[Box]:
        """Return what the condition leaves out, in boxes that share no record."""
        found: list[Box] = []
        before: dict[str, Region] = {}
        for column, region in self.condition.items():
            found += [{**before, column: piece} for piece in region.complement(self.whole(column))]
            before[column] = region.meet(self.whole(column))
        return found


def meet(one: Box, two: Box, wholes: Mapping[str, Region]) -> Box | None:
    """Return the intersection of two boxes; ``None`` if it is empty."""
    found = dict(one)
    for column, region in two.items():
        other = one.get(column) or wholes.get(column)
        both = region if other is None else other.meet(region)
        if both.empty:
            return None
        found[column] = both
    return found


def boxes_of(views: Sequence[RecordSets]) -> list[tuple[tuple[int, ...], Box]]:
    """Return every box that is not empty, with the number of the fact of each view, -1 for what it leaves out.

    Built view by view; facts that share fixed columns with a box are found by their values, so that only those meet which can.
    At most ``max |r_i| ^ N`` for N views (Yao et al. 2005); a fact without a box is refused: no table has these views.
    """
    found: list[tuple[tuple[int, ...], Box]] = [((), {})]
    for view in views:
        found = list(_extended(found, view))
    for number, view in enumerate(views):
        if len({sets[number] for sets, _ in found} - {-1}) < len(view.facts):
            raise BadRequest("are not views of one table: a row of one fits no row of another", parameter="views")
    return found


def _extended(boxes: Sequence[tuple[tuple[int, ...], Box]], view: RecordSets) -> Iterator[tuple[tuple[int, ...], Box]]:
    facts = [view.fact(at) for at in range(len(view.facts))]
    outside = view.outside()
    indexes: dict[tuple[str, ...], dict[Row, list[int]]] = {}
    made = 0
    for sets, box in boxes:
        shared = tuple(name for name in view.columns if name in box and _single(box[name]))
        if shared not in indexes:
            places = [view.columns.index(name) for name in shared]
            index: dict[Row, list[int]] = {}
            for at, fact in enumerate(view.facts):
                index.setdefault(tuple(fact[place] for place in places), []).append(at)
            indexes[shared] = index
        key = tuple(next(iter(box[name].only or ())) for name in shared)
        near = [(at, facts[at]) for at in indexes[shared].get(key, ())]
        for at, other in [*near, *((-1, other) for other in outside)]:
            both = None if other is None else meet(box, other, view.wholes)
            if both is not None:
                made += 1
                if made > MOST_BOXES:
                    raise Unsupported(
                        f"the views cut the records into more than {MOST_BOXES:,} cells: the answer is unknown",
                        thing="sp-view-kanon-check",
                        alternatives=["views without conditions, which are joined", "views that share fewer values"],
                    )
                yield (*sets, at), both


def _single(region: Region) -> bool:
    return region.only is not None and len(region.only) == 1


def joined(views: Sequence[RecordSets], boxes: Sequence[tuple[tuple[int, ...], Box]], *, empty: bool) -> list[Cell]:
    """Return boxes as cells, in the order of the facts; with empty ones if asked for."""
    held: dict[tuple[int, ...], list[Box]] = {}
    for sets, box in boxes:
        held.setdefault(sets, []).append(box)
    every: Iterator[tuple[int, ...]] = product(
        *([*range(len(view.facts)), *([-1] if view.condition else [])] for view in views)
    )
    keys = list(every) if empty else sorted(held, key=lambda sets: [(at < 0, at) for at in sets])
    return [
        Cell(
            tuple(view.facts[at] if at >= 0 else None for view, at in zip(views, sets, strict=True)),
            tuple(held.get(sets, ())),
        )
        for sets in keys
    ]
