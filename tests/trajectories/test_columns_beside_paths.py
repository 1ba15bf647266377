"""Persons with columns and a path: who knows the columns and a few points finds K, beside a brute force, to the folder."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import sfumato
from command_line import sfumato_in
from sfumato.catalogue import build
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.trajectories import Trajectories
from sfumato.trajectories.attack import TrajectoryAttack, TrajectoryKnowledge
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
        sfumato.anonymize(_drawn(2), {**policy, "requirements": [{**asked[0], "knowledge": "location"}]})
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


@pytest.mark.parametrize("name", ["location-attack", "location-proportion-attack", "home-work-attack"])
def test_whoever_knows_columns_looks_among_those_who_share_them(name: str) -> None:
    paths = Trajectories.of(
        [[("a", 1), ("b", 2)], [("a", 1), ("b", 2)], [("a", 1), ("b", 2)], [], [("c", 1)]],
        columns={"town": ["Ulm", "Ulm", "Bonn", "Bonn", "Ulm"]},
    )
    attack = build(name, "attack", "trajectories")
    assert isinstance(attack, TrajectoryAttack)
    plain = attack.on(paths, TrajectoryKnowledge(), Run()).per_victim
    known = attack.on(replace(paths, known=("town",)), TrajectoryKnowledge(), Run()).per_victim
    assert plain.tolist() == [1 / 3, 1 / 3, 1 / 3, 1 / 5, 1.0]
    assert known.tolist() == [1 / 2, 1 / 2, 1.0, 1 / 2, 1.0]


def test_what_is_known_of_a_victim_is_found_behind_intervals_and_labels(tmp_path: Path) -> None:
    tree, data = {"Germany": ["Ulm", "Bonn"]}, _drawn(3)
    age, town = data["age"][0], data["town"][0]
    release = sfumato.anonymize(
        data,
        _policy(
            columns={
                "age": {"role": "quasi-identifier"},
                "town": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}},
                "ill": {"role": "sensitive"},
            },
            requirements=[{"id": "lkc-privacy", "L": 1, "K": 3}],
        ),
    )
    sfumato.publish(release, tmp_path / "out")
    rows = release.tables["persons"].select(["age", "town"]).to_rows()
    fits = [
        (a == str(age) or (a.startswith("[") and int(a[1:3]) <= age <= int(a[4:6]))) and t in (town, "Germany")
        for a, t in rows
    ]
    told = {"values": {"age": age, "town": town}}
    assert 0 < sum(fits) < len(rows)
    assert len(sfumato.attack(tmp_path / "out", "location-attack", **told).per_victim) == sum(fits)
    said = sfumato_in(
        tmp_path, "attack", "out", "-w", "location-attack", "--know", f"age={age}", "--know", f"town={town}"
    )
    assert "linked by age, town" in said.stdout
    found = sfumato.audit(tmp_path / "out").of("location-attack")
    assert set(found.columns) == {"age", "town"}
    assert sfumato.attack(release, "location-attack", qid=["town"]).mean <= found.after.mean
    nobody = sfumato.attack(release, "location-attack", values={"age": 999})
    assert "Nobody" in str(nobody.reading)
    assert nobody.highest == 0
    for wrong, what in (
        ({"values": {"aeg": 3}}, "available: points"),
        ({"values": {"ill": "x"}, "sensitive": "ill"}, "learnt"),
    ):
        with pytest.raises(BadRequest, match=what):
            sfumato.attack(release, "trajectory-linkage-attack", **wrong)
    said = sfumato_in(tmp_path, "attack", "out", "-w", "location-attack", "--know", "age")
    assert "points=PLACE@TIME" in said.stderr
    assert said.returncode == 2
