"""Mining results in files: JSON with itemsets, rules or leaves, and the lines that miners of frequent sets write."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.itemsets.patterns import Patterns

__all__ = ["read_result"]

_LINE = re.compile(r"^(?P<items>.*?)\s*(?:\((?P<bracket>\d+)\)|#SUP:\s*(?P<spmf>\d+))\s*$")
_PICKLES = (".pkl", ".pickle", ".joblib", ".skops")


def read_result(path: str | Path) -> Mapping[str, Any] | Patterns:
    """Return what a file says: a JSON object, or the sets of lines such as ``a b (12)`` and ``a b #SUP: 12``."""
    file = Path(path)
    if file.suffix in _PICKLES:
        raise Unsupported(
            say("results.bad.runs_code", suffix=file.suffix),
            thing="check-results",
        )
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadRequest("is not there", parameter="result", value=str(path)) from None
    except (OSError, UnicodeDecodeError):
        raise BadRequest(say("results.bad.no_text"), parameter="result", value=str(path)) from None
    if file.suffix == ".json":
        try:
            held = json.loads(text)
        except json.JSONDecodeError as error:
            raise BadRequest(
                say("results.bad.no_json", line=error.lineno), parameter="result", value=str(path)
            ) from None
        if not isinstance(held, Mapping):
            raise BadRequest(say("results.bad.no_object"), parameter="result", value=str(path))
        return held
    supports: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        found = _LINE.match(line)
        if found is None:
            raise BadRequest(say("results.bad.line", line=number), parameter="result")
        supports[tuple(found["items"].split())] = int(found["bracket"] or found["spmf"])
    return Patterns.of(supports)
