"""A terminal that texts cannot do anything to, whatever a file calls its columns."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from sfumato.data.text import printable

__all__ = ["Terminal"]


class Terminal(Console):
    """Prints texts with all signs that would move the cursor or change colours written as escapes."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print texts and what Rich draws; whoever fills a table makes its cells printable."""
        super().print(*map(_shown, objects), **options)


def _shown(given: Any) -> Any:
    if isinstance(given, str):
        return printable(given)
    if isinstance(given, Text) and printable(given.plain) != given.plain:
        return Text(printable(given.plain), style=given.style)
    return given
