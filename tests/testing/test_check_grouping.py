"""The check of grouping algorithms catches what it promises to catch: each promise is broken here on purpose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sfumato.algorithms.groupings import anatomize, condensation, r_gather
from sfumato.algorithms.groupings.anatomize import Anatomize
from sfumato.algorithms.groupings.condensation import Condensation
from sfumato.algorithms.groupings.r_gather import RGather
from sfumato.contracts.built import Built
from sfumato.contracts.columns import made
from sfumato.releases.anatomy_pair import AnatomyPair
from sfumato.testing.check_grouping import check_grouping


def broken(words: str) -> Any:
    return pytest.raises(AssertionError, match=words)


def rng() -> np.random.Generator:
    return np.random.default_rng(4)


def test_a_requirement_that_fails_is_not_infeasible(monkeypatch: pytest.MonkeyPatch) -> None:
    one_each = lambda codes, l, rng: (np.arange(1, len(codes) + 1), np.empty(0, np.int64))  # noqa: E731
    monkeypatch.setattr(anatomize, "diverse_groups", one_each)
    with broken("no grouping exists"):
        check_grouping(Anatomize(), rng())


def test_a_generator_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    real = anatomize.diverse_groups
    monkeypatch.setattr(anatomize, "diverse_groups", lambda codes, l, _: real(codes, l, np.random.default_rng()))
    with broken("same seed"):
        check_grouping(Anatomize(), rng())
    monkeypatch.setattr(
        anatomize,
        "diverse_groups",
        lambda codes, l, rng: (np.random.random(), real(codes, l, rng))[1],  # noqa: NPY002
    )
    with broken("global generator"):
        check_grouping(Anatomize(), rng())


def test_values_of_other_records(monkeypatch: pytest.MonkeyPatch) -> None:
    real = AnatomyPair.build

    def untrue(table: Any, *given: Any, **options: Any) -> Built:
        built = real(table, *given, **options)
        qit = built.tables["qit"]
        columns = dict(zip(qit.columns, zip(*qit.to_rows(), strict=True), strict=True))
        columns["number"] = tuple(99 for _ in columns["number"])
        return replace(built, tables={**built.tables, "qit": made(columns)})

    monkeypatch.setattr(AnatomyPair, "build", untrue)
    with broken("quasi-identifiers are those of the records"):
        check_grouping(Anatomize(), rng())


def test_lost_records(monkeypatch: pytest.MonkeyPatch) -> None:
    real = condensation.condense_stream
    monkeypatch.setattr(condensation, "condense_stream", lambda points, k, progress: real(points[:-1], k, progress))
    with broken("every record is in a group"):
        check_grouping(Condensation(stream=True), rng())


def test_a_false_claim_of_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Condensation, "traits", replace(Condensation.traits, truthful=True))
    with broken("the certificate says"):
        check_grouping(Condensation(), rng())


def test_a_radius_that_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    real = r_gather.ClusterRelease.build

    def narrow(table: Any, *given: Any, **options: Any) -> Built:
        built = real(table, *given, **options)
        rows = built.tables["clusters"]
        columns = dict(zip(rows.columns, zip(*rows.to_rows(), strict=True), strict=True))
        columns["Radius"] = tuple(radius / 2 for radius in columns["Radius"])
        return replace(built, tables={**built.tables, "clusters": made(columns)})

    monkeypatch.setattr(r_gather.ClusterRelease, "build", narrow)
    with broken("outside the radius"):
        check_grouping(RGather(), rng())
