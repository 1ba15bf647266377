"""Leave out the rarest word until every list is shared by enough persons."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.built import Built
from sfumato.contracts.facts import Facts
from sfumato.contracts.run import Run
from sfumato.engines import from_rows
from sfumato.errors import Infeasible
from toy_lists.releases.word_lists import WordLists


class DropRareWords(Search[Any]):
    """Leave out the rarest word until every list is shared by enough persons."""

    id: ClassVar[str] = "drop-rare-words"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="word-lists", optimal=False, deterministic=True, truthful=True, anytime=False, cost="words x persons"
    )

    def run(self, task: Any, run: Run) -> Outcome:
        lists, models = list(task.lists), task.policy.models()
        while not all(model.judge(tuple(lists)).satisfied for model in models):
            run.checkpoint()
            words = Counter(word for one in lists for word in one)
            if not words:
                raise Infeasible("there are fewer persons than have to look alike", measured=len(lists))
            rarest = min(words, key=lambda word: (words[word], word))
            lists = [one - {rarest} for one in lists]
        rows = sorted((" ".join(sorted(one)),) for one in lists)
        return Outcome(built=Built(WordLists(), {"data": from_rows(["words"], rows)}), facts=Facts())
