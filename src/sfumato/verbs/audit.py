"""Try every attack that can be tried on a release, before it leaves the house."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato.catalogue import build, things
from sfumato.contracts.attack import Attack, Scene
from sfumato.contracts.engine import Table
from sfumato.contracts.finding import Exposure, Finding, Findings, Untried
from sfumato.contracts.progress import Progress, Silent
from sfumato.contracts.thing import parameters
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, SfumatoError
from sfumato.identifiers.scan import EXAMINED
from sfumato.tables.seen import Shown, by_groups, offered, open_scene, open_shown
from sfumato.verbs.detect import detect

__all__ = ["audit"]

# What a quick audit compares with the raw table: who is found, and whose value is known.
_COMPARED = ("attacker-risk", "uniqueness", "attack-attribute-linkage", "attack-record-linkage", "linking-attack")
_PER_ADVERSARY = "attacker-risk"  # tried for the columns of every single requirement, too
_MOST_ADVERSARIES = 8
_GLANCED = 256  # distinct values of a column that a quick audit looks at for identifiers


def audit(
    source: Any,
    *,
    raw: Any = None,
    external: Any = None,
    name: str | None = None,
    qid: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    owners: Any = None,
    control: Any = None,
    corrupted: Any = None,
    other: Any = None,
    population: int | None = None,
    weight: str | None = None,
    household: str | None = None,
    threshold: float = 0.2,
    attacks: Sequence[Any] | None = None,
    policy: Any = None,
    thorough: bool = True,
    progress: Progress | None = None,
) -> Findings:
    """Try every attack that the given knowledge allows, on the release and on the table before masking.

    ``source`` and the tables beside it mean what they mean in :func:`sfumato.attack`. ``raw`` is the table before masking;
    of a release in memory it is known. A victim whose risk is above ``threshold`` counts as exposed; ``population`` is the
    number of people the records were drawn from, ``weight`` and ``household`` are published columns with sampling weights and
    with the household of each record. ``attacks`` names the attacks to try, all of them if not given.
    ``thorough`` also tries those that cost more than a few passes over the groups, and compares every one with the raw table,
    where a quick audit compares those that tell whose record and whose value is known. What could not be tried is listed with
    what it would need: an audit that is silent about an attack says nothing about it. Every attack assumes that the adversary
    knows all quasi-identifiers; where requirements are about fewer columns, ``attacker-risk`` is tried for these as well.

    The findings hold counts and shares, never a value or a name of a person.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Disease"], [("[20-30)", "Flu"), ("[20-30)", "Ulcer"), ("[30-40)", "Flu")])
    >>> found = audit(table, qid=["Age"], sensitive="Disease")
    >>> found.of("attack-attribute-linkage").after.highest
    1.0
    """
    if not 0 <= threshold < 1:
        raise BadRequest("must be at least 0 and below 1", parameter="threshold", value=threshold)
    progress = progress or Silent()
    shown = open_shown(source, policy)
    given = {
        "external": external,
        "name": name,
        "hierarchies": hierarchies,
        "owners": owners,
        "control": control,
        "corrupted": corrupted,
        "other": other,
        "progress": progress,
    }
    columns = _protected(shown, sensitive, qid or ())
    scene = open_scene(shown, qid=qid, sensitive=columns[0] if columns else None, raw=_raw(shown, raw), **given)
    _refuse_unknown(shown, scene, columns)
    learnt: list[str | None] = [*columns] or [None]
    linked = views = [_View.of(replace(scene, sensitive=column), shown, thorough) for column in learnt]
    every = scene.qids if qid is not None else offered(shown, columns[0] if columns else None) or scene.qids
    _refuse_another(None if raw is None else scene.raw, (*every, *columns))
    if every != scene.qids:
        # An external table that lacks some columns limits those who have only that; others know more.
        scene = replace(scene, qids=every, external=None, name=None)
        views = [_View.of(replace(scene, sensitive=column), shown, thorough) for column in learnt]
    assumed = [_View.of(replace(scene, qids=known), shown, thorough) for known in _assumed(shown, scene.qids)]
    tried: list[Finding] = []
    untried: list[Untried] = []
    known = {"population": population, "threshold": threshold, "weight": weight, "household": household}
    chosen = list(_chosen(attacks, known, thorough))
    progress.stage("attacking", len(chosen))
    for done, attack in enumerate(chosen):
        progress.tick(done, attack.id)
        # Who knows everything comes first, then whom the requirements have in mind.
        narrower = [*assumed, *(linked[:1] if linked is not views else [])] if attack.id == _PER_ADVERSARY else []
        able = [one if one.lacking(attack) is None else other for one, other in zip(views, linked, strict=True)]
        for view in [*(able if "sensitive" in attack.traits.needs else able[:1]), *narrower]:
            found = view.attacked(attack, threshold, known)
            if isinstance(found, Finding):
                tried.append(found)
            else:
                untried.append(found)
    progress.tick(len(chosen))
    return Findings(
        threshold, scene.published.rows, tuple(tried), tuple(untried), tuple(_identifiers(shown, scene.qids, thorough))
    )


def _refuse_unknown(shown: Shown, scene: Scene, sensitive: Sequence[str]) -> None:
    """Refuse columns that are not published: no attack could be tried, which is not what was asked."""
    if not scene.qids:
        rule = "say which columns an adversary may know"
        if shown.roles:
            where = "published column" if scene.external is None else "column of the external table"
            rule = f"no {where} is a quasi-identifier: {rule}"
        raise BadRequest(rule, parameter="qid", available=scene.published.columns)
    held = list(dict.fromkeys(name for table in (shown.parts.values() or [shown.table]) for name in table.types))
    for parameter, names, known in (("qid", scene.qids, scene.published.columns), ("sensitive", sensitive, held)):
        for name in names:
            if name not in known:
                raise BadRequest("is not a published column", parameter=parameter, value=name, available=known)
    for name in sensitive:
        if name in scene.qids:
            raise BadRequest("is known to the adversary and cannot be learnt", parameter="sensitive", value=name)


def _refuse_another(raw: Table | None, columns: Sequence[str]) -> None:
    """Refuse a table before masking that lacks the columns: nothing could be compared, which is not what was asked."""
    for name in columns:
        if raw is not None and name not in raw.types:
            raise BadRequest("lacks a column of the release", parameter="raw", value=name, available=raw.columns)


def _chosen(attacks: Sequence[Any] | None, known: Mapping[str, Any], thorough: bool) -> Iterator[Attack]:
    """Yield the attacks, told what is known of the population and the threshold where they ask for it."""
    if attacks is not None:
        for one in attacks:
            yield one if isinstance(one, Attack) else build(one, "attack")
        return
    for thing in things("attack"):
        assert issubclass(thing, Attack)
        if thorough or thing.traits.quick:
            asked = {declared.name for declared, _, _ in parameters(thing)}
            if "record" not in thing.traits.aims_at:
                asked -= {"threshold"}  # how sure one may be of a value is another question
            yield thing(**{key: value for key, value in known.items() if key in asked and value is not None})


@dataclass(frozen=True, eq=False)
class _View:
    """The scenes of one sensitive column: they keep their groups, so that all attacks share one count of each table."""

    after: Scene
    shown: Shown
    before: Scene | None
    thorough: bool

    @classmethod
    def of(cls, scene: Scene, shown: Shown, thorough: bool) -> _View:
        raw, wanted = scene.raw, (*scene.qids, *([scene.sensitive] if scene.sensitive else []))
        comparable = raw is not None and all(name in raw.types for name in wanted)
        return cls(
            scene,
            shown,
            replace(scene, published=raw, parts={}) if raw is not None and comparable else None,
            thorough,
        )

    def lacking(self, attack: Attack) -> str | None:
        """Say why the attack cannot be tried, or nothing."""
        return attack.unfit(by_groups(attack, self.after, self.shown))

    def attacked(self, attack: Attack, threshold: float, known: Mapping[str, Any]) -> Finding | Untried:
        """Try an attack, or say why it cannot be tried; what the caller told wrongly about the table is refused."""
        traits = attack.traits
        scene = by_groups(attack, self.after, self.shown)
        lacking = self.lacking(attack)
        if lacking is not None:
            return Untried.of(attack, lacking)
        try:
            after = Exposure.of(attack.run(scene), threshold)
        except SfumatoError as error:
            told = {f"{attack.id}.{key}" for key, value in known.items() if value is not None}
            if isinstance(error, BadRequest) and error.parameter in told:
                raise
            return Untried.of(attack, str(error))
        return Finding(
            attack=attack.id,
            spec=attack.spec(),
            summary=attack.summary(),
            adversary=attack.adversary,
            aims_at=tuple(sorted(traits.aims_at)),
            victims=traits.victims,
            columns=scene.qids,
            sensitive=scene.sensitive if "sensitive" in traits.needs else None,
            after=after,
            before=self._before(attack, threshold),
        )

    def _before(self, attack: Attack, threshold: float) -> Exposure | None:
        """Return what the same attack finds in the table before masking, if it is there and can be tried."""
        if self.before is None or {"raw", "parts", "other"} & attack.traits.needs or attack.unfit(self.before):
            return None
        if not self.thorough and attack.id not in _COMPARED:
            return None
        try:
            return Exposure.of(attack.run(self.before), threshold)
        except SfumatoError:
            return None


def _assumed(shown: Shown, qids: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return what the adversaries of single requirements know, where that is less than all columns."""
    wanted = [tuple(name for name in qids if name in (model.qid or qids)) for model in shown.models]
    return [known for known in dict.fromkeys(wanted) if known and known != qids][:_MOST_ADVERSARIES]


def _identifiers(shown: Shown, qids: Sequence[str], thorough: bool) -> Iterator[dict[str, Any]]:
    """Yield what looks like a direct identifier among the columns that nobody masked."""
    for part, table in (shown.parts or {"data": shown.table}).items():
        columns = [name for name in table.columns if name not in qids and shown.roles.get(name) is not Role.IDENTIFIER]
        seen: set[str] = set()
        for found in detect(table, columns=columns, examined=EXAMINED if thorough else _GLANCED):
            if found.role is Role.IDENTIFIER and found.column not in seen:
                seen.add(found.column)
                yield {
                    "part": part,
                    "column": found.column,
                    "identifier": found.identifier,
                    "reason": found.reason,
                    "records": found.records,
                }


def _raw(shown: Shown, raw: Any) -> Any:
    return raw if raw is not None else shown.raw


def _protected(shown: Shown, sensitive: str | Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """Return the columns to learn: those asked for, or the sensitive ones that the adversary is not said to know."""
    if isinstance(sensitive, str):
        return [sensitive]
    if sensitive is not None:
        return list(dict.fromkeys(sensitive))
    tables = shown.parts.values() or [shown.table]
    held = {column for table in tables for column in table.types if column not in known}
    return [name for name in shown.of_role(Role.SENSITIVE) if name in held]
