"""What published baskets are still good for: how far answers to "how many hold these items?" lie from the truth."""

from __future__ import annotations

import numpy as np

from sfumato.contracts.evidence import Questions
from sfumato.data.messages import say
from sfumato.kernels.arrays import Floats
from sfumato.tables.evidence import summed_up
from sfumato.transactions.baskets import Baskets
from sfumato.utility.queries import relative_errors

__all__ = ["item_questions", "share_holding"]

_QUERIES, _ITEMS, _SEED = 500, 2, 20080824


def item_questions(before: Baskets, after: Baskets) -> Questions:
    """Ask how many baskets hold one or two public items of somebody's basket, of both; the workload never changes.

    ``|estimate - truth| / truth`` of each question. An item that is shown by a node of the taxonomy is in the basket with
    one over the number of items below the node: those below are taken to be equally likely (Xu et al. 2008, and Terrovitis et
    al. 2011, "average relative error").
    """
    rng = np.random.default_rng(_SEED)
    public = before.without(before.private)
    holding = np.flatnonzero(public.lengths > 0)
    if not len(holding):
        return {"median": None, "reason": say("questions.no_column")}
    truth, told = [], []
    for at in rng.choice(holding, _QUERIES).tolist():
        held = public.codes[public.starts[at] : public.starts[at + 1]]
        size = int(rng.integers(1, min(_ITEMS, len(held)) + 1))
        items = [public.items[code] for code in rng.choice(held, size, replace=False).tolist()]
        truth.append(float(np.prod([share_holding(public, name) for name in items], axis=0).sum()))
        told.append(float(np.prod([share_holding(after, name) for name in items], axis=0).sum()))
    return {**summed_up(relative_errors(truth, told), _ITEMS, None), "about": say("questions.on_items", items=_ITEMS)}


def share_holding(baskets: Baskets, item: str) -> Floats:
    """Return how likely it is for each basket that it holds an item: 1 as it is shown, less by a node above it."""
    out = np.zeros(len(baskets))
    for label in reversed(baskets.climb(item)):  # the lowest of several decides
        if label in baskets.code_of:
            code = baskets.code_of[label]
            node = -1 if baskets.tree is None else baskets.tree.node_of.get(label, -1)
            below = 1 if baskets.tree is None or node < 0 else int(baskets.tree.leaf_count[node])
            out[baskets.holders[code]] = 1 / below
    return out
