"""Item suppression: the publisher says which items are left out, of all baskets or of some."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible, misspelt
from sfumato.transactions.algorithms._moles import refuse_loss
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.built import BasketFacts, built_baskets
from sfumato.transactions.task import BasketTask

__all__ = ["ItemSuppression"]


class ItemSuppression(Search[BasketTask]):
    """Leave named public items out: of all baskets, or of those of some persons only.

    Left out of all baskets, an item ends every mole that holds it, and every other set keeps its support, so that each rule
    mined from the result holds in the original. Left out of some baskets only, neither is so. Private items are never left
    out.

    Examples
    --------
    >>> baskets = Baskets.of([{"a", "b"}, {"a"}])
    >>> [sorted(one) for one in ItemSuppression(items=("b",)).applied(baskets)]
    [['a'], ['a']]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.2.2.
    """

    id: ClassVar[str] = "item-suppression"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-baskets",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="one pass over the baskets",
    )

    items: tuple[str, ...] = param(doc="public items to leave out")
    persons: tuple[str, ...] | None = param(default=None, doc="persons whose baskets lose them; all if not given")

    @property
    def truthful(self) -> bool:
        """Whether supports of what remains are those of the original: only if items are left out of all baskets."""
        return self.persons is None

    def applied(self, baskets: Baskets) -> Baskets:
        """Return the baskets without the items; refuse private and unknown ones, and persons nobody knows."""
        private = sorted(set(self.items) & baskets.private)
        if private:
            raise BadRequest("private items are never left out", parameter=f"{self.id}.items", value=private)
        strange = sorted(set(self.items) - set(baskets.items))
        if strange:
            shown = misspelt(strange, baskets.items)
            raise BadRequest("no basket holds it", parameter=f"{self.id}.items", values=strange, shown=shown)
        if self.persons is None:
            return baskets.without(self.items)
        place = {name: at for at, name in enumerate(baskets.persons or ())}
        unknown = [name for name in self.persons if name not in place]
        if unknown:
            raise BadRequest("no basket is theirs", parameter=f"{self.id}.persons", values=unknown)
        chosen = [place[name] for name in self.persons]
        out = np.isin(baskets.owners, chosen) & np.isin(baskets.codes, [baskets.code_of[name] for name in self.items])
        return baskets.thinned(~out)

    def run(self, task: BasketTask, run: Run) -> Outcome:
        """Leave the items out; refuse if that is not enough."""
        masked = self.applied(task.baskets)
        for model in task.models:
            verdict = model.judge(masked)
            if not verdict.satisfied:
                raise Infeasible(
                    say("baskets.not_enough_left_out", model=model.id, count=verdict.violating_groups),
                    measured=verdict.strongest,
                    bound=verdict.bound,
                    requirement=model.id,
                )
        refuse_loss(task, len(task.baskets.codes) - len(masked.codes))
        facts = BasketFacts(
            suppressed=self.items,
            items_before=len(task.baskets.items) - len(task.baskets.private),
            items_after=len(masked.items) - len(masked.private),
        )
        return Outcome(built=built_baskets(masked, local=self.persons is not None), facts=facts)
