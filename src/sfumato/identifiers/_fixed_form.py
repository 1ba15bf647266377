"""What numbers with a fixed form share: the form, the separators that may be left out, the rule for the bare number."""

from __future__ import annotations

import re
from typing import ClassVar

from sfumato.contracts.identifier import Identifier

__all__ = ["Numbered", "inside"]

_SIGNS = re.compile(r"[\s./-]")


def inside(form: str) -> re.Pattern[str]:
    """Return the pattern that finds a form inside a longer text, not as a part of a longer word or number."""
    return re.compile(rf"(?<![\w@.+-])(?:{form})(?![\w@-])(?!\.\d)")


class Numbered(Identifier):
    """A number with a fixed form; ``valid`` sees it in capitals and without separators."""

    form: ClassVar[re.Pattern[str]]

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

    def valid(self, number: str) -> bool:
        """Tell whether the bare number obeys the rule; without a rule the form is enough."""
        return True
