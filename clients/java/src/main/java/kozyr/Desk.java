package kozyr;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import kozyr.Types.FinishedMatch;
import kozyr.Types.MatchMove;
import kozyr.Types.MoveOutcome;
import kozyr.Types.Problem;
import kozyr.Types.ProblemCode;

/** The turns that came and the moves that go: all that the loop knows, without input or output. */
final class Desk {
    /** A move that is ready with less time left than this is worth a warning. */
    private static final Duration NEAR_DEADLINE = Duration.ofMillis(500);

    /** How many finished matches are remembered, so that none is reported twice. */
    private static final int REMEMBERED = 2000;

    enum Phase {
        /** The turn waits for the bot. */
        OPEN,
        /** The bot thinks. */
        THINKING,
        /** The move is chosen and has no result yet. */
        READY,
        /** The move was made. */
        MADE,
        /** Nothing is to be sent any more. */
        OVER
    }

    /** The latest turn of a match and what became of it. */
    static final class Entry {
        final Turn turn;
        private final int arrival;
        private Phase phase = Phase.OPEN;
        private String move;
        private boolean fellBack;
        /** The bot's thinking, if it began. */
        private Future<?> thinking;

        Entry(Turn turn, int arrival) {
            this.turn = turn;
            this.arrival = arrival;
        }

        MatchMove wire() {
            MatchMove wire = MatchMove.of(move, turn.match());
            return turn.isFree(move) ? wire.withDeal(turn.deal()) : wire.withTurn(turn.number());
        }
    }

    /** The cursor of the last response, or null. */
    String since;
    /** How long to pause at least before something is sent again, or -1 if nothing is. */
    int againMs = -1;

    private final Http http;
    private final boolean firstLegal;
    private final Map<String, Entry> entries = new HashMap<>();
    private final Set<String> finished = new LinkedHashSet<>();
    private boolean polled;
    private int arrivals;

    Desk(Http http, boolean firstLegal) {
        this.http = http;
        this.firstLegal = firstLegal;
    }

    boolean has(Phase phase) {
        return entries.values().stream().anyMatch(entry -> entry.phase == phase);
    }

    /** Returns the entries of a phase, the most urgent first. */
    List<Entry> in(Phase phase) {
        return entries.values().stream()
                .filter(entry -> entry.phase == phase)
                .sorted(Comparator.<Entry>comparingLong(entry -> entry.turn.expires())
                        .thenComparingInt(entry -> entry.arrival))
                .toList();
    }

    /** Notes that the bot thinks about an open turn. */
    void start(Entry entry, Future<?> thinking) {
        entry.phase = Phase.THINKING;
        entry.thinking = thinking;
    }

    /** Says whether somebody still waits for a move in this turn. */
    boolean isOpen(Entry entry) {
        return entries.get(entry.turn.match()) == entry && entry.phase == Phase.THINKING;
    }

    /** Takes the move that was chosen in an open turn. */
    void choose(Entry entry, String move) {
        Turn turn = entry.turn;
        Duration left = turn.timeLeft();
        if (!turn.isLate() && left.compareTo(NEAR_DEADLINE) < 0) {
            http.warn(Warning.NEAR_DEADLINE, turn + ": " + left.toMillis() + " ms before its deadline");
        }
        entry.move = move;
        entry.phase = Phase.READY;
        if (!turn.legalMoves().contains(move) && !turn.isFree(move)) {
            replace(entry, turn.legalMoves());
        }
    }

    /** Takes the results of the moves that were sent. Throws the first illegal move, after it took all. */
    void results(List<Entry> taken, List<MoveOutcome> results) {
        KozyrException.IllegalMove illegal = null;
        for (int i = 0; i < taken.size(); i++) {
            Entry entry = taken.get(i);
            if (i >= results.size()) {
                sendAgain(0);
            } else if (results.get(i).problem() == null) {
                entry.phase = entry.turn.isFree(entry.move) ? Phase.OVER : Phase.MADE;
            } else {
                try {
                    refused(entry, results.get(i).problem());
                } catch (KozyrException.IllegalMove why) {
                    illegal = illegal == null ? why : illegal;
                }
            }
        }
        if (illegal != null) {
            throw illegal;
        }
    }

    private void refused(Entry entry, Problem problem) {
        if (problem.retryable()) {
            sendAgain(problem.retryMs() == null ? 0 : problem.retryMs());
        } else if (problem.code().equals(ProblemCode.ILLEGAL_MOVE) || problem.code().equals(ProblemCode.NOT_A_MOVE)) {
            replace(entry, problem.legalMoves() == null ? List.of() : problem.legalMoves());
        } else {
            entry.phase = Phase.OVER;
            since = null;
            if (entry.turn.isLate()) {
                warnLate(entry.turn);
            } else {
                http.warn(Warning.NOT_OPEN, entry.turn + " is not open: " + problem.detail());
            }
        }
    }

    private void sendAgain(int afterMs) {
        againMs = Math.max(againMs, afterMs);
    }

    /** Takes the turns of a response. They arrive at one instant. The same turn may come more than once. */
    void arrive(List<Turn> turns) {
        long now = System.nanoTime();
        for (Turn turn : turns) {
            turn.arriveAt(now);
            Entry known = entries.get(turn.match());
            if (known == null || isNews(known, turn)) {
                drop(known);
                entries.put(turn.match(), new Entry(turn, arrivals++));
            }
        }
    }

    private boolean isNews(Entry known, Turn turn) {
        if (known.turn.number() != turn.number()) {
            return known.turn.number() < turn.number();
        }
        if (!isDone(known)) {
            return false;
        }
        sendAgain(0);
        if (known.phase == Phase.MADE && turn.legalMoves().contains(known.move)) {
            known.phase = Phase.READY; // The service lost the move, or sent the turn twice. It gets the same move.
            return false;
        }
        return true;
    }

    /** Takes the finished matches of a response. Returns those that ended since the first response. */
    List<FinishedMatch> finish(List<FinishedMatch> listed) {
        List<FinishedMatch> news = new ArrayList<>();
        for (FinishedMatch match : listed) {
            if (finished.add(match.match())) {
                drop(entries.remove(match.match()));
                news.add(match);
            }
        }
        finished.stream().limit(Math.max(0, finished.size() - REMEMBERED)).toList().forEach(finished::remove);
        boolean first = !polled;
        polled = true;
        return first ? List.of() : news;
    }

    private static boolean isDone(Entry entry) {
        return entry.phase == Phase.MADE || entry.phase == Phase.OVER;
    }

    /** Puts the first legal move in place of an illegal one, once, if the options say so. */
    private void replace(Entry entry, List<String> legal) {
        var illegal = new KozyrException.IllegalMove(entry.turn, entry.move, legal);
        if (!firstLegal || entry.fellBack || legal.isEmpty()) {
            throw illegal;
        }
        http.warn(Warning.ILLEGAL_MOVE, illegal.getMessage() + "; the first is sent instead");
        entry.move = legal.get(0);
        entry.phase = Phase.READY;
        entry.fellBack = true;
    }

    private void drop(Entry entry) {
        if (entry == null) {
            return;
        }
        if (entry.thinking != null) {
            entry.thinking.cancel(true);
        }
        if (!isDone(entry) && entry.turn.isLate()) {
            warnLate(entry.turn);
        }
    }

    private void warnLate(Turn turn) {
        http.warn(Warning.LATE, turn + " was late; the service plays a safe move and counts a strike");
    }
}
