"""``sfumato explore``: which choices of levels satisfy a policy, what each costs, and which to publish."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import Data, EngineName, PolicyFile, Quiet
from sfumato.cli.files import refuse_existing, write_text
from sfumato.cli.main import app
from sfumato.cli.sources import reads
from sfumato.cli.texts import numbers, requirement_from_text, show

if TYPE_CHECKING:
    from sfumato.contracts.exploration import Solution
    from sfumato.verbs.explore import Explored

__all__ = ["explore"]


@app.command()
@reads
def explore(
    data: Data,
    policy: PolicyFile,
    metric: Annotated[
        str | None,
        typer.Option("--metric", "-m", help="What to minimise, such as 'loss aggregate=sum'; loss if not given."),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="How many of the best choices to look for.")] = 20,
    every: Annotated[bool, typer.Option("--all", help="Count every choice and list all that satisfy.")] = False,
    lattice: Annotated[Path | None, typer.Option("--lattice", help="Draw the lattice of levels as SVG.")] = None,
    curve: Annotated[
        Path | None, typer.Option("--curve", help="Draw cost against k (or the suppression limit) as SVG.")
    ] = None,
    ks: Annotated[
        str | None, typer.Option("--ks", help="The k of the curve, separated by commas; 2, 3, 5, 10, ... if not given.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write everything that was found as JSON.")] = None,
    choose: Annotated[
        int | None, typer.Option("--choose", min=1, help="Publish the choice of this rank: see --write-policy.")
    ] = None,
    write_policy: Annotated[
        Path | None, typer.Option("--write-policy", help="With --choose: the new policy, YAML.")
    ] = None,
    engine: EngineName = None,
    quiet: Quiet = False,
) -> None:
    """List the choices of levels that satisfy a policy: draw them, and write the policy that publishes one of them."""
    from sfumato.cli.progress import under_way
    from sfumato.errors import BadRequest
    from sfumato.tables.policy import Policy
    from sfumato.verbs.explore import explore as explored

    outputs = {"--lattice": lattice, "--curve": curve, "--json": json_file, "--write-policy": write_policy}
    for name, path in outputs.items():
        refuse_existing(path, name)
    if (choose is None) != (write_policy is None):
        missing, given = ("--write-policy", "--choose") if choose is not None else ("--choose", "--write-policy")
        raise BadRequest(f"is needed beside {given}", parameter=missing)
    loaded = Policy.load(policy)
    asked = loaded if engine is None else loaded.model_copy(update={"engine": engine})
    with under_way(quiet=quiet, lasting=True, compiling=True) as run:
        found = explored(
            data,
            asked,
            metric=None if metric is None else requirement_from_text(metric, "--metric"),
            top=max(top, choose or 1),
            every=every,
            ks=_ks(ks, wanted=curve is not None or json_file is not None),
            run=run,
        )
    written: dict[str, str] = {}
    if choose is not None:
        if choose > len(found.solutions):
            raise BadRequest(f"there are {len(found.solutions):,} choices", parameter="--choose", value=choose)
        # The engine of this run is nobody's choice for the next one.
        chosen = found.to_policy(found.solutions[choose - 1]).model_copy(update={"engine": loaded.engine})
        written["--write-policy"] = chosen.to_yaml()
    if lattice is not None:
        written["--lattice"] = found.lattice_svg()
    if curve is not None:
        written["--curve"] = found.curve_svg()
    if json_file is not None:
        written["--json"] = json.dumps(found.document(), indent=1) + "\n"
    if not quiet:
        _print(found, top if not every else None)
    for name, text in written.items():
        path = outputs[name]
        assert path is not None
        write_text(path, text, name)
        if not quiet:
            show(f"wrote {path}")


def _print(found: Explored, top: int | None) -> None:
    from sfumato.reports.words import counted, printable

    shown = found.solutions[:top]
    _print_solutions(found, shown)
    show(found.facts().certainty())
    if not found.complete:
        show("note: better choices than some of these may be missing, the search was not run to its end")
    one = len(found.minimal) == 1
    has, is_ = ("has", "is") if one else ("have", "are")
    known = has if found.minimal_known else f"{is_} known that {has}"
    listed = sum(solution.minimal for solution in shown)
    show(
        f"{counted(len(found.minimal), 'choice')} {known} no finer choice that satisfies; {listed:,} of them in this list, "
        "marked minimal"
    )
    show(f"records that may be left out: {found.allowed:,} of {found.records:,}")
    show("why the first choice is not finer:")
    for entry in found.why:
        show(f"  {printable(entry.attribute, 60)}, level {entry.level} of {entry.height}: {entry.words()}")
    if found.curve:
        _print_curve(found)


def _print_solutions(found: Explored, shown: Sequence[Solution]) -> None:
    from sfumato.reports.text import print_table
    from sfumato.reports.words import printable

    header = [
        "rank",
        *(printable(name, 40) for name in found.columns),
        str(found.metric["id"]),
        "left out",
        "groups",
        "smallest",
        "",
    ]
    rows = [
        [
            str(rank),
            *(str(level) for level in solution.levels.values()),
            f"{solution.score:.6g}",
            f"{solution.left_out:,} in {solution.groups_left_out:,} groups" if solution.left_out else "0",
            f"{solution.groups_kept:,}",
            f"{solution.smallest_group:,}",
            ", ".join(word for word, said in (("optimal", solution.optimal), ("minimal", solution.minimal)) if said),
        ]
        for rank, solution in enumerate(shown, 1)
    ]
    print_table("", header, rows)


def _print_curve(found: Explored) -> None:
    from sfumato.reports.text import print_table

    rows = []
    for point in found.curve:
        at = f"{point.suppress_at_most:.0%}" if point.k is None else f"{point.k:,}"
        mark = "as the policy asks" if point.asked else ""
        if point.score is None or point.levels is None:
            rows.append([at, "no choice satisfies", "", "", mark])
            continue
        levels = f"({','.join(str(level) for level in point.levels.values())})"
        rows.append([at, f"{point.score:.6g}", f"{point.left_out:,}", levels, mark])
    first = "k" if found.curve[0].k is not None else "left out at most"
    print_table("", [first, str(found.metric["id"]), "left out", "levels", ""], rows)


def _ks(text: str | None, *, wanted: bool) -> list[int] | None:
    """Read the k of the curve; no curve is computed that nobody asked for."""
    if text is None:
        return None if wanted else []
    return numbers(text, "--ks")
