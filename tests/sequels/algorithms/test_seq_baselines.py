"""The obvious ways to make the next release: each does what its name says, and is judged on the join."""

from __future__ import annotations

import random
from typing import Any

import pytest

import sfumato
from oracles.naive_join import ABOVE, TREES
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.sequels.algorithms import TDS4SA
from sfumato.sequels.algorithms.seq_baselines import SeqBaselines, baselines, recoded, share_lost
from sfumato.sequels.models import XYPrivacyJoin
from sfumato.sequels.series import Series
from sfumato.sequels.task import SeriesTask


def opened(rows: list[dict[str, Any]]) -> Any:
    return sfumato.from_rows(list(rows[0]), [list(row.values()) for row in rows])


def task(h: float = 0.9) -> SeriesTask:
    rng = random.Random(3)
    leaves = ["a1", "a2", "b1", "b2", "b3", "c"]
    rows = [
        {
            "A": rng.choice(leaves),
            "S": rng.choice("MF"),
            "z": rng.choice("pq"),
            "c": rng.choice("uv"),
            "d": rng.choice("ghi"),
        }
        for _ in range(40)
    ]
    coarse = {"a1": "a", "a2": "a"}
    first = opened([{"A": coarse.get(row["A"], row["A"]), "S": row["S"], "z": row["z"]} for row in rows])
    then = opened([{name: row[name] for name in ("A", "S", "c", "d")} for row in rows])
    model = XYPrivacyJoin(h=h, x=("A", "S", "T2.c", "T1.z"), y=("T2.d",))
    return SeriesTask(then, Series.of([first], qid=("A",), hierarchies=TREES), [model])


def test_each_way_does_what_it_says() -> None:
    made = task()
    found = {one.way: one for one in baselines(made, 4, Run())}
    assert list(found) == ["join-attributes", "monotone", "alone", "without-join", "without-sensitive"]
    assert int(found["join-attributes"].table.groups(["A", "S"]).sizes.min()) >= 4
    assert int(found["alone"].table.groups(["A", "S", "c"]).sizes.min()) >= 4
    shown = {label for (label,) in found["monotone"].table.groups(["A"]).as_dict()}
    assert shown == {"a", "b1", "b2", "b3", "c"}
    assert all("a" not in ABOVE["A"][label][1:] for label in shown if isinstance(label, str))
    assert found["without-join"].table.dictionary("A").values == ("*",)
    assert found["without-sensitive"].table.dictionary("d").values == ("*",)
    assert found["without-sensitive"].satisfied
    assert found["without-join"].cost == pytest.approx(2 / 4)
    assert made.earlier is not None
    for one in found.values():
        after = made.earlier.with_next(one.table)
        assert one.satisfied == (one.way == "without-sensitive" or made.models[0].judge(after).satisfied)


def test_the_search_on_the_join_is_safe_where_they_are_not() -> None:
    made = task(h=0.8)
    assert not all(one.satisfied for one in baselines(made, 2, Run()))
    outcome = TDS4SA().run(made, Run())
    after = recoded(made.batch, outcome.recodings)
    assert made.earlier is not None
    assert made.models[0].judge(made.earlier.with_next(after)).satisfied
    assert 0 < share_lost(made.batch, outcome.recodings, ["A", "S", "c", "d"]) < 1
    assert SeqBaselines(way="alone").run(made, Run()).recodings


def test_a_way_that_is_none_is_refused() -> None:
    with pytest.raises(BadRequest, match="not one of the choices"):
        SeqBaselines(way="magic")  # type: ignore[arg-type]
