"""The attacks that were tried on a release, what they found before and after masking, and those that could not be tried.

Attacks are discovered, not listed: whatever an audit found is shown, grouped by what it aims at; the risk before
and after masking is one picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from sfumato.catalogue import find
from sfumato.contracts.attack import Attack
from sfumato.contracts.finding import Exposure, Finding, Findings
from sfumato.data.frozen import frozen
from sfumato.data.messages import called, signs, tell, worded
from sfumato.errors import BadRequest
from sfumato.reports.charts import WIDTH, clip, framed, label_width, piece
from sfumato.reports.words import listing, percent, printable

__all__ = [
    "AttackView",
    "AttackerRow",
    "attack_name",
    "attack_views",
    "attacker_rows",
    "chance",
    "in_order",
    "remaining",
    "risk_rows",
    "risk_view",
    "untried_rows",
]

AIMS = ("record", "table", "attribute", "probabilistic")
"""What attacks aim at, in the order in which they are shown."""

_VICTIMS = ("records", "persons")


@frozen
class AttackView:
    """One attack that was tried: who would do it, what it found, and the figures before and after."""

    key: str
    name: str
    id: str
    aim: str
    summary: str
    adversary: str
    columns: str
    reading: str
    before_reading: str
    rows: Sequence[tuple[str, str, str]]
    above: bool
    warnings: Sequence[str] = ()


def attack_name(attack: str, sensitive: str | None = None) -> str:
    """Return the name of an attack as a reader sees it.

    >>> attack_name("attack-attribute-linkage", "diagnosis")
    'Attribute linkage (diagnosis)'
    """
    words = printable(attack.removeprefix("attack-").replace("-", " "), 80)
    name = called(f"title.{attack}", _title(attack) or words[:1].upper() + words[1:])
    return name + (f" ({printable(sensitive, 60)})" if sensitive else "")


def _title(attack: str) -> str:
    """Return the name that an attack gives itself; none if it needs none, or if findings are of an attack of somebody else."""
    try:
        thing = find(attack, "attack")
    except BadRequest:
        return ""
    return thing.title if issubclass(thing, Attack) else ""


def knowing(one: Finding, found: Findings) -> str:
    """Say which columns the adversary of a finding knows, where the same attack was tried with different ones."""
    every = most_known(one, found)
    if every is None:
        return ""
    if one.columns == every:
        return tell("page.attack.knowing_all", columns=len(every))
    return tell("page.attack.knowing", columns=one.columns)


def most_known(one: Finding, found: Findings) -> Sequence[str] | None:
    """Return the columns that the best informed adversary of an attack knows; ``None`` if it was tried with one only."""
    alike = [other for other in found.tried if (other.attack, other.sensitive) == (one.attack, one.sensitive)]
    return max((other.columns for other in alike), key=len) if len(alike) > 1 else None


def chance(value: float) -> str:
    """Write a risk, which lies between 0 and 1, as a share."""
    return percent(min(max(value, 0.0), 1.0), 1)


def attack_views(found: Findings) -> list[AttackView]:
    """Return every attack that was tried, in the order of what it aims at."""
    return [_view(one, f"a{at + 1}", found) for at, one in enumerate(in_order(found))]


def in_order(found: Findings) -> list[Finding]:
    """Return the attacks that were tried: by aim, then by name."""
    return sorted(found.tried, key=lambda one: (_aim(one.aims_at)[0], one.attack, one.sensitive or ""))


def _aim(aims: Sequence[str]) -> tuple[int, str]:
    known = [(at, tell(f"page.aim.{aim}")) for at, aim in enumerate(AIMS) if aim in aims]
    return known[0] if known else (len(AIMS), tell("page.aim.other"))


def _named(one: Finding, found: Findings) -> str:
    knows = knowing(one, found)
    return attack_name(one.attack, one.sensitive) + (f", {knows}" if knows else "")


def _view(one: Finding, key: str, found: Findings) -> AttackView:
    threshold = found.threshold
    victims = _victims(one)
    before, after = one.before, one.after
    whole = max(after.victims, before.victims if before is not None else 0)
    return AttackView(
        key=key,
        name=_named(one, found),
        id=one.attack,
        aim=_aim(one.aims_at)[1],
        summary=printable(called(f"gist.attack.{one.attack}", one.summary), 400),
        adversary=printable(worded(one.adversary), 400),
        columns=listing(one.columns),
        reading=printable(worded(after.reading), 2000),
        before_reading="" if before is None else printable(worded(before.reading), 2000),
        rows=[
            (tell(f"page.highest.{victims}"), _told(before, "highest"), chance(after.highest)),
            (tell(f"page.average.{victims}", count=whole), _told(before, "mean"), chance(after.mean)),
            (tell(f"page.above.{victims}", threshold=chance(threshold)), _told(before, "above"), _above(after)),
        ],
        above=after.highest > threshold,
        warnings=[printable(worded(text), 2000) for text in after.warnings],
    )


def _victims(one: Finding) -> str:
    return one.victims if one.victims in _VICTIMS else "others"


def _told(before: Exposure | None, what: str) -> str:
    if before is None:
        return tell("page.attack.not_measured")
    return _above(before) if what == "above" else chance(getattr(before, what))


def _above(one: Exposure) -> str:
    return tell("page.attack.above", above=one.above, victims=one.victims, share=percent(one.above, one.victims))


def remaining(found: Findings) -> list[str]:
    """Say which attacks still find a risk above the threshold, the highest first."""
    over = sorted(
        (one for one in found.tried if one.after.highest > found.threshold), key=lambda one: -one.after.highest
    )
    return [
        tell(
            f"page.remaining.{_victims(one)}",
            name=_named(one, found),
            highest=chance(one.after.highest),
            threshold=chance(found.threshold),
            above=_above(one.after),
        )
        for one in over
    ]


def untried_rows(found: Findings) -> list[tuple[str, str, str]]:
    """Return each attack that could not be tried: its name, what it would do, and what it needs."""
    rows: dict[tuple[object, ...], tuple[str, str, str]] = {}
    for one in sorted(found.untried, key=lambda one: (_aim(one.aims_at)[0], one.attack)):
        reason = printable(worded(one.reason), 400)
        gist = printable(called(f"gist.attack.{one.attack}", one.summary), 400)
        rows[one.attack, reason] = (attack_name(one.attack), gist, reason)
    return list(rows.values())


_LEFT, _RIGHT, _ROW, _TOP = 300.0, 140.0, 22.0, 44.0

ATTACKERS = ("prosecutor", "journalist", "marketer")
"""The three attackers of risk estimates."""


@frozen
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


@frozen
class AttackerRow:
    """One of the three attackers: who that is, figures before and after, and a sentence."""

    words: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    reading: str


def attacker_rows(found: Findings) -> list[AttackerRow]:
    """Return the risk of each of the three attackers, with a sentence, where an estimate of it was made."""
    out: list[AttackerRow] = []
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
                out.append(AttackerRow(words, then, now, reading))
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
