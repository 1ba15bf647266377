"""Models over sets of attributes, over possible worlds and over beliefs, on worked examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import sfumato
from sfumato import Publication, Tree
from sfumato.groups.stats import GroupStats
from sfumato.models import (
    BackgroundKnowledgeSafety,
    FFAnonymity,
    KAnonymity,
    LKCPrivacy,
    MConfidentiality,
    PersonalizedPrivacy,
    PrivacyMaxEnt,
    SkylineBTPrivacy,
    SkylinePrivacy,
)
from sfumato.models.lkc_privacy import subsets, sufficient_subsets
from sfumato.models.privacy_maxent import Buckets, Knowledge, maximum_entropy

Open = Callable[..., Any]


def buckets_of(file: Any) -> GroupStats:
    return GroupStats.from_histograms([Counter(bucket["values"]) for bucket in file.input["buckets"]], column="Disease")


def test_lkc_on_three_anonymous_patients(golden: Open) -> None:
    with golden("01-lkc-privacy-1") as file:
        table, asked = file.table(), file.input["parameters"]
        models = [
            LKCPrivacy(L=case["L"], K=case["K"], C=case["C"], sensitive=asked["sensitive"], values=tuple(case["S"]))
            for case in asked["cases"]
        ]
        file.compare([bool(verdict) for verdict in sfumato.check(table, models, qid=asked["qid"])], "satisfied")
        groups = table.groups(asked["qid"], [asked["sensitive"]])
        exposures = [model.exposure(groups) for model in models]
        file.compare([exposure.smallest for exposure in exposures], "min_group")
        file.compare([exposure.confidence for exposure in exposures], "max_confidence")


def test_lkc_fails_only_when_all_three_values_are_known(golden: Open) -> None:
    with golden("01-lkc-privacy-2") as file:
        table, asked = file.table(), file.input["parameters"]
        groups = table.groups(asked["qid"], [asked["sensitive"]])
        for L in asked["L_values"]:
            model = LKCPrivacy(L=L, K=asked["K"], C=asked["C"], sensitive=asked["sensitive"], values=tuple(asked["S"]))
            (verdict,) = sfumato.check(table, model, qid=asked["qid"])
            file.compare(verdict.satisfied, "satisfied", str(L))
            file.compare(verdict.strongest, "min_group", str(L))
            file.compare(model.exposure(groups).confidence, "max_confidence", str(L))


def test_lkc_holds_where_two_anonymity_does_not(golden: Open) -> None:
    with golden("03-lkc-check-1") as file:
        given, qid = file.input, file.input["qid"]
        model = LKCPrivacy(
            L=given["L"],
            K=given["K"],
            C=given["C"],
            sensitive=given["sensitive"],
            values=tuple(given["sensitive_values"]),
        )
        table = file.table()
        raw = sfumato.from_rows(given["raw_table"]["columns"], given["raw_table"]["rows"])
        (verdict,) = sfumato.check(table, model, qid=qid)
        file.compare(verdict.satisfied, "satisfied")
        file.compare(verdict.strongest, "min_group_for_L2")
        file.compare(bool(sfumato.check(raw, model, qid=qid)), "raw_satisfied")
        file.compare(model.exposure(table.groups(qid, [given["sensitive"]])).confidence, "max_confidence")
        (full,) = sfumato.check(table, KAnonymity(k=2), qid=qid)
        file.compare(full.satisfied, "two_anonymous_on_full_qid")
        file.compare([[*violation.group, violation.size] for violation in full.violations], "smallest_full_qid")


def test_lkc_subsets(golden: Open) -> None:
    with golden("03-lkc-subsets-1") as file:
        qid, L = file.input["qid"], file.input["L"]
        file.compare([list(names) for names in subsets(qid, L)], "subsets")
        file.compare([list(names) for names in sufficient_subsets(qid, L)], "sufficient_subsets")


def test_free_form_attacks(golden: Open) -> None:
    with golden("01-ff-anonymity-1") as file:
        table, asked = file.table(), file.input["parameters"]

        def model(threshold: float) -> FFAnonymity:
            listed = [
                (name, value, threshold) for name, values in asked["sensitive_values"].items() for value in values
            ]
            return FFAnonymity(sensitive=tuple(listed))

        attacks = model(0.5).attacks(Publication(table=table))
        file.compare({f"{attack.column}={attack.value}": attack.probability for attack in attacks}, "max_probability")
        verdicts = sfumato.check(table, [model(threshold) for threshold in asked["thresholds"]])
        found = {str(limit): bool(verdict) for limit, verdict in zip(asked["thresholds"], verdicts, strict=True)}
        file.compare(found, "satisfied")


@pytest.mark.parametrize("reading", ["union", "max_leaf"])
def test_guarding_nodes(golden: Open, reading: str) -> None:
    file = golden("01-personalized-privacy-1")
    compare_breaches(file, reading)


def compare_breaches(file: Any, reading: str) -> None:
    tree = Tree.from_nested(file.input["taxonomies"]["Disease"])
    for variant, published in file.input["parameters"]["variants"].items():
        # All four are one group: they share their only quasi-identifier.
        rows = [
            (name, value, node, "all") for (name, _, node), value in zip(file.table().to_rows(), published, strict=True)
        ]
        table = sfumato.from_rows(["Name", "Disease", "GuardingNode", "Zip"], rows)
        model = PersonalizedPrivacy(sensitive="Disease", guard="GuardingNode", p_breach=0.5, reading=reading)
        publication = Publication(table=table, qids=("Zip",), trees={"Disease": tree})
        breaches = model.breach(publication)
        file.compare(breaches.tolist(), variant, reading)
        (verdict,) = sfumato.check(table, model, qid=["Zip"], hierarchies={"Disease": tree})
        assert verdict.strongest == pytest.approx(max(breaches))


def test_all_breaches_are_compared(golden: Open) -> None:
    with golden("01-personalized-privacy-1") as file:
        compare_breaches(file, "union")
        compare_breaches(file, "max_leaf")


def test_maximum_disclosure(golden: Open) -> None:
    with golden("01-background-knowledge-safety-1") as file:
        groups = buckets_of(file)
        found = {}
        for k in file.input["parameters"]["k_values"]:
            (verdict,) = sfumato.check(groups, BackgroundKnowledgeSafety(c=1.0, k=k, sensitive="Disease"))
            found[str(k)] = verdict.strongest
        file.compare(found, "max_disclosure")


def test_skylines(golden: Open) -> None:
    with golden("01-skyline-privacy-1") as file:
        groups, asked = buckets_of(file), file.input["parameters"]
        found = {}
        for triplet in asked["triplets"]:
            model = SkylinePrivacy(sensitive="Disease", value=asked["sigma"], skyline=((*triplet, 1.0),))
            found[str(tuple(triplet))] = model.check(groups).strongest
        file.compare(found, "max_confidence")
        models = [
            SkylinePrivacy(
                sensitive="Disease",
                value=asked["sigma"],
                skyline=tuple((*point, c) for point, c in zip(given["points"], given["thresholds"], strict=True)),
            )
            for given in asked["skylines"]
        ]
        file.compare([bool(verdict) for verdict in sfumato.check(groups, models)], "safe")


def test_maximum_entropy_beliefs(golden: Open) -> None:
    with golden("01-privacy-maxent-1") as file:
        buckets = Buckets.from_lists(
            [(bucket["qi"], bucket["sensitive"]) for bucket in file.input["buckets"]], columns=["Sex"]
        )
        knowledge = []
        for entry in file.input["parameters"]["knowledge"]:
            value, _, sex = entry["p"].partition("|")
            knowledge.append(Knowledge({"Sex": sex}, value, entry["value"]))
        for given, name in (([], "without_knowledge"), (knowledge, "with_knowledge")):
            belief = maximum_entropy(buckets, given)
            file.compare({sex: belief.of(sex) for (sex,) in belief.qi}, name)


def test_maximum_entropy_beliefs_from_a_table(golden: Open) -> None:
    """The same file by the model: a table whose bucket column tells the groups."""
    file = golden("01-privacy-maxent-1")
    rows = [
        (number, sex, disease)
        for number, bucket in enumerate(file.input["buckets"])
        for sex, disease in zip(bucket["qi"], bucket["sensitive"], strict=True)
    ]
    table = sfumato.from_rows(["Bucket", "Sex", "Disease"], rows)
    knows = {"given": {"Sex": "Male"}, "value": "Breast", "probability": 0.0}
    model = PrivacyMaxEnt(sensitive="Disease", bucket="Bucket", threshold=0.7, knowledge=(knows,))
    belief = model.belief(Publication(table=table, qids=("Sex",)))
    file.compare({sex: belief.of(sex) for (sex,) in belief.qi}, "with_knowledge")
    (verdict,) = sfumato.check(table, model, qid=["Sex"])
    assert verdict.satisfied
    assert verdict.strongest == pytest.approx(file.expected["with_knowledge"]["Male"]["Flu"])


def test_kernel_priors_and_posteriors(golden: Open) -> None:
    with golden("01-skyline-bt-privacy-1") as file:
        table, bandwidth = file.table(), file.input["parameters"]["bandwidth"]
        publication = Publication(table=table, qids=("Group",), raw=table)

        def model(**asked: Any) -> SkylineBTPrivacy:
            adversary = {"bandwidth": bandwidth, "t": 0.1}
            return SkylineBTPrivacy(sensitive="Disease", known=("Age",), skyline=(adversary,), **asked)

        prior = model().prior(publication, bandwidth)
        file.compare(prior.rows(), "prior")
        omega = model().after(publication, prior)
        file.compare(omega.rows(), "omega_posterior")
        file.compare(model(posterior="exact").after(publication, prior).rows(), "exact_posterior")
        file.compare(model().change(publication, prior, omega).tolist(), "tv")
        file.compare(model(distance="js").change(publication, prior, omega).tolist(), "js_base2")
        (verdict,) = sfumato.check(table, model(), qid=["Group"], raw=table)
        file.compare(verdict.strongest, "max_tv")


def test_minimal_masking_gives_the_engineers_away(golden: Open) -> None:
    """Masking happened, so the raw table broke the requirement: only one of 21 worlds does."""
    with golden("01-attack-minimality-1") as file:
        template = file.input["parameters"]["template"]
        published = sfumato.from_rows(file.input["published"]["columns"], file.input["published"]["rows"])
        people = sfumato.from_rows(file.input["external"]["columns"], file.input["external"]["rows"])
        tree = Tree.from_nested(file.input["taxonomies"]["Job"])
        rule = {
            "id": "lkc-privacy",
            "L": len(template["qid"]),
            "K": 1,
            "C": template["h"],
            "sensitive": "Disease",
            "values": [template["s"]],
        }
        models = {
            m: MConfidentiality(m=int(m), sensitive="Disease", requirement=rule, sets=((template["s"],),))
            for m in file.expected["m_confidentiality"]
        }
        publication = Publication(table=published, qids=tuple(template["qid"]), external=people, trees={"Job": tree})
        found = models["1"].credibility(publication)
        file.compare(found.worlds_before, "worlds_before")
        file.compare(found.worlds_after, "worlds_after")
        believed = {name: found.of((job, sex), [template["s"]]) for name, job, sex in people.to_rows()}
        file.compare(believed, "credibility_HIV")
        for m, model in models.items():
            (verdict,) = sfumato.check(
                published, model, qid=template["qid"], external=people, hierarchies={"Job": tree}
            )
            file.compare(verdict.satisfied, "m_confidentiality", m)
        naive = LKCPrivacy(L=9, K=1, C=1.0, sensitive="Disease", values=(template["s"],))
        groups = published.groups(template["qid"], ["Disease"])
        file.compare(naive.exposure(groups).confidence, "naive_confidence")
