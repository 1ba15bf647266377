"""Whose document is whose: equal keys first, then weights; pairs in between are for somebody to look at."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.errors import BadRequest
from sfumato.text import Document, Documents
from sfumato.text.linking import Comparison, link_documents, similarity

NAMES = ["Ann Lee", "Bob Ray", "Cy Orr", "Di Poe", "Eve Fox", "Gus Hay", "Ida Kim", "Jon Law"]


def notes(*told: dict[str, str]) -> Documents:
    return Documents.of(
        ["; ".join(f"{kind} <{kind}>{value}</{kind}>" for kind, value in one.items()) for one in told], tagged=True
    )


def test_what_agrees_by_weight_is_of_one_person_and_what_may_is_listed() -> None:
    others = [{"name": name, "born": f"19{at}0-01-0{at}", "town": "Ulm"} for at, name in enumerate(NAMES, start=1)]
    found = notes(
        *others,
        {"name": "Lee, Anne", "born": "1910-01-01", "town": "Ulm"},  # a name and a day that hardly agree by accident
        {"name": "Bob Ray", "town": "Bonn"},  # a name alone, in another town
    )
    linking = link_documents(found, [], Comparison(("name", "born", "town"), link_at=5, review_at=-2))
    assert linking.persons[8] == linking.persons[0]
    assert linking.persons[9] not in linking.persons[:9]
    assert linking.weighed == 1
    assert [(one.first, one.second, one.agree) for one in linking.review] == [(1, 9, ("name",))]


def test_a_person_that_is_named_makes_linking_needless() -> None:
    held = [Document("1", "Ann", ((0, 3, "name"),), "p"), Document("2", "Ann", ((0, 3, "name"),), "q")]
    assert link_documents(Documents(tuple(held)), ["name"], Comparison(("name",), 0, 0)).persons == ("p1", "p2")


@given(st.lists(st.sampled_from(NAMES[:4]), min_size=1, max_size=7))
def test_equal_keys_link_like_all_pairs_would(names: list[str]) -> None:
    persons = link_documents(notes(*({"name": name} for name in names)), ["name"]).persons
    for one, two in combinations(range(len(names)), 2):
        assert (persons[one] == persons[two]) == (names[one] == names[two])


@given(st.text("abcdé", max_size=6), st.text("abcdé", max_size=6))
def test_similarity_is_a_share_and_the_same_both_ways(one: str, two: str) -> None:
    assert 0 <= similarity(one, two) <= 1
    assert similarity(one, two) == pytest.approx(similarity(two, one))
    assert (similarity(one, two) == 1) == (one == two)


def test_the_list_is_kept_in_the_private_folder(tmp_path: Path) -> None:
    policy = {
        "shape": "text",
        "documents": {"tagged": True},
        "entities": {"name": {"role": "identifier", "link": "similar"}},
        "linking": {"link_at": 9, "review_at": 0.5},
    }
    release = sfumato.anonymize(
        [*(f"<name>{name}</name> came" for name in NAMES), "<name>Anne Lee</name> left"], policy
    )
    assert any("possible_links" in warning for warning in release.warnings)
    out = sfumato.publish(release, tmp_path / "out")
    listed = (out / "private" / "possible_links.csv").read_text("utf-8").splitlines()
    assert listed[0] == "document,other document,weight,agree"
    assert listed[1].startswith("1,9,")
    assert not any("Lee" in path.read_text("utf-8") for path in (out / "public").iterdir())


@pytest.mark.parametrize(
    ("linking", "words"), [({"link_at": 1, "review_at": 2}, "above"), ({"alike": 2}, "1"), ({"often": 1}, "linking")]
)
def test_wrong_thresholds_are_refused(linking: dict[str, float], words: str) -> None:
    policy = {"shape": "text", "entities": {"name": {"role": "identifier"}}, "linking": linking}
    with pytest.raises(BadRequest, match=words):
        sfumato.anonymize(["x"], policy)
