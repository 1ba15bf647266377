"""A table before and after masking: how its columns are distributed, what both answer, what can be learnt from either.

What comes out holds counts and shares and no value of a single person; it lies in the private folder, so that a page can be
made again without the raw table.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.evidence import Before, Evidence, Questions, Utility
from sfumato.contracts.published import Published
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, SfumatoError
from sfumato.kernels.arrays import Floats
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.pair import open_pair, prepared, taken
from sfumato.tables.policy import policy_of
from sfumato.tables.pooled import LEAST, pooled_columns
from sfumato.utility.queries import Counter, CountQuery, QueryErrors, RawCounter, counter_of, relative_errors, workload

__all__ = ["evidence", "original", "predicted", "questioned"]

_SETS, _QUERIES, _SELECTIVITY, _THRESHOLD = 6, 20, 0.05, 0.5
# Of a long table a few questions are enough, and publishing stays quick.
_MANY, _FEW_SETS, _FEW_QUERIES = 200_000, 2, 10
_EDGES = (0.01, 0.05, 0.1, 0.2, 0.5, 1.0)
_SAMPLE = 20_000
_SEED = 0  # of the questions and the sample, not of the release


def evidence(published: Published, raw: Table, *, thorough: bool, run: Run) -> Evidence:
    """Compare a release with the table before masking; with ``thorough`` also by what can be learnt from either."""
    utility: Utility = {"queries": questioned(published, raw)}
    if thorough:
        run.stage("learning")
        found = predicted(published, raw)
        if found is not None:
            utility["classification"] = found
    return Evidence(
        before=before_masking(published, raw) if isinstance(published.form, RecodedTable) else None, utility=utility
    )


def original(published: Published, source: object, run: Run) -> Table:
    """Open the table before masking, without identifiers; one with another number of records is another table."""
    policy = policy_of(published)
    table = prepared(source, policy, run)
    counts = published.certified.counts
    if "records_read" not in counts:
        return table
    meant = counts["records_read"] - counts.get("records_dropped_for_missing_values", 0)
    if table.rows != meant:
        raise BadRequest(
            f"has {table.rows:,} records to publish, the release was made from {meant:,}: this is another table",
            parameter="raw",
        )
    return table


def before_masking(release: Published, raw: Table) -> Before:
    """Return how the published columns were distributed before masking; nobody stands alone in it."""
    least = max(LEAST, release.certified.counts.get("smallest_of_these_groups", 0))
    shown = [
        name
        for name, role in release.roles.items()
        if name in release.table.types and name in raw.types and not role.hidden
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
        return {"median": None, "reason": say("questions.no_column")}
    dimensions = min(2, len(qids))
    try:
        asked = _asked(raw, qids, sensitive, dimensions)
        errors = np.concatenate([_errors(release, raw, queries) for queries in asked])
    except SfumatoError as error:
        return {"median": None, "reason": say("questions.refused", why=getattr(error, "rule", "") or error)}
    return summed_up(errors, dimensions, sensitive)


def summed_up(errors: Floats, dimensions: int, sensitive: str | None) -> Questions:
    """Return what is told of the relative errors of questions with so many conditions."""
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


def _errors(release: Published, raw: Table, queries: Sequence[CountQuery]) -> Floats:
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


def _spread(errors: Floats) -> list[list[Any]]:
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
    if target is None or not isinstance(release.form, RecodedTable):
        return None
    from sfumato.tables.prediction import named, prediction
    from sfumato.tables.trials import Design

    notes: list[str] = []
    try:
        rows, published = _sampled(release, raw, notes)
        qids = release.of_role(Role.QUASI_IDENTIFIER)
        pair = open_pair(rows, published, qid=qids)
        result = prediction(pair, target, named("decision-tree"), Design(seed=_SEED), 0.95, Run())
    except SfumatoError as error:
        return {"reason": getattr(error, "rule", "") or str(error)}
    return {**result.document(), "notes": [*result.notes, *notes]}


def _sampled(release: Published, raw: Table, notes: list[str]) -> tuple[Table, Table | Published]:
    """Return raw and released rows to learn from: all of them, or a sample of both sides in the same order."""
    pair = open_pair(raw, release)
    if pair.raw.rows <= _SAMPLE or not pair.aligned or pair.released.rows != pair.raw.rows:
        return raw, release
    rows = np.sort(np.random.default_rng(_SEED).choice(pair.raw.rows, _SAMPLE, replace=False))
    notes.append(say("questions.sampled", sample=_SAMPLE, records=pair.raw.rows))
    return taken(pair.raw, rows), taken(pair.released, rows)
