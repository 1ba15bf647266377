"""Recoded table of a series: the records themselves, beside the recoded tables that were published of them before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts
from sfumato.contracts.thing import column, columns, param
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.releases.recoded_table import RecodedTable as RecodedRecords
from sfumato.sequels.series import Series

__all__ = ["RecodedTable", "labels_above"]

Above = tuple[tuple[str, str, str], ...]


class RecodedTable(RecodedRecords):
    """The records themselves, recoded; beside earlier releases of their series, requirements are about all of them together.

    ``above`` tells the hierarchies as far as they are seen: each published label with the label above it, and so on to the
    top; nothing below what is published. Whoever has all releases puts these together and finds which labels of two releases
    can be of one record.

    Adversary: has every release of the series, and knows the hierarchies above what they show.

    Examples
    --------
    >>> from sfumato.engines import read
    >>> from sfumato.sequels.models import BCFAnonymity
    >>> form = RecodedTable(qid=("Place",), sensitive="Disease", above=(("Place", "UK", "Europe"),))
    >>> table = read({"Place": ["UK", "UK"], "Disease": ["Flu", "HIV"]})
    >>> [bool(verdict) for verdict in form.verify(table, [BCFAnonymity(k=2)], ["Place"])]
    [True]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, chapters 9 and 10.
    """

    id: ClassVar[str] = "recoded-table"
    shape: ClassVar[str] = "series"

    qid: tuple[str, ...] = columns("qid", doc="columns that an adversary may know of a person")
    sensitive: str | None = column("sensitive", doc="the sensitive column", default=None)
    above: Above = param(default=(), doc="column, label, and the label above it, from what is published up to the top")

    def compares(self, model: Any) -> bool:
        """Tell whether a requirement is one on the series; those of tables are about this release alone."""
        return not isinstance(model, TableModel)

    def verify(
        self, parts: Parts, models: Sequence[Any], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Judge requirements of tables by this release, others by all releases together."""
        table = self.tables(parts)["data"]
        whole = self.series(table, beside) if any(map(self.compares, models)) else None
        alone = super().verify
        return [
            alone(table, [model], qids, beside)[0] if whole is None or not self.compares(model) else model.judge(whole)
            for model in models
        ]

    def series(self, table: Table, beside: Beside) -> Series:
        """Return the earlier releases and this one, under the hierarchies that they tell."""
        forms = [one.form for one in beside.earlier]
        for form in forms:
            if not isinstance(form, RecodedTable):
                raise BadRequest("releases of a series are of one kind", parameter="earlier", value=form.id)
        every = [form for form in (*forms, self) if isinstance(form, RecodedTable)]
        told = {entry for form in every for entry in form.above}
        trees = {
            name: _tree(name, [(label, over) for held, label, over in told if held == name])
            for name in {held for held, _, _ in told}
        }
        tables = (*(one.table for one in beside.earlier), table)
        qid = tuple(dict.fromkeys(name for form in every for name in form.qid))
        sensitive = [form.sensitive for form in every if form.sensitive is not None and form.sensitive not in qid]
        return Series(tables, qid, sensitive[-1] if sensitive else None, trees)

    def statement(self) -> Statement:
        told = super().statement()
        return Statement([*told.checked, say("statement.series_anew")], told.not_checkable)


def labels_above(table: Table, trees: Mapping[str, Tree]) -> Above:
    """Return each label that a table shows with the label above it, up to the top; no other label."""
    found: dict[tuple[str, str, str], None] = {}
    for name, tree in trees.items():
        for value in table.dictionary(name).values:
            node = tree.node_of[to_text(value)]
            while (over := int(tree.parent[node])) >= 0:
                found[name, tree.labels[node], tree.labels[over]] = None
                node = over
    return tuple(sorted(found))


def _tree(name: str, pairs: Sequence[tuple[str, str]]) -> Tree:
    """Return the tree that labels and those above them make; whatever makes none is refused."""
    below: dict[str, list[str]] = {}
    for label, over in sorted(pairs):
        below.setdefault(over, []).append(label)
    tops = below.keys() - {label for label, _ in pairs}
    if len(tops) != 1 or len({label for label, _ in pairs}) < len(pairs):
        raise BadRequest("releases of the series show labels of different hierarchies", column=name)

    def nested(label: str) -> object:
        return {label: [nested(one) for one in below[label]]} if label in below else label

    return Tree.from_nested(nested(tops.pop()), column=name)
