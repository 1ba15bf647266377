"""All holders of a contract in one process: what they would find together, before anybody opens a port."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sfumato.contracts.published import Release
from sfumato.contracts.run import Run, fresh_seed
from sfumato.parties.collaboration import Collaboration
from sfumato.parties.contract import Contract
from sfumato.parties.release import joint_release

__all__ = ["collaborate", "simulate"]

Given = Contract | Mapping[str, object] | str | Path


def collaborate(contract: Given, sources: Mapping[str, object], *, run: Run | None = None) -> Collaboration:
    """Return what holders find together by the protocol of their contract, all of them in this process.

    ``sources`` are the tables of the holders by name: paths, frames or tables. The seed of the contract decides what is
    shuffled; without one nobody can repeat it.

    >>> contract = {
    ...     "holders": {"bank": {"person": "id", "columns": ["age"]}, "shop": {"person": "id", "columns": ["buys"]}},
    ...     "columns": {
    ...         "age": {"role": "quasi-identifier", "range": [0, 100]},
    ...         "buys": {"role": "quasi-identifier", "hierarchy": {"id": "redaction", "length": 4}},
    ...         "pays": {"role": "target"},
    ...     },
    ...     "requirements": [{"id": "k-anonymity", "k": 2}],
    ... }
    >>> bank = {"id": ["p", "q", "r", "s"], "age": [20, 30, 60, 70], "pays": ["no", "no", "yes", "yes"]}
    >>> shop = {"id": ["s", "r", "q", "p"], "buys": ["teas", "teas", "milk", "teas"]}
    >>> found = collaborate(contract, {"bank": bank, "shop": shop})
    >>> [(one.winner, one.attribute, one.children) for one in found.performed]
    [('bank', 'age', ('[0-60)', '[60-100)'))]
    >>> found.traffic.logical_messages
    5
    """
    asked = Contract.of(contract)
    seed = asked.seed if "seed" in asked.model_fields_set else fresh_seed()
    return asked.releasing().collaborate(asked, sources, run=Run.of(run).with_rng(np.random.default_rng(seed)))


def simulate(contract: Given, sources: Mapping[str, object], *, run: Run | None = None) -> Release:
    """Return the release that holders find together by the protocol of their contract, certified, with its leakage ledger."""
    run = Run.of(run)
    found = collaborate(contract, sources, run=run)
    run.stage("recoding and verifying")
    return joint_release(found, run)
