"""What to change next: every number is what publishing with that change gives, and little that is left is said to be little."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.data.messages import worded
from sfumato.tables import advice as module

AGES = {"id": "intervals", "lower": 0, "upper": 80, "width": 5, "fan_out": [4]}
JOBS = {"Any": [{"Service": ["cook", "clerk"]}, {"Care": ["nurse", "judge"]}]}
ROWS = [
    (
        20 + i * 7 % 40,
        ("cook", "nurse", "clerk", "judge")[i * i % 11 % 4],
        ("Linz", "Graz", None)[i % 2 if i % 10 else 2],
        ("flu", "ulcer", "cold")[i % 7 % 3],
    )
    for i in range(150)
]
POLICY: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier", "hierarchy": AGES},
        "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": JOBS}},
        "town": {
            "role": "quasi-identifier",
            "hierarchy": {"id": "taxonomy", "tree": {"Any": ["Linz", "Graz"]}},
            "missing": "drop-record",
        },
        "ill": {"role": "sensitive"},
    },
    "requirements": [{"id": "k-anonymity", "k": 5}, {"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"}],
    "algorithm": {"id": "optimal"},
}


def table() -> Any:
    return sfumato.from_rows(["age", "job", "town", "ill"], ROWS)


def cost(release: sfumato.Release) -> float:
    """Count what was dropped as lost, by hand."""
    loss = sfumato.measure(table(), release, "loss").value
    dropped = sum(town is None for _, _, town, _ in ROWS)
    return (loss * (len(ROWS) - dropped) + dropped) / len(ROWS)


def changed(**keys: Any) -> sfumato.Release:
    return sfumato.anonymize(table(), {**POLICY, **keys})


@pytest.mark.parametrize("algorithm", ["optimal", "datafly"])
def test_numbers_are_those_of_publishing_with_the_change(algorithm: str) -> None:
    release = changed(algorithm={"id": algorithm})
    advice = release.advice
    assert advice.complete
    assert advice.sampled is None
    assert advice.cost == pytest.approx(cost(release))
    assert list(advice.columns.values()) == sorted(advice.columns.values(), reverse=True)
    kinds = {change.kind: change for change in advice.changes}
    more = changed(algorithm={"id": algorithm}, limits={"suppress_at_most": 0.01})
    assert kinds["suppression"].now == pytest.approx(cost(release))
    assert kinds["suppression"].then == pytest.approx(cost(more))
    assert kinds["suppression"].left_out == more.counts["records_suppressed"]
    alone = {
        str(asked["id"]): cost(changed(algorithm={"id": algorithm}, requirements=[other]))
        for asked, other in zip(POLICY["requirements"], reversed(POLICY["requirements"]), strict=True)
    }
    dearest = min(alone, key=alone.__getitem__)
    if alone[dearest] <= cost(release) - 0.001:
        assert kinds["requirement"].subject == dearest
        assert kinds["requirement"].then == pytest.approx(alone[dearest])
    else:
        assert "requirement" not in kinds


def test_a_coarser_column_gives_what_publishing_it_so_gives() -> None:
    rows = [(f"{a}{b}{c}", town) for a in "12" for b in "12" for c in "12" for town in "xyzu" for _ in range(3)]
    zips = {"Any": [{"1*": ["111", "112", "121", "122"]}, {"2*": ["211", "212", "221", "222"]}]}
    towns = {"Any": [{"xy": ["x", "y"]}, {"zu": ["z", "u"]}]}
    held = sfumato.from_rows(["zip", "town"], rows)
    columns = {
        "zip": {"role": "quasi-identifier", "type": "text", "hierarchy": {"id": "taxonomy", "tree": zips}},
        "town": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": towns}},
    }
    # Who cares for zip alone gets it whole, and nothing of the town.
    algorithm = {"id": "optimal", "metric": {"id": "loss", "weights": {"zip": 10.0}}}
    policy = {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 12}], "algorithm": algorithm}
    release = sfumato.anonymize(held, policy)
    (change,) = [change for change in release.advice.changes if change.kind == "coarser"]
    assert (change.subject, change.to, change.others) == ("zip", 1, (1.0, 0.0))
    raw = sfumato.from_rows(["zip", "town"], [(zip_[0] + "*", town) for zip_, town in rows])
    tree = {"id": "taxonomy", "tree": {"Any": ["1*", "2*"]}}
    other = sfumato.anonymize(raw, {**policy, "columns": {**columns, "zip": {**columns["zip"], "hierarchy": tree}}})
    measured = sfumato.measure(held, other.table, "loss", hierarchies={"zip": zips, "town": towns}, qid=["zip", "town"])
    assert change.then == pytest.approx(measured.value)
    assert change.others[1] == measured.by_attribute["town"]


def test_only_what_gains_is_told_and_that_nothing_does() -> None:
    worse = module.Change("suppression", "", 0.4, 0.41, 3, 0.0, 0.01)
    better = module.Change("suppression", "", 0.4, 0.3, 3, 0.0, 0.01)
    none = module.Advice(cost=0.4, columns={"age": 0.4}, changes=(worse,), tried=True)
    assert [text.startswith("Nothing simple helps") for text in none.sentences()] == [False, True]
    assert len(module.Advice(cost=0.4, columns={"age": 0.4}, changes=(worse, better), tried=True).sentences()) == 2
    untried = module.Advice(cost=0.4, columns={"age": 0.4})
    assert not any("helps" in text for text in untried.sentences())
    assert any("Nichts Einfaches hilft" in worded(text, "de") for text in none.sentences())


def test_a_release_that_loses_everything_to_its_k_is_told_that_nothing_simple_helps() -> None:
    rows = [(f"job{i}", "ny"[i % 2]) for i in range(20)]
    columns = {"job": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
    policy = {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 15}]}
    said = sfumato.anonymize(sfumato.from_rows(["job", "ill"], rows), policy).advice.sentences()
    assert any(text.startswith("Nothing simple helps") for text in said)


def test_the_few_records_that_force_a_level_are_counted() -> None:
    rows = [("cook", "Linz"), ("clerk", "Linz"), ("cook", "Graz"), ("clerk", "Graz")] * 60 + [("nurse", "Linz")] * 2
    jobs = {"Any": [{"Service": ["cook", "clerk"]}, {"Care": ["nurse", "judge"]}]}
    columns = {
        "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": jobs}},
        "town": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"Any": ["Linz", "Graz"]}}},
    }
    policy = {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 5}], "algorithm": {"id": "optimal"}}
    advice = sfumato.anonymize(sfumato.from_rows(["job", "town"], rows), policy).advice
    assert [(one.attribute, one.records, one.groups) for one in advice.forced] == [("job", 2, 1)]
    said = " ".join(advice.sentences())
    assert "2 records in 1 group force all of job to level 2 of 2" in said
    assert "nurse" not in said
    assert "zwingen die ganze Spalte job" in " ".join(worded(text, "de") for text in advice.sentences())


def test_larger_tables_are_sampled_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_EXACT", 60)
    advice = changed().advice
    assert advice.sampled == 60
    assert any("60 records drawn from the table" in text for text in advice.sentences())


def test_larger_tables_are_tried_only_if_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.contracts.published._QUICKLY_ADVISED", len(ROWS) - 1)
    release = sfumato.anonymize(table(), POLICY)
    (said,) = [sentence for sentence in release.advised() if sentence not in release.little_left]
    assert "--thorough" in said
    asked = release.advised(thorough=True)
    assert said not in asked
    assert release.advised() == asked, "whoever asked once is answered at once"


def test_when_the_time_is_over_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.0)
    advice = changed().advice
    assert not advice.complete
    assert advice.cost is not None
    assert advice.sentences()[-1] == "The time was over before every change was tried"


def test_little_that_is_left_is_amber_and_advice_stays_inside(tmp_path: Path) -> None:
    rows = [(f"job{i}", f"town{i}", "ny"[i % 2]) for i in range(20)]
    columns = {"job": {"role": "quasi-identifier"}, "town": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
    policy = {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 5}]}
    release = sfumato.anonymize(sfumato.from_rows(["job", "town", "ill"], rows), policy)
    assert release.verdict
    assert "2 of 2 protected columns show one value only" in release.little_left[0]
    out = sfumato.publish(release, tmp_path / "out")
    inside, outside = ((out / part / "report.html").read_text(encoding="utf-8") for part in ("private", "public"))
    assert 'class="verdict warn"' in inside
    assert 'class="verdict warn"' in outside
    assert "What to change next" in inside
    assert "What to change next" not in outside
    assert json.loads((out / "private" / "run.json").read_bytes())["advice"] == release.advice.sentences()
    again = sfumato.report(out, language="de").read_text(encoding="utf-8")
    assert "Was als Nächstes zu ändern ist" in again
    assert re.search(r"job kostet am meisten|town kostet am meisten", again)


def test_few_records_are_little_and_a_useful_release_is_not() -> None:
    assert changed().little_left == ()
    rows = [*ROWS, *[(30, "cook", None, "flu")] * 200]
    release = sfumato.anonymize(sfumato.from_rows(["age", "job", "town", "ill"], rows), POLICY)
    assert "Little is left: only" in release.little_left[0]
    assert release.advice.sentences()[0] == release.little_left[0]


def test_a_population_may_bring_values_that_the_table_lacks() -> None:
    columns = {
        "number": {
            "role": "quasi-identifier",
            "hierarchy": {"id": "intervals", "lower": 0, "width": 10, "fan_out": [2, 3]},
        },
        "ill": {"role": "sensitive"},
    }
    policy = {
        "columns": columns,
        "requirements": [{"id": "delta-presence", "delta_min": 0.0, "delta_max": 0.7}],
        "algorithm": "spalm",
    }
    table = sfumato.from_rows(["number", "ill"], [(at, "cold") for at in (7, 7, 33, 53, 50, 4)])
    everybody = sfumato.from_rows(["number"], [(at,) for at in (4, 7, 20, 22, 33, 50, 53) for _ in range(4)])
    release = sfumato.anonymize(table, policy, external=everybody)
    assert release.advice.cost is not None
