"""Kernels that lie in the cache are loaded without the compiler, and are of use to those that are compiled later."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

KERNELS = """
import numpy as np
from sfumato.kernels.jit import njit

@njit(cache=True)
def doubled(values):
    out = np.empty(len(values), np.int64)
    for at in range(len(values)):
        out[at] = 2 * values[at]
    return out

@njit(cache=True)
def total(values):
    return np.sum(doubled(values))
"""
# A part of the compiler that nothing but making it ready loads.
CODE = """
import json, sys
import numpy as np
import kernels
values = np.arange(4)
inner = kernels.doubled(values).tolist()
early = "numba.misc.cffiimpl" in sys.modules
both = int(kernels.total(values))
hits = [sum(kernel.stats.cache_hits.values()) for kernel in (kernels.doubled, kernels.total)]
print(json.dumps([inner, both, early, hits]))
"""


def test_loading_needs_no_compiler_and_compiling_goes_on_from_there(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}

    def told(code: str) -> str:
        return subprocess.run([sys.executable, "-c", code], stdout=-1, text=True, env=environment, check=True).stdout

    told("import numpy, kernels; kernels.doubled(numpy.arange(4))")
    # Of the two the inner one lies in the cache; then both do.
    assert json.loads(told(CODE)) == [[0, 2, 4, 6], 12, False, [1, 0]]
    assert json.loads(told(CODE)) == [[0, 2, 4, 6], 12, False, [1, 1]]
