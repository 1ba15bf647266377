"""What one holder brings to a vertical protocol: its own columns record by record, what all share, and what must hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.contracts.algorithm import Attribute, Task
from sfumato.contracts.engine import RowTable
from sfumato.contracts.model import GroupModel, TableModel
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.engines import side_by_side
from sfumato.errors import BadRequest
from sfumato.hierarchies.frequency import Frequency
from sfumato.kernels.arrays import Codes
from sfumato.models.k_anonymity import KAnonymity
from sfumato.parties.contract import Contract
from sfumato.parties.protocols.qid_reachability import QidReachability
from sfumato.tables.named_values import with_held_values
from sfumato.tables.policy import Policy
from sfumato.tables.prepare import check_columns, prepare, settle_missing, settled_models

__all__ = ["Holding", "Plan", "plan", "settled_missing"]


@frozen
class Plan:
    """What follows from a contract alone, so that every holder knows it: who handles which columns with whom.

    ``joint`` are the columns that are handled together, in public order; ``judges`` are the holders of sensitive columns that
    are not shared, who may reject a step, and ``judged`` what each of them judges, on columns by their places in ``joint``.
    """

    joint: tuple[str, ...]
    judges: tuple[str, ...] = ()
    judged: tuple[tuple[str, tuple[int, ...], TableModel], ...] = ()

    def judged_by(self, holder: str) -> list[tuple[tuple[int, ...], GroupModel]]:
        """Return what one holder judges."""
        return [(qid, model) for judge, qid, model in self.judged if judge == holder and isinstance(model, GroupModel)]


@frozen(eq=False)
class Holding:
    """What one holder brings; ``together`` is its task in the protocol, ``alone`` what it does without a message.

    The table of ``together`` has a row for each record and all joint columns in public order; those of others hold nothing yet.
    ``own`` are the places of its own columns there.
    """

    plan: Plan
    together: Task
    own: tuple[int, ...]
    alone: Task | None
    table: RowTable

    @classmethod
    def of(cls, contract: Contract, name: str, own: RowTable, shared: RowTable | None, settled: Plan) -> Holding:
        """Return what a holder brings: its aligned columns, and those that all share, in the same order of records."""
        policy = contract.policy()
        mine = [one for one in own.columns if not contract.columns[one].role.hidden]
        table, attributes, dictionaries = _prepared(policy, own.select(mine).as_rows())
        known = table
        if shared is not None:
            seen = shared.select(_new(shared.columns, mine)).as_rows()
            known = side_by_side([table, settled_missing(policy, seen)])
        quasi = policy.of_role(Role.QUASI_IDENTIFIER)
        models = [_judged(model, known, quasi) for model in settled_models(policy, policy.models())[0]]
        named = [(set(model.qid or quasi), model) for model in models]
        joint = [model for columns, model in named if not columns.isdisjoint(settled.joint)]
        alone = [model for columns, model in named if columns <= set(mine) and columns.isdisjoint(settled.joint)]
        by_name = {attribute.name: attribute for attribute in attributes}
        everything = [by_name.get(one, Attribute(one, "suppress", ColumnType.TEXT)) for one in settled.joint]
        rest = [attribute for attribute in attributes if attribute.name not in settled.joint]
        target = next(iter(policy.of_role(Role.TARGET)), None)
        return cls(
            plan=settled,
            together=_task(known, everything, dictionaries, _with_qid(joint, quasi), target),
            own=tuple(at for at, one in enumerate(settled.joint) if one in by_name),
            alone=_task(known, rest, dictionaries, alone, target) if rest else None,
            table=table,
        )


def plan(contract: Contract, *, shared: bool) -> Plan:
    """Return who handles what with whom; ``shared``: sensitive columns that requirements read are shared like the target."""
    policy = contract.policy()
    check_columns(policy)
    owner = {name: contract.owner(name) or "" for name in contract.columns}
    quasi = policy.of_role(Role.QUASI_IDENTIFIER)
    models = settled_models(policy, policy.models())[0]
    qids = [model.qid or quasi for model in models]
    reads = [[one for one in model.needs() if policy.columns[one].role is not Role.TARGET] for model in models]
    # Whose sensitive column is not shared judges every step, also of columns that one other holder has alone.
    concerned = qids if shared else [[*qid, *read] for qid, read in zip(qids, reads, strict=True)]
    joint = {name for at in QidReachability().of(owner, concerned).joint for name in qids[at]}
    private = {name for read in reads for name in read}
    judges = [] if shared else [name for name in contract.holders if private & set(contract.holders[name].columns)]
    together = tuple(name for name in quasi if name in joint)
    judged = [
        (owner[read[0]], tuple(sorted(map(together.index, qid))), model)
        for qid, read, model in zip(qids, reads, models, strict=True)
        if read and not shared and set(qid) <= joint
    ]
    return Plan(together, tuple(judges), tuple(judged))


def _judged(model: TableModel, known: RowTable, quasi: Sequence[str]) -> TableModel:
    """Return a requirement as one holder can judge it: of one that reads what it does not see, the groups are left.

    All holders must keep the same groups, or they would not agree on them, nor on what a step costs.
    """
    if set(model.needs()) <= set(known.columns):
        return with_held_values([model], known)[0][0]
    return KAnonymity(k=1, qid=tuple(model.qid or quasi))


def _new(names: Sequence[str], known: Sequence[str]) -> list[str]:
    return [name for name in names if name not in known]


def _with_qid(models: Sequence[TableModel], quasi: Sequence[str]) -> list[TableModel]:
    """Return requirements that name their columns, so that they mean the same among fewer of them."""
    return [type(model).from_spec({**model.spec(), "qid": list(model.qid or quasi)}) for model in models]


def _prepared(policy: Policy, table: RowTable) -> tuple[RowTable, Sequence[Attribute], Mapping[str, Dictionary]]:
    """Return the own columns, and quasi-identifiers as searches see them; refuse what would tell others about single values."""
    entries = {name: policy.columns[name] for name in table.columns}
    if not any(entry.role is Role.QUASI_IDENTIFIER for entry in entries.values()):
        return settled_missing(policy, table), (), {}
    own = Policy.of({"columns": entries, "requirements": [{"id": "k-anonymity", "k": 1}], "metrics": []})
    prepared = prepare(table, own)
    _refuse_dropped(prepared.dropped)
    for attribute in prepared.attributes:
        if attribute.kind == "suppress":
            raise BadRequest(say("party.bad.known_hierarchy"), column=attribute.name)
        if isinstance(attribute.builder, Frequency):
            raise BadRequest(say("party.bad.frequency"), column=attribute.name)
        if attribute.kind == "interval" and entries[attribute.name].range is None:
            raise BadRequest(
                say("party.bad.known_range"),
                column=attribute.name,
                parameter="range",
            )
    return prepared.table.as_rows(), prepared.attributes, prepared.dictionaries


def settled_missing(policy: Policy, table: RowTable) -> RowTable:
    """Return columns with what the contract says of missing values done to them: the target has them as others have."""
    found, dropped = settle_missing(table, policy)
    _refuse_dropped(dropped)
    return found.as_rows()


def _refuse_dropped(dropped: int) -> None:
    if dropped:
        raise BadRequest(
            say("party.bad.left_out"),
            parameter="missing",
            value="drop-record",
        )


def _task(
    known: RowTable,
    attributes: Sequence[Attribute],
    dictionaries: Mapping[str, Dictionary],
    models: Sequence[TableModel],
    target: str | None,
) -> Task:
    """Return a task with a row for each record; columns of others hold nothing."""
    codes = np.zeros((known.rows, len(attributes)), np.int32)
    held: dict[str, Dictionary] = {}
    for at, attribute in enumerate(attributes):
        nothing = Dictionary(attribute.name, ("",), np.array([known.rows]))
        held[attribute.name] = dictionaries.get(attribute.name, nothing)
        if attribute.name in dictionaries:
            codes[:, at] = known.codes([attribute.name], dictionaries)[:, 0]
    extra = list(dict.fromkeys([*((target,) if target else ()), *(name for model in models for name in model.needs())]))
    held |= {name: known.dictionary(name) for name in extra}
    table = CompressedTable(
        columns=tuple(attribute.name for attribute in attributes),
        codes=codes,
        weights=np.ones(known.rows, np.int64),
        dictionaries=held,
        extra=tuple(extra),
        extra_codes=_extra(known, extra),
    )
    return Task(table=table, attributes=attributes, models=models, target=target)


def _extra(known: RowTable, names: Sequence[str]) -> Codes:
    if not names:
        return np.empty((known.rows, 0), np.int32)
    return np.ascontiguousarray(known.codes(names))
