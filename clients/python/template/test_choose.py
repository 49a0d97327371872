"""Run with `python -m unittest`."""

import unittest

from choose import choose
from kozyr_client import Turn


class ChooseTest(unittest.TestCase):
    def test_it_chooses_a_legal_move(self) -> None:
        turn = Turn({"match": "m", "turn": 1, "observation": {"legal_moves": ["take", "beat 7H TH"]}})
        self.assertIn(choose(turn), turn.legal_moves)


if __name__ == "__main__":
    unittest.main()
