"""How sure one sensitive value would become one step ahead; ``searches.partition_kernels`` says what the arrays are."""

from __future__ import annotations

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["confidence_ahead", "confidence_of"]

FloatArray = Array


@njit(cache=True, nogil=True)
def confidence_of(order: Array, start: Array, end: Array, size: Array, hits: Array, groups: Array) -> float:
    """Return the largest share of hits in the given groups; ``hits[row]`` counts the records with the value."""
    surest = 0.0
    for t in range(len(groups)):
        g = groups[t]
        held = 0
        for i in range(start[g], end[g]):
            held += hits[order[i]]
        surest = max(surest, held / size[g])
    return surest


@njit(cache=True, nogil=True)
def confidence_ahead(
    codes: Array,
    weights: Array,
    hits: Array,
    order: Array,
    start: Array,
    end: Array,
    shown: Array,
    changed: Array,
    columns: Array,
    suppressing: Array,
    live: Array,
    child: Array,
    shift: Array,
    children: Array,
    slot_shift: Array,
    surest: FloatArray,
    counters: Array,
    counter_shift: Array,
) -> None:
    """Raise ``surest[slot]`` to the largest share of hits that refining the slot would make in the changed groups.

    For a suppressing column the slots are its codes, and a candidate code parts a group into its rows and the rest.
    ``counters`` (2 x room: records, hits) is zero before and after.
    """
    for t in range(len(changed)):
        g = changed[t]
        for local in range(len(columns)):
            j = columns[local]
            if live[j] == 0:
                continue
            slot = slot_shift[j] + shown[local, g]
            if (shown[local, g] != 0) if suppressing[j] == 1 else (children[slot] == 0):
                continue
            base = counter_shift[j]
            size = 0
            hit = 0
            for i in range(start[g], end[g]):
                row = order[i]
                at = base + child[shift[j] + codes[row, j]]
                counters[0, at] += weights[row]
                counters[1, at] += hits[row]
                size += weights[row]
                hit += hits[row]
            if suppressing[j] == 1:
                for i in range(start[g], end[g]):
                    code = codes[order[i], j]
                    held, sure = counters[0, base + code], counters[1, base + code]
                    if held == 0:
                        continue
                    counters[0, base + code] = 0
                    counters[1, base + code] = 0
                    share = sure / held
                    if size > held:
                        share = max(share, (hit - sure) / (size - held))
                    surest[slot_shift[j] + code] = max(surest[slot_shift[j] + code], share)
            else:
                for c in range(base, base + children[slot]):
                    held = counters[0, c]
                    if held > 0:
                        surest[slot] = max(surest[slot], counters[1, c] / held)
                    counters[0, c] = 0
                    counters[1, c] = 0
