"""Genetic algorithm: evolves cuts, encoded as strings of bits, towards the smallest classification metric or loss."""

from __future__ import annotations

from math import prod
from typing import ClassVar, Literal

from sfumato.algorithms.cuts._evolution import Evolution, Fitness, Metric
from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.facts import CutFacts
from sfumato.contracts.model import by_group
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest, Unsupported

__all__ = ["GeneticAlgorithm"]

EVALUATIONS = 20_000
# Distinct rows beyond which the default number of evaluations takes minutes; the publisher should say what it may cost.
LARGE = 100_000


class GeneticAlgorithm(Algorithm):
    """Evolve cuts, encoded as strings of bits, towards the smallest classification metric or loss.

    A column with a tree has a bit for each inner node ("specialize here"), which counts only if the bits of all nodes above
    it are set; a column of numbers one for each boundary between neighbouring values; a column without a tree one for each
    value ("disclose it"). So every string is a cut. Its groups of fewer than k records are left out, and each record left out
    costs as much as one whose class is misjudged (``CM = (minority + left out) / n``) or whose values are all masked
    (``LM``, 1 in each attribute). A string that leaves out more than ``limits.suppress_at_most`` allows pays for it and
    may have children, but is never published; with the limit 0 nothing is left out.

    The evolution is steady-state: two parents drawn by rank, two-point crossover, mutation, the child replaces the worst if it
    is better. The best never gets worse, and the search can stop at any time. The same seed gives the same release.

    It is a baseline: top-down refinement finds cuts of comparable use in a small fraction of the time. Cuts found on a
    sample do not protect the full table, where other groups may be small. The facts of the outcome hold ``cost`` (the metric
    of the release), ``history`` (each improvement: evaluation, cost, records left out), ``evaluations`` and ``search_space``
    (the number of cuts).

    Adversary: that of the requirements. Cost: evaluations times distinct rows.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import education_work
    >>> data = education_work()
    >>> search = GeneticAlgorithm(population=20, evaluations=300)
    >>> policy = sfumato.Policy.for_dataset(
    ...     data, requirements=[{"id": "k-anonymity", "k": 4}], limits={"suppress_at_most": 0.1}, algorithm=search.spec()
    ... )
    >>> release = sfumato.anonymize(sfumato.from_dataset(data), policy)
    >>> release.verdict.satisfied, release.private.facts["metric"], release.private.facts["evaluations"]
    (True, 'classification-metric', 300)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 5.1.2.3 and 6.6.
    Iyengar, "Transforming data to satisfy privacy constraints", 2002, doi:10.1145/775047.775089.
    Whitley, "The GENITOR algorithm and selection pressure: why rank-based allocation of reproductive trials is best", 1989.
    """

    id: ClassVar[str] = "genetic-algorithm"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="cut",
        release="recoded-table",
        optimal=False,
        deterministic=False,
        truthful=True,
        anytime=True,
        model_needs=("by_size_alone",),
        numeric_without_hierarchy=True,
        suppresses_records=True,
        cost="the number of evaluations times the number of distinct records",
        works_on="counts",
        most_rows=None,
    )

    metric: Literal["auto", "classification-metric", "loss"] = param(
        default="auto",
        choices=("auto", "classification-metric", "loss"),
        doc="what is made small; auto is classification-metric with a target column and loss without",
    )
    population: int = param(default=100, ge=2, doc="how many different strings are kept")
    evaluations: int | None = param(
        default=None,
        ge=1,
        doc=f"how many strings are tried; {EVALUATIONS:,}, but must be given beyond {LARGE:,} distinct records",
    )
    crossover: float = param(default=0.9, ge=0, le=1, doc="probability that a child takes bits of both parents")
    mutation: float = param(default=0.01, gt=0, lt=1, doc="probability that a bit of a child flips")
    pressure: float = param(
        default=1.5, ge=1, le=2, doc="how much more often than the middle one the best is drawn as a parent"
    )
    patience: int | None = param(default=None, ge=1, doc="stop after this many evaluations without improvement")
    deadline: float | None = param(default=None, gt=0, doc="stop after this many seconds with the best state reached")

    def run(self, task: Task, run: Run) -> Outcome:
        """Evolve for the given number of evaluations and return the best cuts found."""
        self._refuse(task)
        fitness = Fitness(task, self._metric(task.target))
        if fitness.rows > LARGE and self.evaluations is None:
            raise BadRequest(
                f"must be given: {fitness.rows:,} distinct records make each of them slow",
                parameter=f"{self.id}.evaluations",
            )
        evolution = Evolution(
            fitness,
            run.rng,
            population=self.population,
            crossover=self.crossover,
            mutation=self.mutation,
            pressure=self.pressure,
        )
        stopped = evolution.run(self.evaluations or EVALUATIONS, run.within(self.deadline), patience=self.patience)
        best, price = evolution.best, evolution.price
        recodings = fitness.recodings(best)
        return Outcome(
            recodings=recodings,
            suppressed=fitness.left_out(best, recodings) if price.suppressed else (),
            trace=evolution.history,
            stopped=stopped,
            facts=CutFacts(
                metric=fitness.metric,
                cost=price.cost,
                suppressed_records=price.suppressed,
                evaluations=evolution.evaluations,
                history=evolution.history,
                bits=fitness.bits,
                search_space=prod(column.cuts for column in fitness.columns),
            ),
        )

    def _metric(self, target: str | None) -> Metric:
        if self.metric == "auto":
            return "loss" if target is None else "classification-metric"
        if self.metric == "classification-metric" and target is None:
            raise BadRequest(
                "classification-metric needs a column with the role target",
                parameter=f"{self.id}.metric",
                available=["loss", "auto"],
            )
        return self.metric

    def _refuse(self, task: Task) -> None:
        for model in task.models:
            if not model.traits.by_size_alone:
                raise Unsupported(
                    f"{self.id} leaves out groups that are too small and cannot promise {model.id}",
                    thing=model.id,
                    alternatives=by_group(["tdr"] if model.traits.closed_under_merge else [], [model]),
                )
