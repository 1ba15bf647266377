"""Top-down refinement under privacy templates: the loss of a step is how much surer a sensitive value becomes.

The refinement search with its loss replaced. Splitting a group leaves a part in which the value is at least as frequent, so
confidence can only rise under refinement: for every candidate a running maximum is kept, as the partition keeps the smallest
group, and templates are decided from it without counting again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.algorithms.stepwise._confidence_kernels import confidence_ahead, confidence_of
from sfumato.contracts.algorithm import Task
from sfumato.contracts.facts import StepFacts
from sfumato.contracts.metric import SearchMetric
from sfumato.contracts.trace import Confidence, RefinementStep
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.models.confidence_bounding import ConfidenceBounding
from sfumato.searches.partition import Partition
from sfumato.searches.refinement import Refinery
from sfumato.searches.validity import ModelValidity

__all__ = ["ConfidenceRefinery", "Template"]


class Template:
    """One privacy template during a search: ``Conf(QID -> s)`` now, and after each candidate."""

    def __init__(self, model: ConfidenceBounding, partition: Partition, hits: Ints) -> None:
        self.model = model
        self.partition = partition
        self.hits = hits
        self.confidence = 0.0
        self.ahead = np.zeros(partition.layout.slot_shift[-1])
        self._counters = np.zeros((2, len(partition.layout.counters)), np.int64)
        self.look_ahead(np.zeros(1, np.int64))

    def after(self, index: int) -> Floats:
        """Return the confidence after refining each slot of a column."""
        shift = self.partition.layout.slot_shift
        return np.maximum(self.ahead[shift[index] : shift[index + 1]], self.confidence)

    def look_ahead(self, changed: Ints) -> None:
        """Count, in the changed groups, how sure the value is and how sure each candidate would make it."""
        partition, layout = self.partition, self.partition.layout
        grouped = (partition.order, partition.start, partition.end)
        self.confidence = max(self.confidence, confidence_of(*grouped, partition.size, self.hits, changed))
        confidence_ahead(
            partition.codes,
            partition.weights,
            self.hits,
            *grouped,
            partition.shown,
            changed,
            np.array(partition.qid, np.int64),
            layout.suppressing,
            layout.live,
            layout.child,
            layout.shift,
            layout.children,
            layout.slot_shift,
            self.ahead,
            self._counters,
            layout.counter_shift,
        )


class ConfidenceRefinery(Refinery):
    """A top-down search whose loss is the mean increase of confidence over the templates that know the column.

    Requirements other than templates are checked as in any refinement, and do not count in the loss.
    """

    def __init__(
        self, task: Task, metric: SearchMetric, *, require_beneficial: bool = False, keep_dead: bool = False
    ) -> None:
        asked = {id(model): _hits(model, task) for model in task.models if isinstance(model, ConfidenceBounding)}
        grouped = ModelValidity(task)
        super().__init__(task, metric, validity=grouped, require_beneficial=require_beneficial, keep_dead=keep_dead)
        self.templates = [
            Template(model, self.partitions[qid], asked[id(model)])
            for qid, model in grouped.models
            if isinstance(model, ConfidenceBounding)
        ]
        # The running maxima decide the templates, so nobody has to ask the models again.
        grouped.models = [entry for entry in grouped.models if id(entry[1]) not in asked]

    def _loss_and_validity(self, index: int, slots: Ints) -> tuple[Floats, Bools]:
        _, valid = super()._loss_and_validity(index, slots)
        knowing = [template for template in self.templates if index in template.partition.qid]
        loss = np.zeros(len(slots))
        for template in knowing:
            after = template.after(index)[slots]
            loss += after - template.confidence
            valid &= template.model.bound().holds(after)
        return loss / max(len(knowing), 1), valid

    def _look_ahead(self, qid: tuple[int, ...], partition: Partition, changed: Ints) -> None:
        super()._look_ahead(qid, partition, changed)
        for template in self.templates:
            if template.partition is partition:
                template.look_ahead(changed)

    def confidences(self) -> list[Confidence]:
        """Return ``Conf(QID -> s)`` of every template, in the order of the requirements."""
        return [
            Confidence(
                qid="|".join(self.names(template.partition.qid)),
                sensitive=template.model.sensitive,
                value=template.model.value,
                confidence=template.confidence,
            )
            for template in self.templates
        ]

    def after(self, step: RefinementStep) -> RefinementStep:
        """Return a step with the smallest groups and the confidences."""
        return replace(super().after(step), confidences=self.confidences())

    def facts(self) -> StepFacts:
        """Return the smallest groups and the confidences at the end."""
        return replace(super().facts(), confidences=self.confidences())


def _hits(model: ConfidenceBounding, task: Task) -> Ints:
    """Return how many records of each row hold the value of a template; refuse a value that does not occur."""
    table = task.table
    values = table.dictionaries[model.sensitive].values
    if model.value not in values:
        raise BadRequest(
            "does not occur in the sensitive column, so the template would protect nothing",
            parameter=f"{model.id}.value",
            column=model.sensitive,
            value=model.value,
        )
    codes = table.extra_codes[:, table.extra.index(model.sensitive)]
    return np.where(codes == values.index(model.value), table.weights, 0).astype(np.int64)
