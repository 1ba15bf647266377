"""Writes the reference pages from the catalogue and builds the site, without the network.

``python docs/build.py`` writes ``docs/reference/ids`` and ``site``; with ``--pages-only`` it stops after the pages. Nothing on
the page of an id is written by hand: it comes from the fields, the traits and the docstring of the thing itself.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import importlib
import io
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ruamel.yaml import YAML

from sfumato.catalogue import TABLE, find, home_of, namesakes
from sfumato.contracts.metric import DataMetric, SearchMetric
from sfumato.contracts.thing import Thing
from sfumato.errors import BadRequest
from sfumato.verbs.describe import Description, describe

__all__ = ["build_site", "called", "main", "page", "pages", "policy_fragment", "write_pages"]

ROOT = Path(__file__).resolve().parent.parent

KINDS = {
    "model": ("Privacy models", "What must hold in a release."),
    "mechanism model": (
        "Models of mechanisms",
        "What must hold for a randomised procedure; audited, not checked on a table.",
    ),
    "hierarchy": ("Hierarchies", "How a value becomes more general."),
    "operation": ("Operations", "What is done to values and records."),
    "perturbation": ("Perturbations", "How values are changed at random, and what is estimated from them."),
    "algorithm": ("Algorithms", "How a recoding is found."),
    "metric": ("Metrics", "What a release costs, and what a step of a search is worth."),
    "release": ("Releases", "What leaves the house."),
    "attack": ("Attacks", "What an adversary learns."),
    "identifier": ("Identifiers", "What names a person, and how a column of it is recognised."),
    "engine": ("Engines", "Where rows live."),
    "experiment": ("Experiments", "Tables of the papers, run again."),
    "protocol": ("Between holders", "What several holders do together, and what tells how it went."),
}


# ---- what a page says ------------------------------------------------------------------------------------------------


@cache
def pages() -> dict[str, str]:
    """Return every page of the reference by file name, the overview included."""
    out = {"index.md": _overview()}
    for entry in _entries():
        name = f"{called(entry)}.md"
        if name in out:
            raise ValueError(f"two things are called {called(entry)}")
        out[name] = page(entry)
    return out


@cache
def _entries() -> list[Description]:
    return describe()


def called(entry: Description) -> str:
    """Return what the page of an id is called: a second reading of the id says in which shape, or of which kind."""
    first = _first(entry.id)
    if first is None or (first.__module__, first.__name__) == (entry.module, entry.name):
        return entry.id
    return f"{entry.id}-{entry.shape if entry.shape != home_of(first) else entry.kind}"


@cache
def _first(name: str) -> type[Thing] | None:
    return next(iter(sorted(namesakes(name), key=lambda thing: home_of(thing) != TABLE)), None)


def page(entry: Description) -> str:
    """Return the page of one id."""
    parts = [f"# {entry.id}", entry.summary, f"*{entry.kind}*, class `{entry.name}` in `{entry.module}`"]
    if entry.text:
        parts += ["## Definition", _prose(entry.text, skip="Adversary:" if entry.adversary else None)]
    if entry.adversary:
        parts += ["## Adversary", f"The adversary {entry.adversary}."]
    parts += ["## Parameters"]
    if entry.parameters:
        rows = [
            (
                f"`{p.name}`",
                f"`{p.type.replace(' | ', ' or ')}`",
                p.default if p.default == "required" else f"`{p.default}`",
                p.accepts,
                p.doc,
            )
            for p in entry.parameters
        ]
        parts.append(_table(("name", "type", "default", "accepts", "meaning"), rows))
    else:
        parts.append("None.")
    if entry.traits:
        parts += ["## Traits", _table(("trait", "value"), [(f"`{k}`", _value(v)) for k, v in entry.traits.items()])]
    parts += ["## How to use it", *_usage(entry)]
    if entry.example:
        parts += ["## Example", _fence("python", f"{_imports(entry)}{entry.example}")]
    if entry.references:
        parts += ["## References", "\n".join(f"- {line}" for line in _references(entry.references))]
    title = KINDS[entry.kind][0]
    siblings = [called(other) for other in _entries() if other.kind == entry.kind and called(other) != called(entry)]
    if siblings:
        parts += [
            f"## Other {title[0].lower()}{title[1:]}",
            ", ".join(f"[{name}]({name}.md)" for name in siblings) + ".",
        ]
    parts.append("[All ids](index.md)")
    return "\n\n".join(parts) + "\n"


def _overview() -> str:
    parts = [
        "# Reference",
        "Every id that a policy or a command accepts. `sfumato describe ID` prints the same on the terminal.",
    ]
    entries = _entries()
    for kind, (title, sentence) in KINDS.items():
        rows = [(f"[{called(e)}]({called(e)}.md)", e.summary) for e in entries if e.kind == kind]
        if rows:
            parts += [f"## {title}", sentence, _table(("id", "what it is"), rows)]
    unknown = sorted({entry.kind for entry in entries} - set(KINDS))
    if unknown:
        raise ValueError(f"the overview has no heading for {', '.join(unknown)}")
    return "\n\n".join(parts) + "\n"


def _usage(entry: Description) -> list[str]:
    fragment = policy_fragment(entry)
    out = []
    if fragment is not None:
        out += ["In a policy:", _fence("yaml", _yaml(fragment))]
    commands = [
        f"sfumato describe {entry.id}"
        + ("" if called(entry) == entry.id else f" --kind '{entry.kind}' --shape {entry.shape}")
    ]
    if entry.kind == "engine":
        commands.insert(0, f"sfumato anonymize data.csv --policy policy.yaml --engine {entry.id} --out release")
    elif entry.kind == "experiment":
        commands.insert(0, f"sfumato reproduce {entry.id}")
    elif entry.kind == "protocol":
        out.append(f"In Python: `from sfumato.parties.protocols import {entry.name}`.")
    elif entry.id == "recoded-table":
        commands[:0] = ["sfumato anonymize data.csv --policy policy.yaml --out release", "sfumato verify release"]
    elif entry.kind in ("operation", "perturbation") and entry.module.count(".") > 2:  # of another shape than a table
        out.append(f"In Python: `from {entry.module} import {entry.name}`.")
    elif entry.kind == "operation":
        out.append("`sfumato.recode` applies it by hand; where a search chooses it, the certificate names it.")
    elif entry.kind == "perturbation":
        out.append("`sfumato.perturb` applies it; what comes out is no longer true of single records.")
    return [*out, "On the command line:", _fence("sh", "\n".join(commands))]


def policy_fragment(entry: Description) -> dict[str, Any] | None:
    """Return the part of a policy that uses the id, or ``None`` where a policy does not name it."""
    fragment = _fragment(entry)
    return fragment if fragment is None or entry.shape == TABLE else {"shape": entry.shape, **fragment}


def _fragment(entry: Description) -> dict[str, Any] | None:
    if entry.kind == "engine":
        return {"engine": entry.id}
    if entry.kind == "metric":
        metric = find(entry.id, "metric", entry.shape)
        if issubclass(metric, SearchMetric):
            return {"algorithm": {"id": "tdr", "score": entry.id}}
        if not issubclass(metric, DataMetric):
            return None  # scores steps of searches that no policy names yet
        spec = _spec(entry)
        return {"metrics": [spec if len(spec) > 1 else entry.id]}
    if entry.kind == "model":
        return {"requirements": [_spec(entry)]}
    if entry.kind == "algorithm":
        return {"algorithm": _spec(entry)}
    if entry.kind == "hierarchy":
        return {"columns": {"some_column": {"role": "quasi-identifier", "hierarchy": _spec(entry)}}}
    if entry.id == "pseudonymization":
        return {"columns": {"some_column": {"role": "identifier", "pseudonym": True}}}
    return None


def _spec(entry: Description) -> dict[str, Any]:
    """Return id and parameters as the example of the docstring sets them; a mapping that can be left out is left out."""
    thing = find(entry.id, entry.kind, entry.shape)
    space: dict[str, Any] = dict(vars(importlib.import_module(entry.module)))
    spec = {"id": entry.id}
    for example in doctest.DocTestParser().get_examples(entry.example):
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call) and _leading_name(node.func) == entry.name:
                made = eval(compile(ast.Expression(node), "<example>", "eval"), space)
                if type(made) is thing:
                    spec = made.spec()
                    break
        if len(spec) > 1:
            break
        exec(compile(example.source, "<example>", "exec"), space)  # later lines use the names of earlier ones
    for name in [key for key, value in spec.items() if isinstance(value, dict)]:
        shorter = {key: value for key, value in spec.items() if key != name}
        try:
            thing.from_spec(shorter)
        except BadRequest:
            continue
        spec = shorter
    thing.from_spec(spec)
    return spec


def _leading_name(node: ast.expr) -> str | None:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


# ---- how it is written -----------------------------------------------------------------------------------------------


def _imports(entry: Description) -> str:
    """Return the imports that the example needs; inside its module these names were simply there."""
    module = importlib.import_module(entry.module)
    source = "".join(example.source for example in doctest.DocTestParser().get_examples(entry.example))
    used: dict[str, None] = {}
    made: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                used[node.id] = None
            else:
                made.add(node.id)
        elif isinstance(node, ast.alias):
            made.add((node.asname or node.name).partition(".")[0])
    lines = []
    for name in used:
        value = vars(module).get(name)
        if name in made or value is None:
            continue
        if isinstance(value, ModuleType):
            lines.append(f">>> import {value.__name__}" + (f" as {name}" if name != value.__name__ else ""))
            continue
        # A class of the house is imported from its room, as a reader would; helpers come from their own file.
        home = value.__module__
        room = home.rsplit(".", 1)[0]
        if name == entry.name and hasattr(importlib.import_module(room), name):
            home = room
        lines.append(f">>> from {home} import {name}")
    return "".join(f"{line}\n" for line in sorted(lines))


def _prose(text: str, skip: str | None = None) -> str:
    """Turn the little reStructuredText of a docstring into Markdown: roles become code, definition lists bullets.

    The paragraph that begins with ``skip`` has a heading of its own and is left out.
    """
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    out: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        if skip is not None and block.startswith(skip):
            continue
        lines = block.split("\n")
        terms = [i for i, line in enumerate(lines) if not line.startswith(" ")]
        defines = len(lines) > 1 and all(i + 1 < len(lines) and lines[i + 1].startswith("    ") for i in terms)
        if not defines:
            out.append(block)
            continue
        for first, stop in zip(terms, [*terms[1:], len(lines)], strict=True):
            out.append(f"- {lines[first]}: " + " ".join(line.strip() for line in lines[first + 1 : stop]))
    return "\n\n".join(out)


def _references(text: str) -> list[str]:
    """Return one line per reference; a reference ends with the line that ends in a full stop."""
    out, open_lines = [], []
    for line in text.splitlines():
        open_lines.append(line.strip())
        if line.rstrip().endswith("."):
            out.append(" ".join(open_lines).strip())
            open_lines = []
    return [*out, " ".join(open_lines)] if any(open_lines) else out


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    def line(cells: tuple[str, ...]) -> str:
        return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"

    return "\n".join([line(header), "|" + "---|" * len(header), *(line(row) for row in rows)])


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value) or "none"
    return str(value)


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text.strip()}\n```"


def _yaml(document: dict[str, Any]) -> str:
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.indent(mapping=2, sequence=4, offset=2)
    text = io.StringIO()
    yaml.dump(document, text)
    return text.getvalue()


# ---- writing ---------------------------------------------------------------------------------------------------------


def write_pages(folder: Path) -> list[Path]:
    """Write the reference anew into a folder and return the files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    out = []
    for name, text in pages().items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        out.append(path)
    return out


def build_site(config: Path) -> None:
    """Build the site of a configuration; a broken link stops the build."""
    tool = Path(sys.executable).with_name("zensical")
    subprocess.run([str(tool), "build", "--strict", "--clean", "--config-file", str(config)], check=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pages, then build the site unless told otherwise."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--pages-only", action="store_true", help="write docs/reference and stop")
    asked = parser.parse_args(arguments)
    written = write_pages(ROOT / "docs" / "reference" / "ids")
    print(f"wrote {len(written)} pages to docs/reference/ids")
    if not asked.pages_only:
        build_site(ROOT / "mkdocs.yml")
        print("built site/index.html")


if __name__ == "__main__":
    main()
