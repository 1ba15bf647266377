"""From a node of the lattice to what is published of it: recodings, groups left out, statistics, and why it stopped there."""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.lattice._search import LatticeSearch
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.facts import LatticeFacts
from sfumato.contracts.levels import BoundLevel, FinerLevel, FreeLevel
from sfumato.contracts.recoding import ColumnRecoding, Mapped
from sfumato.groups.label_rows import LabelRows
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.kernels.arrays import Codes, Ints
from sfumato.recodings.full_domain_generalization import FullDomainGeneralization
from sfumato.searches.lattice import Merged, Node

__all__ = ["facts_at", "groups_left_out", "levels_of", "outcome_at", "published_at", "recodings_at", "why"]


def levels_of(search: LatticeSearch, node: Node) -> dict[str, int]:
    """Return a node as the level of each attribute."""
    return dict(zip(search.lattice.names, node, strict=True))


def recodings_at(search: LatticeSearch, node: Node) -> dict[str, ColumnRecoding]:
    """Return the recoding of each attribute at a node."""
    lattice = search.lattice
    return {
        name: FullDomainGeneralization(tree=lattice.trees[i], hierarchy=lattice.attributes[i].builder, level=node[i])
        for i, name in enumerate(lattice.names)
    }


def groups_left_out(search: LatticeSearch, node: Node) -> LabelRows:
    """Return the published values of the groups that are left out at a node, in order."""
    merged = search.rollup.merged(node)
    judged = search.judge.judge(search.rollup, [merged])[0]
    codes = search.rollup.codes(merged)[:, judged.violating & (merged.sizes > 0)]
    labels = (search.lattice.labels(i, level) for i, level in enumerate(node))
    return LabelRows(tuple(map(CodedKeys, labels, codes))).sorted()


def published_at(search: LatticeSearch, node: Node, *, everything: bool = False) -> PublishedStats:
    """Return what metrics read of the release at a node; with ``everything`` as if no group had to be left out."""
    lattice, rollup, table = search.lattice, search.rollup, search.priced
    merged = rollup.merged_from(rollup.base, node)
    # Requirements have judged records; what follows counts the persons that they stand for.
    base_sizes = rollup.base.sizes if rollup.base.weighed is None else rollup.base.weighed
    sizes = merged.sizes if merged.weighed is None else merged.weighed
    violating = merged.sizes == 0 if everything else search.judge.judge(rollup, [merged])[0].violating
    gone = violating[merged.target]
    kept = np.flatnonzero(~violating)
    number = np.full(len(merged), -1, np.int64)
    number[kept] = np.arange(len(kept))
    raw = rollup.codes(rollup.base)
    mapped = _mapped(search, node)
    attributes: dict[str, AttributeStats] = {}
    climb: dict[str, int] = {}
    for i, name in enumerate(lattice.names):
        one = mapped[name]
        width = len(lattice.values[i][0])
        counted = [
            np.bincount(raw[i][rows], weights=base_sizes[rows], minlength=width).astype(base_sizes.dtype)
            for rows in (np.flatnonzero(~gone), np.flatnonzero(gone))
        ]
        attributes[name] = AttributeStats(
            name,
            counted[0],
            lattice.code[i][node[i]][_first(lattice.code[i][0])].astype(np.int64),
            one.covered,
            one.domain,
            one.climbed,
            one.root_climb,
            one.continuous,
            suppressed=counted[1],
        )
        climb[name] = (one.root_climb @ counted[1]).item()
    groups = rollup.group_table(merged)
    stats = rollup.stats_of(groups) if merged.weighed is None else _weighed(search, merged)
    shown = rollup.codes(groups)
    cover = np.stack(
        [
            lattice.trees[i].leaf_count[lattice.values[i][node[i]]][shown[i]].astype(np.float64)
            for i in range(len(lattice.names))
        ],
        axis=1,
    )
    return PublishedStats(
        table.weights.sum().item(),
        sizes[violating].sum().item(),
        stats.taken(kept),
        attributes,
        suppressed_climb=climb,
        group_cover=cover[kept],
        raw_sizes=base_sizes[rollup.base.sizes > 0],
        raw_group=number[merged.target][rollup.base.sizes > 0],
        target=search.task.target if search.task.target in rollup.needs else None,
        suppressed_sizes=sizes[violating & (merged.sizes > 0)],
        cover_domain=np.array([len(tree.leaves) for tree in lattice.trees], np.float64),
    )


def _weighed(search: LatticeSearch, merged: Merged) -> GroupStats:
    """Return the groups of a node with sampling weights added up instead of records; only classes are counted in them."""
    rollup, table = search.rollup, search.priced
    codes = rollup.codes(merged)
    group = merged.target[rollup.group_of_row].astype(np.int64)
    assert merged.weighed is not None
    histograms = {}
    if search.task.target in rollup.needs:
        name = str(search.task.target)
        code = table.extra_codes[:, table.extra.index(name)].astype(np.int64)
        values = table.dictionaries[name].values
        histograms[name] = Histogram.from_pairs(len(merged), values, group, code, table.weights)
    return GroupStats(
        search.lattice.names,
        tuple(CodedKeys(search.lattice.labels(i, level), codes[i]) for i, level in enumerate(merged.node)),
        merged.weighed,
        histograms,
        {name: table.dictionaries[name].counts for name in histograms},
        table.weights.sum().item(),
        merged.people,
    )


def _first(codes: Codes) -> Ints:
    """Return the position of the first raw value of each leaf."""
    return np.unique(codes, return_index=True)[1]


def _mapped(search: LatticeSearch, node: Node) -> dict[str, Mapped]:
    table = search.task.table
    out = {}
    for i, (name, recoding) in enumerate(recodings_at(search, node).items()):
        values = [table.dictionaries[name].values[at] for at in _first(search.lattice.code[i][0]).tolist()]
        out[name] = recoding.map(values, column=name)
    return out


def facts_at(search: LatticeSearch, node: Node) -> LatticeFacts:
    """Return what every search tells that ends at a node."""
    found = search.found(search.count([node])[0])
    return LatticeFacts(
        levels=levels_of(search, node),
        score=found.score,
        metric=search.metric.spec(),
        left_out=found.left_out,
        groups=found.groups,
        groups_kept=found.kept,
        lattice=search.lattice.size,
        checks=search.checks,
    )


def outcome_at(search: LatticeSearch, facts: LatticeFacts) -> Outcome:
    """Return the outcome of a search that ends at the levels that its facts name."""
    node = tuple(facts.levels.values())
    return Outcome(
        recodings=recodings_at(search, node),
        suppressed=groups_left_out(search, node) if facts.left_out else (),
        facts=facts,
    )


# ---- why here and no finer -----------------------------------------------------------------------------------------------


def why(search: LatticeSearch, node: Node) -> list[FinerLevel]:
    """Say for each attribute why it is not one level finer: what would fail there, and what the level costs.

    An attribute that binds nothing could be finer on its own; another attribute then pays for it.
    """
    here = search.score(search.count([node])[0])
    # All finer nodes are made from one table.
    search.rollup.keep(search.rollup.merged(tuple(max(level - 1, 0) for level in node)))
    out = []
    for i, (name, height) in enumerate(zip(search.lattice.names, search.lattice.top, strict=True)):
        if node[i] == 0:
            out.append(FinerLevel(attribute=name, level=0, height=height, binds=None, note="published as it is"))
            continue
        if node[i] == search.lowest[i]:
            note = "the policy allows no finer level"
            out.append(FinerLevel(attribute=name, level=node[i], height=height, binds=None, note=note))
            continue
        finer = (*node[:i], node[i] - 1, *node[i + 1 :])
        tally = search.count([finer])[0]
        merged = search.rollup.merged(finer)
        judged = search.judge.judge(search.rollup, [merged])[0]
        cost = here - search.score(tally)
        if search.valid(tally):
            out.append(
                FreeLevel(
                    attribute=name,
                    level=node[i],
                    height=height,
                    records=tally.left_out,
                    allowed=search.budget,
                    cost=cost,
                    binds=None,
                    note="a finer level is allowed and costs more elsewhere",
                )
            )
            continue
        binding, records = search.judge.binding(search.rollup, merged)
        failing = np.flatnonzero(judged.violating & (merged.sizes > 0))
        example = int(failing[np.argmax(merged.sizes[failing])])
        codes = search.rollup.codes(merged)[:, example].tolist()
        out.append(
            BoundLevel(
                attribute=name,
                level=node[i],
                height=height,
                records=tally.left_out,
                allowed=search.budget,
                cost=cost,
                binds=binding,
                breaking=records,
                groups=len(failing),
                example={
                    other: search.lattice.labels(j, finer[j])[codes[j]] for j, other in enumerate(search.lattice.names)
                },
                example_size=int(merged.sizes[example]),
            )
        )
    return out
