"""What stands for a group: means by definition, the same value for all of a group, and nothing else published of a column."""

from __future__ import annotations

import math
import random
import statistics
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.errors import BadRequest, Unsupported

JOBS = {"id": "taxonomy", "tree": {"Any": [{"Art": ["Dancer", "Writer"]}, {"Law": ["Judge", "Lawyer"]}]}}
RNG = random.Random(8)
ROWS = [
    (RNG.choice(["Dancer", "Writer", "Judge", "Lawyer"]), RNG.choice("fm"), RNG.choice([None, 1.5, *range(20)]))
    for _ in range(60)
]


def asked(how: str | None, algorithm: str = "optimal", **more: Any) -> dict[str, Any]:
    return {
        "columns": {
            "job": {"role": "quasi-identifier", "hierarchy": JOBS},
            "sex": {"role": "quasi-identifier"},
            "pay": {"role": "plain", **({} if how is None else {"aggregate": how})},
        },
        "requirements": [{"id": "k-anonymity", "k": 4}],
        "algorithm": {"id": algorithm},
        "output": {"row_order": "keep"},
        **more,
    }


def stands_for(values: list[float], how: str) -> str:
    """By definition, value by value."""
    if how == "interval":
        return f"[{min(values):g}-{max(values):g}]"
    number = {
        "mean": lambda: statistics.fmean(values),
        "median": lambda: statistics.median(values),
        "geometric-mean": lambda: math.prod(value + 1 for value in values) ** (1 / len(values)) - 1,
        "mode": lambda: max(sorted(set(values)), key=values.count),
    }[how]()
    return f"{number:.9g}"


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "tdr"])
@pytest.mark.parametrize("how", ["mean", "median", "geometric-mean", "mode", "interval"])
def test_every_record_of_a_group_gets_the_same_value(how: str, algorithm: str) -> None:
    raw = sfumato.from_rows(["job", "sex", "pay"], ROWS)
    rows = sfumato.anonymize(raw, asked(how, algorithm)).table.to_rows()
    members: dict[Any, list[float]] = {}
    for (*key, _), (_, _, pay) in zip(rows, ROWS, strict=True):
        members.setdefault(tuple(key), []).extend([] if pay is None else [pay])
    assert len(members) > 1
    for job, sex, pay in rows:
        shown = pay if how == "interval" else f"{float(pay):.9g}"
        assert shown == stands_for(members[job, sex], how), (job, sex)


@pytest.mark.parametrize("how", ["mean", "interval", "mode"])
def test_a_value_that_stands_for_one_record_alone_is_warned_of(how: str) -> None:
    """Weights of 4 make every record enough for k-map: nobody is hidden, and each mean is a person's own number."""
    rows = [
        (job, sex, at, 4) for at, (job, sex) in enumerate((job, sex) for job in ("Dancer", "Judge") for sex in "fm")
    ]
    rows += [("Dancer", "f", None, 4), ("Judge", "m", 9, 4)]
    raw = sfumato.from_rows(["job", "sex", "pay", "stands_for"], rows)
    by_weights = {"requirements": [{"id": "k-map", "k": 4}], "population": "weights", "weights": "stands_for"}
    policy = asked(how, **by_weights)
    policy["columns"]["stands_for"] = {"role": "private"}
    release = sfumato.anonymize(raw, policy)
    assert len(release.table.groups(["job", "sex"])) == 4
    (told,) = (text for text in release.warnings if "stands for the group" in text)
    assert told.startswith("in 3 groups one record alone has a value of pay")
    large = sfumato.anonymize(sfumato.from_rows(["job", "sex", "pay"], ROWS), asked(how))
    assert not any("stands for the group" in text for text in large.warnings)


def test_the_certificate_says_what_was_done_and_the_folder_verifies(tmp_path: Path) -> None:
    raw = sfumato.from_rows(["job", "sex", "pay"], ROWS)
    release = sfumato.anonymize(raw, asked("mean"))
    told = {entry.name: entry.operation for entry in release.certificate.columns}
    assert told["pay"] == "microaggregation: mean"
    sizes = [release.table.groups(names).sizes.min() for names in (["job", "sex"], ["job", "sex", "pay"])]
    assert sizes[0] == sizes[1]
    sfumato.publish(release, tmp_path / "out")
    assert not sfumato.verify(tmp_path / "out").left
    with pytest.raises(Unsupported, match="stands for a group"):
        sfumato.apply(release, raw)


def test_what_has_no_mean_is_refused() -> None:
    raw = sfumato.from_rows(["job", "sex", "pay"], ROWS)
    texts = sfumato.from_rows(["job", "sex", "pay"], [(job, sex, "x") for job, sex, _ in ROWS])
    with pytest.raises(BadRequest, match="is for numbers"):
        sfumato.anonymize(texts, asked("mean"))
    assert {row[2] for row in sfumato.anonymize(texts, asked("mode")).table.to_rows()} == {"x"}
    below = sfumato.from_rows(["job", "sex", "pay"], [*ROWS, ("Judge", "f", -1)])
    with pytest.raises(BadRequest, match="plus 1"):
        sfumato.anonymize(below, asked("geometric-mean"))
    columns = asked("mean")["columns"]
    with pytest.raises(BadRequest, match="role plain only"):
        sfumato.Policy.of(asked(None, columns={**columns, "sex": {"role": "quasi-identifier", "aggregate": "mean"}}))
    with pytest.raises(Unsupported, match="need recoded rows"):
        sfumato.anonymize(raw, asked("mean", "condensation"))
