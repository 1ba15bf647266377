"""Names for arrays: what is counted, measured, coded, chosen; and any of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Bools", "Codes", "Floats", "Ints"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Array = npt.NDArray[np.generic]
