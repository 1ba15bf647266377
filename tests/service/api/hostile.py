"""Requests that nobody should send: odd paths, headers, bodies and policies, drawn at random; and what must hold of answers."""

from __future__ import annotations

import json
import random
import re
import time
from typing import Any

from service.api.house_world import POLICY, World
from sfumato.jobs.job import Job

_NAMES = [
    "t.csv",
    "../t.csv",
    "..%2f..%2fetc%2fpasswd",
    "%00",
    "a%0d%0aset-cookie:x=1",
    "t.csv/",
    "%ff%fe",
    "-1",
    "9" * 30,
    "'",
    "é",
    "0",
    "1",
    "{}",
    "x" * 3000,
    ".service",
    "..",
    "%2e%2e",
    "con.csv",
    "t.csv%00.png",
    "${jndi:ldap://x}",
    "<script>",
    "t.duckdb",
]
_PATHS = [
    "/v1/data/{}",
    "/v1/jobs/{}",
    "/v1/jobs/{}/events",
    "/v1/jobs/{}/cancel",
    "/v1/jobs/{}/report",
    "/v1/releases/{}",
    "/v1/releases/{}/public.zip",
    "/v1/releases/{}/public/{}",
    "/v1/releases/{}/private/{}",
    "/v1/desks/{}/ask",
    "/v1/desks/{}",
    "/v1/series/{}",
    "/v1/budgets/{}",
    "/v1/things/{}",
    "/v1/{}",
    "/{}",
    "/v1/log?last={}",
    "/v1/ledger/entries?series={}",
]
_READING = {"separator": ",", "encoding": "utf-8", "missing": ["", "NA"], "skip_first": 0}
_POLICY = {
    **POLICY,
    "title": "t",
    "accepted": [{"id": "attacker-risk", "reason": "x"}],
    "limits": {"suppress_at_most": 0.1},
    "metrics": ["loss", {"id": "discernibility"}],
    "source": _READING,
    "output": {"format": "csv", "row_order": "sorted"},
}
_NUMBERS = [{"id": "k-anonymity", "k": 3}, {"id": "l-diversity-distinct", "l": 2, "sensitive": "sick"}]
_WHOLE: dict[str, dict[str, Any]] = {
    "profile": {"data": "t.csv", "reading": _READING, "shape": "table"},
    "draft": {"data": "t.csv", "reading": _READING, "shape": "table", "k": 5},
    "check": {"data": "t.csv", "policy": _POLICY, "requirements": _NUMBERS, "qid": ["age"], "worst": 3},
    "anonymize": {"data": "t.csv", "reading": _READING, "policy": _POLICY, "language": "de"},
    "verify": {"release": "{}"},
    "audit": {"release": "{}", "raw": "t.csv", "external": "t.csv", "threshold": 0.2, "thorough": False},
    "report": {"release": "{}", "edition": "public", "language": "en"},
    "desks/x/ask": {"question": "count where age >= 30", "epsilon": 0.1, "confidence": 0.9, "way": "explain"},
}
"""A body for each verb that is understood as a whole, so that what is odd in it is met deep inside."""
_ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    1e308,
    2**70,
    "",
    "x",
    "../x",
    "/etc/passwd",
    "\x00",
    "\ud800",
    [],
    {},
    [[]],
    {"id": "x"},
    "a" * 5000,
    {"id": "k-anonymity"},
    {"id": "k-anonymity", "k": -1},
    "k-anonymity k=3",
    {"$ref": "/"},
    float("nan"),
    "file:///etc/passwd",
]
_BODIES = [
    b"",
    b"{",
    b"[" * 5000,
    b"\xff\xfe",
    b"null",
    b"[]",
    b'"x"',
    b"{}" * 2,
    b'{"data": "t.csv", "data": 1}',
    b"1" * 5000,
    b"\x1f\x8b\x08",
]
_LEAKS = re.compile(r"Traceback|File \"|site-packages|/tmp/|/usr/|/home/|/work/|root:x:|sqlite3?\.|\.py\b")


def _over(world: World, job: Job, seconds: float = 600.0) -> Job:
    """Wait until a job is over; one that never is would be one that somebody could stop the house with."""
    until = time.monotonic() + seconds
    while not (job := world.house.book.job(job.number, owner=job.owner)).over:
        assert time.monotonic() < until, job
        time.sleep(0.05)
    return job


def _mutated(draw: random.Random, document: Any) -> Any:
    """Put something odd somewhere into a document."""
    if draw.random() < 0.25 or not isinstance(document, dict | list) or not document:
        return draw.choice(_ODD)
    if isinstance(document, list):
        at = draw.randrange(len(document))
        return [*document[:at], _mutated(draw, document[at]), *document[at + 1 :]]
    key = draw.choice([*document, "extra"])
    return {**document, key: _mutated(draw, document.get(key))}


def _request(draw: random.Random, release: str) -> tuple[str, str, dict[str, Any]]:
    headers: dict[str, Any] = {"prefer": "wait=0"}
    if draw.random() < 0.2:
        odd = {
            "idempotency-key": draw.choice(["", "\x7f", "k" * 300]),
            "last-event-id": draw.choice(["x", "-1", "9" * 40]),
        }
        odd |= {
            "prefer": draw.choice(["wait=x", "wait=-1", "wait=0"]),
            "content-type": draw.choice(["text/plain", "a", ""]),
        }
        odd |= {"range": "bytes=5-1", "content-encoding": "gzip", "x-http-method-override": "DELETE"}
        name = draw.choice(list(odd))
        headers[name] = odd[name]
    if draw.random() < 0.4:
        path = draw.choice(_PATHS)
        while "{}" in path:
            path = path.replace("{}", draw.choice(_NAMES), 1)
        method = draw.choice(["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD", "BREW"])
        return method, path, {"headers": headers, "content": draw.choice(_BODIES)}
    verb = draw.choice(list(_WHOLE))
    whole = json.loads(json.dumps(_WHOLE[verb]).replace("{}", release))
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        whole = _mutated(draw, whole)
    body = json.dumps(whole, allow_nan=True).encode() if draw.random() < 0.9 else draw.choice(_BODIES)
    return (
        "POST",
        f"/v1/{verb}",
        {"headers": {"content-type": "application/json", **headers}, "content": body},
    )


def fuzzed(world: World, count: int, seed: int = 0, release: str = "x") -> int:
    """Send so many requests and see that each is refused in order; return how many were, and not merely understood.

    ``release`` is one that is there, for verbs that look at one. What is understood in spite of all becomes a job, and fails by
    a sentence or makes what was asked.
    """
    draw, refused = random.Random(seed), 0
    clients = [world.client(name) for name in ("hospital", "clinic", "ann", "otto", None)]
    for number in range(count):
        method, path, given = _request(draw, release)
        told = draw.choice(clients[:1] * 4 + clients).request(method, path, **given)
        where = f"request {number} of seed {seed}: {method} {path[:80]} {given}: {told.status_code} {told.text[:300]}"
        assert told.status_code < 500, where
        assert not _LEAKS.search(told.text), where
        if told.status_code >= 400:
            refused += 1
            if method != "HEAD":
                assert told.json()["error"]["message"], where
    for owner in ("hospital", "clinic", "ann", "otto"):
        for asked in world.house.book.jobs(owner=owner):
            job = _over(world, asked)
            assert not _LEAKS.search(job.error), job
            assert not job.error.startswith("internal error"), job
    return refused
