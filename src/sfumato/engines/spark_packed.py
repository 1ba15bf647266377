"""Rows of Spark as few whole numbers: a value whose column was counted is told by its place among the values.

Neighbouring columns become digits of one number, in mixed radix: for digits :math:`d_i < s_i` it is
:math:`(\\dots(d_1 s_2 + d_2) s_3 + \\dots) s_n + d_n`, so that numbers are ordered as rows are, missing first. Spark sorts,
sends and groups one number sooner than columns side by side, and what it stands for is looked up afterwards.

References
----------
Knuth, "The art of computer programming 2: seminumerical algorithms", 3rd edition, 1997, section 4.1.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date
from math import prod
from typing import TYPE_CHECKING, cast

from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.engines.spark_fields import SparkField, fresh_name

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

__all__ = ["Run", "packed"]

_NUMBERS = 1 << 62  # what a whole number of Spark holds
_LISTED = 1 << 14  # values of a column that are carried along with a query
# Whole numbers as which values are held, and back.
_WHOLE = {
    ColumnType.INTEGER: ("{}", "{}"),
    ColumnType.BOOLEAN: ("cast({} AS bigint)", "cast({} AS boolean)"),
    ColumnType.DATE: ("cast(unix_date({}) AS bigint)", "date_from_unix_date(cast({} AS int))"),
}
_STRANGE = "raise_error('a value that was not counted')"


@frozen
class _Digit:
    """A column as a digit: as SQL of its values, 0 where these are missing, and as SQL or a list of what it stands for."""

    name: str
    code: str
    size: int
    listed: Sequence[Hashable] | None
    value: str = ""


@frozen
class Run:
    """Neighbouring columns, and the one column of a query that stands for them if they have digits."""

    key: str
    names: tuple[str, ...]
    digits: tuple[_Digit, ...] = ()

    def values(self) -> dict[str, Column]:
        """Return the value of each column by its digit; those that are listed are texts."""
        from pyspark.sql import functions as F

        found = {}
        for one, digit in self._digits():
            if one.listed is None:
                value = F.expr(f"if({digit} > 0, {one.value.format(digit)}, NULL)")
            else:
                value = F.get(
                    _listed([*map(str, one.listed)]), F.expr(f"if({digit} > 0, cast({digit} AS int) - 1, NULL)")
                )
            found[one.name] = value
        return found

    def cells(self, text: Callable[[Hashable], str]) -> list[Column]:
        """Return the text of each column by its digit."""
        from pyspark.sql import functions as F

        found = []
        for one, digit in self._digits():
            if one.listed is None:
                whole = F.expr(f"if({digit} > 0, cast({one.value.format(digit)} AS string), NULL)")
                found.append(F.coalesce(whole, F.lit(text(None))))
            else:
                found.append(F.get(_listed([*map(text, [None, *one.listed])]), F.expr(f"cast({digit} AS int)")))
        return found

    def _digits(self) -> list[tuple[_Digit, str]]:
        behind = [prod(one.size for one in self.digits[at + 1 :]) for at in range(len(self.digits))]
        return [
            (one, f"(({self.key} div {many}L) % {one.size}L)") for one, many in zip(self.digits, behind, strict=True)
        ]


def packed(
    frame: DataFrame,
    fields: Mapping[str, SparkField],
    values: Mapping[str, Sequence[Hashable]],
    small: Callable[[pa.Table], DataFrame],
    *,
    spelled: bool,
) -> tuple[DataFrame, list[Run]]:
    """Return a query with a number for each run of columns of which the values are known, and all runs in order.

    ``values`` has what columns hold at most, in order. Rows that are ``spelled`` are not given back as values but as texts,
    so that numbers can be listed as well.
    """
    from pyspark.sql import functions as F

    runs: list[Run] = []
    for name, field in fields.items():
        digit, places = _digit(name, field, values.get(name), spelled=spelled)
        if places is not None:
            frame = frame.join(small(places), F.expr(f"{field.value} = {places.column_names[0]}"), "left")
        found = () if digit is None else (digit,)
        last = runs[-1] if runs else None
        if (
            last is None
            or bool(last.digits) is (digit is None)
            or prod(one.size for one in (*last.digits, *found)) > _NUMBERS
        ):
            runs.append(Run(fresh_name(), (name,), found))
        else:
            runs[-1] = Run(last.key, (*last.names, name), (*last.digits, *found))
    made: dict[str, Column] = {}
    for run in runs:
        number = "0L"
        for one in run.digits:
            number = f"({number}) * {one.size}L + {one.code}"
        made |= {run.key: F.expr(number)} if run.digits else {}
    return frame.withColumns(made) if made else frame, runs


def _digit(
    name: str, field: SparkField, values: Sequence[Hashable] | None, *, spelled: bool
) -> tuple[_Digit | None, pa.Table | None]:
    """Return a column as a digit, if it can be one, and the places of its values, if these must be looked up.

    A value that was not there when its column was counted ends the job: files may change while they are read.
    """
    import pyarrow as pa

    if field.place is not None:
        return _Digit(name, f"coalesce({field.place} + 1L, 0L)", len(field.labels) + 1, field.labels), None
    if values is None:
        return None, None
    if field.type in _WHOLE:
        held, back = _WHOLE[field.type]
        lower, upper = (_whole(values[0]), _whole(values[-1])) if values else (0, 0)
        if max(-lower, upper) > _NUMBERS >> 8:
            return None, None
        number = held.format(field.key)
        code = f"if({number} BETWEEN {lower}L AND {upper}L, {number} - ({lower - 1}L), {_STRANGE})"
        return _Digit(
            name,
            f"if({field.key} IS NULL, 0L, {code})",
            upper - lower + 2,
            values if spelled and len(values) == upper - lower + 1 <= _LISTED else None,
            back.format(f"({{}} + ({lower - 1}L))"),
        ), None
    kinds = {ColumnType.TEXT: pa.string()} | ({ColumnType.NUMBER: pa.float64()} if spelled else {})
    if field.type not in kinds or len(values) > _LISTED:
        return None, None
    value, place = fresh_name(), fresh_name()
    listed = {value: pa.array(values, kinds[field.type]), place: pa.array(range(1, len(values) + 1), pa.int64())}
    code = f"if({field.key} IS NULL, 0L, coalesce({place}, {_STRANGE}))"
    return _Digit(name, code, len(values) + 1, values), pa.table(listed)


def _whole(value: Hashable) -> int:
    """Return a value as the whole number that Spark holds it as."""
    return (value - date(1970, 1, 1)).days if isinstance(value, date) else int(cast(int, value))


def _listed(texts: Sequence[str]) -> Column:
    """Return texts as a constant list, told in one text: a column for each would be made one by one."""
    from pyspark.sql import functions as F

    used = set().union(*texts)
    between = next(sign for sign in map(chr, range(0xE000, 0xF8FF)) if sign not in used)
    return F.split(F.lit(between.join(texts)), between, -1)
