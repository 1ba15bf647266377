"""Questions under audit: the worked examples of section 17.1, through the auditors and the attack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sfumato
from sfumato.interactive import Question
from sfumato.interactive.attacks import InteractiveQueryAttack
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


def test_differences_of_answers_tell_a_newcomer(golden: Open) -> None:
    with golden("05-differencing-attack-1") as file:
        given = file.input
        tables = {
            version: sfumato.from_rows(given[version]["columns"], given[version]["rows"]) for version in ("v1", "v2")
        }
        where = " and ".join(f"{column} = '{value}'" for column, value in given["predicate"].items())
        score = given["sensitive"]
        asked = {
            "Q1_v1_count": ("v1", f"count where {where}"),
            "Q2_v1_avg": ("v1", f"avg({score}) where {where}"),
            "Q1_v2_count": ("v2", f"count where {where}"),
            "Q3_v2_sum": ("v2", f"sum({score}) where {where}"),
        }
        log = []
        for name, (version, text) in asked.items():
            question = Question.of(text)
            answer = question.exact(tables[version])
            file.compare(answer, name)
            ids = [tables[version].to_rows()[at][0] for at in question.records(tables[version])]
            kind = question.aggregates[0].function
            log.append({"type": kind, "ids": ids, "answer": answer, "version": int(version[1:])})
        told = InteractiveQueryAttack().infer(log)
        assert told[4] == file.expected["Q2_v1_avg"]
        file.compare(told[5], "inferred_new_record_score")
