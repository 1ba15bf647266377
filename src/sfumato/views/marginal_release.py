"""Marginals beside a release: proposed, chosen while they are safe, certified together with the base table."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sfumato.contracts.built import Built
from sfumato.contracts.certificate import AlgorithmEntry, ColumnEntry
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import Facts
from sfumato.contracts.published import Kept, Published, Release
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import SUPPRESSED, parse_interval, to_text
from sfumato.errors import BadRequest, Infeasible
from sfumato.publishing.certify import Told, certify
from sfumato.tables.policy import Policy
from sfumato.views.marginal import COUNT
from sfumato.views.marginal_choice import Choice, chosen_marginals, proposed_marginals
from sfumato.views.models.marginal_privacy_check import MarginalPrivacyCheck
from sfumato.views.releases.marginal_build import MarginalBuild

__all__ = ["MarginalFacts", "marginals_beside"]

CoverList = tuple[tuple[str, str, tuple[str, ...]], ...]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
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
    covers = _covers(table, base, policy, telling)
    told: dict[str, dict[Hashable, tuple[str, ...]]] = {}
    for column, label, finer in covers:
        told.setdefault(column, {})[label] = finer
    going = run or Run()
    going.stage("choosing marginals")
    steps, found = chosen_marginals(
        table,
        base,
        proposed_marginals(table, known, sensitive),
        model,
        sensitive=sensitive,
        covers=told,
        most=most,
        run=going,
    )
    if not found:
        raise Infeasible("no marginal can be published beside the release", requirement=model.id)
    kind = MarginalBuild(names=tuple(found), sensitive=sensitive, base=True, covers=covers)
    built = Built(kind, {"base": base, **{name: one.table() for name, one in found.items()}})
    roles = {**dict.fromkeys(known, Role.QUASI_IDENTIFIER), sensitive: Role.SENSITIVE, COUNT: Role.PLAIN}
    return certify(
        built,
        Told(
            columns=tuple(ColumnEntry(name, str(role), kind.operation(name)) for name, role in roles.items()),
            counts={"records_read": table.rows, "records_published": base.rows},
            algorithm=AlgorithmEntry("marginal-build", False, "no marginal helps and is safe"),
        ),
        Kept(models=(model,), facts=MarginalFacts(choices=tuple(steps))),
    )


def _covers(table: Table, base: Table, policy: Policy, known: Sequence[str]) -> CoverList:
    """Return what labels of taxonomies stand for; intervals and redacted values tell themselves."""
    found = []
    for name in known:
        raw = {to_text(value) for value in table.dictionary(name).values}
        labels = [to_text(label) for label in base.dictionary(name).values]
        strange = [
            label for label in labels if label not in raw and parse_interval(label) is None and not label.endswith("*")
        ]
        if SUPPRESSED in labels:
            # Values that are shown elsewhere are not hidden behind it, where values are suppressed one by one.
            found.append((name, SUPPRESSED, tuple(sorted(raw.difference(labels)))))
        builder = policy.hierarchy(name)
        if builder is not None and strange:
            tree = builder.build(table.dictionary(name).values, column=name)
            for label in strange:
                node = tree.node(label, column=name)
                first, last = int(tree.leaf_first[node]), int(tree.leaf_last[node])
                leaves = [to_text(leaf) for leaf in tree.leaves[first:last]]
                found.append((name, label, tuple(leaf for leaf in leaves if leaf in raw)))
    return tuple(found)
