"""Recodings on disk: the learned mapping of every column and of whole records as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.data.schema import ColumnType
from sfumato.data.text import from_text
from sfumato.errors import BadRequest

__all__ = ["load_operations", "load_recodings", "save_recodings"]

FORMAT = 1


def save_recodings(
    recodings: Mapping[str, ColumnRecoding],
    types: Mapping[str, ColumnType],
    operations: Sequence[TableRecoding] = (),
) -> dict[str, object]:
    """Return the JSON form of the recodings of a table, with the types of the raw columns.

    ``operations`` are recodings of whole records, in the order in which they are applied.
    """
    out: dict[str, object] = {
        "recoding": FORMAT,
        "columns": {name: {"type": str(types[name]), **recoding.state()} for name, recoding in recodings.items()},
    }
    if operations:
        out["records"] = [dict(operation.state()) for operation in operations]
    return out


def load_operations(document: Mapping[str, Any]) -> list[TableRecoding]:
    """Return the recodings of whole records from :func:`save_recodings`, in the order in which they are applied."""
    from sfumato.catalogue import build

    _refuse_others(document)
    return [build(saved, "operation") for saved in document.get("records", ())]


def _refuse_others(document: Mapping[str, object]) -> None:
    if not isinstance(document, Mapping) or document.get("recoding") != FORMAT:
        raise BadRequest("is not a saved recoding", parameter="recoding", available=[f"recoding: {FORMAT}"])


def load_recodings(document: Mapping[str, Any]) -> tuple[dict[str, ColumnRecoding], dict[str, ColumnType]]:
    """Return column recodings and raw column types from :func:`save_recodings`."""
    from sfumato.catalogue import build

    _refuse_others(document)
    recodings: dict[str, ColumnRecoding] = {}
    types: dict[str, ColumnType] = {}
    for name, saved in document["columns"].items():
        state = dict(saved)
        kind = types[name] = ColumnType(state.pop("type"))
        if state.get("hierarchy") is not None:
            state["hierarchy"] = build(state["hierarchy"], "hierarchy")
        for key in ("disclosed", "suppressed", "domain"):
            if state.get(key) is not None:
                state[key] = tuple(from_text(text, kind) for text in state[key])
        recodings[name] = build(state, "operation")
    return recodings, types
