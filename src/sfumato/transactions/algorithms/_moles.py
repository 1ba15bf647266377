"""What suppression of items has in common: requirements it can work for, moles of all of them, and what is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible
from sfumato.itemsets.twins import broken_sets
from sfumato.itemsets.violations import levels
from sfumato.kernels.arrays import Codes, Floats
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.built import BasketFacts, built_baskets
from sfumato.transactions.itemset_model import itemset_models
from sfumato.transactions.task import BasketTask

__all__ = ["ItemChoice", "Moles", "costs_of", "mined", "refuse_loss", "suppressed"]


@frozen(eq=False)
class Moles:
    """Items that are moles by themselves, the baskets without them, their public items, and minimal moles of these."""

    single: tuple[str, ...]
    rest: Baskets
    names: tuple[str, ...]
    sets: tuple[Codes, ...]

    @property
    def count(self) -> int:
        """How many minimal moles there are."""
        return len(self.single) + sum(map(len, self.sets))


def mined(task: BasketTask, thing: str, run: Run) -> Moles:
    """Return the minimal moles of all requirements; refuse where the empty set is one, so that no suppression helps."""
    models = itemset_models(task.models, thing)
    for model in models:
        reason = model.empty_mole(task.baskets)
        if reason is not None:
            raise Infeasible(reason, measured=len(task.baskets), bound=str(model.smallest()), requirement=model.id)
    single: set[str] = set()
    for model in models:
        database, names, _ = model.database(task.baskets)
        first = next(levels(database, model.rule(), 1))
        single |= {names[code] for code in first.broken.members[:, 0].tolist()}
    rest = task.baskets.without(single)
    names, sets = (), []
    for model in models:
        run.checkpoint()
        database, names, _ = model.database(rest)
        found = broken_sets(database, model.rule(), model.power())
        sets += [members for members in found if len(members)]
    return Moles(tuple(sorted(single)), rest, names, tuple(sets))


class ItemChoice(Search[BasketTask]):
    """A search that leaves public items out of all baskets, and counts what each of them costs."""

    loss: str = param(
        default="support",
        choices=("constant", "support"),
        doc="what leaving an item out costs: 1 each, or the number of its occurrences",
    )
    weights: Mapping[str, float] | None = param(default=None, doc="how dear single items are, by name; 1 if not given")

    def validate(self) -> None:
        """Refuse weights that are no numbers from 0 on, by name."""
        super().validate()
        given: object = {} if self.weights is None else self.weights
        if not isinstance(given, Mapping) or any(
            isinstance(one, bool) or not isinstance(one, (int, float)) or not 0 <= one < inf for one in given.values()
        ):
            raise BadRequest("must be numbers from 0 on, by the names of items", parameter=f"{self.id}.weights")


def costs_of(baskets: Baskets, names: Sequence[str], loss: str, weights: Mapping[str, float] | None) -> Floats:
    """Return what leaving each item out costs: one or its weight, or the number of its occurrences."""
    strange = sorted(set(weights or {}) - set(baskets.items))
    if strange:
        raise BadRequest("weights are given to items that no basket holds", parameter="weights", values=strange)
    supports = np.array([baskets.supports[baskets.code_of[name]] for name in names], np.float64)
    given = np.array([(weights or {}).get(name, 1.0) for name in names], np.float64)
    return given if loss == "constant" else supports * given


def suppressed(task: BasketTask, items: Sequence[str], moles: int | None, *, optimal: bool | None = None) -> Outcome:
    """Return the baskets without some items; refuse to lose more than may be."""
    masked = task.baskets.without(items)
    refuse_loss(task, len(task.baskets.codes) - len(masked.codes))
    before = len(task.baskets.items) - len(task.baskets.private)
    facts = BasketFacts(
        suppressed=tuple(items),
        items_before=before,
        items_after=len(masked.items) - len(masked.private),
        violations=moles,
    )
    return Outcome(built=built_baskets(masked), facts=facts, optimal=optimal)


def refuse_loss(task: BasketTask, lost: int) -> None:
    """Refuse a result that loses more occurrences of public items than the limit allows."""
    public = int((~task.baskets.is_private[task.baskets.codes]).sum())
    if lost > task.lose_at_most * public + 1e-9:
        raise Infeasible(
            say("baskets.too_much_lost", lost=lost, public=public, share=lost / public, most=task.lose_at_most),
            measured=lost / public,
            bound=f"<= {task.lose_at_most:g}",
        )
