"""Holders in processes of their own, over mutual TLS and by the relay: secret checks, and records that meet in a column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from parties.tables_of_holders import Columns, joint_table
from parties.test_joining import DOCUMENT, SHOP, TOWN
from service.session_world import World, free_port
from sfumato.contracts.run import Run
from sfumato.parties.contract import Contract
from sfumato.parties.simulation import collaborate
from sfumato.service.request import Granted, requested

pytestmark = pytest.mark.slow


class Checked(World):
    """Three holders, one of which has a sensitive column that nobody else may see."""

    def agreed(self) -> tuple[dict[str, Any], dict[str, Columns]]:
        document, tables, _ = joint_table(27, holders=3, sensitive=True, protocol="ppmashup-beyond-k")
        bound = {"id": "confidence-bounding", "value": "flu", "h": 0.6, "sensitive": "ill"}
        document["requirements"] = [{"id": "k-anonymity", "k": 2}, bound]  # some step is rejected
        return {**document, "protocol": {"id": "ppmashup-beyond-k", "check": "secure_check"}}, tables


class Joined(World):
    """Two holders whose records meet in a column."""

    def agreed(self) -> tuple[dict[str, Any], dict[str, Columns]]:
        return DOCUMENT, {"shop": SHOP, "town": TOWN}


def found(world: World, *, direct: bool) -> Granted:
    """Return what a session of processes ends with; it is what a simulation finds."""
    document = world.contract(direct=direct)
    ports = {"coordinator": free_port()}
    if direct:
        ports |= {name: int(one["address"].rpartition(":")[2]) for name, one in document["holders"].items()}
    address = f"https://127.0.0.1:{ports['coordinator']}"
    contract, server = Contract.of(document), world.people["coordinator"].pinned
    with world.processes(document, address, ports):
        granted = requested(world.people["user"], server, address, contract, run=Run(), patience=90)
    simulated = collaborate(contract, {name: pl.DataFrame(table) for name, table in world.tables.items()})
    shown = [name for name in simulated.table.columns if name != "ill"]  # shuffled inside groups, by another generator
    places = [granted.end.columns.index(name) for name in shown]
    assert sorted(tuple(row[at] for at in places) for row in granted.end.rows) == sorted(
        tuple(map(str, row)) for row in simulated.table.select(shown).to_rows()
    )
    assert granted.release.verdict
    assert set(granted.certificates) == set(contract.holders)
    return granted


@pytest.mark.parametrize("direct", [True, False])
def test_a_secret_check_runs_between_processes_and_tells_one_bit(tmp_path: Path, direct: bool) -> None:
    granted = found(Checked(tmp_path), direct=direct)
    said = granted.end.traffic.messages
    assert said["checked"] > said["instruct"]  # a step that is rejected is never told
    assert "judged" not in said
    learnt = {leak.message: str(leak.what) for leak in granted.end.leaks if leak.role == "h2"}
    assert learnt["checked"] == "whether a step would break what is asked of a sensitive column, and nothing else of it"


@pytest.mark.parametrize("direct", [True, False])
def test_records_meet_between_processes(tmp_path: Path, direct: bool) -> None:
    granted = found(Joined(tmp_path), direct=direct)
    assert granted.release.table.rows == 4
    assert {"join.values", "join.numbers"} <= granted.end.traffic.messages.keys()
    assert not any(kind.startswith("align") for kind in granted.end.traffic.messages)
