"""Who may ask for what, whose signature is believed, who reads the log, and what holders sign."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from parties.tables_of_holders import joint_table
from service.session_world import World
from sfumato.cli.main import app
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, SfumatoError
from sfumato.parties.contract import Contract
from sfumato.parties.named_persons import refuse_names
from sfumato.publishing.signature import checked
from sfumato.service.admission import Admission, Known, Rule, signed_request
from sfumato.service.calls import signed_headers
from sfumato.service.holder import Line
from sfumato.service.request import requested
from sfumato.service.settings import HolderSettings
from sfumato.verbs.publish import publish


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("admission"))


@pytest.mark.parametrize(
    "rule, admitted",
    [
        (Rule(person="user"), True),
        (Rule(person="other"), False),
        (Rule(organisation="clinic"), True),
        (Rule(organisation="bank"), False),
        (Rule(person="user", organisation="bank"), False),
        (Rule(person="user", functions=("ppmashup-semi-honest",)), True),
        (Rule(organisation="clinic", functions=("ppmashup-rational",)), False),
    ],
)
def test_rules_by_person_organisation_and_function(world: World, rule: Rule, admitted: bool) -> None:
    people = {"user": Known(world.people["user"].pinned, "clinic")}
    contract = Contract.of(world.document)
    assert Admission([rule], people).admits("user", contract) is admitted
    assert not Admission([rule], people).admits("thief", contract) or rule == Rule(person="thief")


def test_a_coordinator_cannot_ask_in_the_name_of_somebody(world: World) -> None:
    contract, user = Contract.of(world.document), world.people["user"]
    other = Contract.of({**world.document, "align": "intersection"})
    admission = Admission((), {"user": Known(user.pinned)})
    good = signed_request(user, contract)
    admission.refuse_unsigned("user", contract, good)
    forged = [signed_request(world.people["thief"], contract), {**good, "at": 0}, {**good, "nonce": 3}, {}, None, good]
    for request in forged:
        with pytest.raises(BadRequest):
            admission.refuse_unsigned("user", contract, request)  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match="has not signed"):
        admission.refuse_unsigned("user", other, signed_request(user, contract))
    with pytest.raises(BadRequest, match="nobody whom"):
        admission.refuse_unsigned("thief", contract, signed_request(world.people["thief"], contract))


def _twice(line: Line, path: str) -> None:
    headers = signed_headers(line.identity, line.server, path, b"")
    line._client.get(path, headers=headers)
    raise BadRequest(line._client.get(path, headers=headers).json()["error"])


def test_what_an_auditor_signed_for_one_holder_opens_no_other(world: World) -> None:
    contract, auditor = Contract.of(world.contract(direct=True)), world.people["thief"]
    with world.coordinated() as (address, _):
        holder = world.holder("h0", contract, address, auditors={"thief": auditor.pinned})
        with holder.server("127.0.0.1:0") as server:
            line = Line(world.people["h1"], world.people["h0"].pinned, f"https://127.0.0.1:{server.port}")
            heard, meant = (
                signed_headers(auditor, world.people[name].pinned, "/v1/audit", b"") for name in ("h1", "h0")
            )
            shown = [line._client.get("/v1/audit", headers=headers) for headers in (heard, meant)]
            line.close()
    assert [one.status_code for one in shown] == [400, 200]
    assert "not signed" in shown[0].text


def _tells_no_value(schema: dict[str, Any], contract: Contract, table: dict[str, Any]) -> None:
    entry = contract.holders["h0"]
    assert schema["contract"] == contract.hash()
    assert set(entry.columns) <= set(schema["columns"])
    assert entry.person not in schema["columns"]
    assert {key for one in schema["columns"].values() for key in one} <= {"role", "type", "hierarchy"}
    said = json.dumps(schema)
    assert not any(f'"{value}"' in said for values in table.values() for value in values)


def test_an_auditor_reads_the_log_and_nothing_else_and_holders_sign_the_certificate(
    world: World, tmp_path: Path
) -> None:
    contract = Contract.of(world.contract(direct=True))
    user, thief = world.people["user"], world.people["thief"]
    with world.coordinated() as (address, _):
        admission = Admission([Rule(person="user")], {"user": Known(user.pinned)})
        options: dict[str, Any] = {
            "admission": admission,
            "agrees": admission.admits,
            "auditors": {"thief": thief.pinned},
        }
        holders = [world.holder("h0", contract, address, **options)]
        holders += [world.holder(name, contract, address) for name in ("h1", "h2")]
        with world.served(holders):
            granted = requested(user, world.people["coordinator"].pinned, address, contract, run=Run(), patience=60)
        with holders[0].server("127.0.0.1:0") as server:
            where = f"https://127.0.0.1:{server.port}"
            line = Line(thief, world.people["h0"].pinned, where)
            with pytest.raises(SfumatoError, match="somebody known here"):
                line.ask("POST", "/v1/sessions/x/messages", b"{}")
            with pytest.raises(SfumatoError, match="longer than 0"):
                line.ask("GET", "/v1/audit", b"{}")
            line.close()
            other = Line(world.people["h1"], world.people["h0"].pinned, where)
            with pytest.raises(SfumatoError, match="somebody known here"):
                other.ask("GET", "/v1/audit")
            schema = other.ask("GET", "/v1/schema")
            with pytest.raises(SfumatoError, match="heard already"):
                _twice(other, "/v1/schema")
            other.close()
            options = {"holder": where, "holder-certificate": world.folder / "h0.crt", "name": "thief"}
            options |= {"key": thief.key_file, "certificate": thief.certificate_file}
            words = [text for key, value in options.items() for text in (f"--{key}", str(value))]
            from sfumato.cli import commands  # noqa: F401

            told = CliRunner().invoke(app, ["party", "audit", *words, "--json"])
            assert told.exit_code == 0, told.output
            denied = CliRunner().invoke(app, ["party", "schema", *words])  # an auditor reads the log alone
            words += ["--name", "user", "--key", str(user.key_file), "--certificate", str(user.certificate_file)]
            shown = CliRunner().invoke(app, ["party", "schema", *words, "--json"])
            assert (denied.exit_code, shown.exit_code) == (1, 0), denied.output + shown.output
    assert json.loads(shown.output) == schema
    _tells_no_value(schema, contract, world.tables["h0"])
    entries = json.loads(told.output)
    assert {"approved", "released"} <= {entry["event"] for entry in entries}
    ledger = next(entry["ledger"] for entry in entries if "ledger" in entry)
    assert {one["role"] for one in ledger} >= set(contract.holders)
    assert entries[0]["requirements"][0]["id"] == "k-anonymity"
    folder = publish(granted.release, tmp_path / "joint")
    certificate = (folder / "public" / "certificate.json").read_bytes()
    for name, text in granted.certificates.items():
        assert checked(certificate, text.encode(), world.folder / f"{name}.key.pub").expected


def test_names_of_persons_do_not_leave() -> None:
    refuse_names("ill", ["flu", "cold", "flu"], {"p1", "p2"})
    refuse_names("visits", ["1", "2", "1", "2", "1"], {"1", "2", "3"})
    with pytest.raises(BadRequest, match="names of persons"):
        refuse_names("note", ["p1", "p2", "p3", "x"], {"p1", "p2", "p3", "p4"})


def test_settings_of_who_may_ask(world: World) -> None:
    document, tables, _ = joint_table(4, holders=3)
    (world.folder / "contract.json").write_text(json.dumps(world.contract(direct=False)), encoding="utf-8")
    pl.DataFrame(tables["h0"]).write_csv(world.folder / "h0.csv")
    base = "\n".join(
        f'{key} = "{value}"'
        for key, value in {
            "name": "h0",
            "key": "h0.key",
            "certificate": "h0.crt",
            "contract": "contract.json",
            "source": "h0.csv",
            "coordinator": "https://127.0.0.1:1",
            "coordinator_certificate": "coordinator.crt",
            "approve": "rule",
        }.items()
    )
    good = 'allow = ["a", {organisation = "o", function = "ppmashup-semi-honest"}]\n'
    good += '[people.user]\ncertificate = "user.crt"\norganisation = "o"\n[auditors]\nthief = "thief.crt"\n'
    file = world.folder / "rules.toml"
    file.write_text(f"{base}\n{good}", encoding="utf-8")
    holder = HolderSettings(file).holder(None, lambda *_: False)
    assert holder.agrees("user", Contract.of(document))
    assert not holder.agrees("b", Contract.of(document))
    assert set(holder.auditors) == {"thief"}
    file.write_text(f'{base}\ntable = "held"\n', encoding="utf-8")
    assert HolderSettings(file).holder(None, lambda *_: False).source.said == {"table": "held"}  # type: ignore[attr-defined]
    bad = [
        "table = 3",
        'policy = "nothing.yaml"',
        'allow = "a"',
        "allow = [3]",
        "allow = [{}]",
        'allow = [{function = "ppmashup-semi-honest"}]',
        'allow = [{person = "a", function = "nothing"}]',
        'allow = [{person = "a", colour = "red"}]',
        "people = 3",
        "people = {a = 3}",
        'people = {a = {organisation = "o"}}',
        'people = {a = {certificate = "missing.crt"}}',
        "auditors = [1]",
        'auditors = {a = "h0.key"}',
    ]
    for text in bad:
        file.write_text(f"{base}\n{text}\n", encoding="utf-8")
        with pytest.raises(SfumatoError):
            HolderSettings(file).holder(None, lambda *_: False)
