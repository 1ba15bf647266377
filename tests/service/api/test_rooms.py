"""Rooms and policies: nothing leads out of the data of whoever asks, and nothing unfolds to more than there is space for."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from service.api.house_world import POLICY, TABLE, World, new_world
from sfumato.service.api.house import Limits


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = new_world(tmp_path_factory.mktemp("rooms"), Limits(unfolded=100_000, wait=0.0), bytes=50_000)
    assert made.client("hospital").put("/v1/data/t.csv", content=TABLE).status_code == 201
    return made


ELSEWHERE = [
    "../t.csv",
    "..%2Ft.csv",
    "a/../../t.csv",
    "/etc/passwd",
    "%2Fetc%2Fpasswd",
    "....//t.csv",
    "a\\..\\t.csv",
    ".hidden.csv",
    "a/.hidden.csv",
    "a%00.csv",
    "postgresql:%2F%2Fhost/db",
    "x.duckdb",
    "a" * 300,
    "a/b/c/d/e/f/g.csv",
]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_names_that_lead_elsewhere_are_refused(world: World, name: str) -> None:
    steward = world.client("hospital")
    before = sorted(world.house.root.rglob("*"))
    assert steward.put(f"/v1/data/{name}", content=b"a\n1\n").status_code in (400, 401, 404, 405)
    assert steward.delete(f"/v1/data/{name}").status_code in (400, 401, 404, 405)
    assert steward.post("/v1/profile", json={"data": name}).status_code in (400, 404)
    assert sorted(world.house.root.rglob("*")) == before


def test_links_that_lead_elsewhere_are_refused(world: World, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    link = world.house.root / "hospital" / "data" / "link.csv"
    link.symlink_to(tmp_path / "secret.csv")
    told = world.client("hospital").post("/v1/profile", json={"data": "link.csv"})
    link.unlink()
    assert told.status_code == 400
    assert "leads out" in told.json()["error"]["message"]


def _leveled(file: str) -> dict[str, Any]:
    named = {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "file": file}}
    return {**POLICY["columns"], "age": named}


def test_rooms_are_apart(world: World) -> None:
    other = world.client("clinic")
    assert other.get("/v1/data").json() == []
    assert other.post("/v1/profile", json={"data": "t.csv"}).status_code == 404
    assert other.post("/v1/profile", json={"data": "../../hospital/data/t.csv"}).status_code == 400


@pytest.mark.parametrize(
    "changed",
    [
        {"ledger": "x"},
        {"ledger": "postgresql://host/db"},
        {"engine": "spark"},
        {"engine": {"id": "duckdb", "temp": "/tmp"}},
        {"source": {"format": "duckdb"}},
        {"columns": _leveled("/etc/passwd")},
        {"columns": _leveled("a/../../t")},
        {"columns": {**POLICY["columns"], "id": {"role": "identifier", "pseudonym": {"key_variable": "PATH"}}}},
        {"columns": {**POLICY["columns"], "id": {"role": "identifier", "pseudonym": {"key_file": "~/key"}}}},
        {"requirements": [{"id": "os:system"}]},
        {"requirements": []},
    ],
)
def test_policies_that_lead_elsewhere_are_refused(world: World, changed: dict[str, Any]) -> None:
    steward = world.client("hospital")
    asked = {"data": "t.csv", "policy": {**POLICY, **changed}}
    told = [steward.post(f"/v1/{verb}", json=asked).status_code for verb in ("anonymize", "check")]
    assert set(told) <= {400, 422}  # no name makes us import a module: somebody's own class is not known here
    assert steward.get("/v1/jobs").json() == []


def test_what_unfolds_is_refused(world: World) -> None:
    steward = world.client("hospital")
    packed = gzip.compress(b"a\n" + b"0\n" * 1_000_000)
    assert len(packed) < 50_000
    told = steward.put("/v1/data/bomb.csv.gz", content=packed)
    assert (told.status_code, "unfolds" in told.json()["error"]["message"]) == (400, True)
    assert [one["name"] for one in steward.get("/v1/data").json()] == ["t.csv"]


def test_a_room_has_its_size(world: World) -> None:
    steward = world.client("hospital")
    assert steward.put("/v1/data/large.csv", content=b"a\n" * 30_000).status_code == 413
    assert steward.put("/v1/data/more/part.csv", content=b"a\n" * 23_000).status_code == 201
    assert steward.put("/v1/data/small.csv", content=b"a\n" * 3000).status_code == 413
    assert steward.put("/v1/data/more", content=b"a\n").status_code == 400
    assert steward.put("/v1/data/t.csv/x.csv", content=b"a\n").status_code == 400
    assert steward.put("/v1/data/empty.csv", content=b"").status_code == 400
    assert steward.delete("/v1/data/more/part.csv").status_code == 204
    assert steward.put("/v1/data/t.csv", content=TABLE).status_code == 200


def test_jobs_have_a_number(tmp_path: Path) -> None:
    world = new_world(tmp_path, Limits(wait=0.0), jobs=2)
    steward = world.client("hospital")
    steward.put("/v1/data/t.csv", content=TABLE)
    asked = [steward.post("/v1/profile", json={"data": "t.csv"}, headers={"idempotency-key": str(n)}) for n in range(3)]
    assert [one.status_code for one in asked] == [202, 202, 429]
    again = steward.post("/v1/profile", json={"data": "t.csv"}, headers={"idempotency-key": "0"})
    assert (again.status_code, again.json()["job"]) == (202, asked[0].json()["job"])
    taken = steward.post("/v1/profile", json={"data": "t.csv", "shape": "graph"}, headers={"idempotency-key": "0"})
    assert taken.status_code == 409
    assert world.client("clinic").get(f"/v1/jobs/{again.json()['job']}").status_code == 404
    assert steward.post(f"/v1/jobs/{again.json()['job']}/cancel").json()["state"] == "cancelled"
    assert steward.post("/v1/profile", json={"data": "t.csv"}).status_code == 202
