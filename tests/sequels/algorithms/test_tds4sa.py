"""TDS4SA against the join written out: its X-tree after every step, its candidates, and how far it gets."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_join import ABOVE, TREES, counted, joined, levels
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models import KAnonymity
from sfumato.sequels.algorithms import TDS4SA
from sfumato.sequels.algorithms._join_kernels import unmet, worst_of_parts
from sfumato.sequels.algorithms.tds4sa import JoinRefinery
from sfumato.sequels.models import XYPrivacyJoin
from sfumato.sequels.series import Series
from sfumato.sequels.task import SeriesTask

LEAVES = {
    name: [label for label in sorted(above) if all(label not in row[1:] for row in above.values())]
    for name, above in ABOVE.items()
}
Rows = list[dict[str, Any]]


def opened(rows: Rows) -> Any:
    return sfumato.from_rows(list(rows[0]), [list(row.values()) for row in rows])


def projections(rng: random.Random, releases: int) -> list[Rows]:
    """Return projections of one table: earlier ones generalized here and there, the last one raw."""
    whole = [
        {
            "A": rng.choice(LEAVES["A"]),
            "B": rng.choice(LEAVES["B"]),
            "S": rng.choice("MF"),
            **{name: rng.choice("uvw") for name in "yzcd"},
            "n": rng.randint(1, 4),
        }
        for _ in range(rng.randint(2, 9))
    ]
    kept = [("A", "B", "S", "y"), ("A", "S", "z"), ("A", "B", "S", "c", "d", "n")]
    kept = [*kept[: releases - 1], kept[-1]]
    tables = [[{name: row[name] for name in names} for row in whole] for names in kept]
    for table in tables[:-1]:
        for name in "AB":
            for row in table:
                if name in row and rng.random() < 0.3:
                    row[name] = rng.choice(ABOVE[name][row[name]])
    return tables


def shown(search: JoinRefinery, rows: Rows) -> Rows:
    """Return the raw records as the search publishes them now."""
    labels: Mapping[str, Mapping[Any, str]] = {
        column.name: {value: column.label_of_code(code) for code, value in enumerate(column.values)}
        for column in search.columns
    }
    return [{name: labels[name][value] if name in labels else value for name, value in row.items()} for row in rows]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**9))
def test_every_state_is_counted_as_the_join_written_out(seed: int) -> None:
    rng = random.Random(seed)
    releases = rng.choice([2, 2, 3])
    tables = projections(rng, releases)
    last = f"T{releases}"
    x = [f"{last}.c", *rng.sample(["A", "B", "S", f"{last}.n", "T1.y"], rng.randint(1, 4))]
    y = rng.choice(["d", *(["y"] if "T1.y" not in x else []), *(["z"] if releases == 3 else [])])
    model = XYPrivacyJoin(
        **rng.choice(
            [
                {"k": 2},
                {"h": 0.7},
                {"h": 0.7, "values": ("u",)},
                {"k": 2, "h": 0.8},
                {"k": 3, "anonymity_counts": "records"},
            ]
        ),
        x=tuple(x),
        y=(y,),
        inconsistent=rng.choice([(), (("T1.y", "u", f"{last}.A", "a"),), (("T1.A", "b", f"{last}.c", "v"),)]),
    )
    earlier = Series.of([opened(table) for table in tables[:-1]], qid=("A",), hierarchies=TREES)
    task = SeriesTask(opened(tables[-1]), earlier, [model])
    try:
        search = TDS4SA(unmatched="leave").start(task)
    except (Infeasible, BadRequest):
        search = None
    if search is None:  # even the most general release is unsafe, or Y has too few values
        return
    question = model.asked(earlier.with_next(task.batch))
    names, learnt = [str(one) for one in question.x], [str(one) for one in question.y]

    def plain(state: Rows) -> dict[Any, dict[Any, int]]:
        now = [*tables[:-1], state]
        return counted(now, joined(now, ["A", "B", "S"], list(model.inconsistent)), names, learnt)

    def satisfied(groups: dict[Any, dict[Any, int]]) -> bool:
        if not groups:
            return True
        kept = {key: {v: n if model.protects(v[0]) else 0 for v, n in row.items()} for key, row in groups.items()}
        fewest = (
            levels(groups)[0]
            if model.anonymity_counts == "distinct_y"
            else min(sum(row.values()) for row in groups.values())
        )
        most = max(max(kept[key].values()) / sum(row.values()) for key, row in groups.items())
        return (model.k is None or (fewest or 0) >= model.k) and (model.h is None or most <= model.h)

    while True:
        groups = plain(shown(search, tables[-1]))
        assert satisfied(groups)
        found = {row.x: (row.rows, dict(row.values)) for row in search.x_tree()}
        assert found == {
            key: (sum(row.values()), {value[0]: count for value, count in row.items() if model.protects(value[0])})
            for key, row in groups.items()
        }
        offered = search.candidates()
        for one in offered:
            other = TDS4SA(unmatched="leave").start(task)
            for step in taken_so_far(search):
                other.apply(*step)
            other.apply(one.index, one.slot)
            assert one.valid == satisfied(plain(shown(other, tables[-1]))), (one, seed)
        chosen = search.best()
        if chosen is None:
            assert not any(one.valid for one in offered)
            break
        taken_so_far(search).append(chosen)
        search.apply(*chosen)
    assert search.validity.touched <= len(search.task.table) * len(search.columns) * 4
    outcome = TDS4SA(unmatched="leave").run(task, Run())
    assert [step.value for step in outcome.trace] == [
        search.columns[index].label(slot) for index, slot in taken_so_far(search)
    ]


def taken_so_far(search: Any) -> list[tuple[int, int]]:
    if not hasattr(search, "taken"):
        search.taken = []
    steps: list[tuple[int, int]] = search.taken
    return steps


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**9))
def test_worst_of_parts_as_plain_loops_find_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts, cells, atoms, kinds = (int(rng.integers(1, 5)) for _ in range(4))
    entries = sorted((int(rng.integers(parts)), int(rng.integers(kinds)), int(rng.integers(cells))) for _ in range(8))
    entries = sorted(set(entries))
    weight = rng.integers(1, 4, len(entries))
    lists = [np.flatnonzero(rng.random(atoms) < 0.6) for _ in range(cells)]
    x_of_xy = np.sort(rng.integers(0, 2, 4))
    atom_xy = rng.integers(0, 4, atoms)
    atom_weight = rng.integers(1, 4, atoms)
    marks = rng.random(kinds) < 0.7, rng.random(4) < 0.7
    largest, whole, distinct, rows = unmet(parts)
    worst_of_parts(
        np.searchsorted([part for part, _, _ in entries], np.arange(parts + 1)),
        np.array([cell for _, _, cell in entries]),
        np.array([value for _, value, _ in entries]),
        weight,
        np.concatenate([[0], np.cumsum([len(one) for one in lists])]),
        np.concatenate(lists).astype(np.int32),
        x_of_xy[atom_xy],
        atom_xy,
        atom_weight,
        x_of_xy,
        *marks,
        largest,
        whole,
        distinct,
        rows,
    )
    for part in range(parts):
        total: dict[int, int] = {}
        pairs: dict[tuple[int, int, int], int] = {}
        for (at, value, cell), amount in zip(entries, weight.tolist(), strict=True):
            for atom in lists[cell].tolist() if at == part else []:
                both, added = int(atom_xy[atom]), amount * int(atom_weight[atom])
                total[int(x_of_xy[both])] = total.get(int(x_of_xy[both]), 0) + added
                pairs[int(x_of_xy[both]), value, both] = pairs.get((int(x_of_xy[both]), value, both), 0) + added
        shares = [n / total[x] for (x, value, both), n in pairs.items() if marks[0][value] and marks[1][both]]
        assert largest[part] / whole[part] == max(shares, default=0.0)
        far = np.iinfo(np.int64).max
        assert distinct[part] == min((sum(key[0] == x for key in pairs) for x in total), default=far)
        assert rows[part] == min(total.values(), default=far)


def small(**model: Any) -> SeriesTask:
    first = opened([{"A": "a1", "y": "u"}, {"A": "b1", "y": "v"}])
    then = opened([{"A": "a1", "c": "u", "d": "p"}, {"A": "b1", "c": "v", "d": "q"}])
    earlier = Series.of([first], qid=("A",), sensitive="y", hierarchies=TREES)
    return SeriesTask(then, earlier, [XYPrivacyJoin(**({"x": ("T2.c",)} | model))])


@pytest.mark.parametrize(
    ("task", "error", "words"),
    [
        (small(k=3), BadRequest, "only 2 different values"),
        (small(k=2, y=("T1.y", "T2.d")), BadRequest, "Y must lie in one release"),
        (small(k=2, x=("T1.y",), y=("T2.d",)), BadRequest, "no column of the release to be made"),
        (small(h=0.2, x=("A", "c")), Infeasible, "no release can satisfy"),
        (SeriesTask(small(k=2).batch, None, small(k=2).models), BadRequest, "earlier release"),
        (SeriesTask(small(k=2).batch, small(k=2).earlier, [KAnonymity(k=2)]), Unsupported, "nothing else"),
        (SeriesTask(small(k=2).batch, small(k=2).earlier, []), Unsupported, "nothing else"),
        (
            SeriesTask(small(k=2).batch.take([]), small(k=2).earlier, small(k=2).models),
            BadRequest,
            "no record to publish",
        ),  # type: ignore[attr-defined]
        (
            SeriesTask(small(k=2).batch.take([0]), small(k=2).earlier, small(k=1, x=("A", "c")).models),
            BadRequest,
            "match nobody",
        ),  # type: ignore[attr-defined]
    ],
)
def test_bad_tasks_are_refused(task: SeriesTask, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        TDS4SA().run(task, Run())


def test_a_search_stops_where_it_is_told_to_with_a_safe_release() -> None:
    task = small(k=1, x=("A", "c"))
    assert TDS4SA(max_refinements=1).run(task, Run()).stopped == "max_refinements"
    assert TDS4SA().run(task, Run().within(0)).stopped == "deadline"
    with pytest.raises(BadRequest, match="needs a column with the role target"):
        TDS4SA(score="igpl").run(task, Run())
