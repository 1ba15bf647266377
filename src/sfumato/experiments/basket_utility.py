"""What masking baskets costs: local against the best global generalization, suppression against generalization."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Search
from sfumato.contracts.progress import Progress
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.tree import Tree
from sfumato.datasets.baskets import PRIVATE_ARTICLES, baskets
from sfumato.errors import BadRequest
from sfumato.experiments.claims import fact_claim
from sfumato.experiments.course import each_of
from sfumato.experiments.experiment import Reproduction
from sfumato.experiments.line_plot import Line, Panel
from sfumato.experiments.result import ExperimentResult
from sfumato.experiments.series_result import SeriesResult
from sfumato.transactions.algorithms.apriori_anonymization import AprioriAnonymization
from sfumato.transactions.algorithms.mole_suppression import MoleSuppression
from sfumato.transactions.algorithms.top_down_partitioning import TopDownPartitioning
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.built import BuiltBaskets
from sfumato.transactions.metric import Masked
from sfumato.transactions.metrics.item_ncp import ItemNCP
from sfumato.transactions.metrics.lost_frequent_itemsets import LostFrequentItemsets
from sfumato.transactions.models.km_anonymity import KMAnonymity
from sfumato.transactions.models.transactional_k_anonymity import TransactionalKAnonymity
from sfumato.transactions.neighbours import neighbour_tree
from sfumato.transactions.task import BasketTask

__all__ = ["BasketUtility"]

_SHAPES: Mapping[str, tuple[int, float]] = {"sparse": (400, 3.0), "dense": (40, 12.0)}
"""Items and mean length of the two kinds of baskets."""


class BasketUtility(Reproduction):
    """Baskets of invented shops: top-down partitioning beside the best of all global cuts, suppression beside generalization.

    Whoever shows the same nodes as k - 1 others is hidden from an adversary who knows everything (transactional k-anonymity):
    a global cut shows an item by the same node in all baskets, and all cuts of the taxonomy are tried; top-down partitioning
    recodes group by group. Against an adversary who knows two items (k^2-anonymity) items are left out everywhere, or become
    more general everywhere, on baskets of many rare items and on baskets of few common ones.

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 13.2.5, 13.4 and 13.5.2.
    He, Naughton, "Anonymization of set-valued data via top-down, local generalization", 2009, doi:10.14778/1687627.1687733.
    Xu, Wang, Fu, Yu, "Anonymizing transaction databases for publication", 2008, doi:10.1145/1401890.1401982.
    """

    id: ClassVar[str] = "basket-utility"
    title: ClassVar[str] = "Baskets: what local and global generalization and suppression cost"
    paper: ClassVar[str] = (
        'He, Naughton, "Anonymization of set-valued data via top-down, local generalization", VLDB 2009, '
        'doi:10.14778/1687627.1687733; Xu, Wang, Fu, Yu, "Anonymizing transaction databases for publication", KDD 2008, '
        "doi:10.1145/1401890.1401982"
    )
    deviations: ClassVar[tuple[str, ...]] = (
        "Invented baskets stand in for those of the papers, so that no figure is compared with a printed one, only what the "
        "papers say of the direction: local recoding loses less than any global cut.",
    )
    hasty: ClassVar[Mapping[str, object]] = {"customers": 150, "ks": (2, 5), "drawn": 300}

    customers: int = param(default=2000, ge=20, doc="baskets of the shop whose cuts are all tried")
    drawn: int = param(default=5000, ge=50, doc="sparse and dense baskets")
    ks: tuple[int, ...] = param(default=(2, 5, 10, 20, 50), doc="smallest numbers of baskets, rising")
    share: float = param(default=0.01, gt=0, le=1, doc="smallest share of baskets with a frequent set of items")
    seed: int = param(default=7, ge=0, doc="seed of the baskets")

    def validate(self) -> None:
        """Refuse an empty or falling list of numbers of baskets."""
        if not self.ks or list(self.ks) != sorted(set(self.ks)) or self.ks[0] < 2:
            raise BadRequest("must hold rising numbers from 2 up", parameter=f"{self.id}.ks", value=list(self.ks))

    def measure(self, progress: Progress) -> ExperimentResult:
        """Mask the baskets in every way."""
        progress.stage("inventing baskets")
        shop = self._shop()
        kinds = {name: self._drawn(*shape) for name, shape in _SHAPES.items()}
        cuts = _cuts_by_cost(shop)
        compared = dict(
            zip(
                self.ks,
                each_of(
                    progress,
                    "partitioning",
                    list(self.ks),
                    lambda k: f"k={k}",
                    lambda k: (_lost(shop, TopDownPartitioning(), k, whole=True)[0], _best_cut(shop, cuts, k)),
                    lambda held: f"NCP {held[0]:.3f} local, {held[1]:.3f} global",
                ),
                strict=True,
            )
        )
        ways: Mapping[str, Search[BasketTask]] = {
            "suppression": MoleSuppression(),
            "generalization": AprioriAnonymization(),
        }
        settings = [(kind, way, k) for kind in kinds for way in ways for k in self.ks]
        found = each_of(
            progress,
            "masking",
            settings,
            lambda one: f"{one[0]}, {one[1]}, k={one[2]}",
            lambda one: _lost(kinds[one[0]], ways[one[1]], one[2], share=self.share),
            lambda held: f"NCP {held[0]:.3f}",
        )
        lost = dict(zip(settings, found, strict=True))
        worse = [f"k={k}" for k, (local, best) in compared.items() if local > best + 1e-9]
        return SeriesResult(
            experiment=self.id,
            title=self.title,
            paper=self.paper,
            setting=(
                f"Data: invented, {len(shop):,} baskets of {len(shop.items)} articles ({len(cuts):,} cuts); {self.drawn:,} "
                + " and ".join(
                    f"{name} ones ({len(held.items)} items, {held.lengths.mean():.1f} in a basket)"
                    for name, held in kinds.items()
                )
                + f"; seed {self.seed}",
                f"NCP of public items, what is left out costs 1; sets are frequent from {self.share:g} of the baskets on",
            ),
            claims=(
                fact_claim(
                    "section 13.5.2",
                    "k for which a global cut loses less than local recoding",
                    "none",
                    worse,
                    not worse,
                ),
            ),
            curves=(),
            deviations=self.known_deviations,
            header=("baskets", "method", "k", "NCP", "frequent sets lost, per cent"),
            values=(
                *(
                    ("shop", way, str(k), f"{value:.4f}", "")
                    for k, pair in compared.items()
                    for way, value in zip(("top-down partitioning", "best global cut"), pair, strict=True)
                ),
                *(
                    (kind, way, str(k), f"{ncp:.4f}", f"{100 * sets:.1f}")
                    for (kind, way, k), (ncp, sets) in lost.items()
                ),
            ),
            heading="Every setting:",
            panels=(
                Panel(
                    "shop",
                    tuple(
                        Line(name, tuple((float(k), 100 * pair[at]) for k, pair in compared.items()), colour=at)
                        for at, name in enumerate(("top-down partitioning", "best global cut"))
                    ),
                ),
                *(
                    Panel(
                        kind,
                        tuple(
                            Line(way, tuple((float(k), 100 * lost[kind, way, k][0]) for k in self.ks), colour=at)
                            for at, way in enumerate(ways)
                        ),
                    )
                    for kind in kinds
                ),
            ),
            x="k",
            y="NCP, per cent",
        )

    def _shop(self) -> Baskets:
        """Return the baskets of a shop without what is private, and the taxonomy of its articles."""
        shop = baskets(self.customers, seed=self.seed)
        held: dict[str, set[str]] = {}
        for who, article in zip(shop.data["customer"], shop.data["article"], strict=True):
            held.setdefault(str(who), set()).update({str(article)} - set(PRIVATE_ARTICLES))
        # Whoever bought nothing else than what is private has no basket to be hidden here.
        return Baskets.of([one for one in held.values() if one], tree=Tree.from_nested(shop.taxonomies["article"]))

    def _drawn(self, items: int, length: float) -> Baskets:
        """Return baskets of items whose popularity falls by a power, with neighbours under one node."""
        rng = np.random.default_rng(self.seed)
        weights = 1.0 / np.arange(1, items + 1)
        names = [f"{at:03}" for at in rng.permutation(items)]
        sizes = np.clip(rng.poisson(length, self.drawn), 1, items)
        sets = [
            [names[at] for at in rng.choice(items, size, replace=False, p=weights / weights.sum())]
            for size in sizes.tolist()
        ]
        made = Baskets.of(sets)
        return made.with_tree(neighbour_tree(list(made.items), 5))


def _lost(
    held: Baskets, search: Search[BasketTask], k: int, *, whole: bool = False, share: float = 1.0
) -> tuple[float, float]:
    """Return the NCP of masked baskets, and the share of frequent sets that is lost."""
    model = TransactionalKAnonymity(k=k) if whole else KMAnonymity(k=k, m=2)
    outcome = search.run(BasketTask(held, [model]), Run())
    assert isinstance(outcome.built, BuiltBaskets)
    masked = Masked(held, outcome.built.masked)
    if whole:
        return float(ItemNCP().measure(masked).value), 0.0
    lost = LostFrequentItemsets(support=share).measure(masked)
    return float(ItemNCP().measure(masked).value), float(lost.value)


def _cuts(tree: Tree, node: int) -> Iterator[tuple[int, ...]]:
    """Yield every set of nodes that covers the leaves below a node once."""
    yield (node,)
    if tree.children[node]:
        for parts in product(*(list(_cuts(tree, child)) for child in tree.children[node])):
            yield tuple(one for part in parts for one in part)


def _cuts_by_cost(held: Baskets) -> list[tuple[float, dict[str, str]]]:
    """Return all cuts as what each item becomes, the cheapest first."""
    tree = held.tree
    assert tree is not None
    support = dict(zip(held.items, held.supports.tolist(), strict=True))
    below = {node: [tree.labels[leaf] for leaf in _leaves(tree, node)] for node in range(len(tree.labels))}
    price = {
        node: sum(support.get(name, 0) for name in names)
        * (len(names) / len(tree.leaves) if tree.children[node] else 0.0)
        for node, names in below.items()
    }
    made = sorted(_cuts(tree, 0), key=lambda cut: sum(price[node] for node in cut))
    total = max(len(held.codes), 1)
    return [
        (sum(price[node] for node in cut) / total, {name: tree.labels[node] for node in cut for name in below[node]})
        for cut in made
    ]


def _leaves(tree: Tree, node: int) -> Iterator[int]:
    if not tree.children[node]:
        yield node
    for child in tree.children[node]:
        yield from _leaves(tree, child)


def _best_cut(held: Baskets, cuts: list[tuple[float, dict[str, str]]], k: int) -> float:
    """Return the NCP of the cheapest cut under which every basket looks like k - 1 others."""
    model = TransactionalKAnonymity(k=k)
    return next(cost for cost, shown in cuts if model.judge(held.cut(shown)).satisfied)
