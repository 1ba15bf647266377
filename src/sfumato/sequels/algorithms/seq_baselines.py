"""The obvious ways to make the next release of a series: what a search on the join is compared with."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, Literal, get_args

import numpy as np

from sfumato.algorithms.stepwise.tdr import TDR
from sfumato.contracts.algorithm import Outcome, Search, SearchTraits, Task
from sfumato.contracts.engine import Table
from sfumato.contracts.recoding import ColumnRecoding, Mapped
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.kernels.arrays import Floats
from sfumato.models.k_anonymity import KAnonymity
from sfumato.recodings.subtree_generalization import SubtreeGeneralization
from sfumato.recodings.value_suppression import ValueSuppression
from sfumato.sequels.algorithms._join_refinement import attribute_of, questions_of
from sfumato.sequels.join import nodes_of
from sfumato.sequels.models.xy_privacy_join import JoinQuestion
from sfumato.sequels.series import Series
from sfumato.sequels.task import SeriesTask

__all__ = ["Baseline", "SeqBaselines", "baselines", "recoded", "share_lost"]

Way = Literal["join-attributes", "monotone", "alone", "without-join", "without-sensitive"]


@frozen(eq=False)
class Baseline:
    """One way to make the next release: the table, the share of its detail that is lost, and whether the join stays safe."""

    way: Way
    table: Table
    cost: float
    satisfied: bool


class SeqBaselines(Search[SeriesTask]):
    """Make the next release without looking at the join, in one of the obvious ways.

    - ``join-attributes``: k-anonymize it with all join attributes as the quasi-identifier;
    - ``monotone``: show no value finer than any earlier release showed it, so that releases get coarser and coarser;
    - ``alone``: k-anonymize it on its own columns of X, as if nothing had been published; this need not be safe;
    - ``without-join``: suppress the join attributes, so that everybody matches everybody;
    - ``without-sensitive``: suppress the columns of Y, so that there is nothing to learn from it.

    None of them promises the requirement on the join; :func:`baselines` tries all of them and judges each. Suppressing a column
    is the same as leaving it out.

    Adversary: that of the requirement on the join. Cost: that of ``tdr`` where something is k-anonymized, else linear.

    Examples
    --------
    >>> from sfumato.engines import read
    >>> from sfumato.sequels.models import XYPrivacyJoin
    >>> first = {"Sex": ["M", "M", "F", "F"], "Zip": ["Z1", "Z2", "Z1", "Z2"]}
    >>> then = {"Sex": ["M", "M", "F", "F"], "Job": ["Cook", "Clerk", "Cook", "Clerk"], "Test": ["HIV", "Flu", "Flu", "Flu"]}
    >>> model = XYPrivacyJoin(h=0.4, x=("T2.Job", "T1.Zip"), y=("T2.Test",), values=("HIV",))
    >>> task = SeriesTask(read(then), Series.of([first], qid=["Zip"]), [model])
    >>> [found.way for found in baselines(task, 2, Run()) if found.satisfied]
    ['without-sensitive']
    >>> SeqBaselines(way="without-join").run(task, Run()).recodings["Sex"].map(["M"]).labels
    ('*',)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 9.1.1 and 9.5.
    """

    id: ClassVar[str] = "seq-baselines"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-table",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="that of tdr where something is k-anonymized, else linear in the records",
    )

    way: Way = param(choices=get_args(Way), doc="which of the obvious ways to go")
    k: int = param(default=5, ge=1, doc="smallest group where something is k-anonymized")

    def run(self, task: SeriesTask, run: Run) -> Outcome:
        """Return the recodings of one way; columns that it does not touch are published as they are."""
        series, questions = questions_of(task)
        return Outcome(recodings=self.recodings(task, series, questions[0][1], run))

    def recodings(
        self, task: SeriesTask, series: Series, question: JoinQuestion, run: Run
    ) -> Mapping[str, ColumnRecoding]:
        """Return what one way makes of each column that it touches."""
        last = len(series) - 1
        joins = [name for name in question.join.trees if name in task.batch.types]
        held = {name: question.join.trees[name] for name in joins} | dict(series.trees)
        match self.way:
            case "join-attributes":
                return _anonymized(task, joins, held, self.k, run)
            case "alone":
                names = [one.name for one in question.x if one.release == last]
                return _anonymized(task, names, held, self.k, run)
            case "monotone":
                return {name: _no_finer(name, held[name], series) for name in joins}
            case "without-join":
                return {name: _suppressed(task.batch, name) for name in joins}
            case "without-sensitive":
                return {one.name: _suppressed(task.batch, one.name) for one in question.y if one.release == last}


def baselines(task: SeriesTask, k: int, run: Run) -> tuple[Baseline, ...]:
    """Return every obvious way side by side; the cost is over the columns of X, Y and the join of the new release."""
    series, questions = questions_of(task)
    question, last = questions[0][1], len(series) - 1
    asked = [one.name for _, one_asked in questions for one in (*one_asked.x, *one_asked.y) if one.release == last]
    names = list(dict.fromkeys([*asked, *(name for name in question.join.trees if name in task.batch.types)]))
    found = []
    for way in get_args(Way):
        run.checkpoint()
        made = SeqBaselines(way=way, k=k).recodings(task, series, question, run)
        table = recoded(task.batch, made)
        gone = way == "without-sensitive" and all(one.release == last for one in question.y)
        satisfied = gone or all(model.judge(task.after(table)).satisfied for model, _ in questions)
        found.append(Baseline(way, table, share_lost(task.batch, made, names), satisfied))
    return tuple(found)


def recoded(table: Table, recodings: Mapping[str, ColumnRecoding]) -> Table:
    """Return the table with some columns recoded."""
    values = {name: table.dictionary(name).values for name in recodings}
    labels: Mapping[str, Mapping[Hashable, str | None]] = {
        name: dict(zip(values[name], recoding.map(values[name], column=name).labels, strict=True))
        for name, recoding in recodings.items()
    }
    return table.recode(labels)


def share_lost(table: Table, recodings: Mapping[str, ColumnRecoding], names: Sequence[str]) -> float:
    """Return the share of detail that the cells of some columns lose: 0 as they were, 1 if a label stands for everything."""

    def lost(name: str) -> float:
        held = table.dictionary(name)
        if name not in recodings or not len(held):
            return 0.0
        return float(np.average(_open(recodings[name].map(held.values, column=name)), weights=held.counts))

    return sum(map(lost, names)) / max(len(names), 1)


def _open(mapped: Mapped) -> Floats:
    """Return how much of its domain each value leaves open; a single value leaves nothing open, unless ranges are measured."""
    least = 0.0 if mapped.continuous else 1.0
    return np.asarray((mapped.covered - least) / max(mapped.domain - least, 1e-300))


def _anonymized(
    task: SeriesTask, names: Sequence[str], trees: Mapping[str, Tree], k: int, run: Run
) -> Mapping[str, ColumnRecoding]:
    """Return the recodings of a release that is k-anonymized by itself."""
    if not names:
        return {}
    table = task.batch.compress(names, [task.target] if task.target and task.target not in names else [])
    attributes = [attribute_of(name, task.batch, trees.get(name)) for name in names]
    found = TDR(score="auto").run(Task(table, attributes, (KAnonymity(k=k),), target=task.target), run.part())
    return found.recodings


def _no_finer(name: str, tree: Tree, series: Series) -> ColumnRecoding:
    """Return the cut of the topmost labels that earlier releases showed; values that none of them showed stay."""
    shown = np.zeros(len(tree), bool)
    for table in series.releases[:-1]:
        if name in table.types:
            shown[nodes_of(tree, table.dictionary(name).values, column=name)[:-1]] = True
    cut: list[int] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        if shown[node] or not tree.children[node]:
            cut.append(node)
        else:
            waiting.extend(tree.children[node])
    return SubtreeGeneralization(tree=tree, cut=tuple(tree.labels[node] for node in sorted(cut)))


def _suppressed(table: Table, name: str) -> ColumnRecoding:
    return ValueSuppression(disclosed=(), domain=table.dictionary(name).values)
