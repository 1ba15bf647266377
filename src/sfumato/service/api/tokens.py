"""Tokens: who may ask, for what, in whose room. The file holds digests; a token itself is told once, when it is made."""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import asdict, field, replace
from hashlib import sha256
from pathlib import Path

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Taken
from sfumato.ledger.key import refuse_open_file

__all__ = ["ROLES", "SCOPES", "Quota", "Token", "TokenFile"]

SCOPES = ("data", "publish", "read", "verify", "audit", "ask", "ledger", "private")
"""What a token may be for: bringing data, making releases, reading public parts, and so on; ``private`` is given apart."""

ROLES: Mapping[str, tuple[str, ...]] = {
    "steward": ("data", "publish", "read", "verify", "audit", "ask", "ledger"),
    "reader": ("read", "verify", "ask"),
    "auditor": ("read", "verify", "audit", "ledger"),
}
"""Roles with their scopes. Files that must stay in the house are in none: ``private`` is a second permission."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_NOBODY = sha256(b"").hexdigest()


@frozen
class Quota:
    """What one token may use: bytes kept in its room, jobs that wait or run, requests in a minute, streams of events."""

    bytes: int = 10 * 2**30
    jobs: int = 40
    requests: int = 1200
    streams: int = 20


@frozen
class Token:
    """Whoever has a token: its name, its role, the room it works in, what it may, until when; never the token itself."""

    name: str
    role: str
    room: str
    digest: str
    scopes: tuple[str, ...]
    made: float
    until: float | None = None
    quota: Quota = field(default_factory=Quota)

    def may(self, scope: str) -> bool:
        """Tell whether it is for something."""
        return scope in self.scopes


class TokenFile:
    """The file of tokens: nobody but its owner can open it, and what is changed in it holds at the next request."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._state: tuple[int, ...] = ()
        self._held: dict[str, Token] = {}

    # ---- asking --------------------------------------------------------------------------------------------------------

    def known(self, given: str) -> Token | None:
        """Return whose token this is; nobody's, if it is wrong, over, or the file cannot be read."""
        name, _, secret = given.partition(".")
        try:
            token = self.tokens().get(name)
        except BadRequest:
            token = None
        right = secrets.compare_digest(_digest(secret), _NOBODY if token is None else token.digest)
        over = token is not None and token.until is not None and time.time() > token.until
        return token if right and secret and not over else None

    def tokens(self) -> Mapping[str, Token]:
        """Return all tokens by name, read again if the file was changed."""
        try:
            told = self.path.stat()
        except FileNotFoundError:
            raise BadRequest(
                "there is none; make a token with sfumato serve token add", parameter="token file", value=self.path.name
            ) from None
        state = (told.st_mtime_ns, told.st_size, told.st_ino)
        with self._lock:
            if state != self._state:
                self._held, self._state = self._read(), state
            return self._held

    def _read(self) -> dict[str, Token]:
        refuse_open_file(self.path, "token file")
        try:
            held = json.loads(self.path.read_text(encoding="utf-8"))
            found = [
                Token(**{**one, "scopes": tuple(one["scopes"]), "quota": Quota(**one["quota"])})
                for one in held["tokens"]
            ]
        except (OSError, ValueError, TypeError, LookupError):
            raise BadRequest("is not a file of tokens", parameter="token file", value=self.path.name) from None
        return {token.name: token for token in found}

    # ---- changing ------------------------------------------------------------------------------------------------------

    def add(
        self,
        name: str,
        role: str,
        *,
        room: str | None = None,
        scopes: Collection[str] | None = None,
        private: bool = False,
        days: float | None = None,
        quota: Quota | None = None,
    ) -> str:
        """Make a token and return it; a reader or an auditor works in the ``room`` of a steward, a steward in an own one."""
        held = dict(self.tokens()) if self.path.exists() else {}
        if not _NAME.fullmatch(name):
            raise BadRequest("must be small letters, digits and -, at most 40", parameter="name", value=name)
        if name in held:
            raise Taken("has a token; renew or remove it", parameter="name", value=name)
        if role not in ROLES:
            raise BadRequest("is not a role", parameter="role", value=role, available=ROLES)
        stewards = [one.name for one in held.values() if one.role == "steward"]
        if role == "steward" and room is not None:
            raise BadRequest("a steward has a room of its own", parameter="room", value=room)
        if role != "steward" and room not in stewards:
            raise BadRequest(f"a {role} needs the room of a steward", parameter="room", value=room, available=stewards)
        for scope in scopes or ():
            if scope not in ROLES[role]:
                raise BadRequest(f"is no scope of a {role}", parameter="scope", value=scope, available=ROLES[role])
        if days is not None and not 0 < days < 36525:
            raise BadRequest("must be a number of days, at most a century", parameter="days", value=days)
        secret, now = secrets.token_urlsafe(32), time.time()
        may = (
            *(scope for scope in ROLES[role] if scopes is None or scope in scopes),
            *(["private"] if private else []),
        )
        until = None if days is None else now + days * 86400
        held[name] = Token(name, role, room or name, _digest(secret), may, now, until, quota or Quota())
        self._write(held)
        return f"{name}.{secret}"

    def renew(self, name: str) -> str:
        """Make a token anew and return it; the old one opens nothing any more, and all that it had is there."""
        held, secret = dict(self.tokens()), secrets.token_urlsafe(32)
        held[name] = replace(self._there(held, name), digest=_digest(secret), made=time.time())
        self._write(held)
        return f"{name}.{secret}"

    def remove(self, name: str) -> None:
        """Forget a token; what is in its room stays."""
        held = dict(self.tokens())
        self._there(held, name)
        needed = [one.name for one in held.values() if one.room == name and one.name != name]
        if needed:
            raise BadRequest(f"others work in its room: {', '.join(needed)}", parameter="name", value=name)
        del held[name]
        self._write(held)

    def _there(self, held: Mapping[str, Token], name: str) -> Token:
        if name not in held:
            raise BadRequest("has no token", parameter="name", value=name, available=held)
        return held[name]

    def _write(self, held: Mapping[str, Token]) -> None:
        text = json.dumps({"version": 1, "tokens": [asdict(token) for token in held.values()]}, indent=1)
        beside = self.path.with_name(f".{self.path.name}.new")
        try:
            with os.fdopen(os.open(beside, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
                file.write(text + "\n")
            beside.replace(self.path)
        except OSError as error:
            raise BadRequest(
                f"cannot be written ({error.strerror})", parameter="token file", value=self.path.name
            ) from None


def _digest(secret: str) -> str:
    """Return what is kept of a token: 256 random bits need no salt and no slow hash."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
