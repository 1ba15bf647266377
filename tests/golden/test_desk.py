"""Questions under audit: the worked examples of section 17.1, through the auditors and the attack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato.interactive.models import PerfectSecrecy, QueryAuditOffline, QueryAuditOnline, SimulatableAudit

Open = Callable[..., Any]


def test_sums_are_refused_that_would_tell_a_record(golden: Open) -> None:
    with golden("05-sum-audit-1") as file:
        records = range(1, file.input["n_records"] + 1)
        found = QueryAuditOnline().decisions(file.input["queries_as_id_sets"], records=list(records))
        file.compare(found, "decisions")


def test_refused_maxima_tell_nothing(golden: Open) -> None:
    with golden("05-max-audit-1") as file:
        for name, naive in (("naive", True), ("simulatable", False)):
            rule = SimulatableAudit(naive=naive)
            found = [
                rule.answers(file.input["queries"], dict(enumerate(values, 1))) for values in file.input["databases"]
            ]
            file.compare(found, name)


def test_what_a_log_tells_afterwards(golden: Open) -> None:
    with golden("05-offline-audit-1") as file:
        found = QueryAuditOffline().read(file.input["log"])
        file.compare([list(told) for told in found.determined_after], "determined_after")
        file.compare(found.first_violation, "first_violation")


def test_secrets_beside_views(golden: Open) -> None:
    with golden("05-perfect-secrecy-1") as file:
        model = PerfectSecrecy(columns=("x", "y"), domain=tuple(file.input["domain"]))
        for at, case in enumerate(file.input["cases"]):
            found = model.judge(case["S"], case["V"])
            file.compare([list(one) for one in found.critical_secret], at, "crit_S")
            file.compare([list(one) for one in found.critical_views], at, "crit_V")
            file.compare(found.always, at, "secure")
            assert found.independent == found.always
