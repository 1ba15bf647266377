"""Two editions of a page: the public one comes from the public files alone, the internal one from the folder, byte for byte."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.contracts.published import Release
from sfumato.datasets import sample, sample_policy
from sfumato.errors import BadRequest
from sfumato.publishing.signature import FILE

from .conftest import taken_apart
from .test_kind_page import KINDS, release

FIVE = ["1 Context", "2 Data", "3 Identifiability", "4 Mitigation", "5 Governance"]


def headings(page: str) -> list[str]:
    return [re.sub(r"<[^>]*>", "", found) for found in re.findall(r"<h2 [^>]*>(.*?)</h2>", page)]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    data = sample().write_csv(folder / "hospital.csv")
    made = sfumato.anonymize(str(data), sample_policy())
    return sfumato.publish(made, folder / "out", input_path=str(data))


def test_both_editions_have_five_sections_in_order(published: Path) -> None:
    for part in ("private", "public"):
        text = (published / part / "report.html").read_text(encoding="utf-8")
        assert headings(text)[1:] == FIVE
        page = taken_apart(text)
        assert not page.faults
        assert not page.stack
        assert len(page.ids) == len(set(page.ids))
        assert set(page.references) <= set(page.ids)
        assert page.tags.count("table") == page.tags.count("caption")
        assert page.tags.count("svg") - text.count('aria-hidden="true"') == page.tags.count("desc")
        assert not {"script", "link", "img", "iframe", "object", "form", "use", "base"} & set(page.tags)
        assert all(name == "href" and value[1:] in page.ids for name, value in page.addresses)
        assert "://" not in text
        assert len(text.encode()) < 2_000_000


def test_the_public_page_needs_nothing_but_the_public_files(published: Path, tmp_path: Path) -> None:
    shutil.copytree(published / "public", tmp_path / "handed over")
    (tmp_path / "handed over" / "report.html").unlink()
    made = sfumato.report(tmp_path / "handed over", edition="public")
    assert made == tmp_path / "handed over" / "report.html"
    assert made.read_bytes() == (published / "public" / "report.html").read_bytes()


def test_the_internal_page_can_be_made_again_from_the_folder(published: Path, tmp_path: Path) -> None:
    made = sfumato.report(published, file=tmp_path / "again.html")
    assert made.read_bytes() == (published / "private" / "report.html").read_bytes()


def test_the_public_page_leaves_out_what_helps(published: Path) -> None:
    text = taken_apart((published / "public" / "report.html").read_text(encoding="utf-8")).text
    inside = taken_apart((published / "private" / "report.html").read_text(encoding="utf-8")).text
    hidden = [
        "before masking:",  # distributions and risks before masking
        "Hospital admissions (invented sample)",  # the title is in the policy alone
        "in the smallest of these groups",
        "Groups on all 6 protected columns together",
        "at worst, for certain",
        "Attacks that were tried",
        "What remains possible",
        "How the release was found",
        "hospital.csv",
        "occur only once",
    ]
    for words in hidden:
        assert words.lower() not in text.lower(), words
    assert sum(words.lower() in inside.lower() for words in hidden) >= len(hidden) - 1
    assert "Groups on sex, admission_date and department" in text
    assert "no requirement covers all 6 protected columns together" in text


def test_counts_below_the_guarantee_are_not_on_the_public_page(published: Path) -> None:
    """Every number of records in a drawing of the public page is one that at least five share."""
    text = (published / "public" / "report.html").read_text(encoding="utf-8")
    shown = [int(found.replace(",", "")) for found in re.findall(r": ([\d,]+) records?[<,]", text)]
    assert len(shown) > 30
    assert all(count >= 5 or count == 0 for count in shown)


@pytest.mark.parametrize("name", [name for name in KINDS if name != "answers"])
def test_other_kinds_have_both_editions(name: str, tmp_path: Path) -> None:
    kind, arguments, _ = KINDS[name]
    out = sfumato.publish(release(kind, **arguments), tmp_path / "out")
    for part, edition in (("private", "internal"), ("public", "public")):
        text = (out / part / "report.html").read_text(encoding="utf-8")
        assert headings(text)[1:] == FIVE
        made = sfumato.report(out, edition=edition, file=tmp_path / f"{edition}.html")  # type: ignore[arg-type]
        assert made.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "algorithm",
    [{"id": "optimal"}, {"id": "mondrian"}, {"id": "bottom-up-generalization"}, {"id": "datafly"}],
    ids=lambda spec: spec["id"],
)
def test_pages_of_other_searches_are_made_again_byte_for_byte(algorithm: dict[str, Any], tmp_path: Path) -> None:
    data = sfumato.datasets.patients()
    policy = sfumato.Policy.for_dataset(
        data,
        requirements=[{"id": "k-anonymity", "k": 2}],
        algorithm=algorithm,
        limits={"suppress_at_most": 0.3} if algorithm["id"] == "datafly" else {},
    )
    out = sfumato.publish(sfumato.anonymize(sfumato.from_dataset(data), policy), tmp_path / "out")
    for part, edition in (("private", "internal"), ("public", "public")):
        made = sfumato.report(out, edition=edition, file=tmp_path / f"{edition}.html")  # type: ignore[arg-type]
        assert made.read_bytes() == (out / part / "report.html").read_bytes()


def test_the_raw_table_adds_predictions_and_stays(published: Path, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    folder = tmp_path / "out"
    shutil.copytree(published, folder)
    before = taken_apart((folder / "private" / "report.html").read_text(encoding="utf-8")).text
    assert "was not measured, for that takes longer than publishing" in before
    sfumato.report(folder, raw=published.parent / "hospital.csv")
    page = (folder / "private" / "report.html").read_text(encoding="utf-8")
    assert "A decision tree that predicts readmitted" in page
    # What was measured is kept, so that the page can be made again without the raw table.
    sfumato.report(folder)
    assert (folder / "private" / "report.html").read_text(encoding="utf-8") == page
    assert sfumato.verify(folder)


def test_another_table_is_refused(published: Path, tmp_path: Path) -> None:
    lines = (published.parent / "hospital.csv").read_text().splitlines(keepends=True)
    (tmp_path / "other.csv").write_text("".join(lines[:-1]))
    with pytest.raises(BadRequest, match="9,999 records to publish, the release was made from 10,000"):
        sfumato.report(published, raw=tmp_path / "other.csv", file=tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"edition": "secret"}, "is not an edition"),
        ({"edition": "public", "raw": "x.csv"}, "from the public files alone"),
        ({"file": "taken"}, "exists already"),
        ({"pdf": "taken"}, "exists already"),
        ({"file": "no/such/folder/page.html"}, "cannot be written"),
    ],
)
def test_wrong_requests(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], rule: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(BadRequest, match=rule):
        sfumato.report(published, **arguments)
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_changed_or_partial_folder_is_refused(published: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    shutil.copytree(published, folder)
    with pytest.raises(BadRequest, match="the private part is not there"):
        sfumato.report(folder / "public")
    (folder / "private" / "audit.json").write_text("{")
    with pytest.raises(BadRequest, match="is not JSON"):
        sfumato.report(folder)
    with (folder / "public" / "data.csv").open("a") as file:
        file.write("x\n")
    for edition in ("internal", "public"):
        with pytest.raises(BadRequest, match="was changed"):
            sfumato.report(folder, edition=edition)  # type: ignore[arg-type]


def test_left_out_records_are_on_the_page(made: Callable[..., Release], tmp_path: Path) -> None:
    rows = [("x", "u")] * 6 + [("y", "v")] * 6 + [("z", "w")]
    roles = {"a": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"ANY": ["x", "y", "z"]}}}}
    released = made(
        ["a", "b"],
        rows,
        {**roles, "b": {"role": "plain"}},
        k=5,
        algorithm={"id": "optimal"},
        limits={"suppress_at_most": 0.2},
    )
    out = sfumato.publish(released, tmp_path / "out")
    text = taken_apart((out / "private" / "report.html").read_text(encoding="utf-8")).text
    assert "Records left out to meet the requirements: 1 (7.7 % of 13 records read)." in text


def test_a_signature_is_told_of(published: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    shutil.copytree(published, folder)
    for edition in ("internal", "public"):
        first = sfumato.report(folder, edition=edition, file=tmp_path / f"{edition}.html")  # type: ignore[arg-type]
        assert "the certificate was not signed" in first.read_text(encoding="utf-8")
    (folder / "public" / FILE).write_text("a signature")
    for edition in ("internal", "public"):
        made = sfumato.report(folder, edition=edition)  # type: ignore[arg-type]
        assert "A signature lies beside the certificate" in made.read_text(encoding="utf-8")


def test_the_occasion_is_told_inside_and_not_outside(tmp_path: Path) -> None:
    asked = sample_policy() | {"purpose": "a trial <run>", "recipients": "two universities", "steward": "the office"}
    release = sfumato.anonymize(sfumato.from_dataset(sample().part(0, 300)), asked)
    folder = sfumato.publish(release, tmp_path / "out")
    inside, outside = ((folder / part / "report.html").read_text() for part in ("private", "public"))
    for words in ("a trial &lt;run&gt;", "two universities", "the office"):
        assert words in inside
        assert words not in outside


def test_what_cannot_be_written_or_read_is_named(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(page: str, target: Path) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sfumato.verbs.report.write_pdf", full)
    with pytest.raises(BadRequest, match="No space left") as caught:
        sfumato.report(published, file=tmp_path / "page.html", pdf=tmp_path / "page.pdf")
    assert (caught.value.parameter, caught.value.value) == ("pdf", str(tmp_path / "page.pdf"))
    for name in ("audit.json", "before.json", "recoding.json", "run.json", "trace.json", "utility.json"):
        copy = Path(shutil.copytree(published, tmp_path / name))
        (copy / "private" / name).write_text("[]")
        with pytest.raises(BadRequest):
            sfumato.report(copy)
