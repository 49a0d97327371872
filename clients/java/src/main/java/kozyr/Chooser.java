package kozyr;

/** A bot's tactics. */
@FunctionalInterface
public interface Chooser {
    /**
     * Returns one of the turn's legal or free moves. It runs in threads of its own, for several matches at a time. Its
     * thread is interrupted when the turn is over.
     */
    String choose(Turn turn) throws Exception;
}
