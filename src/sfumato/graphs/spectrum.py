"""The two ends of a spectrum that people look at: the largest eigenvalue of the links, the second smallest of the Laplacian."""

from __future__ import annotations

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import Unsupported
from sfumato.graphs.graph import Graph
from sfumato.graphs.measure_kernels import parts
from sfumato.kernels.arrays import Floats

__all__ = ["Spectrum", "spectrum"]

_DENSE = 400


@frozen(eq=False)
class Spectrum:
    """``lambda1`` of the adjacency matrix and ``mu2`` of the Laplacian, each with its unit vector."""

    lambda1: float
    mu2: float
    first: Floats
    second: Floats


def spectrum(graph: Graph) -> Spectrum:
    """Return both eigenvalues with their vectors; graphs beyond some hundred nodes need the extra ``graphs`` (SciPy)."""
    nodes = len(graph)
    if nodes <= _DENSE:
        dense = np.zeros((nodes, nodes))
        dense[graph.owners, graph.targets] = 1.0
        values, vectors = np.linalg.eigh(dense)
        low, under = np.linalg.eigh(np.diag(graph.degrees.astype(np.float64)) - dense)
        at = min(1, nodes - 1)
        return Spectrum(float(values[-1]), float(low[at]), vectors[:, -1], under[:, at])
    try:
        from scipy.sparse import csr_matrix, diags
        from scipy.sparse.linalg import eigsh
    except ImportError:
        raise Unsupported("the spectrum of large graphs needs SciPy: install sfumato[graphs]", thing="scipy") from None
    matrix = csr_matrix((np.ones(len(graph.targets)), graph.targets, graph.starts), shape=(nodes, nodes))
    begin = np.ones(nodes)  # the same for every run
    values, vectors = eigsh(matrix, k=1, which="LA", v0=begin)
    held = parts(graph.starts, graph.targets)
    apart = np.where(held == held[0], 1.0, 0.0)
    if not apart.all():  # a graph that falls apart: 0 twice, which no iteration would find in time
        apart -= apart.mean()
        return Spectrum(float(values[0]), 0.0, vectors[:, 0], apart / np.linalg.norm(apart))
    # The Laplacian turned upside down: its largest eigenvalues are quick to find.
    top = 2.0 * float(graph.degrees.max(initial=1))
    turned = diags(np.full(nodes, top)) - (diags(graph.degrees.astype(np.float64)) - matrix)
    high, under = eigsh(turned, k=2, which="LA", v0=begin + np.arange(nodes) / nodes, tol=1e-6, maxiter=20_000)
    place = int(np.argmin(high))
    return Spectrum(float(values[0]), float(top - high[place]), vectors[:, 0], under[:, place])
