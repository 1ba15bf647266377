"""The largest safe set of terms by branch and bound: the most promising prefix of decisions first."""

from __future__ import annotations

import heapq
from typing import ClassVar

from sfumato.contracts.algorithm import SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.text.algorithms._erasing_search import ErasingSearch
from sfumato.text.contexts import bits
from sfumato.text.erasing import Erased, Problem

__all__ = ["EraseBestFirst"]


class EraseBestFirst(ErasingSearch):
    """Decide term after term whether it stays; of all prefixes the one that may still keep most is followed first.

    A prefix that keeps ``s`` and has the terms ``R`` before it keeps at most ``|s| + |R| - max_e (|C(e) & R| - w_e)``, where
    ``w_e`` is the k-th largest ``|C(e) & C(x) & R|`` over the other entities ``x`` that cover what is kept of ``C(e)``: so many
    of its terms can stay at best. The first complete prefix is the largest safe set. Stopped early, the rest is greedy.

    Examples
    --------
    >>> from sfumato.text import Contexts, Problem
    >>> contexts = Contexts.of({"flu": ["fever", "cough"], "cold": ["cough"], "rash": ["fever"]}, protected=["flu"])
    >>> EraseBestFirst().solve(Problem(contexts, ["fever", "cough"], 1), Run()).kept
    ('cough',)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.2.4.
    Chakaravarthy, Gupta, Roy, Mohania, "Efficient techniques for document sanitization", 2008, doi:10.1145/1458082.1458194.
    """

    id: ClassVar[str] = "erase-best-first"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="masked-documents",
        optimal=True,
        deterministic=True,
        truthful=True,
        anytime=True,
        cost="prefixes of the document",
    )

    order: str = param(
        default="document",
        choices=("document", "constrained"),
        doc="which term is decided next: as in the document, or the one in most protected contexts",
    )
    states: int = param(
        default=200_000, ge=1, doc="how many prefixes are followed before the best one is completed greedily"
    )

    def solve(self, problem: Problem, run: Run) -> Erased:
        problem.refuse_hopeless()
        order = self._order(problem)
        count, popped = len(order), 0
        rest = [0] * (count + 1)
        for at in range(count - 1, -1, -1):
            rest[at] = rest[at + 1] | order[at]
        # Ties go to the longer prefix, then to the one that came later.
        queue = [(-count, 0, 0, 0)]
        added = 0
        while queue:
            _, minus_length, _, kept = heapq.heappop(queue)
            popped += 1
            length = -minus_length
            if length == count:
                return Erased.of(problem, kept, optimal=True, looked=popped)
            if popped >= self.states:
                return Erased.of(problem, problem.put_back(kept), optimal=False, looked=popped)
            run.checkpoint()
            for grown in (kept | order[length], kept):
                if grown != kept and not problem.is_safe(grown):
                    continue
                promising = self._bound(problem, grown, rest[length + 1])
                if promising is not None:
                    added += 1
                    heapq.heappush(queue, (-promising, -(length + 1), -added, grown))
        raise AssertionError("the empty set is safe")

    def _order(self, problem: Problem) -> tuple[int, ...]:
        if self.order == "document":
            return problem.order
        held = problem.contexts.held
        return tuple(sorted(problem.order, key=lambda bit: -sum(1 for e in problem.entities if held[e] & bit)))

    @staticmethod
    def _bound(problem: Problem, kept: int, rest: int) -> int | None:
        """Return the size of the largest safe set that this prefix may still lead to; nothing if there is none."""
        contexts, lost = problem.contexts, 0
        for entity in problem.entities:
            own = contexts.held[entity] & rest
            cover = contexts.cover(entity, kept)
            if cover.bit_count() < problem.k:
                return None
            if own:
                overlaps = sorted(
                    ((own & contexts.held[bit.bit_length() - 1]).bit_count() for bit in bits(cover)), reverse=True
                )
                lost = max(lost, own.bit_count() - overlaps[problem.k - 1])
        return kept.bit_count() + rest.bit_count() - lost
