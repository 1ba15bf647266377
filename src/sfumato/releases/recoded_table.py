"""Recoded table: the records themselves, with quasi-identifiers generalized, cut into intervals or suppressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.contracts.engine import Table
from sfumato.contracts.model import Model, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.release import Parts, ReleaseKind, ReleaseTraits
from sfumato.data.tree import Tree

__all__ = ["RecodedTable"]


@dataclass(frozen=True, kw_only=True)
class RecodedTable(ReleaseKind):
    """The records themselves, with quasi-identifiers generalized, cut into intervals or suppressed.

    Every published value is true of its record, only less exact. The check groups the published rows by the text of their
    quasi-identifiers, with the engine's own group-by, and asks each requirement about the groups.

    Examples
    --------
    >>> from sfumato.engines import from_rows
    >>> from sfumato.models.k_anonymity import KAnonymity
    >>> table = from_rows(["Job"], [("Artist",), ("Artist",)])
    >>> [bool(verdict) for verdict in RecodedTable().verify(table, [KAnonymity(k=2)], ["Job"])]
    [True]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 3.1.
    """

    id: ClassVar[str] = "recoded-table"
    traits: ClassVar[ReleaseTraits] = ReleaseTraits(
        truthful=True, mixed_granularity=False, verifiable="every requirement, from the published rows alone"
    )

    def verify(
        self,
        parts: Parts,
        models: Sequence[Model],
        qids: Sequence[str],
        *,
        external: Table | None = None,
        reference: Mapping[str, Mapping[str, int]] | None = None,
        trees: Mapping[str, Tree] | None = None,
    ) -> list[Verdict]:
        """Judge published rows by counting them anew.

        ``external`` is a population table recoded like the published one, ``reference`` the counts of columns before records
        were left out, which models that compare groups with the whole table use, ``trees`` the hierarchies of columns that
        models measure in.
        """
        publication = Publication(
            table=self.tables(parts)["data"],
            qids=tuple(qids),
            external=external,
            trees=trees or {},
            reference=reference or {},
        )
        return [model.judge(publication) for model in models]

    def statement(self) -> dict[str, Any]:
        """Return what a reader can check and what nobody can see from the files."""
        return {
            "checked": ["every requirement, on the published rows grouped anew"],
            "not_checkable": [
                "that each published value is true of the record it stands for",
                "that no record was added, and that those left out were left out for the stated reasons",
            ],
        }
