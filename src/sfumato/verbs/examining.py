"""Look at a release before it leaves: attack it, compare it with the table before masking, ask both the same questions.

What comes out holds counts and shares and no value of a single person; it lies in the private folder, so that a page can be
made again without the raw table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.catalogue import TABLE, things
from sfumato.contracts.engine import Table
from sfumato.contracts.finding import Findings, Untried
from sfumato.contracts.progress import Progress, Silent
from sfumato.contracts.published import Published, Release
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, SfumatoError
from sfumato.policy import policy_of
from sfumato.publishing.evidence import Before, Evidence, Questions, Utility
from sfumato.releases.recoded_table import RecodedTable
from sfumato.reports.pooled import LEAST, pooled_columns
from sfumato.tables.pair import open_pair, taken
from sfumato.utility.queries import Counter, CountQuery, QueryErrors, RawCounter, counter_of, relative_errors, workload
from sfumato.verbs.audit import audit
from sfumato.verbs.utility import classification_utility

__all__ = ["attacked", "before_masking", "examined", "predicted", "questioned"]

_SETS, _QUERIES, _SELECTIVITY, _THRESHOLD = 6, 20, 0.05, 0.5
_MANY, _FEW_SETS, _FEW_QUERIES = (
    200_000,
    2,
    10,
)  # of a long table a few questions are enough, and publishing stays quick
_EDGES = (0.01, 0.05, 0.1, 0.2, 0.5, 1.0)
_SAMPLE = 20_000
_SEED = 0  # of the questions and the sample, not of the release


def examined(release: Release, *, run: Mapping[str, object], thorough: bool, progress: Progress) -> Evidence:
    """Attack the release; where the table before masking is at hand, compare the two."""
    findings, untried = attacked(release, thorough=thorough, progress=progress)
    raw = release.private.raw
    if raw is None or release.shape != TABLE:
        return Evidence(findings=findings, untried=untried, run=run)
    utility: Utility = {"queries": questioned(release, raw)}
    if thorough and (found := predicted(release, raw)) is not None:
        utility["classification"] = found
    before = before_masking(release, raw) if release.kind == RecodedTable.id else None
    return Evidence(findings=findings, untried=untried, before=before, utility=utility, run=run)


def attacked(
    release: Published, *, raw: object = None, thorough: bool = False, progress: Progress | None = None
) -> tuple[Findings | None, str | None]:
    """Return what every attack finds that can be tried; or ``None`` and why none can."""
    try:
        found = audit(release, raw=raw, thorough=thorough, progress=progress or Silent())
    except BadRequest as error:
        return None, error.rule
    return (found if thorough else replace(found, untried=(*found.untried, *_put_off(release.shape)))), None


def _put_off(shape: str) -> list[Untried]:
    """Return the attacks that take too long to be tried whenever something is published; silence about them would mislead."""
    slow: list[Any] = [thing for thing in things("attack", shape) if not thing.traits.quick]  # type: ignore[attr-defined]
    return [Untried.of(thing(), "takes longer than publishing should; sfumato audit tries it") for thing in slow]


def before_masking(release: Published, raw: Table) -> Before:
    """Return how the published columns were distributed before masking; nobody stands alone in it."""
    least = max(LEAST, release.certified.counts.get("smallest_of_these_groups", 0))
    shown = [
        name
        for name, role in release.roles.items()
        if name in release.table.types and name in raw.types and role not in (Role.IDENTIFIER, Role.PRIVATE)
    ]
    return pooled_columns(raw, shown, least)


# ---- questions -----------------------------------------------------------------------------------------------------------


def questioned(release: Published, raw: Table) -> Questions:
    """Return how far answers to count queries from a release lie from the truth, over a small workload that never changes."""
    held = {name for table in release.tables.values() for name in table.columns}
    qids = [
        name
        for name, role in release.roles.items()
        if role is Role.QUASI_IDENTIFIER and name in raw.types and name in held and len(raw.dictionary(name))
    ]
    about = [*release.of_role(Role.SENSITIVE), *release.of_role(Role.TARGET)]
    sensitive = next((name for name in about if name in raw.types and name in held), None)
    if not qids:
        return {"median": None, "reason": "No question was asked: there is no protected column to ask about."}
    dimensions = min(2, len(qids))
    try:
        asked = _asked(raw, qids, sensitive, dimensions)
        errors = np.concatenate([_errors(release, raw, queries) for queries in asked])
    except SfumatoError as error:
        return {"median": None, "reason": f"No question was asked: {getattr(error, 'rule', '') or error}."}
    found = QueryErrors.of(errors, _THRESHOLD)
    return {
        "queries": found.queries,
        "undefined": found.undefined,
        "dimensions": dimensions,
        "sensitive": sensitive,
        "median": found.median,
        "mean": found.mean,
        "threshold": found.threshold,
        "above": found.above,
        "spread": _spread(errors[~np.isnan(errors)]),
    }


def _asked(raw: Table, qids: Sequence[str], sensitive: str | None, dimensions: int) -> list[list[CountQuery]]:
    """Draw a few sets of columns and some queries on each: a set costs one grouping of either table, however many they are."""
    rng = np.random.default_rng(_SEED)
    draws, queries = (_FEW_SETS, _FEW_QUERIES) if raw.rows > _MANY else (_SETS, _QUERIES)
    sets = dict.fromkeys(tuple(sorted(rng.choice(len(qids), dimensions, replace=False).tolist())) for _ in range(draws))
    return [
        workload(raw, queries, dimensions, _SELECTIVITY, rng, qid=[qids[at] for at in chosen], sensitive=sensitive)
        for chosen in sets
    ]


def _errors(release: Published, raw: Table, queries: Sequence[CountQuery]) -> npt.NDArray[np.float64]:
    columns = list(dict.fromkeys(name for query in queries for name in query.columns))
    exact, told = RawCounter(raw, columns), _counter(release, raw, columns)
    return relative_errors([exact.count(query) for query in queries], [told.count(query) for query in queries])


def _counter(release: Published, raw: Table, columns: Sequence[str]) -> Counter:
    """Return what answers from the release; where a recoding is not by column, hierarchies tell what labels stand for."""
    policy = policy_of(release)
    trees, domains = {}, {}
    for name in columns:
        if name in release.recodings:
            continue
        known = raw.dictionary(name)
        builder = policy.hierarchy(name) if policy is not None and name in policy.columns else None
        if builder is not None:
            trees[name] = builder.fitted(known.values, known.counts.tolist()).build(known.values, column=name)
        else:
            domains[name] = known.values
    types = {name: raw.types[name] for name in columns}
    return counter_of(
        release.form, release.tables, release.recodings, trees=trees, types=types, domains=domains, columns=columns
    )


def _spread(errors: npt.NDArray[np.float64]) -> list[list[Any]]:
    """Count errors in classes of growing width."""
    places = np.searchsorted(_EDGES, errors, side="left")
    counts = np.bincount(places, minlength=len(_EDGES) + 1)
    low = ["0", *(f"{edge:.0%}" for edge in _EDGES)]
    labels = [f"{a}–{b}" for a, b in pairwise(low)] + [f"> {low[-1]}"]
    return [
        [label.replace("%", " %").replace(" %–", "–"), int(count)] for label, count in zip(labels, counts, strict=True)
    ]


# ---- predictions ---------------------------------------------------------------------------------------------------------


def predicted(release: Published, raw: Table) -> dict[str, object] | None:
    """Return how well the target is predicted from a release; ``None`` if it has none, a reason if it cannot be measured.

    At most 20,000 records are learnt from, always the same ones.
    """
    target = next(iter(release.of_role(Role.TARGET)), None)
    if target is None or release.kind != RecodedTable.id:
        return None
    notes: list[str] = []
    try:
        rows, published = _sampled(release, raw, notes)
        qids = release.of_role(Role.QUASI_IDENTIFIER)
        result = classification_utility(rows, published, target=target, qid=qids, seed=_SEED)
    except SfumatoError as error:
        return {"reason": getattr(error, "rule", "") or str(error)}
    return {**result.document(), "notes": [*result.notes, *notes]}


def _sampled(release: Published, raw: Table, notes: list[str]) -> tuple[Table, Table | Published]:
    """Return raw and released rows to learn from: all of them, or a sample of both sides in the same order."""
    pair = open_pair(raw, release)
    if pair.raw.rows <= _SAMPLE or not pair.aligned or pair.released.rows != pair.raw.rows:
        return raw, release
    rows = np.sort(np.random.default_rng(_SEED).choice(pair.raw.rows, _SAMPLE, replace=False))
    notes.append(f"Measured on {_SAMPLE:,} of {pair.raw.rows:,} records, drawn at random.")
    return taken(pair.raw, rows), taken(pair.released, rows)
