"""The solver of exact answers, set up alike for everybody: silent, on one core, without a gap that counts as good enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.errors import Unsupported

if TYPE_CHECKING:
    from highspy import Highs

__all__ = ["exact_solver"]


def exact_solver(thing: str, what: str) -> Highs:
    """Return HiGHS, empty; without the extra ``exact`` it is said what needs it."""
    try:
        import highspy
    except ModuleNotFoundError:
        raise Unsupported(f"{what} needs the solver HiGHS: pip install 'sfumato[exact]'", thing=thing) from None
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 0.0)
    return solver
