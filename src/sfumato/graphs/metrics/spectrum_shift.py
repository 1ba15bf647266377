"""Spectrum shift: how far the two eigenvalues that people look at have moved."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.graphs.metric import Changed, GraphMetric
from sfumato.graphs.spectrum import spectrum

__all__ = ["SpectrumShift"]


class SpectrumShift(GraphMetric):
    """The relative change of the largest eigenvalue of the links, and of the second smallest of the Laplacian; their mean.

    ``|x' - x| / max(x, x')`` for ``lambda1``, which bounds how fast something spreads, and ``mu2``, which is 0 where the graph
    falls apart. Graphs of more than some hundred nodes need the extra ``graphs`` (SciPy).

    Examples
    --------
    >>> from sfumato.graphs import Graph
    >>> path = Graph.of([("a", "b"), ("b", "c")])
    >>> found = SpectrumShift().measure(Changed(path, path.edit(add=[("a", "c")]))).by_attribute
    >>> {name: round(value, 3) for name, value in found.items()}
    {'lambda1': 0.293, 'mu2': 0.667}

    References
    ----------
    Ying, Wu, "Randomizing social networks: a spectrum preserving approach", 2008, doi:10.1137/1.9781611972788.67.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.4.
    """

    id: ClassVar[str] = "spectrum-shift"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def measure(self, published: Changed) -> Measured:
        one, other = spectrum(published.before), spectrum(published.after)
        found = {"lambda1": _moved(one.lambda1, other.lambda1), "mu2": _moved(one.mu2, other.mu2)}
        return Measured(self.id, sum(found.values()) / 2, by_attribute=found, lowest=0.0, highest=1.0)


def _moved(one: float, other: float) -> float:
    largest = max(abs(one), abs(other))
    return abs(other - one) / largest if largest > 1e-9 else 0.0
