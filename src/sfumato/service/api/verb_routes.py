"""Routes for verbs: each is a job; short ones are waited for, a release is followed by its events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import APIRouter, Response
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.errors import BadRequest
from sfumato.policy import SourcePolicy
from sfumato.service.api.answers import Forbidden
from sfumato.service.api.callers import Auditor, Keeper, Key, Prefer, Publisher, Reader, Verifier, seconds_of
from sfumato.service.api.documents import (
    AnonymizeAsked,
    Answered,
    AuditAsked,
    Audited,
    CheckAsked,
    Checked,
    DraftAsked,
    Drafted,
    JobTold,
    ProfileAsked,
    Profiled,
    ReportAsked,
    Reported,
    Verified,
    VerifyAsked,
)
from sfumato.service.api.house import House
from sfumato.service.api.policies import policy_text, refuse_elsewhere
from sfumato.service.api.rooms import Room
from sfumato.service.api.tokens import Token

__all__ = ["VERBS", "Verb", "answered", "read_as", "verb_routes"]

Asked = dict[str, Json]


async def answered(
    house: House,
    request: Request,
    response: Response,
    token: Token,
    task: str,
    asked: Callable[[], Mapping[str, Json]],
    wait: float,
) -> dict[str, object]:
    """Submit a job and wait for it: 200 with its result, or 202 with where to look for it."""
    key = request.headers.get("idempotency-key")
    job = await run_in_threadpool(lambda: house.submit(token, task, asked(), key))
    request.state.job = job.number
    job = await house.waited(job, wait)
    response.status_code = 200 if job.over else 202
    response.headers["location"] = f"/v1/jobs/{job.number}"
    return {**JobTold.facts(job), "result": job.result if job.state == "done" else None}


def read_as(room: Room, data: str, reading: SourcePolicy | None) -> Asked:
    """Return what a worker is told of data in a room."""
    told: Asked = {"source": room.there(data)}
    if reading is None:
        return told
    if reading.format == "duckdb":
        raise BadRequest("may hold questions to other files; bring it as Parquet", parameter="reading.format")
    return {**told, "reading": reading.model_dump(mode="json", exclude_unset=True)}


Telling = Callable[[House, Token, Any], Asked]
"""What a worker is told of a request; it may refuse it."""


@frozen
class Verb:
    """A verb of the service: who may ask, what is asked and answered, what a worker is told, and whether it is waited for."""

    told: Telling
    caller: object
    asked: type[BaseModel]
    answer: object
    follows: bool = False

    @property
    def name(self) -> str:
        """What the verb, its route and its task are called."""
        return self.told.__name__


def profile(house: House, token: Token, asked: ProfileAsked) -> Asked:
    """Say what every column holds, in numbers."""
    return {**read_as(house.room(token), asked.data, asked.reading), "shape": asked.shape}


def draft(house: House, token: Token, asked: DraftAsked) -> Asked:
    """Propose a policy, with comments."""
    return {**read_as(house.room(token), asked.data, asked.reading), "shape": asked.shape, "k": asked.k}


def check(house: House, token: Token, asked: CheckAsked) -> Asked:
    """Judge a table as it stands, by a policy or by requirements."""
    if asked.policy is None and not asked.requirements:
        raise BadRequest("give a policy or requirements", parameter="check")
    refuse_elsewhere(asked.requirements or [], parameter="requirements")
    by: Asked = {} if asked.policy is None else {"text": policy_text(asked.policy)[0]}
    given: Asked = asked.model_dump(mode="json", include={"requirements", "qid", "worst"}, exclude_none=True)
    return {**read_as(house.room(token), asked.data, asked.reading), **by, **given}


def anonymize(house: House, token: Token, asked: AnonymizeAsked) -> Asked:
    """Make a release by a policy: search, write, verify, attack, report. The answer says which release it will be."""
    room, (text, policy) = house.room(token), policy_text(asked.policy)
    if policy.series is not None or policy.budgets:
        room.ledger(make=True).close()
    by: Asked = {"text": text, "language": asked.language, "ledger": "../ledger"}
    return {**read_as(room, asked.data, asked.reading), **by}


def verify(house: House, token: Token, asked: VerifyAsked) -> Asked:
    """Check a release as a stranger can, from its public files."""
    return {"release": f"../releases/{house.room(token).release(asked.release).name}/public"}


def audit(house: House, token: Token, asked: AuditAsked) -> Asked:
    """Try attacks on a release: all of it for whoever brings data, the public part for others."""
    room, whole = house.room(token), token.may("data")
    place = f"../releases/{room.release(asked.release).name}"
    known = {"raw": asked.raw, "external": asked.external}
    if not whole and any(known.values()):
        raise Forbidden("this token is not for it: to name data takes the scope data")
    tables: Asked = {name: room.there(data) for name, data in known.items() if data is not None}
    tried: Asked = {"threshold": asked.threshold, "thorough": asked.thorough}
    return {"release": place if whole else f"{place}/public", **tables, **tried}


def report(house: House, token: Token, asked: ReportAsked) -> Asked:
    """Make a page about a release, in any language there are words in."""
    if asked.edition == "internal" and not token.may("private"):
        raise Forbidden("this token is not for it: that takes the scope private")
    place = f"../releases/{house.room(token).release(asked.release).name}"
    return {"release": place, "edition": asked.edition, "language": asked.language}


VERBS = (
    Verb(profile, Keeper, ProfileAsked, Profiled),
    Verb(draft, Keeper, DraftAsked, Drafted),
    Verb(check, Keeper, CheckAsked, Checked),
    Verb(anonymize, Publisher, AnonymizeAsked, dict[str, Json], follows=True),
    Verb(verify, Verifier, VerifyAsked, Verified),
    Verb(audit, Auditor, AuditAsked, Audited),
    Verb(report, Reader, ReportAsked, Reported),
)


def verb_routes(house: House) -> APIRouter:
    """Return the routes: one for each verb, all of one form."""
    routes = APIRouter(prefix="/v1", tags=["verbs"])
    for verb in VERBS:
        routes.add_api_route(
            f"/{verb.name}",
            _handler(house, verb),
            methods=["POST"],
            response_model=Answered[verb.answer],  # type: ignore[name-defined]
            status_code=202 if verb.follows else 200,
        )
    return routes


def _handler(house: House, verb: Verb) -> Callable[..., Awaitable[dict[str, object]]]:
    """Return what answers a verb; its types are those of the verb, for whoever reads the description of the service."""
    usual = 0.0 if verb.follows else house.limits.wait

    async def handle(
        asked: Any, request: Request, response: Response, token: Any, key: Key = None, prefer: Prefer = None
    ) -> dict[str, object]:
        wait = seconds_of(prefer, usual)
        return await answered(house, request, response, token, verb.name, lambda: verb.told(house, token, asked), wait)

    typed = {"asked": verb.asked, "token": verb.caller, "request": Request, "response": Response}
    handle.__annotations__ = {**typed, "key": Key, "prefer": Prefer, "return": dict[str, object]}
    handle.__name__, handle.__doc__ = verb.name, verb.told.__doc__
    return handle
