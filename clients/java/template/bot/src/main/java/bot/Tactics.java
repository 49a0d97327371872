package bot;

import java.util.Comparator;
import java.util.List;
import kozyr.Turn;
import kozyr.Types.DurakObservation;
import kozyr.Types.GameId;

/** What the bot plays. */
final class Tactics {
    private static final String RANKS = "6789TJQKA";

    /** Returns one of the turn's legal moves. It runs for several matches at a time. */
    static String choose(Turn turn) {
        List<String> moves = turn.legalMoves();
        if (!turn.observation().game().equals(GameId.DURAK)) {
            return moves.get(0);
        }
        String trump = turn.observation().decode(DurakObservation.class).trump();
        return moves.stream().min(Comparator.comparingInt(move -> cost(move, trump))).orElseThrow();
    }

    /**
     * Says how dear the cards of a move are: "attack 7H" is cheap, a move with a trump is dear. A move without cards,
     * such as "take" or "pass", is the last resort.
     */
    static int cost(String move, String trump) {
        String[] words = move.split(" ");
        int cost = words.length == 1 ? 100 : 0;
        for (int i = 1; i < words.length; i++) {
            cost += RANKS.indexOf(words[i].charAt(0)) + (words[i].endsWith(trump) ? RANKS.length() : 0);
        }
        return cost;
    }
}
