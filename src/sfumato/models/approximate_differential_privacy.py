"""Approximate differential privacy of persons: one person more or less hardly changes what may be published."""

from __future__ import annotations

from math import isfinite
from typing import ClassVar

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["ApproximateDifferentialPrivacy"]


class ApproximateDifferentialPrivacy(MechanismModel):
    """One person more or less hardly changes what a procedure may publish, but for a chance of delta.

    A procedure F is (epsilon, delta)-differentially private iff ``P[F(D1) in S] <= exp(epsilon) P[F(D2) in S] + delta`` for
    every set S of outputs and all data D1, D2 of which one has all records of one person more. Delta must be far below one by
    the number of persons: a procedure that publishes one person at random has delta 1/n.

    Adversary: knows the data of every person but one, all there is to know outside the data, and what is published.

    Examples
    --------
    >>> model = ApproximateDifferentialPrivacy(epsilon=1.0, delta=1e-6)
    >>> model.audit(0.9, 1e-7).satisfied, model.audit(0.9, 1e-5).satisfied
    (True, False)

    References
    ----------
    Dwork, Kenthapadi, McSherry, Mironov, Naor, "Our data, ourselves: privacy via distributed noise generation", 2006,
    doi:10.1007/11761679_29.
    Korolova, Kenthapadi, Mishra, Ntoulas, "Releasing search queries and clicks privately", 2009, doi:10.1145/1526709.1526733.
    """

    id: ClassVar[str] = "approximate-differential-privacy"
    traits: ClassVar[ModelTraits] = ModelTraits(
        prevents=frozenset({"record", "attribute", "table", "probabilistic"}), evaluation="mechanism"
    )
    adversary: ClassVar[str] = say("adversary.approximate-differential-privacy")

    epsilon: float = param(
        gt=0, doc="largest logarithm of the ratio of an output's probabilities with and without a person"
    )
    delta: float = param(gt=0, lt=1, doc="largest chance of an output that breaks that ratio")

    def validate(self) -> None:
        """Refuse an infinite epsilon, which promises nothing."""
        if not isfinite(self.epsilon):
            raise BadRequest("must be finite", parameter=f"{self.id}.epsilon", value=self.epsilon)

    def audit(self, epsilon: float, delta: float) -> Audit:
        """Judge a procedure of which a proof states both numbers; the larger share of its bound is what is measured."""
        shares = {"epsilon": epsilon / self.epsilon, "delta": delta / self.delta}
        return self.audited(max(shares.values()), at_most(1.0), {"epsilon": epsilon, "delta": delta})
