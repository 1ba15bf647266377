"""The three questions that decide whether data are anonymous, answered by trying: singling out, linkability, inference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from sfumato.attacks.questions.inference import Inference
from sfumato.attacks.questions.linkability import Linkability
from sfumato.attacks.questions.singling_out import SinglingOut
from sfumato.contracts.answer import Answer
from sfumato.contracts.attack import TableAttack
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.progress import Progress
from sfumato.contracts.run import Run
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.estimates.excess import Excess
from sfumato.kernels.arrays import Ints
from sfumato.tables.open import open_table
from sfumato.tables.pair import prepared, taken
from sfumato.tables.policy import Policy
from sfumato.tables.seen import open_seen
from sfumato.verbs.anonymize import anonymize

__all__ = ["QUESTIONS", "Question", "ThreeAnswers", "three_questions"]

QUESTIONS: Mapping[str, str] = {
    "singling-out": "Can a person be singled out?",
    "linkability": "Can two sets of facts about a person be linked?",
    "inference": "Can a sensitive value be inferred?",
}


@dataclass(frozen=True)
class Question:
    """One question with its answer, or with the reason why it could not be asked (``excess`` is then ``None``)."""

    id: str
    text: str
    reading: str
    excess: Excess | None = None
    notes: tuple[str, ...] = ()

    @property
    def answer(self) -> Literal["yes", "no", "undecided", "not asked"]:
        """Whether the release adds a risk that counts."""
        return "not asked" if self.excess is None else self.excess.answer

    def document(self) -> dict[str, object]:
        """Return everything in a form that JSON takes; rates are shares, not per cent."""
        told = {"answer": self.answer} if self.excess is None else self.excess.numbers()
        return {"id": self.id, "question": self.text, **told, "reading": self.reading, "notes": list(self.notes)}


@dataclass(frozen=True)
class ThreeAnswers:
    """The answers, and what they rest on: how many records were released and held out, and what the adversary knows."""

    singling_out: Question
    linkability: Question
    inference: Question
    released: int
    held_out: int
    aux: tuple[str, ...]
    sensitive: str | None
    seed: int
    repetitions: int

    @property
    def questions(self) -> tuple[Question, Question, Question]:
        """The three, in their order."""
        return self.singling_out, self.linkability, self.inference

    def document(self) -> dict[str, object]:
        """Return everything in a form that JSON takes."""
        return {
            "records_released": self.released,
            "records_held_out": self.held_out,
            "aux": list(self.aux),
            "sensitive": self.sensitive,
            "seed": self.seed,
            "repetitions": self.repetitions,
            "questions": [question.document() for question in self.questions],
        }


def three_questions(
    source: object,
    policy: Policy | Mapping[str, object] | str | Path,
    *,
    aux: Sequence[str] | None = None,
    sensitive: str | None = None,
    control: float = 0.5,
    attempts: int = 2000,
    neighbours: int = 1,
    confidence: float = 0.95,
    negligible: float = 0.1,
    repetitions: int = 1,
    seed: int = 0,
    run: Run | None = None,
    progress: Progress | None = None,
) -> ThreeAnswers:
    """Return whether a release by this policy lets persons be singled out, linked, or a value of theirs be inferred.

    Some records are held out at random, the others are released by the policy. Three attacks are tried on the persons in the
    release and on those held out; what succeeds on both is knowledge about people, and only the rest is a risk of being in the
    release. ``singling-out``, ``linkability`` and ``inference`` in :mod:`sfumato.attacks` say what is tried.

    Parameters
    ----------
    source, policy
        The raw table and the policy, as for :func:`anonymize`.
    aux
        What the adversary knows of a person: published columns. The quasi-identifiers if not given.
    sensitive
        The column to infer; that of the role ``sensitive``, or else the target, if not given.
    control
        The share of records that is held out. One half makes both groups alike, which singling out asks for.
    attempts, neighbours, confidence, negligible
        Parameters of the attacks: guesses for each group, nearest records that are looked at, of the intervals, and the risk
        that counts as none.
    repetitions
        How often records are held out anew. Guesses are put together; their intervals take them as independent, which guesses
        about the same persons are not quite.
    seed
        Seed of the halves and the attacks.

    Examples
    --------
    >>> import sfumato
    >>> people = {"age": [20 + n % 50 for n in range(400)], "sick": [("no", "yes")[n * n % 3 % 2] for n in range(400)]}
    >>> policy = {
    ...     "columns": {"age": {"role": "quasi-identifier"}, "sick": {"role": "sensitive"}},
    ...     "requirements": [{"id": "k-anonymity", "k": 20}],
    ... }
    >>> found = sfumato.three_questions(people, policy)
    >>> found.singling_out.answer, found.linkability.answer
    ('no', 'not asked')
    """
    if isinstance(control, bool) or not isinstance(control, (int, float)) or not 0 < control < 1:
        raise BadRequest("must be > 0 and < 1", parameter="control", value=control)
    for name, value, least in (("repetitions", repetitions, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise BadRequest(f"must be a whole number >= {least}", parameter=name, value=value)
    common = {"attempts": attempts, "confidence": confidence, "negligible": negligible, "seed": seed}
    asking: tuple[TableAttack, ...] = (
        SinglingOut(),
        Linkability(neighbours=neighbours),
        Inference(neighbours=neighbours),
    )
    attacks = [attack.told(common) for attack in asking]
    run = Run.of(run, progress)
    asked = Policy.of(policy).without_pseudonyms()  # an outsider learns nothing from them, and this needs no key
    asked = asked.model_copy(update={"budget": None})  # nothing leaves the house
    # In order, so that the same records are held out whatever the order of the table.
    table = open_table(source, asked, run=run).sort()
    outside = round(control * table.rows)
    if not 0 < outside < table.rows:
        raise BadRequest(
            f"leaves one of the two groups empty: the table has {table.rows:,} records",
            parameter="control",
            value=control,
        )
    learnt = _sensitive(asked) if sensitive is None else sensitive
    _refuse_unpublished(asked, aux, learnt)
    found: dict[str, list[Answer | str]] = {attack.id: [] for attack in attacks}
    known: tuple[str, ...] = ()
    for repetition in range(repetitions):
        order = np.random.default_rng([seed, repetition]).permutation(table.rows)
        seen, knowledge = _held_out(table, asked, order, outside, aux, learnt, run)
        known = knowledge.known
        for attack in attacks:
            found[attack.id].append(_answer(attack, seen, knowledge, run))
    singling_out, linkability, inference = (_question(attack.id, found[attack.id]) for attack in attacks)
    return ThreeAnswers(
        singling_out=singling_out,
        linkability=linkability,
        inference=inference,
        released=table.rows - outside,
        held_out=outside,
        aux=known,
        sensitive=learnt,
        seed=seed,
        repetitions=repetitions,
    )


def _held_out(
    table: Table,
    policy: Policy,
    order: Ints,
    outside: int,
    aux: Sequence[str] | None,
    sensitive: str | None,
    run: Run,
) -> tuple[Seen, TableKnowledge]:
    """Release some records and hold out the others."""
    inside = taken(table, np.sort(order[outside:]))
    release = anonymize(inside, policy, run=run)
    raw, control = prepared(inside, policy), prepared(taken(table, np.sort(order[:outside])), policy)
    return open_seen(release, {"qid": aux, "sensitive": sensitive, "raw": raw, "control": control})


def _answer(attack: TableAttack, seen: Seen, knowledge: TableKnowledge, run: Run) -> Answer | str:
    """Try an attack; return the answer, or why it cannot be tried."""
    why = attack.unfit(seen, knowledge)
    if why is not None:
        return why
    found = attack.run(seen, knowledge, run)
    assert isinstance(found, Answer)
    return found


def _question(name: str, found: Sequence[Answer | str]) -> Question:
    """Put the answers of all repetitions together."""
    for why in found:
        if isinstance(why, str):
            return Question(name, QUESTIONS[name], f"Not asked: {why}.")
    whole = Answer.pooled([one for one in found if isinstance(one, Answer)])
    return Question(name, QUESTIONS[name], whole.reading, whole.excess, whole.warnings)


def _refuse_unpublished(policy: Policy, aux: Sequence[str] | None, sensitive: str | None) -> None:
    """Refuse columns that no release by this policy has, or that are known and to be inferred at once."""
    hidden = {*policy.dropped(), *policy.pseudonyms()}
    public = [name for name in policy.columns if name not in hidden]
    for parameter, names in (("aux", aux or ()), ("sensitive", () if sensitive is None else (sensitive,))):
        for name in names:
            if name not in public:
                raise BadRequest(
                    "is not a column that the policy publishes", parameter=parameter, value=name, available=public
                )
    if aux is not None and not aux:
        raise BadRequest("needs at least one column", parameter="aux", available=public)
    if aux is not None and len(set(aux)) < len(aux):
        raise BadRequest("names a column twice", parameter="aux", value=list(aux))
    known = policy.of_role(Role.QUASI_IDENTIFIER) if aux is None else aux
    if sensitive in known:
        raise BadRequest("is known and cannot be inferred", parameter="sensitive", value=sensitive)


def _sensitive(policy: Policy) -> str | None:
    """Return the column to infer: the sensitive one, or else the target."""
    found = policy.of_role(Role.SENSITIVE)
    if len(found) > 1:
        raise BadRequest("say which sensitive column is to be inferred", parameter="sensitive", available=found)
    return next(iter((*found, *policy.of_role(Role.TARGET))), None)
