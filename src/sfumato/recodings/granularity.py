"""Mixed granularity: whether a value and a more general one that covers it stand side by side in published rows.

A learner takes the two for unrelated values and builds contradictory branches. Global cuts never mix; cell, multidimensional
and sibling recodings may.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import pairwise

from sfumato.contracts.engine import Table
from sfumato.data.text import to_text
from sfumato.recodings.tree_recoding import as_tree

__all__ = ["mixed_columns", "mixed_granularity"]


def mixed_granularity(published: Iterable[Hashable], tree: object) -> bool:
    """Tell whether a published value lies below another one in the tree; texts that are no node are passed over.

    >>> job = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
    >>> mixed_granularity(["Professional", "Dancer"], job), mixed_granularity(["Professional", "Lawyer"], job)
    (False, True)
    """
    known = as_tree(tree)
    nodes = sorted({known.node_of[text] for text in map(to_text, published) if text in known.node_of})
    # In pre-order the nodes below a node follow it at once, so neighbours decide.
    return any(known.leaf_last[below] <= known.leaf_last[above] for above, below in pairwise(nodes))


def mixed_columns(table: Table, trees: Mapping[str, object]) -> list[str]:
    """Return the columns of a published table in which values of different granularity stand side by side."""
    return [name for name, tree in trees.items() if mixed_granularity(table.dictionary(name).values, tree)]
