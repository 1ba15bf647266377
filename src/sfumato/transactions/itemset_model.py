"""Requirements on all sets of at most so many public items: enough baskets hold each, and do not agree on a private item."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Model, Verdict, Violation
from sfumato.data.messages import say
from sfumato.errors import Unsupported
from sfumato.itemsets import Database, Rule
from sfumato.itemsets.judging import judged_sets
from sfumato.itemsets.twins import broken_sets
from sfumato.itemsets.violations import levels
from sfumato.kernels.arrays import Bools, Codes
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.traits import BasketTraits

__all__ = ["ItemsetModel", "Mole", "itemset_models"]

Mole = tuple[str, ...]
"""A set of public items that gives somebody away, in the order of their names."""


class ItemsetModel(Model[Baskets]):
    """A requirement that some sets of at most :meth:`power` public items break: too rare, or too sure of a private item.

    Of baskets with columns beside them the adversary knows all of these as well: sets are looked at in each class of persons
    who share them, and the class itself as one more item.
    """

    traits: ClassVar[BasketTraits]
    level: ClassVar[str] = "k"

    @abstractmethod
    def power(self) -> int:
        """Return the largest number of items that the adversary knows."""

    @abstractmethod
    def smallest(self) -> int:
        """Return the smallest number of baskets that must hold what the adversary knows."""

    def confidence(self) -> Fraction:
        """Return the largest share of one private item among these baskets, exactly as it is written; 1 if none is bounded."""
        return Fraction(1)

    def protected(self, baskets: Baskets) -> Bools:
        """Return which items must not be learnt: all private ones."""
        return baskets.is_private

    def necessary(self, records: int) -> str | None:
        """Fewer baskets than must look alike can never do."""
        least = self.smallest()
        return f"{self.level}={least} is larger than the number of baskets, {records}" if records < least else None

    def rule(self) -> Rule:
        """Return when a set of items is a violation."""
        most = self.confidence()
        return Rule(self.smallest(), None if most >= 1 else (most.numerator, most.denominator))

    def database(self, baskets: Baskets) -> tuple[Database, tuple[str, ...], tuple[str, ...]]:
        """Return the baskets for the engine, the names of the public items, and those of the private ones to be protected."""
        whole = Database.of(baskets.starts, baskets.codes, len(baskets.items), baskets.is_private)
        public = tuple(name for name in baskets.items if name not in baskets.private)
        if baskets.beside is not None:
            number, known = baskets.classes
            rows, stands = whole.items.within(number)
            whole, public = replace(whole, items=rows), tuple(_in_class(one, known, public) for one in stands.tolist())
        only = None
        if baskets.known is not None:
            only = np.array([[name in one for name in public] for one in baskets.known], np.bool_)
        private = np.flatnonzero(baskets.is_private)
        wanted = np.flatnonzero(self.protected(baskets)[private])
        names = tuple(baskets.items[code] for code in private[wanted].tolist())
        return Database(whole.items, whole.secrets.taken(wanted), only), public, names

    def minimal_moles(self, baskets: Baskets) -> list[Mole]:
        """Return the sets that break the requirement while none of their parts does, small ones first, then by name."""
        database, names, _ = self.database(baskets)
        found = broken_sets(database, self.rule(), self.power())
        return list(_named(found, names))

    def moles(self, baskets: Baskets) -> list[Mole]:
        """Return every occurring set of at most so many items that breaks it; for small data, they are very many."""
        database, names, _ = self.database(baskets)
        found = (level.broken_members() for level in levels(database, self.rule(), self.power(), minimal=False))
        return list(_named(found, names))

    def empty_mole(self, baskets: Baskets) -> str | None:
        """Say why even who knows no item learns too much, so that nothing can be published by leaving items out; or nothing."""
        if len(baskets) < self.smallest():
            return self.necessary(len(baskets))
        counts = np.where(self.protected(baskets), baskets.supports, 0)
        most = self.confidence()
        over = int((counts * most.denominator > most.numerator * len(baskets)).sum()) if most < 1 else 0
        return None if not over else say("baskets.empty_mole", count=over, share=float(most))

    def judge(self, view: Baskets, *, worst: int = 10) -> Verdict:
        """Judge all sets of at most so many public items; what is told are the minimal ones that violate."""
        database, names, secrets = self.database(view)
        found = judged_sets(database, self.rule(), self.power(), worst)
        told = []
        for one in found.worst:
            witness = {"baskets": one.support} | one.witness
            if one.secret >= 0:
                witness["item"] = secrets[one.secret]
            measured = one.support if one.support < self.smallest() else one.confidence
            told.append(Violation(tuple(names[code] for code in one.members), one.support, measured, witness))
        return self.verdict(
            qid=() if view.beside is None else view.beside.columns,
            satisfied=found.broken == 0,
            strongest=found.smallest,
            groups=found.looked,
            records=len(view),
            bound=self._bound(),
            violations=told,
            violating_groups=found.broken,
            violating_records=int(found.touched.sum()),
        )

    def _bound(self) -> str:
        most = self.confidence()
        if most >= 1:
            return say("bound.records", k=self.smallest())
        return say("bound.records_and_confidence", k=self.smallest(), most=float(most))


def itemset_models(models: Sequence[Model[Baskets]], thing: str) -> list[ItemsetModel]:
    """Return the requirements; refuse those that do not speak of sets of few items."""
    out = []
    for model in models:
        if not isinstance(model, ItemsetModel):
            raise Unsupported(
                f"{thing} works for requirements on sets of few items: hkp-coherence, km-anonymity, lkc-privacy",
                thing=model.id,
                alternatives=["top-down-partitioning", "cahd"],
            )
        out.append(model)
    return out


def _in_class(stands: int, known: tuple[str, ...], items: tuple[str, ...]) -> str:
    """Return what is known of a class beside its items, and an item of it if it stands for one."""
    at, item = divmod(stands, len(items) + 1)
    return known[at] if item == 0 else f"{known[at]}: {items[item - 1]}"


def _named(found: Iterator[Codes], names: tuple[str, ...]) -> Iterator[Mole]:
    for sets in found:
        for members in sets.tolist():
            yield tuple(names[code] for code in members)
