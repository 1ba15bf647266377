"""What is shown of each shape of data: invented data, and the policy that publishes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.datasets.baskets import PRIVATE_ARTICLES, baskets
from sfumato.datasets.city import city
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.hospital_tables import hospital_tables
from sfumato.datasets.network import network
from sfumato.datasets.notes import notes
from sfumato.datasets.sample import demo_policy, sample
from sfumato.errors import BadRequest

__all__ = ["Demo", "demo_of"]


@frozen(eq=False)
class Demo:
    """A file to begin with, its name without ending and its rows, or a folder of several tables; and the policy.

    ``questions`` are asked where nothing is published.
    """

    name: str
    dataset: Dataset | tuple[Dataset, ...]
    policy: Mapping[str, object]
    questions: tuple[str, ...] = ()


def demo_of(shape: str) -> Demo:
    """Return what is shown of a shape; one that nothing is shown of is refused with the others.

    >>> demo_of("transactions").policy["person"]
    'customer'
    """
    if shape not in _DEMOS:
        raise BadRequest("there is no demonstration of this shape", parameter="shape", value=shape, available=[*_DEMOS])
    return _DEMOS[shape]()


def _table() -> Demo:
    return Demo("hospital", sample(), demo_policy())


def _transactions() -> Demo:
    shop = baskets()
    tree: Json = shop.taxonomies["article"]
    return Demo(
        "baskets",
        shop,
        {
            "shape": "transactions",
            "title": "Baskets of an invented shop",
            "person": "customer",
            "items": {
                "column": "article",
                "private": list(PRIVATE_ARTICLES),
                "hierarchy": {"id": "taxonomy", "tree": tree},
            },
            "requirements": [{"id": "km-anonymity", "k": 10, "m": 2}],
            "algorithm": {"id": "apriori-anonymization"},
        },
    )


def _trajectories() -> Demo:
    return Demo(
        "city",
        city(5_000),
        {
            "shape": "trajectories",
            "title": "Cards read in a city (invented)",
            "person": "card",
            "place": {"x": "lon", "y": "lat", "grid": "5km"},
            "time": {"column": "read_at", "bin": "6h"},
            "columns": {"diagnosis": {"role": "sensitive"}},
            "requirements": [
                {
                    "id": "lkc-privacy",
                    "L": 2,
                    "K": 5,
                    "C": 0.5,
                    "sensitive": "diagnosis",
                    "values": ["HIV", "Depression"],
                }
            ],
            "repair": {"two-places": "first", "unsorted": "sort"},
        },
    )


def _graph() -> Demo:
    return Demo(
        "calls",
        network(300),
        {
            "shape": "graph",
            "title": "Who called whom (invented)",
            "edges": {"from": "caller", "to": "called"},
            "requirements": [{"id": "k-degree-anonymity", "k": 5}],
            "algorithm": {"id": "supergraph-generation", "mode": "edit"},
        },
    )


def _text() -> Demo:
    named = ("name", "doctor", "phone", "fax", "email", "ssn", "record", "insurance", "account")
    numbered = ("licence", "plate", "device", "url", "ip", "id", "address")
    entities: dict[str, Json] = {name: {"role": "identifier"} for name in (*named, *numbered)}
    decades: Json = {"id": "intervals", "lower": 0, "width": 10, "fan_out": [2, 5]}
    return Demo(
        "notes",
        notes(400, language="en"),
        {
            "shape": "text",
            "title": "Clinical notes (invented)",
            "person": "patient",
            "documents": {"column": "note", "tagged": True},
            "entities": {
                **entities,
                "age": {"role": "quasi-identifier", "hierarchy": decades},
                **{name: {"role": "quasi-identifier"} for name in ("city", "zip", "hospital", "occupation")},
                "date": {"role": "quasi-identifier", "replace": "placeholder"},
                "disease": {"role": "sensitive"},
            },
            "requirements": [{"id": "k-anonymity", "k": 5}],
            "algorithm": {"id": "hide-framework", "everywhere": True},
            "metrics": ["lost-words"],
        },
    )


def _database() -> Demo:
    known: Mapping[str, object] = {"role": "quasi-identifier"}
    decades = {"id": "intervals", "lower": 1880, "width": 10, "fan_out": [2, 8]}
    patients = {
        "name": {"role": "identifier"},
        "born": {**known, "hierarchy": decades},
        "sex": known,
        "zip": {**known, "type": "text", "hierarchy": {"id": "redaction", "length": 5}},
    }
    return Demo(
        "hospital",
        hospital_tables(1_000),
        {
            "shape": "database",
            "title": "Patients, stays and diagnoses of an invented hospital",
            "person": "patients",
            "tables": {
                "patients": {"key": "id", "columns": patients},
                "stays": {
                    "key": "id",
                    "references": {"patient": "patients"},
                    "columns": {"ward": known, "year": known},
                },
                "diagnoses": {"references": {"stay": "stays"}, "columns": {"diagnosis": {"role": "sensitive"}}},
            },
            "requirements": [{"id": "multir-k-anonymity", "k": 5}],
        },
    )


def _views() -> Demo:
    asked = {"id": "sp-view-kanon-check", "k": 5, "identifier": "name", "sensitive": "diagnosis"}
    return Demo(
        "hospital",
        sample(),
        {
            "title": "Extracts of an invented hospital for two recipients",
            "views": {
                "registry": {"columns": ["name", "zip", "insurance"]},
                "research": {"columns": ["insurance", "diagnosis"]},
            },
            "requirements": [asked],
        },
    )


def _desk() -> Demo:
    known: Mapping[str, object] = {"role": "quasi-identifier"}
    return Demo(
        "hospital",
        sample(),
        {
            "title": "Questions about an invented hospital",
            "desk": {"mode": "noisy", "epsilon": 0.5, "per_asker": 4},
            "budget": "total",
            "columns": {
                "sex": {**known, "values": ["female", "male"]},
                "department": known,
                "diagnosis": {"role": "sensitive"},
                "bmi": {"role": "sensitive", "bounds": [10, 60]},
            },
        },
        (
            "count group by sex",
            "count where diagnosis = Influenza group by sex",
            "avg(bmi) where department = Cardiology",
            "median(bmi) group by sex",
            "avg(bmi) where department in (Cardiology)",
        ),
    )


_DEMOS: Mapping[str, Callable[[], Demo]] = {
    "table": _table,
    "transactions": _transactions,
    "trajectories": _trajectories,
    "text": _text,
    "graph": _graph,
    "database": _database,
    "views": _views,
    "desk": _desk,
}
