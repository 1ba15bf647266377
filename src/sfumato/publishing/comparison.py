"""One table, several algorithms and levels of privacy: each is released in turn, measured, and thrown away again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING
from time import monotonic
from typing import NamedTuple

from sfumato.catalogue import build, spec_of, things
from sfumato.contracts.algorithm import Algorithm, Search
from sfumato.contracts.comparison import Attempt, Reached
from sfumato.contracts.evidence import Utility
from sfumato.contracts.published import Release
from sfumato.contracts.run import Run, stopped_by
from sfumato.contracts.thing import Thing, parameters
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Cancelled, SfumatoError
from sfumato.policy import LimitPolicy, SharedPolicy

__all__ = ["Contest", "algorithm_spec", "algorithms_alike", "attempts"]

Spec = Mapping[str, object]


class Levels(NamedTuple):
    """What every requirement with such a parameter is given; ``None`` leaves the policy as it is."""

    k: int | None
    m: int | None

    def words(self) -> str:
        """Return both as they are written behind the name of an algorithm."""
        return "".join(f" {name}={value}" for name, value in self._asdict().items() if value is not None)


@frozen
class Contest:
    """What is compared: a policy, algorithms by their specs, the k and m to try, and how long each search may take at most.

    ``publish`` makes the release of a policy, ``judge`` tells what it is still good for.
    """

    policy: SharedPolicy
    algorithms: Sequence[Spec]
    ks: Sequence[int]
    seconds: float | None
    publish: Callable[[SharedPolicy, Run], Release]
    judge: Callable[[Release, Run], Utility]
    ms: Sequence[int] = ()

    def pairs(self) -> list[tuple[Levels, Spec]]:
        """Return what is tried, in order."""
        levels = [Levels(k, m) for m in (self.ms or (None,)) for k in (self.ks or (None,))]
        return [(level, algorithm) for level in levels for algorithm in self.algorithms]


def algorithms_alike(policy: SharedPolicy) -> list[Spec]:
    """Return the policy's algorithm, and those beside it that publish the same kind from counts and need no parameter."""
    own = policy.search()
    out: list[Spec] = [dict(policy.algorithm)]
    for thing in things("algorithm", policy.shape):
        if not issubclass(thing, Search) or thing.id == own.id or thing.traits.release != own.traits.release:
            continue
        quick = not issubclass(thing, Algorithm) or thing.traits.works_on == "counts"
        if quick and all(declared.default is not MISSING for declared, _, _ in parameters(thing)):
            out.append({"id": thing.id})
    return out


def algorithm_spec(given: str | Spec | Thing, policy: SharedPolicy) -> Spec:
    """Return the spec of an algorithm that is given by its id, a spec or itself; the policy's by its id is set as there."""
    own = {"id": given} if given != policy.algorithm["id"] else policy.algorithm
    spec = spec_of(given) if isinstance(given, Thing) else own if isinstance(given, str) else given
    build(spec, "algorithm", policy.shape)
    return dict(spec)


def attempts(contest: Contest, run: Run) -> tuple[Attempt, ...]:
    """Try every pair; when the run ends, the rest is told as not tried. A policy that nothing can work with is refused."""
    pairs = contest.pairs()
    run.stage("comparing", len(pairs))
    out: list[Attempt] = []
    refused: list[BadRequest] = []
    for done, (level, spec) in enumerate(pairs):
        if run.stopping() is not None:
            break
        try:
            run.tick(done, f"{spec['id']}{level.words()}")
            out.append(_attempt(contest, level, spec, _share(contest, run, len(pairs) - done)))
        except BadRequest as error:
            refused.append(error)
            out.append(_failed(contest, level, spec, error.message))
        except (KeyboardInterrupt, Cancelled):  # what was tried so far is an answer
            break
    if len(refused) == len(pairs):
        raise refused[0]
    if not any(attempt.reason is None for attempt in out) and len(out) < len(pairs):
        raise Cancelled(run.stopping() or "interrupted")
    return *out, *(_failed(contest, level, spec, say("compare.not_tried")) for level, spec in pairs[len(out) :])


def _share(contest: Contest, run: Run, left: int) -> Run:
    """Return the run of one attempt: its own time, and no more than its share of what the whole has left."""
    own = run.part().within(contest.seconds)
    return own if run.deadline is None else own.within(max(run.deadline - monotonic(), 0.0) / left)


def _attempt(contest: Contest, level: Levels, spec: Spec, run: Run) -> Attempt:
    policy = _varied(contest, level, spec)
    began = monotonic()
    try:
        release = contest.publish(_measured_by_loss(policy), run)
        seconds = monotonic() - began
        utility = contest.judge(release, run.without_deadline())
    except (BadRequest, KeyboardInterrupt):
        raise
    except Cancelled as error:
        if error.reason != "deadline":
            raise
        return _failed(contest, level, spec, say("compare.too_slow", seconds=monotonic() - began))
    except SfumatoError as error:
        return _failed(contest, level, spec, error.message)
    counts = release.counts
    read, dropped = counts.get("records_read"), counts.get("records_dropped_for_missing_values", 0)
    smallest = counts.get("smallest_of_these_groups") or _smallest_found(release)
    loss = release.measured.get("loss" if _has_loss(policy) else next(iter(release.measured), ""))
    return Attempt(
        algorithm=str(spec["id"]),
        policy=policy.document(),
        k=level.k,
        m=level.m,
        reached=Reached.of(release.certificate),
        risk=1 / smallest if smallest else None,
        loss=None if loss is None else loss.value,
        read=read,
        dropped=dropped,
        left=None if read is None else read - dropped - counts.get("records_suppressed", 0),
        queries=utility.get("queries", {}).get("median"),
        prediction=_prediction(utility),
        shares=_shares(policy, release),
        seconds=seconds,
        stopped=stopped_by(release.private.stopped) if release.private.stopped else None,
    )


def _varied(contest: Contest, level: Levels, spec: Spec) -> SharedPolicy:
    """Return the policy with this algorithm and this k; one that leaves no record out meets every limit on those left out."""
    asked = contest.policy.with_levels(**level._asdict())
    policy = SharedPolicy.of({**asked.document(), "algorithm": dict(spec)})
    search = policy.search()
    keeps_all = isinstance(search, Algorithm) and not search.traits.suppresses_records
    return policy.model_copy(update={"limits": LimitPolicy()}) if keeps_all else policy


def _measured_by_loss(policy: SharedPolicy) -> SharedPolicy:
    """Return the policy with the one metric that attempts are compared by; how it writes it is its own business."""
    return policy.model_copy(update={"metrics": ("loss",)}) if _has_loss(policy) else policy


def _has_loss(policy: SharedPolicy) -> bool:
    """Tell whether data of this shape have the metric ``loss``; where not, the first one of the policy is in its place."""
    return any(thing.id == "loss" for thing in things("metric", policy.shape))


def _smallest_found(release: Release) -> int | None:
    """Return how few persons anybody finds, by the requirements that count them, where no groups are counted."""
    found = [
        verdict.strongest
        for model, verdict in zip(release.private.requirements(), release.verdict, strict=False)
        if model.level in ("k", "K") and isinstance(verdict.strongest, int)
    ]
    return min(found, default=None)


def _shares(policy: SharedPolicy, release: Release) -> dict[str, float]:
    """Return the parts of those metrics that say of themselves that they are worth comparing."""
    shown = [metric.id for metric in policy.measures() if metric.traits.compared and metric.id in release.measured]
    return {f"{name}: {part}": value for name in shown for part, value in release.measured[name].by_attribute.items()}


def _prediction(utility: Utility) -> float | None:
    learners = utility.get("classification", {}).get("classifiers", ())
    return None if not learners else float(learners[0]["AE"]["rate"])


def _failed(contest: Contest, level: Levels, spec: Spec, reason: str) -> Attempt:
    asked = contest.policy.with_levels(**level._asdict())
    policy = {**asked.document(), "algorithm": dict(spec)}
    return Attempt(algorithm=str(spec["id"]), policy=policy, k=level.k, m=level.m, reason=reason)
