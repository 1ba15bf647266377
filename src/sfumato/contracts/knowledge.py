"""What an adversary sees of a release and what she knows beside it: one dataclass of knowledge for each shape of data.

Each field is declared once, with a sentence. Keyword arguments of ``attack`` and ``audit``, options of their commands, and what
is said of an attack that cannot be tried all read this declaration.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cache
from typing import Literal, Protocol, TypeAlias, TypedDict, TypeVar, cast, get_type_hints

from sfumato.contracts.engine import Table
from sfumato.contracts.model import TableModel
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, nearest
from sfumato.groups.stats import GroupStats
from sfumato.groups.weighted import weighted_groups
from sfumato.kernels.arrays import Codes

__all__ = [
    "Knowledge",
    "Names",
    "Piece",
    "Reading",
    "Seen",
    "TableKnowledge",
    "Told",
    "knows",
    "lacking",
    "names_told",
    "pieces",
    "tells",
    "told_of",
]

Names: TypeAlias = tuple[str, ...]
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])


@frozen
class Piece:
    """One thing that may be known: what it is, how arguments and options call it, and what is taken if nobody says.

    ``own`` tells whether attacks have it as a parameter of their own, ``rest`` whether it holds what no other piece is called.
    ``field`` and ``hint`` are those of its declaration.
    """

    doc: str
    said: str = ""
    flag: str = ""
    unsaid: str = ""
    own: bool = False
    rest: bool = False
    field: str = ""
    hint: object = None


def knows(
    default: T,
    doc: str,
    *,
    said: str = "",
    flag: str = "",
    unsaid: str = "",
    own: bool = False,
    rest: bool = False,
    factory: Callable[[], T] | None = None,
) -> T:
    """Declare something that may be known: what it is, and the names of the argument and the option if they are others."""
    told = {"piece": Piece(doc, said, flag, unsaid, own, rest)}
    return field(default=default, metadata=told) if factory is None else field(default_factory=factory, metadata=told)


def pieces(kind: type) -> tuple[Piece, ...]:
    """Return everything that is declared in a dataclass; a second release is asked for last."""
    return _declared(kind)


@cache
def _declared(kind: type) -> tuple[Piece, ...]:
    hints = get_type_hints(kind)
    found = []
    for one in sorted(fields(kind), key=lambda one: one.name == "other"):
        piece: Piece | None = one.metadata.get("piece")
        if piece is not None:
            said = piece.said or one.name
            found.append(replace(piece, said=said, flag=piece.flag or said, field=one.name, hint=hints[one.name]))
    return tuple(found)


def lacking(needs: frozenset[str], *held: object) -> list[Piece]:
    """Return which of the needed things nobody told, in the order in which they are declared."""
    return [
        piece
        for one in held
        for piece in pieces(type(one))
        if piece.said in needs and _empty(getattr(one, piece.field))
    ]


def _empty(value: object) -> bool:
    return value is None or (isinstance(value, (tuple, Mapping)) and not value)


class Reading(Protocol):
    """What the labels of one column stand for."""

    @property
    def root(self) -> str:
        """The label that stands for everything."""

    def knows(self, label: str) -> bool:
        """Tell whether a text is a label."""

    def runs(self, labels: Sequence[str], values: Sequence[Hashable]) -> tuple[Codes, Codes, Codes]:
        """Return the rank of each value, -1 without a place, and the first rank and the one after the last of each label."""


@frozen(eq=False)
class Seen:
    """How an adversary reads what is published: its tables, roles and requirements, and what labels stand for.

    ``table`` holds the records; ``parts`` are all public tables of a release that has several. ``readings`` tell what labels of
    a column mean; without one a label stands for itself, an interval of numbers, or everything (``*``). ``stands_for`` says
    what a row is: a record, a part of a group, or the output of a random procedure that is true of nobody. ``buckets`` are the
    groups of a release that publishes sensitive values by group, ``counted`` groups that stand for those of the table.

    ``weights`` is the column that says for how many records a row stands, one if there is none. Values in columns that were
    ``changed`` at random need not be those of the row's record; in ``aggregated`` ones they are those of a group and nobody's
    own. ``nobody`` rows were added, and no row tells that it is one of them. Columns of parts that are ``counted_off``
    hold 1 to n, or refer to such numbers: whatever they are called, they name nobody.
    """

    table: Table
    parts: Mapping[str, Table] = knows({}, "the two tables of an anatomy pair", factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)
    models: tuple[TableModel, ...] = ()
    stands_for: Literal["records", "groups", "statistics"] = "records"
    buckets: GroupStats | None = None
    counted: GroupStats | None = None
    weights: str | None = None
    changed: frozenset[str] = frozenset()
    aggregated: frozenset[str] = frozenset()
    nobody: int = 0
    counted_off: frozenset[tuple[str, str]] = frozenset()
    _kept: dict[Hashable, object] = field(default_factory=dict, init=False, repr=False)

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what an attack left here under a key for the next one, or make it."""
        if key not in self._kept:
            self._kept[key] = make()
        return cast("T", self._kept[key])

    def groups(self, knowledge: Knowledge) -> GroupStats:
        """Return the records by the columns that are known, what is to be learnt counted; all attacks share them."""
        if self.counted is not None:
            return self.counted
        # A release in parts may publish its sensitive values in another table than its records.
        learnt = tuple(name for name in knowledge.learn if name in self.table.types)
        return self.keep((knowledge.known, learnt), lambda: self.counts(knowledge.known, learnt))

    def counts(self, columns: Sequence[str], histograms: Sequence[str] = ()) -> GroupStats:
        """Return the records by some columns; where a row stands for several, it counts as many times."""
        if self.weights is None:
            return self.table.groups(columns, histograms)
        return weighted_groups(self.table, columns, histograms, self.weights)

    @property
    def records(self) -> int:
        """How many records the rows stand for; rows that were added stand for none."""
        if self.weights is None:
            return self.table.rows - self.nobody
        return int(self.counts([self.weights]).sizes.sum())

    def original(self, raw: Table) -> Seen:
        """Return the table before masking, read in the same way: its rows are records and its values true."""
        return replace(
            self,
            table=raw,
            parts={},
            stands_for="records",
            weights=None,
            changed=frozenset(),
            aggregated=frozenset(),
            nobody=0,
        )

    def of_role(self, role: Role) -> list[str]:
        """Return the columns with a role, in order."""
        return [name for name, known in self.roles.items() if known is role]

    def held(self) -> list[str]:
        """Return the columns of all public tables, in order."""
        return list(dict.fromkeys(name for table in (self.parts.values() or [self.table]) for name in table.types))


@frozen(kw_only=True, eq=False)
class Knowledge:
    """What an adversary knows beside a release, and what she wants to learn."""

    known: Names = knows((), say("known.linked_by"))
    learn: Names = knows((), say("known.learnt"))
    other: Seen | None = knows(None, say("known.other"))

    @property
    def linked_by(self) -> Names:
        """What is linked by, without any value of a person's columns."""
        return self.known

    def told(self) -> dict[str, object]:
        """Return what is known by the names that users say, without what is not."""
        unsaid = {one.name: one.default for one in fields(self)}
        held = {piece.said: (getattr(self, piece.field), unsaid[piece.field]) for piece in pieces(type(self))}
        return {said: value for said, (value, default) in held.items() if value != default}

    def own(self) -> dict[str, object]:
        """Return what attacks take as a parameter of their own."""
        held = self.told()
        return {piece.said: held[piece.said] for piece in pieces(type(self)) if piece.own and piece.said in held}


@frozen(kw_only=True, eq=False)
class TableKnowledge(Knowledge):
    """What an adversary of a published table may know.

    Tables are open ones here; as keyword arguments they may also be files or frames.
    """

    known: Names = knows(
        (),
        say("known.qid"),
        said="qid",
        unsaid="the quasi-identifiers that an external table has, too, or all columns that two bare tables share",
    )
    learn: Names = knows(
        (),
        say("known.sensitive"),
        said="sensitive",
        unsaid="what has that role, if anything has",
    )
    external: Table | None = knows(None, say("known.external"))
    name: str | None = knows(None, say("known.name"), flag="name-column")
    owners: Table | None = knows(None, say("known.owners"), unsaid="the external table")
    raw: Table | None = knows(None, say("known.raw"))
    control: Table | None = knows(None, say("known.control"))
    corrupted: Table | None = knows(None, say("known.corrupted"))
    models: tuple[TableModel, ...] = knows((), say("known.models"), unsaid="those of a release")
    hierarchies: Mapping[str, Tree | Mapping[str, object]] | None = knows(None, say("known.hierarchies"))
    population: int | None = knows(None, say("known.population"), own=True)
    weight: str | None = knows(None, say("known.weight"), own=True)
    household: str | None = knows(None, say("known.household"), own=True)

    @property
    def sensitive(self) -> str | None:
        """The column to learn, if there is one."""
        return self.learn[0] if self.learn else None

    @property
    def secret(self) -> str:
        """The column to learn, for an attack that needs one."""
        return self.learn[0]


class Told(TypedDict, total=False):
    """What users say of :class:`TableKnowledge`: the same names, and files or frames for tables."""

    qid: Sequence[str] | None
    sensitive: str | Sequence[str] | None
    external: object
    name: str | None
    owners: object
    raw: object
    control: object
    corrupted: object
    other: object
    models: Sequence[TableModel | Mapping[str, object] | str]
    hierarchies: Mapping[str, Tree | Mapping[str, object]] | None
    population: int | None
    weight: str | None
    household: str | None


_OWN: dict[str, list[str]] = {}  # keywords of each verb beside what may be known: whoever mistypes one ends up here


def told_of(
    verb: str, knowledge: Knowledge | None, told: Mapping[str, object], *shapes: type[Knowledge]
) -> dict[str, object]:
    """Return what was told to a verb as an object and by name, where a name counts more; an unknown name is refused."""
    names = list(dict.fromkeys(piece.said for shape in shapes for piece in pieces(shape)))
    said = {name: value for name, value in told.items() if value is not None}
    for name in said:
        if name not in names:
            close = nearest(name, [*_OWN[verb], *names], 1)
            meant = f"; did you mean {close[0]!r}?" if close else f"; what may be known is {', '.join(names)}"
            raise TypeError(f"{verb}() got an unexpected keyword argument {name!r}{meant}")
    return {**({} if knowledge is None else knowledge.told()), **said}


def tells(shape: type[Knowledge]) -> Callable[[F], F]:
    """Let the signature of a verb list everything that may be told, and ``[told]`` in its docstring say what it means."""

    def named(verb: F) -> F:
        asked = pieces(shape)
        own = inspect.signature(verb)
        kept = [one for one in own.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        _OWN[verb.__name__] = [one.name for one in kept if one.kind is inspect.Parameter.KEYWORD_ONLY]
        more = [inspect.Parameter(one.said, inspect.Parameter.KEYWORD_ONLY, default=None) for one in asked]
        vars(verb)["__signature__"] = own.replace(parameters=[*kept, *more])
        listed = [
            f"- ``{one.said}``: {one.doc}" + (f"; if not given, {one.unsaid}" if one.unsaid else "") for one in asked
        ]
        verb.__doc__ = (verb.__doc__ or "").replace("[told]", ";\n    ".join(listed) + ".")
        return verb

    return named


def names_told(told: Mapping[str, object], key: str) -> Names:
    """Return names that an adversary was told under a key: one, several or none; what is no list of them is refused.

    >>> names_told({"items": ["milk", "bread"]}, "items"), names_told({}, "items")
    (('milk', 'bread'), ())
    """
    given = told.get(key)
    if given is None:
        return ()
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, (list, tuple, set, frozenset)):
        raise BadRequest("must be a list", parameter=key, value=type(given).__name__)
    return tuple(str(name) for name in given)
