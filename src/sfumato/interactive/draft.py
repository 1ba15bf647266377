"""Looking at a table before it is asked: which columns choose records, which are added up, what must be declared of both."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.commented_yaml import commented_yaml
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.tables.profile import ColumnProfile, profile_of

__all__ = ["drafted", "profiled"]

_HEAD = """\
# Drafted from the data; every line is a proposal. Read it once, change what you know better, then run
#   sfumato ledger init desk.ledger
#   sfumato ledger budget set desk.ledger total --epsilon 10
#   sfumato ask DATA "count" --policy THIS_FILE --ledger desk.ledger
# Columns that are not named here cannot be asked about. `sfumato describe desk-log` says what a desk is.
"""

_COLUMNS = """\
what is known of a column without looking at the data; taken from them it would tell, so that nothing is drafted:
  values: [female, male]   all that it can hold, for: group by
  bounds: [0, 100]         its range, for sums, averages, medians, minima and maxima with noise"""

_DESK = """\
one mode for ever: noisy (paid from a budget of the ledger), exact (true, or refused by an audit), cell-key (counts alone)
exact answers choose records by quasi-identifiers and add up sensitive columns, under the audit; they take no budget"""


def drafted(source: object, k: int, run: Run) -> str:
    """Return a commented policy of a desk with noisy answers: a role for each column that may be asked about."""
    columns = _columns(source, run)
    document: dict[str, object] = {
        "version": 1,
        "desk": {"mode": "noisy", "epsilon": 0.1, "audit": {"id": "query-audit-online", "m": k}},
        "budget": "total",
        "columns": {one.name: _entry(one) for one in columns},
    }
    return _HEAD + commented_yaml(
        document, {"desk": _DESK, "budget": "the budget of the ledger that pays for answers", "columns": _COLUMNS}
    )


def profiled(source: object, run: Run) -> Sequence[str]:
    """Say of each column what can be asked about it, and what must be declared for that."""
    return [
        say("desk.number" if one.type.numeric else "desk.word", column=one.name, role=str(_role(one)))
        for one in _columns(source, run)
    ]


def _columns(source: object, run: Run) -> list[ColumnProfile]:
    run.stage("reading")
    table = source if isinstance(source, Table) else read(source)
    found = [one for one in profile_of(table) if not one.role.hidden]
    if not found:
        raise BadRequest(say("desk.nothing_to_ask"), parameter="columns", available=table.columns)
    return found


def _role(column: ColumnProfile) -> Role:
    """Return what a column is to askers: what is neither known nor published otherwise is as secret as a value can be."""
    return Role.QUASI_IDENTIFIER if column.role is Role.QUASI_IDENTIFIER else Role.SENSITIVE


def _entry(column: ColumnProfile) -> dict[str, object]:
    entry: dict[str, object] = {"role": str(_role(column))}
    return {**entry, "values": [False, True]} if column.type is ColumnType.BOOLEAN else entry
