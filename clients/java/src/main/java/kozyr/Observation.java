package kozyr;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.stream.StreamSupport;
import kozyr.Types.GameId;

/** All that a seat sees. {@link #decode} gives the fields of the game. */
public final class Observation {
    private final JsonNode json;
    private final List<String> legalMoves;
    private final List<String> freeMoves;

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    Observation(JsonNode json) {
        this.json = json;
        legalMoves = strings(json.path("legal_moves"));
        freeMoves = strings(json.path("free_moves"));
    }

    private static List<String> strings(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
    }

    /** Returns the game's id. */
    public GameId game() {
        return new GameId(json.path("game").asText());
    }

    /** Returns the legal moves of the turn; empty if it is not your turn. */
    public List<String> legalMoves() {
        return legalMoves;
    }

    /** Returns the free moves that you may make now. */
    public List<String> freeMoves() {
        return freeMoves;
    }

    /** Decodes the observation of a game, such as {@link Types.DurakObservation}. */
    public <T> T decode(Class<T> type) {
        return Http.JSON.convertValue(json, type);
    }

    /** Returns the JSON of the observation. */
    @JsonValue
    public JsonNode json() {
        return json;
    }
}
