"""Views are published as the sets that they were judged as: how often a row comes would tell more."""

from __future__ import annotations

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
