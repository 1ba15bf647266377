"""Distance-based record linkage: how many published records lie nearest to the raw records that they were made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.attacks.linkage._assignment import LARGEST, first_assignment
from sfumato.attacks.linkage._gower import STEPS, GowerDistances
from sfumato.contracts.attack import AttackTraits, Risk, TableAttack, spread
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.metrics.aggregation import refuse_bad_weights

__all__ = ["LinkedByDistance", "RecordLinkageDistance"]

NEAREST, ONE_TO_ONE = "nearest", "one-to-one"
MOST_PAIRS = 4_000_000_000  # pairs of a published and a raw record that are looked at
_TOGETHER = 1 << 21  # pairs that are held at the same time


@frozen(kw_only=True, eq=False)
class LinkedByDistance(Risk):
    """The share of published records that are linked with their own raw records, and by what.

    ``total`` is the sum of the distances of all links, ``own`` that of the true pairs.
    """

    risk: float
    total: float
    own: float


class RecordLinkageDistance(TableAttack):
    """How many published records lie nearest to the raw records that they were made from.

    The steward knows the pairs: the rows of both tables have the same order, or the same value in a column ``key``. The
    distance of a raw and a published record is Gower's, the mean over the columns, by ``weights``, of ``|a - b| / range`` of
    the raw numbers or dates (an interval counts as its middle), of the share of leaves below the common node where a
    hierarchy is known and the values differ, and of 0 or 1 for other categories; what is missing lies 1 away, unless both
    are. Distances count in steps of 2^-40.

    ``nearest``: a published record is found with a chance of 1 over the number of nearest raw records if its own is one
    of them, else not. ``one-to-one``: records are assigned so that the sum of distances is least; of several such
    assignments the one counts that comes first, published record by published record. It takes tables of up to 2,000 raw
    records and needs SciPy (extra ``graphs``). The risk is the mean over the published records.

    Adversary: has the table before masking, and looks for the record that is nearest to a published one.

    Examples
    --------
    >>> import sfumato
    >>> raw = sfumato.from_rows(["a", "b"], [(1, 10), (2, 20), (3, 30)])
    >>> noisy = sfumato.from_rows(["a", "b"], [(1, 14), (3, 21), (2, 30)])
    >>> found = sfumato.attack(noisy, RecordLinkageDistance(), qid=["a", "b"], raw=raw)
    >>> found.risk, found.per_victim.tolist()
    (0.5, [1.0, 0.0, 0.5])
    >>> found = sfumato.attack(noisy, RecordLinkageDistance(method="one-to-one"), qid=["a", "b"], raw=raw)
    >>> round(found.total, 6), round(found.own, 6), round(found.risk, 6)
    (0.575, 0.625, 0.333333)

    References
    ----------
    Gower, "A general coefficient of similarity and some of its properties", 1971, doi:10.2307/2528823.
    Domingo-Ferrer, Torra, "A quantitative comparison of disclosure control methods for microdata", in *Confidentiality,
    Disclosure and Data Access*, 2001.
    """

    id: ClassVar[str] = "record-linkage-distance"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="the table before masking, without knowing which record became which",
        needs=frozenset({"qid", "raw"}),
        victims="records",
        quick=False,
        in_order=True,
    )
    adversary: ClassVar[str] = say("adversary.record-linkage-distance")

    method: str = param(default=NEAREST, choices=(NEAREST, ONE_TO_ONE), doc="how records are linked")
    key: str | None = column(
        "any", default=None, doc="column with the same value in a raw record and its published one"
    )
    weights: Mapping[str, float] | None = param(default=None, doc="weight of each column; 1 where not given")

    def validate(self) -> None:
        """Take weights of columns, none of them negative."""
        refuse_bad_weights(f"{self.id}.weights", self.weights)

    def _untrue(self, seen: Seen, knowledge: TableKnowledge) -> str | None:
        """Say why rows are no records of the raw table; that values were changed is what this attack is for."""
        if seen.stands_for != "records" or seen.weights is not None or seen.nobody:
            return say("needs.records_of_raw")
        # Rows of a release are sorted, and their order tells nothing.
        return say("needs.pairs") if self.key is None and seen.roles else None

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> LinkedByDistance:
        """Return how likely each published record is linked with its own."""
        self.refuse_unfit(seen, knowledge)
        assert knowledge.raw is not None
        for name in knowledge.known:
            if name not in knowledge.raw.types:
                raise BadRequest(
                    "is not a column of the raw table", parameter="qid", value=name, available=knowledge.raw.columns
                )
        strange = [name for name in self.weights or {} if name not in knowledge.known]
        if strange:
            raise BadRequest(
                "is no column to link by",
                parameter=f"{self.id}.weights",
                value=strange[0],
                available=list(knowledge.known),
            )
        if self.key in knowledge.known:
            raise BadRequest("pairs records and cannot be linked by", parameter="qid", value=self.key)
        own = self._pairs(seen.table, knowledge.raw)
        run.stage("distances")
        weights = [float((self.weights or {}).get(name, 1.0)) for name in knowledge.known]
        if not sum(weights) > 0:
            raise BadRequest("must not all be 0", parameter=f"{self.id}.weights")
        distances = GowerDistances.of(seen.table, knowledge.raw, knowledge.known, weights, seen.readings)
        by_order = (say("warning.paired_by_order"),) if self.key is None else ()
        if self.method == ONE_TO_ONE:
            return self._found(self._assigned(distances, own, run), by_order)
        return self._found(self._nearest(distances, own, run), by_order)

    def _pairs(self, published: Table, raw: Table) -> Ints:
        """Return the raw row of each published one; tables that are not paired are refused."""
        if self.key is None:
            if published.rows != raw.rows:
                raise BadRequest(
                    f"has {published.rows:,} rows, the raw table {raw.rows:,}: order does not pair them; name a key",
                    parameter=f"{self.id}.key",
                )
            return np.arange(raw.rows)
        held = []
        for table, word in ((published, "published"), (raw, "raw")):
            if self.key not in table.types:
                raise BadRequest(
                    f"is not a column of the {word} table",
                    parameter=f"{self.id}.key",
                    value=self.key,
                    available=table.columns,
                )
            rows, found = table.as_rows(), table.dictionary(self.key)
            if len(found) < table.rows:  # what is missing is no entry
                raise BadRequest(
                    f"does not name each record of the {word} table once", parameter=f"{self.id}.key", value=self.key
                )
            texts = [to_text(value) for value in found.values]
            held.append([texts[code] for code in rows.codes([self.key])[:, 0].tolist()])
        place = {text: at for at, text in enumerate(held[1])}
        pairs = np.array([place.get(text, -1) for text in held[0]], np.int64)
        if (pairs < 0).any():
            raise BadRequest(
                f"names published records that the raw table lacks ({int((pairs < 0).sum()):,})",
                parameter=f"{self.id}.key",
                value=self.key,
            )
        return pairs

    def _nearest(self, distances: GowerDistances, own: Ints, run: Run) -> _Links:
        if len(own) * distances.raw_rows > MOST_PAIRS:
            raise BadRequest(
                f"{len(own):,} published and {distances.raw_rows:,} raw records are too many to compare each pair; "
                f"at most {MOST_PAIRS:,} pairs are",
                parameter="release",
            )
        risk, total, true = np.zeros(len(own)), 0, 0
        block = max(1, _TOGETHER // max(distances.raw_rows, 1))
        run.stage("nearest records", len(own))
        for start in range(0, len(own), block):
            run.tick(start)
            rows = slice(start, start + block)
            table = distances.steps(rows)
            least = table.min(axis=1, initial=np.iinfo(np.int64).max)
            mine = table[np.arange(len(table)), own[rows]]
            ties = np.count_nonzero(table == least[:, None], axis=1)
            risk[rows] = np.where(mine == least, 1.0 / ties, 0.0)
            total, true = total + int(least.sum()), true + int(mine.sum())
        return _Links(risk, total / STEPS, true / STEPS)

    def _assigned(self, distances: GowerDistances, own: Ints, run: Run) -> _Links:
        if distances.raw_rows > LARGEST:
            raise BadRequest(
                f"assigns at most {LARGEST:,} raw records, here are {distances.raw_rows:,}; {NEAREST} takes more",
                parameter=f"{self.id}.method",
                value=self.method,
                available=[NEAREST],
            )
        if len(own) > distances.raw_rows:
            raise BadRequest("holds more records than the raw table", parameter="release")
        run.stage("assigning records")
        table = distances.steps(slice(None))
        chosen = first_assignment(table, run)
        at = np.arange(len(own))
        total, true = int(table[at, chosen].sum()), int(table[at, own].sum())
        return _Links((chosen == own).astype(np.float64), total / STEPS, true / STEPS)

    def _found(self, links: _Links, warnings: tuple[str, ...]) -> LinkedByDistance:
        highest, mean = spread(links.chances)
        records, expected = len(links.chances), float(links.chances.sum())
        return LinkedByDistance(
            attack=self.id,
            per_victim=links.chances,
            highest=highest,
            mean=mean,
            reading=say("reading.linkage_distance", records=records, expected=expected, mean=mean),
            details={
                "records": records,
                "expected_links": expected,
                "surely_linked": int((links.chances == 1).sum()),
                "distance_of_links": links.total,
                "distance_of_pairs": links.own,
            },
            warnings=warnings,
            risk=mean,
            total=links.total,
            own=links.own,
        )


@frozen(eq=False)
class _Links:
    """How likely each published record is linked with its own, and the sums of distances of links and of true pairs."""

    chances: Floats
    total: float
    own: float
