"""Covers of view sets beside the enumeration of all worlds of a small domain, and what must hold of them."""

from __future__ import annotations

from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.errors import BadRequest, Unsupported
from sfumato.views import View, ViewSet
from sfumato.views.covers import covers_by_cells
from sfumato.views.models import FDViewKAnonymity, SPViewKAnonymity

COLUMNS = ("Name", "Job", "Age", "Ill")
DOMAINS: dict[str, tuple[Any, ...]] = {"Name": ("a", "b"), "Job": ("x", "y"), "Age": (1, 2), "Ill": ("p", "q")}
RECORDS = list(product(*DOMAINS.values()))
QUERIES = [
    (("Name", "Job"), ""),
    (("Job", "Ill"), ""),
    (("Name",), "Age > 1"),
    (("Ill",), "Age < 2"),
    (("Ill",), "Age = 1 and Job = x"),
    (("Name", "Age"), "Job != y"),
    (("Age", "Ill"), ""),
    (("Name", "Ill"), "Age in (2)"),
    (("Job",), "Name = a and Ill = p"),
]


def answered(view: View, records: Any) -> frozenset[tuple[Any, ...]]:
    """Answer a view in plain Python."""
    compare = {
        "=": lambda x, y: x == y,
        "!=": lambda x, y: x != y,
        "<": lambda x, y: x < y,
        ">": lambda x, y: x > y,
        "in": lambda x, y: x in y,
    }
    out = set()
    for record in records:
        held = dict(zip(COLUMNS, record, strict=True))
        if all(compare[one.operator](held[one.column], one.value) for one in view.where):
            out.add(tuple(held[name] for name in view.columns))
    return frozenset(out)


def smallest_covers(views: list[View], table: Any, rule: tuple[str, str] | None) -> dict[str, int]:
    """Return the size of the smallest cover of each name, from all worlds."""
    true = [answered(view, table) for view in views]
    pairs: list[set[tuple[str, str]]] = []
    for world in chain.from_iterable(combinations(POSSIBLE, count) for count in range(len(POSSIBLE) + 1)):
        if rule is not None and not _keeps(world, rule):
            continue
        if [answered(view, world) for view in views] == true:
            pairs.append({(record[0], record[3]) for record in world})
    found = {}
    for name in DOMAINS["Name"]:
        for size in (1, 2):
            if any(
                all(set(chosen) & world for world in pairs) for chosen in combinations([(name, p) for p in "pq"], size)
            ):
                found[name] = size
                break
    return found


def _keeps(world: Any, rule: tuple[str, str]) -> bool:
    left, right = (COLUMNS.index(name) for name in rule)
    return len({record[left] for record in world}) == len({(record[left], record[right]) for record in world})


POSSIBLE = [record for record in RECORDS if record[1] == "x" or record[2] == 1]  # 12 records, 4,096 worlds


def drawn(seed: int, rule: tuple[str, str] | None = None) -> tuple[list[View], list[Any]]:
    rng = np.random.default_rng(seed)
    while True:
        table = [POSSIBLE[at] for at in sorted(rng.choice(len(POSSIBLE), rng.integers(1, 6), replace=False))]
        if rule is None or _keeps(table, rule):
            break
    chosen = rng.choice(len(QUERIES), rng.integers(1, 4), replace=False).tolist()
    return [View.of(f"V{at}", *QUERIES[at]) for at in chosen], table


def asked(views: list[View], table: Any) -> ViewSet:
    """Return a view set; that not every combination of values exists is told by one view more."""
    kind = sfumato.from_rows(COLUMNS, table)
    return ViewSet.of(kind, views, domains=DOMAINS)


@pytest.mark.parametrize("seed", range(15))
def test_all_worlds_agree_with_the_cells(seed: int) -> None:
    views, table = drawn(seed)
    views = [*views, View.of("none", ["Name"], "Job = y and Age = 2")]  # nobody: these records are in no world
    found = SPViewKAnonymity(k=2, identifier="Name", sensitive="Ill").covers(asked(views, table))
    true = smallest_covers(views, table, None)
    assert dict(zip(found.identifiers, found.sizes.tolist(), strict=True)) == true


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("rule", [("Name", "Ill"), ("Job", "Ill"), ("Ill", "Job")])
def test_all_worlds_agree_under_a_dependency(seed: int, rule: tuple[str, str]) -> None:
    views, table = drawn(seed, rule)
    views = [*views, View.of("none", ["Name"], "Job = y and Age = 2")]
    told = (f"{rule[0]} -> {rule[1]}",)
    model = FDViewKAnonymity(k=2, identifier="Name", sensitive="Ill", dependencies=told)
    view_set = asked(views, table)
    found = model.exact(view_set)
    assert found.covers is not None
    sizes = dict(zip(found.covers.identifiers, found.covers.sizes.tolist(), strict=True))
    assert sizes == smallest_covers(views, table, rule)
    # Whatever is violated is reported; a dependency never enlarges a cover.
    violated = {name for name, _ in found.covers.below(2)}
    names = {record[0] for record in table}
    assert violated & names <= set(model.conservative(view_set).reported)
    plain = SPViewKAnonymity(k=2, identifier="Name", sensitive="Ill").covers(view_set)
    assert all(name in sizes and sizes[name] <= len(plain[name]) for name in plain)
    free = FDViewKAnonymity(k=2, identifier="Name", sensitive="Ill").exact(view_set)
    assert free.covers is not None
    assert {name: len(cover) for name, cover in free.covers.items()} == {n: len(c) for n, c in plain.items()}


@pytest.mark.parametrize("seed", range(30))
def test_projections_are_counted_as_their_cells(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = ("Name", "Job", "City", "Ill")
    rows = [tuple(rng.integers(0, 4, 4).tolist()) for _ in range(12)]
    table = sfumato.from_rows(columns, rows)
    shown = [
        ("Name", "Job"),
        ("Job", "Ill"),
        ("Job", "City", "Ill"),
        ("Name", "City"),
        ("City", "Job"),
        ("Name", "Ill"),
    ]
    chosen = rng.choice(len(shown), rng.integers(2, 4), replace=False).tolist()
    views = ViewSet.of(table, [View.of(f"V{at}", shown[at]) for at in chosen])
    quick = SPViewKAnonymity(k=2, identifier="Name", sensitive="Ill").covers(views)
    slow = covers_by_cells(views, "Name", "Ill")
    assert dict(zip(quick.identifiers, quick.sizes.tolist(), strict=True)) == {n: len(c) for n, c in slow.items()}


@pytest.mark.parametrize("seed", range(20))
def test_another_view_never_enlarges_a_cover(seed: int) -> None:
    views, table = drawn(seed)
    model = SPViewKAnonymity(k=1, identifier="Name", sensitive="Ill")
    before = model.covers(asked(views[:-1], table)) if len(views) > 1 else {}
    after = model.check(asked(views, table))
    assert all(name in after.covers and len(after.covers[name]) <= len(before[name]) for name in before)
    assert not after.violates  # k=1 never is


def test_no_view_tells_nothing() -> None:
    empty = ViewSet((), ())
    assert not SPViewKAnonymity(k=5, identifier="Name", sensitive="Ill").covers(
        ViewSet.of({"Name": ["a"], "Ill": ["p"]}, [View.of("V", ["Name"])])
    )
    assert len(empty) == 0


def test_an_empty_answer_empties_its_region() -> None:
    table = {"Name": ["a", "b"], "Age": [10, 20], "Ill": ["p", "q"]}
    views = ViewSet.of(table, [View.of("V1", ["Name"], "Age > 90"), View.of("V2", ["Ill"], "Age > 80")])
    cells = views.cells()
    assert [cell.sets for cell in cells] == [(None, None)]
    assert cells[0].boxes[0]["Age"].words("Age") == "Age<=80"


def test_answers_of_two_tables_are_refused() -> None:
    views = ViewSet.of_answers({"V1": {"Name": ["a"], "Job": ["x"]}, "V2": {"Job": ["y"], "Ill": ["p"]}})
    model = SPViewKAnonymity(k=2, identifier="Name", sensitive="Ill")
    for ask in (model.covers, lambda one: covers_by_cells(one, "Name", "Ill")):
        with pytest.raises(BadRequest, match="not views of one table"):
            ask(views)


def test_an_answer_that_the_table_does_not_give_is_refused() -> None:
    table = {"Name": ["a", "b"], "Job": ["x", "y"]}
    with pytest.raises(BadRequest, match="not what the table says"):
        ViewSet.of(table, [View.of("V", ["Job"])], answers=[{"Job": ["x"]}])


def test_whole_numbers_leave_one_value_between_bounds() -> None:
    table = {"Name": ["a", "b"], "Age": [46, 50], "Ill": ["p", "q"]}
    views = ViewSet.of(table, [View.of("V", ["Name", "Ill"], "Age > 45 and Age < 47")])
    assert views.cells()[0].boxes[0]["Age"].values() == (46,)


def test_missing_values_meet_no_condition() -> None:
    table = sfumato.from_rows(["Name", "Age", "Ill"], [("a", None, "p"), ("b", 50, "q")])
    views = ViewSet.of(table, [View.of("V1", ["Name"], "Age > 10"), View.of("V2", ["Ill"], "Age <= 10")])
    assert views.facts("V1") == (("b",),)
    outside = [cell for cell in views.cells() if cell.sets == (None, None)]
    assert None in [value for box in outside[0].boxes for value in (box["Age"].values() or ())]


def test_dependencies_that_do_not_hold_or_are_strange_are_refused() -> None:
    views = ViewSet.of({"Name": ["a", "a"], "Ill": ["p", "q"]}, [View.of("V", ["Name"])])
    for told, words in (("Name -> Ill", "does not hold"), ("Town -> Ill", "not a column")):
        with pytest.raises(BadRequest, match=words):
            FDViewKAnonymity(k=2, identifier="Name", sensitive="Ill", dependencies=(told,)).exact(views)
    with pytest.raises(BadRequest, match="must read like"):
        FDViewKAnonymity(k=2, identifier="Name", sensitive="Ill", dependencies=("Name",))


def test_an_open_column_of_a_dependency_is_unknown() -> None:
    views = ViewSet.of(
        {"Name": ["a", "b"], "Job": ["x", "y"], "Ill": ["p", "q"]},
        [View.of("V1", ["Name"], "Job = x"), View.of("V2", ["Ill"])],
    )
    model = FDViewKAnonymity(k=2, identifier="Name", sensitive="Ill", dependencies=("Job -> Ill",))
    assert model.exact(views).answer == "unknown"
    exact = FDViewKAnonymity(k=2, identifier="Name", sensitive="Ill", dependencies=("Job -> Ill",), mode="exact")
    with pytest.raises(Unsupported):
        exact.judge(views)


def test_persons_who_look_alike_share_a_cover_however_many_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    count = 600
    table = {
        "Name": [f"p{at}" for at in range(count)],
        "Job": [f"j{at}" for at in rng.integers(0, 4, count)],
        "Age": rng.integers(20, 60, count).tolist(),
        "Ill": [f"s{at}" for at in rng.integers(0, 5, count)],
    }
    asked = [View.of("V1", ["Name", "Job"], "Age >= 40"), View.of("V2", ["Job", "Ill"], "Age >= 30")]
    views = ViewSet.of(table, asked)
    usual = covers_by_cells(views, "Name", "Ill")
    assert len(usual) == sum(age >= 40 for age in table["Age"])
    monkeypatch.setattr(
        "sfumato.views.cells.MOST_BOXES", 60
    )  # one for each pair of job and value, and what is left out
    assert dict(covers_by_cells(views, "Name", "Ill")) == dict(usual)
    more = ViewSet.of(table, [*asked, View.of("V3", ["Name", "Age"], "Job != j0")])
    with pytest.raises(Unsupported, match="unknown"):
        covers_by_cells(more, "Name", "Ill")
