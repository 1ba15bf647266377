"""From answers about who gets the data to requirements, each with the answer that it follows from, and its source."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from sfumato.data.json import Json
from sfumato.data.messages import ENGLISH, spoken, tell
from sfumato.errors import BadRequest

__all__ = ["AUDIENCES", "Proposal", "Proposed", "Suggestion", "advise", "fitting", "suggestion"]

AUDIENCES = ("anyone", "contract", "house")

Audience = Literal["anyone", "contract", "house"]


@dataclass(frozen=True)
class Suggestion:
    """What is suggested for one audience."""

    k: int
    l: int
    suppress_at_most: float
    reason: Mapping[str, str]
    source: str

    @property
    def why(self) -> str:
        """The reason in the language that is spoken; in English if nobody has translated it."""
        return self.reason.get(spoken(), self.reason[ENGLISH])


@cache
def _all() -> dict[str, Suggestion]:
    held = tomllib.loads(files("sfumato.verbs").joinpath("advise.toml").read_text("utf-8"))
    return {name: Suggestion(**entry) for name, entry in held.items()}


def suggestion(audience: str) -> Suggestion:
    """Return what is suggested for an audience."""
    return _all()[audience]


def fitting(sensitive: str | None, given: Suggestion, distinct: int) -> list[dict[str, Json]]:
    """Return the promises of a suggestion: a group to hide in, and more than one secret in it where there is a secret."""
    made: list[dict[str, Json]] = [{"id": "k-anonymity", "k": given.k}]
    if sensitive is not None and distinct > 1:
        made.append({"id": "l-diversity-distinct", "l": min(given.l, distinct), "sensitive": sensitive})
    return made


@dataclass(frozen=True)
class Proposed:
    """One requirement or limit, the answer it follows from, why, and where the number is from; or who asked for another."""

    spec: Mapping[str, Json]
    follows_from: str
    reason: str
    source: str | None = None

    def words(self) -> str:
        """Say it on one line."""
        asked = " ".join(f"{key}={value}" if key != "id" else str(value) for key, value in self.spec.items())
        facts = {"asked": asked, "answer": self.follows_from, "reason": self.reason}
        return (
            tell("proposal.told", **facts)
            if self.source is None
            else tell("proposal.from", source=self.source, **facts)
        )


@dataclass(frozen=True)
class Proposal:
    """What answers propose: the adversary to measure by, requirements, limits; ``answers`` are kept for the record."""

    answers: Mapping[str, Json]
    adversary: str
    requirements: tuple[Proposed, ...]
    limits: tuple[Proposed, ...]

    def policy(self) -> dict[str, Json]:
        """Return the part of a policy that follows: requirements and limits, with purpose and recipients where told."""
        told = {key: self.answers[key] for key in ("purpose",) if self.answers.get(key)}
        return {
            **told,
            "requirements": [dict(one.spec) for one in self.requirements],
            "limits": {key: value for one in self.limits for key, value in one.spec.items()},
        }

    def sentences(self) -> list[str]:
        """Return everything as sentences: the adversary, then what is asked and why."""
        return [self.adversary, *(one.words() for one in (*self.requirements, *self.limits))]

    def document(self) -> dict[str, Json]:
        """Return it for JSON."""
        listed: list[Json] = [
            {"asked": dict(one.spec), "answer": one.follows_from, "reason": one.reason, "source": one.source}
            for one in (*self.requirements, *self.limits)
        ]
        return {"answers": dict(self.answers), "adversary": self.adversary, "proposed": listed, "policy": self.policy()}


def advise(
    recipients: Audience,
    *,
    know_who: bool = True,
    population: bool = False,
    sensitive: Sequence[str] = (),
    purpose: str | None = None,
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
        What the data is for; kept with the answers.
    k
        Another k than the customary one; ``because`` says why.

    Examples
    --------
    >>> proposal = advise("contract", sensitive=["diagnosis"])
    >>> [dict(one.spec) for one in proposal.requirements]
    [{'id': 'k-anonymity', 'k': 5}, {'id': 'l-diversity-distinct', 'l': 2, 'sensitive': 'diagnosis'}]
    >>> proposal.policy()["limits"]
    {'suppress_at_most': 0.02}

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
    given = suggestion(recipients)
    least = given.k if k is None else k
    said = {"anyone": tell("answer.anyone"), "contract": tell("answer.contract"), "house": tell("answer.house")}[
        recipients
    ]
    journalist = not know_who
    known = tell("answer.unknown_who") if journalist else tell("answer.known_who")
    adversary = {
        "house": tell("proposal.marketer", answer=said),
        "prosecutor": tell("proposal.prosecutor", answer=known),
        "journalist": tell("proposal.journalist", answer=known),
    }["house" if recipients == "house" else "journalist" if journalist else "prosecutor"]
    group = "k-map" if journalist and population else "k-anonymity"
    reason = given.why if because is None else because.strip()
    requirements = [Proposed({"id": group, "k": least}, said, reason, given.source if because is None else None)]
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
        "k": k,
        "because": because,
    }
    limit = Proposed({"suppress_at_most": given.suppress_at_most}, said, given.why)
    return Proposal(answers, adversary, tuple(requirements), (limit,))
