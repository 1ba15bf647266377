"""No golden file lies here unused, none of the finished parts lacks its files, and no expected value can be skipped."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent

# Parts that are finished, by the beginning of their files' names: at least one file of each must lie here.
FINISHED = (
    "01-alpha-k-anonymity-",
    "01-attack-",
    "01-background-knowledge-safety-",
    "01-c-t-isolation-",
    "01-confidence-bounding-",
    "01-d-gamma-privacy-",
    "01-delta-presence-",
    "01-differential-privacy-",
    "01-epsilon-m-anonymity-",
    "01-ff-anonymity-",
    "01-k-anonymity-",
    "01-k-e-anonymity-",
    "01-l-diversity-",
    "01-lkc-privacy-",
    "01-model-registry-",
    "01-multir-k-anonymity-",
    "01-personalized-privacy-",
    "01-perturbed-generalization-",
    "01-privacy-maxent-",
    "01-qid-discovery-",
    "01-skyline-bt-privacy-",
    "01-skyline-privacy-",
    "01-t-closeness-",
    "01-xy-anonymity-",
    "01-xy-linkability-",
    "01-xy-privacy-",
    "02-alpha-beta-",
    "02-anatomization-",
    "02-anatomize-",
    "02-bottom-up-generalization-",
    "02-cell-generalization-",
    "02-classification-metric-",
    "02-condensation-",
    "02-cut-count-",
    "02-datafly-",
    "02-discernibility-metric-",
    "02-distinctive-attribute-",
    "02-distribution-reconstruction-",
    "02-dominance-rule-",
    "02-full-domain-generalization-",
    "02-genetic-algorithm-",
    "02-greedy-personalized-",
    "02-igpl-",
    "02-iloss-",
    "02-incognito-",
    "02-infogain-mondrian-",
    "02-k-optimize-",
    "02-ke-permutation-",
    "02-l-diversity-incognito-",
    "02-l-plus-optimize-",
    "02-laplace-mechanism-",
    "02-loss-metric-",
    "02-mingen-",
    "02-minimal-distortion-",
    "02-mondrian-",
    "02-monotonicity-with-suppression-",
    "02-mpalm-",
    "02-mu-argus-",
    "02-r-gather-",
    "02-rank-swapping-",
    "02-recursive-histogram-",
    "02-samarati-binary-search-",
    "02-sibling-generalization-",
    "02-spalm-",
    "02-subtree-generalization-",
    "02-suppression-",
    "02-top-down-disclosure-",
    "02-top-down-specialization-",
    "03-adult-taxonomies-",
    "03-anonymity-requirement-",
    "03-bug-anonymity-",
    "03-bug-metric-",
    "03-bug-tea-",
    "03-cut-count-",
    "03-discernibility-ratio-",
    "03-drbt-stress-",
    "03-f-measure-",
    "03-hdtds-score-",
    "03-lkc-check-",
    "03-lkc-subsets-",
    "03-match-point-",
    "03-mondrian-flexibility-",
    "03-requirement-cover-",
    "03-tdr-run-",
    "03-tdr-score-",
    "03-tdr-score-vs-infogain-",
    "03-tdr-tips-qits-",
    "04-anatomy-increment-attack-",
    "04-bcf-anonymizer-",
    "04-bcf-detect-",
    "04-bcf-generator-",
    "04-byun-incremental-",
    "04-fd-view-kanon-check-",
    "04-fourier-marginals-",
    "04-hd-composition-",
    "04-incremental-attack-",
    "04-m-invariance-anonymize-",
    "04-m-invariance-check-",
    "04-marginal-build-",
    "04-marginal-privacy-check-",
    "04-multilevel-perturbation-",
    "04-multir-kanon-",
    "04-possible-world-exclusion-",
    "04-seq-monotonicity-",
    "04-sequential-join-",
    "04-sp-view-kanon-check-",
    "04-tds4sa-",
    "04-view-join-attack-",
    "04-xy-privacy-join-",
    "05-adversarial-suppression-",
    "05-anonymous-patterns-",
    "05-classifier-attack-",
    "05-communication-cost-",
    "05-commutative-encryption-",
    "05-dka-vs-ppmashup-",
    "05-gain-ratio-score-",
    "05-general-join-",
    "05-generalize-then-integrate-",
    "05-joint-anonymity-requirement-",
    "05-mashup-score-",
    "05-distributed-mondrian-",
    "05-dka-two-party-",
    "05-insider-residual-",
    "05-l-site-diversity-",
    "05-minimal-sharing-",
    "05-rule-hiding-",
    "05-ppmashup-",
    "05-prisoners-dilemma-",
    "05-qid-reachability-",
    "05-secure-kth-element-",
    "05-secure-max-",
    "05-secure-sum-",
    "05-selfish-party-",
    "05-differencing-attack-",
    "05-max-audit-",
    "05-minimal-sharing-",
    "05-offline-audit-",
    "05-perfect-secrecy-",
    "05-secure-kth-element-",
    "05-secure-max-",
    "05-secure-sum-",
    "05-sum-audit-",
    "06-absence-attack-",
    "06-apriori-anonymization-",
    "06-band-matrix-",
    "06-cahd-",
    "06-hkp-coherence-",
    "06-k-delta-",
    "06-km-anonymity-",
    "06-km-as-coherence-",
    "06-lkc-monotonicity-",
    "06-lkc-trajectory-",
    "06-lkc-weaker-knowledge-",
    "06-maximal-frequent-sequences-",
    "06-mob-attack-graph-",
    "06-mob-groups-",
    "06-mob-information-loss-",
    "06-mole-suppression-",
    "06-mvs-generator-",
    "06-nuggets-",
    "06-nwa-preprocessing-",
    "06-nwa-translation-",
    "06-reconstruction-error-",
    "06-rfid-paths-",
    "06-rule-hiding-",
    "06-secret-sharing-",
    "06-select-a-size-",
    "06-split-personality-",
    "06-token-hash-attack-",
    "06-top-down-partitioning-",
    "06-trajectory-anonymizer-",
    "06-transactional-k-anonymity-",
    "06-value-exclusiveness-",
    "07-active-attack-",
    "07-breach-probability-",
    "07-check-frequency-",
    "07-degree-sequence-dp-",
    "07-disclosure-completion-",
    "07-erase-",
    "07-frequency-distribution-block-",
    "07-graph-utility-",
    "07-hide-",
    "07-k-anonymity-table3-",
    "07-k-automorphism-",
    "07-k-degree-anonymity-",
    "07-k-safety-",
    "07-link-recovery-",
    "07-linking-attack-",
    "07-neighborhood-anonymity-",
    "07-personal-privacy-metrics-",
    "07-qidb-anonymization-",
    "07-qidb-init-",
    "07-random-perturbation-",
    "07-structural-queries-",
    "07-subgraph-knowledge-",
    "07-supergraph-generation-",
    "07-supernode-clustering-",
    "07-sw-sdf-flags-",
    "08-adult-optimum-",
    "10-attacker-risk-",
    "10-basic-beta-likeness-",
    "10-delta-disclosure-",
    "10-enhanced-beta-likeness-",
    "10-individual-risk-",
    "10-k-map-",
    "10-k-map-estimated-",
    "10-population-uniqueness-",
    "10-suda2-",
)


def texts(source: Path) -> Iterator[str]:
    """Yield every text literal of a module, without the docstrings' mentions: a use is the whole name."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.removesuffix(".json")


def used() -> set[str]:
    """Return the names that tests outside the oracles' own checks open."""
    modules = [path for path in TESTS.rglob("test_*.py") if path.parent.name != "oracles" and path != Path(__file__)]
    return {text for module in modules for text in texts(module)}


def test_every_golden_file_has_a_test() -> None:
    lying = {path.stem for path in HERE.glob("*.json")}
    assert lying, "there are no golden files at all"
    unused = sorted(lying - used())
    assert not unused, f"golden files that no test opens: {unused}"


@pytest.mark.parametrize("prefix", FINISHED)
def test_finished_parts_have_their_files(prefix: str) -> None:
    assert list(HERE.glob(f"{prefix}*.json"))


def test_a_value_that_was_not_compared_fails(golden: Callable[..., Any]) -> None:
    file = golden("01-k-anonymity-1")
    for key in file.expected:
        if key != "max_k":
            file.compare(file.expected[key], key)
    with pytest.raises(AssertionError, match=r"never compared.*max_k"), file:
        pass


def test_a_wrong_value_fails(golden: Callable[..., Any]) -> None:
    file = golden("01-k-anonymity-1")
    for wrong, path in [
        (4, ("max_k",)),
        (True, ("max_k",)),
        (1, ("satisfied", "1")),
        (0.3334, ("max_record_link_probability",)),
        ({}, ("group_sizes",)),
    ]:
        with pytest.raises(AssertionError):
            file.compare(wrong, *path)


def test_all_values_compared_passes(golden: Callable[..., Any]) -> None:
    with golden("01-k-anonymity-1") as file:
        file.compare(file.expected)
