package kozyr;

/** Ends {@link KozyrClient#play} from another thread, after the moves that are chosen were sent. */
public final class Stop {
    /** How long the end of the process waits for the bot's thread. */
    private static final long LAST_MS = 10_000;

    private volatile boolean stopped;
    private volatile Thread player;
    private volatile Runnable listener = () -> {};

    /** Returns a stop for Ctrl-C and SIGTERM. The process then ends with status 0. */
    public static Stop onShutdown() {
        Stop stop = new Stop();
        Runtime.getRuntime().addShutdownHook(new Thread(stop::shutDown, "kozyr-stop"));
        return stop;
    }

    /** Ends the play. */
    public void stop() {
        stopped = true;
        listener.run();
    }

    /** Says whether {@link #stop} was called. */
    public boolean isStopped() {
        return stopped;
    }

    void begin(Runnable wake) {
        player = Thread.currentThread();
        listener = wake;
    }

    void end() {
        listener = () -> {};
        if (!stopped) {
            player = null;
        }
    }

    private void shutDown() {
        Thread playing = player;
        if (playing == null) {
            return; // The process ends by itself.
        }
        stop();
        try {
            playing.join(LAST_MS);
        } catch (InterruptedException why) {
            Thread.currentThread().interrupt();
        }
        if (!playing.isAlive()) {
            Runtime.getRuntime().halt(0);
        }
    }
}
