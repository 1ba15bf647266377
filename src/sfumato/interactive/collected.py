"""The log of a desk, read from its ledger as something that can be attacked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from sfumato.contracts.published import Kept, Published
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.interactive.asked_table import AskedTable
from sfumato.interactive.policy import DeskPolicy
from sfumato.interactive.releases.desk_log import COLUMNS, DeskLog
from sfumato.interactive.source import desk_policy, opened
from sfumato.ledger.ledger import Ledger

__all__ = ["collected_log", "log_of"]


def collected_log(
    place: str | Path,
    policy: DeskPolicy | Mapping[str, object] | str | Path,
    raw: object = None,
    *,
    key: str | Path | None = None,
) -> Published:
    """Return what a desk answered, by the policy that names it; ``raw`` is the table behind it as it is now."""
    asked = desk_policy(policy)
    table = None if raw is None else AskedTable(opened(raw, asked, Run()), asked)
    with Ledger(place, key=key) as ledger:
        return log_of(ledger, asked, table)


def log_of(ledger: Ledger, policy: DeskPolicy, table: AskedTable | None) -> Published:
    """Return the answers in an open ledger as something that can be attacked."""
    questions, name = ledger.questions, policy.desk.name
    version = None if table is None else questions.named("table", table.version)
    rows = []
    for entry, facts in questions.since():
        if entry.series != name or not facts.answered:
            continue
        if facts.mode != policy.desk.mode:
            raise BadRequest(say("desk.bad.mode", mode=facts.mode), parameter="desk.mode", value=policy.desk.mode)
        held = json.loads(questions.body(entry.number))
        refused = json.dumps([why is not None for why in held.get("refused", ())])
        words = (held["question"], held["part"], float(held["epsilon"]))
        current = str(version is None or facts.version == version)
        rows.append((entry.number, *words, json.dumps(held.get("values", [])), refused, current))
    if not rows:
        raise BadRequest(say("desk.bad.nothing_answered"), parameter="desk.name", value=name, available=questions.desks)
    kept = Kept(policy=policy, raw=None if table is None else table.source)
    log = from_rows(list(COLUMNS), rows)
    return Published(form=DeskLog(mode=policy.desk.mode), tables={"questions": log}, private=kept)
