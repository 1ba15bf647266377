"""Two-party anonymization by Jiang and Clifton: each masks its own columns alone, and both look whether the join is safe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible
from sfumato.parties.blocks.ciphers import Curve
from sfumato.parties.blocks.points import joined, parted
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.conversation.protocol import Protocol

__all__ = ["DkaAttempt", "DkaTable", "DkaTwoParty", "PairedGroups", "paired_attempts"]


@frozen(eq=False)
class DkaTable:
    """What a holder brings: the persons, and for each of its columns their values and the tree these climb."""

    persons: Sequence[str]
    columns: Mapping[str, Sequence[object]]
    trees: Mapping[str, Tree]

    def refuse(self) -> None:
        """Refuse persons that are there twice, columns of another length, and columns without a tree."""
        if len(set(self.persons)) != len(self.persons):
            raise BadRequest("are there twice", parameter="persons")
        if not self.columns:
            raise BadRequest("needs a column to mask", parameter="columns")
        for name, values in self.columns.items():
            if len(values) != len(self.persons):
                raise BadRequest("must have one value for each person", column=name)
            if name not in self.trees:
                raise BadRequest("needs a hierarchy", column=name, available=self.trees)

    def masked(self, depths: Mapping[str, int]) -> list[tuple[str, ...]]:
        """Return what each person shows when every column is cut at a depth: 0 is the root, leaves above it stay."""
        shown = [_at_depth(self.trees[name], values, depths[name], name) for name, values in self.columns.items()]
        return list(zip(*shown, strict=True))


def _at_depth(tree: Tree, values: Sequence[object], depth: int, column: str) -> list[str]:
    nodes = tree.leaf_nodes[tree.encode(values, column=column)]
    called: dict[int, str] = {}
    for node in set(nodes.tolist()):
        path = [node]
        while tree.parent[path[-1]] >= 0:
            path.append(int(tree.parent[path[-1]]))
        called[node] = tree.labels[path[max(len(path) - 1 - depth, 0)]]
    return [called[node] for node in nodes.tolist()]


def _height(tree: Tree) -> int:
    depth = {0: 0}
    for node in range(1, len(tree.labels)):
        depth[node] = depth[int(tree.parent[node])] + 1
    return max(depth.values())


@frozen
class DkaAttempt:
    """One attempt as one holder knows it: how deep its columns were cut, its groups as they were sent, what it saw.

    ``sizes`` are known to the first holder alone: how many persons each pair of groups has in common, by their places.
    """

    depths: Mapping[str, int]
    labels: tuple[tuple[str, ...], ...]
    sizes: Mapping[tuple[int, int], int] | None = None


@frozen
class PairedGroups:
    """What a holder has in the end: its attempts, and the joint table as groups with their sizes."""

    attempts: tuple[DkaAttempt, ...]
    groups: tuple[tuple[tuple[str, ...], int], ...]


@frozen(kw_only=True)
class Grouped(Body):
    """Persons by group, encrypted; ``sizes`` says how many each group has, groups and persons are in no order."""

    type: ClassVar[str] = "dka.groups"
    sizes: tuple[int, ...]
    points: bytes

    def reveals(self) -> str:
        """How large the sender's groups are."""
        return say("blocks.groups")


@frozen(kw_only=True)
class Back(Body):
    """The receiver's persons under both keys, by its own groups, in no order inside them."""

    type: ClassVar[str] = "dka.back"
    points: bytes

    def reveals(self) -> str:
        """How many persons each pair of groups has in common."""
        return say("blocks.pairs")


@frozen(kw_only=True)
class Safe(Body):
    """Whether every pair of groups has none or enough persons in common."""

    type: ClassVar[str] = "dka.safe"
    safe: bool

    def reveals(self) -> str:
        """One bit."""
        return say("blocks.safe")


@frozen(kw_only=True)
class Height(Body):
    """Whether the sender can mask more."""

    type: ClassVar[str] = "dka.more"
    more: bool

    def reveals(self) -> str:
        """One bit."""
        return say("blocks.more")


@frozen(kw_only=True)
class Called(Body):
    """What the sender's groups are called, in the order in which they were sent."""

    type: ClassVar[str] = "dka.called"
    labels: tuple[tuple[str, ...], ...]

    def reveals(self) -> str:
        """What is published."""
        return say("blocks.union")


@frozen(kw_only=True)
class Joined(Body):
    """The joint table: the groups of both sides, and how many persons each pair has."""

    type: ClassVar[str] = "dka.joined"
    labels: tuple[tuple[str, ...], ...]
    sizes: tuple[int, ...]

    def reveals(self) -> str:
        """What is published."""
        return say("blocks.union")


class DkaTwoParty(Protocol[DkaTable, PairedGroups]):
    """Mask two holders' columns each alone, until the join of their groups is k-anonymous.

    Each holder begins with the deepest cut of its trees at which its own groups have k persons (of several columns the one
    with most values is cut higher). For every pair of groups ``|g_A & g_B|`` is counted on persons under both keys. If no
    pair has 1 to k - 1 persons in common, the join is published; else both mask one level more and count again. Pairs without
    a common person are no row of the join and do no harm.

    The first holder learns how many persons each pair of groups has in common, in every attempt; both learn the sizes of
    groups. For two holders only, who follow the protocol; because groups do not fit each other, it masks more than
    ``ppmashup-semi-honest``.

    Examples
    --------
    >>> from sfumato.data.tree import Tree
    >>> from sfumato.parties.protocols import DkaTable, DkaTwoParty
    >>> tree = Tree.from_nested({"value": "*", "children": [{"value": "x"}, {"value": "y"}]})
    >>> bank = DkaTable("pqrs", {"job": ["x", "x", "y", "y"]}, {"job": tree})
    >>> shop = DkaTable("pqrs", {"buys": ["y", "y", "x", "x"]}, {"buys": tree})
    >>> DkaTwoParty(k=2).simulate({"bank": bank, "shop": shop}).results["shop"].groups
    ((('x', 'y'), 2), (('y', 'x'), 2))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.3.1.
    Jiang, Clifton, "A secure distributed framework for achieving k-anonymity", 2006, doi:10.1007/s00778-006-0008-z.
    """

    id: ClassVar[str] = "dka-two-party"
    bodies: ClassVar[Sequence[type[Body]]] = (Grouped, Back, Safe, Height, Called, Joined)
    most_parties: ClassVar[int | None] = 2

    k: int = param(ge=1, doc="smallest number of persons in a group of the joint table")

    def talk(self, seat: Seat, own: DkaTable) -> Talk[PairedGroups]:
        """Count pairs and mask more until the join is safe."""
        own.refuse()
        depths = self._deepest(own)
        attempts: list[DkaAttempt] = []
        while True:
            seat.round += 1
            labels, sizes, safe = yield from (self._count if seat.index == 0 else self._answer)(seat, own, depths)
            attempts.append(DkaAttempt(dict(depths), labels, sizes))
            if safe:
                break
            more = any(depths.values())
            theirs = yield from seat.exchange(Height(more=more))
            if not any(body.more for body in theirs.values()):
                raise Infeasible(f"the holders have fewer than {self.k} persons in common", bound=self.k)
            depths = self._higher(own, depths)
        groups = yield from self._join(seat, attempts[-1])
        return PairedGroups(tuple(attempts), groups)

    # ---- masking alone -------------------------------------------------------------------------------------------------

    def _deepest(self, own: DkaTable) -> dict[str, int]:
        """Return the deepest cut at which the own groups have k persons."""
        depths = {name: _height(own.trees[name]) for name in own.columns}
        while min(Counter(own.masked(depths)).values(), default=self.k) < self.k:
            if not any(depths.values()):
                raise Infeasible(f"there are fewer than {self.k} persons", measured=len(own.persons), bound=self.k)
            depths = self._higher(own, depths)
        return depths

    def _higher(self, own: DkaTable, depths: Mapping[str, int]) -> dict[str, int]:
        """Return a cut one level higher in the column that shows most values, the first of equals."""
        open_ = [name for name in own.columns if depths[name] > 0]
        if not open_:
            return dict(depths)
        shown = dict(zip(own.columns, zip(*own.masked(depths), strict=True), strict=True)) if own.persons else {}
        chosen = max(open_, key=lambda name: len(set(shown.get(name, ()))))
        return {**depths, chosen: depths[chosen] - 1}

    # ---- counting pairs --------------------------------------------------------------------------------------------------

    def _encrypted(
        self, seat: Seat, own: DkaTable, depths: Mapping[str, int], key: bytes
    ) -> tuple[list[tuple[str, ...]], list[list[bytes]]]:
        """Return the own groups and their persons under a key; the order of both depends on the key alone."""
        group = Curve()
        context = f"dka-two-party|{'|'.join(seat.names)}|{seat.round}".encode()
        points = group.encrypted(key, group.hashed([to_text(one).encode() for one in own.persons], context))
        held: dict[tuple[str, ...], list[bytes]] = {}
        for label, point in zip(own.masked(depths), points, strict=True):
            held.setdefault(label, []).append(point)
        ordered = sorted((sorted(some), label) for label, some in held.items())
        return [label for _, label in ordered], [some for some, _ in ordered]

    def _send(self, seat: Seat, groups: Sequence[Sequence[bytes]]) -> None:
        flat = [point for some in groups for point in some]
        seat.send(seat.others[0], Grouped(sizes=tuple(map(len, groups)), points=joined(flat)))

    def _count(
        self, seat: Seat, own: DkaTable, depths: Mapping[str, int]
    ) -> Talk[tuple[tuple[tuple[str, ...], ...], Mapping[tuple[int, int], int] | None, bool]]:
        group, other = Curve(), seat.others[0]
        key = group.key(seat.secret)
        labels, groups = self._encrypted(seat, own, depths, key)
        self._send(seat, groups)
        theirs = _parted((yield from seat.hear(other, Grouped)))
        back = parted((yield from seat.hear(other, Back)).points)
        mine = _split(back, [len(some) for some in groups])
        doubled = [group.encrypted(key, some) for some in theirs]
        home = {point: at for at, some in enumerate(mine) for point in some}
        sizes = Counter((home[point], at) for at, some in enumerate(doubled) for point in some if point in home)
        safe = all(size >= self.k for size in sizes.values()) and sum(sizes.values()) >= self.k
        seat.send(other, Safe(safe=safe))
        return tuple(labels), dict(sizes), safe

    def _answer(
        self, seat: Seat, own: DkaTable, depths: Mapping[str, int]
    ) -> Talk[tuple[tuple[tuple[str, ...], ...], Mapping[tuple[int, int], int] | None, bool]]:
        group, other = Curve(), seat.others[0]
        key = group.key(seat.secret)
        labels, groups = self._encrypted(seat, own, depths, key)
        self._send(seat, groups)
        theirs = _parted((yield from seat.hear(other, Grouped)))
        seat.send(
            other, Back(points=joined([point for some in theirs for point in sorted(group.encrypted(key, some))]))
        )
        safe = (yield from seat.hear(other, Safe)).safe
        return tuple(labels), None, safe

    def _join(self, seat: Seat, last: DkaAttempt) -> Talk[tuple[tuple[tuple[str, ...], int], ...]]:
        """Tell each other what groups are called, and how many persons each pair has: that is the joint table."""
        other = seat.others[0]
        if last.sizes is None:
            seat.send(other, Called(labels=last.labels))
            heard = yield from seat.hear(other, Joined)
            if len(heard.labels) != len(heard.sizes):
                raise OutOfProtocol("must say how many persons each group has", parameter=Joined.type)
            return tuple(zip(heard.labels, heard.sizes, strict=True))
        theirs = (yield from seat.hear(other, Called)).labels
        if any(at >= len(theirs) for _, at in last.sizes):
            raise OutOfProtocol("must name every group", parameter=Called.type)
        table = sorted(((*last.labels[mine], *theirs[their]), size) for (mine, their), size in last.sizes.items())
        seat.send(other, Joined(labels=tuple(label for label, _ in table), sizes=tuple(size for _, size in table)))
        return tuple(table)


def paired_attempts(
    first: PairedGroups, second: PairedGroups
) -> list[tuple[dict[str, int], list[tuple[tuple[str, ...], int]]]]:
    """Put together what both holders know of each attempt: depths of all columns, pairs of groups with their sizes."""
    out = []
    for one, other in zip(first.attempts, second.attempts, strict=True):
        assert one.sizes is not None
        pairs = [((*one.labels[mine], *other.labels[their]), size) for (mine, their), size in one.sizes.items()]
        out.append(({**one.depths, **other.depths}, sorted(pairs)))
    return out


def _parted(body: Grouped) -> list[list[bytes]]:
    return _split(parted(body.points), body.sizes)


def _split(points: Sequence[bytes], sizes: Sequence[int]) -> list[list[bytes]]:
    if any(size < 1 for size in sizes) or sum(sizes) != len(points):
        raise OutOfProtocol("does not hold as many persons as its groups have", parameter=Grouped.type)
    out, at = [], 0
    for size in sizes:
        out.append(list(points[at : at + size]))
        at += size
    return out
