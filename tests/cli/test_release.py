"""Every kind of release from the command line: built, verified, refused after one changed byte, told in a report."""

from __future__ import annotations

import html
import json
import re
import shlex
import sys
from pathlib import Path

import pytest

import sfumato
from sfumato.cli.main import run as main

from .conftest import Run

DATA = "name,age,sex,disease,income,ward\n" + "".join(
    f"person-{i},{20 + i % 30},{'fm'[i % 2]},{('Flu', 'HIV', 'Heart')[i % 3]},{1000 + 37 * (i % 20)},ward-{i % 10}\n"
    for i in range(60)
)

KINDS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "anatomy-pair": (
        [
            *("--groups", "ward", "--qid", "age,sex", "--sensitive", "disease"),
            *("-r", "l-diversity-distinct l=2 sensitive=disease", "-r", "k-anonymity k=1"),
        ],
        ["qit.csv", "st.csv"],
        ["holds: l-diversity-distinct", "largest chance of a sensitive value 0.3333; the l that this amounts to 3"],
    ),
    "permuted-table": (
        ["--groups", "ward", "--qid", "age, sex", "--sensitive", "income"],
        ["data.csv", "aggregates.csv"],
        ["aggregates: 10 rows of GroupID, Count, Sum, Minimum, Maximum"],
    ),
    "cluster-release": (
        [
            *("--groups", "ward", "--qid", "age,income", "--sensitive", "disease", "-r", "k-anonymity k=3"),
            *("--set", "centre=mean", "--set", "scales=[1, 100]"),
        ],
        ["clusters.csv", "sensitive.csv"],
        ["guaranteed: records in the smallest cluster 6"],
    ),
    "histogram-release": (
        ["--qid", "age,income", "--set", "cuts={age: [0, 35, 120], income: {low: 0, high: 2000, bins: 2}}"],
        ["data.csv"],
        ["records counted 60", "nobody can check: that the counts are those of the input"],
    ),
    "perturbed-table": (
        [
            *("--qid", "sex", "-r", "k-anonymity k=3", "--set", "columns=[sex, income]"),
            *("--set", "perturbation=additive-noise columns=[income] sigma=30"),
        ],
        ["data.csv"],
        ["holds: k-anonymity (k=3) on sex", "note: published as they are, not perturbed: sex"],
    ),
    "synthetic-table": (
        ["--set", "perturbation={id: synthetic-moments, columns: [age, income]}"],
        ["data.csv"],
        ["guaranteed: nothing that the files show; what protects is the stated procedure"],
    ),
    "noisy-answers": (
        ["--set", "queries=[{}, {sex: f}, {age: {low: 20, high: 29}, disease: [Flu, HIV]}]", "--set", "epsilon=1"],
        ["data.csv"],
        ["guaranteed: epsilon of all answers together 1", "no run is repeated"],
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data.csv").write_text(DATA)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def here(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run the command in this process, which is quicker; return its exit code."""
    monkeypatch.setattr(sys, "argv", ["sfumato", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_end_to_end(run: Run, folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "noisy-answers":
        pytest.importorskip("opendp")
    arguments, files, words = KINDS[kind]
    done = run("release", "data.csv", "--kind", kind, *arguments, "--seed", "7", "-o", "out")
    assert done.returncode == 0, done.stderr
    for text in (kind + ": ", "may leave the house: out/public", "open: out/private/report.html", *words):
        assert text in done.stdout
    assert "person-" not in done.stdout
    public = folder / "out" / "public"
    assert {path.name for path in public.iterdir()} == {*files, "schema.json", "certificate.json", "report.html"}
    linked = ["links.csv"] if {"--groups", "cuts"} & {word.split("=")[0] for word in arguments} else []
    assert {path.name for path in (folder / "out" / "private").iterdir()} == {
        *linked,
        *("trace.json", "run.json", "audit.json", "report.html"),
    }
    assert here(monkeypatch, "verify", "out") == 0
    for path in public.glob("*.[!h]*"):  # the page is made from the other files and stands outside of the seal
        original = path.read_bytes()
        middle = len(original) // 2
        path.write_bytes(original[:middle] + bytes([original[middle] ^ 1]) + original[middle + 1 :])
        assert here(monkeypatch, "verify", "out") == 2
        path.write_bytes(original)
    assert here(monkeypatch, "verify", "out/public", "--engine", "duckdb") == 0


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "noisy-answers"])
def test_the_report_tells_how_to_make_the_release_again(
    folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here(monkeypatch, "release", "data.csv", "--kind", kind, *KINDS[kind][0], "-q", "-o", "out") == 0
    page = (folder / "out" / "private" / "report.html").read_text(encoding="utf-8")
    found = re.search(r"<code>(sfumato release .*?)</code>", page)
    assert found is not None
    seed = json.loads((folder / "out" / "private" / "trace.json").read_bytes())["facts"]["seed"]
    assert str(seed) not in page
    filled = {"INPUT": "data.csv", "SEED": str(seed), "OUT": "again"}
    words = [filled.get(word, word) for word in shlex.split(html.unescape(found[1]))]
    assert here(monkeypatch, *words[1:]) == 0
    for path in (folder / "out" / "public").iterdir():
        assert path.read_bytes() == (folder / "again" / "public" / path.name).read_bytes()


def test_perturb_makes_the_same_release(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = ("--with", "additive-noise columns=[income] sigma=30", "--seed", "7")
    done = run("perturb", "data.csv", *noise, "--release", "out", "-o", "plain.csv")
    assert done.returncode == 0, done.stderr
    assert "perturbed-table: " in done.stdout
    assert "wrote plain.csv: 60 records" in done.stdout
    assert here(monkeypatch, "verify", "out") == 0
    certificate = (folder / "out" / "public" / "certificate.json").read_text()
    assert json.loads(certificate)["statement"]["parameters"]["sigma"] == 30
    assert '"seed":' not in certificate
    assert "compared_with_the_original" not in certificate
    assert (folder / "out" / "public" / "data.csv").read_bytes() == (folder / "plain.csv").read_bytes()
    kind = ("--kind", "perturbed-table", "--set", "perturbation=additive-noise columns=[income] sigma=30")
    assert here(monkeypatch, "release", "data.csv", *kind, "--seed", "7", "-o", "same") == 0
    assert (folder / "same" / "public" / "data.csv").read_bytes() == (folder / "plain.csv").read_bytes()
    drawn = ("perturb", "data.csv", "--with", "synthetic-moments columns=[age]", "--release", "drawn")
    assert here(monkeypatch, *drawn) == 0
    assert sfumato.verify(folder / "drawn").certificate["release"]["kind"] == "synthetic-table"
    assert "seed" in json.loads((folder / "drawn" / "private" / "trace.json").read_bytes())["facts"]


def test_a_policy_names_the_columns(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "policy.yaml").write_text(
        "columns:\n  name: {role: identifier}\n  age: {role: quasi-identifier}\n  sex: {role: quasi-identifier}\n"
        "  disease: {role: sensitive}\n  income: {role: plain}\n"
        "requirements: [{id: l-diversity-distinct, l: 3, sensitive: disease}]\noutput: {format: parquet}\n"
    )
    asked = ("release", "data.csv", "--kind", "anatomy-pair", "--groups", "ward", "--policy", "policy.yaml")
    assert here(monkeypatch, *asked, "-q", "-o", "out") == 0
    assert sfumato.read(str(folder / "out" / "public" / "qit.parquet")).columns == ("age", "sex", "GroupID")
    assert here(monkeypatch, "verify", "out") == 0
    assert here(monkeypatch, *asked, "-r", "l-diversity-distinct l=4 sensitive=disease", "-o", "two") == 3


ANATOMY = ("release", "data.csv", "--kind", "anatomy-pair")
WHOLE = (*ANATOMY, "--groups", "ward", "--qid", "age", "--sensitive", "disease")
PERTURB = ("perturb", "data.csv", "--with", "rank-swapping column=age p=5")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("release", "data.csv", "--kind", "anatomie"), 2, "did you mean 'anatomy-pair'"),
        (("release", "data.csv", "--kind", "recoded-table"), 4, "use instead: sfumato.anonymize"),
        (("release", "none.csv", "--kind", "anatomy-pair"), 2, "none.csv"),
        (ANATOMY, 2, "qid: needs the columns to publish; available: name, age, sex, disease, income, ward"),
        ((*ANATOMY, "--qid", "age", "--sensitive", "disease"), 2, "groups: anatomy-pair needs a grouping"),
        ((*WHOLE, "-r", "l-diversity-distinct l=4 sensitive=disease"), 3, "measured 3, needed >= 4"),
        ((*WHOLE, "-r", "l-diversity-distinct l"), 2, "--require: must be key=value"),
        ((*WHOLE, "-r", " "), 2, "--require: must name a requirement"),
        ((*WHOLE, "-r", "k-anonymity 'k=3"), 2, "--require: has a quotation mark that is not closed"),
        ((*WHOLE, "-r", "differential-privacy epsilon=1"), 4, "audit"),
        ((*WHOLE, "--set", "form"), 2, "--set: must be key=value"),
        ((*WHOLE, "--set", "form=[1"), 2, "--set: has a value that cannot be read"),
        ((*WHOLE, "--set", "form=triple"), 2, "is not one of the choices"),
        ((*WHOLE, "--set", "qid=age"), 2, "--set: is given by --qid"),
        ((*WHOLE, "--set", "form=pair", "--set", "form=pair"), 2, "--set: is given twice"),
        ((*WHOLE, "--set", "centre=mean"), 2, "available: count, form, group"),
        ((*WHOLE, "--format", "pdf"), 2, "is not a format that can be written"),
        (PERTURB, 2, "say where to write; available: --out, --release"),
        ((*PERTURB, "--release", "release", "--keep-order"), 2, "--keep-order: a release is sorted"),
        ((*PERTURB, "--release", "data.csv"), 5, "--release: exists already"),
    ],
)
def test_refusals_take_one_line(
    folder: Path,
    arguments: tuple[str, ...],
    code: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = () if arguments[0] == "perturb" else ("-o", "out")
    assert here(monkeypatch, *arguments, *out) == code
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert words in lines[0]
    assert {path.name for path in folder.iterdir()} == {"data.csv"}


def test_a_folder_that_exists_is_left_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "out").mkdir()
    assert here(monkeypatch, *WHOLE, "-o", "out") == 5
    assert "never overwrites" in capsys.readouterr().err
