"""k-anonymity with wildcards, recounted: how many rows may be the same as each, empty cells matching every text."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Key, Level, Number, lowest

__all__ = ["level"]


_EMPTY = (None, "?", "*")


def level(groups: Groups, *, k: int) -> Level:
    """Judge every row by the rows that match it; rows with the same cells empty are looked up together."""
    sizes = {key: sum(rows.values()) for key, rows in groups.items()}
    by_shown: dict[tuple[int, ...], dict[Key, Number]] = {}
    for key, count in sizes.items():
        by_shown.setdefault(tuple(at for at, text in enumerate(key) if text not in _EMPTY), {})[key] = count
    found: dict[Key, Number] = dict.fromkeys(sizes, 0)
    for mine, rows in by_shown.items():
        for theirs, others in by_shown.items():
            both = [at for at in mine if at in theirs]
            shared: dict[Key, Number] = {}
            for key, count in others.items():
                texts = tuple([key[at] for at in both])
                shared[texts] = shared.get(texts, 0) + count
            for key in rows:
                found[key] += shared.get(tuple([key[at] for at in both]), 0)
    return lowest(found.values(), k)
