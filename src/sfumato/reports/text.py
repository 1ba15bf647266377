"""Results as text on a terminal."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path

from rich.table import Table as RichTable
from rich.text import Text

from sfumato.contracts.model import Verdict, Violation
from sfumato.contracts.published import Release
from sfumato.data.compressed import Dictionary
from sfumato.data.schema import Role
from sfumato.data.text import printable, to_text
from sfumato.recodings.group_suppression import GroupSuppression, masking
from sfumato.reports.search_view import chosen_levels
from sfumato.reports.terminal import Terminal
from sfumato.reports.words import counted

__all__ = ["masked_group", "print_release", "print_table", "verdict_line"]


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table that fits the terminal; cells are no markup."""
    console = Terminal()
    table = RichTable(title=Text(title) if title else None, title_justify="left", box=None, pad_edge=False)
    for name in header:
        table.add_column(Text(printable(name), style="bold"), overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console.print(table)


def verdict_line(verdict: Verdict) -> str:
    """Return one line: which requirement, on what, measured, needed, and how many groups violate it."""
    asked = ", ".join(f"{key}={value}" for key, value in verdict.parameters.items())
    on = ", ".join(verdict.qid) if verdict.column is None else f"cells of {verdict.column}"
    line = f"{'holds' if verdict.satisfied else 'FAILS'}: {verdict.model} ({asked})" + (f" on {on}: " if on else ": ")
    if verdict.strongest is None and not verdict.groups:
        return f"{line}nothing that is published falls under it, needed {verdict.bound}"
    line += f"measured {verdict.strongest}, needed {verdict.bound}, {verdict.groups:,} groups"
    if not verdict.satisfied:
        line += f"; {verdict.violating_groups:,} groups with {verdict.violating_records:,} records violate it"
    return line


def masked_group(verdict: Verdict, violation: Violation, common: Mapping[str, Dictionary]) -> str:
    """Describe a violating group without its values: how many records share each of them."""
    shares = []
    for name, value in zip(verdict.qid, violation.group, strict=False):
        if name not in common:  # of data that are no table nobody counted the single values
            continue
        dictionary = common[name]
        known = value in dictionary.values
        count = int(dictionary.counts[dictionary.values.index(value)]) if known else dictionary.missing
        shares.append(f"{name} (shared by {count:,})")
    return f"measured {violation.measured:g}, {violation.size:,} records" + (": " + ", ".join(shares) if shares else "")


def print_release(release: Release, out: Path, said: Container[str] = ()) -> None:
    """Print what was done, what holds, what it cost, and what to open; warnings that were ``said`` before are not repeated."""
    console = Terminal()
    good = "yellow" if release.little_left else "green"
    for verdict in release.verdict:
        console.print(Text(verdict_line(verdict), style=good if verdict.satisfied else "red"))
    for sentence in release.little_left:
        console.print(Text(sentence, style="yellow"))
    counts = release.counts
    console.print(
        f"{counts['records_published']:,} of {counts['records_read']:,} records published, in "
        f"{counts['groups_on_all_quasi_identifiers']:,} groups on all quasi-identifiers together"
    )
    rows = []
    for name, role in release.roles.items():
        recoding, masked_by = release.recodings.get(name), masking(release.private.operations)
        if recoding is not None:
            done, labels = "unchanged" if recoding.identity else recoding.id, recoding.published()
        elif masked_by is not None and role is Role.QUASI_IDENTIFIER:
            done = masked_by.id
            labels = masked_by.published(name) or tuple(map(to_text, release.table.dictionary(name).values))
        else:
            continue
        # A label that no record carries may be that of a person who was left out.
        held = {to_text(value) for value in release.table.dictionary(name).values}
        labels = tuple(label for label in labels if label in held)
        shown = ", ".join(labels[:4]) + (f", ... ({len(labels)} values)" if len(labels) > 4 else "")
        lost = release.measured["loss"].by_attribute.get(name) if "loss" in release.measured else None
        rows.append([name, done, shown, "" if lost is None else f"{lost:.1%}"])
    named = release.certificate.pseudonyms.columns if release.certificate.pseudonyms is not None else ()
    rows += [[name, "pseudonymization", "keyed pseudonyms, not anonymous", ""] for name in named]
    if rows:
        print_table("", ["column", "operation", "published as", "loss"], rows)
    for operation in release.private.operations:
        if isinstance(operation, GroupSuppression):
            gone = counts["records_suppressed"]
            console.print(f"left out: {counted(gone, 'record')} in {counted(len(operation.groups), 'group')}")
    for sentence in release.private.facts.words(chosen=chosen_levels(release)):
        console.print(Text(sentence))
    if release.measured:  # who gets a joint table has nothing to compare it with
        console.print("metrics: " + ", ".join(f"{name} {value.value:g}" for name, value in release.measured.items()))
    for warning in [one for one in release.warnings if one not in said]:
        console.print(Text(f"note: {warning}", style="yellow"))
    if release.private.stopped is not None:
        console.print(Text(f"note: the search stopped early ({release.private.stopped})", style="yellow"))
    advice = [sentence for sentence in release.advised() if sentence not in release.little_left]
    if advice:
        console.print("what to change next:")
    for sentence in advice:
        console.print(Text(f"- {sentence}"))
    console.print(f"may leave the house: {out / 'public'}   must stay: {out / 'private'}")
    console.print(f"open: {out / 'private' / 'report.html'}")
