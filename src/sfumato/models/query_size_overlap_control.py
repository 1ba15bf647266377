"""Query-size-overlap control: no query about too few records, and no two about nearly the same ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sfumato.contracts.model import Audit, MechanismModel, ModelTraits, at_most
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest

__all__ = ["AskedQuery", "QueryLog", "QuerySizeOverlapControl"]


@frozen
class AskedQuery:
    """One entry of the log: the question, the records it is about, and why it was refused, if it was."""

    question: str
    records: frozenset[int]
    refused: str | None = None

    @property
    def answered(self) -> bool:
        """Whether the query was answered."""
        return self.refused is None


@dataclass(eq=False)
class QueryLog:
    """What was asked about one table, and the rule that decides what may still be asked.

    Refused queries are logged and do not count as known to the asker. The log names records by their row and must stay.
    """

    rule: QuerySizeOverlapControl
    rows: int
    entries: list[AskedQuery] = field(default_factory=list)

    def ask(self, records: Collection[int], question: str = "", *, refused: str | None = None) -> bool:
        """Decide about a query by the rows it is about, and log it; tell whether it may be answered.

        ``refused`` says why another rule refuses it already.
        """
        held = frozenset(int(row) for row in records)
        if held and not (min(held) >= 0 and max(held) < self.rows):
            raise BadRequest(f"must be row numbers from 0 to {self.rows - 1}", parameter="records")
        earlier = [entry.records for entry in self.entries if entry.answered]
        refused = refused or self.rule.refusal(held, self.rows, earlier)
        self.entries.append(AskedQuery(question, held, refused))
        return refused is None

    def document(self) -> dict[str, object]:
        """Return the log as plain data."""
        return {
            "rule": self.rule.spec(),
            "rows": self.rows,
            "queries": [
                {"question": entry.question, "records": sorted(entry.records), "refused": entry.refused}
                for entry in self.entries
            ],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> QueryLog:
        """Read a log from plain data."""
        try:
            entries = [
                AskedQuery(str(entry["question"]), frozenset(map(int, entry["records"])), entry["refused"])
                for entry in document["queries"]
            ]
            return cls(QuerySizeOverlapControl.from_spec(document["rule"]), int(document["rows"]), entries)
        except (KeyError, TypeError, ValueError):
            raise BadRequest("is not a log of queries", parameter="log") from None


class QuerySizeOverlapControl(MechanismModel):
    """A query is answered only if it is about enough records, and shares few with any query answered before.

    With N records in the table, a query about the set Q is answered iff ``m <= |Q| <= N - m`` and ``|Q and Q'| <= r``
    for every Q' that was answered earlier. It stops queries about one person and the simplest pairs of queries whose
    difference is one person. It does not stop longer chains of queries: use differential privacy where that matters.

    Adversary: asks for sums or counts over sets of records and subtracts the answers.

    Examples
    --------
    >>> rule = QuerySizeOverlapControl(m=2, r=1)
    >>> log = rule.log(rows=6)
    >>> log.ask([0, 1, 2], "women"), log.ask([0, 1], "women in the north"), log.ask([3, 4], "men")
    (True, False, True)
    >>> log.entries[1].refused
    'shares 2 records with an earlier query, at most 1 may be shared'

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.4.
    Dobkin, Jones, Lipton, "Secure databases: protection against user influence", 1979, doi:10.1145/320064.320068.
    """

    id: ClassVar[str] = "query-size-overlap-control"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"attribute"}), evaluation="mechanism")
    adversary: ClassVar[str] = say("adversary.query-size-overlap-control")

    m: int = param(ge=1, doc="fewest records that a query may be about, and that it may leave out")
    r: int | None = param(default=None, ge=0, doc="most records that two queries may share; any number if not set")

    def log(self, rows: int) -> QueryLog:
        """Return an empty log for a table of this many rows."""
        return QueryLog(self, rows)

    def refusal(self, records: Collection[int], rows: int, earlier: Iterable[Collection[int]] = ()) -> str | None:
        """Return why a query may not be answered, or ``None``."""
        held = frozenset(records)
        if len(held) < self.m:
            return f"is about fewer than {self.m} records"
        if len(held) > rows - self.m:
            return f"leaves out fewer than {self.m} of all records"
        if self.r is None:
            return None
        shared = max((len(held & frozenset(other)) for other in earlier), default=0)
        if shared > self.r:
            return f"shares {shared} records with an earlier query, at most {self.r} may be shared"
        return None

    def audit(self, queries: Sequence[Collection[int]], *, rows: int) -> Audit:
        """Judge queries that were all answered, in their order; ``measured`` counts those that should not have been."""
        wrong = [at for at, records in enumerate(queries) if self.refusal(records, rows, queries[:at]) is not None]
        return self.audited(float(len(wrong)), at_most(0), {"queries": tuple(wrong)})
