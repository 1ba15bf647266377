"""What every page has: top bar, rail of steps, the pulse, a title with its sentence, and the foot that names the next step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from sfumato.data.frozen import frozen
from sfumato.data.messages import languages, signs, tell
from sfumato.errors import SfumatoError
from sfumato.web.elements import Act, area, box, button, drawing, go, link, region, said, text
from sfumato.web.figures import pulse
from sfumato.web.project import Project
from sfumato.web.script import command_lines, python_lines

if TYPE_CHECKING:
    from nicegui.element import Element

__all__ = ["STEPS", "Page", "as_table", "aside", "card", "foot", "frame", "next_card", "script_sheet"]

STEPS = ("data", "roles", "hierarchies", "requirements", "search", "explore", "attack", "publish")

_KEYS = (
    ("Alt+1 … Alt+8", "steps"),
    ("Ctrl+Z", "undo"),
    ("Ctrl+Y", "redo"),
    ("Shift+☐", "range"),
    ("Ctrl+A", "all"),
    ("?", "title"),
)

_LOGO = (
    '<svg viewBox="0 0 30 22" aria-hidden="true" width="30" height="22"><circle cx="10" cy="11" r="8" fill="var(--accent)"/>'
    '<circle cx="15" cy="11" r="7" fill="var(--s4)" opacity=".55"/><circle cx="20" cy="11" r="6" fill="var(--s3)" '
    'opacity=".4"/></svg>'
)


@frozen
class Page:
    """A page that is being drawn: its project, its step, and how to draw the pulse and the rail again."""

    project: Project
    step: str
    again: Callable[[], None]


@contextmanager
def frame(project: Project, step: str) -> Iterator[Page]:
    """Draw everything around the work area, and give the page."""
    text(tell("page.web.skip"), "a", "skip", href="#work")
    with box("div", "app"):
        _top(project, step)
        _keys()
        rail = region(lambda: _rail(project, step), "nav", "rail", aria_label=tell("page.web.steps"))
        with box("main", "work", id="work"):
            if project.unlocked:
                region(lambda: _unlocked(project, step), "div", "note warn unlocked", role="status")
            figures = region(lambda: _pulse(project), "dl", "pulse", mark="pulse")
            with box("div", "head"), box("div"):
                text(tell(f"page.web.title.{step}"), "h1")
                text(tell(f"page.web.lead.{step}"), "p", "lead")

            def again() -> None:
                rail()
                figures()

            yield Page(project, step, again)


def _top(project: Project, step: str) -> None:
    with box("header", "top"):
        with box("div", "brand"):
            drawing(_LOGO)
            text("sfumato")
        text(project.place.name or tell("page.web.new"), "span", "project")
        text(tell("page.web.saved") if project.text else "", "span", "saved")
        box("span", "gap")
        text(tell("page.web.hidden"), "span", "hidden-values")

        def turned(turn: Callable[[], None]) -> None:
            turn()
            go(f"/{step}")

        if project.history.before:
            undo = partial(turned, project.undo)
            button(f"↶ {tell('page.web.undo')}", undo, "quiet slim", data_undo="", mark="undo")
        if project.history.after:
            redo = partial(turned, project.redo)
            button(f"↷ {tell('page.web.redo')}", redo, "quiet slim", data_redo="", mark="redo")
        text("?", "button", "btn quiet slim", type="button", aria_label=tell("page.web.keys.title"), data_ask_keys="")
        if project.text:
            link(tell("page.web.script"), f"/script?from={step}", "btn slim", mark="script")
        with box("div", "seg", role="group", aria_label=tell("page.web.language")):
            for language in languages():
                on = language == project.place.language
                spoken = button(
                    language.upper(), _speaking(project, language, step), "on" if on else "", aria_pressed=on
                )
                spoken.classes(remove="btn")


def _keys() -> None:
    """Draw the list of keys; the question mark opens it, Escape closes it."""
    with box("dialog", "card keys", data_keys="", aria_label=tell("page.web.keys.title")):
        text(tell("page.web.keys.title"), "h2")
        with box("dl"):
            for keys, name in _KEYS:
                text(keys, "dt", "tech")
                text(tell(f"page.web.keys.{name}"), "dd")
        with box("form", method="dialog"):
            text(tell("page.web.keys.close"), "button", "btn slim")


def _speaking(project: Project, language: str, step: str) -> Act:
    def speak() -> None:
        project.speak(language)
        go(f"/{step}")

    return speak


def _rail(project: Project, step: str) -> None:
    with box("ol"):
        for number, name in enumerate(STEPS, 1):
            done = name in project.place.done and name != step
            stale = name in ("explore", "attack", "publish") and project.text != "" and project.stale
            state = "here" if name == step else "stale" if stale else "done" if done else ""
            with box("li", state), _linked(name, here=name == step):
                sign = "!" if state == "stale" else "✓" if state == "done" else str(number)
                text(sign, "i", aria_hidden="true")
                with box("span", "words"):
                    text(tell(f"page.web.step.{name}"), "b")
                    text(tell("page.web.stale") if state == "stale" else tell(f"page.web.sub.{name}"), "small")
    text(tell("page.web.local"), "p", "foot")


def _linked(name: str, *, here: bool) -> Element:
    label = tell(f"page.web.step.{name}")  # on a narrow screen the words beside the number are not shown
    return box("a", href=f"/{name}", aria_label=label, title=label, aria_current="step" if here else None)


def _unlocked(project: Project, step: str) -> None:
    def lock() -> None:
        project.lock()
        go(f"/{step}")

    text(tell("page.web.real.on"), "b")
    text(tell("page.web.real.left", minutes=max(round(project.unlocked / 60), 1)), "span", "soft grow")
    button(tell("page.web.real.lock"), lock, "slim", mark="lock")


def _pulse(project: Project) -> None:
    """Draw the four figures, before and after."""
    unknown = tell("page.web.unknown")
    before, after = ["–"] * 4, [""] * 4
    if project.text:
        try:
            found = pulse(project)
        except SfumatoError:
            found = None
        if found is not None:
            one_in = tell("page.web.one_in", n=found.smallest)
            before = [signs(f"{found.alone:,}"), one_in, signs("100%"), "0"]
            made = found.after
            if made is not None:
                after[0] = "" if made.alone is None else signs(f"{made.alone:,}")
                after[1] = "" if made.smallest is None else tell("page.web.one_in", n=made.smallest)
                after[2] = "" if made.detail is None else signs(f"{100 * made.detail:.0f}%")
                after[3] = signs(f"{made.left_out:,}")
    names = ("stand_out", "chance", "detail", "left_out")
    for name, then, now in zip(names, before, after, strict=True):
        with box("div"):
            with box("dt"), box("details", mark=f"means-{name}"):
                text(tell(f"page.web.pulse.{name}"), "summary")
                text(tell(f"page.web.means.{name}"), "p", "small")
            with box("dd"):
                text(then, "span", "b")
                text("→", "span", "arrow")
                text(now or unknown, "span", "a" if now else "none")


@contextmanager
def card(title: str, classes: str = "", tag: str = "", **attributes: object) -> Iterator[None]:
    """Draw a card with a title, and perhaps a small word beside it."""
    with box("section", f"card {classes}".strip(), **attributes):
        if title:
            with box("header"):
                text(title, "h2")
                if tag:
                    text(tag, "span", "tag")
        yield


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Offer what a drawing shows as a table, for whoever cannot see it or wants the figures: names first, then numbers."""
    with box("details", mark="as-table"):
        text(tell("page.web.table.show"), "summary")
        with box("div", "scroll", tabindex="0"), box("table"):
            with box("thead"), box("tr"):
                for name in head:
                    text(name, "th", scope="col")
            with box("tbody"):
                for first, *others in rows:
                    with box("tr"):
                        text(first, "th", scope="row")
                        for one in others:
                            text(one, "td", "num")


@contextmanager
def aside() -> Iterator[None]:
    """Draw the column beside the work area."""
    with box("aside", "stack"):
        yield


def next_card(lines: Sequence[tuple[str, str, Act | None]]) -> None:
    """Draw what to change next: a sentence each, and a button where there is something to press."""
    with card("", "next"):
        text(tell("page.web.next.title"), "h2")
        if not lines:
            text(tell("page.web.next.nothing"), "p", "small")
        with box("ol"):
            for words, label, act in lines[:4]:
                with box("li"):
                    text(words, "p")
                    if act is not None:
                        button(label, act, "slim")


def foot(page: Page, words: str, act: Act | None = None, *, ready: bool = True) -> None:
    """Draw the way back, and the next step named by what it does; going on means that this step is done."""
    at = STEPS.index(page.step)

    def on() -> None:
        project = page.project
        project.place.done = [*dict.fromkeys([*project.place.done, page.step])]
        project.remember()
        if at + 1 < len(STEPS):
            go(f"/{STEPS[at + 1]}")

    with box("div", "bottom"):
        if at:
            link(f"← {tell(f'page.web.step.{STEPS[at - 1]}')}", f"/{STEPS[at - 1]}")
        else:
            box("span")
        if ready and words:
            button(f"{words} →", act or on, "main", mark="onwards")


def script_sheet(project: Project) -> None:
    """Draw the script: policy, command line, Python."""
    kept = {"text": project.text}

    def write(words: str) -> None:
        kept["text"] = words

    def save() -> None:
        project.write(kept["text"])
        said(tell("page.web.saved"))

    with card("policy.yaml", "flush"):
        area(project.text, write, "policy.yaml", rows=24, mark="yaml")
        with box("div", "actions pad"):
            button(tell("page.web.save"), save, "slim", mark="save")
            _copy()
    for name, lines in (
        (tell("page.web.command_line"), command_lines(project)),
        ("Python", python_lines(project)),
    ):
        with card(name, "flush"):
            text(lines, "pre", tabindex="0")
            with box("div", "actions pad"):
                _copy()


def _copy() -> None:
    """Offer to take a text along; ``workbench.js`` does it."""
    text(
        tell("page.web.copy"),
        "button",
        "btn quiet slim",
        type="button",
        data_copy="",
        data_copied=tell("page.web.copied"),
    )
