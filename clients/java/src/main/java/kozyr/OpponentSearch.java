package kozyr;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import kozyr.Types.JoinQueue;
import kozyr.Types.ProblemCode;
import kozyr.Types.QueueEntry;

/** Keeps a bot in the queue while it has no match from there: one match after another. */
final class OpponentSearch {
    private static final String PATH = "/v1/queue";
    /** How long a poll waits if the service allows that long. */
    private static final double LONGEST_WAIT_S = 25;

    private final JoinQueue wish;
    /** The bot's entry when it was last read; null if the bot has to join. */
    private QueueEntry entry;
    /** The matches that ended since the bot sent its join. */
    private final Set<String> over = new HashSet<>();
    /** Whether the queue comes before the next poll. */
    private boolean isDue = true;
    /** The Idempotency-Key of a join without a response, or null. */
    private String key;
    /** How long a poll may wait: less while the queue fails, since its request follows an idle poll. */
    private double longestWaitS = LONGEST_WAIT_S;

    /**
     * Makes a search.
     *
     * @param wish null to look for nothing
     */
    OpponentSearch(JoinQueue wish) {
        this.wish = wish;
    }

    /**
     * Returns the request to send before the next poll, or null. If the play is ending, it is the last request: a join
     * without a response may have reached the queue.
     */
    Http.Call next(boolean isEnding) {
        boolean waits = entry != null && entry.match() == null;
        if (isEnding) {
            return waits || key != null ? call("DELETE", null) : null;
        }
        if (wish == null || !isDue || entry != null && !waits) {
            return null;
        }
        if (waits) {
            return call("GET", null);
        }
        if (key == null) {
            key = UUID.randomUUID().toString();
            over.clear();
        }
        return call("POST", wish);
    }

    private Http.Call call(String method, JoinQueue body) {
        return new Http.Call(method, PATH, body, body == null ? null : key, Duration.ZERO);
    }

    /**
     * Sends the next request, and returns whether there was one. A stop does not cancel it: the service must not be left
     * to pair a bot that is gone. After a failure that a retry may mend, polls go on; an ending play throws it.
     */
    boolean send(Http http, boolean isEnding) throws InterruptedException {
        Http.Call call = next(isEnding);
        if (call == null) {
            return false;
        }
        try {
            take(http.once(call, QueueEntry.class));
        } catch (Http.Lost lost) {
            if (isEnding) {
                throw lost;
            }
            isDue = false;
            longestWaitS = Math.min(LONGEST_WAIT_S, Math.max(1, Math.ceil(lost.afterMs() / 1000)));
            http.warn(Warning.RETRY, lost.getMessage() + "; retry after the next idle poll");
        } catch (KozyrException.Refused refused) {
            if (!refused.is(ProblemCode.NOT_QUEUED)) {
                throw refused;
            }
            take(null);
        }
        return true;
    }

    private void take(QueueEntry read) {
        boolean joined = key != null;
        key = null;
        longestWaitS = LONGEST_WAIT_S;
        boolean isOver = read != null && over.contains(read.match());
        boolean isOut = read == null || isOver || Set.of("left", "dropped").contains(read.state());
        entry = isOut ? null : read;
        isDue = isOver || isOut && !joined;
    }

    /** Returns how long a poll may wait, in seconds. */
    double longestWaitS() {
        return longestWaitS;
    }

    /** Takes a match that is over. */
    void finished(String match) {
        if (wish != null) {
            over.add(match);
        }
        if (entry != null && match.equals(entry.match())) {
            entry = null;
        }
        isDue = true;
    }

    /** Takes a poll, which brought something or nothing. */
    void polled(boolean isIdle) {
        isDue |= isIdle;
    }
}
