"""Sites with the same columns, over a network: what a simulation finds, and nobody learns whose row is whose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service.session_world import World
from sfumato.contracts.run import Run
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.local import converse
from sfumato.parties.plan import sentences_before
from sfumato.parties.sessions.session import JointSession, session_bodies, session_party
from sfumato.parties.simulation import collaborate
from sfumato.service.request import requested

TREE = {"value": "any", "children": [{"value": "A", "children": [{"value": "a"}, {"value": "b"}]}, {"value": "c"}]}


class Sites(World):
    """Three sites with the same columns of other persons."""

    def agreed(self) -> tuple[dict[str, Any], dict[str, dict[str, list[Any]]]]:
        rng = np.random.default_rng(2)
        tables = {
            name: {
                "patient": [f"{name}-{at}" for at in range(12)],
                "age": rng.integers(20, 70, 12).tolist(),
                "ward": rng.choice(["a", "b", "c"], 12).tolist(),
                "ill": rng.choice(["flu", "hiv"], 12).tolist(),
            }
            for name in ("north", "south", "west")
        }
        document = {
            "holders": {name: {} for name in tables},
            "protocol": {"id": "distributed-mondrian", "mode": "sum"},
            "columns": {
                "patient": {"role": "identifier"},
                "age": {"role": "quasi-identifier", "range": [0, 99]},
                "ward": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": TREE}},
                "ill": {"role": "sensitive"},
            },
            "requirements": [
                {"id": "k-anonymity", "k": 3},
                {"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"},
            ],
        }
        return document, tables


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Sites:
    return Sites(tmp_path_factory.mktemp("sites"))


def test_sites_release_over_a_network_what_a_simulation_finds(world: Sites) -> None:
    contract = Contract.of(world.contract(direct=False))
    with world.coordinated() as (address, _):
        holders = [world.holder(name, contract, address) for name in contract.holders]
        user, server = world.people["user"], world.people["coordinator"].pinned
        with world.served(holders):
            granted = requested(user, server, address, contract, run=Run(), patience=60)
    simulated = collaborate(contract, world.tables).table
    assert sorted(granted.end.rows) == sorted(tuple(map(to_text, row)) for row in simulated.to_rows())
    assert granted.release.verdict
    assert set(granted.certificates) == set(contract.holders)
    assert any("ill" in str(leak.what) for leak in granted.end.leaks if leak.message == "share.values")


def test_no_message_of_a_site_names_a_person(world: Sites) -> None:
    contract = Contract.of(world.document)
    parties = [session_party(JointSession(contract, name, world.tables[name])) for name in contract.holders]
    found = converse(parties, session_bodies(contract), keep=True)
    assert len({end.rows for end in found.results.values()}) == 1
    said = b"".join(message.text() for message in found.said)
    assert b"north-" not in said
    assert b"patient" not in said
    assert any("ranges" in one or "minimum" in one for one in sentences_before(contract))


def test_two_sites_do_not_add_up(tmp_path: Path) -> None:
    world = Sites(tmp_path)
    del world.document["holders"]["west"]
    with pytest.raises(BadRequest, match="use bits"):
        session_party(JointSession(Contract.of(world.document), "north", world.tables["north"]))
