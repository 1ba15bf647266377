"""How an adversary reads each kind of release: what a row stands for, and which of its values are a person's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato import catalogue
from sfumato.contracts.columns import made
from sfumato.contracts.finding import Findings
from sfumato.contracts.release import ReleaseKind
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.releases import (
    AggregatedTable,
    AnatomyPair,
    ClusterRelease,
    CondensedTable,
    DistortedTable,
    HistogramRelease,
    JointTable,
    NoisyAnswers,
    PermutedTable,
    PersonalTable,
    PerturbedTable,
    RecodedTable,
    SampledTable,
    StatisticalTable,
    SyntheticTable,
)
from sfumato.releases.personal_table import PersonalBlock
from sfumato.tables.seen import open_seen

ROWS = [(30, 10, "Flu"), (31, 12, "HIV"), (32, 11, "Flu"), (60, 50, "Flu"), (62, 52, "Flu"), (64, 54, "Ulcer")]
RAW = from_rows(["Age", "Pay", "Disease"], ROWS)
PEOPLE = from_rows(["Name", "Age", "Pay"], [(f"person {at}", age, pay) for at, (age, pay, _) in enumerate(ROWS)])
GROUPS = [1, 1, 1, 2, 2, 2]
KNOWN = ["Age", "Pay"]


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def published(built: Any, roles: Mapping[str, str] | None = None) -> Any:
    """Return what was built as something that can be audited."""
    from sfumato.contracts.published import Published
    from sfumato.data.schema import Role

    given = {name: Role(role) for name, role in (roles or {}).items()}
    return Published(form=built.kind, tables=built.tables, roles={**given, **built.kind.roles()})


PLAIN = {"Age": "quasi-identifier", "Pay": "quasi-identifier", "Disease": "sensitive"}


def tried(found: Findings) -> dict[str, tuple[int, float]]:
    return {one.attack: (one.after.victims, one.after.highest) for one in found.tried}


def reasons(found: Findings) -> dict[str, str]:
    return {one.attack: one.reason for one in found.untried}


def test_clusters_count_with_their_sizes_and_are_reached_by_their_radius() -> None:
    built = ClusterRelease.build(RAW, GROUPS, KNOWN, "Disease", scales=[2.0, 1.0])
    found = sfumato.audit(published(built), raw=RAW, external=PEOPLE, name="Name")
    assert found.records == 6
    assert tried(found)["uniqueness"] == (6, 0.0)
    assert tried(found)["attacker-risk"] == (6, pytest.approx(1 / 3))
    assert tried(found)["attack-attribute-linkage"] == (6, pytest.approx(2 / 3))
    linked = found.of("linking-attack").after
    assert (linked.details["linked"], linked.details["least_matching_rows"]) == (6, 3)
    before = found.of("attacker-risk").before
    assert before is not None
    assert (before.victims, before.highest) == (6, 1.0)


def test_a_person_on_the_edge_of_a_cluster_is_reached() -> None:
    random = rng()
    points = [(float(a), float(b)) for a, b in random.normal(1e6, 1.0, (200, 2))]
    table = from_rows(["X", "Y"], points)
    people = from_rows(["Name", "X", "Y"], [(str(at), *point) for at, point in enumerate(points)])
    for centre in ("member", "mean"):
        built = ClusterRelease.build(
            table, [at // 2 for at in range(200)], ["X", "Y"], scales=[3.0, 0.1], centre=centre
        )
        found = sfumato.attack(published(built), external=people, name="Name")
        assert found.details["linked"] == 200


def test_boxes_count_with_their_counts_and_are_known_by_the_columns_they_were_made_from() -> None:
    built = HistogramRelease.build(RAW, GROUPS, KNOWN, boxes={1: [(0, 40), (0, 60)], 2: [(40, 90), (0, 60)]})
    found = sfumato.audit(published(built), raw=RAW, external=PEOPLE, name="Name")
    assert found.records == 6
    assert tried(found)["uniqueness"] == (6, 0.0)
    assert tried(found)["linking-attack"] == (6, pytest.approx(1 / 3))
    assert found.of("attacker-risk").columns == ("Age", "Pay")


def test_a_column_called_count_is_no_count() -> None:
    table = from_rows(["Count", "Pay"], [(age, pay) for age, pay, _ in ROWS])
    built = HistogramRelease.build(table, GROUPS, ["Count", "Pay"], count="Records")
    found = sfumato.audit(published(built), raw=table)
    assert found.records == 6
    assert tried(found)["attacker-risk"] == (6, pytest.approx(1 / 3))


def test_cells_of_a_statistical_table_count_with_their_counts() -> None:
    areas = from_rows(["area", "pay"], [("north", 10), ("north", 12), ("south", 90)])
    built = StatisticalTable.build(areas, ["area"], total="pay", suppressed=[False, True], least=2)
    found = sfumato.audit(published(built))
    assert found.records == 2
    assert tried(found)["attacker-risk"] == (2, 0.5)


def test_rows_that_were_drawn_are_nobody() -> None:
    numbers = RAW.select(KNOWN)
    drawn = CondensedTable.build(numbers, GROUPS, KNOWN, rng())
    synthetic = SyntheticTable.build(numbers, mechanism="condensation")
    for built in (drawn, synthetic):
        roles = dict.fromkeys(KNOWN, "quasi-identifier")
        found = sfumato.audit(published(built, roles), raw=RAW, external=PEOPLE, name="Name")
        assert found.tried == ()
        assert "true of nobody" in reasons(found)["linking-attack"]
        assert "true of nobody" in reasons(found)["uniqueness"]
        with pytest.raises(BadRequest, match="true of nobody"):
            sfumato.attack(published(built, roles), "uniqueness")


def test_rows_that_were_drawn_can_still_be_guesses() -> None:
    numbers = RAW.select(KNOWN)
    built = SyntheticTable.build(numbers, mechanism="condensation")
    control = from_rows(KNOWN, [(20 + at, at) for at in range(6)])
    found = sfumato.audit(published(built, dict.fromkeys(KNOWN, "quasi-identifier")), raw=numbers, control=control)
    assert "singling-out" in tried(found)


def test_answers_to_questions_are_no_persons() -> None:
    built = NoisyAnswers.build(["records"], [6.4], mechanism="laplace", epsilon=1.0)
    found = sfumato.audit(published(built), raw=RAW)
    assert found.tried == ()
    assert {one.attack for one in found.untried} == set(catalogue.ids("attack", "table"))


def test_what_was_changed_at_random_is_not_linked_by_and_not_learnt() -> None:
    built = PerturbedTable.build(RAW, ["Pay"], mechanism="additive-noise")
    found = sfumato.audit(published(built, PLAIN), raw=RAW)
    assert found.of("attacker-risk").columns == ("Age",)
    everything = PerturbedTable.build(RAW, [*KNOWN, "Disease"], mechanism="alpha-beta")
    found = sfumato.audit(published(everything, PLAIN), raw=RAW)
    assert found.tried == ()
    assert "changed at random" in reasons(found)["uniqueness"]
    with pytest.raises(BadRequest, match="Pay was changed at random"):
        sfumato.attack(published(built, PLAIN), "uniqueness", qid=KNOWN)


def test_a_value_that_was_changed_is_not_disclosed_by_linking() -> None:
    built = PerturbedTable.build(RAW, ["Disease"], mechanism="randomized-response")
    found = sfumato.audit(published(built, PLAIN), external=PEOPLE, name="Name")
    assert found.of("linking-attack").after.details["attribute_disclosures"] == 0
    assert found.of("linking-attack").after.details["record_disclosures"] == 6
    assert "Disease was changed at random" in reasons(found)["attack-attribute-linkage"]


def test_a_sampled_row_stands_for_its_group() -> None:
    sample = from_rows(["Age", "Disease", "G"], [("[30-40)", "Flu", 3), ("[60-70)", "Flu", 3)])
    built = PerturbedTable.build(sample, ["Disease"], mechanism="perturbed-generalization", weights="G")
    found = sfumato.audit(published(built, {"Age": "quasi-identifier", "Disease": "sensitive"}))
    assert found.records == 6
    assert tried(found)["attacker-risk"] == (6, pytest.approx(1 / 3))
    assert tried(found)["uniqueness"] == (6, 0.0)


def test_what_stands_for_a_group_is_nobodys_own_value() -> None:
    built = AggregatedTable.build(RAW, GROUPS, KNOWN, beside=["Disease"])
    found = sfumato.audit(published(built, PLAIN), external=PEOPLE, name="Name")
    assert tried(found)["attacker-risk"] == (6, pytest.approx(1 / 3))
    assert "stands for a group" in reasons(found)["linking-attack"]
    with pytest.raises(BadRequest, match="stands for a group"):
        sfumato.attack(published(built, PLAIN), "linking-attack", external=PEOPLE, name="Name")


def test_added_rows_are_no_records() -> None:
    block = PersonalBlock(np.array([0, 1, 2]), ("*", "*"), ("Ulcer", "Ulcer"))
    built = PersonalTable.build(RAW, KNOWN, "Disease", [block])
    found = sfumato.audit(published(built))
    assert found.records == 6
    assert "2 of the published rows stand for nobody" in found.of("uniqueness").after.warnings[0]


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_readings_do_not_depend_on_the_engine(engine: str) -> None:
    held = made({name: [row[at] for row in ROWS] for at, name in enumerate(RAW.columns)}, engine)
    built = ClusterRelease.build(held, GROUPS, KNOWN, "Disease")
    seen, knowledge = open_seen(published(built))
    assert sorted(seen.groups(knowledge).sizes.tolist()) == [3, 3]


KINDS: Sequence[type[ReleaseKind]] = (
    *(AggregatedTable, AnatomyPair, ClusterRelease, CondensedTable, DistortedTable, HistogramRelease, JointTable),
    *(NoisyAnswers, PermutedTable, PersonalTable, PerturbedTable, RecodedTable, SampledTable, StatisticalTable),
    SyntheticTable,
)


def test_every_kind_that_is_not_rows_of_records_says_how_it_is_read() -> None:
    assert {kind.id for kind in KINDS} == set(catalogue.ids("release", "table"))
    silent = {kind.id for kind in KINDS if kind.seen is ReleaseKind.seen}
    assert silent == {"condensed-table", "noisy-answers", "sampled-table", "synthetic-table"}
    assert all(kind.traits.published == "statistics" for kind in KINDS if kind.id in silent)
