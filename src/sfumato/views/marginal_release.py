"""Marginals beside a release: proposed, chosen while they are safe, certified together with the base table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import AlgorithmEntry, ColumnEntry
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import Facts
from sfumato.contracts.published import Kept, Published, Release
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import SUPPRESSED, parse_interval, to_text
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible
from sfumato.groups.distinct import distinct_rows, found_among
from sfumato.publishing.certify import Told, certify
from sfumato.tables.policy import Policy
from sfumato.views.label_refinement import common_refinement
from sfumato.views.marginal import COUNT
from sfumato.views.marginal_choice import Choice, chosen_marginals, proposed_marginals
from sfumato.views.models.marginal_privacy_check import MarginalPrivacyCheck
from sfumato.views.releases.marginal_build import MarginalBuild

__all__ = ["MarginalFacts", "marginals_beside"]

CoverList = tuple[tuple[str, str, tuple[str, ...]], ...]


@frozen(eq=False, repr=False, kw_only=True)
class MarginalFacts(Facts):
    """Which marginals were chosen, in order, and what each bought."""

    choices: Sequence[Choice] = ()

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say of each marginal how much nearer to the table it brings what is published."""
        return [say("marginals.bought", name=one.marginal, before=one.before, after=one.after) for one in self.choices]


def marginals_beside(
    table: Table,
    policy: Policy,
    beside: Published,
    model: MarginalPrivacyCheck,
    *,
    most: int | None = None,
    run: Run | None = None,
) -> Release:
    """Return the marginals of a table that go beside an anonymous release of it, with that release as their base.

    Every class that the published tables leave possible must keep the requirement, so that anybody can verify it.
    """
    base = beside.table
    known = [name for name in policy.of_role(Role.QUASI_IDENTIFIER) if name in base.types]
    (sensitive, *others) = (*policy.of_role(Role.SENSITIVE), None)
    if sensitive is None or (others and others[0] is not None):
        raise BadRequest("needs exactly one sensitive column", parameter="policy", available=policy.columns)
    telling = [name for name in known if tuple(base.dictionary(name).values) != (SUPPRESSED,)]
    base = base.select([*telling, sensitive])
    trees = _trees(table, policy, known)
    table = _published_records(table, base, _by_column(_covers(table, base, trees, {})))
    coarser = _coarser(table, trees, model.k or 1)
    covers = _covers(table.select([*known, sensitive]), base, trees, coarser)
    going = run or Run()
    going.stage("choosing marginals")
    steps, found = chosen_marginals(
        table,
        base,
        proposed_marginals(table, known, sensitive, labels=coarser),
        model,
        sensitive=sensitive,
        covers=_by_column(covers),
        most=most,
        run=going,
    )
    if not found:
        raise Infeasible("no marginal can be published beside the release", requirement=model.id)
    kind = MarginalBuild(names=tuple(found), sensitive=sensitive, base=True, covers=covers)
    built = Built(kind, {"base": base, **{name: one.table() for name, one in found.items()}})
    told = [name for name in known if any(name in one.types for one in built.tables.values())]
    roles = {**dict.fromkeys(told, Role.QUASI_IDENTIFIER), sensitive: Role.SENSITIVE, COUNT: Role.PLAIN}
    return certify(
        built,
        Told(
            columns=tuple(ColumnEntry(name, str(role), kind.operation(name)) for name, role in roles.items()),
            counts={"records_read": table.rows, "records_published": base.rows},
            algorithm=AlgorithmEntry("marginal-build", False, "no marginal helps and is safe"),
        ),
        Kept(models=(model,), facts=MarginalFacts(choices=tuple(steps))),
    )


def _by_column(covers: CoverList) -> dict[str, dict[Hashable, tuple[str, ...]]]:
    told: dict[str, dict[Hashable, tuple[str, ...]]] = {}
    for column, label, finer in covers:
        told.setdefault(column, {})[label] = finer
    return told


def _published_records(table: Table, base: Table, covers: Mapping[str, Mapping[Hashable, Sequence[str]]]) -> Table:
    """Return the records that the base was made of: those that none of its rows stands for were left out."""
    if table.rows == base.rows:
        return table
    mine, theirs = [], []
    for name in base.columns:
        labels, values = tuple(base.dictionary(name).values), tuple(table.dictionary(name).values)
        _, places = common_refinement({0: labels, 1: values}, covers.get(name, {}), name)
        shown = np.full(len(values) + 1, -2, np.int64)  # no label stands for it
        shown[places[1]] = places[0]
        shown[-1] = -1
        mine.append(shown[table.as_rows().codes([name])[:, 0]])
        theirs.append(base.as_rows().codes([name])[:, 0].astype(np.int64))
    kept = np.flatnonzero(found_among(distinct_rows(np.column_stack(theirs))[0], np.column_stack(mine)) >= 0)
    if len(kept) != base.rows:
        raise BadRequest(
            f"has {base.rows:,} records and stands for {len(kept):,} of the {table.rows:,} of the data: what was left out "
            "cannot be told; make it with limits: {suppress_at_most: 0}",
            parameter="beside",
        )
    return table.as_rows().take(kept)


def _trees(table: Table, policy: Policy, known: Sequence[str]) -> dict[str, Tree]:
    """Return the trees that the policy names, over the values of the table."""
    found = {}
    for name in known:
        builder, dictionary = policy.hierarchy(name), table.dictionary(name)
        if builder is not None:
            fitted = builder.fitted(dictionary.values, dictionary.counts.tolist())
            found[name] = fitted.build(dictionary.values, column=name)
    return found


def _coarser(table: Table, trees: Mapping[str, Tree], least: int) -> dict[str, dict[Hashable, str]]:
    """Return labels for columns with rare values: the lowest level of their tree at which every label has enough records."""
    found = {}
    for name, tree in trees.items():
        dictionary = table.dictionary(name)
        leaves = tree.encode(dictionary.values, column=name)
        for level, nodes in enumerate(tree.level_nodes):
            sizes = np.bincount(nodes[leaves], dictionary.counts)
            if sizes[sizes > 0].min(initial=table.rows) >= least:
                labels = [tree.labels[node] for node in nodes[leaves].tolist()]
                if level and len(set(labels)) > 1:
                    found[name] = dict(zip(dictionary.values, labels, strict=True))
                break
    return found


def _covers(
    table: Table, base: Table, trees: Mapping[str, Tree], coarser: Mapping[str, Mapping[Hashable, str]]
) -> CoverList:
    """Return what labels of taxonomies stand for; intervals and redacted values tell themselves."""
    found = []
    for name in table.columns:
        raw = {to_text(value) for value in table.dictionary(name).values}
        own = {*coarser.get(name, {}).values()}
        labels = [to_text(label) for label in base.dictionary(name).values] if name in base.types else []
        shown = {*labels, *own} - {SUPPRESSED}
        strange = sorted(label for label in shown - raw if parse_interval(label) is None and not label.endswith("*"))
        if SUPPRESSED in labels:
            # Values that are shown elsewhere are not hidden behind it, where values are suppressed one by one.
            found.append((name, SUPPRESSED, tuple(sorted((raw | own).difference(labels)))))
        if name in trees:
            tree = trees[name]
            for label in strange:
                node = tree.node(label, column=name)
                first, last = int(tree.leaf_first[node]), int(tree.leaf_last[node])
                leaves = [to_text(leaf) for leaf in tree.leaves[first:last]]
                inner = [one for one in shown if one != label and one not in raw and one in tree.node_of]
                inside = [
                    one
                    for one in inner
                    if first <= tree.leaf_first[tree.node_of[one]] < last and tree.leaf_last[tree.node_of[one]] <= last
                ]
                found.append((name, label, (*(leaf for leaf in leaves if leaf in raw), *sorted(inside))))
    return tuple(found)
