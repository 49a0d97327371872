// Generated from openapi.yaml by tools/client_types.py. DO NOT EDIT.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::turn::{Observation, Turn};

/// The schema `Bot` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Bot {
    /// The bot's id, which never changes
    pub id: String,
    /// `owner/bot`
    pub bot: String,
    /// The owner's name
    pub owner: String,
    /// The bot's name
    pub name: String,
    /// The version, set by the owner
    pub version: String,
    /// The owner's description
    pub description: String,
    /// When it was created
    pub created: jiff::Timestamp,
    pub match_policy: MatchPolicy,
    /// Whether it is disabled: its tokens don't work and it gets no new matches
    pub disabled: bool,
    /// Why an admin disabled it; null if no admin did
    pub disabled_reason: Option<String>,
    /// Whether it is a house bot
    pub house: bool,
    /// Whether it asked for its turns or moved within 30 s, or is waiting in a poll. Arenas seat
    /// only online bots. Shown only to the bot and its owner
    #[serde(skip_serializing_if = "Option::is_none")]
    pub online: Option<bool>,
}

/// The clock of a match. Omitted fields have their defaults.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Clock {
    /// Time for each decision. Default: `5000`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// Additional time for the whole match. Default: `30000`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u64>,
    /// Added to the bank by each decision made. Default: `0`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// Network allowance for each move; never charged. Default: `250`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
    /// The number of timeouts that forfeit the seat. Default: `3`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strikes: Option<u64>,
}

/// All values are in milliseconds, except `strikes`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ClockRule {
    /// Time for each decision
    pub move_ms: u64,
    /// Additional time for the whole match
    pub bank_ms: u64,
    /// Added to the bank by each decision made
    pub increment_ms: u64,
    /// Network allowance for each move; never charged
    pub grace_ms: u64,
    /// The number of timeouts that forfeit the seat
    pub strikes: u64,
}

/// The schema `CreatedBot` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CreatedBot {
    pub bot: Bot,
    /// The token, sent as `Authorization: Bearer …`. Shown only once
    pub token: String,
}

/// The schema `CreatedOwner` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct CreatedOwner {
    pub owner: Owner,
    /// The token, sent as `Authorization: Bearer …`. Shown only once
    pub token: String,
}

/// What one seat, or a spectator, sees of a deal of Durak.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct DurakObservation {
    pub game: String,
    /// This deal's number in the match, from 1
    pub deal: u64,
    /// The number of deals in the match
    pub deals: u64,
    /// The dealer of this deal
    pub dealer: u64,
    /// Points of the finished deals, by seat
    pub scores: Vec<i64>,
    /// The seat that sees this; null for a spectator
    pub seat: Option<u64>,
    /// The seat to move; null when the deal is over
    pub to_move: Option<u64>,
    /// What is asked: attack (open the bout), throw (throw in or pass, the attack goes on),
    /// defend (beat or take), give (throw in or pass, the defender takes), exchange (the 6 of
    /// trumps after the last draw, or pass); null when the deal is over
    pub question: Option<String>,
    /// Your cards, by rank, then by suit; empty for a spectator
    pub hand: Vec<String>,
    /// The number of cards in each hand, by seat
    pub hand_sizes: Vec<u64>,
    /// The trump suit: C, D, H or S
    pub trump: String,
    /// The upturned card that lies under the talon; null when there is no talon
    pub trump_card: Option<String>,
    /// Cards left to draw, including the upturned one
    pub talon: u64,
    /// Cards in the discard heap
    pub discard: u64,
    /// The principal attacker of this bout; null when the deal is over
    pub attacker: Option<u64>,
    /// The defender of this bout; null when the deal is over
    pub defender: Option<u64>,
    /// The seats that may attack in this bout, in the order of asking
    pub entitled: Vec<u64>,
    /// The bout so far: each attack card in order of play, with the card that beats it or null
    pub pairs: Vec<(String, Option<String>)>,
    /// Whether the defender has said `take`
    pub taking: bool,
    /// The number of attack cards that may still be played in this bout
    pub room: u64,
    /// By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight
    /// of all
    pub known: Vec<Vec<String>>,
    /// The seats that have no cards left
    pub out: Vec<u64>,
    /// The seats of each team; null when all play for themselves
    pub teams: Option<Vec<Vec<u64>>>,
    /// Moves made in this deal, exchanges among them
    pub moves_made: u64,
    /// The deal is a draw after this number of moves
    pub turn_limit: i64,
    /// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
    pub legal_moves: Vec<String>,
    /// The free moves that you may make now, whether or not it is your turn; send one with
    /// `deal`. Empty for a spectator
    pub free_moves: Vec<String>,
}

/// The options of durak. Omitted options have their defaults.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct DurakOptions {
    /// Four or six players in two teams, the even seats against the odd. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teams: Option<bool>,
    /// Everybody but the defender, or only the nearest players with cards on either side. By
    /// default `neighbours` with five or six players, else `all`. Not with teams, where the
    /// opponents attack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attackers: Option<String>,
    /// Whether attackers may play several cards in one move. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_attacks: Option<bool>,
    /// Who attacks first in the match's first deal: the holder of the lowest trump, or the player
    /// on the dealer's left, as in all later deals. Default: `lowest_trump`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_attacker: Option<String>,
    /// A deal without a result after this many moves is a draw. Default: `1000`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_limit: Option<u64>,
}

/// rules: played to the end; forfeit: ended early, because after timeouts at most one side was
/// left; resigned: ended early, because after resignations at most one side was left; aborted:
/// never started; void: does not count
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    Rules,
    Forfeit,
    Resigned,
    Aborted,
    Void,
    /// A value of a later release.
    #[serde(untagged)]
    Other(String),
}

/// A match of yours that is over.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct FinishedMatch {
    /// The match's id
    #[serde(rename = "match")]
    pub match_id: String,
    /// Your seat
    pub seat: u64,
    pub ending: Ending,
    /// By seat
    pub scores: Vec<i64>,
    /// By seat
    pub places: Vec<u64>,
    /// The forfeited seats
    pub forfeits: Vec<u64>,
    /// When it ended
    pub ended: jiff::Timestamp,
}

/// A game's id
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GameId {
    Durak,
    King,
    Kryt,
    SvoiKozyri,
    /// A value of a later release.
    #[serde(untagged)]
    Other(String),
}

/// A wish for one match.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct JoinQueue {
    /// As in `GET /v1/games`
    pub game: GameId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// The number of seats; if omitted, the fewest that the game has
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats: Option<u64>,
    /// The number of deals, by default 1. Not for games with a fixed number
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deals: Option<u64>,
    /// How far an opponent's rating may lie from the bot's own at first, in rating points. Null
    /// accepts any opponent. Default: `200`
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "nullable")]
    pub rating_band: Option<Option<u64>>,
    /// By how many rating points the band widens each second. Default: `20`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band_growth: Option<u64>,
    /// Printable characters of your choice that enter the shuffle
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy: Option<String>,
}

impl JoinQueue {
    /// Returns one with the required fields.
    pub fn new(game: GameId) -> Self {
        Self {
            game,
            options: None,
            clock: None,
            seats: None,
            deals: None,
            rating_band: None,
            band_growth: None,
            entropy: None,
        }
    }
}

/// What one seat, or a spectator, sees of a deal of King.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct KingObservation {
    pub game: String,
    /// This deal's number in the match, from 1
    pub deal: u64,
    /// The number of deals in the match
    pub deals: u64,
    /// The dealer of this deal
    pub dealer: u64,
    /// Points of the finished deals, by seat
    pub scores: Vec<i64>,
    /// The seat that sees this; null for a spectator
    pub seat: Option<u64>,
    /// The seat to move; null when the deal is over
    pub to_move: Option<u64>,
    /// What is asked: declare (trumps or a miser) or play (a card); null when the deal is over
    pub question: Option<String>,
    /// Your cards, by rank, then by suit (before the declaration three); empty for a spectator
    pub hand: Vec<String>,
    /// The number of cards in each hand, by seat
    pub hand_sizes: Vec<u64>,
    /// What scores in this deal: no_tricks, no_hearts, no_jacks, no_queens, no_last_two,
    /// no_king_of_hearts, negative_yeralash, khvalenka or positive_yeralash
    pub contract: String,
    /// The declaration: C, D, H, S, last or miser; null before it and in deals without one
    pub declared: Option<String>,
    /// The trump suit, C, D, H or S; null where there is none, or none yet
    pub trump: Option<String>,
    /// The card that `declare last` has shown; null without one
    pub trump_card: Option<String>,
    /// Whether the ranks are reversed, 7 high and ace low
    pub miser: bool,
    /// The trick that is being played: pairs of seat and card, the leader's first
    pub trick: Vec<(u64, String)>,
    /// The trick before it in the same form; empty in the first
    pub last_trick: Vec<(u64, String)>,
    /// The number of tricks taken in this deal, by seat
    pub tricks_taken: Vec<u64>,
    /// The cards taken in this deal, by seat, in the order of play
    pub taken: Vec<Vec<String>>,
    /// The points of this deal so far, by seat
    pub deal_scores: Vec<i64>,
    /// By seat, the cards that everybody knows to lie in that hand: the one shown, until played
    pub known: Vec<Vec<String>>,
    /// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
    pub legal_moves: Vec<String>,
    /// The free moves that you may make now, whether or not it is your turn; send one with
    /// `deal`. Empty for a spectator
    pub free_moves: Vec<String>,
}

/// The options of king. Omitted options have their defaults.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct KingOptions {}

/// What one seat, or a spectator, sees of a deal of Kryt'-navalivat'.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct KrytObservation {
    pub game: String,
    /// This deal's number in the match, from 1
    pub deal: u64,
    /// The number of deals in the match
    pub deals: u64,
    /// The dealer of this deal
    pub dealer: u64,
    /// Points of the finished deals, by seat
    pub scores: Vec<i64>,
    /// The seat that sees this; null for a spectator
    pub seat: Option<u64>,
    /// The seat that is asked; null when the deal is over
    pub to_move: Option<u64>,
    /// What is asked: lead (a card to the empty pile), beat (the top card, or pick up), free_lead
    /// (a card on top of the pile, whatever lies there); null when the deal is over
    pub question: Option<String>,
    /// Your cards, by rank, then by suit; empty for a spectator
    pub hand: Vec<String>,
    /// The number of cards in each hand, by seat
    pub hand_sizes: Vec<u64>,
    /// Cards in the pile
    pub pile: u64,
    /// The top card of the pile; null when there is no pile
    pub top: Option<String>,
    /// The cards that a pickup would bring, the top card first; null unless you are asked to beat
    pub pickup: Option<Vec<String>>,
    /// The card right under those of `pickup`, which would be the new top; null if there is none,
    /// or unless you are asked to beat
    pub under: Option<String>,
    /// By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight
    /// of all
    pub known: Vec<Vec<String>>,
    /// The seats that have got rid of all their cards
    pub out: Vec<u64>,
    /// Moves made in this deal, exchanges among them
    pub moves_made: u64,
    /// At this number of moves the deal is a draw
    pub turn_limit: i64,
    /// The trump suit: C, D, H or S
    pub trump: String,
    /// The suit that no trump beats: S with fixed trumps, else null
    pub anti_trump: Option<String>,
    /// The upturned card that lies under the stock; null with no stock, or with fixed trumps
    pub trump_card: Option<String>,
    /// Cards left to draw, the upturned one among them
    pub stock: u64,
    /// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
    pub legal_moves: Vec<String>,
    /// The free moves that you may make now, whether or not it is your turn; send one with
    /// `deal`. Empty for a spectator
    pub free_moves: Vec<String>,
}

/// The options of kryt. Omitted options have their defaults.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct KrytOptions {
    /// `turned`: the card turned up under the stock names the trump suit. `fixed`: diamonds are
    /// trumps and spades anti-trumps, which no trump beats. Default: `turned`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trumps: Option<String>,
    /// A deal without a result after this many moves is a draw. Default: `1000`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_limit: Option<u64>,
}

/// The schema `Limits` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Limits {
    /// The longest `wait` of a request, in seconds
    pub max_wait_s: f64,
    /// The largest body of a request
    pub max_body_bytes: u64,
    /// Seconds within which a body must arrive completely
    pub body_timeout_s: f64,
    /// Moves in one `POST /v1/turns`
    pub max_moves: u64,
    /// Entries of one page of a list; standings have up to 1000
    pub max_page: u64,
    /// Events in one response
    pub max_events: u64,
    /// Polls of one bot that may wait in one process of the service. One more makes the oldest
    /// respond at once
    pub max_polls: u64,
    /// Requests that may wait for a match's next turn or its events, per bot, or per address
    /// without a token
    pub max_waits: u64,
    /// Whether registration needs no invitation
    pub open_registration: bool,
    /// A match is aborted if its seats don't show up within this time
    pub start_ms: u64,
    /// A match is aborted if its open seats aren't taken within this time
    pub open_ms: u64,
    /// The delay after deadline and grace before the referee makes the safe move
    pub settle_ms: u64,
    /// The rate limits. A missing entry means no limit
    pub rates: BTreeMap<String, Rate>,
    /// The version of the service
    pub version: String,
}

/// A match as the caller may see it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Match {
    /// The match's id
    pub id: String,
    /// The game's id
    pub game: String,
    /// Every option that applies, defaults too
    pub options: BTreeMap<String, Option<serde_json::Value>>,
    /// What is rated together: game, seats, and options that are not their defaults
    pub preset: String,
    /// The game and the version of its rules
    pub rules: String,
    /// How many deals the match has
    pub deals: u64,
    /// The deal in progress, from 1
    pub deal: u64,
    /// Who sits where; null is an open seat
    pub seats: Vec<Option<SeenSeat>>,
    pub clock: ClockRule,
    /// Whether it counts in ratings
    pub rated: bool,
    /// The ladder that made it
    pub ladder: Option<String>,
    /// The ladder's round
    pub round: Option<u64>,
    pub status: MatchStatus,
    /// How it ended; null before the end
    pub ending: Option<Ending>,
    /// Whether it is over and does not count, by its ending or by a later annotation
    pub void: bool,
    /// When it was created
    pub created: jiff::Timestamp,
    /// When its first deal was dealt
    pub started: Option<jiff::Timestamp>,
    /// When it ended
    pub ended: Option<jiff::Timestamp>,
    /// Points of the finished deals, by seat
    pub scores: Vec<i64>,
    /// By seat, 1 + the number of seats with a higher score; forfeited seats after all others
    pub places: Option<Vec<u64>>,
    /// The forfeited seats
    pub forfeits: Vec<u64>,
    /// The position of an earlier match at which it began. Such a match counts in no rating or
    /// standing
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continues: Option<MatchPlace>,
    /// By seat, whether it gave entropy of its own to the shuffle
    pub entropy: Vec<bool>,
    /// SHA-256 of the shuffle's secret and the match's id, in hexadecimal
    pub commitment: String,
    /// By seat
    pub clocks: Vec<SeatClock>,
    /// The seat whose view this is; null for a spectator
    pub seat: Option<u64>,
    /// Service time at this answer
    pub now: jiff::Timestamp,
    /// The current turn; null if there is none
    pub turn: Option<u64>,
    /// The seat to move; null if there is none
    pub to_move: Option<u64>,
    /// When the turn times out, including the bank but not the grace; null without a clock
    pub deadline: Option<jiff::Timestamp>,
    /// What this viewer sees of the deal; null while no deal is played
    pub observation: Option<Observation>,
}

/// A free move in one of your matches.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MatchFreeMove {
    /// The deal to make it in
    pub deal: u64,
    /// The move as text
    #[serde(rename = "move")]
    pub chosen_move: String,
    /// Your own note on the move. Only you see it before everybody may read the match
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The match's id
    #[serde(rename = "match")]
    pub match_id: String,
}

impl MatchFreeMove {
    /// Returns one with the required fields.
    pub fn new(deal: u64, chosen_move: String, match_id: String) -> Self {
        Self {
            deal,
            chosen_move,
            note: None,
            match_id,
        }
    }
}

/// The schema `MatchMove` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MatchMove {
    /// The turn that is answered
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// The move as text, one of `legal_moves`
    #[serde(rename = "move")]
    pub chosen_move: String,
    /// Your own note on the move. Only you see it before everybody may read the match
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The match's id
    #[serde(rename = "match")]
    pub match_id: String,
    /// The deal to make it in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deal: Option<u64>,
}

impl MatchMove {
    /// Returns one with the required fields.
    pub fn new(chosen_move: String, match_id: String) -> Self {
        Self {
            turn: None,
            chosen_move,
            note: None,
            match_id,
            deal: None,
        }
    }
}

/// The schema `MatchPlace` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MatchPlace {
    /// The match that this one continues
    #[serde(rename = "match")]
    pub match_id: String,
    /// The deal at which it began
    pub deal: u64,
    /// How many moves of that deal were repeated
    #[serde(rename = "move")]
    pub chosen_move: u64,
}

/// The schema `MatchPolicy` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MatchPolicy {
    /// The games it plays; null: all
    pub games: Option<Vec<String>>,
    /// Matches at the same time, at most
    pub max_matches: u64,
    /// The shortest `move_ms`
    pub min_move_ms: u64,
    /// The smallest `bank_ms`
    pub min_bank_ms: u64,
    /// The kinds of match it plays; null: all
    pub kinds: Option<Vec<String>>,
    /// The only owners, besides its own, that it plays with; null: all
    pub owners: Option<Vec<String>>,
    /// Owners that it does not play with
    pub excluded_owners: Vec<String>,
}

/// The matches that a bot accepts.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct MatchPolicyInput {
    /// The games it plays; null: all
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<Vec<String>>,
    /// Matches at the same time, at most. Default: `16`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_matches: Option<u64>,
    /// The shortest `move_ms`. Default: `0`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_move_ms: Option<u64>,
    /// The smallest `bank_ms`. Default: `0`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_bank_ms: Option<u64>,
    /// The kinds of match it plays; null: all
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<String>>,
    /// The only owners whose bots and challenges it accepts, besides its own; `house` has the
    /// house bots. Null: all
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owners: Option<Vec<String>>,
    /// Owners whose bots and challenges it does not accept
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_owners: Option<Vec<String>>,
}

/// open: has open seats; waiting: for its seats to show up; running; finished
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MatchStatus {
    Open,
    Waiting,
    Running,
    Finished,
    /// A value of a later release.
    #[serde(untagged)]
    Other(String),
}

/// An answer to a turn of one of your matches.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MatchTurnMove {
    /// The turn that is answered
    pub turn: u64,
    /// The move as text, one of `legal_moves`
    #[serde(rename = "move")]
    pub chosen_move: String,
    /// Your own note on the move. Only you see it before everybody may read the match
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The match's id
    #[serde(rename = "match")]
    pub match_id: String,
}

impl MatchTurnMove {
    /// Returns one with the required fields.
    pub fn new(turn: u64, chosen_move: String, match_id: String) -> Self {
        Self {
            turn,
            chosen_move,
            note: None,
            match_id,
        }
    }
}

/// Any number of moves, and a wait for the next turns.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct MoveBatch {
    /// An empty list only waits
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<MatchMove>>,
    /// Seconds to wait for a turn, at most `max_wait_s` of `GET /v1/limits`. Default: `0.0`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<f64>,
    /// The `since` of the last response: leaves out turns and finished matches already delivered
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The bot finishes its matches and leaves: it does not show up for matches that have not
    /// begun, and this request does not make it online. Default: `false`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaving: Option<bool>,
}

/// The result of a move, or the move and the problem of a refused one.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MoveOutcome {
    /// The match's id
    #[serde(rename = "match")]
    pub match_id: String,
    /// Your seat
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<u64>,
    /// The turn that was answered; null for a free move
    pub turn: Option<u64>,
    /// The move that was made
    #[serde(rename = "move")]
    pub chosen_move: String,
    /// The time taken
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// The part of it charged to your bank
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged_ms: Option<u64>,
    /// Whether the move had been made before; the result is the first one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replayed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// The result of a move.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MoveResult {
    /// The match's id
    #[serde(rename = "match")]
    pub match_id: String,
    /// Your seat
    pub seat: u64,
    /// The turn that was answered; null for a free move
    pub turn: Option<u64>,
    /// The move that was made
    #[serde(rename = "move")]
    pub chosen_move: String,
    /// The time taken
    pub ms: u64,
    /// The part of it charged to your bank
    pub charged_ms: u64,
    /// Whether the move had been made before; the result is the first one
    pub replayed: bool,
}

/// The result of a move, and what came next.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MoveResultAndTurns {
    /// The match's id
    #[serde(rename = "match")]
    pub match_id: String,
    /// Your seat
    pub seat: u64,
    /// The turn that was answered; null for a free move
    pub turn: Option<u64>,
    /// The move that was made
    #[serde(rename = "move")]
    pub chosen_move: String,
    /// The time taken
    pub ms: u64,
    /// The part of it charged to your bank
    pub charged_ms: u64,
    /// Whether the move had been made before; the result is the first one
    pub replayed: bool,
    /// Your next turn of this match, if it came within the wait
    pub next: Option<Turn>,
    /// The end of the match, if it came within the wait
    pub finished: Option<FinishedMatch>,
    pub service: ServiceState,
}

/// The schema `MoveResults` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct MoveResults {
    /// The result of each move, in the order sent
    pub results: Vec<MoveOutcome>,
    /// Your open turns that `since` does not cover
    pub turns: Vec<Turn>,
    /// Matches of yours that are over
    pub finished: Vec<FinishedMatch>,
    /// Send it with your next request
    pub since: String,
    pub service: ServiceState,
    /// With `leaving`: how many of your matches have begun and are not over. At 0 the wait ends
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<u64>,
}

/// A bot.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct NewBot {
    /// 2 to 32 characters of a-z, 0-9 and -; the first is not -
    pub name: String,
    /// The version of your program: printable characters, not only blanks. Matches record it.
    /// Default: `1`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// A description for other people
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_policy: Option<MatchPolicyInput>,
    /// What the token is for, for your own list
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl NewBot {
    /// Returns one with the required fields.
    pub fn new(name: String) -> Self {
        Self {
            name,
            version: None,
            description: None,
            match_policy: None,
            note: None,
        }
    }
}

/// A casual match.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct NewMatch {
    /// As in `GET /v1/games`
    pub game: GameId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// The first dealer; drawn by lot if left out
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dealer: Option<u64>,
    /// Printable characters of your choice that enter the shuffle
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy: Option<String>,
    /// The bots by seat, as `owner/bot`. Null is an open seat that any bot may join. A remote bot
    /// can have only one seat, a house bot several
    pub seats: Vec<Option<String>>,
    /// The number of deals, by default 1. Not for games with a fixed number
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deals: Option<u64>,
}

impl NewMatch {
    /// Returns one with the required fields.
    pub fn new(game: GameId, seats: Vec<Option<String>>) -> Self {
        Self {
            game,
            options: None,
            clock: None,
            dealer: None,
            entropy: None,
            seats,
            deals: None,
        }
    }
}

/// A new owner.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct NewOwner {
    /// 2 to 32 characters of a-z, 0-9 and -; the first is not -. `name_taken` refuses reserved
    /// words (admin, administrator, anonymous, house, kozyr, moderator, official, operator, root,
    /// security, server, service, staff, support, system) and names that read like one: digits
    /// for letters, hyphens, a number before or after it
    pub name: String,
    /// An invitation's code, if registration requires one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invitation: Option<String>,
    /// What the token is for, for your own list
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl NewOwner {
    /// Returns one with the required fields.
    pub fn new(name: String) -> Self {
        Self {
            name,
            invitation: None,
            note: None,
        }
    }
}

/// The schema `Owner` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Owner {
    /// The owner's id
    pub id: String,
    /// The owner's name
    pub name: String,
    /// When it was created
    pub created: jiff::Timestamp,
    /// Whether it is disabled: its tokens don't work
    pub disabled: bool,
    /// Why it is disabled
    pub reason: String,
}

/// An RFC 9457 problem document. Fields after `request_id` appear only where they help.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// The page that explains the problem
    #[serde(rename = "type")]
    pub kind: String,
    /// A short title, the same for each `code`
    pub title: String,
    pub status: u64,
    /// What was wrong with this request
    pub detail: String,
    pub code: ProblemCode,
    /// Whether the same request may succeed when it is sent again unchanged
    pub retryable: bool,
    /// Identifies the request; quote it to the operator
    pub request_id: String,
    /// The content types that the path supports
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supported: Option<Vec<String>>,
    /// What is wrong with each field or parameter
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<BTreeMap<String, Vec<String>>>,
    /// The field that is wrong
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The expected value, in words
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The required scope
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The legal moves of the turn
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_moves: Option<Vec<String>>,
    /// The free moves that you may make now
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_moves: Option<Vec<String>>,
    /// The deal to send a free move with
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deal: Option<i64>,
    /// The current turn of the match
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i64>,
    /// The match as you see it now
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<Match>,
    /// The seats still open
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_seats: Option<Vec<i64>>,
    /// How the match ended
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<String>,
    /// Milliseconds to wait before retrying
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_ms: Option<i64>,
    /// Which of the `rates` of `GET /v1/limits` was exceeded
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The round that is running
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<i64>,
    /// The ladder's state
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The bot that can't be seated
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
    /// disabled; game, clock, kind or owner: its match policy excludes the game, the clock, the
    /// kind of match or the owner of another bot at the table; busy: it has as many matches as it
    /// accepts. The others say why a ladder refuses an entry; unchecked: it requires a
    /// conformance check
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why the ladder's owner banned the bot, in the owner's words
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The bot's match policy
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_policy: Option<MatchPolicy>,
}

/// What is wrong. Later releases may have more codes
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProblemCode {
    BadRequest,
    BadJson,
    BadCursor,
    BodyCutShort,
    NotFound,
    MethodNotAllowed,
    NotAcceptable,
    BodyTimeout,
    BodyTooLarge,
    WrongContentType,
    EncodedBody,
    RangeNotSatisfiable,
    InvalidBody,
    InvalidQuery,
    InvalidHeader,
    TokenMissing,
    TokenInvalid,
    ScopeMissing,
    WrongTokenKind,
    BadInvitation,
    NotYourBot,
    NotYourMatch,
    NotYourLadder,
    NotYourToken,
    NoSuchGame,
    NoSuchMatch,
    NoSuchOwner,
    NoSuchBot,
    NoSuchToken,
    NoSuchCheck,
    NoSuchGroup,
    NoSuchLadder,
    NoSuchPreset,
    NoSuchRound,
    NoSuchSeason,
    NoSuchWebhook,
    NoSuchMessage,
    NoSuchReview,
    NotQueued,
    NoBracket,
    StaleTurn,
    NotYourTurn,
    MatchNotRunning,
    MatchOver,
    SeatTaken,
    AlreadySeated,
    NotJoinable,
    RecordNotReady,
    GroupRunning,
    BotUnavailable,
    AlreadyQueued,
    NameTaken,
    WrongLadderState,
    EntryRefused,
    NotRerunnable,
    RoundRunning,
    NothingToPlay,
    SeasonEmpty,
    IdempotencyKeyInFlight,
    IdempotencyKeyReused,
    BadValue,
    RateLimited,
    TooManyReviews,
    BadTable,
    NotAMove,
    FreeMoveWithTurn,
    IllegalMove,
    MatchUnreadable,
    InternalError,
    Busy,
    EventsNotReady,
    Overtaken,
    ServicePaused,
    ServiceDraining,
    StorageFull,
    StoreUnavailable,
    /// A value of a later release.
    #[serde(untagged)]
    Other(String),
}

/// A bot's place in the queue.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct QueueEntry {
    /// Names the entry
    pub id: String,
    /// `waiting`; `matched`: it has a match; `left`: the bot left; `dropped`: the service removed
    /// it
    pub state: String,
    /// Why it was dropped. `gone`: the bot was offline; `disabled`; `policy`: its match policy no
    /// longer accepts these terms; `failed`: the match could not be created
    pub reason: Option<String>,
    /// Its match, once there is one
    #[serde(rename = "match")]
    pub match_id: Option<String>,
    /// As in `GET /v1/games`
    pub game: String,
    /// The number of seats
    pub seats: u64,
    /// Every option that applies, defaults too
    pub options: BTreeMap<String, serde_json::Value>,
    /// The preset whose ratings count
    pub preset: String,
    /// The number of deals
    pub deals: u64,
    pub clock: ClockRule,
    /// The bot's rating when it joined; 1500 if unrated
    pub rating: f64,
    /// As requested
    pub rating_band: Option<u64>,
    /// As requested
    pub band_growth: u64,
    /// When the bot joined
    pub joined: jiff::Timestamp,
    /// When it was matched, left or was dropped
    pub ended: Option<jiff::Timestamp>,
}

/// The schema `Rate` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Rate {
    /// The number of requests
    pub limit: u64,
    /// The length of the window in seconds
    pub window_s: u64,
}

/// A refused move of a batch.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct RefusedMove {
    /// The match in the request
    #[serde(rename = "match")]
    pub match_id: String,
    /// The turn in the request; null for a free move
    pub turn: Option<u64>,
    /// The move in the request
    #[serde(rename = "move")]
    pub chosen_move: String,
    pub problem: Problem,
}

/// The schema `SeatClock` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SeatClock {
    /// The remaining bank
    pub bank_ms: u64,
    /// Timeouts so far
    pub strikes: u64,
}

/// The bot in a seat. Until a duplicate group ends, each seat is hidden the names of other remote
/// bots.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SeenSeat {
    /// `owner/bot`; null while its name is hidden
    pub bot: Option<String>,
    /// The bot's id, which never changes; null while its name is hidden
    pub id: Option<String>,
    /// The bot's version when the match was made; null while its name is hidden
    pub version: Option<String>,
    /// A person plays; absent for a bot. Such a match counts in no rating or standing
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<bool>,
}

/// running; draining: existing matches are played out and nothing new is created; paused: all
/// clocks stand still, moves cost no time, and nothing new is created
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ServiceState {
    Running,
    Draining,
    Paused,
    /// A value of a later release.
    #[serde(untagged)]
    Other(String),
}

/// What one seat, or a spectator, sees of a deal of Svoi Kozyri.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SvoiKozyriObservation {
    pub game: String,
    /// This deal's number in the match, from 1
    pub deal: u64,
    /// The number of deals in the match
    pub deals: u64,
    /// The dealer of this deal
    pub dealer: u64,
    /// Points of the finished deals, by seat
    pub scores: Vec<i64>,
    /// The seat that sees this; null for a spectator
    pub seat: Option<u64>,
    /// The seat that is asked; null when the deal is over
    pub to_move: Option<u64>,
    /// What is asked: lead (a card to the empty pile), beat (the top card, or pick up), free_lead
    /// (a card on top of the pile, whatever lies there); null when the deal is over
    pub question: Option<String>,
    /// Your cards, by rank, then by suit; empty for a spectator
    pub hand: Vec<String>,
    /// The number of cards in each hand, by seat
    pub hand_sizes: Vec<u64>,
    /// Cards in the pile
    pub pile: u64,
    /// The top card of the pile; null when there is no pile
    pub top: Option<String>,
    /// The cards that a pickup would bring, the top card first; null unless you are asked to beat
    pub pickup: Option<Vec<String>>,
    /// The card right under those of `pickup`, which would be the new top; null if there is none,
    /// or unless you are asked to beat
    pub under: Option<String>,
    /// By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight
    /// of all
    pub known: Vec<Vec<String>>,
    /// The seats that have got rid of all their cards
    pub out: Vec<u64>,
    /// Moves made in this deal, exchanges among them
    pub moves_made: u64,
    /// At this number of moves the deal is a draw
    pub turn_limit: i64,
    /// By seat, the suit of that player's trumps
    pub trumps: Vec<String>,
    /// The lowest rank of the pack
    pub lowest_rank: String,
    /// Whether a pickup always takes the whole pile
    pub whole_pile: bool,
    /// The cards that were given to the owners of their suits after the deal
    pub given: Vec<BTreeMap<String, serde_json::Value>>,
    /// All hands where they lie open, by seat; null where they do not
    pub hands: Option<Vec<Vec<String>>>,
    /// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
    pub legal_moves: Vec<String>,
    /// The free moves that you may make now, whether or not it is your turn; send one with
    /// `deal`. Empty for a spectator
    pub free_moves: Vec<String>,
}

/// The options of svoi_kozyri. Omitted options have their defaults.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct SvoiKozyriOptions {
    /// The suit of each player's trumps, one letter a seat, all different, as in `SC`. By default
    /// the first letters of `SCDH`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trumps: Option<String>,
    /// `dealt`: the cards as they fall, then each lowest card to the owner of its suit.
    /// `besikovich`: two players, open hands that mirror each other. Default: `dealt`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// `modern`: three cards, five or the whole pile, by the top card. `whole_pile`: always the
    /// whole pile. By default `modern`; with the layout `besikovich` it is `whole_pile` and
    /// nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pickup: Option<String>,
    /// The rank at which the pack begins, each suit going up to the ace. Default: `6`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest_rank: Option<String>,
    /// A deal without a result after this many moves is a draw. Default: `1000`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_limit: Option<u64>,
}

/// The schema `TurnList` of the API.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct TurnList {
    /// Your open turns that `since` does not cover
    pub turns: Vec<Turn>,
    /// Matches of yours that are over
    pub finished: Vec<FinishedMatch>,
    /// Send it with your next request
    pub since: String,
    pub service: ServiceState,
}

/// Reads a field in which null is a value, `Some(None)`.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}
