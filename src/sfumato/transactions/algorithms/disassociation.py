"""Disassociation: baskets are clustered and taken apart, so that rare combinations of items cannot be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.facts import Facts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Infeasible, Unsupported
from sfumato.kernels.arrays import Ints
from sfumato.transactions.algorithms._moles import refuse_loss
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.disassociated import Cluster, Disassociated, parts_of
from sfumato.transactions.models.km_anonymity import KMAnonymity
from sfumato.transactions.releases.disassociated_baskets import DisassociatedBaskets
from sfumato.transactions.task import BasketTask

__all__ = ["Disassociation", "DisassociationFacts"]


@frozen(eq=False, repr=False, kw_only=True)
class DisassociationFacts(Facts):
    """How many clusters and chunks there are, and how many occurrences of public items are told as terms alone."""

    clusters: int
    chunks: int
    as_terms: int
    occurrences: int

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say how much is told of the baskets."""
        facts = {"clusters": self.clusters, "terms": self.as_terms, "share": self.as_terms / max(self.occurrences, 1)}
        return [say("baskets.disassociated", **facts)]


class Disassociation(Search[BasketTask]):
    """Cluster baskets and list their parts apart, so that no rare combination of items can be seen; no taxonomy is needed.

    Items stay as they are; what is hidden is which of them were bought together. *Horizontally*, baskets are split by the most
    frequent item that did not split them before, those with it and those without, until a cluster has at most ``largest``;
    clusters of fewer than k are joined with the next one. *Vertically*, items of a cluster that fewer than k of its baskets
    hold become *terms*: it is told that they occur, not how often nor where; private items are always among them. The
    others, from frequent to rare, fill *chunks*: an item joins a chunk if every combination of at most m of its items comes
    k times or not at all. A cluster with several chunks has a term at least; if not, its rarest item becomes one.

    It is k^m-anonymous in this sense: whoever knows m items of a basket finds baskets that may have been taken apart to the
    release in which k or more of them hold these items: k parts of each chunk may belong to the same k baskets, and terms to
    any. The refinement of the paper, chunks that clusters share, is left out.

    Adversary: knows at most m public items of a basket; presence knowledge only.

    Examples
    --------
    >>> baskets = Baskets.of([{"a", "b", "c"}, {"a", "b"}, {"a", "b", "d"}, {"c", "d"}])
    >>> apart = Disassociation().taken_apart(baskets, 2, 2)
    >>> apart.clusters[0].chunks, apart.clusters[0].terms
    (((('a', 'b'), ('a', 'b'), ('a', 'b')), (('d',), ('d',))), ('c',))

    References
    ----------
    Terrovitis, Mamoulis, Liagouris, Skiadopoulos, "Privacy preservation by disassociation", 2012,
    doi:10.14778/2336664.2336668.
    """

    id: ClassVar[str] = "disassociation"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=DisassociatedBaskets.id,
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="occurrences x splits, then items of a cluster x its baskets",
    )

    largest: int = param(default=30, ge=2, doc="clusters with more baskets are split")

    def run(self, task: BasketTask, run: Run) -> Outcome:
        """Take the baskets apart for the one requirement that this can promise."""
        asked = [model for model in task.models if isinstance(model, KMAnonymity)]
        if len(asked) != 1 or len(task.models) != 1:
            raise Unsupported(
                f"{self.id} promises one requirement, {KMAnonymity.id}", thing=self.id, alternatives=[KMAnonymity.id]
            )
        apart = self.taken_apart(task.baskets, asked[0].k, asked[0].m, run)
        told = sum(len(part) for cluster in apart.clusters for chunk in cluster.chunks for part in chunk)
        public = int((~task.baskets.is_private[task.baskets.codes]).sum())
        refuse_loss(task, public - told)
        facts = DisassociationFacts(
            clusters=len(apart.clusters),
            chunks=sum(len(cluster.chunks) for cluster in apart.clusters),
            as_terms=public - told,
            occurrences=public,
        )
        return Outcome(built=DisassociatedBaskets.build(apart), facts=facts)

    def taken_apart(self, baskets: Baskets, k: int, m: int, run: Run | None = None) -> Disassociated:
        """Return clusters of at least k baskets, taken apart so that they are k^m-anonymous."""
        if len(baskets) < k:
            raise Infeasible("there are fewer baskets than must look alike", measured=len(baskets), bound=k)
        held = list(baskets)
        out = []
        for members in _clusters(baskets, max(self.largest, k), k):
            if run is not None:
                run.checkpoint()
            out.append(_vertical([held[at] for at in members], baskets.private, k, m))
        # The order of clusters follows what they hold, so that it tells nothing of the input.
        return Disassociated(tuple(sorted(out, key=lambda one: (one.chunks, one.terms, one.baskets))))


def _clusters(baskets: Baskets, largest: int, k: int) -> list[list[int]]:
    """Split baskets by their most frequent public items; ties go to the first name. Small clusters join the next one."""
    tids = np.split(baskets.owners[np.argsort(baskets.codes, kind="stable")], np.cumsum(baskets.supports)[:-1])
    where = np.zeros(len(baskets), np.int64)  # the set that a basket is in at the moment
    made = 1
    stack: list[tuple[int, Ints, Ints, frozenset[int]]] = [
        (0, np.arange(len(baskets)), np.where(baskets.is_private, 0, baskets.supports), frozenset())
    ]
    found: list[list[int]] = []
    while stack:
        number, members, counts, used = stack.pop()
        item = int(np.argmax(counts)) if len(counts) else -1
        if len(members) <= largest or item < 0 or counts[item] == 0:
            found.append(members.tolist())
            continue
        inside = tids[item][where[tids[item]] == number]
        where[inside] = made
        with_it = _counted(baskets, inside)
        with_it[[*used, item]] = 0
        rest = members[where[members] == number]
        # Those without the item come last, so that they are looked at first and lie beside their neighbours in the end.
        stack.append((made, inside, with_it, used | {item}))
        if len(rest):
            left = counts - _counted(baskets, inside)
            left[[*used, item]] = 0
            stack.append((number, rest, left, used))
        made += 1
    return _joined(found, k)


def _counted(baskets: Baskets, members: Ints) -> Ints:
    """Return how many of some baskets hold each public item."""
    codes = [baskets.codes[baskets.starts[at] : baskets.starts[at + 1]] for at in members.tolist()]
    counts = np.bincount(np.concatenate([*codes, np.empty(0, np.int32)]), minlength=len(baskets.items)).astype(np.int64)
    counts[baskets.is_private] = 0
    return counts


def _joined(clusters: list[list[int]], k: int) -> list[list[int]]:
    out: list[list[int]] = []
    small: list[int] = []
    for members in clusters:
        small += members
        if len(small) >= k:
            out.append(small)
            small = []
    if small and out:
        out[-1] = out[-1] + small
    return out if out else [small]


def _vertical(baskets: Sequence[frozenset[str]], private: frozenset[str], k: int, m: int) -> Cluster:
    """Take the baskets of one cluster apart."""
    supports = Counter(name for one in baskets for name in one)
    terms = {name for name, count in supports.items() if count < k or name in private}
    left = sorted(supports.keys() - terms, key=lambda name: (-supports[name], name))
    domains: list[list[str]] = []
    while left:
        domain: list[str] = []
        for name in left:
            if _fits(baskets, domain, name, k, m):
                domain.append(name)
        domains.append(domain)
        left = [name for name in left if name not in domain]
    if len(domains) > 1 and not terms:
        terms = {min((name for domain in domains for name in domain), key=lambda name: (supports[name], name))}
        domains = [kept for domain in domains if (kept := [name for name in domain if name not in terms])]
    return Cluster(len(baskets), tuple(parts_of(baskets, domain) for domain in domains), tuple(sorted(terms)))


def _fits(baskets: Sequence[frozenset[str]], domain: Sequence[str], name: str, k: int, m: int) -> bool:
    """Tell whether every combination of at most m items of a chunk still comes k times or never with one item more."""
    beside = [sorted(one.intersection(domain)) for one in baskets if name in one]
    for size in range(1, m):
        counts = Counter(part for one in beside for part in combinations(one, size))
        if counts and min(counts.values()) < k:
            return False
    return True
