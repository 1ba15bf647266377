"""Tables as a shape of data: rows about persons, with named and typed columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.contracts.asked import Asked
from sfumato.contracts.shape import Shape
from sfumato.policy import Policy

__all__ = ["TableShape"]


@dataclass(frozen=True, kw_only=True)
class TableShape(Shape):
    """Rows about persons, with named and typed columns."""

    id: ClassVar[str] = "table"
    policy: ClassVar[type[Asked]] = Policy
