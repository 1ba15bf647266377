"""Two thousand hostile requests against a service that runs: each is refused in order, and none tells of the computer.

``python tests/service/api/trial.py --requests 2000``. A sample runs with every suite (``test_whole_way.py``).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from service.api.hostile import fuzzed
from service.api.house_world import POLICY, TABLE, new_world
from sfumato.service.api.house import Limits


def main() -> None:
    """Send them."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--requests", type=int, default=2000)
    asked.add_argument("--seed", type=int, default=0)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as place:
        world = new_world(Path(place), Limits(wait=0.0), requests=10**9, jobs=10**6)
        with world.house:
            steward = world.client("hospital")
            steward.put("/v1/data/t.csv", content=TABLE)
            asked = {"data": "t.csv", "policy": POLICY}
            made = steward.post("/v1/anonymize", json=asked, headers={"prefer": "wait=60"}).json()["release"]
            refused = fuzzed(world, given.requests, given.seed, made)
    print(f"{given.requests:,} requests: {refused:,} refused, none broke anything, none told of the computer")


if __name__ == "__main__":
    main()
