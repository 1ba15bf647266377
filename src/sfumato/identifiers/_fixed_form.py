"""What numbers with a fixed form share: the form, the separators that may be left out, the rule for the bare number."""

from __future__ import annotations

import re

from sfumato.contracts.identifier import Identifier

__all__ = ["Numbered", "inside"]

_SIGNS = re.compile(r"[\s./-]")


def inside(form: str) -> re.Pattern[str]:
    """Return the pattern that finds a form inside a longer text, not as a part of a longer word or number."""
    return re.compile(rf"(?<![\w@.+-])(?:{form})(?![\w@-])(?!\.\d)")


class Numbered(Identifier):
    """A number with a fixed form; both the form and ``valid`` see it in capitals, ``valid`` without separators."""

    def match(self, text: str) -> bool:
        """Tell whether a text has the form and obeys the rule."""
        text = text.strip().upper()
        return self.form.fullmatch(text) is not None and self.valid(_SIGNS.sub("", text))

    @property
    def width(self) -> int | None:
        """How many digits a bare number has, as the examples tell."""
        widths = {len(example) for example in self.examples if example.isdigit()}
        return widths.pop() if len(widths) == 1 else None

    def fits(self, text: str) -> bool:
        """Tell whether a text has the form, whatever its check digit."""
        return self.form.fullmatch(text.strip().upper()) is not None
