"""The Safe Harbor rule of HIPAA: the eighteen categories of 45 CFR 164.514(b)(2), one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from math import inf
from pathlib import Path

from sfumato.contracts.engine import Table
from sfumato.contracts.identifier import SAFE_HARBOR, Identifier, words_of
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.text import parse_interval
from sfumato.errors import BadRequest
from sfumato.identifiers.scan import Detection, Sample, recognisers, sample_of, scan
from sfumato.identifiers.small_zips import DEFAULT_ZIPS, known_zip_lists, small_zips
from sfumato.tables.open import open_table

__all__ = ["FOUND", "NOTHING", "UNSEEN", "CategoryFinding", "SafeHarbor", "safe_harbor"]

FOUND, NOTHING, UNSEEN = "found", "nothing found", "cannot be seen by a machine"

# Distinct labels of a column that are judged one by one, for ZIP codes, dates and ages.
_JUDGED = 100_000
# What a machine cannot rule out, however much it looks.
_HIDDEN: Mapping[str, str] = {
    "P": "what describes a body has no form; no column is named like one",
    "Q": "pictures are not looked at; no column is named like one",
    "R": "a code that only insiders can read has no form; no further column is almost unique",
}
_BY_NAME = "HIJKM"
_AGE_WORDS = {"age", "ages", "alter", "edad", "eta", "leeftijd", "wiek", "alder", "idade", "aged"}
_BIRTH_WORDS = {
    "birth",
    "birthyear",
    "born",
    "yob",
    "dob",
    "birthdate",
    "geburtsjahr",
    "geburt",
    "naissance",
    "nacimiento",
}
_POSTAL = ("us-zip", "uk-postcode", "ca-postal-code", "nl-postcode", "postal-code")
_LEAST_UNIQUE, _LEAST_ROWS = 0.95, 20

_CODE = re.compile(r"[A-Z0-9*#? -]{2,10}|.*\d{4}.*")
_KEPT = re.compile(r"(\d{0,9})[*xX#_.?-]*")
_OPEN_AGE = re.compile(
    r"(?:>=|≥|>|over |from )? ?(\d{1,3}) ?(?:\+|and (?:over|older|above)|or (?:over|older|above|more)|or more)?"
)
_BELOW = re.compile(r"(?:<=|≤|<|under |below ) ?(\d{1,3})")
_RANGE = re.compile(r"(\d{1,4}) ?(?:-|–|\.\.|to) ?(\d{1,4})")


@frozen
class CategoryFinding:
    """One of the eighteen categories: what was found, in which columns, and why; never a value."""

    category: str
    title: str
    state: str
    columns: tuple[str, ...]
    reasons: tuple[str, ...]


@frozen
class SafeHarbor:
    """The categories in order. True if nothing was found; what a machine cannot see is for a person to judge.

    ``year`` is the year that years of birth were compared with, ``zips`` the list of ZIP prefixes. Whether somebody in the
    house knows that what is left could identify a person (164.514(b)(2)(ii)) is never for a machine.
    """

    categories: tuple[CategoryFinding, ...]
    year: int
    zips: str = DEFAULT_ZIPS

    def __bool__(self) -> bool:
        return not self.found

    @property
    def found(self) -> tuple[CategoryFinding, ...]:
        """The categories in which something was found."""
        return tuple(one for one in self.categories if one.state == FOUND)

    @property
    def unseen(self) -> tuple[CategoryFinding, ...]:
        """The categories that a person must judge."""
        return tuple(one for one in self.categories if one.state == UNSEEN)


def safe_harbor(
    source: object,
    *,
    year: int | None = None,
    zips: str | Path | Sequence[str] = DEFAULT_ZIPS,
    run: Run | None = None,
) -> SafeHarbor:
    """Judge a table, raw or masked, by the Safe Harbor rule of HIPAA.

    ZIP codes may keep three digits, and these only where more than 20,000 people live; elsewhere they must be 000. ``zips``
    says where: the 17 prefixes of the census of 2000 that the department lists, a CSV file with ``zip3`` and ``population``, or
    the prefixes themselves. Dates may keep the year, ages over 89 must be one group of 90 or older, and so must
    years of birth that tell such an age in ``year`` (this year by default). Generalised labels such as ``902**``, ``1985`` and
    ``[30-40)`` are judged by what they tell.

    >>> from sfumato.engines import from_rows
    >>> rows = [("902**", "1985", "[30-40)"), ("036**", "1990", "90+")]
    >>> judged = safe_harbor(from_rows(["zip", "admitted", "age"], rows), year=2026)
    >>> bool(judged), [(one.category, one.columns) for one in judged.found]
    (False, [('B', ('zip',))])
    """
    run = Run.of(run)
    table = open_table(source, run=run)
    if year is not None and not 1900 <= year <= 9999:
        raise BadRequest("must be a year from 1900 on", parameter="year", value=year)
    now, small = date.today().year if year is None else year, small_zips(zips)
    found: dict[str, list[tuple[str, str]]] = {letter: [] for letter in SAFE_HARBOR}
    run.stage("judging", len(table.columns))
    for done, name in enumerate(table.columns):
        run.tick(done, name)
        for letter, reason in _judge(table, name, now, small):
            found[letter].append((name, reason))
    called = zips if isinstance(zips, str) and zips in known_zip_lists() else "a list of the user's own"
    return SafeHarbor(tuple(_finding(letter, found[letter]) for letter in SAFE_HARBOR), now, called)


def _finding(letter: str, entries: Sequence[tuple[str, str]]) -> CategoryFinding:
    columns = tuple(dict.fromkeys(name for name, _ in entries))
    if entries:
        return CategoryFinding(letter, SAFE_HARBOR[letter], FOUND, columns, tuple(f"{n}: {why}" for n, why in entries))
    if letter in _HIDDEN:
        return CategoryFinding(letter, SAFE_HARBOR[letter], UNSEEN, (), (_HIDDEN[letter],))
    how = ("looked for by column names and check digits",) if letter in _BY_NAME else ()
    return CategoryFinding(letter, SAFE_HARBOR[letter], NOTHING, (), how)


def _judge(table: Table, name: str, year: int, small: frozenset[str]) -> Iterable[tuple[str, str]]:
    """Yield category and reason of everything in one column that the rule forbids."""
    kind, dictionary = table.types[name], table.dictionary(name)
    sample = sample_of(name, kind, dictionary)
    words = words_of(name)
    detections = scan(sample)
    out = [(one.category, one.reason) for one in detections if one.identifier not in (*_POSTAL, "date")]
    labels = sample if sample.whole else sample_of(name, kind, dictionary, _JUDGED)
    postal, aged = _is_postal(words, detections), bool(set(words) & _AGE_WORDS)
    if postal:
        out += [("B", reason) for reason in _postal(labels, small)]
    dates = _dates(labels, words, detections)
    out += [("C", reason) for reason in dates]
    if aged:
        out += [("C", reason) for reason in _over_89(labels, _age_span)]
    elif set(words) & _BIRTH_WORDS and not dates:
        out += [("C", reason) for reason in _over_89(labels, lambda text: _birth_span(text, year))]
    if not (out or postal or aged) and kind in (ColumnType.TEXT, ColumnType.INTEGER):
        present = table.rows - dictionary.missing
        unique = float((dictionary.counts == 1).sum()) / present if present else 0.0
        if present > _LEAST_ROWS and unique > _LEAST_UNIQUE:
            out.append(("R", f"{unique:.0%} of its values occur once"))
    return out


# ---- ZIP codes -------------------------------------------------------------------------------------------------------------


def _is_postal(words: Sequence[str], detections: Sequence[Detection]) -> bool:
    named = any(one.named(words) for one in recognisers() if one.id in _POSTAL)
    return named or any(one.identifier in _POSTAL for one in detections)


def _postal(labels: Sample, few: frozenset[str]) -> list[str]:
    """Say what is wrong with labels of postal codes: too many digits, or a prefix with too few people."""
    exact, small = 0, 0
    for text in labels.texts:
        kept = _kept_digits(text)
        if kept is None:
            # Codes of other countries: whatever is left of them names a place smaller than a state. Words are left alone.
            exact += _CODE.fullmatch(text.strip()) is not None and any(sign.isdigit() for sign in text)
        elif len(kept) > 3:
            exact += 1
        elif kept in few and kept != "000":
            small += 1
    out = []
    if exact:
        out.append(f"{exact:,} of its distinct postal codes are more exact than the first three digits")
    if small:
        out.append(f"{small:,} of its distinct ZIP prefixes stand for 20,000 people or fewer and must be 000")
    return out


def _kept_digits(text: str) -> str | None:
    """Return the digits that a label of a ZIP code keeps, or ``None`` where it is not made of digits."""
    span = parse_interval(text)
    if span is not None:
        low, high, closed = int(span[0]), int(span[1]) + span[2], span[2]
        if low % 100 or high % 100:
            return f"{low:05}"
        return f"{low // 100:03}" if high - low == 100 and not closed else ""
    kept = _KEPT.fullmatch(text.strip())
    if kept is not None:
        return kept[1]
    return re.sub(r"\D", "", text) if re.fullmatch(r"\d{5}-\d{1,4}", text) else None


# ---- dates and ages ----------------------------------------------------------------------------------------------------------


def _dates(labels: Sample, words: Sequence[str], detections: Sequence[Detection]) -> list[str]:
    """Say whether labels are more exact than the year; one such label is enough in a column of dates."""
    by_scan = next((one for one in detections if one.identifier == "date"), None)
    recogniser = _recogniser("date")
    if by_scan is None and recogniser.named(words) is None:
        return []
    if by_scan is not None and by_scan.found == "inside texts":
        return [by_scan.reason]
    hits = sum(recogniser.match(text) or recogniser.search(text) for text in labels.texts)
    return [f"{hits:,} of its {len(labels.texts):,} distinct values are more exact than the year"] if hits else []


def _recogniser(name: str) -> Identifier:
    return next(one for one in recognisers() if one.id == name)


def _over_89(labels: Sample, span_of: Callable[[str], tuple[float, float] | None]) -> list[str]:
    """Say whether ages over 89 are told apart: they must be one group, which begins at 90 or below."""
    above = [span for span in map(span_of, labels.texts) if span is not None and span[1] >= 90]
    if not above or (len(above) == 1 and above[0][0] <= 90):
        return []
    return [f"{len(above):,} of its distinct values tell ages over 89, which must be one group of 90 or older"]


def _age_span(text: str) -> tuple[float, float] | None:
    """Return the lowest and the highest age that a label stands for, or ``None`` where it cannot be read."""
    text = text.strip().lower()
    span = parse_interval(text)
    if span is not None:
        return span[0], span[1] if span[2] else span[1] - 1
    try:
        return float(text), float(text)
    except ValueError:
        pass
    between = _RANGE.fullmatch(text)
    if between is not None:
        return float(between[1]), float(between[2])
    most = _BELOW.fullmatch(text)
    if most is not None:
        return 0, float(most[1]) - (1 if "=" not in text and text[0] != "≤" else 0)
    least = _OPEN_AGE.fullmatch(text)
    if least is None:
        return None
    return float(least[1]) + (1 if text.startswith((">", "over")) and "=" not in text else 0), inf


def _birth_span(text: str, year: int) -> tuple[float, float] | None:
    """Return the ages, in a year, of those whose year of birth a label tells."""
    born = _age_span(text)
    if born is None or not 1000 < born[0] <= year:
        return None
    return year - min(born[1], year), year - born[0]
