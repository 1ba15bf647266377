"""The contract that holders agree on: who brings which columns, what must hold of the joint table, and by which protocol.

It is a policy for the joint table with two keys more, ``holders`` and ``protocol``; the order of its columns is the public
order of attributes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field

from sfumato.catalogue import build
from sfumato.contracts.thing import Thing
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.parties.conversation.message import canonical
from sfumato.parties.conversation.protocol import Joint, ReleasingProtocol
from sfumato.policy import Section, SharedPolicy, Spec, SpecOrId
from sfumato.tables.policy import Policy

if TYPE_CHECKING:
    from sfumato.parties.protocols.general_join import GeneralJoin

__all__ = ["ALIGNMENTS", "Contract", "HolderPolicy", "without_fractions"]

ALIGNMENTS = ("exact", "intersection", "general-join")
"""How records of holders with different columns are brought together."""
_UNREAD = ("algorithm", "search_on", "population", "weights")
_UNREAD_OF_COLUMNS = ("levels", "importance", "aggregate")


class HolderPolicy(Section):
    """What one holder brings."""

    person: str | None = None
    """The column that names persons, by which records are brought together; never published, and never sent as it is."""
    columns: tuple[str, ...] = ()
    """The columns that this holder alone has; all of them where every holder has the same columns of other persons."""
    join: str | None = None
    """The column in which records meet those of the other holder, where they are brought together by ``general-join``."""
    certificate: str | None = None
    """The certificate (PEM) of the holder's key, for sessions over a network: nobody else is believed to be this holder."""
    address: str | None = None
    """Where the holder listens, https://HOST:PORT; one without an address only calls out, through the coordinator."""


class RecipientPolicy(Section):
    """Who gets rows that no holder may see."""

    name: str = Field(min_length=1)
    """Who it is, as the coordinator knows it."""
    certificate: str | None = None
    """The certificate (PEM) of its key, for sessions over a network: what is sealed for it opens with this key alone."""


class Contract(Policy):
    """A policy for the joint table, with who holds what and how they find it together.

    >>> contract = Contract.of({
    ...     "holders": {"bank": {"person": "ssn", "columns": ["job"]}, "shop": {"person": "ssn", "columns": ["age"]}},
    ...     "columns": {
    ...         "job": {"role": "quasi-identifier", "hierarchy": {"id": "redaction", "length": 4}},
    ...         "age": {"role": "quasi-identifier", "range": [0, 120]},
    ...     },
    ...     "requirements": [{"id": "k-anonymity", "k": 5}],
    ... })
    >>> contract.owner("age")
    'shop'
    """

    holders: dict[str, HolderPolicy] = Field(min_length=2)
    """Every holder by name, in the order in which they sit at the table."""
    protocol: Spec = Field(default={"id": "ppmashup-semi-honest"})
    """Id and parameters of the protocol."""
    align: SpecOrId = "exact"
    """Whether all holders must have the same persons (``exact``), or those that all have are taken (``intersection``: being
    among them is a disclosure), or records of two meet in a column that both show (``general-join``, with parameters)."""

    unmasked: Literal["grouped", "third_party"] = "grouped"
    """How columns that are not masked are published: each holder shuffles its own inside the groups (``grouped``), or all are
    sealed row by row for a recipient that is no holder (``third_party``)."""
    recipient: RecipientPolicy | None = None
    """Who alone gets the rows, where they are for a third party."""

    @classmethod
    def _read_as(cls, document: Mapping[str, object], name: str | None = None) -> type[SharedPolicy]:
        return cls

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        yield from super()._things()
        yield ("protocol",), partial(build, self.protocol, "protocol")
        yield ("align",), self._alignment

    @classmethod
    def _known_keys(cls, path: Any) -> list[str]:
        if len(path) > 1 and path[0] == "recipient":
            return list(RecipientPolicy.model_fields)
        return list(HolderPolicy.model_fields) if len(path) > 2 and path[0] == "holders" else super()._known_keys(path)

    @classmethod
    def _checked(cls, data: Mapping[str, object], marked: object, name: str | None) -> Self:
        made = super()._checked(data, marked, name)
        made._refuse_owners(name)
        return made

    def _refuse_owners(self, where: str | None) -> None:
        """Refuse columns that nobody or two holders bring, and what a joint release cannot promise."""
        if self.limits.suppress_at_most > 0 or self.pseudonyms() or self.cells():
            raise BadRequest(
                say("party.bad.not_agreed"),
                parameter="limits, columns",
                where=where,
            )
        self._refuse_unread(where)
        for holder in self.holders:
            if re.fullmatch(r"\w[\w-]*", holder) is None:
                raise BadRequest(say("party.bad.name"), parameter="holders", value=holder, where=where)
        self._refuse_joins(where)
        self._refuse_recipient(where)
        if not self.vertical:
            if self.align != "exact":
                raise BadRequest(say("party.bad.align_sites"), parameter="align", value=_id(self.align), where=where)
            return
        owners: dict[str, str] = {}
        for holder, entry in self.holders.items():
            for column in entry.columns:
                if column not in self.columns:
                    raise BadRequest(
                        say("party.bad.column"),
                        parameter=f"holders.{holder}.columns",
                        value=column,
                        available=self.columns,
                        where=where,
                    )
                if column in owners:
                    raise BadRequest(
                        say("party.bad.two_owners", first=owners[column], second=holder),
                        column=column,
                        parameter="holders",
                        where=where,
                    )
                owners[column] = holder
        nobodys = [name for name, role in self.roles().items() if name not in owners and role is not Role.TARGET]
        persons = {entry.person for entry in self.holders.values()}
        meeting = {entry.join for entry in self.holders.values()}
        for name in persons:
            if name in owners or (name in self.columns and not self.columns[name].role.hidden):
                raise BadRequest(
                    say("party.bad.person_column"),
                    column=name,
                    parameter="holders",
                    where=where,
                )
        for name in nobodys:
            if name not in persons | meeting:
                raise BadRequest(say("party.bad.nobodys"), column=name, parameter="holders", where=where)
        for holder, entry in self.holders.items():
            if entry.person is None:
                raise BadRequest(say("party.bad.person"), parameter=f"holders.{holder}.person", where=where)

    def _refuse_unread(self, where: str | None) -> None:
        """Refuse what one holder of everything would keep and no protocol reads: nobody may believe that it was kept."""
        given = self.model_dump(include={*_UNREAD}, exclude_defaults=True)
        unread = [key for key in _UNREAD if key in given]
        for name, entry in self.columns.items():
            unread += [f"columns.{name}.{key}" for key in _UNREAD_OF_COLUMNS if getattr(entry, key) is not None]
        if unread:
            raise BadRequest(say("party.bad.unread_key"), parameter=", ".join(unread), where=where)
        for holder, own in self.holders.items():
            if own.address is not None and re.fullmatch(r"https://[^\s/]+/?", own.address) is None:
                parameter = f"holders.{holder}.address"
                raise BadRequest(say("party.bad.address"), parameter=parameter, value=own.address, where=where)

    def _refuse_joins(self, where: str | None) -> None:
        """Refuse a join that does not know where records meet, and columns to meet in that nobody asks for."""
        join = self.joins
        if join is not None and (len(self.holders) != 2 or not self.vertical):
            raise BadRequest(
                say("party.bad.join_two"),
                parameter="align",
                value=join.id,
                where=where,
            )
        for holder, entry in self.holders.items():
            if join is not None and entry.join is None:
                raise BadRequest(say("party.bad.join"), parameter=f"holders.{holder}.join", where=where)
            if join is None and entry.join is not None:
                raise BadRequest(
                    say("party.bad.join_only"),
                    parameter=f"holders.{holder}.join",
                    value=entry.join,
                    where=where,
                )

    def _refuse_recipient(self, where: str | None) -> None:
        """Refuse rows for a third party without one, for one of the holders, and a recipient that gets nothing."""
        if self.third and not self.vertical:
            raise BadRequest(say("party.bad.third_sites"), parameter="unmasked", where=where)
        if self.third != (self.recipient is not None):
            raise BadRequest(say("party.bad.third"), parameter="recipient", where=where)
        if self.recipient is not None and self.recipient.name in self.holders:
            raise BadRequest(
                say("party.bad.third_holder"),
                parameter="recipient",
                value=self.recipient.name,
                where=where,
            )

    @property
    def third(self) -> bool:
        """Whether rows go to a recipient that is no holder."""
        return self.unmasked == "third_party"

    def _alignment(self) -> Thing:
        """Return how records are brought together, as a thing; the two plain ways are ways of private intersection."""
        plain = self.align in ALIGNMENTS[:2]
        found: Thing | None = (
            build("minimal-information-sharing" if plain else self.align, "protocol")
            if (plain or _id(self.align) == ALIGNMENTS[2])
            else None
        )
        if found is None:
            raise BadRequest(say("party.bad.align"), parameter="align", value=_id(self.align), available=ALIGNMENTS)
        return found

    @property
    def joins(self) -> GeneralJoin | None:
        """How records of two holders meet in a column that names nobody, if they do."""
        from sfumato.parties.protocols.general_join import GeneralJoin

        found = self._alignment()
        return found if isinstance(found, GeneralJoin) else None

    @property
    def vertical(self) -> bool:
        """Whether holders have different columns of the same persons."""
        return self.releasing().partition == "vertical"

    def joint(self) -> Joint:
        """Return the protocol."""
        found: Joint = build(self.protocol, "protocol")
        return found

    def releasing(self) -> ReleasingProtocol[Any, Any]:
        """Return the protocol, which must be one that ends with a release."""
        found = self.joint()
        if not isinstance(found, ReleasingProtocol):
            raise Unsupported(say("party.bad.no_table", protocol=found.id), thing=found.id)
        return found

    def owner(self, column: str) -> str | None:
        """Return who brings a column; nobody alone brings what all share."""
        return next((name for name, entry in self.holders.items() if column in entry.columns), None)

    def policy(self) -> Policy:
        """Return what is asked of the joint table, whoever holds it: a policy by which one holder of everything would work."""
        return self._asked

    @cached_property
    def _asked(self) -> Policy:
        """The policy of the joint table, made once: it is asked for at every turn of a session."""
        own = {"holders", "protocol", "align", "unmasked", "recipient"}
        # What a holder never brings to the table is no column of it; sites read theirs where all columns are alike.
        never = [name for name, one in self.columns.items() if one.role.hidden] if self.vertical else []
        hidden = {*never, *(entry.person for entry in self.holders.values())}
        document = {key: value for key, value in self.document().items() if key not in own}
        columns = {
            name: entry.model_dump(mode="json", exclude_defaults=True)
            for name, entry in self.columns.items()
            if name not in hidden
        }
        return Policy.of({**document, "columns": columns, "algorithm": self.releasing().central()})

    def hash(self) -> str:
        """Return the SHA-256 of the canonical form, which every holder signs."""
        return self._hash

    @cached_property
    def _hash(self) -> str:
        return hashlib.sha256(canonical(without_fractions(self.document()))).hexdigest()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some keys changed; what was made of the old ones is made anew."""
        made = super().model_copy(update=update, deep=deep)
        for name in ("_asked", "_hash"):
            made.__dict__.pop(name, None)
        return made


def _id(given: object) -> object:
    return given.get("id") if isinstance(given, Mapping) else given


def without_fractions(value: Any) -> Any:
    """Return a document in which numbers with a fraction are texts, as the canonical form has them."""
    if isinstance(value, Mapping):
        return {key: without_fractions(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_fractions(item) for item in value]
    return repr(value) if isinstance(value, float) else value
