"""Special-purpose and search metrics by the worked figures: classes, steps, counterfeit records, suppression budgets."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.contracts.metric import Coarsening, Refinement
from sfumato.metrics import IGPL, ILPG, DiscernibilityIncrease, DistinctiveAttribute, InfoGain
from sfumato.metrics.ilpg import anonymity_gain


def test_classification_metric(golden: Callable[..., Any]) -> None:
    with golden("02-classification-metric-1") as file:
        rows = [(f"group {at}", value) for at, values in enumerate(file.input["groups"]) for value in values]
        raw = sfumato.from_rows(["qid", "class"], rows)
        as_it_is = sfumato.measure(raw, raw, "classification-metric", qid=["qid"], target="class")
        file.compare(as_it_is.value, "cm")
        kept = [row for at, row in enumerate(rows) if at not in file.input["suppressed_rows_second_case"]]
        released = sfumato.from_rows(["qid", "class"], kept)
        measured = sfumato.measure(raw, released, "classification-metric", qid=["qid"], target="class")
        file.compare(measured.value, "cm_with_suppression")


def test_distinctive_attribute(golden: Callable[..., Any]) -> None:
    with golden("02-distinctive-attribute-1") as file:
        table = file.table()
        distinct = {name: table.distinct([name]) for name in file.input["qid"]}
        file.compare(distinct, "distinct")
        file.compare(DistinctiveAttribute().choose(distinct), "chosen")


def test_igpl_of_two_candidates(golden: Callable[..., Any]) -> None:
    with golden("02-igpl-1", tolerance=5e-7) as file:
        table, qid, target = file.table(), file.input["qid"], file.input["class"]
        for name, tree in file.input["taxonomies"].items():
            groups = [{"id": "subtree-generalization", "cut": cut} for cut in _one_step(tree)]
            others = {
                other: {"id": "full-domain-generalization", "level": _height(file.input["taxonomies"][other])}
                for other in qid
                if other != name
            }
            before, after = (
                sfumato.recode(table, {name: spec, **others}, file.input["taxonomies"]).table for spec in groups
            )
            classes = after.groups([name], [target]).histograms[target].dense()
            step = Refinement(classes.sum(axis=0), classes[None], 1.0, np.full((1, len(classes)), 0.5))
            lost = float(before.groups(qid).sizes.min() - after.groups(qid).sizes.min())
            root = tree["value"]
            file.compare(float(InfoGain().gain(step)[0]), root, "infogain")
            file.compare(int(lost), root, "privacy_loss")
            file.compare(float(IGPL().score(IGPL().gain(step), np.array([lost]))[0]), root, "igpl")


def _height(tree: dict[str, Any]) -> int:
    return 1 + max(map(_height, tree["children"])) if tree.get("children") else 0


def _one_step(tree: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the cut at the root, and the one that its specialization gives."""
    return (tree["value"],), tuple(child["value"] for child in tree["children"])


def test_igpl_with_several_quasi_identifiers(golden: Callable[..., Any]) -> None:
    with golden("02-igpl-2") as file:
        concerned = [qid for qid in file.input["qids"] if file.input["attribute"] in qid["attrs"]]
        lost = float(np.mean([qid["before"] - qid["after"] for qid in concerned]))
        file.compare(lost, "privacy_loss")
        file.compare(float(IGPL().score(np.array([file.input["infogain"]]), np.array([lost]))[0]), "igpl")


def test_information_privacy_of_bottom_up_steps(golden: Callable[..., Any]) -> None:
    with golden("03-bug-metric-1") as file:
        table, vid, k = file.table(), file.input["vid"], file.input["K"]
        metric, start = ILPG(), table.groups(file.input["vid"])
        anonymity = int(start.sizes.min())
        names, costs, gains = list(file.expected["metrics"]), [], []
        for name in names:
            column, tree = next((c, t) for c, t in file.input["taxonomies"].items() if _find(t, name))
            node = _find(tree, name) or {}
            children = [child["value"] for child in node["children"]]
            counted = table.groups([column], ["Class"])
            present = [at for at, value in enumerate(counted.keys[0]) if value in children]
            mapping = {v: name if v in children else v for v in table.dictionary(column).values}
            after = table.recode({column: mapping}).groups(vid)
            share = np.full(len(present), 0.25)
            step = Coarsening(
                counted.histograms["Class"].dense()[present], share, 0.5, start.sizes.copy(), after.sizes.copy()
            )
            costs.append(metric.cost(step))
            gains.append(float(anonymity_gain(anonymity, int(after.sizes.min()), k)))
            score = float(metric.score(np.array(costs[-1:]), np.array(gains[-1:]))[0])
            found = {
                "I": costs[-1],
                "A_G": int(after.sizes.min()),
                "P": int(gains[-1]),
                "IP": None if score == np.inf else score,
            }
            file.compare(found, "metrics", name)
        file.compare([name for name, gain in zip(names, gains, strict=True) if gain > 0], "critical")
        file.compare(names[metric.best(np.array(costs), np.array(gains))], "best")


def _find(tree: dict[str, Any], label: str) -> dict[str, Any] | None:
    if tree["value"] == label:
        return tree
    found = (_find(child, label) for child in tree.get("children", ()))
    return next((entry for entry in found if entry is not None), None)


def test_discernibility_as_a_search_metric(golden: Callable[..., Any]) -> None:
    file = golden("02-discernibility-metric-1")
    for name, sizes in file.input["before"].items():
        before = np.array(sizes)
        step = Coarsening(before[:, None], np.full(2, 0.25), 0.5, before, np.array([before.sum()]))
        file.compare(DiscernibilityIncrease().cost(step), "dm_increase", name)
        file.compare(DiscernibilityIncrease(mode="seed-literal").cost(step), "sum_sq_before", name)


def test_discernibility_ratio(golden: Callable[..., Any]) -> None:
    with golden("03-discernibility-ratio-1") as file:
        rows = [(f"group {at}",) for at, size in enumerate(file.input["group_sizes"]) for _ in range(size)]
        table = sfumato.from_rows(["qid"], rows)
        measured = sfumato.measure(table, table, ["discernibility", "discernibility-ratio"], qid=["qid"])
        file.compare(measured["discernibility"].value, "DM")
        file.compare(measured["discernibility-ratio"].value, "DR")


# The releases that the two golden files measure: blocks of rows that share their published quasi-identifiers, and rows
# that were added to a block to hide what is frequent in it.
BLOCKS: dict[str, list[tuple[tuple[str, str], list[int], int]]] = {
    "07-personal-privacy-metrics-1": [(("486**", "[20-40]"), [0, 1, 2, 3], 1), (("48***", "[50-60]"), [8, 9], 2)],
    "07-personal-privacy-metrics-2": [(("48***", "[20-60]"), list(range(10)), 0)],
}


@pytest.mark.parametrize("name", BLOCKS)
def test_personal_privacy(golden: Callable[..., Any], name: str) -> None:
    with golden(name) as file:
        raw, qid = file.table(), file.input["qid"]
        shown = [tuple(map(str, row)) for row in raw.select(qid).to_rows()]
        added: list[tuple[str, str]] = []
        for value, members, counterfeits in BLOCKS[name]:
            for row in members:
                shown[row] = value
            added += [value] * counterfeits
        # Where the added rows stand must not matter: they come first.
        released = sfumato.from_rows(qid, [*added, *shown])
        measured = sfumato.measure(
            raw,
            released,
            [{"id": "minimal-distortion", "penalty": file.input["penalty"]}, "discernibility", "precision"],
            hierarchies=file.input["taxonomies"],
            added=range(len(added)),
        )
        file.compare(int(measured["minimal-distortion"].value), "md")
        file.compare(measured["discernibility"].value, "dm")
        file.compare(str(Fraction(measured["precision"].value).limit_denominator(10**6)), "precision_loss")


def test_merging_may_raise_the_records_to_suppress(golden: Callable[..., Any]) -> None:
    with golden("02-monotonicity-with-suppression-1") as file:
        spec = {"id": "confidence-bounding", "h": file.input["h"], "sensitive": "value", "value": "s"}
        groups = sfumato.GroupStats.from_histograms(file.input["groups"], "value")
        merged = groups.merge([0, 0])
        (before,) = sfumato.check(groups, spec)
        (after,) = sfumato.check(merged, spec)
        file.compare(before.violating_records, "violating_records_before")
        file.compare(after.violating_records, "violating_records_after_merge")
        file.compare(float(merged.histograms["value"].of("s")[0] / merged.sizes[0]), "confidence_after_merge")
        model = sfumato.models.ConfidenceBounding(h=file.input["h"], sensitive="value", value="s")
        assert model.traits.closed_under_merge
        assert not model.traits.violations_shrink_under_merge
