"""What attacks answered with *yes*: a release is signed when each of them was accepted, with a reason that its policy holds."""

from __future__ import annotations

from pathlib import Path

from sfumato.contracts.asked import Asked
from sfumato.contracts.evidence import Evidence
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.publishing.kept import read_evidence
from sfumato.publishing.published import read_kept

__all__ = ["Yes", "answered_yes", "refuse_unaccepted", "unaccepted"]


@frozen
class Yes:
    """An attack that finds persons, or what is not to be known of them: its id, and what it found, as a sentence."""

    attack: str
    reading: str


def answered_yes(evidence: Evidence) -> list[Yes]:
    """Return what was answered with yes, each attack once: those on records that were tried, and the three questions."""
    findings = () if evidence.findings is None else evidence.findings.yes
    said = [Yes(found.attack, found.after.reading) for found in findings]
    said += [Yes(str(one["id"]), str(one["reading"])) for one in evidence.questions if one["answer"] == "yes"]
    return list({one.attack: one for one in reversed(said)}.values())[::-1]


def unaccepted(evidence: Evidence, policy: Asked | None) -> list[Yes]:
    """Return what was answered with yes and nobody accepted."""
    accepted = set() if policy is None else {one.id for one in policy.accepted}
    return [one for one in answered_yes(evidence) if one.attack not in accepted]


def refuse_unaccepted(folder: Path) -> None:
    """Refuse a private folder in which an attack says yes and the policy does not say why that may be."""
    left = unaccepted(read_evidence(folder), read_kept(folder).policy)
    if left:
        raise BadRequest(
            f"{', '.join(one.attack for one in left)} found persons: change the policy, or accept it there with a reason "
            f"(accepted: [{{id: {left[0].attack}, reason: …}}]), and publish again",
            parameter="accepted",
        )
