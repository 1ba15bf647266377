"""A view set as it is published: one table for each recipient, and the queries that all of them know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.views.attack import ViewSeen
from sfumato.views.version import Version
from sfumato.views.view import View
from sfumato.views.view_set import ViewSet

__all__ = ["ViewSetRelease"]


class ViewSetRelease(ReleaseKind):
    """Answers to selection-projection queries on one table, each for a recipient of its own, with the queries told to all.

    Requirements are judged on all answers together: whoever gets one may get to see the others. Values are those of the
    table. ``sfumato.views.ViewSet`` is the same in memory.

    Adversary: recipients who put their answers together.

    Examples
    --------
    >>> table = {"Name": ["Ann", "Bob"], "Age": [40, 50], "Disease": ["Flu", "HIV"]}
    >>> views = ViewSet.of(table, [View.of("V1", ["Name"], "Age > 45"), View.of("V2", ["Disease"])])
    >>> kind = ViewSetRelease.of(views)
    >>> kind.part_names(), kind.views
    (('V1', 'V2'), ('SELECT Name WHERE Age > 45', 'SELECT Disease'))
    >>> published = kind.view_set(dict(zip(kind.part_names(), views.answers)))
    >>> published.facts("V1")
    (('Bob',),)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.2.
    """

    id: ClassVar[str] = "view-set"
    shape: ClassVar[str] = "views"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True,
        mixed_granularity=False,
        verifiable=say("verifiable.views"),
        stops=frozenset({"record", "attribute"}),
        searched=True,
    )
    nouns: ClassVar[tuple[str, str]] = (say("noun.cover"), say("noun.covers"))

    names: tuple[str, ...] = param(doc="what the views are called, each a part of the release")
    views: tuple[str, ...] = param(doc="the query of each view, such as SELECT age, job WHERE age >= 18")
    types: tuple[tuple[str, str], ...] = param(
        default=(), doc="the types of columns that queries compare, and of those that are true or false"
    )
    versions: tuple[tuple[str, str, float, int], ...] = param(
        default=(), doc="views that are versions of one column: view, column, retention, number of values"
    )

    @classmethod
    def of(cls, views: ViewSet) -> ViewSetRelease:
        """Return the form in which a view set is published."""
        compared = {one.column for view in views.views for one in view.where}
        told = sorted(compared | {name for name in views.columns if views.types.get(name) is ColumnType.BOOLEAN})
        return cls(
            names=tuple(view.name for view in views.views),
            views=tuple(map(str, views.views)),
            types=tuple((name, str(views.types[name])) for name in told if name in views.types),
            versions=tuple((one.view, one.column, one.retention, one.values) for one in views.versions),
        )

    def part_names(self) -> tuple[str, ...]:
        return self.names

    def roles(self) -> Mapping[str, Role]:
        queries = [View.sql(name, text) for name, text in zip(self.names, self.views, strict=True)]
        return dict.fromkeys((column for view in queries for column in view.columns), Role.PLAIN)

    def view_set(self, parts: Parts) -> ViewSet:
        """Return the published tables as a view set."""
        queries = [View.sql(name, text) for name, text in zip(self.names, self.views, strict=True)]
        types = {name: ColumnType(kind) for name, kind in self.types}
        versions = [Version(*one) for one in self.versions]
        return ViewSet.of_answers(self.tables(parts), queries, types=types, versions=versions)

    def verify(
        self, parts: Parts, models: Sequence[Model[ViewSet]], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        views = self.view_set(parts)
        return [model.judge(views) for model in models]

    def seen(self, parts: Parts) -> Seen:
        views = self.view_set(parts)
        return ViewSeen(views.answers[0], self.tables(parts), views=views)

    def statement(self) -> Statement:
        limited = any(View.sql(name, text).where for name, text in zip(self.names, self.views, strict=True))
        unknown = [say("statement.views_conditions")] if limited else []
        return Statement(
            checked=[say("statement.views_checked")], not_checkable=[say("statement.views_not_checkable"), *unknown]
        )
