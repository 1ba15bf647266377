"""The data dictionary of a release: a Frictionless Table Schema that says what each column holds and how it was masked.

A release of several tables has a list of resources, each with a name and a schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.data.schema import ColumnType, Role

__all__ = ["MARKED", "package_schema", "schema_parts", "schema_types", "table_schema"]

_TYPES = {
    ColumnType.INTEGER: "integer",
    ColumnType.NUMBER: "number",
    ColumnType.BOOLEAN: "boolean",
    ColumnType.DATE: "date",
    ColumnType.DATETIME: "datetime",
    ColumnType.TEXT: "string",
}

MARKED = "Texts that a spreadsheet takes for formulas have an apostrophe before them."
"""What a schema says of files that were written so."""

_LISTED = 200  # labels of a masked column are listed up to this many


def table_schema(
    types: Mapping[str, ColumnType],
    roles: Mapping[str, Role],
    recodings: Mapping[str, ColumnRecoding],
    operation: TableRecoding | None = None,
) -> dict[str, Any]:
    """Return the schema of the published columns, in order; ``operation`` masked the quasi-identifiers without a recoding."""
    fields: list[dict[str, Any]] = []
    for name, kind in types.items():
        field: dict[str, Any] = {"name": name, "type": _TYPES[kind], "role": str(roles[name])}
        recoding = recodings.get(name)
        if recoding is not None:
            labels = {*recoding.published(), *(operation.marks(name) if operation is not None else ())}
            field["operation"] = recoding.id
            if not recoding.identity and len(labels) <= _LISTED:
                field["constraints"] = {"enum": sorted(labels)}
        elif operation is not None and roles[name] is Role.QUASI_IDENTIFIER:
            field["operation"] = operation.id
            shown = operation.published(name)
            if kind is ColumnType.TEXT and shown is not None and len(shown) <= _LISTED:
                field["constraints"] = {"enum": sorted(shown)}
        elif roles[name] is Role.IDENTIFIER:
            field["operation"] = "pseudonymization"  # the only form in which an identifier is published
        fields.append(field)
    return {"fields": fields, "missingValues": [""]}


def package_schema(
    tables: Mapping[str, tuple[str, Mapping[str, ColumnType]]], roles: Mapping[str, Role]
) -> dict[str, Any]:
    """Return the schemas of several tables, given by part as file name and column types; unknown columns are plain."""
    resources = []
    for part, (path, types) in tables.items():
        known = {name: roles.get(name, Role.PLAIN) for name in types}
        resources.append({"name": part, "path": path, "schema": table_schema(types, known, {})})
    return {"resources": resources}


def schema_parts(schema: Mapping[str, Any], first: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the schema of each table by part; that of a single one is the document itself."""
    if "resources" in schema:
        return [(entry["name"], entry["schema"]) for entry in schema["resources"]]
    return [(first, schema)]


def schema_types(schema: Mapping[str, Any]) -> dict[str, ColumnType]:
    """Return the column types that a schema names: the inverse of :func:`table_schema`."""
    types = {text: kind for kind, text in _TYPES.items()}
    return {field["name"]: types[field["type"]] for field in schema["fields"]}
