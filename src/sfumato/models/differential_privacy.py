"""Differential privacy: one record more or less hardly changes what a procedure may answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from math import fsum, inf, isfinite, log, sqrt
from typing import ClassVar, TypeVar

import numpy as np

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.estimates.binomial_bounds import lower, upper
from sfumato.kernels.arrays import Floats
from sfumato.models._output_distributions import Distribution, largest_log_ratio, refuse_bad_distribution

__all__ = ["DifferentialPrivacy", "are_neighbours"]

T = TypeVar("T")

ADD_REMOVE = "add-remove"
SUBSTITUTE = "substitute"
BINS = 32


class DifferentialPrivacy(MechanismModel):
    """One record more or less hardly changes what a randomised procedure may answer.

    A procedure F is epsilon-differentially private iff ``|ln(P[F(T1) = S] / P[F(T2) = S])| <= epsilon`` for every output S
    and all neighbouring tables T1, T2; 0/0 is left out and x/0 is infinite. Neighbours differ in one record: one table has it
    and the other does not (``add-remove``), or it was replaced by another one (``substitute``). What is computed from the
    output alone keeps the same epsilon. The model says nothing of the linkage of records or attributes by itself.

    Laplace noise of scale ``b = sensitivity / epsilon`` (standard deviation ``sqrt(2) b``) makes a numeric query
    epsilon-differentially private, where the sensitivity is the largest change of the answer, in the sum of absolute
    values, between neighbouring tables.

    Adversary: knows every record but one, and all there is to know outside the table, and looks at the answer.

    Examples
    --------
    >>> model = DifferentialPrivacy(epsilon=1.1)
    >>> answers = {"no": {0: 0.75, 1: 0.25}, "yes": {0: 0.25, 1: 0.75}}
    >>> audit = model.audit(answers, [("no", "yes")])
    >>> round(audit.measured, 6), audit.satisfied
    (1.098612, True)
    >>> DifferentialPrivacy(epsilon=0.5).calibrate(1)["scale"]
    2.0

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 2.4.2 and 5.4.1. The noise scale
    printed in section 5.4.1 is upside down.
    Dwork, "Differential privacy", 2006, doi:10.1007/11787006_1.
    Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data analysis", 2006,
    doi:10.1007/11681878_14.
    """

    id: ClassVar[str] = "differential-privacy"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"table", "probabilistic"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.differential-privacy")

    epsilon: float = param(
        gt=0, doc="largest absolute logarithm of the ratio of an output's probabilities on neighbouring tables"
    )
    adjacency: str = param(
        default=ADD_REMOVE,
        choices=(ADD_REMOVE, SUBSTITUTE),
        doc="neighbours have one record more or less, or one record replaced",
    )

    def validate(self) -> None:
        """Refuse an infinite epsilon, which promises nothing."""
        if not isfinite(self.epsilon):
            raise BadRequest("must be finite", parameter=f"{self.id}.epsilon", value=self.epsilon)

    # ---- noise -------------------------------------------------------------------------------------------------------

    def calibrate(self, sensitivity: float) -> Mapping[str, float]:
        """Return scale, variance and standard deviation of the Laplace noise for a query of this sensitivity."""
        if not isinstance(sensitivity, (int, float)) or isinstance(sensitivity, bool) or not 0 < sensitivity < inf:
            raise BadRequest("must be a positive, finite number", parameter="sensitivity", value=sensitivity)
        scale = sensitivity / self.epsilon
        return {"scale": scale, "variance": 2 * scale**2, "standard_deviation": sqrt(2) * scale}

    def sensitivity(self, query: str, *, low: float | None = None, high: float | None = None) -> float:
        """Return the sensitivity of a ``count``, a ``histogram`` over disjoint cells, or a ``sum`` of values from low to high.

        Replacing a record moves it from one cell of a histogram to another, which changes two counts; a sum changes by the
        width of the range at most.

        >>> DifferentialPrivacy(epsilon=1).sensitivity("sum", low=-5, high=20)
        20
        """
        if query not in ("count", "histogram", "sum"):
            raise BadRequest(
                "is not a query of known sensitivity",
                parameter="query",
                value=query,
                available=("count", "histogram", "sum"),
            )
        substitute = self.adjacency == SUBSTITUTE
        if query != "sum":
            return 2 if substitute and query == "histogram" else 1
        if low is None or high is None or not (isfinite(low) and isfinite(high)) or low > high:
            raise BadRequest("a sum needs finite bounds low <= high", parameter="low, high", value=(low, high))
        return high - low if substitute else max(abs(low), abs(high))

    # ---- audits ------------------------------------------------------------------------------------------------------

    def audit(
        self,
        mechanism: Mapping[Hashable, Distribution],
        neighbours: Iterable[tuple[Hashable, Hashable]] | None = None,
    ) -> Audit:
        """Compute the smallest epsilon of a finite procedure.

        ``mechanism`` gives the probability of each output for each table. ``neighbours`` lists pairs of tables; without it
        the tables must be tuples of records, and the pairs follow from the adjacency.
        """
        for outputs in mechanism.values():
            refuse_bad_distribution("mechanism", outputs)
        pairs = self._pairs(mechanism) if neighbours is None else [tuple(pair) for pair in neighbours]
        if not pairs:
            raise BadRequest("there is no pair of neighbouring tables to compare", parameter="neighbours")
        worst, witness = -1.0, {}
        for pair in pairs:
            if len(pair) != 2 or any(table not in mechanism for table in pair):
                raise BadRequest("must be pairs of tables of the mechanism", parameter="neighbours")
            apart, output = largest_log_ratio(mechanism[pair[0]], mechanism[pair[1]])
            if apart > worst:
                worst = apart
                chances = tuple(mechanism[table].get(output, 0.0) for table in pair)
                witness = {"tables": pair, "output": output, "probabilities": chances}
        return self.audited(worst, at_most(float(self.epsilon)), witness)

    def _pairs(self, mechanism: Mapping[Hashable, Distribution]) -> list[tuple[Hashable, ...]]:
        if not all(isinstance(table, tuple) for table in mechanism):
            raise BadRequest("name the neighbouring pairs, or give tables as tuples of records", parameter="neighbours")
        pairs = combinations(mechanism, 2)
        return [pair for pair in pairs if are_neighbours(*pair, self.adjacency)]  # type: ignore[arg-type]

    def audit_samples(
        self,
        mechanism: Callable[[T, np.random.Generator], Hashable],
        first: T,
        second: T,
        *,
        rng: np.random.Generator,
        runs: int = 20_000,
        confidence: float = 0.95,
    ) -> Audit:
        """Run a procedure on two neighbouring tables; ``measured`` is an epsilon that it exceeds with this confidence.

        Half of the runs choose the set of outputs that tells the tables apart best, the other half count it; the bound is
        ``ln(lower / upper)`` of the two Clopper-Pearson bounds on its probability. A procedure that is epsilon-differentially
        private is found guilty with probability 1 - confidence at most. The converse does not hold: no number of runs on one
        pair of tables shows that a procedure is private. Real outputs are cut into intervals first.

        >>> def truth(table, rng):
        ...     return len(table)
        >>> leak = DifferentialPrivacy(epsilon=1).audit_samples(truth, [1, 2], [1], rng=np.random.default_rng(0), runs=2000)
        >>> leak.satisfied, round(leak.measured, 2)
        (False, 5.6)
        """
        if isinstance(runs, bool) or runs < 4:
            raise BadRequest("must be at least 4", parameter="runs", value=runs)
        if not 0 < confidence < 1:
            raise BadRequest("must be > 0 and < 1", parameter="confidence", value=confidence)
        if not _may_be_neighbours(first, second, self.adjacency):
            raise BadRequest(f"the two tables are not neighbours ({self.adjacency})", parameter="first, second")
        half = runs // 2
        chosen = [_drawn(mechanism, table, half, rng) for table in (first, second)]
        counted = [_drawn(mechanism, table, half, rng) for table in (first, second)]
        edges = _edges([*chosen[0], *chosen[1]], [*counted[0], *counted[1]])
        chosen, counted = ([_cut(outputs, edges) for outputs in part] for part in (chosen, counted))
        event, likelier = _telling(Counter(chosen[0]), Counter(chosen[1]))
        hits = [sum(output in event for output in outputs) for outputs in counted]
        level = (1 - confidence) / 2
        below = lower(hits[likelier], half, level)
        above = upper(hits[1 - likelier], half, level)
        measured = max(0.0, log(below / above)) if below > 0 else 0.0
        witness = {
            "confidence": confidence,
            "runs": runs,
            "outputs_in_event": len(event),
            "share_of_first": hits[0] / half,
            "share_of_second": hits[1] / half,
        }
        return self.audited(measured, at_most(float(self.epsilon)), witness, exact=False)

    # ---- several procedures ------------------------------------------------------------------------------------------

    @classmethod
    def in_sequence(cls, parts: Sequence[DifferentialPrivacy]) -> DifferentialPrivacy:
        """Return what several procedures on the same table promise together: the epsilons add up.

        >>> DifferentialPrivacy.in_sequence([DifferentialPrivacy(epsilon=0.5), DifferentialPrivacy(epsilon=0.25)]).epsilon
        0.75
        """
        return cls(epsilon=fsum(part.epsilon for part in parts), adjacency=_same_adjacency(parts))

    @classmethod
    def in_parallel(cls, parts: Sequence[DifferentialPrivacy]) -> DifferentialPrivacy:
        """Return what procedures on disjoint parts of a table promise together: the largest epsilon counts.

        Under ``substitute`` that is refused: a replaced record may leave one part and enter another, and then the sizes of
        two parts change, of which the promises of the parts say nothing.

        >>> DifferentialPrivacy.in_parallel([DifferentialPrivacy(epsilon=0.5), DifferentialPrivacy(epsilon=0.25)]).epsilon
        0.5
        """
        if _same_adjacency(parts) == SUBSTITUTE:
            raise Unsupported(
                "disjoint parts do not compose when a record is substituted: it may move from one part to another",
                thing=cls.id,
                alternatives=[f"adjacency {ADD_REMOVE}", "in_sequence"],
            )
        return cls(epsilon=max(part.epsilon for part in parts))


def are_neighbours(first: Sequence[Hashable], second: Sequence[Hashable], adjacency: str = ADD_REMOVE) -> bool:
    """Tell whether two tables, as collections of records in any order, differ in exactly one record.

    >>> are_neighbours(["a", "b"], ["b"]), are_neighbours(["a", "b"], ["b", "c"], "substitute")
    (True, True)
    """
    one, other = Counter(first), Counter(second)
    apart = sorted(((one - other).total(), (other - one).total()))
    return apart == ([0, 1] if adjacency == ADD_REMOVE else [1, 1])


def _may_be_neighbours(first: object, second: object, adjacency: str) -> bool:
    """Tell whether tables are neighbours, as far as that can be seen: lists of hashable records can be compared."""
    if not (isinstance(first, (list, tuple)) and isinstance(second, (list, tuple))):
        return True
    try:
        return are_neighbours(first, second, adjacency)
    except TypeError:
        return True


def _same_adjacency(parts: Sequence[DifferentialPrivacy]) -> str:
    found = {part.adjacency for part in parts}
    if len(found) != 1:
        raise BadRequest(
            "needs at least one part, all of the same adjacency", parameter="parts", value=sorted(found) or None
        )
    return found.pop()


def _drawn(
    mechanism: Callable[[T, np.random.Generator], Hashable], table: T, runs: int, rng: np.random.Generator
) -> list[Hashable]:
    return [mechanism(table, rng) for _ in range(runs)]


def _edges(chosen: Sequence[Hashable], counted: Sequence[Hashable]) -> Floats | None:
    """Return where to cut real outputs, from the outputs that choose alone; ``None`` if outputs are no real numbers."""
    if not all(isinstance(output, (float, np.floating)) for output in (*chosen, *counted)):
        return None
    return np.unique(np.quantile(np.array(chosen, np.float64), np.linspace(0, 1, BINS + 1)[1:-1]))


def _cut(outputs: list[Hashable], edges: Floats | None) -> list[Hashable]:
    if edges is None:
        return outputs
    found: list[Hashable] = np.searchsorted(edges, np.array(outputs, np.float64), side="right").tolist()
    return found


def _telling(first: Counter[Hashable], second: Counter[Hashable]) -> tuple[set[Hashable], int]:
    """Return the outputs that tell the tables apart best, as far as these counts show, and which table they point at.

    The best set for a given size holds the outputs with the largest ratio, so only those are tried. Counts are moved by two
    standard deviations against the difference, lest a single rare output wins.
    """
    best, event, likelier = -inf, [next(iter(first))], 0
    for direction, (more, less) in enumerate(((first, second), (second, first))):
        order = sorted(more, key=lambda output: -(more[output] + 0.5) / (less[output] + 0.5))
        hits = misses = best_size = 0
        for size, output in enumerate(order, 1):
            hits, misses = hits + more[output], misses + less[output]
            score = log(max(hits - 2 * sqrt(hits), 0.5)) - log(misses + 2 * sqrt(misses) + 4)
            if score > best:
                best, best_size = score, size
        if best_size:
            event, likelier = order[:best_size], direction
    return set(event), likelier
