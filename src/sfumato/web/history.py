"""Changes that can be taken back and done again: texts before the one that holds, and texts after it."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["History"]


@dataclass
class History:
    """What a text was before, the latest last, and what it was before somebody took that back.

    >>> history = History()
    >>> history.changed("a")
    >>> history.back("b"), history.forward("a")
    ('a', 'b')
    """

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    def changed(self, old: str) -> None:
        """Note what a text was before a change; what was taken back until now is forgotten."""
        self.before.append(old)
        self.after.clear()

    def back(self, now: str) -> str:
        """Return the text before, or the one that holds if there is none."""
        if not self.before:
            return now
        self.after.append(now)
        return self.before.pop()

    def forward(self, now: str) -> str:
        """Return the text that was taken back last, or the one that holds if there is none."""
        if not self.after:
            return now
        self.before.append(now)
        return self.after.pop()
