"""Average risk and sample uniqueness, recounted: groups, or groups of one row, over rows."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Level, Number, at_most

__all__ = ["level", "share_of_rows"]


def level(groups: Groups, *, threshold: float) -> Level:
    """Judge the number of groups over that of rows."""
    sizes = [sum(rows.values()) for rows in groups.values()]
    return share_of_rows(sizes, [1] * len(sizes), threshold)


def share_of_rows(sizes: list[Number], counted: list[int], threshold: float) -> Level:
    """Judge a share of rows; what is too much goes with the smallest groups."""
    if not sizes:
        return Level(None, 0, True)
    left, rows, gone = sum(counted), sum(sizes), 0
    share = left / rows
    for size, one in sorted(zip(sizes, counted, strict=True)):
        if at_most(left / rows, float(threshold)):
            break
        left, rows, gone = left - one, rows - size, gone + 1
    return Level(share, gone, gone == 0)
