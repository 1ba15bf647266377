"""The attacks that were tried on a release, what they found before and after masking, and those that could not be tried.

Attacks are discovered, not listed: whatever an audit found is shown, grouped by what it aims at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.catalogue import find
from sfumato.contracts.attack import Attack
from sfumato.contracts.finding import Exposure, Finding, Findings
from sfumato.errors import BadRequest
from sfumato.reports.words import counted, listing, percent, printable

__all__ = ["AttackView", "attack_name", "attack_views", "chance", "in_order", "knowing", "remaining", "untried_rows"]

AIMS: Mapping[str, str] = {
    "record": "Finding the record of a person",
    "table": "Learning whether a person is in the table at all",
    "attribute": "Learning a sensitive value of a person",
    "probabilistic": "Changing what is believed of a person",
}

_VICTIMS = {
    "records": ("published record", "published records"),
    "persons": ("person known outside", "persons known outside"),
}


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
    name = _title(attack) or words[:1].upper() + words[1:]
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
    alike = [other for other in found.tried if (other.attack, other.sensitive) == (one.attack, one.sensitive)]
    if len(alike) < 2:
        return ""
    every = max((other.columns for other in alike), key=len)
    return f"knowing all {len(every)} columns" if one.columns == every else f"knowing {listing(one.columns)}"


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
    known = [(at, words) for at, (aim, words) in enumerate(AIMS.items()) if aim in aims]
    return known[0] if known else (len(AIMS), "Other aims")


def _named(one: Finding, found: Findings) -> str:
    knows = knowing(one, found)
    return attack_name(one.attack, one.sensitive) + (f", {knows}" if knows else "")


def _view(one: Finding, key: str, found: Findings) -> AttackView:
    threshold = found.threshold
    single, many = _VICTIMS.get(one.victims, ("victim", "victims"))
    before, after = one.before, one.after
    whole = max(after.victims, before.victims if before is not None else 0)
    return AttackView(
        key=key,
        name=_named(one, found),
        id=one.attack,
        aim=_aim(one.aims_at)[1],
        summary=printable(one.summary, 400),
        adversary=printable(one.adversary, 400),
        columns=listing(one.columns),
        reading=printable(after.reading, 2000),
        before_reading="" if before is None else printable(before.reading, 2000),
        rows=[
            (f"Highest risk of a {single}", _told(before, "highest"), chance(after.highest)),
            (f"Average risk over {counted(whole, single, many)}", _told(before, "mean"), chance(after.mean)),
            (f"{many.capitalize()} with a risk above {chance(threshold)}", _told(before, "above"), _above(after)),
        ],
        above=after.highest > threshold,
        warnings=[printable(text, 2000) for text in after.warnings],
    )


def _told(before: Exposure | None, what: str) -> str:
    if before is None:
        return "not measured"
    return _above(before) if what == "above" else chance(getattr(before, what))


def _above(one: Exposure) -> str:
    return f"{one.above:,} of {one.victims:,} ({percent(one.above, one.victims)})"


def remaining(found: Findings) -> list[str]:
    """Say which attacks still find a risk above the threshold, the highest first."""
    over = sorted(
        (one for one in found.tried if one.after.highest > found.threshold), key=lambda one: -one.after.highest
    )
    return [
        f"{_named(one, found)}: a risk of up to {chance(one.after.highest)}, above "
        f"{chance(found.threshold)} for {_above(one.after)} {_VICTIMS.get(one.victims, ('', 'victims'))[1]}."
        for one in over
    ]


def untried_rows(found: Findings) -> list[tuple[str, str, str]]:
    """Return each attack that could not be tried: its name, what it would do, and what it needs."""
    rows: dict[tuple[object, ...], tuple[str, str, str]] = {}
    for one in sorted(found.untried, key=lambda one: (_aim(one.aims_at)[0], one.attack)):
        reason = printable(one.reason, 400)
        rows[one.attack, reason] = (attack_name(one.attack), printable(one.summary, 400), reason)
    return list(rows.values())
