"""What a release of any kind is and holds, as sentences: for the terminal and for its page."""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from sfumato.contracts.certificate import ChargeEntry, ProcedureEntry, Statement
from sfumato.contracts.published import Release
from sfumato.data.messages import tell, worded
from sfumato.reports.words import counted, gist, number

__all__ = ["charge_line", "guarantee_words", "print_kind", "procedure_line"]


_GUARANTEES = (
    "max_link_probability",
    "l",
    "smallest_cluster",
    "smallest_count",
    "records",
    "general_groups",
    "smallest_general_group",
    "smallest_cell",
    "suppressed_cells",
    "epsilon",
)


def guarantee_words(guarantee: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return each number that the published tables bound: its name, the number, and what it means.

    >>> guarantee_words({"smallest_cluster": 3})
    [('Records in the smallest cluster', '3', 'every centre stands for at least 3 records')]
    """
    out = []
    for key, value in guarantee.items():
        known = key in _GUARANTEES
        words = tell(f"page.guarantee.{key}") if known else key.replace("_", " ").capitalize()
        meaning = tell(f"page.guarantee_means.{key}", value=value) if known else ""
        out.append((words, number(value), meaning))
    return out


def procedure_line(entry: ProcedureEntry) -> str:
    """Return one line about a requirement on the procedure: what it promises, and what that rests on."""
    asked = ", ".join(f"{key}={value}" for key, value in entry.parameters.items())
    return tell(
        "page.procedure.line",
        model=entry.model,
        asked=asked,
        procedure=entry.procedure["id"],
        measured=entry.measured,
        needed=worded(entry.needed),
        checked=worded(entry.checked),
    )


def charge_line(entry: ChargeEntry) -> str:
    """Return one line about what was charged to budgets."""
    return tell(
        "page.charge.line", epsilon=entry.epsilon, delta=entry.delta, budgets=list(entry.budgets), entry=entry.size
    )


def print_kind(release: Release, out: Path, said: Container[str] = ()) -> None:
    """Print what was published, what holds, what can be checked and what cannot; no warning that was ``said`` before."""
    from rich.text import Text

    from sfumato.reports.terminal import Terminal
    from sfumato.reports.text import verdict_line

    console = Terminal(soft_wrap=True)
    certificate = release.certificate
    console.print(Text(f"{release.kind}: {gist(release.kind, 'release')}"))
    for name, table in release.tables.items():
        console.print(Text(f"{name}: {counted(table.rows, 'row')} of {', '.join(table.columns)}"))
    good = "yellow" if release.little_left else "green"
    for verdict in release.verdict:
        console.print(Text(verdict_line(verdict), style=good if verdict.satisfied else "red"))
    for sentence in release.little_left:
        console.print(Text(sentence, style="yellow"))
    for entry in certificate.procedures:
        console.print(Text(procedure_line(entry), style="green"))
    for charge in certificate.charges:
        console.print(Text(charge_line(charge)))
    bounds = [f"{words[0].lower()}{words[1:]} {value}" for words, value, _ in guarantee_words(certificate.guarantee)]
    if bounds or not (release.verdict.verdicts or certificate.procedures):
        said = "; ".join(bounds) or "nothing that the files show; what protects is the stated procedure"
        console.print(Text(f"guaranteed: {said}"))
    statement = certificate.statement or Statement()
    for text in statement.checked:
        console.print(Text(f"anybody can check: {text}"))
    for text in statement.not_checkable:
        console.print(Text(f"nobody can check: {text}"))
    against = [text.partition(":")[0] for text in certificate.not_protected_against]
    if against:
        console.print(Text(f"not protected against: {', '.join(against)}"))
    for sentence in release.private.facts.words():
        console.print(Text(sentence))
    for text in [one for one in release.warnings if one not in said]:
        console.print(Text(f"note: {text}", style="yellow"))
    console.print(Text(f"may leave the house: {out / 'public'}   must stay: {out / 'private'}"))
    console.print(Text(f"open: {out / 'private' / 'report.html'}"))
