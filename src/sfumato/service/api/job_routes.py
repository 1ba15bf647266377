"""Routes for jobs: how far they are, events that can be followed again from where somebody was, the end by request."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header
from starlette.requests import Request
from starlette.responses import FileResponse, StreamingResponse

from sfumato.data.json import Json
from sfumato.errors import BadRequest
from sfumato.service.api.answers import Absent, Forbidden
from sfumato.service.api.callers import Anyone
from sfumato.service.api.documents import Answered, CancelAsked, JobTold
from sfumato.service.api.house import House
from sfumato.service.api.tokens import Token

__all__ = ["job_routes"]

_LOOK, _BEAT, _LONGEST = 0.25, 15.0, 3600.0  # seconds
Seen = Annotated[str | None, Header(alias="Last-Event-ID", description="The last event that was seen.")]


def job_routes(house: House) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/v1/jobs", tags=["jobs"])

    @routes.get("", response_model=list[JobTold])
    def listed(token: Anyone) -> list[dict[str, object]]:
        """List the jobs of this token, the newest last."""
        return [JobTold.facts(job) for job in house.book.jobs(owner=token.name)[-1000:]]

    @routes.get("/{number}", response_model=Answered[dict[str, Json]])
    def shown(number: int, token: Anyone) -> dict[str, object]:
        """Say how far a job is, and what came of it."""
        job = house.job(token, number)
        return {**JobTold.facts(job), "result": job.result if job.state == "done" else None}

    @routes.post("/{number}/cancel", response_model=JobTold)
    def cancel(number: int, token: Anyone, asked: CancelAsked | None = None) -> dict[str, object]:
        """Ask for the end of a job; with ``keep`` a search ends with the best it has."""
        house.job(token, number)
        how = "discard" if asked is None else asked.how
        return JobTold.facts(house.book.cancel(number, how, owner=token.name))

    @routes.get("/{number}/report", response_class=FileResponse)
    def report(number: int, token: Anyone) -> FileResponse:
        """Hand out the page that a job made."""
        job = house.job(token, number)
        page = house.crew.folder(job) / "report.html"
        if job.task != "report" or job.state != "done" or not page.is_file():
            raise Absent("there is no page of this job", parameter="job")
        if job.asked.get("edition") == "internal" and not token.may("private"):
            raise Forbidden("this token is not for it: that takes the scope private")
        return FileResponse(page, media_type="text/html")

    @routes.get("/{number}/events", response_class=StreamingResponse)
    async def events(number: int, request: Request, token: Anyone, last_event_id: Seen = None) -> StreamingResponse:
        """Follow a job as server-sent events; whoever was away asks for what came after the last one seen."""
        house.job(token, number)
        if last_event_id is not None and not (last_event_id.isascii() and last_event_id.isdigit()):
            raise BadRequest("must be the number of an event", parameter="Last-Event-ID")
        after = min(int((last_event_id or "0")[:18]), 2**62)
        house.refuse_stream(token)
        kind = "text/event-stream; charset=utf-8"
        return StreamingResponse(_told(house, token, number, after), media_type=kind)

    return routes


async def _told(house: House, token: Token, number: int, seen: int) -> AsyncIterator[str]:
    """Tell what happens to a job until it is over; now and then that somebody is there still."""
    until, spoke = time.monotonic() + _LONGEST, time.monotonic()
    with house.stream(token):
        while time.monotonic() < until:
            over = house.job(token, number).over  # before the events: none can come after
            for event in house.book.events(number, seen, owner=token.name):
                seen, spoke = event.number, time.monotonic()
                kind = "state" if "state" in event.told else "progress"
                yield f"id: {event.number}\nevent: {kind}\ndata: {json.dumps({'at': event.at, **event.told})}\n\n"
            if over:
                return
            if time.monotonic() - spoke > _BEAT:
                spoke = time.monotonic()
                yield ": here\n\n"
            await asyncio.sleep(_LOOK)
