"""Risk before and after masking as one picture: for each attack, where the worst and the average record stood and stand.

An open ring is the table before masking, a filled dot the release, a line between them the way; the numbers stand beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from sfumato.contracts.finding import Findings
from sfumato.data.messages import signs, tell
from sfumato.reports.attack_view import attack_name, chance, in_order, knowing, most_known
from sfumato.reports.charts import WIDTH, clip, framed, label_width, piece

__all__ = ["RiskRow", "attacker_rows", "risk_rows", "risk_view"]

_LEFT, _RIGHT, _ROW, _TOP = 300.0, 140.0, 22.0, 44.0

ATTACKERS = ("prosecutor", "journalist", "marketer")
"""The three attackers of risk estimates."""


@dataclass(frozen=True)
class RiskRow:
    """One line of the picture: whose risk, and how high it was and is; ``None`` where it was not measured."""

    attack: str
    whose: str
    before: float | None
    after: float

    @property
    def words(self) -> str:
        """Both numbers."""
        return f"{chance(self.before)} → {chance(self.after)}" if self.before is not None else chance(self.after)

    @property
    def label(self) -> str:
        """Whose risk it is, under which attack."""
        return f"{self.attack}, {tell(f'page.risk.{self.whose}')}"


def risk_rows(found: Findings) -> list[RiskRow]:
    """Return two lines for each attack that was tried: the worst and the average victim."""
    rows = []
    for one in in_order(found):
        knows = knowing(one, found)
        every = most_known(one, found) in (None, one.columns)
        # What is narrower follows the one who knows everything, under the same name.
        name = attack_name(one.attack, one.sensitive) if every else f"– {knows}"
        before = one.before
        rows.append(RiskRow(name, "worst", None if before is None else before.highest, one.after.highest))
        rows.append(RiskRow(name, "average", None if before is None else before.mean, one.after.mean))
    return rows


def attacker_rows(found: Findings) -> list[dict[str, object]]:
    """Return the risk of each of the three attackers, with a sentence, where an estimate of it was made."""
    out: list[dict[str, object]] = []
    for one in found.tried:
        before = {} if one.before is None else one.before.details
        knows = knowing(one, found)
        for attacker in ATTACKERS:
            if f"{attacker}_average" in one.after.details:
                words = tell(f"page.attacker.{attacker}")
                then, now = _figures(attacker, before), _figures(attacker, one.after.details)
                reading = _reading(attacker, then, now)
                if knows:
                    words = f"{words}; {knows}"
                    reading = tell("page.risk.knowing", knows=knows, reading=reading)
                out.append({"words": words, "before": then, "after": now, "reading": reading})
    return out


def _figures(attacker: str, details: Mapping[str, Any]) -> dict[str, str]:
    """Return highest and average risk and the share at risk; a dash where an attacker has no such figure."""
    keys = {"highest": "highest", "average": "average", "share": "share_at_risk"}
    found = {key: details.get(f"{attacker}_{name}") for key, name in keys.items()}
    return {key: "–" if value is None else chance(float(value)) for key, value in found.items()}


def _reading(attacker: str, then: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Put the figures of one attacker into a sentence.

    >>> _reading("marketer", {"highest": "–", "average": "100.0 %"}, {"highest": "–", "average": "19.6 %"})
    'A marketer who links everybody is right for 19.6 % of the records; before masking it was 100.0 %.'
    """
    said = tell(f"page.risk.reading.{attacker}", highest=now["highest"], average=now["average"])
    if then["average"] == "–":
        return tell("page.risk.now", said=said)
    return tell("page.risk.compared", said=said, before=then["average"])


def risk_view(key: str, rows: Sequence[RiskRow]) -> Markup | None:
    """Draw the rows; ``None`` if there are none. ``key`` makes ids unique."""
    if not rows:
        return None
    height = _TOP + _ROW * len(rows) + 8
    parts = [*_scale(height), *_legend(), *(part for at, row in enumerate(rows) for part in _line(at, row))]
    told = "; ".join(f"{row.label}: {row.words}" for row in rows)
    return framed(key, tell("page.risk.title"), told + ".", height, parts)


def _across(share: float) -> float:
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * min(max(share, 0.0), 1.0)


def _scale(height: float) -> list[Markup]:
    return [
        piece(
            '<line x1="{x}" x2="{x}" y1="{top}" y2="{end}" class="grid"/>'
            '<text x="{x}" y="{base}" class="middle soft">{text}</text>',
            x=_across(share),
            top=_TOP - 6,
            end=height - 6,
            base=_TOP - 12,
            text=signs(f"{share:.0%}"),
        )
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]


def _legend() -> list[Markup]:
    before = tell("page.risk.before")
    after = max(138.0, 34 + label_width(before))  # beside the first, however long that is
    return [
        piece('<circle cx="8" cy="10" r="5" class="ring"/><text x="20" y="14">{text}</text>', text=before),
        piece(
            '<circle cx="{x}" cy="10" r="5" class="dot on"/><text x="{at}" y="14">{text}</text>',
            x=after,
            at=after + 12,
            text=tell("page.risk.release"),
        ),
    ]


def _line(at: int, row: RiskRow) -> list[Markup]:
    y = _TOP + _ROW * at + 10
    out = []
    first = row.whose == "worst"
    if first and at:
        out.append(piece('<line x1="0" x2="{x}" y1="{y}" y2="{y}" class="grid"/>', x=WIDTH, y=y - _ROW / 2))
    marks = [piece('<circle cx="{x}" cy="{y}" r="4.5" class="dot on"/>', x=_across(row.after), y=y)]
    if row.before is not None:
        marks = [
            piece(
                '<line x1="{a}" x2="{b}" y1="{y}" y2="{y}" class="way"/>',
                a=_across(row.before),
                b=_across(row.after),
                y=y,
            ),
            *marks,
            piece('<circle cx="{x}" cy="{y}" r="6.5" class="ring"/>', x=_across(row.before), y=y),
        ]
    out.append(
        piece(
            '<g><title>{label}: {words}</title><text x="2" y="{base}" class="strong">{name}</text>'
            '<text x="{x}" y="{base}" class="end soft">{whose}</text>{marks}'
            '<text x="{after}" y="{base}">{words}</text></g>',
            label=row.label,
            words=row.words,
            name=clip(row.attack, _LEFT - 80) if first else "",
            whose=tell(f"page.risk.{row.whose}"),
            x=_LEFT - 14,
            base=y + 4,
            marks=Markup("").join(marks),
            after=WIDTH - _RIGHT + 16,
        )
    )
    return out
