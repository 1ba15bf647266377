"""Maximum entropy: the distribution that says no more than the publications do, by iterative proportional fitting."""

from __future__ import annotations

import numpy as np

from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Floats, Ints
from sfumato.views.marginal_set import MOST_CLASSES, MarginalSet

__all__ = ["divergence", "fitted", "published_cells"]

MOST_ROUNDS = 2_000
CLOSE = 1e-12


def fitted(publications: MarginalSet, run: Run | None = None) -> Floats:
    """Return the maximum-entropy distribution over classes x sensitive values, that agrees with every published cell.

    Starting from the uniform one, each publication in turn scales what lies in a cell to its share, until nothing moves
    (Kifer, Gehrke 2006, section 3.2; Deming, Stephan 1940). Every class that is possible takes part, of real records or not.
    """
    publications = publications.stranger()
    classes, width = publications.classes, len(publications.atoms[publications.sensitive])
    if len(classes) * width > MOST_CLASSES:
        raise Unsupported("too many classes for the maximum-entropy distribution", thing="marginal-privacy-check")
    total = publications.records
    cells = published_cells(publications)
    allowed = np.all([one >= 0 for one in cells], axis=0)
    found = allowed / max(int(allowed.sum()), 1)
    going = run or Run()
    for _ in range(MOST_ROUNDS):
        going.checkpoint()
        moved = 0.0
        for cell, one in zip(cells, publications.publications, strict=True):
            inside = cell >= 0
            sums = np.bincount(cell[inside], weights=found[inside], minlength=len(one.counts))
            wanted = one.counts / total
            if (wanted[sums == 0] > 0).any():
                raise BadRequest("contradict each other: no records have all of them", parameter="marginals")
            factor = np.divide(wanted, sums, out=np.zeros_like(wanted), where=sums > 0)
            moved = max(moved, float(np.abs(wanted - sums).max(initial=0.0)))
            found[inside] *= factor[cell[inside]]
        if moved < CLOSE:
            break
    out: Floats = found.astype(np.float64)
    return out


def published_cells(publications: MarginalSet) -> list[Ints]:
    """Return for each publication the cell in which each class and value lies, classes x values; -1 where it has none."""
    return [_cells(publications, at) for at in range(len(publications.publications))]


def _cells(publications: MarginalSet, at: int) -> Ints:
    """Return the cell of a publication in which each class and value lies, -1 where it has none."""
    one, columns = publications.publications[at], (*publications.columns, publications.sensitive)
    classes, width = publications.classes, len(publications.atoms[publications.sensitive])
    every = np.column_stack([np.repeat(classes, width, axis=0), np.tile(np.arange(width), len(classes))])
    return one.cell_of(every, columns).reshape(len(classes), width)


def divergence(publications: MarginalSet, counts: Ints, run: Run | None = None) -> float:
    """Return ``KL(p || q) = sum p log(p / q)`` in nats between records and what the publications say of them; lower is better.

    ``counts`` are the records in each class and with each sensitive value, classes x values.
    """
    q, p = fitted(publications, run), counts / counts.sum()
    inside = p > 0
    if (q[inside] <= 0).any():
        raise BadRequest("are not of these records", parameter="marginals")
    return float(np.sum(p[inside] * np.log(p[inside] / q[inside])))
