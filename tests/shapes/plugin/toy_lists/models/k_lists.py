"""Every published list is published for at least k persons."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from sfumato.contracts.model import Model, ModelTraits, Verdict, Violation
from sfumato.contracts.thing import param


class KLists(Model[tuple[frozenset[str], ...]]):
    """Every published list is published for at least k persons.

    Examples
    --------
    >>> KLists(k=2).judge((frozenset({"a"}), frozenset({"a"}))).satisfied
    True
    """

    id: ClassVar[str] = "k-lists"
    traits: ClassVar[ModelTraits] = ModelTraits(frozenset({"record"}), "group")
    adversary: ClassVar[str] = "knows the list of a person"

    k: int = param(ge=1, doc="smallest number of persons who share a list")

    def judge(self, view: tuple[frozenset[str], ...], *, worst: int = 10) -> Verdict:
        sizes = Counter(view)
        broken = [Violation((), size, size) for size in sizes.values() if size < self.k]
        return self.verdict(
            satisfied=not broken,
            strongest=min(sizes.values(), default=None),
            groups=len(sizes),
            records=len(view),
            bound=f">= {self.k}",
            violations=broken[:worst],
            violating_groups=len(broken),
            violating_records=sum(one.size for one in broken),
        )
