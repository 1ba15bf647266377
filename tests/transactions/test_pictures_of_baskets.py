"""Pictures of baskets tell in numbers what was done, and a stranger nothing that the public files do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import sfumato
from sfumato.catalogue import shape_of
from sfumato.contracts.picture import Bars, Curves
from sfumato.contracts.run import Run
from sfumato.publishing.published import open_published


def _release(algorithm: str) -> sfumato.Release:
    rng = np.random.default_rng(4)
    baskets = [{name for name in "abcdefgh" if rng.random() < 0.3} | {"z"} for _ in range(80)]
    return sfumato.anonymize(
        baskets,
        {
            "shape": "transactions",
            "items": {"fan_out": 3},
            "requirements": [{"id": "km-anonymity", "k": 12, "m": 2}],
            "algorithm": {"id": algorithm},
        },
    )


def test_what_became_of_items_adds_up() -> None:
    for algorithm in ("mole-suppression", "apriori-anonymization"):
        release = _release(algorithm)
        drawn = shape_of("transactions").pictures(release, Run())
        bars = [one for one in drawn if isinstance(one, Bars)]
        assert sum(bars[0].after) == release.measured["lost-items"].denominator
        kept, general, out = bars[0].after
        assert (general > 0, out > 0) == ((False, True) if algorithm == "mole-suppression" else (True, False))
        assert all(now <= was for now, was in zip(bars[1].after, bars[1].before or (), strict=True))
        assert kept >= 0
        assert sum(bars[2].after) > 0


def test_a_stranger_sees_published_supports_alone(tmp_path: Path) -> None:
    sfumato.publish(_release("mole-suppression"), tmp_path / "out")
    inside = (tmp_path / "out" / "private" / "report.html").read_text(encoding="utf-8")
    outside = (tmp_path / "out" / "public" / "report.html").read_text(encoding="utf-8")
    assert "What became of items" in inside
    assert "a share of " in inside
    assert "What became of items" not in outside
    assert "How frequent items are" in outside
    public = open_published(tmp_path / "out" / "public")
    assert [type(one) for one in shape_of("transactions").pictures(public, Run())] == [Curves]
