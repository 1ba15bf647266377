"""Several sensitive columns: one requirement for each, with or without the others as knowledge of the adversary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Literal

from sfumato.contracts.model import TableModel
from sfumato.errors import BadRequest

__all__ = ["expand"]


def expand(
    model: TableModel,
    sensitive: Sequence[str],
    reading: Literal["independent", "strict"] = "independent",
    *,
    qid: Sequence[str] | None = None,
) -> list[TableModel]:
    """Return the model once for each sensitive column; all of them must hold.

    Parameters
    ----------
    model
        A requirement with a parameter ``sensitive``; what it says there is replaced.
    sensitive
        The sensitive columns.
    reading
        ``independent`` asks of each column what the model says. ``strict`` adds the other sensitive columns to the
        quasi-identifier of each check: an adversary may have learnt them. Only then is the model kept when values of one
        sensitive column are found out by other means. Such requirements are for checks: a search that masks
        quasi-identifiers only does not mask sensitive columns.
    qid
        The quasi-identifier, needed for ``strict`` if the model names none.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", 2007,
    doi:10.1145/1217299.1217302.

    Examples
    --------
    >>> from sfumato.models.l_diversity_distinct import DistinctLDiversity
    >>> model = DistinctLDiversity(l=2, sensitive="Disease", qid=("Job", "Sex"))
    >>> [strict.qid for strict in expand(model, ["Disease", "Income"], "strict")]
    [('Job', 'Sex', 'Income'), ('Job', 'Sex', 'Disease')]
    """
    if reading not in ("independent", "strict"):
        raise BadRequest(
            "is not one of the choices", parameter="reading", value=reading, available=["independent", "strict"]
        )
    if not any(declared.name == "sensitive" for declared in fields(model)):
        raise BadRequest("the model has no sensitive column", parameter="model", value=model.id)
    names = list(sensitive)
    if not names or len(set(names)) != len(names):
        raise BadRequest("must name at least one column, and none twice", parameter="sensitive", value=names)
    known = model.qid if model.qid is not None else (tuple(qid) if qid is not None else None)
    for name in names:
        if known is not None and name in known:
            raise BadRequest(
                "a sensitive column cannot be part of the quasi-identifier",
                parameter="sensitive",
                value=name,
                available=known,
            )
    if reading == "independent":
        return [_with(model, known, name) for name in names]
    if known is None:
        raise BadRequest("the strict reading needs the quasi-identifier", parameter="qid")
    return [_with(model, (*known, *(other for other in names if other != name)), name) for name in names]


def _with(model: TableModel, qid: tuple[str, ...] | None, sensitive: str) -> TableModel:
    # That the model has a field of this name was seen above; its class is known only at run time.
    changed: dict[str, Any] = {"qid": qid, "sensitive": sensitive}
    return replace(model, **changed)
