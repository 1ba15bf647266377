"""Risk estimates: three adversaries, sampling weights, population uniqueness; worked values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sfumato
from sfumato.attacks import AttackerRisk, IndividualRisk, Uniqueness
from sfumato.estimates.uniqueness import Dankar, Pitman, SlideNegativeBinomial, Zayatz
from sfumato.groups.stats import GroupStats
from sfumato.models import PopulationUniqueness

Opened = Callable[..., Any]


def test_prosecutor_journalist_marketer(golden: Opened) -> None:
    with golden("10-attacker-risk-1") as file:
        sample = [entry["sample"] for entry in file.input["classes"]]
        population = [entry["population"] for entry in file.input["classes"]]
        attack = AttackerRisk(threshold=file.input["parameters"]["threshold"])
        # The same classes as tables: the record and the person of a group carry its number.
        table = sfumato.from_rows(["Group"], [(group,) for group, size in enumerate(sample) for _ in range(size)])
        people = sfumato.from_rows(["Group"], [(group,) for group, size in enumerate(population) for _ in range(size)])
        for found in (
            attack.of_classes(sample=sample, population=population),
            sfumato.attack(table, attack, qid=["Group"], external=people),
        ):
            prosecutor, journalist = found.prosecutor, found.journalist  # type: ignore[attr-defined]
            for name in ("max", "min", "average", "share_at_risk"):
                file.compare(getattr(prosecutor, name), "prosecutor", name)
            for name in ("max", "min", "share_at_risk", "average_class_form", "average_record_form", "average"):
                file.compare(getattr(journalist, name), "journalist", name)
            file.compare(found.marketer.average, "marketer", "average")  # type: ignore[attr-defined]


def test_individual_and_household_risk(golden: Opened) -> None:
    with golden("10-individual-risk-1") as file:
        groups, households = file.input["group_weights"], file.input["households"]
        found = IndividualRisk().of_groups(groups, households)
        for label in groups:
            one = found.group(label)
            for name in ("f", "weight_sum", "p", "risk_exact", "risk_approx"):
                file.compare(getattr(one, name), "groups", label, name)
        file.compare(found.expected_reidentifications, "expected_reidentifications")
        file.compare(found.global_risk, "global_risk")
        file.compare(dict(found.household_risk), "household_risk")


def test_individual_risk_of_a_table(golden: Opened) -> None:
    with golden("10-individual-risk-1") as file:
        groups, households = file.input["group_weights"], file.input["households"]
        members = {
            label: [name for name, keys in households.items() for key in keys if key == label] for label in groups
        }
        rows = []
        for label, weights in groups.items():
            names = [*members[label], *[None] * len(weights)][: len(weights)]
            rows += [(label, weight, name) for weight, name in zip(weights, names, strict=True)]
        table = sfumato.from_rows(["Key", "Weight", "Household"], rows)
        found: Any = sfumato.attack(
            table, {"id": "individual-risk", "weight": "Weight", "household": "Household"}, qid=["Key"]
        )
        for label in groups:
            one = found.group((label,))
            for name in ("f", "weight_sum", "p", "risk_exact", "risk_approx"):
                file.compare(getattr(one, name), "groups", label, name)
        file.compare(found.expected_reidentifications, "expected_reidentifications")
        file.compare(found.global_risk, "global_risk")
        file.compare(dict(found.household_risk), "household_risk")


def sizes_of(file: Any) -> dict[int, int]:
    return {int(size): count for size, count in file.input["sample_class_sizes"].items()}


def estimated(file: Any, name: str) -> Any:
    """Return the estimate of the attack, after seeing that the model says the same share."""
    sizes, population = sizes_of(file), file.input["population_size"]
    found = Uniqueness(population=population, estimator=name).of_sizes(sizes).estimate
    groups = GroupStats.from_sizes([size for size, count in sizes.items() for _ in range(count)])
    model = PopulationUniqueness(threshold=1, population=population, estimator=name)
    (verdict,) = sfumato.check(groups, model)
    file.compare(verdict.strongest, "share")
    return found


def test_zayatz(golden: Opened) -> None:
    with golden("10-population-uniqueness-zayatz-1") as file:
        found = estimated(file, "zayatz")
        assert isinstance(found, Zayatz)
        for name in ("n", "classes", "conditional_uniqueness", "population_uniques", "share"):
            file.compare(getattr(found, name), name)


def test_pitman(golden: Opened) -> None:
    with golden("10-population-uniqueness-pitman-1") as file:
        found = estimated(file, "pitman")
        assert isinstance(found, Pitman)
        for name in ("n", "classes", "theta", "alpha", "population_uniques", "share", "exact_expectation"):
            file.compare(getattr(found, name), name)


def test_slide_negative_binomial(golden: Opened) -> None:
    with golden("10-population-uniqueness-snb-1") as file:
        found = estimated(file, "snb")
        assert isinstance(found, SlideNegativeBinomial)
        for name in ("sampling_fraction", "population_classes", "alpha", "beta", "population_uniques", "share"):
            file.compare(getattr(found, name), name)


def test_the_rule_of_dankar(golden: Opened) -> None:
    with golden("10-population-uniqueness-dankar-1") as file:
        found = estimated(file, "dankar")
        assert isinstance(found, Dankar)
        assert found.snb is not None
        for name in ("sampling_fraction", "chosen", "population_uniques", "share"):
            file.compare(getattr(found, name), name)
        file.compare(found.zayatz.population_uniques, "zayatz")
        file.compare(found.snb.population_uniques, "snb")
