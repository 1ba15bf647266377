"""Hiding moving objects among others: who is near, who hides with whom at which times, and the boxes that follow."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search
from sfumato.contracts.facts import Facts
from sfumato.contracts.model import Requirement
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Bools, Ints
from sfumato.trajectories.algorithms._walk_kernels import merged_sets, nearest_on_curve, summed_distances
from sfumato.trajectories.built import BuiltTrajectories
from sfumato.trajectories.hilbert import hilbert_index
from sfumato.trajectories.metric import Masked
from sfumato.trajectories.metrics.mob_information_loss import MaskedByRegions, MobInformationLoss
from sfumato.trajectories.models.mob_k_anonymity import MobKAnonymity
from sfumato.trajectories.moved import moved_trajectories
from sfumato.trajectories.moving_objects import MovingObjects, origin
from sfumato.trajectories.recodings.mob_qid import refuse_unseen
from sfumato.trajectories.regions import Cloaked, Regions
from sfumato.trajectories.releases.region_paths import RegionPaths
from sfumato.trajectories.task import TrajectoryTask
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["Hidden", "MobFacts", "MobSearch", "Near", "classes_of", "refuse_too_few"]


@frozen(eq=False)
class Hidden:
    """Who hides with whom: sets of objects by object, the times at which each set holds, and the classes that follow.

    ``sets[i]`` are the objects that i hides among, itself included (AG or HS of the book), ``held[i]`` whether that is so at
    each time (T). ``classes[t]`` is the class of each object at t, by its first member; who is alone in it hides from nobody.
    """

    sets: tuple[tuple[int, ...], ...]
    held: Bools
    classes: Ints

    def regions(self, objects: MovingObjects) -> Regions:
        """Return for each object and time the smallest box around all of its class; its own cell if it is alone."""
        own = Regions.around(objects)
        low, high = own.low.copy(), own.high.copy()
        for at in range(len(objects.times)):
            seen = np.flatnonzero(objects.seen[:, at])
            group = self.classes[at, seen]
            for column in (0, 1):
                least = np.full(len(objects), np.iinfo(np.int64).max)
                most = np.full(len(objects), np.iinfo(np.int64).min)
                np.minimum.at(least, group, own.low[seen, at, column])
                np.maximum.at(most, group, own.high[seen, at, column])
                low[seen, at, column], high[seen, at, column] = least[group], most[group]
        return replace(own, low=low, high=high)

    def named_classes(self, objects: MovingObjects) -> Mapping[object, list[list[str]]]:
        """Return the classes of two or more objects at each time, by name."""
        out: dict[object, list[list[str]]] = {}
        for at, time in enumerate(objects.times):
            members: dict[int, list[str]] = {}
            for one, group in enumerate(self.classes[at].tolist()):
                members.setdefault(group, []).append(objects.names[one])
            out[time] = [names for names in members.values() if len(names) > 1]
        return out


@frozen(eq=False)
class BuiltRegions(BuiltTrajectories):
    """Public tables of regions; ``masked`` are the paths through the middles of the boxes."""

    regions: Regions = field(kw_only=True)

    def compared(self, before: Trajectories) -> Masked:
        """Return the paths before and after masking, with the regions."""
        return MaskedByRegions(before, self.masked, self.regions)


@frozen(eq=False, repr=False, kw_only=True)
class MobFacts(Facts):
    """What regions cost, and how many objects share one at a time on average."""

    information_loss: float
    sharing: float

    def words(self, *, chosen: bool = False) -> list[str]:
        return [say("moving.hidden", loss=self.information_loss, sharing=self.sharing)]


class MobSearch(Search[TrajectoryTask]):
    """Hides each object among near ones at the times that may be known of it, and publishes boxes of cells."""

    distance: str = param(
        default="euclidean",
        choices=("euclidean", "hilbert"),
        doc="how near objects are: in the plane, or on a curve through it",
    )
    cell: float | None = param(
        default=None,
        gt=0,
        doc="width of a cell in metres; that of the policy's grid if not given, and without one coordinates are whole numbers",
    )

    def run(self, task: TrajectoryTask, run: Run) -> Outcome:
        """Hide everybody as the one requirement asks for."""
        if self.cell is None and task.cell is not None:
            return replace(self, cell=task.cell).run(replace(task, cell=None), run)
        model, paths = self._asked(task), task.trajectories
        run.stage("preparing")
        objects = self._marked(self.on_cells(MovingObjects.of_trajectories(paths)), model)
        run.stage("grouping")
        hidden = self.hide(objects, model.k, run)
        regions = hidden.regions(objects)
        everybody = np.arange(len(paths))
        kind, tables = RegionPaths.parts_of(
            Cloaked(Regions.around(objects), regions, objects.qid),
            run.rng,
            paths.columns,
            task.sensitive,
            self.cell or 1.0,
            origin(paths) if paths.unit == "degrees" else (),
        )
        built = BuiltRegions(
            kind,
            tables,
            masked=moved_trajectories(paths, regions.middles(self.cell or 1.0), everybody),
            regions=regions,
        )
        sharing = [np.bincount(row[objects.seen[:, at]]) for at, row in enumerate(hidden.classes)]
        largest = np.concatenate([one[one > 0] for one in sharing])
        facts = MobFacts(
            information_loss=MobInformationLoss().measure(regions).value,
            sharing=float(np.average(largest, weights=largest)) if len(largest) else 0.0,
        )
        return Outcome(built=built, facts=facts)

    @abstractmethod
    def hide(self, objects: MovingObjects, k: int, run: Run | None = None) -> Hidden:
        """Return who hides with whom, so that everybody hides among k."""

    def on_cells(self, objects: MovingObjects) -> MovingObjects:
        """Return objects on whole cells of the grid."""
        if self.cell is None:
            return objects
        return replace(objects, x=np.floor(objects.x / self.cell), y=np.floor(objects.y / self.cell))

    def nearest_groups(self, objects: MovingObjects, k: int, run: Run | None = None) -> tuple[tuple[int, ...], ...]:
        """Return each object with its k - 1 nearest, by the sum of distances at the times of its QID; ties to the first."""
        near = Near(objects, self.distance)
        out = []
        for one in range(len(objects)):
            if run is not None:
                run.checkpoint()
            out.append(tuple(sorted([one, *near.nearest(one, k - 1)])))
        return tuple(out)

    def _marked(self, objects: MovingObjects, model: MobKAnonymity) -> MovingObjects:
        if model.times is None:
            return objects
        texts = [to_text(time) for time in objects.times]
        strange = sorted(set(model.times) - set(texts))
        if strange:
            raise BadRequest(
                "is not a time of the data", parameter=f"{model.id}.times", value=strange[0], available=texts
            )
        return replace(objects, known=objects.seen & np.isin(texts, model.times))

    def _asked(self, task: TrajectoryTask) -> MobKAnonymity:
        """Return the one requirement that regions can promise."""
        every: Sequence[Requirement] = task.models
        asked = [model for model in every if isinstance(model, MobKAnonymity)]
        if len(asked) != 1 or len(task.models) != 1:
            raise Unsupported(
                f"{self.id} promises one requirement, {MobKAnonymity.id}",
                thing=self.id,
                alternatives=[MobKAnonymity.id],
            )
        return asked[0]


class Near:
    """Who is near an object at the times that may be known of it."""

    def __init__(self, objects: MovingObjects, distance: str) -> None:
        refuse_unseen(objects)
        self.objects, self.distance = objects, distance
        self.x, self.y = np.ascontiguousarray(np.nan_to_num(objects.x)), np.ascontiguousarray(np.nan_to_num(objects.y))
        if distance == "hilbert":
            cells = Regions.around(objects).low
            cells = cells - np.minimum(cells.min(axis=(0, 1), initial=0), 0)
            size = 1 << int(cells.max(initial=0)).bit_length()
            self.index = hilbert_index(cells[:, :, 0], cells[:, :, 1], size)
            self.order = np.argsort(self.index, axis=0, kind="stable").T.copy()
            self.rank = np.argsort(self.order, axis=1)

    def nearest(self, one: int, count: int, without: Sequence[int] = ()) -> list[int]:
        """Return so many other objects that are nearest, ties to the first; ``without`` some of them."""
        if count <= 0:
            return []
        times = np.flatnonzero(self.objects.qid[one])
        out = {one, *without}
        if self.distance == "hilbert":
            wanted = min(count + len(out) - 1, len(self.objects) - 1)
            found = nearest_on_curve(self.index, self.order, self.rank, one, times, wanted).tolist()
            return [other for other in found if other not in out][:count]
        apart = summed_distances(self.x, self.y, one, times)
        apart[list(out)] = np.inf
        limit = np.partition(apart, count - 1)[count - 1]
        below = np.flatnonzero(apart < limit)
        level = np.flatnonzero(apart == limit)[: count - len(below)]
        both = np.concatenate((below, level))
        return [int(other) for other in both[np.lexsort((both, apart[both]))]]


def refuse_too_few(objects: MovingObjects, k: int) -> None:
    """Refuse to hide among more objects than there are."""
    if k > len(objects):
        raise BadRequest("must be at most the number of objects", parameter="k", value=k)


def classes_of(objects: MovingObjects, sets: Sequence[Sequence[int]], held: Bools) -> Ints:
    """Return the classes at each time when sets that hold there and share a member are merged."""
    starts = np.concatenate(([0], np.cumsum([len(one) for one in sets]))).astype(np.int64)
    members = np.array([other for one in sets for other in one], np.int64)
    return merged_sets(starts, members, np.ascontiguousarray(held))
