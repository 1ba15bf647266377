"""Counting from a coarser level on, where the distinct rows are too many and nothing finer could be published anyway.

A group of a release is never larger than the records of one of its values. Where a column at some level has more records in
values of fewer than ``k`` records than may be left out, no node with this column at that level is valid, whatever others do.
A search that begins above such levels, and above those that the policy forbids, finds what it would have found: rows are
counted by what they become there, each known by one of its values.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.algorithms.lattice.optimal import Optimal
from sfumato.contracts.algorithm import Attribute, suppression_budget
from sfumato.contracts.metric import SizeTerms
from sfumato.contracts.model import GroupModel
from sfumato.tables.prepare import Prepared

__all__ = ["coarse_start"]


def coarse_start(prepared: Prepared) -> Prepared | None:
    """Return the same with the level from which each column is counted; nothing if none is above 0, or if it may matter.

    It does not matter to an algorithm that chooses levels within bounds, and to a cost that follows from levels or from sizes
    of groups: values are then read from dictionaries, which count every record.
    """
    algorithm = prepared.policy.search()
    if not isinstance(algorithm, Optimal) or algorithm.local_recoding or prepared.policy.weights is not None:
        return None
    if prepared.whole is not None or any(
        not isinstance(one, GroupModel) or one.counts_people for one in prepared.models
    ):
        return None
    terms = algorithm.cost().lattice_terms(prepared.names)
    if terms is None or not (isinstance(terms, SizeTerms) or all(map(_even, prepared.attributes))):
        return None
    given = algorithm.levels or {}
    start = {one.name: given.get(one.name, _least_level(prepared, one)) for one in prepared.attributes}
    start = {name: level for name, level in start.items() if level > 0}
    hopeless = (one.levels[1] is not None and start.get(one.name, 0) > one.levels[1] for one in prepared.attributes)
    if not start or any(hopeless):
        return None
    bounded = (
        replace(one, levels=(max(start.get(one.name, 0), one.levels[0]), one.levels[1])) for one in prepared.attributes
    )
    return replace(prepared, attributes=tuple(bounded), start=start)


def _even(attribute: Attribute) -> bool:
    """Tell whether all leaves of a column lie equally deep: then a level has a cost of its own."""
    tree = attribute.tree
    return tree is None or bool((tree.depth[tree.leaf_nodes] == tree.height).all() and (tree.span == 1).all())


def _least_level(prepared: Prepared, attribute: Attribute) -> int:
    """Return the lowest level that a column may have in a valid node."""
    tree, lowest = attribute.tree, attribute.levels[0]
    if tree is None:
        return 0
    models = [one for one in prepared.models if attribute.name in (one.qid or prepared.names)]
    least = max((one.least_size() for one in models), default=1)
    budget = suppression_budget(prepared.policy.limits.suppress_at_most, prepared.table.rows)
    known = prepared.dictionaries[attribute.name]
    leaf = tree.encode(known.values, column=attribute.name)
    for level in range(min(lowest, tree.height), tree.height):
        sizes = np.bincount(tree.level_nodes[level][leaf], weights=known.counts)
        if sizes[sizes < least].sum() <= budget:
            return level
    return tree.height
