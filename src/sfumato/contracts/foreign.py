"""Answers of other people's classes: looked at before anything is computed from them, and refused by the name of the class."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import TYPE_CHECKING

from sfumato.errors import BadRequest, SfumatoError

if TYPE_CHECKING:
    from sfumato.contracts.thing import Thing

__all__ = ["look_at"]


def look_at(cls: type[Thing], method: str, wrong: Callable[..., str | None]) -> None:
    """Have the answers of a method looked at if the class is not ours; tests look at ours.

    ``wrong`` gets the answer and what was asked, and says what the answer must be if it is not that. A failure inside is told
    by its kind alone, because its text may quote data.
    """
    own = vars(cls).get(method)
    if not isfunction(own) or cls.__module__.startswith("sfumato."):
        return

    @wraps(own)
    def answered(self: Thing, *asked: object, **more: object) -> object:
        called = f"{self.id}.{method}"
        try:
            found: object = own(self, *asked, **more)
        except SfumatoError:
            raise
        except Exception as error:
            raise BadRequest(f"ended with {type(error).__name__}", parameter=called) from error
        problem = wrong(found, *asked, **more)
        if problem is not None:
            raise BadRequest(f"must give {problem}", parameter=called)
        return found

    setattr(cls, method, answered)
