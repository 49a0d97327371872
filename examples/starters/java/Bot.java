import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A bot for Kozyr: it reads a turn in each line of its input, and answers with a line that has the move. */
public final class Bot {
    private static final String RANKS = "6789TJQKA";

    public static void main(String[] arguments) throws IOException {
        BufferedReader turns = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String turn = turns.readLine(); turn != null; turn = turns.readLine()) {
            System.out.println(choose(turn)); // println flushes.
        }
    }

    /** Returns one of the turn's legal moves. Change this method first. */
    static String choose(String turn) {
        String observation = get(turn, "observation");
        List<String> moves = parts(get(observation, "legal_moves")).stream().map(Bot::text).toList();
        String trump = text(get(observation, "trump"));
        if (!text(get(observation, "game")).equals("durak")) {
            return moves.get(0);
        }
        return moves.stream().min(Comparator.comparingInt(move -> cost(move, trump))).orElseThrow();
    }

    /**
     * Says how dear the cards of a move are: "attack 7H" is cheap, a move with a trump is dear. A move without cards,
     * such as "take" or "pass", is the last resort.
     */
    static int cost(String move, String trump) {
        String[] words = move.split(" ");
        int cost = words.length == 1 ? 100 : 0;
        for (int i = 1; i < words.length; i++) {
            cost += RANKS.indexOf(words[i].charAt(0)) + (words[i].endsWith(trump) ? RANKS.length() : 0);
        }
        return cost;
    }

    /** Returns the value of a key of a JSON object, as JSON; "null" if the key is not there. */
    static String get(String object, String key) {
        List<String> pairs = parts(object);
        int at = 0;
        while (at < pairs.size() && !text(pairs.get(at)).equals(key)) {
            at += 2;
        }
        return at < pairs.size() ? pairs.get(at + 1) : "null";
    }

    /** Returns a JSON string without its quotes. The names of keys, games, moves and cards have no escapes. */
    static String text(String string) {
        return string.startsWith("\"") ? string.substring(1, string.length() - 1) : string;
    }

    /** Splits a JSON array into its items, or a JSON object into its keys and values in turn. */
    static List<String> parts(String json) {
        List<String> found = new ArrayList<>();
        boolean quoted = false;
        int depth = 0, start = 1;
        for (int at = 0; at < json.length(); at++) {
            char each = json.charAt(at);
            if (quoted && each == '\\') {
                at++; // The next character is escaped.
            } else if (each == '"') {
                quoted = !quoted;
            } else if (!quoted) {
                depth += "[{".indexOf(each) >= 0 ? 1 : "]}".indexOf(each) >= 0 ? -1 : 0;
                if (depth == 1 && ",:".indexOf(each) >= 0 || depth == 0 && at > start) {
                    found.add(json.substring(start, at).strip());
                    start = at + 1;
                }
            }
        }
        return found;
    }
}
