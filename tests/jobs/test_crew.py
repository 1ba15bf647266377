"""Workers: a release from another process, a search that is stopped, a job that is thrown away, a server that is killed."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import sfumato
from sfumato.jobs.book import JobBook
from sfumato.jobs.crew import Crew
from sfumato.jobs.job import Job

POLICY = """
columns:
  age: {role: quasi-identifier, hierarchy: {id: intervals, lower: 20, width: 5, upper: 60, fan_out: [2, 2]}}
  sick: {role: sensitive}
requirements: [{id: k-anonymity, k: 3}]
algorithm: {id: optimal}
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("table")
    rows = "".join(f"{20 + n % 40},{('no', 'yes')[n % 3 % 2]}\n" for n in range(200))
    (folder / "t.csv").write_text(f"age,sick\n{rows}")
    (folder / "policy.yaml").write_text(POLICY)
    return {"source": str(folder / "t.csv"), "policy": str(folder / "policy.yaml")}


@pytest.fixture(scope="module")
def crew(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    folder = tmp_path_factory.mktemp("crew")
    with Crew(JobBook(folder / "jobs.sqlite"), folder / "made") as crew:
        yield crew


def waited(book: JobBook, job: Job, seconds: float = 180) -> Job:
    until = time.monotonic() + seconds
    while not book.job(job.number).over:
        assert time.monotonic() < until, book.job(job.number)
        time.sleep(0.05)
    return book.job(job.number)


def test_a_release_from_another_process(crew: Crew, table: dict[str, str]) -> None:
    job = waited(crew.book, crew.book.submit("anonymize", table))
    assert (job.state, job.error) == ("done", "")
    assert job.result["counts"]["records_published"] == 200  # type: ignore[index,call-overload]
    assert sfumato.verify(crew.folder(job)).verdict
    stages = [event.told.get("stage") for event in crew.book.events(job.number)]
    assert "writing and verifying" in stages
    here = sfumato.publish(sfumato.anonymize(table["source"], table["policy"]), crew.place / "here")
    for name in ("data.csv", "certificate.json"):
        assert (here / "public" / name).read_bytes() == (crew.folder(job) / "public" / name).read_bytes()


def test_other_tasks(crew: Crew, table: dict[str, str]) -> None:
    found = waited(crew.book, crew.book.submit("explore", table))
    assert json.loads((crew.folder(found) / "exploration.json").read_text())["proven"]
    asked = waited(crew.book, crew.book.submit("questions", table))
    assert asked.result["singling-out"] in ("yes", "no", "undecided")


def test_every_secret_is_guessed(crew: Crew, tmp_path: Path) -> None:
    rows = "".join(f"{20 + n % 40},{('no', 'yes')[n % 3 % 2]},{('cook', 'nurse')[n % 2]}\n" for n in range(200))
    (tmp_path / "t.csv").write_text(f"age,sick,job\n{rows}")
    (tmp_path / "policy.yaml").write_text(POLICY.replace("  sick:", "  job: {role: sensitive}\n  sick:"))
    asked = crew.book.submit("questions", {"source": str(tmp_path / "t.csv"), "policy": str(tmp_path / "policy.yaml")})
    done = waited(crew.book, asked)
    assert (done.state, done.error) == ("done", "")
    told = json.loads((crew.folder(done) / "questions.json").read_text())["questions"]
    assert [(one["id"], one.get("about")) for one in told[2:]] == [("inference", "job"), ("inference", "sick")]
    assert set(done.result) == {"singling-out", "linkability", "inference job", "inference sick"}


def test_bad_requests_are_sentences_and_leave_nothing(crew: Crew, table: dict[str, str]) -> None:
    for task, asked in (
        ("nothing", {}),
        ("anonymize", {}),
        ("anonymize", {**table, "source": "no/such.csv"}),
        ("verify", {"release": "no"}),
    ):
        job = waited(crew.book, crew.book.submit(task, asked))
        assert job.state == "failed"
        assert job.error
        assert "internal" not in job.error
        assert not crew.folder(job).exists()


def test_a_job_that_is_thrown_away_leaves_nothing(crew: Crew, table: dict[str, str]) -> None:
    job = crew.book.submit("anonymize", table)
    while not crew.book.job(job.number).stage:
        time.sleep(0.01)
    crew.book.cancel(job.number)
    assert waited(crew.book, job).state == "cancelled"
    time.sleep(0.3)
    assert not [path for path in crew.place.iterdir() if f"{job.number}." in path.name]


def test_a_search_that_is_stopped_keeps_the_best_so_far(crew: Crew, tmp_path: Path) -> None:
    """A search over a million choices, stopped when it has found one: what is kept is a whole release that holds."""
    draw = random.Random(1)
    names = "abcdefgh"
    rows = "".join(",".join(str(draw.randrange(64)) for _ in names) + "\n" for _ in range(2000))
    (tmp_path / "t.csv").write_text(f"{','.join(names)}\n{rows}")
    tree = "{id: intervals, lower: 0, width: 2, upper: 64, fan_out: [2, 2, 2]}"
    columns = "".join(f"  {name}: {{role: quasi-identifier, hierarchy: {tree}}}\n" for name in names)
    asked = "requirements: [{id: k-anonymity, k: 4}]\nlimits: {suppress_at_most: 0.3}\n"
    (tmp_path / "policy.yaml").write_text(f"columns:\n{columns}{asked}algorithm: {{id: optimal, budget: none}}\n")
    given = {"source": str(tmp_path / "t.csv"), "policy": str(tmp_path / "policy.yaml")}
    job = crew.book.submit("anonymize", given)
    while not crew.book.job(job.number).note.startswith("best"):
        assert not crew.book.job(job.number).over, crew.book.job(job.number)
        time.sleep(0.02)
    crew.book.cancel(job.number, "keep")
    done = waited(crew.book, job)
    assert (done.state, done.error) == ("done", "")
    assert done.result["stopped"] == "interrupted"
    assert sfumato.verify(crew.folder(done)).verdict


def test_what_is_found_already_is_kept_when_somebody_wants_the_best(crew: Crew, table: dict[str, str]) -> None:
    job = crew.book.submit("anonymize", table)
    while not crew.book.job(job.number).stage.startswith(("recoding", "writing", "attacking")):
        assert not crew.book.job(job.number).over, crew.book.job(job.number)
        time.sleep(0.005)
    crew.book.cancel(job.number, "keep")
    done = waited(crew.book, job)
    assert (done.state, done.error, done.result["stopped"]) == ("done", "", None)  # nothing was stopped
    assert sfumato.verify(crew.folder(done)).verdict


def _server(folder: Path) -> None:
    with Crew(JobBook(folder / "jobs.sqlite"), folder / "made"):
        time.sleep(60)


def test_a_killed_server_leaves_no_half_release(tmp_path: Path, table: dict[str, str], crew: Crew) -> None:
    book = JobBook(tmp_path / "jobs.sqlite")
    job = book.submit("anonymize", table)
    server = multiprocessing.get_context("spawn").Process(target=_server, args=(tmp_path,))
    server.start()
    while book.job(job.number).state == "waiting":
        time.sleep(0.02)
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    server.join()
    with book._writing() as held:  # its lease is over
        held.execute("UPDATE jobs SET lease = 0")
    with Crew(book, tmp_path / "made") as again:
        done = waited(book, job)
        assert (done.state, done.fence) == ("done", 2)
        assert sfumato.verify(again.folder(done)).verdict
    time.sleep(0.1)
    assert [path.name for path in (tmp_path / "made").iterdir()] == [f"{job.number}.2"]
