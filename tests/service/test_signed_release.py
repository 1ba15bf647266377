"""A release that all holders have signed can be checked by whoever has the contract; what was changed afterwards is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from click.testing import Result
from typer.testing import CliRunner

from service.session_world import World
from sfumato.cli import commands  # noqa: F401
from sfumato.cli.main import app
from sfumato.cli.party_sessions import _published
from sfumato.contracts.run import Run
from sfumato.errors import Contradiction, SfumatoError
from sfumato.parties.contract import Contract
from sfumato.service.request import requested


def test_signatures_of_all_holders_are_checked_against_the_contract(tmp_path: Path) -> None:
    world = World(tmp_path)
    document = world.contract(direct=False)
    contract = Contract.of(document)
    with world.coordinated() as (address, _):
        user, server = world.people["user"], world.people["coordinator"].pinned
        with world.served([world.holder(name, contract, address) for name in contract.holders]):
            granted = requested(user, server, address, contract, run=Run(), patience=60)
    _published(granted, tmp_path / "joint", "fail", Run(), quiet=True, json_form=False)
    (tmp_path / "contract.json").write_text(json.dumps(document))

    def checked(contract: str = "contract.json") -> Result:
        return CliRunner().invoke(app, ["party", "check", str(tmp_path / "joint"), "-p", str(tmp_path / contract)])

    assert "h0, h1 and h2 have signed" in checked().output
    (tmp_path / "other.json").write_text(json.dumps({**document, "requirements": [{"id": "k-anonymity", "k": 1}]}))
    assert "has not signed" in str(checked("other.json").exception)
    certificate = tmp_path / "joint" / "public" / "certificate.json"
    text = certificate.read_bytes()
    certificate.write_bytes(text + b" ")
    assert "has not signed the certificate" in str(checked().exception)
    assert isinstance(checked().exception, Contradiction)
    certificate.write_bytes(text)
    beside = tmp_path / "joint.holders.json"
    held = json.loads(beside.read_text())
    for wrong in ({**held, "session": "0" * 32}, {**held, "signatures": {}}, {**held, "certificate": {}}, [], {}):
        beside.write_text(json.dumps(wrong))
        assert isinstance(checked().exception, SfumatoError), wrong
    beside.write_text("{")
    assert "is no JSON" in str(checked().exception)
    beside.unlink()
    assert "cannot be read" in str(checked().exception)
    # What nobody but its recipient certifies is for the recipient's eyes.
    _published(replace(granted, certificates={}), tmp_path / "third", "fail", Run(), quiet=True, json_form=False)
    assert (tmp_path / "third.holders.json").stat().st_mode & 0o077 == 0
