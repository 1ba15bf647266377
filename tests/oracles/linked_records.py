"""The records of a release, each beside the number of its group, as the private links tell by their values."""

from __future__ import annotations

from typing import Any


def records_by_group(release: Any) -> list[tuple[Any, ...]]:
    """Return the raw values and the group of every record, in the order of values."""
    return [row[:-1] for row in release.private.links.to_rows() for _ in range(row[-1])]
