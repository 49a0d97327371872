package kozyr;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import kozyr.Desk.Entry;
import kozyr.Desk.Phase;
import kozyr.Types.FinishedMatch;
import kozyr.Types.Limits;
import kozyr.Types.MoveBatch;
import kozyr.Types.MoveResults;
import kozyr.Types.ProblemCode;
import kozyr.Types.ServiceState;

/** The loop: one thread that takes events, while other threads think and one waits for the service. */
final class Play implements AutoCloseable {
    /** How long a poll waits if the service allows that long. */
    private static final double LONGEST_WAIT_S = 25;

    private static final int MOST_MOVES = 256;
    /** How long the loop tries to deliver the last moves when it stops. */
    private static final Duration ENDING_PATIENCE = Duration.ofSeconds(5);

    /** How long the first ready move waits for others, to travel in the same request. */
    long gatherMs = 50;
    /** How often the service is asked for news while the bot thinks. */
    long pollMs = 250;

    /** What became of a request; empty if it was abandoned. */
    private static final class Reply {
        private MoveResults results;
        private RuntimeException failure;
    }

    private final Http http;
    private final Chooser chooser;
    private final PlayOptions options;
    private final Desk desk;
    private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(Play::daemon);
    private int thinking;
    private int ended;
    /** The goal is reached: only moves that are chosen are still sent. */
    private boolean ending;
    private ServiceState service = ServiceState.RUNNING;

    Play(Http http, Chooser chooser, PlayOptions options) {
        this.http = http;
        this.chooser = chooser;
        this.options = options;
        desk = new Desk(http, options.firstLegal());
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
        options.stop().begin(() -> events.add(() -> {}));
        Http.prepare();
        var first = new Http.Call("GET", "/v1/limits", null, null, Duration.ZERO, options.patience());
        Limits limits = http.call(first, Limits.class);
        if (limits.maxMoves() < 1) {
            throw new KozyrException.Unreachable("the limits do not fit; check the address of the service", null);
        }
        double wait = Math.min(LONGEST_WAIT_S, limits.maxWaitS());
        int most = Math.min(MOST_MOVES, limits.maxMoves());
        Http.Backoff pauses = null;
        while (true) {
            think();
            if (!ending && isGoalReached()) {
                ending = true;
                pauses = null;
            }
            if (ending && !desk.has(Phase.READY)) {
                return;
            }
            desk.againMs = -1;
            exchange(most, wait);
            if (desk.againMs < 0) {
                pauses = null;
                continue;
            }
            pauses = pauses == null ? new Http.Backoff(patience()) : pauses;
            long pause = pauses.next(desk.againMs);
            if (pause < 0) {
                throw new KozyrException.Unreachable("the service did not take all moves", null);
            }
            rest(pause);
        }
    }

    private boolean isGoalReached() {
        return options.stop().isStopped() || (options.matches() > 0 && ended >= options.matches());
    }

    private boolean isInterrupted() {
        return !ending && options.stop().isStopped();
    }

    private Duration patience() {
        return ending ? ENDING_PATIENCE : options.patience();
    }

    /** Starts the thinking about open turns, until moves are due or news may have come. */
    private void think() throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pollMs);
        boolean isDue = false;
        while (!isGoalReached()) {
            int free = Math.max(1, options.threads()) - thinking;
            for (Entry entry : desk.in(Phase.OPEN).stream().limit(free).toList()) {
                thinking++;
                desk.start(entry, threads.submit(() -> choose(entry)));
            }
            if (!isDue && desk.has(Phase.READY)) {
                isDue = true;
                until = Math.min(until, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(gatherMs));
            }
            Runnable event = thinking == 0 ? null : events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (event == null) {
                return;
            }
            event.run();
        }
    }

    private void choose(Entry entry) {
        try {
            String move = chooser.choose(entry.turn);
            events.add(() -> take(entry, move, null));
        } catch (Throwable why) { // An Error too: the match must not wait for ever.
            events.add(() -> take(entry, null, why));
        }
    }

    private void take(Entry entry, String move, Throwable why) {
        thinking--;
        if (!desk.isOpen(entry)) {
            return;
        }
        if (why != null) {
            throw new KozyrException.BotFailed(entry.turn, why);
        }
        desk.choose(entry, move);
    }

    /** Sends what is ready, waits for news if nothing else is to be done, and takes the response. */
    private void exchange(int most, double wait) throws InterruptedException {
        List<Entry> ready = desk.in(Phase.READY);
        List<Entry> taken = ready.subList(0, Math.min(most, ready.size()));
        boolean isBusy = ending || ready.size() > most || desk.has(Phase.OPEN) || desk.has(Phase.THINKING);
        MoveBatch batch = MoveBatch.of()
                .withMoves(taken.stream().map(Entry::wire).toList())
                .withWaitS(isBusy ? 0 : wait)
                .withSince(desk.since);
        Reply reply = send(batch);
        if (reply.results != null) {
            read(reply.results, taken);
        } else if (desk.since != null
                && reply.failure instanceof KozyrException.Refused refused
                && refused.is(ProblemCode.BAD_CURSOR)) {
            desk.since = null;
        } else if (reply.failure != null) {
            throw reply.failure;
        }
    }

    private void read(MoveResults answer, List<Entry> taken) {
        desk.since = answer.since();
        try {
            desk.results(taken, answer.results());
        } finally {
            desk.arrive(answer.turns());
            for (FinishedMatch match : desk.finish(answer.finished())) {
                ended++;
                options.onFinished().accept(match);
            }
            if (!service.equals(answer.service())) {
                service = answer.service();
                http.warn(Warning.SERVICE, "the service is " + service);
            }
        }
    }

    /**
     * Sends a request in a thread and takes events until the response comes. A stop abandons the request, since the
     * service may hold it for a long time; the reply is then empty. Its moves are sent once more, with no wait: a move
     * that was made gets its first result.
     */
    private Reply send(MoveBatch batch) throws InterruptedException {
        Reply reply = new Reply();
        Duration hold = Duration.ofMillis((long) (batch.waitS() * 1000));
        var call = new Http.Call("POST", "/v1/turns", batch, null, hold, patience());
        Future<?> request = threads.submit(() -> {
            try {
                MoveResults results = http.call(call, MoveResults.class);
                events.add(() -> reply.results = results);
            } catch (RuntimeException why) {
                events.add(() -> reply.failure = why);
            }
            return null;
        });
        while (reply.results == null && reply.failure == null) {
            if (isInterrupted()) {
                request.cancel(true);
                return reply;
            }
            events.take().run();
        }
        return reply;
    }

    /** Takes events for a while. A stop ends the rest, unless the loop is ending anyway. */
    private void rest(long pauseMs) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMs);
        while (!isInterrupted()) {
            Runnable event = events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (event == null) {
                return;
            }
            event.run();
        }
    }
}
