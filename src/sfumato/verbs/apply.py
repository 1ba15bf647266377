"""Apply a learned recoding to another table of the same schema, recount, and say whether the requirement still holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sfumato.contracts.recoding import ColumnRecoding, TableRecoding
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.policy import Policy
from sfumato.publishing.release import Judgement, Release
from sfumato.recodings.saved import load_operations, load_recodings
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.open import open_table
from sfumato.tables.prepare import settle_missing
from sfumato.tables.pseudonyms import pseudonymized
from sfumato.tables.recode import Applied, recode_table

__all__ = ["apply"]


def apply(recoding: Release | str | Path, source: Any, *, unknown: str = "declared") -> Applied:
    """Recode another table as a release was recoded.

    ``recoding`` is a release, or a release folder (or its ``private`` part). A guarantee does not carry over to other
    records: the requirement is counted anew and the answer says whether it holds. ``unknown`` is the rule for values the
    recoding has no place for: ``declared``, ``refuse`` or ``root``. Groups that the release leaves out are left out here as
    well. A recoding of single cells knows the records of its own table only, by their place.
    """
    if unknown not in ("declared", "refuse", "root"):
        raise BadRequest("is not a rule", parameter="unknown", value=unknown, available=["declared", "refuse", "root"])
    if isinstance(recoding, Release) and recoding.parts:
        raise Unsupported(
            f"a release of the kind {recoding.kind} has no recoding that other rows could be given", thing=recoding.kind
        )
    if isinstance(recoding, Release):
        policy, recodings, operations = recoding.private.policy, recoding.recodings, recoding.private.operations
    else:
        policy, recodings, operations = _load(Path(recoding))
    table = open_table(source, policy)
    kept = [name for name in policy.columns if name not in policy.dropped()]
    absent = [name for name in kept if name not in table.types]
    if absent:
        raise BadRequest(
            "the table lacks a column of the recoding", column=absent[0], value=absent, available=table.columns
        )
    extra = [name for name in table.columns if name not in policy.columns]
    if extra:
        raise BadRequest("the table has a column the recoding does not know", column=extra[0], available=policy.columns)
    table, _ = settle_missing(pseudonymized(table.select(kept), policy), policy)
    recoded = recode_table(table, recodings, unknown=unknown)
    masked = recoded.table
    for operation in operations:
        masked = operation.apply(masked, unknown=unknown)
    public = masked if policy.output.row_order == "keep" else masked.sort()
    qids = [name for name in public.columns if policy.columns[name].role is Role.QUASI_IDENTIFIER]
    verdicts = RecodedTable().verify(public, policy.models(), qids)
    left_out = table.rows - public.rows
    return Applied(
        public, recodings, Judgement(tuple(verdicts)), recoded.outside, operations, left_out, unknown, policy
    )


def _load(path: Path) -> tuple[Policy, dict[str, ColumnRecoding], Sequence[TableRecoding]]:
    folder = path / "private" if (path / "private").is_dir() else path
    saved = folder / "recoding.json"
    if not saved.is_file():
        raise BadRequest(
            "holds no recoding; give a release folder or its private part", parameter="recoding", value=str(path)
        )
    try:
        document = json.loads(saved.read_bytes())
    except ValueError:
        raise BadRequest("is not JSON", parameter="recoding.json") from None
    policy = Policy.load(folder / "policy.yaml")
    recodings = load_recodings(document)[0]
    return policy, {name: recodings[name] for name in policy.columns if name in recodings}, load_operations(document)
