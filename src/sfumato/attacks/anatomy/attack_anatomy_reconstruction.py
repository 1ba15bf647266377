"""Reconstruction from anatomy: join the two tables of a pair again, and see how many records come back right."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.attacks._partitions import PAIR, Partition, has_pair, pair_of
from sfumato.attacks.anatomy._record_beliefs import best_share
from sfumato.attacks.anatomy._true_values import Truths, truths_of
from sfumato.attacks.anatomy.attack_definetti import AttackDeFinetti
from sfumato.contracts.attack import AttackTraits, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["AttackAnatomyReconstruction", "Reconstructed"]

Floats = npt.NDArray[np.float64]


@frozen(kw_only=True, eq=False)
class Reconstructed(Risk):
    """The chance of the best guess for each record of a pair. Counts may be shown; tables are for the steward's eyes."""

    partition: Partition

    def drawn(self, seed: int = 0) -> list[Hashable]:
        """Return one table that could have been the true one, drawn at random: the value of each row of the records."""
        partition, rng = self.partition, np.random.default_rng(seed)
        out = np.empty(len(partition), np.int64)
        order = np.lexsort((rng.random(len(partition)), partition.group))
        out[order] = np.repeat(partition.histogram.code, partition.histogram.count)
        return [partition.histogram.values[code] for code in out.tolist()]

    def guessed(self) -> list[Hashable]:
        """Return the most frequent value of its group for each row of the records, the first one of equally frequent."""
        histogram = self.partition.histogram
        group = histogram.group()
        order = np.lexsort((histogram.code, -histogram.count, group))
        best = histogram.code[order[histogram.start[:-1]]]
        return [histogram.values[code] for code in best[self.partition.group].tolist()]


class AttackAnatomyReconstruction(TableAttack):
    """Join the two tables of an anatomy pair again, and count how many records come back right.

    A record of a group g with ``n`` records, of which ``f_s`` have value s, is joined with all values of g.

    - *drawn*: the values of each group are given to its records at random; ``sum_s f_s^2 / n`` of them come back right on
      average;
    - *best guess*: every record of g gets the most frequent value; ``max_s f_s`` come back right, whoever they are;
    - *certain*: records of groups with one value.

    The risk of a record is the chance of its best guess, ``max_s f_s / n``. The order of the records inside a group tells
    nothing if the pair was made as it should.

    With the raw table (or that of the owners) what comes back is compared with the truth: the share of records whose pair
    of quasi-identifiers and value is right when drawn, by the best guess, and by the best guess of the deFinetti attack,
    which learns across groups. Raw records that look alike share their values evenly: a guess for one of them is as right as
    it is frequent among them.

    Adversary: has the pair alone; to name somebody it takes a table of persons too, as quasi-identifiers are exact.

    Examples
    --------
    >>> import sfumato
    >>> listed = [(1, "Flu", 1), (1, "HIV", 1), (2, "Flu", 2)]
    >>> pair = {
    ...     "qit": sfumato.from_rows(["Age", "Group"], [(30, 1), (32, 1), (38, 2), (39, 2)]),
    ...     "st": sfumato.from_rows(["Group", "Disease", "Count"], listed),
    ... }
    >>> found = sfumato.attack(pair, AttackAnatomyReconstruction(), qid=["Age"], sensitive="Disease")
    >>> found.details["right_if_drawn"], found.details["right_by_best_guess"], found.details["certain"]
    (3.0, 3, 2)
    >>> found.guessed()
    ['Flu', 'Flu', 'Flu', 'Flu']

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 3.2 and 5.5.2.
    Xiao, Tao, "Anatomy: simple and effective privacy preservation", 2006.
    """

    id: ClassVar[str] = "attack-anatomy-reconstruction"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute", "table"}),
        knowledge="the two tables of the pair",
        needs=frozenset({"qid", "sensitive", "parts"}),
        victims="records",
        quick=False,
        across=True,
    )
    adversary: ClassVar[str] = say("adversary.attack-anatomy-reconstruction")

    method: str = param(
        default="em",
        choices=("auto", "exact", "sampler", "em"),
        doc="how the deFinetti attack finds what to believe, where the truth is given",
    )
    rounds: int = param(default=5, ge=1, doc="rounds of em, of which the first ones bring most")

    def unfit(self, seen: Seen, knowledge: TableKnowledge) -> str | None:
        """Say what is missing; parts of another kind of release are no pair."""
        lacking = super().unfit(seen, knowledge)
        return f"needs {PAIR}" if lacking is None and not has_pair(seen) else lacking

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Reconstructed:
        """Return the chance of the best guess for each record."""
        self.refuse_unfit(seen, knowledge)
        if not has_pair(seen):
            raise BadRequest(f"{self.id} needs {PAIR}", parameter="parts", available=seen.parts)
        partition = pair_of(seen, knowledge)
        histogram, sizes = partition.histogram, partition.sizes
        risk = partition.largest_share[partition.group]
        drawn = float(np.sum(histogram.count**2 / sizes[histogram.group()]))
        records, highest_mean = len(partition), spread(risk)
        details: dict[str, float] = {
            "records": records,
            "groups": len(sizes),
            "right_if_drawn": drawn,
            "share_right_if_drawn": drawn / max(records, 1),
            "right_by_best_guess": int(histogram.largest().sum()),
            "share_right_by_best_guess": int(histogram.largest().sum()) / max(records, 1),
            "certain": int(sizes[histogram.distinct() == 1].sum()),
        }
        truths = truths_of(partition, knowledge)
        if truths is not None:
            details |= self._compared(partition, knowledge, truths, run)
        return Reconstructed(
            attack=self.id,
            per_victim=risk,
            highest=highest_mean[0],
            mean=highest_mean[1],
            reading=_reading(details),
            details=details,
            partition=partition,
        )

    def _compared(self, partition: Partition, knowledge: TableKnowledge, truths: Truths, run: Run) -> dict[str, float]:
        """Return which share of the records comes back right; those without a raw record count as wrong."""
        untold = replace(knowledge, raw=None, owners=None)
        believed = AttackDeFinetti(method=self.method, rounds=self.rounds).believed(partition, untold, run)
        cells = believed.cells
        kind = np.empty(len(cells), np.int64)
        kind[cells.of_record] = partition.kinds[1]
        cell, place = cells.listed()
        true = truths.of_kinds(kind[cell], cells.histogram.code[place], cells.values) * cells.size[cell]
        records = max(len(partition), 1)
        return {
            "records_with_a_raw_record": int(np.count_nonzero(truths.rows[partition.kinds[1]])),
            "share_true_if_drawn": float(true @ believed.shares) / records,
            "share_true_by_best_guess": float(true @ best_share(cells, believed.shares)) / records,
            "share_true_by_definetti": float(true @ best_share(cells, believed.beliefs)) / records,
        }


def _reading(details: Mapping[str, float]) -> str:
    text = say(
        "reading.anatomy_reconstruction",
        records=details["records"],
        drawn=details["share_right_if_drawn"],
        guessed=details["share_right_by_best_guess"],
        certain=details["certain"],
    )
    if "share_true_by_definetti" in details:
        return say("reading.anatomy_definetti", start=text, found=details["share_true_by_definetti"])
    return say("reading.ended", start=text)
