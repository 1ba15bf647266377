"""Combined texts of several columns: which of them write a value that is protected."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.recounts._level import Groups, Key, named

__all__ = ["protected"]


def protected(groups: Groups, values: Sequence[object] | None) -> set[Key] | None:
    """Return the combined texts that write one of the values; all count if no values are given."""
    if values is None:
        return None
    every = {texts for rows in groups.values() for texts in rows}
    wanted = [value if isinstance(value, tuple) else (value,) for value in values]
    return {texts for texts in every if any(_write(texts, value) for value in wanted)}


def _write(texts: Key, value: tuple[object, ...]) -> bool:
    return len(texts) == len(value) and all(named([text], [one]) for text, one in zip(texts, value, strict=True))
