"""The report of a release: one HTML page that needs nothing else, for whoever has to sign it.

The page holds published values, counts and names of published columns, and nothing below the cut of any hierarchy. It has
no time stamp, no script and no address, so the same release has the same page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from sfumato.catalogue import find
from sfumato.contracts.metric import MetricTraits
from sfumato.data.schema import Role
from sfumato.groups.stats import Ints
from sfumato.recodings.group_suppression import GroupSuppression
from sfumato.releases.release import Release
from sfumato.reports.charts import meter
from sfumato.reports.column_view import column_views
from sfumato.reports.curve_view import curve_view
from sfumato.reports.group_view import group_views, protected
from sfumato.reports.lattice_words import certainty, finer_level, solution_rows
from sfumato.reports.words import ROLES, asked, counted, ending, gist, jointly, listing, number, printable, promise

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

_HASHES: Mapping[str, str] = {
    "output_sha256": "published data",
    "schema_sha256": "data dictionary",
    "policy_sha256": "policy",
}


def report_page(release: Release, certificate: Mapping[str, Any]) -> str:
    """Return the report of a release and its certificate as one self-contained HTML page.

    The certificate may be that of the release in memory or the one of a written release, which also knows the file and its
    hashes.
    """
    algorithm = certificate["algorithm"]
    sizes = release.table.groups(protected(release)).sizes
    return _template().render(
        title=printable(release.private.policy.title) if release.private.policy.title else "Release report",
        satisfied=all(entry["satisfied"] for entry in certificate["requirements"]),
        requirements=[_requirement(entry) for entry in certificate["requirements"]],
        adversaries=list(dict.fromkeys(entry["adversary"] for entry in certificate["requirements"])),
        truthful=certificate["release"]["truthful"],
        counts=_counts({**certificate["counts"], **_left_out(release)}),
        tiles=_tiles(release, sizes),
        dropped=int(certificate["dropped_columns"]),
        warnings=[printable(text, 2000) for text in _warnings(release, certificate, sizes)],
        weaknesses=[_weakness(text) for text in certificate["not_protected_against"]],
        pseudonyms=_pseudonyms(certificate),
        groups=group_views(release, certificate),
        columns=column_views(release),
        metrics=[_metric(entry) for entry in certificate["metrics"]],
        by_column=_by_column(certificate["metrics"]),
        algorithm=algorithm["id"],
        algorithm_gist=gist(algorithm["id"], "algorithm"),
        optimal=algorithm["optimal"],
        ending=ending(algorithm["stopped"]),
        refinements=release.private.facts.get("refinements"),
        steps=_steps(release.private.trace),
        curve=curve_view("curve", release.private.facts),
        levels=_levels(release, certificate),
        file=_file(certificate["release"]),
        hashes=[(words, certificate[key]) for key, words in _HASHES.items() if key in certificate],
        versions=sorted(certificate["versions"].items()),
        verifier=certificate["verifier"],
        roles=[(str(role), words) for role, words in _role_words(certificate) if role in _roles(release, certificate)],
    )


@cache
def _template() -> Template:
    source = files("sfumato.reports").joinpath("report.html.j2").read_text(encoding="utf-8")
    shelf = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    shelf.filters["counted"] = counted
    return shelf.from_string(source)


def _requirement(entry: Mapping[str, Any]) -> dict[str, Any]:
    parameters = ", ".join(f"{name} = {value}" for name, value in entry["parameters"].items())
    return {
        "promise": promise(entry),
        "asked": asked(entry),
        "name": f"{entry['model']}{f' with {parameters}' if parameters else ''}",
        "needed": entry["needed"].replace(">=", "at least").replace("<=", "at most"),
        "measured": number(entry["measured"]),
        "satisfied": entry["satisfied"],
    }


def _counts(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Put the counts into words; two that say the same are said once."""
    said = {_COUNTS.get(key, key.replace("_", " ").capitalize()): number(value) for key, value in counts.items()}
    return list(said.items())


def _left_out(release: Release) -> dict[str, int]:
    """Count the groups that are left out as a whole, if any are."""
    groups = sum(len(known.groups) for known in release.private.operations if isinstance(known, GroupSuppression))
    return {"groups_suppressed": groups} if groups else {}


def _warnings(release: Release, certificate: Mapping[str, Any], sizes: Ints) -> list[str]:
    together = jointly(certificate["requirements"], protected(release), int(sizes.min()) if len(sizes) else 0)
    return [*([together] if together else []), *release.warnings]


def _roles(release: Release, certificate: Mapping[str, Any]) -> set[Role]:
    return {*release.roles.values(), *([Role.IDENTIFIER] if certificate["dropped_columns"] else [])}


def _role_words(certificate: Mapping[str, Any]) -> list[tuple[Role, str]]:
    """Say what each role means; an identifier is not always left out."""
    if "pseudonyms" not in certificate:
        return list(ROLES.items())
    both = "left out of the release or replaced by a pseudonym"
    fate = both if certificate["dropped_columns"] else "replaced by a pseudonym"
    return [(role, f"names a person; {fate}" if role is Role.IDENTIFIER else words) for role, words in ROLES.items()]


def _pseudonyms(certificate: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return which columns hold pseudonyms and what these are not, if there are any."""
    said = certificate.get("pseudonyms")
    return None if said is None else (listing(said["columns"]), printable(said["statement"], 2000))


def _tiles(release: Release, sizes: Ints) -> list[tuple[str, str]]:
    return [
        (number(release.table.rows), "records published"),
        (number(len(sizes)), "groups of records that look alike on all protected columns"),
        (number(int(sizes.min()) if len(sizes) else None), "in the smallest of these groups"),
        (number(len(release.roles)), f"columns published, {len(protected(release))} of them protected"),
    ]


def _weakness(text: str) -> tuple[str, str]:
    name, _, words = text.partition(": ")
    return (name, words) if words else ("", name)


def _metric(entry: Mapping[str, Any]) -> dict[str, Any]:
    traits: MetricTraits = find(entry["metric"], "metric").traits  # type: ignore[attr-defined]
    bounded = entry["lowest"] is not None and entry["highest"] is not None
    return {
        "id": entry["metric"],
        "gist": gist(entry["metric"], "metric"),
        "value": number(entry["value"]),
        "meter": meter(entry["value"], entry["lowest"], entry["highest"]),
        "better": traits.better,
        "range": f"{number(entry['lowest'])} to {number(entry['highest'])}" if bounded else "no bounds",
    }


def _by_column(metrics: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the metrics that can be told apart by column: one row per column, each bar against the largest."""
    apart = [entry for entry in metrics if entry["by_column"]]
    if not apart:
        return None
    names = list(dict.fromkeys(name for entry in apart for name in entry["by_column"]))
    most = [max(1.0 if entry["highest"] == 1 else 0.0, *entry["by_column"].values()) for entry in apart]
    return {
        "ids": [entry["metric"] for entry in apart],
        "rows": [
            (
                printable(name),
                [
                    (number(entry["by_column"].get(name)), meter(entry["by_column"].get(name, 0.0), 0.0, top))
                    for entry, top in zip(apart, most, strict=True)
                ],
            )
            for name in names
        ],
    }


def _steps(trace: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Count the steps of the search by column; which values they touched stays in the trace."""
    taken = Counter(str(step["attribute"]) for step in trace if "attribute" in step)
    return [(printable(name), number(count)) for name, count in taken.most_common()]


def _levels(release: Release, certificate: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a search over levels says about its choice: why no level is finer, how sure it is, what else there was."""
    facts = release.private.facts
    if not {"levels", "why", "solutions", "score", "metric", "lattice", "checks", "gap"} <= set(facts):
        return None
    chosen = release.private.policy.algorithm.get("levels") is not None
    return {
        "certainty": certainty(facts, proven=certificate["algorithm"]["optimal"] or facts["gap"] == 0, chosen=chosen),
        "refined": "rounds" in facts,
        "why": [
            (printable(entry["attribute"]), f"{entry['level']} of {entry['height']}", finer_level(entry))
            for entry in facts["why"]
        ],
        "names": [printable(name) for name in facts["levels"]],
        "others": solution_rows(facts["solutions"], facts["levels"]),
        "metric": printable(facts["metric"]["id"]),
    }


def _file(release: Mapping[str, Any]) -> list[tuple[str, str]]:
    known = [(key, release[key]) for key in ("kind", "file", "format", "rows", "row_order") if key in release]
    return [
        (key.replace("_", " "), number(value) if isinstance(value, int) else printable(value)) for key, value in known
    ]
