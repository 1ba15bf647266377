"""Models of procedures: the smallest epsilon, beliefs after a release, isolated points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato.models import CTIsolation, DGammaPrivacy, DifferentialPrivacy
from sfumato.models.d_gamma_privacy import posterior_absent, posterior_present


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
