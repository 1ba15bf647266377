"""Questions instead of tables: a holder keeps the records and answers, under audit or with noise that is paid for."""

from sfumato.interactive.answer import Answer
from sfumato.interactive.desk import Desk
from sfumato.interactive.question import Question

__all__ = ["Answer", "Desk", "Question"]
