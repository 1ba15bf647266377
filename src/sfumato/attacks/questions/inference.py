"""Inference: can a sensitive value be guessed from what is known of a person and a release?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np

from sfumato.attacks._covering import covers
from sfumato.attacks.questions._nearness import Nearness
from sfumato.attacks.questions._persons import People, known_columns, numbers_of, published_rows, refuse_unknown
from sfumato.attacks.questions._question import Question
from sfumato.contracts.answer import Answer
from sfumato.contracts.attack import AttackTraits
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import columns, param
from sfumato.data.messages import say
from sfumato.data.text import SUPPRESSED, to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Floats, Ints

__all__ = ["Inference"]


class Inference(Question):
    """Tell whether a sensitive value can be guessed from what is known of a person.

    The adversary knows the columns ``known`` of a person. She takes the ``neighbours`` published records nearest to that, and
    all that lie equally far as the last of them, and guesses the value that would be right for most of them. A guess of
    a number is right if it differs from the true value ``t`` by at most ``tolerance |t|``, a guess of a label if it covers
    the true value; a label that stands for everything is no guess.

    Nearness: a label that covers a value lies 0 from it, another number or interval as far as the gap, as a share of the range
    of the column, anything else 1; the sum over the columns counts.

    The same is tried on a control group of persons who are not in the release: what is guessed of them too follows from what
    people have in common. With the shares of success ``s`` on the persons in the release and ``c`` on the control group, the
    risk is ``(s - c) / (1 - c)``, at least 0.

    Adversary: knows some columns of a person and that she is in the release. What she does is one way to guess; that it fails
    does not say that every way fails.

    Examples
    --------
    >>> import sfumato
    >>> people = [(20 + number, ("Flu", "Cancer", "Ulcer")[number * number % 7 % 3]) for number in range(80)]
    >>> raw, others = (sfumato.from_rows(["age", "disease"], people[part::2]) for part in (0, 1))
    >>> found = sfumato.attack(raw, Inference(), qid=["age"], sensitive="disease", raw=raw, control=others)
    >>> found.excess.release.share, found.answer
    (1.0, 'yes')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.
    Article 29 Data Protection Working Party, "Opinion 05/2014 on Anonymisation Techniques" (WP216), 2014.
    Giomi, Boenisch, Wehmeyer, Tasnádi, "A unified framework for quantifying privacy risk in synthetic data", 2023,
    doi:10.56553/popets-2023-0055.
    """

    id: ClassVar[str] = "inference"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="some columns of a person, and that she is in the release",
        needs=frozenset({"sensitive", "raw", "control"}),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.inference")

    known: tuple[str, ...] | None = columns(
        "quasi-identifier", default=None, doc="what the adversary knows of a person; the quasi-identifiers if not set"
    )
    neighbours: int = param(default=1, ge=1, doc="how many nearest records are looked at, and those equally far")
    tolerance: float = param(
        default=0.05, ge=0, lt=1, doc="how far a guessed number may be off, as a share of the true one"
    )

    def columns(self, seen: Seen, knowledge: TableKnowledge) -> tuple[str, ...]:
        """Return the columns that the adversary knows; refuse those that she cannot know, or learn."""
        where = f"{self.id}.known"
        known = known_columns(seen, knowledge, self.known, where)
        refuse_unknown(seen, knowledge, knowledge.secret, "sensitive")
        if knowledge.secret in known:
            raise BadRequest("is known and cannot be learnt", parameter=where, value=knowledge.secret)
        return known

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Answer:
        """Guess the sensitive value of persons."""
        self.refuse_unfit(seen, knowledge)
        assert knowledge.raw is not None
        assert knowledge.control is not None
        known = self.columns(seen, knowledge)
        rng = np.random.default_rng(self.seed)
        rows = published_rows(seen, knowledge, known, knowledge.secret)
        people = People.drawn([knowledge.raw, knowledge.control], (*known, knowledge.secret), self.attempts, rng)
        run.stage("inference", len(people))
        histogram = rows.histograms[knowledge.secret]
        numbers = _numbers(histogram.values, seen, knowledge)
        first, last = self._rightness(histogram.values, numbers, seen, knowledge)
        near = Nearness(rows, people, known, seen.readings, run)
        guess = near.guesses(near.levels(self.neighbours), histogram, first, last)
        right = self._right(guess, histogram.values, numbers, people, seen, knowledge)
        excess = self.compared(right, people.inside)
        return Answer.of(
            self.id,
            excess,
            seen.table.rows,
            can=say("question.infer"),
            guess=say("question.infer_guess", column=knowledge.secret, known=", ".join(known)),
            details={
                "known": list(known),
                "sensitive": knowledge.secret,
                "neighbours": self.neighbours,
                "seed": self.seed,
                **({} if numbers is None else {"tolerance": self.tolerance}),
            },
        )

    def _rightness(
        self, labels: Sequence[Hashable], numbers: Floats | None, seen: Seen, knowledge: TableKnowledge
    ) -> tuple[Ints, Ints]:
        """Return for which run of published values each of them would be right; an empty run if it is no guess."""
        own = np.arange(len(labels))
        if numbers is not None:
            # A guess g is right for a true value t if |g - t| <= tolerance |t|.
            ends = np.stack([numbers / (1 + self.tolerance), numbers / (1 - self.tolerance)])
            known = int(np.count_nonzero(np.isnan(numbers)))  # a missing value comes first
            first = np.minimum(np.searchsorted(numbers[known:], ends.min(axis=0), "left") + known, own)
            last = np.maximum(np.searchsorted(numbers[known:], ends.max(axis=0), "right") + known, own + 1)
            return np.where(np.isnan(numbers), 0, first), np.where(np.isnan(numbers), 0, last)
        reading = seen.readings.get(knowledge.secret)
        empty = {SUPPRESSED} | ({reading.root} if reading is not None else set())
        told = np.array([label is not None and to_text(label) not in empty for label in labels], bool)
        return own, np.where(told, own + 1, own)

    def _right(
        self,
        guess: Ints,
        labels: Sequence[Hashable],
        numbers: Floats | None,
        people: People,
        seen: Seen,
        knowledge: TableKnowledge,
    ) -> Bools:
        """Tell which guesses are right."""
        values, codes = people.column(knowledge.secret)
        if numbers is not None:
            held = np.array([*values, None], np.float64)[codes]
            guessed = np.append(numbers, np.nan)[guess]
            return np.less_equal(np.abs(guessed - held), self.tolerance * np.abs(held))
        found = covers(labels, values, seen.readings.get(knowledge.secret))
        width = max(len(labels), 1)
        pairs = np.repeat(np.arange(len(values)), np.diff(found.start)) * width + found.label
        return np.isin(codes.astype(np.int64) * width + guess, pairs) & (guess >= 0) & (codes >= 0)


def _numbers(labels: Sequence[Hashable], seen: Seen, knowledge: TableKnowledge) -> Floats | None:
    """Return the published sensitive values as numbers, if they are numbers in all tables; a missing one is NaN."""
    assert knowledge.raw is not None
    assert knowledge.control is not None
    tables = (seen.table, knowledge.raw, knowledge.control)
    if not all(table.types[knowledge.secret].numeric for table in tables):
        return None
    missing = sum(label is None for label in labels)
    known = numbers_of(labels[missing:], seen.table.types[knowledge.secret])
    assert known is not None
    return np.append(np.full(missing, np.nan), known)
