"""Tables that are open already obey the policy, and tables beside them are read as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.data.schema import ColumnType
from sfumato.engines import from_rows, read
from sfumato.errors import BadRequest

ENGINES = pytest.mark.parametrize("engine", ["polars", "duckdb"])


def policy(code: dict[str, Any], algorithm: str = "mondrian", **requirement: Any) -> dict[str, Any]:
    return {
        "columns": {
            "code": {"role": "quasi-identifier", **code},
            "ill": {"role": "sensitive"},
        },
        "requirements": [requirement or {"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": algorithm},
    }


@ENGINES
def test_types_of_a_policy_hold_for_tables_too(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text("code,ill\n12345,1.50\n12345,2.50\n23456,1.50\n23456,2.50\n")
    asked = policy({"type": "text"})
    asked["columns"]["ill"]["type"] = "text"
    release = sfumato.anonymize(read(path, engine), asked)
    assert release.table.types == dict.fromkeys(["code", "ill"], ColumnType.TEXT)
    assert release.table.content_digest() == sfumato.anonymize(path, asked).table.content_digest()
    release.table.write(tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_bytes() == path.read_bytes()
    with pytest.raises(BadRequest, match="cannot be read as date"):
        sfumato.anonymize(read(path, engine), policy({"type": "date"}))


@ENGINES
@pytest.mark.parametrize(
    ("before", "asked", "held"),
    [("007", "integer", 7), ("1.0", "integer", 1), ("3", "number", 3.0), ("3", "text", "3"), ("true", "text", "true")],
)
def test_columns_of_open_tables_change_their_type(
    tmp_path: Path, engine: str, before: str, asked: str, held: object
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"a,b\n{before},1\n{before},2\n")
    table = read(read(path, engine), engine, types={"a": asked})
    assert table.types["a"] == asked
    assert table.sort().to_rows() == [(held, 1), (held, 2)]


@pytest.mark.parametrize("algorithm", ["spalm", "mpalm"])
@pytest.mark.parametrize(
    ("code", "rows"),
    [({"type": "integer", "missing": "drop-record"}, 2), ({"type": "text", "missing": "own-value"}, 3)],
    ids=["integer", "text"],
)
def test_a_population_is_read_as_the_table_is(tmp_path: Path, algorithm: str, code: dict[str, str], rows: int) -> None:
    (tmp_path / "t.csv").write_text("code,ill\n007,a\n,b\n012,a\n")
    (tmp_path / "e.csv").write_text("code,x\n007,1\n,1\n012,1\n12,1\n8,1\n007,1\n")
    number = {"hierarchy": {"id": "intervals", "lower": 0, "width": 10, "upper": 20}} if rows == 2 else {}
    asked = policy({**code, **number}, algorithm, id="delta-presence", delta_min=0.0, delta_max=0.9)
    assert sfumato.anonymize(tmp_path / "t.csv", asked, external=tmp_path / "e.csv").table.rows == rows


@pytest.mark.parametrize("algorithm", ["spalm", "mpalm"])
def test_hierarchies_hold_the_values_of_the_population(algorithm: str) -> None:
    table = from_rows(["code", "ill"], [(21, "a"), (30, "b"), (40, "a")])
    everybody = from_rows(["code"], [(20,), (21,), (30,), (31,), (40,), (65,)])
    asked = policy(
        {"hierarchy": {"id": "intervals", "edges": [0, 25, 50, 100]}},
        algorithm,
        id="delta-presence",
        delta_min=0.1,
        delta_max=0.9,
    )
    assert sfumato.anonymize(table, asked, external=everybody).table.rows == 3


def test_codes_of_a_population_meet_those_of_a_release_whatever_their_type(tmp_path: Path) -> None:
    published = from_rows(["code", "ill"], [("12345", "a"), ("23456", "b")])
    (tmp_path / "e.csv").write_text("code\n12345\n12345\n23456\n23456\n")
    asked = {"id": "delta-presence", "delta_min": 0.1, "delta_max": 0.6}
    (verdict,) = sfumato.check(published, asked, qid=["code"], external=tmp_path / "e.csv")
    assert (verdict.satisfied, verdict.strongest) == (True, 0.5)


@pytest.mark.parametrize("algorithm", ["mondrian", "optimal", "datafly"])
def test_hierarchical_closeness_reads_the_hierarchy_of_the_sensitive_column(tmp_path: Path, algorithm: str) -> None:
    rows = [("a", "flu"), ("a", "cold"), ("b", "ulcer"), ("b", "flu"), ("a", "ulcer"), ("b", "cold")]
    tree = {"any": {"lung": ["flu", "cold"], "stomach": ["ulcer", "gastritis"]}}
    asked = policy({}, algorithm, id="t-closeness", t=0.5, sensitive="ill", ground_distance="hierarchical")
    asked["columns"]["ill"]["hierarchy"] = {"id": "taxonomy", "tree": tree}
    release = sfumato.anonymize(from_rows(["code", "ill"], rows), asked)
    assert bool(sfumato.check(release.table, policy=asked))
    sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(tmp_path / "out").unchecked == ()
