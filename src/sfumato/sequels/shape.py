"""A series of releases as a shape of data: judged and attacked as a whole, by whoever kept every release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.knowledge import Knowledge, Seen
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run
from sfumato.contracts.shape import Shape
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.policy import SharedPolicy
from sfumato.sequels.attack import SeriesKnowledge, SeriesSeen
from sfumato.sequels.releases.whole_series import WholeSeries
from sfumato.sequels.series import Series
from sfumato.sequels.task import SeriesTask
from sfumato.tables.policy import ColumnPolicy

__all__ = ["SeriesPolicy", "SeriesShape"]


class SeriesPolicy(SharedPolicy):
    """What a series of releases must keep."""

    columns: dict[str, ColumnPolicy] = Field(min_length=1)
    """The columns of the releases, by name."""
    person: str | None = None
    """The column that tells whose record it is; in the holder's copies only."""
    algorithm: dict[str, object] = Field(default={"id": "bcf-anonymizer"})
    """How the next release is made."""

    def of_role(self, role: Role) -> tuple[str, ...]:
        """Return the columns of a role, in the order of the policy."""
        return tuple(name for name, entry in self.columns.items() if entry.role == role)


class SeriesShape(Shape[Series, Series, SeriesTask, SeriesKnowledge]):
    """Releases about the same people, oldest first.

    Examples
    --------
    >>> import sfumato
    >>> first = {"Job": ["Artist", "Artist"], "Disease": ["Flu", "HIV"]}
    >>> then = {"Job": ["Artist", "Artist", "Lawyer"], "Disease": ["Flu", "HIV", "Flu"]}
    >>> series = Series.of([first, then], qid=["Job"], sensitive="Disease")
    >>> sfumato.attack(series, "f-attack").details["anonymity"]
    2
    """

    id: ClassVar[str] = "series"
    policy: ClassVar[type[Asked]] = SeriesPolicy
    knowledge: ClassVar[type[Knowledge]] = SeriesKnowledge

    def open(self, source: object, asked: Asked | None, run: Run) -> Series:
        """Return a series, or make one of several releases by the roles that the policy gives their columns."""
        if isinstance(source, Series):
            return source
        if not isinstance(source, (list, tuple)) or not isinstance(asked, SeriesPolicy):
            raise BadRequest(
                "needs a series, or a list of releases and a policy of the shape series", parameter="source"
            )
        run.stage("reading", len(source))
        sensitive = asked.of_role(Role.SENSITIVE)
        if len(sensitive) > 1:
            raise BadRequest("say which one column is sensitive", parameter="columns", available=sensitive)
        trees = {name: entry.hierarchy for name, entry in asked.columns.items() if entry.hierarchy is not None}
        return Series.of(
            source,
            qid=asked.of_role(Role.QUASI_IDENTIFIER),
            sensitive=sensitive[0] if sensitive else None,
            hierarchies=trees,
            person=asked.person,
        )

    def prepare(self, data: Series, asked: Asked, run: Run) -> Series:
        """Refuse: the next release needs the raw records beside the series, which no single source holds."""
        raise Unsupported(
            "the next release of a series is made from a task: give SeriesTask(batch, earlier, models) to an algorithm of "
            "sfumato.sequels.algorithms",
            thing=self.id,
        )

    def task(self, prepared: Series, external: Series | None) -> SeriesTask:
        """Return nothing: see :meth:`prepare`."""
        raise Unsupported("a series has no task without raw records", thing=self.id)

    def release(
        self, prepared: Series, outcome: Outcome, task: SeriesTask, seed: int, source: object, run: Run
    ) -> Release:
        """Return nothing: see :meth:`prepare`."""
        raise Unsupported("a series is not released as a whole", thing=self.id)

    def judge(self, data: Series, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Judge all releases together."""
        return [model.judge(data, worst=worst) for model in models]

    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, SeriesKnowledge]:
        """Return the series as whoever kept every release has it: without the holder's column of persons, unless told."""
        form = published.form
        if not isinstance(form, WholeSeries):
            raise BadRequest("is one release: give a series", parameter="release")
        series = form.series
        known, learn = told.get("qid"), told.get("sensitive")
        asked = replace(
            series,
            qid=tuple(known) if isinstance(known, (list, tuple)) else series.qid,
            sensitive=learn if isinstance(learn, str) else series.sensitive,
        )
        learnt = () if asked.sensitive is None else (asked.sensitive,)
        return SeriesSeen(series.newest, series=asked), SeriesKnowledge(known=asked.qid, learn=learnt)

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[SeriesKnowledge]:
        """Return the one who kept everything."""
        seen, known = self.see(published, told, learns=True)
        one = Adversary(seen, known)
        return Adversaries([one], [one], [])
