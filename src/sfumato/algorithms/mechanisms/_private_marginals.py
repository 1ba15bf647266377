"""What algorithms share that count marginals with noise and publish records drawn from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from sfumato.contracts.algorithm import Outcome, Task
from sfumato.contracts.columns import made
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.model import Audit
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.models.differential_privacy import SUBSTITUTE, DifferentialPrivacy
from sfumato.perturbations.budget import Budget
from sfumato.perturbations.domains import Domain
from sfumato.releases.synthetic_table import SyntheticTable
from sfumato.searches.grouping import left_out

__all__ = ["Marginals", "every_marginal", "published", "refuse_strange"]

Marginals = tuple[tuple[str, ...], ...]


def every_marginal(named: Marginals, columns: Iterable[object]) -> Marginals:
    """Return those named, and one for each column that is in none of them."""
    inside = {name for marginal in named for name in marginal}
    return (*named, *((str(name),) for name in columns if name not in inside))


def refuse_strange(marginal: Sequence[str], domains: Collection[str], where: str) -> None:
    """Refuse a marginal of unknown columns, of none, and of one column twice."""
    for name in marginal:
        if name not in domains:
            raise BadRequest("has no domain", parameter=where, value=name, available=domains)
    if not marginal or len(set(marginal)) < len(marginal):
        raise BadRequest("must name different columns", parameter=where, value=marginal)


def published(
    task: Task,
    thing: str,
    model: DifferentialPrivacy,
    raw: Table,
    domains: Mapping[str, Domain],
    cells: Mapping[str, Ints],
    *,
    settings: Mapping[str, object],
    noisy_counts: Mapping[str, Sequence[object]],
    budget: Budget,
    audit: Audit,
    run: Run,
) -> Outcome:
    """Return the records in these cells of their domains as a synthetic table, with what was spent on them."""
    names = tuple(name for name in raw.columns if name in domains)
    where = f"{thing}.domains"
    columns = {name: domains[name].values(cells[name], raw.types[name], run.rng, where) for name in names}
    return Outcome(
        built=SyntheticTable.build(
            made(columns, raw.home).sort(),
            mechanism=thing,
            settings={
                "epsilon": float(model.epsilon),
                **settings,
                "noise": say("settings.laplace"),
                "neighbours": say("settings.one_replaced")
                if model.adjacency == SUBSTITUTE
                else say("settings.one_more"),
                "seedable": False,
            },
            domains={name: domains[name].declared() for name in names},
        ),
        audits=(audit,),
        warnings=[*left_out(task, thing, names), say("warning.marginals_kept"), say("warning.noise_spends")],
        facts=MechanismFacts(
            ledger=[(entry.purpose, entry.epsilon) for entry in budget.ledger], noisy_counts=noisy_counts
        ),
    )
