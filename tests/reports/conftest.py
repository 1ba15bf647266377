"""What the report tests share: releases of every kind, and a reader that takes a page apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Any

import pytest

import sfumato
from sfumato.contracts.published import Release
from sfumato.datasets import sample, sample_policy

VOID = {"meta", "br", "hr", "img", "input", "link"}


@dataclass
class Page(HTMLParser):
    """A page taken apart: texts, ids, references, and what was left open or closed wrongly."""

    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    addresses: list[tuple[str, str]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def _seen(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.faults.append(f"<{tag}> repeats an attribute")
        for name, value in attributes:
            if name == "id":
                self.ids.append(value or "")
            elif name in ("aria-labelledby", "aria-describedby"):
                self.references += (value or "").split()
            elif (
                name in ("href", "src", "srcset", "action", "data", "xlink:href", "poster", "style") or name[:2] == "on"
            ):
                self.addresses.append((name, value or ""))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._seen(tag, attrs)
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._seen(tag, attrs)
        if "svg" not in self.stack:
            self.faults.append(f"<{tag}/> closes itself outside a drawing")

    def handle_endtag(self, tag: str) -> None:
        if not self.stack or self.stack.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        if "style" not in self.stack:
            self.texts.append(data)

    @property
    def text(self) -> str:
        """All that can be read, with blanks between the pieces."""
        return " ".join(" ".join(self.texts).split())


def taken_apart(page: str) -> Page:
    """Read a page."""
    reader = Page()
    reader.feed(page)
    reader.close()
    return reader


@pytest.fixture(scope="session")
def sampled() -> Release:
    """Return a release of the sample by its own policy."""
    return sfumato.anonymize(sfumato.from_dataset(sample()), sample_policy())


@pytest.fixture(scope="session")
def made() -> Callable[..., Release]:
    """Return a function that releases rows: names, rows, entries of the columns in a policy, k, and more of the policy."""

    def make(
        names: Sequence[str], rows: Sequence[Sequence[Any]], columns: Mapping[str, Any], k: int = 2, **policy: Any
    ) -> Release:
        asked = {"columns": columns, "requirements": [{"id": "k-anonymity", "k": k}], **policy}
        return sfumato.anonymize(sfumato.from_rows(names, rows), asked)

    return make


@pytest.fixture(scope="session")
def recoded(made: Callable[..., Release]) -> Callable[..., Release]:
    """Return a function that publishes one column of values under a recoding decided by hand."""

    def make(values: Sequence[Any], recoding: Any) -> Release:
        rows = [(value,) for value in values]
        release = made(["a"], rows, {"a": {"role": "quasi-identifier"}}, k=1)
        table = sfumato.recode(sfumato.from_rows(["a"], rows), {"a": recoding}).table
        return replace(release, tables={"data": table}, private=replace(release.private, recodings={"a": recoding}))

    return make
