"""Documents with their spans as files: JSON lines with spans, or a folder of texts with tags, as people correct them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sfumato.errors import BadRequest, Taken
from sfumato.text.documents import Document, Documents
from sfumato.text.file_names import neutral_names

__all__ = ["add_documents", "inline", "write_documents"]

_TAG_LIKE = re.compile(r"<\s*/?\s*[A-Za-z][\w-]*\s*>")


def inline(document: Document) -> str:
    """Return the text with tags around its spans; one that holds what looks like a tag is refused.

    >>> inline(Document.tagged("1", "<name>Ann</name> left."))
    '<name>Ann</name> left.'
    """
    if _TAG_LIKE.search(document.text):
        raise BadRequest(
            "holds what looks like a tag: write JSON lines (.jsonl)", parameter="document", value=document.name
        )
    out, at = list[str](), 0
    for span in document.spans:
        out += [document.text[at : span.start], f"<{span.type}>", document.said(span), f"</{span.type}>"]
        at = span.end
    return "".join([*out, document.text[at:]])


def write_documents(documents: Documents, out: Path) -> None:
    """Write documents to a new file of JSON lines (``.jsonl``), or as texts with tags into a new folder.

    A document whose name may be a person's is called by its number.
    """
    documents = neutral_names(documents)
    if out.exists():
        raise Taken("exists already", parameter="--out", value=str(out))
    if out.suffix in (".jsonl", ".ndjson"):
        files = {out: _lines(documents)}
    else:
        files = {out / f"{Path(one.name).name.removesuffix('.txt')}.txt": _bytes(inline(one)) for one in documents}
        if len(files) < len(documents):
            raise BadRequest("two documents would have the same file: write JSON lines (.jsonl)", parameter="--out")
    with _refusing(out, "--out"):
        if out not in files:
            out.mkdir(parents=True)
        for file, content in files.items():
            file.write_bytes(content)


def add_documents(documents: Documents, training: Path, held: Documents | None) -> tuple[int, int]:
    """Add documents to a training file, the new tags of a text in place of the old ones; count the new and the changed."""
    before = {document.text: document for document in held} if held is not None else {}
    known = set(before)
    after = before | {document.text: document for document in documents}
    changed = sum(before[one.text].spans != one.spans for one in documents if one.text in known)
    # Whoever reads the file meanwhile has the old one or the new one, never a part.
    beside = training.with_name(f".part.{training.name}")
    content = _lines(after.values())
    try:
        with _refusing(training, "--add-to"):
            beside.write_bytes(content)
            beside.replace(training)
    finally:
        beside.unlink(missing_ok=True)
    return len(after) - len(known), changed


def _lines(documents: Iterable[Document]) -> bytes:
    out = list[str]()
    for one in documents:
        line: dict[str, object] = {"name": one.name, "text": one.text, "spans": [list(span) for span in one.spans]}
        if one.person is not None:
            line["person"] = one.person
        out.append(json.dumps(line, ensure_ascii=False) + "\n")
    return _bytes("".join(out))


def _bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise BadRequest("holds half of a sign, a lone surrogate, which no file can", parameter="source") from None


@contextmanager
def _refusing(path: Path, option: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise BadRequest(f"cannot be written ({reason})", parameter=option, value=str(path)) from None
