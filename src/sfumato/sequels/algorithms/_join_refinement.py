"""Top-down refinement of the next release of a series: the refinement search with the join as its validity check."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from sfumato.contracts.algorithm import Attribute, Task
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import StepFacts
from sfumato.contracts.metric import SearchMetric
from sfumato.contracts.trace import RefinementStep
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.searches.refinement import Refinery
from sfumato.sequels.algorithms._join_levels import XEntry
from sfumato.sequels.algorithms._join_oracle import JoinOracle
from sfumato.sequels.models.xy_privacy_join import JoinQuestion, XYPrivacyJoin
from sfumato.sequels.series import Series
from sfumato.sequels.task import SeriesTask

__all__ = ["JoinFacts", "JoinRefinery", "XRow", "attribute_of", "questions_of"]


@frozen(eq=False, repr=False, kw_only=True)
class JoinFacts(StepFacts):
    """How a search on the join ended: for each requirement the worst share and the least count over all values on X."""

    shares: Sequence[float]
    counts: Sequence[int]


@frozen
class XRow:
    """One entry of the X-tree: a value on X, its joined rows a(x), and a(x, y) of the protected values on Y that occur."""

    x: tuple[Hashable, ...]
    rows: int
    values: Mapping[Hashable, int]


def questions_of(task: SeriesTask) -> tuple[Series, list[tuple[XYPrivacyJoin, JoinQuestion]]]:
    """Return the series with the raw records as its last release, and what each requirement asks of it."""
    if task.earlier is None:
        raise BadRequest("needs an earlier release to be joined with", parameter="series")
    if task.batch.rows == 0:
        raise BadRequest("there is no record to publish", parameter="batch")
    other = [model.id for model in task.models if not isinstance(model, XYPrivacyJoin)]
    if other or not task.models:
        raise Unsupported(
            f"tds4sa keeps {XYPrivacyJoin.id} and nothing else",
            thing=other[0] if other else None,
            alternatives=[XYPrivacyJoin.id],
        )
    series = task.after(task.batch)
    models = [model for model in task.models if isinstance(model, XYPrivacyJoin)]
    asked = [(model, model.asked(series)) for model in models]
    for model, question in asked:
        _refuse(model, question, asked[0])
    return series, asked


def _refuse(model: XYPrivacyJoin, question: JoinQuestion, first: tuple[XYPrivacyJoin, JoinQuestion]) -> None:
    """Refuse requirements that cannot be searched for together, and Y that lies in several releases."""
    leading, shared = first
    if (set(question.x), model.join, model.inconsistent) != (set(shared.x), leading.join, leading.inconsistent):
        raise Unsupported(
            "requirements on the join must agree in X and in what joins; Y and bounds may differ", thing=model.id
        )
    if len({one.release for one in question.y}) > 1:
        raise BadRequest("Y must lie in one release", parameter=f"{model.id}.y", value=tuple(map(str, question.y)))
    kinds = question.join.releases[question.y[0].release].distinct([one.name for one in question.y])
    if model.k is not None and model.anonymity_counts == "distinct_y" and kinds < model.k:
        raise BadRequest(f"Y has only {kinds} different values", parameter=f"{model.id}.k", value=model.k)
    last = len(question.join.releases) - 1
    if not any(one.release == last for one in question.x):
        raise BadRequest("X holds no column of the release to be made", parameter=f"{model.id}.x")


class JoinRefinery(Refinery):
    """A top-down search on the next release of a series: every state keeps every requirement on the join."""

    validity: JoinOracle

    def __init__(
        self, task: SeriesTask, metric: SearchMetric, *, unmatched: str = "refuse", weigh: bool = True
    ) -> None:
        series, self.questions = questions_of(task)
        question = self.questions[0][1]
        join, last = question.join, len(question.join.releases) - 1
        alone = join.dangling()
        if any(alone) and unmatched == "refuse":
            raise BadRequest(
                f"{alone[-1]} records to publish and {sum(alone[:-1])} of earlier releases match nobody: the releases "
                "are not of one population",
                parameter="tds4sa.unmatched",
                available=["leave"],
            )
        self.weigh = weigh
        free, added = list(question.free), list(map(str, question.added))
        self.notes = [say("warning.join_outside_x", columns=free, count=len(free))] if free else []
        self.notes += [say("warning.join_added", columns=added, count=len(added))] if added else []
        self.notes += [say("warning.join_unmatched", count=sum(alone))] if any(alone) else []
        names = [one.name for one in question.x if one.release == last]
        learnt = [one.name for _, asked in self.questions for one in asked.y if one.release == last]
        joins = [name for name in join.trees if name in task.batch.types and name not in names]
        extra = list(dict.fromkeys([*joins, *learnt, *([task.target] if task.target else [])]))
        table = task.batch.compress(names, [name for name in extra if name not in names])
        attributes = [attribute_of(name, task.batch, series.trees.get(name) or join.trees.get(name)) for name in names]
        oracle = JoinOracle(self.questions, table, related=not any(alone))
        super().__init__(
            Task(table, attributes, (), target=task.target),
            metric,
            validity=oracle,
            require_beneficial=False,
            keep_dead=True,
        )
        ((_, partition),) = self.partitions.items()
        oracle.open(self.columns, partition)

    def _loss_and_validity(self, index: int, slots: Ints) -> tuple[Floats, Bools]:
        loss, valid = self.validity.loss_and_validity(index, slots)
        # Where a violation can heal, nobody is out for good: the search asks about the one step it is about to take.
        return loss if self.weigh else np.zeros(len(loss)), valid if self.validity.anti_monotone else np.ones(
            len(valid), bool
        )

    def _part(self, index: int, slot: int, slots: Codes, child: Codes) -> None:
        for qid, partition in self._touching(index):
            changed = partition.split(index, slot, slots, child)
            self._look_ahead(qid, partition, changed)
            self.validity.part(index, changed)

    def after(self, step: RefinementStep) -> RefinementStep:
        """Return a step that was just taken; the smallest group says nothing about a join."""
        return step

    def facts(self) -> JoinFacts:
        """Return the worst values on X at the end."""
        levels = [self.validity.whole(eye) for eye in self.validity.eyes]
        return JoinFacts(
            refinements=self.steps,
            smallest_group={},
            shares=[share for share, _ in levels],
            counts=[count for _, count in levels],
        )

    # ---- looking at it -----------------------------------------------------------------------------------------------

    def tree1(self) -> list[tuple[Hashable, ...]]:
        """Return Tree1: labels of the join attributes, values on X of the earlier releases, and how many records have them."""
        tree, join = self.validity.tree1, self.questions[0][1].join
        earlier = [one for one in self.questions[0][1].x if one.release < len(join.releases) - 1]
        shown = [name for name in join.trees if name in join.attributes]
        more = [at for at, one in enumerate(earlier) if one.name not in shown]
        found: dict[tuple[Hashable, ...], int] = {}
        for atom, (labels, x) in enumerate(zip(tree.atoms.nodes.tolist(), tree.x[tree.x_at].tolist(), strict=True)):
            names = zip(join.trees.values(), join.trees, labels, strict=True)
            key = tuple(held.labels[node] for held, name, node in names if name in shown)
            key += tuple(join.releases[earlier[at].release].dictionary(earlier[at].name).values[x[at]] for at in more)
            found[key] = found.get(key, 0) + int(tree.atoms.weights[atom])
        return [(*key, count) for key, count in found.items()]

    def tree2(self, which: int = 0) -> list[XRow]:
        """Return the leaves of Tree2: labels on X, then on the other join attributes, records, and protected values on Y."""
        eye, table = self.validity.eyes[which], self.task.table
        others = [name for name in self.validity.names if name in table.extra]
        found: dict[tuple[Hashable, ...], XEntry] = {}
        for row in range(len(table)):
            key: tuple[Hashable, ...] = tuple(
                column.label_of_code(int(table.codes[row, at])) for at, column in enumerate(self.columns)
            )
            codes = table.extra_codes[row]
            key += tuple(table.dictionaries[name].values[codes[table.extra.index(name)]] for name in others)
            entry = found.setdefault(key, XEntry())
            entry.rows += int(table.weights[row])
            if eye.inside and eye.model.protects(value := eye.called[eye.value[row]]):
                entry.values[value] = entry.values.get(value, 0) + int(table.weights[row])
        return [XRow(key, entry.rows, entry.values) for key, entry in found.items()]

    def x_tree(self, which: int = 0) -> list[XRow]:
        """Return the X-tree with values on X in the order of the requirement: for whoever wants to see it."""
        question = self.questions[which][1]
        join, last = question.join, len(question.join.releases) - 1
        earlier = [one for one in self.questions[0][1].x if one.release < last]
        names = list(self.task.table.columns)
        ((_, partition),) = self.partitions.items()
        out = []
        for (group, at), entry in self.validity.x_tree(which).items():
            row = int(partition.rows_of(group)[0])
            codes = self.validity.tree1.x[at].tolist()
            x: list[Hashable] = []
            for one in question.x:
                if one.release == last:
                    index = names.index(one.name)
                    x.append(self.columns[index].label_of_code(int(self.task.table.codes[row, index])))
                else:
                    code = codes[earlier.index(one)]
                    x.append(None if code < 0 else join.releases[one.release].dictionary(one.name).values[code])
            out.append(XRow(tuple(x), entry.rows, entry.values))
        return out


def attribute_of(name: str, table: Table, tree: Tree | None) -> Attribute:
    """Return a column as a search sees it: by its tree, numbers cut on the fly, other values below one symbol."""
    kind = table.types[name]
    if tree is not None:
        return Attribute(name, "taxonomy", kind, tree)
    if kind.numeric:
        return Attribute(name, "interval", kind)
    return Attribute(name, "taxonomy", kind, Tree.flat(table.dictionary(name).values, column=name))
