"""Sign the certificate of a release, so that a reader can tell whose it is."""

from __future__ import annotations

from pathlib import Path

from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Taken
from sfumato.publishing.acceptance import refuse_unaccepted
from sfumato.publishing.published import public_folder
from sfumato.publishing.signature import FILE, checked, signed
from sfumato.verbs.verify import verify

__all__ = ["sign"]


def sign(out: str | Path, key: str | Path, *, passphrase: str | None = None, run: Run | None = None) -> Path:
    """Verify a release folder (or its ``public`` part), sign its certificate with a private key, and return the new file.

    ``key`` is an Ed25519 key in PEM form, as ``sfumato keygen`` or ``openssl genpkey -algorithm ed25519`` write it. A release
    that fails its verification is not signed, and a signature is never replaced: remove the old file if that is meant. Nor is
    one in whose private part an attack says *yes*, if its policy does not say why that is ``accepted``.
    """
    folder = public_folder(out)
    target = folder / FILE
    if target.exists():
        raise Taken("exists already: the release is signed", parameter=FILE, value=str(target))
    if target.is_symlink():
        raise BadRequest("cannot be written (it is a link)", parameter=FILE, value=str(target))
    seen = verify(folder, run=run)
    if not (
        seen.checked and seen.verdict.satisfied
    ):  # who signs may have what a stranger lacks, a population for instance
        raise BadRequest("does not hold what it certifies and is not signed", parameter="release", value=str(out))
    if (Path(out) / "private" / "run.json").is_file():
        refuse_unaccepted(Path(out) / "private")
    certificate = (folder / "certificate.json").read_bytes()
    content = signed(certificate, Path(key), passphrase)
    checked(certificate, content)
    try:
        target.write_bytes(content)
    except OSError as error:
        raise BadRequest(
            f"cannot be written ({error.strerror or type(error).__name__})", parameter=FILE, value=str(target)
        ) from None
    return target
