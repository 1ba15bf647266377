"""``sfumato party serve``, ``coordinate``, ``request``, ``certificate``, ``demo``: sessions between holders over a network."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson, IfThere, Quiet, ReleaseFolder
from sfumato.cli.documents import show_release
from sfumato.cli.files import refuse_existing, refuse_release, write_text
from sfumato.cli.keygen import Locked, passphrase_of
from sfumato.cli.main import said
from sfumato.cli.texts import show
from sfumato.contracts.run import Run
from sfumato.data.messages import say, tell
from sfumato.data.words import printable

if TYPE_CHECKING:
    from sfumato.data.json import Json
    from sfumato.parties.contract import Contract
    from sfumato.parties.conversation.identity import Pinned
    from sfumato.service.request import Granted

__all__ = ["audit", "certificate", "check", "coordinate", "demo", "invite", "offer", "request", "schema", "serve"]

Config = Annotated[Path, typer.Option("--config", "-c", help="The settings (TOML); files it names lie beside it.")]
Sessions = Annotated[
    int | None, typer.Option("--sessions", min=1, help="End after so many sessions; never if not given.")
]
Coordinator = Annotated[str, typer.Option("--coordinator", help="Where the coordinator is, https://HOST:PORT.")]
CoordinatorCertificate = Annotated[
    Path, typer.Option("--coordinator-certificate", help="The certificate of the coordinator.")
]
Asker = Annotated[str, typer.Option("--name", help="Who asks, as the coordinator knows it.")]
AskersKey = Annotated[Path, typer.Option("--key", help="The private key of who asks.")]
AskersCertificate = Annotated[Path, typer.Option("--certificate", help="The certificate of who asks.")]

HolderAt = Annotated[str, typer.Option("--holder", help="Where the holder listens, https://HOST:PORT.")]
HolderCertificate = Annotated[Path, typer.Option("--holder-certificate", help="The certificate of the holder.")]
AskerThere = Annotated[str, typer.Option("--name", help="Who asks, as the holder's settings name it.")]


def certificate(
    name: Annotated[str, typer.Argument(help="Who this is: a name as contracts and coordinators know it.")],
    key: Annotated[Path, typer.Argument(help="The private key that sfumato keygen made.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The certificate to write: for contracts and coordinators.")],
    passphrase: Locked = False,
) -> None:
    """Make a certificate of a key: others pin it, and believe nobody else to be this holder."""
    from sfumato.parties.conversation.identity import new_certificate

    new_certificate(name, key, out, passphrase_of(passphrase))
    show(tell("party.shown.certificate", file=str(out), name=name))


def serve(config: Config, sessions: Sessions = None, passphrase: Locked = False, quiet: Quiet = False) -> None:
    """Take part in sessions as a holder: this process lies beside the data, and nothing but what is agreed on leaves it."""
    from sfumato.kernels.compiled import announce_compilation
    from sfumato.service.settings import HolderSettings

    holder = HolderSettings(config).holder(passphrase_of(passphrase), _by_hand)
    announce_compilation()
    if not quiet:
        show(tell("party.shown.waits", holder=holder.identity.name, address=holder.address))
        show(tell("party.shown.listens", place=holder.listen) if holder.listen else tell("party.shown.calls_out"))
    released = holder.serve(sessions=sessions)
    if not quiet:
        show(tell("party.shown.released", released=released, sessions=sessions or 0))
    raise typer.Exit(0 if sessions is None or released == sessions else 3)


def offer(
    config: Config,
    patience: Annotated[float, typer.Option("--patience", min=1, max=86400, help="Seconds to wait for all.")] = 600,
    passphrase: Locked = False,
) -> None:
    """Answer an invitation with what this holder offers and demands (its policy); the contract that follows is written."""
    from sfumato.service.offers import offered
    from sfumato.service.settings import HolderSettings

    bidder = HolderSettings(config).bidder(passphrase_of(passphrase))
    refuse_existing(bidder.contract)
    requester, contract = offered(bidder.line, bidder.offer, run=Run(), patience=patience, listens=bidder.listens)
    show(tell("party.shown.invited", requester=requester))
    _agreed(contract, bidder.contract)


def invite(
    holders: Annotated[list[str], typer.Argument(help="The holders, as the coordinator knows them, in their order.")],
    coordinator: Coordinator,
    coordinator_certificate: CoordinatorCertificate,
    name: Asker,
    key: AskersKey,
    own_certificate: AskersCertificate,
    out: Annotated[Path, typer.Option("--out", "-o", help="The contract to write.")],
    patience: Annotated[float, typer.Option("--patience", min=1, max=86400, help="Seconds to wait for all.")] = 600,
    passphrase: Locked = False,
) -> None:
    """Invite holders to offer what they have; the contract follows from what all of them sign, or why there is none."""
    from sfumato.parties.conversation.identity import Identity
    from sfumato.service.holder import Line
    from sfumato.service.offers import invited

    refuse_existing(out)
    identity = Identity(name, key, own_certificate, passphrase_of(passphrase))
    line = Line(identity, _pinned("the coordinator", coordinator_certificate, "--coordinator-certificate"), coordinator)
    _agreed(invited(line, holders, run=Run(), patience=patience), out)


def _agreed(contract: Contract, out: Path) -> None:
    """Write a contract, and show who it says the holders are: whoever knows them can compare."""
    from sfumato.parties.conversation.identity import Pinned
    from sfumato.publishing.signature import fingerprint

    write_text(out, contract.to_yaml())
    show(tell("party.shown.agreed", file=str(out), sha=contract.hash()[:16]))
    for name, entry in contract.holders.items():
        show(f"- {name}: {fingerprint(Pinned(name, str(entry.certificate)).key)}")


def coordinate(config: Config, passphrase: Locked = False, quiet: Quiet = False) -> None:
    """Start sessions for whoever may ask, and carry sealed envelopes for holders that open no port."""
    from sfumato.service.server import Server
    from sfumato.service.settings import CoordinatorSettings

    coordinator, identity, members, listen = CoordinatorSettings(config).coordinator(passphrase_of(passphrase))
    with Server(coordinator.app(), identity, members, listen) as server:
        if not quiet:
            show(
                tell(
                    "party.shown.coordinates", place=f"{listen.rpartition(':')[0]}:{server.port}", members=len(members)
                )
            )
        server.wait()


def request(
    contract: Annotated[
        Path, typer.Option("--contract", "-p", help="The contract between the holders (YAML or JSON).")
    ],
    coordinator: Coordinator,
    coordinator_certificate: CoordinatorCertificate,
    name: Asker,
    key: AskersKey,
    own_certificate: AskersCertificate,
    out: ReleaseFolder,
    patience: Annotated[float, typer.Option("--patience", min=1, max=86400, help="Seconds to wait for the end.")] = 600,
    if_exists: IfThere = "fail",
    passphrase: Locked = False,
    quiet: Quiet = False,
    json_form: AsJson = False,
) -> None:
    """Ask the holders of a contract for their joint table: it is judged anew, published and verified here."""
    from sfumato.parties.contract import Contract
    from sfumato.parties.conversation.identity import Identity
    from sfumato.service.request import requested

    refuse_release(out, if_exists, json_form=json_form)
    identity = Identity(name, key, own_certificate, passphrase_of(passphrase))
    pinned = _pinned("the coordinator", coordinator_certificate, "--coordinator-certificate")
    run = Run()
    granted = requested(identity, pinned, coordinator, Contract.load(contract), run=run, patience=patience)
    _published(granted, out, if_exists, run, quiet=quiet, json_form=json_form)


def demo(
    out: ReleaseFolder,
    direct: Annotated[bool, typer.Option("--direct", help="Holders listen and talk straight to each other.")] = False,
    if_exists: IfThere = "fail",
    quiet: Quiet = False,
    json_form: AsJson = False,
) -> None:
    """Try it: a coordinator and three holders with invented data on this machine, a session, and a verified release."""
    from sfumato.service.demo import demonstrated

    refuse_release(out, if_exists, json_form=json_form)
    run = Run()
    granted = demonstrated(run, direct=direct)
    _published(granted, out, if_exists, run, quiet=quiet, json_form=json_form)


def _reading(path: str) -> Callable[[Callable[[dict[str, Json], bool], None]], Callable[..., None]]:
    """Make a command that reads from a holder that listens, of what shows the answer, in words or as it is."""

    def made(shown: Callable[[dict[str, Json], bool], None]) -> Callable[..., None]:
        def command(
            holder: HolderAt,
            holder_certificate: HolderCertificate,
            name: AskerThere,
            key: AskersKey,
            own_certificate: AskersCertificate,
            passphrase: Locked = False,
            json_form: AsJson = False,
        ) -> None:
            from sfumato.parties.conversation.identity import Identity
            from sfumato.service.holder import Line

            identity = Identity(name, key, own_certificate, passphrase_of(passphrase))
            line = Line(identity, _pinned("the holder", holder_certificate, "--holder-certificate"), holder)
            try:
                told = line.ask("GET", path)
            finally:
                line.close()
            shown(told, json_form)

        command.__name__, command.__doc__ = shown.__name__, shown.__doc__
        return command

    return made


@_reading("/v1/schema")
def schema(told: dict[str, Json], json_form: bool) -> None:
    """Read what a holder that listens offers, as somebody who may ask it: columns, roles, types, hashes of hierarchies."""
    columns = told.get("columns")
    if json_form:
        show(json.dumps(told, indent=1, ensure_ascii=False))
        return
    for column, entry in columns.items() if isinstance(columns, dict) else ():
        values = entry.values() if isinstance(entry, dict) else ()
        show(f"{printable(column)}: {', '.join(printable(str(one)) for one in values)}")


@_reading("/v1/audit")
def audit(told: dict[str, Json], json_form: bool) -> None:
    """Read a holder's log as its auditor: who asked for what, how it ended, and what every role learnt; nothing else."""
    listed = told.get("listed", [])
    entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    if json_form:
        show(json.dumps(entries, indent=1, ensure_ascii=False))
        return
    for entry in entries:
        show(" ".join(printable(str(entry.get(one))) for one in ("at", "session", "requester", "event")))
        ledger = entry.get("ledger")
        for leak in ledger if isinstance(ledger, list) else []:
            if isinstance(leak, dict):
                show(f"- {printable(str(leak.get('role')))}: {printable(str(leak.get('learns')))}")


def check(
    folder: Annotated[
        Path, typer.Argument(help="The release folder that a session ended with; OUT.holders.json beside it.")
    ],
    contract: Annotated[
        Path, typer.Option("--contract", "-p", help="The contract between the holders, which pins their keys.")
    ],
) -> None:
    """Check that every holder of a contract has signed a joint release: what was found, and the certificate as published."""
    from sfumato.parties.contract import Contract
    from sfumato.service.request import refuse_unsigned_release

    asked = Contract.load(contract)
    refuse_unsigned_release(folder, asked)
    show(tell("party.shown.checked", holders=list(asked.holders)))


def _pinned(name: str, file: Path, option: str) -> Pinned:
    from sfumato.errors import BadRequest
    from sfumato.parties.conversation.identity import Pinned

    try:
        found = Pinned(name, file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise BadRequest(say("party.bad.unread"), parameter=option) from None
    _ = found.key  # what is no certificate is said of this file, not of the caller's own
    return found


def _published(granted: Granted, out: Path, if_exists: IfThere, run: Run, *, quiet: bool, json_form: bool) -> None:
    """Publish and verify the release, with the signatures of the holders beside it."""
    from sfumato.reports.text import print_release
    from sfumato.verbs.publish import publish

    publish(granted.release, out, if_exists=if_exists, run=run)
    signed = {
        "session": granted.session,
        "end": granted.end.document(),
        "signatures": dict(granted.signatures),
        "certificate": {name: json.loads(text) for name, text in granted.certificates.items()},
    }
    beside = out.with_name(out.name + ".holders.json")
    # What a third party alone may see nobody else certifies, and nobody else reads.
    beside.unlink(missing_ok=True)
    mode = 0o644 if granted.certificates else 0o600
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(json.dumps(signed, indent=1, sort_keys=True) + "\n")
    if json_form:
        show_release(granted.release, out)
    elif not quiet:
        print_release(granted.release, out, said())
        show(tell("party.shown.signed", holders=list(granted.signatures), file=str(beside)))


def _by_hand(requester: str, contract: Contract) -> bool:
    """Show what every role would learn, and ask the person at this terminal."""
    from sfumato.parties.plan import sentences_before

    show(tell("party.shown.asks", requester=requester, sha=contract.hash()[:16]))
    for sentence in sentences_before(contract):
        show(f"- {sentence}")
    return typer.confirm(tell("party.shown.take_part"), default=False)
