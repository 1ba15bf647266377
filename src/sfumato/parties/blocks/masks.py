"""Numbers under masks that cancel: parties add up what none of them shows."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from hashlib import sha256

from sfumato.errors import BadRequest

__all__ = ["MODULUS", "mask", "masked", "ring_messages", "ring_sum", "shared_seed", "unmasked_sum"]

MODULUS = 1 << 64


def ring_messages(inputs: Sequence[int], offset: int, modulus: int) -> list[int]:
    """Return what goes round the ring: ``R + x_0``, then what each node adds to what it was passed, modulo M.

    The last message goes to the leader. Only the leader, who knows ``R``, learns the sum; two neighbours of a node who talk to
    each other learn its input.

    >>> ring_messages([3, 2, 5, 0], offset=3735928559, modulus=1 << 32)
    [3735928562, 3735928564, 3735928569, 3735928569]
    """
    if len(inputs) < 3:
        raise BadRequest(
            "a sum of two tells each the other's input: ask whether it reaches a threshold instead",
            parameter="inputs",
            value=len(inputs),
        )
    _refuse_beyond(inputs, modulus)
    if not 0 <= offset < modulus:
        raise BadRequest("must lie between 0 and the modulus", parameter="offset")
    sent = []
    running = offset
    for one in inputs:
        running = (running + one) % modulus
        sent.append(running)
    return sent


def ring_sum(last: int, offset: int, modulus: int) -> int:
    """Return the sum that the leader reads from the last message."""
    return (last - offset) % modulus


def mask(seed: bytes, session: str, round_: int, slot: str) -> int:
    """Return the mask of one number, ``HMAC-SHA256(seed, "ppdp/sum/v1|session|round|slot") mod 2^64``; use each once."""
    text = f"ppdp/sum/v1|{session}|{round_}|{slot}".encode()
    return int.from_bytes(hmac.digest(seed, text, sha256), "big") % MODULUS


def masked(value: int, party: int, seeds: Mapping[int, bytes], session: str, round_: int, slot: str) -> int:
    """Return ``x_i + sum over j > i of m_ij - sum over j < i of m_ji``, modulo 2^64; ``seeds`` are those shared with each j.

    Masks of all parties cancel, so that whoever adds up learns the sum and nothing else, even if all but two join forces.
    """
    for other, seed in seeds.items():
        value += (1 if party < other else -1) * mask(seed, session, round_, slot)
    return value % MODULUS


def unmasked_sum(sent: Sequence[int]) -> int:
    """Return the sum of the masked numbers of all parties; sums below zero are those of the upper half.

    >>> unmasked_sum([5, MODULUS - 7])
    -2
    """
    found = sum(sent) % MODULUS
    return found - MODULUS if found >= MODULUS // 2 else found


def shared_seed(secret: bytes, public: bytes, session: str) -> bytes:
    """Return the seed that two parties derive from their keys, X25519 and HKDF-SHA256, bound to the session."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    try:
        agreed = X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise BadRequest("is not a public key of X25519", parameter="public") from None
    found: bytes = HKDF(SHA256(), 32, None, b"sfumato/sum/v1|" + session.encode()).derive(agreed)
    return found


def _refuse_beyond(values: Sequence[int], modulus: int) -> None:
    """Refuse numbers whose sum could pass the modulus: the result would be another number."""
    if any(one < 0 for one in values) or sum(values) >= modulus:
        raise BadRequest("must be whole numbers from 0 on whose sum stays below the modulus", parameter="inputs")
