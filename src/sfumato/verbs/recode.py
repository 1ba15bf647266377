"""Apply given recodings to a table: what a search would do, decided by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.catalogue import build, find
from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.contracts.run import Run
from sfumato.contracts.thing import Thing
from sfumato.errors import BadRequest
from sfumato.tables.open import open_table
from sfumato.tables.recode import Recoded, recode_table, tree_of

__all__ = ["recode"]

UNKNOWN = ("declared", "refuse", "root")


def recode(
    source: object,
    recodings: object,
    hierarchies: Mapping[str, object] | None = None,
    *,
    unknown: str = "declared",
    run: Run | None = None,
) -> Recoded:
    """Return the table with recodings applied.

    ``recodings`` maps columns to a recoding or its spec (``{"id": "full-domain-generalization", "level": 1}``), or is one
    operation on whole records, such as ``{"id": "record-suppression", ...}``. ``hierarchies`` gives the tree (or nested
    mapping, or builder) of each column where the spec has none. ``unknown`` is the rule for values a recoding has no place
    for: ``declared``, ``refuse`` or ``root``.
    """
    if unknown not in UNKNOWN:
        raise BadRequest("is not a rule", parameter="unknown", value=unknown, available=UNKNOWN)
    run = Run.of(run)
    table = open_table(source, run=run)
    run.stage("recoding")
    if isinstance(recodings, Mapping) and "id" in recodings and "id" not in table.types:
        recodings = _operation(table, recodings, hierarchies or {})
    if isinstance(recodings, TableRecoding):
        return Recoded.of(recodings.apply(table, unknown=unknown), {}, [recodings])
    if isinstance(recodings, Thing) and hasattr(recodings, "apply"):
        return Recoded.of(recodings.apply(table), {})
    if not isinstance(recodings, Mapping):
        raise BadRequest("must map columns to recodings, or be an operation on whole records", parameter="recodings")
    made: dict[str, ColumnRecoding] = {}
    for name, given in recodings.items():
        if name not in table.types:
            raise BadRequest("is not a column of the table", column=name, value=name, available=table.columns)
        made[name] = given if isinstance(given, ColumnRecoding) else _from_spec(table, name, given, hierarchies or {})
    return recode_table(table, made, unknown=unknown)


def _operation(table: Table, spec: Mapping[str, Any], hierarchies: Mapping[str, object]) -> Thing:
    known = find(str(spec["id"]), "operation")
    if issubclass(known, ColumnRecoding):
        raise BadRequest(
            f"{known.id} recodes one column; say which: {{column: recoding}}", parameter="recodings", value=known.id
        )
    if "trees" in known.__dataclass_fields__ and "trees" not in spec and hierarchies:
        others = {*(spec.get("ranges") or ()), *(spec.get("orders") or ())}
        names = [name for name in spec.get("qid", hierarchies) if name in hierarchies and name not in others]
        spec = {**spec, "trees": {name: tree_of(table, name, hierarchies[name])[0] for name in names}}
    return known.from_spec(spec)


def _from_spec(
    table: Table, name: str, spec: Mapping[str, object], hierarchies: Mapping[str, object]
) -> ColumnRecoding:
    spec = dict(spec)
    known = find(str(spec.get("id")), "operation")
    if "tree" in known.__dataclass_fields__ and "tree" not in spec:
        if name not in hierarchies:
            raise BadRequest("needs a hierarchy", column=name, parameter=known.id, available=hierarchies)
        tree, builder = tree_of(table, name, hierarchies[name])
        spec |= {"tree": tree, "hierarchy": builder}
    recoding: ColumnRecoding = build(spec, "operation")
    return recoding
