"""LKC-privacy of paths: who knows at most L pairs finds K persons or more, and no sensitive value too surely."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Model, Verdict, Violation
from sfumato.contracts.thing import column, param
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported, misspelt
from sfumato.itemsets import Database, Rule
from sfumato.itemsets.database import Rows
from sfumato.itemsets.judging import Judged, Worst, judged_sets
from sfumato.itemsets.violations import levels
from sfumato.trajectories.known import Known
from sfumato.trajectories.place_sequences import judged_places
from sfumato.trajectories.traits import TrajectoryTraits
from sfumato.trajectories.trajectories import Path, Trajectories

__all__ = ["LKCPrivacy"]


class LKCPrivacy(Model[Trajectories]):
    """Any sequence of at most L pairs that occurs is in the paths of K persons or more, and gives no sensitive value away.

    For every non-empty sequence ``q`` of at most L pairs with ``|T(q)| > 0``: ``|T(q)| >= K``, and ``P(s|q)``, the share of
    ``T(q)`` with the value s, is at most C for every sensitive value s in ``values``. Shares are compared exactly. All lengths
    up to L are looked at: a longer sequence may pass where its part does not.

    ``knowledge`` says what is known of a point: a pair of place and time; its place alone, of several points in their order;
    its time alone; or any of the three, though always the same of all known points. That pairs are safe does not make places
    alone safe: of persons who were at a place at different times too many may share a value.

    Where columns of persons are quasi-identifiers, these are known as well: T(q) is looked at in each class of persons who
    share all of them, also for the empty sequence.

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
    knowledge: str = param(
        default="pair",
        choices=("pair", "location", "time", "any"),
        doc="what is known of a point: its place and time, its place, its time, or any one of these",
    )

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

    def ways(self) -> tuple[str, ...]:
        """Return what may be known of a point, one after the other."""
        return ("pair", "location", "time") if self.knowledge == "any" else (self.knowledge,)

    def rule(self) -> Rule:
        """Return when a sequence violates."""
        most = self.confidence()
        return Rule(self.K, None if most >= 1 else (most.numerator, most.denominator))

    def secrets(self, paths: Trajectories) -> tuple[Rows, tuple[tuple[str, str], ...]]:
        """Return which protected value each person has, and what these values are."""
        return paths.secrets({} if self.sensitive is None else {self.sensitive: self.values})

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

    def database(self, paths: Trajectories, way: str = "pair") -> Database:
        """Return the paths as sets of pairs, or of times, and the values that must not be learnt."""
        rows, _ = paths.within_classes(_known_rows(paths, way))
        return Database(rows, self.secrets(paths)[0])

    def minimal_violations(self, paths: Trajectories) -> list[Path]:
        """Return the sequences that violate while none of their parts does, short ones first, then by time and place."""
        return list(self._sequences(paths, minimal=True))

    def violations(self, paths: Trajectories) -> list[Path]:
        """Return every occurring sequence of at most L pairs that violates; for small data, they are very many."""
        return list(self._sequences(paths, minimal=False))

    def _sequences(self, paths: Trajectories, *, minimal: bool) -> Iterator[Path]:
        _refuse_classes(paths, "a list of sequences")
        for level in levels(self.database(paths), self.rule(), self.L, minimal=minimal):
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
        """Judge all sequences of at most L points; what is told are the minimal ones that violate."""
        rows, secrets = self.secrets(view)
        found = [(way, self._judged(view, rows, way, worst)) for way in self.ways()]
        told = [self._violation(view, way, one, secrets) for way, judged in found for one in judged.worst]
        judged = [one for _, one in found]
        broken = sum(one.broken for one in judged)
        return self.verdict(
            qid=view.known,
            satisfied=broken == 0,
            strongest=min((one.smallest for one in judged if one.smallest is not None), default=None),
            groups=sum(one.looked for one in judged),
            records=len(view),
            bound=self._bound(),
            violations=told[:worst],
            violating_groups=broken,
            violating_records=int(np.logical_or.reduce([one.touched for one in judged]).sum()),
        )

    def _judged(self, view: Trajectories, secrets: Rows, way: str, worst: int) -> Judged:
        if way == "location":
            _refuse_classes(view, "knowledge of places without times")
            return judged_places(view, secrets, self.rule(), self.L, worst)
        return judged_sets(self.database(view, way), self.rule(), self.L, worst)

    def _violation(self, view: Trajectories, way: str, found: Worst, secrets: tuple[tuple[str, str], ...]) -> Violation:
        witness: dict[str, object] = {"persons": found.support} | found.witness
        if found.secret >= 0:
            witness["value"] = secrets[found.secret][1]
        if way == "location":
            known = [str(Known(view.names[code], None)) for code in found.members]
        else:
            rows = _known_rows(view, way)
            stands = view.within_classes(rows)[1][list(found.members)]
            points: Sequence[Known] = [Known(*pair) for pair in view.pairs]
            if way == "time":
                points = [Known(None, moment) for moment in view.moments]
            known = []
            for group, point in zip(*np.divmod(stands, rows.width + 1), strict=True):
                known += [view.classes[1][group]] if view.known and view.classes[1][group] not in known else []
                known += [str(points[point - 1])] if point else []
        measured = found.support if found.support < self.K else found.confidence
        return Violation(tuple(known), found.support, measured, witness)

    def _bound(self) -> str:
        most = self.confidence()
        if most >= 1:
            return say("bound.records", k=self.K)
        return say("bound.records_and_confidence", k=self.K, most=float(most))


def _known_rows(view: Trajectories, way: str) -> Rows:
    """Return the pairs, or the times, of each path."""
    return Rows(view.starts, view.times, len(view.moments)) if way == "time" else view.database().items


def _refuse_classes(view: Trajectories, what: str) -> None:
    if view.known:
        raise Unsupported(
            f"{what} is not looked at beside columns of persons: ask for knowledge pair or time", thing=LKCPrivacy.id
        )
