"""Values that requirements name are compared by the type of their column; one that protects nobody is told."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.tables.named_values import with_held_values

ROWS = "job,level,code,day,flag,share\n" + "".join(
    f"{job},{level},{code},{day},{flag},{share}\n"
    for job, level, code, day, flag, share in [
        ("a", 1, "01", "2020-01-01", "true", 0.5),
        ("a", 1, "01", "2020-01-01", "true", 0.5),
        ("a", 2, "02", "2020-01-02", "false", 1.5),
        ("b", 2, "02", "2020-01-02", "false", 1.5),
        ("b", 3, "03", "2020-01-03", "false", 2.5),
        ("b", 2, "02", "2020-01-02", "false", 1.5),
    ]
)
NAMED: list[tuple[str, Any]] = [
    ("level", "1"),
    ("level", 1.0),
    ("level", "1.0"),
    ("level", "01"),
    ("code", "01"),
    ("day", "2020-01-01"),
    ("flag", "true"),
    ("flag", "True"),
    ("share", "0.5"),
    ("share", "0.50"),
]


def stored(folder: Path) -> Path:
    path = folder / "rows.csv"
    path.write_text(ROWS)
    return path


def models(column: str, value: Any) -> list[dict[str, Any]]:
    common: dict[str, Any] = {"sensitive": column}
    return [
        {"id": "confidence-bounding", **common, "value": value, "h": 0.5},
        {"id": "alpha-k-anonymity", **common, "values": [value], "alpha": 0.5, "k": 1},
        {"id": "lkc-privacy", **common, "values": [value], "L": 1, "K": 1, "C": 0.5},
        {"id": "xy-linkability", "y": [column], "values": [value], "h": 0.5, "qid": ["job"]},
        {"id": "xy-linkability", "y": [column, "flag"], "values": [[value, "true"]], "h": 0.5, "qid": ["job"]}
        if column != "flag"
        else {"id": "xy-linkability", "y": [column], "values": [value], "h": 0.5, "qid": ["job"]},
        {"id": "xy-privacy", "y": [column], "values": [value], "k": 1, "h": 0.5, "qid": ["job"]},
        {"id": "ff-anonymity", "sensitive": [[column, value, 0.5]]},
        {"id": "skyline-privacy", **common, "value": value, "skyline": [[0, 0, 0, 0.5]]},
    ]


@pytest.mark.parametrize(("column", "value"), NAMED, ids=str)
def test_a_named_value_is_compared_by_the_type_of_its_column(tmp_path: Path, column: str, value: Any) -> None:
    path = stored(tmp_path)
    for model in models(column, value):
        (verdict,) = sfumato.check(path, model, qid=["job"])
        assert not verdict.satisfied, model["id"]


@pytest.mark.parametrize(
    ("column", "value"), [("level", "one"), ("level", 1.5), ("code", 1), ("day", "yesterday"), ("flag", "yes")], ids=str
)
def test_what_the_column_cannot_hold_or_has_in_another_type_is_refused(tmp_path: Path, column: str, value: Any) -> None:
    path = stored(tmp_path)
    for model in models(column, value):
        with pytest.raises(BadRequest, match="does not occur"):
            sfumato.check(path, model, qid=["job"])


def test_a_value_that_does_not_occur_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = stored(tmp_path)
    with caplog.at_level(logging.WARNING, "sfumato"):
        assert sfumato.check(
            path, {"id": "confidence-bounding", "sensitive": "level", "value": 9, "h": 0.1}, qid=["job"]
        )
    assert "does not occur" in caplog.text
    given = [sfumato.models.PDRecursiveLDiversity(sensitive="code", c=3, l=1, tolerated=("01", "9"))]
    _, warnings = with_held_values(given, read(path))
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("column", "value"), [("level", "1"), ("day", "2020-01-01"), ("flag", "true"), ("share", "0.5")]
)
def test_a_release_protects_the_value_and_its_files_verify(tmp_path: Path, column: str, value: str) -> None:
    roles = {
        name: {"role": "sensitive" if name == column else "plain"} for name in ("level", "code", "day", "flag", "share")
    }
    policy = {
        "columns": {"job": {"role": "quasi-identifier"}, **roles},
        "requirements": [{"id": "confidence-bounding", "sensitive": column, "value": value, "h": 0.4}],
        "algorithm": {"id": "mondrian"},
    }
    release = sfumato.anonymize(stored(tmp_path), policy)
    assert len(release.table.groups(["job"])) == 1
    sfumato.publish(release, tmp_path / "out")
    verified = sfumato.verify(tmp_path / "out")
    assert [verdict.strongest for verdict in verified.verdict] == [pytest.approx(1 / 3)]


def test_a_release_tells_of_values_that_do_not_occur_once(tmp_path: Path) -> None:
    others = {name: {"role": "plain"} for name in ("code", "day", "flag", "share")}
    policy = {
        "columns": {"job": {"role": "quasi-identifier"}, "level": {"role": "sensitive"}, **others},
        "requirements": [
            {"id": "k-anonymity", "k": 2},
            {"id": "alpha-k-anonymity", "sensitive": "level", "values": [1, 9], "alpha": 1.0, "k": 1},
        ],
        "algorithm": {"id": "mondrian"},
    }
    warnings = sfumato.anonymize(stored(tmp_path), policy).warnings
    assert sum("does not occur" in warning for warning in warnings) == 1
