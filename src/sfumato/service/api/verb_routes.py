"""Routes for verbs: each is a job; short ones are waited for, a release is followed by its events."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fastapi import APIRouter, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

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

__all__ = ["answered", "read_as", "verb_routes"]

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


def verb_routes(house: House) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/v1", tags=["verbs"])
    usual = house.limits.wait

    @routes.post("/profile", response_model=Answered[Profiled])
    async def profile(
        asked: ProfileAsked, request: Request, response: Response, token: Keeper, key: Key = None, prefer: Prefer = None
    ) -> dict[str, object]:
        """Say what every column holds, in numbers."""

        def told() -> Asked:
            return {**read_as(house.room(token), asked.data, asked.reading), "shape": asked.shape}

        return await answered(house, request, response, token, "profile", told, seconds_of(prefer, usual))

    @routes.post("/draft", response_model=Answered[Drafted])
    async def draft(
        asked: DraftAsked, request: Request, response: Response, token: Keeper, key: Key = None, prefer: Prefer = None
    ) -> dict[str, object]:
        """Propose a policy, with comments."""

        def told() -> Asked:
            return {**read_as(house.room(token), asked.data, asked.reading), "shape": asked.shape, "k": asked.k}

        return await answered(house, request, response, token, "draft", told, seconds_of(prefer, usual))

    @routes.post("/check", response_model=Answered[Checked])
    async def check(
        asked: CheckAsked, request: Request, response: Response, token: Keeper, key: Key = None, prefer: Prefer = None
    ) -> dict[str, object]:
        """Judge a table as it stands, by a policy or by requirements."""

        def told() -> Asked:
            if asked.policy is None and not asked.requirements:
                raise BadRequest("give a policy or requirements", parameter="check")
            refuse_elsewhere(asked.requirements or [], parameter="requirements")
            by: Asked = {} if asked.policy is None else {"text": policy_text(asked.policy)[0]}
            given: Asked = asked.model_dump(mode="json", include={"requirements", "qid", "worst"}, exclude_none=True)
            return {**read_as(house.room(token), asked.data, asked.reading), **by, **given}

        return await answered(house, request, response, token, "check", told, seconds_of(prefer, usual))

    @routes.post("/anonymize", response_model=Answered[dict[str, Json]], status_code=202)
    async def anonymize(
        asked: AnonymizeAsked,
        request: Request,
        response: Response,
        token: Publisher,
        key: Key = None,
        prefer: Prefer = None,
    ) -> dict[str, object]:
        """Make a release by a policy: search, write, verify, attack, report. The answer says which release it will be."""

        def told() -> Asked:
            room, (text, policy) = house.room(token), policy_text(asked.policy)
            if policy.series is not None or policy.budgets:
                room.ledger(make=True).close()
            by: Asked = {"text": text, "language": asked.language, "ledger": "../ledger"}
            return {**read_as(room, asked.data, asked.reading), **by}

        return await answered(house, request, response, token, "anonymize", told, seconds_of(prefer, 0.0))

    @routes.post("/verify", response_model=Answered[Verified])
    async def verify(
        asked: VerifyAsked,
        request: Request,
        response: Response,
        token: Verifier,
        key: Key = None,
        prefer: Prefer = None,
    ) -> dict[str, object]:
        """Check a release as a stranger can, from its public files."""

        def told() -> Asked:
            return {"release": f"../releases/{house.room(token).release(asked.release).name}/public"}

        return await answered(house, request, response, token, "verify", told, seconds_of(prefer, usual))

    @routes.post("/audit", response_model=Answered[Audited])
    async def audit(
        asked: AuditAsked, request: Request, response: Response, token: Auditor, key: Key = None, prefer: Prefer = None
    ) -> dict[str, object]:
        """Try attacks on a release: all of it for whoever brings data, the public part for others."""

        def told() -> Asked:
            room, whole = house.room(token), token.may("data")
            place = f"../releases/{room.release(asked.release).name}"
            known = {"raw": asked.raw, "external": asked.external}
            if not whole and any(known.values()):
                raise Forbidden("this token is not for it: to name data takes the scope data")
            tables: Asked = {name: room.there(data) for name, data in known.items() if data is not None}
            tried: Asked = {"threshold": asked.threshold, "thorough": asked.thorough}
            return {"release": place if whole else f"{place}/public", **tables, **tried}

        return await answered(house, request, response, token, "audit", told, seconds_of(prefer, usual))

    @routes.post("/report", response_model=Answered[Reported])
    async def report(
        asked: ReportAsked, request: Request, response: Response, token: Reader, key: Key = None, prefer: Prefer = None
    ) -> dict[str, object]:
        """Make a page about a release, in any language there are words in."""

        def told() -> Asked:
            if asked.edition == "internal" and not token.may("private"):
                raise Forbidden("this token is not for it: that takes the scope private")
            place = f"../releases/{house.room(token).release(asked.release).name}"
            return {"release": place, "edition": asked.edition, "language": asked.language}

        return await answered(house, request, response, token, "report", told, seconds_of(prefer, usual))

    return routes
