"""What every privacy model promises: traits that hold under merging, verdicts that do not depend on order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from sfumato.contracts.model import GroupModel, MechanismModel, TableModel
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.testing.check_recount import check_recount
from sfumato.testing.check_thing import check_json, check_thing
from sfumato.testing.draws import random_groups, random_merge
from sfumato.testing.promises import generators_untouched, promise

__all__ = ["Counterexamples", "check_claims", "check_model"]

Counterexamples: TypeAlias = Mapping[str, tuple[GroupStats, Sequence[int]]]
Draw: TypeAlias = Callable[[int], GroupStats]

ATTACKS = frozenset({"record", "attribute", "table", "probabilistic"})
MERGE_TRAITS = ("closed_under_merge", "violations_shrink_under_merge")
TRIES = 300
ENOUGH = 20


def check_model(
    model: GroupModel,
    rng: np.random.Generator,
    *,
    counterexamples: Counterexamples | None = None,
    values: Mapping[str, Sequence[Hashable]] | None = None,
) -> None:
    """Check a model on random partitions.

    One number per group, the same whichever other groups are shown beside it: searches show some groups of a table only. The
    verdict follows from the bound, does not depend on the order of the groups and is that of the model's recount, if there is
    one; a group below ``least_size`` never satisfies the model; ``by_size_alone`` means what it says; ``necessary`` speaks
    only of tables that no masking can help. A merge trait that is claimed must hold on random merges. One that is denied
    needs a counter-example, ``trait -> (partition, target of each group)``, given here or as ``counterexamples`` on the
    class. ``values`` names the values of columns that the model reads, where it does not take any.
    """
    stored = counterexamples if counterexamples is not None else getattr(type(model), "counterexamples", {})
    check_claims(model)

    def draw(largest: int) -> GroupStats:
        return random_groups(rng, model.needs(), largest=largest, values=values)

    with generators_untouched(model):
        for _ in range(TRIES // 5):
            groups = draw(12)
            _check_verdict(model, groups, rng)
            _check_locality(model, groups, rng)
        _check_sizes(model, draw)
        for trait in MERGE_TRAITS:
            if getattr(model.traits, trait):
                _check_merges(model, trait, draw, rng)
            else:
                _check_counterexample(model, trait, stored)


def check_claims(model: TableModel | MechanismModel) -> None:
    """Check what a model of any evaluation says of itself: its adversary, and which attacks it is made to stop."""
    check_thing(model)
    check_json(model)
    promise(model.adversary, model, "the adversary is named")
    promise(model.traits.prevents and model.traits.prevents <= ATTACKS, model, "the attacks it prevents are known ones")
    by_group = isinstance(model, GroupModel)
    promise(
        by_group or not model.traits.by_group,
        model,
        "only a group model is decided by group",
    )
    mechanism = isinstance(model, MechanismModel)
    promise(
        mechanism == (model.traits.evaluation == "mechanism"),
        model,
        "a model of procedures, and no other, evaluates so",
    )


def _check_verdict(model: GroupModel, groups: GroupStats, rng: np.random.Generator) -> None:
    sizes = groups.sizes.copy()
    try:
        values = model.measure(groups)
    except BadRequest as error:  # what somebody's own class answers is looked at there
        raise AssertionError(f"{error}; broken promise: measure gives one number per group") from None
    promise(values.shape == (len(groups),), model, "measure gives one number per group")
    verdict = model.check(groups, worst=len(groups))
    check_recount(model, groups, verdict)
    broken = ~model.bound().holds(values)
    promise(verdict.satisfied == (not broken.any()), model, "the verdict follows from the bound")
    promise(verdict.violating_groups == broken.sum(), model, "violating groups are counted")
    promise(verdict.violating_records == groups.sizes[broken].sum(), model, "violating records are counted")
    promise(len(verdict.violations) == broken.sum(), model, "violations are listed")
    worst_first = [violation.measured for violation in verdict.violations]
    ordered = sorted(worst_first, reverse=model.bound().side == "at_most")
    promise(worst_first == ordered, model, "violations are listed with the worst first")
    turn = np.argsort(rng.permutation(len(groups)))
    turned = groups.merge(turn)
    shuffled = np.empty_like(values)
    shuffled[turn] = values
    promise(
        np.allclose(model.measure(turned), shuffled, rtol=1e-12), model, "a group's number does not depend on its place"
    )
    again = model.check(turned, worst=len(groups))
    same = (again.satisfied, again.violating_groups, again.violating_records, again.groups, again.records)
    was = (verdict.satisfied, verdict.violating_groups, verdict.violating_records, verdict.groups, verdict.records)
    promise(same == was, model, "the verdict does not depend on the order of the groups")
    promise(np.array_equal(groups.sizes, sizes), model, "the partition is not changed")


def _check_locality(model: GroupModel, groups: GroupStats, rng: np.random.Generator) -> None:
    some = rng.permutation(len(groups))[: int(rng.integers(1, len(groups) + 1))]
    shown, alone = model.measure(groups)[some], model.measure(groups.taken(some))
    promise(
        np.allclose(alone, shown, rtol=1e-12, atol=0.0, equal_nan=True),
        model,
        "a group's number does not depend on which other groups are shown: the table's numbers are groups.records and "
        f"groups.whole_table(column)\n{_show(groups, range(len(groups)))}, of which {some.tolist()} are shown",
    )


def _check_sizes(model: GroupModel, draw: Draw) -> None:
    least = model.least_size()
    for _ in range(TRIES // 3):
        groups = draw(max(2 * least, 4))
        safe = model.bound().holds(model.measure(groups))
        promise(not safe[groups.sizes < least].any(), model, "no group below least_size satisfies the model")
        if model.traits.by_size_alone:
            promise(np.array_equal(safe, groups.sizes >= least), model, "least_size alone decides")
        whole = groups.merge([0] * len(groups))
        if model.necessary(int(whole.sizes[0])) is not None:
            promise(not model.check(whole), model, "what necessary rules out cannot be reached by masking everything")


def _check_merges(model: GroupModel, trait: str, draw: Draw, rng: np.random.Generator) -> None:
    told = 0
    for number in range(TRIES):
        # From groups that fail to groups that pass; every other time what passes is taken alone, for strict models.
        groups = draw((2 + number % (4 * model.least_size() + 16)) * (1 if number % 5 else 10))
        if trait == "closed_under_merge" and number % 2:
            groups = _satisfied_part(model, groups)
        if len(groups) < 2:
            continue
        target = random_merge(rng, len(groups))
        before, after = model.check(groups), model.check(groups.merge(target))
        if trait == "closed_under_merge":
            promise(
                not before or after, model, f"{trait}: a satisfied partition stays satisfied\n{_show(groups, target)}"
            )
            told += before.satisfied
        else:
            fewer = after.violating_records <= before.violating_records
            promise(fewer, model, f"{trait}: merging never adds records to violating groups\n{_show(groups, target)}")
            told += not before.satisfied
    promise(told >= ENOUGH, model, f"{trait} can be tried on random partitions ({told} told something)")


def _satisfied_part(model: GroupModel, groups: GroupStats) -> GroupStats:
    """Return the groups that satisfy the model, so that strict models are tried too."""
    keep = np.flatnonzero(model.bound().holds(model.measure(groups)))
    # A table of their own: what else there was is forgotten.
    return replace(groups.taken(keep), whole={}, table_records=None) if len(keep) else groups


def _check_counterexample(model: GroupModel, trait: str, stored: Counterexamples) -> None:
    promise(trait in stored, model, f"a model that is not {trait} stores a counter-example")
    groups, target = stored[trait]
    before, after = model.check(groups), model.check(groups.merge(target))
    if trait == "closed_under_merge":
        shown = before.satisfied and not after.satisfied
    else:
        shown = after.violating_records > before.violating_records
    promise(shown, model, f"the stored counter-example shows that it is not {trait}")


def _show(groups: GroupStats, target: Sequence[int]) -> str:
    histograms = {name: histogram.dense().tolist() for name, histogram in groups.histograms.items()}
    return f"sizes {groups.sizes.tolist()}, histograms {histograms}, merged to {list(target)}"
