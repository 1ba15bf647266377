"""A whole session as one holder sees it: persons are brought together, the protocol runs, the joint table is put together.

What a simulation does with all tables at hand is done here by messages: each holder opens its own source only, sends what the
contract says is shared, and in the end all have the same joint table, what it took, and what each of them learnt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from hashlib import sha256
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import RowTable, Table
from sfumato.contracts.published import Release
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.engines import from_columns, side_by_side
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.distinct import distinct_rows
from sfumato.kernels.arrays import Ints
from sfumato.parties.blocks.alignment import ALIGNING, aligned_persons
from sfumato.parties.collaboration import Collaboration, Round
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.leakage import Leak, Ledger
from sfumato.parties.conversation.local import Traffic
from sfumato.parties.conversation.message import Body, OutOfProtocol, canonical
from sfumato.parties.conversation.party import Party, Seat, Talk
from sfumato.parties.holding import Holding, plan, settled_missing
from sfumato.parties.horizontal import asked_of_sites, opened_site, public_axes, told_of_sites
from sfumato.parties.joining import JOINING, met_by_messages
from sfumato.parties.named_persons import refuse_names
from sfumato.parties.protocols.distributed_mondrian import DistributedMondrian, SiteTable
from sfumato.parties.protocols.ppmashup import PPMashupSemiHonest, Share
from sfumato.parties.release import joint_release
from sfumato.parties.sessions.session_end import Counted, SessionEnd, counted
from sfumato.parties.sessions.shown_columns import Coded, Column, counted_rows
from sfumato.parties.sessions.third_party import SEALING, recipient, sealed_columns
from sfumato.parties.vertical import Opened, opened_holder, told_beside, within_groups

__all__ = ["JointSession", "joint_table_release", "session_bodies", "session_party"]

_NOTHING = Coded(np.empty(0, np.int64), ())


@frozen(kw_only=True)
class Values(Body):
    """The sensitive values that a site has, so that all count out of the same list."""

    type: ClassVar[str] = "share.values"
    column: str
    labels: tuple[str, ...]

    def reveals(self) -> str:
        """Which values of the sensitive column the sender has."""
        return say("blocks.values", name=self.column)


@frozen(kw_only=True)
class Told(Body):
    """What a holder sent and learnt in the session, so that all can say it together."""

    type: ClassVar[str] = "share.told"
    control: ClassVar[bool] = True
    messages: tuple[tuple[str, int, int], ...]
    learnt: tuple[tuple[str, str, int, str], ...]
    digest: str

    def reveals(self) -> str:
        """Nothing new."""
        return say("blocks.told")


class CountedSeat(Seat):
    """A seat that counts what is sent from it, and what others learn by that."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        super().__init__(name, names)
        self.counted: dict[str, tuple[int, int]] = {}
        self.leaks: list[Leak] = []

    def send(self, receiver: str, body: Body) -> None:
        super().send(receiver, body)
        message = self.sent[-1]
        many, length = self.counted.get(body.type, (0, 0))
        self.counted[body.type] = (many + 1, length + len(message.text()))
        self.leaks.append(Leak.of(message))


@frozen(eq=False)
class JointSession:
    """One holder's side of a session: its contract, its name, its source, and a generator that only this holder has."""

    contract: Contract
    name: str
    source: object
    rng: np.random.Generator = field(default_factory=np.random.default_rng)

    def open(self) -> None:
        """Open the source before anything is agreed to: who cannot need not begin."""
        _ = self._holds if self.contract.vertical else self._site

    @cached_property
    def _holds(self) -> Opened:
        return opened_holder(self.contract, self.name, self.source)

    @cached_property
    def _site(self) -> Table:
        return opened_site(self.contract, self.name, self.source)

    def talk(self, seat: CountedSeat) -> Talk[SessionEnd]:
        """Bring persons together, share what the contract says, run the protocol, put the joint table together."""
        if not self.contract.vertical:
            return (yield from self._sites(seat))
        contract, protocol = self.contract, _vertical(self.contract)
        opened = self._holds
        persons, warnings = opened.persons, list[str]()
        if contract.joins is None:
            places = yield from aligned_persons(seat, persons, exact=contract.align == "exact")
        else:
            pairs, found = yield from met_by_messages(seat, opened.meeting, contract.joins)
            places, warnings = np.array(pairs, np.int64), [*found.warnings()]
        own = opened.table.take(places)
        shared = yield from self._shared(seat, own, protocol)
        settled = plan(contract, shared=protocol.shares_sensitive())
        mine = [name for name in contract.columns if name in contract.holders[self.name].columns]
        holding = Holding.of(contract, self.name, own.select(mine).as_rows(), shared, settled)
        share = yield from protocol.talk(seat, holding)
        seat.round += 1
        columns, sealed = yield from self._published(seat, own, share, shared, set(persons))
        rounds = _rounds(share, plan(contract, shared=False).joint)
        beside = told_beside(contract, protocol, list(seat.names))
        rows = () if sealed else counted_rows(columns)
        warnings += [late.words() for late in share.underbids]
        told = tuple(map(str, warnings))
        return (yield from self._told(seat, tuple(columns), rows, rounds, beside, told, sealed))

    def _sites(self, seat: CountedSeat) -> Talk[SessionEnd]:
        """Cut the rows of all sites where they are, and publish them through the mix; nobody is brought together."""
        protocol, sensitive = _sites_of(self.contract)
        table = self._site
        values: tuple[str, ...] = ()
        if sensitive is not None:
            held = set(map(to_text, table.dictionary(sensitive).values))
            heard = yield from seat.exchange(Values(column=sensitive, labels=tuple(sorted(held))))
            if any(body.column != sensitive for body in heard.values()):
                raise OutOfProtocol("is of another column", parameter=Values.type)
            values = tuple(sorted({label for body in heard.values() for label in body.labels}))
        at = -1 if sensitive is None else table.columns.index(sensitive)
        rows = [[to_text(one) if place == at else one for place, one in enumerate(row)] for row in table.to_rows()]
        axes = public_axes(self.contract, protocol.decimals)
        found = yield from protocol.talk(seat, SiteTable(table.columns, rows, axes, sensitive, values))
        seat.round += 1
        seat.leaks += [Leak(self.name, self.name, "", 0, what) for what in seat.learnt]
        places = [found.columns.index(name) for name in table.columns]
        union = counted(tuple(to_text(row[place]) for place in places) for row in found.union)
        return (yield from self._told(seat, tuple(table.columns), union, (), told_of_sites(list(seat.names))))

    def _shared(self, seat: CountedSeat, own: RowTable, protocol: PPMashupSemiHonest) -> Talk[RowTable | None]:
        """Send and hear the columns that every holder sees; a target that several have must be the same."""
        policy = self.contract.policy()
        targets = policy.of_role(Role.TARGET)
        names = [*targets]
        if protocol.shares_sensitive():
            names += [one for model in policy.models() for one in model.needs() if one not in names]
        parts = []
        for name in dict.fromkeys(names):
            found = yield from self._spread(seat, own, name, self.contract.owner(name))
            parts.append(found)
        return side_by_side(parts) if parts else None

    def _spread(self, seat: CountedSeat, own: RowTable, name: str, owner: str | None) -> Talk[RowTable]:
        """Return a column that one holder has, or all of them: who has it tells the others."""
        mine = Column(name=name, codes=b"", labels=())
        if name in own.types:
            mine = _packed(settled_missing(self.contract.policy(), own.select([name]).as_rows()), name)
        heard = yield from seat.exchange(mine)
        held = [body for who, body in heard.items() if body.labels and (owner is None or who == owner)]
        if not held or any(body.name != name for body in heard.values()):
            raise BadRequest(say("party.bad.no_shared"), column=name, parameter="holders")
        first, *others = (Coded.told(body, own.rows) for body in held)
        if any(one.labels != first.labels or not np.array_equal(one.codes, first.codes) for one in others):
            raise BadRequest(say("party.bad.differs"), column=name)
        return _repeated({name: first.labels}, first.codes)

    def _published(
        self, seat: CountedSeat, own: RowTable, share: Share, shared: RowTable | None, persons: set[str]
    ) -> Talk[tuple[dict[str, Coded], tuple[tuple[str, str], ...]]]:
        """Return all published columns: masked ones as all know them, all else shuffled inside groups by its holder.

        Where the contract names a recipient for rows as they are, all else is sealed for it instead, and is not here.
        """
        contract = self.contract
        policy = contract.policy()
        shown = [name for name, role in policy.roles().items() if not role.hidden]
        quasi = policy.of_role(Role.QUASI_IDENTIFIER)
        known = {name: Coded.of(*share.labels[name]) for name in quasi if name in share.labels}
        made = {name: known[name] for name in quasi if contract.owner(name) == self.name}
        for name, column in made.items():  # all send before they hear, so that nobody waits for another to have heard
            seat.tell(column.body(name))
        for name in [name for name in quasi if name not in made]:
            made[name] = yield from self._heard(seat, name, own.rows)
            # A value of another that was never refined has no name here yet; all others must be those that were told.
            if name in known and not made[name].shows(known[name]):
                raise OutOfProtocol("shows other values than were told before", parameter=Column.type)
        if shared is not None:
            made |= {name: Coded.held(shared, name) for name in policy.of_role(Role.TARGET)}
        rest = [name for name in shown if name not in made]
        beside = [name for name in rest if contract.owner(name) == self.name]
        group = distinct_rows(np.column_stack([made[name].codes for name in quasi]))[1] if beside else _NOTHING.codes
        mine: dict[str, list[str]] = {}
        for name in beside:
            held = Coded.held(settled_missing(policy, own.select([name]).as_rows()), name)
            mine[name] = held.texts()
            refuse_names(name, mine[name], persons)
            if not contract.third:
                made[name] = held.taken(within_groups(group, self.rng))
                seat.tell(made[name].body(name))
        if not contract.third:
            for name in [name for name in rest if name not in made]:
                made[name] = yield from self._heard(seat, name, own.rows)
        found = {name: made.get(name, _NOTHING) for name in shown}
        if not contract.third:
            return found, ()
        if seat.index == 0:  # what all know travels once
            mine |= {name: made[name].texts() for name in shown if name in made}
        return found, (yield from sealed_columns(seat, mine, own.rows, recipient(contract)))

    def _heard(self, seat: CountedSeat, name: str, records: int) -> Talk[Coded]:
        """Return a column that another holder publishes."""
        heard = yield from seat.hear(str(self.contract.owner(name)), Column)
        if heard.name != name:
            raise OutOfProtocol("is another column than the one that comes next", parameter=Column.type)
        return Coded.told(heard, records)

    def _told(
        self,
        seat: CountedSeat,
        columns: tuple[str, ...],
        rows: Counted,
        rounds: tuple[tuple[str, str, str], ...],
        beside: Sequence[Leak],
        warnings: tuple[str, ...] = (),
        sealed: tuple[tuple[str, str], ...] = (),
    ) -> Talk[SessionEnd]:
        """Tell each other what was sent and learnt; all must have the same joint table."""
        text: list[Json] = [list(columns), [[times, *row] for row, times in rows]]
        digest = sha256(canonical([*text, [list(one) for one in (*rounds, *sealed)]])).hexdigest()
        learnt = [(leak.role, leak.message, leak.round, str(leak.what)) for leak in Ledger.of(seat.leaks).leaks]
        times = {(leak.role, leak.message, str(leak.what)): leak.times for leak in Ledger.of(seat.leaks).leaks}
        told = Told(
            messages=tuple((kind, many, length) for kind, (many, length) in sorted(seat.counted.items())),
            learnt=tuple((role, kind, times[role, kind, what], what) for role, kind, _, what in learnt),
            digest=digest,
        )
        heard = yield from seat.exchange(told)
        if any(body.digest != digest for body in heard.values()):
            raise OutOfProtocol("tells of another joint table: somebody did not follow", parameter=Told.type)
        messages: dict[str, int] = {}
        sizes: dict[str, int] = {}
        leaks: list[Leak] = []
        for name in seat.names:
            for kind, many, length in heard[name].messages:
                messages[kind] = messages.get(kind, 0) + many
                sizes[kind] = sizes.get(kind, 0) + length
            leaks += [Leak(role, name, kind, 0, what, count) for role, kind, count, what in heard[name].learnt]
        bodies = session_bodies(self.contract)
        if (
            not set(messages) <= {body.type for body in bodies}
            or min([*messages.values(), *sizes.values()], default=0) < 0
        ):
            raise OutOfProtocol("counts messages that cannot be", parameter=Told.type)
        control = frozenset(body.type for body in bodies if body.control)
        ledger = Ledger.of([*leaks, *beside])
        traffic = Traffic(messages, sizes, control, seat.round)
        return SessionEnd(columns, rows, rounds, traffic, tuple(ledger.leaks), warnings, sealed)


def session_bodies(contract: Contract) -> tuple[type[Body], ...]:
    """Return every message that can travel in a session."""
    if not contract.vertical:
        return (Values, Told, *_sites_of(contract)[0].spoken())
    beside = (*(ALIGNING if contract.joins is None else JOINING), *(SEALING if contract.third else ()))
    return (*beside, Column, Told, *_vertical(contract).spoken())


def session_party(session: JointSession) -> Party[SessionEnd]:
    """Return one holder of a session as a state machine."""
    contract = session.contract
    if contract.vertical:
        _vertical(contract).refuse_requirements(contract)
        if contract.third:
            recipient(contract)
    else:
        _sites_of(contract)[0].refuse_holders(list(contract.holders))
    seat = CountedSeat(session.name, list(contract.holders))
    return Party(seat, session.talk(seat))


def joint_table_release(contract: Contract, end: SessionEnd, run: Run) -> Release:
    """Certify what a session ended with: whoever has the rows and the contract can do it, and judge them anew."""
    rows, times = zip(*end.counted, strict=True)
    different = {
        name: [cell or None for cell in column]  # an empty text is a missing value, as files have it
        for name, column in zip(end.columns, zip(*rows, strict=True), strict=True)
    }
    table = _repeated(different, np.repeat(np.arange(len(rows)), times))
    rounds = [Round({}, winner, attribute, value) for winner, attribute, value in end.rounds]
    found = Collaboration(
        contract=contract,
        table=table,
        recodings={},
        rounds=rounds,
        traffic=end.traffic,
        ledger=Ledger(end.leaks),
        warnings=end.warnings,
    )
    return joint_release(found, run)


def _vertical(contract: Contract) -> PPMashupSemiHonest:
    found = contract.releasing()
    if not isinstance(found, PPMashupSemiHonest):
        raise Unsupported(
            say("party.bad.simulated", protocol=found.id),
            thing=found.id,
            alternatives=["ppmashup-semi-honest", "ppmashup-beyond-k", "ppmashup-rational", "distributed-mondrian"],
        )
    return found


def _sites_of(contract: Contract) -> tuple[DistributedMondrian, str | None]:
    found = contract.releasing()
    if not isinstance(found, DistributedMondrian):
        raise Unsupported(say("party.bad.no_network", protocol=found.id), thing=found.id)
    return asked_of_sites(found, contract)


def _rounds(share: Share, joint: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (turn.winner, joint[turn.parting.index], turn.parting.value)
        for turn in share.turns
        if turn.winner is not None and turn.parting is not None and not turn.rejected
    )


def _repeated(different: Mapping[str, Sequence[str | None]], places: Ints) -> RowTable:
    """Return a table of which many rows are alike: few are numbered before they become many."""
    table = from_columns({name: list(column) for name, column in different.items()}).as_rows()
    table.foresee(table.columns)
    return table.take(places)


def _packed(table: RowTable, name: str) -> Column:
    codes = table.codes([name])[:, 0].astype(np.int32)
    return Column(name=name, codes=codes.tobytes(), labels=tuple(map(to_text, table.dictionary(name).values)))
