"""An invented hospital in three tables: patients, their stays, and the diagnoses of each stay; the same for the same seed."""

from __future__ import annotations

import numpy as np

from sfumato.data.schema import Role
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.hospital import hospital
from sfumato.errors import BadRequest

__all__ = ["hospital_tables"]

_WARDS = ("Surgery", "Internal medicine", "Paediatrics", "Cardiology", "Orthopaedics", "Psychiatry", "Neurology")
_COMMON = (
    "Influenza",
    "Asthma",
    "Fracture",
    "Diabetes type 2",
    "Migraine",
    "Hypertension",
    "Depression",
    "Appendicitis",
)


def hospital_tables(n: int = 1000, seed: int = 7) -> tuple[Dataset, ...]:
    """Return ``patients`` (a row for each of n), ``stays`` (some two each) and ``diagnoses`` (some one and a half a stay).

    ``patients`` has the key ``id``, the name, and the quasi-identifiers ``born`` (a year), ``sex`` and ``zip``; ``stays`` its
    own ``id``, ``patient``, and the quasi-identifiers ``ward`` and ``year``; ``diagnoses`` refers to a stay and is sensitive.

    Examples
    --------
    >>> patients, stays, diagnoses = hospital_tables(100, seed=1)
    >>> len(patients), stays.columns, set(diagnoses.values("stay")) <= set(stays.values("id"))
    (100, ('id', 'patient', 'ward', 'year'), True)
    """
    if n < 1:
        raise BadRequest("must be at least 1", parameter="n", value=n)
    rng = np.random.default_rng(seed)
    people = hospital(n, seed=seed)
    born = [str(value)[:4] for value in people.values("birth_date")]
    ids = (rng.permutation(n) + 10_000).tolist()
    patients = Dataset(
        "patients",
        {
            "id": ids,
            "name": people.values("name"),
            "born": [int(year) for year in born],
            "sex": people.values("sex"),
            "zip": people.values("zip"),
        },
        roles={
            "name": Role.IDENTIFIER,
            "born": Role.QUASI_IDENTIFIER,
            "sex": Role.QUASI_IDENTIFIER,
            "zip": Role.QUASI_IDENTIFIER,
        },
        source=f"invented, hospital_tables(n={n}, seed={seed})",
    )
    many = np.minimum(rng.geometric(0.5, n) - 1 + (rng.random(n) < 0.8), 8)
    owner = np.repeat(np.arange(n), many)
    stay_ids = (rng.permutation(len(owner)) + 1).tolist()
    weights = np.array([3.0, 4.0, 1.0, 2.0, 2.0, 1.0, 1.0])
    wards = rng.choice(len(_WARDS), len(owner), p=weights / weights.sum())
    years = rng.integers(2018, 2026, len(owner))
    stays = Dataset(
        "stays",
        {
            "id": stay_ids,
            "patient": [ids[at] for at in owner.tolist()],
            "ward": [_WARDS[at] for at in wards.tolist()],
            "year": years.tolist(),
        },
        roles={"ward": Role.QUASI_IDENTIFIER, "year": Role.QUASI_IDENTIFIER},
        source=patients.source,
    )
    found = rng.integers(1, 3, len(owner))
    stay = np.repeat(np.arange(len(owner)), found)
    illness = rng.choice(len(_COMMON), len(stay))
    diagnoses = Dataset(
        "diagnoses",
        {"stay": [stay_ids[at] for at in stay.tolist()], "diagnosis": [_COMMON[at] for at in illness.tolist()]},
        roles={"diagnosis": Role.SENSITIVE},
        source=patients.source,
    )
    return patients, stays, diagnoses
