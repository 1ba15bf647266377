"""Operations on columns, records and cells, and the number of states they can be in."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import sfumato
from sfumato.data.tree import Tree
from sfumato.recodings import CellSuppression, RecordSuppression, SubtreeGeneralization, ValueSuppression
from sfumato.recodings.value_suppression import suppression_count


def test_full_domain_generalization(golden: Callable[..., Any]) -> None:
    with golden("02-full-domain-generalization-1") as file:
        levels = {
            name: {"id": "full-domain-generalization", "level": level} for name, level in file.input["levels"].items()
        }
        release = sfumato.recode(file.table(), levels, file.input["taxonomies"])
        file.compare({"columns": release.table.columns, "rows": release.table.to_rows()}, "table")
        groups = release.table.groups(file.input["qid"])
        (verdict,) = sfumato.check(release.table, {"id": "k-anonymity", "k": 1}, qid=file.input["qid"])
        file.compare(verdict.strongest, "min_group_size")
        file.compare({"|".join(map(str, key)): size for key, size in groups.as_dict().items()}, "group_sizes")


def test_subtree_generalization(golden: Callable[..., Any]) -> None:
    with golden("02-subtree-generalization-1") as file:
        tree = Tree.from_nested(file.input["taxonomy"])
        candidates = file.input["candidates"]
        file.compare([tree.is_cut(candidate) for candidate in candidates], "is_cut")
        recoding = SubtreeGeneralization(tree=tree, cut=("Professional", "Dancer", "Writer"))
        file.compare(
            dict(zip(tree.leaves, recoding.map(tree.leaves).labels, strict=True)),
            "recode_for_cut_Professional_Dancer_Writer",
        )


def test_subtree_generalization_takes_cuts_only(golden: Callable[..., Any]) -> None:
    """The same file by a second way: the recoding accepts exactly the node sets that are cuts."""
    file = golden("02-subtree-generalization-1")

    def accepted(cut: list[str]) -> bool:
        try:
            SubtreeGeneralization(tree=file.input["taxonomy"], cut=tuple(cut))
        except sfumato.BadRequest:
            return False
        return True

    file.compare([accepted(candidate) for candidate in file.input["candidates"]], "is_cut")


def test_suppression_of_values_cells_and_records(golden: Callable[..., Any]) -> None:
    with golden("02-suppression-1") as file:
        table = file.table()
        values = {name: ValueSuppression(suppressed=tuple(gone)) for name, gone in file.input["value_suppress"].items()}
        file.compare(sfumato.recode(table, values).table.to_rows(), "value_suppressed")
        cells = CellSuppression(cells=tuple((row, name) for row, name in file.input["cell_suppress"]))
        file.compare(sfumato.recode(table, cells).table.to_rows(), "cell_suppressed")
        numbered = sfumato.from_rows(
            [*table.columns, "row"], [(*row, number) for number, row in enumerate(table.to_rows())]
        )
        records = RecordSuppression(qid=tuple(file.input["qid"]), k=file.input["record_suppress_k"])
        kept = sfumato.recode(numbered, records).table.select(["row"]).to_rows()
        file.compare([number for (number,) in kept], "record_suppressed_kept_rows")


def test_number_of_cuts(golden: Callable[..., Any]) -> None:
    with golden("02-cut-count-1") as file:
        trees = {name: Tree.from_nested(nested) for name, nested in file.input["taxonomies"].items()}
        file.compare({name: tree.cut_count() for name, tree in trees.items()}, "cuts")
        file.compare(math.prod(trees[name].cut_count() for name in file.input["qid"]), "search_space")
        job = trees["Job"]
        cuts = sorted(sorted(job.labels[node] for node in cut) for cut in job.cuts())
        file.compare(cuts, "all_job_cuts")


def test_number_of_cuts_and_suppressions(golden: Callable[..., Any]) -> None:
    with golden("03-cut-count-1") as file:
        trees = {name: Tree.from_nested(nested) for name, nested in file.input["taxonomies"].items()}
        file.compare({name: tree.cut_count() for name, tree in trees.items()}, "cuts")
        assert all(len(list(tree.cuts())) == tree.cut_count() for tree in trees.values())
        values = file.input["suppressible_values"]
        file.compare(suppression_count(values), "suppressions")
        states = {
            ValueSuppression(
                suppressed=tuple(value for value, gone in enumerate(hidden) if gone), domain=tuple(range(values))
            ).published()
            for hidden in product([False, True], repeat=values)
        }
        assert len(states) == suppression_count(values)
