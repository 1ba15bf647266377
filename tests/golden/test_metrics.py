"""What a release costs, by the worked figures of Tables 2.2 and 2.4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import sfumato
from sfumato import Tree
from sfumato.metrics import Discernibility, ILoss


def generalized(file: Any) -> tuple[Any, Any]:
    """Return the raw table and its full-domain recoding to the levels of the file."""
    levels = {
        name: {"id": "full-domain-generalization", "level": level} for name, level in file.input["levels"].items()
    }
    raw = file.table()
    return raw, sfumato.recode(raw, levels, file.input["taxonomies"])


def test_discernibility_of_a_step(golden: Callable[..., Any]) -> None:
    with golden("02-discernibility-metric-1") as file:
        metric = Discernibility()
        distortion, before, after, increase = {}, {}, {}, {}
        for name, sizes in file.input["before"].items():
            members = [f"{name} {number}" for number in range(len(sizes))]
            tree = {name: members}
            table = sfumato.from_rows(
                ["job"], [(m,) for m, size in zip(members, sizes, strict=True) for _ in range(size)]
            )
            release = sfumato.recode(table, {"job": {"id": "full-domain-generalization", "level": 1}}, {"job": tree})
            fine, coarse = table.groups(["job"]), release.table.groups(["job"])
            distortion[name] = sfumato.measure(table, release, "minimal-distortion").value
            before[name], after[name] = metric.of_groups(fine), metric.of_groups(coarse)
            increase[name] = metric.increase(fine, coarse)
            assert metric.increase(fine, fine.merge([0] * len(sizes))) == increase[name]
            assert sfumato.measure(table, release, "discernibility").value == after[name]
        file.compare(distortion, "md")
        file.compare(before, "sum_sq_before")
        file.compare(after, "sum_sq_after")
        file.compare(increase, "dm_increase")
        file.compare(min(increase, key=lambda name: increase[name]), "cheaper_by_true_dm")


def test_discernibility_of_a_table(golden: Callable[..., Any]) -> None:
    with golden("02-discernibility-metric-2") as file:
        raw, release = generalized(file)
        untouched = sfumato.recode(
            raw,
            {name: {"id": "full-domain-generalization", "level": 0} for name in file.input["qid"]},
            file.input["taxonomies"],
        )
        file.compare(sfumato.measure(raw, untouched, "discernibility").value, "dm_raw")
        file.compare(sfumato.measure(raw, release, "discernibility").value, "dm_generalized")
        file.compare(sfumato.measure(raw, release, {"id": "average-group-size", "k": 3}).value, "c_avg_k3")


def test_iloss(golden: Callable[..., Any]) -> None:
    with golden("02-iloss-1") as file:
        metric = ILoss(weights=file.input["weights"])
        job = Tree.from_nested(file.input["taxonomies"]["Job"])
        file.compare({label: metric.of_value(job, label) for label in file.expected["value"]}, "value")
        measured = sfumato.measure(*generalized(file), metric)
        file.compare(dict(measured.by_attribute), "table_by_attribute")
        file.compare(measured.value, "table")


def test_loss(golden: Callable[..., Any]) -> None:
    with golden("02-loss-metric-1") as file:
        raw, release = generalized(file)
        measured = sfumato.measure(raw, release, {"id": "loss", "aggregate": "sum"})
        file.compare(dict(measured.by_attribute), "lm_by_attribute")
        file.compare(measured.value, "lm")
        mean = sfumato.measure(raw, release, "loss")
        assert mean.value == pytest.approx(measured.value / len(file.input["qid"]))
        file.compare(sfumato.measure(raw, release, {"id": "average-group-size", "k": file.input["k"]}).value, "c_avg")


def test_minimal_distortion(golden: Callable[..., Any]) -> None:
    with golden("02-minimal-distortion-2") as file:
        raw, release = generalized(file)
        measured = sfumato.measure(raw, release, "minimal-distortion")
        file.compare(measured.value, "md")
        file.compare(release.table.rows, "records")
        height = sum(recoding.level for recoding in release.recodings.values())
        file.compare(height, "height")
        assert measured.value == raw.rows * height
