#include "choose.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

constexpr std::string_view RANKS = "6789TJQKA";

std::string choose(const kozyr::Turn& turn) {
    const auto& moves = turn.legal_moves();
    if (turn.observation.game != kozyr::types::game_id::durak) {
        return moves.front();
    }
    const auto durak = turn.observation.decode<kozyr::types::DurakObservation>();
    return *std::ranges::min_element(moves, {}, [&](const auto& move) { return cost(move, durak.trump); });
}

int cost(const std::string& move, const std::string& trump) {
    std::istringstream words(move);
    std::string word;
    words >> word;
    int sum = 0;
    bool has_cards = false;
    while (words >> word) {
        has_cards = true;
        sum += static_cast<int>(RANKS.find(word[0])) + (word.ends_with(trump) ? static_cast<int>(RANKS.size()) : 0);
    }
    return has_cards ? sum : 100;
}
