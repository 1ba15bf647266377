"""The matrix of methods for paths: what each protects against, keeps true and asks for, from their own claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.catalogue import find
from sfumato.contracts.algorithm import Search
from sfumato.contracts.model import Model
from sfumato.contracts.thing import Thing
from sfumato.trajectories.traits import TrajectoryTraits

__all__ = ["MethodRow", "TrajectoryMethodMatrix"]

_METHODS = {
    "trajectory-anonymizer": "lkc-privacy",
    "never-walk-alone": "k-delta-anonymity",
    "mob-extreme-union": "mob-k-anonymity",
    "mob-symmetric": "mob-k-anonymity",
}
_PREDICTABLE = {"never-walk-alone": False}  # restarts with a larger radius, until few enough are left over


@dataclass(frozen=True)
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


class TrajectoryMethodMatrix(Thing):
    """Compare the methods for paths: suppression for LKC-privacy, never walk alone, hiding for MOB k-anonymity.

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
