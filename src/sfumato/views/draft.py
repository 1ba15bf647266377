"""Looking at a table before it is given out in views: which columns lead from names to what nobody should learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.commented_yaml import commented_yaml
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.tables.profile import profile_of

__all__ = ["drafted", "profiled"]

_HEAD = """\
# Drafted from the data; every line is a proposal. Read it once, change what you know better, then run
#   sfumato anonymize DATA --policy THIS_FILE -o OUT
# Nothing is masked: each recipient gets columns of the rows that meet a condition, and all views together are judged.
# A condition compares columns with constants: where: "age >= 18 and job in (cook, nurse)"
"""


class _Found(NamedTuple):
    """The column that names persons, the one that nobody should learn, and those between, the safest first.

    With each stands among how few sensitive values everybody's is who has one of its values.
    """

    table: Table
    identifier: str
    sensitive: str
    between: tuple[tuple[str, int], ...]


def drafted(source: object, k: int, run: Run) -> str:
    """Return a commented policy with a view of names and one of sensitive values, linked by the column that tells least."""
    found = _found(source, run)
    column, fewest = found.between[0]
    least = min(k, fewest)
    document: dict[str, object] = {
        "version": 1,
        "views": {
            "names": {"columns": [found.identifier, column]},
            "values": {"columns": [column, found.sensitive]},
        },
        "requirements": [
            {"id": "sp-view-kanon-check", "k": least, "identifier": found.identifier, "sensitive": found.sensitive}
        ],
    }
    said = {
        "views": f"a recipient each; whoever has both links them by {column}",
        "requirements": "nobody's value is known to be among fewer than k, whoever puts the views together",
    }
    if least < k:
        said["requirements"] += f"\n{k} is more than any column allows that both views have"
    return _HEAD + commented_yaml(document, said)


def profiled(source: object, run: Run) -> Sequence[str]:
    """Say of each column among how few values somebody's is if one view shows it with names and one with values."""
    found = _found(source, run)
    told = {"identifier": found.identifier, "sensitive": found.sensitive}
    return [
        say("views.profile", rows=found.table.rows, **told),
        *(say("views.between", column=column, fewest=fewest, **told) for column, fewest in found.between),
    ]


def _found(source: object, run: Run) -> _Found:
    run.stage("reading")
    table = source if isinstance(source, Table) else read(source)
    profiles = [one for one in profile_of(table) if not one.missing]
    named = max(
        (one for one in profiles if one.role is Role.IDENTIFIER), key=lambda one: "name" in one.name, default=None
    )
    secret = next((one for one in profiles if one.role is Role.SENSITIVE), None)
    if named is None or secret is None:
        raise BadRequest(
            "needs a column that names persons and one that nobody should learn; write the policy by hand",
            parameter="columns",
            available=table.columns,
        )
    others = [one.name for one in profiles if one.role not in (Role.IDENTIFIER, Role.DROP) and one is not secret]
    between = []
    for name in others:
        groups = table.groups([name], [secret.name])
        between.append((name, int(np.min(groups.histograms[secret.name].distinct()))))
    if not between:
        raise BadRequest("has no column that two views could share", parameter="columns", available=table.columns)
    return _Found(table, named.name, secret.name, tuple(sorted(between, key=lambda one: -one[1])))
