"""What is promised to owners with records in several tables, who guard a value or asked for protection; tried by attacks."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.models import (
    MultiRelationalKAnonymity,
)

from .promises import ENOUGH, SLACK, Spec, at_most

# ---- several tables ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("signature", [False, True])
def test_owners_of_several_tables(signature: bool) -> None:
    """The join is what the adversary sees: one record for each owner and value, or for each owner and all her values."""
    rng, passed, failed = np.random.default_rng(14), 0, 0
    for _ in range(80):
        people = [{"Pid": at, "Sex": rng.choice(["F", "M"]).item()} for at in range(int(rng.integers(2, 16)))]
        visits = [
            {"Pid": one["Pid"], "City": rng.choice(["x", "y"], p=[0.8, 0.2]).item()}
            for one in people
            for _ in range(int(rng.choice([0, 1, 2], p=[0.1, 0.7, 0.2])))
        ]
        k = int(rng.integers(1, 4))
        model = MultiRelationalKAnonymity(k=k, owner="Pid", qid=("Sex", "City"), owner_signature=signature)
        holds = model.judge_tables({"person": people, "visit": visits}, person="person").satisfied
        passed, failed = passed + holds, failed + (not holds)
        joined = [
            (one["Sex"], city, one["Pid"])
            for one in people
            for city in [visit["City"] for visit in visits if visit["Pid"] == one["Pid"]] or ["none"]
        ]
        if signature:
            bags = {one["Pid"]: sorted(row[:2] for row in joined if row[2] == one["Pid"]) for one in people}
            names, table = ["Bag"], sfumato.from_rows(["Bag"], [(str(bag),) for bag in bags.values()])
        else:
            names = ["Sex", "City"]
            table = sfumato.from_rows(names, [row[:2] for row in sorted(set(joined))])
        found = sfumato.attack(table, "attack-record-linkage", qid=names, external=table)
        assert at_most(found.highest, 1 / k) == holds
    assert min(passed, failed) >= ENOUGH


# ---- owners who guard ----------------------------------------------------------------------------------------------------

SICK = {"Any": [{"Gut": ["Ulcer", "Colitis"]}, {"Lung": ["Flu", {"Tumour": ["Small", "Large"]}]}]}
LEAVES = {
    "Any": ["Ulcer", "Colitis", "Flu", "Small", "Large"],
    "Gut": ["Ulcer", "Colitis"],
    "Lung": ["Flu", "Small", "Large"],
    "Tumour": ["Small", "Large"],
    **{leaf: [leaf] for leaf in ("Ulcer", "Colitis", "Flu", "Small", "Large")},
}


def guarded(rng: np.random.Generator, share: float) -> list[tuple[Any, ...]]:
    nodes = [node for node in LEAVES if node != "Any"]
    return [
        (
            f"o{at}",
            f"z{rng.integers(2)}",
            rng.choice(LEAVES["Any"]).item(),
            rng.choice(nodes).item() if rng.random() < share else None,
        )
        for at in range(int(rng.integers(2, 14)))
    ]


def breached(published: Any, people: Any, rows: list[tuple[Any, ...]], reading: str) -> float:
    """Return the surest belief in a value below what an owner guards; generalized values count if all of them lie below."""
    highest = 0.0
    for node in {row[3] for row in rows} - {None}:
        below = [name for name in LEAVES if set(LEAVES[name]) <= set(LEAVES[node])]
        aimed = [below] if reading == "union" else [[leaf] for leaf in LEAVES[node]]
        owners = sfumato.from_rows(["Owner", "Zip"], [row[:2] for row in rows if row[3] == node])
        for values in aimed:
            found = sfumato.attack(
                published,
                {"id": "breach-probability", "values": tuple(values)},
                qid=["Zip"],
                sensitive="Disease",
                external=people,
                name="Owner",
                owners=owners,
            )
            assert (found.bp <= found.bp_member + SLACK).all()  # type: ignore[attr-defined]
            highest = max(highest, float(found.details["highest_if_member"]))
    return highest


@pytest.mark.parametrize("reading", ["union", "max_leaf"])
def test_owners_who_guard_are_not_breached(reading: str) -> None:
    rng, passed, failed = np.random.default_rng(15), 0, 0
    for _ in range(80):
        rows = guarded(rng, 0.5)
        spec: Spec = {
            "id": "personalized-privacy",
            "sensitive": "Disease",
            "guards": {row[0]: row[3] for row in rows if row[3] is not None},
            "owner": "Owner",
            "p_breach": float(rng.uniform(0.2, 0.9)),
            "reading": reading,
        }
        table = sfumato.from_rows(["Owner", "Zip", "Disease"], [row[:3] for row in rows])
        others = [(f"x{at}", f"z{rng.integers(2)}") for at in range(int(rng.integers(0, 5)))]
        people = sfumato.from_rows(["Owner", "Zip"], [row[:2] for row in rows] + others)
        holds = bool(sfumato.check(table, spec, qid=["Zip"], hierarchies={"Disease": SICK}))
        passed, failed = passed + holds, failed + (not holds)
        published = table.select(["Zip", "Disease"])
        assert at_most(breached(published, people, rows, reading), spec["p_breach"]) == holds
    assert min(passed, failed) >= ENOUGH


def test_a_release_for_owners_who_guard_is_not_breached() -> None:
    rng, made = np.random.default_rng(16), 0
    for _ in range(25):
        rows, bound = guarded(rng, 0.4), float(rng.uniform(0.2, 0.7))
        policy = {
            "columns": {
                "Owner": {"role": "identifier"},
                "Zip": {"role": "quasi-identifier"},
                "Disease": {"role": "sensitive", "hierarchy": {"id": "taxonomy", "tree": SICK}},
                "Guard": {"role": "private"},
            },
            "requirements": [
                {"id": "personalized-privacy", "sensitive": "Disease", "guard": "Guard", "p_breach": bound}
            ],
            "algorithm": {"id": "greedy-personalized"},
        }
        try:
            release = sfumato.anonymize(sfumato.from_rows(["Owner", "Zip", "Disease", "Guard"], rows), policy)
        except sfumato.Infeasible:
            continue
        made += 1
        people = sfumato.from_rows(["Owner", "Zip"], [row[:2] for row in rows])
        assert at_most(breached(release, people, rows, "union"), bound)
    assert made >= ENOUGH


def test_a_release_for_owners_who_asked_leaves_their_values_as_likely_as_they_were() -> None:
    """Whoever looks a protected owner up finds blocks only, and no value in them far from its share in the table."""
    rng, made = np.random.default_rng(17), 0
    zips = {"*": [{f"{a}*": [f"{a}{b}" for b in range(3)]} for a in range(3)]}
    for _ in range(40):
        rows = [
            (f"{rng.integers(3)}{rng.integers(3)}", rng.choice(["Cancer", "Flu", "Cold"]).item(), int(rng.integers(2)))
            for _ in range(int(rng.integers(10, 40)))
        ]
        bound = float(rng.choice([0.05, 0.1, 0.2]))
        policy = {
            "columns": {
                "Zip": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": zips}},
                "Disease": {"role": "sensitive"},
                "Answer": {"role": "private"},
            },
            "requirements": [{"id": "personal-frequency", "sensitive": "Disease", "th_acct": str(bound)}],
            "algorithm": {
                "id": "qidb-anonymization",
                "weights": {"Cancer": 1, "Flu": 0, "Cold": 0},
                "flags": "Answer",
            },
        }
        try:
            release = sfumato.anonymize(sfumato.from_rows(["Zip", "Disease", "Answer"], rows), policy)
        except sfumato.Infeasible:
            continue
        found: Any = sfumato.attack(release, "attack-attribute-linkage", hierarchies={"Zip": zips})
        whole = Counter(row[1] for row in rows)
        for zip_ in {row[0] for row in rows if row[1:] == ("Cancer", 0)}:
            made += 1
            shares = found.of({"Zip": zip_}).posterior
            assert all(at_most(abs(shares.get(v, 0.0) - n / len(rows)), bound) for v, n in whole.items())
    assert made >= ENOUGH
