"""Whose documents are whose, and what they tell of each person: the identifier view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.text.documents import Documents
from sfumato.text.linking import link_documents

__all__ = ["IdentifierView", "Person", "identifier_view", "linked"]


@frozen
class Person:
    """What documents tell of one person: for each type of span what is said of it, in order, once each."""

    name: str
    told: Mapping[str, tuple[str, ...]]
    documents: tuple[str, ...]

    def first(self, type: str) -> str | None:  # noqa: A002
        """Return what is said first of a type."""
        return next(iter(self.told.get(type, ())), None)


@frozen
class IdentifierView:
    """One row for each person: direct identifiers, quasi-identifiers, what is sensitive, and the documents.

    Types stand in the order in which documents first tell them. Of identifiers and quasi-identifiers the first value counts;
    sensitive ones are all listed.
    """

    roles: Mapping[str, Role]
    persons: tuple[Person, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the view."""
        return ("person", *self.roles, "documents")

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """The rows of the view."""
        return [
            (
                person.name,
                *(
                    list(person.told.get(name, ())) if role is Role.SENSITIVE else person.first(name)
                    for name, role in self.roles.items()
                ),
                list(person.documents),
            )
            for person in self.persons
        ]


def linked(documents: Documents, keys: Sequence[str]) -> tuple[str, ...]:
    """Return the person of each document by equal keys alone: p1, p2, … in the order of the documents."""
    return link_documents(documents, keys).persons


def identifier_view(documents: Documents, roles: Mapping[str, Role], persons: Sequence[str]) -> IdentifierView:
    """Gather what documents tell of each person."""
    told: dict[str, dict[str, dict[str, None]]] = {}
    held: dict[str, list[str]] = {}
    met: dict[str, None] = {}
    for person, document in zip(persons, documents, strict=True):
        held.setdefault(person, []).append(document.name)
        mine = told.setdefault(person, {})
        for span in document.spans:
            met.setdefault(span.type)
            mine.setdefault(span.type, {}).setdefault(document.said(span))
    order = (Role.IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    shown = {name: role for wanted in order for name in met if (role := roles.get(name)) is wanted}
    return IdentifierView(
        shown,
        tuple(
            Person(name, {key: tuple(values) for key, values in told[name].items()}, tuple(held[name])) for name in held
        ),
    )
