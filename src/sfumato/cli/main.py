"""The command ``sfumato``: one file per command, errors in one line, the right exit code.

Exit codes: 0 done, 1 the answer is no, 2 the request is wrong, 3 no solution exists, 4 not supported, 5 is there already,
70 our bug, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import atexit
import errno
import gc
import logging
import re
import signal
import sys
import textwrap
from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import FrameType
from typing import Annotated, Literal, Protocol

import typer
import typer.core

from sfumato import __version__
from sfumato.cli import events
from sfumato.cli.groups import COMMANDS, GROUPS, load_for, summary
from sfumato.cli.stack import in_one_piece

__all__ = ["app", "run", "said"]


class _Page(Protocol):
    """What a page of help is written to."""

    width: int

    def section(self, name: str) -> AbstractContextManager[object]: ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None: ...


class _Grouped(typer.core.TyperGroup):
    """Commands by what one wants of them: help lists them in groups, a line for each."""

    def format_commands(self, ctx: object, formatter: _Page) -> None:
        width = max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            with formatter.section(title):
                room = formatter.width - width - 4
                formatter.write_dl([(name.ljust(width), _short(summary(name), room)) for name in names])


def _short(text: str, room: int) -> str:
    """Return the first sentence, up to its colon or semicolon if a line has no room for more."""
    text = " ".join(text.split()).partition(". ")[0].rstrip(".")
    text = text if len(text) <= room else re.split("[:;]", text)[0]
    return textwrap.shorten(text, room, placeholder="...")


app = typer.Typer(
    name="sfumato",
    cls=_Grouped,
    help="Turn personal data into data that can be published, and prove that it may be.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

_DEBUG = False
_INTERRUPTED = 130
_ENDING = {number: 128 + number for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None)) if number is not None}
# A thousand modules come and stay: looking through them for garbage at every step would take a tenth of a command.
_SELDOM = (400_000, 20, 100)


_asked_to_end: list[int] = []  # signals that came; a library may turn what one raises into an interrupt


def _terminated(number: int, frame: FrameType | None) -> None:
    """End like any failure does, so that databases are closed and folders that are not done vanish; a second time at once."""
    signal.signal(number, signal.SIG_DFL)
    _asked_to_end.append(number)
    raise SystemExit(128 + number)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"sfumato {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the trace of an error.")] = False,
    log_format: Annotated[
        Literal["text", "json"],
        typer.Option("--log-format", help="What the error stream holds: text, or an event of JSON on every line."),
    ] = "text",
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    global _DEBUG
    _DEBUG = debug
    events.ask(wanted=log_format == "json")
    _show_warnings()


class _Plain(logging.Formatter):
    """What a record says, printable; and what was said, so that no command says it a second time."""

    def __init__(self) -> None:
        super().__init__()
        self.said: set[str] = set()

    def format(self, record: logging.LogRecord) -> str:
        from sfumato.data.text import printable

        text = super().format(record)
        self.said.add(text)
        return events.line("warning", text=text) if events.asked() else printable(text)


def said() -> set[str]:
    """Return the warnings that this command has shown on the error stream."""
    formatters = [handler.formatter for handler in logging.getLogger("sfumato").handlers]
    return {text for one in formatters if isinstance(one, _Plain) for text in one.said}


def _show_warnings() -> None:
    """Let warnings go to the error stream of this command, whatever names they hold."""
    logger = logging.getLogger("sfumato")
    for handler in [one for one in logger.handlers if isinstance(one.formatter, _Plain)]:
        logger.removeHandler(handler)
    handler = logging.StreamHandler()
    handler.setFormatter(_Plain())
    logger.addHandler(handler)


def run() -> None:
    """Run the command line; every failure ends in one readable line and its exit code."""
    from sfumato.errors import Cancelled, InternalError, SfumatoError

    gc.set_threshold(*_SELDOM)
    atexit.register(_leave_garbage)
    load_for(sys.argv[1:])
    events.ask(wanted=False)  # until this command line says otherwise, whatever an earlier one of the process said
    for number in _ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:  # whoever ignores it (nohup) has a reason
            signal.signal(number, _terminated)
    try:
        in_one_piece(app)
    except SfumatoError as error:
        if _DEBUG:
            raise
        kind = {InternalError: "internal error: ", Cancelled: ""}.get(type(error), "error: ")
        _tell_end(" ".join(str(error).split()), error.exit_code, kind)
        raise SystemExit(error.exit_code) from None
    except SystemExit as done:
        if done.code == _INTERRUPTED and _asked_to_end:
            done = SystemExit(128 + _asked_to_end[-1])
        if done.code == _INTERRUPTED:  # Ctrl-C reaches us in this form
            _tell_end("interrupted: nothing was written", _INTERRUPTED)
        elif isinstance(done.code, int) and done.code in _ENDING.values():
            _tell_end("terminated: nothing was written", done.code)
        raise done from None
    except BrokenPipeError:
        raise SystemExit(0) from None
    except BaseException as error:  # a panic of Polars is no Exception
        if _DEBUG or isinstance(error, KeyboardInterrupt):
            raise
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:  # whoever asks the system first meets it
            _tell_end("a name that was given is too long for a file", 2, "error: ")
            raise SystemExit(2) from None
        # The text of a foreign error may quote data: only its kind is shown.
        _tell_end(f"{type(error).__name__}; run again with --debug for the trace", 70, "internal error: ")
        raise SystemExit(70) from None


def _tell_end(text: str, exit_code: int, kind: str = "") -> None:
    """Say in one line why a command ends before it is done, as an event where these are asked for."""
    if events.asked():
        events.tell("error", text=text, exit_code=exit_code)
        return
    from sfumato.data.text import printable

    print(printable(f"{kind}{text}"), file=sys.stderr)


def _leave_garbage() -> None:
    """Look for no garbage when the process ends, which took a sixth of a command: nobody needs what is left.

    DuckDB complains about each of its objects that is still there; where it is loaded garbage is looked for as usual.
    """
    if "duckdb" not in sys.modules:
        gc.freeze()
