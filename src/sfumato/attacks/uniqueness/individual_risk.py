"""Individual risk: the expected chance of finding a record whose group in the population is known by sampling weights only."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Risk, TableAttack, spread
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.run import Run
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.groups.wildcards import matching, wildcard_codes
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models.k_anonymity_wildcard import EMPTY

__all__ = ["GroupRisk", "IndividualRisk", "IndividualRisks", "approximate_risk", "exact_risk"]

OWN_VALUE, WILDCARD = "own-value", "wildcard"
_PORTION = 1 << 18
_SLACK = 1e-9  # ten weights of 0.1 make 1
_LARGE = 40  # from this many records on the series needs fewer than forty terms, whatever the weights


@frozen
class GroupRisk:
    """One group: its records, the persons they stand for, ``p = f / W``, and the risk that its records share."""

    f: int
    weight_sum: float
    p: float
    risk_exact: float
    risk_approx: float


@frozen(kw_only=True, eq=False)
class IndividualRisks(Risk):
    """The risk of each record, by group: ``f`` records, ``weight_sum`` persons, ``risk`` the risk that was asked for.

    With households ``per_victim`` is the household's risk of each record, else the group's. Households are for the
    steward's eyes. ``sizes`` are the records of the groups themselves, where ``f`` also counts others that match them.
    """

    labels: Sequence[Hashable]
    f: Ints
    weight_sum: Floats
    risk: Floats
    household_names: Sequence[Hashable] = ()
    household_risks: Floats | None = None
    sizes: Ints | None = None

    @property
    def p(self) -> Floats:
        """The share of each group that was sampled."""
        return self.f / self.weight_sum

    @cached_property
    def risk_exact(self) -> Floats:
        """The expected value of one over the size in the population."""
        return exact_risk(self.f, self.weight_sum)

    @cached_property
    def risk_approx(self) -> Floats:
        """The same by the quick formula, which is slightly higher."""
        return approximate_risk(self.f, self.weight_sum)

    @property
    def expected_reidentifications(self) -> float:
        """The sum of the risks of all records."""
        return float((self._records * self.risk).sum())

    @property
    def _records(self) -> Ints:
        return self.f if self.sizes is None else self.sizes

    @property
    def global_risk(self) -> float:
        """Expected re-identifications as a share of the records."""
        return self.expected_reidentifications / max(int(self._records.sum()), 1)

    @property
    def household_risk(self) -> Mapping[Hashable, float]:
        """The chance that at least one member of each household is found."""
        risks = [] if self.household_risks is None else self.household_risks.tolist()
        return dict(zip(self.household_names, risks, strict=True))

    def group(self, label: Hashable) -> GroupRisk:
        """Return one group by its label."""
        if label not in self.labels:
            raise BadRequest("is not a group", parameter="label")
        at = list(self.labels).index(label)
        return GroupRisk(
            int(self.f[at]),
            float(self.weight_sum[at]),
            float(self.p[at]),
            float(self.risk_exact[at]),
            float(self.risk_approx[at]),
        )


class IndividualRisk(TableAttack):
    """The expected chance of finding a record, from sampling weights: each record stands for several persons.

    A group of f records whose weights add up to W was sampled with chance ``p = f / W``. The size F of the group in the
    population is then taken as negative binomial, ``P(F = j) = C(j - 1, f - 1) p^f (1 - p)^(j - f)`` for ``j >= f``, and the
    risk of its records is ``r = E[1 / F]``. With ``q = 1 - p``: ``r_1 = (p / q) ln(1 / p)`` and
    ``r_f = (p / q) (1 / (f - 1) - r_{f - 1})``; where that loses digits the series
    ``(p / f) sum of q^k / C(f + k, k)`` is added up. ``approximate`` uses ``p / (f - q)`` for groups of three and more, which
    is slightly higher.

    If nobody else was there to be sampled, ``W = f``, and without weights, the risk is ``1 / f``. Weights that add up to less
    than the records of a group are refused. A household is found if one of its members is: ``1 - product of (1 - r_i)``,
    and each member has that risk; a record without a household stands alone.

    A missing value is a value of its own; with ``missing: wildcard`` it matches every value, on either side, and so does a cell
    that was emptied (``*``): f and W then count all records that match on every column.

    Adversary: has a table of the whole population and does not know who was sampled.

    Examples
    --------
    >>> import sfumato
    >>> table = sfumato.from_rows(["Job", "Weight"], [("Artist", 10), ("Lawyer", 10), ("Lawyer", 10)])
    >>> found = sfumato.attack(table, {"id": "individual-risk", "weight": "Weight"}, qid=["Job"])
    >>> [round(risk, 6) for risk in found.per_victim.tolist()]
    [0.255843, 0.082684]
    >>> round(IndividualRisk().of_groups({"k": [4, 3, 3]}).group("k").risk_exact, 6)
    0.125386

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1 (record linkage).
    Benedetti, Franconi, "Statistical and technological solutions for controlled data dissemination", 1998.
    """

    id: ClassVar[str] = "individual-risk"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="a table of the whole population, with the quasi-identifiers",
        needs=frozenset({"qid"}),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.individual-risk")

    weight: str | None = column(
        "any", default=None, doc="published column that says how many persons a record stands for; one if not given"
    )
    household: str | None = column("any", default=None, doc="published column that says who lives together")
    approximate: bool = param(default=False, doc="whether the quick formula is used for groups of three and more")
    missing: str = param(
        default=OWN_VALUE,
        choices=(OWN_VALUE, WILDCARD),
        doc="whether a missing or emptied value matches its like only, or any value",
    )

    def run(self, seen: Seen, knowledge: TableKnowledge, run: Run) -> IndividualRisks:
        """Return the risk of every published record."""
        self.refuse_unfit(seen, knowledge)
        asked = [name for name in (self.weight, self.household) if name is not None]
        self._refuse_columns(seen, knowledge)
        groups = seen.counts(knowledge.known, asked) if asked else seen.groups(knowledge)
        weights = groups.sizes.astype(np.float64)
        if self.weight is not None:
            weights = _sums(groups.histograms[self.weight], self.weight)
        f, persons = groups.sizes, float(weights.sum())
        if self.missing == WILDCARD:
            found = matching(wildcard_codes(groups, EMPTY), np.column_stack([f, weights]))
            f, weights = np.rint(found[:, 0]).astype(np.int64), found[:, 1]
        risk = self._risk(f, weights, f"{self.id}.weight")
        if self.household is None:
            return self._found(_Keys(groups), f, weights, risk, sizes=groups.sizes, persons=persons)
        cells = groups.histograms[self.household]
        together, each = _households(cells, risk)
        return self._found(
            _Keys(groups),
            f,
            weights,
            risk,
            sizes=groups.sizes,
            persons=persons,
            per_victim=each,
            counts=cells.count,
            names=[name for name in cells.values if name is not None],
            households=together[[name is not None for name in cells.values]],
        )

    def of_groups(
        self,
        groups: Mapping[Hashable, Sequence[float]],
        households: Mapping[Hashable, Sequence[Hashable]] | None = None,
    ) -> IndividualRisks:
        """Return the risks of groups given by the weights of their records, and of households given by their groups."""
        for given in groups.values():
            if not len(given) or any(not 0 < weight < np.inf for weight in given):
                raise BadRequest("a group needs weights, which are positive, finite numbers", parameter="groups")
        f = np.array([len(given) for given in groups.values()], np.int64)
        weights = np.array([float(np.sum(given)) for given in groups.values()])
        risk = self._risk(f, weights, "groups")
        place = {label: at for at, label in enumerate(groups)}
        together = []
        for members in (households or {}).values():
            if any(member not in place for member in members):
                raise BadRequest("names a group that is not there", parameter="households", available=place)
            together.append(1 - float(np.prod(1 - risk[[place[member] for member in members]])))
        return self._found(
            tuple(groups),
            f,
            weights,
            risk,
            names=tuple(households or ()),
            households=None if households is None else np.array(together),
        )

    def _risk(self, f: Ints, weights: Floats, parameter: str) -> Floats:
        fewer = int(np.count_nonzero(weights < f * (1 - _SLACK)))
        if fewer:
            raise BadRequest(
                f"in {fewer:,} of {len(f):,} groups the weights add up to fewer persons than there are records",
                parameter=parameter,
            )
        found, risk = approximate_risk if self.approximate else exact_risk, np.empty(len(f))
        # There may be as many groups as records, and each takes several numbers.
        for start in range(0, len(f), _PORTION):
            part = slice(start, start + _PORTION)
            risk[part] = found(f[part], weights[part])
        return risk

    def _refuse_columns(self, seen: Seen, knowledge: TableKnowledge) -> None:
        for parameter, name in (("weight", self.weight), ("household", self.household)):
            if name is None:
                continue
            where = f"{self.id}.{parameter}"
            _refuse_lacking(seen.table, where, name)
            if name in knowledge.known:
                raise BadRequest("is a column to link by", parameter=where, value=name)
        if self.weight is not None and not seen.table.types[self.weight].numeric:
            raise BadRequest("must be a column of numbers", parameter=f"{self.id}.weight", value=self.weight)
        if self.weight is not None and self.weight == self.household:
            raise BadRequest("is also the weight", parameter=f"{self.id}.household", value=self.household)

    def _found(
        self,
        labels: Sequence[Hashable],
        f: Ints,
        weights: Floats,
        risk: Floats,
        *,
        sizes: Ints | None = None,
        persons: float | None = None,
        per_victim: Floats | None = None,
        counts: Ints | None = None,
        names: Sequence[Hashable] = (),
        households: Floats | None = None,
    ) -> IndividualRisks:
        own = f if sizes is None else sizes
        shown, number = (risk, own) if per_victim is None or counts is None else (per_victim, counts)
        highest, mean = spread(shown, number)
        records, expected = int(own.sum()), float((own * risk).sum())
        details: dict[str, float] = {
            "records": records,
            "groups": len(f),
            "persons_stood_for": float(weights.sum()) if persons is None else persons,
            "expected_reidentifications": expected,
            "global_risk": expected / max(records, 1),
        }
        if households is not None:
            details |= {"households": len(households), "highest_household_risk": float(households.max(initial=0.0))}
        return IndividualRisks(
            attack=self.id,
            per_victim=shown,
            counts=number,
            highest=highest,
            mean=mean,
            reading=_reading(details, float(risk.max(initial=0.0)), highest),
            details=details,
            labels=labels,
            f=f,
            weight_sum=weights,
            risk=risk,
            household_names=names,
            household_risks=households,
            sizes=sizes,
        )


def exact_risk(f: Ints, weight_sum: Floats) -> Floats:
    """Return E[1 / F] for groups of f records that stand for so many persons, which are not fewer.

    >>> exact_risk(np.array([4, 1]), np.array([4.0, 10.0])).round(6).tolist()
    [0.25, 0.255843]
    """
    p, q = _shares(f, weight_sum)
    out = 1 / f.astype(np.float64)
    sampled = q > 0
    by_series = np.flatnonzero(sampled & ((p >= 0.5) | (f >= _LARGE)))
    if len(by_series):
        out[by_series] = _series(f[by_series], p[by_series], q[by_series])
    left = np.flatnonzero(sampled & (p < 0.5) & (f < _LARGE))
    ratio = p[left] / q[left]
    risk = ratio * -np.log(p[left])
    size, step = f[left], 1
    while len(left):
        done = size == step
        out[left[done]] = risk[done]
        left, size, ratio, risk = (part[~done] for part in (left, size, ratio, risk))
        risk = ratio * (1 / step - risk)
        step += 1
    return out


def approximate_risk(f: Ints, weight_sum: Floats) -> Floats:
    """Return the same by ``p / (f - q)`` where f is at least 3, exactly where it is less.

    >>> approximate_risk(np.array([3]), np.array([10.0])).round(6).tolist()
    [0.130435]
    """
    p, q = _shares(f, weight_sum)
    out = p / np.maximum(f - q, p)
    small = np.flatnonzero(f < 3)
    out[small] = exact_risk(f[small], weight_sum[small])
    return out


def _shares(f: Ints, weight_sum: Floats) -> tuple[Floats, Floats]:
    persons = np.maximum(weight_sum, f)
    return f / persons, (persons - f) / persons


def _series(f: Ints, p: Floats, q: Floats) -> Floats:
    """Add up ``(p / f) sum of q^k / C(f + k, k)``; each term is less than half the one before, or soon is."""
    term = np.ones(len(f))
    total = np.ones(len(f))
    step = 0
    while term.max(initial=0.0) > 1e-17:
        step += 1
        term = term * q * (step / (f + step))
        total += term
    return np.asarray(p / f * total)


def _sums(held: Histogram, name: str) -> Floats:
    """Return the sum of the weights in each group."""
    if None in held.values:
        raise BadRequest("a weight is missing", column=name)
    values = np.array(held.values, np.float64)
    if not ((values > 0) & (values < np.inf)).all():
        raise BadRequest("weights must be positive, finite numbers", column=name)
    if len(held.start) == 1:
        return np.empty(0)
    return np.asarray(np.add.reduceat(values[held.code] * held.count, held.start[:-1]))


def _households(cells: Histogram, risk: Floats) -> tuple[Floats, Floats]:
    """Return the risk of each household, and of the records of each group and household."""
    own = risk[cells.group()]
    with np.errstate(divide="ignore"):
        missed = cells.count * np.log1p(-own)
    together = -np.expm1(np.bincount(cells.code, weights=missed, minlength=len(cells.values)))
    known = np.array([name is not None for name in cells.values], bool)
    return together, np.where(known[cells.code], together[cells.code], own)


def _refuse_lacking(table: Table, parameter: str, name: str) -> None:
    if name not in table.types:
        raise BadRequest(
            "is not a column of the published table", parameter=parameter, value=name, available=table.columns
        )


class _Keys(Sequence[Hashable]):
    """The published values of groups as labels, looked up when somebody asks."""

    def __init__(self, groups: GroupStats) -> None:
        self.groups = groups

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, index: int) -> Hashable:  # type: ignore[override]
        return self.groups.key(index)


def _reading(details: Mapping[str, float], highest: float, shown: float) -> str:
    start = say(
        "reading.individual",
        records=details["records"],
        persons=details["persons_stood_for"],
        expected=details["expected_reidentifications"],
        highest=highest,
    )
    if "households" not in details:
        return say("reading.ended", start=start)
    return say("reading.individual_household", start=start, chance=shown)
