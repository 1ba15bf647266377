"""Operations on columns, records and cells, and the number of states they can be in."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import sfumato
from sfumato import Tree
from sfumato.recodings import (
    CellSuppression,
    RecordSuppression,
    SiblingGeneralization,
    SubtreeGeneralization,
    ValueSuppression,
)
from sfumato.recodings.schemes import schemes_allowing
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


def test_sibling_generalization(golden: Callable[..., Any]) -> None:
    with golden("02-sibling-generalization-1") as file:
        tree = Tree.from_nested(file.input["taxonomy"])
        recoding = SiblingGeneralization(tree=tree, nodes=tuple(file.input["published_nodes"]))
        rows = sfumato.from_rows(["Job"], [(leaf,) for leaf in tree.leaves])
        shown = sfumato.recode(rows, {"Job": recoding}).table.to_rows()
        file.compare({leaf: label for leaf, (label,) in zip(tree.leaves, shown, strict=True)}, "recode")
        file.compare({label: list(leaves) for label, leaves in recoding.represented.items()}, "represented_leaves")
        file.compare(tree.is_cut(recoding.cut_nodes()), "is_subtree_cut")


def test_schemes_that_allow_a_cell_generalization(golden: Callable[..., Any]) -> None:
    names = {
        "full_domain": "full-domain",
        "subtree": "subtree",
        "global_single_dimensional": "single-dimensional",
        "multidimensional": "multidimensional",
        "cell": "cell",
    }
    with golden("02-cell-generalization-1") as file:
        qid, trees = file.input["qid"], file.input["taxonomies"]
        raw, recoded = _table(file.input["original"]), _table(file.input["recoded"])
        allowed = schemes_allowing(raw, recoded, {name: trees[name] for name in qid})
        file.compare({key: scheme in allowed for key, scheme in names.items()}, "allowed_by")
        second = file.input["second"]
        trees = {name: second["taxonomies"][name] for name in second["qid"]}
        allowed = schemes_allowing(second["original"], second["recoded"], trees)
        file.compare({key: scheme in allowed for key, scheme in names.items()}, "second_allowed_by")


def test_cell_generalization_makes_the_rows(golden: Callable[..., Any]) -> None:
    """The rows of the same file, made by the operations that the diagnosis allows."""
    file = golden("02-cell-generalization-1")
    raw, recoded = _table(file.input["original"]), file.input["recoded"]["rows"]
    cells = {"id": "cell-generalization", "cells": [[0, "Job", "Professional"], [2, "Job", "Professional"]]}
    release = sfumato.recode(raw, cells, file.input["taxonomies"])
    assert release.table.to_rows() == [tuple(row) for row in recoded]
    assert release.mixed_granularity
    second = file.input["second"]
    boxes = [["Engineer", "Male", "38"], ["Professional", "Male", "35"], ["Professional", "Male", "38"]]
    spec = {"id": "multidimensional-generalization", "qid": second["qid"], "boxes": boxes}
    rows = sfumato.from_rows(second["qid"], second["original"])
    made = sfumato.recode(rows, spec, second["taxonomies"]).table.to_rows()
    assert made == [tuple(row) for row in second["recoded"]]


def _table(given: dict[str, Any]) -> Any:
    return sfumato.from_rows(given["columns"], given["rows"])
