"""The script of a project: the policy, and the lines that make the same release of it without the workbench."""

from __future__ import annotations

import shlex

from sfumato.data.messages import ENGLISH
from sfumato.web.project import Project

__all__ = ["command_lines", "python_lines"]


def command_lines(project: Project) -> str:
    """Return what a terminal would do, in the folder of the project."""
    data = shlex.quote(project.place.source or "DATA")
    entered = project.entered(project.folder / "release")
    spoken = "" if project.language == ENGLISH else f" --language {project.language}"
    return (
        f"sfumato anonymize {data} --policy policy.yaml -o release{spoken}\n"
        "sfumato verify release\n"
        "sfumato sign release --key steward.key\n"
        + ("" if entered is None else f"sfumato ledger add ledger release --series {shlex.quote(entered[0])}\n")
    )


def python_lines(project: Project) -> str:
    """Return the same in Python."""
    data = repr(project.place.source or "DATA")
    return (
        "import sfumato\n\n"
        f'release = sfumato.anonymize({data}, "policy.yaml")\n'
        f'sfumato.publish(release, "release", input_path={data}, language="{project.language}")\n'
        'assert sfumato.verify("release").verdict\n'
    )
