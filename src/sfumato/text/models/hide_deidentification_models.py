"""Removal of what identifies: of direct identifiers alone, or of everything an adversary may know."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.model import Model, ModelTraits, Verdict, Violation
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.text.view import TextView

__all__ = ["HideDeidentification"]


class HideDeidentification(Model[TextView]):
    """No span of an identifying type tells anything, and no word that was masked in a document stands elsewhere in it.

    ``partial`` removes direct identifiers (names, numbers), ``full`` quasi-identifiers (ages, places, dates) as well. Removal
    bounds no probability: who knows the quasi-identifiers that ``partial`` leaves may know whom they describe. The
    *statistical* model keeps generalized quasi-identifiers under a requirement such as k-anonymity instead.

    Adversary: reads the documents and knows names and numbers, and in ``full`` what else may be known of a person.

    Examples
    --------
    >>> from sfumato.text import Documents
    >>> view = TextView(Documents.of(["<name>Ann</name> is <age>41</age>"], tagged=True), {"name": Role.IDENTIFIER})
    >>> HideDeidentification(mode="partial").judge(view).satisfied
    False

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.3.1.
    Gardner, Xiong, "HIDE: an integrated system for health information de-identification", 2008, doi:10.1109/CBMS.2008.129.
    """

    id: ClassVar[str] = "hide-deidentification-models"
    traits: ClassVar[ModelTraits] = ModelTraits(frozenset({"record"}), "record")
    adversary: ClassVar[str] = say("adversary.hide-deidentification-models")
    level: ClassVar[str] = "spans left"

    mode: str = param(
        default="partial",
        choices=("partial", "full", "statistical"),
        doc="which types of spans are removed; statistical is asked for by a requirement on tables instead",
    )

    def validate(self) -> None:
        """Refuse what removal alone cannot promise."""
        super().validate()
        if self.mode == "statistical":
            raise BadRequest(
                "generalizes what may be known until persons look alike: name a requirement on tables in its place, such as "
                "{id: k-anonymity, k: 5}",
                parameter=f"{self.id}.mode",
                value=self.mode,
            )

    def private(self) -> tuple[str, ...]:
        """What was masked is known to the holder alone."""
        return ("spans",)

    def removes(self, role: Role | None) -> bool:
        """Tell whether spans of a role must go."""
        return role is Role.IDENTIFIER or (self.mode == "full" and role is Role.QUASI_IDENTIFIER)

    def judge(self, view: TextView, *, worst: int = 10) -> Verdict:
        """Count spans that are left, and words that were masked and stand elsewhere."""
        broken = list[tuple[int, int]]()
        total = 0
        for at, document in enumerate(view.documents):
            left = sum(1 for span in document.spans if self.removes(view.roles.get(span.type)))
            left += view.left.get(document.name, 0)
            total += left
            if left:
                broken.append((-left, at + 1))
        return self.verdict(
            satisfied=not total,
            strongest=total,
            groups=len(view.documents),
            records=len(view.documents),
            bound="<= 0",
            violations=[Violation((number,), 1, -left) for left, number in sorted(broken)[:worst]],
            violating_groups=len(broken),
            violating_records=len(broken),
        )
