"""Measures the code base itself, so that a restructuring can be judged before and after: its size, its seams, its releases.

Run ``python benchmarks/house.py [--root DIR] [--json FILE] [--only NAME] [--record]``.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from measured import in_own_process

HERE = Path(__file__).resolve().parent
CASES = HERE / "house_cases.py"
EXPECTED = HERE / "house_releases.json"
Figures = dict[str, Any]

# The tree is read with ast, and sfumato is run by its public names in processes of their own: files may move.

# What was added one day, by kind: everything besides its own file that knows its name would have been touched.
ADDED: Mapping[str, Sequence[str]] = {
    "model": ("t-closeness", "lkc-privacy"),
    "metric": ("discernibility", "loss", "precision"),
    "attack": ("attack-corruption", "attack-skewness"),
    "release": ("anatomy-pair", "histogram-release"),
    "hierarchy": ("dates", "redaction"),
    "algorithm": ("mondrian", "anatomize"),
    "verb": ("check", "audit", "tabulate"),
}
INSIDE = ("searches", "kernels")


# ---- the tree ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Module:
    """A file of the package: its dotted name, its path below ``src/sfumato``, its text."""

    name: str
    path: Path
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file."""
        return ast.parse(self.text)

    @property
    def package(self) -> bool:
        """Whether the file stands for its folder."""
        return self.path.name == "__init__.py"

    @property
    def room(self) -> str:
        """The first folder, or a dot for files that lie beside the rooms."""
        return self.path.parts[0] if len(self.path.parts) > 1 else "."

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names of the functions, classes and values at the top of the file."""
        out: set[str] = set()
        for node in self.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                out.add(node.name)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                out |= {target.id for target in targets if isinstance(target, ast.Name)}
        return frozenset(out)


class House:
    """All modules of a checkout, and who imports whom."""

    def __init__(self, root: Path) -> None:
        self.source = root / "src"
        top = self.source / "sfumato"
        self.modules: dict[str, Module] = {}
        for file in sorted(top.rglob("*.py")):
            path = file.relative_to(top)
            parts = [part for part in path.with_suffix("").parts if part != "__init__"]
            name = ".".join(["sfumato", *parts])
            self.modules[name] = Module(name, path, file.read_text(encoding="utf-8"))

    @cached_property
    def importers(self) -> dict[str, set[str]]:
        """For each module those that import it, anywhere in their text."""
        out: dict[str, set[str]] = {name: set() for name in self.modules}
        for module in self.modules.values():
            for target in self._imported(module):
                if target != module.name:
                    out[target].add(module.name)
        return out

    def _imported(self, module: Module) -> Iterator[str]:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.modules)
            elif isinstance(node, ast.ImportFrom):
                start = self._start(module, node)
                if start in self.modules:
                    yield from (self.home(start, alias.name) for alias in node.names)

    def _start(self, module: Module, node: ast.ImportFrom) -> str:
        """Return the module that an import names, also where it counts from its own place."""
        if not node.level:
            return node.module or ""
        parts = module.name.split(".")
        parts = parts[: len(parts) - node.level + module.package]
        return ".".join([*parts, *([node.module] if node.module else [])])

    def home(self, module: str, name: str) -> str:
        """Return the module that a name comes from: packages hand on names of their files, some of them lazily."""
        if f"{module}.{name}" in self.modules:
            # A function may share its name with its file; then it is the file all the same.
            return f"{module}.{name}"
        if not self.modules[module].package or name in self.modules[module].defined:
            return module
        for node in ast.walk(self.modules[module].tree):
            if isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) == name for alias in node.names):
                start = self._start(self.modules[module], node)
                if start in self.modules and start != module:
                    return self.home(start, name)
        inside = [one for one in self.modules.values() if one.name.startswith(f"{module}.") and name in one.defined]
        return inside[0].name if len(inside) == 1 else module

    def place(self, name: str) -> str:
        """Return where a module lies, as a reader would write it."""
        return self.modules[name].path.as_posix()


# ---- 1, 2: size and duplicates -------------------------------------------------------------------------------------------


def size(house: House) -> Figures:
    """Count files, lines, and the lines that say less than they could about their types."""
    lines = [line for module in house.modules.values() for line in module.text.split("\n")]

    def having(pattern: str, *, imports: bool = True) -> int:
        return sum(bool(re.search(pattern, line)) and (imports or "import" not in line) for line in lines)

    return {
        "lines": sum(module.text.count("\n") for module in house.modules.values()),
        "files": len(house.modules),
        "lines with Any": having(r"\bAny\b", imports=False),
        "lines with dict or Mapping of str to Any": having(r"(dict|Mapping)\[str, Any\]"),
        "lines with policy: Any or release.parts": having(r"policy: Any|release\.parts"),
    }


def duplicates(house: House) -> Figures:
    """Let the command ``duplicates`` count, if this machine has it."""
    if shutil.which("duplicates") is None:
        return {"pairs": "not measured"}
    command = ["duplicates", "--repo", str(house.source), "--seconds", "120", "--most", "1"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found = re.match(r"(\d+) pairs", said[0])
    unread = [line for line in said if line.startswith("incomplete")]
    return {"pairs": int(found[1]) if found else 0, "said": " ".join([said[0], *unread])}


# ---- 3: files with one consumer ------------------------------------------------------------------------------------------


def consumers(house: House) -> Figures:
    """List the files that exactly one other file imports; what packages hand on is no use of it."""
    alone: dict[str, str] = {}
    family: dict[str, str] = {}
    exported: list[str] = []
    for name, users in house.importers.items():
        real = sorted(user for user in users if not house.modules[user].package)
        if house.modules[name].package or len(real) != 1:
            continue
        path, other = house.modules[name].path, house.modules[real[0]].path
        if path.name.startswith("_") and path.parent == other.parent:
            family[path.as_posix()] = other.as_posix()
            continue
        alone[path.as_posix()] = other.as_posix()
        if len(users) > 1:
            exported.append(path.as_posix())
    rooms = Counter(path.split("/")[0] if "/" in path else "." for path in alone)
    return {
        "single-consumer files": len(alone),
        **{f"of these in {room}": rooms[room] for room in INSIDE},
        "of these handed on by a package": len(exported),
        "of these with an id of their own": sum(bool(_ids(house, path)) for path in alone),
        "parts of their family": len(family),
        "by room": dict(sorted(rooms.items())),
        "single": alone,
        "family": family,
    }


def _ids(house: House, path: str) -> list[str]:
    """Return the ids of the things in a file: the catalogue finds them too, without an import."""
    module = next(module for module in house.modules.values() if module.path.as_posix() == path)
    return [name for node in module.tree.body if isinstance(node, ast.ClassDef) and (name := _id(node))]


def _id(node: ast.ClassDef) -> str | None:
    """Return the id that a class declares, in its body or in its head."""
    for statement in node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        value = getattr(statement, "value", None)
        if any(isinstance(one, ast.Name) and one.id == "id" for one in targets) and isinstance(value, ast.Constant):
            return value.value if isinstance(value.value, str) and value.value else None
    for keyword in node.keywords:
        if keyword.arg == "id" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    return None


# ---- 4: files that run for one CSV ---------------------------------------------------------------------------------------


class Watch:
    """A profile function that notes the files of a folder in which a function was called."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.files: set[str] = set()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        file = code.co_filename
        if event != "call" or file in self.files or not file.startswith(self.folder):
            return
        # Bodies of modules and classes are no functions, and what runs because a module is imported was not asked for.
        if code.co_flags & inspect.CO_OPTIMIZED and not _importing(frame):
            self.files.add(file)


def _importing(frame: FrameType | None) -> bool:
    """Say whether a module is being imported between a frame and this script."""
    while frame is not None and frame.f_code.co_filename != __file__:
        if frame.f_code.co_name == "<module>":
            return True
        frame = frame.f_back
    return False


def watched() -> None:
    """Anonymize and publish one CSV and print the files that ran; runs in a process of its own, where nothing is imported."""
    import house_cases

    import sfumato

    home = str(Path(str(sfumato.__file__)).parent)
    policy = {
        "columns": house_cases.columns("birth_date", "sex", "zip", "occupation", "bmi", without_tree=("bmi",)),
        "requirements": [{"id": "k-anonymity", "k": 5}],
        "algorithm": {"id": "tdr"},
    }
    with TemporaryDirectory() as folder:
        source = house_cases.hospital(2000).write_csv(Path(folder) / "hospital.csv")
        watch = Watch(home + os.sep)
        threading.setprofile(watch)
        sys.setprofile(watch)
        release = sfumato.anonymize(source, policy)
        in_memory = sorted(watch.files)
        sfumato.publish(release, Path(folder) / "out", input_path=source)
        sys.setprofile(None)
        threading.setprofile(None)
    places = {
        key: [Path(file).relative_to(home).as_posix() for file in files]
        for key, files in (("anonymize", in_memory), ("publish", sorted(watch.files)))
    }
    print(json.dumps({"home": home, **places}))


def running(house: House) -> Figures:
    """Count the files in which a function runs for one CSV; compiled kernels are not seen, their callers are."""
    # The first run compiles kernels where none are cached, and would count what only compiling needs.
    for _ in range(2):
        ran = _child(house, __file__, watched.__name__)
    return {
        "files that run for anonymize": len(ran["anonymize"]),
        "files that run up to publish": len(ran["publish"]),
        "anonymize": ran["anonymize"],
        "publish": ran["publish"],
    }


def _child(house: House, script: str, *arguments: str) -> dict[str, Any]:
    """Run a script on the sfumato of the checkout and return what it says; a broken checkout is told by its own words."""
    os.environ["PYTHONPATH"] = str(house.source)
    try:
        said: dict[str, Any] = in_own_process(script, *arguments)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{Path(script).name} failed\n{error.stderr[-3000:]}") from None
    # An installed sfumato must not be measured in place of one that cannot be found.
    if Path(said["home"]).resolve() != (house.source / "sfumato").resolve():
        raise SystemExit(f"sfumato of {said['home']} ran, not that of {house.source}")
    return said


# ---- 5: files that an addition touches -----------------------------------------------------------------------------------


def additions(house: House) -> Figures:
    """List, for things of each kind, the files besides their own that know them by id or by class."""
    touched: dict[str, Any] = {}
    for kind, ids in ADDED.items():
        for name in ids:
            found = _verb_touches(house, name) if kind == "verb" else _thing_touches(house, name)
            touched[f"{kind} {name}"] = "not found" if found is None else found
    counts = {name: len(files) for name, files in touched.items() if isinstance(files, dict)}
    return {"most files an addition touches": max(counts.values(), default=0), "counts": counts, "touched": touched}


def _thing_touches(house: House, name: str) -> dict[str, list[str]] | None:
    """Return the files that name a thing, each with the words it uses; nothing if no class has this id."""
    owners = [
        (module, node.name)
        for module in house.modules.values()
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and _id(node) == name
    ]
    if not owners:
        return None
    # Only an id with a hyphen can be told from a word of a sentence.
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])") if "-" in name else re.compile(rf"^{re.escape(name)}$")
    classes = {class_name for _, class_name in owners}
    out = {}
    for module in house.modules.values():
        if module not in [owner for owner, _ in owners]:
            texts, names = _words(module.tree)
            found = sorted(classes & names) + ([name] if any(word.search(text) for text in texts) else [])
            if found:
                out[module.path.as_posix()] = found
    return out


def _verb_touches(house: House, name: str) -> dict[str, list[str]] | None:
    """Return the files that import a public function or hold its name as a text: check is too common a word for more."""
    own = house.home("sfumato", name)
    if own == "sfumato":
        return None
    out = {}
    for module in house.modules.values():
        if module.name != own:
            texts, _ = _words(module.tree)
            found = ["import"] if module.name in house.importers[own] else []
            found += [name] if name in texts else []
            if found:
                out[module.path.as_posix()] = found
    return out


def _words(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Return the texts and the identifiers of a file; a text that stands alone is documentation."""
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts: set[str] = set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            texts.add(node.value)
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.alias):
            names.add(node.name)
    return texts, names


# ---- 6: the fixed releases -----------------------------------------------------------------------------------------------


def releases(house: House, names: Sequence[str], record: bool) -> Figures:
    """Make the fixed releases and compare them with what was recorded, or record them."""
    made = _child(house, str(CASES), *names)
    if unknown := set(names) - set(made["releases"]):
        raise SystemExit(f"neither a figure nor a fixed release: {', '.join(sorted(unknown))}")
    expected = json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {"releases": {}}
    if record:
        failed = [f"{name}: {found['failed']}" for name, found in made["releases"].items() if "failed" in found]
        if failed:
            raise SystemExit("not recorded; " + "; ".join(failed))
        kept = expected["releases"] if names else {}
        expected = {"versions": made["versions"], "releases": {**kept, **made["releases"]}}
        EXPECTED.write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    recorded = expected["releases"]
    # All were asked for: one that is recorded and no longer made differs, too.
    asked = names or sorted({*recorded, *made["releases"]})
    differ = {
        name: found for name in asked if (found := differences(recorded.get(name, {}), made["releases"].get(name, {})))
    }
    out = {"releases that are the same": len(asked) - len(differ), "releases that differ": len(differ)}
    if made["versions"] != expected.get("versions"):
        out["other versions than recorded"] = made["versions"]
    print(
        f"  made in {sum(made['seconds'].values()):.0f} s, slowest {max(made['seconds'].items(), key=lambda o: o[1])}"
    )
    return {**out, "differences": differ}


def differences(expected: Any, found: Any, where: str = "") -> list[str]:
    """Return what differs between two documents, each as a line."""
    if isinstance(expected, dict) and isinstance(found, dict):
        keys = sorted({*expected, *found})
        return [
            line
            for key in keys
            for line in differences(expected.get(key), found.get(key), f"{where}.{key}" if where else key)
        ]
    return [] if expected == found else [f"{where}: {expected} recorded, {found} found"]


# ---- the table -----------------------------------------------------------------------------------------------------------


def show(title: str, figures: Figures) -> None:
    """Print the figures of one part; lists of files go into the JSON, but for the offenders and what differs."""
    print(title)
    for name, value in figures.items():
        if not isinstance(value, (dict, list)):
            print(f"  {name:<48} {value}")
    for name, count in figures.get("by room", {}).items():
        print(f"    {name:<46} {count}")
    for name, files in figures.get("touched", {}).items():
        listed = files if isinstance(files, str) else f"{len(files)}  {', '.join(files)}"
        print(f"    {name:<30} {listed}")
    if "differences" in figures and not figures["differences"]:
        print("  same")
    for name, lines in figures.get("differences", {}).items():
        print(f"  {name} differs")
        for line in lines:
            print(f"    {line}")


def main() -> int:
    """Measure what was asked for; 1 if a release differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=HERE.parent, help="checkout to measure")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help=f"a figure ({', '.join([*PARTS, 'releases'])}) or a fixed release",
    )
    parser.add_argument("--record", action="store_true", help="write down the fixed releases as they are now")
    asked = parser.parse_args()
    house = House(asked.root.resolve())
    cases = [name for name in asked.only if name not in (*PARTS, "releases")]
    parts: dict[str, Callable[[House], Figures]] = {
        **PARTS,
        "releases": lambda house: releases(house, cases, asked.record),
    }
    chosen = {*asked.only, *(["releases"] if cases or asked.record else [])}
    wanted = [part for part in parts if part in chosen or not asked.only]
    measured: dict[str, Figures] = {}
    for part in wanted:
        measured[part] = parts[part](house)
        show(part, measured[part])
    if asked.json is not None:
        asked.json.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return 1 if measured.get("releases", {}).get("differences") else 0


PARTS: dict[str, Callable[[House], Figures]] = {
    part.__name__: part for part in (size, duplicates, consumers, running, additions)
}


if __name__ == "__main__":
    if sys.argv[1:] == [watched.__name__]:
        watched()
    else:
        sys.exit(main())
