"""One column as the public edition shows it: read from the public files alone, and no value that few records share."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.contracts.certificate import Certificate
from sfumato.contracts.published import Published
from sfumato.data.messages import tell
from sfumato.data.schema import Role
from sfumato.reports.column_view import ColumnView, pooled_figure
from sfumato.reports.words import printable
from sfumato.tables.pooled import pooled_columns

__all__ = ["public_column_views"]

_BUDGET = 500_000

_OPERATIONS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "cell-generalization",
            "full-domain-generalization",
            "multidimensional-generalization",
            "ordered-partition",
            "sibling-generalization",
            "subtree-generalization",
        ),
        "broader",
    ),
    "discretization": "intervals",
    **dict.fromkeys(("cell-suppression", "value-suppression"), "masked"),
}


def public_column_views(release: Published, certificate: Certificate, least: int) -> list[ColumnView]:
    """Return a view of every published column; values shared by fewer than ``least`` records are pooled."""
    operations = {entry.name: entry.operation for entry in certificate.columns}
    masked = [name for name, operation in operations.items() if operation != "none"]
    views, spent = [], 0
    for at, name in enumerate(release.table.columns):
        known = pooled_columns(release.table, [name], least, labels=masked)["columns"][name]
        notes, figures = [], []
        if release.roles[name] is Role.IDENTIFIER:
            notes.append(tell("page.column.pseudonyms"))
        elif spent >= _BUDGET:
            notes.append(tell("page.column.not_drawn"))
        else:
            drawn = pooled_figure(
                f"c{at + 1}-values",
                tell("page.column.values", column=printable(name, 60)),
                known,
                release.table.rows,
                least,
                caption=tell("page.column.public_caption", least=least),
            )
            if drawn is not None:
                figures.append(drawn)
                spent += len(drawn.drawing)
            elif known["distinct"] > 1:
                notes.append(tell("page.column.mostly_rare", least=least))
        views.append(
            ColumnView(
                key=f"c{at + 1}",
                name=printable(name, 80),
                role=str(release.roles[name]),
                done=_done(operations[name], known["distinct"]),
                distinct=known["distinct"],
                notes=notes,
                figures=figures,
            )
        )
    return views


def _done(operation: str, distinct: int) -> str:
    if operation == "none":
        return tell("page.done.unchanged")
    if operation == "pseudonymization":
        return tell("page.done.pseudonyms")
    words = tell(f"page.operation.{_OPERATIONS.get(operation, 'other')}")
    return tell("page.done.where_needed", words=words, operation=operation, values=distinct)
