"""Step 8: write, check again, sign; what may leave is parted from what must stay."""

from __future__ import annotations

import time
from asyncio import sleep
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from sfumato.catalogue import find
from sfumato.data.json import Json
from sfumato.data.messages import signs, tell, worded
from sfumato.errors import BadRequest, SfumatoError
from sfumato.publishing.published import open_published
from sfumato.publishing.signature import FILE as SIGNATURE
from sfumato.publishing.signature import new_key
from sfumato.verbs.sign import sign
from sfumato.verbs.verify import verify
from sfumato.web.elements import Act, box, button, entry, link, off_loop, region, text
from sfumato.web.frame import Page, aside, card, foot, frame, script_sheet
from sfumato.web.pages.attack import left
from sfumato.web.pages.requirements import sentence
from sfumato.web.project import Project, Spec

__all__ = ["draw"]


def draw(project: Project) -> None:
    """Draw the page."""
    with frame(project, "publish") as page:
        run = project.chosen
        if run is None or project.made(run) is None:
            text(tell("page.web.explore.no_run"), "p", "note warn")
            foot(page, "", ready=False)
            return
        told: dict[str, str] = {}

        def body() -> None:
            _body(page, told, lambda: again())

        again = region(body, mark="publish")
        foot(page, "", ready=False)


def _body(page: Page, told: dict[str, str], again: Act) -> None:
    project = page.project
    released = project.folder / "release"
    there = released.exists()
    if project.stale:
        text(tell("page.web.search.changed"), "p", "note warn")
    with box("div", f"note {'good' if there else ''} verdict"):
        text(f"✓ {tell('page.web.publish.meets')}" if there else tell("page.web.publish.not_yet"), "b")
        if there:
            for verdict in open_published(released, private=False).certified.requirements:
                text(_sentence(verdict.model, verdict.parameters), "p")
                text(" ".join([verdict.model, *(f"{k}={v}" for k, v in verdict.parameters.items())]), "p", "tech")
    with box("div", "cols"):
        with box("div", "stack"):
            _steps(page, released, told, again)
            if there:
                with box("div", "two"):
                    _files(released / "public", "leaves")
                    _files(released / "private", "stays")
            with box("div", "actions"):
                text(tell("page.web.script_title"), "h2", "grow")
                if there:
                    _same_bytes(page, released, told, again)
            script_sheet(project)
        with aside():
            _who(page, again)
            if there:
                with card(tell("page.web.publish.not_promised")), box("ul", "plain-list"):
                    for line in open_published(released, private=False).certified.not_protected_against[:6]:
                        text(worded(line), "li", "small")
                with card(tell("page.web.publish.report")):
                    link(tell("page.web.publish.open_public"), "/report/public", "btn slim", target="_blank")
                    link(tell("page.web.publish.open_private"), "/report/private", "btn slim", target="_blank")
                    for edition in ("public", "private"):
                        name = tell(f"page.web.publish.pdf_{edition}")
                        link(name, f"/report/{edition}/pdf", "btn slim", download=f"report-{edition}.pdf")
                    link(tell("page.web.publish.zip"), "/public.zip", "btn slim", download="release.zip")


def _sentence(model: str, parameters: Mapping[str, object]) -> str:
    try:
        return sentence(find(model, "model", "table"), parameters)
    except SfumatoError:  # it is called by its id
        return ""


def _steps(page: Page, released: Path, told: dict[str, str], again: Act) -> None:
    project, there = page.project, released.exists()
    signed = (released / "public" / SIGNATURE).exists()
    key = project.folder / "steward.key"
    run = project.chosen
    made = None if run is None else project.made(run)
    weak = run is not None and made is not None and bool(left(project, run))

    async def write() -> None:
        began = time.monotonic()
        if project.stale:  # what is written is what policy.yaml says
            told["checked"] = tell("page.web.publish.searching")
            again()
            run = project.search()
            while not project.job(run).over:
                await sleep(0.3)
            if project.made(run) is None:
                raise BadRequest(project.job(run).error or tell("page.web.publish.check_failed"))
            project.place.chosen = run.number
        await off_loop(project.copied)
        seen = await off_loop(lambda: verify(released))
        told["checked"] = tell("page.web.publish.checked_in", seconds=round(time.monotonic() - began, 1))
        if not seen.verdict:
            told["checked"] = tell("page.web.publish.check_failed")
        project.place.done = [*dict.fromkeys([*project.place.done, "publish"])]
        project.remember()
        page.again()
        again()

    async def seal() -> None:
        if not key.exists():
            await off_loop(lambda: new_key(key))
        await off_loop(lambda: project.tell(released))  # what was accepted since it was written
        await off_loop(lambda: sign(released, key))
        again()

    with card(tell("page.web.publish.steps")), box("ol", "steps"):
        _step(1, "written", there, "" if there else None)
        _step(2, "checked", there, told.get("checked"))
        _step(3, "attacked", not weak, None)
        _step(4, "signed", signed, None)
        entered = project.entered(released)
        told_of = None if entered is None else tell("page.web.publish.entered", number=entered[1], series=entered[0])
        _step(5, "ledger", entered is not None, told_of)
    with box("div", "actions"):
        if not there or (project.stale and not signed):
            button(tell("page.web.publish.write"), write, "main", mark="write")
        elif not signed:
            if weak:
                text(tell("page.web.publish.blocked"), "p", "note warn")
                link(tell("page.web.publish.to_attack"), "/attack", "btn")
            else:
                button(tell("page.web.publish.sign"), seal, "main", mark="sign")
        if there and not signed and not project.stale:
            button(tell("page.web.publish.again"), write, "quiet")
        if signed and entered is None:
            _enter(project, released, again)


def _enter(project: Project, released: Path, again: Act) -> None:
    """Offer to remember the release in a ledger, as one of a series."""
    kept = {"series": project.place.name}

    def name(words: str) -> None:
        kept["series"] = words.strip()

    async def enter() -> None:
        await off_loop(lambda: project.enter(released, kept["series"]))
        again()

    with box("div", "field"):
        text(tell("page.web.publish.series"))
        entry(kept["series"], name, tell("page.web.publish.series"), mark="series")
    button(tell("page.web.publish.enter"), enter, "", mark="enter")


def _same_bytes(page: Page, released: Path, told: dict[str, str], again: Act) -> None:
    """Offer to run the script in another process, and say whether it makes the same bytes."""
    project = page.project

    async def run() -> None:
        told["bytes"] = tell("page.web.publish.running_again")
        again()
        kept = project.folder / "runs" / "again.yaml"
        kept.write_text(project.text, encoding="utf-8")
        asked: dict[str, Json] = {
            "source": str(project.source),
            "policy": str(kept),
            "language": project.language,
        }
        job = project.book.submit("anonymize", asked)
        while not project.book.job(job.number).over:
            await sleep(0.3)
        done = project.book.job(job.number)
        same = done.state == "done" and all(
            (released / "public" / file.name).read_bytes() == file.read_bytes()
            for file in (project.crew.folder(done) / "public").iterdir()
        )
        told["bytes"] = f"✓ {tell('page.web.publish.same')}" if same else f"✕ {tell('page.web.publish.differs')}"
        again()

    if "bytes" in told:
        text(told["bytes"], "span", "tag good" if told["bytes"].startswith("✓") else "tag")
    else:
        button(tell("page.web.publish.run_again"), run, "slim", mark="again")


def _step(number: int, name: str, done: bool, more: str | None) -> None:
    with box("li", "done" if done else ""):
        text("✓" if done else str(number), "i", aria_hidden="true")
        with box("div"):
            text(tell(f"page.web.publish.{name}"), "b")
            text(more or tell(f"page.web.publish_means.{name}"), "p", "soft small")


_MEANT = {
    "leaves": ("data_csv", "report_html", "certificate", "certificate_signature", "schema"),
    "stays": ("report_html", "audit", "recoding", "trace", "policy_yaml", "questions", "before", "run", "utility"),
}
"""Files that have a word for what they are."""


def _files(folder: Path, which: str) -> None:
    with card(tell(f"page.web.publish.{which}"), which), box("ul", "plain-list files"):
        for path in sorted(folder.iterdir()):
            with box("li"):
                text(path.name, "span", "tech")
                known = path.name.removesuffix(".json").replace(".", "_")
                means = tell(f"page.web.file.{which}.{known}") if known in _MEANT[which] else ""
                text(means, "span", "soft small grow")
                text(signs(f"{path.stat().st_size / 1000:,.0f} kB"), "span", "soft small")


def _who(page: Page, again: Act) -> None:
    project = page.project

    def put(name: str, words: str) -> None:
        def change(document: Spec) -> None:
            document[name] = words

        project.edit(change)
        page.again()
        again()  # what was written before does not say so yet

    with card(tell("page.web.publish.who")):
        for name in ("title", "steward", "recipients"):
            with box("div", "field"):
                label = tell(f"page.web.who.{name}")
                text(label)
                entry(str(project.document.get(name, "")), partial(put, name), label, mark=f"who-{name}")
