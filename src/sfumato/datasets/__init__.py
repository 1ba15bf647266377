"""The tables of the papers, deterministic generators, and loaders for public data.

>>> from sfumato.datasets import patients
>>> patients().columns
('Job', 'Sex', 'Age', 'Disease')
"""

from __future__ import annotations

# Functions share their names with the files they live in, so they are imported at once: a later import of such a file
# would otherwise put the module in the function's place. Polars and pip are only touched when they are needed.
from sfumato.datasets.adult import ADULT_TOP9, adult, adult_taxonomies
from sfumato.datasets.baskets import PRIVATE_ARTICLES, baskets
from sfumato.datasets.blowup import blow_up, blow_up_codes
from sfumato.datasets.cache import cache_folder, fill_cache
from sfumato.datasets.city import city
from sfumato.datasets.crx import CRX_TOP9, crx
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.german import GERMAN_TOP9, german
from sfumato.datasets.hospital import hospital
from sfumato.datasets.hospital_months import PERMANENT, hospital_months
from sfumato.datasets.hospital_tables import hospital_tables
from sfumato.datasets.network import communities, network, preferential, rmat
from sfumato.datasets.notes import notes
from sfumato.datasets.papers import education_work, education_work_example5, patients, patients_external
from sfumato.datasets.sample import demo_policy, sample, sample_policy
from sfumato.datasets.searches import searches

__all__ = [
    "ADULT_TOP9",
    "CRX_TOP9",
    "GERMAN_TOP9",
    "PERMANENT",
    "PRIVATE_ARTICLES",
    "Dataset",
    "adult",
    "adult_taxonomies",
    "baskets",
    "blow_up",
    "blow_up_codes",
    "cache_folder",
    "city",
    "communities",
    "crx",
    "demo_policy",
    "education_work",
    "education_work_example5",
    "fill_cache",
    "german",
    "hospital",
    "hospital_months",
    "hospital_tables",
    "network",
    "notes",
    "patients",
    "patients_external",
    "preferential",
    "rmat",
    "sample",
    "sample_policy",
    "searches",
]
