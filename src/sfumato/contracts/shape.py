"""A shape of data: how it is asked for, opened, searched, judged and shown; all that verbs know of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.contracts.asked import Asked
from sfumato.contracts.thing import Thing

__all__ = ["Shape"]


@dataclass(frozen=True, kw_only=True)
class Shape(Thing):
    """One shape of data; tables are the first."""

    kind: ClassVar[str] = "shape"
    policy: ClassVar[type[Asked]]
