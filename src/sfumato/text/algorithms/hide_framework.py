"""HIDE: remove what identifies from texts, or generalize what an adversary may know until persons look alike."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar

from sfumato.catalogue import build
from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.model import Requirement, TableModel
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.text import SUPPRESSED, parse_number
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.tables.policy import Policy
from sfumato.tables.shape import TableShape
from sfumato.text.built import Masking, masked_outcome
from sfumato.text.collector import waiting_collector
from sfumato.text.documents import Document, Documents, Places, Span
from sfumato.text.file_names import file_persons
from sfumato.text.models.hide_deidentification_models import HideDeidentification
from sfumato.text.name_words import NameForms, initials_beside, is_name
from sfumato.text.partial_forms import PartialForms
from sfumato.text.persons import identifier_view
from sfumato.text.placeholders import placeholder
from sfumato.text.replacing import INVENTED
from sfumato.text.task import TextTask
from sfumato.text.terms import Terms, Words, signs_of
from sfumato.text.view import TextView

__all__ = ["HideFramework"]

_SHOWN, _LONGEST = 5, 24  # types that an error names, and their letters


class HideFramework(Search[TextTask]):
    """Mask documents where they tell of persons, in the mode that the requirement names.

    With ``hide-deidentification-models`` direct identifiers go (``partial``), or quasi-identifiers too (``full``). With a
    requirement on tables, such as k-anonymity, the mode is *statistical*: direct identifiers go, what the documents tell of
    each person by quasi-identifying types is one row of a table, the table is masked by ``by``, and every mention of a value
    is overwritten by what is published of it. A value that is suppressed leaves its placeholder. Text outside of spans stays
    as it is, sign by sign. What the policy gives a way of its own (``replace``: surrogates, shifted dates, keyed hashes, years)
    is replaced so in every mode.

    Examples
    --------
    >>> import sfumato
    >>> policy = {"shape": "text", "documents": {"tagged": True}, "entities": {"name": {"role": "identifier"}},
    ...           "requirements": [{"id": "hide-deidentification-models"}]}
    >>> release = sfumato.anonymize(["<name>Ann</name> has a cold."], policy)
    >>> release.tables["documents"].to_rows()
    [(1, 1, '[NAME] has a cold.')]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.3.
    Gardner, Xiong, "HIDE: an integrated system for health information de-identification", 2008, doi:10.1109/CBMS.2008.129.
    """

    id: ClassVar[str] = "hide-framework"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="masked-documents",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="words",
    )

    mode: str | None = param(
        default=None,
        choices=("partial", "full", "statistical"),
        doc="the mode that the requirements must ask for; whichever they ask for if not given",
    )
    by: Mapping[str, object] | None = param(
        default=None, doc="the algorithm on tables of the statistical mode, by id and parameters; tdr if not given"
    )
    everywhere: bool = param(
        default=False, doc="whether words that are removed at a span are removed elsewhere in its document too"
    )

    def validate(self) -> None:
        """Refuse what names no algorithm on tables."""
        super().validate()
        given: object = self.by
        if given is not None and not (isinstance(given, Mapping) and "id" in given):
            raise BadRequest("must be an id and parameters", parameter=f"{self.id}.by")
        if given is not None:
            build(dict(given), "algorithm", "table")

    @waiting_collector()
    def run(self, task: TextTask, run: Run) -> Outcome:
        strange = sorted(set(task.documents.types) - set(task.roles))
        if strange:
            raise BadRequest(
                f"documents tell something of {_listed(strange)} that has no role: give it one under entities (identifier, "
                "quasi-identifier, sensitive, or plain if it may stay)",
                parameter="entities",
            )
        removal = [model for model in task.models if isinstance(model, HideDeidentification)]
        tables = [model for model in task.models if isinstance(model, TableModel)]
        self._refuse_others(task.models, removal, tables)
        labels = self._generalized(task, tables, run) if tables else {}
        hidden = {name for name in task.roles if self._hides(name, task, removal, tables)}
        documents = self._spread(task, hidden) if self.everywhere else list(task.documents)
        replaced = task.replacing.words(Documents(tuple(documents)), task.persons)
        masking = list[Masking]()
        for person, document, found, given in zip(task.persons, documents, replaced, task.documents, strict=True):
            run.checkpoint()
            places: dict[Span, str] = {}
            tagged = set(given.spans)
            for span in document.spans:
                role, how = task.roles[span.type], task.replacing.how.get(span.type)
                gone = role is Role.IDENTIFIER or any(model.removes(role) for model in removal)
                if how is not None and (how in INVENTED or not gone):
                    places[span] = found[span]
                elif role is Role.QUASI_IDENTIFIER and tables and not gone and span in tagged:
                    places[span] = labels.get((person, span.type, document.said(span)), placeholder(span.type))
                elif span.type in hidden:
                    places[span] = placeholder(span.type)
            masking.append(places)
        outcome = masked_outcome(task, documents, masking, given=list(task.documents))
        for model in removal or [HideDeidentification()]:
            _refuse_words_left(model, outcome)
        return outcome

    def _refuse_others(
        self, models: Sequence[Requirement], removal: Sequence[HideDeidentification], tables: Sequence[TableModel]
    ) -> None:
        if len(removal) + len(tables) < len(models) or (tables and any(one.mode == "full" for one in removal)):
            raise Unsupported(
                f"{self.id} works for hide-deidentification-models, or for requirements on tables",
                thing=self.id,
                alternatives=["erase-greedy"],
            )
        asked = "statistical" if tables else "full" if any(one.mode == "full" for one in removal) else "partial"
        if self.mode not in (None, asked):
            raise BadRequest(
                f"is not what the requirements ask for, which is {asked}", parameter=f"{self.id}.mode", value=self.mode
            )

    @staticmethod
    def _hides(
        name: str, task: TextTask, removal: Sequence[HideDeidentification], tables: Sequence[TableModel]
    ) -> bool:
        """Tell whether spans of a type are overwritten."""
        role = task.roles[name]
        asked = role is Role.IDENTIFIER or any(model.removes(role) for model in removal)
        return asked or name in task.replacing.how or (role is Role.QUASI_IDENTIFIER and bool(tables))

    @staticmethod
    def _spread(task: TextTask, hidden: set[str]) -> list[Document]:
        """Return the documents with a span wherever a word stands again that is overwritten.

        Direct identifiers are looked for in all documents of their person, names there also word by word, other words in
        their own document; parts of either, initials and last digits, in all documents of their person. Initials beside a
        name are part of it, whether or not a first name is told.
        """
        values: dict[str, dict[str, str]] = {person: {} for person in task.persons}
        own: dict[str, dict[str, str]] = {person: {} for person in task.persons}
        for person, document in zip(task.persons, task.documents, strict=True):
            own[person].update(
                {document.said(span): span.type for span in document.spans if task.roles[span.type] is Role.IDENTIFIER}
            )
            values[person].update({document.said(span): span.type for span in document.spans if span.type in hidden})
        spoken = task.replacing.languages(task.documents, task.persons)
        partly = {one: PartialForms.of(held.items(), spoken[one]) for one, held in values.items()}
        called = next((name for name, role in task.roles.items() if role is Role.IDENTIFIER and is_name(name)), None)
        files = file_persons(task.documents.held, task.persons) if called is not None else {}
        out = []
        for person, document in zip(task.persons, task.documents, strict=True):
            words = own[person] | {document.said(span): span.type for span in document.spans if span.type in hidden}
            words = {word: name for word, name in words.items() if signs_of(word) > 1}
            spans = list(document.spans)
            names = {said: name for said, name in own[person].items() if is_name(name)}
            names |= {said: called for said in files.get(person, ()) if called is not None}
            forms, read = NameForms.of(names), Words(document.text, ((span.start, span.end) for span in document.spans))
            for found in (
                [(one, names[forms.names(one.term)[0]]) for one in forms.addresses(document.text)],
                [(one, words[one.term]) for one in Terms.of(words).found(read)],
                [(one, names[forms.names(one.term)[0]]) for one in forms.found(read)],
                [(one, values[person][one.term]) for one in partly[person].found(read)],
            ):
                taken = Places((span.start, span.end) for span in spans)
                spans += [
                    Span(one.start, one.end, name) for one, name in found if not taken.overlap(one.start, one.end)
                ]
            spans += _initials(document.text, spans, hidden)
            out.append(Document(document.name, document.text, tuple(spans), document.person))
        return out

    def _generalized(self, task: TextTask, models: Sequence[TableModel], run: Run) -> dict[tuple[str, str, str], str]:
        """Return what is published of each person by type and by what is said: persons as a table, masked column by column.

        What says something else of the person than the first mention of its type, and is published otherwise, is left out.
        """
        view = identifier_view(task.documents, task.roles, task.persons)
        kinds = [name for name in view.roles if name not in task.replacing.how]
        told = [name for name in kinds if view.roles[name] is Role.QUASI_IDENTIFIER]
        secret = [name for name in kinds if view.roles[name] is Role.SENSITIVE]
        first = {name: [person.first(name) for person in view.persons] for name in told}
        # A number that some texts do not tell has a place among intervals only where a hierarchy gives it one.
        whole = {name: None not in said or name in task.hierarchies for name, said in first.items()}
        values = {name: _typed(said) if whole[name] else list[Hashable](said) for name, said in first.items()}
        values |= {name: [", ".join(sorted(p.told.get(name, ()))) or None for p in view.persons] for name in secret}
        columns = {
            name: {
                "role": str(view.roles[name]),
                "missing": "own-value",
                **({"hierarchy": task.hierarchies[name].spec()} if name in task.hierarchies else {}),
            }
            for name in values
        }
        asked = [{**model.spec(), "qid": [name for name in model.qid or told if name in told]} for model in models]
        by = dict(self.by or {"id": "tdr"})
        policy = Policy.of({"columns": columns, "requirements": asked, "algorithm": by, "metrics": []})
        shape = TableShape()
        prepared = shape.prepare(from_rows(list(values), list(zip(*values.values(), strict=True))), policy, run)
        outcome = policy.search().run(shape.task(prepared, None), run)
        if outcome.operation is not None or outcome.built is not None or outcome.suppressed:
            raise Unsupported(
                f"{policy.search().id} does not mask column by column, and mentions are overwritten value by value",
                thing=policy.search().id,
                alternatives=["tdr", "optimal"],
            )
        out: dict[tuple[str, str, str], str] = {}
        for name in told:
            every = [said for person in view.persons for said in person.told.get(name, ())]
            typed = _typed(every) if whole[name] else list[Hashable](every)
            label = dict(zip(every, _labels(outcome.recodings[name], typed, name), strict=True))
            for person in view.persons:
                shown = label.get(person.first(name) or "")
                for said in person.told.get(name, ()):
                    if label[said] == shown and shown not in (None, SUPPRESSED):
                        out[person.name, name, said] = str(shown)
        return out


def _initials(text: str, spans: Sequence[Span], hidden: set[str]) -> list[Span]:
    """Return the initials that stand beside names which are overwritten, outside of spans; each has the type of its name."""
    taken, named = Places((span.start, span.end) for span in spans), {name for name in hidden if is_name(name)}
    beside = [
        Span(*place, span.type)
        for span in spans
        if span.type in named
        for place in initials_beside(text, span.start, span.end)
        if not taken.overlap(*place)
    ]
    out = list[Span]()
    for span in sorted(beside):  # those behind one name may be those before the next
        if out and span.start < out[-1].end:
            out[-1] = out[-1]._replace(end=max(span.end, out[-1].end))
        else:
            out.append(span)
    return out


def _listed(types: Sequence[str]) -> str:
    """Return types by name, not too many and none that is as long as a sentence."""
    shown = [name for name in types if len(name) <= _LONGEST][:_SHOWN]
    others = len(types) - len(shown)
    return f"a type ({', '.join(shown)}{f' and {others} more' if others else ''})" if shown else "types"


def _refuse_words_left(model: HideDeidentification, outcome: Outcome) -> None:
    """Refuse texts in which words still stand that were removed at a span."""
    assert outcome.built is not None
    assert isinstance(outcome.built.inside, TextView)
    verdict = model.judge(outcome.built.inside)
    if not verdict.satisfied:
        raise Infeasible(
            say("text.words_left", count=verdict.violating_groups), measured=verdict.strongest, bound=verdict.bound
        )


def _typed(said: Sequence[str | None]) -> list[Hashable]:
    """Return values as numbers where all of them are."""
    try:
        parsed = [None if value is None else parse_number(value) for value in said]
    except ValueError:
        return list(said)
    return [int(number) if number is not None and float(number).is_integer() else number for number in parsed]


def _labels(recoding: ColumnRecoding, values: Sequence[Hashable], name: str) -> list[str | None]:
    known = list(dict.fromkeys(value for value in values if value is not None))
    mapped = recoding.map(known, column=name, unknown="root").labels
    labels: dict[Hashable, str] = dict(zip(known, mapped, strict=True))
    return [labels.get(value) for value in values]
