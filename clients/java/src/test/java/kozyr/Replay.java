package kozyr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The server of a fixture: tests/clients/replay.py. */
final class Replay implements AutoCloseable {
    static final Path REPOSITORY = Path.of("../..");
    static final Path FIXTURES = REPOSITORY.resolve("clients/fixtures");

    private final Process process;
    private final BufferedReader output;
    private final String url;

    Replay(String name, String... arguments) throws IOException {
        this(FIXTURES.resolve(name + ".json"), arguments);
    }

    Replay(Path fixture, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("python3", REPOSITORY.resolve("tests/clients/replay.py").toString()));
        command.add(fixture.toString());
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        output = new BufferedReader(new InputStreamReader(process.getInputStream()));
        url = line();
    }

    String line() throws IOException {
        return output.readLine();
    }

    Http http() {
        Http http = new Http(url, "kozyr_fixture");
        http.warn = (kind, message) -> {};
        return http;
    }

    /** Plays so that the dialogue does not depend on the speed of the machine. */
    void play(Http http, Chooser chooser, PlayOptions options) throws InterruptedException {
        try (Play play = new Play(http, chooser, options)) {
            play.gatherMs = 20_000;
            play.pollMs = 20_000;
            play.run();
        }
    }

    void play(Chooser chooser, PlayOptions options) throws InterruptedException {
        play(http(), chooser, options);
    }

    /** Fails if the client made a mistake. */
    void check() throws Exception {
        process.getOutputStream().close();
        String mistakes = String.join("\n", output.lines().toList());
        assertEquals(0, process.waitFor(), mistakes);
    }

    @Override
    public void close() {
        process.destroy();
    }
}
