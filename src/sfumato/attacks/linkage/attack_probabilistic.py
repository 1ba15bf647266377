"""Belief change: how far seeing a person's group moves an adversary's belief about her sensitive value."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import isfinite
from typing import ClassVar

import numpy as np

from sfumato.attacks.linkage._belief_change import Belief, belief_at, changes, shares_of, value_text
from sfumato.attacks.linkage._candidates import candidates
from sfumato.contracts.attack import AttackTraits, Details, Risk, TableAttack, spread
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats
from sfumato.models.shares import Shares, by_group_max, by_group_sum

__all__ = ["AttackProbabilistic", "BeliefChange", "Change"]


@frozen
class Change:
    """The beliefs about one victim before and after, value by value; for the steward's eyes.

    Values are named by their text, a missing one ``?``. Without a record that covers the victim ``posterior`` is empty, and
    nothing changes.
    """

    prior: Mapping[str, float]
    posterior: Mapping[str, float]

    def _pairs(self) -> list[tuple[float, float]]:
        if not self.posterior:
            return []
        values = {**self.prior, **self.posterior}
        return [(self.prior.get(value, 0.0), self.posterior.get(value, 0.0)) for value in values]

    @property
    def largest_ratio(self) -> float:
        """How many times as probable a value gets, at most; infinite if it was held impossible, 1 if nothing changes."""
        return max(
            (after / before if before else float("inf") for before, after in self._pairs() if after), default=1.0
        )

    @property
    def largest_difference(self) -> float:
        """The largest change of a belief, up or down."""
        return max((abs(after - before) for before, after in self._pairs()), default=0.0)

    @property
    def total_variation(self) -> float:
        """Half the sum of all changes."""
        return sum(abs(after - before) for before, after in self._pairs()) / 2


@frozen(kw_only=True, eq=False)
class BeliefCounts(Details):
    """How far beliefs move when a group is seen."""

    records: int
    groups: int
    prior_given: bool
    largest_ratio: float | None
    largest_difference: float
    largest_total_variation: float
    mean_total_variation: float
    records_with_a_value_held_impossible: int


@frozen(kw_only=True, eq=False)
class BeliefChange(Risk):
    """The change of belief for every record, group by group: total variation (``per_victim``), ratio and difference.

    :meth:`worst` and :meth:`of` are for the steward's eyes.
    """

    seen: Seen
    knowledge: TableKnowledge
    shares: Shares
    prior: Mapping[str, float]
    ratio: Floats
    difference: Floats

    @property
    def total_variation(self) -> Floats:
        """Half the sum of all changes, group by group."""
        return self.per_victim

    def worst(self, count: int = 10) -> list[Belief]:
        """Return the pairs of group and value in which belief grows by the largest difference, largest first."""
        order = np.argsort(-changes(self.shares)[0], kind="stable")[:count]
        return [belief_at(self.seen, self.knowledge, self.shares, entry) for entry in order.tolist()]

    def of(self, victim: Mapping[str, Hashable]) -> Change:
        """Return the beliefs about a victim with these quasi-identifiers, given as they were before masking."""
        after = candidates(self.seen, self.knowledge, victim).shares
        return Change(dict(self.prior), {value_text(value): share for value, share in after.items()})


class AttackProbabilistic(TableAttack):
    """Compare what is believed of a person's sensitive value before and after seeing her group.

    The *prior* ``p`` is the distribution of the sensitive column in the whole published table, or the given one; the
    *posterior* ``q`` is that in the person's group. Three numbers compare them:

    - largest ratio: ``max q_s / p_s`` over the values in the group, unbounded if one was held impossible;
    - largest difference: ``max |q_s - p_s|`` over all values, also those that the group lacks;
    - total variation: ``1/2 sum |q_s - p_s|``, the share of belief that moves. It is the risk of each record.

    Nothing learnt at all is more than any useful release can promise; that the change is small is what can be asked for.

    A given prior holds weights >= 0 by the text of the value, ``?`` for a missing one; they are divided by their sum, and
    values that are not named are held impossible. A missing sensitive value counts as a value.

    Adversary: has a belief about a person before, and knows which group she is in.

    Examples
    --------
    >>> import sfumato
    >>> rows = [("x", "Flu"), ("x", "HIV"), *[("y", "Flu")] * 94, *[("y", "HIV")] * 4]
    >>> table = sfumato.from_rows(["Zip", "Disease"], rows)
    >>> found = sfumato.attack(table, AttackProbabilistic(), qid=["Zip"], sensitive="Disease")
    >>> round(found.highest, 9), found.details.largest_ratio
    (0.45, 10.0)
    >>> sure = AttackProbabilistic(prior={"Flu": 3, "HIV": 1})
    >>> sfumato.attack(table, sure, qid=["Zip"], sensitive="Disease").of({"Zip": "x"}).total_variation
    0.25

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, chapter 2 and section 2.4.
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", 2007,
    doi:10.1145/1217299.1217302 (uninformative principle).
    """

    id: ClassVar[str] = "attack-probabilistic"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute", "probabilistic"}),
        knowledge="a belief about a person's sensitive value, and which group the person is in",
        needs=frozenset({"qid", "sensitive"}),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.attack-probabilistic")

    prior: Mapping[str, float] | None = param(
        default=None, doc="weight of each sensitive value before; as in the whole published table if not given"
    )

    def validate(self) -> None:
        """Refuse a prior that is no mapping of values to weights; name values by their text."""
        if self.prior is None:
            return
        name = f"{self.id}.prior"
        if not isinstance(self.prior, Mapping):
            raise BadRequest("must be a mapping of values to weights", parameter=name)
        weights = list(self.prior.values())
        sound = all(isinstance(w, (int, float)) and not isinstance(w, bool) and isfinite(w) and w >= 0 for w in weights)
        if not sound or not sum(weights) > 0:
            raise BadRequest("must hold weights >= 0, not all 0", parameter=name)
        object.__setattr__(self, "prior", {to_text(value): weight for value, weight in self.prior.items()})

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> BeliefChange:
        """Return the change of belief, for all records of each group."""
        self.refuse_unfit(seen, knowledge)
        shares = shares_of(seen, knowledge, self.prior)
        sizes = np.asarray(shares.size, np.int64)
        variation, difference, ratio = (np.empty(len(sizes)) for _ in range(3))
        for groups, _, part in shares.parts():
            entry_difference, entry_ratio = changes(part)
            # Both beliefs add up to 1, so what is lost elsewhere is gained by values in the group.
            variation[groups] = np.minimum(by_group_sum(np.maximum(entry_difference, 0.0), part.start), 1.0)
            difference[groups] = np.maximum(by_group_max(np.abs(entry_difference), part.start), self._lost(part))
            ratio[groups] = by_group_max(entry_ratio, part.start)
        highest, mean = spread(variation, sizes)
        largest = float(ratio.max(initial=0.0))
        impossible = int(sizes[np.isinf(ratio)].sum())
        details = BeliefCounts(
            records=int(sizes.sum()),
            groups=len(sizes),
            prior_given=self.prior is not None,
            largest_ratio=largest if isfinite(largest) else None,
            largest_difference=float(difference.max(initial=0.0)),
            largest_total_variation=highest,
            mean_total_variation=mean,
            records_with_a_value_held_impossible=impossible,
        )
        return BeliefChange(
            attack=self.id,
            per_victim=variation,
            counts=sizes,
            highest=highest,
            mean=mean,
            reading=_reading(details),
            details=details,
            seen=seen,
            knowledge=knowledge,
            shares=shares,
            prior=self._told(shares),
            ratio=ratio,
            difference=difference,
        )

    def _told(self, shares: Shares) -> dict[str, float]:
        """Return the prior as shares, by the text of the value."""
        if self.prior is not None:
            return {value: weight / shares.total for value, weight in self.prior.items()}
        return {
            value_text(shares.values[at]): float(shares.whole[at] / shares.total) for at in shares.occurring.tolist()
        }

    def _lost(self, shares: Shares) -> Floats:
        """Return the largest prior of a value that each group lacks, 0 if it lacks none."""
        beside = 0.0
        if self.prior is not None:
            known = {value_text(value) for value in shares.values}
            beside = max((w for value, w in self.prior.items() if value not in known), default=0.0) / shares.total
        # Values by falling prior: the first rank that a group lacks is the number of its ranks that stand at their place.
        falling = np.argsort(-shares.whole, kind="stable")
        rank = np.empty(len(falling), np.int64)
        rank[falling] = np.arange(len(falling))
        held, place = shares.group * max(len(falling), 1), np.arange(len(shares.group))
        held += rank[shares.code]
        held.sort()
        held %= max(len(falling), 1)
        place -= shares.start[shares.group]
        lacking = by_group_sum((held == place).astype(np.int64), shares.start)
        priors = np.append(shares.whole[falling] / max(shares.total, 1e-300), 0.0)
        return np.asarray(np.maximum(priors[lacking], beside), np.float64)


def _reading(details: BeliefCounts) -> str:
    ratio = details.largest_ratio
    grown = (
        say("reading.probabilistic_impossible", records=details.records_with_a_value_held_impossible)
        if ratio is None
        else say("reading.probabilistic_grown", ratio=ratio)
    )
    return say(
        "reading.probabilistic",
        records=details.records,
        largest=details.largest_total_variation,
        mean=details.mean_total_variation,
        grown=grown,
    )
