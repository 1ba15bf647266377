"""ZIP prefixes with so few people that the Safe Harbor rule wants 000 instead: by a census, or by a user's own counts."""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

from sfumato.errors import BadRequest

__all__ = ["DEFAULT_ZIPS", "known_zip_lists", "small_zips"]

DEFAULT_ZIPS = "census-2000"
"""The list that the guidance of the department prints."""

_MOST_PEOPLE = 20_000
_CODE = re.compile(r"[0-9]{3}(?:[0-9]{2})?")
_PREFIX = re.compile(r"[0-9]{3}")


@cache
def known_zip_lists() -> dict[str, frozenset[str]]:
    """Return the lists that are shipped, by name; ``small_zips.toml`` says where each is from.

    >>> sorted(known_zip_lists()), len(known_zip_lists()[DEFAULT_ZIPS])
    (['census-2000'], 17)
    """
    held = tomllib.loads((files("sfumato.identifiers") / "small_zips.toml").read_text("utf-8"))
    return {name: frozenset(one["prefixes"]) for name, one in held.items()}


def small_zips(given: str | Path | Iterable[str] = DEFAULT_ZIPS) -> frozenset[str]:
    """Return the prefixes that must be 000: those of a known list, of a file with people by ZIP code, or these themselves.

    A file is a CSV with a column of codes (``zip3``, or ``zip`` with five digits, summed up by their first three) and a column
    ``population``. The rule lets a prefix stay where its area has *more than* 20,000 people: a prefix that the file does not
    name has not been shown to, and counts as small.

    >>> "036" in small_zips(), sorted(small_zips(["036", "059"]))
    (True, ['036', '059'])
    """
    if isinstance(given, str) and given in known_zip_lists():
        return known_zip_lists()[given]
    if isinstance(given, (str, Path)):
        return _counted(Path(given))
    prefixes = tuple(given)
    for one in prefixes:
        if not isinstance(one, str) or not _PREFIX.fullmatch(one):
            raise BadRequest("must be three digits in quotation marks", parameter="small_zips", value=one)
    return frozenset(prefixes)


def _counted(path: Path) -> frozenset[str]:
    """Return the prefixes that a file of people by ZIP code does not show to have more than 20,000."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise BadRequest(
            "is neither a known list of ZIP prefixes nor a readable CSV file",
            parameter="small_zips",
            value=path.name,
            available=sorted(known_zip_lists()),
        ) from None
    first = lines[0] if lines else ""
    separator = next((sign for sign in ";\t" if sign in first), ",")
    rows = csv.DictReader(lines, delimiter=separator)
    names = {name.strip().casefold(): name for name in rows.fieldnames or ()}
    code = next((names[one] for one in ("zip3", "zip", "zcta", "zcta5") if one in names), None)
    if code is None or "population" not in names:
        raise BadRequest(
            "needs a column zip3 (or zip) and a column population",
            parameter="small_zips",
            value=path.name,
            available=list(names),
        )
    people: dict[str, int] = dict.fromkeys((f"{at:03}" for at in range(1000)), 0)
    met: set[str] = set()
    for at, row in enumerate(rows, start=2):
        zip_, count = (row[code] or "").strip(), (row[names["population"]] or "").strip()
        if not _CODE.fullmatch(zip_) or not count.isdecimal():
            raise BadRequest(
                f"line {at} is not a code of three or five digits (zeros in front kept) and a number of people",
                parameter="small_zips",
                value=path.name,
            )
        if zip_ in met or len(zip_) != len(next(iter(met), zip_)):
            raise BadRequest(
                f"line {at} has a code that was there before, or one of another length than the others",
                parameter="small_zips",
                value=path.name,
            )
        met.add(zip_)
        people[zip_[:3]] += int(count)
    return frozenset(prefix for prefix, count in people.items() if count <= _MOST_PEOPLE)
