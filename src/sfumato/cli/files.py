"""Files that commands write: never over another one, and refused by the option that names them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["refuse_existing", "write_text"]


def refuse_existing(path: Path | None, option: str = "--out", rule: str = "exists already") -> None:
    """Refuse a place that is taken; nothing is ever overwritten."""
    from sfumato.errors import BadRequest

    if path is not None and path.exists():
        raise BadRequest(rule, parameter=option, value=str(path))


def write_text(path: Path, text: str, option: str = "--out") -> None:
    """Write a text file."""
    from sfumato.errors import BadRequest

    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise BadRequest(
            f"cannot be written ({error.strerror or type(error).__name__})", parameter=option, value=str(path)
        ) from None
