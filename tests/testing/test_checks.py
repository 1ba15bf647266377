"""The common checks catch what they promise to catch: each promise is broken here on purpose."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

import sfumato
from sfumato import catalogue
from sfumato.algorithms.stepwise.tdr import TDR
from sfumato.contracts.algorithm import Outcome, Task
from sfumato.contracts.metric import LevelCost, Measured, MetricTraits, Refinement, SizeTerms
from sfumato.contracts.model import GroupModel, TableTraits, at_most
from sfumato.contracts.recoding import ColumnRecoding, Mapped
from sfumato.contracts.release import ReleaseKind
from sfumato.contracts.run import Run
from sfumato.contracts.thing import Thing, param
from sfumato.data.tree import Tree
from sfumato.groups.stats import GroupStats
from sfumato.hierarchies.intervals import Intervals
from sfumato.metrics.discernibility import Discernibility
from sfumato.metrics.igpl import IGPL
from sfumato.metrics.loss import Loss
from sfumato.models.k_anonymity import KAnonymity
from sfumato.recodings.discretization import Discretization
from sfumato.recodings.record_suppression import RecordSuppression
from sfumato.releases.recoded_table import RecodedTable
from sfumato.testing import check_thing as thing_checks
from sfumato.testing.checks import (
    check,
    check_algorithm,
    check_docstring,
    check_hierarchy,
    check_metric,
    check_model,
    check_operation,
    check_recoding,
    check_release,
    check_thing,
)
from sfumato.testing.draws import random_groups, random_merge, random_table
from sfumato.testing.examples import example_of
from sfumato.testing.promises import generators_untouched

Listed = Callable[[type[Thing]], type[Thing]]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listed]:
    """Let the checks find samples of these tests, which lie in no room of the catalogue, under their id."""
    samples: dict[str, type[Thing]] = {}
    real, room = catalogue.find, catalogue._room("sfumato.algorithms")

    def find(name: str, kind: str | None = None, shape: str | None = None) -> type[Thing]:
        return samples.get(name) or real(name, kind, shape)

    def add(thing: type[Thing]) -> type[Thing]:
        samples[thing.id] = thing
        return thing

    monkeypatch.setattr(thing_checks, "find", find)
    monkeypatch.setattr(catalogue, "find", find)
    yield add
    assert catalogue._room("sfumato.algorithms") is room


def broken(words: str) -> Any:
    return pytest.raises(AssertionError, match=words)


def changed(base: type[Thing], **members: Any) -> type[Any]:
    """Return a subclass with some members replaced, under the same id."""
    return dataclass(frozen=True, kw_only=True)(type(base.__name__, (base,), {"__doc__": base.__doc__, **members}))


# ---- every thing ---------------------------------------------------------------------------------------------------------


def test_a_thing_the_catalogue_does_not_find() -> None:
    with broken("the catalogue finds it"):
        check_thing(changed(KAnonymity)(k=2))


def test_a_docstring_without_a_sentence(listed: Listed) -> None:
    with broken("starts with a sentence"):
        check_thing(listed(changed(KAnonymity, __doc__="no sentence"))(k=2))


def test_a_parameter_without_words(listed: Listed) -> None:
    kind = changed(KAnonymity, more=param(default=1, doc=""), __annotations__={"more": "int"})
    with broken("the parameter more says what it means"):
        check_thing(listed(kind)(k=2))


def test_a_saved_form_that_forgets(listed: Listed) -> None:
    with broken("gives the same thing"):
        check_thing(listed(changed(KAnonymity, spec=lambda self: {"id": "k-anonymity", "k": 1}))(k=2))


def test_a_parameter_that_takes_anything(listed: Listed) -> None:
    kind = changed(KAnonymity, k=param(doc="any"), __annotations__={"k": "Any"})
    check_thing(listed(kind)(k=2))
    kind = changed(KAnonymity, _check_range=lambda self, name, rule, value: None)
    with broken("k=0 is accepted"):
        check_thing(listed(kind)(k=2))


def test_a_refusal_under_another_name(listed: Listed) -> None:
    def refuse(self: Any) -> None:
        if self.k < 2:
            raise sfumato.BadRequest("must be more", parameter="something else")

    kind = changed(KAnonymity, _check_range=lambda self, name, rule, value: None, validate=refuse)
    with broken("names the parameter, not something else"):
        check_thing(listed(kind)(k=2))


def test_a_failure_that_is_no_refusal(listed: Listed) -> None:
    def fail(self: Any) -> None:
        if self.k < 2:
            raise ZeroDivisionError

    kind = changed(KAnonymity, _check_range=lambda self, name, rule, value: None, validate=fail)
    with broken("not refused as a bad request"):
        check_thing(listed(kind)(k=2))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("One sentence.", "section Examples"),
        ("One sentence.\n\nExamples\n--------\n>>> 1\n1\n", "section References"),
        ("One.\n\nExamples\n--------\n>>> 1\n2\n\nReferences\n----------\nA book.\n", "the example runs"),
        ("One.\n\nExamples\n--------\nNone.\n\nReferences\n----------\nA book.\n", "there is no example"),
    ],
)
def test_docstrings(text: str, words: str) -> None:
    with broken(words):
        check_docstring(changed(KAnonymity, __doc__=text, __module__="sfumato.models.k_anonymity"))


def test_examples_give_instances_and_arguments() -> None:
    example = example_of(Intervals)
    assert example.built[0].spec() == {
        "id": "intervals",
        "lower": 0,
        "width": 5,
        "fan_out": [2, 2, 5],
    }
    assert example.arguments("path") == [38, 70]
    assert [type(built) for built in example_of(TDR).built] == [TDR]
    with broken("must build one"):
        example_of(changed(KAnonymity, __doc__="Nothing is built.", __module__="sfumato.models.k_anonymity"))


@pytest.mark.parametrize("draw", [lambda: np.random.rand(), lambda: random.random()])  # noqa: NPY002
def test_a_global_generator_that_was_used(draw: Callable[[], float]) -> None:
    with generators_untouched(KAnonymity):
        np.random.default_rng(0).random()
    with broken("global generator"), generators_untouched(KAnonymity):
        draw()


# ---- models --------------------------------------------------------------------------------------------------------------


def model(**members: Any) -> Any:
    return changed(KAnonymity, **members)


def test_a_model_that_claims_too_much(listed: Listed, rng: np.random.Generator) -> None:
    """At most twelve records: merging breaks it, whatever it claims."""
    small = {"bound": lambda self: at_most(12), "least_size": lambda self: 1, "necessary": lambda self, records: None}
    for trait, words in (
        ("closed_under_merge", "stays satisfied"),
        ("violations_shrink_under_merge", "never adds records"),
    ):
        others = {
            "closed_under_merge": False,
            "violations_shrink_under_merge": False,
            trait: True,
            "by_size_alone": False,
        }
        stored = {
            name: (GroupStats.from_sizes([7, 7]), [0, 0])
            for name in ("closed_under_merge", "violations_shrink_under_merge")
        }
        kind = listed(model(traits=replace(KAnonymity.traits, **others), counterexamples=stored, **small))
        with broken(words):
            check_model(kind(k=2), rng)


def test_a_denied_trait_needs_a_counterexample_that_shows_it(listed: Listed, rng: np.random.Generator) -> None:
    traits = replace(
        KAnonymity.traits, closed_under_merge=False, violations_shrink_under_merge=False, by_size_alone=False
    )
    small = {
        "traits": traits,
        "bound": lambda self: at_most(12),
        "least_size": lambda self: 1,
        "necessary": lambda self, records: None,
    }
    with broken("stores a counter-example"):
        check_model(listed(model(**small))(k=2), rng)
    shows = {
        name: (GroupStats.from_sizes([7, 7]), [0, 0])
        for name in ("closed_under_merge", "violations_shrink_under_merge")
    }
    check_model(listed(model(**small))(k=2), rng, counterexamples=shows)
    check_model(listed(model(counterexamples=shows, **small))(k=2), rng)
    idle = {**shows, "closed_under_merge": (GroupStats.from_sizes([2, 2]), [0, 0])}
    with broken("shows that it is not closed_under_merge"):
        check_model(listed(model(**small))(k=2), rng, counterexamples=idle)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"adversary": ""}, "adversary is named"),
        ({"traits": replace(KAnonymity.traits, prevents=frozenset({"boredom"}))}, "known ones"),
        ({"measure": lambda self, groups: groups.sizes[:1]}, "one number per group"),
        ({"measure": lambda self, groups: groups.sizes + np.arange(len(groups))}, "does not depend on its place"),
        ({"measure": lambda self, groups: groups.sizes / groups.sizes.sum()}, "which other groups are shown"),
        ({"least_size": lambda self: self.k + 1}, "no group below least_size"),
        ({"least_size": lambda self: 1}, "least_size alone decides"),
        ({"necessary": lambda self, records: "never"}, "cannot be reached"),
        ({"measure": lambda self, groups: groups.sizes + int(np.random.rand())}, "global generator"),  # noqa: NPY002
    ],
)
def test_models(listed: Listed, rng: np.random.Generator, members: dict[str, Any], words: str) -> None:
    with broken(words):
        check_model(listed(model(**members))(k=3), rng)


def test_a_model_that_changes_its_groups(listed: Listed, rng: np.random.Generator) -> None:
    def greedy(self: Any, groups: GroupStats) -> Any:
        groups.sizes[:] += 1
        return groups.sizes.copy()

    with broken("broken promise"):
        check_model(listed(model(measure=greedy))(k=3), rng)


class Values(GroupModel):
    """Every group holds at least two sensitive values.

    Examples
    --------
    >>> 1
    1

    References
    ----------
    None.
    """

    id: ClassVar[str] = "two-values"
    adversary: ClassVar[str] = "knows a group"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
        sensitive="categorical",
    )

    def measure(self, groups: GroupStats) -> Any:
        """Count values."""
        return np.diff(groups.histograms["s"].start)

    def bound(self) -> Any:
        """At least two."""
        from sfumato.contracts.model import at_least

        return at_least(2)

    def needs(self) -> tuple[str, ...]:
        """The sensitive column."""
        return ("s",)

    def least_size(self) -> int:
        """Two values need two records."""
        return 2


def test_models_that_read_histograms_are_tried_too(listed: Listed, rng: np.random.Generator) -> None:
    check_model(listed(Values)(), rng)  # type: ignore[arg-type]
    pure = changed(Values, bound=lambda self: at_most(1), least_size=lambda self: 1)
    with broken("stays satisfied"):
        check_model(listed(pure)(), rng)


# ---- metrics -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "members", "words"),
    [
        (Loss, {"traits": MetricTraits(better="lower")}, "monotone_under_merge=False"),
        (Loss, {"traits": MetricTraits(better="higher", monotone_under_merge=True)}, "monotone_under_merge=True"),
        (
            Loss,
            {"traits": MetricTraits(better="lower", monotone_under_merge=True, additive_over_groups=True)},
            "additive_over_groups=True",
        ),
        (
            Discernibility,
            {"traits": MetricTraits(better="lower", monotone_under_merge=True)},
            "additive_over_groups=False",
        ),
        (Loss, {"_at_level": lambda self, at: LevelCost(0.5, at.counts)}, "lattice_terms say what is measured"),
        (Discernibility, {"lattice_terms": lambda self, names: SizeTerms(lambda at: 0.0)}, "lattice_terms say"),
        (Loss, {"measure": lambda self, published: Measured("other", 0.0)}, "names its metric"),
        (Loss, {"measure": lambda self, published: Measured("loss", 2.0, {}, 0.0, 1.0)}, "is not above"),
        (Loss, {"measure": lambda self, published: Measured("loss", -1.0, {}, 0.0, 1.0)}, "is not below"),
        (Loss, {"measure": lambda self, published: Measured("loss", 0.5, {}, 0.0, 1.0)}, "costs nothing"),
        (
            Discernibility,
            {"of_groups": lambda self, groups: int(groups.sizes[0]) * 4, "measure": lambda self, p: _first(self, p)},
            "order of the groups",
        ),
        (IGPL, {"gain": lambda self, step: np.zeros(1 + len(step.child_classes))}, "one number for each way"),
        (IGPL, {"gain": lambda self, step: np.full(len(step.child_classes), -1.0)}, "no gain is negative"),
        (IGPL, {"gain": lambda self, step: step.child_classes[:, 0, 0].astype(float)}, "any order"),
        (
            IGPL,
            {"gain": lambda self, step: np.full(len(step.child_classes), float(len(step.child_classes)))},
            "on its own",
        ),
        (IGPL, {"gain": lambda self, step: np.full(len(step.child_classes), 1.0)}, "parts nothing"),
        (IGPL, {"gain": lambda self, step: _spread(step)}, "one class"),
        (IGPL, {"score": lambda self, gain, loss: gain + loss}, "never raises the score"),
        (IGPL, {"score": lambda self, gain, loss: -gain}, "never lowers the score"),
    ],
)
def test_metrics(listed: Listed, rng: np.random.Generator, base: Any, members: dict[str, Any], words: str) -> None:
    with broken(words):
        check_metric(listed(changed(base, **members))(), rng)  # type: ignore[arg-type]


def _first(metric: Any, published: Any) -> Measured:
    return Measured(metric.id, float(metric.of_groups(published.groups)))


def _spread(step: Refinement) -> Any:
    """A gain that looks at sizes only: it does not care about classes."""
    records = step.child_classes.sum(axis=-1)
    return (records > 0).sum(axis=-1) - 1.0


# ---- the other kinds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"map": lambda self, values, **rules: _mapped(["[0-1)"] * len(values))}, "is a published one"),
        ({"map": lambda self, values, **rules: _mapped(["[0-1)"] * (len(values) + 1))}, "one label per value"),
        ({"map": lambda self, values, **rules: _mapped(["[1-37)"] * len(values))}, "lies in"),
        ({"map": lambda self, values, **rules: _mapped(["[1-37)"] * len(values), covered=-1.0)}, "part of the domain"),
        ({"state": lambda self: {"id": "discretization", "edges": [1, 2, 99]}}, "the saved state"),
    ],
)
def test_recodings(listed: Listed, rng: np.random.Generator, members: dict[str, Any], words: str) -> None:
    with broken(words):
        check_recoding(listed(changed(Discretization, **members))(edges=(1, 37, 99)), rng)  # type: ignore[arg-type]


def _mapped(labels: list[str], covered: float = 36.0) -> Mapped:
    none = np.full(len(labels), -1)
    return Mapped(tuple(labels), np.full(len(labels), covered), 98.0, none, none, True)


def test_a_recoding_nobody_knows_values_for(listed: Listed, rng: np.random.Generator) -> None:
    class Constant(ColumnRecoding):
        """Publishes one label."""

        id: ClassVar[str] = "constant"

        def published(self) -> tuple[str, ...]:
            """One label."""
            return ("*",)

        def map(self, values: Any, *, column: str = "", unknown: str = "declared") -> Mapped:
            """One label for all."""
            return _mapped(["*"] * len(values))

    with broken("give the values"):
        check_recoding(listed(Constant)(), rng)  # type: ignore[arg-type]


TABLE = sfumato.from_rows(["Job", "n"], [("x", 1), ("y", 2), ("x", 3)])


@pytest.mark.parametrize(
    ("apply", "words"),
    [
        (lambda self, table: table.select(["Job"]), "columns stay"),
        (lambda self, table: sfumato.from_rows(["Job", "n"], [("z", 1)]), "comes from a row"),
        (lambda self, table: sfumato.from_rows(["Job", "n"], [("x", 1)] * 4), "no row is invented"),
        (lambda self, table: sfumato.from_rows(["Job", "n"], [("x", 1)] * 2), "comes from a row"),
    ],
)
def test_operations(listed: Listed, apply: Any, words: str) -> None:
    check_operation(RecordSuppression(qid=("Job",), k=2), TABLE)
    with broken(words):
        check_operation(listed(changed(RecordSuppression, apply=apply))(qid=("Job",), k=2), TABLE)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"path": lambda self, value: (str(value), "*")}, "some value has no place"),
        ({"build": lambda self, values, column="": Intervals(lower=0, width=9, upper=20).build(values)}, "is its row"),
        ({"build": lambda self, values, column="": Tree.from_nested({"*": ["1"]})}, "holds every value"),
        ({"path": lambda self, value: _shifted(self, value)}, "lies in"),
    ],
)
def test_hierarchies(listed: Listed, rng: np.random.Generator, members: dict[str, Any], words: str) -> None:
    values = [3, 8, 14]
    check_hierarchy(Intervals(lower=0, width=5, fan_out=(2, 2)), rng, values=values)
    builder = listed(changed(Intervals, **members))(lower=0, width=5, fan_out=(2, 2))  # type: ignore[call-arg]
    with broken(words):
        check_hierarchy(builder, rng, values=values)  # type: ignore[arg-type]


def _shifted(builder: Any, value: Any) -> Any:
    path = Intervals.path(builder, value + 5 if value < 10 else value)
    return (str(value), *path[1:])


def test_a_release_that_approves_everything(listed: Listed, rng: np.random.Generator) -> None:
    check_release(RecodedTable(), rng)

    def verify(self: ReleaseKind, table: Any, models: Any, qids: Any) -> Any:
        return [replace(verdict, satisfied=True) for verdict in RecodedTable().verify(table, models, qids)]

    with broken("follow from counting"):
        check_release(listed(changed(RecodedTable, verify=verify))(), rng)  # type: ignore[arg-type]


def test_an_algorithm_that_draws_without_the_generator(listed: Listed, rng: np.random.Generator) -> None:
    def run(self: Any, task: Task, work: Run) -> Outcome:
        np.random.rand()  # noqa: NPY002
        return TDR.run(self, task, work)

    kind = listed(changed(TDR, run=run, id="restless"))
    with broken("global generator of NumPy"):
        check_algorithm(kind(), rng)  # type: ignore[arg-type]


def test_an_algorithm_that_is_never_the_same(listed: Listed, rng: np.random.Generator) -> None:
    fresh = np.random.default_rng(5)

    def run(self: Any, task: Task, work: Run) -> Outcome:
        return TDR.run(replace(self, max_refinements=int(fresh.integers(0, 4))), task, work)

    kind = listed(changed(TDR, run=run, id="moody"))
    with broken("the same seed gives the same"):
        check_algorithm(kind(require_beneficial=False), rng)  # type: ignore[call-arg]


def test_an_algorithm_whose_release_fails_is_stopped_by_the_verifier(listed: Listed, rng: np.random.Generator) -> None:
    def run(self: Any, task: Task, work: Run) -> Outcome:
        models = [replace(asked, k=1) for asked in task.models]  # type: ignore[call-arg]
        return TDR.run(self, replace(task, models=models), work)

    kind = listed(changed(TDR, run=run, id="careless"))
    with pytest.raises(sfumato.InternalError, match="the release fails"):
        check_algorithm(kind(require_beneficial=False), rng)  # type: ignore[call-arg]


def test_a_real_thing_passes_by_its_class(rng: np.random.Generator) -> None:
    check(KAnonymity, rng)


# ---- draws ---------------------------------------------------------------------------------------------------------------


def test_draws_repeat_themselves_and_fit_their_description() -> None:
    for seed in range(30):
        one, two = (np.random.default_rng(seed) for _ in range(2))
        groups, again = random_groups(one, ["s"]), random_groups(two, ["s"])
        assert groups.sizes.tolist() == again.sizes.tolist()
        assert groups.histograms["s"].dense().sum(axis=1).tolist() == groups.sizes.tolist()
        target = random_merge(one, len(groups))
        assert target == random_merge(two, len(groups))
        assert groups.merge(target).sizes.sum() == groups.sizes.sum()
        drawn, same = random_table(one), random_table(two)
        assert drawn.table.to_rows() == same.table.to_rows()
        assert sum(part.table.rows for part in drawn.parts()) == drawn.table.rows
        coarser = drawn.coarser(one)
        assert len(drawn.published(coarser).groups) <= len(drawn.published().groups)
