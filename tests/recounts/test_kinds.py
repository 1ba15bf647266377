"""Every kind of release makes the same groups of its parts a second time, from their texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.catalogue import recount, things
from sfumato.contracts.built import Built
from sfumato.contracts.certificate import RequirementEntry
from sfumato.contracts.model import TableModel
from sfumato.contracts.published import Published
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Unsupported
from sfumato.models import (
    DistinctLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    KCombinations,
    KEAnonymity,
    LKCPrivacy,
    MConfidentiality,
    PersonalFrequency,
    TCloseness,
)
from sfumato.publishing.folder import write_public
from sfumato.publishing.recounting import Recounts
from sfumato.recounts._written import Written
from sfumato.releases import (
    AggregatedTable,
    AnatomyPair,
    ClusterRelease,
    CondensedTable,
    DistortedTable,
    PermutedTable,
    PersonalTable,
    PerturbedTable,
    StatisticalTable,
)
from sfumato.releases.personal_table import PersonalBlock
from sfumato.tables.build import given_release

COLUMNS = ["Age", "Zip", "Ill", "Drug", "Pay", "Weight"]
Row = tuple[Any, ...]

# Kinds that promise nothing of groups: what protects is the procedure.
WITHOUT = {"noisy-answers", "sampled-table", "synthetic-table"}

SIZES: list[TableModel] = [KAnonymity(k=2)]
GROUPED: list[TableModel] = [
    KAnonymity(k=1),
    FrequencyLDiversity(l=1.5, sensitive="Ill"),
    DistinctLDiversity(l=2, sensitive="Ill"),
    TCloseness(t=0.4, sensitive="Ill", ground_distance="equal"),
    LKCPrivacy(L=1, K=2, C=0.5, sensitive="Ill"),
]


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def blocks(groups: Sequence[int]) -> list[PersonalBlock]:
    """The first group shares general values, and gets a row that stands for nobody."""
    members = np.flatnonzero(np.array(groups) == groups[0])
    return [PersonalBlock(members, ("*", "[0-99]"), ("Flu",))]


KINDS: dict[str, Callable[[Any, Sequence[int]], tuple[Built, list[TableModel]]]] = {
    "pair": lambda table, groups: (AnatomyPair.build(table, groups, ["Age", "Zip"], "Ill", rng()), GROUPED),
    "pair of two": lambda table, groups: (
        AnatomyPair.build(table, groups, ["Age", "Zip"], ["Ill", "Drug"], rng(), count="Number"),
        [*GROUPED, FrequencyLDiversity(l=1, sensitive="Drug")],
    ),
    "bucketized": lambda table, groups: (
        AnatomyPair.build(table, groups, ["Age", "Zip"], "Ill", rng(), form="bucketized"),
        GROUPED,
    ),
    "permuted": lambda table, groups: (
        PermutedTable.build(table, groups, ["Age", "Zip"], "Pay", rng()),
        [KAnonymity(k=1), KEAnonymity(k=2, e=1, sensitive="Pay")],
    ),
    "clusters": lambda table, groups: (ClusterRelease.build(table, groups, ["Age"], "Ill"), [*SIZES, *GROUPED]),
    "clusters alone": lambda table, groups: (
        ClusterRelease.build(table, groups, ["Age", "Pay"], centre="mean"),
        [*SIZES, KCombinations(k=2, size=2)],
    ),
    "condensed": lambda table, groups: (CondensedTable.build(table, groups, ["Age", "Pay"], rng()), SIZES),
    "statistical": lambda table, groups: (
        StatisticalTable.build(
            table, ["Zip"], total="Pay", suppressed=[*[False] * (table.distinct(["Zip"]) - 1), True]
        ),
        SIZES,
    ),
    "aggregated": lambda table, groups: (
        AggregatedTable.build(table, groups, ["Age", "Zip"], beside=["Ill"]),
        [*SIZES, *GROUPED],
    ),
    "perturbed": lambda table, groups: (
        PerturbedTable.build(table, ["Pay"], mechanism="noise"),
        [KAnonymity(k=2, qid=("Zip",)), FrequencyLDiversity(l=1.5, sensitive="Ill", qid=("Zip",))],
    ),
    "weighted": lambda table, groups: (
        PerturbedTable.build(table, ["Pay"], mechanism="noise", weights="Weight"),
        [KAnonymity(k=2, qid=("Zip",)), FrequencyLDiversity(l=1.5, sensitive="Ill", qid=("Zip",))],
    ),
    "distorted": lambda table, groups: (
        DistortedTable.build(table, ["Zip"], "Ill", mechanism="some"),
        [
            KAnonymity(k=2, qid=("Zip",)),
            MConfidentiality(m=2, sensitive="Ill", qid=("Zip",), requirement={"id": "k-anonymity", "k": 2}),
        ],
    ),
    "personal": lambda table, groups: (
        PersonalTable.build(table, ["Zip", "Age"], "Ill", blocks(groups), left_out=[len(groups) - 1]),
        [
            PersonalFrequency(th_acct="0.2", sensitive="Ill"),
            PersonalFrequency(th_acct=0.5, sensitive="Ill", min_block_size=3),
        ],
    ),
}

rows = st.lists(
    st.tuples(
        st.integers(30, 32),
        st.sampled_from(["007", "008", "0,10"]),
        st.sampled_from(["Flu", "HIV", 'Heart "left"']),
        st.sampled_from("xy"),
        st.integers(0, 5),
        st.sampled_from([1.0, 2.5, 1.25]),
    ),
    min_size=2,
    max_size=14,
)


FIXED: list[Row] = [
    (30, "007", "Flu", "x", 1, 1.0),
    (31, "007", "HIV", "y", 2, 2.5),
    (30, "008", 'Heart "left"', "x", 4, 1.25),
    (32, "008", "Flu", "y", 5, 1.0),
    (32, "0,10", "HIV", "y", 5, 1.0),
    (30, "0,10", "Flu", "x", 0, 2.5),
]


def compare(built: Built, models: Sequence[TableModel], again: Recounts) -> None:
    for model in models:
        (verdict,) = built.kind.verify(built.tables, [model], ["Age", "Zip"], built.beside)
        found = again.judge(model)
        if verdict.strongest is None or found.level.measured is None:
            assert verdict.strongest is found.level.measured
        else:
            assert isclose(verdict.strongest, found.level.measured, rel_tol=1e-9)
        assert (found.level.satisfied, found.level.violating == 0) == (verdict.satisfied, verdict.satisfied)
        assert (found.groups, found.records) == (verdict.groups, int(verdict.records))


def test_every_kind_that_has_groups_makes_them_a_second_time() -> None:
    kinds = {kind.id: kind for kind in things("release", "table")}
    assert {name for name, kind in kinds.items() if recount(kind) is None} == WITHOUT


@pytest.mark.parametrize("name", list(KINDS))
@settings(max_examples=25)
@given(data=st.data())
def test_recount_and_kind_agree(name: str, data: st.DataObject) -> None:
    held = [FIXED[0], *data.draw(rows)]
    groups = data.draw(st.lists(st.integers(3, 5), min_size=len(held), max_size=len(held)))
    built, models = KINDS[name](from_rows(COLUMNS, held), groups)
    published = Published(form=built.kind, tables=built.tables)
    compare(built, models, Recounts(published, built.beside, ["Age", "Zip"]))


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("name", list(KINDS))
def test_recount_and_kind_agree_on_written_files(name: str, form: str, tmp_path: Path) -> None:
    built, models = KINDS[name](from_rows(COLUMNS, FIXED), [1, 1, 2, 2, 1, 2])
    again = Recounts(Published(form=built.kind, tables=built.tables), built.beside, ["Age", "Zip"])
    parts = {}
    for part, table in built.tables.items():
        table.write(tmp_path / f"{part}.{form}", form, separator=";")
        parts[part] = Written(tmp_path / f"{part}.{form}", table.columns, form, ";")
    again.__dict__["_parts"] = parts
    compare(built, models, again)
    assert {again.way(model) for model in models} == {"plain"}


def test_what_a_kind_cannot_show_is_refused_a_second_time() -> None:
    groups = [1, 1, 2, 2, 1, 2]
    wrong: list[tuple[str, TableModel]] = [
        ("condensed", FrequencyLDiversity(l=2, sensitive="Ill")),
        ("statistical", LKCPrivacy(L=1, K=2)),
        ("perturbed", FrequencyLDiversity(l=2, sensitive="Pay")),
        ("personal", PersonalFrequency(sensitive="Drug")),
    ]
    for name, model in wrong:
        built, _ = KINDS[name](from_rows(COLUMNS, FIXED), groups)
        with pytest.raises((Unsupported, BadRequest)):
            built.kind.verify(built.tables, [model], ["Age"])
        with pytest.raises((Unsupported, BadRequest)):
            Recounts(Published(form=built.kind, tables=built.tables), built.beside, ["Age"]).judge(model)


def test_counts_that_do_not_add_up_are_refused() -> None:
    built, _ = KINDS["pair"](from_rows(COLUMNS, FIXED), [1, 1, 2, 2, 1, 2])
    st_rows = [(*row[:-1], row[-1] + 1) for row in built.tables["st"].to_rows()]
    tables = {**built.tables, "st": from_rows(built.tables["st"].columns, st_rows)}
    with pytest.raises(BadRequest, match="other counts"):
        Recounts(Published(form=built.kind, tables=tables)).judge(FrequencyLDiversity(l=1, sensitive="Ill"))


def test_a_release_of_parts_says_who_judged_it_again(tmp_path: Path) -> None:
    built, _ = KINDS["pair"](from_rows(COLUMNS, FIXED), [1, 1, 2, 2, 1, 2])
    models = [FrequencyLDiversity(l=1, sensitive="Ill"), KAnonymity(k=1)]
    written = write_public(given_release(built, models), tmp_path / "public", "csv", ",")
    entries: Sequence[RequirementEntry] = written.certificate.requirements
    assert [entry.recounted for entry in entries] == ["plain", "plain"]
