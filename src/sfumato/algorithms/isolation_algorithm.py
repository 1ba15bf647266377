"""What the sanitizers of points share: the requirement they are judged by, and the adversary of its audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.contracts.algorithm import Algorithm, AlgorithmTraits
from sfumato.contracts.thing import columns, param
from sfumato.models.c_t_isolation import CTIsolation

__all__ = ["IsolationAlgorithm", "moving_traits"]


def moving_traits(cost: str) -> AlgorithmTraits:
    """Return the traits of a sanitizer that moves points at random."""
    return AlgorithmTraits(
        recoding="none",
        release="perturbed-table",
        optimal=False,
        deterministic=False,
        truthful=False,
        anytime=False,
        model_needs=(),
        numeric_without_hierarchy=True,
        suppresses_records=False,
        cost=cost,
    )


@dataclass(frozen=True, kw_only=True)
class IsolationAlgorithm(Algorithm):
    """A sanitizer whose release is measured against (c,t)-isolation before it is published."""

    procedures: ClassVar[tuple[str, ...]] = (CTIsolation.id,)

    known: tuple[str, ...] | None = columns(
        "quasi-identifier", default=None, doc="what the adversary of the audit knows; each column alone if not given"
    )
    rise: float = param(
        default=0.0, ge=0, le=1, doc="largest share of records by which the release may raise the isolated ones"
    )
