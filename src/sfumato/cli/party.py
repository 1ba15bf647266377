"""``sfumato party``: several holders, one release."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson, Data, ExcelSafe, IfThere, Language, OutputFormat, Quiet, ReleaseFolder
from sfumato.cli.documents import show_json, show_release
from sfumato.cli.files import refuse_existing, refuse_release, write_table, write_text
from sfumato.cli.groups import HELP
from sfumato.cli.main import app, said
from sfumato.cli.party_sessions import (
    audit,
    certificate,
    check,
    coordinate,
    demo,
    invite,
    offer,
    request,
    schema,
    serve,
)
from sfumato.cli.texts import show
from sfumato.data.messages import ENGLISH, refuse_unspoken, say, tell
from sfumato.errors import BadRequest

if TYPE_CHECKING:
    from sfumato.contracts.published import Release
    from sfumato.parties.contract import Contract

__all__ = ["party"]

party = typer.Typer(
    name="party",
    help=HELP["party"],
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(party)
for _command in (certificate, invite, offer, serve, coordinate, request, check, schema, audit, demo):
    party.command()(_command)

ContractFile = Annotated[
    Path, typer.Option("--contract", "-p", help="The contract between the holders (YAML or JSON).")
]


@party.command()
def simulate(
    files: Annotated[
        list[str],
        typer.Argument(help="The table of each holder, in the order of the contract; or HOLDER=FILE in any order."),
    ],
    contract: Annotated[
        Path, typer.Option("--contract", "-p", help="The contract between the holders (YAML or JSON).")
    ],
    out: ReleaseFolder,
    output_format: OutputFormat = None,
    language: Language = ENGLISH,
    excel_safe: ExcelSafe = False,
    if_exists: IfThere = "fail",
    quiet: Quiet = False,
    json_form: AsJson = False,
) -> None:
    """Run all holders of a contract in this process: a verified release, and what each role learnt on the way."""
    from sfumato.cli.progress import TerminalProgress
    from sfumato.contracts.run import Run
    from sfumato.kernels.compiled import announce_compilation
    from sfumato.parties.contract import Contract
    from sfumato.parties.simulation import simulate as simulated
    from sfumato.reports.text import print_release
    from sfumato.verbs.publish import publish

    refuse_release(out, if_exists, json_form=json_form)
    refuse_unspoken(language)
    asked = Contract.load(contract)
    sources = _by_holder(asked, files)
    announce_compilation()
    with TerminalProgress(quiet=quiet or json_form) as progress:
        run = Run(progress=progress)
        release = simulated(asked, sources, run=run)
        publish(
            release,
            out,
            format=output_format,
            separator=asked.source.separator,
            language=language,
            excel_safe=excel_safe,
            if_exists=if_exists,
            run=run,
        )
    if json_form:
        show_release(release, out)
    elif not quiet:
        print_release(release, out, said())
        _show_ledger(release)


@party.command()
def plan(contract: ContractFile, json_form: AsJson = False) -> None:
    """Say what a contract asks of each holder: which columns are handled together, who learns what, at which cost."""
    from sfumato.parties.contract import Contract
    from sfumato.parties.plan import planned

    found = planned(Contract.load(contract))
    if json_form:
        show_json(asdict(found))
        return
    for sentence in found.words():
        show(sentence)


@party.command()
def negotiate(
    offers: Annotated[
        list[Path],
        typer.Argument(help="What each holder offers and demands (YAML or JSON), in the order of the contract."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The contract to write.")],
) -> None:
    """Make a contract from the policy files of holders: the least promise that keeps what all demand, or why there is none."""
    from sfumato.parties.negotiation import Offer, negotiated

    refuse_existing(out)
    contract = negotiated([Offer.load(one) for one in offers])
    write_text(out, contract.to_yaml())
    show(tell("party.shown.contract", file=str(out), sha=contract.hash()[:16], holders=list(contract.holders)))
    for model in contract.policy().models():
        show(f"- {json.dumps(model.spec(), ensure_ascii=False)}")


@party.command()
def split(
    data: Data,
    contract: ContractFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="The new folder for the tables of the holders.")],
) -> None:
    """Make the tables of the holders from one table, to try a contract: HOLDER.csv for each."""
    from sfumato.engines import read
    from sfumato.parties.contract import Contract
    from sfumato.parties.vertical import split_table

    refuse_existing(out)
    asked = Contract.load(contract)
    tables = split_table(asked, read(data))
    try:
        out.mkdir(parents=True)
    except OSError as error:
        raise BadRequest(say("party.bad.unmade", why=str(error.strerror)), parameter="--out", value=str(out)) from None
    for name, table in tables.items():
        table.write(out / f"{name}.csv")
        show(tell("party.shown.table", file=str(out / f"{name}.csv"), columns=list(table.columns)))


@party.command()
def join(
    first: Annotated[str, typer.Argument(help="The table of the first holder.")],
    second: Annotated[str, typer.Argument(help="The table of the second holder.")],
    on: Annotated[str, typer.Option("--on", help="The column in which records meet; FIRST=SECOND if names differ.")],
    key: Annotated[str, typer.Option("--key", help="The column that names records; FIRST=SECOND if names differ.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The new file: fresh numbers of pairs, with both names.")],
    allow_duplicates: Annotated[
        bool, typer.Option("--allow-duplicates", help="A record may appear several times: k records are not k persons.")
    ] = False,
    fold_case: Annotated[bool, typer.Option("--fold-case", help="Upper and lower case are alike.")] = False,
) -> None:
    """Join two holders' records on a column that is no key (general-join): who gets which fresh number."""
    import numpy as np

    from sfumato.contracts.run import fresh_seed
    from sfumato.engines import from_rows
    from sfumato.parties.protocols.general_join import GeneralJoin
    from sfumato.parties.vertical import joining_values

    refuse_existing(out)
    keys, values = _both(key), _both(on)
    given = [
        joining_values(source, *names)
        for source, names in zip((first, second), zip(keys, values, strict=True), strict=True)
    ]
    rng = np.random.default_rng(fresh_seed())
    found = GeneralJoin(allow_duplicates=allow_duplicates, fold_case=fold_case).of(given[0], given[1], rng=rng)
    write_table(from_rows(["ID", *_apart(keys)], sorted(found.pairs)), out, excel_safe=False)
    show(tell("party.shown.pairs", file=str(out), count=len(found.pairs), most=max(found.multiplicity)))
    show(tell("party.shown.alone", first=len(found.unmatched[0]), second=len(found.unmatched[1])))


@party.command()
def game(
    first: Annotated[str, typer.Argument(help="Strategy of the first player: all-c, all-d, tft or gtft.")] = "gtft",
    second: Annotated[str, typer.Argument(help="Strategy of the second player.")] = "all-d",
    rounds: Annotated[int, typer.Option("--rounds", help="How many rounds are played.")] = 50,
    generosity: Annotated[float, typer.Option("--generosity", help="How likely gtft forgives.")] = 0.1,
    seed: Annotated[int, typer.Option("--seed", help="Seed of what is forgiven by chance.")] = 0,
    json_form: AsJson = False,
) -> None:
    """Play the iterated prisoners' dilemma: why holders that meet again contribute."""
    import numpy as np

    from sfumato.parties.protocols.iterated_prisoners_dilemma import STRATEGIES, IteratedPrisonersDilemma
    from sfumato.reports.text import print_table

    dilemma = IteratedPrisonersDilemma(generosity=generosity)
    if seed < 0:
        raise BadRequest("must be >= 0", parameter="--seed", value=seed)
    played = dilemma.play(first, second, rounds=rounds, rng=np.random.default_rng(seed))  # type: ignore[arg-type]
    if json_form:
        show_json(asdict(played))
        return
    earned = {"first": first, "second": second, "one": played.payoffs[0], "other": played.payoffs[1]}
    show(tell("party.shown.earned", **earned, rounds=rounds))
    drawn = dilemma.picture(rounds=rounds, rng=np.random.default_rng(seed))
    rows = [[name, *(f"{value:.2f}" for value in row)] for name, row in zip(STRATEGIES, drawn.values, strict=True)]
    print_table(str(drawn.title), ["", *STRATEGIES], rows)
    show(str(drawn.caption))


def _both(given: str) -> tuple[str, str]:
    """Return the names of a column in both tables."""
    first, equals, second = given.partition("=")
    return (first, second if equals else first)


def _apart(keys: tuple[str, str]) -> tuple[str, str]:
    return keys if keys[0] != keys[1] else (f"{keys[0]}_1", f"{keys[1]}_2")


def _by_holder(contract: Contract, files: list[str]) -> dict[str, object]:
    """Return the file of each holder: named, or in the order of the contract."""
    names = list(contract.holders)
    named = [file.partition("=") for file in files]
    if all(equals and holder in names for holder, equals, _ in named):
        found = {holder: file for holder, _, file in named}
        if len(found) != len(files):
            raise BadRequest(say("party.bad.given_twice"), parameter="FILES", available=names)
    else:
        found = dict(zip(names, files, strict=False)) if len(files) == len(names) else {}
    if set(found) != set(names):
        raise BadRequest(
            say("party.bad.one_each"),
            parameter="FILES",
            value=files,
            available=names,
        )
    return {name: found[name] for name in names}


def _show_ledger(release: Release) -> None:
    """Print what each role learnt."""
    from sfumato.releases.joint_table import JointTable

    if isinstance(release.form, JointTable):
        show(tell("party.shown.learnt"))
        for sentence in release.form.learnt:
            show(f"- {sentence}")
