"""Roles and types of columns, and the rules for their missing values."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ColumnType", "MissingRule", "Role", "arrow_type"]


class Role(StrEnum):
    """What a column is to an adversary and to the recipient."""

    IDENTIFIER = "identifier"  # names a person; never published as it is
    QUASI_IDENTIFIER = "quasi-identifier"  # may be known to an adversary; masked
    SENSITIVE = "sensitive"  # what must not be learnt about a person; published unchanged
    TARGET = "target"  # the class that the release must still predict; published unchanged
    PLAIN = "plain"  # published unchanged
    PRIVATE = "private"  # read by the algorithm, such as what owners asked for; never published
    DROP = "drop"  # not needed, or not fit to be published; left out unread

    @property
    def hidden(self) -> bool:
        """Whether the column is never published as it is, nor masked: it is left out, or replaced by pseudonyms."""
        return self in (Role.IDENTIFIER, Role.PRIVATE, Role.DROP)


class ColumnType(StrEnum):
    """The logical type of a column, whatever holds it."""

    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"
    TEXT = "text"

    @property
    def numeric(self) -> bool:
        """Whether values of this type can be cut into number intervals."""
        return self in (ColumnType.INTEGER, ColumnType.NUMBER)


def arrow_type(kind: ColumnType) -> pa.DataType:
    """Return the Arrow type that holds the values of a logical type."""
    import pyarrow as pa

    return {
        ColumnType.INTEGER: pa.int64(),
        ColumnType.NUMBER: pa.float64(),
        ColumnType.BOOLEAN: pa.bool_(),
        ColumnType.DATE: pa.date32(),
        ColumnType.DATETIME: pa.timestamp("us"),
        ColumnType.TEXT: pa.string(),
    }[kind]


class MissingRule(StrEnum):
    """What to do with records whose value is missing; there is no silent default."""

    REFUSE = "refuse"
    DROP_RECORD = "drop-record"
    OWN_VALUE = "own-value"
    KEEP = "keep"  # plain columns only: published as missing
