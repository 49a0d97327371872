package kozyr;

import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiConsumer;
import kozyr.Types.CreatedBot;
import kozyr.Types.CreatedOwner;
import kozyr.Types.Limits;
import kozyr.Types.Match;
import kozyr.Types.NewBot;
import kozyr.Types.NewMatch;
import kozyr.Types.NewOwner;

/** A connection to a Kozyr service with the token of an owner, of a bot, or none. Safe for threads. */
public final class KozyrClient {
    private final Http http;
    private volatile Duration patience = Duration.ofMinutes(1);

    /**
     * Makes a client of the service at a URL.
     *
     * @param token the token, or null
     */
    public KozyrClient(String url, String token) {
        URI address = URI.create(url);
        if (address.getHost() == null || !("http".equals(address.getScheme()) || "https".equals(address.getScheme()))) {
            throw new IllegalArgumentException("\"" + url + "\" is not an http address");
        }
        http = new Http(url.replaceAll("/+$", ""), token);
    }

    /** Returns a client of the service and token that KOZYR_URL and KOZYR_TOKEN name. */
    public static KozyrClient fromEnvironment() {
        String url = System.getenv("KOZYR_URL");
        return new KozyrClient(
                Objects.requireNonNull(url, "set KOZYR_URL to the address of the service"), System.getenv("KOZYR_TOKEN"));
    }

    /** Sends warnings to a function. By default they go to {@link System.Logger}. */
    public KozyrClient onWarning(BiConsumer<Warning, String> warn) {
        http.warn = warn;
        return this;
    }

    /** Sets how long calls other than {@link #play} are retried, by default a minute. */
    public KozyrClient patience(Duration patience) {
        this.patience = patience;
        return this;
    }

    /** Plays as {@link #play(Chooser, PlayOptions)} does, for ever. */
    public void play(Chooser chooser) throws InterruptedException {
        play(chooser, new PlayOptions());
    }

    /**
     * Plays all matches of the bot until {@code options.matches} have ended or {@code options.stop} stops. It then
     * delivers the moves that are chosen.
     *
     * @throws KozyrException if the service refuses a request, or the bot fails
     * @throws InterruptedException if the thread is interrupted; moves that are chosen may be lost
     */
    public void play(Chooser chooser, PlayOptions options) throws InterruptedException {
        try (Play play = new Play(http, chooser, options)) {
            play.run();
        }
    }

    /** Registers an owner. Its token is shown once. */
    public CreatedOwner registerOwner(NewOwner owner) throws InterruptedException {
        return create("/v1/owners", owner, CreatedOwner.class);
    }

    /** Creates a bot of the owner whose token this is. The bot's token is shown once. */
    public CreatedBot createBot(NewBot bot) throws InterruptedException {
        return create("/v1/bots", bot, CreatedBot.class);
    }

    /** Creates a casual match. */
    public Match createMatch(NewMatch match) throws InterruptedException {
        return create("/v1/matches", match, Match.class);
    }

    /** Returns a match as this token may see it. */
    public Match match(String id) throws InterruptedException {
        return request("GET", "/v1/matches/" + id, null, Match.class);
    }

    /** Gives up a match. */
    public void resign(String id) throws InterruptedException {
        request("POST", "/v1/matches/" + id + "/resign", null, Object.class);
    }

    /** Returns the limits of the service. */
    public Limits limits() throws InterruptedException {
        return request("GET", "/v1/limits", null, Limits.class);
    }

    /** Sends any request, and again if its response is lost. {@code body} becomes JSON, unless it is null. */
    public <T> T request(String method, String path, Object body, Class<T> type) throws InterruptedException {
        return http.call(new Http.Call(method, path, body, null, Duration.ZERO), type, patience);
    }

    private <T> T create(String path, Object body, Class<T> type) throws InterruptedException {
        String key = UUID.randomUUID().toString();
        return http.call(new Http.Call("POST", path, body, key, Duration.ZERO), type, patience);
    }
}
