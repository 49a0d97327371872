package kozyr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import kozyr.Types.DurakObservation;
import kozyr.Types.GameId;
import kozyr.Types.NewMatch;
import org.junit.jupiter.api.Test;

class ClientTest {
    private static String first(Turn turn) {
        return turn.legalMoves().get(0);
    }

    @Test
    void anIllegalMoveEndsPlay() throws Exception {
        try (Replay replay = new Replay("illegal_move")) {
            var why = assertThrows(
                    KozyrException.IllegalMove.class, () -> replay.play(turn -> "nonsense", new PlayOptions()));
            assertEquals("nonsense", why.move());
            assertFalse(why.turn().legalMoves().isEmpty());
        }
    }

    @Test
    void anExceptionOfTheBotEndsPlay() throws Exception {
        Exception bug = new Exception("a bug in the bot");
        Chooser chooser = turn -> {
            throw bug;
        };
        try (Replay replay = new Replay("normal_play")) {
            var why = assertThrows(KozyrException.BotFailed.class, () -> replay.play(chooser, new PlayOptions()));
            assertSame(bug, why.getCause());
        }
    }

    @Test
    void aStopDoesNotWaitForTheBotAndInterruptsIt() throws Exception {
        Stop stop = new Stop();
        CountDownLatch interrupted = new CountDownLatch(1);
        Chooser chooser = turn -> {
            stop.stop();
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException why) {
                interrupted.countDown();
            }
            return first(turn);
        };
        try (Replay replay = new Replay("normal_play")) {
            replay.play(chooser, new PlayOptions().withStop(stop));
        }
        assertTrue(interrupted.await(10, TimeUnit.SECONDS));
    }

    @Test
    void aStopEndsAWaitingPoll() throws Exception {
        stopWhenHeld("--first", "1", "--hold", "1");
    }

    @Test
    void aStopSendsTheMovesOfAWaitingRequestAgain() throws Exception {
        stopWhenHeld("--first", "3", "--hold", "2", "--stops");
    }

    private static void stopWhenHeld(String... arguments) throws Exception {
        Stop stop = new Stop();
        try (Replay replay = new Replay("normal_play", arguments)) {
            Thread stopper = new Thread(() -> {
                try {
                    assertEquals("held", replay.line());
                } catch (Exception why) {
                    throw new AssertionError(why);
                }
                stop.stop();
            });
            stopper.start();
            replay.play(ClientTest::first, new PlayOptions().withStop(stop));
            stopper.join();
            replay.check();
        }
    }

    @Test
    void aChosenMoveIsDeliveredBeforeAStop() throws Exception {
        Stop stop = new Stop();
        try (Replay replay = new Replay("normal_play", "--first", "3", "--stops")) {
            Http http = replay.http();
            http.warn = (kind, message) -> {
                if (kind == Warning.ILLEGAL_MOVE) {
                    stop.stop(); // The first legal move is chosen, but not sent.
                }
            };
            replay.play(http, turn -> "nonsense", new PlayOptions().withFirstLegal(true).withStop(stop));
            replay.check();
        }
    }

    @Test
    void aServiceOutOfReachIsAnErrorWhenPatienceIsOver() {
        KozyrClient client = new KozyrClient("http://127.0.0.1:9", null)
                .onWarning((kind, message) -> {})
                .patience(Duration.ofMillis(300));
        assertThrows(KozyrException.Unreachable.class, client::limits);
    }

    @Test
    void anAddressMustBeHttp() {
        for (String address : List.of("", "localhost:8000", "ftp://example.org", "http://")) {
            assertThrows(IllegalArgumentException.class, () -> new KozyrClient(address, null), address);
        }
    }

    @Test
    void anObservationIsDecodedByGame() throws Exception {
        Stop stop = new Stop();
        int[] cards = new int[1];
        Chooser chooser = turn -> {
            assertEquals(GameId.DURAK, turn.observation().game());
            cards[0] = turn.observation().decode(DurakObservation.class).hand().size();
            stop.stop();
            return first(turn);
        };
        try (Replay replay = new Replay("normal_play")) {
            replay.play(chooser, new PlayOptions().withStop(stop));
        }
        assertEquals(6, cards[0]);
    }

    @Test
    void aRequestHasOnlyTheFieldsThatAreSet() throws Exception {
        NewMatch match = NewMatch.of(GameId.SVOI_KOZYRI, Arrays.asList("example/first", null)).withDeals(3);
        String json = Http.JSON.writeValueAsString(match);
        assertEquals(
                Http.JSON.readTree("{\"game\": \"svoi_kozyri\", \"seats\": [\"example/first\", null], \"deals\": 3}"),
                Http.JSON.readTree(json));
    }

    @Test
    void aValueOfALaterReleaseIsKept() throws Exception {
        assertEquals("preferans", Http.JSON.readValue("\"preferans\"", GameId.class).value());
    }
}
