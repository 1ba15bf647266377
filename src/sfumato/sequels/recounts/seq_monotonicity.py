"""Population-relatedness, recounted: records of a release that match none of another one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sfumato.sequels.recounts._join import Join, Rows
from sfumato.sequels.recounts._texts import Level, Parents

__all__ = ["level"]


def level(
    releases: Sequence[Rows],
    *,
    columns: Sequence[Sequence[str]],
    parents: Mapping[str, Parents],
    join: Sequence[str] | None = None,
    inconsistent: Sequence[Sequence[str]] = (),
    numbers: Collection[str] = (),
) -> Level:
    """Count records that match nobody; ``columns`` are those of each release, ``numbers`` those that hold bare numbers."""
    alone = Join(releases, columns, parents, join, inconsistent, numbers).alone()
    return Level(sum(alone), sum(map(bool, alone)), not any(alone))
