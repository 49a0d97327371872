package kozyr;

import java.util.List;
import java.util.Optional;
import kozyr.Types.Problem;

/** Why a call of the client failed. */
public class KozyrException extends RuntimeException {
    private static final long serialVersionUID = 1;

    KozyrException(String message, Throwable cause) {
        super(message, cause);
    }

    /** The service refused a request, and a retry would not change that. */
    public static final class Refused extends KozyrException {
        private static final long serialVersionUID = 1;
        private final int status;
        private final transient Problem problem;

        Refused(int status, Problem problem) {
            super(describe(status, problem), null);
            this.status = status;
            this.problem = problem;
        }

        private static String describe(int status, Problem problem) {
            if (problem == null) {
                return "http_" + status + ": the response is not one of Kozyr; check the address of the service";
            }
            String errors = problem.errors() == null ? "" : " " + problem.errors();
            return problem.code() + ": " + problem.detail() + errors;
        }

        /** Returns the HTTP status. */
        public int status() {
            return status;
        }

        /** Returns the problem document, if the response had one. */
        public Optional<Problem> problem() {
            return Optional.ofNullable(problem);
        }

        boolean is(Types.ProblemCode code) {
            return problem != null && code.equals(problem.code());
        }
    }

    /** No response came within the client's patience, or one that is not of the contract. */
    public static final class Unreachable extends KozyrException {
        private static final long serialVersionUID = 1;

        Unreachable(String why, Throwable cause) {
            super("no usable response: " + why, cause);
        }
    }

    /** The bot chose a move that is not legal in its turn. The clock runs on. */
    public static final class IllegalMove extends KozyrException {
        private static final long serialVersionUID = 1;
        private final transient Turn turn;
        private final String move;

        IllegalMove(Turn turn, String move, List<String> legalMoves) {
            super("\"%s\" is not legal in %s; legal: %s".formatted(move, turn, String.join(", ", legalMoves)), null);
            this.turn = turn;
            this.move = move;
        }

        /** Returns the turn. */
        public Turn turn() {
            return turn;
        }

        /** Returns the move that was chosen. */
        public String move() {
            return move;
        }
    }

    /** The bot threw an exception, which is the cause. */
    public static final class BotFailed extends KozyrException {
        private static final long serialVersionUID = 1;

        BotFailed(Turn turn, Throwable cause) {
            super("the bot failed in " + turn, cause);
        }
    }
}
