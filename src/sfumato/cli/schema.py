"""``sfumato schema``: the JSON Schema of a policy, for editors."""

from __future__ import annotations

from sfumato.cli.main import app
from sfumato.cli.texts import show

__all__ = ["schema"]


@app.command()
def schema() -> None:
    """Print the JSON Schema of a policy; editors use it to complete and check."""
    import json

    from sfumato.tables.policy import Policy

    show(json.dumps(Policy.model_json_schema(), indent=1))
