"""How values are written where they are not in canonical form: dates by their parts, numbers by their marks.

A format is named by an example of itself, ``dd.mm.yyyy`` or ``1.234,5``. Reading rewrites texts into the canonical form, and
everything after that (types, spellings, groups) is as for a file that was clean from the beginning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl

from sfumato.contracts.engine import SourceOptions
from sfumato.data.frozen import frozen
from sfumato.engines.sources import row_told
from sfumato.errors import BadRequest

__all__ = ["FORMATS", "NUMBERS", "format_named", "in_canonical_form", "rewritten"]

_MONTHS = (
    ("jan", "january", "januar", "jän", "jänner"), ("feb", "february", "februar"), ("mar", "march", "mär", "mrz", "märz"),
    ("apr", "april"), ("may", "mai"), ("jun", "june", "juni"), ("jul", "july", "juli"), ("aug", "august"),
    ("sep", "sept", "september"), ("oct", "october", "okt", "oktober"), ("nov", "november"),
    ("dec", "december", "dez", "dezember"),
)  # fmt: skip
_MONTH = {word: f"{at:02}" for at, words in enumerate(_MONTHS, 1) for word in words}

# Day 0 of Excel; its calendar has a 29 February 1900, so serial numbers below 61 lie one day off.
_EXCEL_ZERO = pl.date(1899, 12, 30)
_EXCEL_FIRST, _EXCEL_LAST = 61, 2_958_465

_DATES = (
    "dd.mm.yyyy", "dd.mm.yy", "dd/mm/yyyy", "dd/mm/yy", "mm/dd/yyyy", "mm/dd/yy", "dd-mm-yyyy", "yyyy/mm/dd", "yyyy.mm.dd",
    "dd mon yyyy", "dd-mon-yyyy", "mon dd, yyyy", "dd. mon yyyy",
)  # fmt: skip
_TIMES = ("", " hh:mm", " hh:mm:ss")
_PARTS = {
    "yyyy": r"(?P<y>[0-9]{4})",
    "yy": r"(?P<y>[0-9]{2})",
    "mm": r"(?P<m>[0-9]{1,2})",
    "mon": r"(?P<w>\p{L}{3,9})\.?",
    "dd": r"(?P<d>[0-9]{1,2})",
    "hh:mm:ss": r"(?P<H>[0-9]{1,2}):(?P<M>[0-9]{2}):(?P<S>[0-9]{2}(?:\.[0-9]{1,6})?)",
    "hh:mm": r"(?P<H>[0-9]{1,2}):(?P<M>[0-9]{2})",
}


@frozen
class Format:
    """One way of writing: the pattern of a text, and what else is known of it."""

    name: str
    pattern: str
    thousands: str = ""
    decimal: str = ""

    @property
    def number(self) -> bool:
        """Whether it is one of numbers."""
        return bool(self.decimal)


def _moment(name: str) -> Format:
    """Return the format of a date by its name; parts are tried from long to short."""
    pieces = re.split("(" + "|".join(sorted(_PARTS, key=len, reverse=True)) + ")", name)
    return Format(name, "^" + "".join(_PARTS.get(piece) or re.escape(piece) for piece in pieces) + "$")


def _number(name: str, thousands: str, decimal: str) -> Format:
    mark = "[ \u00a0\u202f]" if thousands == " " else "['’]" if thousands == "'" else re.escape(thousands)
    grouped = rf"[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+|" if thousands else ""
    return Format(
        name, rf"^-?(?:{grouped}0|[1-9][0-9]*)(?:{re.escape(decimal)}[0-9]+)?$", mark if thousands else "", decimal
    )


NUMBERS: Mapping[str, Format] = {
    name: _number(name, thousands, decimal)
    for name, thousands, decimal in (
        ("1234,5", "", ","),
        ("1.234,5", ".", ","),
        ("1,234.5", ",", "."),
        ("1 234,5", " ", ","),
        ("1 234.5", " ", "."),
        ("1'234.5", "'", "."),
    )
}
"""Formats of numbers, by name."""

_ISO = r"^(?P<i>[0-9]{4}-[0-9]{2}-[0-9]{2})[T ](?P<t>[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?) ?"
FORMATS: Mapping[str, Format] = {
    **NUMBERS,
    **{name: _moment(name) for day in _DATES for time in _TIMES for name in [day + time]},
    "yyyymmdd": Format("yyyymmdd", r"^(?P<y>[0-9]{4})(?P<m>[0-9]{2})(?P<d>[0-9]{2})$"),
    "zone": Format("zone", _ISO + r"(?P<z>Z|[+-][0-9]{2}:?[0-9]{2})$"),
    "excel": Format("excel", r"^(?P<n>[0-9]{1,7})(?:\.(?P<f>[0-9]+))?$"),
}
"""All formats, by name; ``zone`` is a moment with its zone, told in UTC, ``excel`` the number of a day."""


def format_named(name: str, column: str | None = None) -> Format:
    """Return a format; refuse one that is not known, with those that are.

    >>> format_named("dd.mm.yyyy").number, format_named("1.234,5").number
    (False, True)
    """
    try:
        return FORMATS[name]
    except KeyError:
        raise BadRequest(
            "is not a way of writing that is known", column=column, parameter="format", value=name, available=FORMATS
        ) from None


def rewritten(texts: pl.Series, name: str) -> pl.Series:
    """Return texts in canonical form: dates by ISO 8601, numbers with a point; null where one is not written so.

    Years of two digits lie from 1930 to 2029, as Excel reads them.

    >>> rewritten(pl.Series(["5.3.2024", "31.02.2024"]), "dd.mm.yyyy").to_list()
    ['2024-03-05', None]
    >>> rewritten(pl.Series(["1.234,50", "7"]), "1.234,5").to_list()
    ['1234.50', '7']
    """
    form = format_named(name)
    plain = texts.alias("text").str.strip_chars()
    if form.number:
        shaped = plain.str.contains(form.pattern)
        bare = plain.str.replace_all(form.thousands, "") if form.thousands else plain
        return bare.str.replace(form.decimal, ".", literal=True).set(~shaped.fill_null(False), None).alias(texts.name)
    parts = plain.str.extract_groups(form.pattern).struct.unnest()
    return parts.select(_canonical(parts.columns).alias(texts.name)).to_series()


def in_canonical_form(
    texts: pl.Series, name: str, options: SourceOptions, where: str, cells: pl.Series | None = None
) -> pl.Series | None:
    """Return the distinct known texts of a column in canonical form; ``None`` if they are to be taken as they stand.

    Texts that are written otherwise are refused by number. A column that is judged ``as_written`` may be masked already, or
    write one value in two ways: it is left alone then.
    """
    if name not in options.formats:
        return None
    format_named(options.formats[name], name)
    canonical = rewritten(texts, options.formats[name])
    bad = canonical.null_count()
    if name in options.as_written and (bad or canonical.n_unique() < len(texts)):
        return None
    if bad:
        raise BadRequest(
            f"{bad:,} different value{' is' if bad == 1 else 's are'} not written like {options.formats[name]}"
            + row_told(
                None if cells is None else cells.is_in(texts.filter(canonical.is_null()).implode()).arg_max(), bad
            ),
            column=name,
            parameter="format",
            where=where,
        )
    return canonical


def _canonical(parts: list[str]) -> pl.Expr:
    """Return the canonical text of a date that was taken apart; null where there is no such day."""
    if "n" in parts:
        number = pl.col("n").cast(pl.Int64, strict=False)
        inside = number.is_between(_EXCEL_FIRST, _EXCEL_LAST)
        share = ("0." + pl.col("f").fill_null("0")).cast(pl.Float64, strict=False)
        day = _EXCEL_ZERO + pl.duration(days=pl.when(inside).then(number))
        moment = day.cast(pl.Datetime("us")) + pl.duration(seconds=(share * 86_400).round())
        return pl.when(pl.col("f").is_null().all()).then(day.dt.to_string("%Y-%m-%d")).otherwise(_moment_text(moment))
    if "z" in parts:
        time = pl.when(pl.col("t").str.len_bytes() == 5).then(pl.col("t") + ":00").otherwise(pl.col("t"))
        zone = pl.col("z").str.replace("Z", "+00:00", literal=True).str.replace(r"^(...)(\d\d)$", "$1:$2")
        read = (pl.col("i") + "T" + time + zone).str.to_datetime(
            "%Y-%m-%dT%H:%M:%S%.f%:z", time_unit="us", strict=False
        )
        return _moment_text(read.dt.convert_time_zone("UTC").dt.replace_time_zone(None))
    year = pl.col("y")
    century = pl.when(year.cast(pl.Int64, strict=False) < 30).then(pl.lit("20")).otherwise(pl.lit("19"))
    year = pl.when(year.str.len_bytes() == 2).then(century + year).otherwise(year)
    month = (
        pl.col("w").str.to_lowercase().replace_strict(_MONTH, default=None, return_dtype=pl.String)
        if "w" in parts
        else pl.col("m").str.zfill(2)
    )
    day = (year + "-" + month + "-" + pl.col("d").str.zfill(2)).str.to_date("%Y-%m-%d", strict=False)
    text = day.dt.to_string("%Y-%m-%d")
    if "H" not in parts:
        return text
    second = pl.col("S") if "S" in parts else pl.lit("00")
    moment = text + "T" + pl.col("H").str.zfill(2) + ":" + pl.col("M") + ":" + second
    return _moment_text(moment.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False))


def _moment_text(moment: pl.Expr) -> pl.Expr:
    return moment.dt.to_string("%Y-%m-%dT%H:%M:%S%.f")
