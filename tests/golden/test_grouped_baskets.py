"""Groups of baskets: their order, their degree, what can be estimated from them; and items that exclude each other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

from sfumato.data.tree import Tree
from sfumato.transactions import Baskets
from sfumato.transactions.algorithms.cahd import Cahd
from sfumato.transactions.basket_groups import BasketGroups
from sfumato.transactions.metrics.reconstruction_error import ReconstructionError
from sfumato.transactions.metrics.value_exclusiveness import ValueExclusiveness, generalized_counts, true_count
from sfumato.transactions.recodings.band_matrix import Band, BandMatrix, bandwidth


def shopping(table: dict[str, Any]) -> tuple[list[str], Baskets]:
    """Return the names of a table of public and private items, and its baskets."""
    names = [row[0] for row in table["rows"]]
    private = {item for row in table["rows"] for item in row[2]}
    return names, Baskets.of([{*row[1], *row[2]} for row in table["rows"]], private=private)


def words(band: Band) -> dict[str, int]:
    return {"upper": band.upper, "lower": band.lower, "bandwidth": band.bandwidth}


def test_band_matrix(golden: Callable[..., Any]) -> None:
    with golden("06-band-matrix-1") as file:
        asked = file.input
        columns = asked["table"]["columns"]
        baskets = {
            row[0]: {name for name, one in zip(columns[1:], row[1:], strict=True) if one}
            for row in asked["table"]["rows"]
        }
        before = [baskets[name] for name in asked["original_row_order"]]
        file.compare(words(bandwidth(before, asked["original_column_order"])), "before")
        after = [baskets[name] for name in asked["reordered_row_order"]]
        file.compare(words(bandwidth(after, asked["reordered_column_order"])), "after")
        public = asked["original_column_order"]
        least = min(bandwidth(rows, names).bandwidth for rows in permutations(before) for names in permutations(public))
        file.compare(least, "minimum_possible_bandwidth")
        order = BandMatrix().order(Baskets.of(before, private=["Pregnancy Test", "Viagra"]))
        assert order.after == bandwidth([before[at] for at in order.rows], order.columns)
        assert least <= order.after.bandwidth < order.before.bandwidth


def test_cahd(golden: Callable[..., Any]) -> None:
    with golden("06-cahd-1") as file:
        asked = file.input
        names, baskets = shopping(asked["table"])
        assert names == asked["row_order"]
        published = [[names.index(name) for name in group] for group in asked["published_groups"]]
        groups = BasketGroups.of(baskets, published)
        file.compare(
            [
                {"group": group, "sensitive": dict(held), "privacy_degree": degree}
                for group, held, degree in zip(asked["published_groups"], groups.private, groups.degrees, strict=True)
            ],
            "group_summaries",
        )
        file.compare(groups.degree, "privacy_degree_of_partition")
        for alpha in asked["alpha"]:
            found = Cahd(alpha=alpha).group(baskets, asked["p"])
            file.compare([[names[at] for at in group] for group in found.groups], "cahd_groups")
            file.compare([names[at] for at in found.leftover], "cahd_leftover_group")
            file.compare(BasketGroups.of(baskets, found.groups).degree, "cahd_privacy_degree")
            attached = Cahd(alpha=alpha, leftovers="attach-nearest-valid").group(baskets, asked["p"])
            assert [[names[at] for at in group] for group in attached.groups] == asked["published_groups"]


def test_reconstruction_error(golden: Callable[..., Any]) -> None:
    with golden("06-reconstruction-error-1") as file:
        asked = file.input
        names, baskets = shopping(asked["table"])
        groups = [[names.index(name) for name in group] for group in asked["groups"]]
        metric = ReconstructionError(item=asked["sensitive_item"], query=asked["query_items"])
        file.compare(
            [
                {"cell": dict(cell.holds), "actual": cell.actual, "estimated": cell.estimated}
                for cell in metric.cells(baskets, groups)
            ],
            "cells",
        )
        file.compare(metric.measure(baskets, groups).value, "kl_divergence")
        found = metric.estimated_count(baskets, groups, {"Cream": 1, "Meat": 0})
        file.compare(found, "estimated_count_cream_without_meat")


def test_value_exclusiveness(golden: Callable[..., Any]) -> None:
    with golden("06-value-exclusiveness-1") as file:
        asked = file.input
        tree = Tree.from_nested(asked["taxonomy"])
        published = generalized_counts(asked["occurrences"], asked["generalized_occurrences"], tree)
        file.compare(published, "published_counts")
        file.compare(ValueExclusiveness().exclusive(published, tree), "value_exclusive")
        file.compare(list(true_count("Canada", published, tree)), "true_count_of_canada_lies_in")
