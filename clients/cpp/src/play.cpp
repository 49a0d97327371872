#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>

#include "search.hpp"

namespace kozyr {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::int64_t MOST_MOVES = 256;
/// How long `play` tries to deliver the last moves when it stops.
constexpr Milliseconds ENDING_PATIENCE = 5s;
/// A move that is ready with less time left than this is worth a warning.
constexpr Milliseconds NEAR_DEADLINE = 500ms;
/// How many finished matches are remembered, so that none is reported twice.
constexpr std::size_t REMEMBERED = 2000;

/// An open turn waits for the bot; a ready one has a move without a result.
enum class Phase { open, thinking, ready, made };

/// The latest turn of a match and what became of it.
struct Entry {
    Turn turn;
    Phase phase = Phase::open;
    std::string move{};

    /// Returns the move to send.
    types::MatchMove wire() const {
        if (turn.is_free(move)) {
            return {.move = move, .match = turn.match, .deal = turn.deal};
        }
        return {.turn = turn.turn, .move = move, .match = turn.match};
    }
};
using EntryPtr = std::shared_ptr<Entry>;

class Play {
public:
    Play(std::shared_ptr<Service> service, const Chooser& choose, const PlayOptions& options)
        : service_(service), choose_(choose), options_(options), connection_(service) {
        for (unsigned i = 0; i < std::max(1u, options.threads); ++i) {
            threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
        }
    }
    ~Play() {
        for (const auto& entry : entries_) {
            *entry->turn.over_ = true;
        }
    }

    void run() {
        while (true) {
            think();
            if (ending_ && in(Phase::ready).empty()) {
                return search_.leave(connection_, ENDING_PATIENCE);
            }
            try {
                exchange();
                backoff_ = Backoff(patience_);
            } catch (const Lost& lost) {
                resume_ = backoff_.next(*service_, lost);
            } catch (const Refused& why) {
                if (!since_ || !why.is(types::problem_code::bad_cursor)) {
                    throw;
                }
                since_.reset();
            }
        }
    }

private:
    /// Ends a wait. The last moves are delivered after a stop, so nothing stops them.
    std::stop_token stop() const { return ending_ ? std::stop_token() : options_.stop; }

    /// Lets the bot think about open turns, until moves are due or news may have come.
    void think() {
        const auto began = steady_clock::now();
        while (true) {
            const bool is_goal_reached = options_.matches > 0 && ended_ >= options_.matches;
            if (!ending_ && (is_goal_reached || options_.stop.stop_requested())) {
                ending_ = true;
                resume_ = began;
                patience_ = ENDING_PATIENCE;
                backoff_ = Backoff(patience_);
            }
            for (const auto& entry : in(Phase::open)) {
                if (!ending_ && thinking_ < threads_.size()) {
                    start(entry);
                }
            }
            const bool is_idle = ending_ || thinking_ == 0;
            const auto pace = is_idle ? 0ms : in(Phase::ready).empty() ? options_.poll : options_.gather;
            if (const auto event = next(std::max<steady_clock::time_point>(began + pace, resume_))) {
                event();
            } else if (!stop().stop_requested()) {
                return;
            }
        }
    }

    void start(const EntryPtr& entry) {
        entry->phase = Phase::thinking;
        ++thinking_;
        const std::scoped_lock lock(mutex_);
        turns_.push_back(entry);
        changed_.notify_all();
    }

    /// Calls `choose` in one of the threads, for one turn after another.
    void work(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (changed_.wait(lock, stop, [this] { return !turns_.empty(); })) {
            const auto entry = std::move(turns_.front());
            turns_.pop_front();
            lock.unlock();
            std::packaged_task<std::string()> task([&] { return choose_(entry->turn); });
            task();
            lock.lock();
            events_.push_back([this, entry, move = task.get_future().share()] { take(entry, move); });
            changed_.notify_all();
        }
    }

    /// Returns what a thread left for the loop to do, or nothing after a stop or at an instant.
    std::function<void()> next(steady_clock::time_point until) {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_until(lock, stop(), until, [this] { return !events_.empty(); })) {
            return {};
        }
        const auto event = std::move(events_.front());
        events_.pop_front();
        return event;
    }

    /// Takes a move that was chosen, unless nobody waits for it any more.
    void take(const EntryPtr& entry, const std::shared_future<std::string>& move) {
        --thinking_;
        const auto& turn = entry->turn;
        if (*turn.over_) {
            return;
        }
        entry->move = move.get();
        entry->phase = Phase::ready;
        const auto left = turn.time_left();
        if (!turn.is_late() && left < NEAR_DEADLINE) {
            service_->warn("near_deadline",
                           turn.name() + ": " + std::to_string(left.count()) + " ms before its deadline");
        }
        if (!contains(turn.legal_moves(), entry->move) && !turn.is_free(entry->move)) {
            replace(*entry, turn.legal_moves());
        }
    }

    /// Puts the first legal move in place of an illegal one, if the options say so.
    void replace(Entry& entry, const std::vector<std::string>& legal) {
        const IllegalMove illegal(entry.turn.name(), entry.move, legal);
        if (!options_.first_legal || legal.empty() || legal.front() == entry.move) {
            throw illegal;
        }
        service_->warn("illegal_move", std::string(illegal.what()) + "; the first is sent instead");
        entry.move = legal.front();
    }

    /// Sends what is ready, waits for news if nothing else is to be done, and takes the response. A
    /// stop aborts the request, since the service may hold it for a long time. Its moves are sent
    /// once more, with no wait: a move that was made gets its first result.
    void exchange() {
        if (!limits_) {
            if (const auto answer = connection_.once({.method = "GET", .path = "/v1/limits"}, stop())) {
                limits_ = decode<types::Limits>(*answer);
            }
            return;
        }
        if (!ending_ && search_.find(*service_, connection_, finished_)) {
            return;
        }
        auto taken = in(Phase::ready);
        const auto most = static_cast<std::size_t>(std::min(MOST_MOVES, limits_->max_moves));
        const bool is_busy = taken.size() > most || taken.size() + in(Phase::made).size() < entries_.size();
        const auto longest = std::min<Seconds>(search_.longest_wait(), Seconds(limits_->max_wait_s));
        const auto wait = ending_ || is_busy ? 0ms : std::chrono::floor<Milliseconds>(longest);
        taken.resize(std::min(most, taken.size()));
        std::vector<types::MatchMove> moves;
        std::ranges::transform(taken, std::back_inserter(moves), &Entry::wire);
        const types::MoveBatch batch{.moves = moves, .wait = Seconds(wait).count(), .since = since_};
        const Call call{.method = "POST", .path = "/v1/turns", .body = batch, .wait = wait};
        if (const auto answer = connection_.once(call, stop())) {
            read(decode<types::MoveResults>(*answer), taken);
        }
    }

    void read(types::MoveResults answer, const std::vector<EntryPtr>& taken) {
        since_ = std::move(answer.since);
        const auto illegal = results(taken, answer.results);
        const auto now = steady_clock::now();
        for (auto& turn : answer.turns) {
            arrive(Turn(std::move(turn), now));
        }
        // Turns with the same deadline stay in the order of their arrival.
        std::ranges::stable_sort(entries_, {}, [](const auto& entry) { return entry->turn.expires_; });
        for (const auto& ended : answer.finished) {
            if (contains(finished_, ended.match)) {
                continue;
            }
            drop(ended.match);
            finished_.push_back(ended.match);
            search_.look_again();
            ended_ += polled_ ? 1 : 0;
            if (polled_ && options_.on_finished) {
                options_.on_finished(ended);
            }
        }
        if (taken.empty() && in(Phase::made).size() == entries_.size()) {
            search_.look_again();
        }
        while (finished_.size() > REMEMBERED) {
            finished_.pop_front();
        }
        polled_ = true;  // The first response lists earlier matches.
        if (std::exchange(state_, answer.service) != answer.service) {
            service_->warn("service", "the service is " + state_);
        }
        if (illegal) {
            throw *illegal;
        }
        if (again_) {
            throw Lost(Unreachable("the service did not take all moves"), *again_);
        }
    }

    /// Takes the results of the moves that were sent. Returns the error of the first illegal one.
    std::optional<IllegalMove> results(const std::vector<EntryPtr>& taken,
                                       const std::vector<types::MoveOutcome>& results) {
        std::optional<IllegalMove> illegal;
        again_ = results.size() < taken.size() ? std::optional(0ms) : std::nullopt;
        for (std::size_t i = 0; i < std::min(taken.size(), results.size()); ++i) {
            const auto& problem = results[i].problem;
            if (!problem) {
                taken[i]->phase = Phase::made;
            } else if (problem->code == types::problem_code::illegal_move ||
                       problem->code == types::problem_code::not_a_move) {
                try {
                    replace(*taken[i], problem->legal_moves.value_or(std::vector<std::string>()));
                } catch (const IllegalMove& why) {
                    illegal = illegal ? illegal : why;
                }
            } else {
                again_ = std::max(again_, std::optional(Milliseconds(problem->retry_ms.value_or(0))));
                if (!problem->retryable) {
                    since_.reset();  // The next response has every open turn.
                    drop(taken[i]->turn.match, problem);
                }
            }
        }
        return illegal;
    }

    /// Takes a turn of a response. The same turn may come more than once.
    void arrive(Turn turn) {
        const auto known = find(turn.match);
        if (known && known->turn.turn == turn.turn && known->phase == Phase::made) {
            again_ = std::max(again_, std::optional(0ms));
            if (contains(turn.legal_moves(), known->move)) {
                known->phase = Phase::ready;  // The service lost the move, or sent the turn twice.
                return;
            }
        } else if (known && known->turn.turn >= turn.turn) {
            return;
        }
        drop(turn.match);
        entries_.push_back(std::make_shared<Entry>(std::move(turn)));
    }

    /// Forgets the turn of a match, with a warning if it was late or the service refused its move.
    void drop(const std::string& match, const std::optional<types::Problem>& refusal = {}) {
        const auto entry = find(match);
        if (!entry) {
            return;
        }
        *entry->turn.over_ = true;
        std::erase(entries_, entry);
        if (entry->phase != Phase::made && entry->turn.is_late()) {
            service_->warn("late", entry->turn.name() + " was late; the service plays a safe move and counts a strike");
        } else if (refusal) {
            service_->warn("not_open", entry->turn.name() + " is not open: " + refusal->detail);
        }
    }

    /// Returns the entries of a phase, the most urgent first.
    std::vector<EntryPtr> in(Phase phase) const {
        std::vector<EntryPtr> found;
        std::ranges::copy_if(entries_, std::back_inserter(found), [&](auto& entry) { return entry->phase == phase; });
        return found;
    }

    EntryPtr find(const std::string& match) const {
        const auto found = std::ranges::find(entries_, match, [](const auto& entry) { return entry->turn.match; });
        return found == entries_.end() ? nullptr : *found;
    }

    std::shared_ptr<Service> service_;
    const Chooser& choose_;
    const PlayOptions& options_;
    Connection connection_;
    Search search_{options_.find};
    std::optional<types::Limits> limits_;
    std::vector<EntryPtr> entries_;  ///< The most urgent turn is the first.
    std::size_t thinking_ = 0;
    std::optional<std::string> since_;   ///< The cursor of the last response.
    std::optional<Milliseconds> again_;  ///< How long to pause at least, if the service did not take all moves.
    std::optional<Milliseconds> patience_ = options_.patience;
    Backoff backoff_{patience_};
    steady_clock::time_point resume_ = steady_clock::now();  ///< When the next request may be sent.
    std::deque<std::string> finished_;
    bool polled_ = false;
    std::size_t ended_ = 0;
    bool ending_ = false;  ///< The goal is reached: only moves that are chosen are still sent.
    types::ServiceState state_{types::service_state::running};
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<EntryPtr> turns_;  ///< For the bot to think about.
    std::deque<std::function<void()>> events_;
    std::vector<std::jthread> threads_;  ///< Joined first, so that nothing of the bot outlives `play`.
};

void Client::play(const Chooser& choose, const PlayOptions& options) const { Play(service_, choose, options).run(); }

}  // namespace kozyr
