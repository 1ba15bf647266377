"""Blocks around protected records: each grows by generalization until its sensitive values look like those of the table.

A *quasi-identifier block* (QIDB) belongs to one protected record, its seed, and holds all unclaimed records that share the
seed's generalized values at a node of the lattice. Rounds of nodes are tried in turn; a block whose frequencies hold is
accepted and claims its records. What is left after the last round is withheld (SUPP) or completed with added rows (DIS).

Only cells that hold a pending seed are counted, each claimed record leaves the counts once, and so a run costs about one pass
over the distinct records for each node it looks at.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, product
from math import prod

import numpy as np
import numpy.typing as npt

from sfumato.algorithms.owners._frequency_block import (
    FrequencyBlock,
    check_frequency,
    complete,
    deviations,
    frequency_distribution_block,
    may_complete,
    may_suppress,
    minimal_completions,
)
from sfumato.algorithms.owners._owner_block_kernels import (
    accept_blocks,
    choose_completion,
    choose_suppression,
    claim_cell,
    count_cells,
    remove_record,
    seed_cells,
)
from sfumato.algorithms.owners._owner_flags import Flags, owner_flags
from sfumato.contracts.owners import OwnerBlock
from sfumato.contracts.progress import Progress, Silent
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Array, Codes, Ints
from sfumato.kernels.rollup import merge_groups, merge_wide_groups
from sfumato.searches.lattice import Lattice, Node

__all__ = [
    "Block",
    "Flags",
    "FrequencyBlock",
    "QidbResult",
    "QidbSearch",
    "Settings",
    "alternating_chain",
    "chain_rounds",
    "check_frequency",
    "complete",
    "deviations",
    "frequency_distribution_block",
    "height_rounds",
    "may_complete",
    "may_suppress",
    "minimal_completions",
    "owner_flags",
]

_MOST_NODES = 2_000_000
_ROOM = 1 << 28  # bytes for the cells of a round; more seeds than fit are looked at in turns
_LISTED = 1 << 24  # entries of the lists of members that are kept at a time


# ---- schedules -----------------------------------------------------------------------------------------------------------


def height_rounds(top: Node, rounds: int | None = None) -> list[list[Node]]:
    """Return the schedule ``height``: round i holds all nodes whose levels add up to i, in lexicographic order.

    >>> height_rounds((1, 2), 3)
    [[(0, 0)], [(0, 1), (1, 0)], [(0, 2), (1, 1)]]
    """
    count = min(sum(top) + 1, sum(top) + 1 if rounds is None else rounds)
    if prod(level + 1 for level in top) > _MOST_NODES:
        raise Unsupported(
            f"the lattice has more than {_MOST_NODES:,} nodes, too many to look at all of a height",
            thing="qidb-anonymization",
            alternatives=["schedule: chain"],
        )
    out: list[list[Node]] = [[] for _ in range(count)]
    for node in product(*(range(level + 1) for level in top)):
        height = sum(node)
        if height < count:
            out[height].append(node)
    return out


def alternating_chain(top: Node) -> list[Node]:
    """Return the chain that raises attributes in turn, one level at a time, skipping those that are at their top.

    >>> alternating_chain((1, 2))
    [(0, 0), (1, 0), (1, 1), (1, 2)]
    """
    node = [0] * len(top)
    out = [tuple(node)]
    while tuple(node) != tuple(top):
        for i, highest in enumerate(top):
            if node[i] < highest:
                node[i] += 1
                out.append(tuple(node))
    return out


def chain_rounds(chain: Sequence[Sequence[int]], top: Node, rounds: int | None = None) -> list[list[Node]]:
    """Return the schedule of a chain: one node for each round; refuse nodes outside the lattice and steps downwards.

    >>> chain_rounds([(0, 0), (1, 1)], (1, 2))
    [[(0, 0)], [(1, 1)]]
    """
    nodes = [tuple(int(level) for level in node) for node in chain]
    if not nodes:
        raise BadRequest("must have a node", parameter="chain")
    for node in nodes:
        if len(node) != len(top) or any(not 0 <= level <= most for level, most in zip(node, top, strict=True)):
            raise BadRequest(
                f"must give a level from 0 to {list(top)} for each quasi-identifier", parameter="chain", value=node
            )
    for before, node in pairwise(nodes):
        if any(low > high for low, high in zip(before, node, strict=True)):
            raise BadRequest("must never go down a level", parameter="chain", value=[before, node])
    return [[node] for node in nodes[:rounds]]


# ---- what goes in and what comes out -------------------------------------------------------------------------------------


@frozen
class Settings:
    """Thresholds and choices of a run; see :class:`~sfumato.algorithms.owners.qidb_anonymization.QidbAnonymization`."""

    th_acct: Fraction
    th_disc: Fraction
    th_n: int = 1
    th_suppr: int = 0
    scope: str = "all"
    min_block_size: int = 1
    suppress_scope: str = "block"
    dis_source: str = "counterfeit"
    on_unresolved: str = "refuse"


@frozen(eq=False)
class Block:
    """A block that was accepted or withheld: its seed, where it lies, its records, and what was added to it.

    ``members`` are records in order, ``donors`` those of them that come from elsewhere and get values that are not theirs.
    ``added`` lists the sensitive values of added rows in the order of the frequency block. ``resolved_by`` is ``cf`` (the
    frequencies hold), ``dis`` (rows were added) or ``supp`` (the block is withheld).
    """

    seed: int
    node: Node
    value: tuple[str, ...]
    members: Ints
    iteration: int
    resolved_by: str
    added: tuple[Hashable, ...] = ()
    donors: tuple[int, ...] = ()

    def told(self) -> OwnerBlock:
        """Return the block as the facts of a run tell it."""
        return OwnerBlock(
            seed=self.seed,
            node=list(self.node),
            value=list(self.value),
            members=self.members.tolist(),
            added=list(self.added),
            donors=list(self.donors),
            iteration=self.iteration,
            resolved_by=self.resolved_by,
        )


@frozen(eq=False)
class QidbResult:
    """What a run found: ``status`` is ``published``, ``not-published`` or ``too-few-records``; all positions are records.

    ``blocks`` are published, in the order in which they were accepted; ``withheld`` are the blocks that SUPP took.
    ``suppressed`` are all records that are left out, ``pending`` the protected records that nothing could be done for: if
    there are any and they are not left out, nothing may be published.
    """

    status: str
    blocks: tuple[Block, ...] = ()
    withheld: tuple[Block, ...] = ()
    suppressed: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    pending: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    rounds: int = 0


@dataclass(eq=False)
class _Round:
    """The cells of some seeds at the nodes of a round, counted, as kernels read them."""

    nodes: list[Node]
    cell: Codes
    space: tuple[Array | bool, ...]
    tally: tuple[Ints, Ints, npt.NDArray[np.int8]]
    chain: tuple[Codes, Codes, Codes, Codes, Ints]


@dataclass(eq=False)
class _Made:
    """A block that was accepted: what is added to it, and the records that take the place of added rows."""

    seed: int
    node: Node
    iteration: int
    resolved_by: str
    gained: Ints
    donors: list[int] = field(default_factory=list)


class QidbSearch:
    """One run over a table whose records are known by their codes.

    ``codes`` are those of the quasi-identifiers in the dictionaries of the lattice, record by record; ``values`` the codes of
    the sensitive column in the order of ``whole``; ``flags.marked`` is in that order too.
    """

    def __init__(
        self,
        lattice: Lattice,
        codes: Codes,
        values: Ints,
        whole: FrequencyBlock,
        flags: Flags,
        rounds: Sequence[Sequence[Node]],
        settings: Settings,
    ) -> None:
        self.lattice, self.whole, self.flags, self.settings = lattice, whole, flags, settings
        self.rounds = [list(nodes) for nodes in rounds]
        self.values = np.ascontiguousarray(values, np.int64)
        lowest = [level[0][codes[:, i]] for i, level in enumerate(lattice.code)]
        self.group_of, first = self._groups(lowest)
        self.codes = np.stack([column[first] for column in lowest]).astype(np.int32)
        self.seeds = np.flatnonzero(flags.protected)
        self._parts = self._key_parts()

    def _key_parts(self) -> Ints:
        """Return what each code of ``lattice.maps`` adds to the key of a group: its own bits, or mixed ones if too many."""
        lattice = self.lattice
        out = np.empty(len(lattice.maps), np.int64)
        for i, levels in enumerate(lattice.values):
            own = np.arange(len(levels[0]), dtype=np.int64)
            if lattice.words == 1:
                own <<= lattice.shift[i]
            else:
                mixed = (own.view(np.uint64) + np.uint64((i + 1) << 40)) * np.uint64(0x9E3779B97F4A7C15)
                mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
                own = (mixed ^ (mixed >> np.uint64(29))).view(np.int64)
            for level in range(lattice.shape[i]):
                start = lattice.offset[i, 0, level]
                chosen = slice(start, start + len(levels[0]))
                out[chosen] = own[lattice.maps[chosen]]
        return out

    def _groups(self, lowest: Sequence[Codes]) -> tuple[Ints, Ints]:
        """Return the group of each record, numbered by first record, and the first record of each group."""
        lattice, records = self.lattice, len(self.values)
        keys = np.zeros((lattice.words, records), np.int64)
        for i, column in enumerate(lowest):
            keys[lattice.word[i]] |= column.astype(np.int64) << lattice.shift[i]
        ones, none, maps = np.ones(records, np.int64), np.empty(0, np.int64), lattice.maps
        if lattice.words == 1:
            target, _, sizes = merge_groups(keys[0], ones, none, none, none, maps)
        else:
            target, _, sizes = merge_wide_groups(keys, ones, none, none, none, none, maps)
        first = np.empty(len(sizes), np.int64)
        first[target[::-1]] = np.arange(records - 1, -1, -1)
        return target.astype(np.int64), first

    # ---- looking -----------------------------------------------------------------------------------------------------

    def block_at(self, seed: int, node: Node) -> Ints:
        """Return the records that share a record's values at a node, whoever has claimed them."""
        same = np.ones(self.codes.shape[1], bool)
        for i, level in enumerate(node):
            shown = self._shown(i, level)[self.codes[i]]
            same &= shown == shown[self.group_of[seed]]
        return np.flatnonzero(same[self.group_of])

    def initial_blocks(self) -> list[tuple[int, Ints]]:
        """Return each seed with its block before any generalization: the record and its exact duplicates."""
        return [(int(seed), self.block_at(int(seed), self.lattice.bottom)) for seed in self.seeds]

    def _shown(self, i: int, level: int) -> Codes:
        lattice = self.lattice
        start = lattice.offset[i, 0, level]
        return lattice.maps[start : start + len(lattice.values[i][0])]

    def labels(self, record: int, node: Node) -> tuple[str, ...]:
        """Return the published values of a record at a node."""
        trees, group, out = self.lattice.trees, self.group_of[record], []
        for i, level in enumerate(node):
            code = self._shown(i, level)[self.codes[i, group]]
            out.append(trees[i].labels[self.lattice.values[i][level][code]])
        return tuple(out)

    # ---- running -----------------------------------------------------------------------------------------------------

    def run(self, progress: Progress | None = None) -> QidbResult:
        """Grow, accept, withhold and complete blocks until no protected record is left, or nothing more can be done."""
        progress = progress or Silent()
        if len(self.values) < self.settings.th_n:
            return QidbResult("too-few-records")
        self._start()
        pending = self.seeds
        rounds = 0
        for i, nodes in enumerate(self.rounds):
            pending = self._unclaimed(pending)
            if len(pending) == 0:
                break
            progress.tick(i, f"round {i + 1} of {len(self.rounds)}, {len(pending):,} blocks open")
            self._grow(i, nodes, pending)
            rounds = i + 1
        pending = self._unclaimed(pending)
        if len(pending):
            self._settle(rounds - 1, self.rounds[rounds - 1], pending)
        return self._result(rounds)

    def _unclaimed(self, records: Ints) -> Ints:
        return records[self._alive[self.group_of[records]] > 0]

    def _start(self) -> None:
        groups, values = self.codes.shape[1], len(self.whole.values)
        pairs, count = np.unique(self.group_of * values + self.values, return_counts=True)
        start = np.searchsorted(pairs, np.arange(groups + 1, dtype=np.int64) * values).astype(np.int64)
        self._alive = np.ones(groups, np.uint8)
        self._block_of = np.full(groups, -1, np.int32)
        entry = (pairs % values).astype(np.int32)
        self._table = (self.codes, start, entry, count.astype(np.int64), self._alive, self._block_of)
        least = self.settings.min_block_size
        self._rule = self.whole.rule(self.settings.th_acct, scope=self.settings.scope, least=least)
        self._made: list[_Made] = []
        self._taken: dict[int, int] = {}

    def _turns(self, nodes: Sequence[Node], pending: Ints) -> Iterator[Ints]:
        """Yield the pending records in turns that are small enough for the memory that their cells take."""
        cell = len(nodes) * (8 * len(self.whole.values) + 4 * len(self.lattice.shape) + 32)
        step = max(_ROOM // cell, 1)
        for start in range(0, len(pending), step):
            chosen = self._unclaimed(pending[start : start + step])
            if len(chosen):
                yield chosen

    def _counted(self, nodes: list[Node], groups: Ints) -> _Round:
        """Count the cells that hold these groups at each node, over all unclaimed records."""
        lattice = self.lattice
        offsets = lattice.offset[np.arange(len(lattice.shape)), 0, np.array(nodes, np.int64)]
        exact, bits = lattice.words == 1, int(4 * len(groups)).bit_length() + 1
        cell, slots, keys, first, seed = seed_cells(self.codes, groups, offsets, self._parts, lattice.maps, exact, bits)
        space = (offsets, self._parts, lattice.maps, slots, keys, first, seed, exact)
        cells = len(keys)
        counts = np.zeros((cells, len(self.whole.values)), np.int64)
        tally = (counts, np.zeros(cells, np.int64), np.zeros(cells, np.int8))
        count_cells(self._table, space, tally)
        listed = min(max(_LISTED // max(self.codes.shape[1], 1), 1), len(nodes))
        chain = (
            np.full(cells, -1, np.int32),
            np.empty((listed, self.codes.shape[1]), np.int32),
            np.full(len(nodes), -1, np.int32),
            np.full(listed, -1, np.int32),
            np.zeros(1, np.int64),
        )
        return _Round(nodes, cell, space, tally, chain)

    def _grow(self, iteration: int, nodes: list[Node], pending: Ints) -> None:
        """Accept, seed by seed, the smallest block of a round whose frequencies hold."""
        for seeds in self._turns(nodes, pending):
            groups = self.group_of[seeds]
            at = self._counted(nodes, groups)
            accepted = accept_blocks(
                groups,
                at.cell,
                self._table,
                at.space,
                at.tally,
                at.chain,
                self._rule,
                len(self._made),
            )
            for place, node in accepted.tolist():
                self._note(int(seeds[place]), nodes[node], iteration, "cf")

    def _settle(self, iteration: int, nodes: list[Node], pending: Ints) -> None:
        """Withhold, or else complete, what no round could accept."""
        # As many copies of the table as the least size needs can always be reached.
        most = len(self.values) * -(-self.settings.min_block_size // len(self.values))
        bounds = self.whole.bounds(self.settings.th_acct, most)
        allowed = self.whole.rule(self.settings.th_disc, scope="present")
        marked = self.flags.marked
        for seeds in self._turns(nodes, pending):
            at = self._counted(nodes, self.group_of[seeds])
            counts, sizes, _ = at.tally
            for place, seed in enumerate(seeds.tolist()):
                if not self._alive[self.group_of[seed]]:
                    continue
                cells = np.ascontiguousarray(at.cell[:, place])
                node = -1
                if self.settings.th_suppr > 0:
                    node = choose_suppression(cells, counts, sizes, marked, self.settings.th_suppr)
                if node >= 0:
                    self._claim(at, node, cells[node])
                    self._note(seed, nodes[node], iteration, "supp")
                    continue
                least = self.settings.min_block_size
                node, final = choose_completion(cells, counts, sizes, marked, allowed, least, most, bounds)
                if node >= 0:
                    gained = final - counts[cells[node]]
                    self._claim(at, node, cells[node])
                    self._note(seed, nodes[node], iteration, "dis", gained)
                    if self.settings.dis_source == "donor":
                        self._donate(at, self.group_of[seed], nodes[node])

    def _claim(self, at: _Round, node: int, cell: int) -> None:
        claim_cell(node, cell, len(self._made), self._table, at.space, at.tally, at.chain)

    def _note(self, seed: int, node: Node, iteration: int, resolved_by: str, gained: Ints | None = None) -> None:
        added = np.zeros(len(self.whole.values), np.int64) if gained is None else gained.astype(np.int64)
        self._made.append(_Made(seed, node, iteration, resolved_by, added))

    def _donate(self, at: _Round, group: int, node: Node) -> None:
        """Let records of owners who do not mind take the place of added rows: nearest first, then in record order."""
        made = self._made[-1]
        free = (self._alive[self.group_of] > 0) & (self.flags.sdf == 1)
        free[list(self._taken)] = False
        for d in np.flatnonzero(made.gained).tolist():
            records = np.flatnonzero(free & (self.values == d))
            height = np.zeros(len(records), np.int64)
            for i, low in enumerate(node):
                met = np.full(len(records), -1, np.int64)
                for level in range(self.lattice.top[i], low - 1, -1):
                    shown = self._shown(i, level)[self.codes[i]]
                    met[shown[self.group_of[records]] == shown[group]] = level
                height += met
            for record in records[np.argsort(height, kind="stable")][: made.gained[d]].tolist():
                self._taken[record] = len(self._made) - 1
                free[record] = False
                made.donors.append(record)
                made.gained[d] -= 1
                remove_record(self.group_of[record], d, self._table, at.space, at.tally)

    # ---- telling -----------------------------------------------------------------------------------------------------

    def _result(self, rounds: int) -> QidbResult:
        block_of = self._block_of[self.group_of]
        for record, number in self._taken.items():
            block_of[record] = number
        order = np.argsort(block_of, kind="stable")
        edges = np.searchsorted(block_of[order], np.arange(len(self._made) + 1))
        blocks: list[Block] = []
        withheld: list[Block] = []
        suppressed: list[Ints] = [np.empty(0, np.int64)]
        for number, made in enumerate(self._made):
            members = order[edges[number] : edges[number + 1]].astype(np.int64)
            gained = made.gained.tolist()
            block = Block(
                made.seed,
                made.node,
                self.labels(made.seed, made.node),
                members,
                made.iteration,
                made.resolved_by,
                tuple(value for value, times in zip(self.whole.values, gained, strict=True) for _ in range(times)),
                tuple(made.donors),
            )
            if made.resolved_by != "supp":
                blocks.append(block)
                continue
            withheld.append(block)
            whole = self.settings.suppress_scope == "block"
            suppressed.append(members if whole else members[self.flags.protected[members]])
        pending = self.seeds[self._alive[self.group_of[self.seeds]] > 0]
        published = len(pending) == 0 or self.settings.on_unresolved == "suppress"
        if self.settings.on_unresolved == "suppress":
            suppressed.append(pending)
        return QidbResult(
            "published" if published else "not-published",
            tuple(blocks),
            tuple(withheld),
            np.sort(np.concatenate(suppressed)),
            pending,
            rounds,
        )
