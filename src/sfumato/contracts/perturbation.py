"""Perturbations: values are changed at random, exchanged, averaged or drawn anew, and what stays true are statistics.

A perturbed record is true of nobody. So every result says that it is not truthful, what it keeps, and whether a seed
repeats it. A perturbation gives new columns; the verb puts them into a table, so that rows stay in their engine.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.contracts.engine import Table
from sfumato.contracts.thing import Thing
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Array

__all__ = ["Estimator", "Observed", "Perturbation", "PerturbationTraits", "Perturbed", "Values"]

Values = Sequence[Hashable] | Array
Observed = Mapping[Any, float] | npt.ArrayLike

RANDOMNESS = {
    "generator": "drawn from the generator that was passed; who knows its seed can undo the change",
    "none": "nothing is drawn",
    "not seedable": "the noise comes from the operating system and no seed repeats it; the rest from the generator",
}


@frozen
class PerturbationTraits:
    """What a perturbation does to records.

    ``records`` is ``kept`` if every published record stems from one original, in its place, or ``drawn`` if it stems from
    none. ``randomness`` is ``generator``, ``none`` or ``not seedable``. ``formal`` tells whether a privacy model holds for
    the procedure by proof. No perturbation is truthful at record level.
    """

    records: str
    randomness: str
    formal: bool = False
    truthful: bool = False


@frozen(eq=False)
class Perturbed:
    """What a perturbation made of a table.

    ``columns`` holds the new values of the columns that changed, or of the whole table where records are drawn. ``facts``
    may be published with the data. ``private`` compares the data with the original and must stay. Columns in ``dropped`` are
    not published; columns that were not there before take their place.
    """

    truthful: ClassVar[bool] = False

    perturbation: Perturbation
    columns: Mapping[str, Values]
    rows: int
    keeps: tuple[str, ...]
    facts: Mapping[str, object] = field(default_factory=dict)
    private: Mapping[str, object] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()

    @property
    def replaces(self) -> bool:
        """Whether the columns are the whole published table."""
        return self.perturbation.traits.records == "drawn"

    def values(self, column: str) -> list[Hashable]:
        """Return the new values of a column as Python values."""
        if column not in self.columns:
            raise BadRequest("was not changed", column=column, value=column, available=self.columns)
        return [value.item() if isinstance(value, np.generic) else value for value in self.columns[column]]

    def statement(self) -> dict[str, object]:
        """Return what may be told about the data, in a form that JSON takes; holds no seed and no original value."""
        traits = self.perturbation.traits
        return {
            "perturbation": self.perturbation.spec(),
            "truthful": self.truthful,
            "records": traits.records,
            "keeps": list(self.keeps),
            "randomness": RANDOMNESS[traits.randomness],
            "facts": dict(self.facts),
        }


class Perturbation(Thing):
    """Changes columns of a table, or draws a table anew."""

    kind: ClassVar[str] = "perturbation"
    traits: ClassVar[PerturbationTraits]

    def apply(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Return the perturbed columns; all that is random comes from the generator, unless the traits say otherwise."""
        if not isinstance(rng, np.random.Generator):
            raise BadRequest("must be a numpy Generator", parameter="rng", value=type(rng).__name__)
        if table.rows == 0:
            raise BadRequest("the table has no records", parameter=self.id)
        return self.draw(table, rng)

    @abstractmethod
    def draw(self, table: Table, rng: np.random.Generator) -> Perturbed:
        """Do the work of :meth:`apply` on a table that has records."""


class Estimator(Thing):
    """Estimates the distribution of the original values from perturbed ones; changes no table."""

    kind: ClassVar[str] = "perturbation"

    @abstractmethod
    def reconstruct(self, observed: Observed) -> object:
        """Return the estimate from perturbed values, or from a mapping of value and count."""
