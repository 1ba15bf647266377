"""The application: pages, the door for files, reports; with the guard in front, on loopback."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from sfumato.data.messages import speaking, tell
from sfumato.errors import BadRequest, SfumatoError, Unsupported
from sfumato.service.server import new_app
from sfumato.web.doors import Doors
from sfumato.web.elements import box, link, text
from sfumato.web.frame import STEPS, frame, script_sheet
from sfumato.web.guard import ENTER, Guard
from sfumato.web.project import Project

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["LARGEST", "Workbench", "application", "drawn"]

LARGEST = 4 * 2**30
"""Bytes that a dropped file may have; a larger one is named on the command line and stays where it is."""


_ICON = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 22 22'>"
    "<circle cx='11' cy='11' r='9' fill='%232c6e73'/></svg>"
)


def drawn(project: Project, step: str) -> None:
    """Draw a page in the language of the project; without a table there is only the first."""
    with speaking(project.place.language):
        try:
            if step == "script" and project.text:
                _script(project)
            elif step == "release":
                import_module("sfumato.web.pages.release").draw(project)
            elif step in STEPS and (project.source is not None or step == "data"):
                import_module(f"sfumato.web.pages.{step}").draw(project)
            else:
                import_module("sfumato.web.pages.data").draw(project)
        except SfumatoError as error:
            with box("div", "note bad"):
                text(str(error), "p")
                link(tell("page.web.back"), "/data")


def _script(project: Project) -> None:
    with frame(project, "publish"), box("div", "stack"):
        script_sheet(project)


def application(project: Project) -> FastAPI:
    """Return the application of a project, without the guard."""
    try:
        from nicegui import app as pages
        from nicegui import ui
    except ImportError:
        raise Unsupported('the workbench needs NiceGUI: pip install "sfumato[workbench]"', thing="workbench") from None
    app = new_app("sfumato workbench")
    doors = Doors(project)
    # Handlers are given to Starlette: FastAPI would look for the types of a signature that are not imported here.
    app.add_route("/file", doors.bring, methods=["PUT"])
    app.add_route("/outside/{kind}", doors.outside, methods=["PUT"])
    app.add_route("/report/{edition}", doors.report)
    app.add_route("/report/{edition}/pdf", doors.printed)
    app.add_route("/public.zip", doors.public)
    app.add_route("/levels/{place:int}", doors.levels)
    app.add_route("/levels/{place:int}", doors.bring_levels, methods=["PUT"])
    app.add_route("/look/{name}", doors.look)

    head = '<link rel="stylesheet" href="/look/style.css"><script src="/look/workbench.js" defer></script>'

    def page(step: str) -> Callable[[], None]:
        def shown() -> None:
            ui.add_head_html(head)
            drawn(project, step)

        return shown

    for step in (*STEPS, "script", "release"):
        ui.page(f"/{step}", title="sfumato")(page(step))
    ui.page("/", title="sfumato")(page("data"))
    pages.on_startup(project.crew.__enter__)
    pages.on_shutdown(lambda: project.crew.__exit__())
    ui.run_with(
        app,
        title="sfumato",
        tailwind=False,
        dark=None,
        show_welcome_message=False,
        favicon=_ICON,
    )
    return app


class Workbench:
    """A workbench that listens on loopback until somebody ends it."""

    def __init__(self, project: Project, port: int = 0, *, key: str | None = None, largest: int = LARGEST) -> None:
        import socket

        # Where NiceGUI would keep what pages remember: nothing is kept there, and nobody else may look.
        os.environ["NICEGUI_STORAGE_PATH"] = str(project.folder / ".pages")
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind(("127.0.0.1", port))
            self._socket.listen(128)  # whoever is told the address may ask at once, and waits until somebody is there
        except (OSError, OverflowError):
            raise BadRequest(
                "cannot be listened on; another process may hold it", parameter="port", value=port
            ) from None
        self.port: int = self._socket.getsockname()[1]
        self.guard = Guard(application(project), self.port, key=key, largest=largest)

    @property
    def address(self) -> str:
        """The address to begin with; whoever has it may enter."""
        return f"http://127.0.0.1:{self.port}{ENTER}?key={self.guard.key}"

    def serve(self) -> None:
        """Serve until the process is ended; requests are not logged, their addresses are nobody's business."""
        import uvicorn

        config = uvicorn.Config(
            self.guard, log_level="error", access_log=False, ws_max_size=2**24, timeout_graceful_shutdown=2
        )
        uvicorn.Server(config).run(sockets=[self._socket])
