"""Documents as a shape of data: free text about people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.knowledge import Knowledge, Seen, names_told
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run
from sfumato.contracts.shape import Shape
from sfumato.engines.sources import make_options
from sfumato.errors import BadRequest, Infeasible
from sfumato.publishing.certify import certify_outcome
from sfumato.text.attack import TextKnowledge
from sfumato.text.documents import Documents
from sfumato.text.persons import linked
from sfumato.text.policy import TextPolicy
from sfumato.text.releases.masked_documents import MaskedDocuments
from sfumato.text.sources import opened
from sfumato.text.task import TextTask
from sfumato.text.view import TextView

__all__ = ["PreparedText", "TextShape"]


@dataclass(frozen=True, eq=False)
class PreparedText:
    """Documents whose persons are known."""

    documents: Documents
    persons: tuple[str, ...]
    policy: TextPolicy


class TextShape(Shape[Documents, PreparedText, TextTask, TextKnowledge]):
    """Documents: free text in which persons, or what they have, are named.

    Examples
    --------
    >>> import sfumato
    >>> policy = {"shape": "text", "contexts": {"entries": {"flu": ["fever", "cough"], "cold": ["cough"]}},
    ...           "requirements": [{"id": "k-safety", "k": 1}], "algorithm": {"id": "erase-greedy"}}
    >>> release = sfumato.anonymize(["Fever and a cough."], policy)
    >>> release.tables["documents"].to_rows()
    [(1, 1, '[TERM] and a cough.')]
    """

    id: ClassVar[str] = "text"
    policy: ClassVar[type[Asked]] = TextPolicy
    knowledge: ClassVar[type[Knowledge]] = TextKnowledge

    def open(self, source: object, asked: Asked | None, run: Run) -> Documents:
        """Return the documents of texts, a folder, JSON lines or a column of a table."""
        run.stage("reading")
        if not isinstance(asked, TextPolicy):
            return opened(source, column=None, person=None, tagged=False)
        return opened(
            source,
            column=asked.documents.column,
            person=asked.person,
            tagged=asked.documents.tagged,
            engine=asked.engine,
            options=make_options(asked.source.model_dump()),
            memory=run.memory,
        )

    def prepare(self, data: Documents, asked: Asked, run: Run) -> PreparedText:
        """Link documents of one person; refuse what no masking can meet."""
        policy = _policy(asked)
        run.stage("preparing")
        if not len(data):
            raise BadRequest("has no document", parameter="source")
        persons = linked(data, policy.links())
        for model in policy.models():
            reason = model.necessary(len(set(persons)))
            if reason is not None:
                raise Infeasible(reason, measured=len(set(persons)), requirement=model.id)
        return PreparedText(data, persons, policy)

    def task(self, prepared: PreparedText, external: Documents | None) -> TextTask:
        """Return the documents with what must hold and what may be lost."""
        policy = prepared.policy
        return TextTask(
            prepared.documents,
            policy.models(),
            policy.roles(),
            prepared.persons,
            None if policy.contexts is None else policy.contexts.known(),
            policy.hierarchies(),
            policy.limits.lose_at_most,
        )

    def release(
        self, prepared: PreparedText, outcome: Outcome, task: TextTask, seed: int, source: object, run: Run
    ) -> Release:
        """Certify what was masked."""
        policy = prepared.policy
        return certify_outcome(outcome, policy, policy.search().id, read=len(task.documents))

    def judge(self, data: Documents, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Judge documents as they stand."""
        policy = _policy(asked)
        contexts = None if policy.contexts is None else policy.contexts.known()
        view = TextView(data, policy.roles(), contexts)
        kind = MaskedDocuments.of(data.held)
        parts = kind.parts_of(data.held, linked(data, policy.links()))
        return [
            model.judge(view, worst=worst) if model.private() else kind.verify(parts, [model], ())[0]
            for model in models
        ]

    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, TextKnowledge]:
        """Return the texts."""
        seen = published.form.seen(published.tables)
        return seen, TextKnowledge(terms=names_told(told, "terms"))

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[TextKnowledge]:
        """Return the one who reads the release."""
        one = Adversary(*self.see(published, told, learns=True))
        return Adversaries([one], [one], [])


def _policy(asked: Asked) -> TextPolicy:
    assert isinstance(asked, TextPolicy), "documents are asked for by a policy for text"
    return asked
