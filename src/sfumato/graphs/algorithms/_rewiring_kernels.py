"""Kernels of rewiring: links exchange their ends."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Bools, Ints
from sfumato.kernels.jit import njit

__all__ = ["rewire"]


@njit(cache=True)
def rewire(nodes: int, edges: Ints, drawn: Ints, turned: Bools) -> Ints:
    """Return links after exchanges: those at two drawn places swap one end, the second link turned around where told so.

    Links lie in a table of open addresses; an exchange that makes a loop or a link that is there is left out.
    """
    out = edges.copy()
    width = 4
    while width < 4 * len(edges):
        width *= 2
    table = np.full(width, -1, np.int64)  # -1 never used, -2 used before
    for at in range(len(edges)):
        key = edges[at, 0] * nodes + edges[at, 1]
        place = (key * 0x9E3779B1) & (width - 1)
        while table[place] >= 0:
            place = (place + 1) & (width - 1)
        table[place] = key
    used = len(edges)
    for step in range(len(drawn)):
        first, second = drawn[step, 0], drawn[step, 1]
        a, b = out[first, 0], out[first, 1]
        c, d = out[second, 0], out[second, 1]
        if turned[step]:
            c, d = d, c
        if first == second or a in (c, d) or b in (c, d):
            continue
        new = np.array([min(a, d) * nodes + max(a, d), min(c, b) * nodes + max(c, b)])
        old = np.array([min(a, b) * nodes + max(a, b), min(c, d) * nodes + max(c, d)])
        free = True
        for one in range(2):
            place = (new[one] * 0x9E3779B1) & (width - 1)
            while table[place] != -1:
                if table[place] == new[one]:
                    free = False
                    break
                place = (place + 1) & (width - 1)
        if not free:
            continue
        for one in range(2):
            place = (old[one] * 0x9E3779B1) & (width - 1)
            while table[place] != old[one]:
                place = (place + 1) & (width - 1)
            table[place] = -2
        for one in range(2):
            place = (new[one] * 0x9E3779B1) & (width - 1)
            while table[place] >= 0:
                place = (place + 1) & (width - 1)
            if table[place] == -1:
                used += 1
            table[place] = new[one]
        out[first, 0], out[first, 1] = min(a, d), max(a, d)
        out[second, 0], out[second, 1] = min(c, b), max(c, b)
        if 4 * used > 3 * width:  # too many places were used once: put the links in anew
            table[:] = -1
            for at in range(len(out)):
                key = out[at, 0] * nodes + out[at, 1]
                place = (key * 0x9E3779B1) & (width - 1)
                while table[place] >= 0:
                    place = (place + 1) & (width - 1)
                table[place] = key
            used = len(out)
    return out
