package kozyr;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import kozyr.Types.MatchMove;
import kozyr.Types.MoveBatch;
import kozyr.Types.MoveResults;
import kozyr.Types.Problem;

/** Sends requests, and again until they get a response. */
final class Http {
    static final ObjectMapper JSON = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .serializationInclusion(JsonInclude.Include.NON_NULL)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private static final Set<Integer> RETRIED = Set.of(408, 425, 429, 500, 502, 503, 504);
    private static final System.Logger LOGGER = System.getLogger("kozyr");

    volatile BiConsumer<Warning, String> warn = (kind, message) -> LOGGER.log(System.Logger.Level.WARNING, message);

    /** How much longer than its wait a response may take. */
    volatile Duration responseMargin = Duration.ofSeconds(10);

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String url;
    private final String token;
    private final Set<String> deprecated = ConcurrentHashMap.newKeySet();

    Http(String url, String token) {
        this.url = url;
        this.token = token;
    }

    /**
     * One request.
     *
     * @param key the Idempotency-Key of a request that creates something, or null
     * @param hold how long the service may wait before it responds
     */
    record Call(String method, String path, Object body, String key, Duration hold) {}

    /** A failure that a retry may mend, after a pause of at least {@code afterMs}. */
    static final class Lost extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final KozyrException why;
        private final double afterMs;

        Lost(KozyrException why, double afterMs) {
            super(why.getMessage(), why);
            this.why = why;
            this.afterMs = afterMs;
        }

        double afterMs() {
            return afterMs;
        }
    }

    /** The growing pauses between the tries of one request. */
    static final class Backoff {
        private static final int FIRST_MS = 100;
        private static final int LONGEST_MS = 5_000;
        private static final int LONGEST_RETRY_AFTER_MS = 60_000;
        private final long began = System.nanoTime();
        private final Duration patience;
        private int failures;

        Backoff(Duration patience) {
            this.patience = patience;
        }

        /**
         * Returns when to try again, on the scale of {@link System#nanoTime}: after a growing pause, at least as long as
         * the service asks for. Throws the error of the last try if patience does not last that long.
         */
        long next(Http http, Lost lost) {
            long now = System.nanoTime(); // The first log line of a process takes long. It is part of the pause.
            double chance = ThreadLocalRandom.current().nextDouble();
            double longest = Math.min(LONGEST_MS, FIRST_MS * Math.pow(2, Math.min(failures++, 16)));
            double asked = Math.min(lost.afterMs, LONGEST_RETRY_AFTER_MS) * (1 + chance / 10);
            Duration pause = Duration.ofMillis((long) Math.ceil(Math.max(longest * (0.5 + chance / 2), asked)));
            if (patience != null && pause.plusNanos(now - began).compareTo(patience) >= 0) {
                throw lost.why;
            }
            http.warn(Warning.RETRY, lost.why.getMessage() + "; retry in " + pause.toMillis() + " ms");
            return now + pause.toNanos();
        }
    }

    /** Prepares the types of the loop. Jackson takes up to a second for this, which no turn's clock should pay. */
    static void prepare() {
        MatchMove move = MatchMove.of("", "");
        JSON.convertValue(MoveBatch.of().withMoves(List.of(move)), MoveBatch.class);
        JSON.convertValue(Map.of("turns", List.of(), "results", List.of()), MoveResults.class);
        JSON.convertValue(Map.of(), Problem.class);
    }

    /** Sends a request until it gets a response. */
    <T> T call(Call call, Class<T> type, Duration patience) throws InterruptedException {
        Backoff backoff = new Backoff(patience);
        while (true) {
            try {
                return once(call, type);
            } catch (Lost lost) {
                TimeUnit.NANOSECONDS.sleep(backoff.next(this, lost) - System.nanoTime());
            }
        }
    }

    void warn(Warning kind, String message) {
        warn.accept(kind, message);
    }

    /** Sends a request once. Throws {@link Lost} if another try may help. */
    <T> T once(Call call, Class<T> type) throws InterruptedException {
        HttpResponse<byte[]> response = exchange(call);
        checkDeprecation(call, response.headers());
        int status = response.statusCode();
        if (status / 100 == 2) {
            try {
                boolean isEmpty = response.body().length == 0 && type == Object.class;
                return isEmpty ? null : JSON.readValue(response.body(), type);
            } catch (IOException why) {
                String advice = "the response does not fit; check the address and version of the service: ";
                throw new KozyrException.Unreachable(advice + why, why);
            }
        }
        if (status / 100 == 3) {
            String target = response.headers().firstValue("Location").orElse("");
            String reason = "http_%d: the service is not at this address, which redirects to \"%s\"; "
                    + "set the address of the service";
            throw new KozyrException.Unreachable(reason.formatted(status, target), null);
        }
        Problem problem = problem(response.body());
        KozyrException refused = new KozyrException.Refused(status, problem);
        if (problem == null ? RETRIED.contains(status) : problem.retryable()) {
            throw new Lost(refused, retryAfterMs(response.headers()));
        }
        throw refused;
    }

    private HttpResponse<byte[]> exchange(Call call) throws InterruptedException {
        Duration limit = call.hold.plus(responseMargin); // That of HttpRequest would not cover the body.
        CompletableFuture<HttpResponse<byte[]>> sent = client.sendAsync(request(call), BodyHandlers.ofByteArray());
        try {
            return sent.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException why) {
            String reason = "no whole response in " + limit.toMillis() + " ms";
            throw new Lost(new KozyrException.Unreachable(reason, why), 0);
        } catch (ExecutionException why) {
            if (why.getCause() instanceof IOException cause) {
                throw new Lost(new KozyrException.Unreachable(cause.toString(), cause), 0);
            }
            throw new IllegalStateException(why.getCause());
        } finally {
            sent.cancel(true);
        }
    }

    private HttpRequest request(Call call) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + call.path))
                .header("Accept", "application/json")
                .header("Content-Type", "application/json")
                .header("User-Agent", "kozyr-client-java/0.1");
        if (token != null) {
            request.header("Authorization", "Bearer " + token.strip());
        }
        if (call.key != null) {
            request.header("Idempotency-Key", call.key);
        }
        try {
            return request.method(
                            call.method,
                            call.body == null
                                    ? BodyPublishers.noBody()
                                    : BodyPublishers.ofByteArray(JSON.writeValueAsBytes(call.body)))
                    .build();
        } catch (JsonProcessingException why) {
            throw new IllegalArgumentException(why);
        }
    }

    private static Problem problem(byte[] body) {
        try {
            Problem problem = JSON.readValue(body, Problem.class);
            return problem == null || problem.code() == null ? null : problem;
        } catch (IOException why) {
            return null; // A gateway answered, not the service.
        }
    }

    private static double retryAfterMs(HttpHeaders headers) {
        try {
            return headers.firstValue("Retry-After").map(Double::parseDouble).orElse(0.0) * 1000;
        } catch (NumberFormatException why) {
            return 0;
        }
    }

    private void checkDeprecation(Call call, HttpHeaders headers) {
        String route = call.method + " " + call.path;
        if (headers.firstValue("Deprecation").isPresent() && deprecated.add(route)) {
            String end = headers.firstValue("Sunset").map(date -> " and may end on " + date).orElse("");
            warn(Warning.DEPRECATED, route + " is deprecated" + end);
        }
    }
}
