"""Connections: TLS 1.3 in both directions, with nobody trusted but the certificates that were pinned."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.data.messages import say
from sfumato.errors import BadRequest, Unsupported
from sfumato.parties.conversation.identity import Identity, Pinned

if TYPE_CHECKING:
    import httpx

__all__ = ["client", "server_context"]


def server_context(identity: Identity, trusted: Sequence[Pinned]) -> ssl.SSLContext:
    """Return what a server shows and demands: its own certificate, and one of the pinned ones of whoever calls."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.verify_mode = ssl.CERT_REQUIRED
    return _loaded(context, identity, trusted)


def client(identity: Identity, server: Pinned, address: str, *, timeout: float = 30.0) -> httpx.Client:
    """Return a client that talks to one server, whose certificate is pinned: the name of the machine does not matter."""
    try:
        import httpx
    except ImportError:
        raise Unsupported('sessions need httpx: pip install "sfumato[parties]"', thing="party") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    try:
        named = address.startswith("https://") and httpx.URL(address).host
    except httpx.InvalidURL:
        named = ""
    if not named:
        raise BadRequest(say("party.bad.address"), parameter="address", value=address)
    # What the environment says of proxies is left aside: messages go where the contract says.
    return httpx.Client(base_url=address, verify=_loaded(context, identity, [server]), timeout=timeout, trust_env=False)


def _loaded(context: ssl.SSLContext, identity: Identity, trusted: Sequence[Pinned]) -> ssl.SSLContext:
    try:
        context.load_cert_chain(identity.certificate_file, identity.key_file, identity.passphrase)
        context.load_verify_locations(cadata="\n".join(one.certificate for one in trusted))
    except (ssl.SSLError, OSError, ValueError):
        raise BadRequest(say("party.bad.tls"), parameter="certificate or key", value=identity.name) from None
    return context
