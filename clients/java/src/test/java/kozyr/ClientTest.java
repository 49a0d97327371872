package kozyr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import kozyr.Types.Clock;
import kozyr.Types.DurakObservation;
import kozyr.Types.GameId;
import kozyr.Types.JoinQueue;
import kozyr.Types.NewMatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientTest {
    /** The wish of the fixture. */
    private static final PlayOptions FIND = new PlayOptions()
            .withFind(JoinQueue.of(GameId.DURAK)
                    .withClock(Clock.of().withMoveMs(60_000).withBankMs(0))
                    .withRatingBand(500));

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

    @Test
    void aStoppedBotSendsItsLastMovesAndLeavesTheQueue(@TempDir Path folder) throws Exception {
        int held = joinIndex(load("finds_opponents"), 4) + 2;
        JsonNode fixture = leavingAfter(held + 1);
        ((ObjectNode) fixture.at("/exchanges/" + held + "/request/body")).put("wait", 0);
        Path file = folder.resolve("leaving.json");
        Http.JSON.writeValue(file.toFile(), fixture);
        stopWhenHeld(new Replay(file, "--hold", String.valueOf(held)), FIND);
    }

    @Test
    void aBotThatIsStoppedWhileItsJoinIsLostLeavesTheQueueEvenIfItNeverJoined(@TempDir Path folder) throws Exception {
        JsonNode fixture = leavingAfter(2);
        String notQueued = "{\"status\": 404, \"body\": {\"code\": \"not_queued\", \"retryable\": false}}";
        ((ObjectNode) fixture.at("/exchanges/2")).set("response", Http.JSON.readTree(notQueued));
        Path file = folder.resolve("leaving.json");
        Http.JSON.writeValue(file.toFile(), fixture);
        Stop stop = new Stop();
        try (Replay replay = new Replay(file)) {
            Http http = replay.http();
            http.warn = (kind, message) -> stop.stop();
            replay.play(http, ClientTest::first, FIND.withStop(stop));
            replay.check();
        }
    }

    @Test
    void aBotPlaysItsMatchesWhileTheQueueRefusesIt(@TempDir Path folder) throws Exception {
        JsonNode fixture = load("match_ends");
        ArrayNode exchanges = (ArrayNode) fixture.get("exchanges");
        for (JsonNode request : exchanges.findValues("request").subList(1, exchanges.size())) {
            ((ObjectNode) request.get("body")).put("wait", 2);
        }
        ArrayNode queue = (ArrayNode) leavingAfter(2).get("exchanges");
        String refusal = "{\"status\": 503, \"headers\": {\"Retry-After\": \"1.5\"},"
                + " \"body\": {\"code\": \"service_draining\", \"retryable\": true}}";
        ((ObjectNode) queue.get(1)).set("response", Http.JSON.readTree(refusal));
        for (int index : List.of(9, 5, 2, 1)) { // Before the first poll, and after each match that ends.
            exchanges.insert(index, queue.get(1));
        }
        exchanges.add(queue.get(2));
        follow(fixture, 3, folder);
    }

    @Test
    void aMatchOfALostJoinMayEndBeforeTheJoinIsSentAgain(@TempDir Path folder) throws Exception {
        JsonNode fixture = load("finds_opponents");
        ArrayNode exchanges = (ArrayNode) fixture.get("exchanges");
        int first = joinIndex(fixture, 3);
        int after = joinIndex(fixture, 4);
        for (int i = first + 1; i < after; i++) {
            ((ObjectNode) exchanges.get(i).at("/request/body")).put("wait", 1);
        }
        exchanges.insert(after, exchanges.get(first).deepCopy());
        ((ObjectNode) exchanges.get(first).get("response")).put("cut", "before");
        follow(fixture, 4, folder);
    }

    @Test
    void aRatingBandMayBeLeftOutOrNull(@TempDir Path folder) throws Exception {
        JoinQueue wish = JoinQueue.of(GameId.DURAK);
        sends(wish, "{\"game\": \"durak\"}", folder);
        sends(wish.withRatingBand(null), "{\"game\": \"durak\", \"rating_band\": null}", folder);
        sends(wish.withRatingBand(400), "{\"game\": \"durak\", \"rating_band\": 400}", folder);
    }

    private static void sends(JoinQueue wish, String body, Path folder) throws Exception {
        JsonNode fixture = load("queue_refuses");
        ((ObjectNode) fixture.at("/exchanges/1/request")).set("body", Http.JSON.readTree(body));
        Path file = folder.resolve("refuses.json");
        Http.JSON.writeValue(file.toFile(), fixture);
        assertEquals(wish, Http.JSON.readValue(body, JoinQueue.class));
        try (Replay replay = new Replay(file)) {
            PlayOptions options = new PlayOptions().withFind(wish);
            assertThrows(KozyrException.Refused.class, () -> replay.play(ClientTest::first, options));
            replay.check();
        }
    }

    /** Plays this many matches and fails if the dialogue is not that of a fixture which a test has edited. */
    private static void follow(JsonNode fixture, int matches, Path folder) throws Exception {
        Path file = folder.resolve("edited.json");
        Http.JSON.writeValue(file.toFile(), fixture);
        try (Replay replay = new Replay(file)) {
            replay.play(ClientTest::first, FIND.withMatches(matches));
            replay.check();
        }
    }

    private static JsonNode load(String name) throws IOException {
        return Http.JSON.readTree(Replay.FIXTURES.resolve(name + ".json").toFile());
    }

    /** Returns the index of the first request with this key. */
    private static int joinIndex(JsonNode fixture, int key) {
        List<Integer> keys = new ArrayList<>();
        fixture.get("exchanges").forEach(exchange -> keys.add(exchange.at("/request/key").asInt()));
        return keys.indexOf(key);
    }

    /** Cuts the dialogue of a search off, and lets the bot leave the queue instead. */
    private static JsonNode leavingAfter(int requests) throws IOException {
        JsonNode fixture = load("finds_opponents");
        ArrayNode exchanges = (ArrayNode) fixture.get("exchanges");
        while (exchanges.size() > requests + 1) {
            exchanges.remove(requests);
        }
        return fixture;
    }

    private static void stopWhenHeld(String... arguments) throws Exception {
        stopWhenHeld(new Replay("normal_play", arguments), new PlayOptions());
    }

    private static void stopWhenHeld(Replay opened, PlayOptions options) throws Exception {
        Stop stop = new Stop();
        try (Replay replay = opened) {
            Thread stopper = new Thread(() -> {
                try {
                    assertEquals("held", replay.line());
                } catch (Exception why) {
                    throw new AssertionError(why);
                }
                stop.stop();
            });
            stopper.start();
            replay.play(ClientTest::first, options.withStop(stop));
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
    void aResponseThatStopsInItsBodyIsLostInTime() throws Exception {
        CountDownLatch tested = new CountDownLatch(1);
        HttpServer server = serve(exchange -> {
            boolean isWhole = exchange.getRequestURI().getPath().equals("/whole");
            exchange.sendResponseHeaders(200, isWhole ? 2 : 100);
            exchange.getResponseBody().write((isWhole ? "{}" : "{\"a\":").getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            try (exchange) {
                if (!isWhole) {
                    tested.await();
                }
            } catch (InterruptedException why) {
                throw new IOException(why);
            }
        });
        Http http = new Http(url(server), null);
        try {
            // The first request of a process takes long. The limit is for the body.
            http.once(new Http.Call("GET", "/whole", null, null, Duration.ZERO), Object.class);
            http.responseMargin = Duration.ofMillis(1_000);
            Http.Call call = new Http.Call("GET", "/v1/limits", null, null, Duration.ofMillis(10));
            var why = assertTimeoutPreemptively(
                    Duration.ofSeconds(60),
                    () -> assertThrows(Http.Lost.class, () -> http.once(call, Object.class)));
            assertEquals("no usable response: no whole response in 1010 ms", why.getMessage());
        } finally {
            tested.countDown();
            server.stop(0);
        }
    }

    @Test
    void aRedirectIsAnErrorThatNamesItsAddress() throws Exception {
        List<String> requests = Collections.synchronizedList(new ArrayList<>());
        HttpServer server = serve(exchange -> {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            exchange.getResponseHeaders().add("Location", "/moved");
            exchange.sendResponseHeaders(exchange.getRequestURI().getPath().equals("/moved") ? 200 : 302, -1);
            exchange.close();
        });
        KozyrClient client = new KozyrClient(url(server), null).onWarning((kind, message) -> {});
        try {
            var request = assertThrows(
                    KozyrException.Unreachable.class,
                    () -> client.request("POST", "/v1/moves", List.of(), Object.class));
            var play = assertThrows(KozyrException.Unreachable.class, () -> client.play(ClientTest::first));
            for (KozyrException why : List.of(request, play)) {
                String message = why.getMessage();
                assertTrue(message.contains("redirects to \"/moved\"; set the address of the service"), message);
            }
            assertEquals(List.of("POST /v1/moves", "GET /v1/limits"), requests);
        } finally {
            server.stop(0);
        }
    }

    private static HttpServer serve(HttpHandler handler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", handler);
        server.start();
        return server;
    }

    private static String url(HttpServer server) {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Test
    void anAddressMustBeHttp() {
        for (String address : List.of("", "localhost:8000", "ftp://example.org", "http://")) {
            assertThrows(IllegalArgumentException.class, () -> new KozyrClient(address, null), address);
        }
    }

    @Test
    void anObservationIsDecodedByGame() throws Exception {
        Chooser chooser = turn -> {
            Observation observation = turn.observation();
            int cards = observation.decode(DurakObservation.class).hand().size();
            throw new Exception(observation.game().value() + " " + cards);
        };
        try (Replay replay = new Replay("normal_play")) {
            var why = assertThrows(KozyrException.BotFailed.class, () -> replay.play(chooser, new PlayOptions()));
            assertEquals("durak 6", why.getCause().getMessage());
        }
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
