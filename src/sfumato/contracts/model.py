"""Privacy models: what a requirement measures, on which side it is safe, and what follows from that for free.

Every model *judges* the view that its shape of data offers, and returns the same verdict. A :class:`TableModel` judges a
publication; most of them decide group by group (:class:`GroupModel`): one number per group and a safe side, the rest follows.
Models over attribute subsets, an external table, single records or possible worlds implement ``judge`` themselves. A
*mechanism model* speaks of a procedure: it is audited or calibrated, and not forced into the same shape.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, field
from typing import Any, ClassVar, Generic, Literal, Self, TypeAlias, TypeVar

import numpy as np

from sfumato.contracts.foreign import look_at
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import Thing, columns
from sfumato.data.frozen import frozen
from sfumato.data.html import html_table
from sfumato.data.json import Json
from sfumato.data.messages import tell
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints

__all__ = [
    "Audit",
    "Bound",
    "GroupModel",
    "MechanismModel",
    "Model",
    "ModelTraits",
    "Requirement",
    "SizesModel",
    "TableModel",
    "TableTraits",
    "Verdict",
    "Violation",
    "at_least",
    "at_most",
    "by_group",
    "verdict_header",
]

V = TypeVar("V")
Evaluation = Literal["group", "group+table", "record", "subsets", "external", "sizes", "labels", "worlds", "mechanism"]
Numbers = Floats | Ints

RELATIVE_SLACK = 1e-9


@frozen
class ModelTraits:
    """Claims about a model of any shape.

    ``prevents`` uses record, attribute, table, probabilistic. ``evaluation`` says what decides: group by group; the same with
    numbers of the table; record by record; several subsets of attributes; an external table; the sizes of all
    groups together; what published values stand for; possible worlds; a mechanism.
    """

    prevents: frozenset[str]
    evaluation: Evaluation

    @property
    def by_group(self) -> bool:
        """Whether groups decide, one by one."""
        return self.evaluation in ("group", "group+table")


@frozen
class TableTraits(ModelTraits):
    """Claims about a model of tables that searches rely on; each is tested on random partitions.

    ``closed_under_merge``: a satisfied partition stays satisfied when groups are merged, which also gives the subset
    property. ``violations_shrink_under_merge``: merging never raises the number of records in violating groups, which
    pruning with a record-suppression budget needs. ``by_size_alone``: ``least_size`` decides everything.
    """

    closed_under_merge: bool
    violations_shrink_under_merge: bool
    sensitive: Literal["none", "categorical", "numeric", "taxonomy", "value"] = "none"
    by_size_alone: bool = False


@frozen
class Bound:
    """The safe side of a threshold; the only place where a measured value meets it.

    Whole numbers compare exactly. Real thresholds carry a relative slack of 1e-9 towards satisfaction unless ``strict``.
    """

    threshold: float
    side: Literal["at_least", "at_most"]
    strict: bool = False
    exact: bool = False

    def holds(self, values: Numbers) -> Bools:
        """Tell for each measured value whether it lies on the safe side."""
        measured = np.asarray(values)
        if self.side == "at_least":
            return measured > self.limit if self.strict else measured >= self.limit
        return measured < self.limit if self.strict else measured <= self.limit

    @property
    def limit(self) -> float:
        """The threshold, and what rounding may add to a value on the safe side."""
        slack = 0.0 if self.exact or self.strict else RELATIVE_SLACK * abs(self.threshold)
        return self.threshold - slack if self.side == "at_least" else self.threshold + slack

    def worst(self, values: Numbers) -> float | int | None:
        """Return the value nearest to, or furthest beyond, the unsafe side; ``None`` without any."""
        if len(values) == 0:
            return None
        worst: float | int = (values.min() if self.side == "at_least" else values.max()).item()
        return worst

    def __str__(self) -> str:
        sign = {"at_least": ">", "at_most": "<"}[self.side] + ("" if self.strict else "=")
        return f"{sign} {self.threshold:g}"


def at_least(threshold: float, *, strict: bool = False) -> Bound:
    """Safe at or above ``threshold``; whole thresholds compare exactly."""
    return Bound(threshold, "at_least", strict, isinstance(threshold, int))


def at_most(threshold: float, *, strict: bool = False) -> Bound:
    """Safe at or below ``threshold``; whole thresholds compare exactly."""
    return Bound(threshold, "at_most", strict, isinstance(threshold, int))


@frozen
class Violation:
    """One group that breaks a requirement: where, how large, the measured value, and what the adversary sees there."""

    group: tuple[object, ...]
    size: int
    measured: float
    witness: Mapping[str, object] = field(default_factory=dict)


@frozen
class Verdict:
    """The answer of a check: satisfied or not, the strongest level met, the worst groups, the adversary assumed.

    Of a requirement on the cells of one column, ``column`` and ``shape`` say which and what these are.
    """

    model: str
    parameters: Mapping[str, Json]
    qid: tuple[str, ...]
    satisfied: bool
    strongest: float | int | None
    bound: str
    groups: int
    records: int
    violating_groups: int
    violating_records: int
    violations: tuple[Violation, ...]
    adversary: str
    column: str | None = None
    shape: str | None = None

    def __bool__(self) -> bool:
        return self.satisfied

    def asked(self) -> str:
        """Return the model with its parameters, on one line."""
        return " ".join([self.model, *(f"{key}={value}" for key, value in self.parameters.items())])

    def document(self) -> dict[str, object]:
        """Return it for JSON; which values groups have, and what is seen there, stays with whoever has the table."""
        kept = [{"size": one.size, "measured": one.measured} for one in self.violations]
        return {**asdict(self), "violations": kept}

    def __repr__(self) -> str:  # groups that violate it hold values
        told = f"{'holds' if self.satisfied else 'fails'}, measured {self.strongest}, needed {self.bound}"
        return f"Verdict({self.asked()}: {told}, {self.violating_groups:,} of {self.groups:,} groups violate it)"

    def row(self) -> list[str]:
        """Return what a table of verdicts says of this one."""
        said = tell("page.notebook.holds" if self.satisfied else "page.notebook.fails")
        return [self.asked(), ", ".join(self.qid), str(self.strongest), self.bound, said]

    def _repr_html_(self) -> str:
        return html_table(verdict_header(), [self.row()])


def verdict_header() -> list[str]:
    """Return the header of a table of verdicts."""
    return [tell(f"page.notebook.{name}") for name in ("requirement", "on", "measured", "needed")] + [""]


class Model(Thing, Generic[V]):
    """A requirement on published data, judged by the view that its shape offers."""

    kind: ClassVar[str] = "model"
    traits: ClassVar[ModelTraits]
    adversary: ClassVar[str] = ""
    level: ClassVar[str] = "measured value"

    def __init_subclass__(cls, **given: object) -> None:
        super().__init_subclass__(**given)
        look_at(cls, "judge", lambda found, *_, **__: None if isinstance(found, Verdict) else "a verdict")

    @abstractmethod
    def judge(self, view: V, *, worst: int = 10) -> Verdict:
        """Return the verdict on a view of what is published, with up to ``worst`` violations, worst first."""

    def necessary(self, records: int) -> str | None:
        """Return why no data of this many records can satisfy the model, or ``None``."""
        return None

    def private(self) -> tuple[str, ...]:
        """Return what the model reads that serves the check alone and is never published."""
        return ()

    def verdict(
        self,
        *,
        qid: Sequence[str] = (),
        satisfied: bool,
        strongest: float | int | None,
        groups: int,
        records: int,
        bound: str,
        violations: Sequence[Violation] = (),
        violating_groups: int | None = None,
        violating_records: int | None = None,
    ) -> Verdict:
        """Return a verdict that names this model, its parameters and its adversary; only tables have a ``qid``."""
        return Verdict(
            model=self.id,
            parameters={key: value for key, value in self.spec().items() if key not in ("id", "qid")},
            qid=tuple(qid),
            satisfied=satisfied,
            strongest=strongest,
            bound=bound,
            groups=groups,
            records=records,
            violating_groups=len(violations) if violating_groups is None else violating_groups,
            violating_records=sum(v.size for v in violations) if violating_records is None else violating_records,
            violations=tuple(violations),
            adversary=self.adversary,
        )


Requirement: TypeAlias = Model[Any]
"""A requirement of whatever shape."""


class TableModel(Model[Publication]):
    """A requirement on a published table."""

    traits: ClassVar[TableTraits]

    qid: tuple[str, ...] | None = columns(
        "quasi-identifier", doc="columns the adversary may know; all quasi-identifiers if not given", default=None
    )

    def validate(self) -> None:
        """Refuse an empty or repeating quasi-identifier, and one that holds a column the model protects."""
        if self.qid is None:
            return
        if len(self.qid) == 0:
            raise BadRequest("must name at least one column", parameter=f"{self.id}.qid")
        if len(set(self.qid)) != len(self.qid):
            raise BadRequest("names a column twice", parameter=f"{self.id}.qid", value=self.qid)
        protected = [name for name in self.needs() if name in self.qid]
        if protected:
            raise BadRequest(
                "holds a column that the model protects",
                parameter=f"{self.id}.qid",
                value=protected[0],
                available=self.qid,
            )

    def needs(self) -> tuple[str, ...]:
        """Return the columns, besides the quasi-identifier, that the model looks at."""
        return ()

    def private(self) -> tuple[str, ...]:
        """Return the columns among :meth:`needs` that serve the check alone and are never published."""
        return ()

    def with_values(self, held: Callable[[str, Any], Any]) -> Self:
        """Return the model with each value that it names replaced by what ``held`` gives for its column and the value."""
        return self

    def with_trees(self, trees: Mapping[str, Tree]) -> Self:
        """Return the model with the hierarchies of columns that it measures in, if it was given none of its own."""
        return self

    def least_size(self) -> int:
        """Return a group size below which no group can satisfy the model; searches test it first."""
        return 1

    def in_each_group(self) -> GroupModel | None:
        """Return a condition on single groups from which the model follows; ``None`` if there is none.

        It may ask for more than the model does: searches that see one group at a time go by it.
        """
        return None

    @property
    def counts_people(self) -> bool:
        """Whether people of a population table are counted beside the records."""
        return self.traits.evaluation == "external"

    def in_search(self) -> GroupModel | None:
        """Return the model as a condition on groups that a search counts; ``None`` if there is none.

        Unlike :meth:`in_each_group` it asks for what the model asks for, no more. It may read ``groups.people`` and
        ``groups.lost``, which only some searches know.
        """
        return None

    def on_subsets(self, names: Sequence[str]) -> Sequence[GroupModel] | None:
        """Return requirements on sets of the named columns that hold together iff the model does; ``None`` without any."""
        return None


class SizesModel(TableModel):
    """A requirement on the sizes of all groups together: no group is right or wrong by itself."""

    @abstractmethod
    def too_many(self, sizes: Ints) -> int:
        """Return how many of the smallest groups must be left out before the model holds of the rest; sizes rise."""

    @abstractmethod
    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition."""


class GroupModel(TableModel):
    """A requirement decided group by group: ``measure`` gives one number per group, ``bound`` says which side is safe."""

    def __init_subclass__(cls, **given: object) -> None:
        super().__init_subclass__(**given)
        look_at(cls, "measure", _not_measured)
        look_at(cls, "bound", lambda found: None if isinstance(found, Bound) else "a bound (at_least, at_most)")

    @abstractmethod
    def measure(self, groups: GroupStats) -> Numbers:
        """Return one number per group, the same whichever other groups are shown: ``measure(g.taken(s)) == measure(g)[s]``.

        Searches show some groups of a table only. What a model compares them with, it reads from ``groups.records`` and
        ``groups.whole_table(column)``, which speak of the whole table all the same.
        """

    @abstractmethod
    def bound(self) -> Bound:
        """Return the side and threshold that a group must meet."""

    def refuse_unlocal(self, groups: GroupStats) -> None:
        """Refuse to be asked about some groups only if that changes what is measured of them."""
        some = np.arange(0, len(groups), 2)
        alone, among = self.measure(groups.taken(some)), self.measure(groups)[some]
        if not np.allclose(alone, among, rtol=RELATIVE_SLACK, equal_nan=True):
            raise Unsupported(
                f"{self.id} measures a group differently when other groups are not shown, but searches show it some groups "
                "only: its measure must take the table's numbers from groups.records and groups.whole_table(column), not "
                "from the groups at hand",
                thing=self.id,
            )

    def in_each_group(self) -> GroupModel:
        """Return the model itself, which single groups decide."""
        return self

    def in_search(self) -> GroupModel:
        """Return the model itself, which single groups decide."""
        return self

    @property
    def judges_absent(self) -> bool:
        """Whether groups of a population are judged too in which nobody is published; if they fail, everything does."""
        return False

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return what the adversary learns in one violating group."""
        return {}

    def judge_counts(self, counts: Codes, sizes: Ints, skipped: Bools, whole: Ints) -> tuple[Bools, Ints] | None:
        """Return which groups fail, and :meth:`least_removed`, from ``groups x values`` counts of the one column.

        Of groups that are skipped nothing is said: they do not fail. A quick way for searches that look at many partitions;
        ``None``, the default, if there is no quicker one.
        """
        return None

    def least_removed(self, groups: GroupStats, values: Numbers) -> Ints:
        """Return how many records must leave each group, at least, before what remains can satisfy the model.

        If a group is split and violating parts are left out, the parts that stay satisfy the model, and so does their union
        where the model is closed under merging. So no partition below this one can leave out fewer records of the group.
        ``values`` is what :meth:`measure` said. Searches with a suppression limit rule nodes out by it; 0, the default, is
        always true.
        """
        return np.zeros(len(groups), np.int64)

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge the groups on the model's quasi-identifier."""
        return self.check(publication.groups(self.qid, self.needs()), worst=worst)

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition: verdict, strongest level met, and up to ``worst`` violating groups, worst first."""
        bound = self.bound()
        values = self.measure(groups)
        broken = np.flatnonzero(~bound.holds(values))
        order = np.argsort(values[broken] if bound.side == "at_least" else -values[broken], kind="stable")
        shown = broken[order][:worst]
        found: Sequence[Violation] = [
            Violation(groups.key(int(i)), groups.sizes[i].item(), values[i].item(), self.witness(groups, int(i)))
            for i in shown
        ]
        return self.verdict(
            qid=groups.columns,
            satisfied=len(broken) == 0,
            strongest=bound.worst(values),
            bound=str(bound),
            groups=len(groups),
            records=groups.sizes.sum().item(),
            violating_groups=len(broken),
            violating_records=groups.sizes[broken].sum().item(),
            violations=found,
        )


def _not_measured(found: object, groups: GroupStats) -> str | None:
    """Say what a measure must give if it did not give it."""
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "iuf":
        return f"an array of numbers, one for each group; it gave {_called(found)}"
    if found.shape != (len(groups),):
        return f"one number for each of {len(groups)} groups; it gave an array of the shape {found.shape}"
    return "a number for each group; it gave NaN" if np.isnan(found).any() else None


def _called(found: object) -> str:
    return f"an array of {found.dtype}" if isinstance(found, np.ndarray) else f"a {type(found).__name__}"


def by_group(able: Sequence[str], models: Sequence[Requirement]) -> list[str]:
    """Return the searches to name instead that need requirements decided group by group; none if one of these is not."""
    return list(able) if all(isinstance(model, GroupModel) for model in models) else []


@frozen
class Audit:
    """The answer of an audit: the level that the procedure was found to have, and what shows it.

    An ``exact`` audit computed the level. One that is not exact drew samples: ``measured`` is then a level that the
    procedure exceeds with the stated confidence, and ``satisfied`` says no more than that nothing speaks against it.
    """

    model: str
    parameters: Mapping[str, Json]
    satisfied: bool
    measured: float
    bound: str
    exact: bool
    witness: Mapping[str, object]
    adversary: str

    def __bool__(self) -> bool:
        return self.satisfied


class MechanismModel(Thing):
    """A requirement on a procedure, not on a table: no single output can show whether it holds.

    ``audit`` takes a description of the procedure, or the procedure itself, in the form its model asks for, and measures the
    level that it has. ``calibrate`` goes the other way: from the wanted level to the parameters of a procedure that has it.
    """

    kind: ClassVar[str] = "mechanism model"
    traits: ClassVar[ModelTraits]
    adversary: ClassVar[str] = ""

    def audit(self, *args: Any, **kwargs: Any) -> Audit:
        """Measure a procedure; each model says what it needs to know of it."""
        raise Unsupported(f"{self.id} cannot be audited", thing=self.id)

    def calibrate(self, *args: Any, **kwargs: Any) -> Mapping[str, float]:
        """Return the parameters of a procedure that meets the model."""
        raise Unsupported(f"{self.id} has nothing to calibrate; audit a finished procedure", thing=self.id)

    def audited(self, measured: float, bound: Bound, witness: Mapping[str, object], *, exact: bool = True) -> Audit:
        """Return an audit that names this model, its parameters and its adversary."""
        return Audit(
            model=self.id,
            parameters={key: value for key, value in self.spec().items() if key != "id"},
            satisfied=bool(bound.holds(np.array([measured]))[0]),
            measured=measured,
            bound=str(bound),
            exact=exact,
            witness=witness,
            adversary=self.adversary,
        )
