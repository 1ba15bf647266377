"""All releases of a series side by side: what an adversary has who kept them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.model import Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.sequels.series import Series

__all__ = ["WholeSeries"]


class WholeSeries(ReleaseKind):
    """All releases of a series side by side, each a table of its own; it is read and attacked, never written."""

    shape: ClassVar[str] = "series"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True, mixed_granularity=True, verifiable="every requirement on the series", searched=True
    )

    series: Series

    def part_names(self) -> tuple[str, ...]:
        """Return a name for each release, by its number."""
        return tuple(f"release-{number}" for number in range(1, len(self.series) + 1))

    def verify(
        self, parts: Parts, models: Sequence[Any], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge all releases together."""
        return [model.judge(self.series) for model in models]

    def statement(self) -> Statement:
        """Say that everything about the series follows from its releases."""
        return Statement(["every requirement on the series"], ["whose records they are"])
