"""Diversity, bounded confidence, (X,Y) models and several tables, on tables and groups as they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sfumato
from sfumato import GroupStats, catalogue
from sfumato.contracts.model import GroupModel, Verdict
from sfumato.models import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    MultiRelationalKAnonymity,
    NPDRecursiveLDiversity,
    PDRecursiveLDiversity,
    PSensitiveKAnonymity,
    RecursiveLDiversity,
    XYAnonymity,
    XYLinkability,
    XYPrivacy,
)
from sfumato.models.confidence_bounding import templates
from sfumato.models.l_diversity_distinct import most_groups
from sfumato.models.multir_k_anonymity import owner_groups

Opened = Callable[..., Any]


def judged(table: Any, model: GroupModel, qid: Sequence[str] | None) -> Verdict:
    (verdict,) = sfumato.check(table, model, qid=qid)
    return verdict


def by_group(groups: GroupStats, numbers: Sequence[Any]) -> dict[str, Any]:
    return {"|".join(map(str, groups.key(at))): number for at, number in enumerate(numbers)}


def witnesses(table: Any, model: GroupModel, qid: Sequence[str], name: str) -> dict[str, Any]:
    """Return one entry of the witness of every group; the model must be one that all groups violate."""
    verdict = judged(table, model, qid)
    assert verdict.violating_groups == verdict.groups == len(verdict.violations)
    return {"|".join(map(str, violation.group)): violation.witness[name] for violation in verdict.violations}


def opened(file: Any) -> tuple[Any, Mapping[str, Any], list[str], str]:
    asked = file.input["parameters"]
    return file.table(), asked, asked["qid"], asked["sensitive"]


def test_distinct_values(golden: Opened) -> None:
    with golden("01-l-diversity-distinct-1") as file:
        table, asked, qid, sensitive = opened(file)
        groups = table.groups(qid, [sensitive])
        model = DistinctLDiversity(l=1, sensitive=sensitive)
        file.compare(by_group(groups, model.measure(groups).tolist()), "distinct_per_group")
        file.compare(judged(table, model, qid).strongest, "max_l")
        found = {
            str(l): bool(judged(table, DistinctLDiversity(l=l, sensitive=sensitive), qid)) for l in asked["l_values"]
        }
        file.compare(found, "satisfied")
        for name in file.expected["p_sensitive_k_anonymity"]:
            p, k = (int(part.split("=")[1]) for part in name.split(","))
            verdict = judged(table, PSensitiveKAnonymity(p=p, k=k, sensitive=sensitive), qid)
            file.compare(verdict.satisfied, "p_sensitive_k_anonymity", name)


def test_a_rare_value_limits_the_number_of_groups(golden: Opened) -> None:
    with golden("01-l-diversity-distinct-2") as file:
        asked = file.input["parameters"]
        file.compare(most_groups(asked["sensitive_histogram"], asked["l"]), "max_number_of_groups")
        table = GroupStats.from_histograms([asked["sensitive_histogram"]], column="Disease")
        assert DistinctLDiversity(l=asked["l"], sensitive="Disease").most_groups(table) == 5


def test_frequency(golden: Opened) -> None:
    with golden("01-l-diversity-frequency-1") as file:
        table, asked, qid, sensitive = opened(file)
        strict = FrequencyLDiversity(l=2, sensitive=sensitive)
        file.compare(witnesses(table, strict, qid, "share"), "max_share")
        file.compare(judged(table, strict, qid).strongest, "max_l")
        found = {
            str(l): bool(judged(table, FrequencyLDiversity(l=l, sensitive=sensitive), qid)) for l in asked["l_values"]
        }
        file.compare(found, "satisfied")
        chain = {
            "frequency": FrequencyLDiversity(l=1, sensitive=sensitive),
            "entropy": EntropyLDiversity(l=1, sensitive=sensitive),
            "distinct": DistinctLDiversity(l=1, sensitive=sensitive),
        }
        file.compare({name: judged(table, model, qid).strongest for name, model in chain.items()}, "chain")


def test_entropy(golden: Opened) -> None:
    with golden("01-l-diversity-entropy-1") as file:
        table, asked, qid, sensitive = opened(file)
        groups = table.groups(qid, [sensitive])
        model = EntropyLDiversity(l=2, sensitive=sensitive)
        file.compare(by_group(groups, model.entropy(groups).tolist()), "entropy_nats")
        file.compare(witnesses(table, model, qid, "entropy"), "entropy_nats")
        file.compare(by_group(groups, model.measure(groups).tolist()), "effective_l")
        file.compare(judged(table, model, qid).strongest, "max_l")
        found = {
            str(l): bool(judged(table, EntropyLDiversity(l=l, sensitive=sensitive), qid)) for l in asked["l_values"]
        }
        file.compare(found, "satisfied")


def test_recursive(golden: Opened) -> None:
    with golden("01-l-diversity-recursive-1") as file:
        table, asked, qid, sensitive = opened(file)
        tiny = RecursiveLDiversity(c=0.01, l=2, sensitive=sensitive)
        file.compare(witnesses(table, tiny, qid, "counts"), "sorted_counts")
        for strict, name in ((True, "satisfied_strict"), (False, "satisfied_inclusive")):
            found = {}
            for c, l in asked["grid"]:
                model = RecursiveLDiversity(c=c, l=l, strict=strict, sensitive=sensitive)
                found[f"c={c:g},l={l}"] = judged(table, model, qid).satisfied
            file.compare(found, name)


def test_positive_disclosure(golden: Opened) -> None:
    with golden("01-l-diversity-pd-recursive-1") as file:
        asked = file.input["parameters"]
        group = GroupStats.from_histograms([asked["histogram"]], column="Disease")
        models = [
            PDRecursiveLDiversity(c=case["c"], l=case["l"], tolerated=tuple(case["Y"]), sensitive="Disease")
            for case in asked["cases"]
        ]
        file.compare([verdict.satisfied for verdict in sfumato.check(group, models)], "satisfied")


def test_negative_disclosure(golden: Opened) -> None:
    with golden("01-l-diversity-npd-recursive-1") as file:
        asked = file.input["parameters"]
        group = GroupStats.from_histograms([asked["histogram"]], column="Disease")
        models = [
            NPDRecursiveLDiversity(
                c1=case["c1"],
                c2=case["c2"],
                l=case["l"],
                tolerated=tuple(case["Y"]),
                never_excluded=tuple(case["W"]),
                sensitive="Disease",
            )
            for case in asked["cases"]
        ]
        file.compare([verdict.satisfied for verdict in sfumato.check(group, models)], "satisfied")


def test_alpha_k(golden: Opened) -> None:
    with golden("01-alpha-k-anonymity-1") as file:
        table, asked, qid, sensitive = opened(file)
        models = [
            AlphaKAnonymity(alpha=case["alpha"], k=case["k"], values=case["sensitive_values"], sensitive=sensitive)
            for case in asked["cases"]
        ]
        file.compare([verdict.satisfied for verdict in sfumato.check(table, models, qid=qid)], "satisfied")


def test_templates(golden: Opened) -> None:
    with golden("01-confidence-bounding-1") as file:
        asked = file.input["parameters"]
        models = templates(asked["sensitive"], [(entry["qid"], entry["s"], entry["h"]) for entry in asked["templates"]])
        judgement = sfumato.check(file.table(), models)
        file.compare([verdict.strongest for verdict in judgement], "Conf")
        file.compare([verdict.satisfied for verdict in judgement], "satisfied")
        file.compare(bool(judgement), "all_satisfied")


def test_owners_are_counted_not_records(golden: Opened) -> None:
    with golden("01-xy-anonymity-1") as file:
        table, asked = file.table(), file.input["parameters"]
        x, y = asked["X"], tuple(asked["Y"])
        file.compare(judged(table, KAnonymity(k=1), x).strongest, "record_level_max_k")
        groups = table.groups(x, y)
        file.compare(by_group(groups, XYAnonymity(y=y, k=1).measure(groups).tolist()), "a_Y")
        verdicts = {k: judged(table, XYAnonymity(y=y, k=k), x) for k in asked["k_values"]}
        for verdict in verdicts.values():
            file.compare(verdict.strongest, "A_Y_X")
        file.compare({str(k): verdict.satisfied for k, verdict in verdicts.items()}, "satisfied")


def test_linkability(golden: Opened) -> None:
    with golden("01-xy-linkability-1") as file:
        table, asked = file.table(), file.input["parameters"]
        x, y = asked["X"], tuple(asked["Y"])
        file.compare(XYLinkability(y=y, h=1).by_value(table.groups(x, y)), "L_y_X")
        verdicts = {h: judged(table, XYLinkability(y=y, h=h), x) for h in asked["h_values"]}
        for verdict in verdicts.values():
            file.compare(verdict.strongest, "L_Y_X")
        file.compare({str(h): verdict.satisfied for h, verdict in verdicts.items()}, "satisfied")


def test_both_readings_of_privacy(golden: Opened) -> None:
    with golden("01-xy-privacy-1") as file:
        table, asked = file.table(), file.input["parameters"]
        for counts, name in (("records", "satisfied_records"), ("distinct_y", "satisfied_distinct_y")):
            models = [
                XYPrivacy(y=tuple(asked["Y"]), k=case["k"], h=case["h"], anonymity_counts=counts)
                for case in asked["cases"]
            ]
            file.compare([verdict.satisfied for verdict in sfumato.check(table, models, qid=asked["X"])], name)


def test_several_tables(golden: Opened) -> None:
    with golden("01-multir-k-anonymity-1") as file:
        asked, given = file.input["parameters"], file.input["tables"]
        tables = {name: sfumato.from_rows(table["columns"], table["rows"]) for name, table in given.items()}
        owner, qid, keys = asked["pid"], asked["qid"], asked["foreign_keys"]
        groups = owner_groups(tables, person="PT", owner=owner, qid=qid, keys=keys)
        model = MultiRelationalKAnonymity(k=1, owner=owner, qid=tuple(qid))
        file.compare(int(groups.sizes.sum()), "joined_rows")
        file.compare(by_group(groups, groups.sizes.tolist()), "record_level_group_sizes")
        file.compare(by_group(groups, model.measure(groups).tolist()), "owners_per_group")
        file.compare(model.judge_tables(tables, person="PT", keys=keys).strongest, "max_k")


def test_every_model_says_which_attacks_it_prevents(golden: Opened) -> None:
    with golden("01-model-registry-1") as file:
        order = ("record", "attribute", "table", "probabilistic")
        known = catalogue.ids("model", "table")
        for name in file.input["parameters"]["models"]:
            meant = [entry for entry in known if entry.startswith("l-diversity-")] if name == "l-diversity" else [name]
            assert len(meant) == (7 if name == "l-diversity" else 1)
            for entry in meant:
                prevents = catalogue.find(entry, "model").traits.prevents  # type: ignore[attr-defined]
                file.compare([attack for attack in order if attack in prevents], "prevents", name)
