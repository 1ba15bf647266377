"""What the sanitizers of points share: the requirement they are judged by, the adversary of its audit, moved points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from sfumato.algorithms.mechanisms._isolation import isolation_audit, isolation_notes, moved_table
from sfumato.algorithms.mechanisms._procedures import only_procedure, seed_note
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.run import Run
from sfumato.contracts.thing import columns, param
from sfumato.data.messages import say
from sfumato.kernels.arrays import Floats
from sfumato.models.c_t_isolation import CTIsolation
from sfumato.releases.perturbed_table import PerturbedTable
from sfumato.searches.grouping import records_of
from sfumato.searches.points import points_of

__all__ = ["IsolationAlgorithm", "moving_traits"]


def moving_traits(cost: str) -> AlgorithmTraits:
    """Return the traits of a sanitizer that moves points at random."""
    return AlgorithmTraits(
        recoding="none",
        release="perturbed-table",
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost=cost,
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )


class IsolationAlgorithm(Algorithm):
    """A sanitizer whose release is measured against (c,t)-isolation before it is published."""

    procedures: ClassVar[tuple[str, ...]] = (CTIsolation.id,)

    known: tuple[str, ...] | None = columns(
        "quasi-identifier", default=None, doc="what the adversary of the audit knows; each column alone if not given"
    )
    rise: float = param(
        default=0.0, ge=0, le=1, doc="largest share of records by which the release may raise the isolated ones"
    )

    def published(
        self,
        task: Task,
        moved: Floats,
        unit: Floats,
        run: Run,
        *,
        settings: Mapping[str, object],
        facts: MechanismFacts,
        notes: Sequence[str] = (),
    ) -> Outcome:
        """Return the table with points where they were moved to, audited in a unit of distance for each column."""
        model = only_procedure(task, self, CTIsolation)
        raw, names = records_of(task, self.id), task.qids
        shown = moved_table(raw, names, moved, task.attributes)
        # What is audited is what leaves: rounding and clipping may bring points together, or back to where they were.
        before, after = points_of(raw, names) / unit, points_of(shown, names) / unit
        audit = isolation_audit(model, before, after, names, self.known, self.rise, run)
        rest = [name for name in raw.columns if name not in names]
        warnings = [*isolation_notes(names), seed_note(), *notes]
        if rest:
            warnings.append(say("warning.unperturbed", names=", ".join(rest)))
        return Outcome(
            built=PerturbedTable.build(shown, names, mechanism=self.id, settings={"t": model.t, **settings}),
            audits=(audit,),
            warnings=warnings,
            facts=replace(facts, isolation=dict(audit.witness)),
        )
