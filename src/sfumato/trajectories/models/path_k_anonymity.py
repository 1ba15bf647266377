"""Path k-anonymity: every published path is that of k persons or more."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import ClassVar

from sfumato.contracts.model import Model, Verdict, Violation
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.trajectories.traits import TrajectoryTraits
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["PathKAnonymity"]


class PathKAnonymity(Model[Trajectories]):
    """Every published path, as a whole, is the path of at least k persons; the empty one as well.

    Each pair of place and time is a dimension here: 200 rooms by 24 hours are 4,800 of them, and hardly anything is left of
    paths that must agree in all. It bounds who knows everything, and says nothing of sensitive values. Columns of
    persons that are quasi-identifiers must agree as well.

    Adversary: knows the whole path of a person.

    Examples
    --------
    >>> PathKAnonymity(k=2).judge(Trajectories.of([[("a", 1)], [("a", 1)], [("a", 1), ("b", 2)]])).strongest
    1

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.1.2, Table 14.2.
    """

    id: ClassVar[str] = "path-k-anonymity"
    traits: ClassVar[TrajectoryTraits] = TrajectoryTraits(
        frozenset({"record"}), "group", knows="path", truthful=True, exact_supports=True
    )
    adversary: ClassVar[str] = say("adversary.path-k-anonymity")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of persons who must have the same path")

    def necessary(self, records: int) -> str | None:
        """Fewer persons than must look alike can never do."""
        return f"k={self.k} is larger than the number of persons, {records}" if records < self.k else None

    def judge(self, view: Trajectories, *, worst: int = 10) -> Verdict:
        """Judge how often each path is there."""
        starts, codes = view.starts.tolist(), view.codes.tolist()
        groups, told = view.classes
        sizes = Counter(
            (group, tuple(codes[first:last]))
            for group, (first, last) in zip(groups.tolist(), pairwise(starts), strict=True)
        )
        broken = sorted((size, one) for one, size in sizes.items() if size < self.k)
        return self.verdict(
            qid=view.known,
            satisfied=not broken,
            strongest=min(sizes.values(), default=None),
            groups=len(sizes),
            records=len(view),
            bound=say("bound.records", k=self.k),
            violations=[
                Violation(
                    (*told[group : group + 1][: len(view.known)], *(str(view.pairs[code]) for code in path)),
                    size,
                    size,
                    {"persons": size},
                )
                for size, (group, path) in broken[:worst]
            ],
            violating_groups=len(broken),
            violating_records=sum(size for size, _ in broken),
        )
