"""An outside opinion: the levels that sfumato and pycanon measure on Adult, raw and generalized, side by side.

Occupation is sensitive on eight quasi-identifiers; on the generalized table hours per week is measured too, as a number. Each
line ends with one word. ``agrees``: the same number. ``explained``: pycanon measures something else, and the same thing worked
out from our groups gives its number. ``DIFFERS``: neither; the script then ends with 1. What pycanon does otherwise:

- entropy l is the whole part of exp(entropy);
- recursive (c,l) sorts the counts upwards, so that the rarest value stands where the most frequent one belongs, and gives the
  whole number above the quotient; it is no measure of that model;
- enhanced beta is the largest min(gain, -ln p) with the largest gain of the whole table, so an exceeded cap stays unseen;
- delta is in natural logarithms and skips values that a group lacks.

    python benchmarks/oracle_pycanon.py
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measured import shared_data

QID = ("age", "workclass", "education", "marital-status", "relationship", "race", "sex", "native-country")
SENSITIVE, NUMBER = "occupation", "hours-per-week"
LEVEL = {"workclass": 4, "education": 3, "marital-status": 2, "relationship": 2, "race": 2, "native-country": 4}
AGES = (17, 30, 45, 91)
CLOSE = 1e-9


def peer(source: str, numbers: str) -> None:
    """Print every level that pycanon measures; of numbers too if asked."""
    import pandas as pd
    from pycanon import anonymity

    frame, qid, sensitive = pd.read_csv(source), list(QID), [SENSITIVE]
    alpha, k = anonymity.alpha_k_anonymity(frame, qid, sensitive)
    c, l = anonymity.recursive_c_l_diversity(frame, qid, sensitive)
    out = {
        "k": anonymity.k_anonymity(frame, qid),
        "alpha": alpha,
        "k of (alpha,k)": k,
        "l distinct": anonymity.l_diversity(frame, qid, sensitive),
        "l entropy": anonymity.entropy_l_diversity(frame, qid, sensitive),
        "c recursive": None if math.isnan(c) else c,
        "l of (c,l)": l,
        "t equal": anonymity.t_closeness(frame, qid, sensitive),
        "beta basic": anonymity.basic_beta_likeness(frame, qid, sensitive),
        "beta enhanced": anonymity.enhanced_beta_likeness(frame, qid, sensitive),
        "delta": anonymity.delta_disclosure(frame, qid, sensitive),
    }
    if numbers == "yes":
        out["t ordered"] = anonymity.t_closeness(frame, qid, [NUMBER])
    print(json.dumps({key: None if value is None else float(value) for key, value in out.items()}))


def rows(table: Any, theirs: dict[str, Any]) -> Iterator[tuple[str, Any, Any, str]]:
    """Yield level, our number, pycanon's, and the word."""
    import sfumato

    def level(model: str, **more: Any) -> Any:
        (verdict,) = sfumato.check(table, {"id": model, **more}, qid=QID)
        return verdict.strongest

    def compared(name: str, ours: Any) -> tuple[str, Any, Any, str]:
        other = theirs[name]
        same = ours is not None and math.isclose(ours, other, rel_tol=CLOSE, abs_tol=CLOSE)
        return name, ours, other, "agrees" if same else "DIFFERS"

    def explained(name: str, ours: Any, otherwise: float | None, why: str) -> tuple[str, Any, Any, str]:
        line = compared(name, ours) if theirs[name] is not None else (name, ours, None, "DIFFERS")
        if line[3] == "agrees":
            return line
        known = (
            otherwise is None
            if theirs[name] is None
            else otherwise is not None and abs(otherwise - theirs[name]) < CLOSE
        )
        return (*line[:3], f"explained: {why}") if known else line

    on = {"sensitive": SENSITIVE}
    groups = table.groups(QID, [SENSITIVE])
    yield compared("k", level("k-anonymity", k=1))
    yield compared("k of (alpha,k)", level("k-anonymity", k=1))
    yield compared("alpha", level("alpha-k-anonymity", alpha=1, k=1, **on))
    distinct = level("l-diversity-distinct", l=1, **on)
    yield compared("l distinct", distinct)
    entropy = level("l-diversity-entropy", l=1, **on)
    yield explained("l entropy", entropy, math.floor(entropy + CLOSE), "whole part of exp(entropy)")
    yield compared("l of (c,l)", distinct)
    recursive = level("l-diversity-recursive", c=1, l=max(distinct, 2), **on)
    why = "the rarest value in the place of the most frequent, next whole number"
    yield explained(
        "c recursive", recursive, upside_down(groups, distinct), why if distinct > 1 else "not defined for l = 1"
    )
    yield compared("t equal", level("t-closeness", t=1, ground_distance="equal", **on))
    if "t ordered" in theirs:
        yield compared("t ordered", level("t-closeness", t=1, ground_distance="ordered", sensitive=NUMBER))
    gain = level("basic-beta-likeness", beta=1, **on)
    yield compared("beta basic", gain)
    caps = sfumato.models.EnhancedBetaLikeness(beta=1, **on).caps(groups).values()
    enhanced = level("enhanced-beta-likeness", beta=1, **on)
    yield explained("beta enhanced", enhanced, max(min(gain, cap) for cap in caps), "an exceeded cap: no beta helps")
    yield compared("delta", level("delta-disclosure", delta=1, base=math.e, **on))


def upside_down(groups: Any, l: int) -> float | None:
    """Return the c of counts sorted upwards: the rarest over the sum from place l on, to the next whole number."""
    if l < 2:
        return None
    worst = 0
    for group in range(len(groups)):
        counts = sorted(groups.histograms[SENSITIVE].row(group).values())
        worst = max(worst, math.floor(counts[0] / sum(counts[l - 1 :]) + 1))
    return float(worst)


def main() -> int:
    """Print the table for both forms of Adult; return 1 if a number stays unexplained."""
    from peers import in_peer

    import sfumato
    from sfumato.datasets import adult, adult_taxonomies

    shared_data()
    raw = adult(missing="drop").select([*QID, SENSITIVE, NUMBER]).to_polars()
    steps: dict[str, Any] = {
        name: {"id": "full-domain-generalization", "level": level} for name, level in LEVEL.items()
    }
    steps["age"] = {"id": "discretization", "edges": AGES}
    generalized = sfumato.recode(raw, steps, adult_taxonomies()).public
    unexplained = 0
    for name, frame in (("raw", raw), ("generalized", generalized)):
        with tempfile.TemporaryDirectory() as folder:
            source = str(Path(folder) / "adult.csv")
            frame.write_csv(source)
            theirs = in_peer("pycanon", __file__, "peer", source, "no" if name == "raw" else "yes")
            table = sfumato.read(source)
            print(f"Adult {name}: {table.rows:,} records, {table.distinct(QID):,} groups")
            for level, ours, other, word in rows(table, theirs):
                shown = ["none" if value is None else f"{value:.10g}" for value in (ours, other)]
                print(f"  {level:<15} {shown[0]:>14} {shown[1]:>14}  {word}")
                unexplained += word == "DIFFERS"
    print("every number agrees or is explained" if not unexplained else f"{unexplained} numbers differ")
    return 1 if unexplained else 0


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "peer":
        peer(*sys.argv[2:4])
    else:
        sys.exit(main())
