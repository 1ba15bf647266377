"""The three questions that decide whether data are anonymous, answered by trying: singling out, linkability, inference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from sfumato.attacks.questions.inference import Inference
from sfumato.attacks.questions.linkability import Linkability
from sfumato.attacks.questions.singling_out import SinglingOut
from sfumato.contracts.answer import Answer
from sfumato.contracts.attack import TableAttack
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.contracts.progress import Progress
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.schema import Role
from sfumato.errors import BadRequest
from sfumato.estimates.excess import Excess
from sfumato.publishing.certificate import FILE as CERTIFICATE
from sfumato.publishing.certificate import open_certificate
from sfumato.publishing.kept import keep_questions, refuse_partial
from sfumato.publishing.published import file_bytes
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


@frozen
class Question:
    """One question with its answer, or with the reason why it could not be asked (``excess`` is then ``None``).

    ``about`` is the column that is guessed, if one is.
    """

    id: str
    text: str
    reading: str
    excess: Excess | None = None
    notes: tuple[str, ...] = ()
    about: str | None = None

    @property
    def answer(self) -> Literal["yes", "no", "undecided", "not asked"]:
        """Whether the release adds a risk that counts."""
        return "not asked" if self.excess is None else self.excess.answer

    def document(self) -> dict[str, object]:
        """Return everything in a form that JSON takes; rates are shares, not per cent."""
        told = {"answer": self.answer} if self.excess is None else self.excess.numbers()
        about = {} if self.about is None else {"about": self.about}
        said = {"reading": self.reading, "notes": list(self.notes)}
        return {"id": self.id, "question": self.text, **about, **told, **said}


@frozen
class ThreeAnswers:
    """The answers, and what they rest on: how many records were released and held out, and what the adversary knows.

    ``further`` are inferences of more columns, where several were to be guessed.
    """

    singling_out: Question
    linkability: Question
    inference: Question
    released: int
    held_out: int
    aux: tuple[str, ...]
    sensitive: str | None
    seed: int
    repetitions: int
    further: tuple[Question, ...] = ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """The three, in their order, and the third once more for each further column."""
        return self.singling_out, self.linkability, self.inference, *self.further

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
    sensitive: str | Sequence[str] | None = None,
    control: float = 0.5,
    attempts: int = 2000,
    neighbours: int = 1,
    confidence: float = 0.95,
    negligible: float = 0.1,
    repetitions: int = 1,
    seed: int = 0,
    keep: str | Path | None = None,
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
        The column to infer, or several, each of which is guessed from the same release; that of the role ``sensitive``, or
        else the target, if not given.
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
    keep
        A release folder of this policy in whose private part the answers are kept: its page shows them when it is made again,
        and with a *yes* that its policy does not accept :func:`sign` refuses it.

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
    if keep is not None:
        _refuse_other(Path(keep), Policy.of(policy))
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
    learnt = _learnt(asked, sensitive)
    _refuse_unpublished(asked, aux, learnt)
    found: dict[tuple[str, str | None], list[Answer | str]] = {}
    known: tuple[str, ...] = ()
    for repetition in range(repetitions):
        order = np.random.default_rng([seed, repetition]).permutation(table.rows)
        inside, control_group = np.sort(order[outside:]), np.sort(order[:outside])
        given = taken(table, inside)
        release = anonymize(given, asked, run=run)
        raw, held_out = prepared(given, asked), prepared(taken(table, control_group), asked)
        for at, secret in enumerate(learnt or (None,)):
            seen, knowledge = open_seen(release, {"qid": aux, "sensitive": secret, "raw": raw, "control": held_out})
            known = knowledge.known
            for attack in attacks if at == 0 else attacks[-1:]:
                about = secret if attack is attacks[-1] else None
                found.setdefault((attack.id, about), []).append(_answer(attack, seen, knowledge, run))
    singling_out, linkability, inference, *further = (_question(*asked_of, said) for asked_of, said in found.items())
    answers = ThreeAnswers(
        singling_out=singling_out,
        linkability=linkability,
        inference=inference,
        released=table.rows - outside,
        held_out=outside,
        aux=known,
        sensitive=learnt[0] if learnt else None,
        seed=seed,
        repetitions=repetitions,
        further=tuple(further),
    )
    if keep is not None:
        keep_questions(Path(keep) / "private", answers.document())
    return answers


def _refuse_other(folder: Path, policy: Policy) -> None:
    """Refuse a folder that is not a release by this policy."""
    refuse_partial(folder / "private")
    if open_certificate(file_bytes(folder / "public" / CERTIFICATE)).policy_sha256 != policy.digest():
        raise BadRequest("was not made by this policy", parameter="keep", value=str(folder))


def _answer(attack: TableAttack, seen: Seen, knowledge: TableKnowledge, run: Run) -> Answer | str:
    """Try an attack; return the answer, or why it cannot be tried."""
    why = attack.unfit(seen, knowledge)
    if why is not None:
        return why
    found = attack.run(seen, knowledge, run)
    assert isinstance(found, Answer)
    return found


def _question(name: str, about: str | None, found: Sequence[Answer | str]) -> Question:
    """Put the answers of all repetitions together."""
    for why in found:
        if isinstance(why, str):
            return Question(name, QUESTIONS[name], f"Not asked: {why}.", about=about)
    whole = Answer.pooled([one for one in found if isinstance(one, Answer)])
    return Question(name, QUESTIONS[name], whole.reading, whole.excess, whole.warnings, about)


def _refuse_unpublished(policy: Policy, aux: Sequence[str] | None, sensitive: Sequence[str]) -> None:
    """Refuse columns that no release by this policy has, or that are known and to be inferred at once."""
    hidden = {*policy.dropped(), *policy.pseudonyms()}
    public = [name for name in policy.columns if name not in hidden]
    for parameter, names in (("aux", aux or ()), ("sensitive", sensitive)):
        for name in names:
            if name not in public:
                raise BadRequest(
                    "is not a column that the policy publishes", parameter=parameter, value=name, available=public
                )
    if aux is not None and not aux:
        raise BadRequest("needs at least one column", parameter="aux", available=public)
    for parameter, names in (("aux", aux or ()), ("sensitive", sensitive)):
        if len(set(names)) < len(names):
            raise BadRequest("names a column twice", parameter=parameter, value=list(names))
    known = policy.of_role(Role.QUASI_IDENTIFIER) if aux is None else aux
    for name in sensitive:
        if name in known:
            raise BadRequest("is known and cannot be inferred", parameter="sensitive", value=name)


def _learnt(policy: Policy, sensitive: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns to infer: those that are named, or the sensitive one, or else the target."""
    if sensitive is not None:
        return (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    found = policy.of_role(Role.SENSITIVE)
    if len(found) > 1:
        raise BadRequest("say which sensitive column is to be inferred", parameter="sensitive", available=found)
    return (*found, *policy.of_role(Role.TARGET))[:1]
