"""A version of a column at some level of trust, as its recipient has it."""

from __future__ import annotations

from sfumato.contracts.published import Published
from sfumato.data.frozen import frozen
from sfumato.perturbations.multilevel_perturbation import MultilevelPerturbation
from sfumato.releases.perturbed_table import PerturbedTable

__all__ = ["Version"]


@frozen
class Version:
    """Which view is a version, of which column, with what probability a value was kept, and how many values there are."""

    view: str
    column: str
    retention: float
    values: int

    @classmethod
    def of(cls, view: str, published: Published) -> Version | None:
        """Return what the certificate of a release says of its version; nothing if it is none."""
        form = published.form
        if not isinstance(form, PerturbedTable) or form.mechanism != MultilevelPerturbation.id:
            return None
        facts, column, kept = form.settings.get("facts"), form.settings.get("column"), form.settings.get("p")
        size = facts.get("domain size") if isinstance(facts, dict) else None
        if not isinstance(column, str) or not isinstance(kept, (int, float)) or not isinstance(size, int):
            return None
        return cls(view, column, float(kept), size)
