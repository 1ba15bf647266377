"""Class by class: columns of persons are masked as a table is, then the points of each class of persons who share them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import ClassVar

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.metric import Measured
from sfumato.contracts.model import Requirement
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Ints
from sfumato.trajectories.built import BuiltTrajectories, NothingLeft, TrajectoryFacts, built_trajectories, refuse_loss
from sfumato.trajectories.models.lkc_privacy import LKCPrivacy
from sfumato.trajectories.models.path_k_anonymity import PathKAnonymity
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["ClassByClass", "ClassFacts"]


@frozen(eq=False, repr=False, kw_only=True)
class ClassFacts(TrajectoryFacts):
    """What was done to points, in how many classes of persons, and what the columns lost."""

    classes: int
    changed: int
    columns: Mapping[str, Measured] = field(default_factory=dict)

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say how many classes there are, and in how many points were left out."""
        return [say("trails.classes", classes=self.classes, changed=self.changed), *super().words(chosen=chosen)]


class ClassByClass(Search[TrajectoryTask]):
    """Mask the columns until at least so many persons share all of them, then the points of each class by itself.

    Whoever knows the columns of a person and at most L pairs finds K persons: in each class of persons who share all columns
    every sequence of at most L pairs that occurs is in the paths of K of them, and a class has K persons; a sensitive value is
    no surer than C in any of them. ``columns`` is an algorithm of tables for the first step, ``points`` one of paths for the
    second. Larger classes (``persons``) cost more of the columns and leave more of the points. A pair may be left out in one
    class and not in another.

    Examples
    --------
    >>> import sfumato
    >>> policy = {
    ...     "shape": "trajectories",
    ...     "person": "who",
    ...     "place": {"column": "where"},
    ...     "time": {"column": "at"},
    ...     "columns": {"age": {"role": "quasi-identifier"}},
    ...     "requirements": [{"id": "lkc-privacy", "L": 1, "K": 2}],
    ... }
    >>> rows = {"who": [1, 1, 2, 3, 4], "age": [30, 30, 31, 50, 50], "where": list("abacc"), "at": [1, 2, 1, 1, 1]}
    >>> release = sfumato.anonymize(rows, policy)
    >>> release.tables["persons"].to_rows()
    [(1, 1, '[30-31]'), (2, 1, '[30-31]'), (3, 1, '50'), (4, 1, '50')]

    References
    ----------
    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, "Anonymizing data with relational and transaction attributes", ECML PKDD
    2013, doi:10.1007/978-3-642-40994-3_23: the two steps in this order, on baskets.
    """

    id: ClassVar[str] = "class-by-class"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="locally-recoded-trajectories",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="masking the columns, and the points of each class",
    )

    columns: Mapping[str, object] | None = param(
        default=None, doc="algorithm of tables that masks the columns; mondrian if not given"
    )
    points: Mapping[str, object] | None = param(
        default=None, doc="algorithm of paths that leaves points of a class out; trajectory-anonymizer if not given"
    )
    persons: int | None = param(default=None, ge=2, doc="smallest number of persons in a class; K if not given")

    def validate(self) -> None:
        """Refuse algorithms that are none, before any work."""
        super().validate()
        for name in ("columns", "points"):
            given: object = getattr(self, name)
            if given is not None and not (isinstance(given, Mapping) and "id" in given):
                raise BadRequest("must be an id and parameters", parameter=f"{self.id}.{name}")
        build(dict(self.columns or {"id": "mondrian"}), "algorithm")
        left = self._points()
        if left.id == self.id or left.traits.release not in ("recoded-trajectories", "locally-recoded-trajectories"):
            raise BadRequest("must leave points out", parameter=f"{self.id}.points", value=left.id)

    def _points(self) -> Search[TrajectoryTask]:
        made: Search[TrajectoryTask] = build(
            dict(self.points or {"id": "trajectory-anonymizer"}), "algorithm", "trajectories"
        )
        return made

    def run(self, task: TrajectoryTask, run: Run) -> Outcome:
        """Mask the columns, then the points of every class in which a requirement fails."""
        if task.columns is None:
            raise BadRequest(
                "needs columns of persons with the role quasi-identifier", parameter="columns", value=self.id
            )
        least = max(self.persons or 1, *(_smallest(model, self.id) for model in task.models))
        run.stage("columns")
        masked = task.columns.masked(self.columns or {"id": "mondrian"}, least, run)
        names = tuple(masked.table.columns)
        shown = dict(zip(names, zip(*masked.table.to_rows(), strict=True), strict=True))
        paths = replace(
            task.trajectories,
            columns={**task.trajectories.columns, **{name: CodedKeys.of(held) for name, held in shown.items()}},
            known=names,
        )
        number, known = paths.classes
        order = np.argsort(number, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
        run.stage("points", len(members))
        search, kept, changed = self._points(), list[Trajectories](), 0
        for done, which in enumerate(members):
            run.tick(done)
            part = replace(paths.taken(which), known=())
            if not all(model.judge(part, worst=0).satisfied for model in task.models):
                changed += 1
                part = _masked(search, TrajectoryTask(part, task.models, sensitive=task.sensitive), run)
            kept.append(part)
        out = _together(paths, members, kept)
        refuse_loss(task, out)
        facts = ClassFacts(
            points_before=len(paths.places),
            points_after=len(out.places),
            classes=len(known),
            changed=changed,
            columns=masked.measured,
        )
        done_to = {entry.name: entry.operation for entry in masked.certified.columns}
        built = built_trajectories(out, task.sensitive, local=True, columns=done_to)
        return Outcome(built=built, facts=facts, warnings=masked.warnings)


def _smallest(model: Requirement, thing: str) -> int:
    """Return how many persons a class must have for a requirement; refuse those that columns cannot be part of."""
    if isinstance(model, PathKAnonymity):
        return model.k
    if isinstance(model, LKCPrivacy) and model.knowledge in ("pair", "time"):
        return model.K
    raise Unsupported(f"{thing} works for lkc-privacy (who knows pairs, or times) and path-k-anonymity", thing=model.id)


def _masked(search: Search[TrajectoryTask], task: TrajectoryTask, run: Run) -> Trajectories:
    """Return the paths of one class masked; say of a class that cannot be what can be changed."""
    try:
        built = search.run(task, run).built
    except NothingLeft:  # in this class: others may keep theirs
        return task.trajectories.thinned(np.zeros(len(task.trajectories.places), np.bool_))
    except Infeasible as error:
        raise Infeasible(
            say("trails.class_fails", persons=len(task.trajectories), reason=str(error)),
            measured=error.measured,
            bound=error.bound,
        ) from None
    assert isinstance(built, BuiltTrajectories)
    return built.masked


def _together(whole: Trajectories, members: list[Ints], parts: list[Trajectories]) -> Trajectories:
    """Return the paths of all classes in the order of the input."""
    kept = np.zeros(len(whole.places), np.bool_)
    keys = whole.owners * np.int64(max(len(whole.moments), 1)) + whole.times
    for which, part in zip(members, parts, strict=True):
        kept[np.searchsorted(keys, which[part.owners] * np.int64(max(len(whole.moments), 1)) + part.times)] = True
    return whole.thinned(kept)
