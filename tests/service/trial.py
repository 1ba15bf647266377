"""A thousand hostile messages against holders that run, straight and through the relay: none stops one, none changes a session.

``python tests/service/trial.py --messages 1000``. A sample runs with every suite (``test_hostile_messages.py``).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from service.session_world import World
from service.test_hostile_messages import noisy_session


def main() -> None:
    """Run a session each way."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--messages", type=int, default=1000)
    given = asked.parse_args()
    for direct in (False, True):
        with tempfile.TemporaryDirectory() as place:
            noisy_session(World(Path(place)), given.messages, direct=direct)
        way = "straight to a holder" if direct else "through the relay"
        print(f"{given.messages:,} hostile messages {way}: the session ended as it would, every holder stayed")


if __name__ == "__main__":
    main()
