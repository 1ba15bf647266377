"""What an adversary may know and what may become one, as the publisher says it, beside a brute force."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import sfumato
from sfumato.errors import BadRequest, Unsupported
from sfumato.transactions import Baskets
from sfumato.transactions.built import NothingLeft
from sfumato.transactions.models import HKPCoherence

Sets = list[frozenset[str]]


def _drawn(seed: int, baskets: int = 30) -> Sets:
    rng = np.random.default_rng(seed)
    return [frozenset(name for name in "abcdefx" if rng.random() < 0.4) | {"z"} for _ in range(baskets)]


def _moles(baskets: Sets, known: list[list[str]], k: int, h: float, p: int) -> set[frozenset[str]]:
    out = set()
    for one in known:
        for size in range(1, p + 1):
            for some in combinations(one, size):
                holding = [basket for basket in baskets if set(some) <= basket]
                sure = sum("x" in basket for basket in holding)
                if holding and (len(holding) < k or sure > h * len(holding)):
                    out.add(frozenset(some))
    return {one for one in out if not any(other < one for other in out)}


@pytest.mark.parametrize("seed", range(40))
def test_parts_of_known_sets_alone_are_moles(seed: int) -> None:
    rng = np.random.default_rng(seed)
    baskets, k, p = _drawn(seed), int(rng.integers(2, 9)), int(rng.integers(1, 4))
    known = [sorted(rng.choice(list("abcdef"), int(rng.integers(1, 5)), replace=False).tolist()) for _ in range(3)]
    made = Baskets.of(baskets, private=["x"])
    known = [[name for name in one if name in made.code_of] for one in known]
    model = HKPCoherence(h=0.75, k=k, p=p)
    if not all(known):
        return
    found = model.minimal_moles(made.with_known(known))
    assert {frozenset(one) for one in found} == _moles(baskets, known, k, 0.75, p)
    assert len(found) == len(set(found))


def _asked(**more: object) -> dict[str, object]:
    return {
        "shape": "transactions",
        "requirements": [{"id": "km-anonymity", "k": 6, "m": 2}],
        "algorithm": {"id": "apriori-anonymization"},
        **more,
    }


@pytest.mark.parametrize("algorithm", ["apriori-anonymization", "mole-suppression"])
@pytest.mark.parametrize("seed", range(5))
def test_known_sets_are_protected_and_counted_again_from_the_files(tmp_path: Path, seed: int, algorithm: str) -> None:
    asked = _asked(items={"known": [["a", "b", "c"], ["e", "f"]], "fan_out": 2}, algorithm={"id": algorithm})
    everything = _asked(items={"fan_out": 2}, algorithm={"id": algorithm})
    release, whole = (sfumato.anonymize(_drawn(seed), one) for one in (asked, everything))
    assert release.measured["item-ncp"].value <= whole.measured["item-ncp"].value
    if seed == 0:
        sfumato.publish(release, tmp_path / "out")
        checked = sfumato.verify(tmp_path / "out" / "public")
        assert checked.verdict.satisfied
        assert [entry.recounted for entry in checked.certificate.requirements] == ["plain"]


@pytest.mark.parametrize("seed", range(8))
def test_items_become_one_in_their_group_alone(seed: int) -> None:
    groups = [["a", "b"], ["c", "d", "e"]]
    try:
        release = sfumato.anonymize(_drawn(seed), _asked(items={"groups": groups}))
    except NothingLeft:
        return
    shown = {item for _, item in release.tables["items"].to_rows()}
    assert shown <= {*"abcdefxz", "a | b", "c | d | e"}
    assert release.verdict.satisfied


def test_bad_constraints_are_refused_in_words() -> None:
    for items, match in (
        ({"known": [["a", "nobody"]]}, "sets of public items that baskets hold"),
        ({"known": [[]]}, "sets of public items that baskets hold"),
        ({"groups": [["a", "nobody"]]}, "groups of public items that baskets hold"),
        ({"groups": [["a", "b"], ["b", "c"]]}, "in one group at most"),
        ({"groups": [["a"]]}, "two items or more"),
        ({"groups": [["a", "b"]], "fan_out": 3}, "not several"),
    ):
        with pytest.raises(BadRequest, match=match):
            sfumato.anonymize(_drawn(1), _asked(items=items))
    with pytest.raises(BadRequest, match="no basket is left out as a whole"):
        sfumato.anonymize(_drawn(1), _asked(limits={"suppress_at_most": 0.1}))
    for algorithm in ("optimal-anonymization", "direct-anonymization"):
        with pytest.raises(Unsupported, match="groups forbid"):
            sfumato.anonymize(_drawn(1), _asked(items={"groups": [["a", "b"]]}, algorithm={"id": algorithm}))
