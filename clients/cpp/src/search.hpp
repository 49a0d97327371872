#pragma once

#include <deque>

#include "http.hpp"

namespace kozyr {

/// How long a poll waits if the service allows that long.
constexpr Milliseconds LONGEST_WAIT{25'000};

/// Keeps a bot in the queue of the service while it has no match from there.
class Search {
public:
    /// Without a wish, nothing is looked for.
    explicit Search(const std::optional<types::JoinQueue>& wish) : wish_(wish) {}

    /// Lets `find` look again: a match has ended, or the bot has nothing to do.
    void look_again() { is_due_ = true; }

    /// Reads the entry of a bot that waits, or joins the queue if the bot has no match from there.
    /// Returns whether one of them was due. A stop does not abort the request: a bot that leaves must
    /// know whether it has joined. After a failure that a retry may mend, polls go on.
    bool find(const Service& service, Connection& connection, const std::deque<std::string>& finished);

    /// Returns how long a poll may wait: less while the queue fails, since its request follows an idle
    /// poll.
    Milliseconds longest_wait() const { return longest_wait_; }

    /// Leaves the queue if the bot may wait there. It may after a join whose response was lost.
    void leave(Connection& connection, Milliseconds patience) const;

private:
    /// Returns the next request, if one is due. A join is sent with the same key until it has a
    /// response.
    std::optional<Call> next(const std::deque<std::string>& finished);
    bool joins(const std::deque<std::string>& finished) const;
    bool is_over(const std::deque<std::string>& finished) const;
    bool waits() const { return entry_ && entry_->state == "waiting"; }

    const std::optional<types::JoinQueue>& wish_;
    std::optional<types::QueueEntry> entry_;  ///< The bot's place in the queue, as it was last read.
    std::string key_;                         ///< The Idempotency-Key of a join that has no response yet.
    bool is_due_ = true;
    Milliseconds longest_wait_ = LONGEST_WAIT;
};

}  // namespace kozyr
