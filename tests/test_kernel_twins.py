"""Every compiled kernel has a twin: plain code that says the same slowly, in a test that compares both on random input."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src/sfumato"
FILES = sorted(path for path in SOURCE.rglob("*.py") if "@njit" in path.read_text(encoding="utf-8"))

# Kernels that change the state of a search in place, and mean nothing without it. Their twin is a plain version of the whole
# search: the test that compares the two.
WHOLE = {
    "algorithms/boxes/_cheapest_cut_kernels.py": {
        "algorithms/boxes/test_infogain_mondrian.py::test_the_groups_of_the_naive_twin": "propose_for_targets",
        "algorithms/boxes/test_infogain_mondrian.py::test_queries_as_the_naive_twin_answers_them": "propose_for_queries",
    },
    "algorithms/boxes/_handing_back_kernels.py": {
        "algorithms/boxes/test_progressive_local_recoding.py::test_the_groups_of_the_naive_twin": "specialize",
    },
    "algorithms/boxes/_union_kernels.py": {
        "algorithms/boxes/test_local_recoding_greedy.py::test_the_groups_of_the_naive_twin": "cheapest_loan cut_part",
    },
    "algorithms/owners/_owner_block_kernels.py": {
        "algorithms/owners/test_qidb_anonymization.py::NaiveTable": (
            "seed_cells count_cells accept_blocks claim_cell remove_record"
        ),
    },
    "algorithms/stepwise/_tea_index_kernels.py": {
        "algorithms/stepwise/test_tea_index_kernels.py::Twin": "count_nodes grow passing try_merge merge",
    },
    "attacks/anatomy/_soft_world_kernels.py": {
        "attacks/anatomy/test_attack_definetti.py::beliefs": "expect_values",
    },
    "data/content_kernels.py": {
        "data/test_content.py::test_rows_of_every_length_around_blocks": "hash_rows",
        "data/test_content.py::test_runs_of_leaves_are_joined_bucket_by_bucket": "hash_buckets",
    },
    "itemsets/level_kernels.py": {
        "itemsets/test_minimal_sets.py::test_minimal_violations_are_those_of_brute_force": (
            "transposed extended occurrences holding_records secret_maxima named_sets summed_tails"
        ),
    },
    "itemsets/hitting_set_kernels.py": {
        "itemsets/test_minimal_sets.py::test_the_greedy_choice_of_the_naive_twin": "greedy_choice",
        "itemsets/test_minimal_sets.py::test_the_greedy_trade_of_the_naive_twin": "traded_choice",
    },
    "transactions/algorithms/_item_cut_kernels.py": {
        "transactions/test_random_baskets.py::test_the_cut_of_the_naive_twin": "node_records lift_rare_sets",
    },
    "sequels/algorithms/_growth_kernels.py": {
        "sequels/algorithms/test_bcf_anonymizer.py::test_the_release_of_the_plain_algorithm": "parts_hold",
    },
    "perturbations/_mdav_kernels.py": {
        "perturbations/test_near_groups.py::test_gower_groups_of_the_naive_twin": "leave find_centre take_group peel",
        "perturbations/test_near_groups.py::test_variable_groups_of_the_naive_twin": "grow",
    },
}


def kernels(path: Path) -> Iterator[str]:
    """Yield the compiled functions of a file that others may call."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            calls = [one for one in node.decorator_list if isinstance(one, ast.Call)]
            if any(isinstance(one.func, ast.Name) and one.func.id == "njit" for one in calls):
                yield node.name


def called(path: Path) -> set[tuple[str, str]]:
    """Return what a test file imports and uses, as (module, name)."""
    text = path.read_text(encoding="utf-8")
    found: set[tuple[str, str]] = set()
    if "kernels" not in text:
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            used = [one.name for one in node.names if len(re.findall(rf"\b{one.name}\b", text)) > 1]
            found |= {(node.module, name) for name in used}
    return found


@cache
def all_called() -> set[tuple[str, str]]:
    """Return what all test files import and use; read when a test asks for it, not by every worker that only collects."""
    return set().union(*(called(path) for path in TESTS.rglob("test_*.py") if path != Path(__file__)))


def test_kernels_lie_where_they_are_looked_for() -> None:
    strange = [path for path in FILES if not path.stem.endswith("_kernels") and path.parent.name != "kernels"]
    assert strange == []
    assert {name for name in WHOLE if SOURCE / name not in FILES} == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_every_kernel_has_a_twin(path: Path) -> None:
    module = ".".join(("sfumato", *path.relative_to(SOURCE).with_suffix("").parts))
    whole = WHOLE.get(path.relative_to(SOURCE).as_posix(), {})
    for test in whole:
        file, _, name = test.partition("::")
        assert re.search(rf"\b{name}\b", (TESTS / file).read_text(encoding="utf-8")), f"{test} is no more"
    compared = {name for names in whole.values() for name in names.split()}
    own = set(kernels(path))
    assert compared <= own, "a twin of a kernel that is no more"
    lonely = {name for name in own - compared if (module, name) not in all_called()}
    assert lonely == set(), "write a test that imports the kernel and compares it with plain code"
