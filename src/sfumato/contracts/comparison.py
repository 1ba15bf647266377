"""What several algorithms make of one table: what each reached at which level of privacy, what it cost, or why it could not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from sfumato.contracts.advice import with_dropped
from sfumato.contracts.certificate import Certificate
from sfumato.data.frozen import frozen

__all__ = ["CRITERIA", "Attempt", "Criterion", "Reached", "marked"]

Criterion = Literal["loss", "queries", "prediction"]
CRITERIA: tuple[Criterion, ...] = ("loss", "queries", "prediction")


@frozen
class Reached:
    """The level of one requirement, measured on what would be published, and what the policy needs."""

    model: str
    level: float | int | None
    needed: str

    @classmethod
    def of(cls, certificate: Certificate) -> tuple[Reached, ...]:
        """Return what a certificate says of every requirement, on the table or on the procedure."""
        on_tables = [cls(entry.model, entry.measured, entry.needed) for entry in certificate.requirements]
        return *on_tables, *(cls(entry.model, entry.measured, entry.needed) for entry in certificate.procedures)


@frozen(kw_only=True)
class Attempt:
    """One algorithm at one level of privacy: what it reached and cost, or the ``reason`` why there is nothing.

    ``k`` is what every requirement with a k was given, ``m`` likewise, ``None`` where the policy was left as it is. ``loss`` is
    that of :func:`sfumato.measure`, or the first metric of a policy for data that have no such metric. ``risk`` is the share
    ``1 / smallest group`` on all quasi-identifiers: the best guess of whoever
    knows them all about who a record is. ``queries`` is the median relative error of count queries, ``prediction`` the error of
    a decision tree that learns the target from the release. Of ``read`` records ``dropped`` went for missing values before the
    search, and ``left`` are published. ``shares`` are parts of metrics worth setting side by side. ``stopped`` says why a
    search ended before it was done. ``policy`` is the document that makes this release.
    """

    algorithm: str
    policy: Mapping[str, object] = field(repr=False)
    k: int | None = None
    m: int | None = None
    reason: str | None = None
    reached: tuple[Reached, ...] = ()
    risk: float | None = None
    loss: float | None = None
    read: int | None = None
    dropped: int = 0
    left: int | None = None
    queries: float | None = None
    prediction: float | None = None
    shares: Mapping[str, float] = field(default_factory=dict)
    seconds: float | None = None
    stopped: str | None = None
    best: bool = False

    @property
    def cost(self) -> float | None:
        """The loss with dropped records counted as lost."""
        return None if self.loss is None else with_dropped(self.loss, self.read or 0, self.dropped)

    def by(self, criterion: Criterion) -> float | None:
        """Return what attempts are compared by, lower is better."""
        return {"loss": self.cost, "queries": self.queries, "prediction": self.prediction}[criterion]

    def document(self) -> dict[str, object]:
        """Return everything but the policy in a form that JSON takes."""
        told = {key: value for key, value in vars(self).items() if key not in ("policy", "reached")}
        return {**told, "cost": self.cost, "reached": [vars(one) for one in self.reached]}


def marked(attempts: Sequence[Attempt], criterion: Criterion) -> tuple[Attempt, ...]:
    """Mark the best attempt for each k and m: the lowest error, then the most records, then the first."""
    lowest: dict[tuple[int | None, int | None], tuple[float, int, int]] = {}
    for at, attempt in enumerate(attempts):
        error = attempt.by(criterion)
        if error is not None:
            rank = (error, -(attempt.left or 0), at)
            level = attempt.k, attempt.m
            lowest[level] = min(rank, lowest.get(level, rank))
    chosen = {at for _, _, at in lowest.values()}
    return tuple(replace(attempt, best=at in chosen) for at, attempt in enumerate(attempts))
