"""What a site sees of others when it takes out its own records, compared with plain counting."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.groups.stats import GroupStats
from sfumato.models import InsiderResidual, insider_residuals

GROUP = st.dictionaries(st.sampled_from("nsw"), st.integers(1, 4), min_size=1, max_size=3)


@given(st.lists(GROUP, min_size=1, max_size=4), st.integers(1, 4))
def test_residuals_are_those_of_plain_counts(groups: list[dict[str, int]], k: int) -> None:
    sites = sorted({site for group in groups for site in group})
    plain = {
        site: min((left for group in groups if (left := sum(group.values()) - group.get(site, 0))), default=None)
        for site in sites
    }
    stats = GroupStats.from_histograms(groups, column="site")
    assert insider_residuals(stats, "site") == plain
    found = [left for left in plain.values() if left is not None]
    verdict = InsiderResidual(k=k, sensitive="site").check(stats)
    assert verdict.satisfied == all(left >= k for left in found)
