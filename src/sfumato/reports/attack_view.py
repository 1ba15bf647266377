"""The attacks that were tried on a release, what they found before and after masking, and those that could not be tried.

Attacks are discovered, not listed: whatever an audit found is shown, grouped by what it aims at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.catalogue import find
from sfumato.contracts.attack import Attack
from sfumato.contracts.finding import Exposure, Finding, Findings
from sfumato.data.messages import called, tell, worded
from sfumato.errors import BadRequest
from sfumato.reports.words import listing, percent, printable

__all__ = [
    "AttackView",
    "attack_name",
    "attack_views",
    "chance",
    "in_order",
    "knowing",
    "most_known",
    "remaining",
    "untried_rows",
]

AIMS = ("record", "table", "attribute", "probabilistic")
"""What attacks aim at, in the order in which they are shown."""

_VICTIMS = ("records", "persons")


@dataclass(frozen=True)
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
