"""Marginals, recounted: the written combinations of each publication with their numbers, beside what labels stand for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Key, Number, Part

__all__ = ["counted"]

_COUNT = "count"


def counted(
    parts: Mapping[str, Part],
    names: Sequence[str],
    sensitive: str,
    base: bool,
    covers: Sequence[tuple[str, str, Sequence[str]]],
) -> Counted:
    """Take a group for each publication: its columns, the sensitive one and what labels stand for, as texts; and its cells."""
    told = json.dumps([[column, label, list(finer)] for column, label, finer in covers])
    groups: dict[Key, Mapping[Key, Number]] = {}
    for name in (*(["base"] if base else []), *names):
        columns = [column for column in parts[name].columns if column != _COUNT or name == "base"]
        rows = parts[name].counts(columns) if name == "base" else _numbers(parts[name], columns)
        groups[name, sensitive, json.dumps(columns), told] = {key: count for key, count in rows.items() if count}
    if len({sum(rows.values()) for rows in groups.values()}) > 1:
        raise BadRequest("are not about the same records: their totals differ", parameter="marginals")
    if not any(sensitive in part.columns for part in parts.values()):
        raise BadRequest("is in no publication", parameter="sensitive", value=sensitive)
    return Counted(groups)


def _numbers(part: Part, columns: Sequence[str]) -> Mapping[Key, int]:
    """Return the number that is written beside each combination."""
    found: dict[Key, int] = {}
    for (*texts, number), rows in part.counts([*columns, _COUNT]).items():
        found[tuple(texts)] = found.get(tuple(texts), 0) + int(number or 0) * rows
    return found
