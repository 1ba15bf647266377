"""The frame of all pages: templates read from this package, one style, five sections in the order of ISO/IEC 27559."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, FileSystemBytecodeCache, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from sfumato.data.frozen import frozen
from sfumato.data.messages import spoken, tell
from sfumato.reports.words import number

__all__ = ["Section", "rendered"]


_PERCENT = re.compile(r"(\d) %")  # a number is never parted from its sign at the end of a line


@frozen
class Section:
    """One of the five sections: its anchor, its heading, the question it answers, and the anchors inside."""

    key: str
    title: str
    question: str
    parts: Sequence[tuple[str, str]] = ()


def rendered(name: str, **values: object) -> str:
    """Fill the template of a page; a name that the template does not know is an error."""
    return _PERCENT.sub("\\1\u00a0%", _shelf().get_template(name).render(language=spoken(), **values))


def _told(name: str, /, **facts: object) -> Markup:
    """Tell a sentence of a page; facts that are drawn as marks stay what they are."""
    marks = {f"\0{at}\0": fact for at, fact in enumerate(facts.values()) if isinstance(fact, Markup)}
    signs = {id(mark): sign for sign, mark in marks.items()}
    text = escape(tell(name, **{key: signs.get(id(fact), fact) for key, fact in facts.items()}))
    for sign, mark in marks.items():
        text = text.replace(sign, mark)
    return text


def _compiled() -> FileSystemBytecodeCache | None:
    """Keep compiled templates where Python keeps compiled modules, if it may: compiling takes longer than filling."""
    place = Path(__file__).parent / "__pycache__"
    kept = not sys.dont_write_bytecode and os.access(place, os.W_OK)
    return FileSystemBytecodeCache(str(place), "%s.template") if kept else None


@cache
def _shelf() -> Environment:
    folder = files("sfumato.reports")

    def source(name: str) -> str:
        return folder.joinpath(name).read_text(encoding="utf-8")

    shelf = Environment(
        loader=FunctionLoader(source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_compiled(),
    )
    shelf.globals["t"] = _told
    shelf.filters |= {
        "number": number,
        "bold": Markup("<b>{}</b>").format,
        "code": Markup("<code>{}</code>").format,
        "link": lambda text, key: Markup('<a href="#{}">{}</a>').format(key, text),
    }
    return shelf
