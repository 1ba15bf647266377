"""rho1-to-rho2 privacy: what was unlikely before a randomised basket is seen does not become likely by it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from math import fsum, inf
from typing import ClassVar

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["Rho1ToRho2", "amplification", "posterior"]

_BELOW = 1 - 1e-9  # the strict optimum is a limit that no operator reaches


class Rho1ToRho2(MechanismModel):
    """What was at most rho1 likely before a randomised output is seen is never rho2 likely or more after it.

    A property Q of a basket t is breached if ``P[Q(t)] <= rho1`` and ``P[Q(t) | t'] >= rho2`` for some output t'. No property
    is, whatever the prior, if the procedure amplifies by less than

        gamma_limit = rho2 (1 - rho1) / (rho1 (1 - rho2)),

    where it *amplifies* by gamma if ``P[t1 -> t'] <= gamma P[t2 -> t']`` for all inputs t1, t2 and every output t' that any
    input can have. At gamma_limit itself a prior of rho1 can become a posterior of rho2, never more: that is allowed unless
    ``strict``.

    Adversary: has any belief about a basket, knows the procedure, and sees what it made of the basket.

    Examples
    --------
    >>> model = Rho1ToRho2(rho1=0.05, rho2=0.5)
    >>> round(model.gamma_limit, 9), model.audit(12.0).satisfied, model.audit(20.0).satisfied
    (19.0, True, False)
    >>> coin = {"yes": {"yes": 0.75, "no": 0.25}, "no": {"yes": 0.25, "no": 0.75}}
    >>> model.audit(amplification(coin)).measured
    3.0

    References
    ----------
    Evfimievski, Gehrke, Srikant, "Limiting privacy breaches in privacy preserving data mining", 2003,
    doi:10.1145/773153.773174.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.1.3. The printed
    definition lacks the property Q.
    """

    id: ClassVar[str] = "rho1-to-rho2"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"probabilistic"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.rho1-to-rho2")

    rho1: float = param(gt=0, lt=1, doc="what was at most so likely before counts as unlikely")
    rho2: float = param(gt=0, lt=1, doc="what is so likely afterwards counts as known")
    strict: bool = param(default=False, doc="whether reaching rho2 exactly is a breach")

    def validate(self) -> None:
        """Refuse a belief that would have to fall."""
        if not self.rho1 < self.rho2:
            raise BadRequest("must be above rho1", parameter=f"{self.id}.rho2", value=self.rho2)

    @property
    def gamma_limit(self) -> float:
        """The amplification at which rho1 can become rho2."""
        return self.rho2 * (1 - self.rho1) / (self.rho1 * (1 - self.rho2))

    def audit(self, gamma: float) -> Audit:
        """Judge a procedure by its amplification; see :func:`amplification` and ``SelectASize.amplification``."""
        if not gamma >= 1:
            raise BadRequest("must be at least 1", parameter="gamma", value=gamma)
        worst = 1.0 if gamma == inf else posterior(self.rho1, gamma)
        return self.audited(gamma, at_most(self.gamma_limit, strict=self.strict), {"posterior": worst})

    def calibrate(self) -> Mapping[str, float]:
        """Return the largest amplification that a procedure may have."""
        return {"gamma": self.gamma_limit * (_BELOW if self.strict else 1)}


def posterior(prior: float, gamma: float) -> float:
    """Return the largest belief that a prior can become under an amplification: ``gamma p / (gamma p + 1 - p)``.

    >>> posterior(0.05, 19.0)
    0.5
    """
    return gamma * prior / (gamma * prior + 1 - prior)


def amplification(mechanism: Mapping[Hashable, Mapping[Hashable, float]]) -> float:
    """Return the largest ratio of the probabilities of one output for two inputs of a finite procedure."""
    outputs: Collection[Hashable] = dict.fromkeys(output for chances in mechanism.values() for output in chances)
    for name, chances in mechanism.items():
        if min(chances.values(), default=-1) < 0 or abs(fsum(chances.values()) - 1) > 1e-9:
            raise BadRequest("must be probabilities that add up to 1", parameter="mechanism", value=str(name))
    worst = 1.0
    for output in outputs:
        held = [chances.get(output, 0.0) for chances in mechanism.values()]
        if max(held) > 0:
            worst = max(worst, max(held) / min(held) if min(held) > 0 else inf)
    return worst
