"""The files that a holder's process and a coordinator are started with: TOML, with files named beside them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from sfumato.catalogue import build
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.engines.sources import Described
from sfumato.errors import BadRequest
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.identity import Identity, Pinned
from sfumato.parties.negotiation import Offer, refuse_less
from sfumato.service.admission import Admission, Known, Rule
from sfumato.service.coordinator import Coordinator
from sfumato.service.heard import Heard
from sfumato.service.holder import Holder, Line

__all__ = ["CoordinatorSettings", "HolderSettings"]


class _File:
    """A settings file: every key is known, and what it names lies beside it."""

    def __init__(self, path: Path, known: tuple[str, ...]) -> None:
        self.path = path
        try:
            self.held: Mapping[str, object] = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise BadRequest(
                say("party.bad.unread_why", why=str(error.strerror)), parameter="config", value=path.name
            ) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            raise BadRequest(say("party.bad.toml"), parameter="config", value=path.name) from None
        for key in self.held:
            if key not in known:
                raise BadRequest(say("party.bad.setting"), parameter=path.name, value=key, available=known)

    def text(self, key: str, default: str | None = None) -> str:
        found = self.held.get(key, default)
        if not isinstance(found, str):
            raise BadRequest(say("party.bad.text"), parameter=f"{self.path.name}: {key}")
        return found

    def seconds(self, key: str, default: float) -> float:
        found = self.held.get(key, default)
        if not isinstance(found, int | float) or isinstance(found, bool) or not 0 < found <= 86400:
            raise BadRequest(say("party.bad.seconds"), parameter=f"{self.path.name}: {key}")
        return float(found)

    def file(self, key: str) -> Path:
        return self.path.parent / self.text(key)

    def pinned(self, name: str, file: Path) -> Pinned:
        try:
            found = Pinned(name, file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            raise BadRequest(say("party.bad.unread"), parameter="certificate", value=file.name) from None
        _ = found.key
        return found

    def certificates(self, key: str) -> dict[str, Pinned]:
        """Return names with the certificates in the files beside them."""
        found = self.held.get(key, {})
        if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
            raise BadRequest(say("party.bad.certificates"), parameter=f"{self.path.name}: {key}")
        return {name: self.pinned(name, self.path.parent / one) for name, one in found.items()}

    def people(self) -> dict[str, Known]:
        """Return whose signature is believed."""
        found = self.held.get("people", {})
        out = {}
        for name, entry in found.items() if isinstance(found, dict) else [("", None)]:
            held = self._texts(entry, ("certificate", "organisation"), "people")
            if "certificate" not in held:
                raise BadRequest(say("party.bad.certificate"), parameter=f"{self.path.name}: people", value=name)
            pinned = self.pinned(name, self.path.parent / held["certificate"])
            out[name] = Known(pinned, held.get("organisation"))
        return out

    def rules(self) -> list[Rule]:
        """Return who may ask for what: a name alone allows everything to that person."""
        found, out = self.held.get("allow", []), []
        for one in found if isinstance(found, list) else [None]:
            if isinstance(one, str):
                out.append(Rule(person=one))
                continue
            functions = one.get("function", []) if isinstance(one, dict) else []
            functions = [functions] if isinstance(functions, str) else functions
            rest = {key: value for key, value in one.items() if key != "function"} if isinstance(one, dict) else one
            held = self._texts(rest, ("person", "organisation"), "allow")
            if not held or not isinstance(functions, list) or not all(isinstance(name, str) for name in functions):
                raise BadRequest(
                    say("party.bad.allow"),
                    parameter=f"{self.path.name}: allow",
                )
            for name in functions:
                build({"id": name}, "protocol")
            out.append(Rule(held.get("person"), held.get("organisation"), tuple(functions)))
        return out

    def _texts(self, entry: object, known: tuple[str, ...], key: str) -> dict[str, str]:
        if not isinstance(entry, dict) or not all(isinstance(one, str) for one in entry.values()):
            raise BadRequest(say("party.bad.tables"), parameter=f"{self.path.name}: {key}")
        for name in entry:
            if name not in known:
                raise BadRequest(
                    say("party.bad.setting"), parameter=f"{self.path.name}: {key}", value=name, available=known
                )
        return entry

    def identity(self, passphrase: str | None) -> Identity:
        return Identity(self.text("name"), self.file("key"), self.file("certificate"), passphrase)


@frozen
class Bidder:
    """A holder that has no contract yet: its line to the coordinator, what it offers, where the contract goes."""

    line: Line
    offer: Offer
    contract: Path
    listens: str | None


@frozen
class HolderSettings:
    """``party.toml``: name, key, certificate, contract, source, coordinator, coordinator_certificate; and what has a default:
    table (of a database), listen, approve (``hand`` or ``rule``), allow (who may ask: names, or tables of person, organisation
    and function), people (whose signature is believed: name, certificate, organisation), auditors (names with files of
    certificates), policy (what this holder offers and demands: a contract that promises less is refused), audit, deadline."""

    path: Path

    def _file(self) -> _File:
        keys = ("name", "key", "certificate", "contract", "source", "coordinator", "coordinator_certificate", "listen")
        beside = ("table", "approve", "allow", "people", "auditors", "policy", "audit", "deadline")
        return _File(self.path, (*keys, *beside))

    def bidder(self, passphrase: str | None) -> Bidder:
        """Return the holder before there is a contract: what it offers, and where the contract will be."""
        file = self._file()
        identity = file.identity(passphrase)
        line = Line(
            identity, file.pinned("coordinator", file.file("coordinator_certificate")), file.text("coordinator")
        )
        listens = file.text("listen") if "listen" in file.held else None
        return Bidder(line, Offer.load(file.file("policy")), file.file("contract"), listens)

    def holder(self, passphrase: str | None, by_hand: Callable[[str, Contract], bool]) -> Holder:
        """Return the holder; its contract must name it with the certificate that it has."""
        file = self._file()
        identity, contract = file.identity(passphrase), Contract.load(file.file("contract"))
        entry = contract.holders.get(identity.name)
        if entry is None or entry.certificate is None or Pinned("", entry.certificate).key != identity.pinned.key:
            raise BadRequest(
                say("party.bad.holder"),
                parameter=f"{self.path.name}: name",
                value=identity.name,
                available=contract.holders,
            )
        if "policy" in file.held:
            refuse_less(Offer.load(file.file("policy")), contract)
        audit = file.file("audit") if "audit" in file.held else self.path.with_suffix(".audit.jsonl")
        heard = Heard(audit.with_name(f"{self.path.stem}.heard.txt"))
        rule, admission = file.text("approve", "hand"), Admission(file.rules(), file.people(), heard)
        if rule not in ("hand", "rule"):
            raise BadRequest(say("party.bad.approve"), parameter=f"{self.path.name}: approve", value=rule)

        def agrees(requester: str, asked: Contract) -> bool:
            """Decide by rule; by hand, whoever no rule allows is not even asked about, if there are rules."""
            allowed = admission.admits(requester, asked)
            return allowed if rule == "rule" else (allowed or not admission.rules) and by_hand(requester, asked)

        source = file.text("source")
        place = source if "://" in source else str(file.file("source"))
        if "://" not in source and not file.file("source").exists():  # better said now than in the first session
            raise BadRequest(say("party.bad.source"), parameter=f"{self.path.name}: source", value=source)
        return Holder(
            identity=identity,
            contract=contract,
            source=Described.of(place, {"table": file.text("table")}) if "table" in file.held else place,
            coordinator=file.pinned("coordinator", file.file("coordinator_certificate")),
            address=file.text("coordinator"),
            agrees=agrees,
            admission=admission,
            auditors=file.certificates("auditors"),
            listen=file.text("listen") if "listen" in file.held else None,
            audit=audit,
            deadline=file.seconds("deadline", 120.0),
        )


@frozen
class CoordinatorSettings:
    """``coordinator.toml``: name, key, certificate, listen, members (names with the files of their certificates), deadline."""

    path: Path

    def coordinator(self, passphrase: str | None) -> tuple[Coordinator, Identity, list[Pinned], str]:
        """Return the coordinator, who it is, whom it believes, and where it listens."""
        file = _File(self.path, ("name", "key", "certificate", "listen", "members", "deadline"))
        pinned = file.certificates("members")
        if not pinned:
            raise BadRequest(say("party.bad.certificates"), parameter=f"{self.path.name}: members")
        identity = file.identity(passphrase)
        coordinator = Coordinator(identity.pinned, pinned, deadline=file.seconds("deadline", 600.0))
        return coordinator, identity, list(pinned.values()), file.text("listen")
