"""The order of published labels where nothing but the labels tells it: intervals and numbers by size, others after them."""

from __future__ import annotations

from sfumato.data.text import parse_interval

__all__ = ["place"]


def place(label: str) -> tuple[bool, float, float, str]:
    """Return what to sort a label by.

    >>> sorted(["*", "[10-20)", "9"], key=place)
    ['9', '[10-20)', '*']
    """
    try:
        low, high, _ = parse_interval(label) or (float(label), float(label), True)
    except ValueError:
        return True, 0.0, 0.0, label
    return False, low, high, label
