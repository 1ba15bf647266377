"""Who calls a route: the token that the gate knew, if it is for what the route does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Header
from starlette.requests import Request

from sfumato.errors import BadRequest
from sfumato.service.api.answers import Forbidden
from sfumato.service.api.tokens import Token

__all__ = [
    "Anyone",
    "Asker",
    "Auditor",
    "Keeper",
    "Key",
    "LedgerReader",
    "Prefer",
    "Private",
    "Publisher",
    "Reader",
    "Verifier",
    "seconds_of",
]


def _needs(scope: str | None) -> Callable[[Request], Token]:
    def token(request: Request) -> Token:
        found: Token = request.state.token
        if scope is not None and not found.may(scope):
            raise Forbidden(f"this token is not for it: that takes the scope {scope}")
        return found

    return token


Anyone = Annotated[Token, Depends(_needs(None))]
Keeper = Annotated[Token, Depends(_needs("data"))]
Publisher = Annotated[Token, Depends(_needs("publish"))]
Reader = Annotated[Token, Depends(_needs("read"))]
Verifier = Annotated[Token, Depends(_needs("verify"))]
Auditor = Annotated[Token, Depends(_needs("audit"))]
Asker = Annotated[Token, Depends(_needs("ask"))]
Private = Annotated[Token, Depends(_needs("private"))]
LedgerReader = Annotated[Token, Depends(_needs("ledger"))]

Key = Annotated[
    str | None, Header(alias="Idempotency-Key", description="The same key is the same job, however often asked.")
]
Prefer = Annotated[str | None, Header(description="wait=SECONDS: how long to wait for the result before 202.")]


def seconds_of(prefer: str | None, usual: float, most: float = 60.0) -> float:
    """Return how long somebody wants to wait (RFC 7240)."""
    for part in (prefer or "").split(","):
        name, _, value = part.strip().partition("=")
        if name.lower() == "wait":
            if not value.isdigit() or len(value) > 6:
                raise BadRequest("must be wait=SECONDS", parameter="Prefer")
            return min(float(value), most)
    return usual
