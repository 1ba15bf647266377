"""Recognisers on what is left: numbers, addresses and dates that have the form of an identifier and that nobody masked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.text.attack import TextAttack, TextKnowledge, TextSeen
from sfumato.text.recognised import proven
from sfumato.text.types import TYPES

__all__ = ["Recognised", "RecogniserAttack"]


@frozen(eq=False)
class Recognised(Details):
    """How many places were found, by type, and how many persons have one that names them."""

    places: int
    by_type: Mapping[str, int]
    persons: int


class RecogniserAttack(TextAttack):
    """Look through the published texts for what has the form of an identifier, outside of places that were masked.

    Every recogniser of the package is tried: e-mail addresses, telephone and card numbers, national numbers with their check
    digits, web addresses, dates. A person of whom a direct identifier is found is exposed with certainty; a date or a postal
    code, which many persons share, is counted and exposes nobody by itself. Names have no form: what a recogniser misses may
    still be there.

    Adversary: reads the texts, and looks up whatever has the form of a number, an address or a date.

    Examples
    --------
    >>> from sfumato.text import Document
    >>> from sfumato.engines import from_rows
    >>> notes = (Document("1", "Mail ada@example.org"), Document("2", "[NAME] left"))
    >>> seen = TextSeen(from_rows(["text"], [("",)]), documents=notes, persons=("1", "2"))
    >>> RecogniserAttack().on(seen, TextKnowledge(), Run()).per_victim.tolist()
    [1.0, 0.0]

    References
    ----------
    Code of Federal Regulations (US), title 45, section 164.514(b)(2)(i).
    """

    id: ClassVar[str] = "recogniser-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="what identifiers look like",
        needs=frozenset(),
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.recogniser-attack")
    title: ClassVar[str] = "identifiers that are left"

    def on(self, seen: TextSeen, knowledge: TextKnowledge, run: Run) -> Risk:
        found, named = Counter[str](), set[str]()
        for person, text in seen.open_texts():
            run.checkpoint()
            for span in proven(text):
                found[span.type] += 1
                if TYPES[span.type].role is Role.IDENTIFIER:
                    named.add(person)
        risk = np.array([float(person in named) for person in seen.people])
        highest, mean = spread(risk)
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say("reading.recognised", places=found.total(), persons=len(named), of=len(risk)),
            details=Recognised(found.total(), dict(sorted(found.items())), len(named)),
        )
