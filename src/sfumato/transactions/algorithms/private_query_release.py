"""Private query release: what enough persons asked, counted with noise and cut off by a threshold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, SearchTraits
from sfumato.contracts.mechanism import Mechanism
from sfumato.contracts.model import Audit, MechanismModel
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.ledger.budgets import Budgets
from sfumato.models.approximate_differential_privacy import ApproximateDifferentialPrivacy as OfPersons
from sfumato.perturbations.opendp_noise import OpenDPThreshold
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.models.approximate_differential_privacy import ApproximateDifferentialPrivacy
from sfumato.transactions.query_log import QueryLog, tokens
from sfumato.transactions.releases.noisy_queries import NoisyQueries
from sfumato.transactions.task import BasketTask

if TYPE_CHECKING:
    from sfumato.contracts.built import Built

__all__ = ["Charge", "PrivateQueryRelease"]


@frozen(eq=False)
class Charge:
    """The budgets of a ledger, and which of them pay: all of those that are named. Noise is fresh and charged each time."""

    budgets: Budgets
    names: str | Sequence[str]

    def charge(self, epsilon: float, delta: float) -> None:
        """Charge what is about to be drawn; refuse what is not covered."""
        self.budgets.charge_draw(self.names, epsilon=epsilon, delta=delta, purpose=PrivateQueryRelease.id)


class PrivateQueryRelease(Mechanism[BasketTask]):
    """Publish queries that enough persons asked, with noisy numbers; (epsilon, delta)-private for whole persons.

    Of each person at most d (``most``) different queries count: the first d of a log, or d drawn at random of a basket. The
    number of persons of every query gets discrete Laplace noise of scale ``b = d / epsilon``; what stays below the threshold T
    is left out, name and all. One person changes at most d counts, each by one, so the noise alone is epsilon-private. A
    query that only this person asked shows with ``P[1 + noise >= T] = q^(T - 1) / (1 + q)``, ``q = exp(-1 / b)``, so ``delta``
    is d times that at most, and T is the smallest whole number for which it is within bounds. Noise and both numbers come
    from OpenDP; what it states is charged to a budget before the noise is drawn. Neither users nor times are published, and
    no seed repeats it.

    Korolova et al. draw noise twice, for the choice and for the count, and derive other numbers; here one draw serves both.

    Examples
    --------
    >>> log = QueryLog.of([(f"u{at}", "jazz") for at in range(400)] + [("u1", "my own name")])
    >>> built = PrivateQueryRelease(epsilon=1.0, delta=1e-6, most=2).release(log)
    >>> [row[0] for row in built.tables["data"].to_rows()]
    ['jazz']

    References
    ----------
    Korolova, Kenthapadi, Mishra, Ntoulas, "Releasing search queries and clicks privately", 2009, doi:10.1145/1526709.1526733.
    Rogers, "A unifying privacy analysis framework for unknown domain algorithms in differential privacy", 2023,
    arXiv:2309.09170.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.6.4.
    """

    id: ClassVar[str] = "private-query-release"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=NoisyQueries.id,
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        cost="linear in the number of queries",
    )
    procedures: ClassVar[tuple[str, ...]] = (ApproximateDifferentialPrivacy.id,)

    epsilon: float = param(gt=0, doc="what may be spent on every person")
    delta: float = param(
        gt=0, lt=1, doc="the chance of an output for which that does not hold; far below one by the persons"
    )
    most: int = param(default=10, ge=1, doc="how many different queries of a person count")

    def release(self, log: QueryLog, charge: Charge | None = None) -> Built:
        """Return the noisy queries of a log; the budget is charged before anything is drawn."""
        return self._built(self.kept(log), log.distinct_users, None if charge is None else charge.charge)

    def kept(self, log: QueryLog) -> dict[str, int]:
        """Return how many persons count for each query, the exact numbers: they must stay."""
        split = [" ".join(tokens(query)) for query in log.queries]
        each = (dict.fromkeys(split[at] for at in places if split[at]) for places in log.by_user.values())
        return _counted(list(one)[: self.most] for one in each)

    def run(self, task: BasketTask, run: Run) -> Outcome:
        """Publish the items of baskets that enough persons have."""
        self.refuse_counted(task.models)
        built = self._built(_counted(_drawn(task.baskets, self.most, run.rng)), len(task.baskets), run.charge)
        kind = built.kind
        assert isinstance(kind, NoisyQueries)
        asked = ApproximateDifferentialPrivacy(epsilon=self.epsilon, delta=self.delta)
        return self.drawn(built, asked, kind.epsilon)

    def promised(self, model: MechanismModel) -> Audit | None:
        """Return what the parameters alone say about a requirement on the procedure."""
        if not isinstance(model, OfPersons):
            return None
        noise = OpenDPThreshold(self.epsilon, self.delta, self.most)
        return model.audit(noise.epsilon, noise.delta)

    def _built(self, counts: dict[str, int], persons: int, charge: Callable[[float, float], None] | None) -> Built:
        # One over the number of persons would allow to publish one of them at random.
        if persons and self.delta * persons >= 1:
            raise BadRequest(
                "must be below one by the number of persons", parameter=f"{self.id}.delta", value=self.delta
            )
        noise = OpenDPThreshold(self.epsilon, self.delta, self.most)
        if charge is not None:
            charge(noise.epsilon, noise.delta)
        return NoisyQueries.build(
            noise.add(counts),
            epsilon=noise.epsilon,
            delta=noise.delta,
            most=self.most,
            scale=noise.scale,
            threshold=noise.threshold,
        )


def _counted(kept: Iterable[Iterable[str]]) -> dict[str, int]:
    return dict(Counter(query for one in kept for query in one))


def _drawn(baskets: Baskets, most: int, rng: np.random.Generator) -> Iterable[Sequence[str]]:
    """Yield at most so many items of each basket, drawn at random: the first ones by name would favour a letter."""
    for basket in baskets:
        items = sorted(basket)
        yield items if len(items) <= most else [items[at] for at in rng.permutation(len(items))[:most].tolist()]
