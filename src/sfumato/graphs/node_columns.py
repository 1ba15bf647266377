"""What is known of nodes beside their links, masked as a table is, before any link is changed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from sfumato.contracts.metric import Measured
from sfumato.contracts.run import Run
from sfumato.data.schema import MissingRule, Role
from sfumato.data.text import parse_number, to_text
from sfumato.engines import from_rows
from sfumato.graphs.graph import Graph
from sfumato.graphs.policy import GraphPolicy
from sfumato.tables.person_columns import PersonColumns
from sfumato.tables.policy import ColumnPolicy

__all__ = ["masked_columns"]


def masked_columns(graph: Graph, policy: GraphPolicy, persons: int, run: Run) -> tuple[Graph, Mapping[str, Measured]]:
    """Return the graph with quasi-identifiers that at least so many nodes share, and what was measured of the loss."""
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
    return replace(graph, columns={**graph.columns, **shown}), made.measured


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
