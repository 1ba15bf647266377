"""Judge a table as it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.catalogue import build
from sfumato.contracts.model import GroupModel
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.policy import Policy
from sfumato.releases.release import Judgement
from sfumato.verbs.opening import open_table
from sfumato.verbs.preparing import check_roles

__all__ = ["check"]


def check(
    source: Any,
    requirements: Any = None,
    *,
    policy: Policy | Mapping[str, Any] | str | None = None,
    qid: Sequence[str] | None = None,
    worst: int = 10,
) -> Judgement:
    """Judge a table, a release, or explicit groups, exactly as they stand.

    Give ``requirements`` (a model, its spec, an id, or a list of these) with ``qid``, or a ``policy``. Missing values count
    as a value of their own. The answer is true if every requirement holds; each verdict lists the worst groups.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Job", "Sex"], [("Artist", "F"), ("Artist", "F"), ("Lawyer", "M")])
    >>> [verdict.strongest for verdict in check(table, {"id": "k-anonymity", "k": 2}, qid=["Job", "Sex"])]
    [1]
    """
    asked = Policy.of(policy) if policy is not None else None
    models = _models(requirements, asked)
    if isinstance(source, GroupStats):
        return Judgement(tuple(model.check(source, worst=worst) for model in models))
    table = open_table(source, asked)
    if asked is not None:
        check_roles(table, asked)
        qid = qid or asked.of_role(Role.QUASI_IDENTIFIER)
    verdicts = []
    for model in models:
        names = model.qid or (tuple(qid) if qid else ())
        if not names:
            raise BadRequest("needs the columns an adversary may know", parameter="qid", available=table.columns)
        for name in names:
            if name not in table.types:
                raise BadRequest("is not a column of the table", parameter="qid", value=name, available=table.columns)
        verdicts.append(model.check(table.groups(names, model.needs()), worst=worst))
    return Judgement(tuple(verdicts))


def _models(requirements: Any, policy: Policy | None) -> list[GroupModel]:
    if requirements is None:
        if policy is None:
            raise BadRequest("give requirements or a policy", parameter="requirements")
        return policy.models()
    given = requirements if isinstance(requirements, (list, tuple)) else [requirements]
    return [entry if isinstance(entry, GroupModel) else build(entry, "model") for entry in given]
