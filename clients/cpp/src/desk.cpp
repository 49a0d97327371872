#include "desk.hpp"

#include <algorithm>
#include <tuple>

namespace kozyr {
namespace {

using namespace std::chrono_literals;

/// A move that is ready with less time left than this is worth a warning.
constexpr Milliseconds NEAR_DEADLINE = 500ms;
/// How many finished matches are remembered, so that none is reported twice.
constexpr std::size_t REMEMBERED = 2000;

bool contains(const auto& items, const std::string& item) { return std::ranges::find(items, item) != items.end(); }

}  // namespace

types::MatchMove Entry::wire() const {
    types::MatchMove wire;
    wire.match = turn.match;
    wire.move = move;
    if (turn.is_free(move)) {
        wire.deal = turn.deal;
    } else {
        wire.turn = turn.turn;
    }
    return wire;
}

Desk::~Desk() {
    for (const auto& [match, entry] : entries_) {
        *entry->turn.over_ = true;
    }
}

bool Desk::has(Phase phase) const {
    return std::ranges::any_of(entries_, [phase](const auto& item) { return item.second->phase == phase; });
}

std::vector<EntryPtr> Desk::in(Phase phase) const {
    std::vector<EntryPtr> found;
    for (const auto& [match, entry] : entries_) {
        if (entry->phase == phase) {
            found.push_back(entry);
        }
    }
    std::ranges::sort(found, {}, [](const auto& entry) { return std::tuple(entry->turn.expires_, entry->arrival); });
    return found;
}

bool Desk::is_open(const EntryPtr& entry) const {
    const auto found = entries_.find(entry->turn.match);
    return found != entries_.end() && found->second == entry && entry->phase == Phase::thinking;
}

void Desk::choose(Entry& entry, std::string move) {
    const auto& turn = entry.turn;
    const auto left = turn.time_left();
    if (!turn.is_late() && left < NEAR_DEADLINE) {
        service_->warn("near_deadline", turn.name() + ": " + std::to_string(left.count()) + " ms before its deadline");
    }
    entry.move = std::move(move);
    entry.phase = Phase::ready;
    if (!contains(turn.legal_moves(), entry.move) && !turn.is_free(entry.move)) {
        replace(entry, turn.legal_moves());
    }
}

std::optional<IllegalMove> Desk::results(const std::vector<EntryPtr>& taken,
                                         const std::vector<types::MoveOutcome>& results) {
    std::optional<IllegalMove> illegal;
    for (std::size_t i = 0; i < taken.size(); ++i) {
        Entry& entry = *taken[i];
        if (i >= results.size()) {
            send_again(0ms);
        } else if (!results[i].problem) {
            entry.phase = entry.turn.is_free(entry.move) ? Phase::over : Phase::made;
        } else {
            try {
                refused(entry, *results[i].problem);
            } catch (const IllegalMove& why) {
                illegal = illegal ? illegal : why;
            }
        }
    }
    return illegal;
}

void Desk::refused(Entry& entry, const types::Problem& problem) {
    if (problem.retryable) {
        send_again(Milliseconds(problem.retry_ms.value_or(0)));
    } else if (problem.code == types::problem_code::illegal_move || problem.code == types::problem_code::not_a_move) {
        replace(entry, problem.legal_moves.value_or(std::vector<std::string>()));
    } else {
        entry.phase = Phase::over;
        since.reset();
        if (entry.turn.is_late()) {
            warn_late(entry.turn);
        } else {
            service_->warn("not_open", entry.turn.name() + " is not open: " + problem.detail);
        }
    }
}

void Desk::arrive(std::vector<types::Turn> turns) {
    const auto now = std::chrono::steady_clock::now();
    for (auto& turn : turns) {
        const auto known = entries_.find(turn.match);
        if (known == entries_.end() || is_news(*known->second, turn)) {
            drop(turn.match);
            const auto match = turn.match;
            entries_[match] = std::make_shared<Entry>(Entry{Turn(std::move(turn), now), arrivals_++});
        }
    }
}

bool Desk::is_news(Entry& known, const types::Turn& turn) {
    if (known.turn.turn != turn.turn) {
        return known.turn.turn < turn.turn;
    }
    if (known.phase < Phase::made) {
        return false;
    }
    send_again(0ms);
    if (known.phase == Phase::made && contains(turn.observation.legal_moves, known.move)) {
        known.phase = Phase::ready;  // The service lost the move, or sent the turn twice.
        return false;
    }
    return true;
}

std::vector<types::FinishedMatch> Desk::finish(const std::vector<types::FinishedMatch>& listed) {
    std::vector<types::FinishedMatch> news;
    for (const auto& ended : listed) {
        if (!contains(finished_, ended.match)) {
            drop(ended.match);
            finished_.push_back(ended.match);
            news.push_back(ended);
        }
    }
    while (finished_.size() > REMEMBERED) {
        finished_.pop_front();
    }
    if (!std::exchange(polled_, true)) {
        news.clear();
    }
    return news;
}

void Desk::send_again(Milliseconds least) { again = std::max(again.value_or(0ms), least); }

void Desk::replace(Entry& entry, const std::vector<std::string>& legal) {
    const IllegalMove illegal(entry.turn.name(), entry.move, legal);
    if (!first_legal_ || entry.fell_back || legal.empty()) {
        throw illegal;
    }
    service_->warn("illegal_move", std::string(illegal.what()) + "; the first is sent instead");
    entry.move = legal.front();
    entry.phase = Phase::ready;
    entry.fell_back = true;
}

void Desk::drop(const std::string& match) {
    const auto found = entries_.find(match);
    if (found == entries_.end()) {
        return;
    }
    const Entry& entry = *found->second;
    *entry.turn.over_ = true;
    if (entry.phase < Phase::made && entry.turn.is_late()) {
        warn_late(entry.turn);
    }
    entries_.erase(found);
}

void Desk::warn_late(const Turn& turn) const {
    service_->warn("late", turn.name() + " was late; the service plays a safe move and counts a strike");
}

}  // namespace kozyr
