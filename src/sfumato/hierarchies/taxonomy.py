"""Taxonomies: a tree over the values that somebody who knows them wrote down."""

from __future__ import annotations

import csv
import json
import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, lru_cache
from io import StringIO
from pathlib import Path
from typing import ClassVar

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import param
from sfumato.data.levels import level_table
from sfumato.data.messages import say
from sfumato.data.tree import Tree
from sfumato.data.yaml import yaml_reader
from sfumato.errors import BadRequest
from sfumato.hierarchies.declared import DeclaredTree

__all__ = ["Taxonomy", "level_rows"]

_HIGHEST = 60  # a policy holds the whole tree, and documents that are deeper than twice that are refused


class Taxonomy(HierarchyBuilder):
    """A tree of values that was written down, inline or in a file.

    The leaves are raw values, every inner node is a more general value: ``child -> parent`` may replace a value by its
    parent in a release. The domain of the attribute is the set of all leaves, whether they occur in the data or not.

    Values are matched by their text; the leaves of the built tree have the type of the column where their text is a
    value of that type (``17`` for the integer 17, ``2024-03-05`` for a date). Exactly one of the parameters is given:

    ``tree``
        ``{"value": label, "children": [...]}`` or shorter ``{label: [child, ...]}``; a leaf is a plain label.
    ``levels``
        one row per leaf: the value, its parent, ..., the root. Rows may repeat labels as padding; a repeated label is one
        node. Of several rows for one value the last counts, and a warning says so.
    ``file``
        ``.json``, ``.yaml`` or ``.yml`` with such a tree, or ``.csv`` or ``.txt`` with a level table without a header,
        separated by ``;`` or ``,``. Cells are taken as they stand.

    Examples
    --------
    >>> job = Taxonomy(tree={"*": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]})
    >>> job.path("Lawyer")
    ('Lawyer', 'Professional', '*')
    >>> job.build(["Dancer", "Lawyer"]).leaves
    ('Engineer', 'Lawyer', 'Dancer', 'Writer')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1, figure 3.1.
    """

    id: ClassVar[str] = "taxonomy"

    tree: Mapping[str, object] | None = param(default=None, doc="nested tree of values and their children")
    levels: tuple[tuple[object, ...], ...] | None = param(default=None, doc="level table: one row per leaf, root last")
    file: str | None = param(default=None, doc="file with a nested tree or a level table")

    def validate(self) -> None:
        """Refuse none or several sources, and a source that is no tree."""
        given = [name for name in ("tree", "levels", "file") if getattr(self, name) is not None]
        if len(given) != 1:
            raise BadRequest("needs exactly one of tree, levels and file", parameter=self.id, value=given or None)
        if self.tree is not None and not isinstance(self.tree, Mapping):
            raise BadRequest("must be a mapping of labels", parameter=f"{self.id}.tree", value=type(self.tree).__name__)
        if self.file is None:
            _ = self._declared

    def resolved(self, base: Path) -> Taxonomy:
        """Return the taxonomy with its file read, so that it can be saved on its own; paths start at ``base``."""
        if self.file is None:
            return self
        return Taxonomy(tree=_read(base / self.file, f"{self.id}.file").to_nested())

    def contradictions(self, base: Path) -> int:
        """Return how many values a level table, in a file or not, puts in two places; where that is a mistake, ask before."""
        file = None if self.file is None else base / self.file
        if file is not None and file.suffix.lower() in (".csv", ".txt") and file.is_file():
            rows = level_rows(file.read_text(encoding="utf-8-sig", errors="replace"))
        else:
            rows = tuple(tuple(str(cell) for cell in row) for row in self.levels or ())
        places: dict[str, set[tuple[str, ...]]] = {}
        for row in rows:
            places.setdefault(row[0], set()).add(row)
        return sum(len(found) > 1 for found in places.values())

    @cached_property
    def _declared(self) -> DeclaredTree:
        if self.file is not None:
            return self.resolved(Path())._declared
        if self.tree is not None:
            tree = Tree.from_nested(self.tree)
            _refuse_unfit(tree, f"{self.id}.tree")
        else:
            tree = _from_rows(tuple(tuple(str(cell) for cell in row) for row in self.levels or ()))
            _refuse_unfit(tree, f"{self.id}.levels")
        return DeclaredTree(tree)

    def path(self, value: Hashable) -> tuple[str, ...]:
        """Return the labels from the leaf of the value up to the root."""
        return self._declared.path(value)

    def build(self, values: Sequence[Hashable], *, column: str = "") -> Tree:
        """Return the whole taxonomy; values without a leaf are refused all at once, with their nearest leaves."""
        return self._declared.build(values, column=column)


def _refuse_unfit(tree: Tree, parameter: str) -> None:
    if tree.height > _HIGHEST:
        raise BadRequest(f"hierarchy has more than {_HIGHEST} levels", parameter=parameter)
    if len(tree) == 1:
        raise BadRequest("hierarchy has no leaf below its root", parameter=parameter, value=tree.labels[0])


def _read(path: Path, parameter: str) -> Tree:
    readers: Mapping[str, Callable[[str, str], Tree]] = {
        ".json": _from_json,
        ".yaml": _from_yaml,
        ".yml": _from_yaml,
        ".csv": _from_level_table,
        ".txt": _from_level_table,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise BadRequest("is not a kind of hierarchy file", parameter=parameter, value=path.name, available=readers)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadRequest(f"cannot be read ({error.strerror})", parameter=parameter, value=str(path)) from None
    except UnicodeDecodeError:
        raise BadRequest("is not UTF-8 text", parameter=parameter, value=str(path)) from None
    try:
        tree = reader(text, path.name)
        _refuse_unfit(tree, parameter)
    except BadRequest as error:
        raise BadRequest(
            error.rule, parameter=parameter, value=error.value, available=error.available, where=path.name
        ) from None
    return tree


@lru_cache(maxsize=64)  # a policy is read several times, and its warnings are heard once
def _from_rows(rows: tuple[tuple[str, ...], ...], where: str = "") -> Tree:
    table = level_table(rows)
    for note in table.notes:
        logging.getLogger("sfumato").warning(say("warning.in_hierarchy", where=where, note=note) if where else note)
    return Tree.from_paths(table.rows)


def _from_level_table(text: str, where: str) -> Tree:
    return _from_rows(level_rows(text), where)


def level_rows(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a level table, which are separated by ``;`` or ``,``."""
    tables = []
    for separator in ";,":
        try:
            rows = [row for row in csv.reader(StringIO(text, newline=""), delimiter=separator) if row]
        except csv.Error as error:
            raise BadRequest(f"is not a level table ({error})") from None
        widths = {len(row) for row in rows}
        # A separator that cuts every row alike wins, then the one that cuts at all; the semicolon on a tie.
        tables.append((len(widths) == 1 and widths != {1}, bool(widths - {1}), rows))
    return tuple(map(tuple, max(tables, key=lambda table: table[:2])[2]))


def _from_json(text: str, where: str) -> Tree:
    try:
        return _from_document(json.loads(text, object_pairs_hook=_without_repeats), where)
    except ValueError as error:
        raise BadRequest(f"is not JSON ({error})") from None
    except RecursionError:
        raise BadRequest("is nested too deeply") from None


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    out: dict[str, object] = {}
    for key, value in pairs:
        if key in out:
            raise BadRequest("hierarchy uses a label for two different nodes", value=key)
        out[key] = value
    return out


def _from_yaml(text: str, where: str) -> Tree:
    from ruamel.yaml.constructor import DuplicateKeyError
    from ruamel.yaml.error import YAMLError

    try:
        # The base loader keeps every label as it is written: 01305, no and 12:30 stay texts.
        return _from_document(_without_blanks(yaml_reader("base").load(text)), where)
    except DuplicateKeyError as error:
        line = "" if error.problem_mark is None else f" (line {error.problem_mark.line + 1})"
        raise BadRequest(f"is not YAML: a label is there twice{line}", value=str(error.problem).split('"')[1]) from None
    except YAMLError as error:
        raise BadRequest(f"is not YAML ({' '.join(str(error).split())})") from None


def _without_blanks(document: object) -> object:
    """Turn ``label:`` with nothing (or null) behind it into a label without children."""
    if isinstance(document, Mapping):
        return {
            key: None if below in ("", "~", "null") and key != "value" else _without_blanks(below)
            for key, below in document.items()
        }
    return [_without_blanks(entry) for entry in document] if isinstance(document, list) else document


def _from_document(document: object, where: str) -> Tree:
    if isinstance(document, Mapping):
        return Tree.from_nested(document)
    if isinstance(document, list) and all(isinstance(row, list) for row in document):
        return _from_rows(tuple(tuple(str(cell) for cell in row) for row in document), where)
    raise BadRequest("must hold a nested tree or a level table", value=type(document).__name__)
