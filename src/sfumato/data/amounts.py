"""Amounts of memory and of space as people write them: ``4GB``, ``512MiB``."""

from __future__ import annotations

import re

__all__ = ["amount_text", "bytes_of"]

_UNITS = ("", "K", "M", "G", "T")
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(i?)B?", re.IGNORECASE)


def bytes_of(text: str) -> int | None:
    """Return an amount in bytes; nothing if it is none.

    >>> bytes_of("4GB"), bytes_of("1.5 MiB"), bytes_of("512"), bytes_of("much")
    (4000000000, 1572864, 512, None)
    """
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return None
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** _UNITS.index(unit.upper()))


def amount_text(amount: float) -> str:
    """Write an amount of bytes with two digits that count.

    >>> amount_text(1_234_000_000), amount_text(900)
    ('1.2 GB', '900 B')
    """
    unit = 0
    while amount >= 1000 and unit + 1 < len(_UNITS):
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.2g} {_UNITS[unit]}B" if amount < 10 else f"{amount:.0f} {_UNITS[unit]}B"
