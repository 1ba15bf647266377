"""Paths as a shape of data: for each person places at times."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Knowledge, Reading, Seen, names_told, pieces
from sfumato.contracts.metric import Measured, ReleaseMetric
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.picture import Picture
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run, fresh_seed
from sfumato.contracts.shape import Shape
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.engines import open_source, read
from sfumato.engines.sources import make_options
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.publishing.certify import certify_outcome
from sfumato.recodings.scales import TreeScale
from sfumato.tables.person_columns import PersonColumns
from sfumato.trajectories.algorithms.class_by_class import ClassByClass, ClassFacts
from sfumato.trajectories.attack import TrajectoryKnowledge, TrajectorySeen
from sfumato.trajectories.built import BuiltTrajectories
from sfumato.trajectories.coordinates import width_of
from sfumato.trajectories.draft import drafted, profiled
from sfumato.trajectories.maps import map_of_flows, map_of_walks, map_of_ways, ways_before
from sfumato.trajectories.metric import Masked
from sfumato.trajectories.models.lkc_privacy import LKCPrivacy
from sfumato.trajectories.path_kind import ZonedKind
from sfumato.trajectories.pictures import pictures_of, suppressed_of, unicity_of
from sfumato.trajectories.policy import ALWAYS, WITH_COORDINATES, TrajectoryPolicy
from sfumato.trajectories.releases.flow_table import FlowTable
from sfumato.trajectories.releases.generalized_trajectories import GeneralizedTrajectories
from sfumato.trajectories.releases.moved_paths import MovedPaths
from sfumato.trajectories.releases.noisy_flows import NoisyFlows
from sfumato.trajectories.releases.recoded_trajectories import RecodedTrajectories
from sfumato.trajectories.releases.region_paths import RegionPaths
from sfumato.trajectories.sources import opened, placed
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.trajectories import GIVEN, Trajectories

__all__ = ["PreparedTrajectories", "TrajectoryShape"]


@frozen(eq=False)
class PreparedTrajectories:
    """Paths whose places, times and columns are as the policy wants them; ``given`` are those before zones were hidden."""

    trajectories: Trajectories
    policy: TrajectoryPolicy
    given: Trajectories
    warnings: tuple[str, ...] = ()


class TrajectoryShape(Shape[Trajectories, PreparedTrajectories, TrajectoryTask, TrajectoryKnowledge]):
    """Paths: for each person places at times, and columns that have one value for each person.

    Examples
    --------
    >>> import sfumato
    >>> policy = {"shape": "trajectories", "requirements": [{"id": "lkc-privacy", "L": 2, "K": 2}]}
    >>> release = sfumato.anonymize([[("a", 1), ("b", 2)], [("a", 1), ("b", 2)], [("a", 1), ("c", 2)]], policy)
    >>> release.tables["points"].to_rows()
    [(1, 'a', 1), (2, 'a', 1), (2, 'b', 2), (3, 'a', 1), (3, 'b', 2)]
    """

    id: ClassVar[str] = "trajectories"
    policy: ClassVar[type[Asked]] = TrajectoryPolicy
    knowledge: ClassVar[type[Knowledge]] = TrajectoryKnowledge

    def open(self, source: object, asked: Asked | None, run: Run) -> Trajectories:
        """Return the paths of lists, or of a table with the columns that the policy names."""
        run.stage("reading")
        if isinstance(source, Trajectories):
            return source
        policy = asked if isinstance(asked, TrajectoryPolicy) else None
        if policy is None or policy.person is None:
            return Trajectories.of(source, repair=policy.repair or GIVEN if policy is not None else GIVEN)
        if not isinstance(source, Table):
            source = open_source(source, policy.engine, make_options(policy.source.model_dump()), run.memory)
        stays, layout, columns = policy.stays(), policy.layout(), list(policy.published())
        if not policy.operations:
            return opened(source, layout, columns)
        exact = opened(source, layout.exact(), columns)
        exact = exact if stays is None else stays.kept(exact)
        made = placed(exact, layout)
        return replace(made, exact=exact if len(exact) == len(made) else exact.taken(np.flatnonzero(exact.lengths)))

    def prepare(self, data: Trajectories, asked: Asked, run: Run) -> PreparedTrajectories:
        """Build the taxonomy, look at sensitive columns; refuse what no masking can meet."""
        policy = _policy(asked)
        run.stage("preparing")
        if not len(data):
            raise BadRequest("has no person", parameter="source")
        if not len(data.places):
            raise BadRequest("has no point", parameter="source")
        paths = data
        builder = policy.taxonomy()
        if builder is not None:
            paths = paths.with_tree(builder.build(list(paths.names), column="place"))
        if policy.known() and not isinstance(policy.search(), ClassByClass):
            raise Unsupported(
                f"{policy.search().id} masks points alone, and columns of persons are known as well",
                thing=policy.search().id,
                alternatives=[ClassByClass.id],
            )
        for name in _sensitive(policy, paths):
            missing = int((paths.column(name).codes < 0).sum())
            if missing:
                raise BadRequest("sensitive values are missing", column=name, value=missing)
        for model in policy.models():
            reason = model.necessary(len(paths))
            if reason is not None:
                raise Infeasible(reason, measured=len(paths), requirement=model.id)
            if isinstance(model, LKCPrivacy):
                model.refuse_strange(paths)
        told: list[str] = [say("trails.mended", repair=name, count=count) for name, count in paths.mended.items()]
        if policy.percents():
            told.append(say("trails.mended", repair="percent", count=policy.percents()))
        if paths.repeated:
            told.append(say("trails.repeated", count=paths.repeated))
        zones, given = policy.zones(), paths
        if zones is not None:
            hidden = zones.hide(
                given if data.exact is None else data.exact, np.random.default_rng([_secret(policy), 1])
            )
            paths = hidden.paths if data.exact is None else _again(hidden.paths, given, policy)
            told.append(say("trails.zones", hidden=hidden.hidden, trimmed=hidden.trimmed))
        for warning in told:
            logging.getLogger("sfumato").warning(warning)
        if not len(paths.places):
            raise Infeasible(say("trails.all_hidden"), measured=0, bound=">= 1")
        return PreparedTrajectories(paths, policy, given, tuple(told))

    def task(self, prepared: PreparedTrajectories, external: Trajectories | None) -> TrajectoryTask:
        """Return the paths with what must hold and what may be lost."""
        policy, limits = prepared.policy, prepared.policy.limits
        return TrajectoryTask(
            prepared.trajectories,
            policy.models(),
            limits.lose_at_most,
            limits.suppress_at_most,
            _sensitive(policy, prepared.trajectories),
            _person_columns(prepared),
            None if policy.place is None or policy.place.grid is None else width_of(policy.place.grid),
        )

    def release(
        self,
        prepared: PreparedTrajectories,
        outcome: Outcome,
        task: TrajectoryTask,
        seed: int,
        source: object,
        run: Run,
    ) -> Release:
        """Measure what was built beside what was read, and certify it."""
        policy, measured, zones = prepared.policy, list[Measured](), prepared.policy.zones()
        if outcome.built is not None and isinstance(outcome.built.kind, ZonedKind):
            kind = replace(outcome.built.kind, zones=None if zones is None else zones.stated())
            if "lattice" in kind.stated and policy.place is not None:
                kind = replace(kind, lattice=policy.place.lattice())
            outcome = replace(outcome, built=replace(outcome.built, kind=kind))
        if isinstance(outcome.facts, ClassFacts):
            measured += outcome.facts.columns.values()
        if isinstance(outcome.built, BuiltTrajectories):
            masked = outcome.built.compared(prepared.given)
            measured += [one.measure(masked) for one in _measures(policy, masked)]
        return certify_outcome(
            outcome,
            policy,
            policy.search().id,
            read=len(task.trajectories),
            measured=measured,
            warnings=prepared.warnings,
            raw=prepared.given.long_rows(),
            by_record=outcome.built is not None and outcome.built.kind.traits.published == "records",
        )

    def judge(self, data: Trajectories, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Judge paths as they stand."""
        paths = replace(data, known=tuple(name for name in _policy(asked).known() if name in data.columns))
        return [model.judge(paths, worst=worst) for model in models]

    def see(
        self, published: Published, told: Mapping[str, object], *, learns: bool
    ) -> tuple[Seen, TrajectoryKnowledge]:
        """Return the paths, and what the adversary was told; she wants to learn what is sensitive."""
        seen, power, values = published.form.seen(published.tables), told.get("power"), told.get("values") or {}
        if not isinstance(values, Mapping):
            raise BadRequest("must be values by column, such as {age: 34}", parameter="values")
        qid, learn = names_told(told, "qid"), names_told(told, "sensitive")
        if isinstance(seen, TrajectorySeen):
            paths = seen.trajectories
            _refuse_strange(paths, (*values, *qid))
            qid = qid if "qid" in told or values else paths.known
            seen = replace(seen, trajectories=replace(paths, known=qid), readings=_readings(published))
        both = [name for name in learn if name in (*qid, *values)]
        if both:
            raise BadRequest("is linked by and cannot be learnt", parameter="sensitive", value=both[0])
        if not learn and isinstance(published.form, RecodedTrajectories):
            learn = tuple(name for name in published.form.sensitive if name not in (*qid, *values))
        return seen, TrajectoryKnowledge(
            known=names_told(told, "points"),
            learn=learn,
            power=power if isinstance(power, int) else None,
            qid=qid,
            values=dict(values) or None,
        )

    def draft(self, source: object, k: int, run: Run) -> str:
        """Return a commented policy with the columns that probably say who was where and when."""
        return drafted(source, k, run)

    def profile(self, source: object, run: Run) -> Sequence[str]:
        """Say how many persons and points there are, and what singles people out."""
        return profiled(source, run)

    def pictures(self, published: Published, run: Run) -> Sequence[Picture]:
        """Return where and when points are published and left out, and how long paths are."""
        form, raw, policy = published.form, published.private.raw, published.private.policy
        before = None if raw is None else _raw_paths(raw)
        if isinstance(form, RegionPaths):
            return form.pictures(published.tables)
        if isinstance(form, MovedPaths):
            place = policy.place if isinstance(policy, TrajectoryPolicy) else None
            if before is None or place is None:
                return form.pictures(published.tables)
            width = None if place.grid is None else width_of(place.grid)
            return map_of_walks(form.view(published.tables), ways_before(before, width, place.unit, form.origin))
        if isinstance(form, (FlowTable, NoisyFlows)):
            return map_of_flows(form.view(published.tables).rows)
        if not isinstance(form, RecodedTrajectories):
            return ()
        after = form.trajectories_of(published.tables)
        # Larger cells have other numbers: the two would not lie on one map.
        alike = None if isinstance(form, GeneralizedTrajectories) else before
        lost = [] if alike is None else suppressed_of(after, alike)
        return [*map_of_ways(after, alike), *pictures_of(after, before), *lost, *unicity_of(after, before)]

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[TrajectoryKnowledge]:
        """Return the one who reads the release, and the paths before masking to compare."""
        seen, known = self.see(published, told, learns=True)
        raw = published.private.raw
        before = None
        if raw is not None and isinstance(seen, TrajectorySeen):
            paths = replace(_raw_paths(raw), known=seen.trajectories.known)
            before = TrajectorySeen(raw, roles=seen.roles, trajectories=paths)
        one = Adversary(seen, known, before)
        return Adversaries([one], [one], [])


def _raw_paths(raw: Table) -> Trajectories:
    """Return the paths before masking from the table that was kept of them."""
    columns = [name for name in raw.columns if name not in ("person", "place", "time")]
    return Trajectories.of(raw, person="person", place="place", time="time", columns=columns)


def _refuse_strange(paths: Trajectories, names: Sequence[object]) -> None:
    """Refuse what is neither a thing that may be known of paths nor a column of persons."""
    for name in names:
        if name not in paths.columns:
            raise BadRequest(
                "is nothing that is known beside such data: tell points=PLACE@TIME, or a published column of persons with "
                "its value, such as age=34",
                parameter=str(name),
                available=[*(piece.said for piece in pieces(TrajectoryKnowledge)), *paths.columns],
            )


def _readings(published: Published) -> dict[str, Reading]:
    """Return what labels of known columns stand for, where policy and data are at hand; others speak for themselves."""
    policy, raw = published.private.policy, published.private.raw
    out: dict[str, Reading] = {}
    if isinstance(policy, TrajectoryPolicy) and raw is not None:
        for name, told in policy.known().items():
            if told.hierarchy is not None and name in raw.types:
                tree = build(told.hierarchy, "hierarchy").build(raw.dictionary(name).values, column=name)
                out[name] = TreeScale(tree)
    return out


def _policy(asked: Asked) -> TrajectoryPolicy:
    assert isinstance(asked, TrajectoryPolicy), "paths are asked for by a policy for trajectories"
    return asked


def _measures(policy: TrajectoryPolicy, masked: Masked) -> list[ReleaseMetric[Masked]]:
    """Return the metrics to report: those of the policy, or all that fit where it names none."""
    asked = list(policy.measures())
    if "metrics" not in policy.model_fields_set:
        flat = masked.before.x is not None and masked.after.x is not None
        also = (*ALWAYS, *(WITH_COORDINATES if flat else ()))
        asked += [build(name, "metric", policy.shape) for name in also]
    return asked


def _person_columns(prepared: PreparedTrajectories) -> PersonColumns | None:
    """Return the columns that an adversary knows as a table with a row for each person, if there are any."""
    policy, paths = prepared.policy, prepared.trajectories
    asked = policy.known()
    if not asked:
        return None
    return PersonColumns(read({name: list(paths.column(name)) for name in asked}), asked, policy.seed)


def _again(exact: Trajectories, given: Trajectories, policy: TrajectoryPolicy) -> Trajectories:
    """Return what is left of exact points in the cells and bins of the policy, whoever has none with an empty path."""
    layout = policy.layout()
    paths = placed(exact, replace(layout, repair={**layout.repair, "no-points": "keep"}))
    return paths if given.tree is None else paths.with_tree(given.tree)


def _secret(policy: TrajectoryPolicy) -> int:
    """Return the seed of the policy; if it names none, one that nobody can guess."""
    return policy.seed if "seed" in policy.model_fields_set else fresh_seed()


def _sensitive(policy: TrajectoryPolicy, paths: Trajectories) -> tuple[str, ...]:
    """Return the columns that nobody should learn: those of the role, and those that a requirement protects."""
    asked = [name for name, role in policy.published().items() if role is Role.SENSITIVE]
    read = [model.sensitive for model in policy.models() if isinstance(model, LKCPrivacy) and model.sensitive]
    for name in (*asked, *read):
        paths.column(name)
    return tuple(dict.fromkeys((*asked, *read)))
