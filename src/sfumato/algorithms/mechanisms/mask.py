"""Mask: groups that ignore the sensitive column, and sensitive values replaced where a group shows one too often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import floor
from typing import Any, ClassVar

import numpy as np

from sfumato.algorithms.mechanisms._distortion import distorted, most_of, numbered
from sfumato.algorithms.mechanisms._procedures import seed_note
from sfumato.catalogue import build
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.columns import arrow_of, made
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.model import Bound, GroupModel, Numbers, TableModel, TableTraits, at_least, by_group
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Bools, Ints
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.l_diversity_frequency import FrequencyLDiversity
from sfumato.models.m_confidentiality import MConfidentiality
from sfumato.models.sensitive_model import fewest_records
from sfumato.releases.distorted_table import DistortedTable
from sfumato.searches.grouping import records_of

__all__ = ["Mask"]


class Mask(Algorithm):
    """Groups are made without a look at the sensitive column; where a value is too frequent in one, some are replaced.

    A publisher who masks because a sensitive value was too frequent gives away that it was (``attack-minimality``). So:

    1. The quasi-identifiers are masked by ``inner`` for k-anonymity alone; the sensitive column is not shown to it.
    2. In a group of ``n`` records a value may be carried by ``c = floor(n / l)`` of them. A group in which one is carried by
       more *violates*. For every such value a share is drawn from the shares that it has in the groups that do not violate; as
       many of its records as are above that share, drawn at random, lose their value. If all groups violate, the share is
       ``c / n``.
    3. These records get values drawn from those that are not too frequent in the group, each up to ``c`` times. A drawn
       share that leaves more records than there is room for is raised to what there is room for.

    The original steps are for one sensitive value; here every value that is too frequent is treated like it, the most
    frequent first. Every value that is published occurs in the table.

    l is that of ``l-diversity-frequency``, or the m of ``m-confidentiality`` (times the number of values of its largest set);
    k that of ``k-anonymity``, and at least l. Other requirements are refused. If the table has fewer than ``2 l - 1`` values,
    groups are also kept to sizes that can be shared out: ``D floor(n / l) >= n`` for D values.

    The release is a ``distorted-table``: **not truthful at record level**. Groups would have been the same for any other
    sensitive values, so credibility is the share in the group, at most 1/l. The facts hold ``groups``, ``distorted_groups``,
    ``distorted_records`` and ``shares_from`` (``groups`` or ``bound``).

    Adversary: that of the requirements, who also knows how masking works. Who knows the seed can undo nothing of the
    groups, but can tell which values were replaced: it stays private.

    Examples
    --------
    >>> import sfumato
    >>> rows = [(20 + i, "hiv" if i < 4 else ("flu", "cold", "ulcer")[i % 3]) for i in range(16)]
    >>> policy = {
    ...     "columns": {"age": {"role": "quasi-identifier"}, "disease": {"role": "sensitive"}},
    ...     "requirements": [
    ...         {"id": "k-anonymity", "k": 4},
    ...         {"id": "l-diversity-frequency", "l": 2, "sensitive": "disease"},
    ...     ],
    ...     "algorithm": Mask().spec(),
    ...     "seed": 7,
    ... }
    >>> release = sfumato.anonymize(sfumato.from_rows(["age", "disease"], rows), policy)
    >>> release.certificate["guarantee"]["l"], release.private.facts["distorted_groups"]
    (2, 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.5.1.
    Wong, Fu, Wang, Pei, "Minimality attack in privacy preserving data publishing", 2007.
    """

    id: ClassVar[str] = "mask"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="that of the inner algorithm",
        release="distorted-table",
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="that of the inner algorithm, then sorting the records of groups that violate",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )

    promises: ClassVar[Mapping[str, object]] = {"id": "l-diversity-frequency", "l": 2, "sensitive": "class"}

    inner: Mapping[str, object] | None = param(
        default=None, doc="algorithm that makes the groups, id and parameters; mondrian if not given"
    )

    def validate(self) -> None:
        """Refuse an inner algorithm that does not publish recoded records."""
        where = f"{self.id}.inner"
        if self.inner is None:
            return
        if not isinstance(self.inner, Mapping):
            raise BadRequest("must be the id and parameters of an algorithm", parameter=where)
        try:
            made_of: Algorithm = build(self.inner, "algorithm")
        except BadRequest as error:
            raise BadRequest(
                f"is no algorithm ({error.message})", parameter=where, value=self.inner.get("id")
            ) from None
        if made_of.traits.release != "recoded-table":
            raise BadRequest("must publish a recoded table", parameter=where, value=made_of.id)

    def run(self, task: Task, run: Run) -> Outcome:
        """Make the groups, distort, and build the release."""
        raw = records_of(task, self.id)
        name, l = self._asked(task)
        held = raw.dictionary(name)
        if held.missing:
            raise BadRequest(f"has {held.missing:,} missing values", column=name)
        sizes = _Sizes(l=l, values=len(held))
        self._refuse_hopeless(task, sizes)
        seen = raw.select([column for column in raw.columns if column != name])
        sized = [model for model in task.models if model.traits.by_size_alone]
        # No group can meet l with fewer records than l, so k is at least that.
        k = max([sizes.least_size(), *(model.least_size() for model in sized if model.qid is None)])
        asked: list[TableModel] = [KAnonymity(k=k), *(model for model in sized if model.qid is not None)]
        if not sizes.always(k, task.table.records):
            asked.append(sizes)
        found = self._groups(task, seen, name, asked, run)
        run.checkpoint()  # an inner search that was stopped has a state, but nobody is asked about it
        shown = _shown(found, seen)
        codes = raw.as_rows().codes([name], {name: held})[:, 0].astype(np.int64)
        result = distorted(numbered(shown.as_rows().codes(task.qids)), codes, len(held), l, run.rng)
        held_by = arrow_of(shown, shown.columns)
        published = {column: held_by.column(column) for column in raw.columns if column != name}
        published[name] = _values(raw, name).take(result.codes)
        published = {column: published[column] for column in raw.columns}
        changed = int(np.count_nonzero(result.codes != codes))
        inner = (self.inner or {"id": "mondrian"})["id"]
        operations = {column: _operation(found, column) for column in task.qids}
        built = DistortedTable.build(
            made(published, raw.home).sort(),
            task.qids,
            name,
            mechanism=self.id,
            settings={"l": l, "k": k, "inner": inner},
            operations=operations,
        )
        warnings = [*found.warnings, seed_note()]
        if changed:
            warnings.append(
                say(
                    "warning.replaced_values",
                    name=name,
                    changed=changed,
                    violating=result.violating,
                    groups=result.groups,
                )
            )
        return Outcome(
            built=built,
            warnings=warnings,
            stopped=found.stopped,
            trace=found.trace,
            facts=MechanismFacts(
                groups=result.groups,
                distorted_groups=result.violating,
                distorted_records=changed,
                shares_from="groups" if result.satisfying else "bound",
            ),
        )

    def _asked(self, task: Task) -> tuple[str, float]:
        """Return the sensitive column and l; refuse requirements that groups and shares do not decide."""
        known: list[tuple[str, float]] = []
        for model in task.models:
            if isinstance(model, FrequencyLDiversity):
                known.append((model.sensitive, model.l))
            elif isinstance(model, MConfidentiality):
                known.append((model.sensitive, model.m * max((len(set(one)) for one in model.sets or ()), default=1)))
            elif not model.traits.by_size_alone:
                raise Unsupported(
                    f"{self.id} bounds the share of sensitive values and cannot promise {model.id}; what it can promise is "
                    f"{KAnonymity.id}, {FrequencyLDiversity.id} and {MConfidentiality.id}",
                    thing=model.id,
                    alternatives=by_group(["tdr"] if model.traits.closed_under_merge else [], [model]),
                )
        names = sorted({name for name, _ in known})
        if len(names) != 1:
            raise Unsupported(
                f"{self.id} needs {FrequencyLDiversity.id} or {MConfidentiality.id} on one sensitive column"
                + (f", not on {', '.join(names)}" if names else ""),
                thing=self.id,
            )
        return names[0], max(l for _, l in known)

    def _refuse_hopeless(self, task: Task, sizes: _Sizes) -> None:
        records = task.table.records
        if not sizes.fits(np.array([records]))[0]:
            raise Infeasible(
                f"{sizes.values:,} sensitive values cannot be shared out to {records:,} records so that none has more than "
                f"1/{sizes.l:g} of them",
                measured=sizes.values,
                bound=sizes.l,
                requirement=FrequencyLDiversity.id,
            )

    def _groups(self, task: Task, seen: Table, name: str, models: Sequence[TableModel], run: Run) -> Outcome:
        """Let the inner algorithm make groups of all columns but the sensitive one."""
        target = task.target if task.target != name else None
        extra = [] if target is None else [target]
        known = {key: held for key, held in task.table.dictionaries.items() if key in (*task.qids, *extra)}
        blind = replace(
            task,
            table=seen.compress(task.qids, extra, known),
            models=models,
            target=target,
            suppress_at_most=0.0,
            raw=seen,
            sensitive=tuple(column for column in task.sensitive if column != name),
            procedures=(),
        )
        algorithm: Algorithm = build(self.inner or {"id": "mondrian"}, "algorithm")
        for model in models:
            for need in algorithm.traits.model_needs:
                if not getattr(model.traits, need):
                    raise Unsupported(
                        f"{algorithm.id} needs requirements that are {need.replace('_', ' ')} and cannot keep groups to sizes "
                        "over which so few sensitive values can be shared out; another inner algorithm can",
                        thing=self.id,
                        alternatives=["mondrian"],
                    )
        return algorithm.run(blind, run)


class _Sizes(GroupModel):
    """Sizes of groups over which some values can be shared out with at most 1/l each: ``D floor(n / l) >= n``.

    The sum of two such sizes is another one, because floors add up to no more than the floor of the sum.
    """

    id: ClassVar[str] = "sizes-for-l"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset(), evaluation="group", closed_under_merge=True, violations_shrink_under_merge=False
    )
    level: ClassVar[str] = "share"

    l: float = param(ge=1, doc="no value may have more than 1/l of a group")
    values: int = param(ge=0, doc="number of values")

    def fits(self, sizes: Ints) -> Bools:
        """Tell which sizes can be shared out."""
        return self.values * most_of(sizes, self.l) >= sizes

    def always(self, least: int, most: int) -> bool:
        """Tell whether every size in a range can be shared out."""
        # n = q l + r leaves less than l over, for which D q - q l must be room: true for all large q, if for any.
        surplus = self.values - self.l
        if surplus <= 0:
            return False
        enough = floor((self.l / surplus + 2) * self.l) + 1
        return bool(self.fits(np.arange(least, min(most, max(least, enough)) + 1)).all())

    def measure(self, groups: GroupStats) -> Numbers:
        """Return 1 for sizes that can be shared out, else 0."""
        return self.fits(groups.sizes).astype(np.int64)

    def bound(self) -> Bound:
        """Every group must have such a size."""
        return at_least(1)

    def least_size(self) -> int:
        """Return l rounded up."""
        return fewest_records(self.l)


def _shown(found: Outcome, table: Table) -> Table:
    """Return the quasi-identifiers as the outcome of the inner algorithm publishes them."""
    mappings = {}
    for name, recoding in found.recodings.items():
        if not recoding.identity:
            values = table.dictionary(name).values
            mappings[name] = dict(zip(values, recoding.map(values, column=name).labels, strict=True))
    table = table.recode(mappings) if mappings else table
    return table if found.operation is None else found.operation.apply(table)


def _operation(found: Outcome, name: str) -> str:
    if name in found.recodings:
        return found.recodings[name].id
    return "none" if found.operation is None else found.operation.id


def _values(table: Table, name: str) -> Any:
    """Return the distinct values of a column, in order, with its type."""
    import pyarrow as pa

    kind = arrow_of(table.select([name]), [name]).column(name).type
    return pa.array(list(table.dictionary(name).values), kind)
