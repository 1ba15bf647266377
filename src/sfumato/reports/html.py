"""The report of a release: one HTML page that needs nothing else, for whoever has to sign it.

The page holds published values, counts and names of published columns, and nothing below the cut of any hierarchy but
distributions before masking in which nobody stands alone. It has no time stamp, no script and no address, so the same
release has the same page. The public edition shows what the public files tell, and less of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.contracts.certificate import Certificate, RequirementEntry
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.facts import StepFacts
from sfumato.contracts.published import Published
from sfumato.data.schema import Role
from sfumato.groups.stats import Ints
from sfumato.policy import policy_of
from sfumato.recodings.group_suppression import GroupSuppression
from sfumato.reports.column_view import ColumnView, column_views
from sfumato.reports.group_view import group_views, protected
from sfumato.reports.metric_view import metric_rows, metrics_by_column
from sfumato.reports.page import Section, rendered
from sfumato.reports.public_column_view import public_column_views
from sfumato.reports.search_view import levels_view, search_curve, steps_by_column
from sfumato.reports.shared_parts import attack_part, contents, governance_part, stated, weakness_rows
from sfumato.reports.utility_view import classification_view, queries_view
from sfumato.reports.words import (
    ROLES,
    asked,
    by_size,
    counted,
    ending,
    gist,
    jointly,
    listing,
    number,
    percent,
    printable,
    promise,
)
from sfumato.tables.pooled import LEAST

__all__ = ["report_page"]

_COUNTS: Mapping[str, str] = {
    "records_read": "Records read",
    "records_dropped_for_missing_values": "Records left out because a value was missing",
    "records_suppressed": "Records left out to meet the requirements",
    "groups_suppressed": "Groups of records that were left out as a whole",
    "records_published": "Records published",
    "groups_on_all_quasi_identifiers": "Groups of records that look alike on all protected columns",
    "smallest_of_these_groups": "Records in the smallest of these groups",
}

# Sizes on columns that no requirement joins are nobody's guarantee; a stranger is not told where to look.
_INSIDE = ("groups_suppressed", "groups_on_all_quasi_identifiers", "smallest_of_these_groups")

_FILES = (
    "policy.yaml",
    "recoding.json",
    "trace.json",
    "audit.json",
    "before.json",
    "utility.json",
    "run.json",
    "report.html",
)


def report_page(release: Published, certificate: Certificate, evidence: Evidence | None = None) -> str:
    """Return the report of a release and its certificate as one self-contained HTML page.

    The certificate may be that of the release in memory or the one of a written release, which also knows the file and its
    hashes. ``evidence`` is what was tried and measured beside it, and says for whom the page is.
    """
    evidence = evidence or Evidence()
    public, policy, facts = evidence.public, policy_of(release), release.private.facts
    sizes = release.table.groups(protected(release)).sizes
    title = policy.title if policy is not None else ""
    algorithm = certificate.algorithm
    levels = None if public else levels_view(release)
    columns = _columns(release, certificate, evidence)
    counts = {**certificate.counts, **_left_out(release)}
    attacks = attack_part(evidence, certificate.not_protected_against)
    return rendered(
        "report.html.j2",
        title=printable(title) if title else "Release report",
        lead="What was published, how well it protects the people in it, and what it cost.",
        footer="This page shows counts and values that many records share."
        if public or evidence.before is not None
        else "This page shows published values and counts, and nothing more exact.",
        public=public,
        contents=_contents(evidence, attacks, levels=levels is not None, metrics=bool(certificate.metrics)),
        purpose=printable(title) if title else "",
        stated=stated(policy),
        satisfied=all(entry.satisfied for entry in certificate.requirements),
        requirements=[_requirement(entry) for entry in certificate.requirements],
        adversaries=list(dict.fromkeys(entry.adversary for entry in certificate.requirements)),
        nothing_asked="Nothing was asked, and so nothing is promised, about:",
        named_where="above",
        truthful=certificate.release.truthful,
        counts=_counts({key: value for key, value in counts.items() if not (public and key in _INSIDE)}),
        tiles=_tiles(release, sizes, public=public),
        dropped=int(certificate.dropped_columns),
        warnings=[printable(text, 2000) for text in _warnings(release, certificate, sizes, public=public)],
        weaknesses=weakness_rows(certificate.not_protected_against),
        pseudonyms=_pseudonyms(certificate),
        groups=group_views(release, certificate, public=public),
        columns=columns,
        roles=[(str(role), words) for role, words in _role_words(certificate) if role in _roles(release, certificate)],
        masking=_masking(columns, certificate),
        metrics=metric_rows(certificate.metrics),
        by_column=metrics_by_column(certificate.metrics, release.table.columns),
        queries=queries_view(evidence.utility),
        prediction=classification_view(evidence.utility),
        target=listing([name for name, role in release.roles.items() if role is Role.TARGET]),
        algorithm=algorithm.id,
        algorithm_gist=gist(algorithm.id, "algorithm"),
        optimal=algorithm.optimal,
        ending=ending(algorithm.stopped),
        refinements=facts.refinements if isinstance(facts, StepFacts) else None,
        steps=steps_by_column(release.private.trace),
        curve=None if public else search_curve(release),
        levels=levels,
        **attacks,
        **governance_part(certificate, evidence, _FILES),
    )


def _columns(release: Published, certificate: Certificate, evidence: Evidence) -> list[ColumnView]:
    if not evidence.public:
        return column_views(release, evidence.before)
    sizes = [entry.measured for entry in certificate.requirements if by_size(entry) and entry.measured]
    return public_column_views(release, certificate, max(LEAST, int(min(sizes, default=0))))


def _contents(evidence: Evidence, attacks: Mapping[str, object], *, levels: bool, metrics: bool) -> list[Section]:
    inside, tried = not evidence.public, bool(attacks["attacks"])
    return contents(
        {
            "context": [("asked", "What was asked"), ("limits", "Limits")],
            "data": [("counts", "Counts"), ("columns", "Columns")],
            "identifiability": [
                *([("risk", "Before and after")] if tried else []),
                ("groups", "Who looks like whom"),
                ("attacks", "Attacks"),
                *([("untried", "Not tried")] if attacks["untried"] else []),
                *([("remaining", "What remains")] if tried else []),
            ],
            "mitigation": [
                ("masking", "What was done"),
                *([("cost", "Cost")] if metrics else []),
                *([("queries", "Questions"), ("search", "Search")] if inside else []),
                *([("levels", "Levels")] if levels else []),
            ],
            "governance": [
                ("again", "Again"),
                *([("private", "Private")] if inside else []),
                ("recheck", "Look again"),
                ("evidence", "Evidence"),
                ("words", "Words"),
            ],
        }
    )


def _requirement(entry: RequirementEntry) -> dict[str, object]:
    parameters = ", ".join(f"{name} = {value}" for name, value in entry.parameters.items())
    return {
        "promise": promise(entry),
        "asked": asked(entry),
        "name": f"{entry.model}{f' with {parameters}' if parameters else ''}",
        "needed": entry.needed.replace(">=", "at least").replace("<=", "at most"),
        "measured": number(entry.measured),
        "satisfied": entry.satisfied,
    }


def _counts(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Put the counts into words, in the order of the way from the table to the release."""
    known = [*(key for key in _COUNTS if key in counts), *(key for key in counts if key not in _COUNTS)]
    return [(_COUNTS.get(key, key.replace("_", " ").capitalize()), number(counts[key])) for key in known]


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


def _warnings(release: Published, certificate: Certificate, sizes: Ints, *, public: bool) -> list[str]:
    together = jointly(certificate.requirements, protected(release), int(sizes.min()) if len(sizes) else 0)
    if together and public:
        together = together.partition(":")[0] + ": what is promised holds for the columns named, not for more of them"
    return [*([together] if together else []), *release.warnings]


def _roles(release: Published, certificate: Certificate) -> set[Role]:
    return {*release.roles.values(), *([Role.IDENTIFIER] if certificate.dropped_columns else [])}


def _role_words(certificate: Certificate) -> list[tuple[Role, str]]:
    """Say what each role means; an identifier is not always left out."""
    if certificate.pseudonyms is None:
        return list(ROLES.items())
    both = "left out of the release or replaced by a pseudonym"
    fate = both if certificate.dropped_columns else "replaced by a pseudonym"
    return [(role, f"names a person; {fate}" if role is Role.IDENTIFIER else words) for role, words in ROLES.items()]


def _pseudonyms(certificate: Certificate) -> tuple[str, str] | None:
    """Return which columns hold pseudonyms and what these are not, if there are any."""
    said = certificate.pseudonyms
    return None if said is None else (listing(said.columns), printable(said.statement, 2000))


def _tiles(release: Published, sizes: Ints, *, public: bool) -> list[tuple[str, str]]:
    columns = (number(len(release.roles)), f"columns published, {len(protected(release))} of them protected")
    if public:
        return [(number(release.table.rows), "records published"), columns]
    return [
        (number(release.table.rows), "records published"),
        (number(len(sizes)), "groups of records that look alike on all protected columns"),
        (number(int(sizes.min()) if len(sizes) else None), "in the smallest of these groups"),
        columns,
    ]
