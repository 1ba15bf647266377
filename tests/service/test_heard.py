"""A request starts one session, whatever becomes of the holder's process in between."""

from __future__ import annotations

import json
import stat
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from service.session_world import World, process
from sfumato.data.json import Json
from sfumato.errors import BadRequest
from sfumato.parties.contract import Contract
from sfumato.service.admission import signed_request
from sfumato.service.coordinator import Coordinator
from sfumato.service.heard import AGE, Heard


def test_what_was_heard_is_refused_by_whoever_reads_the_file(tmp_path: Path) -> None:
    file, now = tmp_path / "heard.txt", int(time.time())
    Heard(file).refuse_again("user", "a", now)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "user" not in file.read_text()
    again = Heard(file)
    with pytest.raises(BadRequest, match="has started a session before"):
        again.refuse_again("user", "a", now)
    again.refuse_again("other", "a", now)
    again.refuse_again("user", "b", now)
    for at in (now - AGE - 5, now + AGE + 5):
        with pytest.raises(BadRequest, match="too old"):
            again.refuse_again("user", "c", at)
    assert [path.name for path in tmp_path.iterdir()] == ["heard.txt"]


def test_what_is_too_old_anyway_is_forgotten_and_what_names_a_later_time_is_not(tmp_path: Path) -> None:
    file, now = tmp_path / "heard.txt", int(time.time())
    file.write_text(f"{now - AGE - 9} {'0' * 64}\n{now + AGE - 9} {'1' * 64}\n", encoding="ascii")
    Heard(file).refuse_again("user", "a", now)
    kept = file.read_text()
    assert "0" * 64 not in kept
    assert "1" * 64 in kept
    assert len(kept.splitlines()) == 2


@pytest.mark.parametrize("text", ["nothing\n", "1 2 3\n", "x y\n"])
def test_a_file_that_says_nothing_is_not_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "heard.txt").write_text(text)
    with pytest.raises(BadRequest, match="which requests were heard"):
        Heard(tmp_path / "heard.txt")


def test_a_file_that_cannot_be_written_refuses(tmp_path: Path) -> None:
    heard = Heard(tmp_path / "gone" / "heard.txt")
    for _ in range(2):  # and it was not heard for that
        with pytest.raises(BadRequest, match="which requests were heard"):
            heard.refuse_again("user", "a", int(time.time()))


def decided(coordinator: Coordinator, session: str) -> str:
    """Return what the first holder answered, as soon as it has."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        standing = coordinator.sessions[session]
        if "h0" in standing.approved or standing.status == "ABORTED":
            return "approved" if "h0" in standing.approved else standing.reason
        time.sleep(0.05)
    raise AssertionError("the holder did not answer")


@pytest.mark.slow
def test_a_signed_request_starts_nothing_at_a_holder_that_was_started_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    document = world.contract(direct=False)
    contract = Contract.of(document)
    (tmp_path / "contract.json").write_text(json.dumps(document), encoding="utf-8")
    pl.DataFrame(world.tables["h0"]).write_csv(tmp_path / "h0.csv")

    def holder(address: str) -> AbstractContextManager[None]:
        own: dict[str, Any] = {"name": "h0", "key": "h0.key", "certificate": "h0.crt", "contract": "contract.json"}
        own |= {"source": "h0.csv", "coordinator": address, "coordinator_certificate": "coordinator.crt"}
        own |= {"approve": "rule", "allow": ["user"], "people.user.certificate": "user.crt"}
        return process(tmp_path, "serve", "h0", own)

    def asked(request: dict[str, Json]) -> str:
        """Ask as a coordinator does that forgets, or wants to forget, that it has asked before."""
        session = str(request["nonce"])
        coordinator.sessions.pop(session, None)
        coordinator.open("user", document, request)
        answer = decided(coordinator, session)
        coordinator.abort("user", session)
        return answer

    with world.coordinated() as (address, coordinator):
        request = signed_request(world.people["user"], contract)
        with holder(address):
            assert asked(request) == "approved"
        with holder(address):
            assert "does not agree" in asked(request)
            assert "has started a session before" in (tmp_path / "h0.audit.jsonl").read_text()
            assert asked(signed_request(world.people["user"], contract)) == "approved"
        (tmp_path / "h0.heard.txt").unlink()  # it is this file that remembers
        with holder(address):
            assert asked(request) == "approved"
