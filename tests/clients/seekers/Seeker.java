import java.util.concurrent.ThreadLocalRandom;
import kozyr.KozyrClient;
import kozyr.PlayOptions;
import kozyr.Turn;
import kozyr.Types.GameId;
import kozyr.Types.JoinQueue;

/** Looks for opponents at Durak, plays two matches at random, and ends. */
public class Seeker {
    static String choose(Turn turn) {
        return turn.legalMoves().get(ThreadLocalRandom.current().nextInt(turn.legalMoves().size()));
    }

    public static void main(String[] arguments) throws InterruptedException {
        PlayOptions options = new PlayOptions().withMatches(2).withFind(JoinQueue.of(GameId.DURAK));
        KozyrClient.fromEnvironment().play(Seeker::choose, options);
    }
}
