#include "search.hpp"

namespace kozyr {

void Search::find(Connection& connection, const std::deque<std::string>& finished) {
    while (const auto call = next(finished)) {
        entry_ = decode<types::QueueEntry>(*connection.once(*call));
        is_due_ = std::exchange(key_, "").empty() && joins(finished);
    }
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
    return !entry_ || entry_->state == "dropped" || entry_->state == "left" ||
           (entry_->match && contains(finished, *entry_->match));
}

}  // namespace kozyr
