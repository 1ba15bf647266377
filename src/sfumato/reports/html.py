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
from sfumato.data.messages import ENGLISH, say, speaking, tell, worded
from sfumato.data.schema import Role
from sfumato.kernels.arrays import Ints
from sfumato.publishing.kept import QUESTIONS
from sfumato.recodings.group_suppression import GroupSuppression
from sfumato.reports.column_view import ColumnView, column_views
from sfumato.reports.course_view import course_view
from sfumato.reports.group_view import GroupView, group_views, protected, view_of_sizes
from sfumato.reports.kind_view import kind_part, made_by
from sfumato.reports.page import Section, rendered
from sfumato.reports.picture_view import picture_views
from sfumato.reports.public_column_view import public_column_views
from sfumato.reports.search_view import levels_view, search_curve, steps_by_column
from sfumato.reports.shared_parts import (
    accepted_rows,
    attack_part,
    contents,
    governance_part,
    signing_lines,
    stated,
    summary_rows,
    weakness_rows,
)
from sfumato.reports.utility_view import classification_view, metric_rows, metrics_by_column, queries_view
from sfumato.reports.words import (
    by_size,
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

_COUNTS = (
    "records_read",
    "records_dropped_for_missing_values",
    "records_suppressed",
    "groups_suppressed",
    "records_published",
    "rows_published",
    "groups_on_all_quasi_identifiers",
    "smallest_of_these_groups",
    "parts_of_masked_values_left",
    "names_in_texts_of_others",
)

# Sizes on columns that no requirement joins are nobody's guarantee; a stranger is not told where to look.
_INSIDE = ("groups_suppressed", "groups_on_all_quasi_identifiers", "smallest_of_these_groups")

_ROLES = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.TARGET, Role.PLAIN)


def report_page(
    release: Published, certificate: Certificate, evidence: Evidence | None = None, language: str = ENGLISH
) -> str:
    """Return the report of a release and its certificate as one self-contained HTML page.

    The certificate may be that of the release in memory or the one of a written release, which also knows the files and
    their hashes. ``evidence`` is what was tried and measured beside it, and says for whom the page is.
    """
    with speaking(language):
        return _page(release, certificate, evidence or Evidence())


def _page(release: Published, certificate: Certificate, evidence: Evidence) -> str:
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
        "little": [printable(worded(text), 2000) for text in release.little_left],
        "advice": [printable(worded(text), 2000) for text in _advice(release, evidence)],
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
        "summary": summary_rows(certificate, evidence),
        "signing": [] if public else signing_lines(policy),
        "pictures": picture_views(evidence.pictures),
        "course": None if public else course_view(evidence.course),
        **kind_part(release, certificate),
        **_search_part(release, certificate, public=public),
        "accepted": accepted_rows(policy, evidence),
        **attack_part(evidence, certificate.not_protected_against),
        **governance_part(certificate, evidence, _files(release, evidence), made_by(release)),
    }
    shares = kind.by_column and (public or evidence.before is not None)
    return rendered(
        "report.html.j2",
        title=printable(title or tell("page.title", kind=kind.id)),
        lead=tell("page.lead"),
        footer=tell("page.footer.shares") if shares else tell("page.footer.names"),
        contents=_contents(values),
        **values,
    )


def _search_part(release: Published, certificate: Certificate, *, public: bool) -> dict[str, object]:
    """Return how the release was found; what was made by hand was not searched for, and a stranger is not told."""
    algorithm, facts = certificate.algorithm, release.private.facts
    searched = not public and algorithm.stopped != "no search"
    return {
        "algorithm": worded(algorithm.id),
        "searched": searched,
        "algorithm_gist": gist(algorithm.id, "algorithm") if searched else "",
        "optimal": algorithm.optimal,
        "ending": ending(algorithm.stopped),
        "refinements": facts.refinements if isinstance(facts, StepFacts) else None,
        "steps": steps_by_column(release.private.trace),
        "curve": search_curve(release) if searched else None,
        "levels": levels_view(release) if searched else None,
        "owners": [tuple(map(worded, row)) for row in facts.owners.rows()]
        if isinstance(facts, OwnerFacts) and not public
        else None,
        "seeded": isinstance(facts, MadeFacts) and facts.seed is not None,
    }


def _groups(release: Published, certificate: Certificate, *, public: bool) -> list[GroupView]:
    """Return the groups that the kind publishes, or those of equal rows."""
    if release.form.by_column:
        return group_views(release, certificate, public=public)
    grouped = release.form.groups(release.tables)
    return [] if grouped is None else [view_of_sizes(grouped.sizes, "g1", worded(release.form.nouns[1]))]


def _columns(release: Published, certificate: Certificate, evidence: Evidence) -> list[ColumnView]:
    if not evidence.public:
        return column_views(release, evidence.before)
    sizes = [entry.measured for entry in certificate.requirements if by_size(entry) and entry.measured]
    return public_column_views(release, certificate, max(LEAST, int(min(sizes, default=0))))


def _contents(values: Mapping[str, object]) -> list[Section]:
    """Return the anchors of what the page holds, by section."""
    inside, tried = not values["public"], bool(values["attacks"])
    parts: Mapping[str, Sequence[tuple[str, object]]] = {
        "context": [("asked", True), ("limits", True)],
        "data": [
            ("kind", True),
            ("counts", True),
            ("columns", values["columns"]),
            ("tables", not values["columns"]),
            ("answers", values["answers"]),
            ("pictures", values["pictures"]),
        ],
        "identifiability": [
            ("risk", tried),
            ("series", values["course"]),
            ("groups", values["columns"] or values["groups"]),
            ("attacks", True),
            ("untried", tried and values["untried"]),
            ("asked_three", values["asked_three"]),
            ("remaining", tried),
            ("accepted", values["accepted"]),
        ],
        "mitigation": [
            ("masking", True),
            ("cost", values["metrics"]),
            ("queries", inside),
            ("search", values["searched"]),
            ("levels", values["levels"]),
            ("check", True),
        ],
        "governance": [("again", True), ("private", inside), ("recheck", True), ("evidence", True), ("words", True)],
    }
    named = {at: tell(f"page.part.{at}") for rows in parts.values() for at, _ in rows}
    if values["columns"]:
        named["groups"] = tell("page.part.who_looks_like_whom")
    return contents({key: [(at, named[at]) for at, held in rows if held] for key, rows in parts.items()})


def _counts(release: Published, certificate: Certificate, *, public: bool) -> list[tuple[str, str]]:
    """Put the counts into words, in the order of the way from the table to the release."""
    counts = {**certificate.counts, **_left_out(release)}
    known = [*(key for key in _COUNTS if key in counts), *sorted(key for key in counts if key not in _COUNTS)]
    told = [key for key in known if not (public and key in _INSIDE)]
    rows = [
        (tell(f"page.count.{key}") if key in _COUNTS else key.replace("_", " ").capitalize(), number(counts[key]))
        for key in told
    ]
    return [*rows, (tell("page.count.dropped_columns"), number(certificate.dropped_columns))]


def _left_out(release: Published) -> dict[str, int]:
    """Count the groups that are left out as a whole, if any are."""
    groups = sum(len(known.groups) for known in release.private.operations if isinstance(known, GroupSuppression))
    return {"groups_suppressed": groups} if groups else {}


def _masking(columns: list[ColumnView], certificate: Certificate) -> list[str]:
    """Say in a few lines what was done: columns that were masked, columns left as they are, records left out."""
    counts = certificate.counts
    unchanged = tell("page.done.unchanged")
    masked = [column.name for column in columns if column.done != unchanged]
    plain = [column.name for column in columns if column.done == unchanged]
    out = [tell("page.masking.masked", names=masked) if masked else tell("page.masking.none")]
    if plain:
        out.append(tell("page.masking.plain", names=plain))
    if certificate.dropped_columns:
        out.append(tell("page.masking.dropped", count=int(certificate.dropped_columns)))
    gone, read = counts.get("records_suppressed", 0), counts.get("records_read", 0)
    out.append(
        tell("page.masking.left_out", count=gone, share=percent(gone, read), read=read)
        if gone
        else tell("page.masking.none_left_out")
    )
    order = certificate.release.row_order
    return [*out, *([tell("page.masking.order", order=printable(worded(order)))] if order else [])]


def _warnings(release: Published, certificate: Certificate, sizes: Ints | None, *, public: bool) -> list[str]:
    smallest = int(sizes.min()) if sizes is not None and len(sizes) else 0
    together = None
    if sizes is not None:
        together = jointly(certificate.requirements, protected(release), None if public else smallest)
    anyway = [
        say("warning.published_anyway", column=entry.name, reason=entry.published_anyway)
        for entry in certificate.columns
        if entry.published_anyway is not None
    ]
    return [*([together] if together else []), *map(worded, [*anyway, *release.warnings])]


def _advice(release: Published, evidence: Evidence) -> list[str]:
    """Return what to change next; that little is left stands with the verdict."""
    told = () if evidence.public else evidence.run.get("advice", ())
    return [text for text in told if text not in release.little_left]


def _roles(release: Published, certificate: Certificate) -> list[tuple[str, str]]:
    """Say what each role means; an identifier is not always left out."""
    if not release.form.by_column:
        kept = [role for role in _ROLES if role in release.roles.values()]
        return [(tell(f"page.role.{role}"), tell(f"page.role_there.{role}")) for role in kept]
    held = {*release.roles.values(), *([Role.IDENTIFIER] if certificate.dropped_columns else [])}
    words = {role: tell(f"page.role_here.{role}") for role in Role}
    if certificate.pseudonyms is not None:
        words[Role.IDENTIFIER] = (
            tell("page.role_replaced.some") if certificate.dropped_columns else tell("page.role_replaced.all")
        )
    return [(tell(f"page.role.{role}"), told) for role, told in words.items() if role in held]


def _files(release: Published, evidence: Evidence) -> list[str]:
    """Return the names of the files in the private folder."""
    own = ("recoding.json", "before.json") if release.form.by_column else ("links.csv",)
    policy = ("policy.yaml",) if release.private.policy is not None else ()
    course = () if evidence.course is None else ("series.json",)
    asked = (QUESTIONS,) if evidence.questions else ()
    return [*policy, *own, "trace.json", "audit.json", *asked, "utility.json", *course, "run.json", "report.html"]


def _pseudonyms(certificate: Certificate) -> tuple[str, str] | None:
    """Return which columns hold pseudonyms and what these are not, if there are any."""
    said = certificate.pseudonyms
    return None if said is None else (listing(said.columns), printable(worded(said.statement), 2000))


def _tiles(release: Published, groups: list[GroupView], sizes: Ints | None, *, public: bool) -> list[tuple[str, str]]:
    one, many = map(worded, release.form.nouns)
    if sizes is None:
        rows = [
            (number(table.rows), tell("page.tile.rows", part=printable(name))) for name, table in release.tables.items()
        ]
        held = [
            ((number(view.groups), many), (number(view.smallest), tell("page.tile.smallest", noun=one)))
            for view in groups
        ]
        return [*rows, *(tile for pair in held for tile in pair)]
    alike = [
        (number(len(sizes)), tell("page.tile.groups")),
        (number(int(sizes.min()) if len(sizes) else None), tell("page.tile.smallest_group")),
    ]
    return [
        (number(release.table.rows), tell("page.tile.records")),
        *([] if public else alike),
        (number(len(release.roles)), tell("page.tile.columns", protected=len(protected(release)))),
    ]
