"""Everything that follows from the public files of a release, counted anew and compared with what is certified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from math import isclose
from pathlib import Path
from typing import TypeGuard

from sfumato.catalogue import broken, build
from sfumato.contracts.algorithm import Algorithm
from sfumato.contracts.certificate import Certificate, Json, ProcedureEntry
from sfumato.contracts.engine import Table
from sfumato.contracts.model import GroupModel, MechanismModel, Requirement, Verdict
from sfumato.contracts.published import Judgement, Published
from sfumato.contracts.release import Beside
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Contradiction, NotKnown, Unsupported
from sfumato.publishing.certificate import FILE
from sfumato.publishing.certify import refuse_violations
from sfumato.publishing.figures import refuse_other_figures, refuse_other_reference, refuse_other_verdict
from sfumato.publishing.published import Unknown
from sfumato.publishing.recounting import Recount, Recounts
from sfumato.publishing.signature import Signature
from sfumato.releases.recoded_table import RecodedTable

__all__ = ["Unchecked", "Verification", "quasi_identifiers", "recounted", "verified"]


@frozen
class Unchecked:
    """Something that was not checked, and why; ``lacking`` if whoever checks could do it with what is not at hand.

    A population table or somebody's class can be got; what only the publisher saw nobody else ever counts.
    """

    name: str
    why: str
    lacking: bool = False


@frozen
class Verification:
    """What a stranger could establish: the verdicts, counted anew, and the certificate they were compared with.

    ``left`` are requirements that cannot be counted from the public files alone and why, ``claims`` what else the certificate
    says that they do not show, ``uncovered`` the files beside it that it does not speak of. ``signature`` says whose
    certificate it is, if it is signed. It is a yes if every promise was counted and holds. Where nothing was promised, nothing
    was checked; where something was not checked that takes only what is not at hand (a population, somebody's class), the
    question is open: neither is a yes. What no verifier can see is a claim and takes nothing from a yes: requirements that the
    certificate marks as judged inside by private columns, and procedures that it marks as not repeatable.
    """

    verdict: Judgement
    certificate: Certificate
    folder: Path
    left: tuple[Unchecked, ...] = ()
    signature: Signature | None = None
    claims: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The names of what was not checked."""
        return tuple(entry.name for entry in self.left)

    @property
    def promised(self) -> bool:
        """Whether the certificate promises anything: a requirement, a procedure, or a bound by the form of the tables."""
        return bool(self.certificate.requirements or self.certificate.procedures or self._by_form)

    @property
    def checked(self) -> bool:
        """Whether it promises anything for which all that is needed was at hand."""
        asked = len(self.certificate.requirements) + len(self.certificate.procedures)
        return self._by_form or asked > sum(entry.lacking for entry in self.left)

    @property
    def open(self) -> tuple[str, ...]:
        """The names of what was not checked although it can be, by somebody who has what is lacking here."""
        return tuple(entry.name for entry in self.left if entry.lacking)

    @property
    def _by_form(self) -> bool:
        told = self.certificate
        return bool(told.guarantee) or (told.statement is not None and told.statement.mechanism is not None)

    def __bool__(self) -> bool:
        return self.checked and self.verdict.satisfied and not self.open

    def document(self) -> dict[str, object]:
        """Return it for JSON, with the certificate."""
        return {
            "verified": bool(self),
            "checked": self.checked,
            "verdicts": [verdict.document() for verdict in self.verdict],
            "not_checked": [asdict(left) for left in self.left],
            "claims": self.claims,
            "not_covered": self.uncovered,
            "signature": None if self.signature is None else asdict(self.signature),
            "certificate": self.certificate.document,
        }


def verified(
    published: Published,
    external: Table | None = None,
    memory: int | None = None,
    earlier: Mapping[int, Published] | None = None,
    external_weights: str | None = None,
) -> tuple[list[Verdict], list[Unchecked]]:
    """Return the verdicts on public files and what stays unchecked; refuse files that say something else than certified.

    ``external`` is a population table recoded like the release, for requirements that compare the two. ``memory`` is a bound
    in bytes for reading the files again. ``earlier`` are releases of the series before this one, by their number.
    ``external_weights`` names a column of the population table that says how many persons each of its records stands for.
    """
    certificate, earlier = published.certified, earlier or {}
    verdicts, closed = recounted(published, external, memory, earlier, external_weights)
    entries = [
        (entry, model)
        for entry, model in zip(certificate.requirements, published.models, strict=True)
        if model not in closed
    ]
    for verdict, (entry, model) in zip(verdicts, entries, strict=True):
        refuse_other_verdict(entry, model, verdict)
    refuse_other_figures(published)
    for part in certificate.release.files:
        if part.content_digest is not None and part.content_digest != published.tables[part.part].content_digest():
            raise Contradiction("certifies another content than the files hold", parameter=part.file or part.part)
    guarantee = published.form.guarantee(published.tables)
    if guarantee != certificate.guarantee:
        raise Contradiction("certifies another guarantee than counting the files anew gives", parameter=FILE)
    left = [Unchecked(str(model.spec()["id"]), *_why(model, published, earlier)) for model in closed]
    return verdicts, left + _unrepeatable(certificate.procedures, guarantee, certificate.release.parameters)


def _lacking(certificate: Certificate, earlier: Mapping[int, Published]) -> list[int]:
    """Return the numbers of the releases that this one was judged beside and that are not at hand."""
    named = () if certificate.ledger is None else certificate.ledger.earlier or ()
    return [number for number in range(1, len(named) + 1) if number not in earlier]


def _why(model: Requirement, published: Published, earlier: Mapping[int, Published]) -> tuple[str, bool]:
    """Return why nobody counted a requirement, and whether that is for want of something."""
    if isinstance(model, Unknown):
        return _not_here(), True
    if published.form.compares(model):
        lacking = _lacking(published.certified, earlier)
        return say("unchecked.earlier", count=len(lacking), numbers=", ".join(map(str, lacking))), True
    if model.traits.evaluation == "labels":
        return say("unchecked.labels"), False
    return (say("unchecked.inside"), False) if model.private() else (say("unchecked.population"), True)


def _not_here() -> str:
    unread = broken()
    return say("unchecked.broken", plugins=", ".join(unread)) if unread else say("unchecked.unknown")


def recounted(
    published: Published,
    external: Table | None,
    memory: int | None = None,
    earlier: Mapping[int, Published] | None = None,
    external_weights: str | None = None,
) -> tuple[list[Verdict], list[Requirement]]:
    """Judge what is published a second time; return the verdicts, and the requirements that nobody else can count.

    What owners asked for is private, and a population table may not be at hand. Plain code judges where there is some; a
    model that words its verdict itself, or has no plain code, judges as well.
    """
    refuse_other_reference(published)
    certificate, qids = published.certified, quasi_identifiers(published)
    before = tuple(one for _, one in sorted((earlier or {}).items()))
    beside = Beside(
        external, certificate.reference, certificate.records_before, before, external_weights=external_weights
    )
    recounts = Recounts(published, beside, qids, memory)
    closed = [
        model
        for model in published.models
        if model.private()
        or (
            bool(_lacking(certificate, earlier or {}))
            if published.form.compares(model)
            else model.traits.evaluation == "labels" or (model.traits.evaluation == "external" and external is None)
        )
    ]
    # Parts that do not fit together are refused whatever is asked of them.
    published.form.verify(published.tables, [], qids, beside)
    if before:
        # Fewer releases tell less: what they break together, all of them break.
        some = [model for model in closed if published.form.compares(model)]
        refuse_violations(published.form.verify(published.tables, some, qids, beside), searched=False)
    verdicts = []
    for model in [model for model in published.models if model not in closed]:
        again = recounts.judge(model) if recounts.covers(model) else None
        if again is not None and again.level.satisfied and _plainly_worded(model, published):
            verdicts.append(_verdict(model, again))
            continue
        # Only the model knows how it words what is needed and, where something is wrong, what.
        (own,) = published.form.verify(published.tables, [model], qids, beside)
        verdicts.append(own if again is None else _twice(own, model, again))
    return verdicts, closed


def _plainly_worded(model: Requirement, published: Published) -> TypeGuard[GroupModel]:
    """Tell whether the verdict on a model says nothing but its bound, of groups of rows: then it need not be asked."""
    if not isinstance(model, GroupModel) or not isinstance(published.form, RecodedTable) or not model.traits.by_group:
        return False
    return type(model).judge is GroupModel.judge and type(model).check is GroupModel.check


def _verdict(model: GroupModel, again: Recount) -> Verdict:
    return model.verdict(
        qid=model.qid or (),
        satisfied=True,
        strongest=again.level.measured,
        bound=str(model.bound()),
        groups=again.groups,
        records=again.records,
    )


def _twice(own: Verdict, model: Requirement, again: Recount) -> Verdict:
    """Return the verdict of a model with what plain code counted in the place of what it counted itself."""
    both = replace(own, satisfied=own.satisfied and again.level.satisfied, strongest=again.level.measured)
    # Where groups do not decide one by one, models count otherwise: persons of a population, combinations of columns.
    return replace(both, groups=again.groups, records=again.records) if model.traits.by_group else both


def quasi_identifiers(published: Published) -> tuple[str, ...]:
    """Return the columns that groups are made by: all that were masked, but no pseudonym and no sensitive column."""
    certificate = published.certified
    hidden = {entry.column for entry in certificate.requirements}  # cells with a shape of their own
    hidden |= set() if certificate.pseudonyms is None else set(certificate.pseudonyms.columns)
    return tuple(
        entry.name
        for entry in certificate.columns
        if entry.operation != "none" and entry.name not in hidden and entry.role != "sensitive"
    )


def _refuse_other_settings(name: str, follows: Mapping[str, object], stated: Mapping[str, Json]) -> None:
    """Refuse a release that was made with other numbers than follow from its procedure: a smaller k, a larger share."""
    settings = stated.get("settings")
    for key, number in follows.items():
        for told in (stated, settings if isinstance(settings, Mapping) else {}):
            other = told.get(key)
            if not isinstance(number, (int, float)) or not isinstance(other, (int, float)):
                continue
            if not isclose(number, other, rel_tol=1e-9):
                raise Contradiction(
                    f"states {key} {other:g}, where {name} by the stated procedure needs {number:g}", parameter=FILE
                )


def _unrepeatable(
    procedures: Sequence[ProcedureEntry], guarantee: Mapping[str, Json], stated: Mapping[str, Json]
) -> list[Unchecked]:
    """Compute again what the stated parameters of a procedure promise; return the models for which that needs the input."""
    out = []
    for entry in procedures:
        try:
            model: MechanismModel = build({"id": entry.model, **entry.parameters}, "model")
            algorithm: Algorithm = build(entry.procedure, "algorithm")
        except (NotKnown, Unsupported):
            out.append(Unchecked(entry.model, _not_here(), lacking=True))
            continue
        again = algorithm.promised(model)
        epsilon = guarantee.get("epsilon", 0.0)
        # What is measured is epsilon itself, or the share of a bound on several numbers of which epsilon is one.
        spent = entry.measured if again is None else again.witness.get("epsilon", entry.measured)
        if entry.repeatable != (again is not None):
            raise Contradiction(f"says wrongly whether anybody can repeat the audit of {model.id}", parameter=FILE)
        if again is None:
            out.append(Unchecked(model.id, say("checked.measured")))
        elif (again.measured, again.satisfied) != (entry.measured, entry.satisfied):
            raise Contradiction(
                f"certifies {entry.measured} for {model.id}, the stated procedure promises {again.measured}",
                parameter=FILE,
            )
        elif isinstance(epsilon, float) and isinstance(spent, (int, float)) and epsilon > spent * (1 + 1e-9):
            raise Contradiction(
                f"certifies {spent} for {model.id}, the published shares amount to {epsilon}", parameter=FILE
            )
        elif again.bound != entry.needed or {**again.parameters} != {**entry.parameters}:
            raise Contradiction(f"says something else of {model.id} than the stated procedure promises", parameter=FILE)
        else:
            _refuse_other_settings(model.id, again.witness, stated)
    return out
