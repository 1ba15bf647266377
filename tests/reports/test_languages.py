"""Pages in another language: nothing that people read is left outside of the words, and German has all of them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

import sfumato
from sfumato.catalogue import things
from sfumato.contracts.published import Release
from sfumato.contracts.thing import parameters
from sfumato.data import messages
from sfumato.data.text import to_text
from sfumato.datasets import sample, sample_policy
from sfumato.errors import BadRequest

from .conftest import taken_apart
from .test_kind_page import COLUMNS, KINDS, ROWS, release

SOURCE = Path(sfumato.__file__).parent
WORDS = SOURCE / "words"
FREE = ("gist.", "title.", "learner.")  # what things say of themselves in English is beside them, not in the file


def sentences(text: str) -> dict[str, str]:
    """Return the sentences of a language by id, and its form; a key that stands there twice is a sentence that is lost."""

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len(dict(pairs)) == len(pairs), [key for key, _ in pairs]
        return dict(pairs)

    return dict(messages._flat(json.loads(text, object_pairs_hook=once)))


ENGLISH = sentences((WORDS / "en.json").read_text("utf-8"))
GERMAN = sentences((WORDS / "de.json").read_text("utf-8"))


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


# ---- a language in which every text has a frame ----------------------------------------------------------------------------


def framed() -> str:
    """Return a language that says what English says, in frames; things say their own in frames as well."""
    own: dict[str, str] = {}
    for kind in ("model", "metric", "algorithm", "release", "attack"):
        for thing in things(kind):
            own[f"gist.{kind}.{thing.id}"] = thing.summary().replace("``", "").replace("{", "").replace("}", "")
            title = thing.id.removeprefix("attack-").replace("-", " ")
            own[f"title.{thing.id}"] = getattr(thing, "title", "") or title.capitalize()
    own |= {"learner.decision-tree": "decision tree"}
    said = {**ENGLISH, **own}
    document: dict[str, dict[str, str]] = {}
    for key, text in said.items():
        table, _, name = key.rpartition(".")
        document.setdefault(table, {})[name] = text if table == "form" else f"⟦{text}⟧"
    return json.dumps(document)


@pytest.fixture
def frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Put a framed language beside English and return its name."""
    shelf = tmp_path / "words"
    shelf.mkdir()
    (shelf / "en.json").write_bytes((WORDS / "en.json").read_bytes())
    (shelf / "xx.json").write_text(framed(), encoding="utf-8")
    monkeypatch.setattr(messages, "_SHELF", shelf)
    messages._writer.cache_clear()
    yield "xx"
    messages._writer.cache_clear()


class Outside(HTMLParser):
    """Collects what a reader sees outside of frames; code is no sentence."""

    INLINE = ("b", "a", "span", "code", "tspan")

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.depth = 0
        self.quiet = 0
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.INLINE:
            self.depth = 0
        self.quiet += tag in ("code", "pre", "style")
        for name, value in attrs:
            if name in ("aria-label", "data-label"):
                depth, self.depth = self.depth, 0
                self.handle_data(value or "")
                self.depth = depth

    def handle_endtag(self, tag: str) -> None:
        self.quiet -= tag in ("code", "pre", "style")

    def handle_data(self, data: str) -> None:
        left = ""
        for sign in data:
            self.depth += sign == "⟦"
            if self.depth <= 0 and not self.quiet:
                left += sign
            self.depth -= sign == "⟧" and self.depth > 0
        self.texts.append(left.replace("⟧", ""))


def pieces(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{2,}", text))


def data_of(made: Release, policy: Mapping[str, Any] | None, raw: Any) -> set[str]:
    """Return the words that are data: names, values, ids and parameters."""
    known = set()
    for table in (*made.tables.values(), raw):
        for name in table.columns:
            known |= pieces(name) | {part for value in table.dictionary(name).values for part in pieces(to_text(value))}
        known |= {part for kind in table.types.values() for part in pieces(str(kind))}
    for kind in ("model", "metric", "algorithm", "release", "attack", "operation", "perturbation"):
        known |= {part for thing in things(kind) for part in pieces(thing.id)}
    told, statement = made.certificate, made.certificate.statement
    known |= pieces(json.dumps([dict(entry.parameters) for entry in told.requirements], default=str))
    known |= pieces(json.dumps([told.release.parameters, dict(told.versions)], default=str))
    known |= pieces(json.dumps({} if statement is None else statement.parameters, default=str))
    known |= pieces(json.dumps(policy and policy["columns"])) | pieces(" ".join(made.tables))
    return {part.lower() for part in known | {"csv", "json", "yaml", "html", "SHA"}}


def personal() -> tuple[Any, dict[str, Any]]:
    rows = [(f"486{i % 30:02}", 20 + i % 40, ("Flu", "Cold", "Heart")[i % 3], (1, 0, None)[i % 3]) for i in range(90)]
    policy = {
        "columns": {
            "zip": {"role": "quasi-identifier", "hierarchy": {"id": "redaction", "length": 5}},
            "age": {
                "role": "quasi-identifier",
                "hierarchy": {"id": "intervals", "lower": 20, "width": 10, "fan_out": [2, 2]},
            },
            "disease": {"role": "sensitive"},
            "answer": {"role": "private"},
        },
        "requirements": [{"id": "personal-frequency", "sensitive": "disease", "th_acct": "0.1"}],
        "algorithm": {
            "id": "qidb-anonymization",
            "weights": {"Flu": 1, "Cold": 0, "Heart": 0},
            "flags": "answer",
        },
        "limits": {"suppress_at_most": 1.0},
        "seed": 3,
    }
    return sfumato.from_rows(["zip", "age", "disease", "answer"], rows), policy


def made_of(name: str) -> tuple[Release, Mapping[str, Any] | None, Any]:
    if name in KINDS:
        kind, arguments, _ = KINDS[name]
        return release(kind, **arguments), None, sfumato.from_rows(COLUMNS, ROWS)
    if name == "personal":
        raw, policy = personal()
    else:
        raw, policy = sfumato.from_dataset(sample()), {**sample_policy(), "algorithm": {"id": name}}
    return sfumato.anonymize(raw, policy), policy, raw


CASES = ["tdr", "optimal", "bottom-up-generalization", "mondrian", "personal", *(k for k in KINDS if k != "answers")]


@pytest.mark.parametrize("name", CASES)
def test_no_sentence_is_left_outside(name: str, frames: str, tmp_path: Path) -> None:
    made, policy, raw = made_of(name)
    folder = sfumato.publish(made, tmp_path / "out", thorough=name == "tdr", language=frames)
    known = data_of(made, policy, raw)
    for part in ("private", "public"):
        text = (folder / part / "report.html").read_text(encoding="utf-8")
        assert f'<html lang="{frames}">' in text
        said = [(policy or {}).get(stated) for stated in ("title", "purpose", "recipients", "steward")]
        for own in [*said, *(one["reason"] for one in (policy or {}).get("accepted", ()))]:  # words of the publisher
            text = text.replace(str(own or "\0"), "")
        page = Outside()
        page.feed(re.sub(r"<(style|title)>.*?</\1>", "", text, flags=re.DOTALL))
        left = [(text, sorted(word for word in pieces(text) if word.lower() not in known)) for text in page.texts]
        files = re.compile(r"[0-9a-f]{64}|[\w-]+\.(csv|json|yaml|html)")
        assert [(text, words) for text, words in left if words and not files.fullmatch(text)] == []


# ---- the files of words ------------------------------------------------------------------------------------------------------


def _ids(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """Yield the ids that code says, and the beginnings of those that it makes up."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("say", "tell")):
            continue
        for given in [node.args[0].body, node.args[0].orelse] if isinstance(node.args[0], ast.IfExp) else node.args[:1]:
            if isinstance(given, ast.Constant):
                yield given.value, True
            elif isinstance(given, ast.JoinedStr) and isinstance(given.values[0], ast.Constant):
                yield given.values[0].value, False
            else:
                assert ast.unparse(given) in ("id", "name"), ast.unparse(node)


def used() -> tuple[set[str], set[str]]:
    """Return the ids that are used, and the beginnings of ids that are made up."""
    found: list[tuple[str, bool]] = []
    for file in SOURCE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if "say(" in text or "tell(" in text:
            found += _ids(ast.parse(text))
    for file in SOURCE.rglob("*.j2"):
        text = file.read_text(encoding="utf-8")
        found += [(name, True) for name in re.findall(r'"((?:page)\.[\w.-]+)"(?! ~)', text)]
        found += [(name, False) for name in re.findall(r'"((?:page)\.[\w.-]+)" ~', text)]
    return {name for name, whole in found if whole}, {name for name, whole in found if not whole}


def test_code_and_words_have_the_same_ids() -> None:
    whole, begins = used()
    known = {name for name in ENGLISH if not name.startswith("form.")}
    assert whole <= known, sorted(whole - known)
    assert all(any(name.startswith(begin) for name in known) for begin in begins)
    unused = [name for name in known - whole if not name.startswith(tuple(begins))]
    assert not unused, sorted(unused)


def test_german_has_every_sentence_with_the_same_facts() -> None:
    own = {name: text for name, text in GERMAN.items() if not name.startswith(FREE)}
    assert own.keys() == ENGLISH.keys(), sorted(own.keys() ^ ENGLISH.keys())
    assert not [name for name, text in own.items() if places(text) != places(ENGLISH[name])]
    things_said = {name for name in GERMAN if name.startswith("gist.")}
    there = {
        f"gist.{kind}.{one.id}"
        for kind in ("model", "metric", "algorithm", "release", "attack", "hierarchy")
        for one in things(kind)
    }
    there |= {
        f"gist.field.{rule.doc}"
        for kind in ("hierarchy", "model")
        for one in things(kind)
        for _, rule, _ in parameters(one)
    }
    assert things_said <= there, sorted(things_said - there)


def test_what_reads_alike_in_a_file_reads_alike_in_german() -> None:
    kept: dict[str, set[str]] = {}
    for name, text in ENGLISH.items():
        if not name.startswith(("form.", "page.")):
            kept.setdefault(text, set()).add(GERMAN[name])
    assert not {text: others for text, others in kept.items() if len(others) > 1}


def test_a_page_in_german(tmp_path: Path) -> None:
    folder = sfumato.publish(release("anatomy-pair", **KINDS["pair"][1]), tmp_path / "out", language="de")
    certificate = json.loads((folder / "public" / "certificate.json").read_bytes())
    assert "record linkage: finding the record of a known person" in certificate["not_protected_against"]
    for part in ("private", "public"):
        page = taken_apart((folder / part / "report.html").read_text(encoding="utf-8"))
        assert not page.faults
        assert "Die Veröffentlichung erfüllt jede Anforderung" in page.text
        assert "The release" not in page.text
    again = sfumato.report(folder, language="de", file=tmp_path / "again.html")
    assert again.read_bytes() == (folder / "private" / "report.html").read_bytes()
    english = sfumato.report(folder, file=tmp_path / "english.html").read_text(encoding="utf-8")
    assert "The release meets every requirement" in english


def test_unknown_languages_are_refused_before_anything_happens(tmp_path: Path) -> None:
    made = release("anatomy-pair", **KINDS["pair"][1])
    with pytest.raises(BadRequest, match="language") as refused:
        sfumato.publish(made, tmp_path / "out", language="tlh")
    assert "de" in str(refused.value)
    assert not (tmp_path / "out").exists()
    folder = sfumato.publish(made, tmp_path / "out")
    with pytest.raises(BadRequest, match="language"):
        sfumato.report(folder, language="tlh")
