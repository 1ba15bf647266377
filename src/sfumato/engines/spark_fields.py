"""How a column is held in a query of Spark, and the SQL of its values, its keys and its text."""

from __future__ import annotations

from functools import reduce
from itertools import count

from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType

__all__ = ["SparkField", "fresh_name", "moment_in_utc"]

_NAMES = count()
_EPOCH = "TIMESTAMP_NTZ'1970-01-01 00:00:00'"


def fresh_name() -> str:
    """Return a name that no column has."""
    return f"s{next(_NAMES)}"


def moment_in_utc(column: str) -> str:
    """Return the SQL of a moment with a time zone as one without, in UTC; no calendar of the session comes into it."""
    return f"timestampadd(MICROSECOND, unix_micros({column}), {_EPOCH})"


@frozen
class SparkField:
    """One column of a query: its name there, its logical type, and whether it is held as a decimal number.

    ``place`` names a column that has the place of each value among ``labels``: numbers are sorted sooner than texts.
    """

    key: str
    type: ColumnType
    decimal: bool = False
    place: str | None = None
    labels: tuple[str, ...] = ()

    @property
    def value(self) -> str:
        """The value that is counted, as SQL."""
        return f"cast({self.key} AS double)" if self.decimal else self.key

    @property
    def compared(self) -> str:
        """What is compared with keys, as SQL: moments by their text, which no time zone changes."""
        return f"cast({self.key} AS string)" if self.type is ColumnType.DATETIME else self.value

    @property
    def cell(self) -> str:
        """The canonical text as part of a row's line, as SQL, of all but numbers; see :mod:`sfumato.data.content`."""
        if self.type is ColumnType.TEXT:
            escapes = ((92, "char(92)"), (9, "'t'"), (10, "'n'"), (13, "'r'"))
            return reduce(
                lambda text, one: f"replace({text}, char({one[0]}), concat(char(92), {one[1]}))", escapes, self.key
            )
        if self.type is ColumnType.DATETIME:
            text = f"replace(cast({self.key} AS string), ' ', 'T')"
            return f"if(length({text}) > 19, rpad({text}, 26, '0'), {text})"
        return f"cast({self.key} AS string)"
