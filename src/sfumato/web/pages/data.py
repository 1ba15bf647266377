"""Step 1: bring a table, see how it was read, and look inside without seeing anybody."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from functools import partial
from pathlib import Path

import numpy as np

from sfumato.data.json import Json
from sfumato.data.messages import signs, tell, worded
from sfumato.data.schema import ColumnType, Role
from sfumato.data.text import to_text
from sfumato.datasets.demos import demo_of
from sfumato.engines.found import decimal_sign
from sfumato.errors import BadRequest
from sfumato.web.elements import Told, box, button, choice, entry, go, off_loop, text
from sfumato.web.frame import aside, card, foot, frame
from sfumato.web.project import Project

__all__ = ["draw", "patterned", "shuffled"]

_SHOWN = 5


def draw(project: Project) -> None:
    """Draw the page."""
    with frame(project, "data") as page:
        if project.source is None:
            _drop(project, empty=True)
            return
        with box("div", "cols"):
            with box("div", "stack"):
                _drop(project, empty=False)
                _reading(project)
                with box("p", "note"):
                    text(tell("page.web.data.never_changed"), "b")
                    text(f" {tell('page.web.data.kept')}")
            with aside():
                _noticed(project)
        _inside(project)
        foot(page, tell("page.web.onwards.data"))


def _drop(project: Project, *, empty: bool) -> None:
    """Draw the place for files; what is dropped is sent by ``workbench.js`` as it is."""

    async def sample() -> None:
        shown = demo_of("table")
        assert not isinstance(shown.dataset, tuple)
        file = shown.dataset.write_csv(project.folder / f"{shown.name}.csv")
        await off_loop(partial(project.take, file.name))
        go("/data")

    with card(tell("page.web.data.your_table")), box("div", "drop" + (" empty" if empty else ""), data_drop="/file"):
        if empty:
            text(tell("page.web.data.drop"), "h2")
            text(tell("page.web.data.formats"), "p", "soft")
        else:
            table = project.found.table
            with box("div", "file"):
                text(project.place.source or "", "b")
                told = tell("page.web.data.size", rows=table.rows, columns=len(table.columns))
                size = f"{project.source.stat().st_size / 1e6:,.1f} MB" if isinstance(project.source, Path) else ""
                text(" · ".join(one for one in (told, signs(size)) if one), "p", "soft")
        with box("label", "btn main" if empty else "btn"):
            text(tell("page.web.data.choose") if empty else tell("page.web.data.another"))
            box("input", "file-input", type="file", aria_label=tell("page.web.data.choose"), data_pick="/file")
        button(tell("page.web.data.sample"), sample, "quiet", mark="sample")
        text("", "p", "problem", data_problem="", role="alert")
        _database(project)
        text(tell("page.web.release.offer"), "a", "small", href="/release", mark="release")


def _database(project: Project) -> None:
    """Offer a table of a database: its address, or the file that it is, and the name of the table."""
    given = {"address": "", "table": ""}

    def write(name: str, words: str) -> None:
        given[name] = words.strip()

    async def connect() -> None:
        if not given["address"]:
            raise BadRequest("must be given", parameter=tell("page.web.data.address"))
        await off_loop(partial(project.connect, given["address"], given["table"]))
        go("/data")

    with box("details"):
        text(tell("page.web.data.database"), "summary", "small", mark="database")
        text(tell("page.web.data.database_means"), "p", "small soft")
        with box("div", "actions"):
            for name, hint in (("address", "postgresql://host/database"), ("table", "")):
                label = tell(f"page.web.data.{name}")
                entry("", partial(write, name), label, placeholder=hint or label, mark=name)
            button(tell("page.web.data.connect"), connect, "slim", mark="connect")


def _reading(project: Project) -> None:
    """Show how the file was read; whatever is found wrongly is said here, and the file is read again."""
    found, said = project.found, project.place.reading

    async def read(name: str, given: Json) -> None:
        new = {key: value for key, value in said.items() if key != name}
        if given not in (None, "") and (given != 0 or isinstance(given, bool)):
            new[name] = given
        await off_loop(partial(project.take, project.place.source or "", new))
        go("/data")

    def number(given: str) -> Awaitable[None]:
        if not given.strip().isdigit():
            raise BadRequest("must be a number of lines", parameter=tell("page.web.data.above"), value=given)
        return read("skip_first", int(given))

    def gaps(given: str) -> Awaitable[None]:
        return read("missing", ["", *_listed(given)] if given.strip() else None)

    async def point(sign: str) -> None:
        await off_loop(partial(project.decimal, sign))
        go("/data")

    def named(given: str) -> Awaitable[None]:
        return read("header", given == "names")

    written, pages = project.written, project.sheets
    with card(tell("page.web.data.how"), tag=tell("page.web.data.fits")):
        with box("div", "facts"):
            if pages:
                _choice("sheet", {one: one for one in pages}, said.get("sheet") or pages[0], partial(read, "sheet"))
            if written is not None:
                letters = {"": written.encoding.upper(), **_LETTERS}
                _choice("letters", letters, said.get("encoding"), partial(read, "encoding"))
                between = {sign: tell(f"page.web.sign.{name}") for sign, name in _BETWEEN.items()}
                between.setdefault(written.separator, written.separator)
                _choice("between", between, written.separator, partial(read, "separator"))
                signs_of = {sign: tell(f"page.web.sign.{name}") for sign, name in _DECIMAL.items()}
                _choice("decimal", signs_of, decimal_sign(found.options), point)
            if written is not None or pages:
                first = {one: tell(f"page.web.data.first_{one}") for one in ("names", "record")}
                _choice("first", first, "record" if found.options.header is False else "names", named)
            lines = [("above", str(found.options.skip_first), number)] if written is not None or pages else []
            for name, held, act in (
                *lines,
                ("gap", ", ".join(one for one in found.options.missing if one), gaps),
            ):
                with box("label", "field"):
                    text(tell(f"page.web.data.{name}"))
                    entry(held, act, tell(f"page.web.data.{name}"), mark=name)
        for note in found.notes:
            text(worded(note), "p", "small soft")


_BETWEEN = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_DECIMAL = {".": "point", ",": "comma"}
_LETTERS = {"utf-8": "UTF-8", "cp1252": "Windows 1252", "latin-1": "Latin 1", "utf-16": "UTF-16"}


def _listed(given: str) -> list[str]:
    return [one.strip() for one in given.split(",") if one.strip()]


def _choice(name: str, options: dict[str, str], held: Json, act: Told) -> None:
    with box("label", "field"):
        label = tell(f"page.web.data.{name}")
        text(label)
        choice(options, str(held or ""), act, label, mark=name)


def _noticed(project: Project) -> None:
    found = [column for column in project.profile if column.role in (Role.IDENTIFIER, Role.DROP)]
    with card(tell("page.web.data.noticed")), box("ul", "plain-list"):
        if not found:
            text(tell("page.web.data.nothing"), "li", "soft small")
        for column in found:
            with box("li"):
                text(column.name, "b")
                named = column.role is Role.IDENTIFIER
                text(f" {tell('page.web.data.names' if named else 'page.web.data.unfit')}")
                text(worded(column.reason), "p", "soft small")


def _inside(project: Project) -> None:
    table = project.found.table
    hidden = {column.name for column in project.profile if column.role in (Role.IDENTIFIER, Role.DROP)}
    kinds = {str(kind): tell(f"page.web.type.{kind}") for kind in ColumnType}

    async def retype(name: str, kind: str) -> None:
        await off_loop(partial(project.retype, name, ColumnType(kind)))
        go("/data")

    with card(tell("page.web.data.inside"), "flush", tell("page.web.data.nobody")):
        _unlocking(project)
        text(tell("page.web.real.shown") if project.unlocked else tell("page.web.data.shuffled"), "p", "small soft pad")
        with box("div", "scroll", tabindex="0"), box("table"):
            with box("thead"), box("tr"):
                for at, name in enumerate(table.columns):
                    with box("th", scope="col"):
                        text(name, "div")
                        label = tell("page.web.data.type_of", column=name)
                        choice(kinds, str(table.types[name]), partial(retype, name), label, mark=f"type{at}")
            with box("tbody"):
                columns = (
                    [[(False, to_text(value)) for value in column] for column in zip(*table.head(_SHOWN), strict=True)]
                    if project.unlocked
                    else [shuffled(project, name, hidden=name in hidden) for name in table.columns]
                )
                for row in range(_SHOWN):
                    with box("tr"):
                        for values in columns:
                            masked = "mask" if values and values[0][0] else ""
                            text(values[row][1] if row < len(values) else "", "td", masked)


def _unlocking(project: Project) -> None:
    """Offer rows of real people to whoever has a reason."""
    if project.unlocked:
        return
    kept = {"reason": ""}

    def write(words: str) -> None:
        kept["reason"] = words

    def unlock() -> None:
        project.unlock(kept["reason"])
        go("/data")

    with box("details", "pad"):
        text(tell("page.web.real.unlock"), "summary", "small", mark="unlocking")
        text(tell("page.web.real.means"), "p", "small soft")
        with box("div", "actions"):
            entry("", write, tell("page.web.real.reason"), placeholder=tell("page.web.real.reason"), mark="why")
            button(tell("page.web.real.for_15"), unlock, "slim", mark="unlock")


def shuffled(project: Project, name: str, *, hidden: bool) -> list[tuple[bool, str]]:
    """Return some values of a column as they are spread, drawn apart from all other columns; what names people as patterns.

    A value that few records have, and the extremes of numbers and dates, may point at somebody: these are not drawn.
    """
    dictionary = project.found.table.dictionary(name)
    counts = np.asarray(dictionary.counts)
    if not len(counts):
        return []
    ordered = project.found.table.types[name].value not in ("text", "boolean")
    rare = counts < min(5, int(counts.max()))
    if ordered and len(counts) > 4:
        rare[[0, -1]] = True
        if counts.max() < 5:
            rare[1:-1] = False
    weights = np.where(rare, 0, counts).astype(float)
    if not weights.sum():
        weights = counts.astype(float)
        hidden = True
    drawn = np.random.default_rng(len(name)).choice(len(counts), _SHOWN, p=weights / weights.sum())
    texts = [to_text(dictionary.values[at]) for at in drawn]
    return [(hidden, patterned(one) if hidden else one[:40]) for one in texts]


def patterned(value: str) -> str:
    """Return the shape of a value: letters become x, digits 9."""
    shape = re.sub(r"\d", "9", re.sub(r"[^\W\d_]", lambda sign: "X" if sign[0].isupper() else "x", value))
    return shape[:24]
