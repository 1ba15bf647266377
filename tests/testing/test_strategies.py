"""The strategies keep their promises, reach the corner cases they name, and repeat themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings

from sfumato.testing.strategies import DrawnTable, tables, trees

QUIET = settings(database=None, derandomize=True, max_examples=2000, phases=[Phase.generate])


def nodes(tree: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[Mapping[str, Any], int]]:
    yield tree, depth
    for child in tree.get("children", ()):
        yield from nodes(child, depth + 1)


def leaves(tree: Mapping[str, Any]) -> list[str]:
    return [node["value"] for node, _ in nodes(tree) if "children" not in node]


@given(tree=trees(max_leaves=7, max_depth=3, prefix="p."))
def test_trees_are_taxonomies(tree: dict[str, Any]) -> None:
    labels = [node["value"] for node, _ in nodes(tree)]
    assert len(labels) == len(set(labels))
    assert all(label.startswith("p.") for label in labels)
    assert 1 <= len(leaves(tree)) <= 7
    assert 1 <= max(depth for _, depth in nodes(tree)) <= 3
    assert all(node["children"] for node, _ in nodes(tree) if "children" in node)


@given(tree=trees(max_leaves=5, max_depth=1))
def test_depth_one_is_a_flat_tree(tree: dict[str, Any]) -> None:
    assert all("children" not in child for child in tree["children"])


def unbalanced(tree: Mapping[str, Any]) -> bool:
    return len({depth for node, depth in nodes(tree) if "children" not in node}) > 1


def chained(tree: Mapping[str, Any]) -> bool:
    return any(len(node.get("children", ())) == 1 for node, _ in nodes(tree)) and len(leaves(tree)) > 1


def unsorted(tree: Mapping[str, Any]) -> bool:
    return leaves(tree) != sorted(leaves(tree))


@pytest.mark.parametrize("corner", [unbalanced, chained, unsorted])
def test_trees_reach(corner: Callable[[Mapping[str, Any]], bool]) -> None:
    assert corner(find(trees(), corner, settings=QUIET))


@given(table=tables())
def test_tables_fit_their_description(table: DrawnTable) -> None:
    assert table.columns == (*(a.name for a in table.attributes), table.target)
    assert 6 <= len(table.rows) <= 24
    assert all(len(row) == len(table.columns) for row in table.rows)
    for position, attribute in enumerate(table.attributes):
        values = {row[position] for row in table.rows}
        assert (attribute.tree is not None) == (attribute.kind == "taxonomy")
        if attribute.tree is not None:
            assert values <= set(leaves(attribute.tree))
        if attribute.range is not None:
            assert attribute.kind == "interval"
            assert all(attribute.range[0] <= value <= attribute.range[1] for value in values)
    assert 1 <= len(table.requirement) <= 3
    for qid, k in table.requirement:
        assert 1 <= k <= min(4, len(table.rows))
        assert qid
        assert len(set(qid)) == len(qid)
        assert set(qid) <= {a.name for a in table.attributes}


@given(table=tables(("interval", "taxonomy", "interval"), min_rows=8, max_rows=9, max_classes=1, max_qids=1, max_k=2))
def test_given_kinds_and_bounds_are_kept(table: DrawnTable) -> None:
    assert [a.kind for a in table.attributes] == ["interval", "taxonomy", "interval"]
    assert len(table.rows) in (8, 9)
    assert len({row[-1] for row in table.rows}) == 1
    assert len(table.requirement) == 1
    assert table.requirement[0][1] <= 2


@given(table=tables(max_rows=1))
def test_one_row_is_possible(table: DrawnTable) -> None:
    assert len(table.rows) == 1
    assert all(k == 1 for _, k in table.requirement)


def nested_qids(table: DrawnTable) -> bool:
    return any(set(q) < set(r) and k > m for q, k in table.requirement for r, m in table.requirement)


def attribute_in_no_qid(table: DrawnTable) -> bool:
    return any(all(a.name not in qid for qid, _ in table.requirement) for a in table.attributes)


def all_kinds(table: DrawnTable) -> bool:
    return len({a.kind for a in table.attributes}) == 3


def open_range(table: DrawnTable) -> bool:
    return any(
        a.range is not None and max(row[i] for row in table.rows) < a.range[1] for i, a in enumerate(table.attributes)
    )


@pytest.mark.parametrize("corner", [nested_qids, attribute_in_no_qid, all_kinds, open_range])
def test_tables_reach(corner: Callable[[DrawnTable], bool]) -> None:
    assert corner(find(tables(), corner, settings=QUIET))


def test_same_seed_same_draws() -> None:
    def draws() -> list[DrawnTable]:
        seen: list[DrawnTable] = []

        @settings(database=None, derandomize=True, max_examples=20)
        @given(table=tables())
        def collect(table: DrawnTable) -> None:
            seen.append(table)

        collect()
        return seen

    first, second = draws(), draws()
    assert first == second
    assert len({table.rows for table in first}) > 5
