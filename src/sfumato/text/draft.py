"""Looking at texts before anybody wrote a policy: where they are, what they tell, and what singles people out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run
from sfumato.data.commented_yaml import commented_yaml
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType, Role
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.text.attack import TextKnowledge, TextSeen
from sfumato.text.attacks.rare_term_attack import RareTermAttack
from sfumato.text.documents import TAGGED, Documents
from sfumato.text.extraction.extract import extract
from sfumato.text.language import language_of
from sfumato.text.recodings.surrogates import LIKE
from sfumato.text.sources import opened
from sfumato.text.terms import words_of
from sfumato.text.types import TYPES

__all__ = ["drafted", "profiled"]

_PERSON = re.compile(r"person|patient|client|user|customer|author|owner|member|(^|_)id$", re.IGNORECASE)
_LOOKED_AT = 300  # documents that are searched for a draft

_HEAD = """\
# Drafted from the data; every line is a proposal. Read it once, change what you know better, then run
#   sfumato anonymize DATA --policy THIS_FILE -o OUT
# What a machine did not find it does not mask: look at samples. `sfumato describe` explains every id used here.
"""

_ENTITIES = """\
what the texts tell, by type. identifier: names a person and goes; quasi-identifier: may be known of a person;
sensitive: nobody should learn it; plain: stays. `link: true` says that texts which tell the same are of one person.
With a key (SFUMATO_PSEUDONYM_KEY) instead of placeholders: {role: identifier, replace: surrogate}, dates: {replace: shift}"""

_REQUIREMENT = """\
removes identifiers and quasi-identifiers (mode: partial removes identifiers alone);
to keep quasi-identifiers in a more general form instead: {id: k-anonymity, k: 5}, with hierarchies for numbers"""


@frozen(eq=False)
class _Found:
    """Documents with what they tell, and where they are."""

    documents: Documents
    column: str | None
    person: str | None
    tagged: bool
    language: str


def drafted(source: object, k: int, run: Run) -> str:
    """Return a commented policy: where the texts are, what they tell, and removal of what may be known of a person."""
    found = _looked_at(source, run, _LOOKED_AT)
    counts = Counter(span.type for document in found.documents for span in document.spans)
    roles = {name: str(_role(name)) for name in sorted(counts)}
    documents: dict[str, object] = {}
    if found.column is not None:
        documents["column"] = found.column
    if found.tagged:
        documents["tagged"] = True
    if found.language != "en":
        documents["language"] = found.language
    if not roles:
        roles = {name: str(known.role) for name, known in TYPES.items() if known.role is Role.IDENTIFIER}
    order = [str(Role.IDENTIFIER), str(Role.QUASI_IDENTIFIER), str(Role.SENSITIVE)]
    document: dict[str, object] = {"version": 1, "shape": "text"}
    if found.person is not None:
        document["person"] = found.person
    if documents:
        document["documents"] = documents
    document["entities"] = {
        name: {"role": role, **({"link": True} if name in ("name", "record", "mrn") and found.person is None else {})}
        for name, role in sorted(roles.items(), key=lambda one: order.index(one[1]) if one[1] in order else 3)
    }
    document["requirements"] = [{"id": "hide-deidentification-models", "mode": "full"}]
    document["algorithm"] = {"id": "hide-framework", "everywhere": True}
    document["metrics"] = ["lost-words"]
    places = ", ".join(f"{name} {count:,}" for name, count in counts.most_common()) or "nothing"
    said = {
        "entities": f"{_ENTITIES}\nfound in {len(found.documents):,} texts: {places}",
        "requirements": _REQUIREMENT,
        "algorithm": "words that are removed at one place are removed elsewhere, too",
    }
    return _HEAD + commented_yaml(document, said)


def profiled(source: object, run: Run) -> Sequence[str]:
    """Return sentences on texts: how many, how long, what they tell, and whose words nobody else has."""
    found = _looked_at(source, run)
    documents = found.documents
    lengths = [sum(1 for _ in words_of(document.text)) for document in documents]
    out: list[str] = [
        say(
            "text.profile",
            documents=len(documents),
            words=sum(lengths),
            mean=float(np.mean(lengths)),
            longest=max(lengths),
        )
    ]
    counts = Counter(span.type for document in documents for span in document.spans)
    out += [say("text.told", type=name, count=count) for name, count in counts.most_common()]
    direct = {name for name, known in TYPES.items() if known.role is Role.IDENTIFIER}
    named = sum(any(span.type in direct for span in document.spans) for document in documents)
    out.append(say("text.named", count=named, share=named / len(documents)))
    persons = tuple(document.person or document.name for document in documents)
    seen = TextSeen(read({"text": [""]}), documents=documents.held, persons=persons)
    out.append(RareTermAttack().on(seen, TextKnowledge(), run).reading)
    return out


def _role(name: str) -> Role:
    """Return what a type probably is; one that nobody knows is taken for what names a person."""
    if name in TYPES:
        return TYPES[name].role
    vague = LIKE.get(name) in ("town", "code", "house", "employer") or name in ("gender", "sex", "job", "time")
    return Role.QUASI_IDENTIFIER if vague else Role.IDENTIFIER


def _looked_at(source: object, run: Run, most: int | None = None) -> _Found:
    """Return documents, or the first of them, and where they are; a table has its texts in the column with the longest ones."""
    run.stage("reading")
    column = person = None
    given = source
    if (
        isinstance(source, Table)
        or (not isinstance(source, Documents) and hasattr(source, "columns"))
        or _is_table(source)
    ):
        given = source if isinstance(source, Table) else read(source)
        column, person = _columns(given)
    documents = opened(given, column=column, person=person, tagged=False)
    if not len(documents):
        raise BadRequest("has no document", parameter="source")
    tagged = not documents.types and any(TAGGED.search(document.text) for document in documents.held[:_LOOKED_AT])
    if tagged:
        documents = opened(given, column=column, person=person, tagged=True)
    language = language_of(document.text for document in documents.held[:_LOOKED_AT])
    if not documents.types:
        documents = extract(Documents(documents.held[:most]), run=run)
    return _Found(documents, column, person, tagged, language)


def _is_table(source: object) -> bool:
    if not isinstance(source, (str, Path)) or Path(source).is_dir():
        return False
    return Path(source).suffix not in (".txt", ".jsonl", ".ndjson")


def _columns(table: Table) -> tuple[str, str | None]:
    texts = [name for name in table.columns if table.types[name] is ColumnType.TEXT]
    if not texts:
        raise BadRequest("has no column of texts", parameter="source", available=table.columns)
    lengths = {name: sum(len(str(value)) for value in table.dictionary(name).values) for name in texts}
    column = max(texts, key=lambda name: lengths[name])
    person = next((name for name in table.columns if name != column and _PERSON.search(name)), None)
    if person is not None and table.dictionary(person).missing:
        person = None
    return column, person
