"""What algorithms share that are judged as procedures: the one requirement on them, and no other."""

from __future__ import annotations

from typing import TypeVar

from sfumato.contracts.algorithm import Algorithm, Task
from sfumato.contracts.model import Audit, MechanismModel
from sfumato.data.messages import say
from sfumato.errors import Infeasible, Unsupported

__all__ = ["only_procedure", "refuse_unmet", "seed_note"]

M = TypeVar("M", bound=MechanismModel)


def only_procedure(task: Task, algorithm: Algorithm, kind: type[M]) -> M:
    """Return the one requirement on the procedure; refuse none, several, and requirements on tables.

    What comes back is one of the models that the algorithm lists as its ``procedures``; ``kind`` is what these have in common.
    """
    if task.models:
        raise Unsupported(
            f"{algorithm.id} publishes the output of a procedure, in which {task.models[0].id} cannot be counted; what it can "
            f"promise is {', '.join(algorithm.procedures)}",
            thing=task.models[0].id,
        )
    known = [model for model in task.procedures if model.id in algorithm.procedures and isinstance(model, kind)]
    if len(known) != 1 or len(task.procedures) != 1:
        raise Unsupported(
            f"{algorithm.id} needs exactly one requirement on the procedure: {' or '.join(algorithm.procedures)}",
            thing=algorithm.id,
        )
    return known[0]


def refuse_unmet(audit: Audit | None) -> Audit:
    """Return the audit of a procedure; refuse one that says no, before anything is drawn."""
    assert audit is not None
    if not audit.satisfied:
        raise Infeasible(
            f"the procedure fails {audit.model}: measured {audit.measured:g}, needed {audit.bound}; nothing is released",
            measured=audit.measured,
            bound=audit.bound,
            requirement=audit.model,
        )
    return audit


def seed_note() -> str:
    """Return the note for procedures whose randomness comes from a seeded generator."""
    return say("warning.seed")
