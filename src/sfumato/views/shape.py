"""Views of one table as a shape of data: judged and attacked together, because recipients may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Knowledge, Seen, names_told
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.picture import Picture
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run
from sfumato.contracts.shape import Shape
from sfumato.data.frozen import frozen
from sfumato.engines import open_source, read
from sfumato.engines.sources import make_options
from sfumato.errors import BadRequest, Unsupported
from sfumato.publishing.certify import certify_outcome
from sfumato.views.attack import ViewKnowledge, ViewSeen
from sfumato.views.draft import drafted, profiled
from sfumato.views.models.fd_view_kanon_check import FDViewKAnonymity
from sfumato.views.models.sp_view_kanon_check import SPViewKAnonymity
from sfumato.views.pictures import cover_pictures, marginal_pictures
from sfumato.views.policy import ViewPolicy
from sfumato.views.releases.marginal_build import MarginalBuild
from sfumato.views.task import ViewTask
from sfumato.views.view_set import ViewSet

__all__ = ["PreparedViews", "ViewShape"]


@frozen(eq=False)
class PreparedViews:
    """The views with what the table answers them."""

    views: ViewSet
    policy: ViewPolicy


class ViewShape(Shape[ViewSet | Table, PreparedViews, ViewTask, ViewKnowledge]):
    """Several views of one table, each for a recipient of its own.

    Examples
    --------
    >>> import sfumato
    >>> table = {"Name": ["Ann", "Bob", "Eva"], "Job": ["Cook", "Cook", "Cook"], "Disease": ["Flu", "Cold", "Flu"]}
    >>> requirement = {"id": "sp-view-kanon-check", "k": 2, "identifier": "Name", "sensitive": "Disease"}
    >>> views = {"staff": {"columns": ["Name", "Job"]}, "clinic": {"columns": ["Job", "Disease"]}}
    >>> release = sfumato.anonymize(table, {"views": views, "requirements": [requirement]})
    >>> release.verdict.verdicts[0].strongest, list(release.tables)
    (2, ['staff', 'clinic'])
    """

    id: ClassVar[str] = "views"
    policy: ClassVar[type[Asked]] = ViewPolicy
    knowledge: ClassVar[type[Knowledge]] = ViewKnowledge

    def open(self, source: object, asked: Asked | None, run: Run) -> ViewSet | Table:
        """Return the table that views are asked of, or the view set itself."""
        run.stage("reading")
        if isinstance(source, (ViewSet, Table)):
            return source
        if asked is None:
            return read(source)
        policy = _policy(asked)
        types = {name: str(one.type) for name, one in policy.columns.items() if one.type is not None}
        options = make_options({**policy.source.model_dump(), "types": types})
        return open_source(source, policy.engine, options, run.memory)

    def prepare(self, data: ViewSet | Table, asked: Asked, run: Run) -> PreparedViews:
        """Ask the table."""
        return PreparedViews(_answered(data, _policy(asked)), _policy(asked))

    def task(self, prepared: PreparedViews, external: ViewSet | Table | None) -> ViewTask:
        """Return the views with what must hold."""
        if external is not None:
            raise Unsupported("views are compared with each other, not with a population", thing=self.id)
        views = prepared.views.without_idle_conditions()
        asked = prepared.policy.models()
        return ViewTask(
            prepared.views, [one.settled(views) if isinstance(one, FDViewKAnonymity) else one for one in asked]
        )

    def release(
        self, prepared: PreparedViews, outcome: Outcome, task: ViewTask, seed: int, source: object, run: Run
    ) -> Release:
        """Certify the answers."""
        table = task.views.source
        read_rows = table.rows if table is not None else max(answer.rows for answer in task.views.answers)
        algorithm = prepared.policy.search().id
        return certify_outcome(
            outcome, prepared.policy, algorithm, read=read_rows, raw=table, by_record=False, models=task.models
        )

    def judge(self, data: ViewSet | Table, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Judge all views together."""
        views = (_answered(data, _policy(asked)) if isinstance(data, Table) else data).without_idle_conditions()
        return [model.judge(views, worst=worst) for model in models]

    def draft(self, source: object, k: int, run: Run) -> str:
        """Propose two views and what must hold for them together."""
        return drafted(source, k, run)

    def profile(self, source: object, run: Run) -> Sequence[str]:
        """Say what views could be linked by, and what that tells."""
        return profiled(source, run)

    def pictures(self, published: Published, run: Run) -> Sequence[Picture]:
        """Draw covers of views, and what marginals buy where that is known."""
        if isinstance(published.form, MarginalBuild):
            return marginal_pictures(published.private.facts)
        seen = published.form.seen(published.tables)
        return cover_pictures(seen.views, published.models) if isinstance(seen, ViewSeen) else ()

    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, ViewKnowledge]:
        """Return all views, and what colluding recipients were told; by default what a requirement links."""
        seen = published.form.seen(published.tables)
        linked = [
            (model.identifier, model.sensitive)
            for model in published.models
            if isinstance(model, (SPViewKAnonymity, FDViewKAnonymity))
        ]
        known = names_told(told, "qid") or tuple(dict.fromkeys(one for one, _ in linked))
        learn = names_told(told, "sensitive") or tuple(dict.fromkeys(other for _, other in linked))
        return seen, ViewKnowledge(known=known, learn=learn)

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[ViewKnowledge]:
        """Return the recipients who put everything together."""
        seen, known = self.see(published, told, learns=True)
        if not isinstance(seen, ViewSeen):
            raise BadRequest("is no set of views", parameter="release")
        one = Adversary(seen, known)
        return Adversaries([one], [one], [])


def _answered(data: ViewSet | Table, policy: ViewPolicy) -> ViewSet:
    if isinstance(data, ViewSet):
        return data
    domains = {name: one.values for name, one in policy.columns.items() if one.values is not None}
    return ViewSet.of(data, policy.queries(), domains=domains)


def _policy(asked: Asked) -> ViewPolicy:
    if not isinstance(asked, ViewPolicy):
        raise BadRequest("needs a policy with views", parameter="policy")
    return asked
