"""A vocabulary of plain HTML elements; with ``app.py`` the only file that knows NiceGUI.

Texts go to the page as texts and never as markup, names of columns never as keys of anything that a browser might run. What
somebody does is told to a function; an error of ours is shown as its sentence.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from sfumato.errors import SfumatoError

if TYPE_CHECKING:
    from nicegui.element import Element
    from nicegui.events import GenericEventArguments

__all__ = [
    "Act",
    "Told",
    "answer",
    "area",
    "box",
    "button",
    "check",
    "choice",
    "drawing",
    "droppable",
    "entry",
    "every",
    "go",
    "later",
    "link",
    "number",
    "off_loop",
    "pickable",
    "region",
    "said",
    "slider",
    "text",
]

Act = Callable[[], Awaitable[None] | None]
Told = Callable[[str], Awaitable[None] | None]

T = TypeVar("T")


def box(tag: str = "div", classes: str = "", **attributes: object) -> Element:
    """Return an element that others go into; ``aria_label`` is the attribute ``aria-label``."""
    from nicegui import ui

    made = ui.element(tag)
    made.classes(classes)
    return _attributed(made, attributes)


def text(words: str, tag: str = "span", classes: str = "", **attributes: object) -> Element:
    """Return an element that holds a text."""
    from nicegui.elements.mixins.text_element import TextElement

    made = TextElement(tag=tag, text=words)
    made.classes(classes)
    return _attributed(made, attributes)


def _attributed(made: Element, attributes: Mapping[str, object]) -> Element:
    for name, value in attributes.items():
        if name == "mark":
            made.mark(str(value))
        elif value is not None and value is not False:
            made.props[name.rstrip("_").replace("_", "-")] = value
    return made


def link(words: str, to: str, classes: str = "btn", **attributes: object) -> Element:
    """Return a link that looks like a button."""
    return text(words, "a", classes, href=to, **attributes)


def button(words: str, act: Act, kind: str = "", **attributes: object) -> Element:
    """Return a button."""
    made = text(words, "button", f"btn {kind}".strip(), type="button", **attributes)
    made.on("click", lambda: _done(act))
    return made


def choice(options: Mapping[str, str], value: str, act: Told, label: str, **attributes: object) -> Element:
    """Return a native list of choices, from what is meant to what is said."""
    made = box("select", "select", aria_label=label, **attributes)
    with made:
        for key, words in options.items():
            text(words, "option", value=key, selected=key == value)
    made.on("change", lambda event: _told(act, event), js_handler="(e) => emit(e.target.value)")
    return made


def entry(value: str, act: Told, label: str, **attributes: object) -> Element:
    """Return a field for a text, told when it is left or entered."""
    made = box("input", "input", type="text", value=value, aria_label=label, **attributes)
    made.on("change", lambda event: _told(act, event), js_handler="(e) => emit(e.target.value)")
    return made


def number(value: float, act: Told, label: str, **attributes: object) -> Element:
    """Return a field for a number."""
    made = box("input", "input short", type="number", value=value, aria_label=label, **attributes)
    made.on("change", lambda event: _told(act, event), js_handler="(e) => emit(e.target.value)")
    return made


def slider(value: float, low: float, high: float, step: float, act: Told, label: str, mark: str = "") -> Element:
    """Return a native slider, told when it rests."""
    made = box("input", "range", type="range", min=low, max=high, step=step, value=value, aria_label=label, mark=mark)
    made.on("change", lambda event: _told(act, event), js_handler="(e) => emit(e.target.value)")
    return made


def check(held: bool, act: Callable[[bool], None], label: str, **attributes: object) -> Element:
    """Return a box to tick."""
    made = box("input", "tick", type="checkbox", checked=held, aria_label=label, **attributes)
    made.on("change", lambda event: act(event.args is True), js_handler="(e) => emit(e.target.checked)")
    return made


def drawing(svg: str, classes: str = "") -> Element:
    """Return a drawing; whoever made it has escaped every text in it."""
    from nicegui import ui

    return ui.html(svg, sanitize=False, tag="figure").classes(classes)


def droppable(row: Element, number: int, act: Callable[[int], None], *, takes: bool) -> None:
    """Let a row be dragged by its number, and take other rows if it is a group."""
    row.props["draggable"] = "true"
    row.on("dragstart", js_handler=f'(e) => e.dataTransfer.setData("text/plain", "{number}")')
    if takes:
        row.on("dragover", js_handler="(e) => e.preventDefault()")
        row.on(
            "drop",
            lambda event: answer(lambda: act(int(str(event.args)))),
            js_handler='(e) => { e.preventDefault(); emit(e.dataTransfer.getData("text/plain")); }',
        )


def pickable(figure: Element, act: Callable[[int], None]) -> None:
    """Let the numbered parts of a drawing be clicked; whoever has no mouse needs another way to the same."""
    figure.on(
        "click",
        lambda event: answer(lambda: act(int(str(event.args)))),
        js_handler='(e) => { const one = e.target.closest("[data-at]"); if (one) emit(one.dataset.at); }',
    )


def area(value: str, act: Told, label: str, **attributes: object) -> Element:
    """Return a field for a long text."""
    made = box("textarea", "input code", aria_label=label, value=value, spellcheck="false", **attributes)
    made.on("change", lambda event: _told(act, event), js_handler="(e) => emit(e.target.value)")
    return made


def region(draw: Callable[[], None], tag: str = "div", classes: str = "", **attributes: object) -> Callable[[], None]:
    """Draw something that will be drawn again; return the function that does so."""
    holder = box(tag, classes, **attributes)

    def again() -> None:
        holder.clear()
        with holder:
            draw()

    again()
    return again


def every(seconds: float, act: Act) -> None:
    """Do something again and again as long as the page is open."""
    from nicegui import ui

    ui.timer(seconds, act)


def later(act: Act) -> None:
    """Do something once the page is there."""
    from nicegui import ui

    ui.timer(0.05, act, once=True)


def go(to: str) -> None:
    """Open another page."""
    from nicegui import ui

    ui.navigate.to(to)


def said(words: str) -> None:
    """Show a sentence for a while; screen readers read it."""
    from nicegui import ui

    ui.notify(words, position="bottom", timeout=8000, close_button="×", color="dark")


async def off_loop(work: Callable[[], T]) -> T:
    """Do something that takes a moment without making others wait."""
    return await asyncio.to_thread(work)


async def _done(act: Act) -> None:
    await answer(act)


async def _told(act: Told, event: GenericEventArguments) -> None:
    given = event.args
    await answer(lambda: act(str(given)))


async def answer(act: Act) -> None:
    """Do what somebody asked for; what is wrong with it is said."""
    try:
        waiting = act()
        if inspect.isawaitable(waiting):
            await waiting
    except SfumatoError as error:
        said(str(error))
