"""What a worker can be asked for: a verb with its request as plain data, a place for what it makes, a run that is watched."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.json import Json, finite
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, NotKnown
from sfumato.ledger.key import VARIABLE
from sfumato.tables.policy import KEY_VARIABLE

if TYPE_CHECKING:
    from sfumato.contracts.finding import Findings
    from sfumato.policy import SharedPolicy

__all__ = ["TASKS", "Order", "housed", "task_of"]


@frozen
class Order:
    """What was asked, where results go (nothing is there before), who watches, and whether an unfinished search is wanted."""

    asked: Mapping[str, Json]
    out: Path
    run: Run
    keep: Callable[[Outcome], bool]

    def text(self, name: str) -> str:
        """Return a text that must be there."""
        found = self.asked.get(name)
        if not isinstance(found, str) or not found:
            raise BadRequest("must be given as a text", parameter=name)
        return found

    def maybe(self, name: str) -> str | None:
        """Return a text, if it is there."""
        return None if self.asked.get(name) is None else self.text(name)

    def number(self, name: str, usual: float) -> float:
        """Return a number, if it is there."""
        found = self.asked.get(name, usual)
        if not isinstance(found, int | float):
            raise BadRequest("must be given as a number", parameter=name)
        return found

    @property
    def source(self) -> str:
        """What is to be read; ``reading`` says how it is written."""
        from sfumato.engines.sources import Described

        reading = self.asked.get("reading")
        return Described.of(self.text("source"), reading) if isinstance(reading, dict) else self.text("source")

    @property
    def policy(self) -> SharedPolicy:
        """The policy: a file, or its ``text``; ``ledger`` is where what it says of series and budgets is remembered."""
        from sfumato.policy import SharedPolicy

        if "text" not in self.asked:
            return SharedPolicy.load(Path(self.text("policy")))
        made = SharedPolicy.from_text(self.text("text"), Path())
        remembers = made.series is not None or made.budgets
        return made.model_copy(update={"ledger": self.maybe("ledger")}) if remembers else made


@contextmanager
def housed(order: Order) -> Iterator[None]:
    """Work in the ``room`` of whoever asked, if there is one: names of files are read from its data, keys are its own."""
    room = order.maybe("room")
    if room is None:
        yield
        return
    before, kept = Path.cwd(), {name: os.environ.pop(name, None) for name in (KEY_VARIABLE, VARIABLE)}
    os.chdir(Path(room) / "data")
    key = Path("..") / "pseudonym.key"
    if key.is_file():
        os.environ[KEY_VARIABLE] = key.read_text(encoding="ascii")
    try:
        yield
    finally:
        os.environ.pop(KEY_VARIABLE, None)
        os.environ.update({name: value for name, value in kept.items() if value is not None})
        os.chdir(before)


Task = Callable[[Order], Mapping[str, Json]]


def _anonymize(order: Order) -> Mapping[str, Json]:
    """Search, write, verify, attack and report: ``source`` by a policy; ``language`` is that of the pages.

    ``release`` is the name that the folder gets. If it is there, a worker gave it its name and was gone before it could tell.
    """
    from sfumato.ledger.ledger import Ledger
    from sfumato.verbs.anonymize import anonymize
    from sfumato.verbs.publish import publish

    policy, source, named = order.policy, order.source, order.maybe("release")
    out = order.out if named is None else Path(named)
    if named is not None and policy.ledger is not None:
        with Ledger(policy.ledger) as ledger:
            ledger.repair()  # what a worker began that was killed
    if named is not None and out.is_dir():
        return {}
    release = anonymize(source, policy, run=order.run, accept_interrupted=order.keep)
    publish(
        release,
        out,
        separator=policy.source.separator,
        input_path=source,
        language=order.maybe("language") or "en",
        run=replace(order.run.without_deadline(), cancel=order.run.cancel.outside_search()),
    )
    measured = {name: one.value for name, one in release.measured.items()}
    known = [name for name in release.of_role(Role.QUASI_IDENTIFIER) if name in release.table.types]
    sizes = release.table.groups(known).sizes if known and release.form.by_column and release.table.rows else None
    losses = release.measured["loss"].by_attribute if "loss" in release.measured else {}
    return {
        "counts": dict(release.counts),
        "metrics": measured,
        "losses": dict(losses),
        "smallest": None if sizes is None else int(sizes.min()),
        "alone": None if sizes is None else int((sizes == 1).sum()),
        "stopped": release.private.stopped,
        "advice": [str(line) for line in release.advised()],
    }


def _explore(order: Order) -> Mapping[str, Json]:
    """Count the choices of levels that satisfy a policy; the answer is ``exploration.json``."""
    from sfumato.verbs.explore import explore

    found = explore(order.text("source"), order.text("policy"), top=300, every=True, run=order.run)
    states = [[*node, holds] for node, holds in found.states.items()]
    order.out.mkdir(mode=0o700)
    document = {**found.document(), "states": states}
    (order.out / "exploration.json").write_text(json.dumps(document), encoding="utf-8")
    return {"lattice": found.lattice, "proven": found.proven}


def _questions(order: Order) -> Mapping[str, Json]:
    """Ask whether persons can be singled out, linked, or guessed about; the answer is ``questions.json``.

    Every column that must stay secret is guessed.
    """
    from sfumato.tables.policy import Policy
    from sfumato.verbs.three_questions import three_questions

    policy = Policy.load(Path(order.text("policy")))
    found = three_questions(order.source, policy, sensitive=policy.of_role(Role.SENSITIVE) or None, run=order.run)
    order.out.mkdir(mode=0o700)
    (order.out / "questions.json").write_text(json.dumps(found.document()), encoding="utf-8")
    return {" ".join(filter(None, (question.id, question.about))): question.answer for question in found.questions}


def _verify(order: Order) -> Mapping[str, Json]:
    """Count a ``release`` folder anew from its public files."""
    from sfumato.verbs.verify import verify

    seen = verify(order.text("release"), run=order.run)
    return {**_plain(seen.document()), "holds": bool(seen.verdict), "unchecked": list(seen.unchecked)}


def _profile(order: Order) -> Mapping[str, Json]:
    """Look at every column; data of another ``shape`` are told in sentences."""
    from dataclasses import asdict

    from sfumato.catalogue import TABLE, shape_of
    from sfumato.verbs.profile import profile

    shape = order.maybe("shape") or TABLE
    if shape != TABLE:
        return {"columns": [], "told": [str(one) for one in shape_of(shape).profile(order.source, order.run)]}
    return _plain({"columns": [asdict(one) for one in profile(order.source, run=order.run)], "told": []})


def _draft(order: Order) -> Mapping[str, Json]:
    """Propose a policy."""
    from sfumato.catalogue import TABLE
    from sfumato.verbs.draft import draft

    reading = getattr(order.source, "said", {})
    k, shape = int(order.number("k", 5)), order.maybe("shape") or TABLE
    return {"policy": draft(order.text("source"), k=k, shape=shape, source_options=reading, run=order.run)}


def _check(order: Order) -> Mapping[str, Json]:
    """Judge a table as it stands: by a policy, or by ``requirements`` for the columns ``qid``."""
    from sfumato.verbs.check import check

    given, qid = order.asked.get("requirements"), order.asked.get("qid")
    found = check(
        order.source,
        given,
        policy=order.policy if "text" in order.asked else None,
        qid=[str(name) for name in qid] if isinstance(qid, list) else None,
        worst=int(order.number("worst", 5)),
        run=order.run,
    )
    return _plain({"satisfied": found.satisfied, "verdicts": [verdict.document() for verdict in found]})


def _audit(order: Order) -> Mapping[str, Json]:
    """Try attacks on a ``release``; ``raw`` and ``external`` are tables that adversaries are compared with, or have."""
    from sfumato.contracts.knowledge import Told
    from sfumato.publishing.audit import EXPOSED
    from sfumato.verbs.audit import audit

    known: Told = {}
    if order.asked.get("raw") is not None:
        known["raw"] = order.text("raw")
    if order.asked.get("external") is not None:
        known["external"] = order.text("external")
    threshold, thorough = order.number("threshold", EXPOSED), bool(order.asked.get("thorough"))
    found = audit(order.text("release"), threshold=threshold, thorough=thorough, run=order.run, **known)
    return _plain(found.document())


def _outside(order: Order) -> Mapping[str, Json]:
    """Try attacks on a ``release`` with what outsiders have: a ``register`` of persons, an ``earlier`` release.

    ``name`` is the column of the register that names its persons. Findings are in ``audit.json``; where there is a register,
    ``groups.json`` tells how many records each group has, and how many persons of the register it stands for, before and after.
    """
    from sfumato.attacks.linkage.attacker_risk import AttackerRisks
    from sfumato.contracts.knowledge import Told
    from sfumato.verbs.attack import attack
    from sfumato.verbs.audit import audit

    release, source, known = order.text("release"), order.source, Told(raw=order.source)
    register, earlier, name = order.maybe("register"), order.maybe("earlier"), order.maybe("name")
    if register is not None:
        known["external"] = register
        if name is not None:
            known["name"] = name
    if earlier is not None:
        known["other"] = earlier
    found = audit(release, run=order.run, **known)
    order.out.mkdir(mode=0o700)
    (order.out / "audit.json").write_text(json.dumps(_plain(found.document())), encoding="utf-8")
    linked = [] if register is None else _linked(found, register)
    if register is not None and linked:
        after = attack(release, "attacker-risk", external=register, run=order.run)
        before = attack(source, "attacker-risk", qid=linked, external=register, run=order.run)
        groups = {
            when: {"records": one.sample.tolist(), "persons": one.population.tolist()}
            for when, one in (("before", before), ("after", after))
            if isinstance(one, AttackerRisks)
        }
        (order.out / "groups.json").write_text(json.dumps(groups), encoding="utf-8")
    return {"tried": len(found.tried), "untried": len(found.untried)}


def _linked(found: Findings, register: str) -> list[str]:
    """Return the columns by which attacks linked a release with a register."""
    from sfumato.engines.found import open_found
    from sfumato.engines.sources import Described

    held = open_found(Described.of(register, {})).table.columns
    known = {name for one in found.tried if one.attack == "attacker-risk" for name in one.columns}
    return [name for name in held if name in known]


def _utility(order: Order) -> Mapping[str, Json]:
    """Predict the column ``target`` from the ``source`` and from a ``release``: how often a classifier errs on either."""
    from sfumato.verbs.utility import classification_utility

    found = classification_utility(order.source, order.text("release"), target=order.text("target"), run=order.run)
    return _plain(found.document())


def _report(order: Order) -> Mapping[str, Json]:
    """Make a page of a ``release``: ``report.html``."""
    from sfumato.verbs.report import report

    edition: Literal["internal", "public"] = "internal" if order.maybe("edition") == "internal" else "public"
    order.out.mkdir(mode=0o700)
    page, language = order.out / "report.html", order.maybe("language") or "en"
    report(order.text("release"), edition=edition, file=page, language=language, run=order.run)
    return {"edition": edition, "bytes": page.stat().st_size}


def _ask(order: Order) -> Mapping[str, Json]:
    """Put a ``question`` to a desk, or ask what it would cost, or practise; the ``ledger`` remembers who asked."""
    from sfumato.interactive.desk import Desk
    from sfumato.interactive.source import desk_policy

    question, way, epsilon = order.text("question"), order.text("way"), order.asked.get("epsilon")
    spent = None if epsilon is None else order.number("epsilon", 0.0)
    confidence = order.number("confidence", 0.95)
    ledger = None if way == "practice" else order.maybe("ledger")
    with Desk(order.source, desk_policy(order.policy), ledger, run=order.run) as desk:
        if way == "practice":
            return _plain(desk.practice(question, epsilon=spent, confidence=confidence).document())
        ask = desk.explain if way == "explain" else desk.ask
        return _plain(ask(question, asker=order.text("asker"), epsilon=spent, confidence=confidence).document())


def _plain(document: Mapping[str, object]) -> Mapping[str, Json]:
    """Return a document as JSON holds it."""
    plain: Mapping[str, Json] = json.loads(json.dumps(finite(dict(document)), default=str, allow_nan=False))
    return plain


TASKS: Mapping[str, Task] = {
    "anonymize": _anonymize,
    "ask": _ask,
    "audit": _audit,
    "check": _check,
    "draft": _draft,
    "explore": _explore,
    "outside": _outside,
    "profile": _profile,
    "questions": _questions,
    "report": _report,
    "utility": _utility,
    "verify": _verify,
}


def task_of(name: str) -> Task:
    """Return the task with this name."""
    if name not in TASKS:
        raise NotKnown("is not a task", parameter="task", value=name, available=TASKS)
    return TASKS[name]
