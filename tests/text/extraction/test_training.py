"""Training: the same file every time, read back as it was, and refused where it is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import BadRequest, SfumatoError
from sfumato.text.documents import Documents
from sfumato.text.extraction import TextModel, extract, train

pytest.importorskip("pycrfsuite")

TAGGED = Documents.of(
    [
        f"{lead} <who>{name}</who> {end} <num>{number}</num>."
        for lead, end in (("Hello", "has"), ("Dear", "owns"), ("Then", "lost"), ("So", "sold"))
        for name, number in (("Wibble", "12"), ("Wobble", "345"), ("Wubble", "7"), ("Webble", "90"))
    ],
    tagged=True,
)


@pytest.fixture(scope="module")
def model() -> TextModel:
    return train(TAGGED, lists={"toys": ["Wabble", "Old Bear"]}, iterations=30)


def test_it_learns(model: TextModel) -> None:
    (document,) = extract(Documents.of(["Dear Wabble has 55."]), model=model)
    assert [(document.said(span), span.type) for span in document.spans] == [("Wabble", "who"), ("55", "num")]
    assert model.types == ("num", "who")


def test_the_same_file_every_time(model: TextModel, tmp_path: Path) -> None:
    content = model.to_bytes()
    assert train(TAGGED, lists={"toys": ["Wabble", "Old Bear"]}, iterations=30).to_bytes() == content
    assert TextModel.from_bytes(content).to_bytes() == content
    (tmp_path / "m").write_bytes(content)
    assert TextModel.load(tmp_path / "m").lists == {"toys": ("Wabble", "Old Bear")}


def test_what_is_no_model_is_refused(model: TextModel, tmp_path: Path) -> None:
    content = model.to_bytes()
    for wrong in (b"", b"PK\x03\x04", content[:40], content[:-1], content[:-1] + b"x", b"sfumato-text-model 1\n{}\n"):
        (tmp_path / "m").write_bytes(wrong)
        with pytest.raises(BadRequest, match="model"):
            TextModel.load(tmp_path / "m")
    with pytest.raises(BadRequest, match="cannot be read"):
        TextModel.load(tmp_path / "none")


def test_texts_without_tags_teach_nothing() -> None:
    with pytest.raises(SfumatoError, match="no tag"):
        train(Documents.of(["Hello."]))
