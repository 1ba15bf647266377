"""Scores on texts that can be counted by hand."""

from __future__ import annotations

import pytest

from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.text.documents import Document, Documents
from sfumato.text.extraction import score


def of(*texts: str, person: str | None = None) -> Documents:
    return Documents(tuple(Document.tagged(str(at), text, person) for at, text in enumerate(texts)))


GOLD = of("<name>Ann Lee</name>, <age>41</age>, of <city>Bonn</city>", "<name>Ann Lee</name> left", person="p")
FOUND = of("<name>Ann Lee</name>, <zip>41</zip>, of Bonn", "Ann <name>Lee</name> <date>left</date>", person="p")


def test_by_hand() -> None:
    scores = score(GOLD, FOUND)
    assert (scores.strict.tagged, scores.strict.found, scores.strict.right) == (4, 4, 1)
    assert scores.place.right == 2
    assert (scores.tokens.tagged, scores.tokens.found, scores.tokens.right) == (6, 5, 3)
    assert (scores.masked.right, scores.masked.recall, scores.masked.precision) == (4, 4 / 6, 4 / 5)
    assert scores.characters.right == len("AnnLee41Lee")
    assert scores.types["name"].recall == 0.5
    # Ann Lee is one entity of p, and one of its mentions is open; of the quasi-identifiers 41 is masked, Bonn is not.
    assert (scores.direct, scores.quasi) == (0.0, 0.5)


def test_a_rare_word_in_vain_costs_more() -> None:
    gold = of("<name>Ann</name> of of of of x")
    common, rare = of("<name>Ann</name> <name>of</name> of of of x"), of("<name>Ann</name> of of of of <name>x</name>")
    assert score(gold, common).weighted.precision > score(gold, rare).weighted.precision
    assert score(gold, common).masked.precision == score(gold, rare).masked.precision


def test_roles_of_other_types_and_nothing_at_all() -> None:
    scores = score(of("<vip>Bo</vip>"), of("<vip>Bo</vip>"), roles={"vip": Role.IDENTIFIER})
    assert (scores.direct, scores.quasi, scores.strict.f()) == (1.0, None, 1.0)
    empty = score(of("Bo"), of("Bo"))
    assert (empty.strict.f(), empty.direct) == (1.0, None)


def test_other_documents_are_refused() -> None:
    with pytest.raises(BadRequest, match="same documents"):
        score(GOLD, of("x"))
    with pytest.raises(BadRequest, match="another text"):
        score(of("x"), of("y"))
