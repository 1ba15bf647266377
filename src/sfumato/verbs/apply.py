"""Apply a learned recoding to another table of the same schema, recount, and say whether the requirement still holds."""

from __future__ import annotations

from pathlib import Path

from sfumato.contracts.published import Judgement, Kept, Release
from sfumato.contracts.run import Run
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, Unsupported
from sfumato.publishing.published import read_kept
from sfumato.recodings.multidimensional_generalization import MultidimensionalGeneralization
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.named_values import with_held_values
from sfumato.tables.open import open_table
from sfumato.tables.policy import Policy
from sfumato.tables.prepare import settle_missing
from sfumato.tables.pseudonyms import pseudonymized
from sfumato.tables.recode import Applied, recode_table

__all__ = ["apply"]

_RULES = ("declared", "refuse", "root", "nearest")


def apply(
    recoding: Release | str | Path, source: object, *, unknown: str = "declared", run: Run | None = None
) -> Applied:
    """Recode another table as a release was recoded.

    ``recoding`` is a release, or a release folder (or its ``private`` part). A guarantee does not carry over to other
    records: the requirement is counted anew and the answer says whether it holds. ``unknown`` is the rule for values the
    recoding has no place for: ``declared``, ``refuse``, ``root``, or ``nearest``, which is ``declared`` but for records in no
    box (of Mondrian, say): they go to the nearest one, and ``outside`` counts them by the columns that it misses. Groups that
    the release leaves out are left out here as well. A recoding of single cells knows the records of its own table only, by
    their place.
    """
    if unknown not in _RULES:
        raise BadRequest("is not a rule", parameter="unknown", value=unknown, available=_RULES)
    kept = recoding.private if isinstance(recoding, Release) else _load(Path(recoding))
    policy, recodings, operations = kept.policy, kept.recodings, kept.operations
    kind = recoding.kind if isinstance(recoding, Release) else RecodedTable.id
    if policy is not None and not isinstance(policy, Policy):
        raise Unsupported(
            f"data of the shape {policy.shape} are masked all together, not by a rule that other data could be given",
            thing=policy.shape,
            alternatives=["sfumato.anonymize"],
        )
    if policy is None or kind != RecodedTable.id:
        raise Unsupported(f"a release of the kind {kind} has no recoding that other rows could be given", thing=kind)
    if policy.cells():
        raise Unsupported(
            f"cells with a shape of their own ({', '.join(policy.cells())}) are masked all together, not by a rule that other "
            "rows could be given",
            thing="apply",
            alternatives=["sfumato.anonymize"],
        )
    if policy.aggregates():
        raise Unsupported(
            f"columns that hold what stands for a group ({', '.join(policy.aggregates())}) follow from all rows together",
            thing="apply",
            alternatives=["sfumato.anonymize"],
        )
    run = Run.of(run)
    table = open_table(source, policy, run=run)
    shown = [name for name in policy.columns if name not in policy.dropped()]
    absent = [name for name in shown if name not in table.types]
    if absent:
        raise BadRequest(
            "the table lacks a column of the recoding", column=absent[0], value=absent, available=table.columns
        )
    extra = [name for name in table.columns if name not in policy.columns]
    if extra:
        raise BadRequest("the table has a column the recoding does not know", column=extra[0], available=policy.columns)
    table, _ = settle_missing(pseudonymized(table.select(shown), policy), policy)
    run.stage("recoding")
    recoded = recode_table(table, recodings, unknown="declared" if unknown == "nearest" else unknown)
    masked, outside = recoded.table, dict(recoded.outside)
    for operation in operations:
        if unknown == "nearest" and isinstance(operation, MultidimensionalGeneralization):
            outside |= operation.misplaced(masked)
        masked = operation.apply(masked, unknown=unknown)
    public = masked if policy.output.row_order == "keep" else masked.sort()
    qids = [name for name in public.columns if policy.columns[name].role is Role.QUASI_IDENTIFIER]
    run.stage("verifying")
    verdicts = RecodedTable().verify(public, with_held_values(policy.models(), table)[0], qids)
    left_out = table.rows - public.rows
    return Applied.of(
        public,
        recodings,
        operations,
        verdict=Judgement(tuple(verdicts)),
        outside=outside,
        left_out=left_out,
        unknown=unknown,
        policy=policy,
    )


def _load(path: Path) -> Kept:
    folder = path / "private" if (path / "private").is_dir() else path
    kept = read_kept(folder)
    if isinstance(kept.policy, (Policy, type(None))) and not (folder / "recoding.json").is_file():
        raise BadRequest(
            "holds no recoding; give a release folder or its private part", parameter="recoding", value=str(path)
        )
    return kept
