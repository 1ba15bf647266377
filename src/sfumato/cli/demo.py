"""``sfumato demo``: the whole thread on the bundled sample."""

from __future__ import annotations

from collections.abc import Sequence
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
    shape: Annotated[str, typer.Argument(help="Which shape of data: table, transactions, trajectories, ...")] = "table",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="The new folder for input and release; sfumato-demo or sfumato-demo-SHAPE if not given."
        ),
    ] = None,
    json_form: AsJson = False,
) -> None:
    """Anonymize invented data, a hospital's or of another shape: a release folder to look at."""
    from sfumato.cli.anonymize import publish_with_progress
    from sfumato.datasets.demos import demo_of
    from sfumato.errors import BadRequest
    from sfumato.policy import SharedPolicy

    shown = demo_of(shape)
    if out is None:
        out = Path("sfumato-demo" if shape == "table" else f"sfumato-demo-{shape}")
    refuse_existing(out)
    try:
        out.mkdir(parents=True)
    except OSError as error:
        raise BadRequest(f"cannot be made ({error.strerror})", parameter="--out", value=str(out)) from None
    if isinstance(shown.dataset, tuple):
        data = out / shown.name
        data.mkdir()
        for table in shown.dataset:
            table.write_csv(data / f"{table.name}.csv")
    else:
        data = shown.dataset.write_csv(out / f"{shown.name}.csv")
    policy = out / "policy.yaml"
    policy.write_text(SharedPolicy.of(shown.policy).to_yaml(), encoding="utf-8")
    if shown.questions:
        _asked(data, policy, shown.questions, out, json_form)
        return
    publish_with_progress(str(data), policy, out / "release", thorough=True, json_form=json_form)
    if json_form:
        return
    show(f"\nthe raw sample is {data}, the policy {policy}; try: sfumato verify {out / 'release'}")


def _asked(data: Path, policy: Path, questions: Sequence[str], out: Path, json_form: bool) -> None:
    """Ask a desk instead of publishing: each question, its repeat in other words, and the page about all of them."""
    from sfumato.cli.ask import show_answer
    from sfumato.cli.documents import show_json
    from sfumato.interactive.desk import Desk
    from sfumato.ledger.ledger import Ledger
    from sfumato.reports.desk_page import desk_page

    place, page = out / "desk.ledger", out / "desk.html"
    with Ledger.create(place) as ledger:
        ledger.budgets.allot("total", epsilon=10.0)
        with Desk(str(data), policy, ledger) as desk:
            answers = [desk.ask(question, asker="demo") for question in questions]
            page.write_text(desk_page(desk), encoding="utf-8")
    if json_form:
        show_json({"answers": [answer.document() for answer in answers], "ledger": place, "page": page})
        return
    for answer in answers:
        show(f"\n{answer.question}")
        show_answer(answer)
    show(
        f"\nopen: {page}; the table is {data}, the policy {policy}; try: sfumato audit --desk {place} -p {policy} --raw {data}"
    )
