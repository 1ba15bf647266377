"""What mining results give away: the worked examples of section 17.2, through attack, model, operation and algorithm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sfumato
from sfumato.attacks import ClassifierAttack
from sfumato.interactive.models import AnonymousPatterns
from sfumato.itemsets.patterns import Patterns
from sfumato.recodings import AdversarialMiningSuppression
from sfumato.transactions.algorithms import AssociationRuleHiding, rule_figures
from sfumato.transactions.baskets import Baskets

Open = Callable[..., Any]


def test_what_a_released_classifier_tells(golden: Open) -> None:
    with golden("05-classifier-attack-1") as file:
        given = file.input["table"]
        table, secret = (
            sfumato.from_rows(given["columns"], [tuple(row) for row in given["rows"]]),
            file.input["sensitive"],
        )
        qid = [name for name in given["columns"] if name != secret]
        found = sfumato.attack(table, ClassifierAttack(max_confidence=0.7), qid=qid, sensitive=secret)
        (verdict,) = sfumato.check(table, {"id": "k-anonymity", "k": 3}, qid=qid)
        file.compare(verdict.strongest, "k_anonymity")
        rules = sorted(found.rules, key=lambda rule: rule.confidence)
        file.compare(
            [
                {"qid": list(one.qid), "predict": one.predict, "confidence": one.confidence, "support": one.support}
                for one in rules
            ],
            "rules",
        )
        victim = found.of(dict(zip(qid, file.input["victim"], strict=True)))
        file.compare(victim.predict, "victim_inferred")
        file.compare(victim.confidence, "victim_confidence")
        file.compare(found.prior_accuracy, "prior_best_guess_accuracy")
        file.compare(found.accuracy, "rule_accuracy")
        file.compare(found.accuracy_gain, "accuracy_gain")
        file.compare([list(rule.qid) for rule in found.suppressed], "rules_suppressed_at_max_confidence_0.7")


def test_rules_are_hidden(golden: Open) -> None:
    with golden("05-rule-hiding-1") as file:
        given, names = file.input["transactions"], list(file.input["transactions"])
        baskets = Baskets.of([set(items) for items in given.values()])
        least = file.input["min_support"] * len(baskets)
        rule = {"if": list(file.input["hide"]["X"]), "then": list(file.input["hide"]["Y"])}
        hiding = AssociationRuleHiding(
            rules=(rule,), support=int(-(-least // 1)), confidence=file.input["min_confidence"]
        )
        hidden = hiding.hide(baskets)
        file.compare([[int(names[at]), item] for at, item in hidden.deletions], "steps")
        file.compare({name: "".join(sorted(one)) for name, one in zip(names, hidden.baskets, strict=True)}, "result")
        figures = rule_figures(hidden.baskets, rule["if"], rule["then"])
        file.compare(figures.support / len(baskets), "support_after")
        file.compare(float(figures.confidence), "confidence_after")
        before, after = (
            {f"{''.join(left)}->{''.join(right)}" for left, right in hiding.found(one, 2)}
            for one in (baskets, hidden.baskets)
        )
        file.compare(sorted(before), "rules_before")
        file.compare(sorted(after), "rules_after")
        file.compare(sorted(before - after), "lost_rules")
        file.compare(sorted(after - before), "ghost_rules")


def test_frequent_sets_tell_of_small_groups(golden: Open) -> None:
    with golden("05-anonymous-patterns-1") as file:
        patterns = Patterns.mined(file.input["transactions"], file.input["sigma"])
        file.compare({"".join(items): support for items, support in patterns.supports.items()}, "frequent")
        verdict = AnonymousPatterns(k=file.input["k"]).judge(patterns)
        channels = [["".join(one.inside), "".join(one.within), one.count] for one in verdict.channels]
        file.compare(sorted(channels), "channels")
        file.compare(verdict.k_anonymous, "k_anonymous")


def test_hidden_cells_are_not_restored(golden: Open) -> None:
    with golden("05-adversarial-suppression-1") as file:
        given = file.input["table"]
        table = sfumato.from_rows(given["columns"], [tuple(row) for row in given["rows"]])
        hiding = AdversarialMiningSuppression(
            cells=tuple((row, name) for row, name in file.input["suppressed"]),
            support=file.input["min_support"],
            confidence=file.input["min_confidence"],
            size=file.input["max_antecedent"],
        )
        rules = [[list(rule.columns), rule.support, rule.records] for rule in hiding.recovering(table)]
        file.compare(rules, "recovering_rules_before")
        best = hiding.fewest(table)
        file.compare(len(best[0]), "min_extra_suppressions")
        file.compare([[list(cell) for cell in one] for one in best], "optimal_solutions")
        assert hiding.hide(table).extra in best
