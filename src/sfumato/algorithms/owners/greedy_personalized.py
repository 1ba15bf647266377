"""Greedy personalized generalization: refine quasi-identifiers, and let single sensitive values climb where owners ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from sfumato.algorithms.owners._guarded_refinement import GuardedGroup, GuardedRefinement
from sfumato.algorithms.owners._guarded_repair import GuardedRepair
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Attribute, Outcome, Task
from sfumato.contracts.facts import GuardFacts
from sfumato.contracts.model import TableModel
from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.contracts.run import Run
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.kernels.arrays import Ints
from sfumato.models.personalized_privacy import PersonalizedPrivacy
from sfumato.recodings.cell_generalization import CellGeneralization
from sfumato.recodings.subtree_generalization import SubtreeGeneralization

__all__ = ["GreedyPersonalized"]


class GreedyPersonalized(Algorithm):
    """Refine quasi-identifiers as long as the loss falls, while single sensitive values climb until no owner is breached.

    The requirement is ``personalized-privacy`` with a column of guarding nodes, which has the role private: it is read and
    never published. It also says which reading of a breach is meant: some value below the guarded node, or one certain
    value. Sizes may be required besides, by k-anonymity on all quasi-identifiers.

    Every column starts at its root and every sensitive value as it is. A group is *repaired* cell by cell: while the worst
    breach is above the bound, the record climbs whose climb lowers it at the least cost, to the lowest node that tells less
    of the guarded one; of equal costs the one that lowers it most. Then each split of a published node is tried: its groups
    fall apart and are repaired anew from the raw values. With

    ``ILoss = sum over records and columns, the sensitive one included, of (leaves(value) - 1) / leaves(root)``

    the split that lowers it most is taken, as long as one does. A split is not allowed if one of its groups cannot be
    repaired. Breaches are not monotone, so every split is tried again whenever its groups have changed.

    Adversary: that of the requirement. Facts of an outcome: ``iloss``, ``iloss_quasi_identifiers``, ``iloss_sensitive``,
    ``guarding_owners``, ``cells_generalized``, ``highest_breach``, ``groups``.

    Examples
    --------
    >>> import sfumato
    >>> disease = {"Any": [{"Infectious": ["HIV", "SARS"]}, {"Respiratory": ["Flu", "Asthma"]}]}
    >>> rows = [("M", "HIV", "Infectious"), ("M", "Flu", None), ("F", "Flu", None), ("F", "Asthma", None)]
    >>> table = sfumato.from_rows(["Sex", "Disease", "Guard"], rows)
    >>> policy = {
    ...     "columns": {
    ...         "Sex": {"role": "quasi-identifier"},
    ...         "Disease": {"role": "sensitive", "hierarchy": {"id": "taxonomy", "tree": disease}},
    ...         "Guard": {"role": "private"},
    ...     },
    ...     "requirements": [
    ...         {"id": "personalized-privacy", "sensitive": "Disease", "guard": "Guard", "p_breach": 0.3}
    ...     ],
    ...     "algorithm": {"id": "greedy-personalized"},
    ... }
    >>> sfumato.anonymize(table, policy).table.to_rows()
    [('F', 'Asthma'), ('F', 'Flu'), ('M', 'Any'), ('M', 'Flu')]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.2.6.
    Xiao, Tao, "Personalized privacy preservation", 2006, doi:10.1145/1142473.1142500.
    """

    id: ClassVar[str] = "greedy-personalized"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="subtree-generalization",
        release="recoded-table",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=False,
        suppresses_records=False,
        cost="records times quasi-identifiers for each split of the groups they are in; a repair for each different group",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )
    several_quasi_identifiers: ClassVar[bool] = False

    def run(self, task: Task, run: Run) -> Outcome:
        """Refine until nothing lowers the loss; the generator is not used."""
        model, least = _asked(task)
        trees = [_tree(task, attribute) for attribute in task.attributes]
        search = self._search(task, trees, model, least, run)
        groups = search.run()
        if groups is None and len(search.leaves) < least:
            raise Infeasible(
                f"{least} records are required in every group and there are {len(search.leaves)}",
                measured=len(search.leaves),
                bound=least,
            )
        if groups is None:
            assert model is not None
            raise Infeasible(
                "the whole table in one group cannot be repaired: climbing sensitive values does not bring every breach to "
                f"{model.p_breach:g}",
                bound=model.p_breach,
                requirement=model.id,
            )
        recodings: dict[str, ColumnRecoding] = {
            attribute.name: SubtreeGeneralization(tree=tree, hierarchy=attribute.builder, cut=search.cut(at, groups))
            for at, (attribute, tree) in enumerate(zip(task.attributes, trees, strict=True))
        }
        operation, cells = (None, 0) if model is None else _operation(model, search, groups)
        return Outcome(
            recodings=recodings,
            operation=operation,
            trace=search.trace,
            facts=_facts(trees, search, groups, cells),
        )

    def _search(
        self, task: Task, trees: Sequence[Tree], model: PersonalizedPrivacy | None, least: int, run: Run
    ) -> GuardedRefinement:
        assert task.raw is not None
        leaf_of = [
            np.array([tree.leaf_number[value] for value in task.table.dictionaries[name].values], np.int32)
            for name, tree in zip(task.qids, trees, strict=True)
        ]
        codes = task.raw.as_rows().codes(task.qids, task.table.dictionaries)
        leaves = np.stack([leaf[codes[:, at]] for at, leaf in enumerate(leaf_of)], axis=1)
        repair, sensitive, guards = None, np.zeros(len(codes), np.int64), np.full(len(codes), -1, np.int64)
        if model is not None:
            tree = task.trees[model.sensitive]
            sensitive = _leaves(task, model.sensitive, tree)
            guards = _guards(task, model, tree)
            repair = GuardedRepair(tree, float(model.p_breach), model.reading == "max_leaf")
            _refuse_hopeless(model, repair, sensitive, guards)
        return GuardedRefinement(trees, task.qids, leaves, sensitive, guards, repair, least, run)


def _asked(task: Task) -> tuple[PersonalizedPrivacy | None, int]:
    """Return the requirement on guarding nodes and the least size; refuse what cannot be promised."""
    found: list[PersonalizedPrivacy] = []
    least = 1
    for model in task.models:
        _refuse_columns(model, task)
        if isinstance(model, PersonalizedPrivacy):
            found.append(model)
        elif model.traits.by_size_alone:
            least = max(least, model.least_size())
        else:
            raise Unsupported(
                f"greedy-personalized promises personalized-privacy and group sizes, not {model.id}", thing=model.id
            )
    if len(found) > 1:
        raise Unsupported("greedy-personalized takes one requirement of guarding nodes", thing=found[1].id)
    if found and found[0].guard is None:
        raise Unsupported(
            "greedy-personalized reads guarding nodes from a column with the role private: use guard, not guards",
            thing=found[0].id,
        )
    if found and found[0].sensitive not in task.trees:
        raise BadRequest("needs a hierarchy", column=found[0].sensitive, parameter="hierarchy", available=task.trees)
    return (found[0] if found else None), least


def _refuse_columns(model: TableModel, task: Task) -> None:
    if model.qid is not None and set(model.qid) != set(task.qids):
        raise Unsupported(
            "greedy-personalized repairs groups on all quasi-identifiers; a requirement on some of them is not promised",
            thing=model.id,
        )


def _tree(task: Task, attribute: Attribute) -> Tree:
    if attribute.tree is not None:
        return attribute.tree
    if attribute.kind == "interval":
        raise BadRequest(
            "numbers need a hierarchy here, for example {id: intervals, width: 10}",
            column=attribute.name,
            parameter="hierarchy",
        )
    return Tree.flat(task.table.dictionaries[attribute.name].values, column=attribute.name)


def _leaves(task: Task, name: str, tree: Tree) -> Ints:
    """Return the leaf of every record's sensitive value."""
    assert task.raw is not None
    dictionary = task.raw.dictionary(name)
    lost = [value for value in dictionary.values if value not in tree.leaf_number]
    if lost:
        raise tree.unknown(lost, column=name)
    codes = task.raw.as_rows().codes([name], {name: dictionary})[:, 0]
    return np.array([tree.leaf_number[value] for value in dictionary.values], np.int64)[codes]


def _guards(task: Task, model: PersonalizedPrivacy, tree: Tree) -> Ints:
    """Return the node that each record's owner guards, -1 for none."""
    assert model.guard is not None
    table = task.owners
    if table is None or model.guard not in table.types:
        raise BadRequest(
            "must have the role private: it is read and never published",
            column=model.guard,
            parameter=f"{model.id}.guard",
        )
    dictionary = table.dictionary(model.guard)
    nodes = []
    for value in dictionary.values:
        text = to_text(value)
        if text not in tree.node_of:
            raise BadRequest(
                "holds a text that is not a node of the hierarchy",
                column=model.guard,
                parameter=f"{model.id}.guard",
                available=tree.labels,
            )
        nodes.append(tree.node_of[text])
    codes = table.as_rows().codes([model.guard], {model.guard: dictionary})[:, 0]
    return np.array([*nodes, -1], np.int64)[codes]


def _refuse_hopeless(model: PersonalizedPrivacy, repair: GuardedRepair, sensitive: Ints, guards: Ints) -> None:
    """Refuse the root as a guarded node, and nodes that are too frequent however much is generalized."""
    tree = repair.tree
    counts = np.bincount(sensitive, minlength=len(tree.leaves)).astype(np.int64)
    for guard in np.unique(guards[guards >= 0]).tolist():
        if not repair.per_leaf and model.p_breach < 1 and tree.leaf_count[guard] == len(tree.leaves):
            raise BadRequest(
                "guards all values, which everybody knows to apply: no table can satisfy it",
                column=model.guard,
                parameter=f"{model.id}.guard",
                value=tree.labels[guard],
            )
        smallest = repair.least_breach(counts, guard)
        if smallest > model.p_breach * (1 + 1e-9):
            raise Infeasible(
                f"a guarded node is too frequent: with every value at the root its breach is still {smallest:.4g}, at most "
                f"{model.p_breach:g} is allowed",
                measured=smallest,
                bound=model.p_breach,
                requirement=model.id,
            )


def _operation(
    model: PersonalizedPrivacy, search: GuardedRefinement, groups: Sequence[GuardedGroup]
) -> tuple[TableRecoding | None, int]:
    """Return the recoding of single sensitive cells; among records of a group with equal values the first ones climb."""
    assert search.repair is not None
    tree = search.repair.tree
    cells: list[tuple[int, str, str]] = []
    for group in groups:
        assert group.repaired is not None
        left = {leaf: list(group.rows[search.sensitive[group.rows] == leaf]) for leaf, _, _ in group.repaired.shown}
        for leaf, node, count in group.repaired.shown:
            chosen, left[leaf] = left[leaf][:count], left[leaf][count:]
            if node != int(tree.leaf_nodes[leaf]):
                cells += [(int(row), model.sensitive, tree.labels[node]) for row in chosen]
    if not cells:
        return None, 0
    return CellGeneralization(trees={model.sensitive: tree}, cells=tuple(sorted(cells))), len(cells)


def _facts(trees: Sequence[Tree], search: GuardedRefinement, groups: Sequence[GuardedGroup], cells: int) -> GuardFacts:
    masked = sum(
        len(group.rows) * (int(tree.leaf_count[node]) - 1) / len(tree.leaves)
        for group in groups
        for tree, node in zip(trees, group.nodes, strict=True)
    )
    raised = sum(group.repaired.raised for group in groups if group.repaired is not None)
    return GuardFacts(
        iloss=masked + raised,
        iloss_quasi_identifiers=masked,
        iloss_sensitive=raised,
        guarding_owners=int(np.count_nonzero(search.guards >= 0)),
        cells_generalized=cells,
        highest_breach=max((g.repaired.breach for g in groups if g.repaired is not None), default=0.0),
        groups=len(groups),
    )
