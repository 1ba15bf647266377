"""What holders say to each other: typed bodies with canonical bytes, each of which names what its receiver learns.

A body is a frozen dataclass of whole numbers, texts, truth values, bytes, tuples of these, or nothing. Its canonical form is
JSON with sorted keys and no white space, in which bytes are base64 of what zlib makes of them; no number has a fraction, so
every machine writes the same. What transport adds (session, signature, hash chain) stands around it.
"""

from __future__ import annotations

import json
import types
import zlib
from abc import abstractmethod
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache, cached_property
from typing import Any, ClassVar, Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.errors import BadRequest

__all__ = ["LARGEST", "Body", "Message", "OutOfProtocol", "canonical"]

T = TypeVar("T")

LARGEST = 64 * 2**20
"""How many bytes a message may have, packed or unpacked, unless a contract says otherwise."""


class OutOfProtocol(BadRequest):
    """A message that breaks the rules of a protocol: the session ends, nothing of it is published."""


def canonical(document: Json) -> bytes:
    """Return the one form of a document that is sent, hashed and signed.

    >>> canonical({"b": 1, "a": ["x", None]})
    b'{"a":["x",null],"b":1}'
    """
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


@frozen(kw_only=True)
class Body:
    """What one message says. ``type`` is its name on the wire; ``control``: it only confirms what its receiver knows."""

    type: ClassVar[str] = ""
    control: ClassVar[bool] = False

    @abstractmethod
    def reveals(self) -> str:
        """Say what the receiver learns from it beyond its own input: the entry of the leakage ledger."""

    def document(self) -> dict[str, Json]:
        """Return the fields as plain data."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}

    @classmethod
    def read(cls, document: object, most: int = LARGEST) -> Self:
        """Return the body that a document holds; anything else is refused."""
        kind: Any = cls
        hints = _hints(kind)
        if not isinstance(document, Mapping) or set(document) != set(hints):
            raise OutOfProtocol("does not have the fields of its type", parameter=cls.type)
        given: dict[str, Any] = {
            name: _opened(document[name], hint, f"{cls.type}.{name}", most) for name, hint in hints.items()
        }
        return cls(**given)


@frozen(kw_only=True)
class Message:
    """A body on its way from one holder to another, in a round of the protocol."""

    sender: str
    receiver: str
    round: int
    body: Body

    @cached_property
    def plain(self) -> Mapping[str, Json]:
        """The message as plain data, packed once: what an envelope is put around."""
        return {
            "from": self.sender,
            "to": self.receiver,
            "round": self.round,
            "type": self.body.type,
            "body": self.body.document(),
        }

    def text(self) -> bytes:
        """Return the canonical form."""
        return canonical(dict(self.plain))

    @classmethod
    def read(cls, text: bytes, bodies: Iterable[type[Body]], most: int = LARGEST) -> Message:
        """Return the message of a canonical text whose type is one of ``bodies``; anything else is refused."""
        if len(text) > most:
            raise OutOfProtocol(f"is longer than {most} bytes", parameter="message")
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise OutOfProtocol("is no JSON", parameter="message") from None
        return cls.of(document, bodies, most)

    @classmethod
    def of(cls, document: object, bodies: Iterable[type[Body]], most: int = LARGEST) -> Message:
        """Return the message that plain data hold."""
        if not isinstance(document, Mapping) or set(document) != {"from", "to", "round", "type", "body"}:
            raise OutOfProtocol("does not have the fields of a message", parameter="message")
        known = {body.type: body for body in bodies}
        kind = known.get(_read(document["type"], str, "type", most))
        if kind is None:
            raise OutOfProtocol("is not a type of this protocol", parameter="type", available=known)
        return cls(
            sender=_read(document["from"], str, "from", most),
            receiver=_read(document["to"], str, "to", most),
            round=_read(document["round"], int, "round", most),
            body=kind.read(document["body"], most),
        )


# ---- the canonical form --------------------------------------------------------------------------------------------------


@cache
def _hints(kind: Any) -> dict[str, object]:
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields(kind)}


def _plain(value: object) -> Json:
    if isinstance(value, bytes):
        return b64encode(zlib.compress(value, 1)).decode()
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return cast("Json", value)


def _read(value: object, hint: type[T], where: str, most: int) -> T:
    """Return plain data in the type that a field has."""
    return cast("T", _opened(value, hint, where, most))


def _opened(value: object, hint: object, where: str, most: int) -> object:
    if get_origin(hint) in (Union, types.UnionType):
        if value is None and type(None) in get_args(hint):
            return None
        (hint,) = (one for one in get_args(hint) if one is not type(None))
    if get_origin(hint) is tuple:
        inner = get_args(hint)
        open_end = len(inner) == 2 and inner[1] is Ellipsis
        if isinstance(value, list) and (open_end or len(value) == len(inner)):
            kinds = [inner[0]] * len(value) if open_end else inner
            return tuple(_opened(one, kind, where, most) for one, kind in zip(value, kinds, strict=True))
    elif hint is bytes:
        if isinstance(value, str):
            return _unpacked(value, where, most)
    elif isinstance(value, cast("type", hint)) and (hint is bool or not isinstance(value, bool)):
        return value
    raise OutOfProtocol("is not what its type says", parameter=where)


def _unpacked(text: str, where: str, most: int) -> bytes:
    """Return packed bytes; what would grow beyond the limit is refused before it does."""
    packer = zlib.decompressobj()
    try:
        found = packer.decompress(b64decode(text, validate=True), most)
    except (ValueError, zlib.error):
        raise OutOfProtocol("is not packed as it should be", parameter=where) from None
    if packer.unconsumed_tail or not packer.eof or packer.unused_data:
        raise OutOfProtocol("is not packed as it should be", parameter=where)
    return found
