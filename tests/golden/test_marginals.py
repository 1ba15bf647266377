"""Marginals beside an anonymous table: the worked examples of section 8.3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sfumato
from sfumato.views.marginal import MarginalQuery
from sfumato.views.marginal_set import MarginalSet
from sfumato.views.models import MarginalPrivacyCheck
from sfumato.views.releases import build_marginals

Open = Callable[..., Any]


def test_marginals_with_bins(golden: Open) -> None:
    with golden("04-marginal-build-1") as file:
        given = file.input
        table = sfumato.from_rows(given["table"]["columns"], given["table"]["rows"])
        queries = [
            MarginalQuery(
                tuple(one["attributes"]),
                bins=one.get("bins", {}),
                units=dict.fromkeys(one.get("bins", {}), "K"),
                name=one["name"],
                empty=one.get("report_empty"),
            )
            for one in given["marginals"]
        ]
        for name, found in build_marginals(table, queries).items():
            file.compare([list(row) for row in found.rows()], name)
            assert int(found.counts.sum()) == table.rows


def test_a_marginal_breaks_the_base_table(golden: Open) -> None:
    with golden("04-marginal-privacy-check-1") as file:
        given = file.input
        base = sfumato.from_rows(given["base"]["columns"], given["base"]["rows"])
        columns = [*given["marginal_attributes"], "count"]
        marginal = sfumato.from_rows(columns, given["marginal"])
        both = MarginalSet.of(base, {"marginal": marginal}, sensitive=given["sensitive"])
        found = both.candidates(given["victim"])
        file.compare(list(found.each["base"]), "base_candidates")
        file.compare(list(found.each["marginal"]), "marginal_candidates")
        file.compare(list(found.together), "intersection")
        verdict = MarginalPrivacyCheck(l=given["l"]).judge(both)
        file.compare(verdict.strongest, "distinct_l_diversity")
        file.compare(not verdict.satisfied, "violates")
        alone = MarginalSet.of(base, {}, sensitive=given["sensitive"])
        asked = file.expected["base_is_recursive_c_l"]
        told = {"depth": 3, "diversity": "recursive", "c": asked["c"], "l": asked["l"]}
        loose = MarginalPrivacyCheck(**told).judge(alone).satisfied
        tight = MarginalPrivacyCheck(**told, strict=True).judge(alone).satisfied
        file.compare({"c": asked["c"], "l": asked["l"], "non_strict": loose, "strict": tight}, "base_is_recursive_c_l")
