/// A client for Kozyr, a league server for bots that play Russian card games with hidden hands.
///
/// `Client::play` waits for turns, calls a function for each, sends the moves and retries what was
/// lost. It plays all matches of the bot at once. A move is never lost and never made twice: the
/// client repeats a request with the same turn numbers, and the service answers a move that it has
/// made with its first result.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kozyr/types.hpp"

namespace kozyr {

using Milliseconds = std::chrono::milliseconds;

/// An open turn of your seat.
class Turn : public types::Turn {
public:
    Turn(types::Turn turn, std::chrono::steady_clock::time_point arrived);

    /// Every answer to the turn. Return one of them unchanged.
    const std::vector<std::string>& legal_moves() const { return observation.legal_moves; }

    /// The moves that do not answer the turn. After one, the bot is asked again.
    const std::vector<std::string>& free_moves() const { return observation.free_moves; }

    /// The time to the deadline by a monotonic clock; a hundred years without a deadline.
    Milliseconds time_left() const;

    /// Whether nobody waits for a move in this turn any more. A long search must end then.
    bool is_over() const { return *over_; }

private:
    friend class Play;
    friend struct Entry;
    bool is_late() const { return expires_ <= std::chrono::steady_clock::now(); }
    bool is_free(const std::string& move) const;
    std::string name() const;

    std::chrono::steady_clock::time_point expires_;
    std::shared_ptr<std::atomic<bool>> over_ = std::make_shared<std::atomic<bool>>(false);
};

/// Returns one of the turn's legal or free moves. It runs in threads of its own, for several matches
/// at a time.
using Chooser = std::function<std::string(const Turn&)>;

/// What a warning is about: `retry`, `late`, `near_deadline`, `illegal_move`, `not_open`,
/// `deprecated` or `service`. A later release may add values.
using Warn = std::function<void(std::string_view kind, const std::string& message)>;

struct PlayOptions {
    /// Stop after this many matches have ended; 0 is never. Earlier matches do not count.
    std::size_t matches = 0;
    /// Looks for opponents: the bot joins the queue whenever it has no match from there, and leaves it
    /// when `play` stops. Without it, the bot plays what comes.
    std::optional<types::JoinQueue> find{};
    /// Called with each match that ends.
    std::function<void(const types::FinishedMatch&)> on_finished{};
    /// Send the first legal move, with a warning, in place of a move that is not legal. Otherwise such
    /// a move ends `play` with an IllegalMove.
    bool first_legal = false;
    /// How long the service may be out of reach; nothing is for ever.
    std::optional<Milliseconds> patience{};
    /// How many turns the bot thinks about at a time.
    unsigned threads = std::thread::hardware_concurrency();
    /// Ends `play` after the moves that are chosen were sent.
    std::stop_token stop{};
    /// How long after a response ready moves wait for others, to travel in the same request.
    Milliseconds gather{50};
    /// How often the service is asked for news while the bot thinks.
    Milliseconds poll{250};
};

/// Why a call of the client failed.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The service refused a request, and a retry would not change that.
class Refused : public Error {
public:
    Refused(long status, std::optional<types::Problem> problem);
    /// Whether the service gave this code, such as `types::problem_code::token_invalid`.
    bool is(std::string_view code) const;
    /// The HTTP status.
    long status;
    /// The problem document, if the response had one.
    std::optional<types::Problem> problem;
};

/// No response came within the client's patience, or one that is not of the contract.
class Unreachable : public Error {
public:
    using Error::Error;
};

/// The bot chose a move that is not legal in its turn. The clock runs on.
class IllegalMove : public Error {
public:
    IllegalMove(const std::string& turn, std::string move, std::vector<std::string> legal_moves);
    std::string move;
    std::vector<std::string> legal_moves;
};

/// A connection to a service with the token of an owner, of a bot, or none. Safe for threads.
class Client {
public:
    /// Throws std::invalid_argument if the URL is not one of http.
    explicit Client(std::string url, std::string token = {});

    /// Returns a client of the service and token that KOZYR_URL and KOZYR_TOKEN name.
    static Client from_environment();

    /// Sends warnings to a function. By default they go to the standard error. Call it first.
    void on_warning(Warn warn);

    /// Sets how long calls other than `play` are retried, by default a minute. Call it first.
    void patience(Milliseconds patience) { patience_ = patience; }

    /// Plays all matches of the bot until `options.matches` have ended or `options.stop` stops. It then
    /// delivers the moves that are chosen, and returns when all calls of `choose` have. An exception of
    /// `choose` ends it.
    void play(const Chooser& choose, const PlayOptions& options = {}) const;

    /// Registers an owner. Its token is shown once.
    types::CreatedOwner register_owner(const types::NewOwner& owner) const;
    /// Creates a bot of the owner whose token this is. The bot's token is shown once.
    types::CreatedBot create_bot(const types::NewBot& bot) const;
    /// Creates a casual match.
    types::Match create_match(const types::NewMatch& match) const;
    /// Returns a match as this token may see it.
    types::Match match(const std::string& id) const;
    /// Gives up a match.
    void resign(const std::string& id) const;
    /// Returns the limits of the service.
    types::Limits limits() const;
    /// Sends any request with a JSON body, unless it is null, and again if its response is lost.
    nlohmann::json request(const std::string& method, const std::string& path,
                           const nlohmann::json& body = nullptr, const std::string& idempotency_key = {}) const;

private:
    std::shared_ptr<struct Service> service_;
    Milliseconds patience_ = std::chrono::minutes(1);
};

/// Returns a token that Ctrl-C and SIGTERM stop. Call it first in `main`, before there are threads.
std::stop_token stop_on_signals();

}  // namespace kozyr
