"""A search that sees a sample: judged on all rows, mended where it fails, the same on every engine, and told."""

from __future__ import annotations

from typing import Any

import pytest

import sfumato
from engines.plain_engine import PlainTable
from sfumato.contracts.engine import Table
from sfumato.engines import read
from sfumato.errors import BadRequest, Unsupported

ROWS = {
    "a": [n % 40 for n in range(800)],
    "b": [n * 7 % 13 for n in range(800)],
    "c": ["xyz"[n % 3] for n in range(800)],
}
ROWS["a"] += [99, 98]
ROWS["b"] += [12, 11]
ROWS["c"] += ["x", "y"]


def policy(**more: Any) -> dict[str, Any]:
    return {
        "columns": {
            "a": {"role": "quasi-identifier", "hierarchy": {"id": "intervals", "lower": 0, "upper": 100, "width": 10}},
            "b": {"role": "quasi-identifier"},
            "c": {"role": "sensitive"},
        },
        "requirements": [{"id": "k-anonymity", "k": 5}],
        "algorithm": {"id": "tdr"},
        **more,
    }


@pytest.mark.parametrize("limit", [0.0, 0.01])
def test_every_requirement_holds_on_all_rows(limit: float) -> None:
    asked = policy(search_on={"sample": 200, "seed": 3}, limits={"suppress_at_most": limit})
    release = sfumato.anonymize(ROWS, asked)
    assert release.verdict
    assert release.table.groups(["a", "b"]).sizes.min() >= 5
    assert release.table.rows >= 802 * (1 - limit)
    found = release.certificate.algorithm
    assert found.searched_records is not None
    assert 100 < found.searched_records < 300
    assert not found.optimal
    assert any("saw a sample" in warning for warning in release.warnings)
    again = sfumato.anonymize(read(ROWS, "duckdb"), asked)
    assert again.table.content_digest() == release.table.content_digest()


def test_every_engine_draws_the_same() -> None:
    table = read(ROWS)
    drawn = table.sample(0.3, secret="s'")
    assert 0.2 < drawn.rows / table.rows < 0.4
    assert read(ROWS, "duckdb").sample(0.3, secret="s'").content_digest() == drawn.content_digest()
    assert PlainTable(table.types, table.to_rows()).sample(0.3, secret="s'").content_digest() == drawn.content_digest()
    assert Table.sample(table, 0.3, secret="t").content_digest() != drawn.content_digest()
    assert table.sample(1.0, secret="s") is table


def test_what_decides_about_single_rows_is_refused() -> None:
    with pytest.raises(Unsupported, match="needs one that recodes columns"):
        sfumato.anonymize(ROWS, policy(search_on={"sample": 200}, algorithm={"id": "mondrian"}))
    with pytest.raises(BadRequest, match=r"search_on\.sample"):
        sfumato.anonymize(ROWS, policy(search_on={"sample": 0}))
    with pytest.raises(BadRequest, match="did you mean 'seed'"):
        sfumato.anonymize(ROWS, policy(search_on={"sample": 9, "sede": 1}))
