"""Attacks that follow persons need to be told who is who, and say so."""

from __future__ import annotations

import pytest

import sfumato
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.sequels.attack import SeriesAttack, SeriesKnowledge
from sfumato.sequels.attacks import CriticalAbsence, PossibleWorldExclusion, RepublicationAttack
from sfumato.sequels.series import Series

FIRST = {"Id": [1, 2], "Age": ["[20-30]", "[20-30]"], "Disease": ["Flu", "HIV"]}
THEN = {"Id": [1, 3], "Age": ["[20-40]", "[20-40]"], "Disease": ["Flu", "Cold"]}


@pytest.mark.parametrize(
    "attack", [CriticalAbsence(), RepublicationAttack(), PossibleWorldExclusion(permanent=("HIV",))]
)
def test_without_the_column_of_persons_nothing_is_tried(attack: SeriesAttack) -> None:
    series = Series.of([FIRST, THEN], qid=["Age"], sensitive="Disease")
    with pytest.raises(BadRequest, match="rows of one person"):
        attack.on(series, SeriesKnowledge(), Run())
    (untried,) = sfumato.audit(series, attacks=[attack]).untried
    assert "whose row is whose" in untried.reason


def test_an_audit_tries_them_where_it_can() -> None:
    series = Series.of([FIRST, THEN], qid=["Age"], sensitive="Disease", person="Id")
    found = sfumato.audit(series, attacks=[RepublicationAttack(), CriticalAbsence()])
    assert [one.attack for one in found.tried] == ["republication-attack", "critical-absence"]
    assert not found.untried
