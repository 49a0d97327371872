// Generated from openapi.yaml by tools/client_types.py. DO NOT EDIT.

/** The clock of a match. Omitted fields have their defaults. */
export interface Clock {
  /** Time for each decision. Default: `5000` */
  move_ms?: number;
  /** Additional time for the whole match. Default: `30000` */
  bank_ms?: number;
  /** Added to the bank by each decision made. Default: `0` */
  increment_ms?: number;
  /** Network allowance for each move; never charged. Default: `250` */
  grace_ms?: number;
  /** The number of timeouts that forfeit the seat. Default: `3` */
  strikes?: number;
}

/** All values are in milliseconds, except `strikes`. */
export interface ClockRule {
  /** Time for each decision */
  move_ms: number;
  /** Additional time for the whole match */
  bank_ms: number;
  /** Added to the bank by each decision made */
  increment_ms: number;
  /** Network allowance for each move; never charged */
  grace_ms: number;
  /** The number of timeouts that forfeit the seat */
  strikes: number;
}

/** What one seat, or a spectator, sees of a deal of Durak. */
export interface DurakObservation {
  game: "durak";
  /** This deal's number in the match, from 1 */
  deal: number;
  /** The number of deals in the match */
  deals: number;
  /** The dealer of this deal */
  dealer: number;
  /** Points of the finished deals, by seat */
  scores: number[];
  /** The seat that sees this; null for a spectator */
  seat: number | null;
  /** The seat to move; null when the deal is over */
  to_move: number | null;
  /**
   * What is asked: attack (open the bout), throw (throw in or pass, the attack goes on), defend
   * (beat or take), give (throw in or pass, the defender takes), exchange (the 6 of trumps after
   * the last draw, or pass); null when the deal is over
   */
  question: "attack" | "throw" | "defend" | "give" | "exchange" | (string & {}) | null;
  /** Your cards, by rank, then by suit; empty for a spectator */
  hand: string[];
  /** The number of cards in each hand, by seat */
  hand_sizes: number[];
  /** The trump suit: C, D, H or S */
  trump: "C" | "D" | "H" | "S" | (string & {});
  /** The upturned card that lies under the talon; null when there is no talon */
  trump_card: string | null;
  /** Cards left to draw, including the upturned one */
  talon: number;
  /** Cards in the discard heap */
  discard: number;
  /** The principal attacker of this bout; null when the deal is over */
  attacker: number | null;
  /** The defender of this bout; null when the deal is over */
  defender: number | null;
  /** The seats that may attack in this bout, in the order of asking */
  entitled: number[];
  /** The bout so far: each attack card in order of play, with the card that beats it or null */
  pairs: ([string, string | null])[];
  /** Whether the defender has said `take` */
  taking: boolean;
  /** The number of attack cards that may still be played in this bout */
  room: number;
  /**
   * By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight of
   * all
   */
  known: string[][];
  /** The seats that have no cards left */
  out: number[];
  /** The seats of each team; null when all play for themselves */
  teams: number[][] | null;
  /** Moves made in this deal, exchanges among them */
  moves_made: number;
  /** The deal is a draw after this number of moves */
  turn_limit: number;
  /** The legal moves of this turn; send one with `turn`. Empty if it is not your turn */
  legal_moves: string[];
  /**
   * The free moves that you may make now, whether or not it is your turn; send one with `deal`
   */
  free_moves: string[];
}

/**
 * rules: played to the end; forfeit: ended early, because after timeouts at most one side was
 * left; resigned: ended early, because after resignations at most one side was left; aborted:
 * never started; void: does not count
 */
export type Ending = "rules" | "forfeit" | "resigned" | "aborted" | "void" | (string & {});

/** A match of yours that is over. */
export interface FinishedMatch {
  /** The match's id */
  match: string;
  /** Your seat */
  seat: number;
  ending: Ending;
  /** By seat */
  scores: number[];
  /** By seat */
  places: number[];
  /** The forfeited seats */
  forfeits: number[];
  /** When it ended */
  ended: string;
}

/** A game's id */
export type GameId = "durak" | "king" | "kryt" | "svoi_kozyri" | (string & {});

/** A wish for one match. */
export interface JoinQueue {
  /** As in `GET /v1/games` */
  game: GameId;
  options?: Options;
  clock?: Clock;
  /** The number of seats; if omitted, the fewest that the game has */
  seats?: number | null;
  /** The number of deals, by default 1. Not for games with a fixed number */
  deals?: number | null;
  /** How far an opponent's rating may lie from the bot's own at first, in rating points */
  rating_band?: number | null;
  /** By how many rating points the band widens each second. Default: `20` */
  band_growth?: number;
  /** Printable characters of your choice that enter the shuffle */
  entropy?: string | null;
}

/** What one seat, or a spectator, sees of a deal of King. */
export interface KingObservation {
  game: "king";
  /** This deal's number in the match, from 1 */
  deal: number;
  /** The number of deals in the match */
  deals: number;
  /** The dealer of this deal */
  dealer: number;
  /** Points of the finished deals, by seat */
  scores: number[];
  /** The seat that sees this; null for a spectator */
  seat: number | null;
  /** The seat to move; null when the deal is over */
  to_move: number | null;
  /** What is asked: declare (trumps or a miser) or play (a card); null when the deal is over */
  question: "declare" | "play" | (string & {}) | null;
  /** Your cards, by rank, then by suit (before the declaration three); empty for a spectator */
  hand: string[];
  /** The number of cards in each hand, by seat */
  hand_sizes: number[];
  /**
   * What scores in this deal: no_tricks, no_hearts, no_jacks, no_queens, no_last_two,
   * no_king_of_hearts, negative_yeralash, khvalenka or positive_yeralash
   */
  contract: "no_tricks" | "no_hearts" | "no_jacks" | "no_queens" | "no_last_two" | "no_king_of_hearts" | "negative_yeralash" | "khvalenka" | "positive_yeralash" | (string & {});
  /** The declaration: C, D, H, S, last or miser; null before it and in deals without one */
  declared: "C" | "D" | "H" | "S" | "last" | "miser" | (string & {}) | null;
  /** The trump suit, C, D, H or S; null where there is none, or none yet */
  trump: "C" | "D" | "H" | "S" | (string & {}) | null;
  /** The card that `declare last` has shown; null without one */
  trump_card: string | null;
  /** Whether the ranks are reversed, 7 high and ace low */
  miser: boolean;
  /** The trick that is being played: pairs of seat and card, the leader's first */
  trick: ([number, string])[];
  /** The trick before it in the same form; empty in the first */
  last_trick: ([number, string])[];
  /** The number of tricks taken in this deal, by seat */
  tricks_taken: number[];
  /** The cards taken in this deal, by seat, in the order of play */
  taken: string[][];
  /** The points of this deal so far, by seat */
  deal_scores: number[];
  /** By seat, the cards that everybody knows to lie in that hand: the one shown, until played */
  known: string[][];
  /** The legal moves of this turn; send one with `turn`. Empty if it is not your turn */
  legal_moves: string[];
  /**
   * The free moves that you may make now, whether or not it is your turn; send one with `deal`
   */
  free_moves: string[];
}

/** What one seat, or a spectator, sees of a deal of Kryt'-navalivat'. */
export interface KrytObservation {
  game: "kryt";
  /** This deal's number in the match, from 1 */
  deal: number;
  /** The number of deals in the match */
  deals: number;
  /** The dealer of this deal */
  dealer: number;
  /** Points of the finished deals, by seat */
  scores: number[];
  /** The seat that sees this; null for a spectator */
  seat: number | null;
  /** The seat that is asked; null when the deal is over */
  to_move: number | null;
  /**
   * What is asked: lead (a card to the empty pile), beat (the top card, or pick up), free_lead (a
   * card on top of the pile, whatever lies there); null when the deal is over
   */
  question: "lead" | "beat" | "free_lead" | (string & {}) | null;
  /** Your cards, by rank, then by suit; empty for a spectator */
  hand: string[];
  /** The number of cards in each hand, by seat */
  hand_sizes: number[];
  /** Cards in the pile */
  pile: number;
  /** The top card of the pile; null when there is no pile */
  top: string | null;
  /**
   * The cards that a pickup would bring, the top card first; null unless you are asked to beat
   */
  pickup: string[] | null;
  /**
   * The card right under those of `pickup`, which would be the new top; null if there is none, or
   * unless you are asked to beat
   */
  under: string | null;
  /**
   * By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight of
   * all
   */
  known: string[][];
  /** The seats that have got rid of all their cards */
  out: number[];
  /** Moves made in this deal, exchanges among them */
  moves_made: number;
  /** At this number of moves the deal is a draw */
  turn_limit: number;
  /** The trump suit: C, D, H or S */
  trump: "C" | "D" | "H" | "S" | (string & {});
  /** The suit that no trump beats: S with fixed trumps, else null */
  anti_trump: "C" | "D" | "H" | "S" | (string & {}) | null;
  /** The upturned card that lies under the stock; null with no stock, or with fixed trumps */
  trump_card: string | null;
  /** Cards left to draw, the upturned one among them */
  stock: number;
  /** The legal moves of this turn; send one with `turn`. Empty if it is not your turn */
  legal_moves: string[];
  /**
   * The free moves that you may make now, whether or not it is your turn; send one with `deal`
   */
  free_moves: string[];
}

export interface Limits {
  /** The longest `wait` of a request, in seconds */
  max_wait_s: number;
  /** The largest body of a request */
  max_body_bytes: number;
  /** Seconds within which a body must arrive completely */
  body_timeout_s: number;
  /** Moves in one `POST /v1/turns` */
  max_moves: number;
  /** Entries of one page of a list; standings have up to 1000 */
  max_page: number;
  /** Events in one response */
  max_events: number;
  /** Polls of one bot that may wait in one process of the service */
  max_polls: number;
  /**
   * Requests that may wait for a match's next turn or its events, per bot, or per address without
   * a token
   */
  max_waits: number;
  /** Whether registration needs no invitation */
  open_registration: boolean;
  /** A match is aborted if its seats don't show up within this time */
  start_ms: number;
  /** A match is aborted if its open seats aren't taken within this time */
  open_ms: number;
  /** The delay after deadline and grace before the referee makes the safe move */
  settle_ms: number;
  /** The rate limits. A missing entry means no limit */
  rates: { requests?: Rate; creations?: Rate; polls?: Rate; refused_moves?: Rate; anonymous?: Rate; registrations?: Rate; pages?: Rate; probes?: Rate; bad_tokens?: Rate };
  /** The version of the service */
  version: string;
}

/** A match as the caller may see it. */
export interface Match {
  /** The match's id */
  id: string;
  /** The game's id */
  game: string;
  /** Every option that applies, defaults too */
  options: Record<string, unknown>;
  /** What is rated together: game, seats, and options that are not their defaults */
  preset: string;
  /** The game and the version of its rules */
  rules: string;
  /** How many deals the match has */
  deals: number;
  /** The deal in progress, from 1 */
  deal: number;
  /** Who sits where; null is an open seat */
  seats: (SeenSeat | null)[];
  clock: ClockRule;
  /** Whether it counts in ratings */
  rated: boolean;
  /** The ladder that made it */
  ladder: string | null;
  /** The ladder's round */
  round: number | null;
  status: MatchStatus;
  /** How it ended; null before the end */
  ending: Ending | null;
  /** Whether it is over and does not count, by its ending or by a later annotation */
  void: boolean;
  /** When it was created */
  created: string;
  /** When its first deal was dealt */
  started: string | null;
  /** When it ended */
  ended: string | null;
  /** Points of the finished deals, by seat */
  scores: number[];
  /** By seat, 1 + the number of seats with a higher score; forfeited seats after all others */
  places: number[] | null;
  /** The forfeited seats */
  forfeits: number[];
  /** The position of an earlier match at which it began */
  continues?: MatchPlace;
  /** By seat, whether it gave entropy of its own to the shuffle */
  entropy: boolean[];
  /** SHA-256 of the shuffle's secret and the match's id, in hexadecimal */
  commitment: string;
  /** By seat */
  clocks: SeatClock[];
  /** The seat whose view this is; null for a spectator */
  seat: number | null;
  /** Service time at this answer */
  now: string;
  /** The current turn; null if there is none */
  turn: number | null;
  /** The seat to move; null if there is none */
  to_move: number | null;
  /** When the turn times out, including the bank but not the grace; null without a clock */
  deadline: string | null;
  /** What this viewer sees of the deal; null while no deal is played */
  observation: Observation | null;
  /**
   * Only of `GET /v1/matches/{match}`, while the match waits for a worker that plays its house
   * bots: how many turns of other matches come first
   */
  turns_ahead?: number;
}

/** A free move in one of your matches. */
export interface MatchFreeMove {
  /** The deal to make it in */
  deal: number;
  /** The move as text */
  move: string;
  /** Your own note on the move. Only you see it before everybody may read the match */
  note?: string;
  /** The match's id */
  match: string;
}

export type MatchMove = MatchTurnMove | MatchFreeMove;

export interface MatchPlace {
  /** The match that this one continues */
  match: string;
  /** The deal at which it began */
  deal: number;
  /** How many moves of that deal were repeated */
  move: number;
}

export interface MatchPolicy {
  /** The games it plays; null: all */
  games: string[] | null;
  /** Matches at the same time, at most */
  max_matches: number;
  /** The shortest `move_ms` */
  min_move_ms: number;
  /** The smallest `bank_ms` */
  min_bank_ms: number;
  /** The kinds of match it plays; null: all */
  kinds: ("casual" | "ladder" | (string & {}))[] | null;
  /** The only owners, besides its own, that it plays with; null: all */
  owners: string[] | null;
  /** Owners that it does not play with */
  excluded_owners: string[];
}

/** open: has open seats; waiting: for its seats to show up; running; finished */
export type MatchStatus = "open" | "waiting" | "running" | "finished" | (string & {});

/** An answer to a turn of one of your matches. */
export interface MatchTurnMove {
  /** The turn that is answered */
  turn: number;
  /** The move as text, one of `legal_moves` */
  move: string;
  /** Your own note on the move. Only you see it before everybody may read the match */
  note?: string;
  /** The match's id */
  match: string;
}

/** Any number of moves, and a wait for the next turns. */
export interface MoveBatch {
  /** An empty list only waits */
  moves?: MatchMove[];
  /** Seconds to wait for a turn, at most `max_wait_s` of `GET /v1/limits`. Default: `0.0` */
  wait?: number;
  /** The `since` of the last response: leaves out turns and finished matches already delivered */
  since?: string | null;
  /**
   * The bot finishes its matches and leaves: it does not show up for matches that have not begun,
   * and gets no seat in new rounds of ladders, other than knock-outs
   */
  leaving?: boolean;
}

/** The result of a move. */
export interface MoveResult {
  /** The match's id */
  match: string;
  /** Your seat */
  seat: number;
  /** The turn that was answered; null for a free move */
  turn: number | null;
  /** The move that was made */
  move: string;
  /** The time taken */
  ms: number;
  /** The part of it charged to your bank */
  charged_ms: number;
  /** Whether the move had been made before; the result is the first one */
  replayed: boolean;
}

/** The result of a move, and what came next. */
export interface MoveResultAndTurns {
  /** The match's id */
  match: string;
  /** Your seat */
  seat: number;
  /** The turn that was answered; null for a free move */
  turn: number | null;
  /** The move that was made */
  move: string;
  /** The time taken */
  ms: number;
  /** The part of it charged to your bank */
  charged_ms: number;
  /** Whether the move had been made before; the result is the first one */
  replayed: boolean;
  /** Your next turn of this match, if it came within the wait */
  next: Turn | null;
  /** The end of the match, if it came within the wait */
  finished: FinishedMatch | null;
  service: ServiceState;
}

export interface MoveResults {
  /** The result of each move, in the order sent */
  results: (MoveResult | RefusedMove)[];
  /** Your open turns that `since` does not cover */
  turns: Turn[];
  /** Matches of yours that are over */
  finished: FinishedMatch[];
  /** Send it with your next request */
  since: string;
  service: ServiceState;
  /** With `leaving`: how many of your matches have begun and are not over. At 0 the wait ends */
  running?: number;
}

/** A casual match. */
export interface NewMatch {
  /** As in `GET /v1/games` */
  game: GameId;
  options?: Options;
  clock?: Clock;
  /** The first dealer; drawn by lot if left out */
  dealer?: number | null;
  /** Printable characters of your choice that enter the shuffle */
  entropy?: string | null;
  /** The bots by seat, as `owner/bot` */
  seats: (string | null)[];
  /** The number of deals, by default 1. Not for games with a fixed number */
  deals?: number | null;
}

/** What a seat sees. The fields depend on the game. */
export type Observation = DurakObservation | KingObservation | KrytObservation | SvoiKozyriObservation;

/** The options of the game, as `GET /v1/games/{game}` describes them */
export interface Options {
  /** durak: Four or six players in two teams, the even seats against the odd. Default: `false` */
  teams?: boolean;
  /** durak: Everybody but the defender, or only the nearest players with cards on either side */
  attackers?: "all" | "neighbours" | (string & {});
  /** durak: Whether attackers may play several cards in one move. Default: `false` */
  batch_attacks?: boolean;
  /**
   * durak: Who attacks first in the match's first deal: the holder of the lowest trump, or the
   * player on the dealer's left, as in all later deals
   */
  first_attacker?: "lowest_trump" | "dealer_left" | (string & {});
  /** durak, kryt, svoi_kozyri: A deal without a result after this many moves is a draw */
  turn_limit?: number;
  /** kryt: `turned`: the card turned up under the stock names the trump suit */
  trumps?: string;
  /**
   * svoi_kozyri: `dealt`: the cards as they fall, then each lowest card to the owner of its suit
   */
  layout?: "dealt" | "besikovich" | (string & {});
  /** svoi_kozyri: `modern`: three cards, five or the whole pile, by the top card */
  pickup?: "modern" | "whole_pile" | (string & {});
  /**
   * svoi_kozyri: The rank at which the pack begins, each suit going up to the ace. Default: `6`
   */
  lowest_rank?: "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "T" | (string & {});
}

/** An RFC 9457 problem document. Fields after `request_id` appear only where they help. */
export interface Problem {
  /** The page that explains the problem */
  type: string;
  /** A short title, the same for each `code` */
  title: string;
  status: number;
  /** What was wrong with this request */
  detail: string;
  code: ProblemCode;
  /** Whether the same request may succeed when it is sent again unchanged */
  retryable: boolean;
  /** Identifies the request; quote it to the operator */
  request_id: string;
  /** The content types that the path supports */
  supported?: string[];
  /** What is wrong with each field or parameter */
  errors?: Record<string, string[]>;
  /** The field that is wrong */
  field?: string;
  /** The expected value, in words */
  expected?: string;
  /** The required scope */
  scope?: string;
  /** The legal moves of the turn */
  legal_moves?: string[];
  /** The free moves that you may make now */
  free_moves?: string[];
  /** The deal to send a free move with */
  deal?: number;
  /** The current turn of the match */
  turn?: number;
  /** The match as you see it now */
  view?: Match;
  /** The seats still open */
  open_seats?: number[];
  /** How the match ended */
  ending?: string | null;
  /** Milliseconds to wait before retrying */
  retry_ms?: number;
  /** Which of the `rates` of `GET /v1/limits` was exceeded */
  limit?: string;
  /** The round that is running */
  round?: number;
  /** The ladder's state */
  state?: string;
  /** The bot that can't be seated */
  bot?: string;
  /**
   * disabled; game, clock, kind or owner: its match policy excludes the game, the clock, the kind
   * of match or the owner of another bot at the table; busy: it has as many matches as it accepts
   */
  reason?: "disabled" | "game" | "clock" | "kind" | "owner" | "busy" | "suspended" | "unchecked" | "full" | "same_owner" | "banned" | "closed" | "not_invited" | "not_entered" | (string & {});
  /** Why the ladder's owner banned the bot, in the owner's words */
  why?: string;
  /** The bot's match policy */
  match_policy?: MatchPolicy;
}

/** What is wrong. Later releases may have more codes */
export type ProblemCode =
    "bad_request" | "bad_json" | "bad_cursor" | "body_cut_short" | "not_found" |
    "method_not_allowed" | "not_acceptable" | "body_timeout" | "body_too_large" | "wrong_host" |
    "wrong_content_type" | "encoded_body" | "range_not_satisfiable" | "invalid_body" |
    "invalid_query" | "invalid_header" | "token_missing" | "token_invalid" | "scope_missing" |
    "wrong_token_kind" | "bad_invitation" | "not_your_bot" | "not_your_match" | "not_your_ladder"
    | "not_your_token" | "no_such_game" | "no_such_match" | "no_such_owner" | "no_such_bot" |
    "no_such_token" | "no_such_check" | "no_such_group" | "no_such_ladder" | "no_such_preset" |
    "no_such_round" | "no_such_season" | "no_such_webhook" | "no_such_message" | "no_such_review"
    | "not_queued" | "no_bracket" | "stale_turn" | "not_your_turn" | "match_not_running" |
    "match_over" | "seat_taken" | "already_seated" | "not_joinable" | "record_not_ready" |
    "group_running" | "bot_unavailable" | "already_queued" | "name_taken" | "wrong_ladder_state" |
    "entry_refused" | "not_rerunnable" | "round_running" | "nothing_to_play" | "season_empty" |
    "idempotency_key_in_flight" | "idempotency_key_reused" | "bad_value" | "rate_limited" |
    "too_many_reviews" | "too_many_house_matches" | "bad_table" | "not_a_move" |
    "free_move_with_turn" | "illegal_move" | "match_unreadable" | "internal_error" | "busy" |
    "events_not_ready" | "overtaken" | "service_paused" | "service_draining" | "storage_full" |
    "store_unavailable" | (string & {});

/** A bot's place in the queue. */
export interface QueueEntry {
  /** Names the entry */
  id: string;
  /**
   * `waiting`; `matched`: it has a match; `left`: the bot left; `dropped`: the service removed it
   */
  state: "waiting" | "matched" | "left" | "dropped" | (string & {});
  /** Why it was dropped */
  reason: "gone" | "disabled" | "policy" | "failed" | (string & {}) | null;
  /** Its match, once there is one */
  match: string | null;
  /** As in `GET /v1/games` */
  game: string;
  /** The number of seats */
  seats: number;
  /** Every option that applies, defaults too */
  options: Record<string, unknown>;
  /** The preset whose ratings count */
  preset: string;
  /** The number of deals */
  deals: number;
  clock: ClockRule;
  /** The bot's rating when it joined; 1500 if unrated */
  rating: number;
  /** As requested */
  rating_band: number | null;
  /** As requested */
  band_growth: number;
  /** When the bot joined */
  joined: string;
  /** When it was matched, left or was dropped */
  ended: string | null;
}

export interface Rate {
  /** The number of requests */
  limit: number;
  /** The length of the window in seconds */
  window_s: number;
}

/** A refused move of a batch. */
export interface RefusedMove {
  /** The match in the request */
  match: string;
  /** The turn in the request; null for a free move */
  turn: number | null;
  /** The move in the request */
  move: string;
  problem: Problem;
}

export interface SeatClock {
  /** The remaining bank */
  bank_ms: number;
  /** Timeouts so far */
  strikes: number;
}

/** The bot in a seat */
export interface SeenSeat {
  /** `owner/bot`; null while its name is hidden */
  bot: string | null;
  /** The bot's id, which never changes; null while its name is hidden */
  id: string | null;
  /** The bot's version when the match was made; null while its name is hidden */
  version: string | null;
  /** A person plays; absent for a bot. Such a match counts in no rating or standing */
  person?: true;
}

/**
 * running; draining: existing matches are played out and nothing new is created; paused: all
 * clocks stand still, moves cost no time, and nothing new is created
 */
export type ServiceState = "running" | "draining" | "paused" | (string & {});

/** What one seat, or a spectator, sees of a deal of Svoi Kozyri. */
export interface SvoiKozyriObservation {
  game: "svoi_kozyri";
  /** This deal's number in the match, from 1 */
  deal: number;
  /** The number of deals in the match */
  deals: number;
  /** The dealer of this deal */
  dealer: number;
  /** Points of the finished deals, by seat */
  scores: number[];
  /** The seat that sees this; null for a spectator */
  seat: number | null;
  /** The seat that is asked; null when the deal is over */
  to_move: number | null;
  /**
   * What is asked: lead (a card to the empty pile), beat (the top card, or pick up), free_lead (a
   * card on top of the pile, whatever lies there); null when the deal is over
   */
  question: "lead" | "beat" | "free_lead" | (string & {}) | null;
  /** Your cards, by rank, then by suit; empty for a spectator */
  hand: string[];
  /** The number of cards in each hand, by seat */
  hand_sizes: number[];
  /** Cards in the pile */
  pile: number;
  /** The top card of the pile; null when there is no pile */
  top: string | null;
  /**
   * The cards that a pickup would bring, the top card first; null unless you are asked to beat
   */
  pickup: string[] | null;
  /**
   * The card right under those of `pickup`, which would be the new top; null if there is none, or
   * unless you are asked to beat
   */
  under: string | null;
  /**
   * By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight of
   * all
   */
  known: string[][];
  /** The seats that have got rid of all their cards */
  out: number[];
  /** Moves made in this deal, exchanges among them */
  moves_made: number;
  /** At this number of moves the deal is a draw */
  turn_limit: number;
  /** By seat, the suit of that player's trumps */
  trumps: ("C" | "D" | "H" | "S" | (string & {}))[];
  /** The lowest rank of the pack */
  lowest_rank: string;
  /** Whether a pickup always takes the whole pile */
  whole_pile: boolean;
  /** The cards that were given to the owners of their suits after the deal */
  given: ({ giver?: number; receiver?: number; card?: string })[];
  /** All hands where they lie open, by seat; null where they do not */
  hands: string[][] | null;
  /** The legal moves of this turn; send one with `turn`. Empty if it is not your turn */
  legal_moves: string[];
  /**
   * The free moves that you may make now, whether or not it is your turn; send one with `deal`
   */
  free_moves: string[];
}

/** A turn of yours, with everything needed to choose a move. */
export interface Turn {
  /** The match's id */
  match: string;
  /** The turn's number; send it with your move */
  turn: number;
  /** The deal in progress, from 1 */
  deal: number;
  /** Your seat */
  seat: number;
  observation: Observation;
  /** By seat */
  clocks: SeatClock[];
  /** When the turn times out, including the bank but not the grace; null without a clock */
  deadline: string | null;
  /** Service time at this answer */
  now: string;
}

export interface TurnList {
  /** Your open turns that `since` does not cover */
  turns: Turn[];
  /** Matches of yours that are over */
  finished: FinishedMatch[];
  /** Send it with your next request */
  since: string;
  service: ServiceState;
}
