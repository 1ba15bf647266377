"""deFinetti attack: learn across groups which values go with which quasi-identifiers, and use it inside each group."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import ClassVar

import numpy as np

from sfumato.attacks._partitions import PAIR, Partition, has_pair, has_persons, partition_of
from sfumato.attacks.anatomy._cells import Cells
from sfumato.attacks.anatomy._exact_worlds import choices_of, exact_beliefs
from sfumato.attacks.anatomy._expected_worlds import SETTLED, expected_beliefs
from sfumato.attacks.anatomy._record_beliefs import Beliefs
from sfumato.attacks.anatomy._sampled_worlds import sampled_beliefs
from sfumato.attacks.anatomy._true_values import truths_of
from sfumato.contracts.attack import AttackTraits, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge, lacking
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["AttackDeFinetti"]

_SAMPLED = 20_000_000  # exchanges that "auto" is ready to try; beyond them it expects instead


class AttackDeFinetti(TableAttack):
    """Learn across groups which sensitive values go with which quasi-identifiers, and use it inside each group.

    Of a group only the list of its sensitive values is known. *Random worlds* holds every way to give them to its records
    for equally likely: a record has value s with probability ``count(s) / size``. But records of other groups show which
    values go with which quasi-identifiers. A world (one assignment in every group) weighs

    ``prod_j prod_q prod_s  alpha (alpha + 1) ... (alpha + c_jqs - 1)``,

    where ``c_jqs`` counts its records with value q of quasi-identifier j and sensitive value s: records are exchangeable
    given unknown frequencies with a Dirichlet(alpha) prior; several quasi-identifiers are independent given the sensitive
    value (naive Bayes). The belief that a record has s is the share of the weight of the worlds in which it does. If all
    records have the same quasi-identifiers, that is random worlds.

    It works on an anatomy pair, or on a generalized table with a table of everybody: groups with as many persons as rows
    are used. What to believe is found in one of three ways:

    - *exact*: all worlds are weighed; those that differ in records that look alike are counted together;
    - *sampler*: a walk from world to world exchanges two values of a group and accepts by the ratio of weights;
    - *em*: soft assignments and what they say about values, in turn. Records are no evidence about themselves, and the
      values of a group are given out without anything left over. It is quick and near to exact, but not exact: on random
      tables of six groups beliefs differed by 0.02 on average with one quasi-identifier and by 0.04 with three, single
      ones by up to 0.7 (random worlds: 0.15 on average).

    ``auto`` takes the exact way up to ``worlds``, then the sampler up to twenty million exchanges, then em.

    The risk of a record is the highest belief about it, right or wrong. ``posterior(row)`` and ``random_worlds(row)`` tell the
    beliefs about a record, ``score(truth)`` how right they are. With the raw table or the owners' table the score of those
    records whose quasi-identifiers tell their true value is counted as well.

    Known limits: the walk may take long to leave a world that is likely but not the likeliest, more so with many
    quasi-identifiers. Quasi-identifiers that hang together make naive Bayes too sure of itself, and so do those with many
    values that say nothing: then beliefs can be further from the truth than random worlds. A belief is a risk all the same.

    Examples
    --------
    >>> import sfumato
    >>> smokers = [("Y", 1), ("Y", 1), ("N", 2), ("N", 2), ("Y", 3), ("N", 3)]
    >>> listed = [(1, "Cancer", 2), (2, "Flu", 2), (3, "Cancer", 1), (3, "Flu", 1)]
    >>> pair = {
    ...     "qit": sfumato.from_rows(["Smoker", "Group"], smokers),
    ...     "st": sfumato.from_rows(["Group", "Disease", "Count"], listed),
    ... }
    >>> found = sfumato.attack(pair, AttackDeFinetti(), qid=["Smoker"], sensitive="Disease")
    >>> {value: round(belief, 9) for value, belief in found.posterior(4).items()}
    {'Cancer': 0.9, 'Flu': 0.1}
    >>> found.random_worlds(4)
    {'Cancer': 0.5, 'Flu': 0.5}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.5.2.
    Kifer, "Attacks on privacy and deFinetti's theorem", 2009, doi:10.1145/1559845.1559861.
    """

    id: ClassVar[str] = "attack-definetti"
    title: ClassVar[str] = "deFinetti"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute", "probabilistic"}),
        knowledge="the exact quasi-identifiers of everybody in the release, and who is in which group",
        needs=frozenset({"qid", "sensitive"}),
        victims="records",
        quick=False,
        across=True,
    )
    adversary: ClassVar[str] = say("adversary.attack-definetti")

    dirichlet_alpha: float = param(default=1.0, gt=0, doc="how often each value is taken to be seen beforehand")
    method: str = param(
        default="auto", choices=("auto", "exact", "sampler", "em"), doc="how to find what to believe, see above"
    )
    worlds: int = param(default=1_000_000, ge=1, doc="worlds to weigh at most, one by one")
    sweeps: int = param(
        default=2000, ge=10, doc="sweeps of the sampler; each tries as many exchanges as there are records"
    )
    rounds: int = param(default=50, ge=1, doc="rounds of em at most")
    seed: int = param(default=0, ge=0, doc="seed of the sampler")
    l: float | None = param(
        default=None, ge=1, doc="victims believed with more than 1/l are counted; what the groups have if not given"
    )

    def unfit(self, seen: Seen, knowledge: TableKnowledge) -> str | None:
        """Say what is missing: an anatomy pair, or a table of persons, beside what every attack on values needs."""
        asked = super().unfit(seen, knowledge)
        if asked is None and not has_pair(seen) and not has_persons(seen, knowledge):
            (persons,) = lacking(frozenset({"external"}), TableKnowledge())
            return say("needs.pair_or_persons", pair=PAIR, persons=persons.doc)
        return asked

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> Beliefs:
        """Return what to believe about each record."""
        self.refuse_unfit(seen, knowledge)
        lacking = self.unfit(seen, knowledge)
        if lacking is not None:
            raise BadRequest(f"{self.id} {lacking}", parameter="parts")
        return self.believed(partition_of(seen, knowledge), knowledge, run)

    def believed(self, partition: Partition, knowledge: TableKnowledge, run: Run) -> Beliefs:
        """Return what to believe about each record of a partition."""
        cells = Cells.of(partition)
        shares = cells.shares()
        beliefs, how, warnings = self._beliefs(cells, shares, run)
        # Where nothing is learnt sums of many weights end a rounding beside the share, and no threshold may lie between.
        beliefs = np.minimum(np.where(np.abs(beliefs - shares) < 1e-12, shares, beliefs), 1.0)
        risk, counts = cells.highest(beliefs)[cells.of_record], None
        by_counts = cells.highest(shares)[cells.of_record]
        others = partition.others
        if others is not None and len(others):
            largest = others.histograms[knowledge.secret].largest() / others.sizes
            risk, by_counts = np.concatenate([risk, largest]), np.concatenate([by_counts, largest])
            counts = np.concatenate([np.ones(len(partition), np.int64), others.sizes])
            warnings = (*warnings, _unplaced(others.sizes, len(partition)))
        highest, mean = spread(risk, counts)
        bound = 1 / self.l if self.l is not None else float(by_counts.max(initial=0.0))
        found = Beliefs(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading="",
            counts=counts,
            partition=partition,
            cells=cells,
            beliefs=beliefs,
            shares=shares,
        )
        above = found.above(bound * (1 + 1e-9))
        details: dict[str, object] = {
            "records": found.victims,
            "placed_records": len(partition),
            "groups": len(partition.sizes) + (0 if others is None else len(others)),
            "open_groups": len(cells.open_groups),
            "records_in_open_groups": int(partition.sizes[cells.open_groups].sum()),
            **how,
            "bound": bound,
            "above_bound": above,
            "share_above_bound": above / max(found.victims, 1),
            "random_worlds_highest": spread(by_counts, counts)[0],
            "random_worlds_mean": spread(by_counts, counts)[1],
        }
        truths = truths_of(partition, knowledge)
        if truths is not None:
            scored = found.scored(truths.sure()[partition.kinds[1]])
            details |= {f"scored_{key}" if key == "records" else key: value for key, value in asdict(scored).items()}
        reading = say(
            "reading.definetti",
            records=found.victims,
            above=above,
            share=above / max(found.victims, 1),
            bound=bound,
            highest=highest,
            alone=spread(by_counts, counts)[0],
        )
        return replace(found, reading=reading, details=details, warnings=warnings)

    def _beliefs(self, cells: Cells, shares: Floats, run: Run) -> tuple[Floats, dict[str, object], tuple[str, ...]]:
        """Return beliefs, how they were found, and what is wrong with them."""
        choices = choices_of(cells, self.worlds) if self.method in ("auto", "exact") else None
        if choices is not None:
            worlds = 1
            for tables in choices:
                worlds *= len(tables)
            found = exact_beliefs(cells, choices, self.dirichlet_alpha, shares)
            return found, {"method": "exact", "worlds": worlds}, ()
        if self.method == "exact":
            raise Unsupported(
                f"{self.id} weighs at most {self.worlds:,} worlds one by one, and there are more",
                thing=self.id,
                alternatives=["method=sampler", "method=em", "a higher limit of worlds"],
            )
        trials = int(cells.size[np.isin(cells.group, cells.open_groups)].sum()) * self.sweeps
        if self.method == "sampler" or (self.method == "auto" and trials <= _SAMPLED):
            rng = np.random.default_rng(self.seed)
            found = sampled_beliefs(cells, self.dirichlet_alpha, shares, self.sweeps, rng, run)
            return found, {"method": "sampler", "exchanges": trials}, ()
        found, rounds, change = expected_beliefs(cells, self.dirichlet_alpha, shares, self.rounds, run)
        warning = say("warning.beliefs_unsettled", change=change, rounds=rounds)
        return found, {"method": "em", "rounds": rounds}, (warning,) if change > SETTLED else ()


def _unplaced(sizes: Ints, placed: int) -> str:
    return say("warning.groups_unplaced", groups=len(sizes), records=int(sizes.sum()), all=int(sizes.sum()) + placed)
