"""Association rule hiding: occurrences are deleted until named rules have too little support or confidence to be found."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.transactions.algorithms._moles import refuse_loss
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.built import BasketFacts, built_baskets
from sfumato.transactions.itemset_model import ItemsetModel
from sfumato.transactions.nuggets import frequent_codes
from sfumato.transactions.task import BasketTask

__all__ = ["AssociationRuleHiding", "HiddenRules", "RuleFigures", "rule_figures"]

Rule = tuple[tuple[str, ...], tuple[str, ...]]


@frozen
class RuleFigures:
    """How many baskets hold both sides of a rule, and how many hold the left one."""

    support: int
    antecedent: int

    @property
    def confidence(self) -> Fraction | None:
        """The share of the baskets with the left side that also hold the right one; ``None`` if there is none."""
        return Fraction(self.support, self.antecedent) if self.antecedent else None


def rule_figures(baskets: Baskets, antecedent: Collection[str], consequent: Collection[str]) -> RuleFigures:
    """Return the figures of a rule ``antecedent -> consequent``.

    >>> figures = rule_figures(Baskets.of([{"a", "b"}, {"a"}]), ["a"], ["b"])
    >>> figures.support, figures.confidence
    (1, Fraction(1, 2))
    """
    left, both = frozenset(antecedent), frozenset(antecedent) | frozenset(consequent)
    held = [one for one in baskets if left <= one]
    return RuleFigures(sum(both <= one for one in held), len(held))


@frozen(eq=False, repr=False)
class HiddenRules:
    """Baskets in which the rules are hidden, what was deleted (place of the basket, item), and what happened to other rules.

    ``lost`` rules could be found before and cannot now; ``ghosts`` the other way round; the hidden ones are neither.
    """

    baskets: Baskets
    deletions: tuple[tuple[int, str], ...]
    lost: tuple[Rule, ...]
    ghosts: tuple[Rule, ...]


class AssociationRuleHiding(Search[BasketTask]):
    """Delete items from few baskets until named rules are no longer found at given thresholds.

    A rule X -> Y is found if at least ``support`` baskets hold X and Y and they are at least ``confidence`` of those that hold
    X. For each rule that is found, in turn, the item of Y with the highest support is deleted from the shortest baskets that
    hold the rule (then the earliest), as often as it takes. A deletion may bring another rule back, by lowering the support
    of its left side, so rules are gone through again until all are hidden.

    This is the opposite of coherence: here low support protects a rule, there it exposes a person. No person is protected by
    it, and what is published is not true of every basket.

    Examples
    --------
    >>> baskets = Baskets.of([{"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "c"}, {"b", "c"}])
    >>> hiding = AssociationRuleHiding(rules=({"if": ["a"], "then": ["b"]},), support=2, confidence=0.6)
    >>> hiding.hide(baskets).deletions
    ((0, 'b'),)

    References
    ----------
    Verykios, Elmagarmid, Bertino, Saygin, Dasseni, "Association rule hiding", 2004, doi:10.1109/TKDE.2004.1269668.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.1.3.
    """

    id: ClassVar[str] = "association-rule-hiding"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="locally-recoded-baskets",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="rules x baskets, and the rules that can be found before and after",
    )

    rules: tuple[dict[str, list[str]], ...] = param(doc="rules to hide, each with the lists if and then")
    support: int = param(ge=1, doc="fewest baskets of a rule that is found")
    confidence: float = param(gt=0, le=1, doc="smallest confidence of a rule that is found")
    size: int = param(default=3, ge=2, doc="largest number of items in the other rules that are compared")

    def validate(self) -> None:
        """Refuse rules without two sides, or with an item on both."""
        if not self.rules:
            raise BadRequest("must name at least one rule", parameter=f"{self.id}.rules")
        for rule in self.rules:
            if not isinstance(rule, Mapping) or set(rule) != {"if", "then"} or not rule["if"] or not rule["then"]:
                raise BadRequest("must be rules with the lists if and then", parameter=f"{self.id}.rules")
            if any(isinstance(side, str) for side in rule.values()) or set(rule["if"]) & set(rule["then"]):
                raise BadRequest("must be rules with different items in if and then", parameter=f"{self.id}.rules")

    def asked(self) -> list[Rule]:
        """Return the rules to hide as pairs of items in order."""
        return [(tuple(sorted(rule["if"])), tuple(sorted(rule["then"]))) for rule in self.rules]

    def hidden(self, figures: RuleFigures) -> bool:
        """Tell whether a rule of such figures is not found; thresholds are compared exactly."""
        confidence = figures.confidence
        return figures.support < self.support or confidence is None or confidence < Fraction(str(self.confidence))

    def hide(self, baskets: Baskets, run: Run | None = None) -> HiddenRules:
        """Return baskets in which every rule is hidden, and what that did to other rules."""
        left: list[set[str]] = [set(one) for one in baskets]
        deletions: list[tuple[int, str]] = []
        supports = {name: int(count) for name, count in zip(baskets.items, baskets.supports.tolist(), strict=True)}
        open_rules = True
        while open_rules:
            open_rules = False
            for antecedent, consequent in self.asked():
                if run is not None:
                    run.checkpoint()
                gone = self._deleted(left, supports, antecedent, consequent)
                deletions += gone
                open_rules = open_rules or bool(gone)
        kept = np.array([name in left[at] for at, name in _occurrences(baskets)], np.bool_)
        after = baskets.thinned(kept)
        before, now, asked = self.found(baskets), self.found(after), set(self.asked())
        return HiddenRules(
            after, tuple(deletions), tuple(sorted(before - now - asked)), tuple(sorted(now - before - asked))
        )

    def _deleted(
        self, left: Sequence[set[str]], supports: dict[str, int], antecedent: Sequence[str], consequent: Sequence[str]
    ) -> list[tuple[int, str]]:
        """Delete the most frequent item of the right side from the shortest baskets of a rule until it is hidden."""
        having = [at for at, one in enumerate(left) if one.issuperset(antecedent)]
        both = [at for at in having if left[at].issuperset(consequent)]
        victim = min(consequent, key=lambda name: (-supports.get(name, 0), name))
        out: list[tuple[int, str]] = []
        for at in sorted(both, key=lambda at: (len(left[at]), at)):
            if self.hidden(RuleFigures(len(both) - len(out), len(having))):
                break
            left[at].discard(victim)
            supports[victim] -= 1
            out.append((at, victim))
        return out

    def found(self, baskets: Baskets, right: int = 1) -> set[Rule]:
        """Return the rules of at most ``size`` items, up to ``right`` of them on the right side, that can be found."""
        counts: dict[tuple[int, ...], int] = {}
        tids = [frozenset(baskets.owners[baskets.codes == code].tolist()) for code in range(len(baskets.items))]
        out: set[Rule] = set()
        for sets in frequent_codes(baskets, self.support, self.size):
            for members in map(tuple, sets.tolist()):
                counts[members] = len(frozenset.intersection(*(tids[code] for code in members)))
                least = max(len(members) - right, 1)
                for part in (one for left in range(least, len(members)) for one in combinations(members, left)):
                    if not self.hidden(RuleFigures(counts[members], counts[part])):
                        others = [code for code in members if code not in part]
                        left, told = ([baskets.items[code] for code in side] for side in (part, others))
                        out.add((tuple(left), tuple(told)))
        return out

    def run(self, task: BasketTask, run: Run) -> Outcome:
        """Hide the rules; requirements on persons are not what this is for: one that asks for nothing is taken."""
        for model in task.models:
            if not (isinstance(model, ItemsetModel) and model.smallest() == 1 and model.confidence() >= 1):
                raise Unsupported(
                    f"{self.id} hides rules and protects nobody: it cannot promise {model.id}; a policy says so with "
                    "{id: km-anonymity, k: 1, m: 1}",
                    thing=self.id,
                )
        found = self.hide(task.baskets, run)
        refuse_loss(task, len(found.deletions))
        private = len(task.baskets.private)
        facts = BasketFacts(
            items_before=len(task.baskets.items) - private,
            items_after=len(found.baskets.items) - len(found.baskets.private),
        )
        told = say(
            "baskets.rules",
            hidden=len(self.rules),
            deleted=len(found.deletions),
            lost=len(found.lost),
            ghosts=len(found.ghosts),
        )
        return Outcome(built=built_baskets(found.baskets, local=True), facts=facts, warnings=[told])


def _occurrences(baskets: Baskets) -> list[tuple[int, str]]:
    return [(at, baskets.items[code]) for at, code in zip(baskets.owners.tolist(), baskets.codes.tolist(), strict=True)]
