"""A series of releases as a shape of data: judged and attacked as a whole, by whoever kept every release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.algorithm import Outcome, Task
from sfumato.contracts.asked import Asked
from sfumato.contracts.engine import Table
from sfumato.contracts.evidence import Course, Stage
from sfumato.contracts.finding import Finding
from sfumato.contracts.knowledge import Knowledge, Seen
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run
from sfumato.contracts.shape import Shape
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.ledger.series import SeriesGuard
from sfumato.publishing.audit import EXPOSED, untold
from sfumato.sequels.attack import SeriesKnowledge, SeriesSeen
from sfumato.sequels.build import next_release
from sfumato.sequels.changes import refuse_changes, task_of
from sfumato.sequels.guard import Guard
from sfumato.sequels.models.hd_composition import HDComposition
from sfumato.sequels.policy import SeriesPolicy
from sfumato.sequels.prepare import GROUP, PreparedSequel, prepare_sequel
from sfumato.sequels.releases.recoded_table import RecodedTable
from sfumato.sequels.releases.whole_series import WholeSeries
from sfumato.sequels.series import Series
from sfumato.sequels.task import SeriesTask
from sfumato.tables.open import open_table

__all__ = ["SeriesPolicy", "SeriesShape"]


class SeriesShape(Shape[Series | Table, PreparedSequel, SeriesTask | Task, SeriesKnowledge]):
    """Releases about the same people, oldest first; the next one is made from a table of everybody who is in it.

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

    def open(self, source: object, asked: Asked | None, run: Run) -> Series | Table:
        """Return a series, one made of several releases by the roles of their columns, or the table to be published next."""
        if isinstance(source, Series):
            return source
        if asked is None:
            return open_table(source, run=run)
        policy = _policy(asked)
        if not isinstance(source, (list, tuple)):
            return open_table(source, policy.as_table(), run=run)
        run.stage("reading", len(source))
        sensitive = policy.of_role(Role.SENSITIVE)
        if len(sensitive) > 1:
            raise BadRequest("say which one column is sensitive", parameter="columns", available=sensitive)
        trees = {name: entry.hierarchy for name, entry in policy.columns.items() if entry.hierarchy is not None}
        return Series.of(
            source,
            qid=policy.of_role(Role.QUASI_IDENTIFIER),
            sensitive=sensitive[0] if sensitive else None,
            hierarchies=trees,
            person=policy.person,
        )

    def prepare(self, data: Series | Table, asked: Asked, run: Run) -> PreparedSequel:
        """Find in the ledger what was published before; refuse what a series of its kind does not let happen."""
        if isinstance(data, Series):
            raise Unsupported(
                "the next release of a series is made from the table of everybody who is in it, not from the releases",
                thing=self.id,
            )
        prepared = prepare_sequel(data, _policy(asked), run)
        refuse_changes(prepared)
        return prepared

    def task(self, prepared: PreparedSequel, external: Series | Table | None) -> SeriesTask | Task:
        """Return the releases so far and the records to publish next."""
        if external is not None:
            raise Unsupported("a series is compared with its own releases, not with a population", thing=self.id)
        return task_of(prepared)

    def release(
        self, prepared: PreparedSequel, outcome: Outcome, task: SeriesTask | Task, seed: int, source: object, run: Run
    ) -> Release:
        """Recode the records as the search says, or take what it built; certify either beside all releases before."""
        return next_release(prepared, outcome, seed, source)

    def guard(self, release: Release) -> SeriesGuard:
        """Return whoever judges the release once more when the ledger is reserved."""
        return Guard()

    def judge(self, data: Series | Table, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Judge all releases together; a table alone is a series of one."""
        if isinstance(data, Table):
            policy = _policy(asked)
            (sensitive, *_) = (*policy.of_role(Role.SENSITIVE), None)
            data = Series((data,), policy.of_role(Role.QUASI_IDENTIFIER), sensitive)
        return [model.judge(data, worst=worst) for model in models]

    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, SeriesKnowledge]:
        """Return the series as whoever kept every release has it: without the holder's column of persons, unless told."""
        series = _seen(published)
        qid, learn = told.get("qid"), told.get("sensitive")
        asked = replace(
            series,
            qid=tuple(qid) if isinstance(qid, (list, tuple)) else series.qid,
            sensitive=learn if isinstance(learn, str) else series.sensitive,
        )
        learnt = () if asked.sensitive is None else (asked.sensitive,)
        numbered = all(GROUP in table.types for table in series.releases)
        lasting = next((model for model in published.models if isinstance(model, HDComposition)), None)
        known = SeriesKnowledge(
            known=asked.qid,
            learn=learnt,
            group=GROUP if numbered else None,
            permanent=None if lasting is None else lasting.permanent,
            l=None if lasting is None else lasting.l,
        )
        return SeriesSeen(series.newest, series=asked), known

    def course(self, published: Published, run: Run) -> Course | None:
        """Try every quick attack on the series as it was after each of its releases."""
        seen, known = self.see(published, {}, learns=True)
        assert isinstance(seen, SeriesSeen)
        series, stages = seen.series, list[Stage]()
        for number, loss in enumerate(_losses(published, len(series)), 1):
            run.checkpoint()
            until = series.until(number)
            one = Adversary(SeriesSeen(until.newest, series=until), known)
            tried = [
                one.tries(attack.told(known.own()), EXPOSED, {}, False, run)
                for attack in untold(self.id, known.own())
                if attack.traits.quick
            ]
            risks = {found.attack: found.after.highest for found in tried if isinstance(found, Finding)}
            stages.append(Stage(number=number, rows=until.newest.rows, loss=loss, risks=risks))
        return Course(kind=series.kind, stages=stages)

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[SeriesKnowledge]:
        """Return the one who kept everything."""
        seen, known = self.see(published, told, learns=True)
        one = Adversary(seen, known)
        return Adversaries([one], [one], [])


def _losses(published: Published, count: int) -> list[float | None]:
    """Return what each release lost, where that is told: by its certificate, or by what the holder remembers."""
    sequel, every = published.private.sequel, (*published.private.beside.earlier, published)
    told = [
        next((entry.value for entry in one.certificate.metrics if entry.metric == "loss"), None)
        if one.certificate is not None
        else None
        for one in every
    ]
    known = [*(sequel.losses if sequel is not None else ()), *(None for _ in range(count))]
    return [one if one is not None else other for one, other in zip(told, known, strict=False)][:count]


def _policy(asked: Asked) -> SeriesPolicy:
    if not isinstance(asked, SeriesPolicy):
        raise BadRequest("needs a policy of the shape series", parameter="policy")
    return asked


def _seen(published: Published) -> Series:
    """Return the releases as whoever has them: all that are at hand, this one last; in the house with the names of persons."""
    form, kept = published.form, published.private
    if isinstance(form, WholeSeries):
        return form.series
    told = None if published.certificate is None else published.certificate.ledger
    kind = told.kind if told is not None else kept.sequel.kind if kept.sequel is not None else None
    if isinstance(form, RecodedTable):
        return replace(form.series(published.table, kept.beside), kind=kind)
    known = tuple(published.of_role(Role.QUASI_IDENTIFIER))
    (sensitive, *_) = (*published.of_role(Role.SENSITIVE), None)
    if kept.sequel is not None:
        return Series((*kept.sequel.before, kept.sequel.copy), known, sensitive, {}, kept.sequel.person, kind=kind)
    return Series((*(one.table for one in kept.beside.earlier), published.table), known, sensitive, kind=kind)
