"""Population uniqueness: how many persons of a population are alone in their class, estimated from the classes of a sample.

Let ``c_j`` be the number of sample classes of size j, ``n`` the number of records, ``u`` the number of classes, ``N`` the size
of the population and ``f = n / N``. Each function returns an estimate of ``S1``, the number of population classes of size 1,
together with everything that it was computed from. If no record is alone in the sample, every estimate is 0; if the sample is
the whole population, every estimate is ``c_1``: then there is nothing to estimate.

References
----------
Dankar, El Emam, Neisa, Roffey, "Estimating the re-identification risk of clinical data sets", 2012,
doi:10.1186/1472-6947-12-66.
Haas, Stokes, "Estimating the number of classes in a finite population", 1998 (the number of classes in ``snb``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log, log1p
from typing import Any

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.estimates.run_sums import inverse_square_sum, inverse_sum, log_sum
from sfumato.kernels.arrays import Floats, Ints

__all__ = [
    "ESTIMATORS",
    "FEW_RECORDS",
    "Dankar",
    "Estimate",
    "Pitman",
    "SlideNegativeBinomial",
    "Zayatz",
    "class_sizes",
    "dankar",
    "estimate",
    "pitman",
    "refuse_bad_sizes",
    "snb",
    "zayatz",
]

# Up to this sampling fraction the rule of Dankar et al. goes by Pitman's estimator.
SMALL_FRACTION = 0.1

# Estimates from fewer records may be far too low as well as too high; measured on simulated populations.
FEW_RECORDS = 1000

_DENSE = 1 << 20  # sizes up to this are counted in an array
_TOGETHER = 1 << 13  # distinct sizes that are worked on together, so that memory stays bounded


@frozen(kw_only=True)
class Estimate:
    """An estimate of the number of population uniques; ``None`` where the estimator has no answer."""

    n: int
    classes: int
    sample_uniques: int
    population: int
    population_uniques: float | None

    @property
    def sampling_fraction(self) -> float:
        """``n / N``."""
        return self.n / self.population

    @property
    def share(self) -> float | None:
        """Population uniques as a share of the population."""
        return None if self.population_uniques is None else self.population_uniques / self.population

    @property
    def chance(self) -> float | None:
        """Chance that a record that is alone in the sample is alone in the population, ``S1 f / c_1``, at most 1."""
        if self.population_uniques is None:
            return None
        if self.sample_uniques == 0:
            return 0.0
        return min(1.0, self.population_uniques * self.sampling_fraction / self.sample_uniques)


@frozen(kw_only=True)
class Zayatz(Estimate):
    """``conditional_uniqueness`` is the chance that a sample unique is a population unique, by Bayes' rule."""

    conditional_uniqueness: float


@frozen(kw_only=True)
class Pitman(Estimate):
    """``theta`` and ``alpha`` maximise the likelihood.

    ``exact_expectation`` is the expected number of uniques of N persons under the same law, without the approximation for
    large N that the estimate uses.
    """

    theta: float | None = None
    alpha: float | None = None
    exact_expectation: float | None = None


@frozen(kw_only=True)
class SlideNegativeBinomial(Estimate):
    """``population_classes`` is the estimated number of classes, ``alpha`` and ``beta`` are those of their sizes' law."""

    population_classes: float
    alpha: float | None = None
    beta: float | None = None


@frozen(kw_only=True)
class Dankar(Estimate):
    """``chosen`` names the estimator that the rule took; the others are there if the rule looked at them."""

    chosen: str
    zayatz: Zayatz
    pitman: Pitman | None = None
    snb: SlideNegativeBinomial | None = None

    @property
    def silent(self) -> str | None:
        """The estimator that the rule wanted and that has no answer, so that Zayatz spoke in its place."""
        if self.n == self.population:
            return None  # nothing is estimated
        wanted: Mapping[str, Estimate | None] = {"pitman": self.pitman, "snb": self.snb}
        return next((name for name, one in wanted.items() if one is not None and one.population_uniques is None), None)


def class_sizes(sizes: Ints) -> dict[int, int]:
    """Return ``{size: number of classes}`` of the sizes of all classes.

    >>> class_sizes(np.array([1, 1, 4, 2, 1]))
    {1: 3, 2: 1, 4: 1}
    """
    if len(sizes) and int(sizes.max()) <= max(4 * len(sizes), _DENSE):
        counts = np.bincount(sizes)
        present = np.flatnonzero(counts)
        counts = counts[present]
    else:
        present, counts = np.unique(sizes, return_counts=True)
    return dict(zip(present.tolist(), counts.tolist(), strict=True))


def refuse_bad_sizes(sizes: Mapping[int, int]) -> None:
    """Refuse what is not ``{size: number of classes}``."""
    for size, count in sizes.items():
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
            raise BadRequest("class sizes must be positive whole numbers", parameter="sizes", value=size)
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
            raise BadRequest("numbers of classes must be whole and not negative", parameter="sizes", value=count)


def zayatz(sizes: Mapping[int, int], population: int) -> Zayatz:
    """Estimate by Bayes' rule, with the class sizes of the sample standing in for those of the population.

    ``h(j) = j C(N - j, n - 1) / C(N, n)`` is the chance that of a population class of j persons exactly one is sampled;
    ``P = c_1 h(1) / sum of c_j h(j)`` and ``S1 = c_1 P N / n``.

    >>> round(zayatz({1: 12, 2: 5, 3: 3, 4: 2, 6: 1}, 120).population_uniques, 6)
    15.737996
    """
    known = _Sample.of(sizes, population)
    # h(j) / h(1) = j (N - n)(N - n - 1)... / ((N - 1)(N - 2)...), j - 1 factors each; 0 where the factors run out.
    rest = population - known.n
    possible = known.sizes - 1 <= rest
    size = known.sizes[possible]
    ratio = size * np.exp(log_sum(rest - size + 2, size - 1) - log_sum(population - size + 1, size - 1))
    chance = known.uniques / float((known.counts[possible] * ratio).sum()) if known.uniques else 0.0
    return Zayatz(**known.facts(known.uniques * chance * population / max(known.n, 1)), conditional_uniqueness=chance)


def pitman(sizes: Mapping[int, int], population: int) -> Pitman:
    """Estimate by the most likely Pitman sampling formula.

    ``theta`` and ``alpha`` maximise ``sum ln(theta + i alpha), i < u`` - ``sum ln(theta + i), i < n`` + ``sum over classes of
    sum ln(i - alpha), i < j``, and ``S1 = Gamma(theta + 1) / Gamma(theta + alpha) N^alpha``, at most N. There is no answer if
    the likelihood is highest at ``alpha <= 0``, or if all records are alone and it has no maximum.

    >>> found = pitman({1: 30, 2: 8, 3: 4, 4: 2, 5: 1, 9: 1}, 1500)
    >>> round(found.theta, 6), round(found.alpha, 6), round(found.population_uniques, 6)
    (31.854765, 0.206646, 70.794078)
    """
    known = _Sample.of(sizes, population)
    if known.uniques == 0:
        return Pitman(**known.facts(0.0))
    fit = _Likelihood(known).maximum() if 1 < known.classes < known.n else None
    if fit is None:
        return Pitman(**known.facts(float(known.uniques) if known.whole else None))
    theta, alpha = fit
    step = float(log_sum(theta + alpha, 1 - alpha))
    expected = population * np.exp(step - float(log_sum(theta + alpha + population - 1, 1 - alpha)))
    uniques = known.uniques if known.whole else np.exp(step + alpha * log(population))
    return Pitman(
        **known.facts(min(float(uniques), float(population))),
        theta=theta,
        alpha=alpha,
        exact_expectation=float(expected),
    )


def snb(sizes: Mapping[int, int], population: int) -> SlideNegativeBinomial:
    """Estimate by population classes of 1 + negative binomial(alpha, beta) persons, each sampled with chance f.

    The number K of population classes is estimated first, by Shlosser's third form; then ``alpha`` and ``beta`` are those for
    which the expected numbers of sample classes with one and with two records are ``c_1`` and ``c_2``, and
    ``S1 = K beta^alpha``. There is no answer if no such law exists, which is so without any class of two.

    >>> found = snb({1: 12, 2: 5, 3: 3, 4: 2, 6: 1}, 120)
    >>> round(found.population_classes, 6), round(found.population_uniques, 6)
    (34.605339, 12.676583)
    """
    known = _Sample.of(sizes, population)
    total = _shlosser(known)
    if known.uniques == 0 or known.whole:
        return SlideNegativeBinomial(**known.facts(float(known.uniques)), population_classes=total)
    fit = _slide_law(known, total)
    if fit is None:
        return SlideNegativeBinomial(**known.facts(None), population_classes=total)
    alpha, beta = fit
    uniques = float(total * np.exp(alpha * np.log(beta)))
    return SlideNegativeBinomial(
        **known.facts(min(uniques, float(population))), population_classes=total, alpha=alpha, beta=beta
    )


def dankar(sizes: Mapping[int, int], population: int) -> Dankar:
    """Estimate by the rule of Dankar et al.: Pitman up to a sampling fraction of 0.1, else the smaller of Zayatz and SNB.

    Where the wanted estimator has no answer, Zayatz has.

    >>> found = dankar({1: 12, 2: 5, 3: 3, 4: 2, 6: 1}, 120)
    >>> found.chosen, round(found.share, 6)
    ('snb', 0.105638)
    """
    base = zayatz(sizes, population)
    assert base.population_uniques is not None
    by_pitman, by_snb = None, None
    wanted: Estimate
    if base.sampling_fraction <= SMALL_FRACTION:
        by_pitman = pitman(sizes, population)
        chosen, wanted = "pitman", by_pitman
    else:
        by_snb = snb(sizes, population)
        chosen, wanted = "snb", by_snb
    if wanted.population_uniques is None or (chosen == "snb" and base.population_uniques <= wanted.population_uniques):
        chosen, wanted = "zayatz", base
    return Dankar(
        n=base.n,
        classes=base.classes,
        sample_uniques=base.sample_uniques,
        population=population,
        population_uniques=wanted.population_uniques,
        chosen=chosen,
        zayatz=base,
        pitman=by_pitman,
        snb=by_snb,
    )


ESTIMATORS: Mapping[str, Callable[[Mapping[int, int], int], Estimate]] = {
    "dankar": dankar,
    "zayatz": zayatz,
    "pitman": pitman,
    "snb": snb,
}


def estimate(name: str, sizes: Mapping[int, int], population: int) -> Estimate:
    """Estimate by the estimator of this name."""
    return ESTIMATORS[name](sizes, population)


@frozen(eq=False)
class _Sample:
    """The classes of a sample: distinct sizes that occur, in order, with how often each does."""

    sizes: Floats
    counts: Floats
    n: int
    classes: int
    uniques: int
    pairs: int
    population: int

    @classmethod
    def of(cls, sizes: Mapping[int, int], population: int) -> _Sample:
        """Check the class sizes and the population, and count."""
        refuse_bad_sizes(sizes)
        held = {int(size): int(count) for size, count in sorted(sizes.items()) if count}
        n = sum(size * count for size, count in held.items())
        if isinstance(population, bool) or not isinstance(population, (int, np.integer)) or population < max(n, 1):
            raise BadRequest(
                f"must be a whole number and not smaller than the sample of {n} records",
                parameter="population",
                value=population,
            )
        return cls(
            np.array(list(held), np.float64),
            np.array(list(held.values()), np.float64),
            n,
            sum(held.values()),
            held.get(1, 0),
            held.get(2, 0),
            int(population),
        )

    @property
    def fraction(self) -> float:
        return self.n / self.population

    @property
    def whole(self) -> bool:
        """Tell whether the sample is the population."""
        return self.n == self.population

    def facts(self, uniques: float | None) -> dict[str, Any]:
        """Return what every estimate holds."""
        return {
            "n": self.n,
            "classes": self.classes,
            "sample_uniques": self.uniques,
            "population": self.population,
            "population_uniques": uniques,
        }


class _Likelihood:
    """The likelihood of Pitman's sampling formula: for each alpha the best theta, and then the best alpha.

    Sums over records and classes are differences of gamma functions, so a million records cost as much as a hundred.
    """

    _STEPS = 64

    def __init__(self, sample: _Sample) -> None:
        self.n, self.u = sample.n, sample.classes
        self.sizes, self.counts = sample.sizes, sample.counts

    def maximum(self) -> tuple[float, float] | None:
        """Return theta and alpha at the maximum, or ``None`` if alpha would not be positive."""
        edges = 10.0 ** -np.arange(7, 2, -1)
        grid = np.concatenate([edges, np.linspace(0.01, 0.99, 99), 1 - edges[::-1]])
        theta = self._theta(grid)
        slope = self._slope(grid, theta)
        # The best theta for each alpha makes a curve; its tops lie where the slope turns from rising to falling.
        tops = np.flatnonzero((slope[:-1] > 0) & (slope[1:] <= 0))
        found = [self._top(grid[top : top + 2], theta[top : top + 2]) for top in tops.tolist()]
        if not found:
            return None
        values = [float(self._value(np.array([a]), np.array([t]))[0]) for t, a in found]
        best = int(np.argmax(values))
        if slope[0] <= 0 and self._value(grid[:1], theta[:1])[0] >= values[best]:
            return None
        return found[best]

    def _top(self, ends: Floats, theta: Floats) -> tuple[float, float]:
        """Narrow the place where the slope turns down to the last bit."""
        while True:
            alpha = np.linspace(ends[0], ends[1], 34)
            near = np.log(np.linspace(theta[0] + ends[0], theta[1] + ends[1], 34))
            theta = self._theta(alpha, near)
            falling = self._slope(alpha, theta) <= 0
            turn = max(int(np.argmax(falling)) if falling.any() else len(alpha) - 1, 1)
            new, theta = alpha[turn - 1 : turn + 1], theta[turn - 1 : turn + 1]
            if np.array_equal(new, ends) or new[1] - new[0] <= 4e-16 * new[1]:
                return float(theta.mean()), float(new.mean())
            ends = new

    def _theta(self, alpha: Floats, near: Floats | None = None) -> Floats:
        """Return the best theta for each alpha: where the score, which falls through 0 once, is 0.

        ``near`` are logarithms of theta + alpha to start from.
        """
        n, u = self.n, self.u
        # With y = theta + alpha the score is above 1 / y - 1 / (1 - alpha) - 1 - ln n, and negative where y is as large as
        # (u - 1) terms of at most 1 / y against (n - 1) terms of at least 1 / (y + n).
        low = np.log(0.5 / (1 / (1 - alpha) + 1 + log(n)))
        high = np.log((u - 1) * (n - 1) / (n - u) + 1 + alpha)
        at = (low + high) / 2 if near is None else np.clip(near, low, high)
        for _ in range(self._STEPS):
            y = np.exp(at)
            theta = y - alpha
            score = inverse_sum(y / alpha, u - 1) / alpha - inverse_sum(theta + 1, n - 1)
            slope = inverse_square_sum(theta + 1, n - 1) - inverse_square_sum(y / alpha, u - 1) / alpha**2
            low, high = np.where(score > 0, at, low), np.where(score > 0, high, at)
            with np.errstate(divide="ignore", invalid="ignore"):
                new = at - score / (slope * y)
            # A last, tiny step may leave the bracket by rounding; any other that does is replaced by halving.
            settled = np.abs(new - at) <= 1e-13 * (1 + np.abs(at))
            at = np.where(settled | ((new >= low) & (new <= high)), new, (low + high) / 2)
            if settled.all():
                break
        return np.asarray(np.exp(at) - alpha)

    def _slope(self, alpha: Floats, theta: Floats) -> Floats:
        """Return the derivative along alpha; at the best theta it is the one of the curve."""
        u, a = self.u, theta / alpha
        rising = ((u - 1) - a * inverse_sum(a + 1, u - 1)) / alpha
        return np.asarray(rising - self._inside(inverse_sum, alpha))

    def _value(self, alpha: Floats, theta: Floats) -> Floats:
        """Return the log-likelihood."""
        classes = (self.u - 1) * np.log(alpha) + log_sum(theta / alpha + 1, self.u - 1)
        return np.asarray(classes - log_sum(theta + 1, self.n - 1) + self._inside(log_sum, alpha))

    def _inside(self, of_run: Callable[[Floats, Floats], Floats], alpha: Floats) -> Floats:
        """Return what the classes add: the sum over 1 - alpha, ..., j - 1 - alpha for each class of j records."""
        out = np.zeros(len(alpha))
        for first in range(0, len(self.sizes), _TOGETHER):
            part = slice(first, first + _TOGETHER)
            out += of_run(1 - alpha[:, None], self.sizes[None, part] - 1) @ self.counts[part]
        return out


def _shlosser(known: _Sample) -> float:
    """Return the estimated number of population classes, Shlosser's third form."""
    if known.uniques == 0 or known.whole:
        return float(known.classes)
    f, j, c = known.fraction, known.sizes, known.counts
    rare = np.exp(j * log1p(-f))  # (1 - f)^j
    seen = np.exp(j * log1p(-f * f)) * -np.expm1(-j * log1p(f))  # (1 - f)^j ((1 + f)^j - 1), which may be inf times 0
    first = float((j * f * f * np.exp((j - 1) * log1p(-f * f)) * c).sum() / (seen * c).sum())
    second = float((rare * c).sum() / (j * f * np.exp((j - 1) * log1p(-f)) * c).sum())
    return known.classes + known.uniques * first * second**2


def _slide_law(known: _Sample, total: float) -> tuple[float, float] | None:
    """Return alpha and beta of the law that explains classes of one and of two records, or ``None``.

    The ratio of the two equations is quadratic in alpha and has one positive root, so only beta is left to search.
    """
    if known.pairs == 0:
        return None
    f = known.fraction
    wanted = log(known.uniques / (total * f))
    ratio = 2 * known.pairs / (f * known.uniques)

    def alpha_of(odds: Floats) -> Floats:
        rest = 1 / (1 + np.exp(odds))  # 1 - beta
        d = (1 - f) * rest
        square, line, constant = rest * d, rest * (2 - d) - ratio * (1 - d) * d, ratio * (1 - d) ** 2
        root = np.sqrt(line**2 + 4 * square * constant)
        # The form without a difference of near numbers, on either side of 0.
        return np.asarray(
            np.where(line >= 0, 2 * constant / (line + root), (root - line) / (2 * np.maximum(square, 1e-300)))
        )

    def excess(odds: Floats) -> Floats:
        rest = 1 / (1 + np.exp(odds))
        alpha, d = alpha_of(odds), (1 - f) * rest
        # ln(beta / (1 - d)), whose argument is 1 - f (1 - beta) / (1 - d): whichever form is exact on its side.
        near = 1 / (1 + np.exp(np.maximum(odds, 0.0)))
        base = np.where(
            odds < 0,
            -np.log1p(np.exp(-odds)) - np.log1p(-d),
            np.log1p(-f * near / (1 - (1 - f) * near)),
        )
        ones = alpha * base + np.log1p(alpha * d / (1 - d))
        return np.asarray(ones - wanted)

    odds = np.linspace(-40.0, 32.0, 2881)  # logit of beta
    above = excess(odds) > 0
    turns = np.flatnonzero(above[1:] != above[:-1])
    if not len(turns):
        return None
    at = int(turns[0])
    low, high, side = float(odds[at]), float(odds[at + 1]), bool(above[at])
    for _ in range(100):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if bool(excess(np.array([middle]))[0] > 0) == side:
            low = middle
        else:
            high = middle
    found = np.array([(low + high) / 2])
    return float(alpha_of(found)[0]), float(1 / (1 + np.exp(-found[0])))
