"""Records of several holders brought together: what does not fit is refused in words, and no refusal names a person."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import sfumato
from sfumato.cli.main import app
from sfumato.errors import BadRequest, Infeasible, SfumatoError, Unsupported
from sfumato.parties import Contract, collaborate, simulate
from sfumato.parties.plan import planned
from sfumato.parties.release import ledger_words
from sfumato.parties.vertical import joining_values, split_table
from sfumato.releases import JointTable

TREE = {
    "value": "any",
    "children": [{"value": "blue", "children": [{"value": "mover"}, {"value": "cook"}]}, {"value": "clerk"}],
}


def contract(**changed: Any) -> dict[str, Any]:
    return {
        "holders": {"shop": {"person": "id", "columns": ["age", "ill"]}, "bank": {"person": "ssn", "columns": ["job"]}},
        "columns": {
            "age": {"role": "quasi-identifier", "range": [0, 100]},
            "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": TREE}},
            "ill": {"role": "sensitive"},
            "pays": {"role": "target"},
        },
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "metrics": ["loss"],
        "seed": 1,
        **changed,
    }


def tables(**changed: Any) -> dict[str, dict[str, list[Any]]]:
    persons = [f"p{at}" for at in range(12)]
    shop = {
        "id": persons,
        "age": [20, 21, 30, 35, 40, 41, 50, 55, 60, 61, 70, 75],
        "ill": ["flu", "cold"] * 6,
        "pays": ["no"] * 6 + ["yes"] * 6,
    }
    bank = {"ssn": [f" {one} " for one in reversed(persons)], "job": ["mover", "cook", "clerk"] * 4}
    return {"shop": {**shop, **changed.get("shop", {})}, "bank": {**bank, **changed.get("bank", {})}}


def test_a_release_is_certified_and_tells_what_each_role_learnt(tmp_path: Any) -> None:
    release = simulate(contract(), tables())
    assert release.verdict.satisfied
    assert isinstance(release.form, JointTable)
    assert release.form.holders == ("shop", "bank")
    assert release.certificate.algorithm.id == "ppmashup-semi-honest"
    assert "loss" in release.measured
    folder = sfumato.publish(release, tmp_path / "release")
    assert sfumato.verify(folder / "public")
    page = (folder / "public" / "report.html").read_text(encoding="utf-8")
    assert "which column it is in" in page
    assert "nothing here protects from one that did not" in page
    assert "Bytes that travelled" in (folder / "private" / "report.html").read_text(encoding="utf-8")
    written = "".join(path.read_text("utf-8") for path in (folder / "public").iterdir())
    assert "p11" not in written
    again = simulate(contract(), tables())
    assert again.table.content_digest() == release.table.content_digest()


def test_what_is_not_masked_stays_in_its_group_and_leaves_its_row() -> None:
    found = collaborate(contract(), tables())
    assert found.raw is not None
    groups = list(zip(cells(found.table, "age"), cells(found.table, "job"), strict=True))
    before, after = (sorted(zip(groups, cells(table, "ill"), strict=True)) for table in (found.raw, found.table))
    assert before == after
    assert len(set(groups)) < len(groups)
    assert any(
        cells(collaborate(contract(seed=seed), tables()).table, "ill") != cells(found.raw, "ill") for seed in (1, 2)
    )


def cells(table: Any, name: str) -> list[Any]:
    held = table.dictionary(name).values
    return [held[code] for code in table.as_rows().codes([name])[:, 0]]


def test_the_ledger_says_who_learnt_what() -> None:
    words = ledger_words(collaborate(contract(), tables()).ledger)
    assert any("bank and shop" in sentence and "class" in sentence for sentence in words)
    assert any("whoever gets the release" in sentence for sentence in words)
    pairwise = collaborate(contract(protocol={"id": "ppmashup-semi-honest", "winner": "pairwise"}), tables())
    assert not any("score" in sentence for sentence in ledger_words(pairwise.ledger))


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (
            {
                "holders": {
                    "shop": {"person": "id", "columns": ["age", "ill", "job"]},
                    "bank": {"person": "ssn", "columns": ["job"]},
                }
            },
            "one holder",
        ),
        (
            {"holders": {"shop": {"person": "id", "columns": ["age", "ill"]}, "bank": {"person": "ssn"}}},
            "brought by no holder",
        ),
        (
            {
                "holders": {
                    "shop": {"person": "id", "columns": ["age", "ill", "wage"]},
                    "bank": {"person": "ssn", "columns": ["job"]},
                }
            },
            "not among the columns",
        ),
        (
            {"holders": {"shop": {"columns": ["age", "ill"]}, "bank": {"person": "ssn", "columns": ["job"]}}},
            "is required",
        ),
        ({"holders": {"shop": {"person": "id", "columns": ["age", "ill", "job"]}}}, "at least 2"),
        ({"requirements": [{"id": "k-anonymity", "k": 0}]}, "k"),
        ({"requirements": [{"id": "k-anonymity", "k": 2, "qid": ["age", "wage"]}]}, "wage"),
        ({"protocol": {"id": "ppmashup-rational", "epsilon": -1}}, "epsilon"),
        ({"protocol": {"id": "no-such"}}, "no-such"),
        ({"protocol": {"id": "qid-reachability"}}, "joint table"),
        ({"protocol": {"id": "ppmashup-rational", "score": "loss-decrease"}}, "score"),
        ({"limits": {"suppress_at_most": 0.1}}, "not agreed"),
        ({"align": "perhaps"}, "align"),
        (
            {
                "holders": {
                    "../shop": {"person": "id", "columns": ["age", "ill"]},
                    "bank": {"person": "ssn", "columns": ["job"]},
                }
            },
            "letters",
        ),
        (
            {
                "holders": {
                    "shop": {"person": "job", "columns": ["age", "ill"]},
                    "bank": {"person": "ssn", "columns": ["job"]},
                }
            },
            "never published",
        ),
        ({"holder": {}}, "holder"),
        ({"requirements": [{"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"}]}, "ppmashup-beyond-k"),
    ],
)
def test_contracts_that_cannot_be_kept_are_refused(changed: dict[str, Any], told: str) -> None:
    with pytest.raises((BadRequest, Unsupported), match=told):
        collaborate(contract(**changed), tables())


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"shop": {"id": [f"p{at}" for at in range(11)] + ["p3"]}}, "there already"),
        ({"shop": {"id": [f"p{at}" for at in range(11)] + [None]}}, "without a name"),
        ({"shop": {"id": [f"q{at}" for at in range(12)]}}, "another holder does not have"),
        ({"shop": {"id": [f"p{at}" for at in range(11)] + ["p99"]}}, "1 person that"),
        ({"bank": {"pays": ["no"] * 12}}, "differs between holders for 6"),
        ({"bank": {"wage": list(range(12))}}, "does not name"),
        ({"shop": {"age": [200] * 12}}, "range"),
        ({"shop": {"age": [None, *range(11)]}}, "missing"),
        ({"bank": {"job": ["baker"] * 12}}, "job"),
    ],
)
def test_tables_that_do_not_fit_are_refused_and_nobody_is_named(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(SfumatoError, match=told) as caught:
        collaborate(contract(), tables(**changed))
    assert "p3" not in str(caught.value)
    assert "p99" not in str(caught.value)


def test_more_records_than_there_are_cannot_look_alike() -> None:
    with pytest.raises(Infeasible):
        collaborate(contract(requirements=[{"id": "k-anonymity", "k": 13}]), tables())


def test_numbers_need_a_range_that_all_know_and_texts_a_hierarchy() -> None:
    columns = contract()["columns"]
    with pytest.raises(BadRequest, match="smallest and the largest"):
        collaborate(contract(columns={**columns, "age": {"role": "quasi-identifier"}}), tables())
    with pytest.raises(BadRequest, match="hierarchy"):
        collaborate(contract(columns={**columns, "job": {"role": "quasi-identifier"}}), tables())
    rare = {"role": "quasi-identifier", "hierarchy": {"id": "frequency", "at_least": 2}}
    with pytest.raises(BadRequest, match="how often"):
        collaborate(contract(columns={**columns, "job": rare}), tables())


def test_persons_that_all_have_can_be_taken() -> None:
    fewer = tables(shop={"id": [f"p{at}" for at in range(11)] + ["p99"]})
    assert collaborate(contract(align="intersection"), fewer).table.rows == 11
    with pytest.raises(BadRequest, match="no person in common"):
        collaborate(contract(align="intersection"), tables(shop={"id": [f"q{at}" for at in range(12)]}))


def test_holders_of_the_contract_and_of_the_tables_are_the_same() -> None:
    with pytest.raises(BadRequest, match="those of the contract"):
        collaborate(contract(), {"shop": tables()["shop"]})


def test_missing_values_are_treated_as_one_holder_of_everything_would() -> None:
    held = tables()
    held["shop"]["pays"][3] = held["shop"]["ill"][4] = held["bank"]["job"][5] = None
    columns = contract()["columns"]
    for name in ("pays", "ill", "job"):
        with pytest.raises(BadRequest, match="missing value"):
            collaborate(contract(columns=columns), held)
        columns = {**columns, name: {**columns[name], "missing": "own-value"}}
    release = simulate(contract(columns=columns), held)
    assert "?" in release.table.dictionary("pays").values
    assert "?" in release.table.dictionary("ill").values
    dropping = {**columns, "pays": {**columns["pays"], "missing": "drop-record"}}
    with pytest.raises(BadRequest, match="at every holder"):
        collaborate(contract(columns=dropping), held)


def test_columns_that_are_never_published_stay_with_their_holder() -> None:
    for role in ("drop", "identifier"):
        columns = {**contract()["columns"], "ill": {"role": role}}
        release = simulate(contract(columns=columns), tables())
        assert release.verdict.satisfied
        assert list(release.table.columns) == ["age", "job", "pays"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"id": "l-diversity-distinct", "l": 2, "sensitive": "nothing"}, "can look at"),
        ({"id": "l-diversity-distinct", "l": 2, "sensitive": "id"}, "can look at"),
        ({"id": "k-anonymity", "k": 2, "qid": ["age", "ill"]}, "not a quasi-identifier"),
        ({"id": "k-anonymity", "k": 2, "qid": ["age", "nothing"]}, "not a quasi-identifier"),
    ],
)
def test_requirements_on_wrong_columns_are_refused_before_anybody_talks(asked: dict[str, Any], words: str) -> None:
    given = contract(requirements=[asked], protocol={"id": "ppmashup-beyond-k", "check": "literal_reject"})
    with pytest.raises(BadRequest, match=words):
        planned(Contract.of(given))
    with pytest.raises(BadRequest, match=words):
        collaborate(given, tables())


def test_a_plan_refuses_a_column_whose_domain_only_its_holder_knows() -> None:
    for name in ("age", "job"):
        columns = {**contract()["columns"], name: {"role": "quasi-identifier"}}
        with pytest.raises(BadRequest, match="every holder knows"):
            planned(Contract.of(contract(columns=columns)))


def test_without_a_target_labels_are_refined_for_their_own_sake() -> None:
    given = contract(columns={name: one for name, one in contract()["columns"].items() if name != "pays"})
    held = tables()
    del held["shop"]["pays"]
    found = collaborate(given, held)
    assert found.performed
    assert sfumato.check(found.table, [{"id": "k-anonymity", "k": 2, "qid": ["age", "job"]}])


def test_a_plan_says_beforehand_what_is_handled_together_and_who_will_learn_what() -> None:
    found = planned(Contract.of(contract()))
    assert found.together == ("age", "job")
    assert (found.messages_each_step, found.messages_at_the_end) == (3, 2)
    apart = planned(Contract.of(contract(requirements=[{"id": "k-anonymity", "k": 2, "qid": ["age"]}])))
    assert apart.together == ()
    assert apart.alone == {"shop": ["age"], "bank": ["job"]}
    strict = {"id": "ppmashup-beyond-k", "check": "literal_reject"}
    asked = [{"id": "k-anonymity", "k": 2}, {"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"}]
    assert planned(Contract.of(contract(protocol=strict, requirements=asked))).judges == ("shop",)


def test_a_contract_has_one_hash_whatever_the_order_of_its_keys() -> None:
    document = contract()
    turned = dict(reversed(document.items()))
    assert Contract.of(document).hash() == Contract.of(turned).hash()
    assert Contract.of(document).hash() != Contract.of(contract(align="intersection")).hash()


def test_one_table_is_split_to_try_a_contract() -> None:
    rows = {
        "id": ["a", "b"],
        "ssn": ["a", "b"],
        "age": [1, 2],
        "job": ["cook", "clerk"],
        "ill": ["x", "y"],
        "pays": ["n", "y"],
    }
    made = split_table(Contract.of(contract()), sfumato.read(rows))
    assert {name: list(one.columns) for name, one in made.items()} == {
        "shop": ["id", "age", "ill", "pays"],
        "bank": ["ssn", "job"],
    }
    with pytest.raises(BadRequest, match="not in the table"):
        split_table(Contract.of(contract()), sfumato.read({"id": ["a"]}))


def test_joining_values_need_a_key() -> None:
    assert joining_values({"id": ["a", "b"], "j": ["x", None]}, "id", "j") == {"a": "x", "b": None}
    with pytest.raises(BadRequest, match="each once"):
        joining_values({"id": ["a", "a"], "j": ["x", "y"]}, "id", "j")


# ---- on the command line -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    place = tmp_path_factory.mktemp("holders")
    for name, table in tables().items():
        sfumato.read(table).write(place / f"{name}.csv")
    (place / "contract.yaml").write_text(Contract.of(contract()).to_yaml(), encoding="utf-8")
    return place


def asked(*words: Any) -> Any:
    from sfumato.cli import commands  # noqa: F401

    return CliRunner().invoke(app, ["party", *map(str, words)])


def test_a_simulation_writes_a_release_and_says_what_each_role_learnt(folder: Any, tmp_path: Any) -> None:
    done = asked(
        "simulate", "-p", folder / "contract.yaml", folder / "shop.csv", folder / "bank.csv", "-o", tmp_path / "out"
    )
    assert done.exit_code == 0, done.output
    assert "what each role learnt" in done.output
    assert (tmp_path / "out" / "public" / "certificate.json").is_file()
    named = [f"bank={folder / 'bank.csv'}", f"shop={folder / 'shop.csv'}"]
    assert asked("simulate", "-p", folder / "contract.yaml", *named, "-o", tmp_path / "two", "--json").exit_code == 0
    for wrong in ([folder / "shop.csv"], [*named, named[0]], [folder / "none.csv", folder / "bank.csv"]):
        failed = asked("simulate", "-p", folder / "contract.yaml", *wrong, "-o", tmp_path / "three")
        assert isinstance(failed.exception, BadRequest), failed.output


def test_plans_splits_joins_and_games(folder: Any, tmp_path: Any) -> None:
    assert "handled together: age and job" in asked("plan", "-p", folder / "contract.yaml").output
    assert asked("plan", "-p", folder / "contract.yaml", "--json").exit_code == 0
    rows = {
        "id": ["a", "b"],
        "ssn": ["a", "b"],
        "age": [1, 2],
        "job": ["cook", "clerk"],
        "ill": ["x", "y"],
        "pays": ["n", "y"],
    }
    sfumato.read(rows).write(tmp_path / "all.csv")
    assert asked("split", tmp_path / "all.csv", "-p", folder / "contract.yaml", "-o", tmp_path / "apart").exit_code == 0
    assert (tmp_path / "apart" / "bank.csv").is_file()
    joined = asked(
        "join", folder / "shop.csv", folder / "bank.csv", "--on", "id=ssn", "--key", "id=ssn", "-o", tmp_path / "m.csv"
    )
    assert "12 pairs" in joined.output
    played = asked("game", "tft", "all-d", "--rounds", "5")
    assert "tft earns -5, all-d earns 10" in played.output
    assert isinstance(asked("game", "tit", "all-d").exception, BadRequest)


def test_random_numbers_of_persons_do_not_follow_their_names() -> None:
    found = collaborate(contract(seed=3), tables())
    assert sorted(found.persons) != list(found.persons)
    assert np.unique(found.persons).size == 12
