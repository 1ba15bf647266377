"""From what each holder offers and demands to one contract: the least common promise, or a refusal that says why.

Every holder writes a policy file of its own: its columns as a contract would name them, the requirements below which it does
not go, and the protocols that it takes part in. The contract has the columns of all, the union of their quasi-identifiers with
the largest k that anybody asks of each, and a protocol that all accept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pydantic import Field

from sfumato.catalogue import build
from sfumato.contracts.model import Requirement
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.models.k_anonymity import KAnonymity
from sfumato.parties.contract import ALIGNMENTS, Contract, without_fractions
from sfumato.parties.conversation.message import canonical
from sfumato.parties.conversation.protocol import ReleasingProtocol
from sfumato.policy import SharedPolicy, Spec, SpecOrId
from sfumato.tables.policy import Policy

__all__ = ["Offer", "least_common", "negotiated", "refuse_less"]


class Offer(Policy):
    """What one holder brings to a contract, and what it demands of it.

    It is a policy of the holder's own columns; requirements may name columns of others among their quasi-identifiers.

    >>> Offer.of({"holder": "bank", "person": "ssn", "columns": {"age": {"role": "quasi-identifier", "range": [0, 120]}},
    ...     "requirements": [{"id": "k-anonymity", "k": 5}]}).holder
    'bank'
    """

    holder: str
    """Who offers."""
    person: str | None = None
    """The column that names persons."""
    protocols: tuple[Spec, ...] = Field(default=({"id": "ppmashup-semi-honest"},), min_length=1)
    """The protocols that this holder takes part in, the dearest first."""
    join: str | None = None
    """The column in which records meet those of another holder, where ``general-join`` is among ``aligns``."""
    aligns: tuple[SpecOrId, ...] = Field(default=("exact",), min_length=1)
    """How it lets records be brought together; with ``intersection`` others learn which of their persons it has."""
    certificate: str | None = None
    """The certificate (PEM) of its key, for sessions over a network."""
    address: str | None = None
    """Where it listens, https://HOST:PORT."""

    @classmethod
    def _read_as(cls, document: Mapping[str, object], name: str | None = None) -> type[SharedPolicy]:
        return cls


def negotiated(offers: Sequence[Offer]) -> Contract:
    """Return the contract that keeps what every holder demands; refuse, with the reason, where there is none.

    For each set of quasi-identifiers the largest ``k`` holds; every other requirement of anybody is one of all. A requirement
    that another one implies (fewer quasi-identifiers, no larger ``k``) is left out: spec A2, A14.3.

    >>> column = {"role": "quasi-identifier", "range": [0, 9]}
    >>> bank = {"holder": "bank", "person": "p", "columns": {"a": column}, "requirements": [{"id": "k-anonymity", "k": 3}]}
    >>> shop = {"holder": "shop", "person": "p", "columns": {"b": column}, "requirements": [{"id": "k-anonymity", "k": 7}]}
    >>> negotiated([Offer.of(bank), Offer.of(shop)]).document()["requirements"]
    [{'id': 'k-anonymity', 'k': 7}]
    """
    names = [offer.holder for offer in offers]
    if len(set(names)) != len(names) or len(names) < 2:
        raise BadRequest(say("party.bad.offers"), parameter="offers", value=names)
    protocol = _accepted(offers, "protocols", lambda offer: [_spec(one, "protocol") for one in offer.protocols])
    align = _accepted(offers, "aligns", lambda offer: [_alignment(one) for one in offer.aligns])
    releasing = build(protocol, "protocol")  # type: ignore[arg-type]
    vertical = isinstance(releasing, ReleasingProtocol) and releasing.partition == "vertical"
    columns: dict[str, Json] = {}
    owners: dict[str, str] = {}
    for offer in offers:
        for name, entry in offer.columns.items():
            told = entry.model_dump(mode="json", exclude_defaults=True)
            if name not in columns:
                columns[name], owners[name] = told, offer.holder
                continue
            if vertical and not (entry.role is Role.TARGET or entry.role.hidden):
                raise BadRequest(
                    say("party.bad.two_offers", first=owners[name], second=offer.holder),
                    column=name,
                    parameter="columns",
                )
            if canonical(without_fractions(told)) != canonical(without_fractions(columns[name])):
                raise BadRequest(
                    say("party.bad.described", first=owners[name], second=offer.holder),
                    column=name,
                    parameter="columns",
                )
    holders: dict[str, Json] = {}
    for offer in offers:
        own = [name for name, entry in offer.columns.items() if _brought(entry.role)]
        told = {
            "person": offer.person,
            "join": offer.join if isinstance(align, dict) else None,
            "certificate": offer.certificate,
            "address": offer.address,
        }
        holders[offer.holder] = {key: value for key, value in told.items() if value is not None}
        if vertical:
            holders[offer.holder] |= {"columns": own}  # type: ignore[operator]
    demanded = [one for offer in offers for one in offer.requirements]
    for given in demanded:
        asked: Sequence[str] = getattr(build(given, "model"), "qid", None) or ()
        for name in asked:
            if name not in columns:
                raise BadRequest(say("party.bad.not_offered"), column=name, available=columns)
    return Contract.of(
        {
            "holders": holders,
            "columns": columns,
            "requirements": least_common(demanded),
            "protocol": protocol,
            "align": align,
        }
    )


def least_common(requirements: Iterable[Spec]) -> list[Spec]:
    """Return the fewest requirements that keep all of these.

    >>> least_common([{"id": "k-anonymity", "k": 4, "qid": ["a"]}, {"id": "k-anonymity", "k": 5, "qid": ["a", "b"]}])
    [{'id': 'k-anonymity', 'k': 5, 'qid': ['a', 'b']}]
    """
    held: dict[bytes, tuple[Requirement, Spec]] = {}
    for given in requirements:
        made: Requirement = build(given, "model")
        held.setdefault(canonical(without_fractions(made.spec())), (made, given))
    models = list(held.values())
    return [
        given
        for at, (one, given) in enumerate(models)
        if not any(
            _implies(other, one) and (not _implies(one, other) or before < at)
            for before, (other, _) in enumerate(models)
            if before != at
        )
    ]


def refuse_less(offer: Offer, contract: Contract) -> None:
    """Refuse a contract that promises less than a holder demands, or takes more from it than it offers."""
    entry = contract.holders.get(offer.holder)
    if entry is None:
        raise BadRequest(say("party.bad.no_holder"), parameter="holder", value=offer.holder)
    for name in entry.columns if contract.vertical else contract.columns:
        if name not in offer.columns:
            raise BadRequest(say("party.bad.policy_offers"), column=name, parameter="columns")
        asked, told = (one.columns[name].model_dump(mode="json", exclude_defaults=True) for one in (contract, offer))
        if canonical(without_fractions(asked)) != canonical(without_fractions(told)):
            raise BadRequest(say("party.bad.policy_describes"), column=name, parameter="columns")
    kept = [build(one, "model") for one in contract.requirements]
    for given in offer.requirements:
        wanted = build(given, "model")
        if not any(_implies(one, wanted) for one in kept):
            raise BadRequest(say("party.bad.demands"), parameter="requirements", value=str(wanted.spec()))
    if _spec(contract.protocol, "protocol") not in [_spec(one, "protocol") for one in offer.protocols]:
        raise BadRequest(say("party.bad.not_accepted"), parameter="protocol", value=contract.releasing().id)
    if _alignment(contract.align) not in [_alignment(one) for one in offer.aligns]:
        raise BadRequest(say("party.bad.not_accepted"), parameter="align", value=str(contract.align))


def _accepted(offers: Sequence[Offer], key: str, told: Callable[[Offer], Sequence[Json]]) -> Json:
    """Return what all accept, by the order of the first; refuse with what each of them accepts."""
    first, *others = [told(offer) for offer in offers]
    for one in first:
        if all(one in other for other in others):
            return one
    said = "; ".join(
        f"{offer.holder}: {', '.join(str(one['id'] if isinstance(one, dict) else one) for one in told(offer))}"
        for offer in offers
    )
    raise BadRequest(say("party.bad.nothing_common", said=said), parameter=key)


def _implies(one: Requirement, other: Requirement) -> bool:
    """Tell whether a requirement promises all that another one does."""
    if isinstance(one, KAnonymity) and isinstance(other, KAnonymity):
        wide = one.qid is None or (other.qid is not None and set(one.qid) >= set(other.qid))
        return wide and one.k >= other.k
    return canonical(without_fractions(one.spec())) == canonical(without_fractions(other.spec()))


def _alignment(given: dict[str, object] | str) -> Json:
    """Return a way to bring records together as it is compared: a thing by all its parameters."""
    if given in ALIGNMENTS[:2]:
        return str(given)
    if (given.get("id") if isinstance(given, Mapping) else given) != ALIGNMENTS[2]:
        raise BadRequest(say("party.bad.align"), parameter="aligns", value=str(given), available=ALIGNMENTS)
    return dict(build(given, "protocol").spec())


def _spec(given: Spec, kind: str) -> Json:
    return dict(build(given, kind).spec())


def _brought(role: Role) -> bool:
    return role is not Role.TARGET and not role.hidden
