"""From what holders found together to a certified release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.built import Built
from sfumato.contracts.certificate import AlgorithmEntry
from sfumato.contracts.engine import Table
from sfumato.contracts.published import Release
from sfumato.contracts.run import Run
from sfumato.contracts.trace import RefinementStep
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.engines import side_by_side
from sfumato.parties.collaboration import Collaboration
from sfumato.parties.conversation.leakage import Ledger
from sfumato.parties.facts import JointFacts, JointStep
from sfumato.publishing.certify import certify
from sfumato.releases.joint_table import JointTable
from sfumato.tables.build import given_release, recoding_kept, recoding_told
from sfumato.tables.policy import Policy
from sfumato.tables.prepare import prepare

__all__ = ["joint_release", "ledger_words"]


def joint_release(found: Collaboration, run: Run) -> Release:
    """Certify a joint table: judged anew by counting its rows, with the leakage ledger in the certificate.

    Where the table before masking is at hand, as in a simulation, costs are measured too.
    """
    policy = found.contract.policy()
    public = found.table.sort()
    kind, facts = _kind(found), _facts(found, public)
    if found.raw is None:
        entry = AlgorithmEntry(kind.protocol, False, "no step was left")
        groups = public.groups(policy.of_role(Role.QUASI_IDENTIFIER)).sizes
        counts = {
            "records_read": public.rows,
            "records_dropped_for_missing_values": 0,
            "records_suppressed": 0,
            "records_published": public.rows,
            "groups_on_all_quasi_identifiers": len(groups),
            "smallest_of_these_groups": int(groups.min()) if len(groups) else 0,
        }
        return given_release(
            Built(kind, {"data": public}),
            policy=policy,
            counts=counts,
            algorithm=entry,
            facts=facts,
            warnings=found.warnings,
        )
    prepared = prepare(_before(found, policy), policy, run)
    warnings = [*found.warnings, *_shuffled(found, policy)]
    outcome = Outcome(recodings=found.recodings, trace=_trace(found), facts=facts, warnings=warnings)
    task = prepared.task()
    told = recoding_told(prepared, outcome, task, public)
    entry = AlgorithmEntry(kind.protocol, False, told.algorithm.stopped)
    kept = recoding_kept(prepared, outcome, None)
    return certify(Built(kind, {"data": public}), replace(told, algorithm=entry), replace(kept, raw=task.raw))


def _before(found: Collaboration, policy: Policy) -> Table:
    """Return the table before masking, with what is shuffled inside groups as it is published."""
    assert found.raw is not None
    quasi = policy.of_role(Role.QUASI_IDENTIFIER)
    rest = [name for name in found.table.columns if name not in quasi]
    parts = [found.raw.select(list(quasi)), *([found.table.select(rest)] if rest else [])]
    return side_by_side(parts).select(found.table.columns)


def _shuffled(found: Collaboration, policy: Policy) -> list[str]:
    names = [
        name
        for name, role in policy.roles().items()
        if role in (Role.SENSITIVE, Role.PLAIN) and found.contract.owner(name)
    ]
    return [say("party.shuffled", columns=names)] if names and not found.contract.third else []


def _kind(found: Collaboration) -> JointTable:
    return JointTable(
        protocol=found.contract.releasing().id,
        holders=tuple(found.contract.holders),
        contract=found.contract.hash(),
        rounds=found.traffic.rounds,
        messages=found.traffic.all_messages,
        bytes=found.traffic.all_bytes,
        learnt=tuple(ledger_words(found.ledger)),
    )


def ledger_words(ledger: Ledger) -> list[str]:
    """Return the ledger in sentences: who learnt what, and by which messages; roles that learnt the same stand together."""
    roles: dict[tuple[str, str], list[str]] = {}
    for leak in ledger.leaks:
        known = roles.setdefault((leak.message, leak.what), [])
        if leak.role not in known:
            known.append(leak.role)
    return [
        say("party.learns_by", roles=who, message=message, what=what)
        if message
        else say("party.learns", roles=who, what=what)
        for (message, what), who in roles.items()
    ]


def _facts(found: Collaboration, public: Table) -> JointFacts:
    quasi = found.contract.policy().of_role(Role.QUASI_IDENTIFIER)
    sizes = public.groups(quasi).sizes
    return JointFacts(
        refinements=len(found.performed),
        smallest_group={"|".join(quasi): int(sizes.min()) if len(sizes) else 0},
        protocol=found.contract.releasing().id,
        holders=list(found.contract.holders),
        rounds=found.traffic.rounds,
        winners=[(one.winner or "", one.attribute or "", one.value or "") for one in found.performed],
        rejected=sum(one.rejected for one in found.rounds),
        messages=found.traffic.messages,
        bytes=found.traffic.bytes,
        shares=found.shares,
        ledger=found.ledger.document(),
    )


def _trace(found: Collaboration) -> Sequence[RefinementStep]:
    return [
        JointStep(
            attribute=one.attribute or "",
            value=one.value or "",
            gain=one.score or 0.0,
            loss=None,
            score=one.score or 0.0,
            valid=True,
            beneficial=True,
            holder=one.winner or "",
            round=at,
        )
        for at, one in enumerate(found.rounds, start=1)
        if one.winner is not None and not one.rejected
    ]
