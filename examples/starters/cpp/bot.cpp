// A bot for Kozyr: it reads a turn in each line of its input, and answers with a line that has the move.
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

constexpr std::string_view RANKS = "6789TJQKA";

// Splits a JSON array into its items, or a JSON object into its keys and values in turn.
std::vector<std::string_view> parts(std::string_view json) {
    std::vector<std::string_view> found;
    bool quoted = false;
    int depth = 0;
    std::size_t start = 1;
    for (std::size_t at = 0; at < json.size(); ++at) {
        const char each = json[at];
        if (quoted && each == '\\') {
            ++at;  // The next character is escaped.
        } else if (each == '"') {
            quoted = !quoted;
        } else if (!quoted) {
            depth += (each == '[' || each == '{') - (each == ']' || each == '}');
            if ((depth == 1 && (each == ',' || each == ':')) || (depth == 0 && at > start)) {
                const auto part = json.substr(start, at - start);
                const auto first = std::min(part.find_first_not_of(' '), part.size());
                found.push_back(part.substr(first, part.find_last_not_of(' ') + 1 - first));
                start = at + 1;
            }
        }
    }
    return found;
}

// Returns a JSON string without its quotes. The names of keys, games, moves and cards have no escapes.
std::string_view text(std::string_view string) {
    return string.starts_with('"') ? string.substr(1, string.size() - 2) : string;
}

// Returns the value of a key of a JSON object, as JSON; "null" if the key is not there.
std::string_view get(std::string_view object, std::string_view key) {
    const auto pairs = parts(object);
    for (std::size_t at = 0; at + 1 < pairs.size(); at += 2) {
        if (text(pairs[at]) == key) {
            return pairs[at + 1];
        }
    }
    return "null";
}

// Says how dear the cards of a move are: "attack 7H" is cheap, a move with a trump is dear. A move without cards,
// such as "take" or "pass", is the last resort.
int cost(std::string_view move, std::string_view trump) {
    std::istringstream words{std::string(move)};
    std::string card;
    words >> card;  // The first word is no card.
    int sum = 0, cards = 0;
    for (; words >> card; ++cards) {
        sum += static_cast<int>(RANKS.find(card[0]) + (card.ends_with(trump) ? RANKS.size() : 0));
    }
    return cards > 0 ? sum : 100;
}

// Returns one of the turn's legal moves. Change this function first.
std::string_view choose(std::string_view turn) {
    const auto observation = get(turn, "observation"), trump = text(get(observation, "trump"));
    const auto moves = parts(get(observation, "legal_moves"));
    const auto cheaper = [&](auto one, auto other) { return cost(text(one), trump) < cost(text(other), trump); };
    const bool durak = get(observation, "game") == "\"durak\"";
    return text(durak ? *std::min_element(moves.begin(), moves.end(), cheaper) : moves.at(0));
}

int main() {
    for (std::string turn; std::getline(std::cin, turn);) {
        std::cout << choose(turn) << std::endl;  // endl flushes.
    }
}
