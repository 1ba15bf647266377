"""Noisy queries: what enough persons asked, with noisy numbers of these persons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import Statement
from sfumato.contracts.mechanism import NOISY_STATISTICS
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Infeasible

__all__ = ["NoisyQueries"]


class NoisyQueries(ReleaseKind):
    """Queries that enough persons asked, with noisy numbers of these persons.

    One table of queries (or items of baskets) and ``persons``, their number with Laplace noise of a stated scale; those below
    the threshold are left out. A reader can check that no number is below it. That the noise was drawn, nobody can see.

    Examples
    --------
    >>> built = NoisyQueries.build({"jazz": 31, "tennis": 28}, epsilon=1.0, delta=1e-6, most=5, scale=5.0, threshold=27)
    >>> built.tables["data"].to_rows()
    [('jazz', 31), ('tennis', 28)]
    >>> kind = NoisyQueries(epsilon=1.0, delta=1e-6, most=5, scale=5.0, threshold=27)
    >>> kind.verify(built.tables, [], ()), kind.guarantee(built.tables)
    ([], {'epsilon': 1.0, 'delta': 1e-06})

    References
    ----------
    Korolova, Kenthapadi, Mishra, Ntoulas, "Releasing search queries and clicks privately", 2009, doi:10.1145/1526709.1526733.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.6.4.
    """

    id: ClassVar[str] = "noisy-queries"
    shape: ClassVar[str] = "transactions"
    stated: ClassVar[tuple[str, ...]] = ("epsilon", "delta", "most", "scale", "threshold")
    traits: ClassVar[ReleaseTraits] = NOISY_STATISTICS

    epsilon: float = param(gt=0, doc="what the procedure spends on every person")
    delta: float = param(gt=0, lt=1, doc="the chance of an output for which that does not hold")
    most: int = param(ge=1, doc="how many queries of a person count")
    scale: float = param(gt=0, doc="scale of the Laplace noise")
    threshold: int = param(ge=1, doc="noisy numbers below it are left out")

    @classmethod
    def build(
        cls, counts: Mapping[str, int], *, epsilon: float, delta: float, most: int, scale: float, threshold: int
    ) -> Built:
        """Return the table of noisy counts; refuse to publish none."""
        if not counts:
            raise Infeasible(say("queries.none_left", threshold=threshold), measured=0, bound=f">= {threshold}")
        kind = cls(epsilon=epsilon, delta=delta, most=most, scale=scale, threshold=threshold)
        return Built(kind, {"data": from_rows(["query", "persons"], sorted(counts.items()))})

    def roles(self) -> Mapping[str, Role]:
        return {"query": Role.PLAIN, "persons": Role.PLAIN}

    def verify(
        self, parts: Parts, models: Sequence[Requirement], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Refuse requirements that no output can show, and numbers below the threshold."""
        self.refuse_counted(models)
        table = self.tables(parts)["data"]
        if set(table.columns) != {"query", "persons"}:
            raise BadRequest("must have the columns query, persons", parameter=self.id, value=list(table.columns))
        rows = table.select(["query", "persons"]).to_rows()
        if len({row[0] for row in rows}) < len(rows):
            raise BadRequest("holds a query twice", parameter=self.id)
        if any(not isinstance(row[1], int) or row[1] < self.threshold for row in rows):
            raise BadRequest("holds a number below the threshold", parameter=self.id, value=self.threshold)
        return []

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return what the procedure is stated to spend."""
        return {"epsilon": self.epsilon, "delta": self.delta}

    def statement(self) -> Statement:
        return Statement(
            mechanism="private-query-release",
            parameters={name: getattr(self, name) for name in self.stated},
            checked=[say("statement.above_threshold")],
            not_checkable=[say("statement.made_so"), say("statement.run_once")],
        )
