"""The application: all routes behind the gate, with a description of themselves (OpenAPI), on loopback or behind TLS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from fastapi import APIRouter, FastAPI
from starlette.responses import JSONResponse

from sfumato import __version__
from sfumato.catalogue import things
from sfumato.data.json import Json, finite
from sfumato.errors import NotKnown
from sfumato.service.api.answers import Absent, tell_errors
from sfumato.service.api.callers import Anyone
from sfumato.service.api.data_routes import data_routes
from sfumato.service.api.house import House
from sfumato.service.api.job_routes import job_routes
from sfumato.service.api.ledger_routes import ledger_routes
from sfumato.service.api.release_routes import release_routes
from sfumato.service.api.verb_routes import verb_routes
from sfumato.service.server import new_app
from sfumato.tables.policy import Policy
from sfumato.verbs.describe import describe

__all__ = ["application"]

_ERROR: Mapping[str, Json] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "job": {"type": "integer"}},
        }
    },
}


def application(house: House) -> FastAPI:
    """Return the routes of a house, without the gate."""
    app = new_app("sfumato")
    app.version = __version__
    tell_errors(app, str(house.root))
    for routes in (data_routes, verb_routes, job_routes, release_routes, ledger_routes, _look_routes):
        app.include_router(routes(house))
    described: dict[str, object] = {}

    @app.get("/livez", include_in_schema=False)
    async def livez() -> dict[str, bool]:
        return {"alive": True}

    @app.get("/readyz", include_in_schema=False)
    def readyz() -> JSONResponse:
        return JSONResponse({"ready": house.ready}, 200 if house.ready else 503)

    @app.get("/v1/openapi.json", include_in_schema=False)
    def openapi() -> dict[str, object]:
        if not described:
            described.update(_description(app))
        return described

    return app


def _look_routes(house: House) -> APIRouter:
    """Return the routes for what there is: everything that a policy can name."""
    routes = APIRouter(prefix="/v1/things", tags=["catalogue"])

    @routes.get("", response_model=list[dict[str, str]])
    def listed(token: Anyone, kind: str | None = None, shape: str | None = None) -> list[dict[str, str]]:
        """List everything with an id."""
        found = describe(None, kind, shape)
        return [{"id": one.id, "kind": one.kind, "shape": one.shape, "summary": one.summary} for one in found]

    @routes.get("/{name}", response_model=dict[str, object])
    def shown(name: str, token: Anyone, kind: str | None = None, shape: str | None = None) -> object:
        """Explain one id: what it is, the formula, parameters, references."""
        try:
            return finite(asdict(describe(name, kind, shape)))
        except NotKnown:
            raise Absent("there is nothing of this id", parameter="id") from None

    return routes


def _description(app: FastAPI) -> dict[str, object]:
    """Return the OpenAPI document: policies by their own schema, requirements by what the catalogue has."""
    from fastapi.openapi.utils import get_openapi

    told: dict[str, object] = get_openapi(title="sfumato", version=app.version, routes=app.routes)
    policy = Policy.model_json_schema(ref_template="#/components/schemas/{model}")
    parts = told["components"]["schemas"]  # type: ignore[index]
    for name, part in policy.pop("$defs", {}).items():
        parts.setdefault(name, part)
    ids = sorted({thing.id for thing in things("model")})
    spec = {"type": "object", "required": ["id"], "properties": {"id": {"enum": ids}}}
    parts.update(Policy=policy, Requirement={"anyOf": [{"enum": ids}, spec]}, Error=_ERROR)
    told["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}  # type: ignore[index]
    told["security"] = [{"token": []}]
    answer = {
        "description": "What is wrong, in a sentence",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
    for path in told["paths"].values():  # type: ignore[attr-defined]
        for operation in path.values():
            operation["responses"] = {code: one for code, one in operation["responses"].items() if code != "422"}
            operation["responses"]["4XX"] = answer
    for name in ("HTTPValidationError", "ValidationError"):
        parts.pop(name, None)
    return told
