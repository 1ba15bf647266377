"""Many nodes counted at once, where the requirements read the counts of one column: few calls, memory that is used again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sfumato.algorithms.lattice._cost import AttributeCost, Tally
from sfumato.contracts.metric import Counted
from sfumato.kernels.rollup import charge_nodes, merge_to_nodes
from sfumato.searches.lattice import GroupTable, Merged, Node

if TYPE_CHECKING:
    from sfumato.algorithms.lattice._search import LatticeSearch

__all__ = ["JointCount"]

_TOGETHER = 4  # nodes that are made from the same groups by the same core
_ROOM = 1 << 15  # groups that are judged at once: what fits into the caches of a core
_SLOTS = 1 << 16  # places of groups that are looked up without a hash
_MUCH = 20_000  # groups that are worth a second core

Part = tuple[GroupTable, list[Node]]


class JointCount:
    """Counts the nodes above several group tables, on as many cores as a search has."""

    def __init__(self, search: LatticeSearch, column: str) -> None:
        self.search = search
        self.column = column
        self.width = len(search.task.table.dictionaries[column].values)
        self.buffers = [_Buffers(self.width) for _ in range(search.threads)]

    def tallies(self, ways: Sequence[tuple[GroupTable, Node]], weight: int) -> dict[Node, Tally]:
        """Count each node from the groups below it; a group read weighs so much against what a second core costs."""
        of: dict[Node, Part] = {}
        for base, node in ways:
            of.setdefault(base.node, (base, []))[1].append(node)
        parts: list[Part] = []
        for base, nodes in of.values():
            most = max(1, min(_TOGETHER, _ROOM // len(base)))
            parts += [(base, nodes[at : at + most]) for at in range(0, len(nodes), most)]
        if len(self.buffers) < 2 or sum(map(_read, parts)) * weight < _MUCH:
            done = [self._counted(parts, self.buffers[0])]
        else:
            done = list(self.search.pool.map(self._counted, self._shared_out(parts), self.buffers))
        return {tally.node: tally for some in done for tally in some}

    def _shared_out(self, parts: Sequence[Part]) -> list[list[Part]]:
        """Return what each core counts: the longest first, each to the one that has least to do."""
        out: list[list[Part]] = [[] for _ in self.buffers]
        load = [0] * len(out)
        for part in sorted(parts, key=_read, reverse=True):
            least = load.index(min(load))
            out[least].append(part)
            load[least] += _read(part)
        return out

    def _counted(self, parts: Sequence[Part], buffers: _Buffers) -> list[Tally]:
        """Count the nodes of some parts, as many at once as there is room for."""
        out: list[Tally] = []
        begin = room = 0
        for at, part in enumerate(parts):
            if room and room + _read(part) > _ROOM:
                out += self._tallies_of(parts[begin:at], room, buffers)
                begin, room = at, 0
            room += _read(part)
        return [*out, *self._tallies_of(parts[begin:], room, buffers)] if parts else out

    def _tallies_of(self, parts: Sequence[Part], room: int, buffers: _Buffers) -> list[Tally]:
        search = self.search
        lattice, charge, judge = search.lattice, search.cost, search.judge
        assert isinstance(charge, AttributeCost)
        nodes = [node for _, above in parts for node in above]
        levels = np.array(nodes, np.int64)
        starts, firsts = np.zeros((2, len(nodes) + 1), np.int64)
        shifts, masks = np.empty((2, *levels.shape), np.int64)
        buffers.make_room(room, max(len(base) for base, _ in parts))
        at = 0
        for base, above in parts:
            merge_to_nodes(
                base.keys[0],
                base.sizes,
                base.histograms[self.column],
                np.array(base.node, np.int64),
                levels[at : at + len(above)],
                lattice.shift,
                lattice.mask,
                lattice.offset,
                lattice.maps,
                lattice.widths,
                judge.least,
                buffers.slots,
                buffers.scratch,
                starts[at:],
                firsts[at:],
                shifts[at:],
                masks[at:],
                buffers.keys,
                buffers.sizes,
                buffers.large,
                buffers.counts,
            )
            at += len(above)
        groups = int(starts[-1])
        keys, sizes, large = buffers.keys[:groups], buffers.sizes[:groups], buffers.large[: firsts[-1]]
        base = parts[0][0]
        counts = buffers.counts[: len(large)]
        measured = Merged(base.node, base, _NO_CODES, keys[:0], sizes[large], {self.column: counts})
        judged = judge.judge(search.rollup, [measured])[0]
        # What is too small fails, here and below.
        violating, lasting, loose = np.ones(groups, bool), sizes.copy(), np.zeros(groups, np.int64)
        violating[large] = judged.violating
        if judged.loose is not None:
            loose[large] = judged.loose
        lasting[large] = np.where(judged.firm, measured.sizes, loose[large])
        costs, bits, lasting_bits = np.empty((3, *levels.shape))
        lines = np.empty((len(nodes), *lattice.widths.shape))
        whole, squares = charge_nodes(
            starts,
            keys,
            sizes,
            violating,
            lasting,
            lattice.word,
            shifts,
            masks,
            levels,
            lattice.widths,
            charge.extra,
            charge.totals,
            charge.shift,
            charge.cheapest,
            charge.cheapest_at,
            costs,
            bits,
            lines,
            lasting_bits,
            charge.entropy != 0,
        )
        if charge.entropy:
            lines += charge.entropy * lasting_bits[:, :, None]
        loosely = np.add.reduceat(loose, starts[:-1]).tolist()
        records, budget, borders = search.task.table.records, search.budget, starts.tolist()
        out = []
        for at, (node, (left_out, lasts, kept)) in enumerate(zip(nodes, whole.tolist(), strict=True)):
            begin, end = borders[at], borders[at + 1]
            search.look_at(node, sizes[begin:end], violating[begin:end])
            firm, some = lasts - loosely[at], float(loosely[at])
            kept_squares, all_squares = squares[at].tolist()
            price = Counted(records, budget, end - begin, left_out, kept, kept_squares, all_squares, firm, some)
            out.append(Tally(node, left_out, lasts, end - begin, kept, price, costs[at], bits[at], lines[at]))
        return out


class _Buffers:
    """Where one core writes to; memory that is fresh each time would cost as much as the counting."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.slots = np.full(_SLOTS, -1, np.int32)
        self.scratch = np.empty((3, 0), np.int64)
        self.keys, self.sizes, self.large = np.empty((3, 0), np.int64)
        self.counts = np.empty((0, width), np.int32)

    def make_room(self, groups: int, members: int) -> None:
        """Make room for so many groups that are made, and for those that one node is made from."""
        if len(self.keys) < groups:
            self.keys, self.sizes, self.large = np.empty((3, groups), np.int64)
            self.counts = np.empty((groups, self.width), np.int32)
        if self.scratch.shape[1] < members:
            self.scratch = np.empty((3, members), np.int64)
        if len(self.slots) < 2 * members:
            self.slots = np.full(1 << (2 * members - 1).bit_length(), -1, np.int32)


def _read(part: Part) -> int:
    return len(part[0]) * len(part[1])


_NO_CODES = np.empty(0, np.int32)
