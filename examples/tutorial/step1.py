"""Step 1: play the first legal move."""

import json
import sys

for line in sys.stdin:
    turn = json.loads(line)
    print(turn["observation"]["legal_moves"][0], flush=True)
