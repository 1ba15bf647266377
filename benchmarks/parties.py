"""Private intersection of two lists of identifiers: seconds, bytes for each element, and openmined.psi beside it.

    python benchmarks/parties.py [--size 100000] [--peer /tmp/psienv/bin/python]

The peer runs in an environment of its own, because it pins other libraries: ``python -m venv /tmp/psienv`` and
``/tmp/psienv/bin/pip install openmined.psi``. Both sides of both run on this machine, one after the other.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from pathlib import Path

from parties_session import written

PEER = """
import sys, time
import private_set_intersection.python as psi
size = int(sys.argv[1])
ours = [f"id-{at:08d}" for at in range(size)]
theirs = [f"id-{at:08d}" for at in range(size // 2, size + size // 2)]
begun = time.perf_counter()
client, server = psi.client.CreateWithNewKey(True), psi.server.CreateWithNewKey(True)
setup = server.CreateSetupMessage(0.0, size, theirs, psi.DataStructure.RAW)
answer = server.ProcessRequest(client.CreateRequest(ours))
found = client.GetIntersection(setup, answer)
assert len(found) == size - size // 2, len(found)
print(time.perf_counter() - begun)
"""


def main() -> None:
    """Print our seconds, the peer's, the ratio, and the bytes for each element."""
    from sfumato.parties.protocols import Keyed, MinimalInformationSharing

    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--size", type=int, default=100_000)
    asked.add_argument("--peer", type=Path, default=Path("/tmp/psienv/bin/python"))
    given = asked.parse_args()
    ours = [f"id-{at:08d}" for at in range(given.size)]
    theirs = [f"id-{at:08d}" for at in range(given.size // 2, given.size + given.size // 2)]
    load = os.getloadavg()[0]
    begun, busy = time.perf_counter(), time.process_time()
    talked = MinimalInformationSharing().simulate({"R": Keyed(ours), "S": Keyed(theirs)})
    own, busy = time.perf_counter() - begun, time.process_time() - busy
    assert talked.results["R"].size == given.size - given.size // 2
    each = talked.traffic.all_bytes / given.size
    figures = {"size": given.size, "seconds": round(own, 1), "load_at_start": round(load, 2)}
    work = own / (4 * given.size) * 1e6
    print(
        f"private intersection {given.size:,} x {given.size:,}: {own:.1f} s, {work:.0f} us an operation, {each:.1f} bytes an"
    )
    print(f"element of the receiver (both lists of one size), {busy:.1f} s of processor, load {load:.1f} at the start")
    if given.peer.exists():
        answer = subprocess.run([given.peer, "-c", PEER, str(given.size)], capture_output=True, text=True, check=False)
        if answer.returncode:
            print(f"openmined.psi did not run: {answer.stderr.strip().splitlines()[-1:]}")
        else:
            peer = float(answer.stdout)
            print(f"openmined.psi (raw): {peer:.1f} s; ours to theirs {own / peer:.2f}")
            figures["openmined_psi_s"] = round(peer, 1)
    figures |= {"us_an_operation": round(work), "bytes_an_element": round(each, 1)}
    written({"private_intersection": figures})


if __name__ == "__main__":
    main()
