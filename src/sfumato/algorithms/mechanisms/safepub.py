"""SafePub: a random sample, recoded level by level, of which only large groups are published; rows are true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.algorithms.mechanisms._procedures import only_procedure, refuse_unmet
from sfumato.algorithms.mechanisms._random_sampling import delta_of, drawn_records, largest_share, required_size
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Attribute, Outcome, Task
from sfumato.contracts.columns import made
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.model import Audit, MechanismModel
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.hierarchies.frequency import Frequency
from sfumato.hierarchies.redaction import Redaction
from sfumato.models.approximate_differential_privacy import ApproximateDifferentialPrivacy
from sfumato.perturbations.opendp_noise import OpenDPChoice
from sfumato.releases.sampled_table import SampledTable
from sfumato.searches.grouping import records_of
from sfumato.searches.lattice import Lattice, Node, Rollup

__all__ = ["SafePub"]


class SafePub(Algorithm):
    """A random sample is recoded by one level for every column, and only groups of at least k sampled records are published.

    1. *Search*: from the fully masked table ``steps`` times one column is shown one level finer. The column is chosen by the
       exponential mechanism, and so is, in the end, the node among those visited. Each of these choices spends
       ``epsilon_search / (steps + 1)``. The score of a node is the sum, over groups of c records, of ``max(0, c - k + 1)``
       times the sum, over columns, of ``1 - level / height``. One record more raises one of the first factors by 0 or 1,
       whether or not its group is large already, and the second is at most the number of columns d: so the score changes by at
       most d. (Counting all records of groups of at least k could change it by k d, when a group gets its k-th record.)
    2. *Sample*: every record stays with probability ``beta <= 1 - exp(-epsilon_anon)``, drawn anew by the operating system.
    3. *Publish* the sampled records of groups of at least k, recoded.

    epsilon and delta are those of the requirement ``approximate-differential-privacy``; ``epsilon_anon`` is what the search
    leaves of epsilon. k is the smallest number with ``max over n >= ceil(k / gamma - 1) of P[Binomial(n, beta) > gamma n] <=
    delta``, ``gamma = (exp(epsilon_anon) - 1 + beta) / exp(epsilon_anon)``. The search looks at the table and steps 2 and 3 at
    nothing of it but the node, with draws of their own: what both spend adds up.

    A person has one record. Every published column must be a quasi-identifier, and no hierarchy may be learnt from the data;
    ``redaction`` needs its ``length``. With ``levels`` nothing is searched and nothing spent on it. The release is a
    ``sampled-table``: rows are **true**, how many records there were is not said. What a refusal for want of large groups tells
    is part of what was paid for. Choices come from OpenDP (extra ``dp``).

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["sex"], [("f",)] * 400 + [("m",)] * 300 + [("d",)] * 2)
    >>> policy = {
    ...     "columns": {"sex": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "approximate-differential-privacy", "epsilon": 1.0, "delta": 1e-5}],
    ...     "algorithm": SafePub(levels={"sex": 0}).spec(),
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> sorted({row[0] for row in release.table.to_rows()}), release.private.facts["groups"]
    (['f', 'm'], 2)

    References
    ----------
    Bild, Kuhn, Prasser, "SafePub: a truthful data anonymization algorithm with strong privacy guarantees", 2018,
    doi:10.1515/popets-2018-0004.
    Li, Qardaji, Su, "On sampling, anonymization, and differential privacy: or, k-anonymization meets differential privacy",
    2012, doi:10.1145/2414456.2414474.
    """

    id: ClassVar[str] = "safepub"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="full-domain",
        release="sampled-table",
        optimal=False,
        deterministic=False,
        truthful=True,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=False,
        suppresses_records=False,
        cost="groups of the nodes beside the way, and records",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )
    procedures: ClassVar[tuple[str, ...]] = (ApproximateDifferentialPrivacy.id,)
    seedable: ClassVar[bool] = False
    spends: ClassVar[bool] = True

    epsilon_search: float = param(default=0.1, gt=0, doc="what the search may spend of epsilon")
    steps: int = param(default=5, ge=1, doc="how often the search shows a column one level finer")
    beta: float | None = param(
        default=None, gt=0, lt=1, doc="share of the records that are sampled; the largest allowed if not given"
    )
    levels: Mapping[str, int] | None = param(
        default=None, doc="publish this node instead of searching: the level of every column, chosen without the data"
    )

    def validate(self) -> None:
        """Refuse levels that are none."""
        given = self.levels if self.levels is not None else {}
        if not isinstance(given, Mapping) or not all(type(level) is int and level >= 0 for level in given.values()):
            raise BadRequest(
                "must map columns to levels, whole numbers from 0", parameter=f"{self.id}.levels", value=self.levels
            )

    def refuse_unpromised(self, models: Sequence[MechanismModel]) -> None:
        """Refuse budgets that the search alone uses up, and shares that are too large."""
        for model in models:
            if isinstance(model, ApproximateDifferentialPrivacy):
                self._settled(model)

    def promised(self, model: MechanismModel) -> Audit | None:
        """Return what the parameters alone say: k follows from them."""
        if not isinstance(model, ApproximateDifferentialPrivacy):
            return None
        epsilon, beta, k = self._settled(model)
        delta = delta_of(k, beta, epsilon)
        told = {"epsilon_anon": epsilon, "epsilon_search": self._searching(), "beta": beta, "k": k}
        steps = 0 if self.levels is not None else self.steps
        found = model.audit(epsilon + self._searching(), delta)
        return replace(found, witness={**found.witness, **told, "steps": steps})

    def _searching(self) -> float:
        return 0.0 if self.levels is not None else float(self.epsilon_search)

    def _settled(self, model: ApproximateDifferentialPrivacy) -> tuple[float, float, int]:
        """Return the epsilon that is left for sampling, the share, and the least size of groups."""
        left = float(model.epsilon) - self._searching()
        if left <= 0:
            raise BadRequest(
                f"must leave something of epsilon {model.epsilon:g}",
                parameter=f"{self.id}.epsilon_search",
                value=self.epsilon_search,
            )
        most = largest_share(left)
        if self.beta is not None and self.beta > most:
            raise BadRequest(
                f"must not be above 1 - exp(-epsilon) = {most:.6g}", parameter=f"{self.id}.beta", value=self.beta
            )
        beta = most if self.beta is None else float(self.beta)
        return left, beta, required_size(left, float(model.delta), beta)

    def run(self, task: Task, run: Run) -> Outcome:
        """Search, sample and publish large groups."""
        model = only_procedure(task, self, ApproximateDifferentialPrivacy)
        audit = refuse_unmet(self.promised(model))
        epsilon, beta, k = self._settled(model)
        raw = records_of(task, self.id)
        _refuse_columns(task, raw.columns)
        lattice = Lattice([_whole(one, task) for one in task.attributes], task.table)
        if self.levels is not None:
            _refuse_levels(self.levels, lattice)
        run.charge(float(model.epsilon) if self.levels is None else epsilon, float(model.delta))
        node = self._node(Rollup(lattice, task.table), k) if self.levels is None else _given(self.levels, lattice)
        kept = drawn_records(task.table.weights, beta)
        shown = np.column_stack([lattice.code[at][level][task.table.codes[:, at]] for at, level in enumerate(node)])
        groups, group = np.unique(shown, axis=0, return_inverse=True)
        sizes = np.bincount(group.reshape(-1), weights=kept, minlength=len(groups)).astype(np.int64)
        large = np.flatnonzero(sizes >= k)
        if not len(large):
            raise Infeasible(
                f"no group of the sample has {k} records; what was drawn stays spent", measured=None, bound=k
            )
        published = {
            name: np.repeat(np.array(lattice.labels(at, node[at]), object)[groups[large, at]], sizes[large]).tolist()
            for at, name in enumerate(lattice.names)
        }
        levels = dict(zip(lattice.names, node, strict=True))
        return Outcome(
            built=SampledTable.build(
                made(published, raw.home).sort(),
                k=k,
                mechanism=self.id,
                settings={**audit.witness, "levels": levels, "sensitivity": len(node), "seedable": False},
            ),
            audits=(audit,),
            warnings=[say("warning.sampled"), say("warning.noise_spends")],
            facts=MechanismFacts(
                ledger=[("search", self._searching()), ("sample", epsilon)],
                kept=int(kept.sum()),
                groups=len(large),
                delta=delta_of(k, beta, epsilon),
            ),
            procedure=self.spec(),
        )

    def _node(self, rollup: Rollup, k: int) -> Node:
        """Go down from the top by private choices; choose one of the nodes on the way."""
        lattice = rollup.lattice
        choice = OpenDPChoice(self.epsilon_search / (self.steps + 1), float(len(lattice.names)))
        here, visited = lattice.top, [lattice.top]
        for _ in range(self.steps):
            finer = lattice.below(here)
            if not finer:
                break
            here = finer[choice.choose([_score(rollup, node, k) for node in finer])]
            visited.append(here)
        return visited[choice.choose([_score(rollup, node, k) for node in visited])]


def _score(rollup: Rollup, node: Node, k: int) -> float:
    """Return how far groups go beyond k - 1 records, times what is shown of each column."""
    sizes = rollup.merged(node).sizes
    heights = rollup.lattice.top
    shown = sum(1 - level / height if height else 1.0 for level, height in zip(node, heights, strict=True))
    return float(np.maximum(sizes - k + 1, 0).sum()) * shown


def _refuse_columns(task: Task, columns: tuple[str, ...]) -> None:
    """Refuse columns that would be published as they are, and hierarchies that the data decides."""
    beside = [name for name in columns if name not in task.qids]
    if beside:
        raise Unsupported(
            f"{beside[0]} would be published as it is beside what was sampled; give it the role quasi-identifier or drop",
            thing=SafePub.id,
        )
    for attribute in task.attributes:
        if isinstance(attribute.builder, Frequency):
            raise Unsupported(
                f"the hierarchy of {attribute.name} counts how often values occur, which nobody may learn",
                thing=Frequency.id,
                alternatives=["taxonomy", "intervals", "ordered", "redaction", "dates"],
            )
        if isinstance(attribute.builder, Redaction) and attribute.builder.length is None:
            raise Unsupported(
                f"the longest code of {attribute.name} would say how many levels there are, which one person can change; give "
                "the hierarchy redaction its length",
                thing=Redaction.id,
            )


def _whole(attribute: Attribute, task: Task) -> Attribute:
    """Return the attribute with all levels of its codes, whether or not one of full length occurs: one record adds no level."""
    builder = attribute.builder
    if not isinstance(builder, Redaction) or builder.length is None:
        return attribute
    values = task.table.dictionaries[attribute.name].values
    digit = "1" if builder.marker != "1" else "2"
    full = digit * builder.length
    code = int(full) if attribute.type == ColumnType.INTEGER else full
    listed = values if code in values else [*values, code]
    return replace(attribute, tree=builder.build(listed, column=attribute.name))


def _refuse_levels(levels: Mapping[str, int], lattice: Lattice) -> None:
    for name, top in zip(lattice.names, lattice.top, strict=True):
        if not 0 <= levels.get(name, -1) <= top:
            raise BadRequest(
                f"must name a level from 0 to {top} for every quasi-identifier",
                parameter=f"{SafePub.id}.levels",
                column=name,
                value=levels.get(name),
            )


def _given(levels: Mapping[str, int], lattice: Lattice) -> Node:
    return tuple(int(levels[name]) for name in lattice.names)
