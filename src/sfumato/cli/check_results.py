"""``sfumato check-results``: does a mining result tell of a few persons?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.arguments import AsJson
from sfumato.cli.documents import show_json
from sfumato.cli.files import refuse_existing, write_text
from sfumato.cli.main import app
from sfumato.cli.texts import show

__all__ = ["check_results"]


@app.command("check-results")
def check_results(
    result: Annotated[
        Path,
        typer.Argument(help="JSON with itemsets, rules or leaves, or lines such as 'a b (12)' and 'a b #SUP: 12'."),
    ],
    k: Annotated[int, typer.Option("--k", min=1, help="Fewest records of a group that may follow.")] = 5,
    records: Annotated[
        int | None, typer.Option("--records", min=1, help="How many records there were, if that is published.")
    ] = None,
    withheld: Annotated[
        Path | None, typer.Option("--withhold-to", help="Write the itemsets that may be published, as JSON.")
    ] = None,
    raised: Annotated[
        Path | None, typer.Option("--raise-to", help="Write all itemsets with supports raised until none tells.")
    ] = None,
    worst: Annotated[int, typer.Option("--worst", min=0, help="How many groups to list.")] = 10,
    json_form: AsJson = False,
) -> None:
    """Say whether itemsets, rules or a tree tell of fewer than k records; exit code 0 if not, 1 if they do."""
    from sfumato.data.messages import say, tell, worded
    from sfumato.errors import BadRequest
    from sfumato.interactive.mining.result_files import read_result
    from sfumato.interactive.models.anonymous_patterns import AnonymousPatterns
    from sfumato.itemsets.patterns import Patterns
    from sfumato.verbs.check_results import check_results as judge
    from sfumato.verbs.check_results import published_patterns

    for name, path in (("--withhold-to", withheld), ("--raise-to", raised)):
        refuse_existing(path, name)
    held = read_result(result)
    verdict = judge(held, k=k, records=records)
    patterns = published_patterns(held, records)
    model = AnonymousPatterns(k=k)
    for path, mend in ((withheld, model.withheld), (raised, model.raised)):
        if path is None:
            continue
        if patterns is None:
            raise BadRequest(say("results.bad.none"), parameter="result")
        frequent = Patterns({items: support for items, support in patterns.supports.items() if support >= k})
        made = mend(frequent)
        sets = [{"items": list(items), "support": support} for items, support in made.patterns.supports.items()]
        write_text(path, json.dumps({"itemsets": sets}, indent=1, ensure_ascii=False) + "\n")
    groups = sorted(verdict.groups, key=lambda group: group.count)
    if json_form:
        told = [{"count": group.count, "words": group.words} for group in groups]
        show_json({"satisfied": bool(verdict), "k": k, "groups": told, "notes": list(verdict.notes)})
    else:
        for group in groups[:worst]:
            show(tell("results.small", count=group.count, words=worded(group.words)))
        if len(groups) > worst:
            show(tell("results.more", count=len(groups) - worst))
        for note in verdict.notes:
            show(worded(note))
        if verdict:
            show(tell("results.fits", k=k))
    raise typer.Exit(0 if verdict else 1)
