"""The files that a holder's process and a coordinator are started with: TOML, with files named beside them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import BadRequest
from sfumato.parties.contract import Contract
from sfumato.parties.identity import Identity, Pinned
from sfumato.service.coordinator import Coordinator
from sfumato.service.holder import Holder

__all__ = ["CoordinatorSettings", "HolderSettings"]


class _File:
    """A settings file: every key is known, and what it names lies beside it."""

    def __init__(self, path: Path, known: tuple[str, ...]) -> None:
        self.path = path
        try:
            self.held: Mapping[str, object] = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise BadRequest(f"cannot be read ({error.strerror})", parameter="config", value=path.name) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            raise BadRequest("is no TOML", parameter="config", value=path.name) from None
        for key in self.held:
            if key not in known:
                raise BadRequest("is not a setting", parameter=path.name, value=key, available=known)

    def text(self, key: str, default: str | None = None) -> str:
        found = self.held.get(key, default)
        if not isinstance(found, str):
            raise BadRequest("must be given as a text", parameter=f"{self.path.name}: {key}")
        return found

    def seconds(self, key: str, default: float) -> float:
        found = self.held.get(key, default)
        if not isinstance(found, int | float) or isinstance(found, bool) or not 0 < found <= 86400:
            raise BadRequest("must be seconds, at most a day", parameter=f"{self.path.name}: {key}")
        return float(found)

    def file(self, key: str) -> Path:
        return self.path.parent / self.text(key)

    def pinned(self, name: str, file: Path) -> Pinned:
        try:
            found = Pinned(name, file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            raise BadRequest("cannot be read", parameter="certificate", value=file.name) from None
        _ = found.key
        return found

    def identity(self, passphrase: str | None) -> Identity:
        return Identity(self.text("name"), self.file("key"), self.file("certificate"), passphrase)


@dataclass(frozen=True)
class HolderSettings:
    """``party.toml``: name, key, certificate, contract, source, coordinator, coordinator_certificate; and what has a default:
    listen, approve (``hand`` or ``rule``), allow (who may ask, for the rule), audit, deadline."""

    path: Path

    def holder(self, passphrase: str | None, by_hand: Callable[[str, Contract], bool]) -> Holder:
        """Return the holder; its contract must name it with the certificate that it has."""
        keys = ("name", "key", "certificate", "contract", "source", "coordinator", "coordinator_certificate", "listen")
        file = _File(self.path, (*keys, "approve", "allow", "audit", "deadline"))
        identity, contract = file.identity(passphrase), Contract.load(file.file("contract"))
        entry = contract.holders.get(identity.name)
        if entry is None or entry.certificate is None or Pinned("", entry.certificate).key != identity.pinned.key:
            raise BadRequest(
                "is not a holder of the contract with this certificate",
                parameter=f"{self.path.name}: name",
                value=identity.name,
                available=contract.holders,
            )
        rule, allowed = file.text("approve", "hand"), file.held.get("allow", [])
        if rule not in ("hand", "rule") or not isinstance(allowed, list):
            raise BadRequest(
                "must be hand or rule, with a list of names to allow", parameter=f"{self.path.name}: approve"
            )
        source = file.text("source")
        return Holder(
            identity=identity,
            contract=contract,
            source=source if "://" in source else str(file.file("source")),
            coordinator=file.pinned("coordinator", file.file("coordinator_certificate")),
            address=file.text("coordinator"),
            agrees=(lambda requester, _: requester in allowed) if rule == "rule" else by_hand,
            listen=file.text("listen") if "listen" in file.held else None,
            audit=file.file("audit") if "audit" in file.held else self.path.with_suffix(".audit.jsonl"),
            deadline=file.seconds("deadline", 120.0),
        )


@dataclass(frozen=True)
class CoordinatorSettings:
    """``coordinator.toml``: name, key, certificate, listen, members (names with the files of their certificates), deadline."""

    path: Path

    def coordinator(self, passphrase: str | None) -> tuple[Coordinator, Identity, list[Pinned], str]:
        """Return the coordinator, who it is, whom it believes, and where it listens."""
        file = _File(self.path, ("name", "key", "certificate", "listen", "members", "deadline"))
        members = file.held.get("members")
        if not isinstance(members, dict) or not all(isinstance(one, str) for one in members.values()):
            raise BadRequest("must be names with files of certificates", parameter=f"{self.path.name}: members")
        pinned = {name: file.pinned(name, self.path.parent / one) for name, one in members.items()}
        coordinator = Coordinator(pinned, deadline=file.seconds("deadline", 600.0))
        return coordinator, file.identity(passphrase), list(pinned.values()), file.text("listen")
