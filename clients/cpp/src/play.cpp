#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "desk.hpp"
#include "http.hpp"

namespace kozyr {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// How long a poll waits if the service allows that long.
constexpr Milliseconds LONGEST_WAIT = 25s;
constexpr std::int64_t MOST_MOVES = 256;
/// How long `play` tries to deliver the last moves when it stops.
constexpr Milliseconds ENDING_PATIENCE = 5s;

/// What `choose` returned or threw.
struct Choice {
    EntryPtr entry;
    std::string move;
    std::exception_ptr failure;
};

/// Threads that think. They are joined at the end, so that nothing of the bot outlives `play`.
class Thinkers {
public:
    Thinkers(const Chooser& choose, unsigned threads) : choose_(choose) {
        for (unsigned i = 0; i < threads; ++i) {
            threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
        }
    }

    bool has_idle() const { return busy_ < threads_.size(); }
    bool is_busy() const { return busy_ > 0; }

    void start(EntryPtr entry) {
        const std::scoped_lock lock(mutex_);
        ++busy_;
        turns_.push_back(std::move(entry));
        changed_.notify_all();
    }

    /// Returns the next choice, or nothing after a stop or at an instant.
    std::optional<Choice> next(const std::stop_token& stop, steady_clock::time_point until) {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_until(lock, stop, until, [this] { return !choices_.empty(); })) {
            return std::nullopt;
        }
        Choice choice = std::move(choices_.front());
        choices_.pop_front();
        --busy_;
        return choice;
    }

private:
    void run(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (changed_.wait(lock, stop, [this] { return !turns_.empty(); })) {
            Choice choice{std::move(turns_.front()), {}, {}};
            turns_.pop_front();
            lock.unlock();
            try {
                choice.move = choose_(choice.entry->turn);
            } catch (...) {
                choice.failure = std::current_exception();
            }
            lock.lock();
            choices_.push_back(std::move(choice));
            changed_.notify_all();
        }
    }

    const Chooser& choose_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<EntryPtr> turns_;
    std::deque<Choice> choices_;
    /// How many turns were started whose choice was not taken yet.
    std::size_t busy_ = 0;
    std::vector<std::jthread> threads_;
};

class Play {
public:
    Play(std::shared_ptr<Service> service, const Chooser& choose, const PlayOptions& options)
        : service_(service),
          options_(options),
          connection_(service),
          thinkers_(choose, std::max(1u, options.threads)),
          desk_(service, options.first_legal) {}

    void run() {
        const auto answer =
            connection_.send({.method = "GET", .path = "/v1/limits", .patience = options_.patience}, options_.stop);
        if (!answer) {
            return;
        }
        const auto limits = decode<types::Limits>(*answer);
        const auto allowed = std::chrono::duration_cast<Milliseconds>(Seconds(limits.max_wait_s));
        const auto wait = std::min(LONGEST_WAIT, allowed);
        const auto most = static_cast<std::size_t>(std::min(MOST_MOVES, limits.max_moves));
        std::optional<Backoff> pauses;
        while (true) {
            think();
            if (!ending_ && is_goal_reached()) {
                ending_ = true;
                pauses.reset();
            }
            if (ending_ && !desk_.has(Phase::ready)) {
                return;
            }
            desk_.again.reset();
            exchange(most, wait);
            if (!desk_.again) {
                pauses.reset();
                continue;
            }
            if (!pauses) {
                pauses.emplace(patience());
            }
            const auto pause = pauses->next(*desk_.again);
            if (!pause) {
                throw Unreachable("the service did not take all moves");
            }
            sleep(*pause, stop());  // An interruption is noticed at the top of the loop.
        }
    }

private:
    bool is_goal_reached() const {
        return options_.stop.stop_requested() || (options_.matches > 0 && ended_ >= options_.matches);
    }

    std::optional<Milliseconds> patience() const { return ending_ ? ENDING_PATIENCE : options_.patience; }

    /// Ends a wait. The last moves are delivered after a stop, so nothing stops them.
    std::stop_token stop() const { return ending_ ? std::stop_token() : options_.stop; }

    /// Starts the thinking about open turns, until moves are due or news may have come.
    void think() {
        auto until = steady_clock::now() + options_.poll;
        bool is_due = false;
        while (!is_goal_reached()) {
            for (auto& entry : desk_.in(Phase::open)) {
                if (!thinkers_.has_idle()) {
                    break;
                }
                entry->phase = Phase::thinking;
                thinkers_.start(std::move(entry));
            }
            if (!is_due && desk_.has(Phase::ready)) {
                is_due = true;
                until = std::min(until, steady_clock::now() + options_.gather);
            }
            if (!thinkers_.is_busy()) {
                return;
            }
            auto choice = thinkers_.next(options_.stop, until);
            if (!choice) {
                return;
            }
            if (desk_.is_open(choice->entry)) {
                if (choice->failure) {
                    std::rethrow_exception(choice->failure);
                }
                desk_.choose(*choice->entry, std::move(choice->move));
            }
        }
    }

    /// Sends what is ready, waits for news if nothing else is to be done, and takes the response. A
    /// stop abandons the request, since the service may hold it for a long time. Its moves are sent
    /// once more, with no wait: a move that was made gets its first result.
    void exchange(std::size_t most, Milliseconds wait) {
        auto taken = desk_.in(Phase::ready);
        if (ending_ || taken.size() > most || desk_.has(Phase::open) || desk_.has(Phase::thinking)) {
            wait = 0ms;
        }
        taken.resize(std::min(most, taken.size()));
        std::vector<types::MatchMove> moves;
        for (const auto& entry : taken) {
            moves.push_back(entry->wire());
        }
        const types::MoveBatch batch{.moves = moves, .wait = Seconds(wait).count(), .since = desk_.since};
        const Call call{.method = "POST", .path = "/v1/turns", .body = batch, .wait = wait, .patience = patience()};
        try {
            if (const auto answer = connection_.send(call, stop())) {
                read(decode<types::MoveResults>(*answer), taken);
            }
        } catch (const Refused& why) {
            if (!desk_.since || !why.problem || why.problem->code != types::problem_code::bad_cursor) {
                throw;
            }
            desk_.since.reset();
        }
    }

    void read(types::MoveResults answer, const std::vector<EntryPtr>& taken) {
        desk_.since = std::move(answer.since);
        const auto illegal = desk_.results(taken, answer.results);
        desk_.arrive(std::move(answer.turns));
        for (const auto& ended : desk_.finish(answer.finished)) {
            ++ended_;
            if (options_.on_finished) {
                options_.on_finished(ended);
            }
        }
        if (std::exchange(state_, answer.service) != answer.service) {
            service_->warn("service", "the service is " + state_);
        }
        if (illegal) {
            throw *illegal;
        }
    }

    std::shared_ptr<Service> service_;
    const PlayOptions& options_;
    Connection connection_;
    std::size_t ended_ = 0;
    /// The goal is reached: only moves that are chosen are still sent.
    bool ending_ = false;
    types::ServiceState state_{types::service_state::running};
    Thinkers thinkers_;
    Desk desk_;  // Destroyed first: it tells the threads that their turns are over.
};

}  // namespace

void Client::play(const Chooser& choose, const PlayOptions& options) const { Play(service_, choose, options).run(); }

}  // namespace kozyr
