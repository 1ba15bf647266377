"""``sfumato schema``: the JSON Schema of a policy, for editors."""

from __future__ import annotations

import typer

from sfumato.cli.main import app

__all__ = ["schema"]


@app.command()
def schema() -> None:
    """Print the JSON Schema of a policy; editors use it to complete and check."""
    import json

    from sfumato.policy import Policy

    typer.echo(json.dumps(Policy.model_json_schema(), indent=1))
