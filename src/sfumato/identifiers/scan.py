"""Looking through the distinct values of one column for identifiers: which, how often, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property
from math import log

import numpy as np

from sfumato.catalogue import things
from sfumato.contracts.engine import Table
from sfumato.contracts.identifier import Flags, Identifier, evidence, flags, words_of
from sfumato.contracts.progress import SILENT, Progress
from sfumato.data.compressed import Dictionary
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.data.text import MISSING_LABEL, SUPPRESSED, to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints

__all__ = [
    "EXAMINED",
    "Detection",
    "Sample",
    "as_countries",
    "recognisers",
    "sample_of",
    "scan",
    "scan_table",
    "told_by_content",
    "values_of",
]

# So many distinct values of a column are examined at most, and so many by a first look that rules most recognisers out.
EXAMINED = 10_000
# A column with more distinct values is not listed as a whole.
_MANY = 1_000_000
_FIRST_LOOK = 256
# Content tells when it would happen by chance in fewer than one column of a million.
_SURE = log(1e6)
# A column that is called so need only hold values of which at least this share fits.
_FITTING = 0.5
# Below this chance a look-alike hardly exists: the whole sample is searched even if the first look finds nothing.
_RARE = 1e-9
# So many zeros may be lost from the front of a number.
_ZEROS = 3
_DATES = (ColumnType.DATE, ColumnType.DATETIME)
# Other names of countries that people write.
_SAME = {"UK": "GB", "EL": "GR"}


@frozen
class Detection:
    """One kind of identifier in one column: in numbers, never a value.

    ``identifier`` is the id of a recogniser, or ``other``. ``found`` says by what: ``name``, ``content``, ``name and content``,
    or ``inside texts``. ``records`` and ``distinct`` are the shares of the present records and of the distinct values that
    match, among the ``examined`` distinct values. ``checksum`` tells whether a check digit proves it, ``category`` is its
    letter in :data:`sfumato.contracts.identifier.SAFE_HARBOR`, ``role`` what a policy should make of the column, and why.
    """

    column: str
    identifier: str
    what: str
    found: str
    records: float
    distinct: float
    examined: int
    checksum: bool
    category: str
    countries: tuple[str, ...]
    role: Role
    reason: str


@frozen(eq=False)
class Sample:
    """Distinct values of one column as texts, with their counts; hidden values (``*``, ``?``) are left out."""

    column: str
    type: ColumnType
    texts: tuple[str, ...]
    counts: Ints
    whole: bool

    @cached_property
    def prose(self) -> Flags:
        """Which texts are more than a code or a name, and may hold one."""
        return flags(_is_prose, self.texts)

    def part(self, most: int) -> tuple[str, ...]:
        """Return at most so many texts, spread evenly."""
        if len(self.texts) <= most:
            return self.texts
        return tuple(self.texts[at] for at in _spread(len(self.texts), most))


def sample_of(name: str, kind: ColumnType, dictionary: Dictionary, most: int = EXAMINED) -> Sample:
    """Return the values of a column to look at: half of them the most frequent, half spread evenly over the others.

    Whole numbers that are kept as fractions, as columns with missing values often are, are looked at as whole numbers.
    """
    size, counts = len(dictionary), dictionary.counts
    chosen = np.arange(size)
    if size > most:
        # Frequent values first; where all are equally frequent their order says nothing, and an even spread is better.
        order = np.argsort(-counts, kind="stable") if int(counts.max()) > int(counts.min()) else chosen
        half = most // 2 if order is not chosen else 0
        rest = np.sort(order[half:])
        chosen = np.sort(np.concatenate([order[:half], rest[_spread(len(rest), most - half)]]))
    values = [dictionary.values[at] for at in chosen.tolist()]
    if kind is ColumnType.NUMBER and all(isinstance(value, float) and value.is_integer() for value in values):
        kind, values = ColumnType.INTEGER, [int(value) for value in values if isinstance(value, float)]
    both = [(to_text(value), at) for value, at in zip(values, chosen.tolist(), strict=True)]
    kept = [(text, at) for text, at in both if text not in (SUPPRESSED, MISSING_LABEL) and text.strip()]
    return Sample(
        name, kind, tuple(text for text, _ in kept), counts[[at for _, at in kept]].astype(np.int64), size <= most
    )


def values_of(table: Table, name: str) -> Dictionary:
    """Return the values of a column with their counts; of a very large one those of some rows, where these are at hand."""
    many = table.rows > _MANY and table.distinct([name]) > _MANY
    first = table.some_values(name, EXAMINED) if many else None
    return first if first is not None and len(first) else table.dictionary(name)


def _spread(size: int, most: int) -> Ints:
    return np.unique(np.linspace(0, size - 1, most).astype(np.int64))


@cache
def recognisers(countries: tuple[str, ...] | None = None) -> tuple[Identifier, ...]:
    """Return all recognisers, or those of some countries and those of no country in particular."""
    built: list[Identifier] = []
    for thing in things("identifier"):
        one = thing()
        assert isinstance(one, Identifier)
        if countries is None or not one.traits.countries or one.traits.countries & set(countries):
            built.append(one.within(countries) if countries else one)
    return tuple(built)


def as_countries(countries: Sequence[str] | str | None) -> tuple[str, ...] | None:
    """Return country codes in capitals, each once; unknown ones are refused with the known ones named."""
    if countries is None:
        return None
    given = countries.split(",") if isinstance(countries, str) else list(countries)
    codes = [_SAME.get(code.strip().upper(), code.strip().upper()) for code in given if code.strip()]
    known = sorted({code for one in recognisers() for code in one.traits.countries})
    for code in codes:
        if code not in known:
            raise BadRequest(
                "is not a country with identifiers of its own here", parameter="countries", value=code, available=known
            )
    return tuple(sorted(set(codes))) or None


def scan(sample: Sample, countries: tuple[str, ...] | None = None) -> list[Detection]:
    """Return what a column holds, the surest first."""
    if not sample.texts or sample.type is ColumnType.BOOLEAN:
        return []
    words, first = words_of(sample.column), sample.part(_FIRST_LOOK)
    found = [
        detection
        for one in recognisers(countries)
        if _may_be(one, sample.type)
        and (detection := _judge(one, *_restored(one, sample, first, words), words)) is not None
    ]
    return sorted(_without_weaker(found), key=_certainty)


def scan_table(
    table: Table,
    columns: Sequence[str] | None = None,
    countries: tuple[str, ...] | None = None,
    examined: int = EXAMINED,
    progress: Progress = SILENT,
) -> list[Detection]:
    """Return the identifiers of all or some columns of a table, column by column, the surest of each column first."""
    wanted = [name for name in table.columns if columns is None or name in columns]
    progress.stage("looking for identifiers", len(wanted))
    out: list[Detection] = []
    for done, name in enumerate(wanted):
        progress.tick(done, name)
        out += scan(sample_of(name, table.types[name], values_of(table, name), examined), countries)
    return out


def told_by_content(name: str, kind: ColumnType, dictionary: Dictionary) -> Detection | None:
    """Return the direct identifier that a quick look at some values tells, whatever the column is called."""
    if kind not in (ColumnType.TEXT, ColumnType.INTEGER) or len(dictionary) < 2:
        return None
    found = scan(sample_of(name, kind, dictionary, _FIRST_LOOK))
    return next((one for one in found if one.role is Role.IDENTIFIER and "content" in one.found), None)


def _may_be(one: Identifier, kind: ColumnType) -> bool:
    if kind in _DATES:
        return one.id == "date"
    return kind is not ColumnType.NUMBER or one.id == "geo-coordinates"


def _restored(
    one: Identifier, sample: Sample, first: Sequence[str], words: Sequence[str]
) -> tuple[Sample, Sequence[str]]:
    """Give numbers back the zeros that a column of whole numbers took from their front.

    Some must have kept their full width, or the column be called so: else any shorter number could be one.
    """
    width = one.width
    if sample.type is not ColumnType.INTEGER or width is None:
        return sample, first
    if max(map(len, sample.texts)) != width and one.named(words) is None:
        return sample, first
    texts, looked = (
        tuple(text.zfill(width) if width - len(text) <= _ZEROS and text.isdigit() else text for text in part)
        for part in (sample.texts, first)
    )
    return replace(sample, texts=texts), looked


def _judge(one: Identifier, sample: Sample, first: Sequence[str], words: Sequence[str]) -> Detection | None:
    traits, named = one.traits, one.named(words)
    told: Flags = np.zeros(len(sample.texts), np.bool_)
    if traits.chance < 1 and (traits.chance <= _RARE or any(map(one.telling, first))):
        told = flags(one.telling, sample.texts)
    hits = int(told.sum())
    sure = hits >= max(traits.least * len(told), 1) and evidence(hits, len(told), traits.chance) >= _SURE
    sure |= hits > 0 and sample.type in _DATES  # the type has told it already
    if named is not None:
        fitting = float(flags(one.fits, sample.texts).mean()) if not sure else 1.0
        if sure or fitting >= _FITTING:
            matched = one.matches(sample.texts)
            share, what = float(matched.mean()), _a(traits.what)
            by_both = sure or bool(share >= traits.least and traits.chance < 1)
            reason = say("advice.name_says", word=repr(named))
            if traits.chance < 1 and matched.any():
                form = (
                    say("advice.form_and_digit", share=share, what=what)
                    if traits.checksum
                    else say("advice.form", share=share, what=what)
                )
                reason = say("frame.both", first=reason, second=form)
            return _detection(one, sample, matched, "name and content" if by_both else "name", reason)
    if sure:
        share, what = hits / len(told), _a(traits.what)
        reason = (
            say("advice.written_so_proven", share=share, what=what)
            if traits.checksum
            else say("advice.written_so", share=share, what=what)
        )
        return _detection(one, sample, told, "content", reason)
    if one.inside is not None and sample.type is ColumnType.TEXT:
        held = sample.prose.copy()
        held[held] = flags(one.search, [text for text, prose in zip(sample.texts, held, strict=True) if prose])
        if held.any():
            reason = say("advice.inside", share=_share(held), what=_a(traits.what))
            return _detection(one, sample, held, "inside texts", reason)
    return None


def _a(what: str) -> str:
    if what.startswith("coordinates"):
        return what
    return f"{'an' if what.startswith(('NHS', 'a', 'e', 'i', 'A', 'I')) else 'a'} {what}"


def _share(held: Flags) -> str:
    share = float(held.mean())
    return f"{share:.0%}" if share >= 0.01 else f"{int(held.sum()):,}"


def _is_prose(text: str) -> bool:
    """Tell whether a text is worth searching: several words, and a sign that words alone do not have."""
    if text.count(" ") < 2 or not ("@" in text or "www." in text or "://" in text or any(map(str.isdigit, text))):
        return False
    return sum(word.strip(".,;:!?()").isalpha() and len(word) > 1 for word in text.split()) >= 2


def _detection(one: Identifier, sample: Sample, matched: Flags, found: str, reason: str) -> Detection:
    traits = one.traits
    return Detection(
        column=sample.column,
        identifier=one.id,
        what=traits.what,
        found=found,
        records=float(sample.counts[matched].sum() / sample.counts.sum()),
        distinct=float(matched.mean()),
        examined=len(sample.texts),
        checksum=traits.checksum and found != "name",
        category=traits.category,
        countries=tuple(sorted(traits.countries)),
        role=traits.role,
        reason=reason,
    )


def _without_weaker(found: list[Detection]) -> list[Detection]:
    """Drop what only looks like one where a check digit proves another, or where the name of the column says another."""
    proven = max((one.distinct for one in found if one.checksum and "content" in one.found), default=0.0)
    called = {one.identifier for one in found if "name" in one.found}
    out = []
    for one in found:
        if one.found == "content" and not one.checksum and one.distinct <= proven:
            continue
        if one.identifier == "phone" and "fax" in called and "name" not in one.found:
            continue
        if one.identifier == "postal-code" and called & {"us-zip", "uk-postcode", "ca-postal-code", "nl-postcode"}:
            continue
        out.append(one)
    return out


def _certainty(one: Detection) -> tuple[int, bool, float, str]:
    order = ("name and content", "content", "name", "inside texts")
    return order.index(one.found), not one.checksum, -one.distinct, one.identifier
