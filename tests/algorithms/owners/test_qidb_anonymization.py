"""QIDB anonymization: equal to a naive twin on random tables, its guarantees, its boundaries, its bad inputs, its files."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_qidb import NaiveTable
from sfumato.algorithms.owners import _qidb as qidb
from sfumato.algorithms.owners.qidb_anonymization import QidbAnonymization
from sfumato.data.tree import Tree
from sfumato.errors import Infeasible, SfumatoError
from sfumato.tables.prepare import prepare

# ---- the table of the examples -------------------------------------------------------------------------------------------

ROWS = [
    ("48677", 26, "Gastric ulcer", None),
    ("48602", 28, "Stomach cancer", 0),
    ("48678", 32, "Flu", None),
    ("48685", 36, "Flu", None),
    ("48905", 42, "Flu", None),
    ("48906", 46, "Flu", None),
    ("48909", 43, "Flu", None),
    ("48673", 48, "Heart Disease", 1),
    ("48607", 55, "Heart Disease", 0),
    ("48655", 58, "Stomach cancer", 1),
]
WEIGHTS = {"Gastric ulcer": 0, "Stomach cancer": 1, "Flu": 0, "Heart Disease": 1}


def table(rows: Any = ROWS, *more: str) -> Any:
    return sfumato.from_rows(["zip", "age", "disease", "answer", *more], rows)


def policy(requirement: dict[str, Any] | None = None, **algorithm: Any) -> dict[str, Any]:
    return {
        "columns": {
            "zip": {"role": "quasi-identifier", "hierarchy": {"id": "redaction", "length": 5}},
            "age": {
                "role": "quasi-identifier",
                "hierarchy": {"id": "intervals", "lower": 20, "width": 10, "fan_out": [2, 2]},
            },
            "disease": {"role": "sensitive"},
            "answer": {"role": "private"},
        },
        "requirements": [{"id": "personal-frequency", "sensitive": "disease", "th_acct": "0.1", **(requirement or {})}],
        "algorithm": {"id": "qidb-anonymization", "weights": WEIGHTS, "flags": "answer", **algorithm},
        "limits": {"suppress_at_most": 1.0},
        "seed": 3,
    }


def searched(source: Any, asked: dict[str, Any]) -> qidb.QidbResult:
    """Return the result of the search alone, published or not."""
    plan = sfumato.Policy.of(asked)
    algorithm = plan.search()
    assert isinstance(algorithm, QidbAnonymization)
    return algorithm.prepare(prepare(source, plan).task()).run()


# ---- a naive twin --------------------------------------------------------------------------------------------------------


def tree(rng: Random, depth: int, label: str) -> Any:
    return label if depth == 0 else {label: [tree(rng, depth - 1, label + sign) for sign in "abc"[: rng.randint(1, 3)]]}


def drawn(rng: Random, records: int = 30, attributes: int | None = None) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a table, a policy and what the twin finds."""
    trees = [tree(rng, rng.randint(1, 3), f"{i}") for i in range(attributes or rng.randint(1, 3))]
    made = [Tree.from_nested(nested) for nested in trees]
    n = rng.randint(1, records)
    values = "UVWXY"[: rng.randint(1, 5)]
    rows = [tuple(rng.choice(one.leaves) for one in made) for _ in range(n)]
    sensitive = rng.choices(values, [rng.randint(1, 9) for _ in values], k=n)
    order = rng.sample(values, len(values))
    weights = {value: rng.randint(0, 1) for value in order}
    answers = [rng.choice([0, 1, 1, None]) for _ in range(n)]
    answers[0] = 1
    options: dict[str, Any] = {
        "th_n": rng.choice([1, 1, 1, 5]),
        "th_suppr": rng.choice([0, 0, 1, 2]),
        "th_disc": rng.choice(["0.05", "0.2", "0.5", "1", "1/3"]),
        "suppress_scope": rng.choice(["block", "protected"]),
        "dis_source": rng.choice(["counterfeit", "counterfeit", "donor"]),
        "on_unresolved": rng.choice(["refuse", "suppress"]),
    }
    top = [one.height for one in made]
    if rng.random() < 0.7:
        options["th_iter"] = rng.randint(1, sum(top) + 2)
    chain: list[list[int]] | None = None
    if rng.random() < 0.3:
        chain = [[0] * len(top)]
        for _ in range(rng.randint(0, 5)):
            chain.append([min(level + rng.randint(0, 1), most) for level, most in zip(chain[-1], top, strict=True)])
        options |= {"schedule": "chain", "chain": chain}
    model = {
        "id": rng.choice(["personal-frequency", "personal-frequency", "personal-frequency-present"]),
        "sensitive": "S",
        "th_acct": rng.choice(["0", "0.05", "0.1", "0.2", "0.25", "1/3", "0.33333333333333333"]),
        "min_block_size": rng.choice([1, 1, 2, 5]),
    }
    names = [f"Q{i}" for i in range(len(trees))]
    quasi = {
        name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": nested}}
        for name, nested in zip(names, trees, strict=True)
    }
    asked = {
        "columns": {
            **quasi,
            "S": {"role": "sensitive"},
            "A": {"role": "private"},
            "P": {"role": "plain", "publish_anyway": "invented"},
        },
        "requirements": [model],
        "algorithm": {"id": "qidb-anonymization", "weights": weights, "flags": "A", **options},
        "limits": {"suppress_at_most": 1.0},
        "seed": 3,
    }
    source = sfumato.from_rows(
        [*names, "S", "A", "P"],
        [(*row, value, answer, i) for i, (row, value, answer) in enumerate(zip(rows, sensitive, answers, strict=True))],
    )
    paths = [dict(zip(one.leaves, one.to_levels(), strict=True)) for one in made]
    said = {
        **{key: value for key, value in options.items() if key != "schedule"},
        "th_disc": Fraction(options["th_disc"]),
        "th_acct": Fraction(str(model["th_acct"])),
        "scope": "present" if "present" in str(model["id"]) else "all",
        "min_block_size": model["min_block_size"],
        "chain": chain,
    }
    said.setdefault("th_iter", len(chain) if chain else sum(top) + 1)
    return source, asked, NaiveTable(rows, paths, sensitive, weights, answers, order, said).run()


@settings(max_examples=120, deadline=None)
@given(rng=st.randoms(use_true_random=False))
def test_equals_the_naive_twin(rng: Random) -> None:
    source, asked, wanted = drawn(rng)
    result = searched(source, asked)
    assert result.status == wanted["status"]
    assert [block.told() for block in result.blocks] == wanted["blocks"]
    assert result.suppressed.tolist() == wanted["suppressed"]
    assert result.pending.tolist() == wanted["pending"]


def test_equals_the_naive_twin_where_keys_need_more_than_a_word() -> None:
    rng = Random(5)
    for _ in range(3):
        values = [[f"{i}-{j:02}" for j in range(20)] for i in range(16)]
        rows = [tuple(rng.choice(own[:3]) for own in values) for _ in range(60)]
        rows = [row if rng.random() < 0.5 else rows[0] for row in rows]
        sensitive = [rng.choice("UVW") for _ in rows]
        names = [f"Q{i}" for i in range(16)]
        seen = [sorted({row[i] for row in rows}) for i in range(16)]
        quasi = {
            name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"*": own}}}
            for name, own in zip(names, seen, strict=True)
        }
        chain = [[0] * 16, [1] * 8 + [0] * 8, [1] * 15 + [0], [1] * 16]
        asked = {
            "columns": {**quasi, "S": {"role": "sensitive"}},
            "requirements": [{"id": "personal-frequency", "sensitive": "S", "th_acct": "0.15"}],
            "algorithm": {
                "id": "qidb-anonymization",
                "weights": {"U": 1, "V": 0, "W": 0},
                "schedule": "chain",
                "chain": chain,
            },
        }
        # The lattice packs what occurs; a dictionary of twenty values each needs five bits, eighty in all.
        spread = [tuple(own[j] for own in values) for j in range(20)]
        quasi_full = {name: {"*": own} for name, own in zip(names, values, strict=True)}
        for name in names:
            asked["columns"][name]["hierarchy"]["tree"] = quasi_full[name]  # type: ignore[index]
        every = [*rows, *spread]
        held = [*sensitive, *("V" for _ in spread)]
        source = sfumato.from_rows([*names, "S"], [(*row, value) for row, value in zip(every, held, strict=True)])
        plan = sfumato.Policy.of(asked)
        algorithm = plan.search()
        assert isinstance(algorithm, QidbAnonymization)
        search = algorithm.prepare(prepare(source, plan).task())
        assert search.lattice.words > 1
        paths = [{leaf: (leaf, "*") for leaf in own} for own in values]
        options = {"th_acct": Fraction(3, 20), "chain": chain, "th_iter": 4}
        twin = NaiveTable(every, paths, held, {"U": 1, "V": 0, "W": 0}, [None] * len(every), "UVW", options).run()
        assert [block.told() for block in search.run().blocks] == twin["blocks"]


def test_little_memory_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(11)
    for _ in range(25):
        source, asked, wanted = drawn(rng, 60, 2)
        monkeypatch.setattr(qidb, "_ROOM", 1)
        monkeypatch.setattr(qidb, "_LISTED", 1)
        result = searched(source, asked)
        assert [block.told() for block in result.blocks] == wanted["blocks"]
        assert (result.suppressed.tolist(), result.pending.tolist()) == (wanted["suppressed"], wanted["pending"])


# ---- guarantees ----------------------------------------------------------------------------------------------------------


def linked(release: Any) -> list[tuple[Any, Any, str]]:
    """Return for each published row the values before, those that are published, and whose it is."""
    width = len(release.table.columns)
    links = [] if release.private.links is None else release.private.links.to_rows()
    rows = [row for row in links for _ in range(row[-1])]
    told = [(row[:width], row[width : 2 * width], row[-2]) for row in rows]
    # What is not told of is published as it is.
    rest = Counter(release.table.to_rows()) - Counter(row for _, row, _ in told)
    return [*told, *((row, row, "as it is") for row in rest.elements())]


@settings(max_examples=40, deadline=None)
@given(rng=st.randoms(use_true_random=False))
def test_guarantees_of_a_release(rng: Random) -> None:
    source, asked, wanted = drawn(rng)
    records = source.to_rows()
    try:
        release = sfumato.anonymize(source, asked)
    except Infeasible:
        assert wanted["status"] != "published" or len(wanted["suppressed"]) == len(records)
        return
    names, facts = list(source.columns), release.private.facts
    at = [names.index(name) for name in release.table.columns]
    shown, links = release.table.to_rows(), linked(release)
    assert set(release.table.columns) == {*names} - {"A"}
    assert Counter(row for _, row, _ in links) == Counter(shown)
    # Every real record is published at most once, and all that are not are left out.
    kept = [tuple(record[i] for i in at) for record in records]
    gone = [kept[record] for record in facts["suppressed"]]
    assert Counter([*(raw for raw, _, owner in links if owner != "nobody"), *gone]) == Counter(kept)
    assert Counter(row for _, row, owner in links if owner == "nobody") == Counter(
        shown[row] for row in facts["added_rows"]
    )
    # Rows outside blocks are as they were; sensitive values always are.
    blocked = {record for block in facts["blocks"] for record in block["members"]}
    assert all(row[-2:] == raw[-2:] for raw, row, owner in links if owner != "nobody")
    free = Counter(raw for record, raw in enumerate(kept) if record not in {*blocked, *facts["suppressed"]})
    assert free <= Counter(raw for raw, row, _ in links if raw == row)
    # Every protected record is in a group with the frequencies of the table, or left out.
    weights, th = asked["algorithm"]["weights"], Fraction(str(asked["requirements"][0]["th_acct"]))
    groups: dict[Any, Counter[str]] = {}
    for row in shown:
        groups.setdefault(row[:-2], Counter())[row[-2]] += 1
    whole = Counter(record[-3] for record in records)
    asking = Counter(kept[at] for at, row in enumerate(records) if weights[row[-3]] == 1 and row[-2] in (0, None))
    assert asking - Counter(gone) <= Counter(raw for raw, _, owner in links if owner == "protected") <= asking
    for _, row, owner in links:
        if owner == "protected":
            group = groups[row[:-2]]
            present = asked["requirements"][0]["id"].endswith("present")
            for value in group if present else whole:
                assert abs(Fraction(group[value], group.total()) - Fraction(whole[value], len(records))) <= th
    assert shown == sorted(shown, key=lambda row: row)
    told = facts["owners"]
    protected = told["by_generalization"] + told["by_added_rows"] + told["by_withholding"]
    assert protected == told["protected"] == len(facts["protected"])
    assert told["others_as_they_are"] + told["others_in_blocks"] + told["others_left_out"] == told["others"]


@settings(max_examples=40, deadline=None)
@given(rng=st.randoms(use_true_random=False))
def test_one_protected_owner_is_always_published(rng: Random) -> None:
    source, asked, _ = drawn(rng, 25)
    rows = source.to_rows()
    names = list(source.columns)
    rows = [(*row[:-2], 1, row[-1]) for row in rows]
    first = next((i for i, row in enumerate(rows) if asked["algorithm"]["weights"][row[-3]] == 1), None)
    assume(first is not None)
    assert first is not None
    rows[first] = (*rows[first][:-2], 0, rows[first][-1])
    source = sfumato.from_rows(names, rows)
    heights = []
    for th in ("0", "0.05", "0.1", "0.3", "1"):
        model = {"id": "personal-frequency", "sensitive": "S", "th_acct": th}
        chosen = {key: asked["algorithm"][key] for key in ("id", "weights", "flags")}
        result = searched(source, {**asked, "requirements": [model], "algorithm": chosen})
        assert result.status == "published"
        (block,) = result.blocks
        assert (len(result.suppressed), block.added) == (0, ())
        heights.append(sum(block.node))
    assert heights == sorted(heights, reverse=True)


def test_renaming_values_changes_no_block() -> None:
    other = {"Gastric ulcer": "A", "Stomach cancer": "Z", "Flu": "M", "Heart Disease": "B"}
    rows = [(*row[:2], other[row[2]], row[3]) for row in ROWS]
    asked = policy(th_disc="0.5", th_iter=5)
    one = searched(table(), asked)
    asked["algorithm"]["weights"] = {other[value]: weight for value, weight in WEIGHTS.items()}
    two = searched(table(rows), asked)
    assert [block.members.tolist() for block in one.blocks] == [block.members.tolist() for block in two.blocks]
    assert [[other[str(v)] for v in block.added] for block in one.blocks] == [list(block.added) for block in two.blocks]


# ---- boundaries and ends -------------------------------------------------------------------------------------------------


def test_the_number_of_records_at_its_boundary() -> None:
    assert searched(table(), policy(th_n=10)).status == "published"
    assert searched(table(), policy(th_n=11)).status == "too-few-records"
    with pytest.raises(Infeasible, match="10 records, th_n asks for 11") as error:
        sfumato.anonymize(table(), policy(th_n=11))
    assert (error.value.measured, error.value.bound) == (10, 11)


def test_thresholds_at_their_boundary() -> None:
    for th_disc, status in (("0.3", "published"), ("0.29999999999999999", "not-published")):
        assert searched(table(), policy(th_iter=5, th_disc=th_disc)).status == status
    for th_suppr, withheld in ((0, 0), (1, 2), (2, 2)):
        result = searched(table(), policy(th_iter=5, th_disc="0.5", th_suppr=th_suppr))
        assert len(result.withheld) == withheld
    # The first block needs deviations of a tenth; with less it takes one more row.
    sizes = []
    for th_acct in ("0.1", "0.09999999999999999999"):
        result = searched(table(), policy({"th_acct": th_acct}, th_iter=5, th_disc="0.5"))
        sizes.append(len(result.blocks[0].members) + len(result.blocks[0].added))
    assert sizes == [5, 6]


def test_the_number_of_rounds_at_its_boundary() -> None:
    """With as many rounds as the lattice is high the top is not reached, with one more it is: then all is one block."""
    asked = policy({"th_acct": "0"})
    height = sum(searched(table(), asked).blocks[0].node)
    last = searched(table(), policy({"th_acct": "0"}, th_iter=height, th_disc="1"))
    assert {block.resolved_by for block in last.blocks} == {"dis"}
    top = searched(table(), policy({"th_acct": "0"}, th_iter=height + 1))
    assert [(block.resolved_by, len(block.members)) for block in top.blocks] == [("cf", 10)]


def test_nobody_asked() -> None:
    release = sfumato.anonymize(table(), policy(flags=1))
    assert any("published as it is" in text for text in release.warnings)
    assert release.table.to_rows() == sorted(row[:3] for row in ROWS)
    assert release.table.types["age"] == "integer"
    assert release.private.facts["status"] == "published"
    assert release.private.facts["deviation"] is None
    assert release.certificate["guarantee"] == {"general_groups": 0}
    assert release.certificate["columns"][0]["operation"] == "none"


def test_warnings() -> None:
    release = sfumato.anonymize(table(), policy(th_disc="0.1"))
    assert any("not above th_acct" in text for text in release.warnings)
    rows = [(*row[:3], 0 if row[2] == "Flu" else row[3]) for row in ROWS]
    release = sfumato.anonymize(table(rows), policy())
    assert any("5 owners asked for protection of a value with weight 0" in text for text in release.warnings)
    release = sfumato.anonymize(table(), policy(flags=None))
    assert any("4 owners of a value with weight 1 gave no answer" in text for text in release.warnings)


def test_what_may_be_left_out_is_a_limit() -> None:
    asked = policy(th_iter=5, th_disc="0.5", th_suppr=1, schedule="chain", chain="alternate")
    left_out = len(sfumato.anonymize(table(), asked).private.facts["suppressed"])
    assert left_out > 0
    asked["limits"] = {"suppress_at_most": left_out / 10 - 0.01}
    with pytest.raises(Infeasible, match="suppress_at_most") as error:
        sfumato.anonymize(table(), asked)
    assert error.value.measured == left_out
    release = sfumato.anonymize(table(), {**asked, "limits": {"suppress_at_most": left_out / 10}})
    assert release.counts["records_suppressed"] == left_out
    assert release.table.rows == 10 - left_out + release.private.facts["rows_added"]


def test_unresolved_owners_may_be_left_out() -> None:
    asked = policy(th_iter=5, th_disc="0.2")
    with pytest.raises(Infeasible, match="1 of 2 owners who asked"):
        sfumato.anonymize(table(), asked)
    release = sfumato.anonymize(table(), policy(th_iter=5, th_disc="0.2", on_unresolved="suppress"))
    assert release.private.facts["suppressed"] == [8]
    assert release.private.facts["owners"]["by_withholding"] == 1


def test_leaving_everything_out_is_no_release() -> None:
    rows = [row for row in ROWS if row[3] == 0]
    with pytest.raises(Infeasible, match="every record"):
        sfumato.anonymize(table(rows), policy(th_iter=1, th_disc="0.1", on_unresolved="suppress"))


def test_only_protected_records_of_a_block_may_be_left_out() -> None:
    chosen = {"th_iter": 5, "th_disc": "0.5", "th_suppr": 1, "schedule": "chain"}
    whole = sfumato.anonymize(table(), policy(**chosen)).private.facts
    single = sfumato.anonymize(table(), policy(**chosen, suppress_scope="protected")).private.facts
    assert whole["suppressed"] == [0, 1, 2, 3]
    assert single["suppressed"] == [1]
    assert single["owners"]["others_as_they_are"] == whole["owners"]["others_as_they_are"] + 3


def test_donors_keep_the_number_of_records() -> None:
    asked = policy(th_iter=5, th_disc="0.5", dis_source="donor")
    release = sfumato.anonymize(table(), asked)
    facts = release.private.facts
    assert [block["donors"] for block in facts["blocks"]] == [[7], [4, 5]]
    assert release.table.rows == 10
    assert Counter(row[2] for row in release.table.to_rows()) == Counter(row[2] for row in ROWS)
    assert release.certificate["release"]["parameters"]["moved"] == 3
    assert any("not theirs" in text for text in release.warnings)
    assert any(
        "3 of the rows show quasi-identifiers" in text for text in release.certificate["statement"]["not_checkable"]
    )


def test_a_least_size_of_blocks() -> None:
    rows = [("48677", 26, "Flu", 1)] * 9 + [("48905", 42, "Flu", 0)]
    asked = policy(weights={"Flu": 1})
    lonely = sfumato.anonymize(table(rows), asked)
    assert any("one row only" in text for text in lonely.warnings)
    asked = policy({"min_block_size": 3}, weights={"Flu": 1})
    release = sfumato.anonymize(table(rows), asked)
    assert release.certificate["guarantee"]["smallest_general_group"] == 10


# ---- other columns, engines, files ---------------------------------------------------------------------------------------


def test_added_rows_in_other_columns() -> None:
    rows = [(*row, float(i), date(2020, 1, 1 + i % 3), i % 2 == 0) for i, row in enumerate(ROWS)]
    asked = policy(th_iter=5, th_disc="0.5")
    for name in ("score", "day", "smoker"):
        asked["columns"][name] = {"role": "plain", "publish_anyway": "invented"}
    source = table(rows, "score", "day", "smoker")
    sampled = sfumato.anonymize(source, asked)
    facts, shown = sampled.private.facts, sampled.table.to_rows()
    by_value = {tuple(block["value"]): block["members"] for block in facts["blocks"]}
    for row in facts["added_rows"]:
        members = by_value[shown[row][:2]]
        assert shown[row][3:] in {rows[member][4:] for member in members}
    assert [str(sampled.table.types[name]) for name in ("score", "day", "smoker")] == ["number", "date", "boolean"]
    again = sfumato.anonymize(source, asked)
    assert again.table.to_rows() == shown
    asked["algorithm"]["other_columns"] = "missing"
    bare = sfumato.anonymize(source, asked)
    for row in bare.private.facts["added_rows"]:
        assert bare.table.to_rows()[row][3:] == (None, None, None)
    assert any("gives them away" in text for text in bare.warnings)


def test_rows_may_be_shuffled() -> None:
    plain = sfumato.anonymize(table(), policy(th_iter=5, th_disc="0.5"))
    mixed = sfumato.anonymize(table(), policy(th_iter=5, th_disc="0.5", shuffle=True))
    assert mixed.table.to_rows() != plain.table.to_rows()
    assert sorted(mixed.table.to_rows()) == plain.table.to_rows()
    for release in (plain, mixed):
        assert Counter(row for _, row, _ in linked(release)) == Counter(release.table.to_rows())
        assert all(owner == "nobody" or row[2] == raw[2] for raw, row, owner in linked(release))


def test_duckdb_gives_the_same() -> None:
    asked = policy(th_iter=5, th_disc="0.5")
    wanted = sfumato.anonymize(table(), asked)
    found = sfumato.anonymize(table().to_native(), {**asked, "engine": "duckdb"})
    assert found.table.engine == "duckdb"
    assert found.table.to_rows() == wanted.table.to_rows()
    assert found.private.facts["blocks"] == wanted.private.facts["blocks"]


def test_measures_agree_with_measuring_the_release() -> None:
    release = sfumato.anonymize(table(), policy(th_iter=5, th_disc="0.5"))
    facts = release.private.facts
    again = sfumato.measure(table(), release, list(release.measured), added=facts["added_rows"])
    assert {name: one.value for name, one in again.items()} == {
        name: one.value for name, one in release.measured.items()
    }
    assert release.measured["discernibility"].value == 32


def test_publish_verify_and_report(tmp_path: Path) -> None:
    release = sfumato.anonymize(table(), policy(th_iter=5, th_disc="0.5"))
    out = sfumato.publish(release, tmp_path / "out")
    verified = sfumato.verify(out)
    assert verified.verdict.satisfied
    public = "".join(path.read_text(encoding="utf-8") for path in (out / "public").iterdir())
    for secret in ("answer", "SDF", "counterfeit", "weights"):
        assert secret not in public
    certificate = json.loads((out / "public" / "certificate.json").read_text(encoding="utf-8"))
    assert certificate["release"]["truthful"] is False
    assert certificate["release"]["parameters"]["added"] == 3
    assert {entry["metric"] for entry in certificate["metrics"]} >= {"loss", "discernibility"}
    page = (out / "private" / "report.html").read_text(encoding="utf-8")
    for words in (
        "Owners who asked for protection",
        "Protected by added rows",
        "Detail lost by the others",
        "true of nobody",
    ):
        assert words in page
    links = sfumato.read(out / "private" / "links.csv").select(["owner", "records"]).to_rows()
    assert sum(records for owner, records in links if owner == "nobody") == 3


def test_a_certificate_that_promises_too_much_is_refused(tmp_path: Path) -> None:
    """A stranger finds out if the groups with general values are further from the table than stated rows can explain."""
    release = sfumato.anonymize(table(), policy(th_iter=5, th_disc="0.5"))
    kind = sfumato.catalogue.build(
        {"id": "personal-table", **release.certificate["release"]["parameters"], "added": 0}, "release"
    )
    model = sfumato.Policy.of(policy()).models()[0]
    (verdict,) = kind.verify(release.tables, [model], ["zip", "age"])
    assert not verdict.satisfied
    (honest,) = release.verdict.verdicts
    assert honest.satisfied
    assert honest.strongest == verdict.strongest


def test_private_columns_stay_with_every_verb() -> None:
    asked = {**policy(), "requirements": [{"id": "k-anonymity", "k": 2}], "algorithm": {"id": "tdr"}, "limits": {}}
    release = sfumato.anonymize(table(), asked)
    assert "answer" not in release.table.columns
    assert release.certificate["dropped_columns"] == 1
    with pytest.raises(SfumatoError):
        sfumato.anonymize(
            table(), {**asked, "requirements": [{"id": "l-diversity-distinct", "l": 2, "sensitive": "answer"}]}
        )


def test_larger_tables_run_in_one_go() -> None:
    rng = np.random.default_rng(2)
    rows = [
        (f"486{a:02}", int(b), "Flu" if c < 8 else "Stomach cancer", int(d > 0))
        for a, b, c, d in zip(
            rng.integers(0, 99, 3000),
            rng.integers(20, 60, 3000),
            rng.integers(0, 10, 3000),
            rng.integers(0, 10, 3000),
            strict=True,
        )
    ]
    release = sfumato.anonymize(table(rows), policy())
    assert release.private.facts["owners"]["protected"] == sum(row[2] != "Flu" and row[3] == 0 for row in rows)
    assert release.private.facts["deviation"] <= 0.1


def test_the_certificate_speaks_of_all_who_asked_also_of_those_published_as_they_were(tmp_path: Path) -> None:
    """Half of those who asked share exact values with records that look like the table: nothing is generalized for them."""
    rows = [("10", "Flu", 1), ("10", "Cancer", 0), ("10", "Flu", 1), ("10", "Cancer", 0)]
    rows += [("20", "Flu", 1), ("20", "Flu", 1), ("21", "Cancer", 0), ("20", "Flu", 1), ("21", "Cancer", 1)]
    tree = {"**": [{"1*": ["10"]}, {"2*": ["20", "21"]}]}
    asked = {
        "columns": {
            "Zip": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}},
            "Disease": {"role": "sensitive"},
            "Answer": {"role": "private"},
        },
        "requirements": [{"id": "personal-frequency", "sensitive": "Disease", "th_acct": "0.1"}],
        "algorithm": {"id": "qidb-anonymization", "weights": {"Cancer": 1, "Flu": 0}, "flags": "Answer"},
    }
    release = sfumato.anonymize(sfumato.from_rows(["Zip", "Disease", "Answer"], rows), asked)
    assert ("10", "Cancer") in release.table.to_rows()
    (entry,) = release.certificate.requirements
    general, everybody = abs(2 / 5 - 4 / 9), abs(2 / 4 - 4 / 9)
    assert entry.measured == pytest.approx(general)
    assert release.certificate.release.parameters["deviation"] == pytest.approx(everybody)
    assert release.certificate.statement is not None
    said = " ".join(release.certificate.statement.not_checkable)
    assert f"of all who asked shares differ from those of the table by {everybody:.6g} at most" in said
    assert "published as they were" in said
    assert "is in such a group or left out" not in said
    assert sfumato.verify(sfumato.publish(release, tmp_path / "out"))
