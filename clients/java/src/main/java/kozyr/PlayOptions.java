package kozyr;

import java.time.Duration;
import java.util.function.Consumer;
import kozyr.Types.FinishedMatch;
import kozyr.Types.JoinQueue;

/**
 * The options of {@link KozyrClient#play}. Each {@code with} method returns a copy.
 *
 * @param matches stop after this many matches have ended, or 0 for never; earlier matches do not count
 * @param find look for opponents: the bot joins the queue with this wish whenever it has no match from there, and leaves
 *     it when the play ends; or null
 * @param onFinished called with each match that ends
 * @param firstLegal send the first legal move, with a warning, in place of a move that is not legal; otherwise such a
 *     move ends the play with {@link KozyrException.IllegalMove}
 * @param patience how long the service may be out of reach, or null for ever
 * @param threads how many turns the bot thinks about at a time
 * @param stop ends the play
 */
public record PlayOptions(
        int matches,
        JoinQueue find,
        Consumer<FinishedMatch> onFinished,
        boolean firstLegal,
        Duration patience,
        int threads,
        Stop stop) {
    /** Returns the defaults: play for ever, as many threads as processors. */
    public PlayOptions() {
        this(0, null, ended -> {}, false, null, Runtime.getRuntime().availableProcessors(), new Stop());
    }

    public PlayOptions withMatches(int matches) {
        return new PlayOptions(matches, find, onFinished, firstLegal, patience, threads, stop);
    }

    public PlayOptions withFind(JoinQueue find) {
        return new PlayOptions(matches, find, onFinished, firstLegal, patience, threads, stop);
    }

    public PlayOptions withOnFinished(Consumer<FinishedMatch> onFinished) {
        return new PlayOptions(matches, find, onFinished, firstLegal, patience, threads, stop);
    }

    public PlayOptions withFirstLegal(boolean firstLegal) {
        return new PlayOptions(matches, find, onFinished, firstLegal, patience, threads, stop);
    }

    public PlayOptions withPatience(Duration patience) {
        return new PlayOptions(matches, find, onFinished, firstLegal, patience, threads, stop);
    }

    public PlayOptions withThreads(int threads) {
        return new PlayOptions(matches, find, onFinished, firstLegal, patience, threads, stop);
    }

    public PlayOptions withStop(Stop stop) {
        return new PlayOptions(matches, find, onFinished, firstLegal, patience, threads, stop);
    }
}
