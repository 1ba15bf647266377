"""What every kind of release promises: a check of the published rows that counts them as anybody would."""

from __future__ import annotations

from collections import Counter

import numpy as np

from sfumato.contracts.release import ReleaseKind
from sfumato.engines import from_rows
from sfumato.models.k_anonymity import KAnonymity
from sfumato.tables.recode import recode_table
from sfumato.testing.check_thing import check_json, check_thing
from sfumato.testing.draws import random_table
from sfumato.testing.promises import generators_untouched, promise

__all__ = ["check_release"]

TRIES = 20


def check_release(kind: ReleaseKind, rng: np.random.Generator) -> None:
    """Check a kind of release: it says what can be checked; true records are judged by counting them, in any order."""
    check_thing(kind)
    check_json(kind)
    said = kind.statement()
    promise(bool(said.checked or said.not_checkable), kind, "a kind says what can be checked and what not")
    if kind.part_names() != ("data",) or kind.traits.published != "records" or not kind.traits.truthful:
        return  # judged by what the kind itself says; its own tests show it
    with generators_untouched(kind):
        for _ in range(TRIES):
            drawn = random_table(rng)
            public = recode_table(drawn.table, drawn.recodings).table
            qids = list(drawn.recodings)
            at = [public.columns.index(name) for name in qids]
            rows = public.to_rows()
            least = min(Counter(tuple(row[i] for i in at) for row in rows).values())
            models = [KAnonymity(k=k) for k in range(1, least + 2)]
            shuffled = from_rows(public.columns, [rows[i] for i in rng.permutation(len(rows))])
            for table in (public, shuffled):
                verdicts = kind.verify(table, models, qids)
                found = [bool(verdict) for verdict in verdicts]
                promise(found == [model.k <= least for model in models], kind, "verdicts follow from counting the rows")
                promise({verdict.strongest for verdict in verdicts} == {least}, kind, "the strongest level is measured")
