package kozyr;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import kozyr.Types.MatchMove;
import kozyr.Types.SeatClock;

/** An open turn of your seat. */
public final class Turn {
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private final String match;
    private final int number;
    private final int deal;
    private final int seat;
    private final Observation observation;
    private final List<SeatClock> clocks;
    private final Duration allowed;
    private long arrived = System.nanoTime();

    @JsonCreator
    Turn(
            @JsonProperty("match") String match,
            @JsonProperty("turn") int number,
            @JsonProperty("deal") int deal,
            @JsonProperty("seat") int seat,
            @JsonProperty("observation") Observation observation,
            @JsonProperty("clocks") List<SeatClock> clocks,
            @JsonProperty("deadline") Instant deadline,
            @JsonProperty("now") Instant now) {
        this.match = match;
        this.number = number;
        this.deal = deal;
        this.seat = seat;
        this.observation = observation;
        this.clocks = clocks;
        // Both are service time, so only their difference counts.
        allowed = deadline == null ? FOREVER : Duration.between(now, deadline);
    }

    /** Returns the match's id. */
    public String match() {
        return match;
    }

    /** Returns the number of the turn in its match. */
    public int number() {
        return number;
    }

    /** Returns the deal in progress, from 1. */
    public int deal() {
        return deal;
    }

    /** Returns your seat. */
    public int seat() {
        return seat;
    }

    /** Returns all that your seat sees. */
    public Observation observation() {
        return observation;
    }

    /** Returns the clocks by seat. */
    public List<SeatClock> clocks() {
        return clocks;
    }

    /** Returns every answer to the turn. Choose one of them unchanged. */
    public List<String> legalMoves() {
        return observation.legalMoves();
    }

    /** Returns the moves that do not answer the turn. After one, the bot is asked again. */
    public List<String> freeMoves() {
        return observation.freeMoves();
    }

    /** Returns the time to the deadline by a monotonic clock, or a hundred years without a deadline. */
    public Duration timeLeft() {
        return Duration.ofNanos(expires() - System.nanoTime());
    }

    @Override
    public String toString() {
        return "turn " + number + " of " + match;
    }

    void arriveAt(long instant) {
        arrived = instant;
    }

    /** Returns when the turn times out, on the scale of {@link System#nanoTime}. */
    long expires() {
        return arrived + allowed.toNanos();
    }

    boolean isLate() {
        return expires() <= System.nanoTime();
    }

    boolean isFree(String move) {
        return freeMoves().contains(move) && !legalMoves().contains(move);
    }

    /** Returns a move of this turn as it is sent. */
    MatchMove answer(String move) {
        MatchMove answer = MatchMove.of(move, match);
        return isFree(move) ? answer.withDeal(deal) : answer.withTurn(number);
    }
}
