"""A release of any shape, looked at as a stranger would: counted anew from its public files, and its report."""

from __future__ import annotations

from pathlib import Path

from sfumato.data.messages import called, signs, tell, worded
from sfumato.errors import BadRequest
from sfumato.publishing.verification import Verification
from sfumato.verbs.report import report
from sfumato.verbs.verify import verify
from sfumato.web.elements import Act, box, button, entry, off_loop, region, text
from sfumato.web.frame import card, frame
from sfumato.web.project import Project

__all__ = ["OPENED", "draw"]

OPENED = ".opened.html"
"""The page of the release that is looked at, in the project."""


def draw(project: Project) -> None:
    """Draw the page."""
    seen: list[Verification] = []
    with frame(project, "release"), box("div", "stack"):
        _asked(project, seen, lambda: shown())
        shown = region(lambda: _shown(seen), "div", "stack", mark="seen")


def _asked(project: Project, seen: list[Verification], again: Act) -> None:
    given = {"folder": ""}

    def write(words: str) -> None:
        given["folder"] = words.strip()

    async def look() -> None:
        if not given["folder"]:
            raise BadRequest("must be given", parameter=tell("page.web.release.folder"))
        folder = Path(given["folder"]).expanduser()
        found = await off_loop(lambda: verify(folder))
        page = project.folder / OPENED
        await off_loop(lambda: report(found.folder, edition="public", file=page, language=project.place.language))
        seen[:] = [found]
        waiting = again()
        assert waiting is None

    with card(tell("page.web.release.which")):
        text(tell("page.web.release.means"), "p", "small soft")
        with box("div", "actions"):
            label = tell("page.web.release.folder")
            entry("", write, label, placeholder=label, mark="folder")
            button(tell("page.web.release.look"), look, "main", mark="look")


def _shown(seen: list[Verification]) -> None:
    """Show the verdict, the promises and the files; the report says the rest in its own frame."""
    for found in seen:
        holds = bool(found.verdict)
        with box("div", f"note {'good' if holds else 'warn'} verdict"):
            text(f"✓ {tell('page.web.release.holds')}" if holds else f"! {tell('page.web.release.open')}", "b")
            for verdict in found.certificate.requirements:
                text(called(f"gist.model.{verdict.model}", ""), "p")
                text(" ".join([verdict.model, *(f"{k}={v}" for k, v in verdict.parameters.items())]), "p", "tech")
            for left in found.left:
                text(f"{left.name}: {worded(left.why)}", "p", "small")
        with card(tell("page.web.publish.leaves"), "leaves"), box("ul", "plain-list files"):
            for path in sorted(found.folder.iterdir()):
                with box("li"):
                    text(path.name, "span", "tech grow")
                    text(signs(f"{path.stat().st_size / 1000:,.0f} kB"), "span", "soft small")
        with card(tell("page.web.publish.report"), "flush"):
            box("iframe", "report", src="/report/opened", title=tell("page.web.publish.report"))
