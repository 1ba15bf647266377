"""Versions for recipients of different trust: a chain of perturbations, so that colluding recipients gain nothing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed
from sfumato.contracts.thing import column as named
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.data.words import counted
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints

__all__ = ["MultilevelPerturbation", "TrustVersions", "retention_step", "transition_matrix"]

Level = Fraction | float | str


def transition_matrix(size: int, p: Level) -> list[list[Fraction]]:
    """Return ``M_p[i][j] = p 1(i = j) + (1 - p) / n``, exactly: a value stays with p, else one of n is drawn.

    >>> [str(one) for one in transition_matrix(4, "3/5")[0]]
    ['7/10', '1/10', '1/10', '1/10']
    """
    kept, other = _level(p), (1 - _level(p)) / size
    return [[kept + other if i == j else other for j in range(size)] for i in range(size)]


def retention_step(high: Level, low: Level) -> Fraction:
    """Return the retention that leads from one level to a lower one: ``M_high M_(low/high) = M_low``.

    >>> retention_step("3/5", "3/10")
    Fraction(1, 2)
    """
    if _level(low) > _level(high):
        raise BadRequest("must not be above the level it is made from", parameter="p", value=str(low))
    return _level(low) / _level(high)


def _level(given: Level) -> Fraction:
    try:
        found = Fraction(given) if not isinstance(given, float) else Fraction(repr(given))
    except (ValueError, ZeroDivisionError, TypeError):
        raise BadRequest("must be a number above 0 and at most 1", parameter="p", value=str(given)) from None
    if not 0 < found <= 1:
        raise BadRequest("must be a number above 0 and at most 1", parameter="p", value=str(given))
    return found


@dataclass(eq=False)
class TrustVersions:
    """Versions of one column at different levels of trust, made in any order of requests and kept by the holder.

    Ordered by falling p the versions are a Markov chain: each is drawn given its neighbours alone, ``P(b)`` proportional to
    ``M_(p/p_hi)[a][b] M_(p_lo/p)[b][c]``, where a and c are a record's values in the version above (the true one
    if there is none) and below. So each version looks like ordinary perturbation with its p, and who has several learns no
    more than from the one with the largest p. A level that is asked for again gives the version that was made. Needs as many
    codes as records and versions; a new version takes one pass.

    Examples
    --------
    >>> versions = TrustVersions.of(["Flu", "HIV", "Flu"], ["Cold", "Flu", "HIV"])
    >>> rng = np.random.default_rng(1)
    >>> low, high = versions.version("1/4", rng), versions.version("1/2", rng)
    >>> versions.levels, versions.version("1/4", rng) == low
    ((Fraction(1, 2), Fraction(1, 4)), True)
    """

    domain: tuple[Hashable, ...]
    codes: Ints
    held: dict[Fraction, Ints] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Sequence[Hashable], domain: Sequence[Hashable]) -> TrustVersions:
        """Begin with true values; one outside of the domain is refused."""
        place = {value: at for at, value in enumerate(domain)}
        if not place or len(place) < len(domain):
            raise BadRequest("must name each value once", parameter="domain")
        outside = sum(value not in place for value in values)
        if outside:
            raise BadRequest(f"{counted(outside, 'value is', 'values are')} outside of the domain", parameter="domain")
        return cls(tuple(domain), np.array([place[value] for value in values], np.int64))

    @property
    def levels(self) -> tuple[Fraction, ...]:
        """The levels that were made, highest first."""
        return tuple(sorted(self.held, reverse=True))

    def __repr__(self) -> str:  # values are those of persons
        return f"TrustVersions({len(self.codes):,} records, levels {', '.join(map(str, self.levels)) or 'none'})"

    def version(self, p: Level, rng: np.random.Generator) -> list[Hashable]:
        """Return the version at a level, made now if it was not before."""
        level = _level(p)
        if level not in self.held:
            self.held[level] = self._drawn(level, rng)
        return self.made(level)

    def made(self, p: Level) -> list[Hashable]:
        """Return the version at a level that was made; refuse one that was not."""
        level = _level(p)
        if level not in self.held:
            raise BadRequest("was not made", parameter="p", value=str(p), available=self.levels)
        return [self.domain[code] for code in self.held[level].tolist()]

    def _drawn(self, level: Fraction, rng: np.random.Generator) -> Ints:
        above = min((one for one in self.held if one > level), default=None)
        below = max((one for one in self.held if one < level), default=None)
        high = self.codes if above is None else self.held[above]
        first = float(level / (above or 1))
        size = len(self.domain)
        if below is None:
            kept = rng.random(len(high)) < first
            return np.where(kept, high, rng.integers(0, size, len(high)))
        low, second = self.held[below], float(below / level)
        u, v = (1 - first) / size, (1 - second) / size
        same = high == low
        # The weights of: the value above, the value below, any one other.
        mine = (first + u) * np.where(same, second + v, v)
        theirs = np.where(same, 0.0, u * (second + v))
        rest = np.where(same, size - 1, size - 2) * (u * v)
        drawn = rng.random(len(high)) * (mine + theirs + rest)
        other = rng.integers(0, np.maximum(np.where(same, size - 1, size - 2), 1))
        least, most = np.minimum(high, low), np.maximum(high, low)
        other = other + (other >= least)
        other = np.where(same, other, other + (other >= most))
        return np.where(drawn < mine, high, np.where(drawn < mine + theirs, low, other)).astype(np.int64)

    def estimate(self, p: Level, value: Hashable) -> float:
        """Return the unbiased estimate of how many records have a value: ``(observed - N (1 - p) / n) / p``."""
        level = _level(p)
        if level not in self.held or value not in self.domain:
            raise BadRequest("was not made", parameter="p", value=str(p), available=self.levels)
        seen = int(np.count_nonzero(self.held[level] == self.domain.index(value)))
        return float((seen - len(self.codes) * (1 - level) / len(self.domain)) / level)


class MultilevelPerturbation(Perturbation):
    """Uniform perturbation at one of several levels of trust, chained so that versions together tell no more than the best.

    With retention p a value is kept with probability p, else any value of the domain is drawn: ``M_p[i][j] = p 1(i=j) +
    (1-p)/n``. Because ``M_p M_q = M_pq``, a version at a lower level is made from the version above it and not from the data;
    :class:`TrustVersions` serves requests in any order and keeps the versions, which never leave the holder; with a ledger and
    a name (``perturb(..., ledger=..., series=...)``, ``--ledger --series``) the ledger keeps them. Without one ``levels`` are
    versions that were made before this one, in the order of requests, from the same seed: the table holds the version at
    ``p``. **Not truthful at record level.**

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["ill"], [("yes",), ("no",), ("no",), ("no",)])
    >>> made = MultilevelPerturbation(column="ill", p=0.5, domain=("no", "yes")).apply(table, np.random.default_rng(3))
    >>> set(made.values("ill")) <= {"yes", "no"}
    True

    References
    ----------
    Xiao, Tao, Chen, "Optimal random perturbation at multiple privacy levels", 2009, doi:10.14778/1687627.1687719.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.5.
    """

    id: ClassVar[str] = "multilevel-perturbation"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="kept", randomness="generator")

    column: str = named("sensitive", doc="column whose values are perturbed")
    p: float = param(gt=0, le=1, doc="probability that a value is kept, the trust of the recipient")
    domain: tuple[Hashable, ...] | None = param(
        default=None, doc="all values of the column; those of the table if not given"
    )
    levels: tuple[float, ...] = param(
        default=(), doc="levels of versions that were made before, in the order of requests"
    )

    def validate(self) -> None:
        """Refuse levels outside of (0, 1]."""
        for level in self.levels:
            if not 0 < level <= 1:
                raise BadRequest("must be above 0 and at most 1", parameter=f"{self.id}.levels", value=level)

    def versions(self, table: Table) -> TrustVersions:
        """Return the versions of a table, none made yet."""
        if self.column not in table.types:
            raise BadRequest(
                "is not a column", parameter=f"{self.id}.column", value=self.column, available=table.columns
            )
        if table.missing()[self.column]:
            raise BadRequest("has missing values", parameter=f"{self.id}.column", column=self.column)
        held = table.dictionary(self.column).values
        domain = held if self.domain is None else self.domain
        place = {to_text(value): at for at, value in enumerate(domain)}
        outside = sum(to_text(value) not in place for value in held)
        if outside:
            raise BadRequest(
                f"{counted(outside, 'value is', 'values are')} outside of the domain", parameter=f"{self.id}.domain"
            )
        codes = np.array([place[to_text(value)] for value in held], np.int64)
        return TrustVersions(tuple(domain), codes[table.as_rows().codes([self.column])[:, 0]])

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        versions = self.versions(table)
        for level in (*self.levels, self.p):
            versions.version(level, rng)
        return self.shown(versions)

    def shown(self, versions: TrustVersions) -> Perturbed:
        """Return the version at ``p``, which was made, in place of the column."""
        return Perturbed(
            perturbation=self,
            columns={self.column: versions.made(self.p)},
            rows=len(versions.codes),
            keeps=(say("keeps.multilevel"),),
            facts={"retention": self.p, "domain size": len(versions.domain)},
        )
