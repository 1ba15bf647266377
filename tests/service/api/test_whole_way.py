"""The whole way: from a file to a release that a stranger verifies, by requests alone; and what others see of it: nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from starlette.testclient import TestClient

import sfumato
from service.api.hostile import fuzzed
from service.api.house_world import POLICY, TABLE, World, new_world
from sfumato.service.api.house import Limits

WAIT = {"prefer": "wait=60"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = new_world(tmp_path_factory.mktemp("way"), Limits(wait=60.0), requests=100_000)
    with made.house:
        assert made.client("hospital").put("/v1/data/t.csv", content=TABLE).status_code == 201
        yield made


@pytest.fixture(scope="module")
def release(world: World) -> str:
    asked = {"data": "t.csv", "policy": {**POLICY, "series": {"name": "monthly"}}}
    headers = {**WAIT, "idempotency-key": "first"}
    told = world.client("hospital").post("/v1/anonymize", json=asked, headers=headers).json()
    assert told["state"] == "done", told
    again = world.client("hospital").post("/v1/anonymize", json=asked, headers=headers).json()
    assert (again["job"], again["release"]) == (told["job"], told["release"])
    return str(told["release"])


def test_looking_and_judging(world: World) -> None:
    steward = world.client("hospital")
    found = steward.post("/v1/profile", json={"data": "t.csv"}).json()
    assert [one["name"] for one in found["result"]["columns"]] == ["age", "sick"]
    asked = {"data": "t.csv", "requirements": [{"id": "k-anonymity", "k": 3}], "qid": ["age"]}
    assert steward.post("/v1/check", json=asked).json()["result"]["satisfied"] is True
    strict = {**asked, "requirements": [{"id": "k-anonymity", "k": 30}]}
    assert steward.post("/v1/check", json=strict).json()["result"]["satisfied"] is False
    assert "k-anonymity" in steward.post("/v1/draft", json={"data": "t.csv"}).json()["result"]["policy"]


def test_what_is_wrong_with_a_table_is_a_sentence_with_its_job(world: World) -> None:
    steward = world.client("hospital")
    steward.put("/v1/data/odd.parquet", content=b"PAR1 and no more")
    told = steward.post("/v1/profile", json={"data": "odd.parquet"})
    assert (told.status_code, told.json()["error"]["code"]) == (400, "bad-request")
    assert str(world.house.root) not in told.text
    number = told.json()["error"]["job"]
    assert steward.get(f"/v1/jobs/{number}").json()["state"] == "failed"
    asked = {"data": "t.csv", "requirements": [{"id": "k-anonymity", "k": 3}], "qid": ["nothing"]}
    assert steward.post("/v1/check", json=asked).status_code == 400
    hard = {**POLICY, "requirements": [{"id": "k-anonymity", "k": 10_000}]}
    assert steward.post("/v1/anonymize", json={"data": "t.csv", "policy": hard}, headers=WAIT).status_code == 422
    assert len(list((world.house.root / "hospital" / "releases").iterdir())) <= 1


def test_a_release_goes_to_readers_and_its_private_part_does_not(world: World, release: str, tmp_path: Path) -> None:
    reader, auditor, steward, other = (world.client(name) for name in ("ann", "otto", "hospital", "clinic"))
    packed = ZipFile(BytesIO(reader.get(f"/v1/releases/{release}/public.zip").content))
    packed.extractall(tmp_path / "public")
    assert sfumato.verify(tmp_path / "public")
    assert not list(world.house.log.path.parent.glob("*.zip"))
    assert reader.post("/v1/verify", json={"release": release}).json()["result"]["verified"] is True
    assert reader.get(f"/v1/releases/{release}").json()["certificate"]["ledger"]["series"] == "monthly"
    assert reader.get(f"/v1/releases/{release}/public/data.csv").text.startswith("age,sick")
    assert reader.get(f"/v1/releases/{release}/public/..%2Fprivate%2Fpolicy.yaml").status_code == 404
    assert reader.get(f"/v1/releases/{release}/report").headers["content-type"].startswith("text/html")
    for asked in (reader, steward):
        assert asked.get(f"/v1/releases/{release}/report?edition=internal").status_code == 403
        assert asked.get(f"/v1/releases/{release}/private/policy.yaml").status_code == 403
        assert asked.post("/v1/report", json={"release": release, "edition": "internal"}).status_code == 403
    assert auditor.get(f"/v1/releases/{release}/private/policy.yaml").status_code == 200
    assert auditor.post("/v1/audit", json={"release": release}).json()["result"]["tried"]
    assert auditor.post("/v1/audit", json={"release": release, "raw": "t.csv"}).status_code == 403
    assert [one["release"] for one in other.get("/v1/releases").json()] == []
    for route in ("", "/public.zip", "/report", "/private", "/private/policy.yaml"):
        assert other.get(f"/v1/releases/{release}{route}").status_code == 404
    assert other.post("/v1/verify", json={"release": release}).status_code == 404
    page = reader.post("/v1/report", json={"release": release, "language": "de"}).json()
    assert 'lang="de"' in reader.get(f"/v1/jobs/{page['job']}/report").text
    assert other.get(f"/v1/jobs/{page['job']}/report").status_code == 404


def test_what_was_released_is_remembered(world: World, release: str) -> None:
    auditor, steward = world.client("otto"), world.client("hospital")
    assert auditor.get("/v1/series").json() == {"monthly": 1}
    (past,) = auditor.get("/v1/series/monthly").json()
    assert past["release"] == 1
    assert auditor.get("/v1/series/other").status_code == 404
    assert auditor.post("/v1/ledger/verify").json()["verified"] is True
    assert auditor.get("/v1/ledger/entries?series=monthly").json()[0]["kind"] == "reserved"
    assert auditor.get("/v1/ledger").json()["series"] == {"monthly": 1}
    assert steward.delete(f"/v1/releases/{release}").status_code == 400
    assert world.client("clinic").get("/v1/ledger").status_code == 404
    assert steward.put("/v1/budgets/year", json={"epsilon": 2}).json()["left"]["epsilon"] == 2
    assert steward.put("/v1/budgets/year", json={"epsilon": 2}).status_code in (400, 409)


def test_a_desk_knows_who_asks(world: World) -> None:
    steward, reader = world.client("hospital"), world.client("ann")
    columns = {"age": {"role": "quasi-identifier"}, "sick": {"role": "quasi-identifier", "values": ["no", "yes"]}}
    policy = {"desk": {"mode": "exact", "audit": {"id": "query-audit-online", "m": 2}}, "columns": columns}
    assert steward.put("/v1/desks/first", json={"data": "t.csv", "policy": POLICY}).status_code == 400
    told = steward.put("/v1/desks/first", json={"data": "t.csv", "policy": policy})
    assert told.status_code == 201, told.text
    answer = reader.post("/v1/desks/first/ask", json={"question": "count group by sick"}).json()
    assert sum(row[-1] for row in answer["result"]["rows"]) == 200
    assert reader.post("/v1/desks/first/ask", json={"question": "count where"}).status_code == 400
    assert reader.post("/v1/desks/other/ask", json={"question": "count"}).status_code == 404
    assert world.client("otto").post("/v1/desks/first/ask", json={"question": "count"}).status_code == 403
    (body,) = [job.asked for job in world.house.book.jobs(owner="ann") if job.number == answer["job"]]
    assert body["asker"] == "ann"


def _events(client: TestClient, job: int, after: int | None = None) -> list[tuple[int, dict[str, object]]]:
    headers = {} if after is None else {"last-event-id": str(after)}
    told = client.get(f"/v1/jobs/{job}/events", headers=headers)
    assert told.headers["content-type"].startswith("text/event-stream")
    parts = [dict(line.split(": ", 1) for line in part.splitlines()) for part in told.text.split("\n\n") if part]
    return [(int(part["id"]), json.loads(part["data"])) for part in parts]


def test_events_go_on_where_somebody_was(world: World, release: str) -> None:
    steward = world.client("hospital")
    job = next(one["job"] for one in steward.get("/v1/jobs").json() if one["release"] == release)
    every = _events(steward, job)
    assert [told.get("state") for _, told in (every[0], every[-1])] == ["waiting", "done"]
    assert _events(steward, job, every[3][0]) == every[4:]
    assert steward.get(f"/v1/jobs/{job}/events", headers={"last-event-id": "x"}).status_code == 400
    assert world.client("clinic").get(f"/v1/jobs/{job}/events").status_code == 404
    assert world.client("ann").get(f"/v1/jobs/{job}").status_code == 404


def test_a_release_that_no_ledger_remembers_can_be_deleted(world: World) -> None:
    steward = world.client("hospital")
    made = steward.post("/v1/anonymize", json={"data": "t.csv", "policy": POLICY}, headers=WAIT).json()["release"]
    assert steward.delete(f"/v1/releases/{made}").status_code == 204
    assert steward.get(f"/v1/releases/{made}").status_code == 404


def test_hostile_requests_are_refused(world: World, release: str) -> None:
    assert fuzzed(world, 120, seed=1, release=release) > 100
