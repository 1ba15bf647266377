"""Try an attack on a release or a table: what an outsider could find, for the steward's eyes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.catalogue import build
from sfumato.contracts.attack import Attack, Risk
from sfumato.contracts.progress import Progress
from sfumato.tables.seen import by_groups, open_scene, open_shown

__all__ = ["attack"]


def attack(
    source: Any,
    attack: Any = "linking-attack",
    *,
    external: Any = None,
    name: str | None = None,
    qid: Sequence[str] | None = None,
    sensitive: str | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    owners: Any = None,
    raw: Any = None,
    control: Any = None,
    corrupted: Any = None,
    other: Any = None,
    models: Sequence[Any] = (),
    policy: Any = None,
    progress: Progress | None = None,
) -> Risk:
    """Return what an adversary with stated knowledge finds in what is published.

    ``source`` is what ``anonymize``, ``release`` or ``recode`` gave, a release folder, public tables by the name of their
    part, or any table. ``attack`` is an attack, its spec, or its id; ``describe`` says what each needs:

    - ``qid``: the columns to link by; the quasi-identifiers of a release that the external table has, or all columns that
      two tables share;
    - ``sensitive``: the column to learn, the one of that role if there is one;
    - ``external``, ``name``: the adversary's table of persons, and its column of names;
    - ``hierarchies``: what labels of a bare table stand for;
    - ``owners``: names, quasi-identifiers and true sensitive values, for attacks that ask about the true value;
    - ``raw``, ``control``: the table before masking, and one like it of persons who are not in the release;
    - ``corrupted``: persons of the release who told their sensitive value;
    - ``other``: a second release about the same persons;
    - ``models``: the requirements that the release was made for, those of a release if not given;
    - ``policy``: roles, requirements and hierarchies of a bare table, or what the labels of a public part stand for; a whole
      release knows its own.

    The answer says counts and risks; some answers have methods that also name persons. It stays with the steward: nothing of
    it is written to a release.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Disease"], [("[20-30)", "Flu"), ("[30-40)", "Flu")])
    >>> people = from_rows(["Name", "Age"], [("Rama", 26), ("Sita", 42)])
    >>> attack(table, external=people, name="Name", sensitive="Disease").details["record_disclosures"]
    1
    """
    made: Attack = attack if isinstance(attack, Attack) else build(attack, "attack")
    shown = open_shown(source, policy)
    scene = open_scene(
        shown,
        external=external,
        name=name,
        qid=qid,
        sensitive=sensitive,
        hierarchies=hierarchies,
        owners=owners,
        raw=raw,
        control=control,
        corrupted=corrupted,
        other=other,
        models=models,
        progress=progress,
        learns=made.traits.learns,
    )
    return made.run(by_groups(made, scene, shown))
