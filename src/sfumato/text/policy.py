"""What the publisher asks for where data are documents: where the texts are, what is told in them, what may be lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from sfumato.catalogue import build, requirement
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.model import TableModel
from sfumato.contracts.thing import Thing
from sfumato.data.schema import Role
from sfumato.policy import LimitPolicy, Section, SharedPolicy, Spec, SpecOrId
from sfumato.text.contexts import Contexts

__all__ = ["ContextPolicy", "DocumentPolicy", "EntityPolicy", "TextLimits", "TextPolicy"]


class DocumentPolicy(Section):
    """Where the texts are."""

    column: str | None = None
    """The column that holds the texts; a folder of text files has none."""
    tagged: bool = False
    """Whether texts hold tags around what they tell of persons: <name>Ann</name>."""


class EntityPolicy(Section):
    """What one type of span is to an adversary, and how it may be masked."""

    role: Role
    """What a span of this type is: identifier, quasi-identifier, sensitive or plain."""
    hierarchy: SpecOrId | None = None
    """How values become more general, in the statistical mode: the id of a hierarchy and its parameters."""
    link: bool = False
    """Whether documents that tell the same of this type are of the same person."""


class ContextPolicy(Section):
    """What the public knows of entities, for k-safety."""

    file: str | None = None
    """A JSON file of lists of terms by entity, or a table with a column of entities and a column of terms."""
    entries: dict[str, tuple[str, ...]] | None = None
    """The terms of each entity, where no file holds them."""
    protected: tuple[str, ...] | None = None
    """The entities that no document may be traced to; all of them if not given."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.file is None) == (self.entries is None):
            raise PydanticCustomError("contexts", "give a file or entries")
        return self

    def known(self) -> Contexts:
        """Return the contexts."""
        return Contexts.of(self.entries if self.file is None else self.file, self.protected)


class TextLimits(LimitPolicy):
    """What masking may not exceed."""

    suppress_at_most: float = Field(default=0.0, ge=0.0, le=0.0)
    """No document is left out."""
    lose_at_most: float = Field(default=1.0, ge=0.0, le=1.0)
    """Largest share of words that may be masked."""


class TextPolicy(SharedPolicy):
    """A policy for documents."""

    person: str | None = None
    """The column that says whom a document is about; never published. Without it, documents are linked by what they tell."""
    documents: DocumentPolicy = DocumentPolicy()
    """Where the texts are."""
    entities: Mapping[str, EntityPolicy] = Field(default_factory=dict)
    """What is told in them, by the type of span."""
    contexts: ContextPolicy | None = None
    """What the public knows of entities, for k-safety."""
    limits: TextLimits = TextLimits()
    """What masking may not exceed."""
    algorithm: Spec = Field(default={"id": "hide-framework"})
    """Id and parameters of the algorithm."""
    metrics: tuple[SpecOrId, ...] = ()
    """Metrics to report: ids, or id and parameters."""

    def roles(self) -> dict[str, Role]:
        """Return what each type of span is."""
        return {name: entry.role for name, entry in self.entities.items()}

    def links(self) -> tuple[str, ...]:
        """Return the types that tell whose a document is."""
        return tuple(name for name, entry in self.entities.items() if entry.link)

    def hierarchies(self) -> dict[str, HierarchyBuilder]:
        """Return how types become more general, of those that do."""
        given = {name: entry.hierarchy for name, entry in self.entities.items() if entry.hierarchy is not None}
        return {name: build(spec, "hierarchy") for name, spec in given.items()}

    def _requirement(self, spec: Mapping[str, object]) -> Thing:
        """Return a requirement on documents, or one of tables: that is about what texts tell of each person."""
        kind = requirement(str(spec["id"]), self.shape)
        if not issubclass(kind, TableModel) or "qid" in spec:
            return kind.from_spec(spec)
        quasi = [name for name, role in self.roles().items() if role is Role.QUASI_IDENTIFIER]
        return kind.from_spec({**spec, "qid": quasi})

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        yield from super()._things()
        for name, entry in self.entities.items():
            given = entry.hierarchy
            if given is not None and not (isinstance(given, dict) and given.get("file") is not None):
                yield ("entities", name, "hierarchy"), partial(build, given, "hierarchy")

    def _with_files_read(self, base: Path) -> Self:
        """Return the policy with its hierarchies and contexts read in, so that it stands on its own."""
        entities = {
            name: entry.model_copy(update={"hierarchy": build(entry.hierarchy, "hierarchy").resolved(base).spec()})
            if isinstance(entry.hierarchy, dict) and entry.hierarchy.get("file") is not None
            else entry
            for name, entry in self.entities.items()
        }
        contexts = self.contexts
        if contexts is not None and contexts.file is not None:
            known = Contexts.of(str(base / contexts.file))
            entries = {
                name: tuple(term for bit, term in enumerate(known.terms) if known.held[at] >> bit & 1)
                for name, at in known.place.items()
            }
            contexts = ContextPolicy(entries=entries, protected=contexts.protected)
        return self.model_copy(update={"entities": entities, "contexts": contexts})

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        inside: dict[str, type[Section]] = {
            "documents": DocumentPolicy,
            "contexts": ContextPolicy,
            "limits": TextLimits,
        }
        if len(path) > 1 and str(path[0]) in inside:
            return list(inside[str(path[0])].model_fields)
        if len(path) > 2 and path[0] == "entities":
            return list(EntityPolicy.model_fields)
        return super()._known_keys(path)
