import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import kozyr.KozyrClient;
import kozyr.PlayOptions;
import kozyr.Stop;
import kozyr.Turn;

/** Plays at random. KOZYR_URL names the service, KOZYR_TOKEN the bot. */
public class FirstBot {
    static String choose(Turn turn) {
        List<String> moves = turn.legalMoves();
        return moves.get(ThreadLocalRandom.current().nextInt(moves.size()));
    }

    public static void main(String[] arguments) throws InterruptedException {
        PlayOptions options = new PlayOptions().withStop(Stop.onShutdown());
        KozyrClient.fromEnvironment().play(FirstBot::choose, options);
    }
}
