"""Routes for what is remembered: the ledger, series, budgets, desks and the log."""

from __future__ import annotations

import json
import time
from datetime import timedelta

from fastapi import APIRouter, Query, Response
from starlette.requests import Request

from sfumato.data.json import Json
from sfumato.interactive.source import desk_policy
from sfumato.service.api.answers import Absent
from sfumato.service.api.callers import Asker, Keeper, Key, LedgerReader, Prefer, Publisher, seconds_of
from sfumato.service.api.documents import AllotAsked, Answered, DeskAsked, QuestionAsked
from sfumato.service.api.house import House
from sfumato.service.api.policies import policy_text
from sfumato.service.api.verb_routes import Asked, answered, read_as

__all__ = ["ledger_routes"]


def ledger_routes(house: House) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/v1", tags=["ledger"])

    @routes.get("/ledger", response_model=dict[str, Json])
    def ledger(token: LedgerReader) -> dict[str, Json]:
        """Say what the ledger holds: series, budgets, desks, and how far it goes."""
        with house.room(token).ledger() as opened:
            return opened.document()

    @routes.get("/ledger/entries", response_model=list[dict[str, Json]])
    def entries(token: LedgerReader, series: str | None = None) -> list[dict[str, Json]]:
        """List the entries, without private bodies."""
        with house.room(token).ledger() as opened:
            return [entry.document() for entry in opened.entries(series)]

    @routes.post("/ledger/verify", response_model=dict[str, Json])
    def verified(token: LedgerReader) -> dict[str, Json]:
        """Check chain, signatures and sums of the ledger."""
        with house.room(token).ledger() as opened:
            return opened.verify().document()

    @routes.get("/series", response_model=dict[str, int])
    def series(token: LedgerReader) -> dict[str, int]:
        """List the series with the number of their releases."""
        with house.room(token).ledger() as opened:
            return {name: len(opened.history(name)) for name in opened.series}

    @routes.get("/series/{name}", response_model=list[dict[str, Json]])
    def one_series(name: str, token: LedgerReader) -> list[dict[str, Json]]:
        """List the releases of a series: number, certificate, when."""
        with house.room(token).ledger() as opened:
            if name not in opened.series:
                raise Absent("there is no such series", parameter="series")
            past = opened.history(name)
        return [
            {"release": one.release, "at": one.at / 1e6, "certificate": one.certificate, "entry": one.entry}
            for one in past
        ]

    @routes.get("/budgets", response_model=list[dict[str, Json]])
    def budgets(token: LedgerReader) -> list[dict[str, Json]]:
        """List the budgets: what each allows, what is spent and what is left."""
        with house.room(token).ledger() as opened:
            return [opened.budgets.quote(name, epsilon=0).document() for name in opened.budgets.names]

    @routes.put("/budgets/{name}", response_model=dict[str, Json], status_code=201)
    def allot(name: str, asked: AllotAsked, token: Publisher) -> dict[str, Json]:
        """Make a budget; one that is there is refused."""
        window = None if asked.days is None else timedelta(days=asked.days)
        with house.room(token).ledger(make=True) as opened:
            opened.budgets.allot(name, epsilon=asked.epsilon, delta=asked.delta, window=window)
            return opened.budgets.quote(name, epsilon=0).document()

    @routes.get("/log", response_model=list[dict[str, Json]])
    def log(token: LedgerReader, last: int = Query(default=200, ge=1, le=10_000)) -> list[dict[str, Json]]:
        """Show who asked for what in this room: patterns of routes and how they ended, no names and no values."""
        here = {one.name for one in house.tokens.tokens().values() if one.room == token.room}
        return list(house.log.lines(here, last))

    # ---- desks ---------------------------------------------------------------------------------------------------------

    @routes.get("/desks", response_model=list[str])
    def desks(token: Asker) -> list[str]:
        """List the desks of the room."""
        return sorted(place.stem for place in house.room(token).desks.glob("*.json"))

    @routes.put("/desks/{name}", response_model=dict[str, str], status_code=201)
    def set_up(name: str, asked: DeskAsked, token: Keeper) -> dict[str, str]:
        """Set up a desk: a table that is asked and never shown."""
        room, (text, policy) = house.room(token), policy_text(asked.policy)
        desk_policy(policy)
        told = {**read_as(room, asked.data, asked.reading), "text": text}
        place = room.desk(name)
        room.ledger(make=True).close()
        beside = place.with_name(f".{place.name}-{time.monotonic_ns()}")
        beside.write_text(json.dumps(told), encoding="utf-8")
        beside.replace(place)
        return {"desk": name}

    @routes.post("/desks/{name}/ask", response_model=Answered[dict[str, Json]])
    async def ask(
        name: str,
        asked: QuestionAsked,
        request: Request,
        response: Response,
        token: Asker,
        key: Key = None,
        prefer: Prefer = None,
    ) -> dict[str, object]:
        """Ask a desk; who asks is whose token it is. Every answer is remembered before it leaves, repeats are free."""

        def told() -> Asked:
            place = house.room(token).desk(name)
            if not place.is_file():
                raise Absent("there is no such desk", parameter="desk")
            held: Asked = json.loads(place.read_text(encoding="utf-8"))
            given: Asked = asked.model_dump(mode="json", exclude_none=True)
            return {**held, **given, "asker": token.name, "ledger": "../ledger"}

        return await answered(house, request, response, token, "ask", told, seconds_of(prefer, house.limits.wait))

    return routes
