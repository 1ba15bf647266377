"""What a worker can be asked for: a verb with its request as plain data, a place for what it makes, a run that is watched."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.run import Run
from sfumato.data.json import Json
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, NotKnown

__all__ = ["TASKS", "Order", "task_of"]


@dataclass(frozen=True)
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


Task = Callable[[Order], Mapping[str, Json]]


def _anonymize(order: Order) -> Mapping[str, Json]:
    """Search, write, verify, attack and report: ``source`` by the file ``policy``; ``language`` is that of the pages."""
    from sfumato.policy import SharedPolicy
    from sfumato.verbs.anonymize import anonymize
    from sfumato.verbs.publish import publish

    policy, source = SharedPolicy.load(Path(order.text("policy"))), order.text("source")
    release = anonymize(source, policy, run=order.run, accept_interrupted=order.keep)
    publish(
        release,
        order.out,
        separator=policy.source.separator,
        input_path=source,
        language=order.maybe("language") or "en",
        run=order.run.without_deadline(),
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
    """Ask whether persons can be singled out, linked, or guessed about; the answer is ``questions.json``."""
    from sfumato.verbs.three_questions import three_questions

    found = three_questions(order.text("source"), order.text("policy"), run=order.run)
    order.out.mkdir(mode=0o700)
    (order.out / "questions.json").write_text(json.dumps(found.document()), encoding="utf-8")
    return {question.id: question.answer for question in found.questions}


def _verify(order: Order) -> Mapping[str, Json]:
    """Count a ``release`` folder anew from its public files."""
    from sfumato.verbs.verify import verify

    seen = verify(order.text("release"), run=order.run)
    return {"holds": bool(seen.verdict), "unchecked": list(seen.unchecked)}


TASKS: Mapping[str, Task] = {
    "anonymize": _anonymize,
    "explore": _explore,
    "questions": _questions,
    "verify": _verify,
}


def task_of(name: str) -> Task:
    """Return the task with this name."""
    if name not in TASKS:
        raise NotKnown("is not a task", parameter="task", value=name, available=TASKS)
    return TASKS[name]
