"""Reference pages come from the catalogue, links resolve, and the site needs nothing from elsewhere."""

from __future__ import annotations

import ast
import builtins
import doctest
import importlib.util
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ruamel.yaml import YAML

from sfumato.policy import SharedPolicy
from sfumato.verbs.describe import Description, describe

ROOT = Path(__file__).resolve().parents[2]
ENTRIES: list[Description] = describe()
WITH_LITERATURE = {"model", "hierarchy", "operation", "metric", "algorithm", "release", "experiment", "protocol"}

_COLUMNS = {"columns": {"a": {"role": "quasi-identifier"}}}
LEAST = {
    "table": {**_COLUMNS, "requirements": [{"id": "k-anonymity", "k": 2}]},
    "series": {**_COLUMNS, "requirements": [{"id": "bcf-anonymity", "k": 2}]},
    "database": {
        "person": "a",
        "tables": {"a": {"key": "b"}},
        "requirements": [{"id": "multir-k-anonymity", "k": 2}],
    },
    "views": {
        "views": {"one": {"columns": ["a"]}},
        "requirements": [{"id": "sp-view-kanon-check", "k": 2, "identifier": "a", "sensitive": "b"}],
    },
    "text": {"requirements": [{"id": "hide-deidentification-models"}]},
    "desk": {"desk": {"mode": "exact"}, "columns": {"a": {"role": "sensitive"}}},
    "graph": {"requirements": [{"id": "k-degree-anonymity", "k": 2}]},
    "transactions": {"items": {"column": "a"}, "requirements": [{"id": "km-anonymity", "k": 2, "m": 2}]},
    "trajectories": {"requirements": [{"id": "lkc-privacy", "L": 2, "K": 2}]},
}

LINK = re.compile(r"(?<!!)\[[^\]]+\]\((?P<target>[^)\s]+)\)")
FENCED = re.compile(r"(?ms)^```.*?^```$")


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    """The script that builds the documents."""
    spec = importlib.util.spec_from_file_location("sfumato_docs_build", ROOT / "docs/build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(builder: ModuleType) -> dict[str, str]:
    """All pages by file name."""
    found: dict[str, str] = builder.pages()
    return found


@pytest.fixture(scope="module")
def copy(builder: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the documents with the reference written, so that the checkout stays as it is."""
    folder = tmp_path_factory.mktemp("documents")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("ids", "__pycache__"))
    shutil.copy(ROOT / "mkdocs.yml", folder)
    builder.write_pages(folder / "docs" / "reference" / "ids")
    return folder


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_id_has_a_page_with_all_that_it_declares(
    entry: Description, builder: ModuleType, pages: dict[str, str]
) -> None:
    text = pages[f"{builder.called(entry)}.md"]
    assert entry.summary in text
    assert re.search(rf"sfumato describe {entry.id}(`|\n| --kind '{entry.kind}' --shape {entry.shape}\n)", text)
    for parameter in entry.parameters:
        assert f"| `{parameter.name}` |" in text
        assert parameter.doc in text
    for trait in entry.traits:
        assert f"| `{trait}` |" in text
    if entry.kind in WITH_LITERATURE:
        assert entry.references, f"{entry.id} names no source"
        assert "## References\n\n- " in text
    squeezed = " ".join(text.split())
    for word in entry.references.split():
        assert word in squeezed
    assert f"[{builder.called(entry)}]({builder.called(entry)}.md)" in pages["index.md"]


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.example], ids=lambda entry: entry.id)
def test_examples_bring_what_they_name(entry: Description, builder: ModuleType, pages: dict[str, str]) -> None:
    """They are those of the docstrings, which are tried with the names of their modules; a page has only what it imports."""
    (shown,) = re.findall(r"```python\n(.*?)```", pages[f"{builder.called(entry)}.md"], re.S)
    assert entry.example.strip() in shown
    code = ast.parse("".join(example.source for example in doctest.DocTestParser().get_examples(shown)))
    assert code.body
    used, bound = set[str](), set(dir(builtins))
    for node in ast.walk(code):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
    assert used <= bound, f"{used - bound} are not imported"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_policy_fragments_are_accepted(entry: Description, builder: ModuleType, pages: dict[str, str]) -> None:
    fragment = builder.policy_fragment(entry)
    shown = re.findall(r"```yaml\n(.*?)```", pages[f"{builder.called(entry)}.md"], re.S)
    assert len(shown) == (fragment is not None)
    if fragment is not None:
        assert YAML(typ="safe").load(shown[0]) == fragment
        SharedPolicy.of({**LEAST[entry.shape], **fragment})


def test_writing_replaces_old_pages(builder: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "reference"
    folder.mkdir()
    (folder / "gone.md").write_text("a page of an id that is no more", encoding="utf-8")
    written = builder.write_pages(folder)
    assert {path.name for path in written} == {path.name for path in folder.iterdir()}
    assert len(written) == len(ENTRIES) + 1


def links(text: str) -> list[str]:
    """Return the targets of links outside fenced blocks."""
    return [found["target"] for found in LINK.finditer(FENCED.sub("", text))]


def slugs(text: str) -> set[str]:
    """Return the anchors of the headings of a page."""
    titles = re.findall(r"(?m)^#+ (.+)$", FENCED.sub("", text))
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def broken(page: Path) -> list[str]:
    """Return the relative links of a page that lead nowhere."""
    out = []
    for target in links(page.read_text(encoding="utf-8")):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if not file.exists() or (anchor and anchor not in slugs(file.read_text(encoding="utf-8"))):
            out.append(target)
    return out


def test_relative_links_resolve(copy: Path) -> None:
    found = {str(page.relative_to(copy)): broken(page) for page in sorted((copy / "docs").rglob("*.md"))}
    assert {name: targets for name, targets in found.items() if targets} == {}


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"])
def test_links_of_the_front_pages_resolve(name: str) -> None:
    assert links((ROOT / name).read_text(encoding="utf-8"))
    assert broken(ROOT / name) == []


def listed(entries: list[Any]) -> Iterator[str]:
    """Yield the pages of a navigation, whatever section they are in."""
    for entry in entries:
        for target in entry.values():
            yield from [target] if isinstance(target, str) else listed(target)


def test_navigation_names_every_page(copy: Path) -> None:
    config = YAML(typ="safe").load((copy / "mkdocs.yml").read_text(encoding="utf-8"))
    named = list(listed(config["nav"]))
    docs = copy / "docs"
    written = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md") if path.parent.name != "ids"}
    assert set(named) == written | {"reference/ids/index.md"}
    assert len(named) == len(set(named))


def test_pages_of_ids_list_their_siblings(builder: ModuleType, pages: dict[str, str]) -> None:
    for entry in ENTRIES:
        siblings = {builder.called(other) for other in ENTRIES if other.kind == entry.kind} - {builder.called(entry)}
        assert siblings <= set(re.findall(r"\]\(([^)]+)\.md\)", pages[f"{builder.called(entry)}.md"])), entry.id


@pytest.mark.slow
def test_the_site_builds_without_the_network_and_asks_for_nothing(
    copy: Path, builder: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens there
    builder.build_site(copy / "mkdocs.yml")
    site = copy / "site"
    html = sorted(site.rglob("*.html"))
    assert {f"{builder.called(entry)}.html" for entry in ENTRIES} <= {path.name for path in html}
    assert not (site / "build.py").exists()
    foreign = re.compile(
        r"<script[^>]+src=[\"']?(?:https?:)?//|<link[^>]+href=[\"']?(?:https?:)?//|<img[^>]+src=[\"']?(?:https?:)?//"
        r"|<iframe|@import|url\([\"']?(?:https?:)?//"
    )
    for path in [*html, *site.rglob("*.css")]:
        assert foreign.findall(path.read_text(encoding="utf-8")) == [], path.relative_to(site)


def test_the_script_can_stop_after_the_pages(
    builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(builder, "ROOT", tmp_path)
    builder.main(["--pages-only"])
    assert f"wrote {len(ENTRIES) + 1} pages" in capsys.readouterr().out
    assert (tmp_path / "docs/reference/ids/index.md").is_file()
    assert not (tmp_path / "site").exists()
