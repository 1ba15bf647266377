"""A request is taken once, for as long as it is young enough to be taken at all; what is older is forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import BadRequest
from sfumato.parties.conversation.identity import Identity, new_certificate
from sfumato.publishing.signature import new_key
from sfumato.service import calls
from sfumato.service.calls import AGE, Callers, signed_headers


def test_requests_are_taken_once_and_forgotten_when_they_are_too_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_key(tmp_path / "key")
    new_certificate("user", tmp_path / "key", tmp_path / "crt")
    user = Identity("user", tmp_path / "key", tmp_path / "crt")
    callers = Callers(user.pinned, {"user": user.pinned})
    clock = [10_000.0]
    monkeypatch.setattr(calls.time, "time", lambda: clock[0])
    first = signed_headers(user, user.pinned, "/v1/sessions", b"")
    assert callers.caller("/v1/sessions", first, b"") == "user"
    for later, told in ((0, "heard already"), (AGE, "heard already"), (AGE + 1, str(AGE)), (4 * AGE, str(AGE))):
        clock[0] = 10_000.0 + later
        with pytest.raises(BadRequest, match=told):
            callers.caller("/v1/sessions", first, b"")
        callers.caller("/v1/sessions", signed_headers(user, user.pinned, "/v1/sessions", b""), b"")
    assert len(callers._seen) == 1
