"""The report of a release: one HTML page that needs nothing else, for whoever has to sign it.

The page holds published values, counts and names of published columns, and nothing below the cut of any hierarchy but
distributions before masking in which nobody stands alone. It has no time stamp, no script and no address, so the same
release has the same page. The public edition shows what the public files tell, and less of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.contracts.certificate import Certificate
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.facts import MadeFacts, OwnerFacts, StepFacts
from sfumato.contracts.published import Published
from sfumato.data.schema import Role
from sfumato.kernels.arrays import Ints
from sfumato.recodings.group_suppression import GroupSuppression
from sfumato.reports.column_view import ColumnView, column_views
from sfumato.reports.group_view import GroupView, group_views, protected, view_of_sizes
from sfumato.reports.kind_view import kind_part, made_by
from sfumato.reports.metric_view import metric_rows, metrics_by_column
from sfumato.reports.page import Section, rendered
from sfumato.reports.public_column_view import public_column_views
from sfumato.reports.search_view import levels_view, search_curve, steps_by_column
from sfumato.reports.shared_parts import attack_part, contents, governance_part, stated, weakness_rows
from sfumato.reports.utility_view import classification_view, queries_view
from sfumato.reports.words import (
    ROLES,
    by_size,
    counted,
    ending,
    gist,
    jointly,
    listing,
    number,
    percent,
    printable,
)
from sfumato.tables.pooled import LEAST

__all__ = ["report_page"]

_COUNTS: Mapping[str, str] = {
    "records_read": "Records read",
    "records_dropped_for_missing_values": "Records left out because a value was missing",
    "records_suppressed": "Records left out to meet the requirements",
    "groups_suppressed": "Groups of records that were left out as a whole",
    "records_published": "Records published",
    "rows_published": "Rows of the main table",
    "groups_on_all_quasi_identifiers": "Groups of records that look alike on all protected columns",
    "smallest_of_these_groups": "Records in the smallest of these groups",
}

# Sizes on columns that no requirement joins are nobody's guarantee; a stranger is not told where to look.
_INSIDE = ("groups_suppressed", "groups_on_all_quasi_identifiers", "smallest_of_these_groups")

_ROLES: Mapping[Role, str] = {
    Role.QUASI_IDENTIFIER: "an outsider may know it of a person",
    Role.SENSITIVE: "what nobody should learn about a person",
    Role.TARGET: "what the release should still help to predict",
    Role.PLAIN: "anything else: group numbers, counts, perturbed values",
}


def report_page(release: Published, certificate: Certificate, evidence: Evidence | None = None) -> str:
    """Return the report of a release and its certificate as one self-contained HTML page.

    The certificate may be that of the release in memory or the one of a written release, which also knows the files and
    their hashes. ``evidence`` is what was tried and measured beside it, and says for whom the page is.
    """
    evidence = evidence or Evidence()
    public, kind, policy = evidence.public, release.form, release.private.policy
    title = policy.title if policy is not None else ""
    columns = _columns(release, certificate, evidence) if kind.by_column else []
    groups = _groups(release, certificate, public=public)
    sizes = release.table.groups(protected(release)).sizes if kind.by_column else None
    values = {
        "public": public,
        "purpose": printable(title) if title else "",
        "stated": stated(policy),
        "tiles": _tiles(release, groups, sizes, public=public),
        "warnings": [printable(text, 2000) for text in _warnings(release, certificate, sizes, public=public)],
        "weaknesses": weakness_rows(certificate.not_protected_against),
        "pseudonyms": _pseudonyms(certificate),
        "counts": _counts(release, certificate, public=public),
        "dropped": int(certificate.dropped_columns),
        "groups": groups,
        "columns": columns,
        "roles": _roles(release, certificate),
        "masking": _masking(columns, certificate) if kind.by_column else [],
        "metrics": metric_rows(certificate.metrics),
        "by_column": metrics_by_column(certificate.metrics, release.table.columns),
        "queries": queries_view(evidence.utility),
        "prediction": classification_view(evidence.utility),
        "target": listing(release.of_role(Role.TARGET)) if kind.by_column else "",
        **kind_part(release, certificate),
        **_search_part(release, certificate, public=public),
        **attack_part(evidence, certificate.not_protected_against),
        **governance_part(certificate, evidence, _files(release), made_by(release)),
    }
    shares = kind.by_column and (public or evidence.before is not None)
    return rendered(
        "report.html.j2",
        title=printable(title or f"Release report: {kind.id}"),
        lead="What was published, how well it protects the people in it, what that cost, and what nobody can see from outside.",
        footer="This page shows counts and values that many records share."
        if shares
        else "This page shows names, counts and what is published, and nothing more exact.",
        contents=_contents(values),
        **values,
    )


def _search_part(release: Published, certificate: Certificate, *, public: bool) -> dict[str, object]:
    """Return how the release was found; what was made by hand was not searched for, and a stranger is not told."""
    algorithm, facts = certificate.algorithm, release.private.facts
    searched = not public and algorithm.stopped != "no search"
    return {
        "algorithm": algorithm.id,
        "searched": searched,
        "algorithm_gist": gist(algorithm.id, "algorithm") if searched else "",
        "optimal": algorithm.optimal,
        "ending": ending(algorithm.stopped),
        "refinements": facts.refinements if isinstance(facts, StepFacts) else None,
        "steps": steps_by_column(release.private.trace),
        "curve": search_curve(release) if searched else None,
        "levels": levels_view(release) if searched else None,
        "owners": facts.owners.rows() if isinstance(facts, OwnerFacts) and not public else None,
        "seeded": isinstance(facts, MadeFacts) and facts.seed is not None,
    }


def _groups(release: Published, certificate: Certificate, *, public: bool) -> list[GroupView]:
    """Return the groups that the kind publishes, or those of equal rows."""
    if release.form.by_column:
        return group_views(release, certificate, public=public)
    grouped = release.form.groups(release.tables)
    return [] if grouped is None else [view_of_sizes(grouped.sizes, "g1", release.form.nouns[1])]


def _columns(release: Published, certificate: Certificate, evidence: Evidence) -> list[ColumnView]:
    if not evidence.public:
        return column_views(release, evidence.before)
    sizes = [entry.measured for entry in certificate.requirements if by_size(entry) and entry.measured]
    return public_column_views(release, certificate, max(LEAST, int(min(sizes, default=0))))


def _contents(values: Mapping[str, object]) -> list[Section]:
    """Return the anchors of what the page holds, by section."""
    inside, tried = not values["public"], bool(values["attacks"])
    parts: Mapping[str, Sequence[tuple[str, str, object]]] = {
        "context": [("asked", "What was asked", True), ("limits", "Limits", True)],
        "data": [
            ("kind", "Kind", True),
            ("counts", "Counts", True),
            ("columns", "Columns", values["columns"]),
            ("tables", "Tables", not values["columns"]),
            ("answers", "Answers", values["answers"]),
        ],
        "identifiability": [
            ("risk", "Before and after", tried),
            ("groups", "Who looks like whom" if values["columns"] else "Groups", values["columns"] or values["groups"]),
            ("attacks", "Attacks", True),
            ("untried", "Not tried", tried and values["untried"]),
            ("remaining", "What remains", tried),
        ],
        "mitigation": [
            ("masking", "What was done", True),
            ("cost", "Cost", values["metrics"]),
            ("queries", "Questions", inside),
            ("search", "Search", values["searched"]),
            ("levels", "Levels", values["levels"]),
            ("check", "What can be checked", True),
        ],
        "governance": [
            ("again", "Again", True),
            ("private", "Private", inside),
            ("recheck", "Look again", True),
            ("evidence", "Evidence", True),
            ("words", "Words", True),
        ],
    }
    return contents({key: [(at, words) for at, words, held in rows if held] for key, rows in parts.items()})


def _counts(release: Published, certificate: Certificate, *, public: bool) -> list[tuple[str, str]]:
    """Put the counts into words, in the order of the way from the table to the release."""
    counts = {**certificate.counts, **_left_out(release)}
    known = [*(key for key in _COUNTS if key in counts), *sorted(key for key in counts if key not in _COUNTS)]
    told = [key for key in known if not (public and key in _INSIDE)]
    rows = [(_COUNTS.get(key, key.replace("_", " ").capitalize()), number(counts[key])) for key in told]
    return [*rows, ("Columns of the input that are not published", number(certificate.dropped_columns))]


def _left_out(release: Published) -> dict[str, int]:
    """Count the groups that are left out as a whole, if any are."""
    groups = sum(len(known.groups) for known in release.private.operations if isinstance(known, GroupSuppression))
    return {"groups_suppressed": groups} if groups else {}


def _masking(columns: list[ColumnView], certificate: Certificate) -> list[str]:
    """Say in a few lines what was done: columns that were masked, columns left as they are, records left out."""
    counts = certificate.counts
    masked = [column.name for column in columns if not column.done.startswith("published unchanged")]
    plain = [column.name for column in columns if column.done.startswith("published unchanged")]
    out = [f"Masked: {listing(masked)}." if masked else "No column was masked."]
    if plain:
        out.append(f"Published as they were: {listing(plain)}.")
    if certificate.dropped_columns:
        out.append(f"Left out: {counted(int(certificate.dropped_columns), 'column')}.")
    gone, read = counts.get("records_suppressed", 0), counts.get("records_read", 0)
    share = f" ({percent(gone, read)} of {counted(read, 'record')} read)" if gone else ""
    out.append(f"Records left out to meet the requirements: {gone:,}{share}.")
    order = certificate.release.row_order
    return [*out, *([f"Rows are {printable(order)}."] if order else [])]


def _warnings(release: Published, certificate: Certificate, sizes: Ints | None, *, public: bool) -> list[str]:
    smallest = int(sizes.min()) if sizes is not None and len(sizes) else 0
    together = None if sizes is None else jointly(certificate.requirements, protected(release), smallest)
    if together and public:
        together = together.partition(":")[0] + ": what is promised holds for the columns named, not for more of them"
    return [*([together] if together else []), *release.warnings]


def _roles(release: Published, certificate: Certificate) -> list[tuple[str, str]]:
    """Say what each role means; an identifier is not always left out."""
    if not release.form.by_column:
        return [(str(role), words) for role, words in _ROLES.items() if role in release.roles.values()]
    held = {*release.roles.values(), *([Role.IDENTIFIER] if certificate.dropped_columns else [])}
    words = dict(ROLES)
    if certificate.pseudonyms is not None:
        both = "left out of the release or replaced by a pseudonym"
        fate = both if certificate.dropped_columns else "replaced by a pseudonym"
        words[Role.IDENTIFIER] = f"names a person; {fate}"
    return [(str(role), told) for role, told in words.items() if role in held]


def _files(release: Published) -> list[str]:
    """Return the names of the files in the private folder."""
    own = ("recoding.json", "before.json") if release.form.by_column else ("links.csv",)
    policy = ("policy.yaml",) if release.private.policy is not None else ()
    return [*policy, *own, "trace.json", "audit.json", "utility.json", "run.json", "report.html"]


def _pseudonyms(certificate: Certificate) -> tuple[str, str] | None:
    """Return which columns hold pseudonyms and what these are not, if there are any."""
    said = certificate.pseudonyms
    return None if said is None else (listing(said.columns), printable(said.statement, 2000))


def _tiles(release: Published, groups: list[GroupView], sizes: Ints | None, *, public: bool) -> list[tuple[str, str]]:
    one, many = release.form.nouns
    if sizes is None:
        rows = [(number(table.rows), f"rows in {printable(name)}") for name, table in release.tables.items()]
        held = [
            ((number(view.groups), many), (number(view.smallest), f"records in the smallest {one}")) for view in groups
        ]
        return [*rows, *(tile for pair in held for tile in pair)]
    alike = [
        (number(len(sizes)), "groups of records that look alike on all protected columns"),
        (number(int(sizes.min()) if len(sizes) else None), "in the smallest of these groups"),
    ]
    return [
        (number(release.table.rows), "records published"),
        *([] if public else alike),
        (number(len(release.roles)), f"columns published, {len(protected(release))} of them protected"),
    ]
