"""How do I write my own algorithm? One class: from a task to an outcome. This one lifts all columns together."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

import sfumato
from sfumato.algorithms import Datafly
from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.run import Run
from sfumato.datasets import patients
from sfumato.recodings import FullDomainGeneralization
from sfumato.searches.validity import group_stats


class AllTogether(Algorithm):
    """Lift every column by one level of its tree, all at once, until every requirement holds."""

    id: ClassVar[str] = "all-together"
    traits: ClassVar[AlgorithmTraits] = replace(Datafly.traits, suppresses_records=False)

    def run(self, task: Task, run: Run) -> Outcome:
        """Try level after level."""
        trees = [one.tree or sfumato.Tree.flat(task.table.dictionaries[one.name].values) for one in task.attributes]
        leaves = [
            tree.encode(task.table.dictionaries[name].values) for tree, name in zip(trees, task.qids, strict=True)
        ]
        for lifted in range(max(tree.height for tree in trees) + 1):
            run.checkpoint()  # whoever waits may cancel here
            levels = [min(lifted, tree.height) for tree in trees]
            nodes = [tree.level_nodes[at][leaf] for tree, at, leaf in zip(trees, levels, leaves, strict=True)]
            shown = np.stack([node[code] for node, code in zip(nodes, task.table.codes.T, strict=True)], axis=1)
            kinds, group = np.unique(shown, axis=0, return_inverse=True)
            if all(
                model.check(group_stats(task.table, group.ravel(), len(kinds), model.needs())) for model in task.models
            ):
                made = [FullDomainGeneralization(tree=tree, level=at) for tree, at in zip(trees, levels, strict=True)]
                return Outcome(recodings=dict(zip(task.qids, made, strict=True)))
        raise sfumato.Infeasible("even the most general table fails a requirement")


data = patients()
policy = sfumato.Policy.for_dataset(data, requirements=[{"id": "k-anonymity", "k": 2}], algorithm=AllTogether())
release = sfumato.anonymize(sfumato.from_dataset(data), policy)
print(release.table.to_rows())
print("certified as", release.certificate.algorithm.id, "and verified:", bool(release.verdict))
