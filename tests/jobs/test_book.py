"""The book of jobs: who may tell of a job, what a restart finds, and that nobody sees the jobs of another."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import BadRequest, NotKnown, Taken
from sfumato.jobs import book as shelf
from sfumato.jobs.book import JobBook, LeaseLost


@pytest.fixture
def book(tmp_path: Path) -> JobBook:
    return JobBook(tmp_path / "jobs.sqlite")


def test_a_job_goes_its_way(book: JobBook) -> None:
    asked = book.submit("verify", {"release": "x"})
    assert (asked.state, asked.over, asked.share) == ("waiting", False, None)
    held = book.claim()
    assert held is not None
    assert book.claim() is None
    book.tell(held, "counting", 1, 4, "a quarter")
    assert book.job(asked.number).share == 0.25
    done = book.finish(held, "done", {"holds": True})
    assert (done.state, done.result) == ("done", {"holds": True})
    told = [event.told for event in book.events(asked.number)]
    assert [one.get("state") for one in told] == ["waiting", "running", None, "done"]
    seen = book.events(asked.number)[1].number
    assert len(book.events(asked.number, seen)) == 2
    assert (book.path.stat().st_mode & 0o777) == 0o600


def test_an_old_token_tells_nothing(book: JobBook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "LEASE", -1.0)  # every lease is over at once
    book.submit("verify", {})
    first, second = book.claim(), book.claim()
    assert first is not None
    assert second is not None
    assert (first.number, first.fence, second.fence) == (second.number, 1, 2)
    for late in (
        lambda: book.tell(first, "x", 0, None, ""),
        lambda: book.finish(first, "done"),
        lambda: book.renew(first),
    ):
        with pytest.raises(LeaseLost):
            late()
    assert book.finish(second, "done").fence == 2


def test_a_job_that_kills_its_workers_is_given_up(book: JobBook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "LEASE", -1.0)
    number = book.submit("verify", {}).number
    for _ in range(shelf.ATTEMPTS):
        assert book.claim() is not None
    assert book.claim() is None
    assert (book.job(number).state, book.job(number).error) == ("failed", "its workers vanished")


def test_a_restart_finds_what_was_asked(book: JobBook) -> None:
    number = book.submit("verify", {"release": "x"}).number
    assert JobBook(book.path).job(number).asked == {"release": "x"}


def test_the_same_key_is_the_same_job(book: JobBook) -> None:
    one = book.submit("verify", {"release": "x"}, owner="ann", key="k")
    assert book.submit("verify", {"release": "x"}, owner="ann", key="k") == one
    assert book.submit("verify", {"release": "x"}, owner="bob", key="k") != one
    with pytest.raises(Taken):
        book.submit("verify", {"release": "y"}, owner="ann", key="k")


def test_nobody_sees_or_ends_the_job_of_another(book: JobBook) -> None:
    number = book.submit("verify", {}, owner="ann").number
    for strange in (book.job, book.cancel, book.events):
        with pytest.raises(NotKnown):
            strange(number, owner="bob")
    assert book.jobs(owner="bob") == []


def test_cancelling(book: JobBook) -> None:
    waiting = book.submit("verify", {})
    assert book.cancel(waiting.number).state == "cancelled"
    book.submit("verify", {})
    held = book.claim()
    assert held is not None
    assert book.cancel(held.number, "keep").stop == "keep"
    assert book.cancel(held.number, "discard").stop == "discard"
    assert book.cancel(held.number, "keep").stop == "discard"  # whoever wants nothing of it has said so
    ended = book.finish(held, "cancelled")
    assert book.cancel(ended.number) == ended
    with pytest.raises(BadRequest):
        book.finish(ended, "running")


def test_what_is_no_book_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("no database, but long enough to be taken for one " * 40)
    for place in (tmp_path / "other", tmp_path, tmp_path / "no" / "folder"):
        with pytest.raises(BadRequest):
            JobBook(place)
