"""Answers propose requirements: what follows from which, with a reason and a source, and what may be overridden."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sfumato
from command_line import sfumato_in
from sfumato.catalogue import build
from sfumato.data.messages import languages, speaking
from sfumato.datasets import patients
from sfumato.errors import BadRequest
from sfumato.verbs.advise import AUDIENCES, USES, purpose_of, suggestion

# A share of all bits, so that what is kept of them is a share as well.
BITS = {"id": "non-uniform-entropy", "normalized": True, "aggregate": "mean"}


@pytest.mark.parametrize("recipients", AUDIENCES)
@pytest.mark.parametrize("know_who", [True, False])
@pytest.mark.parametrize("population", [True, False])
def test_every_answer_proposes_what_can_be_built(recipients: Any, know_who: bool, population: bool) -> None:
    found = sfumato.advise(recipients, know_who=know_who, population=population, sensitive=["Disease"])
    group, secret = found.requirements
    assert group.spec["id"] == ("k-map" if population and not know_who else "k-anonymity")
    assert group.spec["k"] == suggestion(recipients).k
    assert group.source
    assert secret.spec == {"id": "l-diversity-distinct", "l": suggestion(recipients).l, "sensitive": "Disease"}
    assert all(build(dict(one.spec), "model") for one in found.requirements)
    assert all(one.reason and one.follows_from for one in (*found.requirements, *found.limits))
    assert ("marketer" in found.adversary) == (recipients == "house")


def test_the_more_people_get_it_the_more_is_asked() -> None:
    asked = [sfumato.advise(recipients).requirements[0].spec["k"] for recipients in ("anyone", "contract", "house")]
    assert asked == [20, 5, 3]


def test_what_is_proposed_is_a_part_of_a_policy() -> None:
    part = sfumato.advise("house", sensitive=["Disease"], purpose="planning").policy()
    held = sfumato.Policy.for_dataset(patients(), requirements=part["requirements"], limits=part["limits"])
    assert [model.id for model in held.models()] == ["k-anonymity", "l-diversity-distinct"]
    assert part["purpose"] == "planning"


def test_another_k_needs_a_reason_which_is_kept() -> None:
    found = sfumato.advise("anyone", k=11, because="the agency asks for 0.09")
    (group,) = found.requirements
    assert (group.spec["k"], group.reason, group.source) == (11, "the agency asks for 0.09", None)
    for given in ({"k": 11}, {"because": "so"}, {"k": 11, "because": " "}):
        with pytest.raises(BadRequest, match="reason"):
            sfumato.advise("anyone", **given)  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match=">= 2"):
        sfumato.advise("anyone", k=1, because="so")
    with pytest.raises(BadRequest, match="recipients"):
        sfumato.advise("nobody")  # type: ignore[arg-type]


@pytest.mark.parametrize("recipients", AUDIENCES)
@pytest.mark.parametrize("use", USES)
def test_every_use_changes_the_advice_with_a_reason_in_every_language(recipients: Any, use: Any) -> None:
    column = "Sex" if purpose_of(use).needs_column else None
    found, plain = sfumato.advise(recipients, use=use, column=column), sfumato.advise(recipients)
    assert found.sentences() != plain.sentences()
    assert purpose_of(use).reason.keys() == set(languages())
    assert all(one.reason and one.follows_from for one in found.all)
    assert all(one.source for one in (*found.columns, *found.algorithm))
    assert all(build(dict(one.spec), "model") for one in found.requirements)
    if found.algorithm:
        search: Any = found.policy()["algorithm"]
        assert build(search, "algorithm")


def test_what_serves_a_use() -> None:
    predict = sfumato.advise("contract", use="predict", column="Sex").policy()
    assert (predict["columns"], predict["algorithm"]) == ({"Sex": {"role": "target"}}, {"id": "tdr"})
    count = sfumato.advise("contract", use="count")
    assert count.policy()["limits"] == {"suppress_at_most": 0.01}
    assert count.policy()["algorithm"] == {"id": "optimal", "metric": BITS}
    assert not any("id" in one.spec for one in count.algorithm)  # only requirements are looked for in a certificate
    test = sfumato.advise("house", use="test")
    assert (test.requirements[0].spec["k"], test.limits[0].spec) == (20, {"suppress_at_most": 0.05})
    assert "27002" in str(test.requirements[0].source)
    assert sfumato.advise("house", use="test", k=4, because="so").requirements[0].spec["k"] == 4


def test_who_links_knows_who_is_in_the_table_and_gets_a_pseudonym_unless_it_is_anyone() -> None:
    for recipients in AUDIENCES:
        link = sfumato.advise(recipients, use="link", column="Id", know_who=False, population=True)  # type: ignore[arg-type]
        assert "prosecutor" in link.adversary
        assert link.requirements[0].spec["id"] == "k-anonymity"
        asked = {} if recipients == "anyone" else {"Id": {"role": "identifier", "pseudonym": True}}
        assert link.policy().get("columns", {}) == asked


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"use": "predict"}, "must be named"),
        ({"use": "count", "column": "Sex"}, "does not go with"),
        ({"column": "Sex"}, "needs a use"),
        ({"use": "win"}, "uses"),
        ({"use": "predict", "column": "Sex", "sensitive": ["Sex"]}, "secret"),
    ],
)
def test_a_use_without_its_column_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        sfumato.advise("contract", **given)


def test_a_metric_is_called_by_its_id_on_a_line() -> None:
    said = sfumato.advise("contract", use="count").sentences()
    assert any(one.startswith("ask for algorithm=optimal metric=non-uniform-entropy, because") for one in said)


def test_a_search_that_serves_a_use_runs() -> None:
    data = patients()
    for use in ("predict", "count"):
        part = sfumato.advise("house", use=use, column="Disease" if use == "predict" else None).policy()
        policy = sfumato.Policy.for_dataset(data, requirements=part["requirements"], algorithm=part["algorithm"])
        assert sfumato.anonymize(sfumato.from_dataset(data), policy).verdict.satisfied


def test_sentences_are_spoken() -> None:
    english = sfumato.advise("contract").sentences()
    with speaking("de"):
        german = sfumato.advise("contract").sentences()
    assert english[1].startswith("ask for k-anonymity k=5, because recipients have signed a contract")
    assert german[1].startswith("verlange k-anonymity k=5, denn die Empfänger")


def test_the_command_prints_reasons_and_keeps_answers(tmp_path: Path) -> None:
    done = sfumato_in(tmp_path, "advise", "contract", "--sensitive", "diagnosis", "--out", "answers.json")
    assert done.returncode == 0, done.stderr
    assert "because recipients have signed a contract" in done.stdout
    assert "- id: k-anonymity\n  k: 5" in done.stdout
    held = json.loads((tmp_path / "answers.json").read_text("utf-8"))
    assert held == sfumato.advise("contract", sensitive=["diagnosis"]).document()
    assert sfumato_in(tmp_path, "advise", "contract", "--out", "answers.json").returncode != 0
    told = sfumato_in(tmp_path, "advise", "anyone", "--json")
    assert json.loads(told.stdout)["policy"]["requirements"] == [{"id": "k-anonymity", "k": 20}]
    told = sfumato_in(tmp_path, "advise", "contract", "--use", "predict", "--column", "income", "--language", "de")
    assert "denn die Spalte income soll vorhergesagt werden" in told.stdout
    assert "algorithm:\n  id: tdr" in told.stdout
