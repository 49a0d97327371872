package kozyr;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import kozyr.Types.FinishedMatch;
import kozyr.Types.Limits;
import kozyr.Types.MoveBatch;
import kozyr.Types.MoveOutcome;
import kozyr.Types.MoveResults;
import kozyr.Types.Problem;
import kozyr.Types.ProblemCode;
import kozyr.Types.ServiceState;

/** The loop: one thread that takes events, while other threads think and one waits for the service. */
final class Play implements AutoCloseable {
    private static final int MOST_MOVES = 256;
    /** How long the loop tries to deliver the last moves when it stops. */
    private static final Duration ENDING_PATIENCE = Duration.ofSeconds(5);
    /** A move that is ready with less time left than this is worth a warning. */
    private static final Duration NEAR_DEADLINE = Duration.ofMillis(500);
    /** How many finished matches are remembered, so that none is reported twice. */
    private static final int REMEMBERED = 2000;

    /** How long after a response ready moves wait for others, to travel in the same request. */
    long gatherMs = 50;
    /** How often the service is asked for news while the bot thinks. */
    long pollMs = 250;

    /** An open turn waits for the bot; a ready one has a move without a result. */
    private enum Phase {
        OPEN,
        THINKING,
        READY,
        MADE
    }

    /** The latest turn of a match and what became of it. */
    private static final class Entry {
        private final Turn turn;
        private Phase phase = Phase.OPEN;
        private String move;
        private Future<?> thinking = new CompletableFuture<>();

        Entry(Turn turn) {
            this.turn = turn;
        }
    }

    private final Http http;
    private final Chooser chooser;
    private final PlayOptions options;
    private final OpponentSearch search;
    private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(Play::daemon);
    /** By match, in the order of arrival. */
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    private final Set<String> finished = new LinkedHashSet<>();
    /** How many matches have ended since the first response, which lists earlier ones; before it, -1. */
    private int ended = -1;

    private int thinking;
    private volatile Future<?> request = new CompletableFuture<>();
    private Limits limits;
    /** The cursor of the last response, or null. */
    private String since;
    /** How long to pause at least, since the last response did not take all moves; -1 if it did. */
    private int againMs = -1;

    private Duration patience;
    private Http.Backoff backoff;
    /** When the next request may be sent, on the scale of {@link System#nanoTime}. */
    private long resume = System.nanoTime();
    /** The goal is reached: only moves that are chosen are still sent. */
    private boolean ending;

    private ServiceState service = ServiceState.RUNNING;

    Play(Http http, Chooser chooser, PlayOptions options) {
        this.http = http;
        this.chooser = chooser;
        this.options = options;
        search = new OpponentSearch(options.find());
        patience = options.patience();
        backoff = new Http.Backoff(patience);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "kozyr");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        options.stop().end();
    }

    void run() throws InterruptedException {
        options.stop().begin(() -> {
            events.add(() -> {});
            request.cancel(true);
        });
        Http.prepare();
        while (true) {
            think();
            if (ending && in(Phase.READY).isEmpty() && search.next(true) == null) {
                return;
            }
            try {
                exchange();
                backoff = new Http.Backoff(patience);
            } catch (Http.Lost lost) {
                resume = backoff.next(http, lost);
            } catch (KozyrException.Refused refused) {
                if (since == null || !refused.is(ProblemCode.BAD_CURSOR)) {
                    throw refused;
                }
                since = null;
            }
        }
    }

    /** Lets the bot think about open turns, until moves are due or news may have come. */
    private void think() throws InterruptedException {
        long began = System.nanoTime();
        while (true) {
            boolean isGoalReached = options.matches() > 0 && ended >= options.matches();
            if (!ending && (isGoalReached || options.stop().isStopped())) {
                ending = true;
                resume = began;
                patience = ENDING_PATIENCE;
                backoff = new Http.Backoff(patience);
            }
            int free = ending ? 0 : Math.max(1, options.threads()) - thinking;
            in(Phase.OPEN).stream().limit(free).forEach(this::start);
            long paceMs = ending || thinking == 0 ? 0 : in(Phase.READY).isEmpty() ? pollMs : gatherMs;
            long due = began + TimeUnit.MILLISECONDS.toNanos(paceMs);
            long now = System.nanoTime();
            Runnable event = events.poll(Math.max(due - now, resume - now), TimeUnit.NANOSECONDS);
            if (event == null) {
                return;
            }
            event.run();
        }
    }

    private void start(Entry entry) {
        entry.phase = Phase.THINKING;
        thinking++;
        entry.thinking = threads.submit(() -> {
            try {
                String move = chooser.choose(entry.turn);
                events.add(() -> take(entry, move, null));
            } catch (Throwable why) { // An Error too: the match must not wait for ever.
                events.add(() -> take(entry, null, why));
            }
        });
    }

    /** Takes a move that was chosen, unless nobody waits for it any more. */
    private void take(Entry entry, String move, Throwable why) {
        thinking--;
        Turn turn = entry.turn;
        if (entries.get(turn.match()) != entry) {
            return;
        }
        if (why != null) {
            throw new KozyrException.BotFailed(turn, why);
        }
        Duration left = turn.timeLeft();
        if (!turn.isLate() && left.compareTo(NEAR_DEADLINE) < 0) {
            http.warn(Warning.NEAR_DEADLINE, turn + ": " + left.toMillis() + " ms before its deadline");
        }
        entry.move = move;
        entry.phase = Phase.READY;
        boolean isLegal = turn.legalMoves().contains(move) || turn.isFree(move);
        KozyrException illegal = isLegal ? null : replace(entry, turn.legalMoves());
        if (illegal != null) {
            throw illegal;
        }
    }

    /** Puts the first legal move in place of an illegal one if the options say so, or returns the error. */
    private KozyrException replace(Entry entry, List<String> legal) {
        var illegal = new KozyrException.IllegalMove(entry.turn, entry.move, legal);
        if (!options.firstLegal() || legal.isEmpty() || legal.get(0).equals(entry.move)) {
            return illegal;
        }
        http.warn(Warning.ILLEGAL_MOVE, illegal.getMessage() + "; the first is sent instead");
        entry.move = legal.get(0);
        return null;
    }

    /** Looks for an opponent, or sends what is ready and waits for news if nothing else is to be done. */
    private void exchange() throws InterruptedException {
        if (limits == null) {
            limits = send(new Http.Call("GET", "/v1/limits", null, null, Duration.ZERO), Limits.class);
            if (limits != null && limits.maxMoves() < 1) {
                throw new KozyrException.Unreachable("the limits do not fit; check the address of the service", null);
            }
            return;
        }
        List<Entry> ready = in(Phase.READY);
        if ((!ending || ready.isEmpty()) && search.send(http, ending)) {
            return;
        }
        List<Entry> taken = ready.subList(0, Math.min(ready.size(), Math.min(MOST_MOVES, limits.maxMoves())));
        boolean isBusy = in(Phase.OPEN, Phase.THINKING, Phase.READY).size() > taken.size();
        double wait = ending || isBusy ? 0 : Math.min(search.longestWaitS(), limits.maxWaitS());
        MoveBatch batch = new MoveBatch(taken.stream().map(entry -> entry.turn.answer(entry.move)).toList(), wait, since);
        Duration hold = Duration.ofMillis((long) (wait * 1000));
        MoveResults answer = send(new Http.Call("POST", "/v1/turns", batch, null, hold), MoveResults.class);
        if (answer != null) {
            read(answer, taken);
        }
    }

    /**
     * Sends a request in a thread. A stop cancels it, since the service may hold it for a long time; the result is then
     * null. Its moves are sent once more, with no wait: a move that was made gets its first result.
     */
    private <T> T send(Http.Call call, Class<T> type) throws InterruptedException {
        Future<T> sent = threads.submit(() -> http.once(call, type));
        request = sent;
        if (!ending && options.stop().isStopped()) {
            sent.cancel(true); // The stop came before there was a request.
        }
        try {
            return sent.get();
        } catch (CancellationException stopped) {
            return null;
        } catch (ExecutionException why) {
            throw (RuntimeException) why.getCause();
        }
    }

    private void read(MoveResults answer, List<Entry> taken) {
        since = answer.since();
        againMs = answer.results().size() < taken.size() ? 0 : -1;
        KozyrException illegal = results(taken, answer.results());
        long now = System.nanoTime();
        answer.turns().forEach(turn -> arrive(turn, now));
        for (FinishedMatch match : answer.finished()) {
            if (finished.add(match.match())) {
                drop(match.match(), null);
                search.finished(match.match());
                if (ended >= 0) {
                    ended++;
                    options.onFinished().accept(match);
                }
            }
        }
        search.polled(taken.isEmpty() && in(Phase.OPEN, Phase.THINKING, Phase.READY).isEmpty());
        finished.stream().limit(Math.max(0, finished.size() - REMEMBERED)).toList().forEach(finished::remove);
        ended = Math.max(ended, 0);
        if (!service.equals(answer.service())) {
            service = answer.service();
            http.warn(Warning.SERVICE, "the service is " + service);
        }
        if (illegal != null) {
            throw illegal;
        }
        if (againMs >= 0) {
            throw new Http.Lost(new KozyrException.Unreachable("the service did not take all moves", null), againMs);
        }
    }

    /** Takes the results of the moves that were sent. Returns the error of the first illegal one. */
    private KozyrException results(List<Entry> taken, List<MoveOutcome> results) {
        KozyrException illegal = null;
        for (int i = 0; i < Math.min(taken.size(), results.size()); i++) {
            Entry entry = taken.get(i);
            Problem problem = results.get(i).problem();
            if (problem == null) {
                entry.phase = Phase.MADE;
            } else if (Set.of(ProblemCode.ILLEGAL_MOVE, ProblemCode.NOT_A_MOVE).contains(problem.code())) {
                var why = replace(entry, problem.legalMoves() == null ? List.of() : problem.legalMoves());
                illegal = illegal == null ? why : illegal;
            } else {
                againMs = Math.max(againMs, problem.retryMs() == null ? 0 : problem.retryMs());
                if (!problem.retryable()) {
                    since = null; // The next response has every open turn.
                    drop(entry.turn.match(), problem);
                }
            }
        }
        return illegal;
    }

    /** Takes a turn of a response that came at an instant. The same turn may come more than once. */
    private void arrive(Turn turn, long now) {
        Entry known = entries.get(turn.match());
        if (known != null && known.turn.number() == turn.number() && known.phase == Phase.MADE) {
            againMs = Math.max(againMs, 0);
            if (turn.legalMoves().contains(known.move)) {
                known.phase = Phase.READY; // The service lost the move, or sent the turn twice.
                return;
            }
        } else if (known != null && known.turn.number() >= turn.number()) {
            return;
        }
        drop(turn.match(), null);
        turn.arriveAt(now);
        entries.put(turn.match(), new Entry(turn));
    }

    /** Forgets the turn of a match, with a warning if it was late or the service refused its move. */
    private void drop(String match, Problem refusal) {
        Entry entry = entries.remove(match);
        if (entry == null) {
            return;
        }
        entry.thinking.cancel(true);
        if (entry.phase != Phase.MADE && entry.turn.isLate()) {
            http.warn(Warning.LATE, entry.turn + " was late; the service plays a safe move and counts a strike");
        } else if (refusal != null) {
            http.warn(Warning.NOT_OPEN, entry.turn + " is not open: " + refusal.detail());
        }
    }

    /** Returns the entries of these phases, the most urgent first. */
    private List<Entry> in(Phase... phases) {
        var found = entries.values().stream().filter(entry -> List.of(phases).contains(entry.phase));
        return found.sorted(Comparator.comparingLong(entry -> entry.turn.expires())).toList();
    }
}
