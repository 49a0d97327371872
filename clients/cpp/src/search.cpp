#include "search.hpp"

namespace kozyr {

bool Search::find(const Service& service, Connection& connection, const std::deque<std::string>& finished) {
    const auto call = next(finished);
    if (!call) {
        return false;
    }
    try {
        entry_ = decode<types::QueueEntry>(*connection.once(*call));
    } catch (const Lost& lost) {
        is_due_ = false;
        longest_wait_ = std::clamp<Milliseconds>(std::chrono::ceil<std::chrono::seconds>(lost.after),
                                                 std::chrono::seconds(1), LONGEST_WAIT);
        service.warn("retry", lost.message + "; retry after the next idle poll");
        return true;
    } catch (const Refused& why) {
        if (!why.is(types::problem_code::not_queued)) {
            throw;
        }
        entry_.reset();
    }
    longest_wait_ = LONGEST_WAIT;
    // A join that left the bot outside is not repeated at once.
    const bool joined = !std::exchange(key_, "").empty();
    is_due_ = is_over(finished) || (!joined && joins(finished));
    return true;
}

void Search::leave(Connection& connection, Milliseconds patience) const {
    if (key_.empty() && !waits()) {
        return;
    }
    try {
        connection.send({.method = "DELETE", .path = "/v1/queue"}, patience);
    } catch (const Refused& why) {
        if (!why.is(types::problem_code::not_queued)) {
            throw;
        }
    }
}

std::optional<Call> Search::next(const std::deque<std::string>& finished) {
    if (!wish_ || !is_due_) {
        return std::nullopt;
    }
    if (joins(finished)) {
        key_ = key_.empty() ? new_key() : key_;
        return Call{.method = "POST", .path = "/v1/queue", .body = *wish_, .key = key_};
    }
    return waits() ? std::optional(Call{.method = "GET", .path = "/v1/queue"}) : std::nullopt;
}

bool Search::joins(const std::deque<std::string>& finished) const {
    return !entry_ || entry_->state == "dropped" || entry_->state == "left" || is_over(finished);
}

bool Search::is_over(const std::deque<std::string>& finished) const {
    return entry_ && entry_->match && contains(finished, *entry_->match);
}

}  // namespace kozyr
