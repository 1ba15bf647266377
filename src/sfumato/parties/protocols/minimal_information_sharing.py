"""Minimal information sharing: two holders find out which keys both have, or join their rows by them, and learn little else."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar, Literal

from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.parties.blocks.ciphers import Curve
from sfumato.parties.blocks.points import joined, parted
from sfumato.parties.conversation.message import Body, OutOfProtocol
from sfumato.parties.conversation.party import Seat, Talk
from sfumato.parties.conversation.protocol import Protocol

if TYPE_CHECKING:
    from nacl.secret import SecretBox

__all__ = ["Keyed", "MinimalInformationSharing", "Shared"]

_CONTEXT = b"minimal-information-sharing"
_SHORT = 16  # bytes of a point under both keys that are compared: 128 bits tell 10^15 keys apart


@frozen
class Keyed:
    """What a holder brings: a key for each row, missing ones as nothing, and for a join what stands beside each key."""

    keys: Sequence[str | None]
    payloads: Sequence[Json] = ()


@frozen
class Shared:
    """What a holder knows in the end; keys, sizes and rows are known to the receiver, who is named first, alone.

    ``other_size`` is how many different keys the other holder has (how many keys at all where duplicates are kept),
    ``other_multiplicities`` how often each of them stands there, which only the size of a join tells.
    """

    other_size: int
    keys: tuple[str, ...] = ()
    size: int | None = None
    rows: tuple[tuple[str, Json, Json], ...] = ()
    other_multiplicities: tuple[int, ...] = ()


@frozen(kw_only=True)
class Encrypted(Body):
    """The sender's keys under its own key, in no order."""

    type: ClassVar[str] = "psi.keys"
    points: bytes

    def reveals(self) -> str:
        """How many keys there are."""
        return say("blocks.keys")


@frozen(kw_only=True)
class Doubled(Body):
    """The receiver's keys under both keys, shortened: in its own order, or in none where only the size is wanted."""

    type: ClassVar[str] = "psi.doubled"
    points: bytes

    def reveals(self) -> str:
        """Which of the receiver's keys the sender has too, or how many."""
        return say("blocks.doubled")


@frozen(kw_only=True)
class Sealed(Body):
    """The sender's keys under its own key, each with what stands beside it, sealed and of one length."""

    type: ClassVar[str] = "psi.sealed"
    points: bytes
    boxes: bytes

    def reveals(self) -> str:
        """How many keys there are, and how long the longest entry is at most."""
        return say("blocks.sealed")


@frozen(kw_only=True)
class Opened(Body):
    """The receiver's keys under the sender's two keys, in its own order."""

    type: ClassVar[str] = "psi.opened"
    points: bytes
    keys: bytes

    def reveals(self) -> str:
        """The rows of keys that both have."""
        return say("blocks.opened")


class MinimalInformationSharing(Protocol[Keyed, Shared]):
    """Intersect the keys of two holders, or join their rows, so that no other key is shown.

    The first holder receives. Both hash their different keys into a group and encrypt them with secret keys r and s that
    commute. *intersection*: they exchange ``E_r(h)`` and ``E_s(h)``, the sender returns ``E_s(E_r(h))`` in the receiver's
    order, the receiver makes ``E_r(E_s(h))`` itself; equal ones are the intersection. *intersection-size*: the sender
    returns them in no order. *equijoin*: the sender adds to each ``E_s(h(v))`` what it has beside v, sealed with a key made
    of ``E_s'(h(v))``; the receiver gets its keys under s and s' back, takes r off, and can open what matches.
    *equijoin-size*: like intersection-size, with every duplicate. Keys are compared in Unicode form NFC without white space
    around them; missing ones never match.

    Both learn how many keys the other has; the last operation also tells how often each stands there. **Being in the
    intersection is a disclosure itself**: a bank learns who has a loan elsewhere. Either holder may bring keys it does not
    have.

    Examples
    --------
    >>> from sfumato.parties.protocols import Keyed, MinimalInformationSharing
    >>> found = MinimalInformationSharing().simulate({"R": Keyed(["u", "v", "w"]), "S": Keyed(["w", "v", "y", "z"])})
    >>> found.results["R"].keys, found.results["S"].other_size
    (('v', 'w'), 3)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 11.3.2.
    Agrawal, Evfimievski, Srikant, "Information sharing across private databases", 2003, doi:10.1145/872757.872771.
    """

    id: ClassVar[str] = "minimal-information-sharing"
    bodies: ClassVar[Sequence[type[Body]]] = (Encrypted, Doubled, Sealed, Opened)
    most_parties: ClassVar[int | None] = 2

    operation: Literal["intersection", "intersection-size", "equijoin", "equijoin-size"] = param(
        default="intersection",
        choices=("intersection", "intersection-size", "equijoin", "equijoin-size"),
        doc="what the first holder learns",
    )

    def talk(self, seat: Seat, own: Keyed) -> Talk[Shared]:
        """Return what this holder learns: the first one the result, the second one how many keys there are."""
        if own.payloads and len(own.payloads) != len(own.keys):
            raise BadRequest("must stand beside each key", parameter=f"{self.id}.payloads", value=len(own.payloads))
        if self.operation == "equijoin":
            found = yield from (self._joining if seat.index == 0 else self._joined)(seat, own)
        else:
            found = yield from (self._receiving if seat.index == 0 else self._sending)(seat, own)
        return found

    def _texts(self, own: Keyed) -> list[str]:
        every = [_normal(key) for key in own.keys if key is not None]
        return every if self.operation == "equijoin-size" else list(dict.fromkeys(every))

    # ---- intersection, and sizes ---------------------------------------------------------------------------------------

    def _receiving(self, seat: Seat, own: Keyed) -> Talk[Shared]:
        group, other = Curve(), seat.others[0]
        key, texts = group.key(seat.secret), self._texts(own)
        points = group.encrypted(key, group.hashed([text.encode() for text in texts], _CONTEXT))
        order = sorted(range(len(texts)), key=points.__getitem__)
        seat.send(other, Encrypted(points=joined([points[at] for at in order])))
        theirs = parted((yield from seat.hear(other, Encrypted)).points)
        doubles = parted((yield from seat.hear(other, Doubled)).points, _SHORT)
        if len(doubles) != len(texts):
            raise OutOfProtocol("must hold every key once", parameter=Doubled.type)
        known = Counter(one[:_SHORT] for one in group.encrypted(key, theirs))
        if self.operation == "intersection":
            keys = sorted(texts[at] for at, double in zip(order, doubles, strict=True) if double in known)
            return Shared(len(theirs), tuple(keys), len(keys))
        if self.operation == "intersection-size":
            return Shared(len(theirs), size=sum(one in known for one in doubles))
        size = sum(known[one] for one in doubles)
        return Shared(len(theirs), size=size, other_multiplicities=_repeats(theirs))

    def _sending(self, seat: Seat, own: Keyed) -> Talk[Shared]:
        group, other = Curve(), seat.others[0]
        key = group.key(seat.secret)
        points = group.encrypted(key, group.hashed([text.encode() for text in self._texts(own)], _CONTEXT))
        seat.send(other, Encrypted(points=joined(sorted(points))))
        theirs = parted((yield from seat.hear(other, Encrypted)).points)
        doubles = [one[:_SHORT] for one in group.encrypted(key, theirs)]
        in_order = self.operation == "intersection"
        seat.send(other, Doubled(points=joined(doubles if in_order else sorted(doubles))))
        every = self.operation == "equijoin-size"
        return Shared(len(theirs), other_multiplicities=_repeats(theirs) if every else ())

    # ---- equijoin ------------------------------------------------------------------------------------------------------

    def _joining(self, seat: Seat, own: Keyed) -> Talk[Shared]:
        box = _box()
        group, other = Curve(), seat.others[0]
        key, texts = group.key(seat.secret), self._texts(own)
        points = group.encrypted(key, group.hashed([text.encode() for text in texts], _CONTEXT))
        order = sorted(range(len(texts)), key=points.__getitem__)
        seat.send(other, Encrypted(points=joined([points[at] for at in order])))
        sealed = yield from seat.hear(other, Sealed)
        back = yield from seat.hear(other, Opened)
        theirs, tokens, openers = parted(sealed.points), parted(back.points), parted(back.keys)
        if len(tokens) != len(texts) or len(openers) != len(texts):
            raise OutOfProtocol("must hold every key once", parameter=Opened.type)
        boxes = parted(sealed.boxes, max(len(sealed.boxes) // max(len(theirs), 1), 1))
        if len(boxes) != len(theirs):
            raise OutOfProtocol("must hold one box for each key", parameter=Sealed.type)
        held = dict(zip(theirs, boxes, strict=True))
        tokens, openers = group.decrypted(key, tokens), group.decrypted(key, openers)
        found: dict[str, list[Json]] = {}
        for at, token, opener in zip(order, tokens, openers, strict=True):
            if token in held:
                try:
                    found[texts[at]] = _read(box(sha256(opener).digest()).decrypt(held[token]))
                except Exception:
                    raise OutOfProtocol(
                        "cannot be opened by the key that belongs to it", parameter=Sealed.type
                    ) from None
        payloads = own.payloads or [None] * len(own.keys)
        rows = [
            (text, payload, beside)
            for text, payload in zip(own.keys, payloads, strict=True)
            if text is not None
            for beside in found.get(_normal(text), ())
        ]
        rows.sort(key=lambda row: row[0])
        made = tuple((_normal(text), payload, beside) for text, payload, beside in rows)
        return Shared(len(theirs), tuple(sorted(found)), len(made), made)

    def _joined(self, seat: Seat, own: Keyed) -> Talk[Shared]:
        box = _box()
        group, other = Curve(), seat.others[0]
        key, opener, texts = group.key(seat.secret), group.key(seat.secret), self._texts(own)
        hashes = group.hashed([text.encode() for text in texts], _CONTEXT)
        payloads: Sequence[Json] = own.payloads or [None] * len(own.keys)
        beside: dict[str, list[Json]] = {text: [] for text in texts}
        for text, payload in zip(own.keys, payloads, strict=True):
            if text is not None:
                beside[_normal(text)].append(payload)
        plain = [json.dumps(beside[text], separators=(",", ":")).encode() for text in texts]
        longest = max(map(len, plain), default=0)
        nonces = (seat.secret(24) for _ in texts)
        boxes = [
            bytes(box(sha256(point).digest()).encrypt(text.ljust(longest), nonce))
            for point, text, nonce in zip(group.encrypted(opener, hashes), plain, nonces, strict=True)
        ]
        pairs = sorted(zip(group.encrypted(key, hashes), boxes, strict=True))
        seat.send(other, Sealed(points=joined([one for one, _ in pairs]), boxes=joined([one for _, one in pairs])))
        theirs = parted((yield from seat.hear(other, Encrypted)).points)
        both = (joined(group.encrypted(one, theirs)) for one in (key, opener))
        seat.send(other, Opened(points=next(both), keys=next(both)))
        return Shared(len(theirs))


def _normal(key: str) -> str:
    return unicodedata.normalize("NFC", str(key)).strip()


def _repeats(points: Sequence[bytes]) -> tuple[int, ...]:
    return tuple(sorted(Counter(points).values()))


def _read(text: bytes) -> list[Json]:
    found: list[Json] = json.loads(text)
    return found


def _box() -> type[SecretBox]:
    try:
        from nacl.secret import SecretBox
    except ImportError:
        raise Unsupported(
            'a join of private rows needs PyNaCl: pip install "sfumato[parties]"', thing=MinimalInformationSharing.id
        ) from None
    found: type[SecretBox] = SecretBox
    return found
