"""Views and several tables are drafted from the data: what is drafted runs, and what cannot be is refused in one line."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import sfumato
from sfumato.datasets import hospital, hospital_tables
from sfumato.datasets.demos import demo_of
from sfumato.errors import BadRequest
from sfumato.policy import SharedPolicy
from sfumato.verbs.draft import draft


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hospital")
    for one in hospital_tables(80, 3):
        one.write_csv(made / f"{one.name}.csv")
    return made


def test_keys_and_references_are_found_by_their_values(folder: Path, tmp_path: Path) -> None:
    text = draft(str(folder), shape="database", k=4)
    policy = SharedPolicy.of(_written(tmp_path / "policy.yaml", text))
    tables = policy.tables  # type: ignore[attr-defined]
    assert {name: (one.key, one.references) for name, one in tables.items()} == {
        "patients": ("id", {}),
        "stays": ("id", {"patient": "patients"}),
        "diagnoses": (None, {"stay": "stays"}),
    }
    assert sfumato.anonymize(str(folder), policy).verdict.satisfied
    with sqlite3.connect(tmp_path / "hospital.sqlite") as database:
        for one in hospital_tables(80, 3):
            database.execute(f"CREATE TABLE {one.name} ({', '.join(one.columns)})")
            marks = ", ".join("?" * len(one.columns))
            database.executemany(f"INSERT INTO {one.name} VALUES ({marks})", zip(*one.data.values(), strict=True))
    again = SharedPolicy.of(
        _written(tmp_path / "again.yaml", draft(str(tmp_path / "hospital.sqlite"), shape="database"))
    )
    assert {name: one.references for name, one in again.tables.items()} == {  # type: ignore[attr-defined]
        name: one.references for name, one in tables.items()
    }


def test_a_table_of_an_hospital_is_drafted_as_views(tmp_path: Path) -> None:
    table = str(hospital(200, seed=3).write_csv(tmp_path / "hospital.csv"))
    text = draft(table, shape="views", k=3)
    release = sfumato.anonymize(table, SharedPolicy.of(_written(tmp_path / "policy.yaml", text)))
    assert release.verdict.satisfied
    assert list(release.tables) == ["names", "values"]


@pytest.mark.parametrize(("source", "shape"), [({"a": {"x": [1, 2]}}, "database"), ({"x": [1, 2]}, "views")])
def test_what_tells_nothing_is_left_to_the_publisher(source: dict[str, object], shape: str) -> None:
    with pytest.raises(BadRequest, match="by hand"):
        draft(source, shape=shape)


@pytest.mark.parametrize("shape", ["database", "views", "desk"])
def test_demonstrations_are_policies_of_their_shape(shape: str) -> None:
    assert SharedPolicy.of(demo_of(shape).policy).shape == shape


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
