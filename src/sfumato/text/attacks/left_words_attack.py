"""Words that were masked and still stand elsewhere: a name at a place that nobody tagged, in any document."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.text.attack import TextAttack, TextKnowledge, TextSeen
from sfumato.text.name_words import NameForms, is_name
from sfumato.text.number_forms import NumberForms
from sfumato.text.partial_forms import PartialForms
from sfumato.text.terms import Terms, Words, words_of

__all__ = ["LeftWords", "LeftWordsAttack"]


@frozen(eq=False)
class LeftWords(Details):
    """How many persons are named somewhere as they were, how many by a word of their names, and in how many documents.

    ``by_part``: of how many at least a part of a masked value stands somewhere that may be somebody else's, too.
    """

    persons: int
    by_one_word: int
    documents: int
    by_part: int = 0


class LeftWordsAttack(TextAttack):
    """Look in all published texts for the surface forms of everybody's direct identifiers, outside of masked places.

    A person whose whole name or number stands anywhere is exposed with certainty. One of whom a single word of at least
    ``letters`` letters stands as in a name (with a capital letter, behind a title, in an address or the name of a file, or in
    small letters where it means nothing else) has the risk ``1 / |persons with that word|``. Words that many texts hold and
    that are also names (May, Rose) are found, too: who looks at the list can tell. Parts of masked values, as initials, last
    digits, or month and year, are told beside and raise no risk: many persons share them.

    Adversary: has a list of all persons with their names and numbers, and searches the texts for them.

    Examples
    --------
    >>> from sfumato.text import Document, Documents
    >>> from sfumato.text.attack import RawDocuments
    >>> from sfumato.engines import from_rows
    >>> raw = Documents.of(["<name>Ann Lee</name> came", "She came with Ann Lee", "<name>Bob Ray</name> left"], tagged=True)
    >>> notes = (Document("1", "[NAME] came"), Document("2", "She came with Ann Lee"), Document("3", "[NAME] left"))
    >>> seen = TextSeen(from_rows(["text"], [("",)]), documents=notes, persons=("1", "2", "3"))
    >>> knows = TextKnowledge(raw=RawDocuments(raw, ("p1", "p2", "p3"), ("name",)))
    >>> LeftWordsAttack().on(seen, knows, Run()).per_victim.tolist()
    [1.0, 0.0, 0.0]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 16.3.
    """

    id: ClassVar[str] = "left-words-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="all names and numbers of persons",
        needs=frozenset({"raw"}),
    )
    adversary: ClassVar[str] = say("adversary.left-words-attack")
    title: ClassVar[str] = "names that stand elsewhere"

    letters: int = param(default=4, ge=1, doc="fewest letters of a word of a name that is looked for by itself")

    def on(self, seen: TextSeen, knowledge: TextKnowledge, run: Run) -> Risk:
        raw = knowledge.raw
        assert raw is not None
        whole, named = dict[str, set[str]](), dict[str, set[str]]()
        people = tuple(dict.fromkeys(raw.persons))
        for person, values in zip(raw.persons, raw.told(), strict=True):
            for said, kind in values:
                words = [one.term for one in words_of(said)]
                if len("".join(words)) > 1:
                    whole.setdefault(" ".join(words), set()).add(person)
                if is_name(kind):
                    named.setdefault(said, set()).add(person)
        risk, documents = dict.fromkeys(people, 0.0), 0
        wholly, forms, numbers = Terms.of(whole), NameForms.of(named), NumberForms.of(whole, parts=False)
        sharing: dict[str, set[str]] = {}
        masked = raw.told(all=True)
        for person, held in zip(raw.persons, masked, strict=True):
            for said, _ in held:
                sharing.setdefault(said, set()).add(person)
        partly, by_part = PartialForms.of(sorted({one for held in masked for one in held})), set[str]()
        for _, text in seen.open_texts():
            run.checkpoint()
            read = Words(text)
            found = {one.term for one in (*wholly.found(read), *numbers.found(read))}
            near = {one.term for one in forms.found(read) if len(one.term) >= self.letters}
            by_part |= set[str]().union(*(sharing[one.term] for one in partly.found(read)))
            documents += bool(found or near)
            for term in found:
                risk |= dict.fromkeys(whole[term], 1.0)
            for form in near:
                holders = set().union(*(named[name] for name in forms.names(form)))
                risk |= {one: max(risk[one], 1 / len(holders)) for one in holders}
        per_victim = np.array(list(risk.values()))
        highest, mean = spread(per_victim)
        certain = sum(one == 1 for one in risk.values())
        told = LeftWords(certain, sum(0 < one < 1 for one in risk.values()), documents, len(by_part))
        return Risk(
            attack=self.id,
            per_victim=per_victim,
            highest=highest,
            mean=mean,
            reading=say("reading.left_words", persons=certain, documents=documents, of=len(people)),
            details=told,
            warnings=(say("reading.left_parts", persons=len(by_part)),) if by_part else (),
        )
