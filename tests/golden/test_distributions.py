"""Models that compare a group with the whole table or with a population: worked values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import sfumato
from sfumato.groups.stats import GroupStats
from sfumato.models import (
    BasicBetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    EnhancedBetaLikeness,
    EpsilonMAnonymity,
    KAnonymity,
    KEAnonymity,
    KMap,
    KMapEstimated,
    TCloseness,
)

LARGE = 10**9


def rows_of(given: dict[str, Any]) -> Any:
    return sfumato.from_rows(given["columns"], given["rows"])


def verdicts(source: Any, models: list[Any], **more: Any) -> list[Any]:
    return list(sfumato.check(source, models, **more))


def by_group(groups: GroupStats, numbers: Any) -> dict[str, float]:
    return {"|".join(groups.key(at)): float(number) for at, number in enumerate(numbers)}


def test_skewed_group_is_far_from_the_table(golden: Callable[..., Any]) -> None:
    with golden("01-t-closeness-1") as file:
        asked = file.input["parameters"]
        group, overall = asked["group"], asked["overall"]
        models = [
            TCloseness(t=t, sensitive="Disease", ground_distance=asked["ground_distance"]) for t in asked["t_values"]
        ]
        file.compare(models[0].distance(group, overall), "distance")
        # The same as a partition: two of a hundred records are the group.
        rest = {value: round(100 * overall[value] - 2 * group[value]) for value in overall}
        groups = GroupStats.from_histograms(
            {"group": {value: round(2 * share) for value, share in group.items()}, "rest": rest}, column="Disease"
        )
        judged = verdicts(groups, models)
        file.compare(judged[0].strongest, "distance")
        file.compare({str(model.t): bool(verdict) for model, verdict in zip(models, judged, strict=True)}, "satisfied")
        (violation,) = judged[0].violations
        witness = dict(violation.witness)
        assert witness.pop("value") == "HIV"
        file.compare(witness, "confidence_gain_HIV")


def test_salaries_in_order(golden: Callable[..., Any]) -> None:
    with golden("01-t-closeness-2") as file:
        asked = file.input["parameters"]
        table = file.table()
        model = TCloseness(t=0.1, sensitive=asked["sensitive"], ground_distance=asked["ground_distance"])
        groups = table.groups(asked["qid"], [asked["sensitive"]])
        file.compare(by_group(groups, model.measure(groups)), "distance")
        (verdict,) = sfumato.check(table, model, qid=asked["qid"])
        file.compare(verdict.strongest, "min_t")


def test_seven_salaries_over_a_range_of_fifty(golden: Callable[..., Any]) -> None:
    with golden("01-k-e-anonymity-1") as file:
        asked, table = file.input["parameters"], file.table()
        models = [KEAnonymity(**case, sensitive=asked["sensitive"]) for case in asked["cases"]]
        judged = verdicts(table, models, qid=asked["qid"])
        file.compare([bool(verdict) for verdict in judged], "satisfied")
        (violation,) = judged[1].violations
        file.compare(violation.witness["distinct"], "distinct_values")
        file.compare(violation.witness["range"], "range")
        assert judged[0].strongest == file.expected["distinct_values"]


def test_salaries_close_together(golden: Callable[..., Any]) -> None:
    with golden("01-epsilon-m-anonymity-1") as file:
        asked, table = file.input["parameters"], file.table()
        groups = table.groups(asked["qid"], [asked["sensitive"]])
        models = {str(e): EpsilonMAnonymity(epsilon=e, m=2, sensitive=asked["sensitive"]) for e in asked["eps_values"]}
        file.compare({e: float(model.shares(groups).max()) for e, model in models.items()}, "max_probability")
        judged = dict(zip(models, verdicts(table, list(models.values()), qid=asked["qid"]), strict=True))
        file.compare({e: verdict.strongest for e, verdict in judged.items()}, "max_m")


def test_who_is_in_the_private_table(golden: Callable[..., Any]) -> None:
    with golden("01-delta-presence-1") as file:
        qid = file.input["parameters"]["qid"]
        published, people = (rows_of(file.input[name]) for name in ("private_generalised", "external_generalised"))
        models = [DeltaPresence(delta_min=low, delta_max=high) for low, high in file.input["parameters"]["ranges"]]
        presence = models[0].presence(published.groups(qid), people.groups(qid))
        names = people.select(["Name", *qid]).to_rows()
        file.compare({name: presence[tuple(rest)] for name, *rest in names}, "presence_probability")
        judged = verdicts(published, models, qid=qid, external=people)
        file.compare([bool(verdict) for verdict in judged], "satisfied")


def histograms(file: Any) -> GroupStats:
    return GroupStats.from_histograms(file.input["groups"], column="s")


def test_gains(golden: Callable[..., Any]) -> None:
    with golden("10-basic-beta-likeness-1") as file:
        groups = histograms(file)
        models = {
            str(beta): BasicBetaLikeness(beta=beta, sensitive="s") for beta in file.input["parameters"]["beta_values"]
        }
        values, whole = groups.histograms["s"].values, groups.whole_table("s")
        file.compare({str(v): float(w / whole.sum()) for v, w in zip(values, whole, strict=True)}, "overall")
        model = next(iter(models.values()))
        file.compare(by_group(groups, model.measure(groups)), "gain_per_group")
        witnesses = {groups.key(at)[0]: model.witness(groups, at)["value"] for at in range(len(groups))}
        file.compare(witnesses, "witness")
        judged = dict(zip(models, verdicts(groups, list(models.values())), strict=True))
        for verdict in judged.values():
            file.compare(verdict.strongest, "smallest_beta")
        file.compare({beta: bool(verdict) for beta, verdict in judged.items()}, "satisfied")


def offences(verdict: Any) -> list[list[Any]]:
    return [[*found.group, value] for found in verdict.violations for value in found.witness["violating_values"]]


def test_capped_gains(golden: Callable[..., Any]) -> None:
    with golden("10-enhanced-beta-likeness-1") as file:
        groups = histograms(file)
        models = {
            str(beta): EnhancedBetaLikeness(beta=beta, sensitive="s")
            for beta in (*file.input["parameters"]["beta_values"], LARGE)
        }
        judged = dict(zip(models, verdicts(groups, list(models.values())), strict=True))
        # With so large a beta only the caps are left to be exceeded.
        file.compare(offences(judged.pop(str(LARGE))), "cap_violations")
        file.compare(models[str(LARGE)].caps(groups), "cap_minus_ln_p")
        for verdict in judged.values():
            file.compare(verdict.strongest, "smallest_beta")
        file.compare({beta: bool(verdict) for beta, verdict in judged.items()}, "satisfied")
        file.compare({beta: offences(verdict) for beta, verdict in judged.items()}, "violations")


def test_logarithms_of_shares(golden: Callable[..., Any]) -> None:
    with golden("10-delta-disclosure-1") as file:
        groups = histograms(file)
        deltas = file.input["parameters"]["delta_values"]
        for name, base in (("base_2", 2), ("base_e", math.e)):
            made = {
                absent: [DeltaDisclosure(delta=d, sensitive="s", base=base, absent=absent) for d in deltas]
                for absent in ("skip", "violate")
            }
            file.compare(by_group(groups, made["skip"][0].measure(groups)), name, "per_group")
            for absent, key in (("skip", "satisfied_skip"), ("violate", "satisfied_strict")):
                judged = verdicts(groups, made[absent])
                file.compare({str(d): bool(v) for d, v in zip(deltas, judged, strict=True)}, name, key)
            (verdict,) = sfumato.check(groups, made["skip"][0])
            file.compare(verdict.strongest, name, "infimum_delta_skip")
        model = made["skip"][0]
        assert model.skipped(groups) == 0
        absent = [value for at in range(len(groups)) for value in model.witness(groups, at)["absent_values"]]
        file.compare(absent, "absent_values")


def test_sample_of_a_population(golden: Callable[..., Any]) -> None:
    with golden("10-k-map-1") as file:
        asked = file.input["parameters"]
        people = rows_of(file.input["population"])
        chosen = [people.to_rows()[at] for at in file.input["sample_row_indices"]]
        sample = sfumato.from_rows(people.columns, chosen)
        file.compare(joined(sample.groups(asked["qid"])), "sample_group_sizes")
        models = {str(k): KMap(k=k) for k in asked["k_values"]}
        judged = dict(
            zip(models, verdicts(sample, list(models.values()), qid=asked["qid"], external=people), strict=True)
        )
        for verdict in judged.values():
            file.compare(verdict.strongest, "largest_k")
        file.compare({k: bool(verdict) for k, verdict in judged.items()}, "satisfied")
        file.compare({k: [v.group[0] for v in verdict.violations] for k, verdict in judged.items()}, "violating_groups")
        # With k beyond every group each one is listed with its population.
        (verdict,) = sfumato.check(sample, KMap(k=LARGE), qid=asked["qid"], external=people)
        file.compare({v.group[0]: v.measured for v in verdict.violations}, "population_group_sizes")
        (verdict,) = sfumato.check(sample, KAnonymity(k=1), qid=asked["qid"])
        file.compare(verdict.strongest, "k_anonymity_of_sample")


def joined(groups: GroupStats) -> dict[str, int]:
    return {"|".join(map(str, key)): size for key, size in groups.as_dict().items()}


def test_required_sizes(golden: Callable[..., Any]) -> None:
    with golden("10-k-map-estimated-1") as file:
        for at, case in enumerate(file.input["cases"]):
            for law in ("poisson", "zero-truncated-poisson"):
                name = law.replace("-", "_")
                model = KMapEstimated(
                    k=case["k"], population=case["N"], sample=case["n"], significance=case["significance"], law=law
                )
                found = model.required()
                file.compare(found.rate, "cases", at, "lambda")
                file.compare(found.required, "cases", at, name, "k_prime")
                file.compare(found.tail, "cases", at, name, "tail_probability")
                as_arx = KMapEstimated.from_spec({**model.spec(), "as_arx": True})
                file.compare(as_arx.required().required, "cases", at, name, "k_prime_as_arx")
                assert model.least_size() == found.required
                # k' is the smaller of the size found, k and n, as the note of the file says.
                assert found.required == min(found.size, case["k"], case["n"])
        file.compare(file.expected["note"], "note")
