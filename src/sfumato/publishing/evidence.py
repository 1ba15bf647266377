"""Look at a release before it leaves: attack it, and compare it with what it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sfumato.catalogue import shape_of
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.finding import Findings, Untried
from sfumato.contracts.published import Published
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.publishing.audit import audited, untold

__all__ = ["Evidence", "examined", "for_strangers"]


def examined(published: Published, *, thorough: bool, run: Run) -> Evidence:
    """Try every attack that can be tried; where the data before masking are at hand, compare the two."""
    findings, untried = _attacked(published, thorough, run)
    raw, shape = published.private.raw, shape_of(published.shape)
    found = Evidence() if raw is None else shape.evidence(published, raw, thorough=thorough, run=run)
    pictures = (*shape.pictures(published, run), *published.private.facts.pictures())
    return replace(found, findings=findings, untried=untried, course=shape.course(published, run), pictures=pictures)


def for_strangers(public: Published, *, signed: bool = False) -> Evidence:
    """Return what the page shows that may leave the house: nothing that the public files do not tell."""
    assert public.private.raw is None, "a stranger has no data before masking"
    return Evidence(public=True, signed=signed, pictures=shape_of(public.shape).pictures(public, Run()))


def _attacked(published: Published, thorough: bool, run: Run) -> tuple[Findings | None, str | None]:
    """Return what every attack finds that can be tried; or ``None`` and why none can."""
    shape = shape_of(published.shape)
    try:
        who = shape.adversaries(published, {})
        found = audited(who, thorough=thorough, run=run, shape=shape.id)
    except BadRequest as error:
        return None, error.rule
    told = who.all_knowing[0].knowledge.own()
    return (found if thorough else replace(found, untried=(*found.untried, *_put_off(shape.id, told)))), None


def _put_off(shape: str, told: Mapping[str, object]) -> list[Untried]:
    """Return the attacks that take too long to be tried whenever something is published; silence about them would mislead."""
    return [Untried.of(attack, say("needs.time")) for attack in untold(shape, told) if not attack.traits.quick]
