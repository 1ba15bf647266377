"""Pseudonyms that a policy names: consistent across tables, certified as what they are, never a part of any group."""

from __future__ import annotations

import hmac
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import sfumato
from sfumato.algorithms.stepwise.tdr import TDR
from sfumato.contracts.algorithm import Outcome, Task
from sfumato.publishing.certificate import seal
from sfumato.publishing.dictionary import schema_types
from sfumato.recodings import Pseudonymization, RecordSuppression
from sfumato.reports.text import print_release
from sfumato.tables.policy import KEY_VARIABLE, Policy
from sfumato.tables.pseudonyms import STATEMENT

KEY = "kept in the safe: 7Qx2-91bL"
OTHER = "another key in it: m4Zr-88tk"
COLUMNS = ["patient", "insurer_no", "name", "age", "job", "disease"]
ROWS = [
    (
        f"Patient-{i % 45:03d}",
        70_000_000 + i * 37,
        f"Surname{i}",
        20 + (i * 7) % 40,
        ("cook", "nurse", "clerk")[i % 3],
        ("flu", "hiv", "cold", "asthma")[i % 4],
    )
    for i in range(60)
]
RAW = sorted({row[0] for row in ROWS} | {str(row[1]) for row in ROWS} | {row[2] for row in ROWS})


def policy(pseudonym: Any = True, *, k: int = 4, engine: str = "polars", **more: Any) -> dict[str, Any]:
    return {
        "columns": {
            "patient": {"role": "identifier", "pseudonym": pseudonym},
            "insurer_no": {"role": "identifier", "pseudonym": {"namespace": "insurers", "length": 12}},
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "range": [0, 100]},
            "job": {
                "role": "quasi-identifier",
                "hierarchy": {"id": "taxonomy", "tree": {"Any": ["cook", "nurse", "clerk"]}},
            },
            "disease": {"role": "sensitive"},
        },
        "requirements": [{"id": "k-anonymity", "k": k}],
        "engine": engine,
        **more,
    }


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the key where a policy without further words looks for it."""
    monkeypatch.setenv(KEY_VARIABLE, KEY)


@pytest.fixture
def table() -> sfumato.Table:
    return sfumato.from_rows(COLUMNS, ROWS)


@pytest.fixture
def source(table: sfumato.Table, tmp_path: Path) -> str:
    table.write(tmp_path / "raw.csv")
    return str(tmp_path / "raw.csv")


def column(table: sfumato.Table, name: str) -> list[Any]:
    return [value for (value,) in table.select([name]).to_rows()]


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# ---- what is published ---------------------------------------------------------------------------------------------------


def test_pseudonyms_are_published_and_other_identifiers_are_not(table: sfumato.Table) -> None:
    release = sfumato.anonymize(table, policy())
    assert list(release.public.columns) == ["patient", "insurer_no", "age", "job", "disease"]
    wanted = Pseudonymization(columns=("patient",), key_variable=KEY_VARIABLE).apply(table)
    assert sorted(column(release.table, "patient")) == sorted(column(wanted, "patient"))
    assert {len(name) for name in column(release.table, "insurer_no")} == {12}
    assert not {*column(release.table, "patient"), *column(release.table, "insurer_no")} & set(RAW)


def test_everything_else_is_as_without_pseudonyms(table: sfumato.Table) -> None:
    """The search neither sees nor groups by a pseudonym: the masked part is the very same."""
    asked = policy()
    plain = {
        **asked,
        "columns": {n: {k: v for k, v in e.items() if k != "pseudonym"} for n, e in asked["columns"].items()},
    }
    one, other = sfumato.anonymize(table, asked), sfumato.anonymize(table, plain)
    assert one.recodings == other.recodings
    assert {n: m.value for n, m in one.measured.items()} == {n: m.value for n, m in other.measured.items()}
    assert one.counts == other.counts
    rest = ["age", "job", "disease"]
    assert one.table.select(rest).sort().to_rows() == other.table.to_rows()
    assert one.certificate["dropped_columns"] == 1
    assert other.certificate["dropped_columns"] == 3


def test_a_search_is_not_shown_pseudonyms(table: sfumato.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    honest = TDR.run

    def run(self: Any, task: Any, rng: Any) -> Any:
        seen.append(task)
        return honest(self, task, rng)

    monkeypatch.setattr(TDR, "run", run)
    sfumato.anonymize(table, policy())
    (task,) = seen
    assert task.raw.columns == ("age", "job", "disease")
    assert task.qids == ("age", "job")
    assert set(task.table.dictionaries) == {"age", "job"}


def test_each_record_keeps_its_own_pseudonym(table: sfumato.Table) -> None:
    release = sfumato.anonymize(table, {**policy(), "output": {"row_order": "keep"}})
    wanted = Pseudonymization(columns=("patient",), key_variable=KEY_VARIABLE).apply(table)
    assert column(release.table, "patient") == column(wanted, "patient")
    assert column(release.table, "disease") == column(table, "disease")


@pytest.mark.parametrize("whole_records", [False, True])
def test_records_that_are_left_out_take_their_pseudonyms_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole_records: bool
) -> None:
    """Both ways to leave records out: groups of an outcome with recodings, and a recoding of whole records."""

    def run(self: TDR, task: Task, rng: Any) -> Outcome:
        if whole_records:
            return Outcome(operation=RecordSuppression(qid=task.qids, k=2))
        return honest(self, task, rng)

    honest = TDR.run
    monkeypatch.setattr(TDR, "run", run)
    asked = {**policy(k=2), "limits": {"suppress_at_most": 0.9}, "output": {"row_order": "keep"}}
    table = sfumato.from_rows(COLUMNS, [(*row[:3], 30 if i % 10 else 31 + i, *row[4:]) for i, row in enumerate(ROWS)])
    release = sfumato.anonymize(table, asked)
    assert 0 < release.counts["records_suppressed"] < 60
    by_name = dict(
        zip(
            column(Pseudonymization(columns=("patient",), key_variable=KEY_VARIABLE).apply(table), "patient"),
            column(table, "patient"),
            strict=True,
        )
    )
    diseases = {(row[0], row[5]) for row in ROWS}
    pairs = release.table.select(["patient", "disease"]).to_rows()
    assert {(by_name[name], disease) for name, disease in pairs} <= diseases
    out = sfumato.publish(release, tmp_path / "out")
    assert [verdict.qid for verdict in sfumato.verify(out).verdict] == [("age", "job")]


def test_groups_are_counted_on_the_quasi_identifiers_only(table: sfumato.Table) -> None:
    """Pseudonyms are nearly unique; counted as a quasi-identifier they would leave groups of one."""
    release = sfumato.anonymize(table, policy(k=4))
    (verdict,) = release.verdict
    assert verdict.qid == ("age", "job")
    assert verdict.strongest == release.table.groups(["age", "job"]).sizes.min() >= 4
    assert release.table.groups(["patient", "age", "job"]).sizes.min() == 1
    assert [entry["quasi_identifier"] for entry in release.certificate["requirements"]] == [["age", "job"]]


# ---- linking tables ------------------------------------------------------------------------------------------------------


def test_two_tables_are_linked_under_one_key_and_not_under_another(
    table: sfumato.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    visits = sfumato.from_rows(
        ["person", "age", "cost"], [(f"Patient-{i:03d}", 30 + i % 5, 100 * i) for i in range(30, 60)]
    )
    asked = {
        "columns": {
            "person": {"role": "identifier", "pseudonym": True},
            "age": {"role": "quasi-identifier"},
            "cost": {"role": "plain", "publish_anyway": "invented"},
        },
        "requirements": [{"id": "k-anonymity", "k": 3}],
    }
    first = sfumato.anonymize(table, policy())
    second = sfumato.anonymize(visits, asked)
    shared = {row[0] for row in ROWS} & set(column(visits, "person"))
    assert len(set(column(first.table, "patient")) & set(column(second.table, "person"))) == len(shared) == 15
    monkeypatch.setenv(KEY_VARIABLE, OTHER)
    third = sfumato.anonymize(visits, asked)
    assert not set(column(third.table, "person")) & set(column(second.table, "person"))
    assert sorted(column(third.table, "cost")) == sorted(column(second.table, "cost"))


def test_namespaces_and_places_of_the_key(
    table: sfumato.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key.txt").write_text(KEY + "\n")
    monkeypatch.setenv("SOME_VARIABLE", KEY)
    made = [
        set(column(sfumato.anonymize(table, policy(given)).table, "patient"))
        for given in (
            True,
            {"key_file": str(tmp_path / "key.txt")},
            {"key_variable": "SOME_VARIABLE"},
            {"namespace": "study"},
        )
    ]
    assert made[0] == made[1] == made[2]
    assert not made[0] & made[3]


def test_csv_frames_and_the_command_agree_on_numbers(tmp_path: Path) -> None:
    """A number is the same value whether it was read from a file or came in a frame; codes with zeros stay codes."""
    numbers, codes = [7, 8, 9, 10] * 3, ["007", "008", "009", "010"] * 3
    frame = sfumato.read({"no": numbers, "code": codes, "age": [1, 2] * 6})
    frame.write(tmp_path / "t.csv")
    asked = {
        "columns": {
            "no": {"role": "identifier", "pseudonym": True},
            "code": {"role": "identifier", "pseudonym": True},
            "age": {"role": "quasi-identifier"},
        },
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }
    one, other = sfumato.anonymize(frame, asked), sfumato.anonymize(str(tmp_path / "t.csv"), asked)
    assert one.table.to_rows() == other.table.to_rows()
    by_hand = Pseudonymization(columns=("no", "code"), key_variable=KEY_VARIABLE)
    again = by_hand.apply(sfumato.read(str(tmp_path / "t.csv")))
    assert set(column(again, "no")) == set(column(one.table, "no"))
    assert set(column(again, "code")) == set(column(one.table, "code"))
    assert not set(column(one.table, "no")) & set(column(one.table, "code"))


def test_columns_with_equal_parameters_are_checked_for_collisions_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pseudonymization, "_pseudonym", lambda self, key, text: text[-1])
    asked = {
        "columns": {
            "a": {"role": "identifier", "pseudonym": True},
            "b": {"role": "identifier", "pseudonym": True},
            "age": {"role": "quasi-identifier"},
        },
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }
    with pytest.raises(sfumato.BadRequest, match="two values share a pseudonym"):
        sfumato.anonymize({"a": ["x1"] * 2, "b": ["y1"] * 2, "age": [1, 1]}, asked)


# ---- missing values ------------------------------------------------------------------------------------------------------


def with_gaps(engine: str) -> sfumato.Table:
    rows = [(None if i % 5 == 0 else f"id{i}", 20 + i % 3) for i in range(30)]
    return sfumato.read(sfumato.from_rows(["id", "age"], rows).to_native(), engine=engine)


def gaps(missing: str | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": "identifier", "pseudonym": True}
    if missing is not None:
        entry["missing"] = missing
    return {
        "columns": {"id": entry, "age": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_missing_identifiers(engine: str) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    table = with_gaps(engine)
    for rule in (None, "keep"):
        kept = sfumato.anonymize(table, gaps(rule))
        assert column(kept.table, "id").count(None) == 6
        assert kept.table.rows == 30
        assert len(kept.warnings) == 1
    dropped = sfumato.anonymize(table, gaps("drop-record"))
    assert dropped.table.rows == 24
    assert dropped.counts["records_dropped_for_missing_values"] == 6
    own = sfumato.anonymize(table, gaps("own-value"))
    assert column(own.table, "id").count("?") == 6
    assert not any("stand in" in text for text in own.warnings), "the mark of a missing value is nobody's pseudonym"
    with pytest.raises(sfumato.BadRequest, match="6 missing values"):
        sfumato.anonymize(table, gaps("refuse"))


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_column_without_any_identifier(engine: str) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    table = sfumato.read({"id": [None, None, None], "age": [1, 1, 1]}, engine=engine)
    release = sfumato.anonymize(table, gaps(None))
    assert column(release.table, "id") == [None] * 3


def test_keep_is_for_plain_columns_and_pseudonyms() -> None:
    asked = gaps(None)
    asked["columns"]["age"]["missing"] = "keep"
    with pytest.raises(sfumato.BadRequest, match="only plain columns and pseudonyms"):
        sfumato.anonymize({"id": ["a", "b"], "age": [1, None]}, asked)


# ---- what is said about it -----------------------------------------------------------------------------------------------


def test_the_certificate_says_what_a_pseudonym_is_not(table: sfumato.Table) -> None:
    release = sfumato.anonymize(table, policy())
    operations = {entry["name"]: entry["operation"] for entry in release.certificate["columns"]}
    assert operations["patient"] == operations["insurer_no"] == "pseudonymization"
    assert operations["disease"] == "none"
    assert "name" not in operations
    said = release.certificate["pseudonyms"]
    assert said == {"columns": ["patient", "insurer_no"], "statement": STATEMENT}
    assert STATEMENT.startswith("A pseudonym is not anonymity")
    assert any("patient, insurer_no" in text and STATEMENT in text for text in release.warnings)
    assert any("patient: 45 pseudonyms stand in 60 records" in text for text in release.warnings)
    assert not any("insurer_no: " in text for text in release.warnings), "one record each"


def test_without_pseudonyms_nothing_is_said(table: sfumato.Table) -> None:
    release = sfumato.anonymize(
        table.select(["age", "job", "disease"]),
        {**policy(), "columns": {n: e for n, e in policy()["columns"].items() if e["role"] != "identifier"}},
    )
    assert "pseudonyms" not in release.certificate
    assert not any("pseudonym" in text for text in release.warnings)


def test_a_kept_format_is_told(table: sfumato.Table) -> None:
    asked = policy()
    asked["columns"]["insurer_no"]["pseudonym"] = {"keep_format": True}
    release = sfumato.anonymize(table, asked)
    statement = release.certificate["pseudonyms"]["statement"]
    assert statement.startswith(STATEMENT)
    assert "kept in insurer_no:" in statement
    assert all(name.isdigit() and len(name) == 8 for name in column(release.table, "insurer_no"))


def test_reports_show_it(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = sfumato.anonymize(source, policy())
    out = sfumato.publish(release, tmp_path / "out", input_path=source)
    print_release(release, out)
    shown = " ".join(capsys.readouterr().out.split())
    assert "A pseudonym is not anonymity" in shown
    assert "patient pseudonymization keyed pseudonyms, not anonymous" in shown
    page = (out / "private" / "report.html").read_text(encoding="utf-8")
    limits = page[page.index('id="limits"') : page.index('id="counts"')]
    assert "<b>Pseudonyms</b> in patient and insurer_no: A pseudonym is not anonymity" in limits
    assert "Replaced by pseudonyms." in page
    assert "names a person; left out of the release or replaced by a pseudonym" in page
    assert "Every published value but the pseudonyms is true" in page
    assert not any(name in page for name in column(release.table, "patient"))


# ---- files ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "jsonl", "xlsx"])
def test_written_files_verify_and_are_the_same_from_both_engines(source: str, tmp_path: Path, form: str) -> None:
    pytest.importorskip("duckdb")
    made = {}
    for engine in ("polars", "duckdb"):
        release = sfumato.anonymize(source, policy(engine=engine))
        out = sfumato.publish(release, tmp_path / engine, format=form, input_path=source)
        for reader in ("polars", "duckdb"):
            (verdict,) = sfumato.verify(out, engine=reader).verdict
            assert verdict.satisfied
            assert verdict.qid == ("age", "job")
        made[engine] = written(out / "public")
    assert made["polars"] == made["duckdb"]


def test_the_same_key_gives_the_same_bytes(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        sfumato.publish(sfumato.anonymize(source, policy()), tmp_path / name, input_path=source)
    assert written(tmp_path / "one") == written(tmp_path / "two")
    monkeypatch.setenv(KEY_VARIABLE, OTHER)
    sfumato.publish(sfumato.anonymize(source, policy()), tmp_path / "three", input_path=source)
    assert written(tmp_path / "one")["public/data.csv"] != written(tmp_path / "three")["public/data.csv"]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_no_file_holds_an_identifier_or_the_key(source: str, tmp_path: Path, form: str) -> None:
    out = sfumato.publish(sfumato.anonymize(source, policy()), tmp_path / "out", format=form, input_path=source)
    files = written(out)
    assert {name.partition("/")[0] for name in files} == {"public", "private"}
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in (b"sfumato pseudonym 1", b""))
    derived = hmac.digest(KEY.encode(), framed, "sha256")
    for name, data in files.items():
        for secret in (*RAW, KEY, KEY.encode().hex(), derived.hex()):
            assert secret.encode() not in data, f"{name} holds {secret}"
        assert derived not in data
    assert b"Patient-001" in Path(source).read_bytes(), "the scan would find one"


def test_pseudonyms_of_digits_are_text_in_the_written_file(source: str, tmp_path: Path) -> None:
    asked = policy()
    asked["columns"]["insurer_no"]["pseudonym"] = {"keep_format": True}
    out = sfumato.publish(sfumato.anonymize(source, asked), tmp_path / "out", input_path=source)
    schema = json.loads((out / "public" / "schema.json").read_text())
    fields = {field["name"]: field for field in schema["fields"]}
    assert fields["insurer_no"] == {
        "name": "insurer_no",
        "type": "string",
        "role": "identifier",
        "operation": "pseudonymization",
    }
    assert str(schema_types(schema)["insurer_no"]) == "text"
    assert sfumato.verify(out)


def test_verification_does_not_group_by_pseudonyms_of_its_own_accord(source: str, tmp_path: Path) -> None:
    """A certificate whose requirement names no columns falls back on the masked ones: pseudonyms are not among them."""
    from sfumato.publishing.published import open_published
    from sfumato.publishing.verification import quasi_identifiers

    out = sfumato.publish(sfumato.anonymize(source, policy()), tmp_path / "out", input_path=source)
    assert quasi_identifiers(open_published(out)) == ("age", "job")
    path = out / "public" / "certificate.json"
    document = json.loads(path.read_bytes())
    document.pop("digest")
    document["requirements"][0]["measured"] += 1
    path.write_bytes(seal(document))
    with pytest.raises(sfumato.BadRequest, match="counting the file anew gives"):
        sfumato.verify(out)


def test_apply_uses_the_same_key(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = sfumato.anonymize(source, policy())
    out = sfumato.publish(release, tmp_path / "out", input_path=source)
    later = sfumato.from_rows(COLUMNS, [*ROWS[:30], ("Patient-999", 1, "New", 30, "cook", "flu")])
    for recoding in (release, out):
        applied = sfumato.apply(recoding, later)
        assert applied.table.columns == ("patient", "insurer_no", "age", "job", "disease")
        names = set(column(applied.table, "patient"))
        assert len(names) == 31
        assert len(names & set(column(release.table, "patient"))) == 30
        assert [verdict.qid for verdict in applied.verdict] == [("age", "job")]
    with pytest.raises(sfumato.BadRequest, match="lacks a column") as refused:
        sfumato.apply(release, later.select(COLUMNS[1:]))
    assert refused.value.column == "patient"
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(sfumato.BadRequest, match="there is no key"):
        sfumato.apply(out, later)


def test_measuring_and_checking_need_no_key(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = sfumato.anonymize(source, policy())
    out = sfumato.publish(release, tmp_path / "out", input_path=source)
    monkeypatch.delenv(KEY_VARIABLE)
    assert sfumato.measure(source, out)["loss"].value == release.measured["loss"].value
    released = {**policy(), "columns": {**policy()["columns"], "job": {"role": "quasi-identifier"}}}
    assert sfumato.check(str(out / "public" / "data.csv"), policy=released)
    assert not sfumato.check(source, policy=released)


# ---- what is refused -----------------------------------------------------------------------------------------------------


def test_no_key(table: sfumato.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(sfumato.BadRequest, match="environment variable SFUMATO_PSEUDONYM_KEY is not set") as refused:
        sfumato.anonymize(table, policy())
    assert "put at least 16 random bytes there" in str(refused.value)
    assert refused.value.column == "patient"
    with pytest.raises(sfumato.BadRequest, match=r"the key file .*none cannot be read"):
        sfumato.anonymize(table, policy({"key_file": str(tmp_path / "none")}))
    monkeypatch.setenv(KEY_VARIABLE, "s3cret")
    with pytest.raises(sfumato.BadRequest, match="at least 16 bytes, holds 6") as refused:
        sfumato.anonymize(table, policy())
    assert "s3cret" not in str(refused.value)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"role": "sensitive", "pseudonym": True}, "columns.patient.pseudonym: is for columns with the role identifier"),
    (
        {"role": "quasi-identifier", "pseudonym": {}},
        "columns.patient.pseudonym: is for columns with the role identifier",
    ),
    ({"role": "identifier", "pseudonym": "s3cret"}, "columns.patient.pseudonym: must be true or a mapping"),
    ({"role": "identifier", "pseudonym": 1}, "columns.patient.pseudonym: must be true or a mapping"),
    ({"role": "identifier", "pseudonym": {"key": "s3cret"}}, "a key never stands in a policy; name where it is"),
    ({"role": "identifier", "pseudonym": {"length": 3}}, "pseudonymization.length: must be >= 8 and <= 64, got 3"),
    ({"role": "identifier", "pseudonym": {"lenght": 9}}, "did you mean 'length'"),
    ({"role": "identifier", "pseudonym": {"columns": ["age"]}}, "pseudonym.columns: is not a parameter"),
    ({"role": "identifier", "pseudonym": {"id": "recoding"}}, "pseudonym.id: is not a parameter"),
    ({"role": "identifier", "pseudonym": {"key_file": "a", "key_variable": "B"}}, "either key_file or key_variable"),
]


@pytest.mark.parametrize(("entry", "words"), WRONG, ids=[words[:60] for _, words in WRONG])
def test_wrong_entries_are_refused_by_key_and_line(entry: dict[str, Any], words: str, tmp_path: Path) -> None:
    asked = {**policy(), "columns": {**policy()["columns"], "patient": entry}}
    with pytest.raises(sfumato.BadRequest) as refused:
        Policy.of(asked)
    assert words in str(refused.value)
    assert "s3cret" not in str(refused.value)
    with (tmp_path / "policy.yaml").open("w", encoding="utf-8") as file:
        YAML().dump(asked, file)
    with pytest.raises(sfumato.BadRequest) as refused:
        Policy.load(tmp_path / "policy.yaml")
    lines = (tmp_path / "policy.yaml").read_text().splitlines()
    (line,) = [number for number, text in enumerate(lines[:5], 1) if "pseudonym" in text]
    assert str(refused.value).startswith(f"policy.yaml, line {line}: ")
    assert "s3cret" not in str(refused.value)


def test_what_means_the_same_has_the_same_digest() -> None:
    assert Policy.of(policy(True)).digest() == Policy.of(policy({})).digest()
    assert Policy.of(policy(False)).digest() == Policy.of(policy(None)).digest()
    assert Policy.of(policy(True)).digest() != Policy.of(policy(False)).digest()
    assert Policy.of(policy(False)).dropped() == ("patient", "name")
    saved = Policy.of(policy({"length": 20}))
    assert Policy.of(saved.document()) == saved


def test_the_schema_of_policies_knows_it() -> None:
    field = Policy.model_json_schema()["$defs"]["ColumnPolicy"]["properties"]["pseudonym"]
    assert {option["type"] for option in field["anyOf"]} == {"object", "boolean", "null"}
    assert "pseudonym" in field["description"]


def test_releases_without_records_have_no_place_for_it(table: sfumato.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TDR, "traits", replace(TDR.traits, release="anatomy-pair"))
    with pytest.raises(sfumato.Unsupported, match="anatomy-pair, which has no place for pseudonyms"):
        sfumato.anonymize(table, policy())


def test_a_model_cannot_look_at_a_pseudonym(table: sfumato.Table) -> None:
    asked = {**policy(), "requirements": [{"id": "l-diversity-distinct", "l": 2, "sensitive": "patient"}]}
    with pytest.raises(sfumato.BadRequest, match="not a column the model can look at"):
        sfumato.anonymize(table, asked)


def test_drafts_mention_it(table: sfumato.Table) -> None:
    text = sfumato.draft(table, k=2)
    assert "pseudonym: true" in text
    assert Policy.of(YAML(typ="safe").load(text)).pseudonyms() == {}
