"""Token hash attack: frequencies and company of hashes are those of the words, and another log tells which."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.transactions.attack import BasketAttack, BasketKnowledge, BasketSeen
from sfumato.transactions.baskets import Baskets

__all__ = ["Inverted", "TokenHashAttack", "assigned", "inseparable", "token_frequencies"]

_EXACT = 8  # tokens up to which every assignment is looked at
_PASSES = 50
_SAME = 1e-9

Log = Sequence[Collection[str]]


def token_frequencies(log: Log) -> dict[str, int]:
    """Return in how many queries each token is, the most frequent first.

    >>> token_frequencies([["tom", "hanks"], ["tom"]])
    {'tom': 2, 'hanks': 1}
    """
    counts = Counter(token for query in log for token in set(query))
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def inseparable(log: Log) -> list[list[str]]:
    """Return the groups of tokens that frequencies alone do not tell apart, the most frequent first."""
    by_count: dict[int, list[str]] = defaultdict(list)
    for token, count in token_frequencies(log).items():
        by_count[count].append(token)
    return [tokens for tokens in by_count.values() if len(tokens) > 1]


@frozen(eq=False, repr=False)
class Inverted:
    """What hashes were taken for: token -> hash, at the least cost that was found.

    ``exact`` if every assignment was looked at; ``unique`` if no other one costs as little (of those that were looked at).
    ``confidence`` of a hash is one by the number of tokens that it may stand for at that cost; ``candidates`` are the tokens
    whose frequency is near enough.
    """

    mapping: Mapping[str, str]
    cost: float
    exact: bool
    unique: bool
    confidence: Mapping[str, float]
    candidates: Mapping[str, tuple[str, ...]]

    def correct(self, truth: Mapping[str, str]) -> float:
        """Return the share of the hashes of a true mapping, token -> hash, that were inverted correctly."""
        if not truth:
            raise BadRequest("must not be empty", parameter="truth")
        return sum(self.mapping.get(token) == name for token, name in truth.items()) / len(truth)


@frozen(eq=False)
class TokenHashDetails(Details):
    """How many hashes there are, were looked at, and can stand for one word only."""

    hashes: int
    tried: int
    certain: int
    exact: bool


class TokenHashAttack(BasketAttack):
    """Match hashes with the words of another log by how often they occur, alone and in the same query.

    With relative frequencies f and shares c of queries that hold both of two tokens, an assignment of hashes to words costs
    ``sum |f_ref - f_hash| + weight sum over pairs |c_ref - c_hash|``. Up to eight tokens every assignment is looked at. Of
    more, the ``most`` frequent ones are matched, once in the order of their frequencies and once by frequency and companions
    compared by rank (Hungarian method). All are assigned anew as their companions are, and pairs are swapped, as long as that
    lowers the cost; the cheaper result counts. The order of words in a query is not needed. What the smaller log lacks counts
    as a token of frequency 0.

    Adversary: has a log of plain queries about the same matters, and the hashed one.

    Examples
    --------
    >>> plain = [["tom", "hanks"], ["tom", "cruise"], ["tom", "hanks"], ["ship", "cruise"], ["ship"]]
    >>> hashed = [["h4", "h1"], ["h4", "h5"], ["h4", "h1"], ["h6", "h5"], ["h6"]]
    >>> found = TokenHashAttack().invert(hashed, plain)
    >>> found.mapping["tom"], found.mapping["hanks"], found.unique
    ('h4', 'h1', True)

    References
    ----------
    Kumar, Novak, Pang, Tomkins, "On anonymizing query logs via token-based hashing", 2007, doi:10.1145/1242572.1242657.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.6.1.
    """

    id: ClassVar[str] = "token-hash-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="another log of plain queries about the same matters",
        needs=frozenset({"other"}),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.token-hash-attack")

    tolerance: float = param(
        default=0.01, ge=0, le=1, doc="how far frequencies may differ for a token to be a candidate"
    )
    weight: float = param(default=1.0, ge=0, doc="how much pairs of tokens count beside single ones")
    most: int = param(default=300, ge=1, doc="how many of the most frequent tokens are matched")

    def on(self, baskets: Baskets, knowledge: BasketKnowledge, run: Run) -> Risk:
        """Return for each basket the mean confidence of what its hashes were taken for."""
        if not isinstance(knowledge.other, BasketSeen):
            raise BadRequest(f"{self.id} needs a log of plain queries", parameter="other")
        hashed, plain = list(baskets), list(knowledge.other.baskets)
        found = self.invert(hashed, plain, run)
        sure = [[found.confidence.get(name, 0.0) for name in one] for one in hashed]
        risks = np.array([sum(one) / len(one) if one else 0.0 for one in sure])
        highest, mean = spread(risks)
        certain = sum(one == 1.0 for one in found.confidence.values())
        return Risk(
            attack=self.id,
            per_victim=risks,
            highest=highest,
            mean=mean,
            reading=say("reading.token-hash-attack", hashes=len(baskets.items), certain=certain),
            details=TokenHashDetails(len(baskets.items), len(found.confidence), certain, found.exact),
        )

    def invert(self, hashed: Log, reference: Log, run: Run | None = None) -> Inverted:
        """Return what hashes stand for, given queries of hashes and plain queries, each as its tokens."""
        if not hashed or not reference:
            raise BadRequest("needs queries in both logs", parameter="reference")
        names, words = (list(token_frequencies(log))[: self.most] for log in (hashed, reference))
        size = max(len(names), len(words))
        there = _statistics(hashed, names, size) * len(reference)
        known = _statistics(reference, words, size) * len(hashed)
        weights = np.where(np.eye(size, dtype=np.bool_), 1.0, self.weight / 2)
        exact = size <= _EXACT
        best, cost = _every(known, there, weights) if exact else _swapped(known, there, weights, run)
        able: dict[str, set[int]] = defaultdict(set)
        for order in best:
            for token, at in enumerate(order):
                if at < len(names):
                    able[names[at]].add(token)
        chosen = min(best)
        scale = len(hashed) * len(reference)
        frequency = known.diagonal() / scale
        return Inverted(
            {words[token]: names[at] for token, at in enumerate(chosen) if token < len(words) and at < len(names)},
            cost / scale,
            exact,
            len(best) == 1,
            {name: 1 / len(tokens) for name, tokens in able.items()},
            {
                name: tuple(
                    word
                    for word, share in zip(words, frequency.tolist(), strict=False)
                    if abs(share - there[at, at] / scale) <= self.tolerance + _SAME
                )
                for at, name in enumerate(names)
            },
        )


def _statistics(log: Log, tokens: list[str], size: int) -> Ints:
    """Return how many queries hold both of two tokens; on the diagonal, how many hold one."""
    place = {token: at for at, token in enumerate(tokens)}
    out = np.zeros((size, size), np.int64)
    for query in log:
        held = sorted({place[token] for token in query if token in place})
        out[held, held] += 1
        for first, second in combinations(held, 2):
            out[first, second] += 1
            out[second, first] += 1
    return out


def _every(known: Ints, there: Ints, weights: Floats) -> tuple[list[tuple[int, ...]], float]:
    """Return all assignments of least cost, hash of each token, by looking at every one that may be."""
    size = len(known)
    best: list[tuple[int, ...]] = []
    least = np.inf
    stack: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    while stack:
        order, cost = stack.pop()
        if cost > least + _SAME:
            continue
        token = len(order)
        if token == size:
            best = [*best, order] if cost > least - _SAME else [order]
            least = min(least, cost)
            continue
        steps = []
        for at in range(size):
            if at not in order:
                both = [*order, at]
                apart = np.abs(known[token, : token + 1] - there[at, both])
                twice = weights[token, : token + 1] * np.where(np.arange(token + 1) == token, 1, 2)
                steps.append((cost + float(apart @ twice), (*both,)))
        stack += [(way, reached) for reached, way in sorted(steps, reverse=True) if reached <= least + _SAME]
    return best, least


def _swapped(known: Ints, there: Ints, weights: Floats, run: Run | None) -> tuple[list[tuple[int, ...]], float]:
    """Return assignments that no swap of two hashes makes cheaper, and those that a swap makes equally cheap.

    Two beginnings are tried: the order of frequencies, and the best match of frequencies and of all companions by their rank.
    """
    words, names = np.sort(_companions(known), axis=1), np.sort(_companions(there), axis=1)
    beginnings = [np.arange(len(known)), assigned(_unlike(known, there, words, names, weights))]
    order = min((_improved(known, there, weights, one, run) for one in beginnings), key=lambda one: one[1])[0]
    shown = there[np.ix_(order, order)]
    best = [tuple(order.tolist())]
    for token in range(len(known)):
        for other in np.flatnonzero(np.abs(_gains(known, shown, weights, token)) <= _SAME).tolist():
            if other > token:
                turned = order.copy()
                turned[[token, other]] = turned[[other, token]]
                best.append(tuple(turned.tolist()))
    return best, float((weights * np.abs(known - shown)).sum())


def _improved(known: Ints, there: Ints, weights: Floats, order: Ints, run: Run | None) -> tuple[Ints, float]:
    """Assign all hashes anew as their companions are assigned now, and swap pairs, as long as either lowers the cost."""

    def cost(one: Ints) -> float:
        return float((weights * np.abs(known - there[np.ix_(one, one)])).sum())

    for _ in range(_PASSES):
        before = cost(order)
        anew = assigned(_unlike(known, there, _companions(known), _companions(there)[:, order], weights))
        order = anew if cost(anew) < before - _SAME else order
        for token in range(len(known)):
            if run is not None:
                run.checkpoint()
            gains = _gains(known, there[np.ix_(order, order)], weights, token)
            other = int(np.argmin(gains))
            if gains[other] < -_SAME:
                order[[token, other]] = order[[other, token]]
        if cost(order) >= before - _SAME:
            break
    return order, cost(order)


def _unlike(known: Ints, there: Ints, beside_known: Ints, beside_there: Ints, weights: Floats) -> Floats:
    """Return how unlike each token and each hash are: how often they occur, and how often beside companions, one by one."""
    alone = np.abs(known.diagonal()[:, None] - there.diagonal()[None, :]).astype(np.float64)
    beside = np.array([np.abs(one - beside_there).sum(1) for one in beside_known], np.float64)
    return np.asarray(alone + weights[0, 1] * beside)


def _companions(pairs: Ints) -> Ints:
    return np.asarray(pairs - np.diag(pairs.diagonal()))


def assigned(costs: Floats) -> Ints:
    """Return the column of each row at the least sum of costs (Hungarian method, shortest augmenting paths).

    >>> assigned(np.array([[1.0, 2.0], [1.0, 5.0]])).tolist()
    [1, 0]
    """
    size = len(costs)
    rows, columns = np.zeros(size + 1), np.zeros(size + 1)
    owner, way = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)  # place 0 stands for none
    for row in range(1, size + 1):
        owner[0], at = row, 0
        least, used = np.full(size + 1, np.inf), np.zeros(size + 1, np.bool_)
        while True:
            used[at] = True
            reduced = costs[owner[at] - 1] - rows[owner[at]] - columns[1:]
            better = np.flatnonzero(~used[1:] & (reduced < least[1:])) + 1
            least[better], way[better] = reduced[better - 1], at
            step = int(np.argmin(np.where(used, np.inf, least)))
            delta = least[step]
            rows[owner[used]] += delta
            columns[used] -= delta
            least[~used] -= delta
            at = step
            if owner[at] == 0:
                break
        while at:
            owner[at] = owner[way[at]]
            at = int(way[at])
    order = np.empty(size, np.int64)
    order[owner[1:] - 1] = np.arange(size)
    return order


def _gains(known: Ints, shown: Ints, weights: Floats, token: int) -> Floats:
    """Return what the cost changes by if a token changes its hash with each other one."""
    pair = 2 * weights[0, 1] if len(known) > 1 else 0.0
    mine, others = known[token], shown[token]
    now = np.abs(known - shown)
    own_now, own_then = now[token].sum(), np.abs(mine - shown).sum(1)
    their_now, their_then = now.sum(1), np.abs(known - others).sum(1)
    single = now.diagonal()[token] + now.diagonal()
    # In the sums above the two tokens themselves stand in the wrong places: take them out, and add the diagonal anew.
    places = np.arange(len(known))
    then = own_then - np.abs(mine[token] - shown[:, token]) - np.abs(mine - shown[places, places])
    then = then + their_then - np.abs(known[places, places] - others) - np.abs(known[:, token] - others[token])
    before = own_now - now[token, token] - now[token] + their_now - now[:, token] - now.diagonal()
    crossed = np.abs(mine[token] - shown[places, places]) + np.abs(known[places, places] - others[token])
    gains: Floats = pair * (then - before) + crossed - single
    gains[token] = 0.0
    return gains
