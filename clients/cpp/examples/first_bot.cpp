// Plays at random. KOZYR_URL names the service, KOZYR_TOKEN the bot.
#include <algorithm>
#include <kozyr/client.hpp>
#include <random>
#include <string>

std::string choose(const kozyr::Turn& turn) {
    static thread_local std::mt19937 chance{std::random_device{}()};
    std::string move;
    std::sample(turn.legal_moves().begin(), turn.legal_moves().end(), &move, 1, chance);
    return move;
}

int main() {
    const auto stop = kozyr::stop_on_signals();
    kozyr::Client::from_environment().play(choose, {.stop = stop});
}
