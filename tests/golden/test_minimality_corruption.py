"""Attacks on data that is anonymous already, on worked examples: why it was masked, and what its members tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import sfumato
from sfumato.attacks.linkage.attack_corruption import Corruptions
from sfumato.attacks.linkage.attack_minimality import Minimality

Open = Callable[..., Any]

# The same template in three forms: as a bound on one value, as LKC-privacy, and inside m-confidentiality.
RULES: list[Callable[[dict[str, Any]], dict[str, Any]]] = [
    lambda t: {"id": "confidence-bounding", "sensitive": "Disease", "value": t["s"], "h": t["h"], "qid": t["qid"]},
    lambda t: {"id": "lkc-privacy", "L": 2, "K": 1, "C": t["h"], "sensitive": "Disease", "values": [t["s"]]},
    lambda t: {"id": "m-confidentiality", "m": 2, "sensitive": "Disease", "requirement": RULES[0](t)},
]


@pytest.mark.parametrize("rule", RULES)
def test_minimal_masking_gives_the_engineers_away(golden: Open, rule: Callable[[dict[str, Any]], Any]) -> None:
    with golden("01-attack-minimality-1") as file:
        template = file.input["parameters"]["template"]
        published, people = (
            sfumato.from_rows(file.input[name]["columns"], file.input[name]["rows"])
            for name in ("published", "external")
        )
        found = sfumato.attack(
            published,
            {"id": "attack-minimality", "values": [template["s"]]},
            external=people,
            name="Name",
            qid=template["qid"],
            sensitive="Disease",
            hierarchies=file.input["taxonomies"],
            models=[rule(template)],
        )
        assert isinstance(found, Minimality)
        file.compare(found.naive_confidence, "naive_confidence")
        file.compare(found.worlds_before, "worlds_before")
        file.compare(found.worlds_after, "worlds_after")
        file.compare(found.credibility(template["s"]), f"credibility_{template['s']}")
        for m in file.expected["m_confidentiality"]:
            file.compare(found.m_confidentiality(float(m)), "m_confidentiality", m)
        assert found.details["worlds_before"] == found.worlds_before
        assert found.details["worlds_after"] == found.worlds_after
        assert found.details["remedies"] == ["m-confidentiality", "mask"]


def test_john_tells_that_bob_has_the_other_value(golden: Open) -> None:
    with golden("01-attack-corruption-1") as file:
        asked = file.input["parameters"]
        told = file.input["corrupted"]
        found = sfumato.attack(
            file_table(file),
            "attack-corruption",
            qid=asked["qid"],
            sensitive=asked["sensitive"],
            corrupted=sfumato.from_rows(list(told[0]), [tuple(person.values()) for person in told]),
        )
        assert isinstance(found, Corruptions)
        belief = found.of(file.input["victim"])
        file.compare(belief.before, "posterior_before")
        file.compare(belief.after, "posterior_after")
        assert found.highest == 1.0
        assert found.details["certain_victims"] == 1


def file_table(file: Any) -> Any:
    given = file.input["published"]
    return sfumato.from_rows(given["columns"], given["rows"])
