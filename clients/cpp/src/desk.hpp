#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http.hpp"
#include "kozyr/client.hpp"

namespace kozyr {

enum class Phase {
    open,      ///< The turn waits for the bot.
    thinking,  ///< The bot thinks.
    ready,     ///< The move is chosen and has no result yet.
    made,      ///< The move was made.
    over,      ///< Nothing is to be sent any more.
};

/// The latest turn of a match and what became of it.
struct Entry {
    Turn turn;
    int arrival;
    Phase phase = Phase::open;
    std::string move{};
    bool fell_back = false;

    /// Returns the move to send.
    types::MatchMove wire() const;
};
using EntryPtr = std::shared_ptr<Entry>;

/// The turns that came and the moves that go: all that the loop knows, without input or output.
class Desk {
public:
    Desk(std::shared_ptr<Service> service, bool first_legal)
        : service_(std::move(service)), first_legal_(first_legal) {}
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;
    ~Desk();

    /// The cursor of the last response.
    std::optional<std::string> since{};
    /// How long to pause at least, if something has to be sent again.
    std::optional<Milliseconds> again{};

    bool has(Phase phase) const;
    /// Returns the entries of a phase, the most urgent first.
    std::vector<EntryPtr> in(Phase phase) const;
    /// Says whether somebody still waits for a move in this turn.
    bool is_open(const EntryPtr& entry) const;
    /// Takes the move that was chosen in an open turn.
    void choose(Entry& entry, std::string move);
    /// Takes the results of the moves that were sent. Returns the first illegal move.
    std::optional<IllegalMove> results(const std::vector<EntryPtr>& taken,
                                       const std::vector<types::MoveOutcome>& results);
    /// Takes the turns of a response. They arrive at one instant. The same turn may come more than once.
    void arrive(std::vector<types::Turn> turns);
    /// Takes the finished matches of a response. Returns those that ended since the first response.
    std::vector<types::FinishedMatch> finish(const std::vector<types::FinishedMatch>& listed);

private:
    void refused(Entry& entry, const types::Problem& problem);
    bool is_news(Entry& known, const types::Turn& turn);
    void send_again(Milliseconds least);
    /// Puts the first legal move in place of an illegal one, once, if the options say so.
    void replace(Entry& entry, const std::vector<std::string>& legal);
    void drop(const std::string& match);
    void warn_late(const Turn& turn) const;

    std::shared_ptr<Service> service_;
    bool first_legal_;
    std::map<std::string, EntryPtr> entries_;
    std::deque<std::string> finished_;
    bool polled_ = false;
    int arrivals_ = 0;
};

}  // namespace kozyr
