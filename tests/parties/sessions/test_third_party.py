"""Rows for a recipient that is no holder: it gets them as they are, holders and coordinator see none of them."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parties.sessions.test_session import talked
from parties.tables_of_holders import joint_table
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, SfumatoError
from sfumato.parties import Contract, collaborate
from sfumato.parties.conversation.identity import Identity, new_certificate
from sfumato.parties.conversation.message import canonical
from sfumato.parties.sessions.session import joint_table_release
from sfumato.parties.sessions.session_end import SessionEnd
from sfumato.parties.sessions.third_party import opened_rows
from sfumato.publishing.signature import new_key


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Identity:
    folder: Path = tmp_path_factory.mktemp("keys")
    new_key(folder / "clinic.key")
    new_certificate("clinic", folder / "clinic.key", folder / "clinic.crt")
    return Identity("clinic", folder / "clinic.key", folder / "clinic.crt")


def agreed(clinic: Identity, **changed: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    document, tables, _ = joint_table(3, holders=3, sensitive=True, protocol="ppmashup-beyond-k")
    third = {"unmasked": "third_party", "recipient": {"name": "clinic", "certificate": clinic.pinned.certificate}}
    return {**document, **third, **changed}, tables


def test_only_the_recipient_opens_the_rows_and_they_are_those_that_belong_together(clinic: Identity) -> None:
    document, tables = agreed(clinic)
    # The holder of the sensitive column judges steps, so that nobody else sees it on the way.
    document["protocol"] = {"id": "ppmashup-beyond-k", "check": "literal_reject"}
    contract = Contract.of(document)
    found = talked(contract, tables, keep=True)
    end = found.results["h1"]
    assert end.rows == ()
    # Three letters in a row are found by chance in what is sealed: a value has no such letters beside it.
    plain = re.compile(rb"(?<![\w+/=])flu(?![\w+/=])")
    assert not any(plain.search(message.text()) for message in found.said)
    assert not plain.search(canonical(end.document()))
    opened = opened_rows(SessionEnd.of(json.loads(canonical(end.document()))), clinic)
    simulated = collaborate(contract, tables)
    assert sorted(opened.rows) == sorted(tuple(map(str, row)) for row in simulated.table.to_rows())
    assert simulated.raw is not None
    at = [simulated.table.columns.index(name) for name in ("ill", "class")]
    told, kept = (
        sorted([row[one] for one in at] for row in table.to_rows()) for table in (simulated.table, simulated.raw)
    )
    assert told == kept  # not shuffled: what belongs together stands together
    assert joint_table_release(contract, opened, Run()).verdict
    assert any(leak.role == "clinic" and "row by row" in leak.what for leak in end.leaks)
    wrong = replace(end, sealed=(*end.sealed[:2], ("h2", b64encode(clinic.pinned.sealed(b"{}")).decode())))
    with pytest.raises(SfumatoError, match="something else"):
        opened_rows(wrong, clinic)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"recipient": None}, "unmasked is third_party"),
        ({"unmasked": "grouped"}, "unmasked is third_party"),
        ({"recipient": {"name": "h1"}}, "is a holder"),
        ({"recipient": {"name": "clinic", "key": "x"}}, "certificate"),
        ({"unmasked": "sealed"}, "third_party"),
    ],
)
def test_rows_for_nobody_or_for_a_holder_are_refused(clinic: Identity, changed: dict[str, Any], told: str) -> None:
    with pytest.raises(BadRequest) as refused:
        Contract.of(agreed(clinic, **changed)[0])
    assert told in str(refused.value)


def test_a_session_needs_the_certificate_of_a_recipient_that_is_no_holder(clinic: Identity) -> None:
    document, tables = agreed(clinic, recipient={"name": "clinic"})
    with pytest.raises(BadRequest, match="needs a certificate"):
        talked(Contract.of(document), tables)
    document, tables = agreed(clinic)
    document["holders"]["h1"]["certificate"] = clinic.pinned.certificate
    with pytest.raises(BadRequest, match="is a holder"):
        talked(Contract.of(document), tables)
