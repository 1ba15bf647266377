"""Algorithms that erase terms: each document by itself, until what is left speaks of k others as well."""

from __future__ import annotations

from abc import abstractmethod

from sfumato.contracts.algorithm import Outcome, Search
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Unsupported
from sfumato.text.built import Masking, masked_outcome
from sfumato.text.documents import Document, Span
from sfumato.text.erasing import Erased, Problem
from sfumato.text.models.k_safety import KSafety
from sfumato.text.placeholders import placeholder
from sfumato.text.task import TextTask
from sfumato.text.terms import Terms

__all__ = ["ErasingSearch"]

_TYPE = "term"


class ErasingSearch(Search[TextTask]):
    """Leaves terms out of documents until each is k-safe; words that speak of no protected entity stay as they are."""

    @abstractmethod
    def solve(self, problem: Problem, run: Run) -> Erased:
        """Return the terms of one document that may stay."""

    def run(self, task: TextTask, run: Run) -> Outcome:
        model, contexts = self._requirement(task), task.contexts
        if contexts is None:
            raise BadRequest("is required: what the public knows of entities", parameter="contexts")
        index = Terms.of(contexts.terms)
        documents, masking, looked, optimal = list[Document](), list[Masking](), 0, True
        for document in task.documents:
            run.checkpoint()
            found = index.found(document.text)
            solved = self.solve(Problem(contexts, [one.term for one in found], model.k), run)
            gone = set(solved.erased)
            spans = [Span(one.start, one.end, _TYPE) for one in found if one.term in gone]
            documents.append(Document(document.name, document.text, tuple(spans)))
            masking.append(dict.fromkeys(spans, placeholder(_TYPE)))
            looked += solved.looked
            optimal &= solved.optimal
        return masked_outcome(task, documents, masking, optimal=optimal, looked=looked)

    def _requirement(self, task: TextTask) -> KSafety:
        model = task.models[0] if len(task.models) == 1 else None
        if not isinstance(model, KSafety):
            raise Unsupported(
                f"{self.id} works for one requirement, k-safety", thing=self.id, alternatives=["hide-framework"]
            )
        return model
