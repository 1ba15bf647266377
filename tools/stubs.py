"""Write ``__init__.pyi`` of every room, so that type checkers and editors know what is looked up by name at run time.

python tools/stubs.py            write them
python tools/stubs.py --check    only say whether they are as they should be
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "sfumato"
ROOMS = (
    "algorithms",
    "attacks",
    "experiments",
    "hierarchies",
    "identifiers",
    "metrics",
    "models",
    "perturbations",
    "recodings",
    "releases",
)
WINGS = tuple(file.parent.name for file in sorted(SOURCE.glob("*/shape.py")))
ROOMS = (
    *ROOMS,
    *(f"{wing}/{room}" for wing in WINGS for room in ROOMS if (SOURCE / wing / room).is_dir()),
    "parties/protocols",
)
NOTE = '"""What this room offers by name; written by tools/stubs.py."""\n\n'


def offered(file: Path) -> list[str]:
    """Return the names that a file declares in ``__all__``."""
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and [getattr(to, "id", "") for to in node.targets] == ["__all__"]:
            return [str(ast.literal_eval(name)) for name in getattr(node.value, "elts", ())]
    return []


def stub(room: str) -> str:
    """Return the stub of a room: every name of its public files, those of its families too."""
    lines = []
    for file in sorted((SOURCE / room).rglob("*.py")):
        inside = file.relative_to(SOURCE).with_suffix("")
        if any(part.startswith("_") for part in inside.parts):
            continue
        module = ".".join(("sfumato", *inside.parts))
        lines += [f"from {module} import {name} as {name}\n" for name in sorted(offered(file))]
    return NOTE + "".join(lines)


def main() -> int:
    """Write or compare; return how many differ."""
    stale = [room for room in ROOMS if not _same(room)]
    if "--check" in sys.argv:
        print(f"stale: {', '.join(stale)}; run python tools/stubs.py" if stale else "stubs are as they should be")
        return len(stale)
    for room in stale:
        (SOURCE / room / "__init__.pyi").write_text(stub(room), encoding="utf-8")
    return 0


def _same(room: str) -> bool:
    path = SOURCE / room / "__init__.pyi"
    return path.is_file() and path.read_text("utf-8") == stub(room)


if __name__ == "__main__":
    sys.exit(main())
