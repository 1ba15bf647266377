"""LKC-privacy of paths: who knows at most L pairs finds K persons or more, and no sensitive value too surely."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Model, Verdict, Violation
from sfumato.contracts.thing import column, param
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, misspelt
from sfumato.itemsets import Database, Rule
from sfumato.itemsets.database import Rows
from sfumato.itemsets.judging import judged_sets
from sfumato.itemsets.violations import levels
from sfumato.trajectories.traits import TrajectoryTraits
from sfumato.trajectories.trajectories import Path, Trajectories

__all__ = ["LKCPrivacy"]


class LKCPrivacy(Model[Trajectories]):
    """Any sequence of at most L pairs that occurs is in the paths of K persons or more, and gives no sensitive value away.

    For every non-empty sequence ``q`` of at most L pairs with ``|T(q)| > 0``: ``|T(q)| >= K``, and ``P(s|q)``, the share of
    ``T(q)`` with the value s, is at most C for every sensitive value s in ``values``. Shares are compared exactly. All lengths
    up to L are looked at: a longer sequence may pass where its part does not.

    Adversary: knows at most L pairs of place and time of a person's path.

    Examples
    --------
    >>> paths = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1), ("b", 2)], [("a", 1)]], columns={"ill": ["x", "y", "y"]})
    >>> LKCPrivacy(L=2, K=2, C=0.5, sensitive="ill", values=("x",)).judge(paths).satisfied
    True
    >>> LKCPrivacy(L=1, K=3).minimal_violations(paths)
    [(Pair(place='b', time=2),)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.2.1.2, Definition 14.1.
    Fung, Cao, Desai, Xu, "Privacy protection for RFID data", 2009, doi:10.1145/1529282.1529626.
    """

    id: ClassVar[str] = "lkc-privacy"
    aliases: ClassVar[tuple[str, ...]] = ("lkc-trajectory",)
    traits: ClassVar[TrajectoryTraits] = TrajectoryTraits(
        frozenset({"record", "attribute"}), "subsets", knows="pairs", truthful=True, exact_supports=True
    )
    adversary: ClassVar[str] = say("adversary.lkc-trajectories")
    level: ClassVar[str] = "K"

    L: int = param(ge=1, doc="largest number of pairs that the adversary knows")
    K: int = param(ge=1, doc="smallest number of persons that must fit what the adversary knows")
    C: float = param(
        gt=0, le=1, default=1.0, doc="largest share of one sensitive value among these persons, 0.2 for 20 %"
    )
    sensitive: str | None = column(
        "sensitive", default=None, doc="column with the values to protect; none: K alone counts"
    )
    values: tuple[str, ...] | None = param(default=None, doc="sensitive values to protect; all if not given")

    def validate(self) -> None:
        """Refuse sensitive values without the column they come from."""
        super().validate()
        if self.values is not None and self.sensitive is None:
            raise BadRequest("needs the sensitive column of the values", parameter=f"{self.id}.sensitive")

    def necessary(self, records: int) -> str | None:
        """Fewer persons than must look alike can never do."""
        return f"K={self.K} is larger than the number of persons, {records}" if records < self.K else None

    def confidence(self) -> Fraction:
        """Return C exactly as it is written; 1 where nothing is to be protected."""
        return Fraction(str(self.C)) if self.sensitive is not None else Fraction(1)

    def rule(self) -> Rule:
        """Return when a sequence violates."""
        most = self.confidence()
        return Rule(self.K, None if most >= 1 else (most.numerator, most.denominator))

    def secrets(self, paths: Trajectories) -> tuple[Rows, tuple[str, ...]]:
        """Return which protected value each person has, and the texts of these values."""
        if self.sensitive is None:
            return Rows(np.zeros(len(paths) + 1, np.int64), np.empty(0, np.int32), 0), ()
        held = paths.column(self.sensitive)
        texts = [to_text(value) for value in held.values]
        names = tuple(text for text in texts if self.values is None or text in self.values)
        number = np.array([*(names.index(text) if text in names else -1 for text in texts), -1], np.int64)
        codes = number[held.codes]
        there = codes >= 0
        starts = np.concatenate(([0], np.cumsum(there))).astype(np.int64)
        return Rows(starts, codes[there].astype(np.int32), len(names)), names

    def refuse_strange(self, paths: Trajectories) -> None:
        """Refuse values to protect that nobody has: they are misspelt, or protect nobody."""
        if self.sensitive is None or self.values is None:
            return
        texts = [to_text(value) for value in paths.column(self.sensitive).values]
        strange = sorted(set(self.values) - set(texts))
        if strange:
            raise BadRequest(
                "nobody has it", parameter=f"{self.id}.values", values=strange, shown=misspelt(strange, texts)
            )

    def database(self, paths: Trajectories) -> tuple[Database, tuple[str, ...]]:
        """Return the paths for the engine, and the names of what must not be learnt."""
        rows, names = self.secrets(paths)
        return paths.database(rows), names

    def minimal_violations(self, paths: Trajectories) -> list[Path]:
        """Return the sequences that violate while none of their parts does, short ones first, then by time and place."""
        return list(self._sequences(paths, minimal=True))

    def violations(self, paths: Trajectories) -> list[Path]:
        """Return every occurring sequence of at most L pairs that violates; for small data, they are very many."""
        return list(self._sequences(paths, minimal=False))

    def _sequences(self, paths: Trajectories, *, minimal: bool) -> Iterator[Path]:
        database, _ = self.database(paths)
        for level in levels(database, self.rule(), self.L, minimal=minimal):
            for members in level.broken.members.tolist():
                yield tuple(paths.pairs[code] for code in members)

    def empty_violation(self, paths: Trajectories) -> str | None:
        """Say why even who knows no pair learns too much, so that leaving points out cannot help; or nothing."""
        if len(paths) < self.K:
            return self.necessary(len(paths))
        rows, _ = self.secrets(paths)
        most = self.confidence()
        over = int((rows.supports * most.denominator > most.numerator * len(paths)).sum()) if most < 1 else 0
        return None if not over else say("trails.empty_sequence", count=over, share=float(most))

    def judge(self, view: Trajectories, *, worst: int = 10) -> Verdict:
        """Judge all sequences of at most L pairs; what is told are the minimal ones that violate."""
        database, secrets = self.database(view)
        found = judged_sets(database, self.rule(), self.L, worst)
        told = []
        for one in found.worst:
            witness = {"persons": one.support} | one.witness
            if one.secret >= 0:
                witness["value"] = secrets[one.secret]
            measured = one.support if one.support < self.K else one.confidence
            told.append(Violation(tuple(str(view.pairs[code]) for code in one.members), one.support, measured, witness))
        return self.verdict(
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
            return say("bound.records", k=self.K)
        return say("bound.records_and_confidence", k=self.K, most=float(most))
