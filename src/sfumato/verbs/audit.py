"""Try every attack that can be tried on a release, before it leaves the house."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from sfumato.contracts.attack import Attack
from sfumato.contracts.finding import Findings
from sfumato.contracts.knowledge import Knowledge, TableKnowledge, Told, tells, told_of
from sfumato.contracts.progress import Progress
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.policy import SharedPolicy
from sfumato.publishing.aim import all_audited, knowledge_kinds
from sfumato.publishing.audit import EXPOSED
from sfumato.publishing.published import open_published

__all__ = ["audit"]


@tells(TableKnowledge)
def audit(
    source: object,
    *,
    knowledge: Knowledge | None = None,
    threshold: float = EXPOSED,
    attacks: Sequence[Attack[Any] | Mapping[str, object] | str] | None = None,
    policy: SharedPolicy | Mapping[str, object] | str | Path | None = None,
    thorough: bool = True,
    run: Run | None = None,
    progress: Progress | None = None,
    **told: Unpack[Told],
) -> Findings:
    """Try every attack that the given knowledge allows, on the release and on the table before masking.

    ``source`` and ``policy`` mean what they mean in :func:`sfumato.attack`. What adversaries know is told as ``knowledge``, or
    by name; ``sensitive`` may be several columns, and ``raw`` of a release in memory is known:

    [told]

    A victim whose risk is above ``threshold`` counts as exposed. ``attacks`` names those to try, all of them if not given.
    ``thorough`` also tries those that cost more than a few passes over the groups, and compares every one with the raw table,
    where a quick audit compares those that tell whose record and whose value is known. What could not be tried is listed with
    what it would need: an audit that is silent about an attack says nothing about it. Every attack assumes that the adversary
    knows all quasi-identifiers; where requirements are about fewer columns, ``attacker-risk`` is tried for these as well.

    The findings hold counts and shares, never a value or a name of a person.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Disease"], [("[20-30)", "Flu"), ("[20-30)", "Ulcer"), ("[30-40)", "Flu")])
    >>> found = audit(table, qid=["Age"], sensitive="Disease")
    >>> found.of("attack-attribute-linkage").after.highest
    1.0
    """
    if not 0 <= threshold < 1:
        raise BadRequest("must be at least 0 and below 1", parameter="threshold", value=threshold)
    run = Run.of(run, progress)
    run.checkpoint()
    published = open_published(source, policy, memory=run.memory)
    said = told_of("audit", knowledge, told, *knowledge_kinds(published))
    return all_audited(published, said, attacks, threshold=threshold, thorough=thorough, run=run)
