"""Routes for data: brought as they stream in, listed, deleted."""

from __future__ import annotations

import os
from secrets import token_hex

from fastapi import APIRouter, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from sfumato.errors import BadRequest
from sfumato.service.api.answers import Absent, TooLarge
from sfumato.service.api.callers import Anyone, Keeper
from sfumato.service.api.documents import DataTold, TokenTold
from sfumato.service.api.house import House
from sfumato.service.unfolding import refuse_unfolding

__all__ = ["data_routes"]


def data_routes(house: House) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/v1", tags=["data"])

    @routes.get("/me", response_model=TokenTold)
    def me(token: Anyone) -> dict[str, object]:
        """Say whose token it is, what it may, and what it has used."""
        used = {"bytes": house.room(token).used(), "jobs": house.book.under_way(owner=token.name)}
        told = {"name": token.name, "role": token.role, "room": token.room, "scopes": list(token.scopes)}
        return {**told, "until": token.until, "quota": vars(token.quota), "used": used}

    @routes.get("/data", response_model=list[DataTold])
    def listed(token: Keeper) -> list[dict[str, object]]:
        """List the data in the room."""
        return [{"name": name, "bytes": size} for name, size in house.room(token).files()]

    @routes.put("/data/{name:path}", response_model=DataTold, status_code=201)
    async def bring(name: str, request: Request, response: Response, token: Keeper) -> dict[str, object]:
        """Bring data: the body is the file, and its suffix says what it is. What is there under that name is replaced."""
        room = house.room(token)
        place = room.named(name)
        if place.is_dir():
            raise BadRequest("is a folder", parameter="data")
        left = min(await run_in_threadpool(house.allowance, token), house.limits.largest)
        beside, size, there = room.data / f".incoming-{token_hex(8)}", 0, place.exists()
        try:
            with os.fdopen(os.open(beside, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "wb") as file:
                async for part in request.stream():
                    size += len(part)
                    if size > left:
                        raise TooLarge("is larger than a file may be, or than there is space for", parameter="data")
                    file.write(part)
            if not size:
                raise BadRequest("is empty", parameter="data")
            await run_in_threadpool(refuse_unfolding, beside, house.limits.unfolded)
            try:
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                beside.replace(place)
            except OSError:
                raise BadRequest("cannot have this name beside the others", parameter="data") from None
        except ClientDisconnect:
            raise BadRequest("was cut off", parameter="data") from None
        finally:
            beside.unlink(missing_ok=True)
        response.status_code = 200 if there else 201
        return {"name": name, "bytes": size}

    @routes.delete("/data/{name:path}", status_code=204)
    def delete(name: str, token: Keeper) -> None:
        """Delete data."""
        place = house.room(token).named(name)
        if not place.is_file():
            raise Absent("there are no such data", parameter="data")
        place.unlink()

    return routes
