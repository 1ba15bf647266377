"""What is known of nodes beside their links, masked as a table is, before any link is changed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field, replace

from sfumato.contracts.metric import Measured
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import MissingRule, Role
from sfumato.data.text import parse_number, to_text
from sfumato.engines import from_rows
from sfumato.graphs.graph import Graph
from sfumato.graphs.policy import GraphPolicy
from sfumato.recodings import CellGeneralization
from sfumato.tables.person_columns import PersonColumns
from sfumato.tables.policy import ColumnPolicy

__all__ = ["MaskedColumns", "done_to_columns", "masked_columns"]


@frozen(eq=False)
class MaskedColumns:
    """A graph whose quasi-identifiers were masked, what that cost, and the operation that was done to each column."""

    graph: Graph
    loss: tuple[Measured, ...] = ()
    done: Mapping[str, str] = field(default_factory=dict)


def masked_columns(graph: Graph, policy: GraphPolicy, persons: int, run: Run) -> MaskedColumns:
    """Return the graph with quasi-identifiers that at least so many nodes share."""
    trees = {name: policy.nodes.columns[name].hierarchy for name in graph.label}
    values = {name: _typed(graph.columns[name], trees[name] is not None) for name in graph.label}
    asked = {
        name: ColumnPolicy(role=Role.QUASI_IDENTIFIER, hierarchy=trees[name], missing=MissingRule.OWN_VALUE)
        for name in graph.label
    }
    table = from_rows(list(values), list(zip(*values.values(), strict=True)))
    made = PersonColumns(table, asked, policy.seed).masked(policy.nodes.masking(), persons, run)
    rows = list(zip(*made.table.select(list(graph.label)).to_rows(), strict=True))
    shown = {
        name: tuple(None if one is None else to_text(one) for one in rows[at]) for at, name in enumerate(graph.label)
    }
    done = {entry.name: entry.operation for entry in made.certified.columns}
    return MaskedColumns(replace(graph, columns={**graph.columns, **shown}), tuple(made.measured.values()), done)


def done_to_columns(given: Graph, masked: MaskedColumns, published: Graph) -> dict[str, str]:
    """Return what was done to each label that is not published as it was given; searches go from cell to cell."""
    done = {}
    for name in given.label:
        now = published.columns[name][: len(given)]
        if now != given.columns[name]:
            same = now == masked.graph.columns[name]
            done[name] = masked.done.get(name, CellGeneralization.id) if same else CellGeneralization.id
    return done


def _typed(texts: Sequence[str | None], placed: bool) -> list[Hashable]:
    """Return numbers where every text is one as we would write it; a gap has a place among them only in a hierarchy."""
    try:
        read = [None if text is None else parse_number(text) for text in texts]
    except ValueError:
        return list(texts)
    if not placed and None in texts:
        return list(texts)
    whole = all(number is None or float(number).is_integer() for number in read)
    numbers = [None if number is None else int(number) if whole else number for number in read]
    same = all(text is None or to_text(number) == text for text, number in zip(texts, numbers, strict=True))
    return list[Hashable](numbers) if same else list(texts)
