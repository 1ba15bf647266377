"""Drafts of policies: they run as they are, keep nearly everything, name nobody, and say why."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import sfumato
from messy import MESSY
from sfumato.data.schema import Role
from sfumato.tables.policy import Policy
from sfumato.tables.profile import named_role


def drafted(source: object, folder: Path, **options: int) -> Policy:
    path = folder / "policy.yaml"
    path.write_text(sfumato.draft(source, **options), encoding="utf-8")
    return Policy.load(path)


@pytest.mark.parametrize("name", MESSY)
def test_a_messy_table_becomes_a_useful_release(tmp_path: Path, name: str) -> None:
    source = MESSY[name](tmp_path)
    policy = drafted(source, tmp_path)
    release = sfumato.anonymize(source, policy)
    qids = policy.of_role(Role.QUASI_IDENTIFIER)
    assert release.table.rows >= 0.97 * release.counts["records_read"]
    assert 3 <= len(qids) <= 8
    assert [column for column in qids if len(release.table.dictionary(column)) < 2] == []
    raw = release.private.raw
    assert raw is not None
    for column in (one for one in qids if len(raw.dictionary(one)) == 2):
        shown = release.table.dictionary(column)
        assert dict(zip(shown.values, shown.counts.tolist(), strict=True)).get("*", 0) < 0.25 * release.table.rows
    assert policy.limits.suppress_at_most == 0.02
    assert sfumato.measure(source, release, "loss", policy=policy).value < 0.45
    assert sfumato.check(release.table, {"id": "k-anonymity", "k": 5}, qid=list(qids))


def test_what_is_found_in_a_clinic(tmp_path: Path) -> None:
    source = MESSY["clinic"](tmp_path)
    policy = drafted(source, tmp_path)
    names = ("Patientennr", "Vorname", "Nachname", "Straße", "Telefon", "E-Mail", "Versichertennummer")
    assert set(policy.of_role(Role.IDENTIFIER)) == {*names}
    assert set(policy.of_role(Role.SENSITIVE)) == {"Hauptdiagnose", "Nebendiagnose", "Pflegegrad"}
    assert policy.of_role(Role.TARGET) == ("Wiederaufnahme",)
    assert {"Geschlecht", "Geb.datum", "PLZ", "Familienstand"} <= {*policy.of_role(Role.QUASI_IDENTIFIER)}
    assert {"Bemerkung", "column_36", "Wohnort"} <= {*policy.of_role(Role.DROP)}
    text = (tmp_path / "policy.yaml").read_text(encoding="utf-8")
    assert not any(word in text for word in ("Müller", "Günther", "@example", "Hauptstraße", "München", "E84.0"))
    assert "values that fewer than 5 records have" in sfumato.draft(
        {"diagnosis": ["a"] * 50 + ["b", "c"], "age": [*range(52)]}
    )


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "tdr"])
def test_other_algorithms_run_at_once(tmp_path: Path, algorithm: str) -> None:
    policy = drafted(MESSY["survey"](tmp_path), tmp_path).model_copy(update={"algorithm": {"id": algorithm}})
    assert sfumato.anonymize(tmp_path / "survey.tsv", policy).table.rows > 1000


def test_it_can_be_explored_at_once(tmp_path: Path) -> None:
    source = MESSY["survey"](tmp_path)
    assert sfumato.explore(source, drafted(source, tmp_path), top=1).solutions


def test_what_tells_a_quasi_identifier_or_follows_from_it_is_left_out(tmp_path: Path) -> None:
    rows = [
        (age % 50, f"z{zip_code % 6}", zip_code % 3, (age % 50) // 10, age % 7)
        for age, zip_code in zip(range(900), range(0, 4500, 5), strict=True)
    ]
    table = pl.DataFrame(rows, schema=["age", "zip", "area", "decade", "measure"], orient="row")
    policy = drafted(table.with_columns(zip=pl.col("zip"), code=pl.col("age") + 1000), tmp_path)
    assert policy.of_role(Role.QUASI_IDENTIFIER) == ("age", "zip")
    assert policy.of_role(Role.DROP) == ("area", "decade", "code")
    assert policy.of_role(Role.PLAIN) == ("measure",)


def test_without_names_that_say_something_those_are_masked_that_tell_records_apart(tmp_path: Path) -> None:
    table = pl.DataFrame({f"V{at}": [number * (at + 3) % (2 + 5 * at) for number in range(400)] for at in range(9)})
    policy = drafted(table, tmp_path)
    assert 1 <= len(policy.of_role(Role.QUASI_IDENTIFIER)) <= 8
    assert "tell records apart" in (tmp_path / "policy.yaml").read_text()


@pytest.mark.parametrize(
    "name, role",
    [
        ("Hauptdiagnose", Role.SENSITIVE),
        ("Geb.datum", Role.QUASI_IDENTIFIER),
        ("dateOfBirth", Role.QUASI_IDENTIFIER),
        ("Wiederaufnahme", Role.TARGET),
        ("Straße", Role.IDENTIFIER),
        ("medication_name", Role.SENSITIVE),
        ("Staatsangehörigkeit", Role.QUASI_IDENTIFIER),
    ],
)
def test_names_in_two_languages(name: str, role: Role) -> None:
    assert role in named_role(name)


def test_a_column_that_is_not_needed_is_never_published(tmp_path: Path) -> None:
    data = pl.DataFrame({"age": [30, 31] * 5, "size": [1.5, 2.5] * 5})
    asked = {
        "columns": {"age": {"role": "quasi-identifier"}, "size": {"role": "drop"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }
    release = sfumato.anonymize(data, asked)
    assert release.table.columns == ("age",)
    out = sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(out)
    assert sfumato.check(release.table, policy=asked)
    with pytest.raises(sfumato.BadRequest, match="not a column the model can look at"):
        sfumato.anonymize(
            data, {**asked, "requirements": [{"id": "l-diversity-distinct", "l": 2, "sensitive": "size"}]}
        )


def test_missing_numbers_and_dates_are_a_value_of_their_own_below_the_root_of_any_hierarchy(tmp_path: Path) -> None:
    from datetime import date

    days = [None if at % 9 == 0 else date(1950 + at % 50, 1 + at % 12, 1) for at in range(200)]
    data = pl.DataFrame(
        {
            "age": [None if at % 10 == 0 else at % 60 for at in range(200)],
            "born": days,
            "zip": [None if at % 8 == 0 else f"{80000 + at % 40}" for at in range(200)],
            "size": [None if at % 7 == 0 else at % 5 / 2 for at in range(200)],
        }
    )
    hierarchies = {
        "age": {"id": "intervals", "lower": 0, "width": 10, "upper": 60, "fan_out": [3]},
        "born": {"id": "dates"},
        "zip": {"id": "redaction", "length": 5},
        "size": {"id": "frequency", "at_least": 40},
    }
    for name, hierarchy in hierarchies.items():
        for algorithm in ("tdr", "optimal", "mondrian", "local-recoding-greedy"):
            entry = {"role": "quasi-identifier", "hierarchy": hierarchy, "missing": "own-value"}
            asked = {
                "columns": {name: entry},
                "requirements": [{"id": "k-anonymity", "k": 4}],
                "algorithm": {"id": algorithm},
            }
            release = sfumato.anonymize(data.select(name), asked)
            assert release.table.rows == 200
            shown = {str(value) for value in release.table.dictionary(name).values}
            assert "?" in shown or "*" in shown
            assert sfumato.verify(sfumato.publish(release, tmp_path / f"{name}-{algorithm}"))


def test_a_column_of_which_nothing_is_left_is_named(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [*range(20, 32)], "job": [f"job {at}" for at in range(12)], "sex": ["f", "m"] * 6})
    policy = drafted(frame, tmp_path)
    release = sfumato.anonymize(frame, policy)
    lost = [name for name in policy.of_role(Role.QUASI_IDENTIFIER) if len(release.table.dictionary(name)) == 1]
    said = [text for text in release.warnings if "nothing is left of" in text]
    assert lost
    assert said == [f"nothing is left of {', '.join(lost)}: all values are masked to one"]
