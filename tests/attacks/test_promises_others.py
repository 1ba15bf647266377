"""What the models promise that the other files do not try; the attacks of the catalogue try it here.

Where a model bounds exactly what an attack measures, the attack must also exceed the bound wherever the check fails. The last
test sees to it that no model of the catalogue is forgotten.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato import catalogue

from .promises import ENOUGH, Spec, at_most
from .test_played_by_hand import BY_HAND, WITHOUT_ATTACK

QID = ["Zip", "Sex"]
COLUMNS = [*QID, "Disease", "Drug", "Person", "Age"]
DISEASES = ["Flu", "Ulcer", "Gout", "HIV"]
DRUGS = ["a", "b", "c"]
TABLES = 60
Key = tuple[Hashable, ...]
Shares = dict[Hashable, float]


# ---- random tables and the attacks on them -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawn:
    """A random release; persons may have several records."""

    rows: list[tuple[Any, ...]]

    @cached_property
    def table(self) -> Any:
        return sfumato.from_rows(COLUMNS, self.rows)

    @cached_property
    def known(self) -> dict[tuple[str, ...], dict[Key, Shares]]:
        """Return what was found of this release before, by the columns that were asked for: many promises ask the same."""
        return {}

    @cached_property
    def keys(self) -> list[Key]:
        return sorted({row[:2] for row in self.rows})

    def found(self, attack: Any, sensitive: str = "Disease", **more: Any) -> Any:
        return sfumato.attack(self.table, attack, qid=more.pop("qid", QID), sensitive=sensitive, **more)

    def linked(self, qid: list[str], columns: list[str] | None = None) -> float:
        """Return the surest link of a person who is known by these columns; ``columns`` says what makes a record."""
        rows = (
            self.rows
            if columns is None
            else sorted({tuple(row[COLUMNS.index(c)] for c in columns) for row in self.rows})
        )
        table = sfumato.from_rows(columns or COLUMNS, rows)
        return float(sfumato.attack(table, "attack-record-linkage", qid=qid, external=table.select(qid)).highest)

    def beliefs(self, sensitive: str = "Disease", qid: list[str] | None = None) -> dict[Key, Shares]:
        """Return what is believed of somebody in each group."""
        names = QID if qid is None else qid
        if (sensitive, *names) not in self.known:
            found = self.found("attack-attribute-linkage", sensitive, qid=names)
            keys = {tuple(row[COLUMNS.index(name)] for name in names) for row in self.rows}
            posteriors = {key: dict(found.of(dict(zip(names, key, strict=True))).posterior) for key in keys}
            self.known[sensitive, *names] = posteriors
        return self.known[sensitive, *names]

    def lacking(self, values: Iterable[str]) -> Drawn | None:
        """Return the records that may be a victim's who is known not to have some diseases; ``None`` if there are none."""
        rows = [row for row in self.rows if row[2] not in values]
        return Drawn(rows) if rows else None

    def told(self, value: str, count: int) -> dict[Key, Shares]:
        """Return what is believed in each group after so many members, none of whom has the value, told theirs."""
        told = [row for key in self.keys for row in [r for r in self.rows if r[:2] == key and r[2] != value][:count]]
        if not told:
            return self.beliefs()
        found = self.found("attack-corruption", corrupted=sfumato.from_rows(COLUMNS, told))
        return {key: dict(found.of(dict(zip(QID, key, strict=True))).after) for key in self.keys}


def draw(rng: np.random.Generator) -> Drawn:
    zips, sexes = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    weights = rng.dirichlet(np.full(len(DISEASES), rng.choice([0.4, 1.0, 5.0])))
    # Nearly the same number of records of each value in each group: strict requirements hold now and then.
    held = [
        (f"z{zip_}", f"s{sex}", disease)
        for zip_ in range(zips)
        for sex in range(sexes)
        for disease, weight in zip(DISEASES, weights, strict=True)
        for _ in range(max(0, round(10 * weight) + int(rng.integers(-1, 2))))
    ]
    held = held or [("z0", "s0", "Flu")]
    persons = max(1, round(len(held) * rng.uniform(0.2, 1)))
    return Drawn(
        [
            (*row, rng.choice(DRUGS).item(), f"p{rng.integers(persons)}", int(rng.integers(20, 60)))
            for row in held
        ]
    )  # fmt: skip


@pytest.fixture(scope="module")
def tables() -> list[Drawn]:
    rng = np.random.default_rng(7)
    return [draw(rng) for _ in range(TABLES)]


def several(most: int) -> Iterator[tuple[str, ...]]:
    """Return all sets of at most so many diseases."""
    return (chosen for size in range(most + 1) for chosen in combinations(DISEASES, size))


def surest(drawn: Drawn, sensitive: str = "Disease") -> float:
    return float(drawn.found("attack-attribute-linkage", sensitive).highest)


def together(drawn: Drawn) -> Drawn:
    """Return the release with disease and drug as one column."""
    return Drawn([(*row[:2], f"{row[2]}+{row[3]}", *row[3:]) for row in drawn.rows])


# ---- group models --------------------------------------------------------------------------------------------------------


def excluding_leaves_doubt(drawn: Drawn, spec: Spec, c: float) -> bool:
    """Whatever l - 2 diseases a victim is known not to have, no other one but the tolerated reaches c / (1 + c)."""
    for lacking in several(spec["l"] - 2):
        left = drawn.lacking(lacking)
        if left is None:
            continue
        for shares in left.beliefs().values():
            if any(share >= c / (1 + c) for value, share in shares.items() if value not in spec["tolerated"]):
                return False
    return True


def nothing_excluded(drawn: Drawn, spec: Spec) -> bool:
    return all(
        at_most(spec["c2"], shares.get(value, 0.0))
        for shares in drawn.beliefs().values()
        for value in spec["never_excluded"]
    )


def below_the_skyline(drawn: Drawn, spec: Spec) -> bool:
    """A victim lacks l diseases and k members told theirs: the value stays below the threshold of the triplet."""
    for l, k, _, threshold in spec["skyline"]:
        for lacking in several(l):
            left = drawn.lacking(lacking)
            if left is None or spec["value"] in lacking:
                continue
            believed = left.told(spec["value"], k).values()
            if not all(shares.get(spec["value"], 0.0) < threshold for shares in believed):
                return False
    return True


def pieces_leave_doubt(drawn: Drawn, spec: Spec) -> bool:
    """That a victim lacks a value, and what a member told, are pieces of knowledge no stronger than an implication."""
    for lacking in several(spec["k"]):
        left = drawn.lacking(lacking)
        if left is None:
            continue
        told = {"id": "attack-corruption", "corrupted_members": spec["k"] - len(lacking)}
        if not left.found(told).highest < spec["c"]:
            return False
    return True


def no_free_form(drawn: Drawn, spec: Spec) -> bool:
    """Whoever knows observable values of any columns, or none, believes in no sensitive value beyond its threshold."""
    secret = {(column, value) for column, value, _ in spec["sensitive"]}
    columns = ["Zip", "Sex", "Disease", "Drug"]
    for column, value, threshold in spec["sensitive"]:
        others = [name for name in columns if name != column]
        share = sum(row[COLUMNS.index(column)] == value for row in drawn.rows) / len(drawn.rows)
        if not at_most(share, threshold):
            return False
        for size in range(1, spec.get("max_x", len(others)) + 1):
            for known in combinations(others, size):
                for key, shares in drawn.beliefs(column, list(known)).items():
                    seen = all(pair not in secret for pair in zip(known, key, strict=True))
                    if seen and not at_most(shares.get(value, 0.0), threshold):
                        return False
    return True


def near_the_table(drawn: Drawn, spec: Spec) -> bool:
    whole = Counter(row[2] for row in drawn.rows)
    return all(
        at_most(abs(share - whole[value] / len(drawn.rows)), float(spec["th_acct"]))
        for shares in drawn.beliefs().values()
        for value, share in shares.items()
    ) and at_most(drawn.linked(QID), 1 / spec["min_block_size"])


@dataclass(frozen=True)
class Promise:
    """A model with parameters to draw, and what must be true of the attack; ``exact`` if the check must say the same."""

    specs: Callable[[np.random.Generator], Spec]
    kept: Callable[[Drawn, Any], bool]
    exact: bool = False
    qid: tuple[str, ...] = tuple(QID)


def recursive(rng: np.random.Generator) -> Spec:
    size = int(rng.integers(0, 3))
    return {
        "sensitive": "Disease",
        "l": int(rng.integers(2, 5)),
        "tolerated": tuple(rng.permutation(DISEASES)[:size].tolist()),
    }


def skyline(rng: np.random.Generator) -> Spec:
    total = int(rng.integers(0, 4))
    triplets = [(l, total - l, 0, float(rng.uniform(0.3, 1))) for l in range(total + 1) if l <= 2]
    return {"sensitive": "Disease", "value": rng.choice(DISEASES).item(), "skyline": tuple(triplets)}


def without_one(drawn: Drawn) -> list[int]:
    """Return what is left of groups, where anything is, for each site that takes out its own records."""
    sites = {row[3] for row in drawn.rows}
    left = (Counter(row[:2] for row in drawn.rows if row[3] != site) for site in sites)
    return [count for one in left for count in one.values()]


def ranked(shares: Shares) -> list[float]:
    return sorted(shares.values(), reverse=True)


PROMISES: dict[str, Promise] = {
    # The drug is the site here: which of them a person is known to is what may not be learnt.
    "l-site-diversity": Promise(
        lambda rng: {"sensitive": "Drug", "l": int(rng.integers(2, 5))},
        lambda drawn, spec: all(len(shares) >= spec["l"] for shares in drawn.beliefs("Drug").values()),
        exact=True,
    ),
    "l-site-diversity-entropy": Promise(
        lambda rng: {"sensitive": "Drug", "l": float(rng.uniform(1, 3))},
        lambda drawn, spec: all(
            at_most(log(spec["l"]), -sum(share * log(share) for share in shares.values()))
            for shares in drawn.beliefs("Drug").values()
        ),
        exact=True,
    ),
    "l-site-diversity-recursive": Promise(
        lambda rng: {"sensitive": "Drug", "c": float(rng.uniform(0.5, 4)), "l": int(rng.integers(2, 4))},
        lambda drawn, spec: all(
            ranked(shares)[0] < spec["c"] * sum(ranked(shares)[spec["l"] - 1 :]) * (1 + 1e-9)
            for shares in drawn.beliefs("Drug").values()
        ),
    ),
    "insider-residual": Promise(
        lambda rng: {"sensitive": "Drug", "k": int(rng.integers(1, 12))},
        lambda drawn, spec: min(without_one(drawn), default=spec["k"]) >= spec["k"],
        exact=True,
    ),
    # Records of one person are one: what is linked is the person.
    "xy-anonymity": Promise(
        lambda rng: {"y": ("Person",), "k": int(rng.integers(1, 12))},
        lambda drawn, spec: (
            at_most(drawn.linked(QID, [*QID, "Person"]), 1 / spec["k"])
            and all(len(shares) >= spec["k"] for shares in drawn.beliefs("Person").values())
        ),
        exact=True,
    ),
    "xy-linkability": Promise(
        lambda rng: {"y": ("Disease", "Drug"), "h": float(rng.uniform(0.1, 0.8))},
        lambda drawn, spec: at_most(surest(together(drawn)), spec["h"]),
        exact=True,
    ),
    "xy-privacy": Promise(
        lambda rng: {
            "y": ("Disease",),
            "k": int(rng.integers(1, 15)),
            "h": float(rng.uniform(0.3, 1)),
            "values": tuple(rng.permutation(DISEASES)[:2].tolist()),
        },
        lambda drawn, spec: (
            at_most(drawn.linked(QID), 1 / spec["k"])
            and all(at_most(s.get(v, 0.0), spec["h"]) for s in drawn.beliefs().values() for v in spec["values"])
        ),
        exact=True,
    ),
    "k-combinations": Promise(
        lambda rng: {"k": int(rng.integers(1, 8)), "size": int(rng.integers(1, 4))},
        lambda drawn, spec: all(
            at_most(drawn.linked(list(known)), 1 / spec["k"])
            for size in range(1, spec["size"] + 1)
            for known in combinations([*QID, "Drug"], size)
        ),
        exact=True,
        qid=(*QID, "Drug"),
    ),
    # Where nothing is empty it is k-anonymity; what empty cells do is tried below.
    "k-anonymity-wildcard": Promise(
        lambda rng: {"k": int(rng.integers(2, 16))},
        lambda drawn, spec: at_most(drawn.linked(QID), 1 / spec["k"]),
        exact=True,
    ),
    # The estimate goes to Shannon's entropy from above: of records without number it would leave l values open.
    "l-diversity-grassberger": Promise(
        lambda rng: {"sensitive": "Disease", "l": float(rng.uniform(1.1, 6))},
        lambda drawn, spec: all(len(shares) >= 2 for shares in drawn.beliefs().values()),
    ),
    "p-sensitive-k-anonymity": Promise(
        lambda rng: {"sensitive": "Disease", "p": int(rng.integers(1, 5)), "k": int(rng.integers(4, 15))},
        lambda drawn, spec: (
            at_most(drawn.linked(QID), 1 / spec["k"])
            and all(len(shares) >= spec["p"] for shares in drawn.beliefs().values())
        ),
        exact=True,
    ),
    "l-diversity-pd-recursive": Promise(
        lambda rng: {**recursive(rng), "c": float(rng.uniform(0.5, 6))},
        lambda drawn, spec: excluding_leaves_doubt(drawn, spec, spec["c"]),
        exact=True,
    ),
    "l-diversity-npd-recursive": Promise(
        lambda rng: {
            **recursive(rng),
            "c1": float(rng.uniform(0.5, 8)),
            "c2": float(rng.uniform(0, 0.15)),
            "never_excluded": tuple(rng.permutation(DISEASES)[:1].tolist()),
        },
        lambda drawn, spec: excluding_leaves_doubt(drawn, spec, spec["c1"]) and nothing_excluded(drawn, spec),
        exact=True,
    ),
    "background-knowledge-safety": Promise(
        lambda rng: {"sensitive": "Disease", "c": float(rng.uniform(0.5, 1)), "k": int(rng.integers(0, 3))},
        pieces_leave_doubt,
    ),
    "skyline-privacy": Promise(skyline, below_the_skyline, exact=True),
    "ff-anonymity": Promise(
        lambda rng: {
            "sensitive": (
                ("Disease", "HIV", float(rng.uniform(0.1, 0.9))),
                ("Disease", "Gout", float(rng.uniform(0.1, 0.9))),
                ("Drug", "a", float(rng.uniform(0.5, 1))),
            ),
            **({"max_x": int(rng.integers(1, 3))} if rng.random() < 0.7 else {}),
        },
        no_free_form,
        exact=True,
    ),
    "personal-frequency": Promise(
        lambda rng: {
            "sensitive": "Disease",
            "th_acct": f"{rng.uniform(0, 0.3):.4f}7",
            "min_block_size": int(rng.integers(1, 8)),
        },
        lambda drawn, spec: (
            at_most(drawn.found("attack-probabilistic").details["largest_difference"], float(spec["th_acct"]))
            and near_the_table(drawn, spec)
        ),
        exact=True,
    ),
    "personal-frequency-present": Promise(
        lambda rng: {
            "sensitive": "Disease",
            "th_acct": f"{rng.uniform(0, 0.3):.4f}7",
            "min_block_size": int(rng.integers(1, 8)),
        },
        near_the_table,
        exact=True,
    ),
    # A bandwidth that covers everybody leaves the distribution of the table: the prior of the attack. Of smaller ones the
    # attacks know nothing.
    "skyline-bt-privacy": Promise(
        lambda rng: {
            "sensitive": "Disease",
            "known": ("Age",),
            "skyline": ({"bandwidth": 1e7, "t": float(rng.uniform(0, 0.4))},),
            "kernel": rng.choice(["uniform", "triangular", "epanechnikov"]).item(),
            "posterior": rng.choice(["omega", "exact"]).item(),
        },
        lambda drawn, spec: drawn.found("attack-probabilistic").highest <= spec["skyline"][0]["t"] + 1e-6,
        exact=True,
    ),
    # Rules of the raw table say nothing more about persons who look alike; buckets of different persons are tried below.
    "privacy-maxent": Promise(
        lambda rng: {
            "sensitive": "Disease",
            "threshold": float(rng.uniform(0.3, 1)),
            "top_positive": int(rng.integers(0, 3)),
            "top_negative": int(rng.integers(0, 3)),
            "width": 2,
        },
        lambda drawn, spec: at_most(surest(drawn), spec["threshold"]),
        exact=True,
    ),
}


@pytest.mark.parametrize("name", PROMISES)
def test_promise(name: str, tables: list[Drawn]) -> None:
    promise, rng = PROMISES[name], np.random.default_rng(11)
    passed = failed = 0
    for drawn in tables:
        spec = {"id": name, **promise.specs(rng)}
        holds = bool(sfumato.check(drawn.table, spec, qid=promise.qid, raw=drawn.table))
        passed, failed = passed + holds, failed + (not holds)
        if holds or promise.exact:
            assert promise.kept(drawn, spec) == holds, spec
    assert passed >= ENOUGH
    assert failed >= ENOUGH


def test_ties_promise_no_less(tables: list[Drawn]) -> None:
    """What is safe against members tied to the victim is safe against the same knowledge without them."""
    rng, passed = np.random.default_rng(12), 0
    for drawn in tables:
        l, k, m = rng.integers(0, 2, 3).tolist()
        spec = {
            "id": "skyline-privacy",
            "sensitive": "Disease",
            "value": rng.choice(DISEASES).item(),
            "skyline": ((l, k, m + 1, float(rng.uniform(0.5, 1))),),
            "reading": rng.choice(["implication", "equality"]).item(),
        }
        if sfumato.check(drawn.table, spec, qid=QID):
            passed += 1
            assert below_the_skyline(drawn, spec)
    assert passed >= ENOUGH


# ---- suppressed cells ----------------------------------------------------------------------------------------------------


def blanked(rng: np.random.Generator, rows: list[tuple[Any, ...]], share: float) -> list[tuple[Any, ...]]:
    return [tuple("*" if rng.random() < share else value for value in row) for row in rows]


def test_combinations_with_suppressed_cells_hide_whoever_shows_them(tables: list[Drawn]) -> None:
    """A suppressed cell fits everybody, so it can only add candidates to those who show the values that are known."""
    rng, columns, passed = np.random.default_rng(13), [*QID, "Drug"], 0
    for drawn in tables:
        rows = blanked(rng, [(*row[:2], row[3]) for row in drawn.rows], 0.1)
        k, size = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        table = sfumato.from_rows(columns, rows)
        if not sfumato.check(table, {"id": "k-combinations", "k": k, "size": size}, qid=columns):
            continue
        passed += 1
        for known in (chosen for width in range(1, size + 1) for chosen in combinations(columns, width)):
            shown = [tuple(row[columns.index(name)] for name in known) for row in rows]
            shown = [row for row in shown if "*" not in row]
            if shown:
                people = sfumato.from_rows(list(known), shown)
                found = sfumato.attack(table, "attack-record-linkage", qid=list(known), external=people)
                assert at_most(found.highest, 1 / k)
    assert passed >= ENOUGH


def test_wildcards_hide_whoever_shows_everything(tables: list[Drawn]) -> None:
    """An empty cell fits everybody, so whoever shows all values has at least k candidates, if the empty ones are counted."""
    rng, columns, passed = np.random.default_rng(14), [*QID, "Drug"], 0
    for drawn in tables:
        rows = blanked(rng, [(*row[:2], row[3]) for row in drawn.rows], 0.1)
        k = int(rng.integers(2, 6))
        table = sfumato.from_rows(columns, rows)
        whole = [row for row in rows if "*" not in row]
        if not whole or not sfumato.check(table, {"id": "k-anonymity-wildcard", "k": k}, qid=columns):
            continue
        passed += 1
        people = sfumato.from_rows(columns, whole)
        assert at_most(sfumato.attack(table, "attack-record-linkage", qid=columns, external=people).highest, 1 / k)
    assert passed >= ENOUGH


def test_wildcards_do_not_hide_whose_cell_is_empty() -> None:
    """The known limit of the model: the record with the empty cell matches everybody, but only one person is behind it."""
    table = sfumato.from_rows(["Job"], [("Artist",), ("Artist",), ("*",)])
    assert sfumato.check(table, {"id": "k-anonymity-wildcard", "k": 3}, qid=["Job"])
    people = sfumato.from_rows(["Job"], [("Artist",), ("Pilot",)])
    found = sfumato.attack(table, "attack-record-linkage", qid=["Job"], external=people)
    assert found.per_victim.tolist() == [1 / 3, 1.0]


def test_combinations_do_not_hide_whose_cell_is_suppressed() -> None:
    """The known limit of the model: whoever has a value that nobody shows is behind the suppressed cell."""
    table = sfumato.from_rows(["Job"], [("Artist",), ("Artist",), ("*",)])
    assert sfumato.check(table, {"id": "k-combinations", "k": 2, "size": 1}, qid=["Job"])
    people = sfumato.from_rows(["Job"], [("Artist",), ("Pilot",)])
    found = sfumato.attack(table, "attack-record-linkage", qid=["Job"], external=people)
    assert found.per_victim.tolist() == [1 / 3, 1.0]


# ---- no model is forgotten -----------------------------------------------------------------------------------------------


def named_in_other_files() -> set[str]:
    """Return the models that the other files of promises name, by their id in quotes or by their class."""
    here = Path(__file__)
    texts = [
        path.read_text("utf-8") for path in sorted(here.parent.glob("test_promises_*.py")) if path.name != here.name
    ]
    assert len(texts) >= 3
    return {
        model.id
        for model in catalogue.things("model", "table")
        if any(f'"{model.id}"' in text or re.search(rf"\b{model.__name__}\b", text) for text in texts)
    }


def test_every_model_is_tried_or_says_why_not() -> None:
    known = set(catalogue.ids("model", "table"))
    by_attacks = set(PROMISES) | named_in_other_files()
    assert known - by_attacks == set(WITHOUT_ATTACK)
    assert set(WITHOUT_ATTACK) == BY_HAND
    assert set(PROMISES) <= known
    assert all(reason.strip() for reason in WITHOUT_ATTACK.values())
