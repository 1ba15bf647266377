"""The dossier: what it must hold, the same bytes every time, no value of a person, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sfumato
from command_line import sfumato_in
from sfumato.errors import BadRequest, Taken

ROWS = [("cook", 31, "flu-x7")] * 6 + [("nurse", 44, "hiv-x9")] * 6 + [("painter", 59, "rare-x1")]
POLICY: dict[str, Any] = {
    "purpose": "planning of wards",
    "steward": "B. Steward",
    "columns": {
        "job": {"role": "quasi-identifier"},
        "age": {
            "role": "quasi-identifier",
            "hierarchy": {"id": "intervals", "lower": 20, "width": 10, "fan_out": [2, 2]},
        },
        "illness": {"role": "sensitive"},
    },
    "requirements": [{"id": "k-anonymity", "k": 5}],
    "algorithm": {"id": "datafly"},
    "limits": {"suppress_at_most": 0.1},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("dossier")
    sfumato.publish(sfumato.anonymize(sfumato.from_rows(["job", "age", "illness"], ROWS), POLICY), place / "out")
    return place


def written(folder: Path, name: str, **asked: Any) -> Path:
    answers = sfumato.advise("contract", sensitive=["illness"]).document()
    return sfumato.dossier(
        folder / "out", folder / name, answers=answers, expert="A. Expert", valid_until="2027-11-30", **asked
    )


def test_it_holds_what_an_expert_signs(folder: Path) -> None:
    page = written(folder, "one.html").read_text("utf-8")
    for text in (
        "planning of wards",
        "because recipients have signed a contract",
        "k-anonymity k=5",
        "tries to find that person&#39;s record",
        "Residual risk",
        "Valid until",
        "2027-11-30",
        "A. Expert",
        "B. Steward",
        "Signature",
        "datafly",
    ):
        assert text in page, text


def test_no_value_of_a_person_stands_on_it(folder: Path) -> None:
    page = written(folder, "values.html").read_text("utf-8")
    assert not [text for text in ("flu-x7", "hiv-x9", "rare-x1", "painter") if text in page]


def test_it_is_spoken(folder: Path) -> None:
    page = written(folder, "de.html", language="de").read_text("utf-8")
    assert "Gutachten zu einer Veröffentlichung" in page
    assert "Restrisiko" in page


def test_the_pdf_has_the_same_bytes_every_time(folder: Path) -> None:
    pytest.importorskip("weasyprint")
    one, other = written(folder, "one.pdf"), written(folder, "other.pdf")
    assert one.read_bytes()[:5] == b"%PDF-"
    assert one.read_bytes() == other.read_bytes()


def test_nobody_signs_that_the_risk_is_small_where_less_holds_than_the_answers_ask_for(tmp_path: Path) -> None:
    """No attack finds anybody in groups of six, and still those who let anyone have the data are to ask for more."""
    rows = [("cook",)] * 6 + [("nurse",)] * 6
    policy = {"columns": {"job": {"role": "quasi-identifier"}}, "requirements": [{"id": "k-anonymity", "k": 5}]}
    sfumato.publish(sfumato.anonymize(sfumato.from_rows(["job"], rows), policy), tmp_path / "out")

    def page(*answers: Any, **more: Any) -> str:
        held = sfumato.advise(*answers, **more).document()
        name = f"{len(list(tmp_path.iterdir()))}.html"
        return sfumato.dossier(tmp_path / "out", tmp_path / name, answers=held).read_text("utf-8")

    small = "is held to be very small"
    assert small in page("contract", k=6, because="groups are that large")
    assert small in page("contract", k=6, because="as above", know_who=False, population=True)
    for asked, answers in (
        ("k-anonymity k=20", page("anyone")),
        ("k-anonymity k=7", page("contract", k=7, because="a little more")),
        ("sensitive=job", page("house", sensitive=["job"])),
    ):
        assert asked in answers.partition("Residual risk</h2>")[2].partition("<h2")[0]
        assert small not in answers


def test_the_command_writes_it(folder: Path) -> None:
    assert sfumato_in(folder, "advise", "house", "--out", "answers.json").returncode == 0
    done = sfumato_in(folder, "dossier", "out", "--answers", "answers.json", "-o", "command.html", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["dossier"] == "command.html"
    page = (folder / "command.html").read_text("utf-8")
    assert "only people of the house" in page
    assert "A. Expert" not in page


def test_refusals(folder: Path) -> None:
    (folder / "taken.html").write_text("")
    (folder / "bad.json").write_text("{}")
    (folder / "worse.json").write_text("no")
    with pytest.raises(Taken):
        sfumato.dossier(folder / "out", folder / "taken.html")
    with pytest.raises(BadRequest, match=r"\.pdf or \.html"):
        sfumato.dossier(folder / "out", folder / "a.txt")
    with pytest.raises(BadRequest, match="day such as"):
        sfumato.dossier(folder / "out", folder / "a.html", valid_until="soon")
    with pytest.raises(BadRequest, match="sfumato advise"):
        sfumato.dossier(folder / "out", folder / "a.html", answers=folder / "bad.json")
    with pytest.raises(BadRequest, match="not JSON"):
        sfumato.dossier(folder / "out", folder / "a.html", answers=folder / "worse.json")
    with pytest.raises(BadRequest, match="cannot be read"):
        sfumato.dossier(folder / "out", folder / "a.html", answers=folder / "none.json")
