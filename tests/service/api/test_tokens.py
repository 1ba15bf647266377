"""The file of tokens: digests alone, closed to others, changed while the service runs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sfumato.errors import BadRequest, Taken
from sfumato.service.api.tokens import TokenFile


def test_the_file_holds_digests_and_is_closed(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    made = file.add("hospital", "steward")
    assert made.partition(".")[2] not in file.path.read_text()
    assert file.path.stat().st_mode & 0o777 == 0o600
    found = file.known(made)
    assert found is not None
    assert (found.name, found.room, found.may("publish"), found.may("private")) == ("hospital", "hospital", True, False)
    file.path.chmod(0o644)
    with pytest.raises(BadRequest, match="chmod 600"):
        TokenFile(file.path).tokens()
    assert TokenFile(file.path).known(made) is None


def test_changes_hold_at_once(tmp_path: Path) -> None:
    serving = TokenFile(tmp_path / "tokens.json")
    by_hand = TokenFile(tmp_path / "tokens.json")
    old = by_hand.add("hospital", "steward")
    assert serving.known(old) is not None
    new = by_hand.renew("hospital")
    assert serving.known(old) is None
    assert serving.known(new) is not None
    by_hand.remove("hospital")
    assert serving.known(new) is None


def test_tokens_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    made = file.add("hospital", "steward", days=1)
    assert file.known(made) is not None
    later = time.time() + 86401
    monkeypatch.setattr(time, "time", lambda: later)
    assert file.known(made) is None


def test_a_token_can_be_for_less(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    found = file.known(file.add("look", "steward", scopes=["data"], private=True))
    assert found is not None
    assert found.scopes == ("data", "private")


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    with pytest.raises(BadRequest, match="sfumato serve token add"):
        file.tokens()
    file.add("hospital", "steward")
    with pytest.raises(Taken):
        file.add("hospital", "steward")
    for name, role, given, words in (
        ("../x", "steward", {}, "small letters"),
        (".service", "steward", {}, "small letters"),
        ("x", "king", {}, "not a role"),
        ("x", "reader", {}, "room of a steward"),
        ("x", "reader", {"room": "nobody"}, "room of a steward"),
        ("x", "steward", {"room": "hospital"}, "of its own"),
        ("x", "steward", {"scopes": ["private"]}, "no scope"),
        ("x", "steward", {"days": -1}, "days"),
    ):
        with pytest.raises(BadRequest, match=words):
            file.add(name, role, **given)  # type: ignore[arg-type]
    file.add("ann", "reader", room="hospital")
    with pytest.raises(BadRequest, match="others work"):
        file.remove("hospital")
    file.path.write_text("{}")
    with pytest.raises(BadRequest, match="not a file of tokens"):
        TokenFile(file.path).tokens()
