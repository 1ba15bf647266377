"""Views are published as the sets that they were judged as: how often a row comes would tell more."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato


def test_no_row_is_published_twice() -> None:
    table = {
        "name": [f"p{at}" for at in range(6)],
        "ward": ["A", "A", "A", "B", "B", "B"],
        "diagnosis": ["flu", "flu", "gout", "flu", "gout", "gout"],
    }
    policy = {
        "views": {"staff": {"columns": ["name", "ward"]}, "clinic": {"columns": ["ward", "diagnosis"]}},
        "requirements": [{"id": "sp-view-kanon-check", "k": 2, "identifier": "name", "sensitive": "diagnosis"}],
    }
    release = sfumato.anonymize(table, policy)
    assert {name: held.rows for name, held in release.tables.items()} == {"staff": 6, "clinic": 4}


def test_rows_of_a_view_are_not_counted_as_records() -> None:
    table = {"name": list("abcdef"), "ward": ["A"] * 6, "diagnosis": ["flu", "gout"] * 3}
    policy = {
        "views": {"clinic": {"columns": ["ward", "diagnosis"]}, "staff": {"columns": ["name", "ward"]}},
        "requirements": [{"id": "sp-view-kanon-check", "k": 2, "identifier": "name", "sensitive": "diagnosis"}],
    }
    release = sfumato.anonymize(table, policy)
    assert not release.little_left
    assert release.certified.counts == {"records_read": 6}


@pytest.mark.parametrize("kinds", [5_000, 3])
def test_what_the_holder_alone_can_judge_is_said_to_be_judged_inside(
    kinds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sfumato.views.dependencies.MOST_KINDS", kinds)
    table = {"name": list("abcdef"), "ward": ["A"] * 6, "diagnosis": ["flu", "gout"] * 3}
    asked = {"id": "fd-view-kanon-check", "k": 2, "identifier": "name", "sensitive": "diagnosis"}
    policy = {
        "views": {"clinic": {"columns": ["ward", "diagnosis"]}, "staff": {"columns": ["name", "ward"]}},
        "requirements": [{**asked, "dependencies": ["name -> diagnosis"]}],
    }
    sfumato.publish(sfumato.anonymize(table, policy), tmp_path / "out")
    found = sfumato.verify(tmp_path / "out" / "public")
    assert found
    (entry,) = found.certificate.requirements
    assert entry.recounted == ("plain" if kinds > 3 else "inside")
    assert entry.measured == 2
