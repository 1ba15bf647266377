"""Answers that are errors: always JSON, with a sentence that somebody can act on, and never a place of this computer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sfumato.data.mistakes import mistake
from sfumato.errors import BadRequest, Infeasible, InternalError, NotKnown, SfumatoError, Taken, Unsupported
from sfumato.jobs.book import Crowded

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import JSONResponse

__all__ = ["CODES", "Absent", "Failed", "Forbidden", "Late", "TooLarge", "error_document", "tell_errors"]

CODES: Mapping[int, str] = {
    400: "bad-request",
    401: "who-are-you",
    403: "not-allowed",
    404: "not-found",
    405: "not-this-way",
    408: "too-slow",
    409: "conflict",
    413: "too-large",
    415: "not-this-form",
    422: "no-solution",
    429: "too-much",
    500: "our-mistake",
    503: "not-ready",
}
"""What kinds of errors there are, by their status."""

_EXITS = {1: 409, 2: 400, 3: 422, 4: 422, 5: 409, 130: 409}  # of the command line


class Absent(NotKnown):
    """Nothing of that name is there, or it is not for whoever asks: both are told alike."""


class Forbidden(BadRequest):
    """The token is for other things."""


class TooLarge(BadRequest):
    """More than may be brought or kept."""


class Late(BadRequest):
    """A body that comes too slowly."""


class Failed(SfumatoError):
    """A job that somebody waited for and that failed; ``exit_code`` says whose mistake it was."""

    def __init__(self, message: str, job: int, exit_code: object) -> None:
        super().__init__(message)
        self.job, self.status = job, _EXITS.get(exit_code, 500) if isinstance(exit_code, int) else 500


def _status(error: SfumatoError) -> int:
    if isinstance(error, Failed):
        return error.status
    kinds: tuple[tuple[type[SfumatoError], int], ...] = (
        (Absent, 404),
        (Forbidden, 403),
        (TooLarge, 413),
        (Late, 408),
        (Crowded, 429),
        (Taken, 409),
        (BadRequest, 400),
        (Infeasible, 422),
        (Unsupported, 422),
        (InternalError, 500),
    )
    return next((status for kind, status in kinds if isinstance(error, kind)), 500)


def error_document(status: int, message: str, job: int | None = None) -> dict[str, object]:
    """Return an error as every answer has it."""
    told: dict[str, object] = {"code": CODES.get(status, "bad-request" if status < 500 else "our-mistake")}
    return {"error": {**told, "message": message, **({} if job is None else {"job": job})}}


def tell_errors(app: FastAPI, root: str) -> None:
    """Let an application answer every error in this form; ``root`` is the folder whose place nobody needs to know."""
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.responses import JSONResponse

    def told(
        status: int, message: str, job: int | None = None, headers: Mapping[str, str] | None = None
    ) -> JSONResponse:
        said = message.replace(f"{root}/", "").replace(root, "")
        return JSONResponse(error_document(status, said, job), status, dict(headers or {}))

    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, SfumatoError)
        status = _status(error)
        said = str(error) if status < 500 else "this server has failed; look into its log"
        again = {"retry-after": "5"} if status == 429 else {}
        return told(status, said, error.job if isinstance(error, Failed) else None, again)

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        """Say the first mistake in our words; what was given is not said again."""
        assert isinstance(error, RequestValidationError)
        found = mistake(error.errors()[0])
        place = ".".join(str(part) for part in found.place if part != "body") or "request"
        if error.errors()[0]["type"] == "json_invalid":
            return told(400, "request: is no JSON")
        choices = f"; available: {', '.join(found.choices)}" if found.choices else ""
        return told(400, f"{place[:80]}: {found.rule.replace('of a policy', 'here')}{choices}")

    async def other(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        words = {400: "request: is no JSON", 404: "there is nothing here", 405: "is asked for in another way"}
        return told(error.status_code, words.get(error.status_code, str(error.detail)), headers=error.headers)

    async def broken(request: Request, error: Exception) -> JSONResponse:
        return told(500, "this server has failed; nothing of the request was kept")

    app.add_exception_handler(SfumatoError, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, other)
    app.add_exception_handler(Exception, broken)
