"""``sfumato text``: teach a machine what texts tell of persons, let it tag them, and see how well it does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.arguments import AsJson
from sfumato.cli.documents import show_json
from sfumato.cli.groups import HELP
from sfumato.cli.main import app
from sfumato.cli.texts import show

if TYPE_CHECKING:
    from sfumato.contracts.run import Run
    from sfumato.text.documents import Documents
    from sfumato.text.extraction import Agreement, TextModel, TypeRule

__all__ = ["text"]

text = typer.Typer(
    name="text",
    help=HELP["text"],
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(text)

Source = Annotated[
    str, typer.Argument(metavar="DATA", help="A folder of .txt files, a .txt or .jsonl file, or a table.")
]
TaggedSource = Annotated[
    str,
    typer.Argument(
        metavar="TAGGED",
        help="Tagged texts: a .jsonl file with spans, or a folder, file or table with tags such as <name>Ann</name>.",
    ),
]
Column = Annotated[
    str | None, typer.Option("--column", help="The column of a table, or the key of a line, with the text.")
]
Person = Annotated[str | None, typer.Option("--person", help="The column or key that says whom a text is about.")]
ModelFile = Annotated[
    Path | None, typer.Option("--model", "-m", help="A trained model; the one of the package by default.")
]


@text.command()
def train(
    tagged: TaggedSource,
    out: Annotated[Path, typer.Option("--out", "-o", help="The new file of the model.")],
    column: Column = None,
    person: Person = None,
    lists: Annotated[
        list[str] | None, typer.Option("--list", help="A further list of words as NAME=FILE, an entry in each line.")
    ] = None,
    caution: Annotated[
        float, typer.Option("--caution", min=0, help="Finds more the higher it is, and more that is none.")
    ] = 1.0,
    iterations: Annotated[int, typer.Option("--iterations", min=1, help="Steps of the training at most.")] = 60,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of what is forgotten while training.")] = 0,
    json_form: AsJson = False,
) -> None:
    """Train a model on texts with tags; needs sfumato[text]. Whoever has the model can read words of the texts."""
    from sfumato.cli.files import refuse_existing
    from sfumato.cli.progress import under_way
    from sfumato.errors import BadRequest
    from sfumato.text.extraction import train as trained

    refuse_existing(out)
    given = {name: _list(Path(file)) for name, file in (_pair(one, "--list") for one in lists or ())}
    with under_way(quiet=json_form) as run:
        model = trained(
            _opened(tagged, column, person, tagged=True, run=run),
            lists=given, caution=caution, iterations=iterations, seed=seed, run=run,
        )  # fmt: skip
    try:
        out.write_bytes(model.to_bytes())
    except OSError as error:
        raise BadRequest(f"cannot be written ({error.strerror})", parameter="--out", value=str(out)) from None
    if json_form:
        show_json({"out": out, "types": model.types, "attributes": len(model.attributes)})
    else:
        show(f"wrote {out}: finds {', '.join(model.types)} by {len(model.attributes):,} attributes")


@text.command()
def tag(
    data: Source,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where tagged texts go: a new .jsonl file, or a new folder.")
    ] = None,
    add_to: Annotated[
        Path | None,
        typer.Option("--add-to", help="A training file (.jsonl) that the texts, as corrected, are added to."),
    ] = None,
    column: Column = None,
    person: Person = None,
    model: ModelFile = None,
    allow: Annotated[list[str] | None, typer.Option("--allow", help="TYPE=WORDS that are never one.")] = None,
    deny: Annotated[list[str] | None, typer.Option("--deny", help="TYPE=WORDS that always are one.")] = None,
    threshold: Annotated[
        list[str] | None, typer.Option("--threshold", help="TYPE=P: one where its probability is at least P.")
    ] = None,
    context: Annotated[
        list[str] | None, typer.Option("--context", help="TYPE=WORD that halves the threshold shortly after it.")
    ] = None,
    json_form: AsJson = False,
) -> None:
    """Tag texts by a model (--out), or take texts that you tagged or corrected into a training file (--add-to)."""
    from sfumato.cli.progress import under_way
    from sfumato.errors import BadRequest
    from sfumato.text.extraction import extract
    from sfumato.text.extraction.tagged_files import add_documents, write_documents
    from sfumato.text.sources import opened

    if (out is None) == (add_to is None):
        raise BadRequest("give one of both, --out or --add-to", parameter="--out")
    rules = _rules(allow, deny, threshold, context)
    with under_way(quiet=json_form) as run:
        if add_to is not None:
            if add_to.suffix not in (".jsonl", ".ndjson"):
                raise BadRequest("must be a file of JSON lines (.jsonl)", parameter="--add-to", value=str(add_to))
            held = opened(add_to, column=None, person=None, tagged=False) if add_to.exists() else None
            new, changed = add_documents(_opened(data, column, person, tagged=True, run=run), add_to, held)
        elif out is not None:
            found = extract(
                _opened(data, column, person, tagged=False, run=run), model=_model(model), rules=rules, run=run
            )
            write_documents(found, out)
            spans = sum(len(document.spans) for document in found)
    if add_to is not None:
        told: dict[str, object] = {"add_to": add_to, "new": new, "changed": changed}
        sentence = f"{add_to}: {new:,} new, {changed:,} changed; next: sfumato text train {add_to} -o MODEL"
    else:
        told = {"out": out, "documents": len(found), "spans": spans}
        sentence = f"wrote {out}: {len(found):,} documents, {spans:,} spans"
    show_json(told) if json_form else show(sentence)


@text.command()
def suggest(
    data: Source,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Where they go to be corrected: a folder, or a .jsonl file.")
    ],
    count: Annotated[int, typer.Option("--count", min=1, help="How many documents.")] = 10,
    column: Column = None,
    person: Person = None,
    model: ModelFile = None,
    json_form: AsJson = False,
) -> None:
    """Write the documents that a model is least certain of, tagged as it would, so that you correct them."""
    from sfumato.cli.progress import under_way
    from sfumato.text.documents import Documents
    from sfumato.text.extraction import extract, uncertainty
    from sfumato.text.extraction.tagged_files import write_documents
    from sfumato.text.file_names import neutral_names

    used = _model(model)
    with under_way(quiet=json_form) as run:
        documents = _opened(data, column, person, tagged=False, run=run)
        doubts = uncertainty(documents, model=used, run=run)
        order = sorted(range(len(doubts)), key=lambda at: (-doubts[at], at))[:count]
        found = neutral_names(extract(Documents(tuple(documents.held[at] for at in order)), model=used, run=run))
        write_documents(found, out)
    told = {one.name: doubts[at] for one, at in zip(found, order, strict=True)}
    if json_form:
        show_json({"out": out, "documents": told})
        return
    for name, doubt in told.items():
        show(f"{name}: {doubt:.3f}")
    show(f"wrote {out}; next: correct the tags, then sfumato text tag {out} --add-to TRAINING.jsonl")


@text.command()
def score(
    tagged: TaggedSource,
    found: Annotated[
        str | None,
        typer.Option("--found", help="The same texts with spans that were found; a model finds them if not given."),
    ] = None,
    column: Column = None,
    person: Person = None,
    model: ModelFile = None,
    json_form: AsJson = False,
) -> None:
    """Compare what a model finds with tags of people: by span, token and type, and whether every mention is covered."""
    from sfumato.cli.progress import under_way
    from sfumato.errors import BadRequest
    from sfumato.reports.text import print_table
    from sfumato.text.documents import Document, Documents
    from sfumato.text.extraction import extract
    from sfumato.text.extraction import score as scored

    with under_way(quiet=json_form) as run:
        gold = _opened(tagged, column, person, tagged=True, run=run)
        if not gold.types:
            raise BadRequest(
                "holds no tags of people: there is nothing to compare with", parameter="TAGGED", value=tagged
            )
        if found is not None:
            others = _opened(found, column, person, tagged=True, run=run)
        else:
            bare = tuple(Document(one.name, one.text, (), one.person) for one in gold)
            others = extract(Documents(bare), model=_model(model), run=run)
    held = scored(gold, others)
    ways = {
        "strict": ("strict", held.strict),
        "place": ("place, any type", held.place),
        "tokens": ("tokens", held.tokens),
        "masked": ("tokens, any type", held.masked),
        "characters": ("characters, any type", held.characters),
        "weighted": ("tokens by what they tell", held.weighted),
    }
    if json_form:
        show_json(
            {
                "documents": len(gold),
                **{name: _told(one) for name, (_, one) in ways.items()},
                "types": {name: _told(one) for name, one in held.types.items()},
                "entities_masked": {"direct": held.direct, "quasi": held.quasi},
            }
        )
        return
    rows = [_row(name, one) for name, one in [*ways.values(), *held.types.items()]]
    print_table(f"{len(gold):,} documents", ["counted by", "tagged", "found", "precision", "recall", "F1", "F2"], rows)
    for name, share in (("direct identifiers", held.direct), ("quasi-identifiers", held.quasi)):
        if share is not None:
            show(f"{name} of which every mention is covered: {share:.1%}")


def _told(one: Agreement) -> dict[str, float]:
    return {"precision": one.precision, "recall": one.recall, "f1": one.f(), "f2": one.f(2)}


def _row(name: str, one: Agreement) -> list[str]:
    shares = (one.precision, one.recall, one.f(), one.f(2))
    return [name, f"{one.tagged:,.0f}", f"{one.found:,.0f}", *(f"{share:.3f}" for share in shares)]


def _opened(source: str, column: str | None, person: str | None, *, tagged: bool, run: Run) -> Documents:
    """Return documents; lines of JSON hold spans where others hold tags."""
    from sfumato.text.sources import opened

    run.stage("reading")
    lines = Path(source).suffix in (".jsonl", ".ndjson")
    return opened(source, column=column, person=person, tagged=tagged and not lines, memory=run.memory)


def _model(path: Path | None) -> TextModel:
    from sfumato.text.extraction import TextModel, shipped_model

    return shipped_model() if path is None else TextModel.load(path)


def _pair(given: str, option: str) -> tuple[str, str]:
    from sfumato.errors import BadRequest

    name, equals, value = given.partition("=")
    if not equals or not name or not value.strip():
        raise BadRequest("must be NAME=VALUE", parameter=option, value=given)
    return name, value


def _list(path: Path) -> tuple[str, ...]:
    from sfumato.errors import BadRequest
    from sfumato.text.extraction.gazetteers import entries

    try:
        return entries(path.read_text(encoding="utf-8-sig").splitlines())
    except (OSError, UnicodeDecodeError):
        raise BadRequest("is not a text file in UTF-8", parameter="--list", value=str(path)) from None


def _rules(
    allow: list[str] | None, deny: list[str] | None, threshold: list[str] | None, context: list[str] | None
) -> dict[str, TypeRule]:
    """Return what was said of each type."""
    from sfumato.errors import BadRequest
    from sfumato.text.extraction import TypeRule

    def by_type(given: list[str] | None, option: str) -> dict[str, tuple[str, ...]]:
        out: dict[str, tuple[str, ...]] = {}
        for name, value in (_pair(one, option) for one in given or ()):
            out[name] = (*out.get(name, ()), value)
        return out

    least: dict[str, float] = {}
    for name, values in by_type(threshold, "--threshold").items():
        try:
            least[name] = float(values[-1])
        except ValueError:
            raise BadRequest("must be TYPE=PROBABILITY", parameter="--threshold", value=values[-1]) from None
    allowed, denied, words = by_type(allow, "--allow"), by_type(deny, "--deny"), by_type(context, "--context")
    for name in (*allowed, *denied, *least, *words):
        if not re.fullmatch(r"[a-z][\w-]*", name):
            raise BadRequest("must be a type as tags name it, such as name", parameter="TYPE", value=name)
    return {
        name: TypeRule(allowed.get(name, ()), denied.get(name, ()), least.get(name), words.get(name, ()))
        for name in sorted({*allowed, *denied, *least, *words})
    }
