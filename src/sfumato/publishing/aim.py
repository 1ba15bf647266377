"""What an attack is aimed at: the release, or a column whose cells have a shape of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sfumato.catalogue import build, home_of, shape_of
from sfumato.contracts.attack import Attack
from sfumato.contracts.cells import CellRequirement, cell_shape
from sfumato.contracts.finding import Findings
from sfumato.contracts.knowledge import Knowledge, Seen, pieces
from sfumato.contracts.published import Published
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, NotKnown
from sfumato.publishing.audit import EXPOSED, audited

__all__ = ["aimed", "all_audited", "knowledge_kinds"]

AnyAttack = Attack[Any]
"""An attack of whatever shape is asked for."""


def knowledge_kinds(published: Published) -> list[type[Knowledge]]:
    """Return what may be known beside a release: by its shape, and by those of its cells."""
    return [shape_of(published.shape).knowledge, *(cell_shape(one).knowledge for one in _within(published))]


def aimed(
    published: Published, attack: AnyAttack | Mapping[str, object] | str, told: Mapping[str, object], run: Run
) -> tuple[AnyAttack, Seen, Knowledge]:
    """Return an attack with what it reads and knows; one on cells reads the first column that has such cells."""
    shape = shape_of(published.shape)
    made, on = _placed(published, attack)
    if on == shape.id:
        seen, known = shape.see(published, _own(shape.knowledge, told), learns=made.traits.learns)
        return made.told(known.own()), seen, known
    reader = next(one for one in shape.cell_readers(published, told, run) if one.shape == on)
    adversary = reader.who.all_knowing[0]
    lacking = adversary.lacks(made)
    if lacking is not None:
        raise BadRequest(lacking, parameter=made.id)
    return made, adversary.seen, adversary.knowledge


def all_audited(
    published: Published,
    told: Mapping[str, object],
    attacks: Sequence[AnyAttack | Mapping[str, object] | str] | None = None,
    *,
    threshold: float = EXPOSED,
    thorough: bool,
    run: Run,
) -> Findings:
    """Return what every attack finds on a release, and on columns whose cells have a shape of their own."""
    shape = shape_of(published.shape)
    placed = None if attacks is None else [_placed(published, one) for one in attacks]

    def chosen(on: str) -> list[AnyAttack] | None:
        return None if placed is None else [attack for attack, where in placed if where == on]

    who = shape.adversaries(published, _own(shape.knowledge, told))
    found = audited(who, chosen(shape.id), threshold=threshold, thorough=thorough, run=run, shape=shape.id)
    for one in shape.cell_readers(published, told, run):
        more = audited(one.who, chosen(one.shape), threshold=threshold, thorough=thorough, run=run, shape=one.shape)
        tried = [replace(finding, columns=(one.column,)) for finding in more.tried]
        found = replace(found, tried=(*found.tried, *tried), untried=(*found.untried, *more.untried))
    return found


def _within(published: Published) -> list[str]:
    """Return the shapes that cells of a release have."""
    return list(dict.fromkeys(one.within for one in published.models if isinstance(one, CellRequirement)))


def _placed(published: Published, attack: AnyAttack | Mapping[str, object] | str) -> tuple[AnyAttack, str]:
    """Return an attack and the shape that it is tried on: that of the release, if it knows such an attack, or of its cells."""
    inside = _within(published)
    if isinstance(attack, Attack):
        home = home_of(type(attack))
        return attack, home if home in inside else published.shape
    for one in inside:
        try:
            return build(attack, "attack", published.shape), published.shape
        except NotKnown:
            with suppress(NotKnown):
                return build(attack, "attack", one), one
    return build(attack, "attack", published.shape), published.shape


def _own(kind: type[Knowledge], told: Mapping[str, object]) -> dict[str, object]:
    """Return what was told that a shape asks for."""
    asked = {piece.said for piece in pieces(kind)}
    return {name: value for name, value in told.items() if name in asked}
