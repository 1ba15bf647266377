"""What is wrong with baskets or their policy is said in one line, and nothing is left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import sfumato
from command_line import sfumato_in
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.transactions import Baskets
from sfumato.transactions.models import HKPCoherence, KMAnonymity
from sfumato.transactions.releases import RecodedBaskets

ROWS = [{"a", "b"}, {"a", "b"}, {"a", "b", "x"}]
POLICY = {"shape": "transactions", "requirements": [{"id": "km-anonymity", "k": 2, "m": 2}]}
TREE = {"id": "taxonomy", "tree": {"ALL": ["a", "b", "x"]}}


def _asked(**keys: object) -> dict[str, object]:
    return {**POLICY, **keys}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: Baskets.of({"p": ["ann", "ann"], "i": [["a"], ["b"]]}, person="p", item="i"),
            "a person has one basket",
        ),
        (lambda: Baskets.of(ROWS, private=["x"], public=["a", "b", "x"]), "public and private at once"),
        (lambda: Baskets.of(ROWS, private=["x"], public=["a"]), "neither public nor private"),
        (lambda: Baskets.of(ROWS, private=["xx"]), "no basket holds it"),
        (lambda: Baskets.of(ROWS, private="x"), "must be a list of items"),
        (lambda: Baskets.of(ROWS, tree={"ALL": ["a", "b"]}), "no leaf in the hierarchy"),
        (lambda: Baskets.of(ROWS, tree={"ALL": [{"A": ["a", "b"]}, {"B": ["a", "x"]}]}), "two different nodes"),
        (lambda: Baskets.of(["ab", "cd"]), "a basket must be a set of items"),
        (lambda: Baskets.of(7), "must be sets"),
        (lambda: Baskets.of("nowhere.dat"), "there is no such file"),
        (lambda: Baskets.of({"p": [1], "i": ["a"]}, item="i"), "which column names the persons"),
        (lambda: Baskets.of({"p": [1], "i": ["a"]}, person="q", item="i"), "is not a column"),
        (lambda: Baskets.of({"p": [1, None], "i": ["a", "b"]}, person="p", item="i"), "do not say whose they are"),
        (lambda: HKPCoherence(h=80, k=5, p=2), "must be > 0 and <= 1"),
        (lambda: KMAnonymity(k=0, m=2), "must be >= 1"),
        (lambda: sfumato.anonymize(ROWS, _asked(requirements=[{"id": "k-anonymity", "k": 2}])), "transactions"),
        (lambda: sfumato.anonymize(ROWS, _asked(algorithm="mondrian")), "transactions"),
        (lambda: sfumato.anonymize([], POLICY), "has no basket"),
        (lambda: sfumato.anonymize(ROWS, _asked(items={"colunm": "article"})), "items.colunm"),
        (lambda: sfumato.anonymize(ROWS, _asked(items={"fan_out": 2, "hierarchy": TREE})), "not several"),
        (lambda: sfumato.anonymize(ROWS, _asked(algorithm="apriori-anonymization")), "needs a taxonomy"),
        (
            lambda: sfumato.anonymize(ROWS, _asked(algorithm={"id": "item-suppression", "items": ["q"]})),
            "no basket holds",
        ),
        (
            lambda: sfumato.anonymize(
                ROWS, _asked(items={"private": ["x"]}, algorithm={"id": "item-suppression", "items": ["x"]})
            ),
            "private items are never left out",
        ),
    ],
)
def test_a_wrong_request_is_refused_in_one_line(make: Callable[[], object], said: str) -> None:
    with pytest.raises(BadRequest) as caught:
        make()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (_asked(requirements=[{"id": "km-anonymity", "k": 4, "m": 2}]), "larger than the number of baskets"),
        (
            _asked(items={"private": ["x"]}, requirements=[{"id": "hkp-coherence", "h": 0.2, "k": 2, "p": 1}]),
            "whoever knows nothing learns too much",
        ),
        (_asked(limits={"lose_at_most": 0.0}), "more than the limit"),
        (_asked(algorithm={"id": "item-suppression", "items": ["a"]}), "still breaks km-anonymity"),
    ],
)
def test_what_cannot_be_met_is_said(asked: dict[str, object], said: str) -> None:
    with pytest.raises(Infeasible, match=said):
        sfumato.anonymize(ROWS, asked)


@pytest.mark.parametrize(
    ("model", "algorithm"),
    [
        ({"id": "transactional-k-anonymity", "k": 2}, "mole-suppression"),
        ({"id": "km-anonymity", "k": 2, "m": 2}, "top-down-partitioning"),
        ({"id": "hkp-coherence", "h": 0.5, "k": 2, "p": 2}, "apriori-anonymization"),
    ],
)
def test_an_algorithm_says_which_requirements_it_works_for(model: dict[str, object], algorithm: str) -> None:
    with pytest.raises(Unsupported):
        sfumato.anonymize(ROWS, _asked(requirements=[model], algorithm=algorithm, items={"hierarchy": TREE}))


def test_empty_baskets_stay_and_repeats_are_told(caplog: pytest.LogCaptureFixture) -> None:
    release = sfumato.anonymize([["a", "a"], ["a"], [], []], POLICY)
    assert release.tables["baskets"].to_rows() == [(1, 0), (2, 0), (3, 1), (4, 1)]
    assert any("once more in the same basket" in warning for warning in release.warnings)


def test_a_basket_of_a_million_items_is_looked_at() -> None:
    long = [{f"i{n}" for n in range(1_000_000)}, {"a"}, {"a"}]
    verdict = KMAnonymity(k=2, m=2).judge(Baskets.of(long))
    assert (verdict.violating_groups, verdict.violating_records) == (1_000_000, 1)


def test_baskets_that_are_too_long_to_look_at_all_pairs_are_refused() -> None:
    held = [np.flatnonzero(np.arange(1 << 18) >> bit & 1) for bit in range(18)]  # no two items share all records
    starts = np.concatenate(([0], np.cumsum([len(one) for one in held])))
    names = tuple(f"{code:06}" for code in range(1 << 18))
    baskets = Baskets(starts, np.concatenate(held).astype(np.int32), names)
    with pytest.raises(Unsupported, match="too long"):
        KMAnonymity(k=2, m=2).judge(baskets)


@pytest.mark.parametrize(
    ("part", "rows", "said"),
    [
        ("items", {"basket": [1, 9], "item": ["a", "a"]}, "not listed"),
        ("items", {"basket": [1, 1], "item": ["a", "a"]}, "twice"),
        ("items", {"basket": [1], "item": [None]}, "gaps"),
        ("items", {"basket": [1], "thing": ["a"]}, "lacks a column"),
        ("baskets", {"basket": [1, 1], "items": [1, 1]}, "listed twice"),
        ("baskets", {"basket": [1, 2], "items": [1, 5]}, "as many items"),
    ],
)
def test_tables_that_do_not_fit_are_refused(part: str, rows: dict[str, Any], said: str) -> None:
    kind = RecodedBaskets()
    parts = kind.parts_of(Baskets.of([{"a"}, {"a"}]))
    from sfumato.engines import read

    with pytest.raises(BadRequest, match=said):
        kind.baskets_of({**parts, part: read(rows)})


def test_every_source_gives_the_same_baskets(tmp_path: Path) -> None:
    import polars as pl

    sets = [["1", "2"], ["2"], []]
    (tmp_path / "b.dat").write_text("1 2\n2\n\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("1 -1 2 -1 -2\n2 -1 -2\n-2\n", encoding="utf-8")
    frame = pl.DataFrame({"who": ["p", "p", "q", "r"], "what": ["1", "2", "2", None]})
    frame.write_csv(tmp_path / "long.csv")
    lists = pl.DataFrame({"who": ["p", "q", "r"], "what": sets})
    lists.write_parquet(tmp_path / "lists.parquet")
    (tmp_path / "lists.jsonl").write_text(
        "".join(json.dumps({"who": who, "what": one}) + "\n" for who, one in zip("pqr", sets, strict=True)), "utf-8"
    )
    named = {"person": "who", "item": "what"}
    found = [
        Baskets.of(sets),
        Baskets.of(tmp_path / "b.dat"),
        Baskets.of(tmp_path / "b.txt", format="spmf"),
        Baskets.of(frame, **named),
        Baskets.of(frame.to_pandas(), **named),
        Baskets.of(tmp_path / "long.csv", **named),
        Baskets.of(lists, **named),
        Baskets.of(lists.to_arrow(), **named),
        Baskets.of(tmp_path / "lists.parquet", **named),
        Baskets.of(tmp_path / "lists.jsonl", **named),
        Baskets.of(scipy.sparse.csr_matrix([[0, 1, 1], [0, 0, 1], [0, 0, 0]])),
    ]
    assert {tuple(map(frozenset, one)) for one in found} == {(frozenset("12"), frozenset("2"), frozenset())}


def test_the_whole_way_on_the_command_line(tmp_path: Path) -> None:
    def run(*words: str, code: int = 0) -> str:
        done = sfumato_in(tmp_path, *words)
        assert done.returncode == code, done.stderr
        return str(done.stdout)

    run("datasets", "baskets", "--rows", "120", "-o", "shop.csv")
    assert "singles out" in run("profile", "shop.csv", "--shape", "transactions")
    run("init", "shop.csv", "--shape", "transactions", "-o", "policy.yaml")
    run("check", "shop.csv", "-p", "policy.yaml", code=1)
    run("anonymize", "shop.csv", "-p", "policy.yaml", "-o", "out")
    assert "verified" in run("verify", "out/public")
    certificate = json.loads((tmp_path / "out/public/certificate.json").read_text(encoding="utf-8"))
    assert certificate["requirements"][0]["recounted"] == "plain"
    assert not any(b"C0001" in path.read_bytes() for path in (tmp_path / "out/public").iterdir())
    run("attack", "out", "--with", "absence-attack", "--know", "items=milk,bread", "--know", "absent=beer")
    assert "transaction-linkage-attack" in run("audit", "out")
    run("report", "out")
    (tmp_path / "out/public/items.csv").write_text("basket,item\n1,milk\n", encoding="utf-8")
    run("verify", "out/public", code=2)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "b.dat").write_text("1 2\n3 4\n", encoding="utf-8")
    (tmp_path / "p.yaml").write_text(
        "shape: transactions\nrequirements: [{id: km-anonymity, k: 2, m: 1}]\nlimits: {lose_at_most: 0.5}\n", "utf-8"
    )
    assert sfumato_in(tmp_path, "anonymize", "b.dat", "-p", "p.yaml", "-o", "out").returncode in (2, 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.dat", "p.yaml"]


def test_a_dense_matrix_is_read_as_a_sparse_one() -> None:
    import numpy as np

    held = [tuple(sorted(basket)) for basket in Baskets.of(np.array([[1, 0, 1], [0, 0, 0], [0, 1, 1]]))]
    assert held == [("0", "2"), (), ("1", "2")]
