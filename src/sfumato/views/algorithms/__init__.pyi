"""What this room offers by name; written by tools/stubs.py."""

from sfumato.views.algorithms.answer_views import AnswerViews as AnswerViews
