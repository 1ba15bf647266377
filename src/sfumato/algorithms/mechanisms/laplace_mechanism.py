"""The Laplace mechanism: answers to counts, sums, means, histograms and quantiles, with noise that hides any one record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from sfumato.algorithms.mechanisms._private_queries import PrivateQuery, private_queries
from sfumato.algorithms.mechanisms._procedures import only_procedure
from sfumato.contracts.algorithm import ROWS_IN_MEMORY, Algorithm, AlgorithmTraits, Outcome, Task
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import MechanismFacts
from sfumato.contracts.model import Audit, MechanismModel, at_most
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.models.differential_privacy import SUBSTITUTE, DifferentialPrivacy
from sfumato.perturbations.budget import Budget, amount
from sfumato.perturbations.opendp_noise import OpenDPLaplace, OpenDPQuantile
from sfumato.releases.noisy_answers import NoisyAnswers
from sfumato.searches.grouping import records_of

__all__ = ["LaplaceMechanism", "NoisyAnswer"]

# Building a law takes longer than drawing from it, and questions often share one.
_laplace = lru_cache(maxsize=64)(OpenDPLaplace)
_quantile = lru_cache(maxsize=64)(OpenDPQuantile)


@frozen
class NoisyAnswer:
    """One published answer: what it cost, what one record can change, and the scale of the noise in the answer's unit.

    A ``derived`` answer was computed from others and cost nothing.
    """

    question: str
    answer: float
    epsilon: float
    sensitivity: float
    scale: float
    derived: bool = False


class LaplaceMechanism(Algorithm):
    """Answers to counts, sums, means, histograms and quantiles, with noise that hides any one record.

    A question f with sensitivity D (the largest change of f, in the sum of absolute values, between neighbouring
    tables) that may spend e of the budget is published as ``f(T) + noise`` of scale ``b = D / e``. Together the answers
    are epsilon-differentially private, where epsilon is that of the requirement ``differential-privacy``: it is the
    budget, spent by the shares that questions name and evenly by the others, and a share that is not left is refused. D
    is

    - 1 for a count, and for all cells of a histogram together (2 if a record may be ``substitute``-d);
    - ``max(|low|, |high|)`` for a sum of values that are cut off at low and high, which must be given;
    - a mean is a noisy sum over a noisy count, each with half of the share;
    - a quantile is chosen among candidates by how many records lie on either side, with noise on these scores.

    The noise is discrete: whole numbers for counts, multiples of a ``step`` for sums, so that no rounding of floats
    tells more. It is drawn by OpenDP (extra ``dp``) from the entropy of the operating system and cannot be seeded.
    Nothing exact is published, not even the number of records. Columns of all roles can be asked about; what protects
    is the noise. **Not truthful**: no answer is exact.

    A question is one of ``{count: {column: value}}``, ``{sum: column, low: , high: }``, ``{mean: column, low: , high:
    }``, ``{histogram: column, values: [...]}`` (or ``edges``), ``{quantile: column, q: 0.5, low: , high: }`` (or
    ``candidates``), with ``where``, ``epsilon`` and ``question`` (its words) if wanted. The release is of the kind
    ``noisy-answers``. The facts hold the ``ledger`` of the budget.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["sex", "income"], [("f", 31), ("m", 28), ("f", 40), ("m", 55)])
    >>> questions = [{"count": {"sex": "f"}, "epsilon": 0.5}, {"sum": "income", "low": 0, "high": 100}]
    >>> policy = {
    ...     "columns": {"sex": {"role": "quasi-identifier"}, "income": {"role": "sensitive"}},
    ...     "requirements": [{"id": "differential-privacy", "epsilon": 1.5}],
    ...     "algorithm": LaplaceMechanism(queries=questions).spec(),
    ... }
    >>> release = sfumato.anonymize(table, policy)
    >>> [(row[0], row[2], row[4]) for row in release.table.to_rows()]
    [('records with sex f', 0.5, 2.0), ('sum of income', 1.0, 100.0)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.4.1. The scale printed
    there is upside down. Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data analysis",
    2006, doi:10.1007/11681878_14."""

    id: ClassVar[str] = "laplace-mechanism"
    traits: ClassVar[AlgorithmTraits] = AlgorithmTraits(
        recoding="none",
        release="noisy-answers",
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost="linear in the number of records, for each question",
        works_on="rows",
        most_rows=ROWS_IN_MEMORY,
    )
    procedures: ClassVar[tuple[str, ...]] = (DifferentialPrivacy.id,)
    seedable: ClassVar[bool] = False
    spends: ClassVar[bool] = True

    queries: Any = param(doc="the questions: counts, sums, means, histograms, quantiles, each as a mapping")

    def validate(self) -> None:
        """Refuse questions without the bounds that say how much one record can change."""
        given = [self.queries] if isinstance(self.queries, dict) else self.queries
        object.__setattr__(self, "_read", private_queries(given, f"{self.id}.queries"))
        object.__setattr__(self, "queries", tuple(given))

    def asked(self) -> tuple[PrivateQuery, ...]:
        """Return the questions, read."""
        read: tuple[PrivateQuery, ...] = self.__dict__["_read"]
        return read

    def run(self, task: Task, run: Run) -> Outcome:
        """Answer every question within the budget of the requirement."""
        model = only_procedure(task, self, DifferentialPrivacy)
        budget, raw = Budget(model.epsilon), records_of(task, self.id)
        audit, exact = self.promised(model), self.exact(raw)
        assert audit is not None
        run.charge(float(audit.measured))
        answers = self.noised(exact, raw.types, budget, adjacency=model.adjacency)
        histograms = [query.questions() for query in self.asked() if query.kind == "histogram"]
        built = NoisyAnswers.build(
            [answer.question for answer in answers],
            [answer.answer for answer in answers],
            mechanism="geometric",
            epsilon=[answer.epsilon for answer in answers],
            sensitivity=[answer.sensitivity for answer in answers],
            scale=[answer.scale for answer in answers],
            budget=float(model.epsilon),
            disjoint=histograms,
            derived=[answer.question for answer in answers if answer.derived],
            settings={
                "noise": say("settings.laplace"),
                "neighbours": say("settings.one_replaced")
                if model.adjacency == SUBSTITUTE
                else say("settings.one_more"),
                "chosen_among_candidates": [query.questions()[0] for query in self.asked() if query.kind == "quantile"],
                "seedable": False,
            },
            engine=raw.home,
        )
        return Outcome(
            built=built,
            audits=(audit,),
            warnings=[say("warning.noise_spends")],
            facts=MechanismFacts(ledger=[(entry.purpose, entry.epsilon) for entry in budget.ledger]),
        )

    def promised(self, model: MechanismModel) -> Audit | None:
        """Return the epsilon that the shares of the questions add up to."""
        if not isinstance(model, DifferentialPrivacy):
            return None
        budget = Budget(model.epsilon)
        self._shares(budget)
        return model.audited(budget.spent, at_most(float(model.epsilon)), {"questions": len(self.queries)})

    def ask(self, table: Table, budget: Budget, *, adjacency: str = "add-remove") -> list[NoisyAnswer]:
        """Answer the questions, spending from a budget that other procedures on the same table may share.

        Questions without a share of their own divide what is left. Whatever is not left is refused before anything is
        answered.

        >>> import sfumato
        >>> table = sfumato.from_rows(["age"], [(30,), (41,)])
        >>> budget = Budget(1.0)
        >>> answers = LaplaceMechanism(queries=[{"count": {}, "epsilon": 0.25}]).ask(table, budget)
        >>> answers[0].question, answers[0].scale, budget.left
        ('all records', 4.0, 0.75)
        """
        return self.noised(self.exact(table), table.types, budget, adjacency=adjacency)

    def exact(self, table: Table) -> list[list[Any]]:
        """Return the answers before the noise, as whole numbers; for a quantile the numbers it is asked of. They must stay."""
        return [query.numbers(table) if query.kind == "quantile" else query.exact(table) for query in self.asked()]

    def noised(
        self,
        exact: Sequence[Sequence[Any]],
        types: Mapping[str, ColumnType],
        budget: Budget,
        *,
        adjacency: str = "add-remove",
    ) -> list[NoisyAnswer]:
        """Add the noise to exact answers about a table with columns of these types; spends the budget."""
        if adjacency not in ("add-remove", SUBSTITUTE):
            raise BadRequest(
                "is not an adjacency", parameter="adjacency", value=adjacency, available=["add-remove", SUBSTITUTE]
            )
        out: list[NoisyAnswer] = []
        for query, held, share in zip(self.asked(), exact, self._shares(budget), strict=True):
            out += _answered(query, held, share, types, adjacency == SUBSTITUTE)
        return out

    def _shares(self, budget: Budget) -> list[list[float]]:
        """Spend the budget; return for each question what each of its parts may cost."""
        queries = self.asked()
        fixed = {at: amount(query.epsilon, "epsilon") for at, query in enumerate(queries) if query.epsilon is not None}
        free = [at for at in range(len(queries)) if at not in fixed]
        spent: dict[int, list[float]] = {}
        for at, share in fixed.items():
            spent[at] = _spend(budget, queries[at], share)
        for at, share in zip(free, budget.shares(len(free)) if free else [], strict=True):
            spent[at] = _spend(budget, queries[at], share)
        return [spent[at] for at in range(len(queries))]


def _spend(budget: Budget, query: PrivateQuery, share: Fraction) -> list[float]:
    parts = 2 if query.kind == "mean" else 1
    return [budget.spend(share / parts, purpose=question) for question in query.questions()[:parts]]


def _answered(
    query: PrivateQuery,
    exact: Sequence[Any],
    shares: Sequence[float],
    types: Mapping[str, ColumnType],
    substitute: bool,
) -> list[NoisyAnswer]:
    questions = query.questions()
    if query.kind == "quantile":
        chooser = _quantile(shares[0], float(query.q or 0), query.choices(), changes=2 if substitute else 1)
        return [NoisyAnswer(questions[0], chooser.choose(exact), chooser.epsilon, 1.0, chooser.scale)]
    kind = None if query.column is None else types[query.column]
    steps = query.sensitivity(kind, substitute)
    unit = query.unit(kind) if kind is not None and query.kind in ("sum", "mean") else 1
    noise = _laplace(shares[0], steps)
    if query.kind == "mean":
        counting = _laplace(shares[1], 1)
        total, records = noise.add(exact[:1])[0] * unit, counting.add(exact[1:])[0]
        # With no record left by the noise, the middle of the range is as good a guess as any.
        middle = (float(query.low or 0) + float(query.high or 0)) / 2
        mean = min(max(total / records, float(query.low or 0)), float(query.high or 0)) if records > 0 else middle
        return [
            NoisyAnswer(questions[0], float(total), noise.epsilon, float(steps * unit), noise.scale * unit),
            NoisyAnswer(questions[1], float(records), counting.epsilon, 1.0, counting.scale),
            NoisyAnswer(questions[2], mean, 0.0, 0.0, 0.0, derived=True),
        ]
    return [
        NoisyAnswer(question, float(count * unit), noise.epsilon, float(steps * unit), noise.scale * unit)
        for question, count in zip(questions, noise.add(exact), strict=True)
    ]
