"""Models of procedures and procedures: epsilon, beliefs after a release, isolated points, noise, cells of sums."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isclose
from typing import Any

import numpy as np

import sfumato
from sfumato.algorithms import AlphaBeta
from sfumato.algorithms.mechanisms.perturbed_generalization import corruption
from sfumato.groups.stats import GroupStats
from sfumato.models import CTIsolation, DGammaPrivacy, DifferentialPrivacy, DominanceRule
from sfumato.models.d_gamma_privacy import posterior_absent, posterior_present
from sfumato.perturbations import density


def test_randomised_response(golden: Callable[..., Any]) -> None:
    with golden("01-differential-privacy-1") as file:
        (mechanism,) = file.input["mechanisms"].values()
        asked = file.input["parameters"]
        pairs = [tuple(pair) for pair in asked["neighbours"]]
        audits = {
            epsilon: DifferentialPrivacy(epsilon=epsilon).audit(mechanism, pairs) for epsilon in asked["eps_values"]
        }
        for audit in audits.values():
            assert audit.exact
            file.compare(audit.measured, "epsilon")
        file.compare({str(epsilon): audit.satisfied for epsilon, audit in audits.items()}, "satisfied")


def test_beliefs_after_an_alpha_beta_release(golden: Callable[..., Any]) -> None:
    with golden("01-d-gamma-privacy-1") as file:
        cases = file.input["parameters"]["cases"]
        models = [DGammaPrivacy(d=case["d"], gamma=case["gamma"]) for case in cases]
        noise = [(case["alpha"], case["beta"]) for case in cases]
        at_d = list(zip(models, noise, strict=True))
        file.compare([posterior_present(model.d, *both) for model, both in at_d], "posterior_present_at_prior_d")
        file.compare([posterior_absent(model.d, *both) for model, both in at_d], "posterior_absent_at_prior_d")
        file.compare([model.sufficient(*both) for model, both in at_d], "sufficient_test")
        file.compare([model.audit(*both).satisfied for model, both in at_d], "exact_test")


def test_isolated_points(golden: Callable[..., Any]) -> None:
    with golden("01-c-t-isolation-1") as file:
        points, found = file.input["points"], []
        for case in file.input["parameters"]["cases"]:
            model = CTIsolation(c=case["c"], t=case["t"])
            seen = model.isolation(points, case["q"], case["p_index"])
            found.append({"delta_p": seen.distance, "points_in_ball": seen.points_in_ball, "isolates": seen.isolates})
            assert model.isolated(points, [case["q"]], [case["p_index"]]).tolist() == [seen.isolates]
        file.compare(found, "results")


def test_boxes_of_a_recursive_histogram(golden: Callable[..., Any]) -> None:
    with golden("02-recursive-histogram-1") as file:
        names = ["x", "y"]
        columns = {
            name: {"role": "quasi-identifier", "range": box} for name, box in zip(names, file.input["box"], strict=True)
        }
        policy = {
            "columns": columns,
            "requirements": [{"id": "c-t-isolation", "c": 2, "t": file.input["t"]}],
            "algorithm": {"id": "recursive-histogram"},
        }
        release = sfumato.anonymize(sfumato.from_rows(names, file.input["points"]), policy)
        file.compare(release.private.facts["cells"], "cells")
        file.compare(release.private.facts["non_empty_cells"], "non_empty_cells")
        # What is published are the boxes that hold a point.
        full = [[*box[0], *box[1], count] for box, count in file.expected["cells"] if count]
        assert sorted(map(list, release.table.to_rows())) == sorted(full)


def test_laplace_noise(golden: Callable[..., Any]) -> None:
    with golden("02-laplace-mechanism-1") as file:
        found, equal = [], True
        for case in file.input["cases"]:
            change, epsilon = case["sensitivity"], case["epsilon"]
            noise = DifferentialPrivacy(epsilon=epsilon).calibrate(change)
            std = noise["standard_deviation"]
            found.append({"scale": noise["scale"], "variance": noise["variance"], "std": std})
            at = np.linspace(-5 * std, 5 * std, 1001)
            ratios = np.abs(np.log(density("laplace", std, at) / density("laplace", std, at - change)))
            equal &= isclose(float(ratios.max()), epsilon, rel_tol=1e-9)
        file.compare(found, "cases")
        file.compare(equal, "max_abs_log_density_ratio_equals_epsilon")


def test_alpha_beta_by_hand(golden: Callable[..., Any]) -> None:
    with golden("02-alpha-beta-1") as file:
        asked = file.input
        algorithm = AlphaBeta(
            alpha=asked["alpha"], beta=asked["beta"], domains={"r": {"low": 1, "high": asked["domain_size"]}}
        )
        assert algorithm.domain_size == asked["domain_size"]
        file.compare(algorithm.keep_probability, "keep_probability")
        file.compare(algorithm.counterfeit_probability, "counterfeit_probability")
        file.compare(algorithm.expected_size(asked["table_size"]), "expected_size")
        query = asked["query"]
        file.compare(algorithm.estimate(query["published_points"], query["domain_points"]), "estimate")
        file.compare(algorithm.posterior(asked["prior"], published=True), "posterior_if_published")
        file.compare(algorithm.posterior(asked["prior"], published=False), "posterior_if_not_published")


def test_alpha_beta_calibrated(golden: Callable[..., Any]) -> None:
    with golden("02-alpha-beta-3") as file:
        model = DGammaPrivacy(d=file.input["d"], gamma=file.input["gamma"])
        alpha, beta = AlphaBeta(domains={"r": [1, 2]}).settled(model).probabilities
        file.compare(alpha, "alpha")
        file.compare(beta, "beta")
        # The exact fractions are the nearest simple ones to what was found.
        file.compare(str(Fraction(alpha).limit_denominator(1000)), "alpha_exact")
        file.compare(str(Fraction(beta).limit_denominator(1000)), "beta_exact")
        assert model.audit(alpha, beta).satisfied
        assert not model.audit(alpha + 1e-6, beta).satisfied


def test_dominated_cells(golden: Callable[..., Any]) -> None:
    with golden("02-dominance-rule-1") as file:
        cells = file.input["cells"]
        rows = [(f"cell {at}", value) for at, cell in enumerate(cells) for value in cell]
        groups = GroupStats.from_histograms([{v: cell.count(v) for v in cell} for cell in cells], column="value")
        found = []
        for rule in file.input["rules"]:
            table = sfumato.tabulate(
                sfumato.from_rows(["cell", "value"], rows), "cell", sum="value", dominance=(rule["n"], rule["k"])
            ).table
            found.append([row[1] is None for row in table.to_rows()])
            model = DominanceRule(n=rule["n"], k=rule["k"], sensitive="value")
            assert found[-1] == (~model.bound().holds(model.measure(groups))).tolist()
        file.compare(found, "suppress")


def test_a_corrupted_group(golden: Callable[..., Any]) -> None:
    with golden("01-perturbed-generalization-1", tolerance=1e-11) as file:
        found = [
            corruption(case["p"], case["U"], case["k"], case["prior"]) for case in file.input["parameters"]["cases"]
        ]
        file.compare(
            [{"u": one.u, "h_top": one.own, "posterior_y": one.posterior, "growth": one.growth} for one in found],
            "results",
        )
