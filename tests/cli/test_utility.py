"""``sfumato utility``: errors with intervals, JSON, curves drawn as SVG, clusters, refusals in one line."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import Run

pytest.importorskip("sklearn", reason="scikit-learn is not installed (pip install sfumato[experiments])")


@pytest.fixture
def released(run: Run, good: Path) -> Path:
    """A folder with a table, its policy and a release."""
    done = run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out", "-q")
    assert done.returncode == 0, done.stderr
    return good


def test_errors_and_their_intervals(run: Run, released: Path) -> None:
    done = run("utility", "data.csv", "out", "--classifier", "naive-bayes", "--classifier", "decision-tree")
    assert done.returncode == 0, done.stderr
    assert "predicting class; masked: age, job" in done.stdout
    lines = [line.split() for line in done.stdout.splitlines()]
    (tree,) = [line for line in lines if line[:1] == ["decision-tree"]]
    assert tree[2].startswith("[")
    assert any(line[:1] == ["naive-bayes"] for line in lines)
    assert "20 test records" in done.stdout


def test_json_and_all_classifiers(run: Run, released: Path) -> None:
    done = run("utility", "data.csv", "out", "--target", "class", "-c", "all", "--folds", "3", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert len(told["classifiers"]) == 5
    assert "3-fold cross-validation, masking learned on each training part" in told["protocol"]
    assert all(entry["AE"]["n_test"] == 60 for entry in told["classifiers"])


def test_a_bare_file_and_another_table_to_test_on(run: Run, released: Path) -> None:
    done = run("utility", "data.csv", "out/public/data.csv", "--target", "class", "--qid", "age,job")
    assert done.returncode == 0, done.stderr
    assert "note: the rows of the release cannot be matched" in done.stdout
    (released / "later.csv").write_text((released / "data.csv").read_text())
    done = run("utility", "data.csv", "out", "--test", "later.csv")
    assert done.returncode == 0, done.stderr
    assert "masked as the release was" in done.stdout


def test_errors_against_k_are_drawn(run: Run, released: Path) -> None:
    asked = ("utility", "data.csv", "--against-k", "2,10,30", "--policy", "policy.yaml")
    done = run(*asked, "--plot", "errors.svg")
    assert done.returncode == 0, done.stderr
    assert "wrote errors.svg" in done.stdout
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("decision-tree")] == [
        "2",
        "10",
        "30",
    ]
    root = ElementTree.parse(released / "errors.svg").getroot()
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 3
    texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"AE", "BE", "UE", "k", "decision-tree"} <= texts
    again = run("utility", "data.csv", "out", "--against-k", "2,10,30", "--json")  # the policy of the folder
    assert [point["k"] for point in json.loads(again.stdout)["points"]] == [2, 10, 30]


def test_clusters(run: Run, released: Path) -> None:
    done = run("utility", "data.csv", "out", "--clusters", "3")
    assert done.returncode == 0, done.stderr
    assert "3 clusters on age, job; bisecting-k-means" in done.stdout
    assert "F-measure 0." in done.stdout or "F-measure 1." in done.stdout
    told = json.loads(run("utility", "data.csv", "out", "--clusters", "3", "--clusterer", "k-means", "--json").stdout)
    assert told["clusterer_of_release"] == "k-means"
    assert sum(told["sizes_after"]) == 60


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("data.csv", "out", "--target", "klass"), ("target", "klass", "'class'")),
        (("data.csv", "out", "--classifier", "svm"), ("classifiers", "svm", "decision-tree")),
        (("data.csv", "out", "--folds", "61"), ("folds", "61")),
        (("data.csv", "out/public/data.csv", "--target", "class", "--qid", "age", "--folds", "5"), ("policy",)),
        (("data.csv",), ("RELEASE",)),
        (("data.csv", "nowhere"), ("nowhere",)),
        (("data.csv", "--against-k", "5,ten", "--policy", "policy.yaml"), ("--against-k", "5,ten")),
        (("data.csv", "--against-k", "5"), ("--policy",)),
        (("data.csv", "out", "--plot", "x.svg"), ("--plot", "--against-k")),
        (("data.csv", "out", "--clusters", "1"), ("clusters", "from 2")),
        (("data.csv", "out", "--clusters", "3", "--folds", "5"), ("--folds", "clusters")),
    ],
)
def test_refusals_take_one_line(run: Run, released: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    done = run("utility", *arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("error: ")
    for word in words:
        assert word in line


def test_a_k_beyond_the_table_has_no_solution(run: Run, good: Path) -> None:
    done = run("utility", "data.csv", "--against-k", "5,61", "--policy", "policy.yaml")
    assert done.returncode == 3
    assert "61" in done.stderr
