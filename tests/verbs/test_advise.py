"""Answers propose requirements: what follows from which, with a reason and a source, and what may be overridden."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sfumato
from command_line import sfumato_in
from sfumato.catalogue import build
from sfumato.data.messages import speaking
from sfumato.datasets import patients
from sfumato.errors import BadRequest
from sfumato.verbs.advise import AUDIENCES, suggestion


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
