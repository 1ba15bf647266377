"""Estimates of population uniqueness against populations whose uniques are known.

From each population simple random samples are drawn; every estimator guesses from the class sizes of the sample how many
persons are alone in the population. Printed are the truth and, for each sampling fraction, the median over the samples of the
relative error (estimate - truth) / truth, and how often an estimator had an answer. Nothing is timed but the slowest call.

    python benchmarks/population_estimators.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from measured import shared_data

from sfumato.estimates.uniqueness import ESTIMATORS, class_sizes, estimate

Ints = npt.NDArray[np.int64]

FRACTIONS = (0.01, 0.05, 0.1, 0.2, 0.5)
SAMPLES = 20


def zipf(rng: np.random.Generator) -> Ints:
    """Return 20,000 classes whose sizes fall off by a power law."""
    sizes = rng.zipf(1.6, 20_000)
    return np.asarray(sizes[sizes <= 100_000])


def lognormal(rng: np.random.Generator) -> Ints:
    """Return classes with Poisson sizes around log-normal means: most cells of a table are nearly empty, few are full."""
    sizes = rng.poisson(np.exp(rng.normal(0.5, 1.8, 40_000)))
    return np.asarray(sizes[sizes > 0])


def even(rng: np.random.Generator) -> Ints:
    """Return classes that are all about as large: hardly anybody is alone."""
    sizes = rng.poisson(6.0, 30_000)
    return np.asarray(sizes[sizes > 0])


def pitman_law(rng: np.random.Generator) -> Ints:
    """Return classes that follow Pitman's law with theta = 200 and alpha = 0.5: whoever comes joins a class or founds one."""
    theta, alpha, persons = 200.0, 0.5, 100_000
    of_person = np.zeros(persons, np.int64)
    founder = np.zeros(persons, bool)
    classes = 0
    for number in range(persons):
        if rng.random() * (theta + number) < theta + alpha * classes:
            of_person[number], founder[number] = classes, True
            classes += 1
            continue
        # A person is joined at random, founders less often: a class of size s has the weight s - alpha.
        while founder[met := int(rng.integers(number))] and rng.random() < alpha:
            pass
        of_person[number] = of_person[met]
    return np.bincount(of_person)


def slide_law(rng: np.random.Generator) -> Ints:
    """Return 30,000 classes of one person and a negative binomial number of others, the law of ``snb``."""
    return np.asarray(1 + rng.negative_binomial(0.5, 0.1, 30_000))


def adult_columns(names: tuple[str, ...], factor: int) -> Callable[[np.random.Generator], Ints]:
    """Return a maker of the classes of Adult on some columns, blown up by random changes of one column at a time."""

    def make(rng: np.random.Generator) -> Ints:
        from sfumato.datasets import adult, blow_up_codes

        data = adult(missing="drop")
        coded, domains = [], []
        for name in names:
            values, codes = np.unique(np.array(data.values(name)), return_inverse=True)
            coded.append(codes)
            domains.append(len(values))
        codes = np.stack(coded, axis=1).astype(np.int32)
        if factor > 1:
            codes = blow_up_codes(codes, domains, rng=rng, factor=factor, style="bug", rho=1)
        return np.asarray(np.unique(codes, axis=0, return_counts=True)[1])

    return make


POPULATIONS: dict[str, Callable[[np.random.Generator], Ints]] = {
    "Pitman's law": pitman_law,
    "slide negative binomial law": slide_law,
    "Zipf": zipf,
    "Poisson-lognormal": lognormal,
    "even": even,
    "Adult, 4 columns": adult_columns(("age", "sex", "race", "marital-status"), 1),
    "Adult, 6 columns": adult_columns(("age", "sex", "race", "marital-status", "education", "native-country"), 1),
    "Adult, 9 columns": adult_columns(
        (
            "age",
            "sex",
            "race",
            "marital-status",
            "education",
            "native-country",
            "workclass",
            "occupation",
            "relationship",
        ),
        1,
    ),
    "Adult x 10, 5 columns": adult_columns(("age", "sex", "race", "marital-status", "education"), 10),
}


def errors(population: Ints, fraction: float, rng: np.random.Generator) -> tuple[dict[str, list[float]], float]:
    """Return the relative errors of every estimator over the samples, and the longest time of one call."""
    person = np.repeat(np.arange(len(population)), population)
    truth = int(np.count_nonzero(population == 1))
    out: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
    slowest = 0.0
    for _ in range(SAMPLES):
        drawn = rng.permutation(person)[: int(fraction * len(person))]
        counts = np.bincount(drawn)
        sizes = class_sizes(counts[counts > 0])
        for name in ESTIMATORS:
            began = time.perf_counter()
            found = estimate(name, sizes, len(person)).population_uniques
            slowest = max(slowest, time.perf_counter() - began)
            if found is not None:
                out[name].append((found - truth) / truth)
    return out, slowest


def few_records() -> None:
    """Print how low the rule may be if the sample is small: estimate / truth, the least, the lowest tenth and the middle."""
    rng = np.random.default_rng(10)
    makers = [slide_law, zipf, lognormal]
    print(
        f"\nfew records, estimate of dankar / truth\n{'records':>8} {'fraction':>9} {'least':>7} {'tenth':>7} {'median':>7}"
    )
    for records in (30, 100, 300, 1000):
        for fraction in (0.02, 0.08, 0.15, 0.3, 0.6):
            ratios = []
            for number in range(3 * SAMPLES):
                sizes = makers[number % len(makers)](rng)
                # As many classes of the population as make up the wanted number of persons.
                population = sizes[: int(np.searchsorted(np.cumsum(sizes), records / fraction)) + 1]
                truth = int(np.count_nonzero(population == 1))
                person = np.repeat(np.arange(len(population)), population)
                # A huge class at the end makes the population larger than wanted, and the fraction smaller.
                if truth < 3 or len(person) > 1.2 * records / fraction:
                    continue
                counts = np.bincount(rng.permutation(person)[:records])
                found = estimate("dankar", class_sizes(counts[counts > 0]), len(person)).population_uniques
                assert found is not None
                ratios.append(found / truth)
            least, tenth, middle = np.quantile(ratios, [0, 0.1, 0.5])
            print(f"{records:>8,} {fraction:>9} {least:>7.2f} {tenth:>7.2f} {middle:>7.2f}")


def main() -> None:
    """Print a table for each population, and what few records do."""
    shared_data()
    slowest = 0.0
    for title, make in POPULATIONS.items():
        rng = np.random.default_rng(9)
        population = make(rng)
        alone, persons = int(np.count_nonzero(population == 1)), int(population.sum())
        print(f"\n{title}: {persons:,} persons, {len(population):,} classes, {alone:,} alone ({alone / persons:.2%})")
        print(f"{'fraction':>9} " + " ".join(f"{name:>15}" for name in ESTIMATORS))
        for fraction in FRACTIONS:
            found, longest = errors(population, fraction, rng)
            slowest = max(slowest, longest)
            cells = [
                (f"{np.median(each):+.0%}" if each else "-") + (f" ({len(each)})" if len(each) < SAMPLES else "")
                for each in found.values()
            ]
            print(f"{fraction:>9} " + " ".join(f"{cell:>15}" for cell in cells))
    print(
        f"\nmedian of {SAMPLES} samples; in brackets how many gave an answer, if not all; slowest call {slowest:.2f} s"
    )


if __name__ == "__main__":
    main()
