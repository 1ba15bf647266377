"""(X,Y)-privacy on the join, population-relatedness, and their plain recounts: the same verdicts on random releases."""

from __future__ import annotations

import random
from collections import Counter
from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_join import ABOVE, TREES, Row, random_tables
from sfumato.errors import BadRequest
from sfumato.sequels import Series
from sfumato.sequels.models import SeqMonotonicity, XYPrivacyJoin
from sfumato.sequels.recounts import seq_monotonicity, xy_privacy_join

PARENTS = {name: {label: up[1] for label, up in above.items() if len(up) > 1} for name, above in ABOVE.items()}


def series(tables: list[list[Row]]) -> Series:
    opened = [sfumato.from_rows(list(rows[0]), [list(row.values()) for row in rows]) for rows in tables]
    return Series.of(opened, qid=["A", "c"], sensitive="y", hierarchies=TREES)


def texts(tables: list[list[Row]]) -> tuple[list[Counter[tuple[str | None, ...]]], list[list[str]]]:
    """Return the releases as texts with their counts, and the columns of each."""
    return [Counter(tuple(row.values()) for row in rows) for rows in tables], [list(rows[0]) for rows in tables]


def impossible(rng: random.Random) -> list[tuple[str, str, str, str]]:
    pairs = [("T1.y", rng.choice("uvw"), "T2.A", rng.choice(["a", "bb", "*A"])), ("T2.c", "u", "T1.B", "p")]
    return rng.sample(pairs, rng.randint(0, 2))


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([2, 3]))
def test_the_recounts(seed: int, count: int) -> None:
    rng = random.Random(seed)
    tables = random_tables(rng, count)
    told = {"inconsistent": tuple(impossible(rng)), "join": rng.choice([None, ("A",), ("B", "A")])}
    releases, columns = texts(tables)
    given_series = series(tables)
    asked = rng.choice(
        [
            {"k": rng.randint(1, 3)},
            {"h": rng.choice([0.3, 0.5, 0.7, 0.9, 1.0])},
            {"k": 2, "h": 0.6, "anonymity_counts": "records"},
            {"h": 0.5, "values": ("u",)},
            {"h": 0.5, "y": ("T1.y", "T1.B"), "x": ("c",), "values": (("u", "p"), ("v", "q"))},
            {"k": 2, "x": ("T2.c",), "include_join": True},
        ]
    )
    if "include_join" in asked:
        told["inconsistent"] = ()  # which would take Y into X
    verdict = XYPrivacyJoin(**asked, **told).judge(given_series)
    again = xy_privacy_join.level(
        releases, columns=columns, parents=PARENTS, qid=given_series.qid, sensitive="y", **asked, **told
    )
    assert (again.violating, again.satisfied) == (verdict.violating_groups, verdict.satisfied)
    assert (again.measured is None) == (verdict.strongest is None)
    assert again.measured is None or isclose(again.measured, verdict.strongest)
    related = SeqMonotonicity(**told).judge(given_series)
    plain = seq_monotonicity.level(releases, columns=columns, parents=PARENTS, **told)
    assert (plain.measured, plain.violating) == (related.strongest, related.violating_groups)
    assert plain.satisfied == related.satisfied


def test_numbers_take_no_part_and_unknown_labels_are_refused() -> None:
    releases = [{("1", "u"): 1, ("2", "v"): 1}, {("1", "s"): 1}]
    columns = [["n", "y"], ["n", "c"]]
    asked = {"columns": columns, "qid": ["c"], "sensitive": "y", "k": 2}
    assert xy_privacy_join.level(releases, parents={}, numbers=["n"], **asked).measured == 2
    assert xy_privacy_join.level(releases, parents={}, **asked).measured == 1
    with pytest.raises(BadRequest, match="hierarchy does not have"):
        xy_privacy_join.level(releases, parents={"n": {"1": "all"}}, **asked)
    with pytest.raises(BadRequest, match="must not share"):
        xy_privacy_join.level(releases, parents={}, **{**asked, "qid": ["y"]})
    with pytest.raises(BadRequest, match="not a column of the join"):
        xy_privacy_join.level(releases, parents={}, **{**asked, "qid": ["d"]})
