"""A nested tree of labels, as a certificate writes it, node by node."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["nodes"]


def nodes(nested: object) -> list[tuple[str, int]]:
    """Return each node's label and the place of its parent, parents first; the root has none, -1."""
    out: list[tuple[str, int]] = []

    def walk(entry: object, above: int) -> None:
        label, below = _entry(entry)
        out.append((label, above))
        here = len(out) - 1
        for child in below:
            walk(child, here)

    walk(nested, -1)
    return out


def _entry(entry: object) -> tuple[str, list[object]]:
    """Read ``{"value": label, "children": [...]}``, ``{label: [...] or {...}}`` or a plain label."""
    if not isinstance(entry, Mapping):
        return str(entry), []
    if _full(entry):
        return str(entry["value"]), _below(entry.get("children"))
    ((label, below),) = entry.items()
    return str(label), _below(below)


def _full(entry: Mapping[str, object]) -> bool:
    return entry.get("value") is not None and not isinstance(entry["value"], (Mapping, list, tuple))


def _below(below: object) -> list[object]:
    if below is None:
        return []
    if isinstance(below, Mapping) and not _full(below):
        return [{label: deeper} for label, deeper in below.items()]
    return list(below) if isinstance(below, (list, tuple)) else [below]
