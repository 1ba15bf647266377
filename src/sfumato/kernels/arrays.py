"""Names for arrays: what is counted, measured, coded, chosen, packed as bits; and any of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Bools", "Codes", "Floats", "Ints", "Words"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
Array = npt.NDArray[np.generic]
