"""Persons with columns and a path: who knows the columns and a few points finds K, beside a brute force, to the folder."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import sfumato
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.trajectories import Trajectories
from sfumato.trajectories.models import LKCPrivacy, PathKAnonymity

Rows = dict[str, list[object]]


def _drawn(seed: int, persons: int = 150) -> Rows:
    rng = np.random.default_rng(seed)
    rows: Rows = {"who": [], "age": [], "town": [], "ill": [], "where": [], "at": []}
    for person in range(persons):
        age, town, ill = int(rng.integers(20, 60)), str(rng.choice(["Ulm", "Bonn"])), str(rng.choice(["x", "y", "z"]))
        for at in sorted(rng.choice(5, int(rng.integers(1, 4)), replace=False).tolist()):
            place = str(rng.choice(list("abc"), p=[0.6, 0.3, 0.1]))
            for name, value in zip(rows, (person, age, town, ill, place, at), strict=True):
                rows[name].append(value)
    return rows


def _policy(**more: object) -> dict[str, object]:
    return {
        "shape": "trajectories",
        "person": "who",
        "place": {"column": "where"},
        "time": {"column": "at"},
        "columns": {
            "age": {"role": "quasi-identifier"},
            "town": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"*": ["Ulm", "Bonn"]}}},
            "ill": {"role": "sensitive"},
        },
        "requirements": [{"id": "lkc-privacy", "L": 2, "K": 4}],
        **more,
    }


def _smallest(release: sfumato.Release, most: int) -> int:
    """Return how few persons anybody finds who knows all columns of a person and up to so many pairs."""
    rows = release.tables["persons"].to_rows()
    names = list(release.tables["persons"].columns)
    known = {row[0]: (row[names.index("age")], row[names.index("town")]) for row in rows}
    paths: dict[int, set[tuple[object, object]]] = {row[0]: set() for row in rows}
    for person, place, time in release.tables["points"].to_rows():
        paths[person].add((place, time))
    found = len(rows)
    for person, path in paths.items():
        for size in range(most + 1):
            for some in combinations(sorted(path, key=repr), size):
                found = min(found, sum(known[o] == known[person] and set(some) <= paths[o] for o in paths))
    return found


@pytest.mark.parametrize("persons", [8, 40])
def test_who_knows_the_columns_and_two_points_finds_k_persons(persons: int) -> None:
    release = sfumato.anonymize(_drawn(1), _policy(algorithm={"id": "class-by-class", "persons": persons}))
    assert _smallest(release, 2) >= 4
    assert release.verdict.satisfied
    assert next(iter(release.verdict)).qid == ("age", "town")
    assert next(iter(release.verdict)).strongest == _smallest(release, 2)


def test_to_the_public_folder_and_back(tmp_path: Path) -> None:
    asked = [{"id": "lkc-privacy", "L": 1, "K": 3, "C": 0.9, "sensitive": "ill"}]
    policy = _policy(
        requirements=asked,
        algorithm={"id": "class-by-class", "persons": 30, "points": {"id": "local-pair-suppression"}},
    )
    with pytest.raises(Unsupported, match="who knows pairs"):
        sfumato.anonymize(_drawn(2), {**policy, "requirements": [{**asked[0], "knowledge": "time"}]})
    with pytest.raises(Infeasible, match="class"):
        sfumato.anonymize(_drawn(2), {**policy, "requirements": [{**asked[0], "C": 0.2}]})
    release = sfumato.anonymize(_drawn(2), policy)
    sfumato.publish(release, tmp_path / "out")
    checked = sfumato.verify(tmp_path / "out" / "public")
    assert checked
    assert checked.certificate.requirements[0].recounted == "plain"
    operations = {entry.name: entry.operation for entry in checked.certificate.columns}
    assert operations["age"] != "none"
    found = sfumato.audit(tmp_path / "out")
    assert found
    assert "150" in (tmp_path / "out" / "public" / "report.html").read_text()


def test_whole_paths_are_shared_inside_a_class() -> None:
    asked = _policy(
        requirements=[{"id": "path-k-anonymity", "k": 3}],
        algorithm={"id": "class-by-class", "persons": 40, "points": {"id": "path-suppression"}},
    )
    assert _smallest(sfumato.anonymize(_drawn(3), asked), 9) >= 3


def test_columns_change_what_is_judged() -> None:
    paths = [[("a", 1)], [("a", 1)], [("a", 1)], [("a", 1)]]
    held = Trajectories.of(paths, columns={"age": [30, 30, 30, 40]})
    for model in (LKCPrivacy(L=1, K=2), LKCPrivacy(L=1, K=2, knowledge="time"), PathKAnonymity(k=2)):
        assert model.judge(held).satisfied
        found = model.judge(_known(held))
        assert not found.satisfied
        assert found.strongest == 1
        assert found.violations[0].group[0] == "age=40"
    with pytest.raises(Unsupported, match="beside columns"):
        LKCPrivacy(L=1, K=2, knowledge="location").judge(_known(held))


def _known(paths: Trajectories) -> Trajectories:
    from dataclasses import replace

    return replace(paths, known=("age",))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"algorithm": {"id": "trajectory-anonymizer"}}, "class-by-class"),
        ({"requirements": [{"id": "minimum-count", "k": 2}]}, "path-k-anonymity"),
        ({"columns": {"ill": {"role": "sensitive", "range": [0, 1]}}}, "quasi-identifiers only"),
        ({"columns": {"age": {"role": "identifier"}}}, "must be quasi-identifier"),
        ({"columns": {}, "algorithm": {"id": "class-by-class"}}, "needs columns"),
        ({"algorithm": {"id": "class-by-class", "points": {"id": "never-walk-alone"}}}, "leave points out"),
        ({"algorithm": {"id": "class-by-class", "points": {"id": "class-by-class"}}}, "leave points out"),
    ],
)
def test_what_makes_no_sense_is_refused(more: dict[str, object], told: str) -> None:
    with pytest.raises((BadRequest, Unsupported), match=told):
        sfumato.anonymize(_drawn(1, 12), _policy(**more))
