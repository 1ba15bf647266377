"""(k,e)-anonymity, recounted: different numbers of each group, and how far apart they lie."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Level, at_least
from sfumato.recounts._numbers import numbers_of

__all__ = ["level"]


def level(groups: Groups, *, k: int, e: float) -> Level:
    """Judge the different numbers of each group and their range; there is no level if a range is too small."""
    held = numbers_of(groups)
    spans = [values[-1][0] - values[0][0] for values in held]
    safe = [
        at_least(len(values) / k, 1.0) and (e <= 0 or at_least(span / e, 1.0))
        for values, span in zip(held, spans, strict=True)
    ]
    wide = bool(held) and all(at_least(span, float(e)) for span in spans)
    return Level(min(map(len, held)) if wide else None, safe.count(False), all(safe))
