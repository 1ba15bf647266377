"""What an audit found: every attack that was tried, before and after masking, and every one that could not be tried.

Findings hold counts, shares and names of columns, never a value or a name of a person, so that they can be shown to whoever
has to sign the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction
from math import isfinite
from typing import Any

from sfumato.contracts.attack import Attack, Details, K, Risk
from sfumato.data.frozen import frozen
from sfumato.data.html import html_list, html_table, html_text
from sfumato.data.json import Json
from sfumato.data.messages import tell
from sfumato.data.vega import bar_chart
from sfumato.data.words import percent

__all__ = ["Exposure", "Finding", "Findings", "Suspect", "Untried", "finite"]


@frozen
class Exposure:
    """How exposed the victims of one table are to one attack."""

    victims: int
    highest: float
    mean: float
    above: int
    reading: str
    details: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, risk: Risk, threshold: float) -> Exposure:
        """Return the summary of a risk; ``above`` counts the victims whose risk is above the threshold."""
        return cls(
            risk.victims,
            risk.highest,
            risk.mean,
            risk.above(threshold),
            risk.reading,
            dict(risk.details),
            risk.warnings,
        )

    @property
    def share_above(self) -> float:
        """Share of the victims whose risk is above the threshold."""
        return self.above / self.victims if self.victims else 0.0


@frozen
class Finding:
    """One attack that was tried: by whom, on which columns, and what it gave on the release and on the raw table."""

    attack: str
    spec: Mapping[str, object]
    summary: str
    adversary: str
    aims_at: tuple[str, ...]
    victims: str
    columns: tuple[str, ...]
    sensitive: str | None
    after: Exposure
    before: Exposure | None = None


@frozen
class Untried:
    """One attack that could not be tried, and what it would have needed."""

    attack: str
    summary: str
    adversary: str
    aims_at: tuple[str, ...]
    reason: str

    @classmethod
    def of(cls, attack: Attack[K], reason: str) -> Untried:
        """Return what is said of an attack that was not tried."""
        return cls(attack.id, attack.summary(), attack.adversary, tuple(sorted(attack.traits.aims_at)), reason)


@frozen(eq=False)
class Suspect(Details):
    """A published column that looks like a direct identifier: where, like which, why, and in what share of records."""

    part: str
    column: str
    identifier: str
    reason: str
    records: float


@frozen
class Findings:
    """All findings of an audit; ``threshold`` is the risk above which a victim counts as exposed.

    ``identifiers`` says which published columns look like direct identifiers.
    """

    threshold: float
    records: int
    tried: tuple[Finding, ...]
    untried: tuple[Untried, ...] = ()
    identifiers: tuple[Suspect, ...] = ()

    @property
    def yes(self) -> tuple[Finding, ...]:
        """Attacks that find somebody: those on records with victims above the threshold.

        How sure one may be of a value depends on how frequent it is anyway; whether a release adds to that is the question of
        ``inference``.
        """
        return tuple(found for found in self.tried if "record" in found.aims_at and found.after.above)

    def of(self, attack: str, sensitive: str | None = None) -> Finding:
        """Return the finding of one attack, on one sensitive column if several were tried."""
        for found in self.tried:
            if found.attack == attack and sensitive in (None, found.sensitive):
                return found
        raise KeyError(attack)

    @property
    def worst(self) -> Finding | None:
        """The finding with the highest risk on the release; the first one of several."""
        return max(self.tried, key=lambda found: found.after.highest, default=None)

    def joined(self, later: Findings) -> Findings:
        """Return these findings joined with those of a later audit that knew more, which counts where both tried the same."""
        held = {_place(found): found for found in (*self.tried, *later.tried)}
        tried = {found.attack for found in held.values()}
        untried = {one.attack: one for one in (*self.untried, *later.untried) if one.attack not in tried}
        return replace(self, tried=tuple(held.values()), untried=tuple(untried.values()))

    def __repr__(self) -> str:
        worst = "" if self.worst is None else f", worst {self.worst.attack} with {self.worst.after.highest:.3g}"
        return f"Findings({len(self.tried)} attacks tried, {len(self.untried)} not{worst})"

    def _repr_html_(self) -> str:
        names = ("attack", "column", "before", "after", "exposed")
        rows = [
            [
                found.attack,
                found.sensitive or "",
                "" if found.before is None else percent(found.before.highest, 1.0),
                percent(found.after.highest, 1.0),
                percent(found.after.share_above, 1.0),
            ]
            for found in self.tried
        ]
        untried = [f"{one.attack}: {one.reason}" for one in self.untried]
        table = html_table([tell(f"page.notebook.{name}") for name in names], rows)
        return html_text(repr(self)) + table + html_list(untried)

    def chart(self) -> Any:
        """Return the highest risk of each attack before and after masking as an Altair chart; needs the extra ``report``."""
        attack, risk, when = (tell(f"page.notebook.{name}") for name in ("attack", "highest", "when"))
        after, before = tell("page.notebook.after"), tell("page.notebook.before")
        bars: list[dict[str, Json]] = []
        for found in self.tried:
            bars += [] if found.before is None else [{attack: found.attack, when: before, risk: found.before.highest}]
            bars.append({attack: found.attack, when: after, risk: found.after.highest})
        return bar_chart(bars, attack, risk, when)

    def document(self) -> dict[str, object]:
        """Return the findings as plain data, for a JSON file."""
        return {
            "audit": 1,
            "threshold": self.threshold,
            "records": self.records,
            "identifiers": [dict(one) for one in self.identifiers],
            "tried": [
                {
                    **_plain(found, "attack", "summary", "adversary", "victims", "sensitive"),
                    "spec": dict(found.spec),
                    "aims_at": list(found.aims_at),
                    "columns": list(found.columns),
                    "after": _exposure(found.after),
                    "before": None if found.before is None else _exposure(found.before),
                }
                for found in self.tried
            ],
            "untried": [
                {**_plain(one, "attack", "summary", "adversary", "reason"), "aims_at": list(one.aims_at)}
                for one in self.untried
            ],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Findings:
        """Return the findings that :meth:`document` wrote."""
        return cls(
            document["threshold"],
            document["records"],
            tuple(
                Finding(
                    **{
                        **found,
                        "aims_at": tuple(found["aims_at"]),
                        "columns": tuple(found["columns"]),
                        "after": _read(found["after"]),
                        "before": None if found["before"] is None else _read(found["before"]),
                    }
                )
                for found in document["tried"]
            ),
            tuple(Untried(**{**one, "aims_at": tuple(one["aims_at"])}) for one in document["untried"]),
            tuple(Suspect(**one) for one in document["identifiers"]),
        )


def _place(found: Finding) -> tuple[object, ...]:
    return found.attack, found.sensitive, found.columns


def _plain(thing: object, *names: str) -> dict[str, object]:
    return {name: getattr(thing, name) for name in names}


def _exposure(one: Exposure) -> dict[str, object]:
    return {
        **_plain(one, "victims", "highest", "mean", "above", "reading"),
        "details": finite(one.details),
        "warnings": list(one.warnings),
    }


def finite(details: object) -> object:
    """Return details as JSON can hold them: a number that is not finite becomes nothing, an exact share one with a point.

    >>> finite({"log_loss": float("inf"), "by": [0.5, float("nan"), Fraction(1, 4)]})
    {'log_loss': None, 'by': [0.5, None, 0.25]}
    """
    if isinstance(details, Mapping):
        return {key: finite(value) for key, value in details.items()}
    if isinstance(details, (list, tuple)):
        return [finite(value) for value in details]
    if isinstance(details, Fraction):
        return float(details)
    return None if isinstance(details, float) and not isfinite(details) else details


def _read(one: Mapping[str, Any]) -> Exposure:
    return Exposure(**{**one, "warnings": tuple(one["warnings"])})
