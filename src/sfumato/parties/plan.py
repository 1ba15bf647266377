"""What a contract asks of each holder before anybody has sent a message."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.parties.contract import Contract
from sfumato.parties.holding import plan
from sfumato.parties.horizontal import asked_of_sites, public_axes
from sfumato.parties.protocols.communication_cost import CommunicationCost
from sfumato.parties.protocols.distributed_mondrian import DistributedMondrian
from sfumato.parties.protocols.ppmashup import PPMashupSemiHonest
from sfumato.parties.vertical import told_beforehand
from sfumato.tables.prepare import check_columns

__all__ = ["Planned", "planned", "sentences_before"]


@frozen
class Planned:
    """Which columns are handled together and which alone, who may reject steps, what a step costs, who will learn what."""

    protocol: str
    contract: str
    together: Sequence[str]
    alone: Mapping[str, Sequence[str]]
    judges: Sequence[str]
    messages_each_step: int
    messages_at_the_end: int
    learnt: Sequence[str]

    def words(self) -> list[str]:
        """Return the plan in sentences."""
        out: list[str] = [say("party.plan.protocol", protocol=self.protocol, sha=self.contract[:16])]
        if self.together:
            out.append(say("party.plan.together", columns=self.together))
        if self.messages_each_step:
            out.append(say("party.plan.cost", step=self.messages_each_step, end=self.messages_at_the_end))
        out += [
            say("party.plan.alone", holder=name, columns=columns) for name, columns in self.alone.items() if columns
        ]
        if self.judges:
            out.append(say("party.plan.judges", holders=self.judges))
        return [*out, *self.learnt]


def sentences_before(contract: Contract) -> list[str]:
    """Return what a contract asks and what every role will learn, for whoever has to approve a session."""
    return planned(contract).words()


def planned(contract: Contract) -> Planned:
    """Return what a contract asks of each holder; what cannot be agreed on is refused before anybody opens a table."""
    protocol = contract.releasing()
    if isinstance(protocol, DistributedMondrian):
        return _planned_sites(protocol, contract)
    if not isinstance(protocol, PPMashupSemiHonest):
        raise Unsupported(say("party.bad.no_plan", protocol=protocol.id), thing=protocol.id)
    protocol.refuse_requirements(contract)
    settled = plan(contract, shared=protocol.shares_sensitive())
    policy = contract.policy()
    quasi = policy.of_role(Role.QUASI_IDENTIFIER)
    for name in quasi:
        span = policy.columns[name].range
        if span is not None and not (all(map(math.isfinite, span)) and span[0] < span[1]):
            raise BadRequest(say("party.bad.rises"), column=name, parameter="range", value=span)
        if span is None and policy.hierarchy(name) is None:
            raise BadRequest(say("party.bad.known_shape"), column=name)
    alone = {
        name: [one for one in quasi if one in entry.columns and one not in settled.joint]
        for name, entry in contract.holders.items()
    }
    cost, holders = CommunicationCost(), len(contract.holders)
    end = cost.messages(0, holders)
    return Planned(
        protocol=protocol.id,
        contract=contract.hash(),
        together=settled.joint,
        alone=alone,
        judges=settled.judges,
        messages_each_step=cost.messages(1, holders) - end if settled.joint else 0,
        messages_at_the_end=end if settled.joint else 0,
        learnt=told_beforehand(contract, protocol, settled),
    )


def _planned_sites(protocol: DistributedMondrian, contract: Contract) -> Planned:
    """Return what a contract between sites with the same columns asks: how many messages it takes depends on the rows."""
    check_columns(contract.policy())
    sites = list(contract.holders)
    asked_of_sites(protocol, contract)[0].refuse_holders(sites)
    told = [*([say("blocks.sums")] if protocol.mode == "sum" else []), say("blocks.ranges"), say("party.leak.table")]
    release = say("party.learns", roles=[say("party.recipient")], what=say("party.leak.release"))
    return Planned(
        protocol=protocol.id,
        contract=contract.hash(),
        together=[axis.name for axis in public_axes(contract, protocol.decimals)],
        alone={},
        judges=(),
        messages_each_step=0,
        messages_at_the_end=0,
        learnt=[*(say("party.learns", roles=sites, what=what) for what in told), release],
    )
