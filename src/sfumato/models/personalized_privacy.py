"""Personalized privacy: every owner names a node of the taxonomy that nobody may place her under with much certainty."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from sfumato.contracts.model import Bound, GroupModel, Numbers, TableModel, TableTraits, Verdict, Violation, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import MISSING_LABEL, SUPPRESSED, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models._value_combinations import groups_of
from sfumato.models.sensitive_model import checked_histogram

__all__ = ["PersonalizedPrivacy"]


class PersonalizedPrivacy(TableModel):
    """No owner's sensitive value is placed under the node she guards with more than the breach probability.

    Each record may name a guarding node ``GN`` of the taxonomy of the sensitive column; without one there is no requirement.
    Published sensitive values may be inner nodes. The adversary takes a record of the victim's group ``G`` at random, and
    a leaf at random below its value:

    - ``union``: ``breach = mean over r in G of |leaves(GN) and leaves(r)| / |leaves(r)|``, some leaf below the node;
    - ``max_leaf``: the largest such chance of one single leaf below the node.

    The requirement holds iff ``breach <= p_breach`` for every guarding owner. Guarding the root gives ``union`` breach 1 and
    is refused. Neither merging groups nor generalizing another record's value is sure to lower a breach.

    Searches see the owners of a group as a whole: it holds iff nobody in it is placed too surely. `optimal` and `mondrian` keep
    that; `tdr` cannot, as a finer table may be the safer one.

    Guarding nodes come from a column (``guard``), or as a mapping from owners to nodes (``guards``) with the column that
    names the owners. They serve the check only: do not publish them.

    Adversary: knows the quasi-identifier of a person in the table and the taxonomy.

    Examples
    --------
    >>> from sfumato.contracts.publication import Publication
    >>> from sfumato.data.tree import Tree
    >>> from sfumato.engines import from_rows
    >>> rows = [("g", "HIV", "Infectious"), ("g", "Flu", None), ("g", "SARS", "SARS")]
    >>> tree = Tree.from_nested({"Any": [{"Infectious": ["HIV", "SARS"]}, {"Respiratory": ["Flu", "Asthma"]}]})
    >>> table = from_rows(["Zip", "Disease", "Guard"], rows)
    >>> publication = Publication(table=table, qids=("Zip",), trees={"Disease": tree})
    >>> model = PersonalizedPrivacy(sensitive="Disease", guard="Guard", p_breach=0.5)
    >>> model.breach(publication).round(3).tolist()
    [0.667, 0.0, 0.333]
    >>> model.judge(publication).violations[0].witness["guarding_node"]
    'Infectious'

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.9.
    Xiao, Tao, "Personalized privacy preservation", 2006, doi:10.1145/1142473.1142500.
    """

    id: ClassVar[str] = "personalized-privacy"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="record",
        closed_under_merge=False,
        violations_shrink_under_merge=False,
        sensitive="taxonomy",
    )
    adversary: ClassVar[str] = say("adversary.personalized-privacy")
    level: ClassVar[str] = "breach probability"
    tree: ClassVar[Tree | None] = None  # that of the table at hand; no part of the requirement

    p_breach: float = param(ge=0, le=1, doc="highest probability of a value below the guarding node")
    sensitive: str = column("sensitive", doc="column with the values to protect; needs a hierarchy")
    guard: str | None = column(
        "private", default=None, doc="column with the guarding node of each record; missing: none"
    )
    guards: Mapping[str, str] | None = param(
        default=None, doc="guarding node of each owner; owners not named guard nothing"
    )
    owner: str | None = column("identifier", default=None, doc="column that names the owners in guards")
    reading: str = param(
        default="union",
        choices=("union", "max_leaf"),
        doc="a breach is learning that some leaf below the node applies, or one certain leaf",
    )

    def validate(self) -> None:
        """Refuse none or both sources of guarding nodes, and a mapping without the owners' column."""
        super().validate()
        if self.guards is not None and not isinstance(self.guards, Mapping):
            raise BadRequest("must be a mapping from owners to nodes", parameter=f"{self.id}.guards")
        if (self.guard is None) == (self.guards is None):
            raise BadRequest("needs either a column or a mapping of guarding nodes", parameter=f"{self.id}.guard")
        if (self.guards is None) != (self.owner is None):
            raise BadRequest("goes together with a mapping of guarding nodes", parameter=f"{self.id}.owner")

    def needs(self) -> tuple[str, ...]:
        """Return the sensitive column and the one that tells the guarding nodes."""
        return tuple(name for name in (self.sensitive, self.guard, self.owner) if name is not None)

    def private(self) -> tuple[str, ...]:
        """Return the column that tells the guarding nodes: whoever sees it knows what an owner hides."""
        return tuple(name for name in (self.guard, self.owner) if name is not None)

    def with_trees(self, trees: Mapping[str, Tree]) -> Self:
        """Return the model with the hierarchy of its column, for searches."""
        if self.sensitive not in trees:
            return self
        made = replace(self)
        object.__setattr__(made, "tree", trees[self.sensitive])
        return made

    def in_search(self) -> GroupModel:
        """Return the likeliest breach of a group as a condition on it."""
        return _Guarded(asked=self, qid=self.qid)

    def in_each_group(self) -> GroupModel:
        """Return the same: a group is safe or not, whatever the others are."""
        return self.in_search()

    def breach(self, publication: Publication) -> Floats:
        """Return the breach probability of each record, in order; 0 for owners who guard nothing."""
        breaches = self._breaches(publication)
        group = publication.group_of_record(self.qid)
        place = {(int(g), node): at for at, (g, node) in enumerate(zip(breaches.group, breaches.node, strict=True))}
        guarded = self._guarding(publication)
        return np.array(
            [
                0.0 if node is None else breaches.value[place[int(g), node]]
                for g, node in zip(group, guarded, strict=True)
            ]
        )

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge every owner who guards a node; each violation is one node in one group."""
        found = self._breaches(publication)
        groups = found.groups
        broken = np.flatnonzero(~at_most(float(self.p_breach)).holds(found.value))
        shown = broken[np.argsort(-found.value[broken], kind="stable")][:worst]
        return self.verdict(
            qid=groups.columns,
            satisfied=len(broken) == 0,
            strongest=float(found.value.max()) if len(found.value) else None,
            bound=f"<= {self.p_breach:g}",
            groups=len(groups),
            records=groups.sizes.sum().item(),
            violations=[
                Violation(
                    groups.key(int(found.group[at])),
                    groups.sizes[found.group[at]].item(),
                    float(found.value[at]),
                    {"guarding_node": found.node[at], "owners": found.owners[at].item(), "reading": self.reading},
                )
                for at in shown
            ],
            violating_groups=len(np.unique(found.group[broken])),
            violating_records=found.owners[broken].sum().item(),
        )

    def _guarding(self, publication: Publication) -> list[str | None]:
        """Return the guarding node that each record names."""
        if self.guard is not None:
            return [None if node is None else to_text(node) for node in publication.column(self.guard)]
        assert self.owner is not None
        named = self.guards or {}
        return [None if owner is None else named.get(to_text(owner)) for owner in publication.column(self.owner)]

    def breaches(self, groups: GroupStats) -> Floats:
        """Return the likeliest breach of each group, 0 where nobody guards anything.

        Histograms count sensitive values and what tells the guarding nodes, a missing one by its label.
        """
        tree, told = self.tree, self.guard or self.owner
        if tree is None or told is None:
            raise BadRequest("needs a hierarchy of the column", column=self.sensitive)
        if MISSING_LABEL in tree.node_of:
            raise BadRequest("stands for owners who guard nothing", column=self.sensitive, value=MISSING_LABEL)
        texts = [MISSING_LABEL if value is None else to_text(value) for value in groups.histograms[told].values]
        named = [self.guards.get(text) for text in texts] if self.guards is not None else texts
        named = [None if name == MISSING_LABEL else name for name in named]
        return self._found(tree, groups, groups.histograms[told], named).highest(len(groups))

    def _breaches(self, publication: Publication) -> _Breaches:
        tree = publication.tree(self.sensitive)
        if self.guard is not None:
            groups = groups_of(self, publication, (self.sensitive, self.guard))
            guards = groups.histograms[self.guard]
        else:
            groups = groups_of(self, publication, (self.sensitive,))
            guards = self._guard_histogram(publication, len(groups))
        named = [None if value is None else to_text(value) for value in guards.values]
        return self._found(tree, groups, guards, named)

    def _found(self, tree: Tree, groups: GroupStats, guards: Histogram, named: Sequence[str | None]) -> _Breaches:
        """Return the breaches of the nodes that somebody in a group guards, by the codes of a histogram."""
        published = checked_histogram(groups, self.sensitive, "refuse")
        nodes = np.array([_node(tree, value, self.sensitive) for value in published.values], np.int64)
        self._refuse_nodes(tree, named)
        entry_group = guards.group()
        parts: list[tuple[Ints, str, Floats, Ints]] = []
        leaf_chance: dict[int, Floats] = {}
        for code, name in enumerate(named):
            here = guards.code == code
            if name is None or not here.any():
                continue
            chance = self._chance(tree, tree.node(name), nodes, published, groups.sizes, leaf_chance)
            parts.append((entry_group[here], name, chance[entry_group[here]], guards.count[here]))
        empty = np.empty(0, np.int64)
        return _Breaches(
            groups,
            np.concatenate([empty, *(group for group, _, _, _ in parts)]),
            [name for group, name, _, _ in parts for _ in group],
            np.concatenate([np.empty(0), *(value for _, _, value, _ in parts)]),
            np.concatenate([empty, *(owners for _, _, _, owners in parts)]),
        )

    def _guard_histogram(self, publication: Publication, groups: int) -> Histogram:
        named = self._guarding(publication)
        values = list(dict.fromkeys(named))
        place = {name: code for code, name in enumerate(values)}
        code = np.array([place[name] for name in named], np.int64)
        return Histogram.from_pairs(
            groups, values, publication.group_of_record(self.qid), code, np.ones(len(code), np.int64)
        )

    def _refuse_nodes(self, tree: Tree, named: Sequence[str | None]) -> None:
        where = f"{self.id}.guard"
        for name in named:
            if name is None:
                continue
            if name not in tree.node_of:
                raise BadRequest(
                    "is not a node of the hierarchy",
                    parameter=where,
                    column=self.sensitive,
                    value=name,
                    available=tree.labels,
                )
            if self.reading == "union" and self.p_breach < 1 and tree.leaf_count[tree.node(name)] == len(tree.leaves):
                raise BadRequest(
                    "guards all values, which everybody knows to apply: no table can satisfy it",
                    parameter=where,
                    column=self.sensitive,
                    value=name,
                )

    def _chance(
        self, tree: Tree, guarded: int, nodes: Ints, published: Histogram, sizes: Ints, leaf_chance: dict[int, Floats]
    ) -> Floats:
        """Return, for each group, the chance that a member has a value below a node, or the likeliest leaf below it."""

        def mean(first: int, last: int) -> Floats:
            inside = np.minimum(tree.leaf_last[nodes], last) - np.maximum(tree.leaf_first[nodes], first)
            share = np.maximum(inside, 0) / tree.leaf_count[nodes]
            return np.add.reduceat(share[published.code] * published.count, published.start[:-1]) / sizes

        first, last = int(tree.leaf_first[guarded]), int(tree.leaf_last[guarded])
        if self.reading == "union":
            return mean(first, last)
        best = np.zeros(len(sizes))
        for leaf in range(first, last):
            if leaf not in leaf_chance:
                leaf_chance[leaf] = mean(leaf, leaf + 1)
            best = np.maximum(best, leaf_chance[leaf])
        return best


@frozen(eq=False)
class _Breaches:
    """The breach probability of every node that somebody in a group guards: group, node, probability, number of owners."""

    groups: GroupStats
    group: Ints
    node: list[str]
    value: Floats
    owners: Ints

    def highest(self, groups: int) -> Floats:
        """Return the likeliest breach of each group."""
        out = np.zeros(groups)
        np.maximum.at(out, self.group, self.value)
        return out


class _Guarded(GroupModel):
    """Nobody in a group is placed too surely under the node that she guards."""

    id: ClassVar[str] = "personalized-privacy"
    traits: ClassVar[TableTraits] = replace(PersonalizedPrivacy.traits, evaluation="group")
    asked: PersonalizedPrivacy = param(doc="the requirement")

    def needs(self) -> tuple[str, ...]:
        """Return the sensitive column and the one that tells the guarding nodes."""
        return self.asked.needs()

    def private(self) -> tuple[str, ...]:
        """Return the column that tells the guarding nodes."""
        return self.asked.private()

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the likeliest breach of each group."""
        return self.asked.breaches(groups)

    def bound(self) -> Bound:
        """At most the accepted probability."""
        return at_most(float(self.asked.p_breach))


def _node(tree: Tree, value: Hashable, name: str) -> int:
    """Return the node of a published value: a leaf, an inner node, or the root for a suppressed one."""
    if value in tree.leaf_number:
        return int(tree.leaf_nodes[tree.leaf_number[value]])
    label = to_text(value)
    if label == SUPPRESSED and label not in tree.node_of:
        return 0
    return tree.node(label, column=name)
