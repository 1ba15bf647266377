"""An invented hospital: admissions of any number, the same rows for the same seed.

Nobody in it exists. The dependencies are rough but of the right sign: diagnosis follows age and sex, occupation follows
age, the department follows the diagnosis, and readmission follows age, diagnosis and body mass, so that a classifier has
something to learn and an anonymization something to spoil. ZIP codes and diagnoses are skewed: a few are common, many rare.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.datasets.dataset import Column, Dataset
from sfumato.errors import BadRequest

__all__ = ["hospital"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Texts = npt.NDArray[np.object_]

_ROLES = {
    "patient_id": Role.IDENTIFIER,
    "name": Role.IDENTIFIER,
    "birth_date": Role.QUASI_IDENTIFIER,
    "sex": Role.QUASI_IDENTIFIER,
    "zip": Role.QUASI_IDENTIFIER,
    "admission_date": Role.QUASI_IDENTIFIER,
    "department": Role.QUASI_IDENTIFIER,
    "occupation": Role.QUASI_IDENTIFIER,
    "insurance": Role.QUASI_IDENTIFIER,
    "bmi": Role.QUASI_IDENTIFIER,
    "diagnosis": Role.SENSITIVE,
    "readmitted": Role.TARGET,
}

_OCCUPATIONS = {
    "ANY_Occupation": [
        {
            "Working": [
                {"Health and care": ["Nurse", "Physician", "Care assistant", "Pharmacist"]},
                {"Teaching": ["Teacher", "Lecturer", "Childcare worker"]},
                {"Office": ["Clerk", "Accountant", "Manager", "Software developer", "Lawyer"]},
                {"Trade": ["Electrician", "Carpenter", "Mechanic", "Plumber"]},
                {"Industry and transport": ["Machine operator", "Warehouse worker", "Driver"]},
                {"Services": ["Shop assistant", "Cook", "Cleaner", "Hairdresser", "Police officer"]},
                {"Land and art": ["Farmer", "Gardener", "Musician"]},
            ]
        },
        {
            "Not working": [
                {"Learning": ["Preschool child", "Pupil", "Student"]},
                {"Without work": ["Retired", "Homemaker", "Unemployed"]},
            ]
        },
    ]
}
# Weights of the occupations of a grown-up below retirement; pupils and pensioners are set by age.
_JOBS = {
    "Clerk": 11.0,
    "Shop assistant": 9.0,
    "Nurse": 6.0,
    "Care assistant": 5.0,
    "Teacher": 5.0,
    "Driver": 5.0,
    "Machine operator": 5.0,
    "Warehouse worker": 5.0,
    "Manager": 4.5,
    "Mechanic": 4.0,
    "Software developer": 4.0,
    "Accountant": 3.5,
    "Cleaner": 3.5,
    "Cook": 3.5,
    "Homemaker": 3.5,
    "Unemployed": 4.0,
    "Electrician": 3.0,
    "Childcare worker": 2.5,
    "Carpenter": 2.0,
    "Plumber": 2.0,
    "Hairdresser": 1.8,
    "Physician": 1.5,
    "Police officer": 1.5,
    "Gardener": 1.2,
    "Lawyer": 1.0,
    "Farmer": 1.0,
    "Pharmacist": 0.6,
    "Lecturer": 0.5,
    "Musician": 0.2,
}

# Chapter -> diagnosis -> (weights for ages 0-15, 16-34, 35-54, 55-74, 75+; factor for women, negative where only women
# have it; pull to readmission; department).
_Facts = tuple[tuple[float, float, float, float, float], float, float, str]
_DIAGNOSES: Mapping[str, Mapping[str, _Facts]] = {
    "Circulatory": {
        "Hypertension": ((0, 1, 7, 10, 9), 1.0, -0.2, "Cardiology"),
        "Heart failure": ((0, 0.2, 1.5, 8, 15), 0.9, 1.6, "Cardiology"),
        "Myocardial infarction": ((0, 0.2, 3, 6, 5), 0.5, 0.7, "Cardiology"),
        "Atrial fibrillation": ((0, 0.3, 1.5, 5, 7), 0.9, 0.5, "Cardiology"),
        "Stroke": ((0.1, 0.4, 2, 5, 8), 1.0, 0.6, "Neurology"),
    },
    "Respiratory": {
        "Pneumonia": ((8, 2, 3, 5, 10), 0.9, 0.5, "Pulmonology"),
        "Asthma": ((9, 3, 2, 1, 0.5), 1.1, 0.1, "Pulmonology"),
        "Chronic bronchitis": ((0, 0.2, 2, 7, 7), 0.8, 1.3, "Pulmonology"),
        "Influenza": ((6, 3, 2, 2, 3), 1.0, -0.8, "Pulmonology"),
    },
    "Endocrine": {
        "Diabetes type 1": ((3, 2, 1, 0.3, 0.1), 0.9, 0.7, "Endocrinology"),
        "Diabetes type 2": ((0.1, 0.6, 4, 8, 7), 0.9, 0.9, "Endocrinology"),
        "Thyroid disorder": ((0.3, 2, 3, 2, 1), 3.0, -0.6, "Endocrinology"),
    },
    "Neoplasms": {
        "Breast cancer": ((0, 0.01, 0.06, 0.08, 0.06), 60.0, 0.6, "Oncology"),
        "Lung cancer": ((0, 0.1, 1, 4, 3), 0.6, 1.2, "Oncology"),
        "Colon cancer": ((0, 0.1, 1, 3, 4), 0.8, 0.8, "Oncology"),
        "Leukaemia": ((0.6, 0.2, 0.3, 0.5, 0.5), 0.8, 1.5, "Oncology"),
    },
    "Mental": {
        "Depression": ((0.8, 6, 5, 3, 1.5), 1.8, 0.6, "Psychiatry"),
        "Alcohol dependence": ((0.1, 3, 5, 2, 0.3), 0.3, 1.1, "Psychiatry"),
        "Schizophrenia": ((0.1, 2, 1, 0.4, 0.1), 0.8, 1.4, "Psychiatry"),
    },
    "Infectious": {
        "Gastroenteritis": ((8, 4, 2, 2, 3), 1.0, -0.7, "Internal medicine"),
        "Sepsis": ((0.6, 0.3, 0.8, 2, 4), 0.9, 0.9, "Internal medicine"),
        "Hepatitis C": ((0, 0.6, 1, 0.5, 0.1), 0.6, 0.3, "Internal medicine"),
        "HIV": ((0.05, 0.8, 0.8, 0.2, 0.02), 0.3, 0.4, "Internal medicine"),
    },
    "Digestive": {
        "Appendicitis": ((7, 7, 3, 1, 0.5), 0.9, -1.2, "Surgery"),
        "Gallstones": ((0.2, 3, 5, 5, 3), 2.0, -0.5, "Surgery"),
        "Inguinal hernia": ((3, 2, 4, 5, 3), 0.15, -1.1, "Surgery"),
        "Crohn's disease": ((0.6, 2, 1, 0.4, 0.1), 1.1, 0.9, "Internal medicine"),
    },
    "Injury": {
        "Forearm fracture": ((8, 4, 3, 3, 3), 1.0, -1.0, "Orthopaedics"),
        "Concussion": ((9, 5, 2, 1.5, 2), 0.8, -1.2, "Emergency"),
        "Hip fracture": ((0.1, 0.2, 0.5, 3, 12), 2.2, 0.4, "Orthopaedics"),
        "Knee injury": ((2, 6, 5, 4, 1), 0.7, -0.8, "Orthopaedics"),
    },
    "Pregnancy": {
        "Delivery": ((0, 22, 5, 0, 0), -1.0, -1.4, "Obstetrics"),
        "Pregnancy complication": ((0, 5, 1.5, 0, 0), -1.0, 0.2, "Obstetrics"),
    },
}
_AGE_BANDS = (16, 35, 55, 75)

_INSURANCES = {"Public": 0.74, "Private": 0.17, "Accident fund": 0.05, "Self-payer": 0.03, "Foreign scheme": 0.01}

# Region (first three digits) with its share of the patients; each has forty ZIP codes.
_REGIONS = {
    "010": 0.30,
    "011": 0.18,
    "013": 0.12,
    "018": 0.08,
    "026": 0.05,
    "091": 0.07,
    "104": 0.10,
    "139": 0.06,
    "508": 0.03,
    "807": 0.01,
}
_ZIPS_PER_REGION = 40

_FIRST_NAMES = {
    "female": "Ada Bela Cora Dalia Edda Fanni Gerda Hilda Ines Jonna Kaja Lotte Mira Nela Odile Petra Rosa Selma Tilda Ulla",
    "male": "Anton Bruno Carlo Dario Emil Fabio Goran Hanno Ivo Jaro Kuno Ludo Milan Nils Otto Piet Rolf Sven Timo Ugo",
}
_LAST_NAMES = (
    "Ahlgrund Berrin Castelo Dornau Eberlind Falkoni Grevenau Hollmark Istrani Jannasch Kestrup Lindorn Marevic Nordau "
    "Ostrell Pellmann Quendt Rosvik Sandhaus Torvell Ulbrand Vestrik Wendorf Ystad Zellin Arvani Brindel Corvath Dellin "
    "Estrup Fenwold Gorlan Harvik Ilmen Jorvall Kranich Lorvik Merrun Nestor Orvang"
)

_FIRST_DAY = np.datetime64("2023-01-01", "D")
_DAYS = 730


def hospital(n: int = 1000, seed: int = 7) -> Dataset:
    """Return ``n`` admissions of as many invented patients to one hospital in the years 2023 and 2024.

    Identifiers are ``patient_id`` and ``name``; ``diagnosis`` is sensitive; ``readmitted`` (yes/no) is the target; all other
    columns may be known to an adversary and are quasi-identifiers. ``occupation``, ``department``, ``sex`` and ``diagnosis``
    have trees, ``insurance`` has none, ``bmi`` is a number, the two dates are dates and ``zip`` is text with leading zeros.

    Parameters
    ----------
    n
        Number of rows, at least 1.
    seed
        The same seed gives the same rows.

    Examples
    --------
    >>> table = hospital(100, seed=1)
    >>> len(table), table.columns[:3]
    (100, ('patient_id', 'name', 'birth_date'))
    """
    if n < 1:
        raise BadRequest("must be at least 1", parameter="n", value=n)
    rng = np.random.default_rng(seed)
    female = rng.random(n) < 0.53
    age = _ages(rng, n)
    admission = _FIRST_DAY + (rng.random(n) * _DAYS).astype(np.int64)
    birth = admission - (age * 365.25).astype(np.int64)

    names, facts = _diagnosis_facts()
    diagnosis = _diagnoses(rng, age, female, facts)
    department = _departments(rng, age, diagnosis, facts)
    bmi = _body_mass(rng, age, _texts(names)[diagnosis])

    pull = np.array([fact[2] for fact in facts])[diagnosis]
    logit = -2.4 + 0.06 * (age - 50) + 1.6 * pull + 0.2 * np.clip(bmi - 26, 0, 15)
    readmitted = rng.random(n) < 1 / (1 + np.exp(-logit))

    data: dict[str, Column] = {
        "patient_id": 100_000 + rng.permutation(n),
        "name": _names(rng, female),
        "birth_date": birth,
        "sex": _texts(["male", "female"])[female.astype(np.int64)],
        "zip": _zips(rng, n),
        "admission_date": admission,
        "department": department,
        "occupation": _occupations(rng, age),
        "insurance": _texts(_INSURANCES)[_draw(rng, list(_INSURANCES.values()), n)],
        "bmi": bmi,
        "diagnosis": _texts(names)[diagnosis],
        "readmitted": _texts(["no", "yes"])[readmitted.astype(np.int64)],
    }
    return Dataset(
        name="hospital",
        data=data,
        roles=_ROLES,
        taxonomies={
            "sex": {"ANY_Sex": ["female", "male"]},
            "occupation": _OCCUPATIONS,
            "department": _department_tree(),
            "diagnosis": {"ANY_Diagnosis": [{chapter: list(inner)} for chapter, inner in _DIAGNOSES.items()]},
        },
        source=f"invented, hospital(n={n}, seed={seed})",
    )


def _texts(values: Iterable[object]) -> Texts:
    """Return an object array, so that a million rows share a few texts."""
    return np.array(list(values), dtype=object)


def _draw(rng: np.random.Generator, weights: Sequence[float] | Floats, n: int) -> Ints:
    """Draw positions with the given weights by inverting their running sum."""
    edges = np.cumsum(np.asarray(weights, np.float64))
    return np.asarray(np.searchsorted(edges[:-1], rng.random(n) * edges[-1], side="right"), np.int64)


def _ages(rng: np.random.Generator, n: int) -> Floats:
    """Ages in years: a few children, a flat middle, a hump of old people."""
    centre = np.array([5.0, 29.0, 48.0, 69.0, 81.0])
    spread = np.array([4.5, 6.0, 9.0, 8.0, 6.0])
    kind = _draw(rng, [0.09, 0.16, 0.22, 0.33, 0.20], n)
    age = centre[kind] + spread[kind] * rng.standard_normal(n)
    # Reflect at both ends instead of clipping: clipping would pile people up on one birthday.
    age = np.abs(age)
    return np.asarray(np.where(age > 102, 204 - age, age), np.float64)


def _diagnosis_facts() -> tuple[list[str], list[_Facts]]:
    pairs = [pair for inner in _DIAGNOSES.values() for pair in inner.items()]
    return [name for name, _ in pairs], [facts for _, facts in pairs]


def _diagnoses(rng: np.random.Generator, age: Floats, female: npt.NDArray[np.bool_], facts: Sequence[_Facts]) -> Ints:
    band = np.searchsorted(np.array(_AGE_BANDS), age, side="right")
    by_band = np.array([fact[0] for fact in facts])
    only_women = np.array([fact[1] < 0 for fact in facts])
    factor = np.abs(np.array([fact[1] for fact in facts]))
    out = np.empty(len(age), np.int64)
    for number in range(len(_AGE_BANDS) + 1):
        for woman in (False, True):
            rows = np.flatnonzero((band == number) & (female == woman))
            weights = by_band[:, number] * (factor if woman else 1.0)
            if not woman:
                weights = np.where(only_women, 0.0, weights)
            out[rows] = _draw(rng, weights, len(rows))
    return out


def _departments(rng: np.random.Generator, age: Floats, diagnosis: Ints, facts: Sequence[_Facts]) -> Texts:
    out = _texts(fact[3] for fact in facts)[diagnosis]
    # One in twelve lies where a bed was free; women in childbed never do.
    chance = np.where(out == "Obstetrics", 1.0, rng.random(len(age)))
    out[chance < 0.08] = "Emergency"
    out[chance < 0.05] = "Internal medicine"
    out[age < 16] = "Paediatrics"
    return out


def _department_tree() -> dict[str, Json]:
    return {
        "ANY_Department": [
            {
                "Medical": [
                    "Cardiology",
                    "Pulmonology",
                    "Endocrinology",
                    "Oncology",
                    "Internal medicine",
                ]
            },
            {"Surgical": ["Surgery", "Orthopaedics", "Emergency"]},
            {"Nervous system": ["Neurology", "Psychiatry"]},
            {"Women and children": ["Obstetrics", "Paediatrics"]},
        ]
    }


def _body_mass(rng: np.random.Generator, age: Floats, diagnosis: Texts) -> Floats:
    """Body mass index with one decimal: low in children, highest around sixty, higher with type 2 diabetes."""
    centre = np.where(age < 18, 15.5 + 0.35 * age, 26.8 - 0.0012 * (age - 60) ** 2)
    centre = centre + 3.5 * (diagnosis == "Diabetes type 2") + 1.5 * (diagnosis == "Hypertension")
    value = centre * np.exp(0.15 * rng.standard_normal(len(age)))
    return np.asarray(np.round(np.clip(value, 11.0, 60.0), 1), np.float64)


def _occupations(rng: np.random.Generator, age: Floats) -> Texts:
    n = len(age)
    out = _texts(_JOBS)[_draw(rng, list(_JOBS.values()), n)]
    chance = rng.random(n)
    out[age < 6] = "Preschool child"
    out[(age >= 6) & (age < 17)] = "Pupil"
    out[(age >= 17) & (age < 26) & (chance < 0.45)] = "Student"
    out[(age >= 58) & (age < 66) & (chance < 0.25)] = "Retired"
    out[(age >= 66) & (chance < 0.96)] = "Retired"
    return out


def _names(rng: np.random.Generator, female: npt.NDArray[np.bool_]) -> Texts:
    last = _LAST_NAMES.split()
    full = {
        sex: [f"{first} {name}" for first in firsts.split() for name in last] for sex, firsts in _FIRST_NAMES.items()
    }
    number = (rng.random(len(female)) * len(full["female"])).astype(np.int64)
    return np.asarray(np.where(female, _texts(full["female"])[number], _texts(full["male"])[number]), dtype=object)


def _zips(rng: np.random.Generator, n: int) -> Texts:
    """Five digits as text; inside a region the r-th ZIP code has 1/r of the patients of the first."""
    # The step of 37 is prime to 100, so that codes do not repeat and common ones are not neighbours.
    codes = [f"{region}{37 * place % 100:02d}" for region in _REGIONS for place in range(_ZIPS_PER_REGION)]
    rank = 1 / np.arange(1, _ZIPS_PER_REGION + 1)
    weights = np.concatenate([share * rank / rank.sum() for share in _REGIONS.values()])
    return _texts(codes)[_draw(rng, weights, n)]
