"""Select-a-size: a client keeps a random number of the own items, adds foreign ones, and supports can still be estimated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import comb, fsum, inf, isclose
from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import Thing, param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Infeasible
from sfumato.kernels.arrays import Floats

__all__ = ["BestOperator", "Recovered", "SelectASize", "best_operator", "randomized", "recovered_support"]

_WORST_CONDITION = 1e10  # beyond it the last ten digits of an estimate are noise of the arithmetic
_SUM_SLACK = 1e-9


@frozen(eq=False)
class Recovered:
    """What randomised baskets tell of an itemset: ``shares[l]`` of the baskets hold l of its items; the last is its support.

    ``variance`` is that of the support, of the randomisation alone: with other draws the estimate would vary so much.
    """

    support: float
    shares: Floats
    variance: float
    baskets: int


@frozen
class BestOperator:
    """The operator that keeps the most items under a bound on the amplification, and from how many kept items on it pays."""

    operator: SelectASize
    threshold: int
    gamma: float

    @property
    def objective(self) -> float:
        """How many items it keeps on average."""
        return self.operator.kept


class SelectASize(Thing):
    """A client keeps j of the m own items with probability p[j], and adds every foreign item with probability rho.

    The j items are drawn without replacement, so an item of the basket stays with probability ``sum(j p[j]) / m``. There is an
    operator for each size m. No publisher need be trusted: baskets are changed before anybody collects them.

    *Support recovery.* Let s[l] be the share of baskets that hold l of the k items of an itemset. After the randomisation
    ``E[s'] = s P`` with

        P[l, l'] = sum_j p[j] sum_q C(l, q) C(m - l, j - q) / C(m, j) * C(k - l, l' - q) rho^(l' - q) (1 - rho)^(k - l - l' + q)

    so that ``s' P^-1`` estimates s without bias, and its last entry is the support. With Q = P^-1 the variance of that entry is
    estimated by ``sum_l' s'[l'] (Q[l', k]^2 - Q[l', k]) / N`` for N baskets.

    *Amplification.* The probability of an output depends on j, the items that it shares with the basket, as
    ``w[j] = p[j] / C(m, j) ((1 - rho) / rho)^j`` up to a factor that is the same for all baskets of this size; the largest
    ratio ``max w / min w`` bounds what any output tells (see ``rho1-to-rho2``).

    Examples
    --------
    >>> operator = SelectASize(p=(0.1, 0.2, 0.3, 0.4), rho=0.25)
    >>> operator.kept, round(operator.retention, 4)
    (2.0, 0.6667)
    >>> operator.transition(1).round(4).tolist()
    [[0.75, 0.25], [0.3333, 0.6667]]
    >>> made = operator.apply([{"a", "b", "c"}], ["a", "b", "c", "d", "e"], np.random.default_rng(1))
    >>> [sorted(one) for one in made]
    [['a', 'b']]

    References
    ----------
    Evfimievski, Srikant, Agrawal, Gehrke, "Privacy preserving mining of association rules", 2002,
    doi:10.1145/775047.775080.
    Evfimievski, Gehrke, Srikant, "Limiting privacy breaches in privacy preserving data mining", 2003,
    doi:10.1145/773153.773174.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.1.3.
    """

    id: ClassVar[str] = "select-a-size"
    kind: ClassVar[str] = "perturbation"
    truthful: ClassVar[bool] = False

    p: tuple[float, ...] = param(doc="probability of keeping j of the items of a basket, for j = 0 .. m")
    rho: float = param(ge=0, le=1, doc="probability of adding each item that is not in the basket")

    def validate(self) -> None:
        """Refuse probabilities that are none."""
        if len(self.p) < 2 or min(self.p) < 0 or not isclose(fsum(self.p), 1, abs_tol=_SUM_SLACK):
            raise BadRequest(
                "must be probabilities for 0 to m kept items that add up to 1", parameter=f"{self.id}.p", value=self.p
            )

    @property
    def size(self) -> int:
        """The size m of the baskets that it is for."""
        return len(self.p) - 1

    @property
    def kept(self) -> float:
        """How many items of a basket stay on average."""
        return fsum(j * chance for j, chance in enumerate(self.p))

    @property
    def retention(self) -> float:
        """The probability that an item of the basket stays; one that is not in it appears with ``rho``."""
        return self.kept / self.size

    @property
    def amplification(self) -> float:
        """The largest ratio of the probabilities of an output for two baskets; infinite where one of them is 0."""
        if self.rho in (0, 1) or min(self.p) == 0:
            return inf
        odds = (1 - self.rho) / self.rho
        weights = [chance / comb(self.size, j) * odds**j for j, chance in enumerate(self.p)]
        return max(weights) / min(weights)

    def transition(self, items: int) -> Floats:
        """Return P for an itemset of this many items: row l holds the probabilities of l' of them in the output."""
        m = self.size
        if not 1 <= items <= m:
            raise BadRequest(f"must be 1 to {m}, the size of the baskets", parameter="items", value=items)
        rho, out = self.rho, np.zeros((items + 1, items + 1))
        for true in range(items + 1):
            for seen in range(items + 1):
                out[true, seen] = fsum(
                    chance
                    * (comb(true, q) * comb(m - true, j - q) / comb(m, j))
                    * comb(items - true, seen - q)
                    * rho ** (seen - q)
                    * (1 - rho) ** (items - true - seen + q)
                    for j, chance in enumerate(self.p)
                    for q in range(max(0, j + true - m, true + seen - items), min(j, true, seen) + 1)
                )
        return out

    def apply(
        self, baskets: Iterable[Collection[str]], universe: Collection[str], rng: np.random.Generator
    ) -> list[frozenset[str]]:
        """Return the baskets, all of the size of the operator, as their clients would hand them out."""
        names = sorted(set(universe))
        out = []
        for basket in baskets:
            own = sorted(set(basket))
            if len(own) != self.size:
                raise BadRequest(f"is for baskets of {self.size} items", parameter=f"{self.id}.p", value=len(own))
            if not set(own) <= set(names):
                raise BadRequest("must hold every item of the baskets", parameter="universe")
            number = int(rng.choice(len(self.p), p=np.array(self.p) / fsum(self.p)))
            kept = {own[at] for at in rng.permutation(self.size)[:number].tolist()}
            added = {names[at] for at in np.flatnonzero(rng.random(len(names)) < self.rho).tolist()}
            out.append(frozenset(kept | (added - set(own))))
        return out

    def recover(self, seen: Sequence[int]) -> Recovered:
        """Estimate the shares of an itemset of k items from ``seen[l']``, how many outputs hold l' of them (l' = 0 .. k)."""
        baskets = sum(seen)
        if len(seen) < 2 or min(seen) < 0 or baskets == 0:
            raise BadRequest("must count outputs with 0 to k items of the itemset", parameter="seen", value=list(seen))
        matrix = self.transition(len(seen) - 1)
        condition = float(np.linalg.cond(matrix))
        if not condition < _WORST_CONDITION:
            raise Infeasible(
                "the operator blurs an itemset of this size beyond recovery", measured=condition, bound=_WORST_CONDITION
            )
        shown = np.array(seen, np.float64) / baskets
        inverse = np.linalg.inv(matrix)
        last = inverse[:, -1]
        shares: Floats = shown @ inverse
        return Recovered(float(shares[-1]), shares, float(shown @ (last**2 - last)) / baskets, baskets)


def best_operator(size: int, rho: float, gamma: float) -> BestOperator:
    """Return the operator for baskets of a size that keeps the most items with an amplification of at most gamma.

    It has a threshold t: ``p[j] ~ C(size, j) (rho / (1 - rho))^j`` for j < t and gamma times that from t on; all are tried.

    >>> best = best_operator(3, 0.25, 19.0)
    >>> best.threshold, round(best.objective, 4), [round(one, 4) for one in best.operator.p]
    (2, 1.7459, [0.1107, 0.1107, 0.7008, 0.0779])
    """
    if size < 1:
        raise BadRequest("must be at least 1", parameter="size", value=size)
    if not 0 < rho < 1:
        raise BadRequest("must lie between 0 and 1", parameter="rho", value=rho)
    if not 1 <= gamma < inf:
        raise BadRequest("must be a finite number from 1 on", parameter="gamma", value=gamma)
    odds = rho / (1 - rho)
    even = [comb(size, j) * odds**j for j in range(size + 1)]
    found = []
    for threshold in range(size + 1):
        weights = [gamma * one if j >= threshold else one for j, one in enumerate(even)]
        chances = tuple(one / fsum(weights) for one in weights)
        found.append(BestOperator(SelectASize(p=chances, rho=rho), threshold, gamma))
    return max(found, key=lambda one: one.objective)


def randomized(
    baskets: Sequence[Collection[str]],
    universe: Collection[str],
    operators: Mapping[int, SelectASize],
    rng: np.random.Generator,
) -> list[frozenset[str]]:
    """Return baskets of several sizes, each changed by the operator of its size, in their order; an empty one has none.

    An output tells nothing of the size of its basket, but who recovers supports must be told it.
    """
    return [
        operators[len(set(one))].apply([one], universe, rng)[0] if len(set(one)) in operators else _no_operator(one)
        for one in baskets
    ]


def _no_operator(basket: Collection[str]) -> frozenset[str]:
    raise BadRequest("there is no operator for baskets of this size", parameter="operators", value=len(set(basket)))


def recovered_support(
    outputs: Sequence[Collection[str]],
    sizes: Sequence[int],
    operators: Mapping[int, SelectASize],
    itemset: Collection[str],
) -> Recovered:
    """Estimate the support of an itemset from outputs whose true sizes are known, size by size.

    Baskets smaller than the itemset do not hold it; the estimates of the others are weighed by how many they are.
    """
    wanted = frozenset(itemset)
    if not wanted or len(outputs) != len(sizes) or not outputs:
        raise BadRequest("needs outputs, the size of each, and at least one item", parameter="itemset")
    by_size: dict[int, list[int]] = defaultdict(lambda: [0] * (len(wanted) + 1))
    for output, size in zip(outputs, sizes, strict=True):
        if size >= len(wanted):
            by_size[size][len(wanted & set(output))] += 1
    total = len(outputs)
    shares, variance = np.zeros(len(wanted) + 1), 0.0
    for size, seen in by_size.items():
        if size not in operators:
            raise BadRequest("there is no operator for baskets of this size", parameter="operators", value=size)
        one = operators[size].recover(seen)
        shares += one.shares * (one.baskets / total)
        variance += one.variance * (one.baskets / total) ** 2
    return Recovered(float(shares[-1]), shares, variance, total)
