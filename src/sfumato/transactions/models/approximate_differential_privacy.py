"""Approximate differential privacy of baskets: one person's basket more or less hardly changes what may be published."""

from __future__ import annotations

from typing import ClassVar

from sfumato.data.messages import say
from sfumato.models.approximate_differential_privacy import ApproximateDifferentialPrivacy as OfPersons

__all__ = ["ApproximateDifferentialPrivacy"]


class ApproximateDifferentialPrivacy(OfPersons):
    """One person's basket more or less hardly changes what a procedure may publish, but for a chance of delta.

    A procedure F is (epsilon, delta)-differentially private iff ``P[F(D1) in S] <= exp(epsilon) P[F(D2) in S] + delta`` for
    every set S of outputs and all data D1, D2 of which one has one person's basket more. Delta must be far below one by the
    number of persons: a procedure that publishes one person at random has delta 1/n.

    Adversary: knows every basket but one, and all there is to know outside the data, and looks at what is published.

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

    id: ClassVar[str] = OfPersons.id
    adversary: ClassVar[str] = say("adversary.approximate-differential-privacy-baskets")
