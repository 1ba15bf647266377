"""What a release of any kind is and holds, as sentences: for the terminal and for its page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from sfumato.contracts.certificate import ProcedureEntry, Statement
from sfumato.contracts.published import Release
from sfumato.reports.text import verdict_line
from sfumato.reports.words import counted, gist, number

__all__ = ["guarantee_words", "print_kind", "procedure_line"]


_GUARANTEES: Mapping[str, tuple[str, str]] = {
    "max_link_probability": (
        "Largest chance of a sensitive value",
        "whoever finds the record of a person can hold one sensitive value for true with a chance of at most {value}",
    ),
    "l": ("The l that this amounts to", "the largest whole number for which that chance is at most 1 in {value}"),
    "smallest_cluster": ("Records in the smallest cluster", "every centre stands for at least {value} records"),
    "smallest_count": ("Smallest published count", "every published box holds at least {value} records"),
    "records": ("Records counted", "the counts of all boxes together"),
    "general_groups": ("Groups that show a general value", "rows in them look alike; all others are as they were"),
    "smallest_general_group": ("Rows in the smallest of these groups", "added rows count too"),
    "smallest_cell": ("Records in the smallest published cell", "every published cell has at least {value} records"),
    "suppressed_cells": ("Cells left empty", "cells that would have told too much, or hide such a cell"),
    "epsilon": (
        "Epsilon of all answers together",
        "if the stated noise was drawn, one record makes any outcome at most e to the {value} times as likely",
    ),
}


def guarantee_words(guarantee: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return each number that the published tables bound: its name, the number, and what it means.

    >>> guarantee_words({"smallest_cluster": 3})
    [('Records in the smallest cluster', '3', 'every centre stands for at least 3 records')]
    """
    out = []
    for key, value in guarantee.items():
        words, meaning = _GUARANTEES.get(key, (key.replace("_", " ").capitalize(), ""))
        out.append((words, number(value), meaning.format(value=number(value))))
    return out


def procedure_line(entry: ProcedureEntry) -> str:
    """Return one line about a requirement on the procedure: what it promises, and what that rests on."""
    asked = ", ".join(f"{key}={value}" for key, value in entry.parameters.items())
    line = f"promised: {entry.model} ({asked}) by {entry.procedure['id']}: {number(entry.measured)}, "
    return f"{line}needed {entry.needed}; {entry.checked}"


def print_kind(release: Release, out: Path) -> None:
    """Print what was published, what holds, what can be checked and what cannot, and what to open."""
    console = Console(soft_wrap=True)
    certificate = release.certificate
    console.print(Text(f"{release.kind}: {gist(release.kind, 'release')}"))
    for name, table in release.tables.items():
        console.print(Text(f"{name}: {counted(table.rows, 'row')} of {', '.join(table.columns)}"))
    for verdict in release.verdict:
        console.print(Text(verdict_line(verdict), style="green" if verdict.satisfied else "red"))
    for entry in certificate.procedures:
        console.print(Text(procedure_line(entry), style="green"))
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
    for text in release.warnings:
        console.print(Text(f"note: {text}", style="yellow"))
    console.print(Text(f"may leave the house: {out / 'public'}   must stay: {out / 'private'}"))
    console.print(Text(f"open: {out / 'private' / 'report.html'}"))
