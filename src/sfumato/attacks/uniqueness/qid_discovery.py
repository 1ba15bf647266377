"""QID discovery: which sets of columns tell records apart, so that a steward sees what an adversary could link by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.attacks.uniqueness._coded_rows import CodedRows, code_rows, count_sets, refuse_repeated
from sfumato.contracts.attack import AttackTraits, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Names, Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Codes, Ints

__all__ = ["Identifying", "QidDiscovery", "Ratios"]

Rows = Codes

AUTO_SETS = 1 << 12
SETS = 1 << 20
LISTED = 20
MEASURES = ("distinct", "separation")


@frozen
class Ratios:
    """How well a set of columns tells records apart."""

    distinct_ratio: float
    separation_ratio: float

    def of(self, measure: str) -> float:
        """Return one of the two by its name."""
        return self.distinct_ratio if measure == "distinct" else self.separation_ratio


@frozen(kw_only=True, eq=False)
class Identifying(Risk):
    """Ratios of the sets of columns that were looked at, and the sets that identify.

    Sets name their columns in the order of the candidates; small sets come first. ``ratios`` are those of the sample if there
    is one, ``verified`` those of the whole table for every set that reached a threshold, and for all candidates together.
    ``minimal_alpha_distinct`` and ``minimal_alpha_separation`` are empty where only the greedy search was made.
    ``greedy_alpha_distinct`` and ``greedy_alpha_separation`` are ``None`` where the greedy search ends below the threshold.
    """

    searched: str
    ratios: Mapping[Names, Ratios]
    verified: Mapping[Names, Ratios]
    minimal_alpha_distinct: tuple[Names, ...]
    minimal_alpha_separation: tuple[Names, ...]
    greedy_alpha_distinct: Names | None
    greedy_alpha_separation: Names | None


class QidDiscovery(TableAttack):
    """Find the sets of columns that tell records apart; advice for choosing quasi-identifiers.

    For a set ``A`` of columns and ``n`` records, of which ``n_g`` share the values ``g``,

    - *distinct ratio* = number of distinct combinations on ``A`` / ``n``;
    - *separation ratio* = ``1 - sum of C(n_g, 2) / C(n, 2)``, the share of pairs of records that differ on ``A``; 1 where
      there is no pair.

    ``A`` is alpha-distinct (alpha-separating) if the ratio is at least alpha. Both ratios can only grow with more columns, so
    supersets of a minimal set need not be tried, nor parts of a set that stays below both thresholds. Single columns and the
    whole list are always looked at. Missing is a value like any other.

    *exact* lists all minimal sets of up to ``max_size`` columns; more than a million sets are refused. *greedy* starts with
    nothing and adds the column that separates most of the pairs not yet separated, of equal ones the first, until the
    threshold is reached; it finds one set for each ratio, at most a logarithm larger than the smallest, and not always minimal.
    *auto* is exact up to 4,096 sets (12 columns). The greedy sets are always given.

    With ``sample`` the search works on so many records drawn at random, and a set counts only if the whole table confirms
    it. A set that the sample puts below the threshold is not counted on the whole table, so some may be missed. That saves
    time where most sets stay below; a sample shows more distinct combinations than its share, so that many sets may have to
    be counted on all records anyhow.

    The risk of a record is ``1 / n_g`` on all listed columns together.

    A minimal set is not a safe quasi-identifier: an adversary with one more column can still link. This is a report, and
    nothing is set by it.

    Adversary: knows the listed columns of persons in the table, or some of them.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("Engineer", "m", 35), ("Engineer", "m", 38), ("Lawyer", "m", 38), ("Writer", "f", 30)]
    >>> table = sfumato.from_rows(["Job", "Sex", "Age"], rows)
    >>> found = sfumato.attack(table, QidDiscovery(alpha_distinct=1.0), qid=["Job", "Sex", "Age"])
    >>> found.minimal_alpha_distinct, found.ratios["Sex",].distinct_ratio
    ((('Job', 'Age'),), 0.5)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1.3.
    Motwani, Xu, "Efficient algorithms for masking and finding quasi-identifiers", 2007.
    """

    id: ClassVar[str] = "qid-discovery"
    title: ClassVar[str] = "Columns that identify"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="the listed columns of persons in the table, or some of them",
        needs=frozenset({"qid"}),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.qid-discovery")

    alpha_distinct: float = param(doc="Distinct ratio from which a set identifies.", default=0.9, gt=0, le=1)
    alpha_separation: float = param(doc="Separation ratio from which a set identifies.", default=0.99, gt=0, le=1)
    method: str = param(doc="How to search.", default="auto", choices=("auto", "exact", "greedy"))
    max_size: int | None = param(doc="Largest number of columns in a set; no limit if not given.", default=None, ge=1)
    sample: int | None = param(doc="Number of records to search on; all if not given.", default=None, ge=2)
    seed: int = param(doc="Seed of the drawing of the sample.", default=0, ge=0)

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Identifying:
        """Search; every published record is a victim."""
        self.refuse_unfit(seen, knowledge)
        refuse_repeated(knowledge)
        names = knowledge.known
        largest = len(names) if self.max_size is None else min(self.max_size, len(names))
        sets = count_sets(len(names), largest)
        if self.method == "exact" and sets > SETS:
            raise BadRequest(
                f"{sets:,} sets of columns are too many to try all; give max_size, or the method greedy",
                parameter="qid-discovery.method",
                value=self.method,
            )
        exact = self.method == "exact" or (self.method == "auto" and sets <= AUTO_SETS)
        rows = code_rows(seen.groups(knowledge)).with_missing()
        records = int(rows.weights.sum())
        sampled = self.sample is not None and self.sample < records
        search = _Search(rows, self._drawn(rows.weights) if sampled else rows.weights, self, largest, run)
        greedy = search.greedy()
        if exact:
            search.exact(sets)
        return self._told(knowledge, rows.weights, search, greedy, exact, sampled)

    def _drawn(self, weights: Ints) -> Ints:
        """Draw records without replacement; return how many of each distinct row were drawn."""
        rng = np.random.default_rng(self.seed)
        assert self.sample is not None
        return np.asarray(rng.multivariate_hypergeometric(weights, self.sample, method="marginals"), np.int64)

    def _told(
        self,
        knowledge: TableKnowledge,
        sizes: Ints,
        search: _Search,
        greedy: Mapping[str, int | None],
        exact: bool,
        sampled: bool,
    ) -> Identifying:
        names = knowledge.known
        risk = 1 / sizes
        highest, mean = spread(risk, sizes)
        minimal = {measure: tuple(search.named(search.minimal[measure], names)) for measure in MEASURES}
        chosen = {
            measure: None if (mask := greedy[measure]) is None else next(iter(search.named([mask], names)))
            for measure in MEASURES
        }
        whole = search.verified[search.full]
        records, searched = int(sizes.sum()), "exact" if exact else "greedy"
        details: dict[str, object] = {
            "records": records,
            "columns": len(names),
            "distinct_combinations": len(sizes),
            "unique_records": int(np.count_nonzero(sizes == 1)),
            "distinct_ratio": whole.distinct_ratio,
            "separation_ratio": whole.separation_ratio,
            "method": searched,
            "searched_records": search.records,
            "sets_looked_at": len(search.ratios),
        }
        for measure in MEASURES:
            if exact:
                details[f"minimal_{measure}_sets"] = len(minimal[measure])
                details[f"minimal_alpha_{measure}"] = [list(found) for found in minimal[measure][:LISTED]]
            held = chosen[measure]
            details[f"greedy_alpha_{measure}"] = None if held is None else list(held)
        first = {measure: (minimal[measure] or (chosen[measure],))[0] for measure in MEASURES}
        return Identifying(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=self._reading(len(names), records, len(sizes), whole, first["separation"]),
            counts=sizes,
            details=details,
            warnings=self._warnings(exact, sampled, search.records),
            searched=searched,
            ratios=search.told(search.ratios, names),
            verified=search.told(search.verified, names),
            minimal_alpha_distinct=minimal["distinct"],
            minimal_alpha_separation=minimal["separation"],
            greedy_alpha_distinct=chosen["distinct"],
            greedy_alpha_separation=chosen["separation"],
        )

    def _reading(self, columns: int, records: int, distinct: int, whole: Ratios, found: Names | None) -> str:
        apart, asked = _percent(whole.separation_ratio), _percent(self.alpha_separation)
        shown = (
            say("reading.identifying_columns", columns=columns, distinct=distinct, records=records, apart=apart)
            if columns > 1
            else say("reading.identifying_column", distinct=distinct, records=records, apart=apart)
        )
        reached = (
            say("reading.identifying_none", asked=asked)
            if found is None
            else say("reading.identifying_set", names=" and ".join(found), count=len(found), asked=asked)
        )
        return say("reading.identifying", shown=shown, reached=reached)

    def _warnings(self, exact: bool, sampled: bool, records: int) -> tuple[str, ...]:
        out = [say("warning.advice_only")]
        if not exact and self.method == "auto":
            out.append(say("warning.greedy_sets"))
        if sampled:
            out.append(say("warning.sampled_sets", records=records))
        return tuple(out)


def _percent(share: float) -> str:
    """Write a share in percent; what is not everything is not rounded up to it."""
    shown = f"{100 * share:.4g}"
    return say("reading.nearly_all") if shown == "100" and share < 1 else f"{shown} %"


@frozen(eq=False)
class _Classes:
    """Rows by their values on some columns: the classes of several rows, and counts of those of one row.

    ``closed`` classes consist of a single distinct row and stay as they are whatever column comes next; ``inside`` counts the
    pairs of records within them.
    """

    rows: Rows
    starts: Rows
    closed: int
    inside: int


class _Counted:
    """Distinct rows with weights, split by columns and counted."""

    def __init__(self, columns: Sequence[tuple[Rows, int]], weights: Ints) -> None:
        self._columns = columns
        self._weights = weights
        self._pairs = weights * (weights - 1) // 2
        self.records = int(weights.sum())
        self._all_pairs = self.records * (self.records - 1) // 2
        self._path: list[tuple[int, _Classes]] = []
        rows = np.flatnonzero(weights).astype(np.int32)
        if len(rows) > 1:
            self.root = _Classes(rows, np.array([0, len(rows)], np.int32), 0, 0)
        else:
            self.root = _Classes(rows[:0], np.zeros(1, np.int32), len(rows), int(self._pairs[rows].sum()))

    def split(self, classes: _Classes, bit: int) -> _Classes:
        """Split classes by one more column."""
        from sfumato.attacks.uniqueness._class_refinement_kernels import split_classes

        rows, starts, alone = split_classes(classes.rows, classes.starts, *self._columns[bit], True)
        return _Classes(rows, starts, classes.closed + len(alone), classes.inside + int(self._pairs[alone].sum()))

    def of(self, mask: int) -> _Classes:
        """Return the classes on a set of columns; what the last set asked for begins with is not split again."""
        wanted = [bit for bit in reversed(range(len(self._columns))) if mask >> bit & 1]
        common = 0
        while common < min(len(wanted), len(self._path)) and self._path[common][0] == wanted[common]:
            common += 1
        del self._path[common:]
        for bit in wanted[common:]:
            self._path.append((bit, self.split(self._path[-1][1] if self._path else self.root, bit)))
        return self._path[-1][1] if self._path else self.root

    def alike(self, classes: _Classes) -> int:
        """Return the number of pairs of records that are not told apart."""
        from sfumato.attacks.uniqueness._class_refinement_kernels import alike_pairs

        return classes.inside + int(alike_pairs(classes.rows, classes.starts, self._weights))

    def ratios(self, classes: _Classes) -> Ratios:
        """Return both ratios; they are quotients of whole numbers, so that a threshold such as 0.9 is met exactly."""
        distinct = classes.closed + len(classes.starts) - 1
        apart = self._all_pairs - self.alike(classes)
        return Ratios(
            distinct / self.records if self.records else 1.0, apart / self._all_pairs if self._all_pairs else 1.0
        )


class _Search:
    """A search over sets of columns, given as bit masks; the widest column has the highest bit."""

    def __init__(self, rows: CodedRows, searched: Ints, asked: QidDiscovery, largest: int, run: Run) -> None:
        self._order = rows.narrowest_first()
        columns = [(rows.columns[at], max(rows.widths[at], 1)) for at in self._order]
        self._counted = _Counted(columns, searched)
        self._whole = self._counted if searched is rows.weights else _Counted(columns, rows.weights)
        self._alpha = {"distinct": asked.alpha_distinct, "separation": asked.alpha_separation}
        self._largest = largest
        self._run = run
        self.records = self._counted.records
        self.full = (1 << len(columns)) - 1
        self.ratios: dict[int, Ratios] = {}
        self.verified: dict[int, Ratios] = self.ratios if self._whole is self._counted else {}
        self.minimal: dict[str, list[int]] = {measure: [] for measure in MEASURES}
        self._verify(self.full)
        if self.full not in self.ratios:
            self._look(self.full, self._counted.of(self.full))

    # ---- looking at one set ------------------------------------------------------------------------------------------

    def _look(self, mask: int, classes: _Classes) -> Ratios:
        if mask not in self.ratios:
            self.ratios[mask] = self._counted.ratios(classes)
        return self.ratios[mask]

    def _verify(self, mask: int) -> Ratios:
        if mask not in self.verified:
            self.verified[mask] = self._whole.ratios(self._whole.of(mask))
        return self.verified[mask]

    def _reaches(self, mask: int, measure: str) -> bool:
        """Tell whether a set that was looked at reaches a threshold, on the searched records and then on all."""
        alpha = self._alpha[measure]
        return self.ratios[mask].of(measure) >= alpha and self._verify(mask).of(measure) >= alpha

    # ---- all minimal sets --------------------------------------------------------------------------------------------

    def exact(self, total: int) -> None:
        """Find all minimal sets.

        Sets are tried in rising order of their masks, so that all parts of a set come before it, and the set without its
        lowest bit has just been split.
        """
        self._run.stage("column sets", total)
        open_measures = [measure for measure in MEASURES if self._reaches(self.full, measure)]
        self._below(0, self._counted.root, len(self._order), 0, open_measures)
        self._run.tick(total)

    def _below(self, mask: int, classes: _Classes, low: int, size: int, measures: list[str]) -> None:
        """Try the sets that add to ``mask`` columns with bits below ``low``."""
        last = size + 1 == self._largest
        # The child with one more bit and everything below it are parts of the mask with all bits up to this one.
        ceiling, top, hopeless = classes, mask, list(measures)
        for bit in range(low):
            made = mask | 1 << bit
            if hopeless and not last:
                ceiling, top = self._counted.split(ceiling, bit), top | 1 << bit
                self._look(top, ceiling)
                hopeless = [measure for measure in hopeless if not self._reaches(top, measure)]
            wanted = [
                measure
                for measure in measures
                if (last or measure not in hopeless) and not self._covered(made, measure)
            ]
            if size and not wanted:
                continue
            parts = ceiling if made == top and not last else self._counted.split(classes, bit)
            self._look(made, parts)
            reached = [measure for measure in wanted if self._reaches(made, measure)]
            for measure in reached:
                self.minimal[measure].append(made)
            left = [measure for measure in wanted if measure not in reached]
            if left and not last and bit:
                self._below(made, parts, bit, size + 1, left)
            self._run.tick(len(self.ratios))

    def _covered(self, mask: int, measure: str) -> bool:
        return any(known & mask == known for known in self.minimal[measure])

    # ---- one set, quickly --------------------------------------------------------------------------------------------

    def greedy(self) -> dict[str, int | None]:
        """Add the column that separates most pairs until a threshold is reached; return the set for each ratio."""
        found: dict[str, int | None] = dict.fromkeys(MEASURES)
        mask, classes = 0, self._counted.root
        alike = self._counted.alike(classes)
        least = self._counted.alike(self._counted.of(self.full))
        by_place = sorted(range(len(self._order)), key=lambda bit: self._order[bit])
        for size in range(self._largest):
            if size and (alike == least or None not in found.values()):
                break
            best: tuple[int, int, _Classes] | None = None
            for bit in by_place:
                if mask >> bit & 1:
                    continue
                made = self._counted.split(classes, bit)
                self._look(mask | 1 << bit, made)
                left = self._counted.alike(made)
                if best is None or left < best[0]:
                    best = (left, bit, made)
            assert best is not None
            alike, mask, classes = best[0], mask | 1 << best[1], best[2]
            for measure in MEASURES:
                if found[measure] is None and self._reaches(mask, measure):
                    found[measure] = mask
        return found

    # ---- naming ------------------------------------------------------------------------------------------------------

    def _places(self, mask: int) -> tuple[int, ...]:
        return tuple(sorted(self._order[bit] for bit in range(len(self._order)) if mask >> bit & 1))

    def named(self, masks: Iterable[int], names: Names) -> list[Names]:
        """Return sets by the names of their columns, small sets first, then by column."""
        places = sorted((self._places(mask) for mask in masks), key=lambda held: (len(held), held))
        return [tuple(names[at] for at in held) for held in places]

    def told(self, ratios: Mapping[int, Ratios], names: Names) -> dict[Names, Ratios]:
        """Return ratios by the names of the columns, small sets first, then by column."""
        by_places = {self._places(mask): held for mask, held in ratios.items()}
        return {
            tuple(names[at] for at in places): by_places[places]
            for places in sorted(by_places, key=lambda held: (len(held), held))
        }
