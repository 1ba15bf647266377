"""Holders of different columns of the same persons: their records brought together, and the joint table at the end."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import RowTable, Table
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.data.text import to_text
from sfumato.engines import side_by_side
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.parties.collaboration import Collaboration, Round
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.leakage import Leak
from sfumato.parties.holding import Holding, Plan, plan, settled_missing
from sfumato.parties.joining import met
from sfumato.parties.named_persons import UNMASKED, refuse_naming_columns
from sfumato.parties.protocols.general_join import GeneralJoin
from sfumato.parties.protocols.ppmashup import PPMashupSemiHonest, Share
from sfumato.tables.open import open_table
from sfumato.tables.policy import ColumnPolicy, Policy

__all__ = [
    "Brought",
    "Opened",
    "aligned",
    "collaborated",
    "holdings",
    "joining_values",
    "opened_holder",
    "split_table",
    "told_beforehand",
    "told_beside",
    "within_groups",
]


def collaborated(
    protocol: PPMashupSemiHonest,
    contract: Contract,
    sources: Mapping[str, object],
    run: Run,
    order: np.random.Generator | None,
) -> Collaboration:
    """Bring records together, let the holders talk, and join what they publish."""
    run.stage("bringing records together")
    brought = aligned(contract, sources, run.rng)
    tables = brought.tables
    given = holdings(protocol, contract, tables)
    run.stage(f"{protocol.id} between {len(given)} holders")
    talked = protocol.simulate(given, run=run, order=order)
    shares = talked.results
    table, raw = _joined(contract, given, shares, tables, run.rng)
    return Collaboration(
        contract=contract,
        table=table,
        recodings={name: one for share in shares.values() for name, one in share.recodings.items()},
        rounds=_rounds(shares),
        traffic=talked.traffic,
        ledger=talked.ledger.and_also(told_beside(contract, protocol, list(given))),
        raw=raw,
        persons=brought.persons,
        local={
            name: [Round({name: step}, name, step.attribute, step.value) for step in share.alone]
            for name, share in shares.items()
            if share.alone
        },
        shares={name: (share.contributed, share.received) for name, share in shares.items()},
        warnings=[*brought.warnings, *(late.words() for late in next(iter(shares.values())).underbids)],
    )


def holdings(protocol: PPMashupSemiHonest, contract: Contract, tables: Mapping[str, RowTable]) -> dict[str, Holding]:
    """Return what each holder brings, of tables whose rows are in the same order."""
    shared = protocol.shares_sensitive()
    settled = plan(contract, shared=shared)
    seen = _shared(contract, tables, sensitive=shared)
    return {
        name: Holding.of(contract, name, table.select(_own(contract, name, table)).as_rows(), seen, settled)
        for name, table in tables.items()
    }


# ---- the same persons ----------------------------------------------------------------------------------------------------


@frozen(eq=False)
class Brought:
    """Tables of all holders with the same records in the same order, and who these are."""

    tables: Mapping[str, RowTable]
    persons: Sequence[str]
    warnings: Sequence[str] = ()


@frozen(eq=False)
class Opened:
    """What one holder has without the names of persons, these beside it row by row, and in what records meet, if they do."""

    table: RowTable
    persons: Sequence[str]
    meeting: Sequence[str | None] = ()

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The row of each person."""
        return {name: row for row, name in enumerate(self.persons)}


def aligned(contract: Contract, sources: Mapping[str, object], rng: np.random.Generator) -> Brought:
    """Return the holders' tables with the same persons in the same order, which tells nothing, and who these are.

    Refused are persons that are there twice or have no name, other persons than the other holders have (unless the contract
    takes those that all have), and classes that differ between holders.
    """
    if set(sources) != set(contract.holders):
        raise BadRequest(say("party.bad.those"), parameter="holders", value=sorted(sources), available=contract.holders)
    opened = {name: opened_holder(contract, name, sources[name]) for name in contract.holders}
    if contract.joins is not None:
        return _joined_on(contract, contract.joins, opened, rng)
    places = {name: one.places for name, one in opened.items()}
    common = set.intersection(*(set(found) for found in places.values()))
    if contract.align == "exact":
        for name, found in places.items():
            if len(found) != len(common):
                count = len(found) - len(common)
                raise BadRequest(say("party.bad.persons", holder=name, count=count), parameter="holders")
    if not common:
        raise BadRequest(say("party.bad.nobody"), parameter="holders", value=list(contract.holders))
    ordered = sorted(common)
    persons = [ordered[at] for at in rng.permutation(len(ordered))]
    tables = {
        name: one.table.take(np.array([places[name][person] for person in persons])) for name, one in opened.items()
    }
    _refuse_other_classes(contract, tables)
    return Brought(tables, persons)


def _joined_on(
    contract: Contract, join: GeneralJoin, opened: Mapping[str, Opened], rng: np.random.Generator
) -> Brought:
    """Bring records together that meet in a column; each pair is a record of its own."""
    found = met(join, {name: one.meeting for name, one in opened.items()}, rng)
    tables = {
        name: one.table.take(np.array(rows)) for (name, one), rows in zip(opened.items(), found.rows, strict=True)
    }
    _refuse_other_classes(contract, tables)
    first, second = ([one.persons[at] for at in rows] for one, rows in zip(opened.values(), found.rows, strict=True))
    return Brought(tables, [f"{one} + {other}" for one, other in zip(first, second, strict=True)], found.warnings())


def opened_holder(contract: Contract, holder: str, source: object) -> Opened:
    """Open what one holder has; refuse persons that are there twice or have no name."""
    entry = contract.holders[holder]
    person = str(entry.person)
    targets = contract.of_role(Role.TARGET)
    columns = {
        name: one for name, one in contract.columns.items() if name in (*entry.columns, *targets) and name != person
    }
    beside = [person, *([entry.join] if entry.join is not None else [])]
    reading = Policy.of(
        {
            "columns": {**dict.fromkeys(beside, ColumnPolicy(role=Role.PLAIN, type=ColumnType.TEXT)), **columns},
            "requirements": [{"id": "k-anonymity", "k": 1}],
            "source": contract.source,
        }
    )
    table = open_table(source, reading)
    for name in (*beside, *entry.columns):
        if name not in table.types:
            raise BadRequest(
                say("party.bad.no_column", holder=holder), column=name, value=name, available=table.columns
            )
    for name in table.columns:
        if name not in columns and name not in beside:
            raise BadRequest(
                say("party.bad.unnamed", holder=holder),
                column=name,
            )
    rows = table.as_rows()
    # Row by row: all names differ, so a dictionary of them would only be in the way.
    held = [name for (name,) in rows.select([person]).to_rows()]
    missing = held.count(None)
    if missing:
        raise BadRequest(say("party.bad.nameless", holder=holder, count=missing), column=person)
    if not all(map(str.isascii, held)):
        held = [unicodedata.normalize("NFC", name) for name in held]
    persons = [*map(str.strip, held)]
    again = rows.rows - len(set(persons))
    if again:
        raise BadRequest(say("party.bad.again", holder=holder, count=again), column=person)
    bare = [name for name in table.columns if name in columns and columns[name].role in UNMASKED]
    refuse_naming_columns(rows, bare, persons)
    return Opened(
        rows.select([name for name in table.columns if name in columns]).as_rows(),
        persons,
        _cells(rows, entry.join) if entry.join is not None else (),
    )


def _refuse_other_classes(contract: Contract, tables: Mapping[str, RowTable]) -> None:
    for target in contract.of_role(Role.TARGET):
        held = [table for table in tables.values() if target in table.types]
        if not held:
            raise BadRequest(say("party.bad.no_target"), column=target, parameter="holders")
        first, *others = (_texts(one, target) for one in held)
        for other in others:
            wrong = int(np.count_nonzero(first != other))
            if wrong:
                raise BadRequest(say("party.bad.classes", count=wrong), column=target)


def _texts(table: RowTable, name: str) -> npt.NDArray[np.str_]:
    """Return a column as texts, record by record."""
    return np.array([*map(to_text, table.dictionary(name).values), ""])[table.codes([name])[:, 0]]


# ---- what is shared, and what is joined ------------------------------------------------------------------------------------


def _own(contract: Contract, holder: str, table: Table) -> list[str]:
    return [name for name in contract.columns if name in contract.holders[holder].columns and name in table.types]


def _shared(contract: Contract, tables: Mapping[str, RowTable], *, sensitive: bool) -> RowTable | None:
    """Return the columns that every holder sees: the target, and what requirements read where that is shared."""
    policy = contract.policy()
    names = [*policy.of_role(Role.TARGET)]
    names += [one for model in policy.models() for one in model.needs() if sensitive and one not in names]
    parts = [
        next(table for table in tables.values() if name in table.types).select([name]) for name in dict.fromkeys(names)
    ]
    return side_by_side(parts) if parts else None


def _joined(
    contract: Contract,
    given: Mapping[str, Holding],
    shares: Mapping[str, Share],
    tables: Mapping[str, RowTable],
    rng: np.random.Generator,
) -> tuple[Table, Table]:
    """Return the joint table as it is published, and as it was.

    What is not masked is published by group: each holder shuffles its own columns inside the groups that are alike in all that
    is masked, so that no row ties them to what another holder has. A recipient that is no holder gets rows as they are.
    """
    policy = contract.policy()
    shown = [name for name, role in policy.roles().items() if not role.hidden]
    owners = {name: contract.owner(name) or _first(tables, name) for name in shown}
    raw = side_by_side([tables[owners[name]].select([name]) for name in shown])
    labels = {name: shares[owners[name]].labels[name] for name in policy.of_role(Role.QUASI_IDENTIFIER)}
    masked = settled_missing(policy, raw).put(labels)
    group = _groups(masked, list(labels))
    parts: list[Table] = [
        masked.select([name for name in shown if name in labels or name in policy.of_role(Role.TARGET)])
    ]
    for holder in given:
        rest = [name for name in shown if owners[name] == holder and name not in parts[0].columns]
        if rest:
            own = masked.select(rest).as_rows()
            parts.append(own if contract.third else own.take(within_groups(group, rng)))
    return side_by_side(parts).select(shown), raw


def _first(tables: Mapping[str, RowTable], name: str) -> str:
    return next(holder for holder, table in tables.items() if name in table.types)


def _groups(masked: RowTable, names: Sequence[str]) -> Ints:
    """Return the number of the group of each record."""
    return np.unique(masked.codes(names), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def within_groups(group: Ints, rng: np.random.Generator) -> Ints:
    """Return for each record another one of the same group, each once."""
    place, drawn = np.argsort(group, kind="stable"), np.lexsort((rng.random(len(group)), group))
    out = np.empty(len(group), np.int64)
    out[place] = drawn
    return out


def _rounds(shares: Mapping[str, Share]) -> list[Round]:
    """Put together what the holders know of each round."""
    out: list[Round] = []
    for turns in zip(*(share.turns for share in shares.values()), strict=True):
        proposals = {name: turn.own for name, turn in zip(shares, turns, strict=True)}
        # Of a step that was rejected without being told, the winner alone knows the parts.
        winner, parting = turns[0].winner, next((turn.parting for turn in turns if turn.parting is not None), None)
        if winner is None or parting is None:
            out.append(Round(proposals))
            continue
        best = proposals[winner]
        assert best is not None
        out.append(
            Round(proposals, winner, best.attribute, best.value, parting.children, best.score, turns[0].rejected)
        )
    return out


def told_beside(contract: Contract, protocol: PPMashupSemiHonest, holders: Sequence[str]) -> list[Leak]:
    """Return what holders and recipients learn beside messages: what is shared before, and what follows from the result."""
    settled = plan(contract, shared=protocol.shares_sensitive())
    leaks = [Leak(name, "", "", 0, what) for name in holders for what in _told(contract, protocol, settled)]
    who, what = _recipient_learns(contract)
    return [*leaks, Leak(who, "", "", 0, what)]


def _told(contract: Contract, protocol: PPMashupSemiHonest, settled: Plan) -> list[str]:
    policy = contract.policy()
    target = next(iter(policy.of_role(Role.TARGET)), None)
    sensitive = sorted({one for model in policy.models() for one in model.needs() if one != target})
    met_in = [say("party.leak.joined"), say("party.leak.meeting")] if contract.joins else [say("party.leak.records")]
    told: list[str] = [*met_in, *([say("party.leak.target", target=target)] if target else [])]
    told += [say("party.leak.shared", columns=sensitive)] if sensitive and protocol.shares_sensitive() else []
    told += [say("party.leak.order")] if settled.joint else []
    return [*told, say("party.leak.values"), say("party.leak.masked") if contract.third else say("party.leak.table")]


def _recipient_learns(contract: Contract) -> tuple[str, str]:
    """Return who gets the release, and what it learns."""
    if contract.recipient is None:
        return say("party.recipient"), say("party.leak.release")
    return contract.recipient.name, say("party.leak.rows")


def told_beforehand(contract: Contract, protocol: PPMashupSemiHonest, settled: Plan) -> list[str]:
    """Return what every role will learn, as far as a contract tells it, in sentences."""
    holders = list(contract.holders)
    told = [say("party.learns", roles=holders, what=what) for what in _told(contract, protocol, settled)]
    if settled.joint and protocol.winner == "plain":
        told.append(say("party.learns_by", roles=holders, message="bid", what=say("party.leak.bid")))
    if settled.judges:
        told += [
            say("party.learns_by", roles=holders, message=by, what=what) for by, what in protocol.judged_by().items()
        ]
    who, what = _recipient_learns(contract)
    return [*told, say("party.learns", roles=[who], what=what)]


# ---- tables to try with ----------------------------------------------------------------------------------------------------


def split_table(contract: Contract, table: Table) -> dict[str, Table]:
    """Return the tables that the holders of a contract would have of one table of everything; the target goes to the first."""
    if not contract.vertical:
        raise BadRequest(say("party.bad.nothing_to_split"), parameter="holders")
    targets = list(contract.of_role(Role.TARGET))
    out: dict[str, Table] = {}
    for name, entry in contract.holders.items():
        shared = [one for one in targets if contract.owner(one) is None and not out]
        meeting = [entry.join] if entry.join is not None else []
        wanted = list(dict.fromkeys([str(entry.person), *meeting, *entry.columns, *shared]))
        for one in wanted:
            if one not in table.types:
                raise BadRequest("is not in the table", column=one, value=one, available=table.columns)
        out[name] = table.select(wanted)
    return out


def joining_values(source: object, key: str, value: str) -> dict[str, str | None]:
    """Return the joining value of each record of a table, by the name of the record."""
    table = open_table(source).as_rows()
    for name in (key, value):
        if name not in table.types:
            raise BadRequest("is not in the table", column=name, value=name, available=table.columns)
    names, values = (_cells(table, name) for name in (key, value))
    if len({*names}) != len(names) or None in names:
        raise BadRequest(say("party.bad.key"), column=key)
    return {str(name): found for name, found in zip(names, values, strict=True)}


def _cells(table: RowTable, name: str) -> list[str | None]:
    held = [*map(to_text, table.dictionary(name).values)]
    return [None if code < 0 else held[code] for code in table.codes([name])[:, 0].tolist()]
