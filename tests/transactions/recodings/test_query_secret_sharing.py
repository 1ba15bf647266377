"""A log of shares: a query can be read exactly when enough users have asked it, and no entry shows a person."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.transactions.query_log import QueryLog
from sfumato.transactions.recodings.query_secret_sharing import PRIME, QuerySecretSharing, ShareEntry
from sfumato.transactions.recodings.token_hashing import TokenHashing

KEY = b"0123456789 this is no key to use"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", KEY.decode())


asked = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from(["jazz", "", "\x00 zero", "東京 " * 30])), max_size=25
)


@given(
    pairs=asked,
    k=st.integers(1, 4),
    more=st.integers(0, 3) | st.none(),
    rule=st.sampled_from(["bucket", "first-users"]),
)
def test_read_what_enough_users_asked(pairs: list[tuple[str, str]], k: int, more: int | None, rule: str) -> None:
    sharing = QuerySecretSharing(k=k, shares=None if more is None else k + more, rule=rule, key_variable="A_KEY")
    shared = sharing.share(QueryLog.of(pairs))
    found = sharing.read(shared.entries)
    users = {query: {user for user, other in pairs if other == query} for _, query in pairs}
    enough = sorted(query for query, who in users.items() if len(who) >= k)
    assert found == enough if rule == "first-users" else set(found) <= set(enough)
    assert (shared.readable, shared.hidden) == (len(found), len(users) - len(found))
    assert bool(shared.warnings) == (k == 1)


def test_shares_are_the_same_again_and_others_under_another_key() -> None:
    sharing = QuerySecretSharing(k=3, key_variable="A_KEY")
    first = sharing.pieces("jazz", KEY)
    assert first == sharing.pieces("jazz", KEY)
    assert first != sharing.pieces("jazz", KEY[::-1])
    # Under another key the last share differs although the query is the same; all of them tell it.
    assert (
        sum(piece[0] for piece in first) % PRIME == sum(piece[0] for piece in sharing.pieces("jazz", KEY[::-1])) % PRIME
    )


def test_entries_show_neither_users_nor_order() -> None:
    log = QueryLog.of([("ann", "jazz"), ("bob", "tennis"), ("cy", "jazz")])
    entries = QuerySecretSharing(k=2, key_variable="A_KEY").share(log).entries
    assert entries == tuple(sorted(entries, key=lambda entry: (entry.query, entry.index)))
    assert set(vars(entries[0])) == {"query", "index", "blocks"}
    assert not any("jazz" in str(entry) for entry in entries)


def test_bad_requests() -> None:
    with pytest.raises(BadRequest, match="at least k"):
        QuerySecretSharing(k=3, shares=2, key_variable="A_KEY")
    with pytest.raises(BadRequest, match="either key_file"):
        QuerySecretSharing(k=3).share(QueryLog.of([]))
    with pytest.raises(BadRequest, match="either key_file"):
        QuerySecretSharing(k=3, key_file="a", key_variable="b")
    with pytest.raises(BadRequest, match="belong together"):
        QuerySecretSharing(k=2, key_variable="A_KEY").read([ShareEntry("q", 0, (1,)), ShareEntry("q", 1, (3,))])


def test_hashed_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key"
    file.write_bytes(KEY)
    made = TokenHashing(key_file=str(file)).apply([["tom", "hanks"], [], ["tom"]])
    assert made.queries[0][0] == made.queries[2][0] != made.queries[0][1]
    assert made.queries[1] == ()
    assert "token-hash-attack" in made.statement
    monkeypatch.setenv("B_KEY", KEY.decode()[::-1])
    assert TokenHashing(key_variable="B_KEY").apply([["tom"]]).queries[0][0] != made.queries[0][0]
    with pytest.raises(BadRequest, match="either key_file"):
        TokenHashing().apply([["tom"]])
    with pytest.raises(BadRequest, match="either key_file"):
        TokenHashing(key_file="a", key_variable="b")
    with pytest.raises(BadRequest, match="greater length"):
        TokenHashing(key_file=str(file), length=8).apply([[str(at) for at in range(200_000)]])
