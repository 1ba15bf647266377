"""What other tools call the things that have an id here; a row is missing where a tool has no such thing."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["ELSEWHERE"]

ARX: Mapping[str, str] = {
    "k-anonymity": "k-Anonymity",
    "k-map": "k-Map",
    "k-map-estimated": "k-Map (estimator)",
    "delta-presence": "δ-Presence",
    "l-diversity-distinct": "ℓ-Diversity (distinct)",
    "l-diversity-entropy": "ℓ-Diversity (Shannon entropy)",
    "l-diversity-grassberger": "ℓ-Diversity (Grassberger entropy)",
    "l-diversity-recursive": "recursive (c,ℓ)-Diversity",
    "t-closeness": "t-Closeness (equal, hierarchical and ordered distance)",
    "basic-beta-likeness": "β-Likeness (basic)",
    "enhanced-beta-likeness": "β-Likeness (enhanced)",
    "delta-disclosure": "δ-Disclosure privacy",
    "average-risk": "average re-identification risk",
    "sample-uniqueness": "sample uniqueness",
    "population-uniqueness": "population uniqueness",
    "no-attack": "profitability, no-attack variant (prosecutor, journalist)",
    "profitability": "profitability (prosecutor, journalist)",
    "loss": "Loss",
    "precision": "Precision",
    "minimal-distortion": "Height",
    "average-group-size": "Average equivalence class size",
    "discernibility": "Discernibility",
    "ambiguity": "Ambiguity",
    "non-uniform-entropy": "Non-uniform entropy and Normalized non-uniform entropy",
    "kl-divergence": "KL divergence",
    "entropy-based-information-loss": "Entropy-based information loss",
    "publisher-payout": "Publisher benefit",
    "classification-metric": "Classification performance",
    "safepub": "differential privacy (SafePub)",
    "optimal": "the search for an optimal transformation, its heuristics and local recoding",
    "taxonomy": "hierarchy (CSV)",
    "intervals": "interval-based hierarchy",
    "ordered": "order-based hierarchy",
    "redaction": "redaction-based hierarchy",
    "dates": "date-based hierarchy",
    "attacker-risk": "risk figures of prosecutor, journalist and marketer",
    "uniqueness": "population uniques",
    "approximate-differential-privacy": "(ε, δ)-differential privacy",
    "microaggregation": "microaggregation",
    "top-bottom-coding": "top and bottom coding",
    "qid-discovery": "distinction and separation of columns",
    "individual-risk": "frequencies in which suppressed cells match everything",
    "linking-attack": "frequencies in which suppressed cells match everything",
    "k-anonymity-wildcard": "frequencies in which suppressed cells match everything",
}

SDCMICRO: Mapping[str, str] = {
    "additive-noise": "addNoise",
    "data-shuffling": "shuffle",
    "rank-swapping": "rankSwap",
    "targeted-record-swapping": "recordSwap",
    "microaggregation": "microaggregation (mdav, pca, clustered, robust)",
    "post-randomization": "pram",
    "top-bottom-coding": "topBotCoding",
    "local-suppression": "localSuppression and kAnon",
    "k-anonymity-wildcard": "violations of k-anonymity, missing values matching everything",
    "individual-risk": "freqCalc and indivRisk, with households",
    "log-linear-risk": "modRisk",
    "record-linkage-distance": "distance-based record linkage",
    "suda2": "suda2",
    "il1s": "IL1s of dUtility",
    "eigenvalue-change": "differences of eigenvalues of dUtility",
}

ELSEWHERE: Mapping[str, Mapping[str, str]] = {"ARX": ARX, "sdcMicro": SDCMICRO}
