"""Looking at a release before it leaves: every attack that can be tried, the same on what it was made from, both compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, replace
from typing import Any

from sfumato.catalogue import build, shape_of, things
from sfumato.contracts.adversary import Adversaries
from sfumato.contracts.attack import Attack, K
from sfumato.contracts.evidence import Evidence
from sfumato.contracts.finding import Finding, Findings, Suspect, Untried
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.published import Published
from sfumato.contracts.run import Run
from sfumato.contracts.thing import Thing, parameters
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.identifiers.scan import EXAMINED, scan_table

__all__ = ["EXPOSED", "audited", "count_before", "examined", "for_strangers", "untold"]

AnyAttack = Attack[Any]
"""An attack of whatever shape is asked for."""

EXPOSED = 0.2
"""A victim whose risk is above this counts as exposed, unless somebody says otherwise."""

_GLANCED = 256  # distinct values of a column that a quick audit looks at for identifiers


def audited(
    who: Adversaries[K],
    attacks: Sequence[Attack[K] | Mapping[str, object] | str] | None = None,
    *,
    threshold: float = EXPOSED,
    thorough: bool,
    run: Run,
    shape: str,
) -> Findings:
    """Return what every attack finds that can be tried, and why the others cannot."""
    first = who.all_knowing[0]
    told = {**first.knowledge.own(), "threshold": threshold}
    chosen: list[Attack[K]] = list(
        _chosen(told, thorough, shape) if attacks is None else (_made(attack, shape) for attack in attacks)
    )
    tried: list[Finding] = []
    untried: list[Untried] = [] if attacks is not None else list(_needing_more(shape, told, thorough))
    run.stage("attacking", len(chosen))
    for done, attack in enumerate(chosen):
        run.tick(done, attack.id)
        for one in who.of(attack):
            found = one.tries(attack, threshold, told, thorough, run)
            if isinstance(found, Finding):
                tried.append(found)
            else:
                untried.append(found)
    run.tick(len(chosen))
    suspects = _suspects(first.seen, first.knowledge.known, EXAMINED if thorough else _GLANCED)
    return Findings(threshold, first.seen.records, tuple(tried), tuple(untried), tuple(suspects))


def _made(attack: Attack[K] | Mapping[str, object] | str, shape: str) -> Attack[K]:
    made: Attack[K] = attack if isinstance(attack, Attack) else build(attack, "attack", shape)
    return made


def _chosen(told: Mapping[str, object], thorough: bool, shape: str) -> Iterator[Attack[K]]:
    """Yield the attacks, told what is known of the population and the threshold where they ask for it."""
    for attack in untold(shape, told):
        if thorough or attack.traits.quick:
            # How sure one may be of a value is another question.
            aimed = "record" in attack.traits.aims_at
            yield attack.told({name: value for name, value in told.items() if aimed or name != "threshold"})


def untold(shape: str, told: Mapping[str, object]) -> Iterator[AnyAttack]:
    """Yield every attack that need not be told more than is known."""
    for thing in things("attack", shape):
        needed = _required(thing)
        if issubclass(thing, Attack) and needed.keys() <= told.keys():
            yield thing(**{name: told[name] for name in needed})


def _required(thing: type[Thing]) -> dict[str, str]:
    """Return what an attack must be told that only the steward knows; most need nothing."""
    needed = [(one, rule) for one, rule, _ in parameters(thing)]
    return {one.name: rule.doc for one, rule in needed if one.default is MISSING and one.default_factory is MISSING}


def _needing_more(shape: str, told: Mapping[str, object], thorough: bool) -> Iterator[Untried]:
    """Yield the attacks that must be told something, with what that is; slow ones if they would be tried."""
    for thing in things("attack", shape):
        assert issubclass(thing, Attack)
        if not thorough and not thing.traits.quick:
            continue
        if asked := [doc for name, doc in _required(thing).items() if name not in told]:
            aims = tuple(sorted(thing.traits.aims_at))
            # One sentence keeps its id and is worded in every language; several are joined as they are.
            what = asked[0] if len(asked) == 1 else ", ".join(asked)
            yield Untried(thing.id, thing.summary(), thing.adversary, aims, say("needs.these", what=what))


def _suspects(seen: Seen, known: Sequence[str], examined: int) -> Iterator[Suspect]:
    """Yield what looks like a direct identifier among the columns that nobody masked."""
    for part, table in (seen.parts or {"data": seen.table}).items():
        columns = [
            name
            for name in table.columns
            if name not in known
            and seen.roles.get(name) is not Role.IDENTIFIER
            and (part, name) not in seen.counted_off
        ]
        told: set[str] = set()
        for found in scan_table(table, columns, examined=examined):
            if found.role is Role.IDENTIFIER and found.column not in told:
                told.add(found.column)
                yield Suspect(part, found.column, found.identifier, found.reason, found.records)


def examined(published: Published, *, thorough: bool, run: Run) -> Evidence:
    """Try every attack that can be tried; where the data before masking are at hand, compare the two."""
    findings, untried = _attacked(published, thorough, run)
    raw, shape = published.private.raw, shape_of(published.shape)
    found = Evidence() if raw is None else shape.evidence(published, raw, thorough=thorough, run=run)
    pictures = (*shape.pictures(published, run), *published.private.facts.pictures())
    return replace(found, findings=findings, untried=untried, course=shape.course(published, run), pictures=pictures)


def count_before(release: Published) -> None:
    """Count the data before masking as attacks will ask for them, where that can go on beside other work."""
    raw = release.private.raw
    if raw is None or not raw.in_threads:
        return
    with suppress(BadRequest):  # said when attacks are tried
        for one in shape_of(release.shape).adversaries(release, {}).all_knowing:
            if one.before is not None and isinstance(one.knowledge, TableKnowledge):
                one.before.groups(one.knowledge)


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
