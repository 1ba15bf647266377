"""All safe sets of terms, level by level: for short documents, and to see how much there is to choose from."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.algorithm import SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import Unsupported
from sfumato.text.algorithms._erasing_search import ErasingSearch
from sfumato.text.erasing import Erased, Problem

__all__ = ["EraseLevelwise"]


class EraseLevelwise(ErasingSearch):
    """Grow safe sets of terms by one term at a time, as frequent itemsets are: a part of a safe set is safe.

    Candidates of size r + 1 join safe sets that share r - 1 terms, and all their parts of size r must be safe. The largest
    set is kept; of several the one whose terms come first in the document. Exponential in the length of the document.

    Examples
    --------
    >>> from sfumato.text import Contexts, Problem
    >>> contexts = Contexts.of({"flu": ["fever", "cough"], "cold": ["cough"], "rash": ["fever"]}, protected=["flu"])
    >>> EraseLevelwise().solve(Problem(contexts, ["fever", "cough"], 1), Run()).maximal
    [('fever',), ('cough',)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.2.4.
    Chakaravarthy, Gupta, Roy, Mohania, "Efficient techniques for document sanitization", 2008, doi:10.1145/1458082.1458194.
    """

    id: ClassVar[str] = "erase-levelwise"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="masked-documents",
        optimal=True,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="safe sets of terms",
    )

    most_sets: int = param(default=1_000_000, ge=1, doc="how many safe sets may be held before the search is given up")

    def solve(self, problem: Problem, run: Run) -> Erased:
        problem.refuse_hopeless()
        rank = {bit: at for at, bit in enumerate(problem.order)}
        level: list[tuple[int, ...]] = [()]
        per_level, looked, held = {0: 1}, 1, 1
        maximal: list[int] = []
        for size in range(1, len(problem.order) + 1):
            safe = {sum(members) for members in level}
            following, inside = [], set[int]()
            for members in self._joined(level, problem.order, rank):
                run.checkpoint()
                terms = sum(members)
                if not all(terms ^ bit in safe for bit in members):
                    continue
                looked += 1
                if problem.is_safe(terms):
                    following.append(members)
                    inside.update(terms ^ bit for bit in members)
            held += len(following)
            if held > self.most_sets:
                raise Unsupported(
                    f"{self.id} holds more than {self.most_sets:,} safe sets",
                    thing=self.id,
                    alternatives=["erase-best-first", "erase-greedy"],
                )
            maximal += [terms for terms in map(sum, level) if terms not in inside]
            per_level[size] = len(following)
            level = following
            if not level:
                break
        maximal += list(map(sum, level))
        per_level |= dict.fromkeys(range(len(per_level), len(problem.order) + 1), 0)
        best = max(maximal, key=int.bit_count)  # the first of several, and they come in the order of the document
        return Erased.of(problem, best, optimal=True, looked=looked, per_level=per_level, maximal=maximal)

    @staticmethod
    def _joined(level: list[tuple[int, ...]], order: tuple[int, ...], rank: dict[int, int]) -> list[tuple[int, ...]]:
        """Return sets with one term more, in the order of the document."""
        if level == [()]:
            return [(bit,) for bit in order]
        further: dict[tuple[int, ...], list[int]] = {}
        for members in level:
            further.setdefault(members[:-1], []).append(members[-1])
        return [(*members, bit) for members in level for bit in further[members[:-1]] if rank[bit] > rank[members[-1]]]
