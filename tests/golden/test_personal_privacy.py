"""Personal privacy by hand: what joining finds, how sure an adversary is, and what guarding nodes ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import sfumato
from sfumato import Publication, Tree
from sfumato.attacks.linkage.breach_probability import BreachProbability
from sfumato.attacks.linkage.linking_attack import Linkage
from sfumato.models.personalized_privacy import PersonalizedPrivacy


def test_voters_are_linked(golden: Callable[..., Any]) -> None:
    with golden("07-linking-attack-1") as file:
        given = file.input
        found = sfumato.attack(
            sfumato.from_rows(given["published"]["columns"], given["published"]["rows"]),
            "linking-attack",
            external=sfumato.from_rows(given["external"]["columns"], given["external"]["rows"]),
            name=given["name"],
            qid=given["join_on"],
            sensitive=given["sensitive"],
        )
        assert isinstance(found, Linkage)
        joined = {"columns": [given["name"], given["sensitive"]], "rows": [list(pair) for pair in found.pairs()]}
        file.compare(joined, "joined")
        file.compare(found.unmatched(), "unmatched_external")
        file.compare(found.record_disclosures, "reidentified_count")


@pytest.mark.parametrize("name", ["07-breach-probability-1", "07-breach-probability-2"])
def test_breach_probability(golden: Callable[..., Any], name: str) -> None:
    with golden(name) as file:
        given = file.input
        group = given["published_group"]
        columns = [*given["taxonomies"], "Disease"]
        table = sfumato.from_rows(columns, [(*group["value"], value) for value in group["sensitive"]])
        found = sfumato.attack(
            table,
            BreachProbability(values=(given["target_value"],)),
            external=sfumato.from_rows(given["external"]["columns"], given["external"]["rows"]),
            name="Name",
            sensitive="Disease",
            hierarchies=given["taxonomies"],
        )
        breach = found.of(given["target"])  # type: ignore[attr-defined]
        only = breach.groups[0]
        file.compare(list(only.persons), "ext")
        file.compare(only.r, "r")
        file.compare(only.y, "y")
        file.compare(only.matching, "matching_records")
        file.compare(only.possible, "possible_reconstructions")
        file.compare(only.breaching, "breaching_reconstructions")
        file.compare(str(breach.bp), "bp")
        file.compare(str(breach.bp_member), "bp_given_membership")
        file.compare(str(breach.bp_as_printed), "bp_as_printed_formula")
        place = found.names().index(given["target"])  # type: ignore[attr-defined]
        assert found.per_victim[place] == pytest.approx(float(breach.bp))
        # The printed labels are the nodes of the taxonomies at the printed levels.
        for column, label in zip(given["taxonomies"], group["value"], strict=True):
            tree = Tree.from_nested(given["taxonomies"][column])
            assert tree.height - int(tree.depth[tree.node_of[label]]) == given["node"][column]


def test_guarding_nodes(golden: Callable[..., Any]) -> None:
    with golden("02-greedy-personalized-1") as file:
        given = file.input
        tree = Tree.from_nested(given["taxonomy"])
        model = PersonalizedPrivacy(sensitive="Disease", guard="Guard", p_breach=0.5)
        for number, published in enumerate(given["publications"]):
            rows = [("g", value, node) for value, node in zip(published, given["guarding_nodes"], strict=True)]
            publication = Publication(
                table=sfumato.from_rows(["Zip", "Disease", "Guard"], rows), qids=("Zip",), trees={"Disease": tree}
            )
            file.compare(model.breach(publication).tolist(), "breach", number)
