"""An invented register of patients, month by month: some join, some leave, some change; the same rows for the same seed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.data.schema import Role
from sfumato.datasets.dataset import Column, Dataset
from sfumato.datasets.hospital import hospital
from sfumato.errors import BadRequest

__all__ = ["PERMANENT", "hospital_months"]

PERMANENT = ("HIV", "Hepatitis C", "Diabetes type 1", "Schizophrenia")
"""Diagnoses that nobody in the register loses."""

_KEPT = ("patient_id", "name", "sex", "zip", "occupation", "diagnosis")
_YEAR = 2025

_Values = npt.NDArray[np.generic]


def hospital_months(
    n: int = 1000,
    seed: int = 7,
    *,
    months: int = 12,
    joins: float = 0.1,
    leaves: float = 0.1,
    changes: float = 0.02,
) -> tuple[Dataset, ...]:
    """Return the register of an invented hospital at the end of some months, each as a table of who is in it.

    Identifiers are ``patient_id``, which stays the same, and ``name``; ``born`` (a year), ``sex``, ``zip`` and ``occupation``
    are quasi-identifiers; ``diagnosis`` is sensitive. Nobody comes back. Without changes the months are a *dynamic* series,
    without those who leave a *continuous* one, as they are a *serial* one. Diagnoses in ``PERMANENT`` are never lost.

    Parameters
    ----------
    n
        Number of patients in the first month, at least 1.
    seed
        The same seed gives the same rows.
    months
        Number of tables, at least 1; the first is that of January 2025.
    joins, leaves, changes
        Share of n that joins each month; share of those present that leaves; share of those who stay that moves to
        another ZIP code or gets another diagnosis.

    Examples
    --------
    >>> january, february = hospital_months(100, seed=1, months=2)
    >>> len(january), len(february), january.name
    (100, 100, '2025-01')
    >>> stayed = set(january.values("patient_id")) & set(february.values("patient_id"))
    >>> len(stayed)
    90
    """
    for name, count in (("n", n), ("months", months)):
        if count < 1:
            raise BadRequest("must be at least 1", parameter=name, value=count)
    for name, share in (("joins", joins), ("leaves", leaves), ("changes", changes)):
        if not 0 <= share < 1:
            raise BadRequest("must be at least 0 and below 1", parameter=name, value=share)
    rng = np.random.default_rng([seed, 1])
    arriving = round(n * joins)
    everybody = hospital(n + arriving * (months - 1), seed=seed)
    held: dict[str, _Values] = {name: np.asarray(everybody.data[name]) for name in _KEPT}
    held["born"] = np.asarray(everybody.data["birth_date"]).astype("datetime64[Y]").astype(np.int64) + 1970
    order = ["patient_id", "name", "born", "sex", "zip", "occupation", "diagnosis"]
    present = np.arange(n)
    made = []
    for month in range(months):
        if month:
            present = np.sort(rng.permutation(present)[round(len(present) * leaves) :])
            _change(rng, held, rng.permutation(present)[: round(len(present) * changes)])
            first = n + arriving * (month - 1)
            present = np.concatenate([present, np.arange(first, first + arriving)])
        data: dict[str, Column] = {name: held[name][present] for name in order}
        made.append(
            Dataset(
                name=f"{_YEAR + month // 12}-{month % 12 + 1:02d}",
                data=data,
                roles={name: Role.QUASI_IDENTIFIER if name == "born" else everybody.roles[name] for name in order},
                taxonomies={name: everybody.taxonomies[name] for name in ("sex", "occupation", "diagnosis")},
                source=f"invented, hospital_months(n={n}, seed={seed}), month {month + 1}",
            )
        )
    return tuple(made)


def _change(rng: np.random.Generator, held: dict[str, _Values], chosen: npt.NDArray[np.int64]) -> None:
    """Let some patients move, and others get the diagnosis of somebody of their sex; tables already made keep theirs."""
    moving, ill = np.array_split(chosen, 2)
    for name, people in (("zip", moving), ("diagnosis", ill)):
        held[name] = held[name].copy()
        for person in people.tolist():
            alike = np.flatnonzero((held["sex"] == held["sex"][person]) & (held[name] != held[name][person]))
            if len(alike) and held[name][person] not in PERMANENT:
                held[name][person] = held[name][alike[int(rng.integers(len(alike)))]]
