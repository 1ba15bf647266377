"""From offers to a contract: the least promise that keeps what everybody demands, and refusals that say why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sfumato.cli.main import app
from sfumato.errors import BadRequest
from sfumato.parties.contract import Contract
from sfumato.parties.negotiation import Offer, least_common, negotiated, refuse_less

RANGE = {"role": "quasi-identifier", "range": [0, 9]}


def k_anonymity(k: int, *qid: str) -> dict[str, Any]:
    return {"id": "k-anonymity", "k": k, **({"qid": list(qid)} if qid else {})}


def offer(holder: str, column: str, *requirements: dict[str, Any], **more: Any) -> Offer:
    columns = {column: RANGE, "class": {"role": "target"}, **more.pop("columns", {})}
    document: dict[str, Any] = {
        "holder": holder,
        "person": "id",
        "columns": columns,
        "requirements": list(requirements),
        **more,
    }
    return Offer.of(document)


def test_the_largest_k_of_each_quasi_identifier_holds() -> None:
    bank = offer("bank", "age", k_anonymity(4, "age", "job"), k_anonymity(11, "age", "pay"))
    shop = offer("shop", "job", k_anonymity(6, "job", "age"), columns={"pay": RANGE})
    contract = negotiated([bank, shop])
    assert contract.requirements == (k_anonymity(11, "age", "pay"), k_anonymity(6, "job", "age"))
    assert {name: entry.columns for name, entry in contract.holders.items()} == {
        "bank": ("age",),
        "shop": ("job", "pay"),
    }
    assert list(contract.columns) == ["age", "class", "job", "pay"]
    refuse_less(bank, contract)
    refuse_less(shop, contract)
    less = Contract.of({**contract.document(), "requirements": [k_anonymity(11, "age", "pay"), k_anonymity(5)]})
    with pytest.raises(BadRequest, match="what this holder demands"):
        refuse_less(shop, less)
    refuse_less(bank, less)


def test_what_is_implied_is_left_out_and_all_else_is_kept() -> None:
    diverse = {"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"}
    given = [k_anonymity(3, "a"), diverse, k_anonymity(5), diverse, k_anonymity(5, "a", "b"), k_anonymity(7, "b")]
    assert least_common(given) == [diverse, k_anonymity(5), k_anonymity(7, "b")]


def test_a_protocol_that_all_accept_is_taken_by_the_order_of_the_first() -> None:
    rational, pairwise = {"id": "ppmashup-rational"}, {"id": "ppmashup-semi-honest", "winner": "pairwise"}
    bank = offer("bank", "age", k_anonymity(2), protocols=[rational, pairwise], aligns=["intersection", "exact"])
    shop = offer("shop", "job", k_anonymity(2), protocols=[pairwise, rational], aligns=["exact"])
    found = negotiated([bank, shop])
    assert (found.protocol["id"], found.align) == ("ppmashup-rational", "exact")


def test_records_may_meet_in_a_column_that_both_offer() -> None:
    join = {"id": "general-join", "fold_case": True}
    bank = offer("bank", "age", k_anonymity(2), join="zip", aligns=["exact", join])
    shop = offer("shop", "job", k_anonymity(2), join="postcode", aligns=[join])
    found = negotiated([bank, shop])
    assert {name: entry.join for name, entry in found.holders.items()} == {"bank": "zip", "shop": "postcode"}
    assert found.joins is not None
    assert found.joins.fold_case
    refuse_less(shop, found)
    with pytest.raises(BadRequest, match="general-join"):
        negotiated([bank, offer("shop", "job", k_anonymity(2), aligns=["foo"])])


@pytest.mark.parametrize(
    "changes, reason",
    [
        ({"protocols": [{"id": "ppmashup-rational"}]}, "bank: ppmashup-semi-honest; shop: ppmashup-rational"),
        ({"aligns": ["intersection"]}, "bank: exact; shop: intersection"),
        ({"columns": {"age": RANGE}}, "offered by bank and by shop"),
        ({"columns": {"class": {"role": "target", "type": "text"}}}, "one way by bank and in another by shop"),
        ({"holder": "bank"}, "a name of its own"),
        ({"person": None}, "is required"),
        ({"requirements": [k_anonymity(2, "job", "size")]}, "no holder offers it"),
    ],
)
def test_where_there_is_no_contract_the_reason_is_said(changes: dict[str, Any], reason: str) -> None:
    bank = offer("bank", "age", k_anonymity(2))
    with pytest.raises(BadRequest, match=reason):
        negotiated([bank, offer(changes.pop("holder", "shop"), "job", k_anonymity(2), **changes)])


def test_a_contract_that_takes_more_than_is_offered_is_refused() -> None:
    bank, shop = offer("bank", "age", k_anonymity(2)), offer("shop", "job", k_anonymity(2))
    contract = negotiated([bank, shop])
    for other, reason in [
        (offer("shop", "pay", k_anonymity(2)), "not offered"),
        (offer("thief", "job", k_anonymity(2)), "not a holder"),
        (offer("shop", "job", k_anonymity(2), aligns=["intersection"]), "not accepted"),
        (offer("shop", "job", k_anonymity(2), protocols=[{"id": "ppmashup-rational"}]), "not accepted"),
        (offer("shop", "job", k_anonymity(2), columns={"job": {**RANGE, "range": [0, 8]}}), "described otherwise"),
    ]:
        with pytest.raises(BadRequest, match=reason):
            refuse_less(other, contract)


def test_offers_are_files(tmp_path: Path) -> None:
    from sfumato.cli import commands  # noqa: F401

    files = []
    for name, column in (("bank", "age"), ("shop", "job")):
        files.append(tmp_path / f"{name}.yaml")
        files[-1].write_text(offer(name, column, k_anonymity(3)).to_yaml(), encoding="utf-8")
    out = tmp_path / "contract.yaml"
    words = ["party", "negotiate", *map(str, files), "--out", str(out)]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert Contract.load(out).holders["shop"].columns == ("job",)
    assert CliRunner().invoke(app, words).exit_code != 0
