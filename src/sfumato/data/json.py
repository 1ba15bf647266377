"""What a JSON document can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from typing_extensions import TypeAliasType

__all__ = ["Json", "finite"]

Json = TypeAliasType("Json", "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None")


def finite(value: object) -> object:
    """Write infinite numbers as text: JSON has none."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value
