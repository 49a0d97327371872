// Generated from openapi.yaml by tools/client_types.py. DO NOT EDIT.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kozyr/json.hpp"

/// The types of the contract. A later release may add fields, and values of strings.
namespace kozyr::types {

/// The schema MatchPolicy of the API.
struct MatchPolicy {
    /// The games it plays; null: all
    std::optional<std::vector<std::string>> games{};
    /// Matches at the same time, at most
    std::int64_t max_matches{};
    /// The shortest `move_ms`
    std::int64_t min_move_ms{};
    /// The smallest `bank_ms`
    std::int64_t min_bank_ms{};
    /// The kinds of match it plays; null: all
    std::optional<std::vector<std::string>> kinds{};
    /// The only owners, besides its own, that it plays with; null: all
    std::optional<std::vector<std::string>> owners{};
    /// Owners that it does not play with
    std::vector<std::string> excluded_owners{};
};
inline void from_json(const nlohmann::json& from, MatchPolicy& to) {
    detail::decode_field(from, "games", to.games);
    detail::decode_field(from, "max_matches", to.max_matches);
    detail::decode_field(from, "min_move_ms", to.min_move_ms);
    detail::decode_field(from, "min_bank_ms", to.min_bank_ms);
    detail::decode_field(from, "kinds", to.kinds);
    detail::decode_field(from, "owners", to.owners);
    detail::decode_field(from, "excluded_owners", to.excluded_owners);
}

/// The schema Bot of the API.
struct Bot {
    /// The bot's id, which never changes
    std::string id{};
    /// `owner/bot`
    std::string bot{};
    /// The owner's name
    std::string owner{};
    /// The bot's name
    std::string name{};
    /// The version, set by the owner
    std::string version{};
    /// The owner's description
    std::string description{};
    /// When it was created
    Timestamp created{};
    MatchPolicy match_policy{};
    /// Whether it is disabled: its tokens don't work and it gets no new matches
    bool disabled{};
    /// Why an admin disabled it; null if no admin did
    std::optional<std::string> disabled_reason{};
    /// Whether it is a house bot
    bool house{};
    /// Whether it asked for its turns or moved within 30 s, or is waiting in a poll. Arenas seat
    /// only online bots. Shown only to the bot and its owner
    std::optional<bool> online{};
};
inline void from_json(const nlohmann::json& from, Bot& to) {
    detail::decode_field(from, "id", to.id);
    detail::decode_field(from, "bot", to.bot);
    detail::decode_field(from, "owner", to.owner);
    detail::decode_field(from, "name", to.name);
    detail::decode_field(from, "version", to.version);
    detail::decode_field(from, "description", to.description);
    detail::decode_field(from, "created", to.created);
    detail::decode_field(from, "match_policy", to.match_policy);
    detail::decode_field(from, "disabled", to.disabled);
    detail::decode_field(from, "disabled_reason", to.disabled_reason);
    detail::decode_field(from, "house", to.house);
    detail::decode_field(from, "online", to.online);
}

/// The clock of a match. Omitted fields have their defaults.
struct Clock {
    /// Time for each decision. Default: `5000`
    std::optional<std::int64_t> move_ms{};
    /// Additional time for the whole match. Default: `30000`
    std::optional<std::int64_t> bank_ms{};
    /// Added to the bank by each decision made. Default: `0`
    std::optional<std::int64_t> increment_ms{};
    /// Network allowance for each move; never charged. Default: `250`
    std::optional<std::int64_t> grace_ms{};
    /// The number of timeouts that forfeit the seat. Default: `3`
    std::optional<std::int64_t> strikes{};
};
inline void from_json(const nlohmann::json& from, Clock& to) {
    detail::decode_field(from, "move_ms", to.move_ms);
    detail::decode_field(from, "bank_ms", to.bank_ms);
    detail::decode_field(from, "increment_ms", to.increment_ms);
    detail::decode_field(from, "grace_ms", to.grace_ms);
    detail::decode_field(from, "strikes", to.strikes);
}
inline void to_json(nlohmann::json& to, const Clock& from) {
    detail::encode_field(to, "move_ms", from.move_ms);
    detail::encode_field(to, "bank_ms", from.bank_ms);
    detail::encode_field(to, "increment_ms", from.increment_ms);
    detail::encode_field(to, "grace_ms", from.grace_ms);
    detail::encode_field(to, "strikes", from.strikes);
}

/// All values are in milliseconds, except `strikes`.
struct ClockRule {
    /// Time for each decision
    std::int64_t move_ms{};
    /// Additional time for the whole match
    std::int64_t bank_ms{};
    /// Added to the bank by each decision made
    std::int64_t increment_ms{};
    /// Network allowance for each move; never charged
    std::int64_t grace_ms{};
    /// The number of timeouts that forfeit the seat
    std::int64_t strikes{};
};
inline void from_json(const nlohmann::json& from, ClockRule& to) {
    detail::decode_field(from, "move_ms", to.move_ms);
    detail::decode_field(from, "bank_ms", to.bank_ms);
    detail::decode_field(from, "increment_ms", to.increment_ms);
    detail::decode_field(from, "grace_ms", to.grace_ms);
    detail::decode_field(from, "strikes", to.strikes);
}

/// The schema CreatedBot of the API.
struct CreatedBot {
    Bot bot{};
    /// The token, sent as `Authorization: Bearer …`. Shown only once
    std::string token{};
};
inline void from_json(const nlohmann::json& from, CreatedBot& to) {
    detail::decode_field(from, "bot", to.bot);
    detail::decode_field(from, "token", to.token);
}

/// The schema Owner of the API.
struct Owner {
    /// The owner's id
    std::string id{};
    /// The owner's name
    std::string name{};
    /// When it was created
    Timestamp created{};
    /// Whether it is disabled: its tokens don't work
    bool disabled{};
    /// Why it is disabled
    std::string reason{};
};
inline void from_json(const nlohmann::json& from, Owner& to) {
    detail::decode_field(from, "id", to.id);
    detail::decode_field(from, "name", to.name);
    detail::decode_field(from, "created", to.created);
    detail::decode_field(from, "disabled", to.disabled);
    detail::decode_field(from, "reason", to.reason);
}

/// The schema CreatedOwner of the API.
struct CreatedOwner {
    Owner owner{};
    /// The token, sent as `Authorization: Bearer …`. Shown only once
    std::string token{};
};
inline void from_json(const nlohmann::json& from, CreatedOwner& to) {
    detail::decode_field(from, "owner", to.owner);
    detail::decode_field(from, "token", to.token);
}

/// What one seat, or a spectator, sees of a deal of Durak.
struct DurakObservation {
    std::string game{};
    /// This deal's number in the match, from 1
    std::int64_t deal{};
    /// The number of deals in the match
    std::int64_t deals{};
    /// The dealer of this deal
    std::int64_t dealer{};
    /// Points of the finished deals, by seat
    std::vector<std::int64_t> scores{};
    /// The seat that sees this; null for a spectator
    std::optional<std::int64_t> seat{};
    /// The seat to move; null when the deal is over
    std::optional<std::int64_t> to_move{};
    /// What is asked: attack (open the bout), throw (throw in or pass, the attack goes on),
    /// defend (beat or take), give (throw in or pass, the defender takes), exchange (the 6 of
    /// trumps after the last draw, or pass); null when the deal is over
    std::optional<std::string> question{};
    /// Your cards, by rank, then by suit; empty for a spectator
    std::vector<std::string> hand{};
    /// The number of cards in each hand, by seat
    std::vector<std::int64_t> hand_sizes{};
    /// The trump suit: C, D, H or S
    std::string trump{};
    /// The upturned card that lies under the talon; null when there is no talon
    std::optional<std::string> trump_card{};
    /// Cards left to draw, including the upturned one
    std::int64_t talon{};
    /// Cards in the discard heap
    std::int64_t discard{};
    /// The principal attacker of this bout; null when the deal is over
    std::optional<std::int64_t> attacker{};
    /// The defender of this bout; null when the deal is over
    std::optional<std::int64_t> defender{};
    /// The seats that may attack in this bout, in the order of asking
    std::vector<std::int64_t> entitled{};
    /// The bout so far: each attack card in order of play, with the card that beats it or null
    std::vector<std::tuple<std::string, std::optional<std::string>>> pairs{};
    /// Whether the defender has said `take`
    bool taking{};
    /// The number of attack cards that may still be played in this bout
    std::int64_t room{};
    /// By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight
    /// of all
    std::vector<std::vector<std::string>> known{};
    /// The seats that have no cards left
    std::vector<std::int64_t> out{};
    /// The seats of each team; null when all play for themselves
    std::optional<std::vector<std::vector<std::int64_t>>> teams{};
    /// Moves made in this deal, exchanges among them
    std::int64_t moves_made{};
    /// The deal is a draw after this number of moves
    std::int64_t turn_limit{};
    /// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
    std::vector<std::string> legal_moves{};
    /// The free moves that you may make now, whether or not it is your turn; send one with
    /// `deal`. Empty for a spectator
    std::vector<std::string> free_moves{};
};
inline void from_json(const nlohmann::json& from, DurakObservation& to) {
    detail::decode_field(from, "game", to.game);
    detail::decode_field(from, "deal", to.deal);
    detail::decode_field(from, "deals", to.deals);
    detail::decode_field(from, "dealer", to.dealer);
    detail::decode_field(from, "scores", to.scores);
    detail::decode_field(from, "seat", to.seat);
    detail::decode_field(from, "to_move", to.to_move);
    detail::decode_field(from, "question", to.question);
    detail::decode_field(from, "hand", to.hand);
    detail::decode_field(from, "hand_sizes", to.hand_sizes);
    detail::decode_field(from, "trump", to.trump);
    detail::decode_field(from, "trump_card", to.trump_card);
    detail::decode_field(from, "talon", to.talon);
    detail::decode_field(from, "discard", to.discard);
    detail::decode_field(from, "attacker", to.attacker);
    detail::decode_field(from, "defender", to.defender);
    detail::decode_field(from, "entitled", to.entitled);
    detail::decode_field(from, "pairs", to.pairs);
    detail::decode_field(from, "taking", to.taking);
    detail::decode_field(from, "room", to.room);
    detail::decode_field(from, "known", to.known);
    detail::decode_field(from, "out", to.out);
    detail::decode_field(from, "teams", to.teams);
    detail::decode_field(from, "moves_made", to.moves_made);
    detail::decode_field(from, "turn_limit", to.turn_limit);
    detail::decode_field(from, "legal_moves", to.legal_moves);
    detail::decode_field(from, "free_moves", to.free_moves);
}

/// The options of durak. Omitted options have their defaults.
struct DurakOptions {
    /// Four or six players in two teams, the even seats against the odd. Default: `false`
    std::optional<bool> teams{};
    /// Everybody but the defender, or only the nearest players with cards on either side. By
    /// default `neighbours` with five or six players, else `all`. Not with teams, where the
    /// opponents attack.
    std::optional<std::string> attackers{};
    /// Whether attackers may play several cards in one move. Default: `false`
    std::optional<bool> batch_attacks{};
    /// Who attacks first in the match's first deal: the holder of the lowest trump, or the player
    /// on the dealer's left, as in all later deals. Default: `lowest_trump`
    std::optional<std::string> first_attacker{};
    /// A deal without a result after this many moves is a draw. Default: `1000`
    std::optional<std::int64_t> turn_limit{};
};
inline void from_json(const nlohmann::json& from, DurakOptions& to) {
    detail::decode_field(from, "teams", to.teams);
    detail::decode_field(from, "attackers", to.attackers);
    detail::decode_field(from, "batch_attacks", to.batch_attacks);
    detail::decode_field(from, "first_attacker", to.first_attacker);
    detail::decode_field(from, "turn_limit", to.turn_limit);
}
inline void to_json(nlohmann::json& to, const DurakOptions& from) {
    detail::encode_field(to, "teams", from.teams);
    detail::encode_field(to, "attackers", from.attackers);
    detail::encode_field(to, "batch_attacks", from.batch_attacks);
    detail::encode_field(to, "first_attacker", from.first_attacker);
    detail::encode_field(to, "turn_limit", from.turn_limit);
}

/// rules: played to the end; forfeit: ended early, because after timeouts at most one side was
/// left; resigned: ended early, because after resignations at most one side was left; aborted:
/// never started; void: does not count
using Ending = std::string;
namespace ending {
inline constexpr std::string_view rules = "rules";
inline constexpr std::string_view forfeit = "forfeit";
inline constexpr std::string_view resigned = "resigned";
inline constexpr std::string_view aborted = "aborted";
inline constexpr std::string_view void_ = "void";
}  // namespace ending

/// A match of yours that is over.
struct FinishedMatch {
    /// The match's id
    std::string match{};
    /// Your seat
    std::int64_t seat{};
    Ending ending{};
    /// By seat
    std::vector<std::int64_t> scores{};
    /// By seat
    std::vector<std::int64_t> places{};
    /// The forfeited seats
    std::vector<std::int64_t> forfeits{};
    /// When it ended
    Timestamp ended{};
};
inline void from_json(const nlohmann::json& from, FinishedMatch& to) {
    detail::decode_field(from, "match", to.match);
    detail::decode_field(from, "seat", to.seat);
    detail::decode_field(from, "ending", to.ending);
    detail::decode_field(from, "scores", to.scores);
    detail::decode_field(from, "places", to.places);
    detail::decode_field(from, "forfeits", to.forfeits);
    detail::decode_field(from, "ended", to.ended);
}

/// A game's id
using GameId = std::string;
namespace game_id {
inline constexpr std::string_view durak = "durak";
inline constexpr std::string_view king = "king";
inline constexpr std::string_view kryt = "kryt";
inline constexpr std::string_view svoi_kozyri = "svoi_kozyri";
}  // namespace game_id

/// A wish for one match.
struct JoinQueue {
    /// As in `GET /v1/games`
    GameId game{};
    std::optional<nlohmann::json> options{};
    std::optional<Clock> clock{};
    /// The number of seats; if omitted, the fewest that the game has
    std::optional<std::int64_t> seats{};
    /// The number of deals, by default 1. Not for games with a fixed number
    std::optional<std::int64_t> deals{};
    /// How far an opponent's rating may lie from the bot's own at first, in rating points. Null
    /// accepts any opponent. Default: `200`
    std::optional<Nullable<std::int64_t>> rating_band{};
    /// By how many rating points the band widens each second. Default: `20`
    std::optional<std::int64_t> band_growth{};
    /// Printable characters of your choice that enter the shuffle
    std::optional<std::string> entropy{};
};
inline void from_json(const nlohmann::json& from, JoinQueue& to) {
    detail::decode_field(from, "game", to.game);
    detail::decode_field(from, "options", to.options);
    detail::decode_field(from, "clock", to.clock);
    detail::decode_field(from, "seats", to.seats);
    detail::decode_field(from, "deals", to.deals);
    detail::decode_field(from, "rating_band", to.rating_band);
    detail::decode_field(from, "band_growth", to.band_growth);
    detail::decode_field(from, "entropy", to.entropy);
}
inline void to_json(nlohmann::json& to, const JoinQueue& from) {
    detail::encode_field(to, "game", from.game);
    detail::encode_field(to, "options", from.options);
    detail::encode_field(to, "clock", from.clock);
    detail::encode_field(to, "seats", from.seats);
    detail::encode_field(to, "deals", from.deals);
    detail::encode_field(to, "rating_band", from.rating_band);
    detail::encode_field(to, "band_growth", from.band_growth);
    detail::encode_field(to, "entropy", from.entropy);
}

/// What one seat, or a spectator, sees of a deal of King.
struct KingObservation {
    std::string game{};
    /// This deal's number in the match, from 1
    std::int64_t deal{};
    /// The number of deals in the match
    std::int64_t deals{};
    /// The dealer of this deal
    std::int64_t dealer{};
    /// Points of the finished deals, by seat
    std::vector<std::int64_t> scores{};
    /// The seat that sees this; null for a spectator
    std::optional<std::int64_t> seat{};
    /// The seat to move; null when the deal is over
    std::optional<std::int64_t> to_move{};
    /// What is asked: declare (trumps or a miser) or play (a card); null when the deal is over
    std::optional<std::string> question{};
    /// Your cards, by rank, then by suit (before the declaration three); empty for a spectator
    std::vector<std::string> hand{};
    /// The number of cards in each hand, by seat
    std::vector<std::int64_t> hand_sizes{};
    /// What scores in this deal: no_tricks, no_hearts, no_jacks, no_queens, no_last_two,
    /// no_king_of_hearts, negative_yeralash, khvalenka or positive_yeralash
    std::string contract{};
    /// The declaration: C, D, H, S, last or miser; null before it and in deals without one
    std::optional<std::string> declared{};
    /// The trump suit, C, D, H or S; null where there is none, or none yet
    std::optional<std::string> trump{};
    /// The card that `declare last` has shown; null without one
    std::optional<std::string> trump_card{};
    /// Whether the ranks are reversed, 7 high and ace low
    bool miser{};
    /// The trick that is being played: pairs of seat and card, the leader's first
    std::vector<std::tuple<std::int64_t, std::string>> trick{};
    /// The trick before it in the same form; empty in the first
    std::vector<std::tuple<std::int64_t, std::string>> last_trick{};
    /// The number of tricks taken in this deal, by seat
    std::vector<std::int64_t> tricks_taken{};
    /// The cards taken in this deal, by seat, in the order of play
    std::vector<std::vector<std::string>> taken{};
    /// The points of this deal so far, by seat
    std::vector<std::int64_t> deal_scores{};
    /// By seat, the cards that everybody knows to lie in that hand: the one shown, until played
    std::vector<std::vector<std::string>> known{};
    /// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
    std::vector<std::string> legal_moves{};
    /// The free moves that you may make now, whether or not it is your turn; send one with
    /// `deal`. Empty for a spectator
    std::vector<std::string> free_moves{};
};
inline void from_json(const nlohmann::json& from, KingObservation& to) {
    detail::decode_field(from, "game", to.game);
    detail::decode_field(from, "deal", to.deal);
    detail::decode_field(from, "deals", to.deals);
    detail::decode_field(from, "dealer", to.dealer);
    detail::decode_field(from, "scores", to.scores);
    detail::decode_field(from, "seat", to.seat);
    detail::decode_field(from, "to_move", to.to_move);
    detail::decode_field(from, "question", to.question);
    detail::decode_field(from, "hand", to.hand);
    detail::decode_field(from, "hand_sizes", to.hand_sizes);
    detail::decode_field(from, "contract", to.contract);
    detail::decode_field(from, "declared", to.declared);
    detail::decode_field(from, "trump", to.trump);
    detail::decode_field(from, "trump_card", to.trump_card);
    detail::decode_field(from, "miser", to.miser);
    detail::decode_field(from, "trick", to.trick);
    detail::decode_field(from, "last_trick", to.last_trick);
    detail::decode_field(from, "tricks_taken", to.tricks_taken);
    detail::decode_field(from, "taken", to.taken);
    detail::decode_field(from, "deal_scores", to.deal_scores);
    detail::decode_field(from, "known", to.known);
    detail::decode_field(from, "legal_moves", to.legal_moves);
    detail::decode_field(from, "free_moves", to.free_moves);
}

/// The options of king. Omitted options have their defaults.
struct KingOptions {
};
inline void from_json(const nlohmann::json& /*from*/, KingOptions& /*to*/) {
}
inline void to_json(nlohmann::json& /*to*/, const KingOptions& /*from*/) {
}

/// What one seat, or a spectator, sees of a deal of Kryt'-navalivat'.
struct KrytObservation {
    std::string game{};
    /// This deal's number in the match, from 1
    std::int64_t deal{};
    /// The number of deals in the match
    std::int64_t deals{};
    /// The dealer of this deal
    std::int64_t dealer{};
    /// Points of the finished deals, by seat
    std::vector<std::int64_t> scores{};
    /// The seat that sees this; null for a spectator
    std::optional<std::int64_t> seat{};
    /// The seat that is asked; null when the deal is over
    std::optional<std::int64_t> to_move{};
    /// What is asked: lead (a card to the empty pile), beat (the top card, or pick up), free_lead
    /// (a card on top of the pile, whatever lies there); null when the deal is over
    std::optional<std::string> question{};
    /// Your cards, by rank, then by suit; empty for a spectator
    std::vector<std::string> hand{};
    /// The number of cards in each hand, by seat
    std::vector<std::int64_t> hand_sizes{};
    /// Cards in the pile
    std::int64_t pile{};
    /// The top card of the pile; null when there is no pile
    std::optional<std::string> top{};
    /// The cards that a pickup would bring, the top card first; null unless you are asked to beat
    std::optional<std::vector<std::string>> pickup{};
    /// The card right under those of `pickup`, which would be the new top; null if there is none,
    /// or unless you are asked to beat
    std::optional<std::string> under{};
    /// By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight
    /// of all
    std::vector<std::vector<std::string>> known{};
    /// The seats that have got rid of all their cards
    std::vector<std::int64_t> out{};
    /// Moves made in this deal, exchanges among them
    std::int64_t moves_made{};
    /// At this number of moves the deal is a draw
    std::int64_t turn_limit{};
    /// The trump suit: C, D, H or S
    std::string trump{};
    /// The suit that no trump beats: S with fixed trumps, else null
    std::optional<std::string> anti_trump{};
    /// The upturned card that lies under the stock; null with no stock, or with fixed trumps
    std::optional<std::string> trump_card{};
    /// Cards left to draw, the upturned one among them
    std::int64_t stock{};
    /// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
    std::vector<std::string> legal_moves{};
    /// The free moves that you may make now, whether or not it is your turn; send one with
    /// `deal`. Empty for a spectator
    std::vector<std::string> free_moves{};
};
inline void from_json(const nlohmann::json& from, KrytObservation& to) {
    detail::decode_field(from, "game", to.game);
    detail::decode_field(from, "deal", to.deal);
    detail::decode_field(from, "deals", to.deals);
    detail::decode_field(from, "dealer", to.dealer);
    detail::decode_field(from, "scores", to.scores);
    detail::decode_field(from, "seat", to.seat);
    detail::decode_field(from, "to_move", to.to_move);
    detail::decode_field(from, "question", to.question);
    detail::decode_field(from, "hand", to.hand);
    detail::decode_field(from, "hand_sizes", to.hand_sizes);
    detail::decode_field(from, "pile", to.pile);
    detail::decode_field(from, "top", to.top);
    detail::decode_field(from, "pickup", to.pickup);
    detail::decode_field(from, "under", to.under);
    detail::decode_field(from, "known", to.known);
    detail::decode_field(from, "out", to.out);
    detail::decode_field(from, "moves_made", to.moves_made);
    detail::decode_field(from, "turn_limit", to.turn_limit);
    detail::decode_field(from, "trump", to.trump);
    detail::decode_field(from, "anti_trump", to.anti_trump);
    detail::decode_field(from, "trump_card", to.trump_card);
    detail::decode_field(from, "stock", to.stock);
    detail::decode_field(from, "legal_moves", to.legal_moves);
    detail::decode_field(from, "free_moves", to.free_moves);
}

/// The options of kryt. Omitted options have their defaults.
struct KrytOptions {
    /// `turned`: the card turned up under the stock names the trump suit. `fixed`: diamonds are
    /// trumps and spades anti-trumps, which no trump beats. Default: `turned`
    std::optional<std::string> trumps{};
    /// A deal without a result after this many moves is a draw. Default: `1000`
    std::optional<std::int64_t> turn_limit{};
};
inline void from_json(const nlohmann::json& from, KrytOptions& to) {
    detail::decode_field(from, "trumps", to.trumps);
    detail::decode_field(from, "turn_limit", to.turn_limit);
}
inline void to_json(nlohmann::json& to, const KrytOptions& from) {
    detail::encode_field(to, "trumps", from.trumps);
    detail::encode_field(to, "turn_limit", from.turn_limit);
}

/// The schema Rate of the API.
struct Rate {
    /// The number of requests
    std::int64_t limit{};
    /// The length of the window in seconds
    std::int64_t window_s{};
};
inline void from_json(const nlohmann::json& from, Rate& to) {
    detail::decode_field(from, "limit", to.limit);
    detail::decode_field(from, "window_s", to.window_s);
}

/// The schema Limits of the API.
struct Limits {
    /// The longest `wait` of a request, in seconds
    double max_wait_s{};
    /// The largest body of a request
    std::int64_t max_body_bytes{};
    /// Seconds within which a body must arrive completely
    double body_timeout_s{};
    /// Moves in one `POST /v1/turns`
    std::int64_t max_moves{};
    /// Entries of one page of a list; standings have up to 1000
    std::int64_t max_page{};
    /// Events in one response
    std::int64_t max_events{};
    /// Polls of one bot that may wait in one process of the service. One more makes the oldest
    /// respond at once
    std::int64_t max_polls{};
    /// Requests that may wait for a match's next turn or its events, per bot, or per address
    /// without a token
    std::int64_t max_waits{};
    /// Whether registration needs no invitation
    bool open_registration{};
    /// A match is aborted if its seats don't show up within this time
    std::int64_t start_ms{};
    /// A match is aborted if its open seats aren't taken within this time
    std::int64_t open_ms{};
    /// The delay after deadline and grace before the referee makes the safe move
    std::int64_t settle_ms{};
    /// The rate limits. A missing entry means no limit
    std::map<std::string, Rate> rates{};
    /// The version of the service
    std::string version{};
};
inline void from_json(const nlohmann::json& from, Limits& to) {
    detail::decode_field(from, "max_wait_s", to.max_wait_s);
    detail::decode_field(from, "max_body_bytes", to.max_body_bytes);
    detail::decode_field(from, "body_timeout_s", to.body_timeout_s);
    detail::decode_field(from, "max_moves", to.max_moves);
    detail::decode_field(from, "max_page", to.max_page);
    detail::decode_field(from, "max_events", to.max_events);
    detail::decode_field(from, "max_polls", to.max_polls);
    detail::decode_field(from, "max_waits", to.max_waits);
    detail::decode_field(from, "open_registration", to.open_registration);
    detail::decode_field(from, "start_ms", to.start_ms);
    detail::decode_field(from, "open_ms", to.open_ms);
    detail::decode_field(from, "settle_ms", to.settle_ms);
    detail::decode_field(from, "rates", to.rates);
    detail::decode_field(from, "version", to.version);
}

/// The bot in a seat. Until a duplicate group ends, each seat is hidden the names of other remote
/// bots.
struct SeenSeat {
    /// `owner/bot`; null while its name is hidden
    std::optional<std::string> bot{};
    /// The bot's id, which never changes; null while its name is hidden
    std::optional<std::string> id{};
    /// The bot's version when the match was made; null while its name is hidden
    std::optional<std::string> version{};
    /// A person plays; absent for a bot. Such a match counts in no rating or standing
    std::optional<bool> person{};
};
inline void from_json(const nlohmann::json& from, SeenSeat& to) {
    detail::decode_field(from, "bot", to.bot);
    detail::decode_field(from, "id", to.id);
    detail::decode_field(from, "version", to.version);
    detail::decode_field(from, "person", to.person);
}

/// open: has open seats; waiting: for its seats to show up; running; finished
using MatchStatus = std::string;
namespace match_status {
inline constexpr std::string_view open = "open";
inline constexpr std::string_view waiting = "waiting";
inline constexpr std::string_view running = "running";
inline constexpr std::string_view finished = "finished";
}  // namespace match_status

/// The schema MatchPlace of the API.
struct MatchPlace {
    /// The match that this one continues
    std::string match{};
    /// The deal at which it began
    std::int64_t deal{};
    /// How many moves of that deal were repeated
    std::int64_t move{};
};
inline void from_json(const nlohmann::json& from, MatchPlace& to) {
    detail::decode_field(from, "match", to.match);
    detail::decode_field(from, "deal", to.deal);
    detail::decode_field(from, "move", to.move);
}

/// The schema SeatClock of the API.
struct SeatClock {
    /// The remaining bank
    std::int64_t bank_ms{};
    /// Timeouts so far
    std::int64_t strikes{};
};
inline void from_json(const nlohmann::json& from, SeatClock& to) {
    detail::decode_field(from, "bank_ms", to.bank_ms);
    detail::decode_field(from, "strikes", to.strikes);
}

/// A match as the caller may see it.
struct Match {
    /// The match's id
    std::string id{};
    /// The game's id
    std::string game{};
    /// Every option that applies, defaults too
    std::map<std::string, std::optional<nlohmann::json>> options{};
    /// What is rated together: game, seats, and options that are not their defaults
    std::string preset{};
    /// The game and the version of its rules
    std::string rules{};
    /// How many deals the match has
    std::int64_t deals{};
    /// The deal in progress, from 1
    std::int64_t deal{};
    /// Who sits where; null is an open seat
    std::vector<std::optional<SeenSeat>> seats{};
    ClockRule clock{};
    /// Whether it counts in ratings
    bool rated{};
    /// The ladder that made it
    std::optional<std::string> ladder{};
    /// The ladder's round
    std::optional<std::int64_t> round{};
    MatchStatus status{};
    /// How it ended; null before the end
    std::optional<Ending> ending{};
    /// Whether it is over and does not count, by its ending or by a later annotation
    bool void_{};
    /// When it was created
    Timestamp created{};
    /// When its first deal was dealt
    std::optional<Timestamp> started{};
    /// When it ended
    std::optional<Timestamp> ended{};
    /// Points of the finished deals, by seat
    std::vector<std::int64_t> scores{};
    /// By seat, 1 + the number of seats with a higher score; forfeited seats after all others
    std::optional<std::vector<std::int64_t>> places{};
    /// The forfeited seats
    std::vector<std::int64_t> forfeits{};
    /// The position of an earlier match at which it began. Such a match counts in no rating or
    /// standing
    std::optional<MatchPlace> continues{};
    /// By seat, whether it gave entropy of its own to the shuffle
    std::vector<bool> entropy{};
    /// SHA-256 of the shuffle's secret and the match's id, in hexadecimal
    std::string commitment{};
    /// By seat
    std::vector<SeatClock> clocks{};
    /// The seat whose view this is; null for a spectator
    std::optional<std::int64_t> seat{};
    /// Service time at this answer
    Timestamp now{};
    /// The current turn; null if there is none
    std::optional<std::int64_t> turn{};
    /// The seat to move; null if there is none
    std::optional<std::int64_t> to_move{};
    /// When the turn times out, including the bank but not the grace; null without a clock
    std::optional<Timestamp> deadline{};
    /// What this viewer sees of the deal; null while no deal is played
    std::optional<Observation> observation{};
};
inline void from_json(const nlohmann::json& from, Match& to) {
    detail::decode_field(from, "id", to.id);
    detail::decode_field(from, "game", to.game);
    detail::decode_field(from, "options", to.options);
    detail::decode_field(from, "preset", to.preset);
    detail::decode_field(from, "rules", to.rules);
    detail::decode_field(from, "deals", to.deals);
    detail::decode_field(from, "deal", to.deal);
    detail::decode_field(from, "seats", to.seats);
    detail::decode_field(from, "clock", to.clock);
    detail::decode_field(from, "rated", to.rated);
    detail::decode_field(from, "ladder", to.ladder);
    detail::decode_field(from, "round", to.round);
    detail::decode_field(from, "status", to.status);
    detail::decode_field(from, "ending", to.ending);
    detail::decode_field(from, "void", to.void_);
    detail::decode_field(from, "created", to.created);
    detail::decode_field(from, "started", to.started);
    detail::decode_field(from, "ended", to.ended);
    detail::decode_field(from, "scores", to.scores);
    detail::decode_field(from, "places", to.places);
    detail::decode_field(from, "forfeits", to.forfeits);
    detail::decode_field(from, "continues", to.continues);
    detail::decode_field(from, "entropy", to.entropy);
    detail::decode_field(from, "commitment", to.commitment);
    detail::decode_field(from, "clocks", to.clocks);
    detail::decode_field(from, "seat", to.seat);
    detail::decode_field(from, "now", to.now);
    detail::decode_field(from, "turn", to.turn);
    detail::decode_field(from, "to_move", to.to_move);
    detail::decode_field(from, "deadline", to.deadline);
    detail::decode_field(from, "observation", to.observation);
}

/// A free move in one of your matches.
struct MatchFreeMove {
    /// The deal to make it in
    std::int64_t deal{};
    /// The move as text
    std::string move{};
    /// Your own note on the move. Only you see it before everybody may read the match
    std::optional<std::string> note{};
    /// The match's id
    std::string match{};
};
inline void from_json(const nlohmann::json& from, MatchFreeMove& to) {
    detail::decode_field(from, "deal", to.deal);
    detail::decode_field(from, "move", to.move);
    detail::decode_field(from, "note", to.note);
    detail::decode_field(from, "match", to.match);
}
inline void to_json(nlohmann::json& to, const MatchFreeMove& from) {
    detail::encode_field(to, "deal", from.deal);
    detail::encode_field(to, "move", from.move);
    detail::encode_field(to, "note", from.note);
    detail::encode_field(to, "match", from.match);
}

/// An answer to a turn of one of your matches.
struct MatchTurnMove {
    /// The turn that is answered
    std::int64_t turn{};
    /// The move as text, one of `legal_moves`
    std::string move{};
    /// Your own note on the move. Only you see it before everybody may read the match
    std::optional<std::string> note{};
    /// The match's id
    std::string match{};
};
inline void from_json(const nlohmann::json& from, MatchTurnMove& to) {
    detail::decode_field(from, "turn", to.turn);
    detail::decode_field(from, "move", to.move);
    detail::decode_field(from, "note", to.note);
    detail::decode_field(from, "match", to.match);
}
inline void to_json(nlohmann::json& to, const MatchTurnMove& from) {
    detail::encode_field(to, "turn", from.turn);
    detail::encode_field(to, "move", from.move);
    detail::encode_field(to, "note", from.note);
    detail::encode_field(to, "match", from.match);
}

/// The schema MatchMove of the API.
struct MatchMove {
    /// The turn that is answered
    std::optional<std::int64_t> turn{};
    /// The move as text, one of `legal_moves`
    std::string move{};
    /// Your own note on the move. Only you see it before everybody may read the match
    std::optional<std::string> note{};
    /// The match's id
    std::string match{};
    /// The deal to make it in
    std::optional<std::int64_t> deal{};
};
inline void from_json(const nlohmann::json& from, MatchMove& to) {
    detail::decode_field(from, "turn", to.turn);
    detail::decode_field(from, "move", to.move);
    detail::decode_field(from, "note", to.note);
    detail::decode_field(from, "match", to.match);
    detail::decode_field(from, "deal", to.deal);
}
inline void to_json(nlohmann::json& to, const MatchMove& from) {
    detail::encode_field(to, "turn", from.turn);
    detail::encode_field(to, "move", from.move);
    detail::encode_field(to, "note", from.note);
    detail::encode_field(to, "match", from.match);
    detail::encode_field(to, "deal", from.deal);
}

/// The matches that a bot accepts.
struct MatchPolicyInput {
    /// The games it plays; null: all
    std::optional<std::vector<std::string>> games{};
    /// Matches at the same time, at most. Default: `16`
    std::optional<std::int64_t> max_matches{};
    /// The shortest `move_ms`. Default: `0`
    std::optional<std::int64_t> min_move_ms{};
    /// The smallest `bank_ms`. Default: `0`
    std::optional<std::int64_t> min_bank_ms{};
    /// The kinds of match it plays; null: all
    std::optional<std::vector<std::string>> kinds{};
    /// The only owners whose bots and challenges it accepts, besides its own; `house` has the
    /// house bots. Null: all
    std::optional<std::vector<std::string>> owners{};
    /// Owners whose bots and challenges it does not accept
    std::optional<std::vector<std::string>> excluded_owners{};
};
inline void from_json(const nlohmann::json& from, MatchPolicyInput& to) {
    detail::decode_field(from, "games", to.games);
    detail::decode_field(from, "max_matches", to.max_matches);
    detail::decode_field(from, "min_move_ms", to.min_move_ms);
    detail::decode_field(from, "min_bank_ms", to.min_bank_ms);
    detail::decode_field(from, "kinds", to.kinds);
    detail::decode_field(from, "owners", to.owners);
    detail::decode_field(from, "excluded_owners", to.excluded_owners);
}
inline void to_json(nlohmann::json& to, const MatchPolicyInput& from) {
    detail::encode_field(to, "games", from.games);
    detail::encode_field(to, "max_matches", from.max_matches);
    detail::encode_field(to, "min_move_ms", from.min_move_ms);
    detail::encode_field(to, "min_bank_ms", from.min_bank_ms);
    detail::encode_field(to, "kinds", from.kinds);
    detail::encode_field(to, "owners", from.owners);
    detail::encode_field(to, "excluded_owners", from.excluded_owners);
}

/// Any number of moves, and a wait for the next turns.
struct MoveBatch {
    /// An empty list only waits
    std::optional<std::vector<MatchMove>> moves{};
    /// Seconds to wait for a turn, at most `max_wait_s` of `GET /v1/limits`. Default: `0.0`
    std::optional<double> wait{};
    /// The `since` of the last response: leaves out turns and finished matches already delivered
    std::optional<std::string> since{};
    /// The bot finishes its matches and leaves: it does not show up for matches that have not
    /// begun, and this request does not make it online. Default: `false`
    std::optional<bool> leaving{};
};
inline void from_json(const nlohmann::json& from, MoveBatch& to) {
    detail::decode_field(from, "moves", to.moves);
    detail::decode_field(from, "wait", to.wait);
    detail::decode_field(from, "since", to.since);
    detail::decode_field(from, "leaving", to.leaving);
}
inline void to_json(nlohmann::json& to, const MoveBatch& from) {
    detail::encode_field(to, "moves", from.moves);
    detail::encode_field(to, "wait", from.wait);
    detail::encode_field(to, "since", from.since);
    detail::encode_field(to, "leaving", from.leaving);
}

/// The result of a move.
struct MoveResult {
    /// The match's id
    std::string match{};
    /// Your seat
    std::int64_t seat{};
    /// The turn that was answered; null for a free move
    std::optional<std::int64_t> turn{};
    /// The move that was made
    std::string move{};
    /// The time taken
    std::int64_t ms{};
    /// The part of it charged to your bank
    std::int64_t charged_ms{};
    /// Whether the move had been made before; the result is the first one
    bool replayed{};
};
inline void from_json(const nlohmann::json& from, MoveResult& to) {
    detail::decode_field(from, "match", to.match);
    detail::decode_field(from, "seat", to.seat);
    detail::decode_field(from, "turn", to.turn);
    detail::decode_field(from, "move", to.move);
    detail::decode_field(from, "ms", to.ms);
    detail::decode_field(from, "charged_ms", to.charged_ms);
    detail::decode_field(from, "replayed", to.replayed);
}

/// What is wrong. Later releases may have more codes
using ProblemCode = std::string;
namespace problem_code {
inline constexpr std::string_view bad_request = "bad_request";
inline constexpr std::string_view bad_json = "bad_json";
inline constexpr std::string_view bad_cursor = "bad_cursor";
inline constexpr std::string_view body_cut_short = "body_cut_short";
inline constexpr std::string_view not_found = "not_found";
inline constexpr std::string_view method_not_allowed = "method_not_allowed";
inline constexpr std::string_view not_acceptable = "not_acceptable";
inline constexpr std::string_view body_timeout = "body_timeout";
inline constexpr std::string_view body_too_large = "body_too_large";
inline constexpr std::string_view wrong_content_type = "wrong_content_type";
inline constexpr std::string_view encoded_body = "encoded_body";
inline constexpr std::string_view range_not_satisfiable = "range_not_satisfiable";
inline constexpr std::string_view invalid_body = "invalid_body";
inline constexpr std::string_view invalid_query = "invalid_query";
inline constexpr std::string_view invalid_header = "invalid_header";
inline constexpr std::string_view token_missing = "token_missing";
inline constexpr std::string_view token_invalid = "token_invalid";
inline constexpr std::string_view scope_missing = "scope_missing";
inline constexpr std::string_view wrong_token_kind = "wrong_token_kind";
inline constexpr std::string_view bad_invitation = "bad_invitation";
inline constexpr std::string_view not_your_bot = "not_your_bot";
inline constexpr std::string_view not_your_match = "not_your_match";
inline constexpr std::string_view not_your_ladder = "not_your_ladder";
inline constexpr std::string_view not_your_token = "not_your_token";
inline constexpr std::string_view no_such_game = "no_such_game";
inline constexpr std::string_view no_such_match = "no_such_match";
inline constexpr std::string_view no_such_owner = "no_such_owner";
inline constexpr std::string_view no_such_bot = "no_such_bot";
inline constexpr std::string_view no_such_token = "no_such_token";
inline constexpr std::string_view no_such_check = "no_such_check";
inline constexpr std::string_view no_such_group = "no_such_group";
inline constexpr std::string_view no_such_ladder = "no_such_ladder";
inline constexpr std::string_view no_such_preset = "no_such_preset";
inline constexpr std::string_view no_such_round = "no_such_round";
inline constexpr std::string_view no_such_season = "no_such_season";
inline constexpr std::string_view no_such_webhook = "no_such_webhook";
inline constexpr std::string_view no_such_message = "no_such_message";
inline constexpr std::string_view no_such_review = "no_such_review";
inline constexpr std::string_view not_queued = "not_queued";
inline constexpr std::string_view no_bracket = "no_bracket";
inline constexpr std::string_view stale_turn = "stale_turn";
inline constexpr std::string_view not_your_turn = "not_your_turn";
inline constexpr std::string_view match_not_running = "match_not_running";
inline constexpr std::string_view match_over = "match_over";
inline constexpr std::string_view seat_taken = "seat_taken";
inline constexpr std::string_view already_seated = "already_seated";
inline constexpr std::string_view not_joinable = "not_joinable";
inline constexpr std::string_view record_not_ready = "record_not_ready";
inline constexpr std::string_view group_running = "group_running";
inline constexpr std::string_view bot_unavailable = "bot_unavailable";
inline constexpr std::string_view already_queued = "already_queued";
inline constexpr std::string_view name_taken = "name_taken";
inline constexpr std::string_view wrong_ladder_state = "wrong_ladder_state";
inline constexpr std::string_view entry_refused = "entry_refused";
inline constexpr std::string_view not_rerunnable = "not_rerunnable";
inline constexpr std::string_view round_running = "round_running";
inline constexpr std::string_view nothing_to_play = "nothing_to_play";
inline constexpr std::string_view season_empty = "season_empty";
inline constexpr std::string_view idempotency_key_in_flight = "idempotency_key_in_flight";
inline constexpr std::string_view idempotency_key_reused = "idempotency_key_reused";
inline constexpr std::string_view bad_value = "bad_value";
inline constexpr std::string_view rate_limited = "rate_limited";
inline constexpr std::string_view too_many_reviews = "too_many_reviews";
inline constexpr std::string_view bad_table = "bad_table";
inline constexpr std::string_view not_a_move = "not_a_move";
inline constexpr std::string_view free_move_with_turn = "free_move_with_turn";
inline constexpr std::string_view illegal_move = "illegal_move";
inline constexpr std::string_view match_unreadable = "match_unreadable";
inline constexpr std::string_view internal_error = "internal_error";
inline constexpr std::string_view busy = "busy";
inline constexpr std::string_view events_not_ready = "events_not_ready";
inline constexpr std::string_view overtaken = "overtaken";
inline constexpr std::string_view service_paused = "service_paused";
inline constexpr std::string_view service_draining = "service_draining";
inline constexpr std::string_view storage_full = "storage_full";
inline constexpr std::string_view store_unavailable = "store_unavailable";
}  // namespace problem_code

/// An RFC 9457 problem document. Fields after `request_id` appear only where they help.
struct Problem {
    /// The page that explains the problem
    std::string type{};
    /// A short title, the same for each `code`
    std::string title{};
    std::int64_t status{};
    /// What was wrong with this request
    std::string detail{};
    ProblemCode code{};
    /// Whether the same request may succeed when it is sent again unchanged
    bool retryable{};
    /// Identifies the request; quote it to the operator
    std::string request_id{};
    /// The content types that the path supports
    std::optional<std::vector<std::string>> supported{};
    /// What is wrong with each field or parameter
    std::optional<std::map<std::string, std::vector<std::string>>> errors{};
    /// The field that is wrong
    std::optional<std::string> field{};
    /// The expected value, in words
    std::optional<std::string> expected{};
    /// The required scope
    std::optional<std::string> scope{};
    /// The legal moves of the turn
    std::optional<std::vector<std::string>> legal_moves{};
    /// The free moves that you may make now
    std::optional<std::vector<std::string>> free_moves{};
    /// The deal to send a free move with
    std::optional<std::int64_t> deal{};
    /// The current turn of the match
    std::optional<std::int64_t> turn{};
    /// The match as you see it now
    std::optional<Match> view{};
    /// The seats still open
    std::optional<std::vector<std::int64_t>> open_seats{};
    /// How the match ended
    std::optional<std::string> ending{};
    /// Milliseconds to wait before retrying
    std::optional<std::int64_t> retry_ms{};
    /// Which of the `rates` of `GET /v1/limits` was exceeded
    std::optional<std::string> limit{};
    /// The round that is running
    std::optional<std::int64_t> round{};
    /// The ladder's state
    std::optional<std::string> state{};
    /// The bot that can't be seated
    std::optional<std::string> bot{};
    /// disabled; game, clock, kind or owner: its match policy excludes the game, the clock, the
    /// kind of match or the owner of another bot at the table; busy: it has as many matches as it
    /// accepts. The others say why a ladder refuses an entry; unchecked: it requires a
    /// conformance check
    std::optional<std::string> reason{};
    /// Why the ladder's owner banned the bot, in the owner's words
    std::optional<std::string> why{};
    /// The bot's match policy
    std::optional<MatchPolicy> match_policy{};
};
inline void from_json(const nlohmann::json& from, Problem& to) {
    detail::decode_field(from, "type", to.type);
    detail::decode_field(from, "title", to.title);
    detail::decode_field(from, "status", to.status);
    detail::decode_field(from, "detail", to.detail);
    detail::decode_field(from, "code", to.code);
    detail::decode_field(from, "retryable", to.retryable);
    detail::decode_field(from, "request_id", to.request_id);
    detail::decode_field(from, "supported", to.supported);
    detail::decode_field(from, "errors", to.errors);
    detail::decode_field(from, "field", to.field);
    detail::decode_field(from, "expected", to.expected);
    detail::decode_field(from, "scope", to.scope);
    detail::decode_field(from, "legal_moves", to.legal_moves);
    detail::decode_field(from, "free_moves", to.free_moves);
    detail::decode_field(from, "deal", to.deal);
    detail::decode_field(from, "turn", to.turn);
    detail::decode_field(from, "view", to.view);
    detail::decode_field(from, "open_seats", to.open_seats);
    detail::decode_field(from, "ending", to.ending);
    detail::decode_field(from, "retry_ms", to.retry_ms);
    detail::decode_field(from, "limit", to.limit);
    detail::decode_field(from, "round", to.round);
    detail::decode_field(from, "state", to.state);
    detail::decode_field(from, "bot", to.bot);
    detail::decode_field(from, "reason", to.reason);
    detail::decode_field(from, "why", to.why);
    detail::decode_field(from, "match_policy", to.match_policy);
}

/// A refused move of a batch.
struct RefusedMove {
    /// The match in the request
    std::string match{};
    /// The turn in the request; null for a free move
    std::optional<std::int64_t> turn{};
    /// The move in the request
    std::string move{};
    Problem problem{};
};
inline void from_json(const nlohmann::json& from, RefusedMove& to) {
    detail::decode_field(from, "match", to.match);
    detail::decode_field(from, "turn", to.turn);
    detail::decode_field(from, "move", to.move);
    detail::decode_field(from, "problem", to.problem);
}

/// The result of a move, or the move and the problem of a refused one.
struct MoveOutcome {
    /// The match's id
    std::string match{};
    /// Your seat
    std::optional<std::int64_t> seat{};
    /// The turn that was answered; null for a free move
    std::optional<std::int64_t> turn{};
    /// The move that was made
    std::string move{};
    /// The time taken
    std::optional<std::int64_t> ms{};
    /// The part of it charged to your bank
    std::optional<std::int64_t> charged_ms{};
    /// Whether the move had been made before; the result is the first one
    std::optional<bool> replayed{};
    std::optional<Problem> problem{};
};
inline void from_json(const nlohmann::json& from, MoveOutcome& to) {
    detail::decode_field(from, "match", to.match);
    detail::decode_field(from, "seat", to.seat);
    detail::decode_field(from, "turn", to.turn);
    detail::decode_field(from, "move", to.move);
    detail::decode_field(from, "ms", to.ms);
    detail::decode_field(from, "charged_ms", to.charged_ms);
    detail::decode_field(from, "replayed", to.replayed);
    detail::decode_field(from, "problem", to.problem);
}

/// A turn of yours, with everything needed to choose a move.
struct Turn {
    /// The match's id
    std::string match{};
    /// The turn's number; send it with your move
    std::int64_t turn{};
    /// The deal in progress, from 1
    std::int64_t deal{};
    /// Your seat
    std::int64_t seat{};
    Observation observation{};
    /// By seat
    std::vector<SeatClock> clocks{};
    /// When the turn times out, including the bank but not the grace; null without a clock
    std::optional<Timestamp> deadline{};
    /// Service time at this answer
    Timestamp now{};
};
inline void from_json(const nlohmann::json& from, Turn& to) {
    detail::decode_field(from, "match", to.match);
    detail::decode_field(from, "turn", to.turn);
    detail::decode_field(from, "deal", to.deal);
    detail::decode_field(from, "seat", to.seat);
    detail::decode_field(from, "observation", to.observation);
    detail::decode_field(from, "clocks", to.clocks);
    detail::decode_field(from, "deadline", to.deadline);
    detail::decode_field(from, "now", to.now);
}

/// running; draining: existing matches are played out and nothing new is created; paused: all
/// clocks stand still, moves cost no time, and nothing new is created
using ServiceState = std::string;
namespace service_state {
inline constexpr std::string_view running = "running";
inline constexpr std::string_view draining = "draining";
inline constexpr std::string_view paused = "paused";
}  // namespace service_state

/// The result of a move, and what came next.
struct MoveResultAndTurns {
    /// The match's id
    std::string match{};
    /// Your seat
    std::int64_t seat{};
    /// The turn that was answered; null for a free move
    std::optional<std::int64_t> turn{};
    /// The move that was made
    std::string move{};
    /// The time taken
    std::int64_t ms{};
    /// The part of it charged to your bank
    std::int64_t charged_ms{};
    /// Whether the move had been made before; the result is the first one
    bool replayed{};
    /// Your next turn of this match, if it came within the wait
    std::optional<Turn> next{};
    /// The end of the match, if it came within the wait
    std::optional<FinishedMatch> finished{};
    ServiceState service{};
};
inline void from_json(const nlohmann::json& from, MoveResultAndTurns& to) {
    detail::decode_field(from, "match", to.match);
    detail::decode_field(from, "seat", to.seat);
    detail::decode_field(from, "turn", to.turn);
    detail::decode_field(from, "move", to.move);
    detail::decode_field(from, "ms", to.ms);
    detail::decode_field(from, "charged_ms", to.charged_ms);
    detail::decode_field(from, "replayed", to.replayed);
    detail::decode_field(from, "next", to.next);
    detail::decode_field(from, "finished", to.finished);
    detail::decode_field(from, "service", to.service);
}

/// The schema MoveResults of the API.
struct MoveResults {
    /// The result of each move, in the order sent
    std::vector<MoveOutcome> results{};
    /// Your open turns that `since` does not cover
    std::vector<Turn> turns{};
    /// Matches of yours that are over
    std::vector<FinishedMatch> finished{};
    /// Send it with your next request
    std::string since{};
    ServiceState service{};
    /// With `leaving`: how many of your matches have begun and are not over. At 0 the wait ends
    std::optional<std::int64_t> running{};
};
inline void from_json(const nlohmann::json& from, MoveResults& to) {
    detail::decode_field(from, "results", to.results);
    detail::decode_field(from, "turns", to.turns);
    detail::decode_field(from, "finished", to.finished);
    detail::decode_field(from, "since", to.since);
    detail::decode_field(from, "service", to.service);
    detail::decode_field(from, "running", to.running);
}

/// A bot.
struct NewBot {
    /// 2 to 32 characters of a-z, 0-9 and -; the first is not -
    std::string name{};
    /// The version of your program: printable characters, not only blanks. Matches record it.
    /// Default: `1`
    std::optional<std::string> version{};
    /// A description for other people
    std::optional<std::string> description{};
    std::optional<MatchPolicyInput> match_policy{};
    /// What the token is for, for your own list
    std::optional<std::string> note{};
};
inline void from_json(const nlohmann::json& from, NewBot& to) {
    detail::decode_field(from, "name", to.name);
    detail::decode_field(from, "version", to.version);
    detail::decode_field(from, "description", to.description);
    detail::decode_field(from, "match_policy", to.match_policy);
    detail::decode_field(from, "note", to.note);
}
inline void to_json(nlohmann::json& to, const NewBot& from) {
    detail::encode_field(to, "name", from.name);
    detail::encode_field(to, "version", from.version);
    detail::encode_field(to, "description", from.description);
    detail::encode_field(to, "match_policy", from.match_policy);
    detail::encode_field(to, "note", from.note);
}

/// A casual match.
struct NewMatch {
    /// As in `GET /v1/games`
    GameId game{};
    std::optional<nlohmann::json> options{};
    std::optional<Clock> clock{};
    /// The first dealer; drawn by lot if left out
    std::optional<std::int64_t> dealer{};
    /// Printable characters of your choice that enter the shuffle
    std::optional<std::string> entropy{};
    /// The bots by seat, as `owner/bot`. Null is an open seat that any bot may join. A remote bot
    /// can have only one seat, a house bot several
    std::vector<std::optional<std::string>> seats{};
    /// The number of deals, by default 1. Not for games with a fixed number
    std::optional<std::int64_t> deals{};
};
inline void from_json(const nlohmann::json& from, NewMatch& to) {
    detail::decode_field(from, "game", to.game);
    detail::decode_field(from, "options", to.options);
    detail::decode_field(from, "clock", to.clock);
    detail::decode_field(from, "dealer", to.dealer);
    detail::decode_field(from, "entropy", to.entropy);
    detail::decode_field(from, "seats", to.seats);
    detail::decode_field(from, "deals", to.deals);
}
inline void to_json(nlohmann::json& to, const NewMatch& from) {
    detail::encode_field(to, "game", from.game);
    detail::encode_field(to, "options", from.options);
    detail::encode_field(to, "clock", from.clock);
    detail::encode_field(to, "dealer", from.dealer);
    detail::encode_field(to, "entropy", from.entropy);
    detail::encode_field(to, "seats", from.seats);
    detail::encode_field(to, "deals", from.deals);
}

/// A new owner.
struct NewOwner {
    /// 2 to 32 characters of a-z, 0-9 and -; the first is not -. `name_taken` refuses reserved
    /// words (admin, administrator, anonymous, house, kozyr, moderator, official, operator, root,
    /// security, server, service, staff, support, system) and names that read like one: digits
    /// for letters, hyphens, a number before or after it
    std::string name{};
    /// An invitation's code, if registration requires one
    std::optional<std::string> invitation{};
    /// What the token is for, for your own list
    std::optional<std::string> note{};
};
inline void from_json(const nlohmann::json& from, NewOwner& to) {
    detail::decode_field(from, "name", to.name);
    detail::decode_field(from, "invitation", to.invitation);
    detail::decode_field(from, "note", to.note);
}
inline void to_json(nlohmann::json& to, const NewOwner& from) {
    detail::encode_field(to, "name", from.name);
    detail::encode_field(to, "invitation", from.invitation);
    detail::encode_field(to, "note", from.note);
}

/// A bot's place in the queue.
struct QueueEntry {
    /// Names the entry
    std::string id{};
    /// `waiting`; `matched`: it has a match; `left`: the bot left; `dropped`: the service removed
    /// it
    std::string state{};
    /// Why it was dropped. `gone`: the bot was offline; `disabled`; `policy`: its match policy no
    /// longer accepts these terms; `failed`: the match could not be created
    std::optional<std::string> reason{};
    /// Its match, once there is one
    std::optional<std::string> match{};
    /// As in `GET /v1/games`
    std::string game{};
    /// The number of seats
    std::int64_t seats{};
    /// Every option that applies, defaults too
    std::map<std::string, nlohmann::json> options{};
    /// The preset whose ratings count
    std::string preset{};
    /// The number of deals
    std::int64_t deals{};
    ClockRule clock{};
    /// The bot's rating when it joined; 1500 if unrated
    double rating{};
    /// As requested
    std::optional<std::int64_t> rating_band{};
    /// As requested
    std::int64_t band_growth{};
    /// When the bot joined
    Timestamp joined{};
    /// When it was matched, left or was dropped
    std::optional<Timestamp> ended{};
};
inline void from_json(const nlohmann::json& from, QueueEntry& to) {
    detail::decode_field(from, "id", to.id);
    detail::decode_field(from, "state", to.state);
    detail::decode_field(from, "reason", to.reason);
    detail::decode_field(from, "match", to.match);
    detail::decode_field(from, "game", to.game);
    detail::decode_field(from, "seats", to.seats);
    detail::decode_field(from, "options", to.options);
    detail::decode_field(from, "preset", to.preset);
    detail::decode_field(from, "deals", to.deals);
    detail::decode_field(from, "clock", to.clock);
    detail::decode_field(from, "rating", to.rating);
    detail::decode_field(from, "rating_band", to.rating_band);
    detail::decode_field(from, "band_growth", to.band_growth);
    detail::decode_field(from, "joined", to.joined);
    detail::decode_field(from, "ended", to.ended);
}

/// What one seat, or a spectator, sees of a deal of Svoi Kozyri.
struct SvoiKozyriObservation {
    std::string game{};
    /// This deal's number in the match, from 1
    std::int64_t deal{};
    /// The number of deals in the match
    std::int64_t deals{};
    /// The dealer of this deal
    std::int64_t dealer{};
    /// Points of the finished deals, by seat
    std::vector<std::int64_t> scores{};
    /// The seat that sees this; null for a spectator
    std::optional<std::int64_t> seat{};
    /// The seat that is asked; null when the deal is over
    std::optional<std::int64_t> to_move{};
    /// What is asked: lead (a card to the empty pile), beat (the top card, or pick up), free_lead
    /// (a card on top of the pile, whatever lies there); null when the deal is over
    std::optional<std::string> question{};
    /// Your cards, by rank, then by suit; empty for a spectator
    std::vector<std::string> hand{};
    /// The number of cards in each hand, by seat
    std::vector<std::int64_t> hand_sizes{};
    /// Cards in the pile
    std::int64_t pile{};
    /// The top card of the pile; null when there is no pile
    std::optional<std::string> top{};
    /// The cards that a pickup would bring, the top card first; null unless you are asked to beat
    std::optional<std::vector<std::string>> pickup{};
    /// The card right under those of `pickup`, which would be the new top; null if there is none,
    /// or unless you are asked to beat
    std::optional<std::string> under{};
    /// By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight
    /// of all
    std::vector<std::vector<std::string>> known{};
    /// The seats that have got rid of all their cards
    std::vector<std::int64_t> out{};
    /// Moves made in this deal, exchanges among them
    std::int64_t moves_made{};
    /// At this number of moves the deal is a draw
    std::int64_t turn_limit{};
    /// By seat, the suit of that player's trumps
    std::vector<std::string> trumps{};
    /// The lowest rank of the pack
    std::string lowest_rank{};
    /// Whether a pickup always takes the whole pile
    bool whole_pile{};
    /// The cards that were given to the owners of their suits after the deal
    std::vector<std::map<std::string, nlohmann::json>> given{};
    /// All hands where they lie open, by seat; null where they do not
    std::optional<std::vector<std::vector<std::string>>> hands{};
    /// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
    std::vector<std::string> legal_moves{};
    /// The free moves that you may make now, whether or not it is your turn; send one with
    /// `deal`. Empty for a spectator
    std::vector<std::string> free_moves{};
};
inline void from_json(const nlohmann::json& from, SvoiKozyriObservation& to) {
    detail::decode_field(from, "game", to.game);
    detail::decode_field(from, "deal", to.deal);
    detail::decode_field(from, "deals", to.deals);
    detail::decode_field(from, "dealer", to.dealer);
    detail::decode_field(from, "scores", to.scores);
    detail::decode_field(from, "seat", to.seat);
    detail::decode_field(from, "to_move", to.to_move);
    detail::decode_field(from, "question", to.question);
    detail::decode_field(from, "hand", to.hand);
    detail::decode_field(from, "hand_sizes", to.hand_sizes);
    detail::decode_field(from, "pile", to.pile);
    detail::decode_field(from, "top", to.top);
    detail::decode_field(from, "pickup", to.pickup);
    detail::decode_field(from, "under", to.under);
    detail::decode_field(from, "known", to.known);
    detail::decode_field(from, "out", to.out);
    detail::decode_field(from, "moves_made", to.moves_made);
    detail::decode_field(from, "turn_limit", to.turn_limit);
    detail::decode_field(from, "trumps", to.trumps);
    detail::decode_field(from, "lowest_rank", to.lowest_rank);
    detail::decode_field(from, "whole_pile", to.whole_pile);
    detail::decode_field(from, "given", to.given);
    detail::decode_field(from, "hands", to.hands);
    detail::decode_field(from, "legal_moves", to.legal_moves);
    detail::decode_field(from, "free_moves", to.free_moves);
}

/// The options of svoi_kozyri. Omitted options have their defaults.
struct SvoiKozyriOptions {
    /// The suit of each player's trumps, one letter a seat, all different, as in `SC`. By default
    /// the first letters of `SCDH`.
    std::optional<std::string> trumps{};
    /// `dealt`: the cards as they fall, then each lowest card to the owner of its suit.
    /// `besikovich`: two players, open hands that mirror each other. Default: `dealt`
    std::optional<std::string> layout{};
    /// `modern`: three cards, five or the whole pile, by the top card. `whole_pile`: always the
    /// whole pile. By default `modern`; with the layout `besikovich` it is `whole_pile` and
    /// nothing else.
    std::optional<std::string> pickup{};
    /// The rank at which the pack begins, each suit going up to the ace. Default: `6`
    std::optional<std::string> lowest_rank{};
    /// A deal without a result after this many moves is a draw. Default: `1000`
    std::optional<std::int64_t> turn_limit{};
};
inline void from_json(const nlohmann::json& from, SvoiKozyriOptions& to) {
    detail::decode_field(from, "trumps", to.trumps);
    detail::decode_field(from, "layout", to.layout);
    detail::decode_field(from, "pickup", to.pickup);
    detail::decode_field(from, "lowest_rank", to.lowest_rank);
    detail::decode_field(from, "turn_limit", to.turn_limit);
}
inline void to_json(nlohmann::json& to, const SvoiKozyriOptions& from) {
    detail::encode_field(to, "trumps", from.trumps);
    detail::encode_field(to, "layout", from.layout);
    detail::encode_field(to, "pickup", from.pickup);
    detail::encode_field(to, "lowest_rank", from.lowest_rank);
    detail::encode_field(to, "turn_limit", from.turn_limit);
}

/// The schema TurnList of the API.
struct TurnList {
    /// Your open turns that `since` does not cover
    std::vector<Turn> turns{};
    /// Matches of yours that are over
    std::vector<FinishedMatch> finished{};
    /// Send it with your next request
    std::string since{};
    ServiceState service{};
};
inline void from_json(const nlohmann::json& from, TurnList& to) {
    detail::decode_field(from, "turns", to.turns);
    detail::decode_field(from, "finished", to.finished);
    detail::decode_field(from, "since", to.since);
    detail::decode_field(from, "service", to.service);
}

}  // namespace kozyr::types
