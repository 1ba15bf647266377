"""Folders of releases that were forged, damaged, or lack something."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from given import TABLE, Case, csv_text, damaged, odd


def forged_certificate(rng: Random, stock: Path) -> Case:
    """Return a command on a folder that was tampered with."""
    release = rng.choice(sorted(path.name for path in (stock / "releases").iterdir()))
    root = stock / "releases" / release
    files = {f"out0/{path.relative_to(root)}": path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    out = Case("certificate", [], files)
    way = rng.random()
    inside = sorted(name for name in files if name.startswith("out0/public/"))
    if way < 0.7:
        document = json.loads(files["out0/public/certificate.json"])
        document.pop("digest")
        changed = odd(rng, document, 2)
        files["out0/public/certificate.json"] = sealed(changed) if rng.random() < 0.9 else json.dumps(changed).encode()
    elif way < 0.8:
        name = rng.choice(inside)
        files[name] = damaged(rng, files[name])
    elif way < 0.85:
        changed = odd(rng, json.loads(files["out0/public/schema.json"]))
        files["out0/public/schema.json"] = json.dumps(changed).encode()
        document = json.loads(files["out0/public/certificate.json"])
        document.pop("digest")
        document["schema_sha256"] = digest(files["out0/public/schema.json"])
        files["out0/public/certificate.json"] = sealed(document)
    elif way < 0.9:
        out.gone = [rng.choice(inside)]
    elif way < 0.95:
        files[f"out0/public/{rng.choice(['more.csv', '.hidden', 'private.csv', 'sub/x.csv'])}"] = b"a,b\n1,2\n"
    else:
        name = rng.choice(inside)
        out.gone, out.links = (
            [name],
            {name: rng.choice(["../../data.csv", "/dev/zero", "nowhere", ".", "certificate.json"])},
        )
        if rng.random() < 0.5:
            files["out0/elsewhere"] = files[name]
            out.links = {name: "../elsewhere"}
    private = sorted(name for name in files if name.startswith("out0/private/"))
    command = rng.choice(["verify", "verify", "verify", "verify", "report", "audit", "apply"])
    if command in ("report", "audit", "apply") and private and rng.random() < 0.5:
        name = rng.choice(private)
        if name.endswith(".json"):
            files[name] = json.dumps(odd(rng, json.loads(files[name]))).encode()
        else:
            files[name] = damaged(rng, files[name])
    files["data.csv"] = csv_text(TABLE).encode()
    out.argv = {
        "verify": ["verify", "out0"],
        "report": ["report", "out0", "--out", "page.html"],
        "audit": ["audit", "out0", "--quick"],
        "apply": ["apply", "out0", "data.csv", "--out", "applied.csv"],
    }[command]
    return out


def digest(held: bytes) -> str:
    """Return the SHA-256 of bytes."""
    import hashlib

    return hashlib.sha256(held).hexdigest()


def sealed(document: object) -> bytes:
    """Seal a forged certificate as a forger would: canonical JSON with its own digest."""

    def canonical(held: object) -> bytes:
        return (json.dumps(held, sort_keys=True, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")

    if not isinstance(document, dict):
        return canonical(document)
    return canonical({**document, "digest": digest(canonical(document))})
