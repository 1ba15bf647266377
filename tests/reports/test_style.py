"""Colours of the pages have enough contrast, in light and in dark; nothing is told by colour alone."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

STYLE = files("sfumato.reports").joinpath("style.css.j2").read_text(encoding="utf-8")
SCHEMES = [
    dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", part)) for part in re.findall(r":root \{(.*?)\}", STYLE, re.S)
]


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(sign * 2 for sign in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", SCHEMES, ids=["light", "dark", "print"])
def test_text_and_bars_can_be_told_from_their_ground(scheme: dict[str, str]) -> None:
    for ground in ("paper", "card"):
        for text in ("ink", "soft", "accent"):
            assert contrast(scheme[text], scheme[ground]) >= 4.5, (text, ground)
        assert contrast(scheme["grey"], scheme[ground]) >= 2.2
    for kind in ("good", "bad", "warn"):
        for text in (kind, "ink", "soft"):
            assert contrast(scheme[text], scheme[f"{kind}-back"]) >= 4.5, (text, kind)


def test_bars_before_masking_differ_by_form() -> None:
    assert "stroke-dasharray" in STYLE.partition("svg .bar.before {")[2].partition("}")[0]
