"""Try an attack on a release or a table: what an outsider could find, for the steward's eyes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

from sfumato.contracts.attack import Attack, Risk
from sfumato.contracts.knowledge import Knowledge, TableKnowledge, Told, tells, told_of
from sfumato.contracts.progress import Progress
from sfumato.contracts.run import Run
from sfumato.policy import SharedPolicy
from sfumato.publishing.aim import aimed, knowledge_kinds
from sfumato.publishing.published import open_published

__all__ = ["attack"]


@tells(TableKnowledge)
def attack(
    source: object,
    attack: Attack[Any] | Mapping[str, object] | str = "linking-attack",
    *,
    knowledge: Knowledge | None = None,
    policy: SharedPolicy | Mapping[str, object] | str | Path | None = None,
    run: Run | None = None,
    progress: Progress | None = None,
    **told: Unpack[Told],
) -> Risk:
    """Return what an adversary with stated knowledge finds in what is published.

    ``source`` is what ``anonymize``, ``release`` or ``recode`` gave, a release folder, public tables by the name of their
    part, or any table. ``attack`` is an attack, its spec, or its id; ``describe`` says what each needs. ``policy`` tells roles,
    requirements and hierarchies of a bare table, or what the labels of a public part stand for; a whole release knows its own.
    What the adversary knows is told as ``knowledge``, or by name:

    [told]

    The answer says counts and risks; some answers have methods that also name persons. It stays with the steward: nothing of
    it is written to a release.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Disease"], [("[20-30)", "Flu"), ("[30-40)", "Flu")])
    >>> people = from_rows(["Name", "Age"], [("Rama", 26), ("Sita", 42)])
    >>> attack(table, external=people, name="Name", sensitive="Disease").details["record_disclosures"]
    1
    """
    run = Run.of(run, progress)
    published = open_published(source, policy, memory=run.memory)
    said = told_of("attack", knowledge, told, *knowledge_kinds(published))
    made, seen, known = aimed(published, attack, said, run)
    return made.run(made.view(seen, known), known, run)
