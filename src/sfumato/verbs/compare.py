"""Which algorithm, and how much privacy at what price: one table published in several ways, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.catalogue import shape_of
from sfumato.contracts.algorithm import Search
from sfumato.contracts.comparison import CRITERIA, Attempt, Criterion, marked
from sfumato.contracts.evidence import Utility
from sfumato.contracts.progress import Progress
from sfumato.contracts.published import Release
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import ENGLISH
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.policy import SharedPolicy
from sfumato.publishing.comparison import Contest, algorithm_spec, algorithms_alike, attempts
from sfumato.reports.chart_objects import risk_chart
from sfumato.reports.comparison_page import comparison_page
from sfumato.reports.comparison_view import comparison_table, risk_view
from sfumato.reports.standalone import standalone
from sfumato.verbs.anonymize import anonymize

__all__ = ["Comparison", "compare"]


@frozen
class Comparison:
    """What every algorithm made of the table at every k; ``by`` is what the best ones are marked by."""

    rows: tuple[Attempt, ...]
    by: Criterion

    @property
    def best(self) -> tuple[Attempt, ...]:
        """The best attempt for each k; ``sfumato.anonymize(data, comparison.best[0].policy)`` publishes it."""
        return tuple(row for row in self.rows if row.best)

    def __repr__(self) -> str:
        best = ", ".join(row.algorithm + ("" if row.k is None else f" at k={row.k}") for row in self.best)
        return f"Comparison({len(self.rows)} rows, best by {self.by}: {best or 'none'})"

    def __iter__(self) -> Iterator[Attempt]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def document(self) -> dict[str, object]:
        """Return everything but the policies in a form that JSON takes."""
        return {"by": self.by, "rows": [row.document() for row in self.rows]}

    def to_frame(self) -> Any:
        """Return one row for each attempt as a Polars frame; levels of requirements are columns named by their models."""
        flat = []
        for row in self.rows:
            told = {key: value for key, value in row.document().items() if key not in ("reached", "shares")}
            flat.append({**told, **row.shares, **{one.model: one.level for one in row.reached}})
        names = list(dict.fromkeys(name for row in flat for name in row))
        return from_rows(names, [[row.get(name) for name in names] for row in flat]).to_native()

    def picture(self) -> str:
        """Return the highest risk of a record against what is lost, as an SVG document."""
        return standalone(risk_view("compare", self.rows, self.by))

    def page(self, language: str = ENGLISH) -> str:
        """Return table and picture as one self-contained HTML page; it must stay in the house."""
        return comparison_page(self.rows, self.by, language)

    def chart(self) -> Any:
        """Return the same picture as an Altair chart; needs the extra ``report``."""
        return risk_chart(self.rows, self.by)

    def _repr_html_(self) -> str:
        return f"{comparison_table(self.rows)}<div>{self.picture()}</div>"


def compare(
    source: object,
    policy: SharedPolicy | Mapping[str, object] | str | Path,
    *,
    algorithms: Sequence[str | Mapping[str, object] | Search[Any]] | None = None,
    ks: Sequence[int] = (),
    ms: Sequence[int] = (),
    by: Criterion = "loss",
    seconds: float | None = 60.0,
    external: object = None,
    run: Run | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Return what several algorithms make of a table, at the levels of a policy or at several k.

    Parameters
    ----------
    source, policy, external
        As for :func:`anonymize`.
    algorithms
        Ids, specs or algorithms; the id of the policy's algorithm means it with its parameters. If not given: that of the
        policy, and all others that publish the same kind of release, read counts alone and need no parameter.
    ks
        Every requirement that has a ``k`` gets each of these in turn; without any the policy stays as it is.
    ms
        The same for requirements that have an ``m``, such as km-anonymity: every k is tried with every m.
    by
        What the best one for each k is marked by: ``loss``, ``queries`` (median relative error of count queries), or
        ``prediction`` (error of a decision tree that learns the target from the release).
    seconds
        How long each search may take; one that has a valid state at any time ends with it, another with the reason. A deadline
        of ``run`` is shared out among what is left to be tried, and what was tried until then is returned.

    Nothing is published. Every row can be made again: ``anonymize(source, row.policy)``.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import patients
    >>> policy = sfumato.Policy.for_dataset(patients(), requirements=[{"id": "k-anonymity", "k": 2}])
    >>> found = sfumato.compare(sfumato.from_dataset(patients()), policy, algorithms=["tdr", "datafly"], ks=[2, 3])
    >>> [(row.algorithm, row.k, row.reached[0].level) for row in found.best]
    [('tdr', 2, 2), ('tdr', 3, 3)]
    """
    asked = SharedPolicy.of(policy)
    _refuse_wrong({"ks": ks, "ms": ms}, by, seconds)
    wanted = algorithms_alike(asked) if algorithms is None else [algorithm_spec(one, asked) for one in algorithms]
    if not wanted:
        raise BadRequest("must name at least one algorithm", parameter="algorithms")
    points, powers = sorted(set(ks)), sorted(set(ms))
    asked.with_levels(k=next(iter(points), None), m=next(iter(powers), None))  # refused before anything is read
    watched, shape = Run.of(run, progress), shape_of(asked.shape)
    watched.stage("reading")
    data = shape.open(source, asked, watched)

    def publish(varied: SharedPolicy, part: Run) -> Release:
        return anonymize(data, varied, external=external, run=part)

    def judge(release: Release, part: Run) -> Utility:
        raw = release.private.raw
        raw = shape.original(release, data, part) if raw is None else raw
        return shape.evidence(release, raw, thorough=True, run=part).utility

    contest = Contest(asked, wanted, points, seconds, publish, judge, powers)
    return Comparison(marked(attempts(contest, watched), by), by)


def _refuse_wrong(levels: Mapping[str, Sequence[int]], by: str, seconds: float | None) -> None:
    for name, given in levels.items():
        wrong = [one for one in given if isinstance(one, bool) or not isinstance(one, int) or one < 1]
        if wrong:
            raise BadRequest("must be whole numbers >= 1", parameter=name, value=wrong)
    if by not in CRITERIA:
        raise BadRequest("is nothing to compare by", parameter="by", value=by, available=CRITERIA)
    if seconds is not None and not seconds > 0:
        raise BadRequest("must be above 0", parameter="seconds", value=seconds)
