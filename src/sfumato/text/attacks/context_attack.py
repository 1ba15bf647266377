"""Re-identification by contexts: who knows what the public knows of entities looks for the one that a document is about."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.text.attack import TextAttack, TextKnowledge, TextSeen
from sfumato.text.terms import Terms

__all__ = ["ContextAttack", "Traced"]


@frozen(eq=False)
class Traced(Details):
    """How many documents hold terms of protected entities, and how many can be about one entity alone."""

    documents: int
    telling: int
    traced: int
    smallest: int | None


class ContextAttack(TextAttack):
    """Of each document, look for entities whose context holds all terms that it shares with a protected one.

    With the terms ``T`` of a document, a protected entity ``e`` of which it holds any may be taken for
    ``A_T(e) = |{x != e : C(x) contains C(e) & T}|`` others: the risk of the document's person is the largest
    ``1 / (A_T(e) + 1)``. It is what ``k-safety`` bounds by ``1 / (k + 1)``, tried with another knowledge base than the
    publisher's if one is given.

    Adversary: knows entities and their contexts, and reads the documents.

    Examples
    --------
    >>> from sfumato.text import Contexts, Document
    >>> from sfumato.engines import from_rows
    >>> known = Contexts.of({"flu": ["fever", "cough"], "cold": ["cough"]})
    >>> notes = (Document("1", "Fever, cough"), Document("2", "A cough"), Document("3", "Well"))
    >>> seen = TextSeen(from_rows(["text"], [("",)]), documents=notes, persons=("1", "2", "3"))
    >>> ContextAttack().on(seen, TextKnowledge(contexts=known), Run()).per_victim.tolist()
    [1.0, 0.5, 0.0]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.2.2.
    Chakaravarthy, Gupta, Roy, Mohania, "Efficient techniques for document sanitization", 2008, doi:10.1145/1458082.1458194.
    """

    id: ClassVar[str] = "context-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="entities with the terms that speak of them",
        needs=frozenset({"contexts"}),
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.context-attack")
    title: ClassVar[str] = "what a document is about"

    def on(self, seen: TextSeen, knowledge: TextKnowledge, run: Run) -> Risk:
        contexts = knowledge.contexts
        assert contexts is not None
        index, worst = Terms.of(contexts.terms), dict.fromkeys(seen.people, 0.0)
        telling = traced = 0
        smallest: int | None = None
        places = [contexts.place[name] for name in contexts.protected]
        for person, document in zip(seen.persons, seen.documents, strict=True):
            run.checkpoint()
            terms = contexts.mask(one.term for one in index.found(document.text))
            covers = [contexts.cover(entity, terms).bit_count() for entity in places if contexts.held[entity] & terms]
            if not covers:
                continue
            least = min(covers)
            telling, traced = telling + 1, traced + (least == 0)
            smallest = least if smallest is None else min(least, smallest)
            worst[person] = max(worst[person], 1 / (least + 1))
        risk = np.array(list(worst.values()))
        highest, mean = spread(risk)
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say("reading.contexts", documents=len(seen.documents), telling=telling, traced=traced),
            details=Traced(len(seen.documents), telling, traced, smallest),
        )
