"""The common check of perturbations catches what it promises to catch: each promise is broken here on purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato import catalogue
from sfumato.contracts.perturbation import Perturbation, PerturbationTraits, Perturbed
from sfumato.contracts.thing import Thing
from sfumato.errors import Unsupported
from sfumato.perturbations.microaggregation import Microaggregation
from sfumato.perturbations.rank_swapping import RankSwapping
from sfumato.perturbations.synthetic_moments import SyntheticMoments
from sfumato.testing import check_thing as thing_checks
from sfumato.testing.checks import check, check_perturbation

TABLE = sfumato.from_rows(["age", "sex"], [(3, "f"), (1, "m"), (4, "f"), (15, "m"), (9, "m")])

Listed = Callable[[type[Thing]], type[Any]]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Listed:
    """Let the checks find samples of these tests, which lie in no room of the catalogue, under their id."""
    samples: dict[str, type[Thing]] = {}
    real = catalogue.find

    def add(thing: type[Thing]) -> type[Any]:
        samples[thing.id] = thing
        return thing

    def find(name: str, kind: str | None = None) -> type[Thing]:
        return samples.get(name) or real(name, kind)

    monkeypatch.setattr(thing_checks, "find", find)
    return add


def changed(base: type[Thing], **members: Any) -> type[Any]:
    return dataclass(frozen=True, kw_only=True)(type(base.__name__, (base,), {"__doc__": base.__doc__, **members}))


def swapped(self: Any, table: sfumato.Table, rng: np.random.Generator, **update: Any) -> Perturbed:
    """Do the honest work, then change the result."""
    return replace(RankSwapping.draw(self, table, rng), perturbation=self, **update)


def with_traits(**traits: Any) -> PerturbationTraits:
    return replace(RankSwapping.traits, **traits)


def fresh(self: Any, table: sfumato.Table, rng: np.random.Generator) -> Perturbed:
    return swapped(self, table, np.random.default_rng())


def still(self: Any, table: sfumato.Table, rng: np.random.Generator) -> Perturbed:
    rng.random()
    return swapped(self, table, np.random.default_rng(1))


def loud(self: Any, table: sfumato.Table, rng: np.random.Generator) -> Perturbed:
    np.random.rand()  # noqa: NPY002
    return swapped(self, table, rng)


def shorter(self: Any, table: sfumato.Table, rng: np.random.Generator) -> Perturbed:
    honest = RankSwapping.draw(self, table, rng)
    return replace(honest, columns={"age": honest.values("age")[1:]}, rows=table.rows - 1)


def uneven(self: Any, table: sfumato.Table, rng: np.random.Generator) -> Perturbed:
    honest = RankSwapping.draw(self, table, rng)
    return replace(honest, columns={"age": honest.values("age")[1:]})


def helpful(self: Any, table: sfumato.Table, rng: np.random.Generator) -> Perturbed:
    """Take any first column where the named one is missing."""
    if "age" not in table.types:
        table = sfumato.from_rows(["age"], table.to_rows())
    return swapped(self, table, rng)


def without_check(self: Any, table: sfumato.Table, rng: Any) -> Perturbed:
    return RankSwapping.draw(self, table, rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng))


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"traits": with_traits(records="some")}, "records is one of"),
    ({"traits": with_traits(randomness="a coin")}, "randomness is one of"),
    ({"traits": with_traits(truthful=True)}, "no perturbation is truthful"),
    ({"traits": with_traits(formal=True)}, "a guarantee is stated: formal=True"),
    ({"traits": with_traits(randomness="none")}, "the seed does not matter"),
    ({"traits": with_traits(randomness="not seedable")}, "not repeated by a seed"),
    ({"draw": fresh}, "the same seed gives the same table"),
    ({"draw": still}, "another seed gives another table"),
    ({"draw": still, "traits": with_traits(randomness="none")}, "the generator is not touched"),
    ({"draw": loud}, "the global generator of NumPy"),
    ({"draw": shorter}, "stay in number"),
    ({"draw": uneven}, "a value for each row"),
    ({"draw": helpful}, "a column that is not there is refused"),
    ({"draw": lambda self, table, rng: swapped(self, table, rng, keeps=())}, "says what it keeps"),
    ({"draw": lambda self, table, rng: swapped(self, table, rng, columns={})}, "has columns"),
    ({"draw": lambda self, table, rng: swapped(self, table, rng, facts={"seed": 4})}, "holds no seed"),
    ({"draw": lambda self, table, rng: swapped(self, table, rng, facts={"guarantee": 1})}, "formal=False"),
    (
        {"draw": lambda self, table, rng: swapped(self, table, rng, columns={"more": [0] * table.rows})},
        "no column is invented unless",
    ),
    ({"draw": lambda self, table, rng: swapped(self, table, rng, dropped=("age",))}, "dropped columns are gone"),
    ({"draw": lambda self, table, rng: swapped(self, table, rng, dropped=("weight",))}, "dropped columns are gone"),
    ({"draw": lambda self, table, rng: swapped(RankSwapping(column="age", p=1), table, rng)}, "names its perturbation"),
    ({"apply": without_check}, "a seed in place of a generator is refused"),
    ({"_check_range": lambda self, name, rule, value: None}, "is accepted"),
]


@pytest.mark.parametrize(("members", "words"), BROKEN, ids=[words for _, words in BROKEN])
def test_every_promise(listed: Listed, rng: np.random.Generator, members: dict[str, Any], words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        check_perturbation(listed(changed(RankSwapping, **members))(column="age", p=40), TABLE, rng)


def test_columns_may_take_the_place_of_others(listed: Listed, rng: np.random.Generator) -> None:
    def draw(self: Any, table: sfumato.Table, generator: np.random.Generator) -> Perturbed:
        honest = RankSwapping.draw(self, table, generator)
        return replace(honest, columns={"exchanged": np.array(honest.values("age"))}, dropped=("age",))

    check_perturbation(listed(changed(RankSwapping, draw=draw))(column="age", p=40), TABLE, rng)


def test_honest_ones_pass(rng: np.random.Generator) -> None:
    check_perturbation(RankSwapping(column="age", p=40), TABLE, rng)
    check_perturbation(Microaggregation(columns=("age",), k=2), TABLE, rng)
    check_perturbation(SyntheticMoments(columns=("age", "sex"), records=7), TABLE, rng)


def test_a_missing_library_is_no_broken_promise(listed: Listed, rng: np.random.Generator) -> None:
    def draw(self: Any, table: sfumato.Table, generator: np.random.Generator) -> Perturbed:
        RankSwapping.draw(self, table, generator)
        raise Unsupported("needs a library that is not there", thing="some library")

    check_perturbation(listed(changed(RankSwapping, draw=draw))(column="age", p=40), TABLE, rng)


def test_the_example_must_show_a_table(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RankSwapping, "__doc__", (RankSwapping.__doc__ or "").replace("table", "data"))
    with pytest.raises(AssertionError, match="calls its table 'table'"):
        check(RankSwapping, rng)


def test_every_perturbation_of_the_catalogue_comes_here(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr("sfumato.testing.checks.check_perturbation", lambda built, table, rng: seen.append(built.id))
    found = [thing for thing in catalogue.things("perturbation") if issubclass(thing, Perturbation)]
    for thing in found:
        check(thing, np.random.default_rng(1))
    assert set(seen) == {thing.id for thing in found}
