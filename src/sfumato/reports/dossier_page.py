"""The dossier of an expert's determination: purpose, data, answers, adversaries, figures, limits, validity, signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date

from sfumato.contracts.certificate import Certificate, ProcedureEntry, RequirementEntry
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.published import Published
from sfumato.data.frozen import frozen
from sfumato.data.messages import ENGLISH, speaking, tell, worded
from sfumato.data.words import named
from sfumato.reports.attack_view import chance, remaining, risk_rows
from sfumato.reports.page import Section, rendered
from sfumato.reports.shared_parts import fingerprints, recheck, signing_lines, stated, summary_rows, weakness_rows
from sfumato.reports.utility_view import metric_rows
from sfumato.reports.words import number, printable

__all__ = ["dossier_page"]

Rows = Sequence[Sequence[str]]


@frozen
class _Part:
    """A section: sentences, and a table with its header."""

    key: str
    title: str
    texts: Sequence[str] = ()
    header: Sequence[str] = ()
    rows: Rows = ()
    lines: Sequence[tuple[str, str | None]] = field(default=())


def dossier_page(
    release: Published,
    certificate: Certificate,
    evidence: Evidence,
    *,
    answers: Mapping[str, object] | None = None,
    expert: str | None = None,
    valid_until: date | None = None,
    language: str = ENGLISH,
) -> str:
    """Return the dossier as one self-contained HTML page; ``answers`` are those of the questionnaire, with what they proposed.

    It holds figures, names of columns and what the policy says, and no value of a person. There is no date on it but those that
    somebody gave, so that the same release and the same answers have the same dossier.
    """
    with speaking(language):
        parts = _parts(release, certificate, evidence, answers, expert, valid_until)
        return rendered(
            "dossier.html.j2",
            public=False,
            title=tell("page.dossier.title"),
            lead=tell("page.dossier.lead"),
            footer=tell("page.footer.names"),
            contents=[Section(part.key, part.title, "") for part in parts],
            parts=parts,
        )


def _parts(
    release: Published,
    certificate: Certificate,
    evidence: Evidence,
    answers: Mapping[str, object] | None,
    expert: str | None,
    valid_until: date | None,
) -> list[_Part]:
    policy, found = release.private.policy, evidence.findings
    judged: list[RequirementEntry | ProcedureEntry] = [*certificate.requirements, *certificate.procedures]
    above = [*([] if found is None else remaining(found)), *_unfollowed(certificate, answers)]
    until = None if valid_until is None else valid_until.isoformat()
    signing = [(tell("page.dossier.expert"), None if not expert else printable(expert, 200))]
    return [
        _Part("purpose", tell("page.dossier.purpose"), _purpose(stated(policy), answers)),
        _Part(
            "data",
            tell("page.dossier.data"),
            [f"{name}: {text}" for name, texts in summary_rows(certificate, evidence) for text in texts],
            [tell("page.dossier.column"), tell("page.dossier.role"), tell("page.dossier.done")],
            [(printable(one.name), printable(one.role), printable(one.operation)) for one in certificate.columns],
        ),
        _Part("answers", tell("page.dossier.answers"), _answers(answers)),
        _Part(
            "adversaries",
            tell("page.dossier.adversaries"),
            [],
            [tell(f"page.dossier.{name}") for name in ("requirement", "needed", "measured", "adversary")],
            [
                (_asked(one.model, one.parameters), one.needed, number(one.measured), worded(one.adversary))
                for one in judged
            ],
        ),
        _Part(
            "figures",
            tell("page.dossier.figures"),
            [tell("page.dossier.method", algorithm=printable(certificate.algorithm.id), kind=certificate.release.kind)]
            + ([] if found is not None else [tell("page.dossier.untried")]),
            [tell(f"page.dossier.{name}") for name in ("attack", "whose", "before", "after")],
            []
            if found is None
            else [
                (
                    printable(one.attack, 200),
                    tell("page.dossier.worst") if one.whose == "worst" else tell("page.dossier.average"),
                    "–" if one.before is None else chance(one.before),
                    chance(one.after),
                )
                for one in risk_rows(found)
            ],
        ),
        _Part(
            "residual",
            tell("page.dossier.residual"),
            above or [tell("page.dossier.untried" if found is None else "page.dossier.nothing_above")],
        ),
        _Part(
            "utility",
            tell("page.dossier.utility"),
            [],
            [tell("page.dossier.metric"), tell("page.dossier.value"), tell("page.dossier.range")],
            [(str(one["id"]), str(one["value"]), str(one["range"])) for one in metric_rows(certificate.metrics)],
        ),
        _Part(
            "limits",
            tell("page.dossier.limits"),
            [
                *(
                    f"{name}: {words}" if name else words
                    for name, words in weakness_rows(certificate.not_protected_against)
                ),
                *(printable(worded(text), 2000) for text in release.warnings),
                tell("page.context.more"),
            ],
        ),
        _Part(
            "validity",
            tell("page.dossier.validity"),
            [f"{when}: {why}." for when, why in recheck(certificate.not_protected_against)],
            lines=[(tell("page.dossier.until"), until)],
        ),
        _Part(
            "expert",
            tell("page.dossier.signed"),
            # Nobody is to sign in passing what the figures above do not carry.
            [tell("page.dossier.open" if above or found is None else "page.dossier.statement")],
            [tell("page.dossier.file"), tell("page.dossier.fingerprint")],
            fingerprints(certificate, evidence),
            [*signing, *signing_lines(policy)],
        ),
    ]


def _purpose(said: Sequence[tuple[str, str]], answers: Mapping[str, object] | None) -> list[str]:
    """Return what the policy says about the occasion, or the answers; or that nobody said anything."""
    texts = [f"{name}: {text}" for name, text in said]
    held = (answers or {}).get("answers")
    purpose = held.get("purpose") if isinstance(held, Mapping) else None
    if not texts and purpose:
        texts = [printable(purpose, 2000)]
    return texts or [tell("page.dossier.no_purpose")]


def _answers(answers: Mapping[str, object] | None) -> list[str]:
    """Return what was answered, and what followed from it, with reasons."""
    if answers is None:
        return [tell("page.dossier.no_answers")]
    out = [printable(answers.get("adversary", ""), 2000)]
    proposed = answers.get("proposed")
    for one in proposed if isinstance(proposed, Sequence) else ():
        asked = _asked("", one["asked"])
        facts = {"asked": asked, "answer": printable(one["answer"], 400), "reason": printable(one["reason"], 2000)}
        source = one.get("source")
        out.append(tell("proposal.told", **facts) if not source else tell("proposal.from", source=source, **facts))
    return out


def _unfollowed(certificate: Certificate, answers: Mapping[str, object] | None) -> list[str]:
    """Return which requirements followed from the answers and are not certified: a statement of small risk needs them."""
    proposed = (answers or {}).get("proposed")
    asked = [one["asked"] for one in proposed] if isinstance(proposed, Sequence) else []
    return [
        tell("page.dossier.unfollowed", asked=_asked("", one))
        for one in asked
        if "id" in one and not any(_covers(entry, one, certificate) for entry in certificate.requirements)
    ]


def _covers(entry: RequirementEntry, asked: Mapping[str, object], certificate: Certificate) -> bool:
    """Tell whether a requirement holds at least at the proposed level, for an adversary who knows every quasi-identifier.

    What is proposed asks for a number that is reached or passed (k, l); k-anonymity is more than k-map.
    """
    known = {one.name for one in certificate.columns if one.role == "quasi-identifier"}
    levels = {key: value for key, value in asked.items() if isinstance(value, (int, float))}
    others = {key: value for key, value in asked.items() if key != "id" and key not in levels}
    return (
        entry.model in (asked["id"], *(["k-anonymity"] if asked["id"] == "k-map" else []))
        and entry.column is None
        and known <= set(entry.quasi_identifier)
        and all(entry.parameters.get(key) == value for key, value in others.items())
        and entry.measured is not None
        and all(entry.measured >= value for value in levels.values())
    )


def _asked(model: str, parameters: Mapping[str, object]) -> str:
    """Return a requirement or a limit on one line."""
    told = [model] if model else []
    return printable(
        " ".join(
            [*told, *(str(value) if key == "id" else f"{key}={named(value)}" for key, value in parameters.items())]
        ),
        400,
    )
