"""Linkage attacks: worked values, also those that a model's file prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sfumato
from sfumato.attacks.linkage.attack_attribute_linkage import AttributeLinkage
from sfumato.attacks.linkage.attack_probabilistic import BeliefChange
from sfumato.attacks.linkage.attack_proximity import AttackProximity, Proximity
from sfumato.attacks.linkage.attack_record_linkage import RecordLinkage
from sfumato.attacks.linkage.attack_skewness import Skewness
from sfumato.attacks.linkage.attack_table_linkage import Presence


def rows_of(given: dict[str, Any]) -> Any:
    return sfumato.from_rows(given["columns"], given["rows"])


def test_patients_are_linked(golden: Callable[..., Any]) -> None:
    with golden("01-attack-record-linkage-1") as file:
        given, asked = file.input, file.input["parameters"]
        found = sfumato.attack(
            rows_of(given["published"]),
            "attack-record-linkage",
            external=rows_of(given["external"]),
            name="Name",
            qid=asked["qid"],
            sensitive=asked["sensitive"],
        )
        assert isinstance(found, RecordLinkage)
        links = {
            link.name: {
                "match_count": link.match_count,
                "record_link_probability": link.record_link_probability,
                "sensitive_distribution": dict(link.sensitive_distribution),
            }
            for link in found.links()
        }
        file.compare(links, "links")
        file.compare(found.uniquely_linked(), "uniquely_linked")
        file.compare(found.unmatched(), "unmatched")
        file.compare(dict(found.certain_sensitive_value()), "certain_sensitive_value")


def test_a_dancer_is_guessed(golden: Callable[..., Any]) -> None:
    with golden("01-attack-attribute-linkage-1") as file:
        given, asked = file.input, file.input["parameters"]
        found = sfumato.attack(
            rows_of(given["published"]),
            "attack-attribute-linkage",
            qid=asked["qid"],
            sensitive=asked["sensitive"],
            hierarchies=given["taxonomies"],
        )
        assert isinstance(found, AttributeLinkage)
        guess = found.of(given["victim"])
        file.compare(guess.group_size, "group_size")
        file.compare(dict(guess.posterior), "posterior")
        file.compare(guess.best_guess, "best_guess")
        file.compare(guess.best_guess_confidence, "best_guess_confidence")
        assert found.highest == file.expected["best_guess_confidence"]


def test_salaries_are_near(golden: Callable[..., Any]) -> None:
    with golden("01-attack-proximity-1") as file:
        asked = file.input["parameters"]
        given = {"qid": asked["qid"], "sensitive": asked["sensitive"]}
        found = sfumato.attack(file.table(), {"id": "attack-proximity", "interval": asked["interval"]}, **given)
        assert isinstance(found, Proximity)
        file.compare(found.confidence, "confidence")
        # The interval of the file is the fullest one of its width.
        low, high = asked["interval"]
        fullest = sfumato.attack(file.table(), AttackProximity(width=high - low), **given)
        assert isinstance(fullest, Proximity)
        file.compare(fullest.confidence, "confidence")
        assert fullest.worst(1)[0].interval == (low, high)


def test_presence_of_alice_and_bob(golden: Callable[..., Any]) -> None:
    with golden("01-delta-presence-1") as file:
        given, asked = file.input, file.input["parameters"]
        private, public = rows_of(given["private_generalised"]), rows_of(given["external_generalised"])
        found = sfumato.attack(private, "attack-table-linkage", external=public, name="Name", qid=asked["qid"])
        assert isinstance(found, Presence)
        file.compare(dict(found.presence_probability()), "presence_probability")
        assert found.warnings == ()
        # The model holds exactly where the attack stays inside its range.
        inside = [low <= found.per_victim.min() and found.highest <= high for low, high in asked["ranges"]]
        file.compare([bool(one) for one in inside], "satisfied")


def test_half_a_group_is_ten_times_as_much(golden: Callable[..., Any]) -> None:
    with golden("01-t-closeness-1") as file:
        asked = file.input["parameters"]
        group, overall = asked["group"], asked["overall"]
        # A hundred records with the overall shares, two of them in the group.
        counts = {("group", value): round(2 * share) for value, share in group.items()}
        counts |= {("rest", value): round(100 * share - 2 * group[value]) for value, share in overall.items()}
        rows = [pair for pair, count in counts.items() for _ in range(count)]
        given: dict[str, Any] = {"qid": ["Group"], "sensitive": "Disease"}
        table = sfumato.from_rows(["Group", "Disease"], rows)
        skewed = sfumato.attack(table, "attack-skewness", **given)
        assert isinstance(skewed, Skewness)
        (belief,) = skewed.worst(1)
        assert (belief.group, belief.value) == (("group",), "HIV")
        told = {"prior": belief.prior, "posterior": belief.posterior, "ratio": skewed.details["largest_ratio"]}
        file.compare(told, "confidence_gain_HIV")
        changed = sfumato.attack(table, "attack-probabilistic", **given)
        assert isinstance(changed, BeliefChange)
        # Under the equal ground distance the distance of the model is the share of belief that moves.
        file.compare(changed.highest, "distance")
        models = [
            {"id": "t-closeness", "t": t, "sensitive": "Disease", "ground_distance": asked["ground_distance"]}
            for t in asked["t_values"]
        ]
        judged = sfumato.check(table, models, qid=["Group"])
        file.compare({str(t): bool(verdict) for t, verdict in zip(asked["t_values"], judged, strict=True)}, "satisfied")
