"""SUDA2: records that a few columns suffice to single out, scored by how few and how many such sets there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from math import factorial
from typing import ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.attacks.uniqueness._coded_rows import CodedRows, code_rows, count_sets, refuse_repeated
from sfumato.contracts.attack import AttackTraits, Details, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, InternalError
from sfumato.kernels.arrays import Codes, Floats, Ints

__all__ = ["SpecialUniques", "Suda2", "minimal_uniques"]

Rows = Codes
N = TypeVar("N", bound=np.generic)

# The exponent of DIS-SUDA, 1 + (8 - m) / 20, is positive up to this many columns; beyond, a higher score would be safer.
COLUMNS = 27
SETS = 1 << 20
ROOM = 1 << 32


@frozen(kw_only=True, eq=False)
class UniqueCounts(Details):
    """How many records few columns single out, and which columns carry most of it."""

    records: int
    columns: int
    largest_set: int
    sample_uniques: int
    records_in_pairs: int
    special_uniques: int
    minimal_sample_uniques: int
    by_size: list[int]
    dis: float
    contribution_percent: Mapping[str, float]


@frozen(kw_only=True, eq=False)
class SpecialUniques(Risk):
    """Minimal sample uniques and their scores. Counts and percentages may be shown; single records are for the steward.

    ``per_victim``, ``score``, ``score_ihsn`` and ``contribution`` stand group by group, as ``counts``;
    :meth:`in_table_order` turns any of them into record by record. ``found`` says for each set of columns, given by their
    places, which groups it singles out while no part of it does. Other members:

    - ``sample_uniques``: records that no other equals on all columns; ``records_in_pairs``: those that exactly one other does;
    - ``special_uniques``: sample uniques that fewer than all columns single out;
    - ``dis``: the estimated chance that a match with a sample unique is correct;
    - ``attribute_contribution_percent``: the share of all scores that comes from sets with a column, in percent.
    """

    seen: Seen
    knowledge: TableKnowledge
    scored_by: str
    sample_uniques: int
    records_in_pairs: int
    special_uniques: int
    dis: float
    score_elliot: Floats
    score_ihsn: Floats
    attribute_contribution_percent: Mapping[str, float]
    found: Mapping[tuple[int, ...], Rows]

    @property
    def score(self) -> Floats:
        """The score that was asked for, group by group."""
        return self.score_elliot if self.scored_by == "elliot" else self.score_ihsn

    @property
    def dis_score(self) -> Floats:
        """The DIS-SUDA score, group by group; the same as ``per_victim``."""
        return self.per_victim

    @cached_property
    def contribution(self) -> Floats:
        """The share of each group's score from sets that hold a column (groups x columns); shares may add to more than 1."""
        columns = len(self.knowledge.known)
        held = np.zeros((len(self.per_victim), columns))
        worth = _worth(columns, self.scored_by)
        for places, groups in self.found.items():
            for place in places:
                held[groups, place] += worth[len(places)]
        score = self.score[:, None]
        return np.divide(held, score, out=np.zeros_like(held), where=score > 0)

    @cached_property
    def group_of_record(self) -> Ints:
        """The group of each published record, in the order of the table."""
        from sfumato.groups.distinct import distinct_rows

        # Groups stand in the order of their values, missing first, and so do rows of codes.
        rows, group = distinct_rows(self.seen.table.as_rows().codes(self.knowledge.known))
        if len(rows) != len(self.per_victim):
            raise InternalError("records and groups do not match", records=len(group), groups=len(self.per_victim))
        return group

    def in_table_order(self, values: npt.NDArray[N]) -> npt.NDArray[N]:
        """Return what stands group by group (such as ``score``) record by record, in the order of the table."""
        return np.asarray(values[self.group_of_record])

    def msus(self) -> list[list[tuple[str, ...]]]:
        """Return the minimal sample uniques of every record, in the order of the table: small sets first, then by column."""
        names = self.knowledge.known
        held: dict[int, list[tuple[str, ...]]] = {}
        for places, groups in self.found.items():
            for group in groups.tolist():
                held.setdefault(group, []).append(tuple(names[place] for place in places))
        return [list(held.get(group, ())) for group in self.group_of_record.tolist()]


class Suda2(TableAttack):
    """Find the records that a few columns suffice to single out (special uniques), and score them.

    A *minimal sample unique* (MSU) of a record is a set ``S`` of columns on which no other record equals it, while on every
    part of ``S`` some record does. With ``m`` columns the score of a record is

    ``sum over its MSUs of (m - |S|)!``, or with ``score: ihsn`` ``sum of (2^(m - |S|) - 1) |S|! (m - |S|)! / m!``.

    The contribution of a column is the share of the score from MSUs that hold it. With ``U`` sample uniques, ``D`` records in
    groups of exactly two, and a share ``f`` of the population in the table,

    ``DIS = f U / (f U + (1 - f) D)``

    estimates how often a match with a sample unique is correct, and DIS-SUDA spreads it over the records by their scores ``s``:

    ``1 / (1 + D (1 - f) / f / (s^Q A))`` with ``Q = 1 + (8 - m) / 20`` and ``A = sum of s^-Q``; 0 without a score.

    That is the risk of a record. Without pairs (``D = 0``) DIS and the risk of every scored record are 1.

    A missing value takes no part in an MSU; for other records it is a value that differs from theirs. A record that only a
    missing value makes different counts as sample unique and has no MSU. A set of all columns scores nothing by ``ihsn``.

    Sets of more than ``max_size`` columns are not looked for, 3 if nothing is said: a million records of nine columns then
    take about a second, and all sizes several times as long. Time and memory grow with the number of column sets times the
    records; more than a million sets, or more than 27 columns, are refused. Classes of alike rows are split column by column,
    a row that is alone is dropped, and a set is tried only if some rows are alike on each of its parts.

    Adversary: knows the listed columns of some persons, or any few of them, and looks for rows that fit.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("f", "town", "low"), ("f", "land", "low"), ("m", "town", "low"), ("m", "town", "high"), ("m", "town", "high")]
    >>> table = sfumato.from_rows(["Sex", "Region", "Work"], rows)
    >>> found = sfumato.attack(table, {"id": "suda2", "max_size": 3}, qid=["Sex", "Region", "Work"])
    >>> found.sample_uniques, found.msus()[1], found.in_table_order(found.score).tolist()
    (3, [('Region',)], [1.0, 2.0, 1.0, 0.0, 0.0])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.
    Elliot, Manning, Ford, "A computational algorithm for handling the special uniques problem", 2002.
    Manning, Haglin, Keane, "A recursive search algorithm for statistical disclosure assessment", 2008.
    """

    id: ClassVar[str] = "suda2"
    title: ClassVar[str] = "Special uniques (SUDA2)"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="a few of the listed columns of some persons",
        needs=frozenset({"qid"}),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.suda2")

    max_size: int | None = param(doc="Largest number of columns in a set; no limit if none is given.", default=3, ge=1)
    sampling_fraction: float = param(doc="Share of the population that is in the table.", default=0.1, gt=0, lt=1)
    score: str = param(doc="How a set of columns is scored.", default="elliot", choices=("elliot", "ihsn"))

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> SpecialUniques:
        """Find the minimal sample uniques; every published record is a victim."""
        self.refuse_unfit(seen, knowledge)
        refuse_repeated(knowledge)
        names, columns = knowledge.known, len(knowledge.known)
        largest = columns if self.max_size is None else min(self.max_size, columns)
        _refuse_large(columns, largest)
        rows = code_rows(seen.groups(knowledge))
        found = minimal_uniques(rows, largest, run)
        sizes = rows.weights
        uniques, pairs = int(np.count_nonzero(sizes == 1)), 2 * int(np.count_nonzero(sizes == 2))
        scores = {kind: _scores(len(rows), found, _worth(columns, kind)) for kind in ("elliot", "ihsn")}
        chosen = scores[self.score]
        risk = _dis_suda(chosen, pairs, self.sampling_fraction, columns)
        highest, mean = spread(risk, sizes)
        special = np.zeros(len(rows), bool)
        for places, groups in found.items():
            if len(places) < columns:
                special[groups] = True
        percent = _percent(names, found, _worth(columns, self.score))
        by_size = [sum(len(found[places]) for places in found if len(places) == size + 1) for size in range(largest)]
        details = UniqueCounts(
            records=int(sizes.sum()),
            columns=columns,
            largest_set=largest,
            sample_uniques=uniques,
            records_in_pairs=pairs,
            special_uniques=int(np.count_nonzero(special)),
            minimal_sample_uniques=sum(by_size),
            by_size=by_size,
            dis=_dis(uniques, pairs, self.sampling_fraction),
            contribution_percent=percent,
        )
        return SpecialUniques(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=_reading(details, highest),
            counts=sizes,
            details=details,
            warnings=_warnings(details, columns, largest),
            seen=seen,
            knowledge=knowledge,
            scored_by=self.score,
            sample_uniques=uniques,
            records_in_pairs=pairs,
            special_uniques=details.special_uniques,
            dis=details.dis,
            score_elliot=scores["elliot"],
            score_ihsn=scores["ihsn"],
            attribute_contribution_percent=percent,
            found=found,
        )


def minimal_uniques(rows: CodedRows, largest: int, run: Run) -> dict[tuple[int, ...], Rows]:
    """Return the groups that each set of columns singles out while no part of it does; small sets first, then by column.

    Sets are bit masks and tried in rising order, so that all parts of a set come before it. The set without its lowest bit
    has just been split into classes, and one more column splits these. A row that ends up alone is a minimal unique if it
    shared its class on every set with one column less; ``shared`` remembers that, a bit for each row.
    """
    from sfumato.attacks.uniqueness._class_refinement_kernels import mark, split_classes

    # The widest column has the highest bit: half of all sets then begin with small classes.
    order = rows.narrowest_first()
    columns = [(rows.columns[at], max(rows.widths[at], 1)) for at in order]
    single = _Marked.of(np.flatnonzero(rows.weights == 1).astype(np.int32), len(rows), mark)
    shared: dict[int, _Marked] = {}
    out: dict[int, Rows] = {}
    room = done = 0
    total = count_sets(len(columns), largest)
    run.stage("special uniques", total)

    def split(mask: int, low: int, size: int, held: Rows, starts: Rows) -> None:
        nonlocal room, done
        for bit in range(low):
            done += 1
            made = mask | 1 << bit
            parts = [made ^ 1 << place for place in range(bit + 1, len(columns)) if mask >> place & 1]
            if size and not all(part in shared for part in parts):
                continue
            more = size + 1 < largest
            kept, ends, alone = split_classes(held, starts, *columns[bit], more)
            alone = single.among(alone)
            for part in parts:
                alone = shared[part].among(alone)
            if len(alone):
                out[made] = alone
            if more and len(kept):
                shared[made] = _Marked.of(kept, len(rows), mark)
                room += shared[made].nbytes
                if room > ROOM:
                    raise BadRequest(
                        "sets of so many columns need too much memory; give a smaller number",
                        parameter="suda2.max_size",
                        value=largest,
                    )
                split(made, bit, size + 1, kept, ends)
            run.tick(done)

    everything = np.arange(len(rows), dtype=np.int32)
    split(0, len(columns), 0, everything, np.array([0, len(rows)], np.int32))
    run.tick(total)
    named = {tuple(sorted(order[bit] for bit in range(len(order)) if mask >> bit & 1)): mask for mask in out}
    return {places: out[named[places]] for places in sorted(named, key=lambda places: (len(places), places))}


@frozen(eq=False)
class _Marked:
    """A set of rows: a bit for every row, or the rows themselves where they are few."""

    bits: npt.NDArray[np.uint8] | None
    rows: Rows | None

    @classmethod
    def of(cls, rows: Rows, total: int, mark: Callable[[Rows, npt.NDArray[np.uint8]], None]) -> _Marked:
        if 32 * len(rows) < total:
            return cls(None, np.sort(rows))
        bits = np.zeros(total // 8 + 1, np.uint8)
        mark(rows, bits)
        return cls(bits, None)

    @property
    def nbytes(self) -> int:
        return sum(held.nbytes for held in (self.bits, self.rows) if held is not None)

    def among(self, rows: Rows) -> Rows:
        """Return which of some rows are in the set, in order."""
        from sfumato.attacks.uniqueness._class_refinement_kernels import marked

        if not len(rows):
            return rows
        if self.bits is not None:
            found: Rows = marked(rows, self.bits)
            return found
        assert self.rows is not None
        place = np.minimum(np.searchsorted(self.rows, rows), max(len(self.rows) - 1, 0))
        return rows[self.rows[place] == rows] if len(self.rows) else rows[:0]


def _refuse_large(columns: int, largest: int) -> None:
    if columns > COLUMNS:
        raise BadRequest(f"must name at most {COLUMNS} columns: the score has no meaning beyond", parameter="qid")
    sets = count_sets(columns, largest)
    if sets > SETS:
        raise BadRequest(
            f"{sets:,} sets of columns are too many to try; give a smaller number",
            parameter="suda2.max_size",
            value=largest,
        )


def _worth(columns: int, kind: str) -> list[float]:
    """Return what a minimal unique of each size adds to a score; entry 0 is not used."""
    if kind == "elliot":
        return [float(factorial(columns - size)) for size in range(columns + 1)]
    return [
        (2 ** (columns - size) - 1) * factorial(size) * factorial(columns - size) / factorial(columns)
        for size in range(columns + 1)
    ]


def _scores(rows: int, found: Mapping[tuple[int, ...], Rows], worth: list[float]) -> Floats:
    # Counts by size come first: sums of whole numbers do not depend on the order of the sets.
    out = np.zeros(rows)
    for size in sorted({len(places) for places in found}):
        held = np.zeros(rows, np.int32)
        for places, groups in found.items():
            if len(places) == size:
                held[groups] += 1
        out += worth[size] * held
    return out


def _percent(names: tuple[str, ...], found: Mapping[tuple[int, ...], Rows], worth: list[float]) -> dict[str, float]:
    """Return the share of the sum of all scores that comes from sets with a column; 0 without any score."""
    total = sum(worth[len(places)] * len(groups) for places, groups in found.items())
    held = [
        sum(worth[len(places)] * len(groups) for places, groups in found.items() if at in places)
        for at in range(len(names))
    ]
    return {name: 100 * part / total if total else 0.0 for name, part in zip(names, held, strict=True)}


def _dis(uniques: int, pairs: int, fraction: float) -> float:
    """Return the chance that a match with a sample unique is correct; 0 if there is none."""
    return fraction * uniques / (fraction * uniques + (1 - fraction) * pairs) if uniques else 0.0


def _dis_suda(score: Floats, pairs: int, fraction: float, columns: int) -> Floats:
    out = np.zeros(len(score))
    scored = np.flatnonzero(score > 0)
    if len(scored):
        power = score[scored] ** (1 + (8 - columns) / 20)
        out[scored] = 1 / (1 + pairs * (1 - fraction) / fraction / (power * (1 / power).sum()))
    return out


def _reading(details: UniqueCounts, highest: float) -> str:
    said = say(
        "reading.suda2",
        records=details.records,
        alone=details.sample_uniques,
        columns=details.columns,
        special=details.special_uniques,
        largest=details.largest_set,
    )
    percent: Mapping[str, float] = details.contribution_percent
    if details.minimal_sample_uniques and max(percent.values()) > 0:
        worst = max(percent, key=lambda name: percent[name])
        return say("reading.suda2_scores", start=said, highest=highest, column=repr(worst), share=percent[worst])
    return say("reading.ended", start=said)


def _warnings(details: UniqueCounts, columns: int, largest: int) -> tuple[str, ...]:
    out = []
    if largest < columns:
        out.append(say("warning.largest_set", largest=largest, columns=columns))
    if details.sample_uniques and not details.records_in_pairs:
        out.append(say("warning.no_pairs"))
    return tuple(out)
