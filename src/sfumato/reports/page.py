"""The frame of all pages: templates read from this package, one style, five sections in the order of ISO/IEC 27559."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined

from sfumato.reports.words import counted

__all__ = ["Section", "rendered"]


_PERCENT = re.compile(r"(\d) %")  # a number is never parted from its sign at the end of a line


@dataclass(frozen=True)
class Section:
    """One of the five sections: its anchor, its heading, the question it answers, and the anchors inside."""

    key: str
    title: str
    question: str
    parts: Sequence[tuple[str, str]] = ()


def rendered(name: str, **values: object) -> str:
    """Fill the template of a page; a name that the template does not know is an error."""
    return _PERCENT.sub("\\1\u00a0%", _shelf().get_template(name).render(**values))


@cache
def _shelf() -> Environment:
    folder = files("sfumato.reports")

    def source(name: str) -> str:
        return folder.joinpath(name).read_text(encoding="utf-8")

    shelf = Environment(
        loader=FunctionLoader(source), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    shelf.filters["counted"] = counted
    return shelf
