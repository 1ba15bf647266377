"""The running examples of the literature, small enough to check by hand."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

from sfumato.data.schema import Role
from sfumato.datasets.dataset import Column, Dataset, Nested

__all__ = ["education_work", "education_work_example5", "patients", "patients_external"]

Counted: TypeAlias = tuple[str, str, int, str, int]

_BOOK = "Fung, Wang, Fu, Yu: Introduction to Privacy-Preserving Data Publishing, 2010"
_TDR = "Fung, Wang, Yu: Anonymizing Classification Data for Privacy Preservation, TKDE 19(5), 2007"

_JOB = {"ANY_Job": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
_SEX = {"ANY_Sex": ["Male", "Female"]}
_AGE = {"[30-40)": [{"[30-35)": ["30", "32"]}, {"[35-40)": ["35", "38", "39"]}]}


def _columns(names: Sequence[str], rows: Iterable[Sequence[Hashable]]) -> dict[str, Column]:
    return {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}


def _expand(counted: Iterable[Counted]) -> list[Sequence[Hashable]]:
    """Repeat each row as often as its last cell says."""
    return [row[:-1] for row in counted for _ in range(row[-1])]


def patients() -> Dataset:
    """Return the patient table of the book (Table 2.2) with the trees of its Figure 3.1: 7 records, 1-anonymous.

    The leaves of the age tree are the ages of this table and of :func:`patients_external`, as text.
    """
    rows = [
        ("Engineer", "Male", 35, "Hepatitis"),
        ("Engineer", "Male", 38, "Hepatitis"),
        ("Lawyer", "Male", 38, "HIV"),
        ("Writer", "Female", 30, "Flu"),
        ("Writer", "Female", 30, "HIV"),
        ("Dancer", "Female", 30, "HIV"),
        ("Dancer", "Female", 30, "HIV"),
    ]
    return Dataset(
        name="patients",
        data=_columns(("Job", "Sex", "Age", "Disease"), rows),
        roles={
            "Job": Role.QUASI_IDENTIFIER,
            "Sex": Role.QUASI_IDENTIFIER,
            "Age": Role.QUASI_IDENTIFIER,
            "Disease": Role.SENSITIVE,
        },
        taxonomies={"Job": _JOB, "Sex": _SEX, "Age": _AGE},
        source=f"{_BOOK}, Table 2.2 and Figure 3.1",
    )


def patients_external() -> Dataset:
    """Return the public register that an adversary joins with :func:`patients` (Table 2.3): 9 persons with names."""
    rows = [
        ("Alice", "Writer", "Female", 30),
        ("Bob", "Engineer", "Male", 35),
        ("Cathy", "Writer", "Female", 30),
        ("Doug", "Lawyer", "Male", 38),
        ("Emily", "Dancer", "Female", 30),
        ("Fred", "Engineer", "Male", 38),
        ("Gladys", "Dancer", "Female", 30),
        ("Henry", "Lawyer", "Male", 39),
        ("Irene", "Dancer", "Female", 32),
    ]
    return Dataset(
        name="patients-external",
        data=_columns(("Name", "Job", "Sex", "Age"), rows),
        roles={
            "Name": Role.IDENTIFIER,
            "Job": Role.QUASI_IDENTIFIER,
            "Sex": Role.QUASI_IDENTIFIER,
            "Age": Role.QUASI_IDENTIFIER,
        },
        taxonomies={"Job": _JOB, "Sex": _SEX, "Age": _AGE},
        source=f"{_BOOK}, Table 2.3",
    )


def _work_table(name: str, counted: Iterable[Counted], education: Nested, source: str) -> Dataset:
    return Dataset(
        name=name,
        data=_columns(("Education", "Sex", "Work_Hrs", "Class"), _expand(counted)),
        roles={
            "Education": Role.QUASI_IDENTIFIER,
            "Sex": Role.QUASI_IDENTIFIER,
            "Work_Hrs": Role.QUASI_IDENTIFIER,
            "Class": Role.TARGET,
        },
        taxonomies={"Education": education, "Sex": {"ANY_Sex": ["M", "F"]}},
        ranges={"Work_Hrs": (1, 99)},
        source=source,
    )


def education_work() -> Dataset:
    """Return the table on which top-down refinement is explained (Table I): 34 records, 21 of class Y and 13 of N."""
    counted = [
        ("9th", "M", 30, "N", 3),
        ("10th", "M", 32, "N", 4),
        ("11th", "M", 35, "Y", 2),
        ("11th", "M", 35, "N", 3),
        ("12th", "F", 37, "Y", 3),
        ("12th", "F", 37, "N", 1),
        ("Bachelors", "F", 42, "Y", 4),
        ("Bachelors", "F", 42, "N", 2),
        ("Bachelors", "F", 44, "Y", 4),
        ("Masters", "M", 44, "Y", 4),
        ("Masters", "F", 44, "Y", 3),
        ("Doctorate", "F", 44, "Y", 1),
    ]
    education: Nested = {
        "ANY_Edu": [
            {"Secondary": [{"Junior Sec.": ["9th", "10th"]}, {"Senior Sec.": ["11th", "12th"]}]},
            {"University": ["Bachelors", {"Grad School": ["Masters", "Doctorate"]}]},
        ]
    }
    return _work_table("education-work", counted, education, f"{_TDR}, Table I")


def education_work_example5() -> Dataset:
    """Return the table that parts Score from information gain (Example 5, Table II): 40 records, 20 of class Y."""
    counted = [
        ("10th", "M", 40, "Y", 20),
        ("10th", "M", 30, "N", 4),
        ("9th", "M", 30, "N", 2),
        ("9th", "F", 30, "N", 4),
        ("9th", "F", 40, "N", 6),
        ("8th", "F", 30, "N", 2),
        ("8th", "F", 40, "N", 2),
    ]
    education = {"ANY_Edu": ["8th", "9th", "10th"]}
    return _work_table("education-work-example5", counted, education, f"{_TDR}, Table II(a)")
