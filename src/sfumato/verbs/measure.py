"""Measure what a release costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from pathlib import Path
from typing import Any

from sfumato.catalogue import TABLE, build, things
from sfumato.contracts.metric import ComparedMetric, DataMetric, Measured
from sfumato.contracts.published import Published
from sfumato.contracts.run import Run
from sfumato.contracts.thing import parameters
from sfumato.errors import BadRequest
from sfumato.publishing.published import open_published
from sfumato.tables.compared import compared_tables
from sfumato.tables.pair import open_pair
from sfumato.tables.policy import Policy
from sfumato.tables.statistics import measure_all, release_stats

__all__ = ["certified_metrics", "data_metrics", "measure"]


def measure(
    raw: object,
    release: object,
    metric: object = None,
    *,
    qid: Sequence[str] | None = None,
    target: str | None = None,
    hierarchies: Mapping[str, object] | None = None,
    policy: Policy | Mapping[str, object] | str | None = None,
    added: Sequence[int] = (),
    run: Run | None = None,
) -> Any:
    """Return what a release of the raw table costs.

    ``release`` is what ``anonymize``, ``recode`` or ``apply`` gave, a release folder, or any released table. In a table the
    published values are looked up as nodes of ``hierarchies``, as intervals of numbers, as raw values, or as ``*``. With one
    metric (an id, a spec, or the metric itself) its value is returned, with a list of them a dictionary, without any a
    dictionary of all data metrics that apply. ``qid`` names the columns whose equal values make a group, ``target`` the class;
    a ``policy`` says both, with the hierarchies. Records of the raw table that are not in the release count as suppressed.
    ``added`` lists the rows of a released table that stand for nobody. Releases of other shapes hide whose small parts are
    whose, so they are measured when they are made: of these the certified values are returned.

    ``il1s``, ``eigenvalue-change`` and ``contingency-change`` compare the tables themselves and are measured where they are
    named, on the columns of ``qid`` or, without, on all that both tables have. Bare tables with as many rows are taken for the
    same records in the same order unless a column that was not masked shows another.

    >>> from sfumato.engines import from_rows
    >>> raw = from_rows(["Job"], [("Engineer",), ("Lawyer",), ("Dancer",)])
    >>> released = from_rows(["Job"], [("Professional",), ("Professional",)])
    >>> job = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
    >>> round(measure(raw, released, "loss", hierarchies={"Job": job}).value, 4)
    0.5556
    """
    certified = certified_metrics(release, metric)
    if certified is not None:
        return certified if metric is None or isinstance(metric, (list, tuple)) else next(iter(certified.values()))
    run, asked = Run.of(run), _metrics(metric)
    run.stage("comparing")
    by_groups = [one for one in asked if isinstance(one, DataMetric)]
    side_by_side = [one for one in asked if isinstance(one, ComparedMetric)]
    found: dict[str, Measured] = {}
    if by_groups:
        published = release_stats(
            raw, release, qid=qid, target=target, hierarchies=hierarchies, policy=policy, added=added, run=run
        )
        if metric is None:
            return measure_all(published, by_groups, run)
        for one in by_groups:
            _refuse(one.id, one.applies(published))
        found = measure_all(published, by_groups, run)
    if side_by_side:
        tables = compared_tables(open_pair(raw, release, qid=qid, policy=policy, run=run), qid, hierarchies)
        for other in side_by_side:
            _refuse(other.id, other.applies(tables))
            found[other.id] = other.measure(tables)
    return found if isinstance(metric, (list, tuple)) else next(iter(found.values()))


def _refuse(metric: str, reason: str | None) -> None:
    if reason is not None:
        raise BadRequest(reason, parameter=metric)


def certified_metrics(release: object, metric: object = None) -> dict[str, Measured] | None:
    """Return what was measured when a release of another shape than a table was made, all or by id; ``None`` for tables."""
    folder = isinstance(release, (str, Path)) and Path(release).is_dir()
    published = open_published(release) if folder else release
    if not isinstance(published, Published) or published.shape == TABLE:
        return None
    entries = {
        one.metric: Measured(one.metric, one.value, one.by_column, one.lowest, one.highest, None, one.denominator)
        for one in published.certified.metrics
    }
    if metric is None:
        return entries
    wanted = [_id_of(one) for one in (metric if isinstance(metric, (list, tuple)) else [metric])]
    for name in wanted:
        if name not in entries:
            raise BadRequest(
                "was not measured when the release was made: name it under metrics in the policy",
                parameter="metric",
                value=name,
                available=list(entries),
            )
    return {name: entries[name] for name in wanted}


def _id_of(metric: object) -> str:
    return str(metric.get("id") if isinstance(metric, Mapping) else getattr(metric, "id", metric))


def data_metrics() -> list[DataMetric]:
    """Return every data metric that needs no parameter, in order of ids."""
    known = [thing for thing in things("metric") if issubclass(thing, DataMetric)]
    return [thing() for thing in known if all(declared.default is not MISSING for declared, _, _ in parameters(thing))]


def _metrics(given: Any) -> Sequence[DataMetric | ComparedMetric]:
    if given is None:
        return data_metrics()
    out: list[DataMetric | ComparedMetric] = []
    for entry in given if isinstance(given, (list, tuple)) else [given]:
        made = entry if isinstance(entry, (DataMetric, ComparedMetric)) else build(entry, "metric")
        if not isinstance(made, (DataMetric, ComparedMetric)):
            raise BadRequest(
                "scores steps of a search, not a release",
                parameter="metric",
                value=made.id,
                available=[known.id for known in data_metrics()],
            )
        out.append(made)
    return out
