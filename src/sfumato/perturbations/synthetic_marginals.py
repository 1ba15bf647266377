"""Synthetic data from noisy marginals: every column is drawn from its own histogram with differentially private noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed, Values
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.data.text import from_text, to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.perturbations._reading import REFUSE, exact_matches, matrix, present, refuse_unknown, values
from sfumato.perturbations.opendp_noise import OpenDPLaplace

__all__ = ["SyntheticMarginals"]

_RANGE = frozenset({"low", "high", "bins"})


class SyntheticMarginals(Perturbation):
    """Every column is drawn from its own histogram with differentially private noise.

    For ``d`` columns, each count of each histogram gets Laplace noise of scale ``d / epsilon``. One record more or less
    changes one count of each histogram by 1, so the whole table is epsilon-differentially private (neighbours by adding or
    removing a record), whatever is drawn from the noisy counts. Negative counts become 0; columns are drawn independently,
    so no relation between them is kept. The number of records is the noisy total unless you declare it.

    The guarantee needs domains that you know without looking at the data: a list of categories, or ``low``, ``high`` and
    ``bins`` of a numeric column, where ``high`` belongs to the last interval; a number is drawn evenly from its interval.
    A refusal because of a value outside of the domain tells something of the data, so keep it inside.

    The noise comes from OpenDP (extra ``dp``) and cannot be seeded: a seed repeats the drawing of records only. It is not
    drawn from a NumPy generator because its guarantee would then be void.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["sex", "age"], [("f", 30), ("m", 61), ("m", 34)])
    >>> marginals = SyntheticMarginals(epsilon=0.5, domains={"sex": ["f", "m"], "age": {"low": 0, "high": 100, "bins": 10}})
    >>> marginals.scale
    4.0

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 3.3.3 and 5.4.1.
    Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data analysis", 2006,
    doi:10.1007/11681878_14.
    """

    id: ClassVar[str] = "synthetic-marginals"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="drawn", randomness="not seedable", formal=True)

    epsilon: float = param(gt=0, doc="privacy loss of the whole table")
    domains: Mapping[str, Any] = param(doc="columns to draw, each with its categories or with low, high and bins")
    records: int | None = param(default=None, ge=1, doc="how many records to draw; the noisy total if not set")
    outside: str = param(
        default="refuse", choices=("refuse", "leave-out"), doc="what happens to values outside of their domain"
    )

    def validate(self) -> None:
        """Refuse an infinite epsilon and domains that are none."""
        if not math.isfinite(self.epsilon):
            raise BadRequest("must be finite", parameter=f"{self.id}.epsilon", value=self.epsilon)
        where = f"{self.id}.domains"
        if not isinstance(self.domains, Mapping) or not self.domains:
            raise BadRequest("must give the domain of at least one column", parameter=where)
        object.__setattr__(self, "domains", {name: _domain(name, given, where) for name, given in self.domains.items()})

    @property
    def scale(self) -> float:
        """Scale of the Laplace noise of each count."""
        return len(self.domains) / self.epsilon

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the drawn records; needs OpenDP."""
        names = tuple(self.domains)
        refuse_unknown(table, names, f"{self.id}.domains")
        present(table, names, REFUSE, f"{self.id}.domains")
        # The shares of epsilon are rounded down, so that together they never exceed it.
        laplace = OpenDPLaplace(math.nextafter(self.epsilon / len(names), 0.0))
        noisy = {name: laplace.add(self._counts(table, name).tolist()) for name in names}
        total = self.records or max(1, round(sum(map(sum, noisy.values())) / len(names)))
        columns = {name: self._drawn(table, name, noisy[name], total, rng) for name in names}
        plain = [
            list(column) if isinstance(column, list) else np.asarray(column).tolist() for column in columns.values()
        ]
        return Perturbed(
            self,
            columns,
            total,
            (say("keeps.shares"),),
            facts={
                "guarantee": {
                    "model": "differential-privacy",
                    "epsilon": self.epsilon,
                    "adjacency": "add-remove",
                    "noise": laplace.source,
                    "scale": laplace.scale,
                    "seedable": False,
                },
                "noisy_counts": noisy,
            },
            private={"share_of_records_that_equal_an_original": exact_matches(table, names, plain)},
        )

    def _counts(self, table: Table, name: str) -> Ints:
        domain = self.domains[name]
        if isinstance(domain, Mapping):
            edges = self._edges(table, name)
            numbers = matrix(table, [name], f"{self.id}.domains")[:, 0]
            inside = (numbers >= edges[0]) & (numbers <= edges[-1])
            cells = np.clip(np.searchsorted(edges, numbers[inside], side="right") - 1, 0, len(edges) - 2)
            counts = np.bincount(cells, minlength=len(edges) - 1)
        else:
            place = {to_text(category): code for code, category in enumerate(domain)}
            codes = np.array([place.get(to_text(value), -1) for value in values(table, name)], np.int64)
            inside = codes >= 0
            counts = np.bincount(codes[inside], minlength=len(domain))
        if self.outside == "refuse" and not inside.all():
            raise BadRequest("holds values outside of the declared domain", column=name, parameter=f"{self.id}.domains")
        return counts.astype(np.int64)

    def _edges(self, table: Table, name: str) -> Floats:
        domain = self.domains[name]
        if table.types[name] is not ColumnType.INTEGER:
            return np.linspace(domain["low"], domain["high"], domain["bins"] + 1)
        low, high = math.ceil(domain["low"]), math.floor(domain["high"])
        if not low < high:
            raise BadRequest("the range holds fewer than two whole numbers", column=name, parameter=self.id)
        return np.unique(np.round(np.linspace(low, high, domain["bins"] + 1)))

    def _drawn(self, table: Table, name: str, noisy: list[int], total: int, rng: np.random.Generator) -> Values:
        weights = np.clip(np.array(noisy, np.float64), 0.0, None)
        # With nothing but noise below zero, all that is known is the domain.
        shares = weights / weights.sum() if weights.sum() > 0 else np.full(len(noisy), 1 / len(noisy))
        codes = rng.choice(len(noisy), total, p=shares)
        domain = self.domains[name]
        if not isinstance(domain, Mapping):
            kind = table.types[name]
            try:
                typed = [from_text(to_text(category), kind) for category in domain]
            except ValueError:
                raise BadRequest(f"holds a category that is no {kind}", column=name, parameter=self.id) from None
            return [typed[code] for code in codes.tolist()]
        edges = self._edges(table, name)
        low, high = edges[codes], edges[codes + 1]
        if table.types[name] is ColumnType.INTEGER:
            last = high - np.where(codes + 1 == len(edges) - 1, 0, 1)
            return rng.integers(low.astype(np.int64), last.astype(np.int64), endpoint=True)
        return rng.uniform(low, high)


def _domain(name: str, given: object, where: str) -> dict[str, float] | list[object]:
    if isinstance(given, Mapping):
        if set(given) != _RANGE:
            raise BadRequest("a range needs low, high and bins", column=name, parameter=where, value=sorted(given))
        low, high, bins = given["low"], given["high"], given["bins"]
        numbers = all(isinstance(edge, (int, float)) and math.isfinite(edge) for edge in (low, high))
        if not numbers or not low < high or not isinstance(bins, int) or isinstance(bins, bool) or bins < 1:
            raise BadRequest("needs low < high and at least one bin", column=name, parameter=where)
        return {"low": low, "high": high, "bins": bins}
    if not isinstance(given, (list, tuple)) or not given or len({to_text(v) for v in given}) != len(given):
        raise BadRequest("must be a list of different categories, or a range", column=name, parameter=where)
    return list(given)
