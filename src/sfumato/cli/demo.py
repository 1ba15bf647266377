"""``sfumato demo``: the whole thread on invented data of a shape."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson
from sfumato.cli.files import refuse_existing
from sfumato.cli.main import app
from sfumato.cli.texts import show

__all__ = ["demo"]


@app.command()
def demo(
    shape: Annotated[str, typer.Argument(help="Shape of the data, such as trajectories.")] = "table",
    out: Annotated[Path, typer.Option("--out", "-o", help="The new folder for input and release.")] = Path(
        "sfumato-demo"
    ),
    json_form: AsJson = False,
) -> None:
    """Anonymize a bundled sample of invented data, hospital admissions if no shape is named: a release folder to look at."""
    from sfumato.cli.anonymize import publish_with_progress
    from sfumato.datasets.demos import DEMOS
    from sfumato.errors import BadRequest
    from sfumato.policy import SharedPolicy

    if shape not in DEMOS:
        raise BadRequest("has no demonstration", parameter="shape", value=shape, available=DEMOS)
    shown = DEMOS[shape]
    refuse_existing(out)
    try:
        out.mkdir(parents=True)
    except OSError as error:
        raise BadRequest(f"cannot be made ({error.strerror})", parameter="--out", value=str(out)) from None
    data = shown.data().write_csv(out / shown.file)
    policy = out / "policy.yaml"
    policy.write_text(SharedPolicy.of(shown.policy()).to_yaml(), encoding="utf-8")
    publish_with_progress(str(data), policy, out / "release", thorough=True, json_form=json_form)
    if json_form:
        return
    show(f"\nthe raw sample is {data}, the policy {policy}; try: sfumato verify {out / 'release'}")
