"""Versions that were made from each other tell colluding recipients nothing more; others do, and the audit says which."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sfumato
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.ledger.ledger import Ledger
from sfumato.perturbations import TrustVersions
from sfumato.verbs.release import certified_perturbation, perturbation_facts
from sfumato.views.attack import ViewKnowledge
from sfumato.views.attacks import VersionCollusionAttack
from sfumato.views.collected import collected
from sfumato.views.version import Version
from sfumato.views.view_set import ViewSet

DOMAIN = ["a", "b", "c", "d"]
COUNT = 3000
TRUE = np.random.default_rng(1).choice(DOMAIN, COUNT, p=[0.7, 0.1, 0.1, 0.1]).tolist()


def risk_of(shown: dict[float, list[object]]) -> object:
    answers = {f"p{p}": {"id": list(range(COUNT)), "ill": values} for p, values in shown.items()}
    versions = [Version(f"p{p}", "ill", p, len(DOMAIN)) for p in shown]
    return VersionCollusionAttack().on_views(ViewSet.of_answers(answers, versions=versions), ViewKnowledge(), Run())


@pytest.mark.parametrize("order", [(0.2, 0.8, 0.5), (0.5, 0.2, 0.8), (0.8, 0.5, 0.2)])
def test_a_chain_tells_what_its_best_version_tells(order: tuple[float, ...]) -> None:
    chain, rng = TrustVersions.of(TRUE, DOMAIN), np.random.default_rng(5)
    risk = risk_of({p: chain.version(p, rng) for p in order})
    assert risk.details["chained"]
    assert risk.highest == pytest.approx(0.85)
    assert risk.highest == pytest.approx(risk.mean)


def test_versions_that_were_made_apart_tell_more() -> None:
    shown = {p: TrustVersions.of(TRUE, DOMAIN).version(p, np.random.default_rng(at)) for at, p in enumerate((0.8, 0.5))}
    risk = risk_of(shown)
    assert not risk.details["chained"]
    # Bayes by hand for a record that shows the same in both: (p + (1-p)/n) (q + (1-q)/n) against three others.
    agree, other = 0.85 * 0.625, 0.05 * 0.125
    assert risk.highest == pytest.approx(agree / (agree + 3 * other))
    # What is believed is what is true: among records that agree, so many are right.
    pairs = list(zip(TRUE, *shown.values(), strict=True))
    right = [true == high for true, high, low in pairs if high == low]
    assert abs(np.mean(right) - risk.highest) < 0.03


def test_versions_of_one_seed_are_no_chain() -> None:
    shown = {p: TrustVersions.of(TRUE, DOMAIN).version(p, np.random.default_rng(3)) for p in (0.8, 0.5)}
    assert not risk_of(shown).details["chained"]


def test_releases_are_audited_by_their_certificates(tmp_path: Path) -> None:
    rows = {"id": list(range(200)), "town": ["x", "y"] * 100, "ill": TRUE[:200]}
    Ledger.create(tmp_path / "l", signature="hmac-sha256").close()
    for name, told in (("kept", {"ledger": tmp_path / "l", "series": "ill"}), ("apart", {})):
        for p in (0.9, 0.6):
            asked = {"id": "multilevel-perturbation", "column": "ill", "p": p, "domain": DOMAIN}
            made = sfumato.perturb(rows, asked, seed=int(10 * p), row_order="sort", **told)
            certified = certified_perturbation(made, facts=perturbation_facts(made, 1))
            sfumato.publish(certified, tmp_path / f"{name}{p}")
    found = {
        name: sfumato.audit(collected([tmp_path / f"{name}{p}" for p in (0.6, 0.9)])).of("version-collusion-attack")
        for name in ("kept", "apart")
    }
    assert found["kept"].after.highest == pytest.approx(0.925)
    assert found["apart"].after.highest > 0.96


def test_without_a_column_in_common_nobody_is_linked() -> None:
    answers = {"high": {"ill": ["a", "b"]}, "low": {"ill": ["b", "b"]}}
    versions = [Version("high", "ill", 0.8, 2), Version("low", "ill", 0.4, 2)]
    risk = VersionCollusionAttack().on_views(ViewSet.of_answers(answers, versions=versions), ViewKnowledge(), Run())
    assert (risk.details["linked"], risk.highest) == (0, pytest.approx(0.9))
    with pytest.raises(BadRequest, match="two or more versions"):
        VersionCollusionAttack().on_views(ViewSet.of_answers(answers), ViewKnowledge(), Run())
