"""The data dictionary of a release: a Frictionless Table Schema that says what each column holds and how it was masked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.schema import ColumnType, Role

__all__ = ["table_schema"]

_TYPES = {
    ColumnType.INTEGER: "integer",
    ColumnType.NUMBER: "number",
    ColumnType.BOOLEAN: "boolean",
    ColumnType.DATE: "date",
    ColumnType.DATETIME: "datetime",
    ColumnType.TEXT: "string",
}

_LISTED = 200  # labels of a masked column are listed up to this many


def table_schema(
    types: Mapping[str, ColumnType], roles: Mapping[str, Role], recodings: Mapping[str, ColumnRecoding]
) -> dict[str, Any]:
    """Return the schema of the published columns, in order."""
    fields: list[dict[str, Any]] = []
    for name, kind in types.items():
        field: dict[str, Any] = {"name": name, "type": _TYPES[kind], "role": str(roles[name])}
        recoding = recodings.get(name)
        if recoding is not None:
            labels = recoding.published()
            field["operation"] = recoding.id
            if not recoding.identity and len(labels) <= _LISTED:
                field["constraints"] = {"enum": sorted(labels)}
        fields.append(field)
    return {"fields": fields, "missingValues": [""]}
