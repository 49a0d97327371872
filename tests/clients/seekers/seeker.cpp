// Looks for opponents at Durak, plays two matches, and ends.
#include <kozyr/client.hpp>
#include <string>

std::string choose(const kozyr::Turn& turn) {
    const auto& moves = turn.legal_moves();
    return moves[static_cast<std::size_t>(turn.turn) % moves.size()];
}

int main() {
    const kozyr::types::JoinQueue durak{.game = "durak"};
    kozyr::Client::from_environment().play(choose, {.matches = 2, .find = durak});
}
