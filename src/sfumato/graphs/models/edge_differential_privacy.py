"""Edge differential privacy: one link more or less hardly changes what may be published of a graph."""

from __future__ import annotations

from math import isfinite
from typing import ClassVar

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["EdgeDifferentialPrivacy"]


class EdgeDifferentialPrivacy(MechanismModel):
    """One link more or less changes the probability of no output by more than a factor ``exp(epsilon)``.

    ``P[F(G1) in S] <= exp(epsilon) P[F(G2) in S]`` for all sets S of outputs and all graphs on the same nodes that differ in
    one link. It hides links, not persons: who has many is still seen to be somebody with many. An adversary's belief in a
    link t is bounded by ``posterior(t) <= exp(epsilon) prior(t)``. Which nodes there are is no secret, and must not follow from
    who has links: a policy lists them (``nodes: file``) or says how many there are (``nodes: count``).

    Adversary: knows every link but one and looks at what is published.

    Examples
    --------
    >>> EdgeDifferentialPrivacy(epsilon=1.0).audit(0.5).satisfied
    True

    References
    ----------
    Hay, Li, Miklau, Jensen, "Accurate estimation of the degree distribution of private networks", 2009,
    doi:10.1109/ICDM.2009.11.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.6.
    """

    id: ClassVar[str] = "edge-differential-privacy"
    traits: ClassVar[ModelTraits] = ModelTraits(frozenset({"attribute", "probabilistic"}), "mechanism")
    adversary: ClassVar[str] = say("adversary.edge-differential-privacy")

    epsilon: float = param(
        gt=0, doc="largest logarithm of the ratio of an output's probabilities with and without a link"
    )

    def validate(self) -> None:
        """Refuse an infinite epsilon, which promises nothing."""
        if not isfinite(self.epsilon):
            raise BadRequest("must be finite", parameter=f"{self.id}.epsilon", value=self.epsilon)

    def audit(self, epsilon: float) -> Audit:
        """Judge a procedure of which a proof states its epsilon."""
        return self.audited(epsilon, at_most(self.epsilon), {"epsilon": epsilon})
