"""Envelopes that go straight to a holder: several that are short travel in one request, each on a line of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["MOST", "bundles", "parted"]

MOST = 32
"""How many envelopes one request may hold."""
_SHORT = 4 * 2**20


def bundles(envelopes: Sequence[bytes]) -> Iterator[bytes]:
    """Give what goes out in one request, in order; no envelope has a line break, because it is canonical JSON.

    >>> list(bundles([b"{1}", b"{2}"]))
    [b'{1}\\n{2}']
    """
    bundle: list[bytes] = []
    for envelope in envelopes:
        if bundle and (len(bundle) == MOST or sum(map(len, bundle)) + len(envelope) > _SHORT):
            yield b"\n".join(bundle)
            bundle = []
        bundle.append(envelope)
    if bundle:
        yield b"\n".join(bundle)


def parted(body: bytes) -> list[bytes]:
    """Return the envelopes of one request; refuse more than a request may hold."""
    found = body.split(b"\n", MOST)
    if len(found) > MOST:
        raise BadRequest(say("party.bad.bundle", most=MOST), parameter="request")
    return found
