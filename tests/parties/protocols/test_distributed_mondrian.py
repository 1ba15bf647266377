"""Mondrian over sites finds what Mondrian finds on all their rows, bit for bit, and nobody learns whose row is whose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible
from sfumato.models import InsiderResidual
from sfumato.parties.conversation.message import OutOfProtocol
from sfumato.parties.protocols import Axis, DistributedMondrian, SiteTable

TREE = {
    "value": "ANY",
    "children": [
        {"value": "A", "children": [{"value": "a"}, {"value": "b"}, {"value": "c"}]},
        {"value": "B", "children": [{"value": "d"}, {"value": "e"}]},
        {"value": "f"},
    ],
}
AXES = (Axis("age", 20, 60), Axis("dose", 0, 99, 10), Axis.of_tree("ward", Tree.from_nested(TREE)))
COLUMNS = ("age", "dose", "ward", "ill")
ROWS = st.lists(
    st.tuples(
        st.integers(20, 60),
        st.integers(0, 99).map(lambda tenth: tenth / 10),
        st.sampled_from("abcdef"),
        st.sampled_from(["flu", "hiv", "none"]),
    ),
    min_size=4,
    max_size=24,
)
POLICY: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier"},
        "dose": {"role": "quasi-identifier"},
        "ward": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": TREE}},
        "ill": {"role": "sensitive"},
        "site": {"role": "private"},
    },
    "algorithm": {"id": "mondrian"},
}


def shared_out(rows: list[tuple[object, ...]], homes: list[int], count: int) -> dict[str, SiteTable]:
    return {
        f"s{site}": SiteTable(
            COLUMNS,
            [row for row, home in zip(rows, homes, strict=True) if home == site],
            AXES,
            sensitive="ill",
            values=("flu", "hiv", "none"),
        )
        for site in range(count)
    }


def central(rows: list[tuple[object, ...]], homes: list[int], requirements: list[dict[str, object]]) -> list[Any]:
    whole = sfumato.from_rows([*COLUMNS, "site"], [(*row, f"s{home}") for row, home in zip(rows, homes, strict=True)])
    released = sfumato.anonymize(whole, {**POLICY, "requirements": requirements})
    return sorted((tuple(map(to_text, row)) for row in released.table.to_rows()), key=str)


@settings(max_examples=18)
@given(ROWS, st.integers(3, 5), st.integers(2, 4), st.integers(1, 3), st.integers(1, 2), st.integers(0, 2**32 - 1))
def test_the_joint_table_is_that_of_central_mondrian(
    rows: list[tuple[object, ...]], count: int, k: int, l: int, values: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    homes = rng.integers(0, count, len(rows)).tolist()
    requirements: list[dict[str, object]] = [
        {"id": "k-anonymity", "k": k},
        {"id": "l-site-diversity", "l": l, "sensitive": "site"},
        {"id": "l-diversity-distinct", "l": values, "sensitive": "ill"},
    ]
    protocol = DistributedMondrian(k=k, l=l, values=values, mode="sum", labels="tight")
    try:
        wanted = central(rows, homes, requirements)
    except Infeasible:
        with pytest.raises(Infeasible):
            protocol.simulate(shared_out(rows, homes, count))
        return
    talked = protocol.simulate(shared_out(rows, homes, count), order=rng)
    unions = {tuple(tuple(map(to_text, row)) for row in one.union) for one in talked.results.values()}
    assert len(unions) == 1
    assert sorted(unions.pop(), key=str) == wanted


@settings(max_examples=3)
@given(st.lists(st.integers(0, 3), min_size=4, max_size=6), st.integers(2, 3))
def test_bits_decide_as_sums_do(ages: list[int], count: int) -> None:
    axes = [Axis("age", 0, 3)]
    sites = {f"s{at}": SiteTable(["age"], [[age] for age in ages[at::count]], axes) for at in range(count)}
    bits = DistributedMondrian(k=2, mode="bits", labels="tight", largest=4).simulate(sites)
    whole = sfumato.from_rows(["age"], [(age,) for age in ages])
    policy = {"columns": {"age": {"role": "quasi-identifier"}}, "requirements": [{"id": "k-anonymity", "k": 2}]}
    released = sfumato.anonymize(whole, {**policy, "algorithm": {"id": "mondrian"}})
    assert sorted(bits.results["s0"].union) == sorted(tuple(map(str, row)) for row in released.table.to_rows())
    assert say("blocks.sums") not in {leak.what for leak in bits.ledger.leaks}


def test_no_site_alone_sees_fewer_than_it_should() -> None:
    rng = np.random.default_rng(5)
    rows = [(int(age), 0.0, "a", "flu") for age in rng.integers(20, 60, 40)]
    homes = rng.integers(0, 3, 40).tolist()
    found = DistributedMondrian(k=2, l=2, residual=3, mode="sum").simulate(shared_out(rows, homes, 3)).results
    groups: dict[int, dict[str, int]] = {}
    for site, one in found.items():
        for group in one.group_of:
            groups.setdefault(group, {}).setdefault(site, 0)
            groups[group][site] += 1
    assert len(groups) > 1
    stats = sfumato.groups.stats.GroupStats.from_histograms(list(groups.values()), column="site")
    assert InsiderResidual(k=3, sensitive="site").check(stats).satisfied


def test_rows_go_through_the_mix_with_their_columns_and_without_their_site() -> None:
    rows = [(30, 1.5, "a", "flu"), (31, 2.5, "b", "hiv"), (50, 3.5, "d", "flu"), (51, 9.9, "e", "none")]
    talked = DistributedMondrian(k=2, mode="sum", slots=4).simulate(shared_out(rows, [0, 1, 2, 0], 3), keep=True)
    found = talked.results["s1"]
    assert found.columns == ("age", "dose", "ward", "ill")
    assert sorted(row[3] for row in found.union) == ["flu", "flu", "hiv", "none"]
    assert {label[0] for label in found.labels} == {"[20-31]", "[32-60]"}
    assert found.union == talked.results["s0"].union
    batches = [message for message in talked.said if message.body.type == "mix.batch"]
    assert len({len(one.body.rows) for one in batches if one.receiver == "s0"}) == 1  # type: ignore[attr-defined]
    # In what travels, not in the base64 of it: three letters come up there by chance.
    assert not any(b"flu" in one.body.rows for one in batches)  # type: ignore[attr-defined]
    leaders = {message.sender for message in talked.said if message.body.type == "sum.bits"}
    assert leaders == {"s0", "s1", "s2"}


@pytest.mark.parametrize(
    "protocol, sites, error",
    [
        ({"k": 2, "mode": "sum"}, 2, "use bits"),
        ({"k": 2, "l": 3}, 2, "number of sites"),
        ({"k": 2, "values": 2}, 3, "sensitive column"),
        ({"k": 2, "slots": 1}, 3, "more rows than a site may bring"),
        ({"k": 2, "largest": 1}, 3, "more rows than agreed"),
    ],
)
def test_what_cannot_be_promised_is_refused(protocol: dict[str, Any], sites: int, error: str) -> None:
    tables = {f"s{at}": SiteTable(["age"], [[at], [at]], [Axis("age", 0, 3)]) for at in range(sites)}
    with pytest.raises(BadRequest, match=error):
        DistributedMondrian(**{"mode": "sum", **protocol}).simulate(tables)


@pytest.mark.parametrize(
    "columns, rows, axes, error",
    [
        (["age"], [[200]], [Axis("age", 0, 127)], "outside the domain"),
        (["age"], [["x"]], [Axis("age", 0, 127)], "must hold numbers"),
        (["age"], [[None]], [Axis("age", 0, 127)], "missing values"),
        (["age"], [[1.5]], [Axis("age", 0, 127)], "decimals"),
        (["pay"], [[1]], [Axis("age", 0, 127)], "not a column"),
        (["age"], [[1]], [], "quasi-identifier"),
    ],
)
def test_rows_that_do_not_fit_are_refused(columns: list[str], rows: list[Any], axes: list[Axis], error: str) -> None:
    good = SiteTable(["age"], [[1], [2]], [Axis("age", 0, 127)])
    with pytest.raises(BadRequest, match=error):
        DistributedMondrian(k=1, mode="sum").simulate({"a": SiteTable(columns, rows, axes), "b": good, "c": good})


def test_sites_that_did_not_agree_stop_before_anything_is_said() -> None:
    one, other = (SiteTable(["age"], [[1], [2]], [Axis("age", 0, high)]) for high in (127, 128))
    with pytest.raises(OutOfProtocol, match="agreed"):
        DistributedMondrian(k=1, mode="sum").simulate({"a": one, "b": one, "c": other})
    with pytest.raises(Infeasible, match="all records"):
        DistributedMondrian(k=9, mode="sum").simulate({"a": one, "b": one, "c": one})
