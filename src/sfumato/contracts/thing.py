"""The common base of everything that has an id: declared parameters, validation, JSON form, self-description.

A thing is a frozen dataclass. Its fields are its parameters: ``param`` gives each one a range and a sentence, ``column``
marks the ones that name a column. Range checks, the policy keys, the command-line options and the reference page all
read the same declaration.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from datetime import date
from functools import cache, wraps
from typing import Any, ClassVar, Self, Union, dataclass_transform, get_args, get_origin, get_type_hints

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.errors import BadRequest
from sfumato.groups.label_rows import LabelRows

__all__ = ["Rule", "Thing", "column", "columns", "param", "parameters"]


@frozen
class Rule:
    """What a parameter accepts, in data: a sentence, a range, a list of choices, or a column of the table."""

    doc: str
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    choices: tuple[object, ...] | None = None
    column_role: str | None = None
    entry: str | None = None
    """What a list names; one that is declared so may not be empty."""

    def range_text(self) -> str:
        """Spell the range as a condition, or return an empty text."""
        parts = [
            f"{sign} {limit:g}"
            for sign, limit in ((">=", self.ge), (">", self.gt), ("<=", self.le), ("<", self.lt))
            if limit is not None
        ]
        if self.choices is not None:
            parts.append("one of " + ", ".join(str(choice) for choice in self.choices))
        return " and ".join(parts)

    def percent_text(self, value: object) -> str:
        """Say of a percentage where a share is wanted how it is written; nothing of anything else."""
        if self.le != 1 or self.ge not in (None, 0):
            return ""
        try:
            number = float(value.strip().removesuffix("%")) if isinstance(value, str) else value
        except ValueError:
            return ""
        if not isinstance(number, (int, float)) or not 2 <= number <= 100:
            return ""
        return f": a share, {number / 100:g}, not {number:g} (percent)"


def param(
    *,
    doc: str,
    default: Any = MISSING,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    choices: tuple[object, ...] | None = None,
    entry: str | None = None,
) -> Any:
    """Declare a parameter of a thing: its meaning and what it accepts; a list with an ``entry`` names at least one."""
    rule = Rule(doc, ge, gt, le, lt, choices, entry=entry)
    return field(default=default, metadata={"rule": rule})


def column(role: str, *, doc: str, default: Any = MISSING) -> Any:
    """Declare a parameter that names one column of the given role."""
    return field(default=default, metadata={"rule": Rule(doc, column_role=role)})


def columns(role: str, *, doc: str, default: Any = MISSING, some: bool = False) -> Any:
    """Declare a parameter that names several columns of the given role, or with ``some`` at least one."""
    return field(default=default, metadata={"rule": Rule(doc, column_role=role, entry="column" if some else None)})


def parameters(cls: type[Thing]) -> tuple[tuple[dataclasses.Field[Any], Rule, Any], ...]:
    """List the declared parameters of a thing: field, rule, resolved type."""
    known: Any = cls
    return _parameters(known)


@cache
def _parameters(cls: Any) -> tuple[tuple[dataclasses.Field[Any], Rule, Any], ...]:
    hints = get_type_hints(cls) if cls._rules else {}
    return tuple((f, cls._rules[f.name], hints[f.name]) for f in fields(cls) if f.name in cls._rules)


def _accepts(value: Any, hint: Any) -> Any:
    """Return ``value`` in the declared type, or raise ``TypeError`` naming the type that was expected."""
    if type(value) is hint and hint is not float:
        return value  # lists of millions of cells pass here
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in get_args(hint):
            return None
        wanted = []
        for option in get_args(hint):
            if option is type(None):
                continue
            try:
                return _accepts(value, option)
            except TypeError as error:
                wanted.append(str(error))
        raise TypeError(" or ".join(dict.fromkeys(wanted)))
    if origin is tuple:
        if not isinstance(value, (tuple, list)):
            raise TypeError("a list")
        inner = get_args(hint)
        if len(inner) == 2 and inner[1] is Ellipsis:
            if inner[0] is not float and all(type(item) is inner[0] for item in value):
                return tuple(value)
            return tuple(_accepts(item, inner[0]) for item in value)
        if len(inner) != len(value):
            raise TypeError(f"a list of {len(inner)} entries")
        return tuple(_accepts(item, kind) for item, kind in zip(value, inner, strict=True))
    if hint is Any or origin is not None:
        return value  # mappings and the like: the thing itself knows what they must hold
    if hint is bool:
        if not isinstance(value, bool):
            raise TypeError("true or false")
        return value
    if hint is int:
        if isinstance(value, bool) or not (isinstance(value, int) or type(value).__module__ == "numpy"):
            raise TypeError("a whole number")
        if int(value) != value:
            raise TypeError("a whole number")
        return int(value)
    if hint is float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
            raise TypeError("a number")
        return float(value) if isinstance(value, float) else value
    if hint is str:
        if not isinstance(value, str):
            raise TypeError("a text")
        return value
    if hint is date:
        if not isinstance(value, date):
            raise TypeError("a date")
        return value
    return value


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(param, column, columns, field))
@frozen(kw_only=True)
class Thing:
    """Anything with an id. Subclasses are frozen keyword-only dataclasses; their declared fields are their parameters.

    Being a dataclass is inherited: no subclass says it again.
    """

    id: ClassVar[str] = ""
    kind: ClassVar[str] = "thing"
    aliases: ClassVar[tuple[str, ...]] = ()
    """Names that other documents give the same thing."""
    _rules: ClassVar[Mapping[str, Rule]] = {}

    def __init_subclass__(cls, **given: object) -> None:
        super().__init_subclass__(**given)
        if not _declares(cls):
            return
        own = "__init__" in vars(cls)
        frozen(kw_only=True)(cls)
        if not own:
            cls.__init__ = _by_name(cls.__init__)  # type: ignore[method-assign]
        # A class may call itself a dataclass once more: what it declared is kept.
        cls._rules = {**cls._rules, **{f.name: f.metadata["rule"] for f in fields(cls) if "rule" in f.metadata}}

    def __post_init__(self) -> None:
        for declared, rule, hint in parameters(type(self)):
            value = getattr(self, declared.name)
            try:
                value = _accepts(value, hint)
            except TypeError as error:
                raise BadRequest(
                    f"must be {error}"
                    + (f" {rule.range_text()}" if rule.range_text() else "")
                    + rule.percent_text(value),
                    parameter=f"{self.id}.{declared.name}",
                    value=value,
                ) from None
            object.__setattr__(self, declared.name, value)
            self._check_range(declared.name, rule, value)
        self.validate()

    def _check_range(self, name: str, rule: Rule, value: object) -> None:
        if value is None:
            return
        if rule.choices is not None and value not in rule.choices:
            raise BadRequest(
                "is not one of the choices", parameter=f"{self.id}.{name}", value=value, available=rule.choices
            )
        if rule.entry is not None and value == ():
            raise BadRequest(f"must name at least one {rule.entry}", parameter=f"{self.id}.{name}")
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return
        broken = (
            (rule.ge is not None and not value >= rule.ge)
            or (rule.gt is not None and not value > rule.gt)
            or (rule.le is not None and not value <= rule.le)
            or (rule.lt is not None and not value < rule.lt)
        )
        if broken:
            raise BadRequest(
                f"must be {rule.range_text()}{rule.percent_text(value)}", parameter=f"{self.id}.{name}", value=value
            )

    def validate(self) -> None:
        """Check what no single range can say; subclasses raise :class:`BadRequest`."""

    def spec(self) -> dict[str, Json]:
        """Return ``{"id": ..., parameters that differ from their default}``, ready for JSON."""
        from sfumato.catalogue import name_of

        out: dict[str, Json] = {"id": name_of(type(self))}
        for declared, _, _ in parameters(type(self)):
            value = getattr(self, declared.name)
            if declared.default is not MISSING and value == declared.default:
                continue
            out[declared.name] = _plain(value)
        return out

    @classmethod
    def from_spec(cls, spec: Mapping[str, object]) -> Self:
        """Rebuild a thing from :meth:`spec`; unknown keys are refused with the known ones named."""
        given = {key: value for key, value in spec.items() if key != "id"}
        _refuse_wrong_names(cls, given, [declared for declared, _, _ in parameters(cls)])
        return cls(**given)

    @classmethod
    def comparison(cls) -> Sequence[Sequence[str]]:
        """Return what it compares, if it compares things: the names of columns, then rows that begin with an id."""
        return ()

    @classmethod
    def summary(cls) -> str:
        """Return the first line of the docstring."""
        return (inspect.getdoc(cls) or "").strip().split("\n", 1)[0]


_MADE = ("__init__", "__repr__", "__eq__", "__hash__", "__match_args__")


def _declares(cls: type[Thing]) -> bool:
    """Tell whether a class must be made a dataclass of its own: most declare no parameter, and what their base is made of does.

    Making one takes longer than loading the rest of its file.
    """
    own, (first, *others) = vars(cls), cls.__bases__
    hints = [hint for hint in own.get("__annotations__", {}).values() if not str(hint).startswith("ClassVar[")]
    joined = not issubclass(first, Thing) or any(hasattr(base, "__dataclass_fields__") for base in others)
    return bool(hints) or joined or not own.get("__doc__") or not own.keys().isdisjoint(_MADE)


def _by_name(init: Callable[..., None]) -> Callable[..., None]:
    """Let a thing be built as before, but say in our words which parameter is missing or unknown."""

    @wraps(init)
    def built(self: Thing, *positional: object, **given: object) -> None:
        if not positional:
            _refuse_wrong_names(type(self), given, [one for one in fields(self) if one.init])
        init(self, *positional, **given)

    return built


def _refuse_wrong_names(thing: type[Thing], given: Mapping[str, object], declared: Sequence[Field[Any]]) -> None:
    known = [one.name for one in declared]
    for name in given:
        if name not in known:
            raise BadRequest("is not a parameter", parameter=f"{thing.id}.{name}", value=name, available=known)
    for one in declared:
        if one.name not in given and one.default is MISSING and one.default_factory is MISSING:
            raise BadRequest("is required and missing", parameter=f"{thing.id}.{one.name}", available=known)


def _plain(value: Any) -> Json:
    if isinstance(value, Thing):
        return value.spec()
    if isinstance(value, LabelRows):
        return [list(row) for row in value]
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, date):
        return value.isoformat()
    kept: Json = value
    return kept
