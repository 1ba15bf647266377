"""Whoever seals can seal anything: each single entry of a certificate is counted anew, or named as a claim."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import sfumato
from sfumato.contracts.published import Release
from sfumato.errors import BadRequest, Contradiction
from sfumato.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity
from sfumato.publishing.certificate import canonical, sha256
from sfumato.publishing.verification import Verification
from sfumato.releases import (
    AnatomyPair,
    ClusterRelease,
    HistogramRelease,
    NoisyAnswers,
    PermutedTable,
    PerturbedTable,
    SyntheticTable,
)
from sfumato.tables.build import given_release

Document = dict[str, Any]
Place = tuple[str | int, ...]

pytestmark = pytest.mark.slow

FRAME = pl.DataFrame(
    {
        "age": [20 + at % 6 for at in range(60)],
        "job": [("cook", "nurse", "dancer")[at // 6 % 3] for at in range(60)],
        "ill": [("flu", "ulcer", "hiv", "cold")[at * 7 % 4] for at in range(60)],
        "pay": [10.0 + at % 7 for at in range(60)],
        "ward": [("a", "b", "c")[at // 20] for at in range(60)],
    }
)
GROUPS = [at // 10 for at in range(60)]
SEEN = ("rows_published", "records_published", "groups_on_all_quasi_identifiers", "smallest_of_these_groups")


def searched(*requirements: Document, **more: Any) -> Release:
    age = {"id": "intervals", "lower": 20, "width": 2, "fan_out": [2, 2]}
    job = {"id": "taxonomy", "tree": {"any": ["cook", "nurse", "dancer"]}}
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": age},
        "job": {"role": "quasi-identifier", "hierarchy": job},
        "ill": {"role": "sensitive"},
        "ward": {"role": "plain"},
    }
    return sfumato.anonymize(
        FRAME.drop("pay"), {"columns": columns, "requirements": list(requirements), "seed": 1, **more}
    )


def given(build: Callable[..., Any], *asked: Any) -> Release:
    return given_release(build(sfumato.read(FRAME)), list(asked))


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


ILL = {"sensitive": "ill"}
MADE: dict[str, Callable[[], Release]] = {
    "recoded": lambda: searched(
        {"id": "k-anonymity", "k": 3},
        {"id": "l-diversity-distinct", "l": 2, **ILL},
        {"id": "p-sensitive-k-anonymity", "p": 2, "k": 3, **ILL},
    ),
    "left out": lambda: searched(
        {"id": "t-closeness", "t": 0.9, "ground_distance": "equal", **ILL},
        {"id": "k-anonymity", "k": 9},
        algorithm={"id": "optimal"},
        limits={"suppress_at_most": 0.3},
    ),
    "by combinations": lambda: searched(
        {"id": "lkc-privacy", "L": 2, "K": 3, "C": 0.9, **ILL}, algorithm={"id": "hdtds"}
    ),
    "anatomized": lambda: searched({"id": "l-diversity-frequency", "l": 2, **ILL}, algorithm={"id": "anatomize"}),
    "pair": lambda: given(
        lambda table: AnatomyPair.build(table, GROUPS, ["age", "job"], "ill", rng()),
        FrequencyLDiversity(l=2, sensitive="ill"),
        KAnonymity(k=2),
    ),
    "permuted": lambda: given(
        lambda table: PermutedTable.build(table, GROUPS, ["age", "job"], "pay", rng()),
        DistinctLDiversity(l=2, sensitive="pay"),
    ),
    "clusters": lambda: given(
        lambda table: ClusterRelease.build(table, GROUPS, ["age", "pay"], "ill"), KAnonymity(k=3)
    ),
    "histogram": lambda: given(
        lambda table: HistogramRelease.build(table, [at % 7 for at in range(60)], ["pay"]), KAnonymity(k=3)
    ),
    "perturbed": lambda: given(
        lambda table: PerturbedTable.build(table, ["pay"], mechanism="additive-noise", settings={"scale": 1}),
        KAnonymity(k=1, qid=("job",)),
    ),
    "synthetic": lambda: given(
        lambda table: SyntheticTable.build(table, mechanism="copula", domains={"age": {"range": [0, 99]}})
    ),
    "answers": lambda: given_release(
        NoisyAnswers.build(["a, b", "c"], [1.5, 2.0], mechanism="laplace", epsilon=0.5, budget=1.0), []
    ),
}

CHOICES = (
    ("outside", "inside"),
    ("plain", "another engine", "the same engine", "by the model itself", "inside"),
    ("quasi-identifier", "sensitive", "plain", "identifier"),
)
# Less than what was asked may be true as well: a smaller L, fewer columns where all groups stay as they are.
TRUE_AS_WELL = {
    ("by combinations", "requirements.parameters.L"),
    ("by combinations", "requirements.quasi_identifier"),
    ("left out", "requirements.quasi_identifier"),
}


def leaves(document: object, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield every value of a document with its place, and every list of plain values as a whole."""
    inside = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in inside:
        yield from leaves(value, (*place, key))
    if not isinstance(document, dict) and not (
        isinstance(document, list) and any(isinstance(v, dict) for v in document)
    ):
        yield place, document


def lies(value: Any) -> Sequence[Any]:
    """Return other values of the same type, as a forger would write them."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value + 1, value / 2 if isinstance(value, float) else value - 1]
    if isinstance(value, list):
        return [value[:-1], [*value, *value[-1:]]] if value else [["x"]]
    if not isinstance(value, str):
        return ["x"]
    others = [other for choice in CHOICES if value in choice for other in choice]
    return [other for other in others or [f"{value}x", ""] if other != value]


def told(document: Document, place: Place, value: Any) -> Document:
    changed = deepcopy(document)
    inside: Any = changed
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    return changed


def seal(public: Path, document: Document) -> None:
    (public / "certificate.json").write_bytes(canonical({**document, "digest": sha256(canonical(document))}))


def called(place: Place) -> str:
    return ".".join(str(part) for part in place if not isinstance(part, int))


def is_claim(place: Place, found: Verification) -> bool:
    name = called(place)
    if name in {f"counts.{one}" for one in SEEN}:
        return False
    return any(name == claim or name.startswith(f"{claim}.") for claim in found.claims)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in made:
            made[name] = sfumato.publish(MADE[name](), tmp_path_factory.mktemp("made") / "out") / "public"
        return made[name]

    return folder


@pytest.mark.parametrize("name", MADE)
def test_every_entry_is_counted_anew_or_named_as_a_claim(name: str, folders: Callable[[str], Path]) -> None:
    public = folders(name)
    kept = (public / "certificate.json").read_bytes()
    document = json.loads(kept)
    del document["digest"]
    honest = sfumato.verify(public)
    assert honest
    believed = []
    for place, value in leaves(document):
        for lie in lies(value):
            seal(public, told(document, place, lie))
            try:
                found = sfumato.verify(public)
            except BadRequest:
                continue
            named = is_claim(place, found) or (name, called(place)) in TRUE_AS_WELL
            # A model that nobody knows is said not to have been checked.
            if found and not named and found.unchecked == honest.unchecked:
                believed.append((place, lie))
    (public / "certificate.json").write_bytes(kept)
    assert believed == []


@pytest.mark.parametrize("name", ["recoded", "pair", "perturbed"])
def test_every_entry_of_the_schema_is_compared(name: str, folders: Callable[[str], Path]) -> None:
    public = folders(name)
    kept = {file: (public / file).read_bytes() for file in ("certificate.json", "schema.json")}
    document, schema = json.loads(kept["certificate.json"]), json.loads(kept["schema.json"])
    del document["digest"]
    believed = []
    for place, value in leaves(schema):
        for lie in lies(value):
            changed = canonical(told(schema, place, lie))
            (public / "schema.json").write_bytes(changed)
            seal(public, {**document, "schema_sha256": sha256(changed)})
            try:
                believed += [(place, lie)] if sfumato.verify(public) else []
            except BadRequest:
                continue
    for file, content in kept.items():
        (public / file).write_bytes(content)
    assert believed == []


SAID: dict[str, tuple[Callable[[Document], object], str]] = {
    "measured": (lambda one: one.update(measured=99), "certifies 99 for k-anonymity, counting the file anew gives"),
    "satisfied": (
        lambda one: one.update(satisfied=False),
        "certifies that k-anonymity fails, counting the file anew gives .*, needed >= 3",
    ),
    "k": (lambda one: one["parameters"].update(k=2), r"certifies >= 3 as needed for k-anonymity, .* gives >= 2"),
    "groups": (lambda one: one.update(groups=99), "certifies 99 groups for k-anonymity"),
    "another qid": (
        lambda one: one["parameters"].update(qid=["age"]),
        "names other parameters for k-anonymity than it is judged by",
    ),
    "judged": (lambda one: one.update(judged="inside"), "names another place for k-anonymity than it is judged by"),
    "recounted": (lambda one: one.update(recounted="inside"), "names a second judge of k-anonymity"),
}


@pytest.mark.parametrize(("change", "said"), SAID.values(), ids=SAID)
def test_what_differs_is_said(change: Callable[[Document], object], said: str, folders: Callable[[str], Path]) -> None:
    public = folders("recoded")
    kept = (public / "certificate.json").read_bytes()
    document = json.loads(kept)
    del document["digest"]
    change(document["requirements"][0])
    seal(public, document)
    with pytest.raises(Contradiction, match=said) as caught:
        sfumato.verify(public)
    assert caught.value.exit_code == 1
    (public / "certificate.json").write_bytes(kept)


@pytest.mark.parametrize("where", ["top", "field"])
def test_a_schema_says_nothing_that_is_not_looked_at(where: str, folders: Callable[[str], Path]) -> None:
    public = folders("recoded")
    kept = {file: (public / file).read_bytes() for file in ("certificate.json", "schema.json")}
    document, schema = json.loads(kept["certificate.json"]), json.loads(kept["schema.json"])
    del document["digest"]
    (schema if where == "top" else schema["fields"][0])["note"] = "approved"
    changed = canonical(schema)
    (public / "schema.json").write_bytes(changed)
    seal(public, {**document, "schema_sha256": sha256(changed)})
    with pytest.raises(Contradiction, match="not checked"):
        sfumato.verify(public)
    for file, content in kept.items():
        (public / file).write_bytes(content)
