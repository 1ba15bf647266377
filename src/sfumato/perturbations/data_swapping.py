"""Data swapping: records that agree on some columns exchange their values in others."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed
from sfumato.contracts.thing import columns as named
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints
from sfumato.perturbations._reading import refuse_repeats, refuse_unknown, values

__all__ = ["DataSwapping"]


class DataSwapping(Perturbation):
    """Records that agree on some columns exchange their values in others.

    Within each set of records with equal values in ``keys``, a ``share`` of the records is drawn and paired at random, and
    the two records of a pair exchange what they hold in ``columns``. So every count over the keys and the swapped columns
    together is exactly what it was, and only the link to all other columns is loosened. Columns that are named together
    travel together. Without keys, any two records may exchange values and the distribution of the swapped columns alone
    stays. A missing value is exchanged like any other. A record that is alone on its keys has nobody to exchange with.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["sex", "disease"], [("f", "flu"), ("f", "hiv"), ("m", "flu")])
    >>> DataSwapping(columns=("disease",), keys=("sex",)).apply(table, np.random.default_rng(7)).values("disease")
    ['hiv', 'flu', 'flu']

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.3.2.
    Dalenius, Reiss, "Data-swapping: a technique for disclosure control", 1982, doi:10.1016/0378-3758(82)90058-1.
    """

    id: ClassVar[str] = "data-swapping"
    traits: ClassVar[PerturbationTraits] = PerturbationTraits(records="kept", randomness="generator")

    columns: tuple[str, ...] = named("sensitive", doc="columns whose values are exchanged, together")
    keys: tuple[str, ...] = named("quasi-identifier", default=(), doc="columns on which partners must agree")
    share: float = param(default=1.0, ge=0, le=1, doc="share of the records of each set that take part")

    def validate(self) -> None:
        """Refuse a column that is both exchanged and agreed on."""
        refuse_repeats(self.columns, f"{self.id}.columns")
        both = sorted(set(self.columns) & set(self.keys))
        if both:
            raise BadRequest("is exchanged already", parameter=f"{self.id}.keys", value=both[0])

    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the columns after the exchange."""
        refuse_unknown(table, self.columns, f"{self.id}.columns")
        refuse_unknown(table, self.keys, f"{self.id}.keys")
        source = partners(_sets(table, self.keys), float(self.share), rng)
        old = {name: values(table, name) for name in self.columns}
        new = {name: [held[at] for at in source.tolist()] for name, held in old.items()}
        changed = sum(any(new[name][at] != old[name][at] for name in old) for at in range(table.rows))
        about = " and ".join(", ".join(names) for names in (self.keys, self.columns) if names)
        return Perturbed(
            self,
            new,
            table.rows,
            (say("keeps.counts", about=about),),
            private={"records_exchanged": int((source != np.arange(table.rows)).sum()), "records_changed": changed},
        )


def partners(sets: Ints, share: float, rng: np.random.Generator) -> Ints:
    """Return for each record the one whose values it takes: its partner in the same set, or itself."""
    order = rng.permutation(len(sets))
    order = order[np.argsort(sets[order], kind="stable")]
    sizes = np.bincount(sets)
    place = np.arange(len(sets)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    pairs = (np.round(share * sizes, 9) // 2).astype(np.int64)
    first = np.flatnonzero((place % 2 == 0) & (place < 2 * np.repeat(pairs, sizes)))
    source = np.arange(len(sets))
    source[order[first]], source[order[first + 1]] = order[first + 1], order[first]
    return source


def _sets(table: Table, keys: tuple[str, ...]) -> Ints:
    numbers: dict[tuple[Hashable, ...], int] = {}
    if not keys:
        return np.zeros(table.rows, np.int64)
    records = zip(*(values(table, name) for name in keys), strict=True)
    return np.array([numbers.setdefault(record, len(numbers)) for record in records], np.int64)
