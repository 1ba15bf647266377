"""Documents as a shape of data: free text about people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from sfumato.contracts.adversary import Adversaries, Adversary
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.asked import Asked
from sfumato.contracts.cells import Cells, CellShape
from sfumato.contracts.knowledge import Knowledge, Seen, names_told
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.picture import Picture
from sfumato.contracts.published import Published, Release
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.engines.sources import make_options
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.publishing.certify import certify_outcome
from sfumato.text.attack import RawDocuments, TextKnowledge, TextSeen, column_seen
from sfumato.text.built import TextFacts
from sfumato.text.contexts import Contexts
from sfumato.text.documents import Document, Documents
from sfumato.text.draft import drafted, profiled
from sfumato.text.found import FoundDocuments, found_documents
from sfumato.text.language import language_of
from sfumato.text.linking import Linking, link_documents
from sfumato.text.metric import MaskedTexts
from sfumato.text.own_values import names_persons, without_own_values
from sfumato.text.pictures import pictures_of
from sfumato.text.placeholders import placeholder
from sfumato.text.policy import TextPolicy
from sfumato.text.raw import raw_documents, raw_table, review_table
from sfumato.text.releases.masked_documents import MaskedDocuments
from sfumato.text.replacing import INVENTED, Replacing
from sfumato.text.sources import opened
from sfumato.text.task import TextTask
from sfumato.text.types import TYPES
from sfumato.text.view import TextView

__all__ = ["PreparedText", "TextShape"]

_UNASKED = {"shape": "text", "documents": {"tagged": True}, "entities": {n: {"role": t.role} for n, t in TYPES.items()}}


@frozen(eq=False)
class PreparedText:
    """Documents whose persons are known."""

    documents: Documents
    linking: Linking
    policy: TextPolicy
    roles: Mapping[str, Role]
    replacing: Replacing
    extracted: bool = False
    named: frozenset[str] = frozenset()
    """Names of persons that are known from elsewhere: no document may tell them unnoticed."""

    @property
    def persons(self) -> tuple[str, ...]:
        """The person of each document."""
        return self.linking.persons

    def remember(self) -> None:
        """Let the vault remember what was invented, where there is one."""
        if self.policy.surrogates.vault is not None:
            self.replacing.vault.save(Path(self.policy.surrogates.vault))


class TextShape(CellShape[Documents, PreparedText, TextTask, TextKnowledge]):
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
        found = found_documents(data, policy, run)
        documents = found.documents
        linking = link_documents(documents, policy.links(), policy.comparison(), run)
        count = len(set(linking.persons))
        for model in policy.models():
            reason = model.necessary(count)
            if reason is not None:
                raise Infeasible(reason, measured=count, requirement=model.id)
        return PreparedText(documents, linking, policy, found.roles, policy.replacing(), found.extracted)

    def task(self, prepared: PreparedText, external: Documents | None) -> TextTask:
        """Return the documents with what must hold and what may be lost."""
        policy = prepared.policy
        return TextTask(
            prepared.documents,
            policy.models(),
            prepared.roles,
            prepared.persons,
            None if policy.contexts is None else policy.contexts.known(),
            policy.hierarchies(),
            policy.limits.lose_at_most,
            prepared.replacing,
            _warnings(prepared),
            prepared.named,
        )

    def release(
        self, prepared: PreparedText, outcome: Outcome, task: TextTask, seed: int, source: object, run: Run
    ) -> Release:
        """Certify what was masked; then the vault remembers what was invented."""
        policy, linking = prepared.policy, prepared.linking
        release = certify_outcome(
            outcome,
            policy,
            policy.search().id,
            read=len(task.documents),
            measured=[one.measure(_compared(prepared, outcome)) for one in policy.measures()],
            raw=raw_table(prepared.documents, prepared.persons),
            counts=self.counted(outcome),
        )
        prepared.remember()
        if not linking.review:
            return release
        kept = replace(release.private, lists={"possible_links": review_table(prepared.documents, linking.review)})
        return replace(release, private=kept)

    def judge(self, data: Documents, models: Sequence[Requirement], asked: Asked, worst: int) -> list[Verdict]:
        """Judge documents as they stand."""
        policy = _policy(asked)
        found = found_documents(data, policy, Run())
        documents, view = found.documents, _view(found, policy)
        kind = MaskedDocuments.of(documents.held)
        parts = kind.parts_of(documents.held, link_documents(documents, policy.links(), policy.comparison()).persons)
        return [
            model.judge(view, worst=worst) if model.private() else kind.verify(parts, [model], ())[0]
            for model in models
        ]

    def draft(self, source: object, k: int, run: Run) -> str:
        """Return a commented policy with what the texts were found to tell."""
        return drafted(source, k, run)

    def profile(self, source: object, run: Run) -> Sequence[str]:
        """Say how many texts there are, what they tell, and whose words nobody else has."""
        return profiled(source, run)

    def pictures(self, published: Published, run: Run) -> Sequence[Picture]:
        """Return how many places were masked by type and, in the house, some texts with their places coloured."""
        seen = published.form.seen(published.tables)
        return (
            pictures_of(seen.documents, inside=published.private.raw is not None) if isinstance(seen, TextSeen) else ()
        )

    def of_cells(self, cells: Cells, asked: Asked, run: Run) -> Documents:
        """Return a document for each cell; what texts tell of persons cannot be required where no spans are published."""
        policy = _policy(asked)
        for model in policy.models():
            if not model.private():
                raise BadRequest(
                    "needs spans, which a column of texts does not publish",
                    parameter="requirements",
                    value=model.id,
                    available=["hide-deidentification-models", "k-safety"],
                )
        make = Document.tagged if policy.documents.tagged else Document
        return Documents(tuple(make(str(at), cell or "") for at, cell in enumerate(cells, start=1)))

    def to_cells(self, prepared: PreparedText, outcome: Outcome) -> Cells:
        """Return the masked texts; a cell without any is missing."""
        assert outcome.built is not None
        assert isinstance(outcome.built.inside, TextView)
        prepared.remember()
        return [document.text or None for document in outcome.built.inside.documents]

    def inside(self, cells: Cells, asked: Asked, outcome: Outcome | None = None) -> object | None:
        """Return the texts with the spans that still tell something."""
        if outcome is not None:
            return super().inside(cells, asked, outcome)
        policy = _policy(asked)
        return _view(found_documents(self.of_cells(cells, asked, Run()), policy, Run()), policy)

    def without_own_values(self, cells: Cells, own: Mapping[str, Cells], asked: Asked) -> tuple[Cells, int]:
        """Return texts that do not tell what is masked or left out in their own row."""
        spoken, out, count = _policy(asked).documents.language, list[str | None](), 0
        for at, cell in enumerate(cells):
            row = {name: value for name, values in own.items() if (value := values[at]) is not None}
            text, found = without_own_values(cell or "", row, spoken or language_of([cell or ""]))
            out.append(text if cell is not None else None)
            count += found
        return out, count

    def beside(self, prepared: PreparedText, hidden: Mapping[str, Sequence[str]]) -> PreparedText:
        """Return texts in which names of other rows are counted."""
        named = (value for column, values in hidden.items() if names_persons(column) for value in values)
        return replace(prepared, named=frozenset(named))

    def counted(self, outcome: Outcome) -> Mapping[str, int]:
        """Return how often texts still tell a part of what was masked, or name the person of another."""
        return outcome.facts.left if isinstance(outcome.facts, TextFacts) else {}

    def reader(
        self,
        cells: Cells,
        asked: Asked | None,
        raw: Cells | None,
        own: Mapping[str, Cells],
        told: Mapping[str, object],
        run: Run,
    ) -> Adversaries[TextKnowledge]:
        """Return who reads a column of texts: she may know its texts before masking, and what their rows call their persons."""
        policy = asked if isinstance(asked, TextPolicy) else None
        contexts = _contexts(told, policy)
        known = None if raw is None else _raw_column(raw, own, policy, run)
        seen = column_seen(cells, None if known is None else known.documents, invented=_invents(policy))
        before = None if known is None else column_seen([one.text for one in known.documents])
        one = Adversary(seen, TextKnowledge(terms=names_told(told, "terms"), contexts=contexts, raw=known), before)
        return Adversaries([one], [one], [])

    def judge_cells(self, cells: Cells, model: Requirement, worst: int) -> Verdict:
        """Refuse: what was masked in texts is known to the holder alone."""
        raise Unsupported(f"{model.id} is judged by who masked the texts; give the policy", thing=model.id)

    def see(self, published: Published, told: Mapping[str, object], *, learns: bool) -> tuple[Seen, TextKnowledge]:
        """Return the texts."""
        seen = published.form.seen(published.tables)
        policy = published.private.policy
        contexts = _contexts(told, policy if isinstance(policy, TextPolicy) else None)
        return seen, TextKnowledge(
            terms=names_told(told, "terms"), contexts=contexts, raw=self._raw(published, told.get("raw"))
        )

    def _raw(self, published: Published, given: object) -> RawDocuments | None:
        """Return the documents before masking: those of a release in memory, or those that are told."""
        policy, kept = published.private.policy, published.private.raw
        asked = policy if isinstance(policy, TextPolicy) else TextPolicy.model_validate(_UNASKED)
        if given is not None:
            prepared = self.prepare(self.open(given, asked, Run()), asked, Run())
            documents, persons = prepared.documents, prepared.persons
        elif kept is not None:
            documents, persons = raw_documents(kept)
        else:
            return None
        known = {name: kind.role for name, kind in TYPES.items()} | asked.roles()
        named = [name for name, role in known.items() if role is Role.IDENTIFIER]
        described = [name for name, role in known.items() if role is Role.QUASI_IDENTIFIER]
        return RawDocuments(documents, persons, tuple(named), tuple(described))

    def adversaries(self, published: Published, told: Mapping[str, object]) -> Adversaries[TextKnowledge]:
        """Return the one who reads the release, and the documents before masking to compare."""
        seen, known = self.see(published, told, learns=True)
        before = None
        if known.raw is not None and isinstance(seen, TextSeen):
            bare = tuple(replace(one, spans=()) for one in known.raw.documents)
            before = replace(seen, documents=bare, persons=known.raw.persons)
        one = Adversary(seen, known, before)
        return Adversaries([one], [one], [])


def _compared(prepared: PreparedText, outcome: Outcome) -> MaskedTexts:
    """Return the texts before and after masking."""
    assert outcome.built is not None
    assert isinstance(outcome.built.inside, TextView)
    return MaskedTexts(prepared.documents, outcome.built.inside.documents)


def _contexts(told: Mapping[str, object], policy: TextPolicy | None) -> Contexts | None:
    """Return what is known of entities: as it is told, or as the policy says."""
    given = told.get("contexts")
    if given is not None:
        return given if isinstance(given, Contexts) else Contexts.of(given)
    return None if policy is None or policy.contexts is None else policy.contexts.known()


def _invents(policy: TextPolicy | None) -> bool:
    return policy is not None and any(entry.replace in INVENTED for entry in policy.known_entities().values())


def _raw_column(raw: Cells, own: Mapping[str, Cells], policy: TextPolicy | None, run: Run) -> RawDocuments:
    """Return the texts of a column before masking, each with what its own row calls its person."""
    documents = Documents(tuple(Document(str(at), cell or "") for at, cell in enumerate(raw, start=1)))
    if policy is not None:
        documents = found_documents(TextShape().of_cells(raw, policy, run), policy, run).documents
    roles = {} if policy is None else policy.roles()
    rows = [
        {
            "name" if "name" in column.casefold() else column: cell
            for column, cells in own.items()
            if (cell := cells[at])
        }
        for at in range(len(raw))
    ]
    named = tuple(name for name, role in roles.items() if role is Role.IDENTIFIER)
    return RawDocuments(documents, tuple(one.name for one in documents), named, rows=tuple(rows))


def _warnings(prepared: PreparedText) -> tuple[str, ...]:
    """Say what the publisher should know of how documents were read."""
    review = len(prepared.linking.review)
    out: list[str] = [say("text.review", count=review)] if review else []
    return (*out, say("text.extracted")) if prepared.extracted else tuple(out)


def _view(found: FoundDocuments, policy: TextPolicy) -> TextView:
    """Return documents as they stand; a placeholder tells nothing."""
    telling = [
        replace(one, spans=tuple(span for span in one.spans if one.said(span) != placeholder(span.type)))
        for one in found.documents
    ]
    contexts = None if policy.contexts is None else policy.contexts.known()
    return TextView(Documents(tuple(telling)), found.roles, contexts)


def _policy(asked: Asked) -> TextPolicy:
    assert isinstance(asked, TextPolicy), "documents are asked for by a policy for text"
    return asked
