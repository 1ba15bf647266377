"""What a release leaves of the estimates of a survey: totals, means and shares with their confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.tables.compared import compared_tables, numbers_of
from sfumato.tables.pair import Pair, open_pair
from sfumato.tables.policy import Policy
from sfumato.utility.survey import Estimate, SurveyDesign, interval_overlap

__all__ = ["SurveyStatistic", "SurveyUtility", "survey_utility"]

MOST_SHARES = 100  # values of a column whose shares are estimated


@frozen
class SurveyStatistic:
    """One estimate before and after, and how far their confidence intervals overlap: 1 is the same one, 0 another."""

    column: str
    statistic: str
    value: str | None
    before: Estimate
    after: Estimate
    overlap: float


@frozen
class SurveyUtility:
    """Estimates from a raw table and from its release; ``skipped`` are columns that are no numbers and have many values."""

    confidence: float
    statistics: tuple[SurveyStatistic, ...]
    skipped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def overlap(self) -> float:
        """The mean overlap of all intervals."""
        return sum(one.overlap for one in self.statistics) / len(self.statistics)

    def document(self) -> dict[str, object]:
        """Return everything in a form that JSON takes."""
        sides = [
            {
                "column": one.column,
                "statistic": one.statistic,
                "value": one.value,
                **{
                    name: {
                        "estimate": side.value,
                        "standard_error": side.standard_error,
                        "interval": list(side.interval(self.confidence)),
                    }
                    for name, side in (("before", one.before), ("after", one.after))
                },
                "overlap": one.overlap,
            }
            for one in self.statistics
        ]
        return {
            "confidence": self.confidence,
            "overlap": self.overlap,
            "statistics": sides,
            "skipped": list(self.skipped),
            "notes": list(self.notes),
        }


def survey_utility(
    raw: object,
    release: object,
    *,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    strata: str | None = None,
    clusters: str | None = None,
    confidence: float = 0.95,
    policy: Policy | Mapping[str, object] | str | Path | None = None,
    run: Run | None = None,
) -> SurveyUtility:
    """Compare weighted totals, means and shares of a raw table and of a release of it, with their confidence intervals.

    Parameters
    ----------
    raw, release
        As for :func:`classification_utility`.
    columns
        Columns to estimate; all that both tables have if not given. Of numbers (intervals count as their middle) the total
        and the mean are estimated, of other columns the share of each value, a label being spread evenly over what it covers.
    weight
        How many persons a record stands for; 1 if not given.
    strata, clusters
        Columns of the design: the strata that were drawn from, and the clusters that were drawn, with replacement.
    confidence
        Of the intervals. ``overlap`` is half the sum of the shares that two intervals have of each other.
    policy
        The policy of the release; a release folder has its own.

    Columns of the design that were not published are taken from the raw table where its rows can be brought into order.

    Examples
    --------
    >>> import sfumato
    >>> raw = sfumato.from_rows(["pay", "w"], [(10, 2), (20, 2), (30, 1), (40, 1)])
    >>> moved = sfumato.from_rows(["pay", "w"], [(15, 2), (15, 2), (35, 1), (35, 1)])
    >>> found = sfumato.survey_utility(raw, moved, columns=["pay"], weight="w")
    >>> [(one.statistic, one.before.value, one.after.value, round(one.overlap, 3)) for one in found.statistics]
    [('total', 130.0, 130.0, 0.651), ('mean', 21.666666666666668, 21.666666666666668, 0.93)]
    """
    run = Run.of(run)
    run.stage("reading")
    pair = open_pair(raw, release, policy=policy, run=run)
    design = {name for name in (weight, strata, clusters) if name is not None}
    chosen = list(columns) if columns is not None else [name for name in pair.shared if name not in design]
    if not chosen:
        raise BadRequest("leaves nothing to estimate", parameter="columns", available=pair.shared)
    for name in chosen:
        if name not in pair.shared:
            raise BadRequest("is not a column of both tables", parameter="columns", value=name, available=pair.shared)
    run.stage("estimating", len(chosen))
    designs = [_design(pair, after, weight, strata, clusters) for after in (False, True)]
    found: list[SurveyStatistic] = []
    skipped = []
    for done, name in enumerate(chosen):
        run.tick(done, name)
        numbers = numbers_of(pair, name)
        if numbers is not None:
            for statistic in ("total", "mean"):
                sides = [getattr(one, statistic)(side) for one, side in zip(designs, numbers, strict=True)]
                found.append(_compared(name, statistic, None, sides, confidence))
        elif len(pair.raw.dictionary(name)) > MOST_SHARES or name in (tables := compared_tables(pair, [name])).skipped:
            skipped.append(name)
        else:
            spread = tables.categories[name]
            for at, value in enumerate(pair.raw.dictionary(name).values):
                before, after = (spread.before == at).astype(np.float64), spread.spread[spread.after, at]
                sides = [one.mean(side) for one, side in zip(designs, (before, after), strict=True)]
                found.append(_compared(name, "share", to_text(value), sides, confidence))
    if not found:
        raise BadRequest(f"have more than {MOST_SHARES} values and are no numbers", parameter="columns", value=skipped)
    return SurveyUtility(confidence, tuple(found), tuple(skipped), pair.notes)


def _compared(
    column: str, statistic: str, value: str | None, sides: list[Estimate], confidence: float
) -> SurveyStatistic:
    overlap = interval_overlap(sides[0].interval(confidence), sides[1].interval(confidence))
    return SurveyStatistic(column, statistic, value, sides[0], sides[1], overlap)


def _design(pair: Pair, after: bool, weight: str | None, strata: str | None, clusters: str | None) -> SurveyDesign:
    """Return the design of one side; what was not published is that of the raw records, where they are the same ones."""
    table = pair.released if after else pair.raw
    weights = np.ones(table.rows)
    if weight is not None:
        held = _holder(pair, after, weight, "weight")
        sides = numbers_of(pair, weight) if weight in pair.shared else None
        weights = sides[int(held is pair.released)] if sides is not None else _plain_numbers(held, weight)
    return SurveyDesign.of(
        weights, _numbered(pair, after, strata, "strata"), _numbered(pair, after, clusters, "clusters")
    )


def _holder(pair: Pair, after: bool, name: str, parameter: str) -> Table:
    if name not in pair.raw.types:
        raise BadRequest(
            "is not a column of the raw table", parameter=parameter, value=name, available=pair.raw.columns
        )
    if not after or (name not in pair.released.types and pair.aligned):
        return pair.raw
    if name not in pair.released.types:
        raise BadRequest(
            "is not published, and the rows of the release cannot be matched with the raw ones",
            parameter=parameter,
            value=name,
            available=pair.released.columns,
        )
    return pair.released


def _plain_numbers(table: Table, name: str) -> Floats:
    found = table.dictionary(name)
    if not table.types[name].numeric or found.missing:
        raise BadRequest("weights must be positive, finite numbers", parameter="weight", value=name)
    return np.array(found.values, np.float64)[table.as_rows().codes([name])[:, 0]]


def _numbered(pair: Pair, after: bool, name: str | None, parameter: str) -> Ints | None:
    return (
        None if name is None else _holder(pair, after, name, parameter).as_rows().codes([name])[:, 0].astype(np.int64)
    )
