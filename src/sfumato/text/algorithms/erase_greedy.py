"""Erase the term that helps most until the document is safe, then put back what can stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from sfumato.contracts.algorithm import SearchTraits
from sfumato.contracts.run import Run
from sfumato.kernels.arrays import Bools, Codes, Ints, Words
from sfumato.text.algorithms._erasing_kernels import covers_without
from sfumato.text.algorithms._erasing_search import ErasingSearch
from sfumato.text.contexts import bits
from sfumato.text.erasing import Erased, Problem

__all__ = ["EraseGreedy"]


class EraseGreedy(ErasingSearch):
    """Erase the term without which ``sum_e min(A_T(e), k)`` is largest, until ``T`` is safe; then terms come back in order.

    Ties go to the term in most protected contexts, then to the first in the document. What an entity gains by each of its
    terms is counted anew only when one of them goes, so that a long document costs what it touches. The result is safe and
    maximal, and rarely more than one term below the largest.

    Examples
    --------
    >>> from sfumato.text import Contexts, Problem
    >>> contexts = Contexts.of({"flu": ["fever", "cough"], "cold": ["cough"], "rash": ["itching"]}, protected=["flu"])
    >>> EraseGreedy().solve(Problem(contexts, ["fever", "cough"], 1), Run()).kept
    ('cough',)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.2.4 (Fast-BTop).
    Chakaravarthy, Gupta, Roy, Mohania, "Efficient techniques for document sanitization", 2008, doi:10.1145/1458082.1458194.
    """

    id: ClassVar[str] = "erase-greedy"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="masked-documents",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="protected entities x terms of theirs",
    )

    def solve(self, problem: Problem, run: Run) -> Erased:
        problem.refuse_hopeless()
        state = _State.of(problem)
        waiting, looked = np.arange(len(problem.entities)), 0
        while True:
            run.checkpoint()
            state.look(waiting)
            looked += len(waiting)
            if not state.unsafe.any():
                break
            waiting = state.erase()
        kept = sum(bit for bit, alive in zip(problem.order, state.alive.tolist(), strict=True) if alive)
        return Erased.of(problem, problem.put_back(kept), optimal=False, looked=looked)


@dataclass(eq=False)
class _State:
    """The terms of each entity of a document, who holds each term, and what each entity would gain without each of its own."""

    places: Ints
    starts: Ints
    terms: Codes
    entities_of: tuple[Ints, ...]
    holders: Words
    everyone: Words
    spread: Ints
    k: int
    alive: Bools
    unsafe: Bools
    gains: Ints
    gain: Ints

    @classmethod
    def of(cls, problem: Problem) -> Self:
        contexts, order = problem.contexts, problem.order
        rank = {bit: at for at, bit in enumerate(order)}
        own = [[rank[bit] for bit in bits(contexts.held[e] & problem.document)] for e in problem.entities]
        terms = np.array([at for held in own for at in held], np.int32)
        owners = np.repeat(np.arange(len(own)), [len(held) for held in own])
        width = (len(contexts.entities) + 63) // 64
        everyone = (1 << len(contexts.entities)) - 1
        packed = b"".join(number.to_bytes(width * 8, "little") for number in (contexts.holders[bit] for bit in order))
        return cls(
            places=np.array(problem.entities, np.int64),
            starts=np.concatenate(([0], np.cumsum([len(held) for held in own], dtype=np.int64))).astype(np.int64),
            terms=terms,
            entities_of=tuple(owners[terms == at] for at in range(len(order))),
            holders=np.frombuffer(packed, "<u8").reshape(len(order), width).astype(np.uint64),
            everyone=np.frombuffer(everyone.to_bytes(width * 8, "little"), "<u8").astype(np.uint64),
            spread=np.bincount(terms, minlength=len(order)).astype(np.int64),
            k=problem.k,
            alive=np.ones(len(order), np.bool_),
            unsafe=np.zeros(len(own), np.bool_),
            gains=np.zeros(len(terms), np.int64),
            gain=np.zeros(len(order), np.int64),
        )

    def look(self, entities: Ints) -> None:
        """Count anew what some entities would gain by each of their terms; one that is safe gains nothing, and stays so."""
        at = _spans(self.starts, entities)
        np.subtract.at(self.gain, self.terms[at], self.gains[at])
        covers, without = covers_without(
            entities, self.places, self.starts, self.terms, self.alive, self.holders, self.everyone, self.k
        )
        lengths = np.diff(self.starts)[entities]
        self.unsafe[entities] = covers < self.k
        better = np.minimum(without, self.k) - np.repeat(covers, lengths)
        self.gains[at] = np.where(np.repeat(covers < self.k, lengths) & self.alive[self.terms[at]], better, 0)
        np.add.at(self.gain, self.terms[at], self.gains[at])

    def erase(self) -> Ints:
        """Erase the term that gains most and return the entities that it touches; those that are safe are left alone."""
        best = np.lexsort((np.arange(len(self.alive)), -self.spread, -self.gain, ~self.alive))[0]
        self.alive[best] = False
        touched = self.entities_of[best]
        waiting: Ints = touched[self.unsafe[touched]]
        return waiting


def _spans(starts: Ints, entities: Ints) -> Ints:
    """Return the places of the terms of some entities, one entity after the other."""
    lengths = np.diff(starts)[entities]
    before = np.cumsum(lengths) - lengths
    places: Ints = np.arange(int(lengths.sum())) + np.repeat(starts[entities] - before, lengths)
    return places
