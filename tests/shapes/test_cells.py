"""A column whose cells have a shape of their own: masked, certified and verified by that shape, found at run time."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import sfumato
from sfumato.contracts.certificate import RequirementEntry
from sfumato.errors import BadRequest, Unsupported
from sfumato.publishing.certificate import seal
from sfumato.tables.policy import Policy

ROWS = {
    "Age": [31, 33, 35, 38, 52, 55, 57],
    "Bought": ["ant bee", "bee ant", "ant bee cow", "dog", "dog", "dog emu", "ant bee"],
}


def _policy(**changed: object) -> dict[str, object]:
    bought = {"role": "lists", "requirements": [{"id": "k-lists", "k": 3}], **changed}
    return {
        "columns": {"Age": {"role": "quasi-identifier"}, "Bought": bought},
        "requirements": [{"id": "k-anonymity", "k": 3}],
        "seed": 1,
    }


@pytest.fixture
def frame() -> pl.DataFrame:
    return pl.DataFrame(ROWS)


def test_the_whole_way(frame: pl.DataFrame, tmp_path: Path) -> None:
    release = sfumato.anonymize(frame, _policy())
    assert sorted(release.public["Bought"].to_list()) == ["ant bee"] * 4 + ["dog"] * 3
    assert [(v.model, v.column, v.shape, v.strongest) for v in release.verdict] == [
        ("k-anonymity", None, None, 3),
        ("k-lists", "Bought", "lists", 3),
    ]
    out = sfumato.publish(release, tmp_path / "out")
    for place in (out, out / "public"):
        checked = sfumato.verify(place)
        assert checked
        assert checked.unchecked == ()
        assert [verdict.column for verdict in checked.verdict] == [None, "Bought"]
    entry = json.loads((out / "public" / "certificate.json").read_bytes())["columns"][1]
    assert entry == {"name": "Bought", "role": "plain", "operation": "lists: drop-rare-words"}
    for edition in ("internal", "public"):
        page = sfumato.report(out, edition=edition).read_text("utf-8")  # type: ignore[arg-type]
        assert "k-lists" in page
        assert "cow" not in page if edition == "public" else True
    assert sfumato.audit(out).tried
    assert not sfumato.check(frame, policy=_policy())
    assert sfumato.check(out / "public" / "data.csv", policy={**_policy()}).verdicts[1].satisfied


def test_the_policy_reads_and_writes_it(frame: pl.DataFrame, tmp_path: Path) -> None:
    policy = Policy.of(_policy(stop_words=["dog"]))
    assert policy.columns["Bought"].cells == {
        "version": 1,
        "shape": "lists",
        "stop_words": ["dog"],
        "requirements": [{"id": "k-lists", "k": 3}],
    }
    (tmp_path / "policy.yaml").write_text(policy.to_yaml(), encoding="utf-8")
    again = Policy.load(tmp_path / "policy.yaml")
    assert again.digest() == policy.digest()
    assert set(sfumato.anonymize(frame, again).public["Bought"].to_list()) == {"ant bee", None}


def test_records_left_out_do_not_help_to_hide(frame: pl.DataFrame) -> None:
    """Cells are masked after the search: a word that only left-out records share is not published."""
    rows = pl.DataFrame({"Age": [1, 1, 1, 1, 50], "Bought": ["ant", "ant", None, "bee", "bee"]})
    policy = _policy(requirements=[{"id": "k-lists", "k": 2}])
    policy["columns"]["Age"] = {"role": "quasi-identifier", "type": "text"}  # type: ignore[index]
    asked = {**policy, "algorithm": {"id": "optimal"}, "limits": {"suppress_at_most": 0.25}}
    release = sfumato.anonymize(rows.with_columns(pl.col("Age").cast(str)), asked)
    assert release.public.rows() == [("1", None), ("1", None), ("1", "ant"), ("1", "ant")]


def test_duckdb_gives_the_same(frame: pl.DataFrame, tmp_path: Path) -> None:
    frame.write_csv(tmp_path / "in.csv")
    texts = [
        sfumato.publish(sfumato.anonymize(tmp_path / "in.csv", {**_policy(), "engine": engine}), tmp_path / engine)
        .joinpath("public", "data.csv")
        .read_bytes()
        for engine in ("polars", "duckdb")
    ]
    assert texts[0] == texts[1]


def test_the_command_line(frame: pl.DataFrame, tmp_path: Path) -> None:
    from sfumato.cli import commands  # noqa: F401
    from sfumato.cli.main import app

    frame.write_csv(tmp_path / "in.csv")
    (tmp_path / "policy.yaml").write_text(Policy.of(_policy()).to_yaml(), encoding="utf-8")
    run = CliRunner()
    out = tmp_path / "out"
    made = run.invoke(app, ["anonymize", str(tmp_path / "in.csv"), "-p", str(tmp_path / "policy.yaml"), "-o", str(out)])
    assert made.exit_code == 0, made.output
    checked = run.invoke(app, ["verify", str(out)])
    assert checked.exit_code == 0, checked.output
    assert "k-lists (k=3) on cells of Bought: measured 3" in checked.output


def test_a_sealed_lie_about_cells_is_found(frame: pl.DataFrame, tmp_path: Path) -> None:
    out = sfumato.publish(sfumato.anonymize(frame, _policy()), tmp_path / "out")
    stated = out / "public" / "certificate.json"
    for key, value, said in (
        ("measured", 4, "counting the file anew"),
        ("column", "Age", "not published plainly"),
        ("column", "Elsewhere", "not published plainly"),
        ("shape", "table", None),
    ):
        document = json.loads(stated.read_bytes())
        kept = stated.read_bytes()
        document["requirements"][1][key] = value
        del document["digest"]
        stated.write_bytes(seal(document))
        with pytest.raises(BadRequest, match=said):
            sfumato.verify(out / "public")
        stated.write_bytes(kept)


def test_a_shape_that_is_not_installed_leaves_its_cells_unchecked(frame: pl.DataFrame, tmp_path: Path) -> None:
    out = sfumato.publish(sfumato.anonymize(frame, _policy()), tmp_path / "out")
    stated = out / "public" / "certificate.json"
    document = json.loads(stated.read_bytes())
    document["requirements"][1].update(shape="trails", model="k-trails")
    del document["digest"]
    stated.write_bytes(seal(document))
    found = sfumato.verify(out / "public")
    assert not found
    assert found.open == found.unchecked == ("k-trails",)
    assert "not installed here" in found.left[0].why


def test_what_cannot_be_is_refused(frame: pl.DataFrame) -> None:
    with pytest.raises(BadRequest, match="shape that a cell can have"):
        Policy.of({"columns": {"A": {"role": "table", **_policy()}}, "requirements": [{"id": "k-anonymity", "k": 2}]})
    with pytest.raises(BadRequest, match="k-list"):
        Policy.of(_policy(requirements=[{"id": "k-list", "k": 3}]))
    with pytest.raises(BadRequest, match="required and missing"):
        Policy.of({**_policy(), "columns": {"Bought": {"role": "lists"}}})
    cells = {"shape": "lists", "requirements": [{"id": "k-lists", "k": 3}]}
    with pytest.raises(BadRequest, match="role plain only"):
        Policy.of({**_policy(), "columns": {"Bought": {"role": "sensitive", "cells": cells}}})
    with pytest.raises(Unsupported, match="need rows"):
        sfumato.anonymize(frame, {**_policy(), "algorithm": {"id": "anatomize"}})
    with pytest.raises(BadRequest, match="only a recoded table masks"):
        sfumato.release(frame, "anatomy-pair", groups=[0, 0, 0, 0, 1, 1, 1], sensitive=["Bought"], policy=_policy())
    with pytest.raises(Unsupported, match="masked all together"):
        sfumato.apply(sfumato.anonymize(frame, _policy()), frame)


def test_certificates_without_cells_say_nothing_of_them() -> None:
    from sfumato.contracts.certificate import _plain

    entry = RequirementEntry("k-anonymity", {"k": 2}, ("Age",), True, None, ">= 2", 1, 2, "somebody")
    written = _plain(entry)
    assert isinstance(written, dict)
    assert "column" not in written
    assert "measured" in written
