"""Date shifting: all dates of a person move by the same secret number of days, so that the time between them stays."""

from __future__ import annotations

import hmac
from typing import ClassVar

from sfumato.contracts.thing import Thing, param
from sfumato.errors import BadRequest
from sfumato.recodings.pseudonymization import framed, read_key
from sfumato.text.dates import read_date

__all__ = ["DateShift"]

_DOMAIN = "sfumato dates 1"


class DateShift(Thing):
    """Every date of a person moves by one offset, from ``-days`` to ``days`` and never zero, which only the key tells.

    The offset is ``HMAC-SHA-256(key, person)`` read as a number. The time between two dates of a person stays exactly as it is,
    in all documents under one key. With ``keep_weekday`` offsets are whole weeks. Dates are read in the usual forms of English
    and German (2020-03-01, 3/1/2020, 1.3.2020, March 1st, 2020, 1. März 2020, March 2020) and written back in their own form.

    A date beside the name of its weekday (Monday, 4 March 2024) would tell the offset but for whole weeks: in texts it becomes
    a placeholder, unless ``keep_weekday`` is asked for.

    Whoever knows one true date of a person knows the offset, and with it all others: shifting hides dates from those who know
    none. Years, seasons and the order of events stay visible.

    Examples
    --------
    >>> import os
    >>> os.environ["EXAMPLE_KEY"] = "not a key to use: 0123456789"
    >>> shift = DateShift(key_variable="EXAMPLE_KEY", days=30)
    >>> offset = shift.offset("patient 7")
    >>> 1 <= abs(offset) <= 30, shift.offset("patient 7") == offset
    (True, True)
    >>> shift.shifted("2020-03-01", 30), shift.shifted("in spring", 30)
    ('2020-03-31', None)

    References
    ----------
    Hripcsak, Mirhaji, Low, Malin, "Preserving temporal relations in clinical data while maintaining privacy", 2016,
    doi:10.1093/jamia/ocw001.
    Code of Federal Regulations (US), title 45, section 164.514(b)(2)(i)(C).
    """

    id: ClassVar[str] = "date-shift"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = False  # nothing happened on these days

    key_file: str | None = param(default=None, doc="file that holds the key, at least 16 random bytes")
    key_variable: str | None = param(default=None, doc="environment variable that holds the key")
    namespace: str = param(default="", doc="offsets of different namespaces have nothing to do with each other")
    days: int = param(default=183, ge=1, le=3660, doc="most days by which a date moves")
    keep_weekday: bool = param(default=False, doc="whether a Monday stays a Monday")
    language: str = param(default="en", choices=("en", "de"), doc="how dates are read that may mean two days")

    def validate(self) -> None:
        """Take the key from one place, and leave more than one offset to choose from."""
        super().validate()
        if self.key_file is not None and self.key_variable is not None:
            raise BadRequest("needs either key_file or key_variable", parameter=self.id)
        if self.keep_weekday and self.days < 7:
            raise BadRequest("must be at least 7 where weekdays stay", parameter=f"{self.id}.days", value=self.days)

    def offset(self, person: str) -> int:
        """Return by how many days the dates of a person move; never zero."""
        if self.key_file is None and self.key_variable is None:
            raise BadRequest("needs either key_file or key_variable", parameter=self.id)
        key = read_key(self.key_file, self.key_variable)
        drawn = int.from_bytes(hmac.digest(key, framed(_DOMAIN, self.namespace, person), "sha256"), "big")
        step = 7 if self.keep_weekday else 1
        most = self.days // step
        place = drawn % (2 * most)  # -most .. -1, 1 .. most
        return step * (place - most if place < most else place - most + 1)

    def shifted(self, text: str, offset: int, language: str | None = None) -> str | None:
        """Return a date as it is written, so many days later, or none where it cannot be read."""
        found = read_date(text, language or self.language)
        moved = None if found is None else found.later(offset)
        return None if moved is None else str(moved)
