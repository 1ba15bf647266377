"""What m-confidentiality promises, the minimality attack cannot break: on random tables it never believes beyond 1/m."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.attacks.linkage.attack_minimality import Minimality

JOBS = {"Any": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
ABOVE = {"Engineer": "Professional", "Lawyer": "Professional", "Dancer": "Artist", "Writer": "Artist"}
RULES = st.sampled_from(
    [
        {"id": "confidence-bounding", "sensitive": "S", "value": "a", "h": 0.5},
        {"id": "l-diversity-frequency", "sensitive": "S", "l": 1.5},
        {"id": "l-diversity-distinct", "sensitive": "S", "l": 2},
        {"id": "alpha-k-anonymity", "alpha": 0.7, "k": 1, "sensitive": "S"},
        {"id": "t-closeness", "t": 0.3, "sensitive": "S", "ground_distance": "equal"},
        {"id": "lkc-privacy", "L": 1, "K": 1, "C": 0.6, "sensitive": "S", "values": ["a"]},
    ]
)
PEOPLE = st.lists(st.tuples(st.sampled_from(sorted(ABOVE)), st.sampled_from("abc")), min_size=2, max_size=9)


@settings(max_examples=120)
@given(people=PEOPLE, rule=RULES, m=st.sampled_from([1.0, 1.2, 1.5, 2.0, 3.0]), top=st.booleans())
def test_what_the_model_allows_is_never_believed_beyond_the_bound(people: Any, rule: Any, m: float, top: bool) -> None:
    """And what it forbids the attack finds: both count the same worlds."""
    table = sfumato.from_rows(["Job", "S"], [("*" if top else ABOVE[job], value) for job, value in people])
    external = sfumato.from_rows(["Job"], [(job,) for job, _ in people])
    asked = {"id": "m-confidentiality", "m": m, "sensitive": "S", "requirement": rule}
    beside: dict[str, Any] = {"qid": ["Job"], "external": external, "hierarchies": {"Job": JOBS}}
    try:
        (verdict,) = sfumato.check(table, asked, **beside)
    except sfumato.BadRequest as error:
        assert error.parameter == "publisher"  # noqa: PT017
        event("nobody would have published this")
        return
    found = sfumato.attack(table, "attack-minimality", sensitive="S", models=[asked], **beside)
    assert isinstance(found, Minimality)
    event(f"satisfied: {verdict.satisfied}")
    assert found.m_confidentiality(m) == verdict.satisfied
    if verdict.satisfied:
        assert found.highest <= (1 / m) * (1 + 1e-9)
    assert verdict.strongest is not None
    assert abs(1 / verdict.strongest - found.highest) < 1e-12


@settings(max_examples=60)
@given(people=PEOPLE, k=st.integers(1, 4))
def test_k_anonymity_alone_is_what_it_was(people: Any, k: int) -> None:
    """A requirement that does not look at values cannot give them away."""
    table = sfumato.from_rows(["Job", "S"], [(ABOVE[job], value) for job, value in people])
    external = sfumato.from_rows(["Job"], [(job,) for job, _ in people])
    beside: dict[str, Any] = {"qid": ["Job"], "sensitive": "S", "hierarchies": {"Job": JOBS}}
    found = sfumato.attack(
        table, "attack-minimality", external=external, models=[{"id": "k-anonymity", "k": k}], **beside
    )
    linked = sfumato.attack(table, "attack-attribute-linkage", **beside)
    assert found.highest == linked.highest
