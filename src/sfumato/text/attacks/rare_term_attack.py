"""Rare terms: words that so few persons' texts hold that whoever knows one of them knows whose text it is."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.text.attack import TextAttack, TextKnowledge, TextSeen
from sfumato.text.terms import Terms, words_of

__all__ = ["RareTermAttack", "RareTerms"]


@frozen(eq=False)
class RareTerms(Details):
    """How many terms there are, how many of them few persons' texts hold, how many one person's alone."""

    terms: int
    rare: int
    of_one: int
    persons_with_one: int


class RareTermAttack(TextAttack):
    """Look for the persons whose texts hold a term; a term of one person alone points at that person.

    A term is a word of at least ``letters`` letters, case aside, wherever it stands; the risk of a person is
    ``1 / |persons who share the rarest of her terms|``. Whoever tells ``terms`` is taken to know just these, all of them
    together. Free text has many words of one person alone, most of which nobody knows to be hers: read the numbers as a list
    to look through, not as a probability.

    Adversary: knows a word that a text about a person holds, the one that tells most.

    Examples
    --------
    >>> from sfumato.text import Document
    >>> from sfumato.engines import from_rows
    >>> notes = (Document("1", "keeps falcons"), Document("2", "has gout"), Document("3", "has gout"))
    >>> seen = TextSeen(from_rows(["text"], [("",)]), documents=notes, persons=("1", "2", "3"))
    >>> RareTermAttack().on(seen, TextKnowledge(), Run()).per_victim.tolist()
    [1.0, 0.5, 0.5]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.2.
    """

    id: ClassVar[str] = "rare-term-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="a word that a text about a person holds",
        needs=frozenset(),
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.rare-term-attack")
    title: ClassVar[str] = "rare words"

    shared_by: int = param(default=3, ge=1, doc="largest number of persons that makes a term rare")
    letters: int = param(default=4, ge=1, doc="fewest letters of a term")

    def on(self, seen: TextSeen, knowledge: TextKnowledge, run: Run) -> Risk:
        holders: dict[str, set[str]] = {}
        index = Terms.of(knowledge.terms)
        for person, text in seen.open_texts():
            run.checkpoint()
            if knowledge.terms:
                found = {one.term for one in index.found(text)}
            else:
                found = {one.term for one in words_of(text) if len(one.term) >= self.letters}
            for term in found:
                holders.setdefault(term, set()).add(person)
        if knowledge.terms:
            together = set.intersection(*(holders.get(term, set()) for term in knowledge.terms))
            fewest = dict.fromkeys(together, len(together))
        else:
            fewest = dict[str, int]()
            for persons in holders.values():
                for person in persons:
                    fewest[person] = min(fewest.get(person, len(persons)), len(persons))
        risk = np.array([1 / fewest[person] if person in fewest else 0.0 for person in seen.people])
        highest, mean = spread(risk)
        sizes = [len(persons) for persons in holders.values()]
        alone = sum(1 for size in fewest.values() if size == 1)
        told = RareTerms(len(sizes), sum(size <= self.shared_by for size in sizes), sizes.count(1), alone)
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say("reading.rare_terms", terms=told.terms, one=told.of_one, persons=alone, of=len(risk)),
            details=told,
        )
