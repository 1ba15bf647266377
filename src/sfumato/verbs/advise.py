"""From answers about who gets the data, and what for, to requirements, each with the answer it follows from and its source."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Literal

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.data.messages import ENGLISH, spoken, tell
from sfumato.data.words import named
from sfumato.errors import BadRequest

__all__ = [
    "AUDIENCES",
    "USES",
    "Proposal",
    "Proposed",
    "Purpose",
    "Suggestion",
    "advise",
    "fitting",
    "purpose_of",
    "suggestion",
]

AUDIENCES = ("anyone", "contract", "house")

USES = ("predict", "count", "link", "test")

Audience = Literal["anyone", "contract", "house"]

Use = Literal["predict", "count", "link", "test"]


def _spoken(reason: Mapping[str, str]) -> str:
    """Return a reason in the language that is spoken; in English if nobody has translated it."""
    return reason.get(spoken(), reason[ENGLISH])


@frozen
class Suggestion:
    """What is suggested for one audience."""

    k: int
    l: int
    suppress_at_most: float
    reason: Mapping[str, str]
    source: str

    @property
    def why(self) -> str:
        """The reason in the language that is spoken."""
        return _spoken(self.reason)


@frozen
class Purpose:
    """What follows from one use of the data; what it leaves open stays as the audience has it."""

    reason: Mapping[str, str]
    source: str
    needs_column: bool = False
    column: Mapping[str, Json] | None = None
    column_not_for: Sequence[str] = ()
    algorithm: Mapping[str, Json] | None = None
    know_who: bool = False
    k: int = 0
    suppress_at_most: float | None = None

    @property
    def why(self) -> str:
        """The reason in the language that is spoken."""
        return _spoken(self.reason)

    def becomes(self, audience: str) -> Mapping[str, Json] | None:
        """Return what the column that is named becomes for an audience; ``None`` if nothing follows for it."""
        return None if audience in self.column_not_for else self.column


@cache
def _held() -> tuple[dict[str, Suggestion], dict[str, Purpose]]:
    held = tomllib.loads(files("sfumato.verbs").joinpath("advise.toml").read_text("utf-8"))
    uses = {name: Purpose(**entry) for name, entry in held.pop("use").items()}
    return {name: Suggestion(**entry) for name, entry in held.items()}, uses


def purpose_of(use: str) -> Purpose:
    """Return what follows from a use."""
    return _held()[1][use]


def suggestion(audience: str, use: str | None = None) -> Suggestion:
    """Return what is suggested for an audience, with the numbers that a use asks for."""
    given = _held()[0][audience]
    if use is None:
        return given
    wanted = purpose_of(use)
    share = given.suppress_at_most if wanted.suppress_at_most is None else wanted.suppress_at_most
    return replace(given, k=max(given.k, wanted.k), suppress_at_most=share)


def fitting(sensitive: str | None, given: Suggestion, distinct: int) -> list[dict[str, Json]]:
    """Return the promises of a suggestion: a group to hide in, and more than one secret in it where there is a secret."""
    made: list[dict[str, Json]] = [{"id": "k-anonymity", "k": given.k}]
    if sensitive is not None and distinct > 1:
        made.append({"id": "l-diversity-distinct", "l": min(given.l, distinct), "sensitive": sensitive})
    return made


@frozen
class Proposed:
    """One requirement or limit, the answer it follows from, why, and where the number is from; or who asked for another."""

    spec: Mapping[str, Json]
    follows_from: str
    reason: str
    source: str | None = None

    def words(self) -> str:
        """Say it on one line."""
        asked = " ".join(f"{key}={named(value)}" if key != "id" else str(value) for key, value in self.spec.items())
        facts = {"asked": asked, "answer": self.follows_from, "reason": self.reason}
        return (
            tell("proposal.told", **facts)
            if self.source is None
            else tell("proposal.from", source=self.source, **facts)
        )


@frozen
class Proposal:
    """What answers propose: the adversary to measure by, requirements, limits, and what serves the use of the data.

    ``columns`` say what a column becomes, ``algorithm`` which search; ``answers`` are kept for the record.
    """

    answers: Mapping[str, Json]
    adversary: str
    requirements: tuple[Proposed, ...]
    limits: tuple[Proposed, ...]
    columns: tuple[Proposed, ...] = ()
    algorithm: tuple[Proposed, ...] = ()

    @property
    def all(self) -> tuple[Proposed, ...]:
        """Everything that is proposed."""
        return (*self.requirements, *self.limits, *self.columns, *self.algorithm)

    def policy(self) -> dict[str, Json]:
        """Return the part of a policy that follows, with the purpose where it was told."""
        told = {key: self.answers[key] for key in ("purpose",) if self.answers.get(key)}
        made: dict[str, Json] = {
            **told,
            "requirements": [dict(one.spec) for one in self.requirements],
            "limits": {key: value for one in self.limits for key, value in one.spec.items()},
        }
        if self.columns:
            made["columns"] = {
                str(one.spec["column"]): {key: value for key, value in one.spec.items() if key != "column"}
                for one in self.columns
            }
        for one in self.algorithm:
            made["algorithm"] = {"id" if key == "algorithm" else key: value for key, value in one.spec.items()}
        return made

    def sentences(self) -> list[str]:
        """Return everything as sentences: the adversary, then what is asked and why."""
        return [self.adversary, *(one.words() for one in self.all)]

    def document(self) -> dict[str, Json]:
        """Return it for JSON."""
        listed: list[Json] = [
            {"asked": dict(one.spec), "answer": one.follows_from, "reason": one.reason, "source": one.source}
            for one in self.all
        ]
        return {"answers": dict(self.answers), "adversary": self.adversary, "proposed": listed, "policy": self.policy()}


def advise(
    recipients: Audience,
    *,
    know_who: bool = True,
    population: bool = False,
    sensitive: Sequence[str] = (),
    purpose: str | None = None,
    use: Use | None = None,
    column: str | None = None,
    k: int | None = None,
    because: str | None = None,
) -> Proposal:
    """Return requirements and limits for data of persons that somebody is to get, each with its reason.

    Parameters
    ----------
    recipients
        Who gets the data: ``anyone``, those who signed a ``contract``, or people of the own ``house``.
    know_who
        Whether a recipient may know that a certain person is in the table: then the risk is that of a prosecutor, else that of
        a journalist.
    population
        Whether a table of the population is at hand: a journalist's risk is then judged by ``k-map``, else by the groups
        of the table itself, which is stricter.
    sensitive
        Columns that nobody may learn of a person.
    purpose
        What the data is for, in words; kept with the answers.
    use
        What is done with it: ``predict`` a column, ``count``, ``link`` rows to others of the same persons, ``test`` programs.
        It changes numbers, and proposes a role and a search that serve it.
    column
        The column that is predicted, or the number of a person by which rows are linked.
    k
        Another k than the customary one; ``because`` says why.

    Examples
    --------
    >>> proposal = advise("contract", sensitive=["diagnosis"])
    >>> [dict(one.spec) for one in proposal.requirements]
    [{'id': 'k-anonymity', 'k': 5}, {'id': 'l-diversity-distinct', 'l': 2, 'sensitive': 'diagnosis'}]
    >>> proposal.policy()["limits"]
    {'suppress_at_most': 0.02}
    >>> proposal = advise("contract", use="predict", column="readmitted").policy()
    >>> proposal["columns"], proposal["algorithm"]
    ({'readmitted': {'role': 'target'}}, {'id': 'tdr'})

    References
    ----------
    ISO/IEC 27559:2022, *Privacy enhancing data de-identification framework*.
    El Emam, *Guide to the De-Identification of Personal Health Information*, 2013.
    """
    if recipients not in AUDIENCES:
        raise BadRequest("is not one of the recipients", parameter="recipients", value=recipients, available=AUDIENCES)
    if (k is None) != (because is None or not because.strip()):
        raise BadRequest("another k needs a reason, and a reason another k", parameter="because", value=because)
    if k is not None and (isinstance(k, bool) or k < 2):
        raise BadRequest("must be a whole number >= 2", parameter="k", value=k)
    wanted = _wanted(use, column, sensitive)
    given = suggestion(recipients, use)
    least = given.k if k is None else k
    said = {"anyone": tell("answer.anyone"), "contract": tell("answer.contract"), "house": tell("answer.house")}[
        recipients
    ]
    used = "" if use is None else _used(use, column)
    links = wanted is not None and wanted.know_who
    journalist = not know_who and not links
    known = used if links else tell("answer.unknown_who") if journalist else tell("answer.known_who")
    adversary = {
        "house": tell("proposal.marketer", answer=said),
        "prosecutor": tell("proposal.prosecutor", answer=known),
        "journalist": tell("proposal.journalist", answer=known),
    }["house" if recipients == "house" and not links else "journalist" if journalist else "prosecutor"]
    group = "k-map" if journalist and population else "k-anonymity"
    reason = given.why if because is None else because.strip()
    group_spec: dict[str, Json] = {"id": group, "k": least}
    if wanted is not None and because is None and given.k > suggestion(recipients).k:
        requirements = [Proposed(group_spec, used, wanted.why, wanted.source)]
    else:
        requirements = [Proposed(group_spec, said, reason, given.source if because is None else None)]
    requirements += [
        Proposed(
            {"id": "l-diversity-distinct", "l": given.l, "sensitive": name},
            tell("answer.secret", column=name),
            given.why,
        )
        for name in sensitive
    ]
    answers: dict[str, Json] = {
        "recipients": recipients,
        "know_who": know_who,
        "population": population,
        "sensitive": list(sensitive),
        "purpose": purpose,
        "use": use,
        "column": column,
        "k": k,
        "because": because,
    }
    limit = Proposed({"suppress_at_most": given.suppress_at_most}, said, given.why)
    if wanted is None:
        return Proposal(answers, adversary, tuple(requirements), (limit,))
    if wanted.suppress_at_most is not None:
        limit = Proposed({"suppress_at_most": given.suppress_at_most}, used, wanted.why, wanted.source)
    role, search = wanted.becomes(recipients), wanted.algorithm
    columns = [] if role is None or column is None else [{"column": column, **role}]
    searches = [] if search is None else [{"algorithm" if key == "id" else key: one for key, one in search.items()}]
    return Proposal(
        answers,
        adversary,
        tuple(requirements),
        (limit,),
        tuple(Proposed(one, used, wanted.why, wanted.source) for one in columns),
        tuple(Proposed(one, used, wanted.why, wanted.source) for one in searches),
    )


def _wanted(use: str | None, column: str | None, sensitive: Sequence[str]) -> Purpose | None:
    """Return what follows from a use; refuse one that is not known, or a column that does not go with it."""
    if use is None:
        if column is not None:
            raise BadRequest("a column needs a use", parameter="column", value=column)
        return None
    if use not in USES:
        raise BadRequest("is not one of the uses", parameter="use", value=use, available=USES)
    wanted = purpose_of(use)
    if column is None and wanted.needs_column:
        raise BadRequest(f"must be named for the use {use}", parameter="column")
    if column is not None and wanted.column is None:
        raise BadRequest(f"does not go with the use {use}", parameter="column", value=column)
    if column is not None and column in sensitive:
        raise BadRequest(f"is to stay secret, and cannot serve the use {use}", parameter="column", value=column)
    return wanted


def _used(use: str, column: str | None) -> str:
    """Say what the data is used for, as an answer."""
    if use == "predict":
        return tell("answer.predict", column=str(column))
    return {"count": tell("answer.count"), "link": tell("answer.link"), "test": tell("answer.test")}[use]
