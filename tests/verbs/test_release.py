"""Every kind of release by its id: grouped by a column, cut into declared boxes, perturbed, drawn, or counted with noise."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.linked_records import records_by_group
from sfumato.catalogue import ids
from sfumato.contracts.published import Release
from sfumato.models import KAnonymity

ROWS = [
    (f"person-{i}", 20 + i % 30, "fm"[i % 2], ("Flu", "HIV", "Heart")[i % 3], 1000 + 37 * (i % 20), f"ward {i % 10}")
    for i in range(60)
]
COLUMNS = ["name", "age", "sex", "disease", "income", "ward"]
NOISE = {"id": "additive-noise", "columns": ["income"], "sigma": 30}
MOMENTS = {"id": "synthetic-moments", "columns": ["age", "income"]}

KINDS: dict[str, dict[str, Any]] = {
    "anatomy-pair": {
        "groups": "ward",
        "qid": ["age", "sex"],
        "sensitive": "disease",
        "requirements": {"id": "l-diversity-distinct", "l": 2, "sensitive": "disease"},
    },
    "permuted-table": {"groups": "ward", "qid": ["age", "sex"], "sensitive": "income"},
    "cluster-release": {
        "groups": "ward",
        "qid": ["age", "income"],
        "sensitive": "disease",
        "requirements": [{"id": "k-anonymity", "k": 3}],
        "centre": "mean",
    },
    "aggregated-table": {"groups": "ward", "qid": ["age", "sex"], "requirements": [{"id": "k-anonymity", "k": 3}]},
    "condensed-table": {"groups": "ward", "qid": ["age", "income"], "requirements": [{"id": "k-anonymity", "k": 3}]},
    "histogram-release": {"qid": "age", "cuts": {"age": [0, 30, 40, 120]}, "requirements": [KAnonymity(k=5)]},
    "perturbed-table": {
        "perturbation": NOISE,
        "columns": ["sex", "income"],
        "qid": "sex",
        "requirements": [{"id": "k-anonymity", "k": 3}],
    },
    "synthetic-table": {"perturbation": MOMENTS},
    "noisy-answers": {"queries": [{}, {"sex": "f"}], "epsilon": 1.0},
    "statistical-table": {"qid": "sex", "sensitive": "income", "min_size": 3},
}


def table(engine: str = "polars") -> Any:
    made = sfumato.from_rows(COLUMNS, ROWS)
    return made if engine == "polars" else sfumato.read(made.to_native(), engine=engine)


def made(kind: str, **changes: Any) -> Release:
    return sfumato.release(table(), kind, **{"seed": 7, **KINDS[kind], **changes})


def test_every_kind_but_the_searched_one_has_a_way() -> None:
    anonymized = dict.fromkeys(
        ("recoded-table", "personal-table", "distorted-table", "sampled-table"), r"sfumato\.anonymize"
    )
    searched = {**anonymized, "joint-table": r"sfumato\.parties\.collaborate"}
    assert set(KINDS) == set(ids("release", "table")) - set(searched)
    for kind, way in searched.items():
        with pytest.raises(sfumato.Unsupported, match=way):
            sfumato.release(table(), kind)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("kind", KINDS)
def test_built_written_verified_and_told(kind: str, engine: str, tmp_path: Path) -> None:
    if kind == "noisy-answers":
        pytest.importorskip("opendp")
    release = sfumato.release(table(engine), kind, **KINDS[kind], seed=7)
    assert release.kind == kind
    out = sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(out)
    page = (out / "private" / "report.html").read_text(encoding="utf-8")
    public = "".join(path.read_text(encoding="utf-8") for path in (out / "public").iterdir())
    for text in (page, public):
        assert "person-" not in text
        assert "ward 3" not in text
    assert '"seed":' not in public
    if kind != "noisy-answers":
        again = sfumato.publish(sfumato.release(table(), kind, **KINDS[kind], seed=7), tmp_path / "again")
        for path in (out / "public").iterdir():
            assert path.read_bytes() == (again / "public" / path.name).read_bytes()


def test_the_seed_is_fresh_and_stays_private() -> None:
    one, two = (made("anatomy-pair", seed=None) for _ in range(2))
    assert one.private.facts["seed"] != two.private.facts["seed"]
    again = made("anatomy-pair", seed=one.private.facts["seed"])
    assert again.tables["qit"].to_rows() == one.tables["qit"].to_rows()
    assert str(one.private.facts["seed"]) not in json.dumps(one.certificate.document)


# ---- groups ------------------------------------------------------------------------------------------------------------


def test_labels_become_numbers_that_tell_nothing() -> None:
    release = made("anatomy-pair")
    labels = release.private.facts["label_of_group"]
    assert sorted(map(int, labels)) == list(range(1, 11))
    assert [labels[str(number)] for number in range(1, 11)] != sorted(labels.values())
    told = {(labels[str(number)], disease): count for number, disease, count in release.tables["st"].to_rows()}
    assert told == Counter((row[5], row[3]) for row in ROWS)
    turned = sfumato.release(sfumato.from_rows(COLUMNS, ROWS[::-1]), "anatomy-pair", **KINDS["anatomy-pair"], seed=7)
    assert turned.tables["st"].to_rows() == release.tables["st"].to_rows()
    assert made("anatomy-pair", seed=8).private.facts["label_of_group"] != labels


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_without_gaps_stay(first: int) -> None:
    groups = [first + i % 5 for i in range(60)]
    release = made("anatomy-pair", groups=groups)
    held = [(row[1], row[2], row[3], group) for row, group in zip(ROWS, groups, strict=True)]
    assert Counter(records_by_group(release)) == Counter(held)
    assert made("anatomy-pair", groups=np.array(groups)).tables["st"].to_rows() == release.tables["st"].to_rows()


def test_numbers_that_may_mean_something_are_replaced() -> None:
    codes = [10115 + 7 * (i % 5) for i in range(60)]
    release = made("cluster-release", groups=codes)
    assert sorted(row[0] for row in release.tables["clusters"].to_rows()) == [1, 2, 3, 4, 5]


def test_boxes_and_centres_are_given_by_label() -> None:
    young = ["young" if row[1] < 30 else "old" for row in ROWS]
    boxes = {"young": [(0, 30)], "old": [(30, 120)]}
    release = sfumato.release(table(), "histogram-release", groups=young, qid="age", boxes=boxes)
    assert release.tables["data"].to_rows() == [(0, 30, 20), (30, 120, 40)]
    centres = {"young": 3, "old": 15}
    members = sfumato.release(table(), "cluster-release", groups=young, qid="age", centres=centres)
    assert {row[1] for row in members.tables["clusters"].to_rows()} == {float(ROWS[3][1]), float(ROWS[15][1])}
    assert any("published exactly" in text for text in members.warnings)


def test_a_grouping_that_fails_is_refused() -> None:
    with pytest.raises(sfumato.Infeasible) as caught:
        made("anatomy-pair", requirements={"id": "l-diversity-distinct", "l": 4, "sensitive": "disease"})
    assert (caught.value.measured, caught.value.requirement) == (3, "l-diversity-distinct")


# ---- boxes -------------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(-4, 4)), min_size=1, max_size=40),
    st.sets(st.integers(1, 11), max_size=4),
    st.integers(1, 5),
)
def test_boxes_are_those_of_counting_one_by_one(points: list[tuple[int, int]], inner: set[int], bins: int) -> None:
    edges = [0, *sorted(inner), 12]
    others = [-4 + 8 * i / bins for i in range(bins + 1)]
    found = sfumato.release(
        sfumato.from_rows(["x", "y"], points),
        "histogram-release",
        qid=["x", "y"],
        cuts={"x": edges, "y": {"low": -4, "high": 4, "bins": bins}},
    )

    def side(value: float, cuts: list[float]) -> tuple[float, float]:
        for low, high in pairwise(cuts):
            if low <= value < high or (value == high == cuts[-1]):
                return low, high
        raise AssertionError

    counted = Counter((*side(x, edges), *side(y, others)) for x, y in points)
    rows = {tuple(row[:4]): row[4] for row in found.tables["data"].to_rows()}
    assert {tuple(round(edge, 9) for edge in box): n for box, n in rows.items()} == {
        tuple(round(edge, 9) for edge in box): n for box, n in counted.items()
    }


def test_a_hierarchy_gives_the_boxes_of_its_level() -> None:
    spec = {"id": "intervals", "lower": 0, "width": 10, "fan_out": [2, 3]}
    by_level = {
        level: sfumato.release(table(), "histogram-release", qid="age", hierarchies={"age": spec}, level=level)
        for level in (1, 2)
    }
    by_cuts = {
        1: {"low": 0, "high": 60, "bins": 6},
        2: [0, 20, 40, 60],
    }
    for level, cuts in by_cuts.items():
        cut = sfumato.release(table(), "histogram-release", qid="age", cuts={"age": cuts})
        assert by_level[level].tables["data"].to_rows() == cut.tables["data"].to_rows()
    policy = {
        "columns": {
            **{name: {"role": "identifier"} for name in COLUMNS if name != "age"},
            "age": {"role": "quasi-identifier", "hierarchy": spec},
        },
        "requirements": [{"id": "k-anonymity", "k": 5}],
    }
    by_policy = sfumato.release(table(), "histogram-release", policy=policy)
    assert by_policy.tables["data"].to_rows() == by_level[1].tables["data"].to_rows()
    assert [verdict.model for verdict in by_policy.verdict] == ["k-anonymity"]


# ---- noise -------------------------------------------------------------------------------------------------------------


def test_answers_are_counts_with_noise_within_the_budget() -> None:
    pytest.importorskip("opendp")
    queries = [
        {},
        {"sex": "f"},
        {"question": "young with flu", "where": {"age": {"low": 20, "high": 29}, "disease": ["Flu"]}},
    ]
    release = sfumato.release(table(), "noisy-answers", queries=queries, epsilon=90)
    rows = release.tables["data"].to_rows()
    young = sum(20 <= row[1] <= 29 and row[3] == "Flu" for row in ROWS)
    # With epsilon 30 for each answer, noise other than 0 has a chance of about 2e-13.
    assert [(row[0], row[1]) for row in rows] == [
        ("all records", 60.0),
        ("records with sex f", 30.0),
        ("young with flu", float(young)),
    ]
    assert release.certificate["guarantee"]["epsilon"] <= 90
    assert all(scale * epsilon >= sensitivity * (1 - 1e-9) for _, _, epsilon, sensitivity, scale in rows)
    noisy = sfumato.release(table(), "noisy-answers", queries=[{}], epsilon=0.01)
    assert noisy.tables["data"].to_rows()[0][4] == pytest.approx(100)
    assert noisy.certificate["counts"] == {"rows_published": 1}
    assert "60" not in json.dumps({**noisy.certificate, "versions": {}, "release": {}})


def test_disjoint_questions_may_each_spend_everything() -> None:
    pytest.importorskip("opendp")
    apart = [{"sex": "f", "age": {"low": 20, "high": 29}}, {"sex": "f", "age": {"low": 30, "high": 60}}, {"sex": ["m"]}]
    release = sfumato.release(table(), "noisy-answers", queries=apart, epsilon=2, composition="parallel")
    assert release.certificate["guarantee"]["epsilon"] == pytest.approx(2)
    each = sfumato.release(table(), "noisy-answers", queries=apart, epsilon=[1, 2, 3])
    assert each.certificate["guarantee"]["epsilon"] == pytest.approx(6)
    with pytest.raises(sfumato.BadRequest, match="no record meets twice"):
        sfumato.release(
            table(), "noisy-answers", queries=[*apart, {"disease": "Flu"}], epsilon=2, composition="parallel"
        )


def test_codes_that_look_like_numbers_are_asked_about() -> None:
    pytest.importorskip("opendp")
    codes = sfumato.from_rows(["zip", "well"], [("007", True), ("7", False), ("7", True)])
    release = sfumato.release(codes, "noisy-answers", queries=[{"zip": 7}, {"well": "true"}], epsilon=90)
    assert [row[1] for row in release.tables["data"].to_rows()] == [2.0, 2.0]


def test_a_perturbed_table_states_its_procedure_and_no_value() -> None:
    release = made("perturbed-table")
    assert release.table.to_rows() == sorted(release.table.to_rows())
    statement = release.certificate["statement"]
    assert statement["mechanism"] == "additive-noise"
    assert statement["parameters"]["sigma"] == 30
    assert statement["parameters"]["facts"]["noise_sigma"] == {"income": 30.0}
    assert [verdict.qid for verdict in release.verdict] == [("sex",)]
    assert "published as they are, not perturbed: sex" in release.warnings
    twice = made(
        "perturbed-table",
        perturbation=[NOISE, {"id": "post-randomization", "column": "disease", "keep": 0.5}],
        columns=None,
    )
    text = json.dumps(twice.certificate.document)
    assert twice.certificate["statement"]["mechanism"] == "additive-noise, then post-randomization"
    assert not any(disease in text for disease in ("Flu", "HIV", "Heart"))
    assert twice.certificate["release"]["parameters"]["perturbed"] == ["disease", "income"]
    same = sfumato.perturb(table(), NOISE, seed=7)
    assert sorted(row[4] for row in same.table.to_rows()) == sorted(row[1] for row in release.table.to_rows())


def test_requirements_on_perturbed_columns_are_refused() -> None:
    for changes in (
        {"qid": "income"},
        {"qid": None, "requirements": [{"id": "k-anonymity", "k": 3, "qid": ["income"]}]},
    ):
        with pytest.raises(sfumato.Unsupported, match="show nothing"):
            made("perturbed-table", **changes)
    with pytest.raises(sfumato.Unsupported, match="what protects is the procedure"):
        made("synthetic-table", requirements=[KAnonymity(k=2)])


def test_declared_domains_can_be_checked_by_the_reader() -> None:
    pytest.importorskip("opendp")
    domains = {"sex": ["f", "m"], "age": {"low": 0, "high": 100, "bins": 10}}
    spec = {"id": "synthetic-marginals", "epsilon": 2, "domains": domains}
    release = made("synthetic-table", perturbation=spec)
    assert release.certificate["release"]["parameters"]["domains"] == {
        "sex": {"values": ["f", "m"]},
        "age": {"range": [0, 100]},
    }
    assert release.certificate["statement"]["checked"] == ["that all values lie in the declared domains"]
    assert "records_read" not in json.dumps(release.certificate.document)
    with pytest.raises(sfumato.BadRequest, match="outside the declared domain"):
        made("synthetic-table", perturbation=spec, domains={"age": {"range": [0, 1]}})


def test_a_table_made_elsewhere_is_stated_as_such(tmp_path: Path) -> None:
    drawn = sfumato.from_rows(["age", "sex"], [(31, "f"), (20, "m")])
    release = sfumato.release(drawn, "synthetic-table", mechanism="copula", settings={"family": "gaussian"})
    assert release.certificate["statement"]["parameters"] == {"family": "gaussian"}
    assert any("made elsewhere" in text for text in release.warnings)
    assert sfumato.verify(sfumato.publish(release, tmp_path / "out"))
    noisy = sfumato.release(drawn, "perturbed-table", mechanism="rounding", perturbed="age", columns=["age"])
    assert noisy.table.to_rows() == [(20,), (31,)]
    with pytest.raises(sfumato.BadRequest, match="must not hold the seed"):
        sfumato.release(drawn, "synthetic-table", mechanism="copula", settings={"seed": 7})


# ---- policies ----------------------------------------------------------------------------------------------------------


def policy(**changes: Any) -> dict[str, Any]:
    roles = {"name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "disease": "sensitive"}
    return {
        "title": "Wards",
        "columns": {**{name: {"role": role} for name, role in roles.items()}, "income": {"role": "plain"}},
        "requirements": [{"id": "l-diversity-distinct", "l": 2, "sensitive": "disease"}],
        **changes,
    }


def test_a_policy_gives_roles_requirements_and_rules(tmp_path: Path) -> None:
    rows = [*ROWS[:59], ("person-59", None, *ROWS[59][2:])]
    asked = policy()
    asked["columns"]["age"]["missing"] = "drop-record"
    release = sfumato.release(sfumato.from_rows(COLUMNS, rows), "anatomy-pair", groups="ward", policy=asked)
    assert release.tables["qit"].columns == ("age", "sex", "GroupID")
    assert release.counts["records_dropped_for_missing_values"] == 1
    assert release.certificate["dropped_columns"] == 3
    out = sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(out)
    assert "<h1>Wards</h1>" in (out / "private" / "report.html").read_text(encoding="utf-8")
    seeds = {
        sfumato.release(table(), "anatomy-pair", groups="ward", policy=policy()).private.facts["seed"] for _ in "ab"
    }
    assert len(seeds) == 2  # the seed that a policy does not name is nobody's to guess
    said = sfumato.release(table(), "anatomy-pair", groups="ward", policy=policy(seed=5))
    assert said.private.facts["seed"] == 5
    with pytest.raises(sfumato.BadRequest, match="dropped for missing values"):
        sfumato.release(
            sfumato.from_rows(COLUMNS[:5], [row[:5] for row in rows]), "anatomy-pair", groups=[1] * 60, policy=asked
        )
    hidden = policy()
    hidden["columns"]["ward"] = {"role": "identifier"}
    assert sfumato.release(table(), "anatomy-pair", groups="ward", policy=hidden).tables["qit"].rows == 60


def test_pseudonyms_have_no_place() -> None:
    asked = policy()
    asked["columns"]["name"]["pseudonym"] = True
    with pytest.raises(sfumato.Unsupported, match="pseudonyms"):
        sfumato.release(table(), "anatomy-pair", groups="ward", policy=asked)


# ---- refusals ----------------------------------------------------------------------------------------------------------

GROUPS = {"groups": "ward", "qid": "age", "sensitive": "disease"}


@pytest.mark.parametrize(
    ("kind", "arguments", "words"),
    [
        ("anatomy", {}, "did you mean 'anatomy-pair'"),
        (
            "anatomy-pair",
            {"qid": "age", "sensitive": "disease"},
            "needs a grouping.*available: name, sex, income, ward",
        ),
        ("anatomy-pair", {**GROUPS, "qid": None}, "needs the columns to publish; available: name, age, sex, income"),
        (
            "anatomy-pair",
            {**GROUPS, "sensitive": None},
            "needs a sensitive column; available: name, sex, disease, income",
        ),
        ("anatomy-pair", {**GROUPS, "groups": "wards"}, "groups.*did you mean 'ward'"),
        ("anatomy-pair", {**GROUPS, "qid": ["age", "ward"]}, "holds the groups and is not published"),
        ("anatomy-pair", {**GROUPS, "qid": ["age", "age"]}, "names a column twice"),
        ("anatomy-pair", {**GROUPS, "qid": ["agee"]}, "did you mean 'age'"),
        ("anatomy-pair", {**GROUPS, "groups": [1, 2]}, "one label for each of the 60 records, got 2"),
        ("anatomy-pair", {**GROUPS, "groups": [None] * 60}, "a record has no group"),
        ("anatomy-pair", {**GROUPS, "groups": [[1]] * 60}, "labels must be"),
        ("anatomy-pair", {**GROUPS, "form": "triple"}, "is not one of the choices"),
        ("anatomy-pair", {**GROUPS, "from": 1}, "anatomy-pair.from: is not a parameter.*available: count, form, group"),
        ("anatomy-pair", {**GROUPS, "seed": -1}, "seed: must be a whole number"),
        ("anatomy-pair", {**GROUPS, "requirements": "k-anonimity"}, "did you mean 'k-anonymity'"),
        ("permuted-table", {**GROUPS, "sensitive": ["disease", "income"]}, "must name one column"),
        ("permuted-table", GROUPS, "must hold numbers"),
        ("cluster-release", {**GROUPS, "scales": 5}, "must be a list of numbers"),
        ("cluster-release", {**GROUPS, "centres": [1]}, "must be given by group"),
        ("histogram-release", {"qid": "age"}, "cuts or hierarchies by column"),
        ("histogram-release", {"qid": "age", "cuts": {"age": [0, 40]}}, "18 records lie outside the edges"),
        ("histogram-release", {"qid": "age", "cuts": {"age": [40, 0]}}, "must rise"),
        ("histogram-release", {"qid": "age", "cuts": {"age": 3}}, "at least two numbers"),
        ("histogram-release", {"qid": "age", "cuts": {"age": {"low": 0, "high": 9}}}, "low, high and bins"),
        ("histogram-release", {"qid": "age", "cuts": {"sex": [0, 1]}}, "not a column of the boxes.*available: age"),
        ("histogram-release", {"qid": ["age", "income"], "cuts": {"age": [0, 99]}}, "'income': has neither cuts nor"),
        ("histogram-release", {"qid": "sex", "cuts": {"sex": [0, 1]}}, "must hold numbers"),
        ("histogram-release", {"qid": "age", "groups": "ward", "cuts": {"age": [0, 99]}}, "not both"),
        ("histogram-release", {"qid": "age", "groups": "ward", "boxes": {"ward 1": [(0, 9)]}}, "9 of 10 have none"),
        ("histogram-release", {"qid": "age", "groups": "ward"}, "two boxes overlap"),
        ("histogram-release", {"qid": "age", "level": 2}, "level of hierarchies, and none are given"),
        ("histogram-release", {"qid": "age", "sensitive": "sex", "cuts": {"age": [0, 99]}}, "has no use for it"),
        ("perturbed-table", {}, "needs a perturbation.*available: additive-noise, data-shuffling, data-swapping"),
        ("perturbed-table", {"perturbation": MOMENTS}, "makes a synthetic-table, not a perturbed-table"),
        ("perturbed-table", {"perturbation": NOISE, "columns": ["sex"]}, "must hold a column that was perturbed"),
        ("perturbed-table", {"perturbation": NOISE, "groups": "ward"}, "has no groups"),
        ("perturbed-table", {"perturbation": NOISE, "settings": {}}, "made elsewhere"),
        ("perturbed-table", {"perturbation": NOISE, "mechanism": "x"}, "not both"),
        ("perturbed-table", {"mechanism": "x"}, "perturbed-table.perturbed: is required and missing"),
        ("synthetic-table", {}, "available: synthetic-marginals, synthetic-moments"),
        ("synthetic-table", {"mechanism": "x", "settings": 3}, "must be a mapping by name"),
        ("synthetic-table", {"mechanism": 3}, "must be a text"),
        ("noisy-answers", {}, "noisy-answers.queries: is required and missing"),
        ("noisy-answers", {"queries": [{}]}, "noisy-answers.epsilon: is required and missing"),
        ("noisy-answers", {"queries": [{}], "epsilon": 0}, "must be a positive number"),
        ("noisy-answers", {"queries": [{}], "epsilon": [1, 2]}, "each of the 1 queries"),
        ("noisy-answers", {"queries": [], "epsilon": 1}, "needs at least one query"),
        ("noisy-answers", {"queries": [{"agee": 3}], "epsilon": 1}, "did you mean 'age'"),
        ("noisy-answers", {"queries": [{"age": "old"}], "epsilon": 1}, "'age', queries: is no integer"),
        ("noisy-answers", {"queries": [{"age": {"low": 1}}], "epsilon": 1}, "needs low and high"),
        ("noisy-answers", {"queries": [{"sex": {"low": 1, "high": 2}}], "epsilon": 1}, "numbers or dates"),
        ("noisy-answers", {"queries": [{}, {}], "epsilon": 1}, "asked twice"),
        ("noisy-answers", {"queries": [{}], "epsilon": 1, "qid": "age"}, "has no use for it"),
        ("noisy-answers", {"queries": [{}], "epsilon": 1, "composition": "serial"}, "available: sequential, parallel"),
        ("noisy-answers", {"queries": [{}], "epsilon": 1, "scale": 0}, "is not a parameter"),
    ],
)
def test_refusals_say_what_is_wrong_and_what_there_is(kind: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=words) as caught:
        sfumato.release(table(), kind, **arguments)
    assert "person-" not in str(caught.value)


def test_records_without_a_group_are_counted_not_named() -> None:
    rows = [*ROWS[:58], *((*row[:5], None) for row in ROWS[58:])]
    with pytest.raises(sfumato.BadRequest, match="'ward', groups: 2 records have no group"):
        sfumato.release(sfumato.from_rows(COLUMNS, rows), "anatomy-pair", **GROUPS)


def test_requirements_on_procedures_are_sent_to_their_audit() -> None:
    with pytest.raises(sfumato.Unsupported, match="audit"):
        made("anatomy-pair", requirements={"id": "differential-privacy", "epsilon": 1})


def test_shares_of_the_budget_never_exceed_it_together() -> None:
    pytest.importorskip("opendp")
    for count in (1, 3, 7, 29):
        queries = [{"age": 20 + i} for i in range(count)]
        release = sfumato.release(table(), "noisy-answers", queries=queries, epsilon=0.1)
        assert release.certificate["guarantee"]["epsilon"] <= 0.1


def test_a_release_without_a_recoding_is_applied_to_nothing() -> None:
    rows = {"age": [30, 32, 38, 36], "disease": ["Flu", "HIV", "Flu", "Heart"], "bucket": [1, 1, 2, 2]}
    made = sfumato.release(rows, "anatomy-pair", groups="bucket", qid="age", sensitive="disease", seed=7)
    with pytest.raises(sfumato.Unsupported, match="has no recoding"):
        sfumato.apply(made, rows)
