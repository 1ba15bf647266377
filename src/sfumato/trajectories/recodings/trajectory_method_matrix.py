"""The matrix of methods for paths: what each protects against, keeps true and asks for, from their own claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import ClassVar

from sfumato.catalogue import find
from sfumato.contracts.algorithm import Search
from sfumato.contracts.model import Model
from sfumato.contracts.thing import Thing
from sfumato.data.frozen import frozen
from sfumato.trajectories.traits import TrajectoryTraits

__all__ = ["MethodRow", "TrajectoryMethodMatrix"]

_METHODS = {
    "trajectory-anonymizer": "lkc-privacy",
    "never-walk-alone": "k-delta-anonymity",
    "mob-extreme-union": "mob-k-anonymity",
    "mob-symmetric": "mob-k-anonymity",
    "local-pair-suppression": "lkc-privacy",
    "trajectory-generalization": "lkc-privacy",
    "class-by-class": "lkc-privacy",
    "path-suppression": "path-k-anonymity",
    "flow-count-release": "minimum-count",
}
_PREDICTABLE = {"never-walk-alone": False}  # restarts with a larger radius, until few enough are left over


@frozen
class MethodRow:
    """What one method protects against, keeps and asks for, as its model and its algorithm claim it."""

    algorithm: str
    model: str
    record_linkage: bool
    attribute_linkage: bool
    truthful: bool
    continuous_tracking: bool
    coordinates: bool
    adversary: str
    predictable_time: bool

    def cells(self) -> list[str]:
        """Return the row in words."""
        told = (getattr(self, one.name) for one in fields(self))
        return [one if isinstance(one, str) else "yes" if one else "no" for one in told]


class TrajectoryMethodMatrix(Thing):
    """Compare the methods for paths: suppression for LKC-privacy, never walk alone, hiding for MOB k-anonymity, and others.

    Every entry is a tested claim of the model or the algorithm. (k, delta)-anonymity holds against record linkage only by who
    knows positions no more precisely than delta.

    Examples
    --------
    >>> [(row.algorithm, row.attribute_linkage, row.truthful) for row in TrajectoryMethodMatrix().rows()][:2]
    [('trajectory-anonymizer', True, True), ('never-walk-alone', False, False)]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 14.2.3, 14.3.3, 14.4.2 and 14.6.
    """

    id: ClassVar[str] = "trajectory-method-matrix"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True
    aliases: ClassVar[tuple[str, ...]] = ("method-matrix",)

    @classmethod
    def comparison(cls) -> Sequence[Sequence[str]]:
        """Return the properties, and a row for each method."""
        return [[one.name.replace("_", " ") for one in fields(MethodRow)], *(row.cells() for row in cls().rows())]

    def rows(self) -> tuple[MethodRow, ...]:
        """Return a row for each method."""
        out = []
        for algorithm, asked in _METHODS.items():
            search, model = find(algorithm, "algorithm", "trajectories"), find(asked, "model", "trajectories")
            assert issubclass(search, Search)
            assert issubclass(model, Model)
            claims = model.traits
            assert isinstance(claims, TrajectoryTraits)
            out.append(
                MethodRow(
                    algorithm,
                    asked,
                    "record" in claims.prevents,
                    "attribute" in claims.prevents,
                    search.traits.truthful,
                    claims.continuous,
                    claims.coordinates,
                    claims.knows,
                    _PREDICTABLE.get(algorithm, True),
                )
            )
        return tuple(out)
