"""Releases that a check compares with something that is not published: the table before records were left out, a population."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

import pytest

import sfumato
from sfumato import catalogue
from sfumato.contracts.model import Bound, GroupModel, Numbers, TableTraits, at_least
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import param
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Contradiction
from sfumato.groups.stats import GroupStats
from sfumato.models import BasicBetaLikeness, DeltaDisclosure, EnhancedBetaLikeness
from sfumato.publishing.certificate import open_certificate, seal
from sfumato.tables.reference import POOLED

JOB = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
ROWS = [
    *[("Engineer", "flu")] * 4,
    *[("Engineer", "hiv")] * 2,
    *[("Lawyer", "flu")] * 3,
    *[("Lawyer", "hiv")] * 3,
    *[("Dancer", "hiv")] * 2,
    *[("Writer", "flu")] * 2,
    *[("Writer", "hiv")] * 2,
]
CLOSE = {"id": "t-closeness", "t": 0.2, "sensitive": "disease", "ground_distance": "equal"}


def close(**more: Any) -> dict[str, Any]:
    return {
        "columns": {
            "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": JOB}},
            "disease": {"role": "sensitive"},
        },
        "requirements": [CLOSE],
        "limits": {"suppress_at_most": 0.2},
        "algorithm": {"id": "optimal"},
        **more,
    }


@pytest.fixture
def release() -> sfumato.Release:
    return sfumato.anonymize(sfumato.from_rows(["job", "disease"], ROWS), close())


# ---- the table before records were left out ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_that_left_records_out_verifies_from_its_public_files(
    release: sfumato.Release, tmp_path: Path, form: str
) -> None:
    assert release.counts["records_suppressed"] == 2  # all dancers have the same disease
    assert release.certificate["reference"] == {"disease": {"flu": 9, "hiv": 9}}
    out = sfumato.publish(release, tmp_path / "out", format=form)
    verified = sfumato.verify(out)
    assert verified
    assert verified.unchecked == ()
    assert verified.verdict.verdicts[0].strongest == release.verdict.verdicts[0].strongest == pytest.approx(1 / 6)
    assert json.loads((out / "public" / "certificate.json").read_bytes())["reference"] == {
        "disease": {"flu": 9, "hiv": 9}
    }
    # Compared with what is published instead, the same rows would measure something else.
    alone = sfumato.check(release.table, CLOSE, qid=["job"]).verdicts[0]
    assert alone.strongest != release.verdict.verdicts[0].strongest


def test_values_that_only_left_out_records_hold_are_told_as_one(tmp_path: Path) -> None:
    rows = [*ROWS, ("Dancer", "kuru"), ("Dancer", "noma")]
    asked = close(requirements=[{**CLOSE, "t": 0.22}], limits={"suppress_at_most": 0.3})
    release = sfumato.anonymize(sfumato.from_rows(["job", "disease"], rows), asked)
    assert release.certificate["reference"] == {"disease": {"flu": 9, "hiv": 9, POOLED: 2}}
    assert any(text.startswith("2 values of disease that only left-out records hold") for text in release.warnings)
    out = sfumato.publish(release, tmp_path / "out")
    verified = sfumato.verify(out)
    # As far as from the whole table, in which they are two values.
    assert verified.verdict.verdicts[0].strongest == pytest.approx(4 / 6 - 9 / 20)
    assert not any(b"kuru" in path.read_bytes() or b"noma" in path.read_bytes() for path in (out / "public").iterdir())


def test_numbers_in_the_reference_keep_their_order_and_left_out_ones_are_not_told(tmp_path: Path) -> None:
    rows = [(job, {"flu": 9, "hiv": 10}[disease]) for job, disease in ROWS]
    requirement = {**CLOSE, "ground_distance": "ordered"}
    release = sfumato.anonymize(
        sfumato.from_rows(["job", "disease"], [*rows, ("Dancer", 100)]), close(requirements=[requirement])
    )
    assert release.certificate["reference"] == {"disease": {"9": 9, "10": 9}}
    verified = sfumato.verify(sfumato.publish(release, tmp_path / "out"))
    assert verified.verdict.verdicts[0].strongest == release.verdict.verdicts[0].strongest


def test_nothing_is_told_of_a_table_that_is_published_whole(tmp_path: Path) -> None:
    whole = sfumato.anonymize(sfumato.from_rows(["job", "disease"], ROWS), close(limits={}))
    assert "reference" not in whole.certificate
    assert sfumato.verify(sfumato.publish(whole, tmp_path / "out"))
    counted = [{"id": "k-anonymity", "k": 3}]
    sized = sfumato.anonymize(sfumato.from_rows(["job", "disease"], ROWS), close(requirements=counted))
    assert sized.counts["records_suppressed"] > 0
    assert "reference" not in sized.certificate


class SmallestShare(GroupModel):
    """Every group holds a share of the table: reads the number of records and no column."""

    id: ClassVar[str] = "smallest-share"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="group+table",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
    )

    share: float = param(gt=0, le=1, doc="smallest share")

    def measure(self, groups: GroupStats) -> Numbers:
        """Compare with the whole table."""
        shares: Numbers = groups.sizes / groups.records
        return shares

    def bound(self) -> Bound:
        """Return the least share."""
        return at_least(self.share)


def test_a_model_that_reads_no_column_gets_the_number_of_records_before_some_were_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(catalogue._room("sfumato.models"), SmallestShare.id, SmallestShare)
    asked = close(requirements=[{"id": "smallest-share", "share": 0.2}])
    release = sfumato.anonymize(sfumato.from_rows(["job", "disease"], ROWS), asked)
    assert release.counts["records_suppressed"] == 2
    assert release.verdict.verdicts[0].strongest == 4 / 18
    verified = sfumato.verify(sfumato.publish(release, tmp_path / "out"))
    assert verified.verdict.verdicts[0].strongest == 4 / 18


@pytest.mark.parametrize("name", ["data.csv", "certificate.json", "schema.json"])
def test_a_changed_byte_is_found(release: sfumato.Release, tmp_path: Path, name: str) -> None:
    out = sfumato.publish(release, tmp_path / "out")
    changed = out / "public" / name
    data = changed.read_bytes()
    at = data.index(b"flu") if b"flu" in data else len(data) // 2
    changed.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    with pytest.raises(BadRequest):
        sfumato.verify(out)


def test_another_reference_is_found_even_if_the_certificate_is_sealed_again(
    release: sfumato.Release, tmp_path: Path
) -> None:
    out = sfumato.publish(release, tmp_path / "out")
    path = out / "public" / "certificate.json"
    document = open_certificate(path.read_bytes())
    document["reference"]["disease"]["flu"] += 5
    path.write_bytes(seal(document))
    with pytest.raises(BadRequest, match="counting the file anew"):
        sfumato.verify(out)


# ---- a population --------------------------------------------------------------------------------------------------------


POPULATION = [*[("Engineer",)] * 9, *[("Lawyer",)] * 9, *[("Dancer",)] * 6, *[("Writer",)] * 6]
PRESENCE = {"id": "delta-presence", "delta_min": 0.4, "delta_max": 0.7}


@pytest.fixture
def hidden() -> sfumato.Release:
    return sfumato.anonymize(
        sfumato.from_rows(["job", "disease"], ROWS),
        close(requirements=[PRESENCE, {"id": "k-anonymity", "k": 2}], limits={}, algorithm={"id": "spalm"}),
        external=sfumato.from_rows(["job"], POPULATION),
    )


def test_without_the_population_presence_alone_is_not_verified(tmp_path: Path) -> None:
    people = sfumato.from_rows(["job"], POPULATION)
    asked = close(requirements=[PRESENCE], limits={}, algorithm={"id": "spalm"})
    release = sfumato.anonymize(sfumato.from_rows(["job", "disease"], ROWS), asked, external=people)
    out = sfumato.publish(release, tmp_path / "out")
    alone = sfumato.verify(out)
    assert not alone
    assert not alone.checked
    assert "population table" in alone.left[0].why
    assert sfumato.verify(out, external=sfumato.recode(people, release.recodings).table)


def test_a_population_is_needed_to_verify_presence(hidden: sfumato.Release, tmp_path: Path) -> None:
    assert hidden.private.facts["levels"] == {"job": 1}
    out = sfumato.publish(hidden, tmp_path / "out")
    alone = sfumato.verify(out)
    assert not alone, "what was promised and not counted is open"
    assert alone.checked
    assert alone.open == alone.unchecked == ("delta-presence",)
    assert [verdict.model for verdict in alone.verdict.verdicts] == ["k-anonymity"]
    recoded = sfumato.recode(sfumato.from_rows(["job"], POPULATION), hidden.recodings).table
    beside = sfumato.verify(out, external=recoded)
    assert beside
    assert beside.unchecked == ()
    assert [verdict.model for verdict in beside.verdict.verdicts] == [entry.model for entry in hidden.verdict.verdicts]
    found = next(verdict for verdict in beside.verdict.verdicts if verdict.model == "delta-presence")
    assert found.strongest == pytest.approx(12 / 18)


def test_another_population_does_not_verify(hidden: sfumato.Release, tmp_path: Path) -> None:
    out = sfumato.publish(hidden, tmp_path / "out")
    fewer = sfumato.from_rows(["job"], [("Professional",)] * 14 + [("Artist",)] * 12)
    with pytest.raises(BadRequest, match="delta-presence"):
        sfumato.verify(out, external=fewer)


def test_the_population_stays_in_the_house(hidden: sfumato.Release, tmp_path: Path) -> None:
    out = sfumato.publish(hidden, tmp_path / "out")
    files = ["certificate.json", "data.csv", "report.html", "schema.json"]
    assert sorted(path.name for path in (out / "public").iterdir()) == files
    told = (out / "public" / "certificate.json").read_text(encoding="utf-8")
    assert "Engineer" not in told
    assert "external" not in json.loads(told)


# ---- values of left-out records, values that cannot be -------------------------------------------------------------------


CODES = ["A10", "A20", "B10", "A10", "A20", "B10", "A20", "C77"]
UNEVEN = {"any": [{"deep": [{"deeper": ["C77", "D1"]}]}, {"flat": ["A10", "A20", "B10"]}]}


@pytest.mark.parametrize(
    "hierarchy", [{"id": "redaction", "steps": [1, 1]}, {"id": "taxonomy", "tree": UNEVEN}], ids=["built", "uneven"]
)
def test_a_tree_in_the_certificate_holds_no_value_of_left_out_records(hierarchy: Any, tmp_path: Path) -> None:
    rows = sfumato.from_rows(["job", "code"], list(zip("aaabbbac", CODES, strict=True)))
    t = {"id": "t-closeness", "t": 0.9, "sensitive": "code", "ground_distance": "hierarchical"}
    tree = {"any": ["a", "b", "c"]}
    policy = {
        "columns": {
            "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}},
            "code": {"role": "sensitive", "hierarchy": hierarchy},
        },
        "requirements": [t, {"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": "optimal"},
        "limits": {"suppress_at_most": 0.2},
    }
    release = sfumato.anonymize(rows, policy)
    assert release.counts["records_suppressed"] == 1
    out = sfumato.publish(release, tmp_path / "out")
    assert "C77" not in (out / "public" / "certificate.json").read_text()
    assert sfumato.verify(out)
    # Heights, and with them distances, are those of the whole tree.
    whole = Tree.from_nested(UNEVEN) if hierarchy["id"] == "taxonomy" else None
    if whole is not None:
        told = Tree.from_nested(release.certificate.requirements[0].parameters["taxonomy"])
        assert told.height == whole.height


def test_counts_from_before_that_cannot_be_are_refused(tmp_path: Path) -> None:
    rows = [("a", ill) for ill in ("flu", "cold", "ulcer") * 2] + [("b", ill) for ill in ("flu", "cold", "flu")]
    table = sfumato.from_rows(["job", "ill"], [*rows, ("c", "hiv")])
    tree = {"any": ["a", "b", "c"]}
    for model in (
        {"id": "basic-beta-likeness", "beta": 9},
        {"id": "delta-disclosure", "delta": 9, "absent": "skip"},
        {"id": "t-closeness", "t": 0.9, "ground_distance": "equal"},
    ):
        policy = {
            "columns": {
                "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}},
                "ill": {"role": "sensitive"},
            },
            "requirements": [{**model, "sensitive": "ill"}, {"id": "k-anonymity", "k": 3}],
            "algorithm": {"id": "optimal"},
            "limits": {"suppress_at_most": 0.1},
        }
        out = sfumato.publish(sfumato.anonymize(table, policy), tmp_path / str(model["id"]))
        stated = out / "public" / "certificate.json"
        document = json.loads(stated.read_bytes())
        del document["digest"]
        told = document["reference"]["ill"]
        for wrong in ({}, {**told, "flu": 0}, {**told, "flu": -3}, {**told, "flu": 10**30}, {"x": 1}):
            stated.write_bytes(seal({**document, "reference": {"ill": wrong}}))
            with pytest.raises(Contradiction, match="rules out"):
                sfumato.verify(out)
        stated.write_bytes(seal({**document, "reference": {"job": told, "elsewhere": told}}))
        with pytest.raises(Contradiction):
            sfumato.verify(out)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "model",
    [
        BasicBetaLikeness(beta=9, sensitive="ill", missing="count"),
        EnhancedBetaLikeness(beta=9, sensitive="ill", missing="count"),
        DeltaDisclosure(delta=9, sensitive="ill", missing="count", absent="skip"),
    ],
    ids=lambda model: model.id,
)
def test_missing_values_that_count_were_there_before(model: Any) -> None:
    rows = [("a", "flu"), ("a", None), ("b", "flu"), ("b", None)]
    view = Publication(
        table=sfumato.from_rows(["job", "ill"], rows), qids=("job",), reference={"ill": {"flu": 3}}, records=5
    )
    found = model.judge(view)
    assert found.satisfied
    assert found.strongest is not None
    assert isfinite(found.strongest)
