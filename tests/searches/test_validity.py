"""Validity is an interface: an own oracle drives the refinement search; and own models run in every kind of search."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import sfumato
from sfumato.catalogue import build
from sfumato.contracts.algorithm import Algorithm, Outcome, Task
from sfumato.contracts.model import Bound, GroupModel, Numbers, TableTraits, Verdict, at_least, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.groups.stats import GroupStats
from sfumato.metrics import InfoGain
from sfumato.searches.refinement import Refinery
from sfumato.searches.validity import Step, Validity
from sfumato.tables.prepare import prepare
from sfumato.tables.recode import recode_table

EXAMPLE = Path(__file__).parents[2] / "examples" / "how_do_i_write_my_own_model.py"
SEARCHES = ["tdr", "mondrian", "optimal", "bottom-up-generalization"]


@pytest.fixture(scope="module")
def own() -> Any:
    """The model that the example teaches."""
    return runpy.run_path(str(EXAMPLE))["SmallestShare"]


def rows() -> sfumato.Table:
    """Five hundred records over three columns with few values, a sensitive and a class column."""
    rng = np.random.default_rng(4)
    draw = [[f"{name}{at}" for at in rng.integers(0, 6, 500)] for name in "abc"]
    more = [[f"{name}{at}" for at in rng.integers(0, 3, 500)] for name in "sy"]
    return sfumato.from_rows(["A", "B", "C", "S", "Y"], list(zip(*draw, *more, strict=True)))


def tree(name: str) -> dict[str, Any]:
    low, high = ([f"{name}{at}" for at in part] for part in (range(3), range(3, 6)))
    return {f"any {name}": [{f"low {name}": low}, {f"high {name}": high}]}


def task_of(*models: GroupModel, limit: float = 0.0) -> Task:
    """Return a task whose requirements are objects."""
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree(name.lower())}}
        for name in "ABC"
    }
    policy = {
        "columns": {**columns, "S": {"role": "sensitive"}, "Y": {"role": "target"}},
        "requirements": [{"id": "l-diversity-distinct", "l": 1, "sensitive": "S"}],
        "algorithm": {"id": "tdr"},
        "limits": {"suppress_at_most": limit},
    }
    return replace(prepare(rows(), sfumato.Policy.of(policy)).task(), models=list(models))


def found(task: Task, search: str) -> Outcome:
    algorithm: Algorithm = build({"id": search}, "algorithm")
    return algorithm.run(task, Run.seeded(0))


def judged(outcome: Outcome, model: GroupModel) -> Verdict:
    """Judge what an outcome publishes, by the groups of the published rows alone."""
    table = rows()
    if outcome.recodings:
        table = recode_table(table, outcome.recodings).table
    if outcome.operation is not None:
        table = outcome.operation.apply(table)
    return model.judge(Publication(table=table, qids=("A", "B", "C")))


# ---- own models ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("share", [0.02, 0.1, 0.4])
def test_the_model_of_the_example_runs_in_every_search(own: Any, search: str, share: float) -> None:
    verdict = judged(found(task_of(own(share=share)), search), own(share=share))
    assert verdict.satisfied
    assert verdict.records == 500
    if share == 0.02:
        assert verdict.groups > 1


@pytest.mark.parametrize("search", ["optimal", "mondrian"])
def test_groups_are_compared_with_all_records_though_few_are_shown(own: Any, search: str) -> None:
    """A share of 0.02 of 500 records is 10 records: the search finds what k-anonymity would."""
    (k,) = (sfumato.models.KAnonymity(k=10),)
    mine, theirs = (judged(found(task_of(model), search), k) for model in (own(share=0.02), k))
    assert (mine.groups, mine.strongest) == (theirs.groups, theirs.strongest)


class OfWhatIsShown(GroupModel):
    """Every group holds a share of the records at hand: not local."""

    id: ClassVar[str] = "of-what-is-shown"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="group+table",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
    )

    share: float = param(gt=0, le=1, doc="smallest share")

    def measure(self, groups: GroupStats) -> Numbers:
        """Compare with the groups at hand."""
        shares: Numbers = groups.sizes / groups.sizes.sum()
        return shares

    def bound(self) -> Bound:
        """Return the least share."""
        return at_least(self.share)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_model_that_is_not_local_is_refused_in_words(search: str) -> None:
    with pytest.raises(sfumato.Unsupported, match=r"of-what-is-shown measures a group differently .* groups\.records"):
        found(task_of(OfWhatIsShown(share=0.02)), search)


def test_a_model_that_is_not_local_may_still_be_checked() -> None:
    (verdict,) = sfumato.check(rows(), OfWhatIsShown(share=0.1), qid=["A"])
    assert verdict.satisfied


class LargestShare(OfWhatIsShown):
    """No group holds more than a share of the records: merging breaks it."""

    id: ClassVar[str] = "largest-share"
    traits: ClassVar[TableTraits] = replace(
        OfWhatIsShown.traits, closed_under_merge=False, violations_shrink_under_merge=False
    )

    def measure(self, groups: GroupStats) -> Numbers:
        """Compare with the table."""
        shares: Numbers = groups.sizes / groups.records
        return shares

    def bound(self) -> Bound:
        """Return the largest share."""
        return at_most(self.share)


def test_a_model_that_merging_breaks_is_refused_or_searched_without_that_claim() -> None:
    model = LargestShare(share=0.25)
    for search in ("tdr", "bottom-up-generalization"):
        with pytest.raises((sfumato.Unsupported, sfumato.Infeasible), match="largest-share"):
            found(task_of(model), search)
    verdict = judged(found(task_of(model), "optimal"), model)
    assert verdict.satisfied


# ---- own oracles ---------------------------------------------------------------------------------------------------------


class Frozen(Validity):
    """One column may not be refined; every question and every step is written down."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[str] = []
        self.taken: list[tuple[str, str]] = []

    def would_hold(self, step: Step) -> bool:
        """Refuse the one column."""
        self.asked.append(step.column.name)
        return step.column.name != self.name

    def commit(self, step: Step) -> None:
        """Write the step down as it is shown before."""
        self.taken.append((step.column.name, step.column.label(step.slot)))


class After(Frozen):
    """One column may be refined when all steps of the others are taken: what is refused now may hold later."""

    anti_monotone = False

    def would_hold(self, step: Step) -> bool:
        """Refuse the column until six steps were taken."""
        self.asked.append(step.column.name)
        return step.column.name != self.name or len(self.taken) >= 6


class AfterForGood(After):
    """The same oracle with a false claim: what is refused once is dropped."""

    anti_monotone = True


def refined(oracle: Validity) -> Refinery:
    search = Refinery(task_of(), InfoGain(), validity=oracle, require_beneficial=False)
    assert search.run() is None
    return search


def shown(search: Refinery) -> dict[str, int]:
    return {name: len({key[at] for key in search.groups("ABC")}) for at, name in enumerate("ABC")}


def test_an_own_oracle_drives_the_search() -> None:
    oracle = Frozen("B")
    search = refined(oracle)
    assert shown(search) == {"A": 6, "B": 1, "C": 6}
    assert oracle.asked.count("B") == 1  # refused once, dropped for good
    assert len(oracle.taken) == search.steps == 6
    assert {name for name, _ in oracle.taken} == {"A", "C"}
    assert ("A", "any a") in oracle.taken
    assert ("A", "low a") in oracle.taken


def test_an_oracle_that_is_not_anti_monotone_is_asked_again() -> None:
    oracle = After("B")
    assert shown(refined(oracle)) == {"A": 6, "B": 6, "C": 6}
    assert [name for name, _ in oracle.taken[6:]] == ["B"] * 3
    assert oracle.asked.index("B") < 6
    assert shown(refined(AfterForGood("B")))["B"] == 1


def test_an_oracle_may_ask_for_group_sizes_too() -> None:
    class Both(Frozen):
        """Least sizes on A and C beside the frozen column."""

        least: ClassVar[dict[tuple[int, ...], int]] = {(0, 2): 40}

    search = refined(Both("B"))
    assert shown(search)["B"] == 1
    assert min(search.groups("AC").values()) >= 40
    assert search.smallest() == {("A", "C"): min(search.groups("AC").values())}
