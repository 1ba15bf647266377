"""The invented query log: same seed, same rows; interests, rare queries, and what tells who asked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from sfumato.datasets import searches
from sfumato.errors import BadRequest
from sfumato.transactions.query_log import QueryLog
from sfumato.transactions.recodings.query_log_as_transactions import QueryLogAsTransactions
from sfumato.transactions.telling_queries import telling_queries


def test_same_seed_same_rows_other_seed_other_rows() -> None:
    assert searches(60, seed=3).to_rows() == searches(60, seed=3).to_rows()
    assert searches(60, seed=3).to_rows() != searches(60, seed=4).to_rows()


def test_the_global_generator_is_left_alone() -> None:
    before = np.random.get_state()[1].tobytes()  # type: ignore[union-attr, index]  # noqa: NPY002
    searches(20)
    assert np.random.get_state()[1].tobytes() == before  # type: ignore[union-attr, index]  # noqa: NPY002


def test_rows_are_in_the_order_of_time_and_skewed() -> None:
    log = searches(400)
    times = [str(one) for one in log.values("time")]
    assert times == sorted(times)
    assert len(set(log.values("user"))) == 400
    asked = Counter(log.values("query"))
    assert asked.most_common(1)[0][1] > 100
    assert sum(count == 1 for count in asked.values()) > 50
    assert 0.4 < sum(one is None for one in log.values("url")) / len(log) < 0.6


def test_as_a_log(tmp_path: Path) -> None:
    written = searches(200).write_csv(tmp_path / "searches.csv")
    log = QueryLog.of(str(written), time="time", url="url")
    assert log.distinct_users == 200
    found = Counter(reason for one in telling_queries(log) for reason in one.reasons)
    assert found["person-name"] >= 10
    assert found["digits"] >= 3
    loaded = QueryLogAsTransactions().load(log)
    assert len(loaded.baskets) == 200
    assert 0 < loaded.density < 0.2


def test_nobody_is_refused() -> None:
    with pytest.raises(BadRequest, match="at least 1"):
        searches(0)
