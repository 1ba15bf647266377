"""What an entry of the ledger says, one record for each kind; nothing here is about a person or is ever erased."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from sfumato.data.frozen import frozen

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "FORMAT",
    "Added",
    "Allotted",
    "Asked",
    "Cancelled",
    "Charged",
    "Erased",
    "Facts",
    "Opened",
    "Prepared",
    "Refunded",
    "Released",
    "Reserved",
    "Versioned",
    "facts_of",
    "written",
]

FORMAT = 1


@frozen
class Opened:
    """The first entry: which ledger this is, and how its checkpoints are signed."""

    kind: ClassVar[str] = "opened"

    origin: str
    signature: str
    public_key: str = ""
    version: int = FORMAT


@frozen
class Reserved:
    """The next release of a series is being made, as number ``release``; nobody else may make one meanwhile.

    ``token`` is held by the process that makes it: while somebody holds it the release is under way.
    """

    kind: ClassVar[str] = "reserved"

    release: int
    token: str
    series_kind: str = ""


@frozen
class Prepared:
    """The release of a reservation is written, verified, and waits for its name; ``certificate`` is the digest of that file."""

    kind: ClassVar[str] = "prepared"

    certificate: str


@frozen
class Released:
    """The release of a reservation has its name."""

    kind: ClassVar[str] = "released"

    release: int
    certificate: str


@frozen
class Cancelled:
    """The release of a reservation was not made."""

    kind: ClassVar[str] = "cancelled"


@frozen
class Added:
    """A release that was published without a reservation."""

    kind: ClassVar[str] = "added"

    release: int
    certificate: str
    series_kind: str = ""


@frozen
class Erased:
    """The body of another entry is gone; ``reason`` says why."""

    kind: ClassVar[str] = "erased"

    reason: str


@frozen
class Allotted:
    """A budget, or more of it: millionths of epsilon, billionths of delta, in any ``window`` of so many seconds (0: ever)."""

    kind: ClassVar[str] = "allotted"

    budget: str
    epsilon: int
    delta: int
    window: int = 0


@frozen
class Charged:
    """What one question costs, taken from every budget named; ``key`` is the same for the same question."""

    kind: ClassVar[str] = "charged"

    budgets: tuple[str, ...]
    key: str
    epsilon: int
    delta: int
    purpose: str = ""


@frozen
class Refunded:
    """A charge that is taken back, because no answer was given: what it was, and when (``at``)."""

    kind: ClassVar[str] = "refunded"

    budgets: tuple[str, ...]
    at: int
    epsilon: int
    delta: int
    reason: str


@frozen
class Versioned:
    """A version of a column for recipients of some trust was drawn; ``level`` is its retention, a fraction as text."""

    kind: ClassVar[str] = "versioned"

    versions: str
    level: str
    records: int
    values: int


@frozen
class Asked:
    """A question to a desk, answered or refused, and what its noise takes from budgets; the words of it are in the body.

    ``key`` is the keyed name of the question, ``version`` that of the table; a question that was answered is charged once.
    """

    kind: ClassVar[str] = "asked"

    mode: str
    key: str
    version: str
    answered: bool
    budgets: tuple[str, ...] = ()
    epsilon: int = 0
    delta: int = 0


Facts = (
    Opened
    | Reserved
    | Prepared
    | Released
    | Cancelled
    | Added
    | Erased
    | Allotted
    | Charged
    | Refunded
    | Versioned
    | Asked
)  # what an entry can say
_KINDS = {
    one.kind: one
    for one in (
        Opened,
        Reserved,
        Prepared,
        Released,
        Cancelled,
        Added,
        Erased,
        Allotted,
        Charged,
        Refunded,
        Versioned,
        Asked,
    )
}


def written(facts: Facts) -> str:
    """Return the one way to write what an entry says.

    >>> written(Released(2, "ab"))
    '{"certificate":"ab","release":2}'
    """
    return json.dumps(asdict(facts), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def facts_of(kind: str, text: str) -> Facts:
    """Return what an entry says; raise ``ValueError`` for anything that was not written by :func:`written`."""
    if kind not in _KINDS:
        raise ValueError(kind)
    made = _reader(kind).validate_json(text, strict=True)
    if written(made) != text:
        raise ValueError(kind)
    return made


@cache
def _reader(kind: str) -> TypeAdapter[Facts]:
    from pydantic import TypeAdapter

    return TypeAdapter(_KINDS[kind])
