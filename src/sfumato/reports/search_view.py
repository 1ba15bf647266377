"""How the release was found: steps by column, what each step gave and cost, and why the levels are these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from sfumato.contracts.certificate import Certificate
from sfumato.contracts.published import Published
from sfumato.policy import policy_of
from sfumato.reports.curve_view import curve_view
from sfumato.reports.lattice_words import certainty, finer_level, solution_rows
from sfumato.reports.refinement_curve import refinement_curve
from sfumato.reports.words import number, printable

__all__ = ["levels_view", "search_curve", "steps_by_column"]


def steps_by_column(trace: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Count the steps of the search by column; which values they touched stays in the trace."""
    taken = Counter(str(step["attribute"]) for step in trace if "attribute" in step)
    return [(printable(name), number(count)) for name, count in taken.most_common()]


def search_curve(release: Published) -> Markup | None:
    """Draw privacy against quality along the steps of the search, where it kept account of both."""
    facts = release.private.facts
    return curve_view("curve", facts) or refinement_curve("curve", release.private.trace, release.certified.counts)


def levels_view(release: Published, certificate: Certificate) -> dict[str, Any] | None:
    """Return what a search over levels says about its choice: why no level is finer, how sure it is, what else there was."""
    facts = release.private.facts
    if not {"levels", "why", "solutions", "score", "metric", "lattice", "checks", "gap"} <= set(facts):
        return None
    policy = policy_of(release)
    chosen = policy is not None and policy.algorithm.get("levels") is not None
    return {
        "certainty": certainty(facts, proven=certificate.algorithm.optimal or facts["gap"] == 0, chosen=chosen),
        "refined": "rounds" in facts,
        "why": [
            (printable(entry["attribute"]), f"{entry['level']} of {entry['height']}", finer_level(entry))
            for entry in facts["why"]
        ],
        "names": [printable(name) for name in facts["levels"]],
        "others": solution_rows(facts["solutions"], facts["levels"]),
        "metric": printable(facts["metric"]["id"]),
    }
