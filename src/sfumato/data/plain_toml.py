"""TOML that holds texts only, soon: thousands of lines of one form need no parser that knows every form."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["loads"]

_NAME = r"([\w-]+(?:\.[\w-]+)*)"
_LINE = re.compile(rf'^(?:\[{_NAME}\]|{_NAME} = "([^"\\\t\r\n]*)"|(?:#[^\r\n]*)?)$', re.MULTILINE | re.ASCII)


def loads(text: str) -> dict[str, Any]:
    """Return a document as ``tomllib`` does, which reads it if any line is more than a text without a backslash.

    >>> loads('[form]\\nand = "and"\\n[records]\\nnone.left = "no record"\\n')
    {'form': {'and': 'and'}, 'records': {'none': {'left': 'no record'}}}
    """
    plain = _plain(text)
    if plain is not None:
        return plain
    import tomllib

    return tomllib.loads(text)


def _plain(text: str) -> dict[str, Any] | None:
    """Read names of tables, and texts, each on a line; nothing if there is any other line, or a name or a key twice."""
    lines = _LINE.findall(text)
    if len(lines) != text.count("\n") + 1:
        return None
    document: dict[str, Any] = {}
    table: dict[str, Any] | None = document
    begun: set[str] = set()
    for name, key, held in lines:
        if name:
            table = None if name in begun else _inside(document, name.split("."))
            begun.add(name)
        if table is None:
            return None
        if key:
            *names, last = key.split(".")
            place = _inside(table, names)
            if place is None or last in place:
                return None
            place[last] = held
    return document


def _inside(table: dict[str, Any], names: list[str]) -> dict[str, Any] | None:
    """Return the table of these names in another one, which is made if need be; nothing if a text is there."""
    for name in names:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            return None
    return table
