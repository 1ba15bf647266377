"""``sfumato serve``: the verbs as a REST API, for whoever has a token."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.groups import HELP
from sfumato.cli.main import app
from sfumato.cli.texts import show

if TYPE_CHECKING:
    from sfumato.service.api.tokens import TokenFile

__all__ = ["serve"]

serve = typer.Typer(
    name="serve",
    help=HELP["serve"],
    invoke_without_command=True,
    rich_markup_mode=None,
)
token = typer.Typer(
    name="token", help="Tokens: make, list, renew, remove.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(serve)
serve.add_typer(token)

Tokens = Annotated[Path, typer.Option("--token-file", help="The file of tokens; only its owner can open it.")]
Name = Annotated[str, typer.Argument(help="Whose token it is: small letters, digits and -.")]


@serve.callback()
def _serve(
    context: typer.Context,
    root: Annotated[Path | None, typer.Option("--root", help="The folder in which every steward has a room.")] = None,
    token_file: Annotated[Path | None, typer.Option("--token-file", help="The file of tokens.")] = None,
    listen: Annotated[str, typer.Option("--listen", help="ADDRESS:PORT; other than loopback takes TLS.")] = (
        "127.0.0.1:8700"
    ),
    certificate: Annotated[Path | None, typer.Option("--tls-certificate", help="Certificate chain, PEM.")] = None,
    key: Annotated[Path | None, typer.Option("--tls-key", help="Its key, PEM.")] = None,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="A name by which the service is called; may be repeated.")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, max=64, help="Long jobs, and short ones, at a time.")] = 1,
    largest: Annotated[str, typer.Option("--largest", help="Largest file that may be brought.")] = "1GB",
    job_memory: Annotated[str, typer.Option("--job-memory", help="Memory of one job.")] = "8GB",
    job_seconds: Annotated[float, typer.Option("--job-seconds", min=1, help="Seconds of one job.")] = 3600.0,
    kept_days: Annotated[float, typer.Option("--kept-days", min=0.01, help="Days for which jobs are listed.")] = 30.0,
) -> None:
    """Serve the verbs as a REST API under /v1, described by /v1/openapi.json; make a token first: sfumato serve token add."""
    if context.invoked_subcommand is not None:
        return
    from contextlib import suppress

    from sfumato.errors import BadRequest, Unsupported

    if root is None or token_file is None:
        raise BadRequest("is required", parameter="--root" if root is None else "--token-file")
    try:
        from sfumato.service.api.house import House, Limits
        from sfumato.service.api.serving import Service
    except ImportError:
        raise Unsupported(
            'the service needs FastAPI and uvicorn: pip install "sfumato[service]"', thing="serve"
        ) from None
    limits = Limits(
        largest=_bytes(largest, "--largest"),
        job_memory=_bytes(job_memory, "--job-memory"),
        job_seconds=job_seconds,
        kept_days=kept_days,
    )
    known = _file(token_file)
    known.tokens()
    service = Service(House(root, known, limits, workers), listen, certificate=certificate, key=key, names=name or ())
    show(f"listening on {service.address}")
    with suppress(KeyboardInterrupt):  # that is how it is ended
        service.serve()


def _bytes(text: str, parameter: str) -> int:
    from sfumato.data.amounts import bytes_of
    from sfumato.errors import BadRequest

    found = bytes_of(text)
    if not found:
        raise BadRequest("must be an amount such as 4GB", parameter=parameter, value=text)
    return found


def _file(path: Path) -> TokenFile:
    from sfumato.service.api.tokens import TokenFile

    return TokenFile(path)


@token.command()
def add(
    name: Name,
    token_file: Tokens,
    role: Annotated[str, typer.Option("--role", help="steward, reader or auditor.")] = "steward",
    room: Annotated[
        str | None, typer.Option("--room", help="The steward whose releases a reader or an auditor sees.")
    ] = None,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", help="Only this of what the role may; may be repeated.")
    ] = None,
    private: Annotated[
        bool, typer.Option("--private", help="The second permission: files that must stay in the house.")
    ] = False,
    days: Annotated[
        float | None, typer.Option("--days", help="For so many days; until it is removed if not given.")
    ] = None,
    most_bytes: Annotated[str, typer.Option("--bytes", help="How much may be kept in the room.")] = "10GB",
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Jobs that may wait or run.")] = 40,
    requests: Annotated[int, typer.Option("--requests", min=1, help="Requests in a minute.")] = 1200,
) -> None:
    """Make a token and print it: this once, the file holds a digest."""
    from sfumato.service.api.tokens import Quota

    quota = Quota(bytes=_bytes(most_bytes, "--bytes"), jobs=jobs, requests=requests)
    made = _file(token_file).add(name, role, room=room, scopes=scope or None, private=private, days=days, quota=quota)
    show(made)


@token.command()
def renew(name: Name, token_file: Tokens) -> None:
    """Make a token anew and print it; the old one opens nothing any more."""
    show(_file(token_file).renew(name))


@token.command()
def remove(name: Name, token_file: Tokens) -> None:
    """Forget a token, at once; what lies in its room stays."""
    _file(token_file).remove(name)
    show(f"removed: {name}")


@token.command(name="list")
def list_(token_file: Tokens) -> None:
    """List tokens with their roles, rooms and scopes; never the tokens."""
    for one in _file(token_file).tokens().values():
        until = "" if one.until is None else time.strftime(", until %Y-%m-%d", time.gmtime(one.until))
        show(f"{one.name}: {one.role} in the room of {one.room}, may {', '.join(one.scopes)}{until}")
