"""A contract that follows from what holders put down over a network: the same for all, and no offer that somebody else made."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from service.session_world import World
from sfumato.cli import commands  # noqa: F401
from sfumato.cli.main import app
from sfumato.cli.party_sessions import invite, offer
from sfumato.contracts.run import Run
from sfumato.errors import SfumatoError
from sfumato.parties.contract import Contract
from sfumato.parties.negotiation import Offer
from sfumato.service.holder import Line
from sfumato.service.offers import _agreed, invited, offered


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("offers"))


def offer_of(world: World, name: str, k: int) -> dict[str, Any]:
    own = world.document["holders"][name]["columns"]
    columns = {one: world.document["columns"][one] for one in own}
    if name == "h0":
        columns["class"] = world.document["columns"]["class"]
    return {
        "holder": name,
        "person": "id",
        "columns": columns,
        "requirements": [{"id": "k-anonymity", "k": k}],
        "metrics": [],
    }


def line(world: World, name: str, address: str) -> Line:
    return Line(world.people[name], world.people["coordinator"].pinned, address)


def test_all_make_the_same_contract_of_what_all_have_signed(world: World) -> None:
    with world.coordinated() as (address, coordinator):
        made: dict[str, Contract] = {}

        def answer(name: str, k: int) -> None:
            asked = Offer.of(offer_of(world, name, k))
            made[name] = offered(line(world, name, address), asked, run=Run(), patience=30)[1]

        threads = [threading.Thread(target=answer, args=(f"h{at}", at + 2)) for at in range(3)]
        for thread in threads:
            thread.start()
        contract = invited(line(world, "user", address), ["h0", "h1", "h2"], run=Run(), patience=30)
        for thread in threads:
            thread.join(timeout=30)
        assert {one.hash() for one in made.values()} == {contract.hash()}
        assert [one["k"] for one in contract.requirements] == [4]
        assert contract.holders["h1"].certificate == world.people["h1"].pinned.certificate
        (held,) = coordinator.invitations._held.values()
        held.offers["h1"] = {**held.offers["h1"], "sig": held.offers["h2"]["sig"]}  # type: ignore[dict-item, call-overload, index]
        with pytest.raises(SfumatoError, match="has not signed"):
            _agreed(line(world, "user", address), next(iter(coordinator.invitations._held)), Run(), 5)


def test_who_is_not_invited_sees_nothing_and_offers_wait_for_all(world: World) -> None:
    with world.coordinated() as (address, _):
        user, thief, bank = (line(world, name, address) for name in ("user", "h2", "h0"))
        for wrong in (["h0"], ["h0", "h0"], ["h0", "nobody"], "h0", None):
            with pytest.raises(SfumatoError, match="two members or more"):
                user.say("/v1/invitations", {"holders": wrong})  # type: ignore[dict-item]
        key = user.say("/v1/invitations", {"holders": ["h0", "h1"]})["invitation"]
        with pytest.raises(SfumatoError, match="not an invitation of yours"):
            thief.ask("GET", f"/v1/invitations/{key}")
        bank.say(f"/v1/invitations/{key}", {"offer": {}})
        told = user.ask("GET", f"/v1/invitations/{key}")
        assert (told["waiting"], told["offers"]) == (["h1"], {})
        with pytest.raises(SfumatoError, match="offered already"):
            bank.say(f"/v1/invitations/{key}", {"offer": {}})
        with pytest.raises(SfumatoError, match="in time"):
            invited(user, ["h0", "h1"], run=Run(), patience=0.5)


def test_by_commands(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with world.coordinated() as (address, _):
        for name in ("h0", "h1"):
            (world.folder / f"{name}.offer.json").write_text(json.dumps(offer_of(world, name, 2)))
            settings = {
                "name": name,
                "key": f"{name}.key",
                "certificate": f"{name}.crt",
                "contract": f"{name}.contract.yaml",
                "policy": f"{name}.offer.json",
                "coordinator": address,
                "coordinator_certificate": "coordinator.crt",
            }
            lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
            (world.folder / f"{name}.toml").write_text("\n".join(lines))
        options = {"patience": 30.0, "passphrase": False}
        threads = [
            threading.Thread(target=offer, args=(world.folder / f"{name}.toml",), kwargs=options)
            for name in ("h0", "h1")
        ]
        for thread in threads:
            thread.start()
        user = {"name": "user", "key": world.folder / "user.key", "own_certificate": world.folder / "user.crt"}
        server = {"coordinator": address, "coordinator_certificate": world.folder / "coordinator.crt"}
        invite(["h0", "h1"], out=tmp_path / "c.yaml", **user, **server, **options)
        for thread in threads:
            thread.join(timeout=40)
    hashes = {Contract.load(tmp_path / "c.yaml").hash()}
    hashes |= {Contract.load(world.folder / f"{name}.contract.yaml").hash() for name in ("h0", "h1")}
    assert len(hashes) == 1
    told = capsys.readouterr().out
    assert told.count("compare the keys") == 3
    assert told.count("user has invited") == 2
    again = CliRunner().invoke(app, ["party", "offer", "--config", str(world.folder / "h0.toml")])
    assert "exists already" in str(again.exception)
