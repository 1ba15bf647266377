"""``sfumato marginals``: counts of a few columns that go beside a release, as long as all together keep the promise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, IfThere, OutputFormat, Quiet, ReleaseFolder
from sfumato.cli.documents import show_json
from sfumato.cli.files import refuse_release
from sfumato.cli.main import app
from sfumato.cli.texts import show

__all__ = ["marginals"]


@app.command()
def marginals(
    data: Data,
    policy: Annotated[Path, typer.Option("--policy", "-p", help="The policy of the release that they go beside.")],
    beside: Annotated[Path, typer.Option("--beside", help="The folder of that release, or its published file.")],
    out: ReleaseFolder,
    k: Annotated[
        int | None, typer.Option("--k", min=1, help="Fewest persons of a class; that of the policy if not given.")
    ] = None,
    l: Annotated[
        int | None, typer.Option("--l", min=1, help="Fewest sensitive values of a class; 2 if not given.")
    ] = None,
    depth: Annotated[
        int, typer.Option("--depth", min=1, max=3, help="1 intersects, 2 counts exactly, 3 takes the maximum entropy.")
    ] = 1,
    most: Annotated[int | None, typer.Option("--most", min=1, help="Largest number of marginals.")] = None,
    output_format: OutputFormat = None,
    if_exists: IfThere = "fail",
    quiet: Quiet = False,
    json_form: AsJson = False,
) -> None:
    """Propose marginals beside a release, take those that are safe with it, and publish and certify them in OUT."""
    from sfumato.cli.progress import under_way
    from sfumato.verbs.marginals import marginals as chosen
    from sfumato.verbs.publish import publish
    from sfumato.views.marginal_release import MarginalFacts

    refuse_release(out, if_exists, json_form=json_form)
    with under_way(quiet=quiet or json_form) as run:
        made = chosen(data, policy, beside=beside, k=k, l=l, depth=depth, most=most, run=run)
        publish(made, out, format=output_format, input_path=data, if_exists=if_exists, run=run)
    facts = made.private.facts
    steps = facts.choices if isinstance(facts, MarginalFacts) else ()
    if json_form:
        told = [{"marginal": one.marginal, "before": one.before, "after": one.after} for one in steps]
        show_json({"out": str(out), "marginals": told})
        return
    for one in steps:
        show(f"{one.marginal}: divergence {one.before:.4f} -> {one.after:.4f}")
    show(f"wrote {out}")
