"""Records that stand for several persons each: the distinct rows of a table with their sampling weights added up.

Requirements count the records of the table; metrics count the persons that they stand for. Whole weights give the metrics of a
table in which every record is repeated as often as its weight says.
"""

from __future__ import annotations

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.compressed import CompressedTable, Weighed
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, InternalError, Unsupported
from sfumato.groups.weighted import refuse_bad_weights
from sfumato.kernels.arrays import Ints
from sfumato.tables.policy import BY_WEIGHTS, Policy

__all__ = ["refuse_weights", "weighed"]

_ROLES = (Role.PLAIN, Role.PRIVATE, Role.SENSITIVE)


def refuse_weights(policy: Policy, table: Table) -> None:
    """Refuse weights that are none, that nobody may read, or that the search would not read."""
    if policy.population == BY_WEIGHTS and policy.weights is None:
        raise BadRequest(
            "needs weights: the column that says how many persons a record stands for", parameter="population"
        )
    if policy.weights is None:
        return
    name, algorithm = policy.weights, policy.search()
    able = [column for column in table.columns if policy.columns[column].role in _ROLES and table.types[column].numeric]
    if name not in table.types:
        raise BadRequest("is not a column of the table", parameter="weights", value=name, available=able)
    role = policy.columns[name].role
    if role not in _ROLES or name in policy.counted():
        used = f"has the role {role}" if role not in _ROLES else "is what a requirement looks at"
        raise BadRequest(
            f"{used}; weights are read beside what is published", parameter="weights", value=name, available=_ROLES
        )
    if not table.types[name].numeric:
        raise BadRequest("weights must be numbers", column=name, value=str(table.types[name]), available=able or None)
    if not algorithm.weighs_records:
        raise Unsupported(
            f"{algorithm.id} counts records and would leave the weights in {name} unread",
            thing=algorithm.id,
            alternatives=["optimal"],
        )
    if policy.search_on is not None:
        raise Unsupported("a search on a sample counts records, and no weights", thing="search_on")


def weighed(table: Table, rows: CompressedTable, weights: str, *, people: bool) -> Weighed:
    """Return the distinct rows of a table with the sums of a column of positive weights."""
    missing = table.missing()[weights]
    if missing:
        raise BadRequest("a weight is missing", column=weights)
    held = table.dictionary(weights)
    refuse_bad_weights(weights, held.values)
    finer = table.compress(rows.columns, [*rows.extra, weights], {**rows.dictionaries, weights: held})
    whole = all(float(value).is_integer() for value in held.values)  # type: ignore[arg-type]
    each: Ints = np.array(held.values, np.int64 if whole else np.float64)
    sums = _by_row(finer, finer.weights * each[finer.extra_codes[:, -1]])
    if len(sums) != len(rows):
        raise InternalError("the rows of a table do not match those with weights", column=weights)
    return Weighed.of(rows, sums, float(each.min(initial=1)), float(each.max(initial=1)), people=people)


def _by_row(finer: CompressedTable, parts: Ints) -> Ints:
    """Add up the parts of rows that differ in the weight alone; these lie side by side."""
    if not len(finer):
        return parts
    codes = np.concatenate([finer.codes, finer.extra_codes[:, :-1]], axis=1)
    return np.add.reduceat(parts, np.flatnonzero(np.append(True, (codes[1:] != codes[:-1]).any(axis=1))))
