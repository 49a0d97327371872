// A bot for Kozyr. KOZYR_URL names the service, KOZYR_TOKEN the bot.
#include <cstdio>
#include <exception>
#include <kozyr/client.hpp>

#include "choose.hpp"

void report(const kozyr::types::FinishedMatch& match) {
    const auto place = match.places.at(static_cast<std::size_t>(match.seat));
    std::printf("match %s: place %d (%s)\n", match.match.c_str(), static_cast<int>(place), match.ending.c_str());
    std::fflush(stdout);
}

int main() {
    const auto stop = kozyr::stop_on_signals();  // Ctrl-C stops the bot after its last moves are sent.
    try {
        const auto client = kozyr::Client::from_environment();
        // With first_legal the bot plays on after a move that is not legal, and logs it.
        client.play(choose, {.on_finished = report, .first_legal = true, .stop = stop});
    } catch (const std::exception& why) {
        std::fprintf(stderr, "%s\n", why.what());
        return 1;
    }
}
