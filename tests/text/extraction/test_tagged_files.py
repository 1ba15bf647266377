"""Documents as files: what is written is read back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.text.documents import Document, Documents, Span
from sfumato.text.extraction.tagged_files import inline, write_documents
from sfumato.text.sources import opened


@given(st.text(st.characters(exclude_characters="<>"), min_size=3, max_size=30))
def test_inline_tags_come_back(text: str) -> None:
    document = Document("1", text, (Span(0, 1, "a"), Span(1, 3, "b-c")))
    assert Document.tagged("1", inline(document)) == document


def test_lines_come_back(tmp_path: Path) -> None:
    documents = Documents(
        (Document("1", "x <b>\u2028 y\n", (Span(0, 1, "a"),), "p"), Document("2", "Zoe\u0308", (), "q"))
    )
    write_documents(documents, tmp_path / "out.jsonl")
    assert opened(tmp_path / "out.jsonl", column=None, person="person", tagged=False) == documents
    with pytest.raises(BadRequest, match="looks like a tag"):
        write_documents(documents, tmp_path / "folder")
    assert not (tmp_path / "folder").exists()
