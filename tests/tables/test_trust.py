"""The ledger remembers versions of different trust: the same level gives the same values, neighbours alone are read."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import sfumato
from sfumato.errors import BadRequest
from sfumato.ledger.ledger import Ledger
from sfumato.perturbations import MultilevelPerturbation, TrustVersions
from sfumato.tables.trust import remembered_version

ROWS = {"id": list(range(60)), "ill": ["flu", "hiv", "cold"] * 20}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    Ledger.create(tmp_path / "people.ledger", signature="hmac-sha256").close()
    return tmp_path / "people.ledger"


def version(place: Path, p: float, seed: int, rows: object = ROWS, name: str = "ill") -> list[tuple[object, ...]]:
    asked = {"id": "multilevel-perturbation", "column": "ill", "p": p}
    return sfumato.perturb(rows, asked, seed=seed, ledger=place, series=name).table.to_rows()


def test_a_level_that_is_asked_for_again_is_the_same_after_a_restart(place: Path) -> None:
    first = {p: version(place, p, seed) for seed, p in enumerate((0.5, 0.25, 0.75))}
    assert len({tuple(rows) for rows in first.values()}) == 3
    for p, rows in first.items():
        assert version(place, p, seed=99) == rows  # each call opens the ledger anew
    with Ledger(place) as ledger:
        assert ledger.versions.levels("ill") == (Fraction(3, 4), Fraction(1, 2), Fraction(1, 4))
        assert ledger.versions.names == ("ill",)
        assert ledger.verify()
        assert "flu" not in "".join(ledger.export())


@pytest.mark.parametrize("order", list(permutations((0.8, 0.5, 0.2))))
def test_versions_of_the_ledger_are_those_of_a_chain_in_memory(place: Path, order: tuple[float, ...]) -> None:
    table = sfumato.from_rows(list(ROWS), list(zip(*ROWS.values(), strict=True)))
    chain = TrustVersions.of(ROWS["ill"], ["cold", "flu", "hiv"])
    for seed, p in enumerate(order):
        asked = MultilevelPerturbation(column="ill", p=p)
        found = remembered_version(asked, table, place, "ill", np.random.default_rng(seed)).values("ill")
        level = Fraction(repr(p))
        drawn = int(np.random.default_rng(seed).integers(2**63))
        assert found == chain.version(p, np.random.default_rng([drawn, level.numerator, level.denominator]))


def test_one_seed_for_all_requests_keeps_other_records_in_each(tmp_path: Path) -> None:
    """With one stream the second version would change none of the values that the first one kept."""
    rows = {"id": list(range(4000)), "ill": ["flu", "hiv", "cold", "none"] * 1000}
    Ledger.create(tmp_path / "p.ledger", signature="hmac-sha256").close()
    high, low = (dict(version(tmp_path / "p.ledger", p, 7, rows)) for p in (0.5, 0.25))
    changed = [low[at] != high[at] for at in range(4000) if high[at] == rows["ill"][at]]
    assert 0.32 < np.mean(changed) < 0.43  # (1 - 1/2) (1 - 1/4)


def test_other_rows_or_another_order_are_refused(place: Path) -> None:
    version(place, 0.5, 1)
    other = {"id": ROWS["id"][::-1], "ill": ROWS["ill"]}
    shorter = {name: values[:-3] for name, values in ROWS.items()}
    for rows, words in ((other, "another order"), (shorter, "57")):
        with pytest.raises(BadRequest, match=words):
            version(place, 0.25, 1, rows)
    assert version(place, 0.25, 1, other, "reversed")


def test_what_was_erased_is_no_neighbour(place: Path) -> None:
    version(place, 0.5, 1)
    with Ledger(place) as ledger:
        ledger.erase(2, "asked for")
    for p in (0.5, 0.25):
        with pytest.raises(BadRequest, match="was erased"):
            version(place, p, 1)


def test_a_ledger_with_nothing_to_remember_is_refused(place: Path) -> None:
    swap = {"id": "rank-swapping", "column": "id", "p": 5}
    trust = {"id": "multilevel-perturbation", "column": "ill", "p": 0.5}
    for steps, told in (
        ([swap], {"series": "ill"}),
        ([swap, trust], {"series": "ill"}),
        ([trust, trust], {"series": "ill"}),
        ([{**trust, "levels": [0.75]}], {"series": "ill"}),
        ([trust], {"series": " "}),
        ([trust], {}),
    ):
        with pytest.raises(BadRequest):
            sfumato.perturb(ROWS, steps, ledger=place, **told)
    with pytest.raises(BadRequest, match="is required with a series"):
        sfumato.perturb(ROWS, trust, series="ill")
