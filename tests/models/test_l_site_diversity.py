"""Diversity of sites is diversity of the column that names them, which is read and never published."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato
from sfumato.groups.stats import GroupStats
from sfumato.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    EntropyLSiteDiversity,
    LSiteDiversity,
    RecursiveLDiversity,
    RecursiveLSiteDiversity,
)

GROUPS = GroupStats.from_histograms([{"n": 3, "s": 1}, {"n": 2, "s": 2, "w": 1}, {"w": 4}], column="site")


def test_sites_are_counted_as_values_are() -> None:
    for site, value in (
        (LSiteDiversity(l=2, sensitive="site"), DistinctLDiversity(l=2, sensitive="site")),
        (EntropyLSiteDiversity(l=1.5, sensitive="site"), EntropyLDiversity(l=1.5, sensitive="site")),
        (RecursiveLSiteDiversity(c=3, l=2, sensitive="site"), RecursiveLDiversity(c=3, l=2, sensitive="site")),
    ):
        assert site.measure(GROUPS).tolist() == value.measure(GROUPS).tolist()
        assert site.check(GROUPS).satisfied == value.check(GROUPS).satisfied


@pytest.mark.parametrize("algorithm", ["mondrian", "optimal", "tdr"])
def test_a_search_keeps_sites_apart_from_what_it_publishes(tmp_path: Path, algorithm: str) -> None:
    rows = [(20 + at % 7, "nsw"[at % 3], "flu" if at % 2 else "hiv") for at in range(42)]
    policy = {
        "columns": {
            "age": {
                "role": "quasi-identifier",
                "hierarchy": {"id": "intervals", "lower": 0, "width": 5, "fan_out": [4, 4]},
            },
            "site": {"role": "private"},
            "ill": {"role": "sensitive"},
        },
        "requirements": [{"id": "l-site-diversity", "l": 3, "sensitive": "site"}],
        "algorithm": {"id": algorithm},
    }
    released = sfumato.anonymize(sfumato.from_rows(["age", "site", "ill"], rows), policy)
    assert released.table.columns == ("age", "ill")
    (verdict,) = released.verdict.verdicts
    assert verdict.strongest == 3
    folder = tmp_path / "release"
    sfumato.publish(released, folder)
    checked = sfumato.verify(folder / "public")
    assert checked
