"""A shape that lies in a folder of its own goes through every door, and no line outside the folder knows of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sfumato
from sfumato import catalogue
from sfumato.errors import BadRequest, Infeasible
from sfumato.policy import SharedPolicy
from sfumato.tables.policy import Policy

LISTS = ["ant bee", "bee ant", "ant bee cow", "dog", "dog", "dog emu", "ant bee"]
POLICY = {"shape": "lists", "requirements": [{"id": "k-lists", "k": 3}], "title": "Lists of words"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lists.txt"
    path.write_text("\n".join(LISTS) + "\n", encoding="utf-8")
    return path


def test_the_catalogue_finds_it_by_kind_and_shape() -> None:
    assert catalogue.shapes()[0] == "table"
    assert catalogue.shapes()[-1] == "lists", "shapes of other distributions come last"
    assert catalogue.ids("model", "lists") == ["k-lists"]
    assert "k-lists" not in catalogue.ids("model", "table")
    assert catalogue.find("drop-rare-words").id == "drop-rare-words"
    assert "k-lists" in str(sfumato.describe("k-lists"))
    with pytest.raises(BadRequest, match="for data of the shape lists"):
        catalogue.find("k-anonymity", "model", "lists")


def test_the_whole_way_in_python(file: Path, tmp_path: Path) -> None:
    release = sfumato.anonymize(file, POLICY)
    assert release.shape == release.certificate.release.shape == "lists"
    assert release.public["words"].to_list() == ["ant bee"] * 4 + ["dog"] * 3
    assert not sfumato.check(file, policy=POLICY)
    assert [verdict.strongest for verdict in release.verdict] == [3]
    out = sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(out)
    assert sfumato.verify(out / "public").unchecked == ()
    for source in (release, out, out / "public"):
        assert sfumato.attack(source, "list-attack").highest == pytest.approx(1 / 3)
        found = sfumato.audit(source)
        assert [one.attack for one in found.tried] == ["list-attack"]
    before = sfumato.audit(release).tried[0].before
    assert before is not None
    assert before.highest == 1.0
    for edition in ("internal", "public"):
        page = sfumato.report(out, edition=edition).read_text("utf-8")  # type: ignore[arg-type]
        assert "word-lists" in page
    assert json.loads((out / "private" / "audit.json").read_bytes())["tried"][0]["attack"] == "list-attack"


def test_a_changed_byte_fails(file: Path, tmp_path: Path) -> None:
    out = sfumato.publish(sfumato.anonymize(file, POLICY), tmp_path / "out")
    data = out / "public" / "data.csv"
    data.write_text(data.read_text("utf-8").replace("ant bee", "ant", 1), encoding="utf-8")
    with pytest.raises(BadRequest, match="was changed"):
        sfumato.verify(out)


def test_the_command_line_knows_no_difference(file: Path, tmp_path: Path) -> None:
    from sfumato.cli import commands  # noqa: F401
    from sfumato.cli.main import app

    policy = tmp_path / "policy.yaml"
    policy.write_text(SharedPolicy.of(POLICY).to_yaml(), encoding="utf-8")
    out, runner = tmp_path / "out", CliRunner()

    def said(*words: str, code: int = 0) -> str:
        result = runner.invoke(app, list(words))
        assert result.exit_code == code, result.output
        return result.output

    assert "FAILS: k-lists" in said("check", str(file), "-p", str(policy), code=1)
    assert "word-lists" in said("anonymize", str(file), "-p", str(policy), "-o", str(out))
    assert "verified: 7 rows" in said("verify", str(out))
    assert "list-attack" in said("audit", str(out))
    assert "share a list has 3" in said("attack", str(out), "--with", "list-attack")
    told = "3 persons are in groups of fewer than 4."
    assert told in said("attack", str(out), "--with", "list-attack", "--know", "least=4")
    assert told in said("audit", str(out), "--know", "least=4")
    for wrong, words in {
        "carpets=1": "is nothing that is known beside such data",
        "least=x": "must be a whole number",
        "least": "must be NAME=VALUE",
    }.items():
        for verb in ("attack", "audit"):
            more = ("--with", "list-attack") if verb == "attack" else ()
            with pytest.raises(BadRequest, match=words):
                runner.invoke(app, [verb, str(out), *more, "--know", wrong], catch_exceptions=False)
    with pytest.raises(BadRequest, match="is nothing that is known"):
        runner.invoke(app, ["audit", str(out), "--qid", "words"], catch_exceptions=False)
    assert "report.html" in said("report", str(out))
    assert "k-lists" in said("describe", "k-lists")


def test_wrong_requests_are_refused_by_name(file: Path) -> None:
    with pytest.raises(BadRequest, match="another shape"):
        Policy.of(POLICY)
    with pytest.raises(BadRequest, match="is not a shape"):
        sfumato.anonymize(file, {**POLICY, "shape": "carpets"})
    with pytest.raises(BadRequest, match="not a known model for data of the shape lists"):
        sfumato.anonymize(file, {**POLICY, "requirements": [{"id": "k-anonymity", "k": 2}]})
    with pytest.raises(BadRequest, match="not a key of a policy"):
        sfumato.anonymize(file, {**POLICY, "columns": {}})
    with pytest.raises(Infeasible):
        sfumato.anonymize(["a b"], {**POLICY})


def test_nobody_outside_its_folder_names_it() -> None:
    source = Path(sfumato.__file__).parent
    words = ("toy_lists", "word-lists", "k-lists", "drop-rare-words", "list-attack")
    assert not [path for path in source.rglob("*.py") if any(word in path.read_text("utf-8") for word in words)]
