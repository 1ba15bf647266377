"""Identifiers without a form of their own: the name of the column tells them, and the values must not speak against it."""

from __future__ import annotations

import re

from sfumato.contracts.identifier import Identifier

__all__ = ["ByColumnName"]

_CODE = re.compile(r"[^\W_][\w ./-]{2,30}")


class ByColumnName(Identifier):
    """A code of letters and digits in a column that is called so."""

    def match(self, text: str) -> bool:
        """Tell whether a text can be a number or code: at least three signs, a digit among them, not a rounded label."""
        return _CODE.fullmatch(text.strip()) is not None and any(sign.isdigit() for sign in text)
