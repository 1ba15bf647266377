"""(d, gamma)-privacy: what an adversary believes of a record after the release stays near what was believed before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, nan
from typing import ClassVar

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible

__all__ = ["DGammaPrivacy", "posterior_absent", "posterior_present"]

SLACK = 1e-9


class DGammaPrivacy(MechanismModel):
    """What an adversary believes of a record after the release stays near what was believed before it.

    The adversary holds an independent prior P(r) for every possible record: 1 for those that are known to be in the table,
    at most d for all others. The procedure is (d, gamma)-private iff for all r of the latter kind, whatever is published,
    ``P(r | release) <= gamma`` and ``d / gamma <= P(r | release) / P(r)``.

    The alpha-beta procedure publishes a record of the table with probability ``alpha + beta`` and any other possible record
    with probability ``beta``. Over all priors up to d it is (d, gamma)-private iff

        d (alpha + beta) / (d (alpha + beta) + (1 - d) beta) <= gamma  and  d / gamma <= (1 - alpha - beta) / (1 - beta),

    because the first posterior grows with the prior and the second ratio is smallest for priors near 0. The test
    ``beta / (alpha + beta) >= d (1 - gamma) / (gamma (1 - d))`` and ``alpha + beta <= 1 - d / gamma`` is sufficient: its first
    part says the same, its second part asks for a little more. Useful for small d only; the promise falls with the
    independence of the priors.

    Adversary: believes in each record independently, with probability at most d unless it is certain, and sees the release.

    Examples
    --------
    >>> model = DGammaPrivacy(d=0.1, gamma=0.5)
    >>> audit = model.audit(alpha=0.6, beta=0.2)
    >>> audit.satisfied, round(audit.measured, 6)
    (True, 0.4)
    >>> chosen = model.calibrate()
    >>> round(chosen["alpha"], 6), round(chosen["beta"], 6)
    (0.711111, 0.088889)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 2.4.3 and 5.4.2.
    Rastogi, Suciu, Hong, "The boundary between privacy and utility in data publishing", 2007.
    """

    id: ClassVar[str] = "d-gamma-privacy"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"table", "probabilistic"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.d-gamma-privacy")

    d: float = param(gt=0, le=1, doc="largest prior belief in a record that is not known for certain")
    gamma: float = param(gt=0, le=1, doc="largest belief after the release")

    def validate(self) -> None:
        """Refuse gamma below d: beliefs may not be asked to fall."""
        if self.gamma < self.d:
            raise BadRequest("must be at least d", parameter=f"{self.id}.gamma", value=self.gamma)

    def audit(self, alpha: float, beta: float, priors: Iterable[float] | None = None) -> Audit:
        """Judge the alpha-beta procedure for the given priors, or for all priors up to d.

        ``measured`` is the smallest gamma for which it is (d, gamma)-private; above 1 there is none. Priors of 0 and 1 cannot
        change and are left out.
        """
        _refuse_bad_mechanism(alpha, beta)
        if priors is None:
            # The posterior is largest at d; the ratio comes as near as one likes to its value at 0.
            high, low = [self.d], [0.0]
        else:
            high = low = self._open_to_change(priors)
        # What can never happen (nan) asks for nothing: a procedure that publishes all possible records, or none.
        posteriors = [(value, prior) for prior in high if (value := posterior_present(prior, alpha, beta)) == value]
        ratios = [(value, prior) for prior in low if (value := _kept_share(prior, alpha, beta)) == value]
        highest, at_high = max(posteriors, default=(None, None))
        smallest, at_low = min(ratios, default=(None, None))
        wanted = [self.d, *(value for value, _ in posteriors), *(self.d / r if r > 0 else inf for r, _ in ratios)]
        witness = {
            "largest_posterior": highest,
            "largest_at_prior": at_high,
            "smallest_ratio": smallest,
            "smallest_at_prior": at_low,
            "sufficient_test": self.sufficient(alpha, beta),
        }
        return self.audited(max(wanted), at_most(float(self.gamma)), witness)

    def _open_to_change(self, priors: Iterable[float]) -> list[float]:
        held = list(priors)
        for prior in held:
            if not (0 <= prior <= self.d * (1 + SLACK) or prior == 1):
                raise BadRequest("must be 1, or from 0 to d", parameter="priors", value=prior)
        found = [prior for prior in held if 0 < prior < 1]
        if not found:
            raise BadRequest("must hold one that can change, above 0 and at most d", parameter="priors")
        return found

    def sufficient(self, alpha: float, beta: float) -> bool:
        """Tell whether the sufficient test holds for the alpha-beta procedure."""
        _refuse_bad_mechanism(alpha, beta)
        keep = alpha + beta
        kept = beta * self.gamma * (1 - self.d) >= keep * self.d * (1 - self.gamma) * (1 - SLACK)
        return kept and keep * self.gamma <= (self.gamma - self.d) + SLACK * self.gamma

    def calibrate(self, *, exact: bool = False) -> Mapping[str, float]:
        """Return the alpha and beta with the largest alpha that the sufficient test allows, or the exact one.

        A larger alpha separates records of the table better from inserted ones.
        """
        room = 1 - self.d / self.gamma
        if room <= 0:
            raise Infeasible(
                "no release may change any belief when gamma equals d",
                measured=self.d,
                bound=self.gamma,
                requirement=self.id,
            )
        share = self.d * (1 - self.gamma) / (self.gamma * (1 - self.d))
        beta = room * share / (1 - share + room * share) if exact else room * share
        alpha = room * (1 - beta) if exact else room * (1 - share)
        return {"alpha": alpha, "beta": beta}


def posterior_present(prior: float, alpha: float, beta: float) -> float:
    """Return the belief in a record that was published: ``P (a + b) / (P (a + b) + (1 - P) b)``; nan if that cannot happen.

    >>> round(posterior_present(0.05, 0.3, 0.1), 6)
    0.173913
    """
    true, inserted = prior * (alpha + beta), (1 - prior) * beta
    return true / (true + inserted) if true + inserted > 0 else nan


def posterior_absent(prior: float, alpha: float, beta: float) -> float:
    """Return the belief in a record that was not published: ``P (1 - a - b) / (P (1 - a - b) + (1 - P) (1 - b))``.

    >>> round(posterior_absent(0.05, 0.3, 0.1), 6)
    0.033898
    """
    return prior * _kept_share(prior, alpha, beta)


def _kept_share(prior: float, alpha: float, beta: float) -> float:
    """Return the belief in an unpublished record as a share of the prior; nan if every record is published."""
    left_out, never_in = max(0.0, 1 - alpha - beta), 1 - beta
    total = prior * left_out + (1 - prior) * never_in
    return left_out / total if total > 0 else nan


def _refuse_bad_mechanism(alpha: float, beta: float) -> None:
    for name, value in (("alpha", alpha), ("beta", beta)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise BadRequest("must be a probability from 0 to 1", parameter=name, value=value)
    if alpha + beta > 1 + SLACK:
        raise BadRequest("must not exceed 1", parameter="alpha + beta", value=alpha + beta)
