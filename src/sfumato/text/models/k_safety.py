"""k-safety: what a document tells of an entity, it might tell of k others."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.model import Model, ModelTraits, Verdict, Violation
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.text.contexts import Contexts
from sfumato.text.erasing import Problem
from sfumato.text.terms import Terms
from sfumato.text.view import TextView

__all__ = ["KSafety"]


class KSafety(Model[TextView]):
    """Of each protected entity, the terms that a document shares with its context are in the contexts of k others.

    For all protected ``e``: ``A_T(e) = |{x != e : C(x) contains C(e) & T}| >= k``, with the terms ``T`` that are left in the
    document. An entity of which it holds no term can be any of the others.

    Adversary: knows all entities and their contexts, reads the document, and wants to know which entity it is about.

    Examples
    --------
    >>> from sfumato.text import Contexts, Documents
    >>> contexts = Contexts.of({"flu": ["fever", "cough"], "cold": ["cough"]}, protected=["flu"])
    >>> view = TextView(Documents.of(["Fever and cough", "A cough"]), contexts=contexts)
    >>> verdict = KSafety(k=1).judge(view)
    >>> verdict.satisfied, verdict.violating_groups
    (False, 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.2.2.
    Chakaravarthy, Gupta, Roy, Mohania, "Efficient techniques for document sanitization", 2008, doi:10.1145/1458082.1458194.
    """

    id: ClassVar[str] = "k-safety"
    traits: ClassVar[ModelTraits] = ModelTraits(frozenset({"attribute"}), "record")
    adversary: ClassVar[str] = say("adversary.k-safety")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="how many other entities each protected one must be mistaken for")

    def private(self) -> tuple[str, ...]:
        """Which entities are protected is told to nobody: it would narrow down what a document is about."""
        return ("contexts",)

    def problem(self, contexts: Contexts, text: str) -> Problem:
        """Return the terms of a text, and what must hold of them."""
        return Problem(contexts, [found.term for found in Terms.of(contexts.terms).found(text)], self.k)

    def judge(self, view: TextView, *, worst: int = 10) -> Verdict:
        """Judge each document; a violation names its place, its smallest cover and the entity's number of terms in it."""
        contexts = view.contexts
        if contexts is None:
            raise BadRequest("is required: what the public knows of entities", parameter="contexts")
        index, found = Terms.of(contexts.terms), list[tuple[int, int, int]]()
        smallest: int | None = None
        for at, document in enumerate(view.documents):
            problem = Problem(contexts, [one.term for one in index.found(document.text)], self.k)
            places = [contexts.place[name] for name in contexts.protected]
            covers = [contexts.cover(entity, problem.document).bit_count() for entity in places]
            least = min(covers, default=None)
            if least is not None:
                smallest = least if smallest is None else min(smallest, least)
                found.append((least, at + 1, sum(1 for cover in covers if cover < self.k)))
        broken = sorted(one for one in found if one[0] < self.k)
        return self.verdict(
            satisfied=not broken,
            strongest=smallest,
            groups=len(view.documents),
            records=len(view.documents),
            bound=say("bound.others", k=self.k),
            violations=[Violation((number,), 1, least, {"entities": count}) for least, number, count in broken[:worst]],
            violating_groups=len(broken),
            violating_records=len(broken),
        )
