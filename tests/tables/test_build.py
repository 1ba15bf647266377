"""What is told of a recoded table: a star that hides one value is called what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sfumato
from sfumato.datasets import hospital

MASKED = {"role": "quasi-identifier"}
WORDS = "* stands for one value of sex only"


def released(rows: list[tuple[object, ...]], sex: dict[str, Any] = MASKED) -> sfumato.Release:
    policy = {"columns": {"sex": sex, "bmi": MASKED}, "requirements": [{"id": "k-anonymity", "k": 5}]}
    return sfumato.anonymize(sfumato.from_rows(["sex", "bmi"], rows), policy)


def test_a_star_that_stands_for_one_value_is_told(tmp_path: Path) -> None:
    rows = hospital(1000).to_polars().select("sex", "bmi").rows()
    release = released(rows)
    assert len({row[0] for row in release.table.to_rows()}) == 2
    assert "*" in {row[0] for row in release.table.to_rows()}
    assert any(text.startswith(WORDS) for text in release.warnings)
    out = sfumato.publish(release, tmp_path / "out")
    assert WORDS in (out / "private" / "report.html").read_text(encoding="utf-8")
    tree = {**MASKED, "hierarchy": {"id": "taxonomy", "tree": {"Any sex": ["female", "male"]}}}
    assert not any(WORDS in text for text in released(rows, tree).warnings)


def test_a_star_that_stands_for_several_values_is_a_mask() -> None:
    rows: list[tuple[object, ...]] = [("f", i % 2) for i in range(12)] + [("m", 1)] * 6 + [("x", 0)] * 2
    release = released(rows)
    assert {row[0] for row in release.table.to_rows()} >= {"*", "m"}
    assert not any(WORDS in text for text in release.warnings)
