package bot;

import kozyr.KozyrClient;
import kozyr.PlayOptions;
import kozyr.Stop;
import kozyr.Types.FinishedMatch;

/** A bot for Kozyr. KOZYR_URL names the service, KOZYR_TOKEN the bot. */
public final class Bot {
    public static void main(String[] arguments) throws InterruptedException {
        PlayOptions options = new PlayOptions()
                .withFirstLegal(true) // Play on after a move that is not legal, and log it.
                .withOnFinished(Bot::report)
                .withStop(Stop.onShutdown()); // Ctrl-C stops the bot after its last moves are sent.
        KozyrClient.fromEnvironment().play(Tactics::choose, options);
    }

    private static void report(FinishedMatch match) {
        int place = match.places().get(match.seat());
        System.out.printf("match %s: place %d, scores %s (%s)%n", match.match(), place, match.scores(), match.ending());
    }
}
