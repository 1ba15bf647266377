"""Top-Down Disclosure by rescanning the whole table at every step.

Everything starts suppressed (or at the root of its tree). At each step try every disclosure on the whole table, keep those
after which every template <QID -> s, h> holds, and perform the one with the best score.

    Conf(QID -> s) = largest share of s in a group on QID
    PL(v)          = mean over the templates with att(v) of Conf after - Conf before
    Score(v)       = InfoGain(v) / (PL(v) + 1)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oracles.naive_tdr import SCORE_SCALE, NaiveAttribute, _gain, _start

__all__ = ["NaiveTemplate", "naive_confidence", "naive_tdd"]


@dataclass(frozen=True)
class NaiveTemplate:
    """One privacy template on the sensitive column that the run names."""

    qid: tuple[str, ...]
    value: Any
    h: float


def naive_confidence(masked: Mapping[str, Sequence[Any]], secret: Sequence[Any], template: NaiveTemplate) -> float:
    """Return the largest share of the value in a group."""
    keys = list(zip(*(masked[name] for name in template.qid), strict=True))
    sizes = Counter(keys)
    hits = Counter(key for key, value in zip(keys, secret, strict=True) if value == template.value)
    return max(hits[key] / size for key, size in sizes.items())


def naive_tdd(
    rows: Sequence[tuple[Any, ...]],
    columns: Sequence[str],
    attributes: Sequence[NaiveAttribute],
    target: str,
    sensitive: str,
    templates: Sequence[NaiveTemplate],
    max_refinements: int | None = None,
) -> dict[str, Any]:
    """Return trace, masked rows, confidences and the candidates left.

    Raises
    ------
    ValueError
        If even the fully suppressed table breaks a template.
    """
    raw = {name: [row[at] for row in rows] for at, name in enumerate(columns)}
    states = {attribute.name: _start(attribute, raw[attribute.name]) for attribute in attributes}
    asked_for = {name for template in templates for name in template.qid}

    def masked_by(all_states: Mapping[str, Any]) -> dict[str, list[str]]:
        return {name: [state.label(value) for value in raw[name]] for name, state in all_states.items()}

    def confidences(masked: Mapping[str, Sequence[Any]]) -> list[float]:
        return [naive_confidence(masked, raw[sensitive], template) for template in templates]

    def hold(found: Sequence[float]) -> bool:
        return all(share <= template.h * (1 + 1e-9) for share, template in zip(found, templates, strict=True))

    if not hold(confidences(masked_by(states))):
        raise ValueError("the fully suppressed table breaks a template")
    trace: list[dict[str, Any]] = []
    while True:
        masked = masked_by(states)
        now = confidences(masked)
        found = []
        for name, state in states.items():
            if name not in asked_for:
                continue
            for step in state.refinements(raw[name], raw[target]):
                after = {**masked, name: [step.after.label(value) for value in raw[name]]}
                then = confidences(after)
                parts: dict[str, list[Any]] = {}
                for row, label in enumerate(masked[name]):
                    if label == step.parent:
                        parts.setdefault(after[name][row], []).append(raw[target][row])
                rises = [b - a for a, b, t in zip(now, then, templates, strict=True) if name in t.qid]
                loss = sum(rises) / len(rises)
                gain = _gain(list(parts.values()))
                entry = {
                    "attribute": name,
                    "value": step.value,
                    "gain": gain,
                    "loss": loss,
                    "score": gain / (loss + 1),
                    "valid": hold(then),
                }
                found.append((entry, step, then))
        allowed = [candidate for candidate in found if candidate[0]["valid"]]
        if not allowed or (max_refinements is not None and len(trace) >= max_refinements):
            break
        best, chosen, then = max(allowed, key=lambda c: math.floor(c[0]["score"] * SCORE_SCALE + 0.5))
        states[best["attribute"]] = chosen.after
        trace.append({**best, "candidates": [entry for entry, _, _ in found], "confidences": then})
    return {
        "trace": trace,
        "masked_rows": [
            tuple(masked[name][row] if name in masked else raw[name][row] for name in columns)
            for row in range(len(rows))
        ],
        "confidences": now,
        "left": [entry for entry, _, _ in found],
    }
