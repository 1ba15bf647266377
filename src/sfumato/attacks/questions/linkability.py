"""Linkability: can two sets of facts about one person be joined through a release?"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.attacks.questions._nearness import Nearness
from sfumato.attacks.questions._persons import People, known_columns, published_rows
from sfumato.attacks.questions._question import Question
from sfumato.contracts.answer import Answer
from sfumato.contracts.attack import AttackTraits
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import columns, param
from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["Linkability"]


class Linkability(Question):
    """Tell whether two sets of facts about one person can be joined through the release.

    The adversary holds two tables about the same persons that share no column. For a person she takes the ``neighbours``
    published records nearest to what one table says (columns ``a``) and those nearest to what the other says (columns ``b``).
    The guess that both belong to one person succeeds if these share a record. Of records that lie equally far some are drawn,
    for ``a`` and ``b`` apart, so that records that look alike hide each other.

    Nearness: a label that covers a value lies 0 from it, another number or interval as far as the gap, as a share of the range
    of the column, anything else 1; the sum over the columns counts.

    The same is tried on a control group of persons who are not in the release. With the shares of success ``s`` on the
    persons in the release and ``c`` on the control group, the risk is ``(s - c) / (1 - c)``, at least 0.

    Adversary: has two tables about the same persons, without a column in common. What she does is one way to join them; that it
    fails does not say that every way fails.

    Examples
    --------
    >>> import sfumato
    >>> rows = [(20 + number, 1000 + 7 * number) for number in range(60)]
    >>> raw, others = sfumato.from_rows(["age", "zip"], rows[::2]), sfumato.from_rows(["age", "zip"], rows[1::2])
    >>> found = sfumato.attack(raw, Linkability(), qid=["age", "zip"], raw=raw, control=others)
    >>> found.excess.release.share
    1.0

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.
    Article 29 Data Protection Working Party, "Opinion 05/2014 on Anonymisation Techniques" (WP216), 2014.
    Giomi, Boenisch, Wehmeyer, Tasnádi, "A unified framework for quantifying privacy risk in synthetic data", 2023,
    doi:10.56553/popets-2023-0055.
    """

    id: ClassVar[str] = "linkability"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="two tables about the same persons that share no column",
        needs=frozenset({"raw", "control"}),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.linkability")

    a: tuple[str, ...] | None = columns(
        "quasi-identifier", default=None, doc="columns of one table; the first half of the quasi-identifiers if not set"
    )
    b: tuple[str, ...] | None = columns(
        "quasi-identifier", default=None, doc="columns of the other table; the other quasi-identifiers if not set"
    )
    neighbours: int = param(default=1, ge=1, doc="how many nearest records are looked at on each side")

    def columns(self, seen: Seen, knowledge: TableKnowledge) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the columns of the one table and those of the other."""
        where = f"{self.id}.a", f"{self.id}.b"
        if self.a is None and self.b is None:
            known = known_columns(seen, knowledge, None, where[0])
            if len(known) < 2:
                raise BadRequest("needs two columns, one for each side", parameter=where[0], value=list(known))
            half = (len(known) + 1) // 2
            return known[:half], known[half:]
        sides = []
        for own, other, parameter in ((self.a, self.b, where[0]), (self.b, self.a, where[1])):
            rest = tuple(name for name in knowledge.known if name not in (other or ()))
            sides.append(known_columns(seen, knowledge, rest if own is None else own, parameter))
        both = [*sides[0], *sides[1]]
        if len(set(both)) < len(both):
            raise BadRequest("no column may be named twice", parameter=where[1], value=list(sides[1]))
        return sides[0], sides[1]

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Answer:
        """Try to join the two halves of persons."""
        self.refuse_unfit(seen, knowledge)
        assert knowledge.raw is not None
        assert knowledge.control is not None
        sides = self.columns(seen, knowledge)
        both = knowledge.known if set(knowledge.known) == {*sides[0], *sides[1]} else (*sides[0], *sides[1])
        rng = np.random.default_rng(self.seed)
        rows = published_rows(seen, knowledge, both)
        people = People.drawn([knowledge.raw, knowledge.control], both, self.attempts, rng)
        found = []
        for name, side in zip("ab", sides, strict=True):
            run.stage(f"linkability, side {name}", len(people))
            near = Nearness(rows, people, side, seen.readings, run)
            found.append(near.records(near.levels(self.neighbours), self.neighbours, rng))
        shared = ((found[0][:, :, None] == found[1][:, None, :]) & (found[0][:, :, None] >= 0)).any(axis=(1, 2))
        excess = self.compared(shared, people.inside)
        return Answer.of(
            self.id,
            excess,
            seen.table.rows,
            can=say("question.link"),
            guess=say("question.link_guess", first=", ".join(sides[0]), second=", ".join(sides[1])),
            details={"a": list(sides[0]), "b": list(sides[1]), "neighbours": self.neighbours, "seed": self.seed},
        )
