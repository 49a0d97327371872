"""A bot on the code that openapi-generator writes: it creates a match of every game, and plays them all."""

import os

from kozyr_generated import ApiClient, Configuration
from kozyr_generated.api.matches_api import MatchesApi
from kozyr_generated.api.turns_api import TurnsApi
from kozyr_generated.models.match_move import MatchMove
from kozyr_generated.models.match_turn_move import MatchTurnMove
from kozyr_generated.models.move import Move
from kozyr_generated.models.move_batch import MoveBatch
from kozyr_generated.models.new_match import NewMatch
from kozyr_generated.models.options import Options
from kozyr_generated.models.turn_move import TurnMove

HOUSE = "house/random"


def main() -> None:
    """Create the matches and play until they are over. Print a line for each."""
    configuration = Configuration(host=os.environ["KOZYR_URL"], access_token=os.environ["KOZYR_TOKEN"])
    bot = os.environ["KOZYR_BOT"]
    with ApiClient(configuration) as client:
        matches, turns = MatchesApi(client), TurnsApi(client)
        wishes = [
            NewMatch(game="durak", seats=[bot, HOUSE], options=Options(batch_attacks=True), deals=2),
            NewMatch(game="king", seats=[bot, HOUSE, HOUSE, HOUSE]),
            NewMatch(game="kryt", seats=[bot, HOUSE], options=Options(trumps="fixed")),
            NewMatch(game="svoi_kozyri", seats=[bot, HOUSE], options=Options(trumps="SC")),
        ]
        running = {matches.create_match(wish).id for wish in wishes}
        found = turns.list_turns(wait=20)
        while running:
            for over in found.finished:
                running.discard(over.match)
                print(over.match, over.ending.value)
            moves = []
            for turn in found.turns:
                move = turn.observation.actual_instance.legal_moves[0]
                if not moves and len(found.turns) > 1:
                    single = Move(TurnMove(turn=turn.turn, move=move))
                    assert turns.make_move(turn.match, single).move == move
                else:
                    moves.append(MatchMove(MatchTurnMove(match=turn.match, turn=turn.turn, move=move)))
            if running:
                found = turns.make_moves(MoveBatch(moves=moves, since=found.since, wait=20))


main()
