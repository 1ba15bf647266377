"""What every information metric promises: bounds, groups that add up, a cost that merging can only raise."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache

import numpy as np

from sfumato.algorithms.lattice.optimal import Optimal
from sfumato.contracts.algorithm import Attribute, Task
from sfumato.contracts.metric import (
    AttributeMetric,
    Coarsening,
    CoarseningMetric,
    DataMetric,
    Refinement,
    SearchMetric,
)
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.tree import Tree
from sfumato.groups.published import PublishedStats
from sfumato.kernels.arrays import Ints
from sfumato.models.k_anonymity import KAnonymity
from sfumato.tables.recode import recode_table
from sfumato.tables.statistics import published_stats
from sfumato.testing.check_thing import check_json, check_thing
from sfumato.testing.draws import RandomTable, random_groups, random_merge, random_table
from sfumato.testing.promises import generators_untouched, promise

__all__ = ["check_metric"]

TRIES = 40
SLACK = 1e-9


def check_metric(
    metric: DataMetric | SearchMetric | CoarseningMetric | AttributeMetric, rng: np.random.Generator
) -> None:
    """Check a metric on random tables and recodings (data metrics) or on random steps (search metrics).

    A data metric lies inside the bounds it states, also if groups are suppressed; where the lowest cost is 0, an untouched
    table costs 0, unless a class is predicted; it does not depend on the order of the groups; ``monotone_under_merge`` and
    ``additive_over_groups`` must hold on every random table if claimed, and must fail on some if denied. How it adds up over
    the levels of whole columns, if it says so, is what it measures at every node.
    A search metric gives one gain per way, none negative; it does not depend on the order of the children nor on what
    other ways are asked at once; a step that parts nothing gains nothing; losing more anonymity never raises the score.
    A coarsening metric gives a cost of at least 0 that does not depend on the order of the values; gaining more anonymity
    never raises the score, a higher cost never lowers it. An attribute metric chooses the same attribute in any order.
    """
    check_thing(metric)
    check_json(metric)
    with generators_untouched(metric):
        if isinstance(metric, DataMetric):
            _check_data_metric(metric, rng)
        elif isinstance(metric, SearchMetric):
            _check_search_metric(metric, rng)
        elif isinstance(metric, CoarseningMetric):
            _check_coarsening_metric(metric, rng)
        else:
            _check_attribute_metric(metric, rng)


# ---- data metrics --------------------------------------------------------------------------------------------------------


def _published(
    table: RandomTable,
    recodings: Mapping[str, ColumnRecoding] | None = None,
    dropping: np.random.Generator | None = None,
    gone: Sequence[tuple[Hashable, ...]] = (),
) -> PublishedStats:
    """Return all that metrics can read of a table under some recodings; groups may be left out, some or those named."""
    chosen = table.recodings if recodings is None else recodings
    names = list(chosen)
    masked = recode_table(table.table, chosen).table
    groups = masked.groups(names, ["class"])
    if dropping is not None:
        gone = [groups.key(group) for group in np.flatnonzero(dropping.random(len(groups)) < 0.3).tolist()]
    if gone:
        groups = masked.drop_groups(names, gone).groups(names, ["class"])
    dictionaries = {name: table.table.dictionary(name) for name in names}
    raw = table.table.compress(names, dictionaries=dictionaries)
    return published_stats(dictionaries, chosen, groups, table.table.rows, raw=raw, target="class")


@frozen(eq=False)
class _Case:
    """A random table as it is published in several ways: every metric measures the same ones, so they are made once."""

    table: RandomTable
    published: PublishedStats
    dropped: PublishedStats
    untouched: PublishedStats
    turn: Ints
    coarser: PublishedStats
    moved: bool
    parts: Sequence[PublishedStats]
    nodes: dict[tuple[tuple[str, int], ...], PublishedStats] = field(default_factory=dict)

    @classmethod
    def drawn(cls, table: RandomTable, rng: np.random.Generator) -> _Case:
        published, dropped = _published(table), _published(table, dropping=rng)
        turn = rng.permutation(len(published.groups))
        untouched = _published(table, table.untouched())
        coarser = table.coarser(rng)
        parts = [_published(part) for part in table.parts()]
        moved = coarser != table.recodings
        return cls(table, published, dropped, untouched, turn, _published(table, coarser), moved, parts)

    @cached_property
    def task(self) -> Task:
        """Whole columns on one level each, any record left out."""
        attributes = [
            Attribute("tree", "taxonomy", ColumnType.TEXT, Tree.from_nested(self.table.trees["tree"])),
            Attribute("bare", "suppress", ColumnType.TEXT),
        ]
        compressed = self.table.table.compress(("tree", "bare"), ["class"])
        return Task(compressed, attributes, [KAnonymity(k=3)], "class", suppress_at_most=1.0)

    def at(self, levels: Mapping[str, int]) -> PublishedStats:
        """Return what is published on these levels; the metric of a search does not choose it."""
        node = tuple(levels.items())
        if node not in self.nodes:
            outcome = Optimal(levels=levels).run(self.task, Run())
            self.nodes[node] = _published(self.table, outcome.recodings, gone=outcome.suppressed)
        return self.nodes[node]


@lru_cache(4)
def _cases(seed: int) -> tuple[_Case, ...]:
    rng = np.random.default_rng(seed)
    return tuple(_Case.drawn(table, rng) for table in [random_table(rng) for _ in range(TRIES)])


def _check_lattice_terms(metric: DataMetric, case: _Case) -> None:
    found = Optimal(metric=metric.spec()).explore(case.task, Run(), top=1, every=True, ks=())
    for solution in found.solutions:
        measured = metric.measure(case.at(solution.levels)).value
        same = np.isclose(solution.score, measured, rtol=1e-9, atol=1e-9)
        told = f"{solution.score} and {measured} at levels {solution.node}"
        promise(same, metric, f"lattice_terms say what is measured: {told}")


def _check_data_metric(metric: DataMetric, rng: np.random.Generator) -> None:
    cases = _cases(int(rng.integers(1 << 32)))
    unmonotone = unadditive = False
    for case in cases:
        refusal = metric.applies(case.published)
        promise(refusal is None, metric, f"a table with everything known can be judged: {refusal}")
        _check_bounds(metric, case.published)
        _check_bounds(metric, case.dropped)
        _check_untouched(metric, case.untouched)
        _check_order(metric, case.published, case.turn)
        before, after = metric.measure(case.published).value, metric.measure(case.coarser).value
        worse = after - before if metric.traits.better == "lower" else before - after
        unmonotone |= worse < -SLACK
        parts = [metric.measure(part).value for part in case.parts]
        unadditive |= not np.isclose(sum(parts), before, rtol=1e-9, atol=1e-9)
    for _ in range(TRIES):
        groups = random_groups(rng, ["class"])
        merged = groups.merge(random_merge(rng, len(groups)))
        records = int(groups.sizes.sum())
        known = [PublishedStats(records, 0, stats, target="class") for stats in (groups, merged)]
        if metric.applies(known[0]) is not None:
            break  # group sizes and classes are not enough for it
        values = [metric.measure(stats).value for stats in known]
        worse = values[1] - values[0] if metric.traits.better == "lower" else values[0] - values[1]
        unmonotone |= worse < -SLACK
    if metric.lattice_terms(("tree", "bare")) is not None:
        for case in cases[: TRIES // 5]:
            _check_lattice_terms(metric, case)
    promise(sum(case.moved for case in cases) >= TRIES // 2, metric, "random recodings can be made coarser")
    traits = metric.traits
    promise(traits.monotone_under_merge != unmonotone, metric, f"monotone_under_merge={traits.monotone_under_merge}")
    promise(traits.additive_over_groups != unadditive, metric, f"additive_over_groups={traits.additive_over_groups}")


def _check_bounds(metric: DataMetric, published: PublishedStats) -> None:
    measured = metric.measure(published)
    promise(measured.metric == metric.id, metric, "a measured value names its metric")
    # The average of no group at all is 0 by convention and lies below every bound.
    if measured.lowest is not None and len(published.groups):
        promise(measured.value >= measured.lowest - SLACK, metric, f"{measured.value} is not below {measured.lowest}")
    if measured.highest is not None:
        promise(measured.value <= measured.highest + SLACK, metric, f"{measured.value} is not above {measured.highest}")


def _check_untouched(metric: DataMetric, untouched: PublishedStats) -> None:
    measured = metric.measure(untouched)
    if measured.lowest == 0 and not metric.traits.needs_target:
        promise(measured.value == 0, metric, f"an untouched table costs nothing, not {measured.value}")


def _check_order(metric: DataMetric, published: PublishedStats, turn: Ints) -> None:
    back = np.argsort(turn)
    again = replace(
        published,
        groups=published.groups.merge(turn),
        group_cover=None if published.group_cover is None else published.group_cover[back],
        raw_group=None if published.raw_group is None else np.append(turn, -1)[published.raw_group],
    )
    same = np.isclose(metric.measure(again).value, metric.measure(published).value, rtol=1e-12)
    promise(same, metric, "the value does not depend on the order of the groups")


# ---- search metrics ------------------------------------------------------------------------------------------------------


def _step(rng: np.random.Generator, *, ways: int, children: int, classes: int) -> Refinement:
    parent = rng.integers(1, 12, classes)
    parts = np.stack(
        [
            np.stack([rng.multinomial(count, np.full(children, 1 / children)) for count in parent], axis=1)
            for _ in range(ways)
        ]
    )
    share = float(rng.uniform(0.2, 1.0))
    return Refinement(parent, parts, share, share * rng.dirichlet(np.ones(children), ways))


def _check_search_metric(metric: SearchMetric, rng: np.random.Generator) -> None:
    for _ in range(TRIES):
        classes = int(rng.integers(2, 4)) if metric.traits.needs_target else int(rng.integers(1, 4))
        children = int(rng.integers(2, 5))
        step = _step(rng, ways=int(rng.integers(1, 5)), children=children, classes=classes)
        gain = metric.gain(step)
        promise(gain.shape == (len(step.child_classes),), metric, "gain gives one number for each way")
        promise((gain >= 0).all(), metric, "no gain is negative")
        turn = rng.permutation(children)
        turned = Refinement(
            step.parent_classes, step.child_classes[:, turn], step.parent_share, step.child_share[:, turn]
        )
        promise(np.allclose(metric.gain(turned), gain, rtol=1e-9, atol=1e-12), metric, "children may come in any order")
        alone = [
            metric.gain(Refinement(step.parent_classes, part[None], step.parent_share, share[None]))[0]
            for part, share in zip(step.child_classes, step.child_share, strict=True)
        ]
        promise(np.allclose(alone, gain, rtol=1e-12, atol=1e-12), metric, "each way is valued on its own")
        nothing = Refinement(
            step.parent_classes, step.parent_classes[None, None], step.parent_share, np.array([[step.parent_share]])
        )
        promise(np.allclose(metric.gain(nothing), 0.0), metric, "a step that parts nothing gains nothing")
        if metric.traits.needs_target:
            one = Refinement(step.parent_classes[:1], step.child_classes[:, :, :1], step.parent_share, step.child_share)
            promise(np.allclose(metric.gain(one), 0.0), metric, "one class leaves nothing to tell")
        losses = np.sort(rng.uniform(0, 20, 6))
        scores = metric.score(np.full(6, float(gain[0])), losses)
        promise(scores.shape == (6,), metric, "score gives one number for each candidate")
        promise((np.diff(scores) <= 1e-15).all(), metric, "losing more anonymity never raises the score")
        more = metric.score(np.sort(rng.uniform(0, 2, 6)), np.full(6, losses[0]))
        promise((np.diff(more) >= -1e-15).all(), metric, "gaining more never lowers the score")


def _check_coarsening_metric(metric: CoarseningMetric, rng: np.random.Generator) -> None:
    for _ in range(TRIES):
        classes = int(rng.integers(2, 4)) if metric.traits.needs_target else int(rng.integers(1, 4))
        values = int(rng.integers(2, 5))
        counts = rng.integers(0, 9, (values, classes)) + np.eye(values, classes, dtype=np.int64)
        share = rng.dirichlet(np.ones(values)) / 2
        finer = rng.integers(1, 9, 6)
        step = Coarsening(counts, share, float(share.sum()), finer, np.add.reduceat(finer, [0, 2, 4]))
        cost = metric.cost(step)
        promise(np.isfinite(cost), metric, "a cost is a number")
        promise(cost >= -SLACK, metric, "no cost is negative")
        turn = rng.permutation(values)
        turned = replace(step, child_classes=counts[turn], child_share=share[turn], finer=finer[::-1].copy())
        promise(np.isclose(metric.cost(turned), cost, rtol=1e-9, atol=1e-12), metric, "values may come in any order")
        gains = np.sort(rng.integers(0, 5, 6)).astype(float)
        scores = metric.score(np.full(6, float(cost)), gains)
        promise(scores.shape == (6,), metric, "score gives one number for each candidate")
        promise((scores[1:] <= scores[:-1] + SLACK).all(), metric, "gaining more anonymity never raises the score")
        costs = np.sort(rng.uniform(0, 2, 6))
        more = metric.score(costs, np.full(6, gains[-1]))
        promise((more[1:] >= more[:-1] - SLACK).all(), metric, "a higher cost never lowers the score")
        best = metric.best(costs, gains)
        all_scores = metric.score(costs, gains)
        promise(all_scores[best] <= all_scores.min() + SLACK, metric, "the best candidate has the smallest score")
        promise(metric.best(costs, np.zeros(6)) == 0, metric, "without any gain the smallest cost is best")


def _check_attribute_metric(metric: AttributeMetric, rng: np.random.Generator) -> None:
    for _ in range(TRIES):
        names = [f"a{number}" for number in range(int(rng.integers(1, 6)))]
        distinct = dict(zip(names, rng.choice(np.arange(1, 30), len(names), replace=False).tolist(), strict=True))
        scores = metric.score(np.array(list(distinct.values()), np.int64))
        promise(scores.shape == (len(names),), metric, "score gives one number for each attribute")
        turned = {name: distinct[name] for name in rng.permutation(names).tolist()}
        promise(metric.choose(turned) == metric.choose(distinct), metric, "attributes may come in any order")
        promise(metric.choose(dict.fromkeys(names, 3)) == names[0], metric, "the first of equals is chosen")
