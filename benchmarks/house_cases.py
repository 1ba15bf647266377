"""Twenty fixed releases of generated tables, each told as the digests of its data files, its verdicts, metrics and counts.

Run ``PYTHONPATH=src python benchmarks/house_cases.py [name ...]``; ``house.py`` compares the JSON it prints.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import sfumato
from sfumato.datasets import hospital

Policy = dict[str, Any]
Made = Callable[[Path], Any]

# What a release folder holds besides its data; these say how the release was made, and in which words.
NOT_DATA = {"certificate.json", "report.html", "schema.json"}
KEY = "a fixed key for twenty fixed releases"
KEY_VARIABLE = "SFUMATO_HOUSE_KEY"

HIERARCHIES: Mapping[str, Any] = {
    "birth_date": {"id": "dates", "levels": ["decade"]},
    "admission_date": {"id": "dates", "levels": ["month", "quarter", "year"]},
    "zip": {"id": "redaction", "steps": [2, 1, 1, 1]},
    "bmi": {"id": "intervals", "lower": 10, "width": 5, "fan_out": [2, 5]},
}


@dataclass(frozen=True)
class Case:
    """A release with a name: ``make`` gets a folder for its input files and returns it in memory."""

    name: str
    make: Made


# ---- tables --------------------------------------------------------------------------------------------------------------


@cache
def admissions(rows: int) -> Any:
    """Return the invented hospital of so many rows; the seed is fixed."""
    return hospital(rows, seed=11)


def drawn(rows: int, seed: int) -> dict[str, list[Any]]:
    """Return a small table of people: three numbers, two texts, a sensitive text, and what owners answered."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows)
    return {
        "age": age.tolist(),
        "weight": np.round(rng.normal(75, 12, rows), 1).tolist(),
        "pay": (900 + 25 * age + rng.integers(0, 1500, rows)).tolist(),
        "job": rng.choice(["cook", "nurse", "clerk", "driver", "smith"], rows).tolist(),
        "zip": [f"48{code:03d}" for code in rng.integers(600, 640, rows).tolist()],
        "ill": rng.choice(["flu", "cold", "ulcer", "cancer", "hiv"], rows, p=[0.4, 0.3, 0.14, 0.1, 0.06]).tolist(),
        "answer": [int(one) if one < 2 else None for one in rng.integers(0, 8, rows).tolist()],
    }


# ---- policies ------------------------------------------------------------------------------------------------------------


def columns(*qids: str, plain: tuple[str, ...] = (), without_tree: tuple[str, ...] = ()) -> Policy:
    """Return the columns of the hospital: these are masked, these are plain, diagnosis and target stay, others are left out."""
    data = admissions(1)
    out: Policy = {}
    for name in data.columns:
        if name in qids:
            out[name] = {"role": "quasi-identifier"}
            if name in HIERARCHIES and name not in without_tree:
                out[name]["hierarchy"] = HIERARCHIES[name]
            elif name in data.taxonomies and name not in without_tree:
                out[name]["hierarchy"] = {"id": "taxonomy", "tree": data.taxonomies[name]}
        elif name == "diagnosis":
            out[name] = {"role": "sensitive"}
        elif name == "readmitted":
            out[name] = {"role": "target"}
        else:
            out[name] = {"role": "plain" if name in plain else "identifier"}
    return out


def people(**roles: Any) -> Policy:
    """Return the columns of the drawn table: those named have this role (or entry), the others are left out."""
    return {
        name: ({"role": roles[name]} if isinstance(roles[name], str) else roles[name])
        if name in roles
        else {"role": "identifier"}
        for name in drawn(1, 0)
    }


def k_anonymity(k: int, **more: Any) -> Policy:
    """Return the requirement that is asked for most."""
    return {"id": "k-anonymity", "k": k, **more}


def patients(rows: int, policy: Policy, *, file: bool = False) -> Made:
    """Return how the hospital is anonymized: from a frame, or from a CSV file."""

    def make(folder: Path) -> Any:
        data = admissions(rows)
        return sfumato.anonymize(data.write_csv(folder / "hospital.csv") if file else data.to_polars(), policy)

    return make


def persons(rows: int, policy: Policy, seed: int = 3) -> Made:
    """Return how the drawn table is anonymized."""

    def make(folder: Path) -> Any:
        table = drawn(rows, seed)
        return sfumato.anonymize(sfumato.from_rows(list(table), list(zip(*table.values(), strict=True))), policy)

    return make


def pseudonyms(folder: Path) -> Any:
    """Return a release with pseudonyms and a plain column in which values are missing, to be written as Parquet."""
    import polars as pl

    # Missing in a pattern of rows, not at random: the table must not depend on another library's generator.
    gaps = pl.int_range(pl.len()) % 7 == 3
    frame = admissions(600).to_polars().with_columns(bmi=pl.when(gaps).then(None).otherwise(pl.col("bmi")))
    asked = columns("birth_date", "sex", "occupation", plain=("bmi", "insurance"))
    asked["bmi"]["missing"] = "keep"
    asked["patient_id"]["pseudonym"] = {"key_variable": KEY_VARIABLE, "namespace": "house", "length": 16}
    return sfumato.anonymize(
        frame,
        {
            "columns": asked,
            "requirements": [k_anonymity(5)],
            "algorithm": {"id": "datafly"},
            "limits": {"suppress_at_most": 0.05},
            "output": {"format": "parquet"},
        },
    )


def histogram(folder: Path) -> Any:
    """Return counts of boxes, made by the verb for releases that are not searched."""
    table = drawn(400, 5)
    return sfumato.release(
        {name: table[name] for name in ("age", "weight", "ill")},
        "histogram-release",
        qid=["age", "weight"],
        cuts={"age": [0, 30, 45, 60, 120], "weight": {"low": 0, "high": 160, "bins": 2}},
        requirements=[k_anonymity(3)],
        seed=7,
    )


FOUR = ("birth_date", "sex", "zip", "occupation")
FIVE = (*FOUR, "department")
TREES = {"Any": [{"Care": ["nurse", "cook"]}, {"Other": ["clerk", "driver", "smith"]}]}
JOB = {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": TREES}}
DIVERSE = {"id": "l-diversity-distinct", "l": 2, "sensitive": "diagnosis"}
CLOSE = {"id": "t-closeness", "t": 0.4, "ground_distance": "equal", "sensitive": "diagnosis"}
FREQUENCY = {"id": "l-diversity-frequency", "l": 2, "sensitive": "ill"}
MANY = [
    "loss",
    "ambiguity",
    "classification-metric",
    "discernibility-ratio",
    "entropy-based-information-loss",
    "kl-divergence",
    "non-uniform-entropy",
    "normalized-certainty-penalty",
    "precision",
]

CASES = (
    Case(
        "tdr-two-adversaries",
        patients(
            1500,
            {
                "columns": columns(*FOUR, "admission_date", "department", plain=("insurance", "bmi")),
                "requirements": [
                    k_anonymity(5, qid=list(FOUR)),
                    k_anonymity(5, qid=["sex", "admission_date", "department"]),
                    {**DIVERSE, "qid": list(FOUR)},
                ],
                "algorithm": {"id": "tdr", "score": "igpl"},
            },
            file=True,
        ),
    ),
    Case(
        "tdr-suppression",
        patients(
            1500,
            {
                # A number that is cut as the search goes, and texts of which rare ones are hidden.
                "columns": columns("birth_date", "sex", "insurance", "bmi", without_tree=("bmi",)),
                "requirements": [k_anonymity(8)],
                "algorithm": {"id": "tdr", "score": "loss-decrease"},
                "limits": {"suppress_at_most": 0.02},
            },
        ),
    ),
    Case(
        "optimal-loss-duckdb",
        patients(
            1500,
            {
                "columns": columns(*FIVE),
                "requirements": [k_anonymity(5)],
                "algorithm": {"id": "optimal", "metric": "loss"},
                "limits": {"suppress_at_most": 0.04},
                "engine": "duckdb",
            },
            file=True,
        ),
    ),
    Case(
        "optimal-discernibility-closeness",
        patients(
            1000,
            {
                "columns": columns(*FOUR),
                "requirements": [k_anonymity(5), CLOSE],
                "algorithm": {"id": "optimal", "metric": "discernibility"},
            },
        ),
    ),
    Case(
        "optimal-entropy-local",
        patients(
            800,
            {
                "columns": columns(*FOUR),
                "requirements": [k_anonymity(5)],
                "algorithm": {"id": "optimal", "metric": "non-uniform-entropy", "local_recoding": True},
                "limits": {"suppress_at_most": 1},
                "metrics": ["loss", "non-uniform-entropy", "discernibility", "average-group-size"],
            },
        ),
    ),
    Case(
        "incognito",
        patients(
            1000,
            {
                "columns": columns(*FOUR),
                "requirements": [
                    k_anonymity(4),
                    {"id": "l-diversity-entropy", "l": 2, "sensitive": "diagnosis"},
                ],
                "algorithm": {"id": "incognito", "metric": "loss"},
                "metrics": MANY,
            },
        ),
    ),
    Case(
        "samarati",
        patients(
            1000,
            {
                "columns": columns(*FOUR),
                "requirements": [k_anonymity(5)],
                "algorithm": {"id": "samarati-binary-search"},
                "limits": {"suppress_at_most": 0.04},
            },
        ),
    ),
    Case("datafly-pseudonyms-parquet", pseudonyms),
    Case(
        "bottom-up-generalization",
        patients(
            800,
            {
                "columns": columns("sex", "department", "occupation"),
                "requirements": [k_anonymity(5)],
                "algorithm": {"id": "bottom-up-generalization"},
            },
        ),
    ),
    Case(
        "hdtds",
        patients(
            1000,
            {
                "columns": columns(*FIVE, "bmi", without_tree=("bmi",)),
                "requirements": [{"id": "lkc-privacy", "L": 2, "K": 5, "C": 0.5, "sensitive": "diagnosis"}],
                "algorithm": {"id": "hdtds"},
            },
        ),
    ),
    Case(
        "genetic-algorithm",
        patients(
            400,
            {
                "columns": columns("sex", "occupation", "department"),
                "requirements": [k_anonymity(4)],
                "algorithm": {"id": "genetic-algorithm", "population": 10, "evaluations": 200, "mutation": 0.1},
                "seed": 7,
            },
        ),
    ),
    Case(
        "mondrian-duckdb",
        patients(
            1500,
            {
                "columns": columns("sex", "occupation", "insurance", "bmi", without_tree=("bmi",)),
                "requirements": [k_anonymity(5), DIVERSE],
                "algorithm": {"id": "mondrian"},
                "engine": "duckdb",
                "output": {"row_order": "keep"},
            },
        ),
    ),
    Case(
        "local-recoding-greedy",
        persons(
            300,
            {
                "columns": people(age="quasi-identifier", pay="quasi-identifier", job=JOB, ill="sensitive"),
                "requirements": [k_anonymity(4)],
                "algorithm": {"id": "local-recoding-greedy", "direction": "top-down"},
                "seed": 7,
            },
        ),
    ),
    Case(
        "anatomize",
        persons(
            300,
            {
                "columns": people(age="quasi-identifier", job="quasi-identifier", ill="sensitive"),
                "requirements": [FREQUENCY],
                "algorithm": {"id": "anatomize"},
                "seed": 7,
            },
        ),
    ),
    Case(
        "ke-permutation",
        persons(
            300,
            {
                "columns": people(age="quasi-identifier", job="quasi-identifier", pay="sensitive"),
                "requirements": [{"id": "k-e-anonymity", "k": 4, "e": 150, "sensitive": "pay"}],
                "algorithm": {"id": "ke-permutation"},
                "seed": 7,
            },
        ),
    ),
    Case(
        "r-gather",
        persons(
            300,
            {
                "columns": people(age="quasi-identifier", weight="quasi-identifier", ill="sensitive"),
                "requirements": [k_anonymity(5)],
                "algorithm": {"id": "r-gather", "centre": "mean"},
                "limits": {"suppress_at_most": 0.03},
                "seed": 7,
            },
        ),
    ),
    Case(
        "mdav",
        persons(
            400,
            {
                "columns": people(age="quasi-identifier", pay="quasi-identifier", job=JOB, ill="sensitive"),
                "requirements": [k_anonymity(4)],
                "algorithm": {"id": "mdav", "decimals": 2},
            },
        ),
    ),
    Case(
        "qidb-anonymization",
        persons(
            200,
            {
                "columns": people(
                    zip={"role": "quasi-identifier", "hierarchy": {"id": "redaction", "length": 5}},
                    age={
                        "role": "quasi-identifier",
                        "hierarchy": {"id": "intervals", "lower": 0, "width": 10, "fan_out": [2, 5]},
                    },
                    ill="sensitive",
                    answer="private",
                ),
                "requirements": [{"id": "personal-frequency", "sensitive": "ill", "th_acct": 0.1}],
                "algorithm": {
                    "id": "qidb-anonymization",
                    "weights": {"flu": 0, "cold": 0, "ulcer": 0, "cancer": 1, "hiv": 1},
                    "flags": "answer",
                },
                "limits": {"suppress_at_most": 1.0},
                "seed": 7,
            },
        ),
    ),
    Case("histogram", histogram),
    Case(
        "mask",
        persons(
            300,
            {
                "columns": people(age="quasi-identifier", job="quasi-identifier", ill="sensitive"),
                "requirements": [k_anonymity(4), FREQUENCY],
                "algorithm": {"id": "mask"},
                "seed": 7,
            },
        ),
    ),
)


# ---- what a release is -----------------------------------------------------------------------------------------------------


def told(release: Any, out: Path) -> dict[str, Any]:
    """Return what must not change: digests of the data files, verdicts, metric values and counts."""
    files = sorted(path for path in (out / "public").rglob("*") if path.is_file() and path.name not in NOT_DATA)
    return {
        "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files},
        "verdicts": [[one.model, bool(one.satisfied), plain(one.strongest)] for one in release.verdict],
        "metrics": {name: plain(one.value) for name, one in sorted(release.measured.items())},
        "counts": {name: plain(one) for name, one in sorted(release.counts.items())},
    }


def plain(value: Any) -> Any:
    """Return a number as JSON can hold it; infinity and not-a-number become words."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, int) or np.isfinite(value) else str(value)


def run(names: Sequence[str] = ()) -> dict[str, Any]:
    """Return what each of these cases (or all) gives; the seconds are for the reader, not for comparison."""
    os.environ[KEY_VARIABLE] = KEY
    found: dict[str, Any] = {}
    seconds: dict[str, float] = {}
    for case in CASES:
        if names and case.name not in names:
            continue
        began = time.perf_counter()
        with TemporaryDirectory() as folder:
            try:
                release = case.make(Path(folder))
                found[case.name] = told(release, sfumato.publish(release, Path(folder) / "out"))
            except Exception as error:  # one case that broke must not hide the nineteen others
                found[case.name] = {"failed": f"{type(error).__name__}: {error}"}
        seconds[case.name] = round(time.perf_counter() - began, 2)
    # Bytes of a Parquet file, and last digits of a sum, are also the libraries' business.
    libraries = ("numpy", "numba", "polars", "duckdb", "pyarrow")
    used = {"python": sys.version.split()[0], **{name: version(name) for name in libraries}}
    home = str(Path(str(sfumato.__file__)).parent)
    return {"home": home, "versions": used, "releases": found, "seconds": seconds}


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1:])))
