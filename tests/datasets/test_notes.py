"""Invented notes: the same for the same seed, tagged well, and two parts that share nothing."""

from __future__ import annotations

import re

import pytest

from sfumato.datasets import notes
from sfumato.errors import BadRequest
from sfumato.text.documents import Document
from sfumato.text.types import TYPES


def test_the_same_for_the_same_seed() -> None:
    assert notes(30, 5).to_rows() == notes(30, 5).to_rows()
    assert notes(30, 5).to_rows() != notes(30, 6).to_rows()


def test_every_type_is_told_and_every_tag_closes() -> None:
    made = notes(400, 1)
    documents = [Document.tagged(str(at), str(note)) for at, note in enumerate(made.values("note"))]
    assert {span.type for document in documents for span in document.spans} == set(TYPES)
    assert not any(re.search(r"[{}\[\]<>]", document.text) for document in documents)
    assert set(made.values("language")) == {"en", "de"}
    assert len(set(made.values("patient"))) < 300


def test_parts_share_no_name() -> None:
    def names(part: str) -> set[str]:
        made = notes(150, 1, part=part)
        told = re.findall(r"<(?:name|doctor)>(.*?)</", " ".join(map(str, made.values("note"))))
        return {word for name in told for word in name.replace(",", "").split() if len(word) > 2}

    assert names("train").isdisjoint(names("test"))


def test_wrong_requests() -> None:
    for wrong in ({"rows": 0}, {"language": "xx"}, {"part": "none"}):
        with pytest.raises(BadRequest):
            notes(**wrong)  # type: ignore[arg-type]
