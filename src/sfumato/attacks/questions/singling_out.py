"""Singling out: can a release tell an outsider how to pick exactly one person?"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.attacks.questions._persons import TableRows, known_columns, published_rows
from sfumato.attacks.questions._predicates import Predicates
from sfumato.attacks.questions._question import Question
from sfumato.contracts.answer import Answer
from sfumato.contracts.attack import AttackTraits
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import columns, param
from sfumato.data.messages import say
from sfumato.estimates.excess import Excess, Rate

__all__ = ["SinglingOut"]

_SPARE = 4  # predicates drawn for each that is tried: the adversary tries the most promising ones
_ALIKE = 0.9  # a control group smaller than this share of the raw table is noted


class SinglingOut(Question):
    """Tell whether the release says how to pick exactly one person.

    The adversary takes a published record that nobody else looks like, if there is one, and some of the ``known`` columns,
    at most ``together``, both at random. What these cells say is her predicate: a value that the label covers, the same number,
    or a number at least as far out from the median; for one column alone, at least as far out as any published one. She tries
    predicates that fit exactly one published record, and others only if she finds none. A guess succeeds if the predicate fits
    exactly one person of the raw table.

    The same predicates are tried on a control group of persons who are not in the release: some predicates fit one person of
    any table. With the shares of success ``s`` on the persons in the release and ``c`` on the control group, the risk is
    ``(s - c) / (1 - c)``, at least 0. How often a predicate fits one person depends on how many there are, so the control group
    should be as large as the raw table; a larger one is cut down, a smaller one is noted.

    Adversary: has the release alone. What she does is one way to pick persons; that it fails does not say that every way fails.

    Examples
    --------
    >>> import sfumato
    >>> rows = [(20 + number, 1000 + 7 * number) for number in range(60)]
    >>> raw, others = (sfumato.from_rows(["age", "zip"], rows[part::2]) for part in (0, 1))
    >>> sfumato.attack(raw, SinglingOut(), qid=["age", "zip"], raw=raw, control=others).excess.release.share
    1.0
    >>> masked = sfumato.from_rows(["age", "zip"], [("*", "[1000-2000)")] * 30)
    >>> sfumato.attack(masked, SinglingOut(), qid=["age", "zip"], raw=raw, control=others).excess.release.share
    0.0

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.
    Article 29 Data Protection Working Party, "Opinion 05/2014 on Anonymisation Techniques" (WP216), 2014.
    Giomi, Boenisch, Wehmeyer, Tasnádi, "A unified framework for quantifying privacy risk in synthetic data", 2023,
    doi:10.56553/popets-2023-0055.
    """

    id: ClassVar[str] = "singling-out"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="the release alone",
        needs=frozenset({"raw", "control"}),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.singling-out")

    known: tuple[str, ...] | None = columns(
        "quasi-identifier", default=None, doc="columns that predicates are made of; the quasi-identifiers if not set"
    )
    together: int | None = param(default=None, ge=1, doc="how many columns a predicate has at most; all if not set")

    def columns(self, seen: Seen, knowledge: TableKnowledge) -> tuple[str, ...]:
        """Return the columns that predicates are made of."""
        return known_columns(seen, knowledge, self.known, f"{self.id}.known")

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Answer:
        """Make predicates from the release and count whom they fit."""
        self.refuse_unfit(seen, knowledge)
        assert knowledge.raw is not None
        assert knowledge.control is not None
        known = self.columns(seen, knowledge)
        rng = np.random.default_rng(self.seed)
        rows = published_rows(seen, knowledge, known)
        attempts = min(self.attempts, rows.records)
        run.stage("singling out (predicates)")
        drawn = Predicates.drawn(rows, _SPARE * attempts, self.together or len(known), rng)
        fits = drawn.fitting(rows, seen.readings)
        promising = np.flatnonzero(drawn.first_of_each() & (fits == 1))
        tried = drawn.taken((promising if len(promising) else np.arange(len(fits)))[:attempts])
        inside = TableRows.of(knowledge.raw.groups(known), knowledge.raw.types)
        outside = TableRows.of(knowledge.control.groups(known), knowledge.control.types)
        if outside.records > inside.records:
            outside = outside.thinned(inside.records, rng)
        rates: list[Rate] = []
        for people in (inside, outside):
            run.stage(f"singling out ({'control group' if rates else 'release'})", len(tried))
            counts = tried.fitting(people, seen.readings, run)
            rates.append(Rate(int(np.count_nonzero(counts == 1)), len(counts)))
        excess = Excess(rates[0], rates[1], self.confidence, self.negligible)
        few = outside.records < _ALIKE * inside.records
        return Answer.of(
            self.id,
            excess,
            seen.table.rows,
            can=say("question.single_out"),
            guess=say("question.single_out_guess"),
            details={
                "known": list(known),
                "together": self.together or len(known),
                "predicates_that_fit_one_published_record": len(promising),
                "records_that_nobody_else_looks_like": int(np.count_nonzero(rows.sizes == 1)),
                "seed": self.seed,
            },
            warnings=(say("warning.control_small", control=outside.records, raw=inside.records),) if few else (),
        )
