"""Sites with the same columns of different persons: what each brings to a contract, and the joint table at the end."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import to_text
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import GroupStats
from sfumato.models.insider_residual import insider_residuals
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.l_diversity_distinct import DistinctLDiversity
from sfumato.parties.blocks.cutting import Axis
from sfumato.parties.collaboration import Collaboration
from sfumato.parties.contract import Contract
from sfumato.parties.conversation.leakage import Leak
from sfumato.parties.named_persons import UNMASKED, refuse_naming_columns
from sfumato.parties.protocols.distributed_mondrian import DistributedMondrian, JointGroups, SiteTable
from sfumato.tables.open import open_table
from sfumato.tables.policy import Policy
from sfumato.tables.prepare import check_columns

__all__ = ["asked_of_sites", "collaborated_sites", "opened_site", "public_axes", "told_of_sites"]


def collaborated_sites(
    protocol: DistributedMondrian,
    contract: Contract,
    sources: Mapping[str, object],
    run: Run,
    order: np.random.Generator | None,
) -> Collaboration:
    """Open what each site has, let all of them cut the joint table, and publish it through the mix."""
    if set(sources) != set(contract.holders):
        raise BadRequest(say("party.bad.those"), parameter="holders", value=sorted(sources), available=contract.holders)
    check_columns(contract.policy())
    asked, sensitive = asked_of_sites(protocol, contract)
    axes = public_axes(contract, protocol.decimals)
    tables = {name: opened_site(contract, name, sources[name]) for name in contract.holders}
    values: tuple[object, ...] = ()
    if sensitive is not None:
        held = {value for table in tables.values() for value in table.dictionary(sensitive).values}
        values = tuple(sorted(held, key=str))
    sites = {name: SiteTable(table.columns, table.to_rows(), axes, sensitive, values) for name, table in tables.items()}
    run.stage(f"{protocol.id} between {len(sites)} sites")
    talked = asked.simulate(sites, run=run, order=order)
    found = next(iter(talked.results.values()))
    joint = from_rows(found.columns, found.union).select([*_shown(contract)])
    return Collaboration(
        contract=contract,
        table=joint,
        recodings={},
        rounds=[],
        traffic=talked.traffic,
        ledger=talked.ledger.and_also(told_of_sites(list(sites))),
        warnings=_residual(talked.results),
    )


def told_of_sites(sites: Sequence[str]) -> list[Leak]:
    """Return what sites and recipients learn beside messages."""
    leaks = [Leak(name, "", "", 0, say("party.leak.table")) for name in sites]
    return [*leaks, Leak(say("party.recipient"), "", "", 0, say("party.leak.release"))]


def asked_of_sites(protocol: DistributedMondrian, contract: Contract) -> tuple[DistributedMondrian, str | None]:
    """Return the protocol with what the requirements of the contract ask for, and the sensitive column that they read."""
    sensitive: str | None = None
    for model in contract.policy().models():
        if isinstance(model, KAnonymity) and model.qid is None:
            protocol = replace(protocol, k=max(protocol.k, model.k))
        elif type(model) is DistinctLDiversity and model.qid is None and sensitive in (None, model.sensitive):
            protocol, sensitive = replace(protocol, values=max(protocol.values, model.l)), model.sensitive
        else:
            raise Unsupported(
                f"{protocol.id} keeps k-anonymity and distinct l-diversity of one column, on all quasi-identifiers; sites "
                "and insiders are parameters of the protocol",
                thing=model.id,
                alternatives=["k-anonymity", "l-diversity-distinct"],
            )
    return protocol, sensitive


def public_axes(contract: Contract, decimals: int) -> list[Axis]:
    """Return the quasi-identifiers as all sites know them: a tree that the contract holds, or a range of numbers."""
    policy = contract.policy()
    axes = []
    for name in policy.of_role(Role.QUASI_IDENTIFIER):
        builder, entry = policy.hierarchy(name), policy.columns[name]
        if builder is not None:
            try:
                axes.append(Axis.of_tree(name, builder.build((), column=name)))
            except (BadRequest, IndexError, ValueError):
                raise BadRequest(say("party.bad.known_tree"), column=name) from None
        elif entry.range is not None:
            if not (all(map(math.isfinite, entry.range)) and entry.range[0] <= entry.range[1]):
                raise BadRequest(say("party.bad.rises"), column=name, parameter="range", value=entry.range)
            scale = 10**decimals
            low, high = (round(float(end) * scale) for end in entry.range)
            axes.append(Axis(name, low, high, scale))
        else:
            raise BadRequest(say("party.bad.known_axis"), column=name, parameter="range", value=None)
    return axes


def _shown(contract: Contract) -> list[str]:
    return [name for name, role in contract.policy().roles().items() if not role.hidden]


def opened_site(contract: Contract, holder: str, source: object) -> Table:
    """Open what a site has, without what is never published."""
    reading = Policy.of(
        {
            "columns": contract.columns,
            "requirements": [{"id": "k-anonymity", "k": 1}],
            "source": contract.source,
            "engine": contract.engine,
        }
    )
    table = open_table(source, reading)
    for name in contract.columns:
        if name not in table.types and not contract.columns[name].role.hidden:
            raise BadRequest(
                say("party.bad.no_column", holder=holder), column=name, value=name, available=table.columns
            )
    for name in table.columns:
        if name not in contract.columns:
            raise BadRequest(
                say("party.bad.unnamed_here", holder=holder),
                column=name,
            )
    named = [name for name in table.columns if contract.columns[name].role is Role.IDENTIFIER]
    persons = frozenset(to_text(value) for name in named for value in table.dictionary(name).values)
    refuse_naming_columns(table, [name for name in table.columns if contract.columns[name].role in UNMASKED], persons)
    return table.select(_shown(contract))


def _residual(results: Mapping[str, JointGroups]) -> list[str]:
    """Say what a site sees of the others when it takes out its own records: the smallest group over all sites."""
    groups: dict[Hashable, dict[Hashable, int]] = {}
    for site, found in results.items():
        for group in found.group_of:
            groups.setdefault(group, {})[site] = groups.get(group, {}).get(site, 0) + 1
    left = insider_residuals(GroupStats.from_histograms(groups, column="site"), "site").values()
    smallest = min((one for one in left if one is not None), default=None)
    return [] if smallest is None else [say("party.residual", count=smallest)]
