"""Nuggets and moles of the book's baskets, and a rule that one deletion hides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato.contracts.run import Run
from sfumato.transactions import Baskets
from sfumato.transactions.algorithms.association_rule_hiding import AssociationRuleHiding, rule_figures
from sfumato.transactions.algorithms.nugget_suppression import NuggetSuppression
from sfumato.transactions.models import HKPCoherence
from sfumato.transactions.nuggets import border, nuggets
from sfumato.transactions.task import BasketTask


def listed(sets: Any) -> list[list[str]]:
    return [list(one) for one in sets]


def test_nuggets_and_moles(golden: Callable[..., Any]) -> None:
    with golden("06-nuggets-1") as file:
        asked = file.input
        baskets = Baskets.of(
            [row[1] for row in asked["table"]["rows"]], private=asked["private_items"], public=asked["public_items"]
        )
        model = HKPCoherence(h=asked["h"], k=asked["k"], p=asked["p"])
        least, most = asked["nugget_min_support"], asked["nugget_max_size"]
        gems, moles = nuggets(baskets, least, most), model.moles(baskets)
        file.compare(len(gems), "number_of_nuggets")
        file.compare(listed(gems), "nuggets")
        file.compare(listed(border(gems).minimal), "nugget_border", "minimal")
        file.compare(listed(border(gems).maximal), "nugget_border", "maximal")
        file.compare(len(moles), "number_of_moles")
        file.compare(listed(border(moles).minimal), "mole_border", "minimal")
        file.compare(listed(border(moles).maximal), "mole_border", "maximal")
        file.compare(
            {
                name: {"moles": sum(name in one for one in moles), "nuggets": sum(name in one for one in gems)}
                for name in asked["public_items"]
            },
            "per_item",
        )
        facts = NuggetSuppression(support=least, size=most).run(BasketTask(baskets, [model]), Run()).facts
        first = facts["suppressed"][0]
        assert first in file.expected["first_suppressed_any_of"]
        file.compare(file.expected["first_suppressed_any_of"], "first_suppressed_any_of")
        assert model.judge(baskets.without(facts["suppressed"])).satisfied


def test_a_rule_is_hidden(golden: Callable[..., Any]) -> None:
    with golden("06-rule-hiding-1") as file:
        asked = file.input
        names = [row[0] for row in asked["table"]["rows"]]
        sets = [set(row[1]) for row in asked["table"]["rows"]]
        rule = asked["rule"]
        hiding = AssociationRuleHiding(
            rules=({"if": rule["antecedent"], "then": rule["consequent"]},),
            support=asked["min_support"],
            confidence=asked["min_confidence"],
        )

        def told(baskets: Baskets) -> dict[str, object]:
            figures = rule_figures(baskets, rule["antecedent"], rule["consequent"])
            assert figures.confidence is not None
            return {
                "support": figures.support,
                "confidence": float(figures.confidence),
                "hidden": hiding.hidden(figures),
            }

        file.compare(told(Baskets.of(sets)), "before")
        found = hiding.hide(Baskets.of(sets))
        file.compare(len(found.deletions), "minimum_number_of_deletions_from_consequent")
        sets[names.index(asked["delete"]["from"])].discard(asked["delete"]["item"])
        file.compare(told(Baskets.of(sets)), "after")
        assert told(found.baskets)["hidden"]
