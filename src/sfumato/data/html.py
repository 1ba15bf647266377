"""Small pieces of HTML that a notebook shows: everything in them is escaped, and a notebook gives them its style."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from sfumato.data.text import printable

__all__ = ["html_list", "html_table", "html_text"]


def html_text(text: object, tag: str = "p") -> str:
    """Return a text in a tag.

    >>> html_text("a < b")
    '<p>a &lt; b</p>'
    """
    return f"<{tag}>{escape(printable(str(text)))}</{tag}>"


def html_list(texts: Iterable[object]) -> str:
    """Return a list with a point for each text; nothing without any."""
    points = "".join(html_text(text, "li") for text in texts)
    return f"<ul>{points}</ul>" if points else ""


def html_table(header: Sequence[object], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return a table; its caption stands above it.

    >>> html_table(["a"], [[1]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>'
    """
    head = "".join(html_text(name, "th") for name in header)
    body = "".join(f"<tr>{''.join(html_text(cell, 'td') for cell in row)}</tr>" for row in rows)
    above = html_text(caption, "caption") if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
