"""Forward, cross and backward attacks and the exact one: risks, readings, refusals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from oracles import naive_bcf
from oracles.naive_bcf import Plain
from sequels.opened import opened
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest
from sfumato.sequels import Series
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks import BAttack, BCFOracle, Buddies, CAttack, FAttack, check_generator

NOBODY = SeriesKnowledge()


@given(naive_bcf.series())
def test_anonymity_of_each_attack(plain: Plain) -> None:
    series = opened(plain)
    wanted = naive_bcf.levels(*plain.releases())
    for attack, level in zip((FAttack(), CAttack(), BAttack()), wanted, strict=True):
        found = attack.on(series, NOBODY, Run())
        assert found.details.anonymity == level
        if level is None:
            assert (found.victims, found.highest) == (0, 0.0)
        else:
            assert found.highest == 1 / max(level, 1)
            assert found.reading


@settings(max_examples=30)
@given(naive_bcf.series(releases=3, largest=3))
def test_worlds(plain: Plain) -> None:
    pytest.importorskip("highspy")
    found = BCFOracle().on(opened(plain), NOBODY, Run())
    wanted = [
        left for since, held in enumerate(naive_bcf.most_alike(plain)) for left in held.values() if plain.batches[since]
    ]
    assert found.details.anonymity == min(wanted)
    assert found.highest == 1 / min(left for left in wanted if left)


def test_fewer_known_columns_are_less_dangerous() -> None:
    first = {"A": ["x", "x", "y", "y"], "B": ["1", "2", "1", "2"], "S": ["u", "v", "u", "v"]}
    series = Series.of([first, first], qid=["A", "B"], sensitive="S")
    assert FAttack().on(series, NOBODY, Run()).highest == 1.0
    assert FAttack().on(series, SeriesKnowledge(known=("A",)), Run()).highest == 0.5


def test_one_release_is_refused() -> None:
    series = Series.of([{"Q": ["a"], "S": ["x"]}], qid=["Q"], sensitive="S")
    for attack in (FAttack(), BCFOracle()):
        with pytest.raises(BadRequest, match="at least two"):
            attack.on(series, NOBODY, Run())


def test_generators_that_are_none() -> None:
    before = {"Id": ["a1", "a2"], "P": ["EU", "EU"], "S": ["u", "v"]}
    after = {"Id": ["b1", "b2", "b3"], "P": ["UK", "FR", "FR"], "S": ["u", "v", "u"]}
    series = Series.of([before, after], qid=["P"], sensitive="S", hierarchies={"P": {"EU": ["UK", "FR"]}})

    def reason(*buddies: Buddies) -> str | None:
        return check_generator(series, buddies, record="Id").reason

    good = Buddies("a2", "b2", ("FR",), "v")
    assert reason(Buddies("a1", "b1", ("UK",), "u"), good) is None
    assert reason(Buddies("a1", "b3", ("FR",), "u"), good) is None
    assert reason(good) == "a record of the earlier release has no buddy"
    assert reason(Buddies("a1", "b2", ("FR",), "v"), good) == "a record has two buddies"
    assert reason(Buddies("a1", "b1", ("FR",), "u"), good) == "a record is taken for one that it does not cover"
    assert reason(Buddies("a1", "b1", ("EU",), "u"), good) == "a record is taken for one that it does not cover"
    assert reason(Buddies("a1", "b2", ("FR",), "v"), Buddies("a2", "b1", ("UK",), "u")) == (
        "a record is taken for one of another sensitive value"
    )
    assert reason(Buddies("a9", "b1", ("UK",), "u"), good) == "a buddy is no record of its release"
    with pytest.raises(BadRequest, match="names two records alike"):
        check_generator(series, [], record="P")
