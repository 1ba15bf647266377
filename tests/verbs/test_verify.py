"""Verifying: plain files of the folder and nothing else, figures that follow from them counted anew, no yes to nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

import sfumato
from sfumato.errors import BadRequest
from sfumato.publishing.certificate import canonical, sha256
from sfumato.verbs.verify import verify

Document = dict[str, Any]

ROWS = "age,job,ill\n" + "".join(
    f"{20 + i % 4},{('cook', 'nurse')[i % 2]},{('flu', 'ulcer')[i % 3 % 2]}\n" for i in range(24)
)
POLICY: Document = {
    "columns": {
        "age": {"role": "quasi-identifier", "range": [0, 100]},
        "job": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    },
    "requirements": [{"id": "k-anonymity", "k": 3}],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "data.csv").write_text(ROWS)
    return sfumato.publish(sfumato.anonymize(folder / "data.csv", POLICY), folder / "out")


@pytest.fixture
def public(made: Path, tmp_path: Path) -> Path:
    return Path(copytree(made, tmp_path / "out")) / "public"


def forge(public: Path, change: Callable[[Document], object]) -> None:
    """Change a certificate and seal it again, as a forger would."""
    document = json.loads((public / "certificate.json").read_bytes())
    document.pop("digest")
    change(document)
    (public / "certificate.json").write_bytes(canonical({**document, "digest": sha256(canonical(document))}))


def forge_schema(public: Path, change: Callable[[Document], object]) -> None:
    schema = json.loads((public / "schema.json").read_bytes())
    change(schema)
    (public / "schema.json").write_bytes(canonical(schema))
    forge(public, lambda document: document.update(schema_sha256=sha256(canonical(schema))))


def test_what_holds_is_verified_and_claims_are_named(public: Path) -> None:
    found = verify(public)
    assert found
    assert found.uncovered == ("report.html",)
    assert {"counts", "metrics", "versions"} <= set(found.claims)


@pytest.mark.parametrize("name", ["certificate.json", "schema.json", "data.csv", "report.html"])
def test_links_are_refused(public: Path, name: str) -> None:
    elsewhere = public.parent / "elsewhere"
    (public / name).rename(elsewhere)
    (public / name).symlink_to(elsewhere)
    with pytest.raises(BadRequest, match=name):
        verify(public)


def test_a_device_does_not_keep_anybody_waiting(public: Path) -> None:
    (public / "certificate.json").unlink()
    (public / "certificate.json").symlink_to("/dev/zero")
    with pytest.raises(BadRequest, match="plain file"):
        verify(public)


def test_a_public_part_elsewhere_is_refused(public: Path, made: Path) -> None:
    other = made.parent / f"linked-{public.parent.parent.name}"
    other.mkdir()
    (other / "public").symlink_to(public)
    with pytest.raises(BadRequest, match="leads out"):
        verify(other)


@pytest.mark.parametrize("name", ["more.csv", ".hidden", "private/raw.csv"])
def test_files_that_nobody_certified_are_refused(public: Path, name: str) -> None:
    (public / name).parent.mkdir(exist_ok=True)
    (public / name).write_text("name\nAnna\n")
    with pytest.raises(BadRequest, match="not part of the release"):
        verify(public)


def test_nothing_asked_is_nothing_checked(public: Path) -> None:
    weaknesses = json.loads((public / "certificate.json").read_bytes())["not_protected_against"]
    record = "record linkage: finding the record of a known person"
    forge(public, lambda told: told.update(requirements=[], not_protected_against=[record, *weaknesses]))
    found = verify(public)
    assert not found.checked
    assert not found


FORGED: dict[str, Callable[[Document], object]] = {
    "rows": lambda told: told["counts"].update(records_published=23),
    "groups": lambda told: told["counts"].update(groups_on_all_quasi_identifiers=99),
    "smallest group": lambda told: told["counts"].update(smallest_of_these_groups=99),
    "records read": lambda told: told["counts"].update(records_read=1000),
    "less than nothing": lambda told: told["counts"].update(records_read=-1),
    "groups of a requirement": lambda told: told["requirements"][0].update(groups=99),
    "records of a requirement": lambda told: told["requirements"][0].update(records=99),
    "what was needed": lambda told: told["requirements"][0].update(needed=">= 100 records"),
    "weaknesses": lambda told: told.update(not_protected_against=[]),
    "truth": lambda told: told["release"].update(truthful=False),
    "a procedure": lambda told: told["statement"].update(mechanism="noise"),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_figures_that_the_files_do_not_show_are_refused(public: Path, change: Callable[[Document], object]) -> None:
    forge(public, change)
    with pytest.raises(BadRequest, match=r"certificate\.json"):
        verify(public)


SCHEMAS: dict[str, Callable[[Document], object]] = {
    "no fields": lambda schema: schema.pop("fields"),
    "fields are a text": lambda schema: schema.update(fields="age"),
    "no type": lambda schema: schema["fields"][0].pop("type"),
    "another type": lambda schema: schema["fields"][0].update(type="colour"),
    "a type that is a list": lambda schema: schema["fields"][0].update(type=[]),
    "another name": lambda schema: schema["fields"][0].update(name="year"),
    "a column less": lambda schema: schema["fields"].pop(),
    "resources are a number": lambda schema: schema.update(resources=7),
    "resources are empty": lambda schema: schema.update(resources=[]),
    "another role": lambda schema: schema["fields"][0].update(role="plain"),
    "another operation": lambda schema: schema["fields"][0].update(operation="none"),
    "other values": lambda schema: schema["fields"][0].update(constraints={"enum": ["1"]}),
    "values are a number": lambda schema: schema["fields"][0].update(constraints={"enum": 1}),
}


@pytest.mark.parametrize("change", SCHEMAS.values(), ids=SCHEMAS)
def test_a_schema_of_something_else_is_refused(public: Path, change: Callable[[Document], object]) -> None:
    forge_schema(public, change)
    with pytest.raises(BadRequest, match=r"schema\.json"):
        verify(public)
