/** What the service sends and takes: `GET /openapi.json` describes every field, and docs/protocol.md explains them. */

/** One of these values. A later release may add some. */
type Open<Value extends string> = Value | (string & {});
export type Suit = Open<"C" | "D" | "H" | "S">;
export type Ending = Open<"rules" | "forfeit" | "resigned" | "aborted" | "void">;
export type GameId = Open<"durak" | "king" | "kryt" | "svoi_kozyri">;
export type MatchStatus = Open<"open" | "waiting" | "running" | "finished">;
export type ServiceState = Open<"running" | "draining" | "paused">;
/** What is wrong with a request. */
export type ProblemCode = Open<
  "bad_cursor" | "bot_unavailable" | "free_move_with_turn" | "illegal_move" | "match_over" | "not_a_move" | "not_queued" | "not_your_turn" |
  "rate_limited" | "service_draining" | "service_paused" | "stale_turn" | "token_invalid" | "wrong_token_kind"
>;
/** The options of a game, as `GET /v1/games/{game}` describes them. */
export type Options = Record<string, unknown>;

/** What turns and refusals show of the legal moves. */
export type Assist = Open<"list" | "factored" | "none">;
/** A legal move, or several: its letters stand for cards of these lists, no two for the same card. */
export interface MoveForm {
  move: string;
  X?: string[];
  Y?: string[];
  Z?: string[];
}

/** What every observation has. Lists by seat have an entry for each seat. */
export interface SeenDeal {
  /** The number of this deal in the match, from 1. */
  deal: number;
  deals: number;
  dealer: number;
  /** Points of the finished deals, by seat. */
  scores: number[];
  /** The seat that sees this; null for a spectator. */
  seat: number | null;
  /** The seat to move; null when the deal is over. */
  to_move: number | null;
  /** Your cards, by rank, then by suit. */
  hand: string[];
  hand_sizes: number[];
  /** By seat, the cards that everybody knows to lie in that hand. */
  known: string[][];
  /** Send one of them with `turn`. Empty if it is not your turn, or `assist` of the match is not `list`. */
  legal_moves: string[];
  /** All legal moves, if `assist` of the match is `factored`. */
  factored_moves?: MoveForm[];
  /** Moves that you may make now, whether or not it is your turn. */
  free_moves: string[];
}

export interface DurakObservation extends SeenDeal {
  game: "durak";
  question: Open<"attack" | "throw" | "defend" | "give" | "exchange"> | null;
  trump: Suit;
  /** The upturned card under the talon; null when there is no talon. */
  trump_card: string | null;
  /** Cards left to draw, including the upturned one. */
  talon: number;
  discard: number;
  attacker: number | null;
  defender: number | null;
  /** The seats that may attack in this bout, in the order of asking. */
  entitled: number[];
  /** The bout so far: each attack card with the card that beats it, or null. */
  pairs: [string, string | null][];
  /** Whether the defender has said `take`. */
  taking: boolean;
  /** How many attack cards may still be played in this bout. */
  room: number;
  /** The seats that have no cards left. */
  out: number[];
  teams: number[][] | null;
  moves_made: number;
  /** The deal is a draw after this number of moves. */
  turn_limit: number;
}

export interface KingObservation extends SeenDeal {
  game: "king";
  question: Open<"declare" | "play"> | null;
  /** What scores in this deal. */
  contract: string;
  /** A suit, `last` or `miser`; null before the declaration and in deals without one. */
  declared: string | null;
  trump: Suit | null;
  /** The card that `declare last` has shown. */
  trump_card: string | null;
  /** Whether the ranks are reversed, 7 high and ace low. */
  miser: boolean;
  /** Pairs of seat and card, the leader's first. */
  trick: [number, string][];
  last_trick: [number, string][];
  tricks_taken: number[];
  taken: string[][];
  /** The points of this deal so far, by seat. */
  deal_scores: number[];
}

/** What the observations of both pile games have. */
export interface PileDeal extends SeenDeal {
  question: Open<"lead" | "beat" | "free_lead"> | null;
  /** The number of cards in the pile. */
  pile: number;
  top: string | null;
  /** The cards that a pickup would bring, the top card first; null unless you are asked to beat. */
  pickup: string[] | null;
  /** The card under those of `pickup`. */
  under: string | null;
  out: number[];
  moves_made: number;
  turn_limit: number;
}

export interface KrytObservation extends PileDeal {
  game: "kryt";
  trump: Suit;
  /** The suit that no trump beats. */
  anti_trump: Suit | null;
  trump_card: string | null;
  /** Cards left to draw, the upturned one among them. */
  stock: number;
}

export interface SvoiKozyriObservation extends PileDeal {
  game: "svoi_kozyri";
  /** By seat, the suit of that player's trumps. */
  trumps: Suit[];
  lowest_rank: string;
  whole_pile: boolean;
  /** The cards that were given to the owners of their suits after the deal. */
  given: { giver: number; receiver: number; card: string }[];
  /** All hands where they lie open, by seat. */
  hands: string[][] | null;
}

/** What a seat sees. The fields depend on the game. */
export type Observation = DurakObservation | KingObservation | KrytObservation | SvoiKozyriObservation;

/** A clock in milliseconds, except `strikes`: the number of timeouts that forfeit the seat. */
export interface ClockRule {
  move_ms: number;
  bank_ms: number;
  increment_ms: number;
  /** Network allowance for each move; never charged. */
  grace_ms: number;
  strikes: number;
}
/** The clock of a new match. Omitted fields have their defaults. */
export type Clock = Partial<ClockRule> & {
  /** A clock by name, whose values stand for the omitted fields. */
  pace?: "blitz" | "standard" | "reasoning" | "correspondence";
};

export interface SeatClock {
  /** The remaining bank. */
  bank_ms: number;
  /** Timeouts so far. */
  strikes: number;
}

/** A turn of yours, with everything needed to choose a move. */
export interface Turn {
  match: string;
  /** Send it with your move. */
  turn: number;
  deal: number;
  seat: number;
  observation: Observation;
  clocks: SeatClock[];
  /** When the turn times out, including the bank but not the grace; null without a clock. */
  deadline: string | null;
  /** Service time at this response. */
  now: string;
  /** With `past=true`: the events of the match from your last move on. */
  since_your_turn?: Record<string, unknown>[];
  /** With `past=true`; null if the events of the deal could not be read. */
  seen?: SeenCards | null;
}

/** The cards that you do not see now. */
export interface SeenCards {
  /** Seen in this deal. */
  gone: string[];
  /** Not seen in it. */
  unseen: string[];
  /** The seat that must hold all unseen cards. */
  holder: number | null;
}

/** A match of yours that is over. */
export interface FinishedMatch {
  match: string;
  seat: number;
  ending: Ending;
  scores: number[];
  places: number[];
  /** The forfeited seats. */
  forfeits: number[];
  ended: string;
}

/** What you report about a move. Others see it when the match may be read. */
export interface MoveFacts {
  input_tokens?: number;
  output_tokens?: number;
  /** The cost in millionths of a US dollar. */
  cost_micro_usd?: number;
  mended?: string[];
  /** At most 8192 bytes. */
  thoughts?: string;
}

/** An answer to a turn. `note` is your own; only you see it before everybody may read the match. */
export interface MatchTurnMove {
  match: string;
  turn: number;
  move: string;
  note?: string;
  facts?: MoveFacts;
}
/** A free move. */
export interface MatchFreeMove {
  match: string;
  deal: number;
  move: string;
  note?: string;
  facts?: MoveFacts;
}
export type MatchMove = MatchTurnMove | MatchFreeMove;

/** The body of `POST /v1/turns`. */
export interface MoveBatch {
  moves?: MatchMove[];
  /** Seconds to wait for a turn. */
  wait?: number;
  /** The `since` of the last response. */
  since?: string | null;
  /** The bot finishes its matches and begins no new one. */
  leaving?: boolean;
}

export interface MoveResult {
  match: string;
  seat: number;
  /** null for a free move. */
  turn: number | null;
  move: string;
  ms: number;
  /** The part of `ms` that was charged to your bank. */
  charged_ms: number;
  /** Whether the move had been made before; the result is the first one. */
  replayed: boolean;
}

export interface RefusedMove {
  match: string;
  turn: number | null;
  move: string;
  problem: Problem;
}

/** The response to `POST /v1/turns`. */
export interface MoveResults {
  /** In the order sent. */
  results: (MoveResult | RefusedMove)[];
  /** Your open turns that `since` does not cover. */
  turns: Turn[];
  finished: FinishedMatch[];
  /** Send it with your next request. */
  since: string;
  service: ServiceState;
  /** With `leaving`: how many of your matches have begun and are not over. */
  running?: number;
}

/** The response to `GET /v1/turns`. */
export type TurnList = Pick<MoveResults, "turns" | "finished" | "since" | "service">;

/** The response to a move of `POST /v1/matches/{match}/moves`. */
export interface MoveResultAndTurns extends MoveResult {
  /** Your next turn of this match, if it came within the wait. */
  next: Turn | null;
  finished: FinishedMatch | null;
  service: ServiceState;
}

/** A wish for one match. */
export interface JoinQueue {
  game: GameId;
  options?: Options;
  clock?: Clock;
  assist?: Assist;
  seats?: number | null;
  deals?: number | null;
  /** How far an opponent's rating may lie from the bot's own at first; null is any distance. */
  rating_band?: number | null;
  /** By how many rating points the band widens each second. */
  band_growth?: number;
  /** Printable characters of your choice that enter the shuffle. */
  entropy?: string | null;
}

/** A bot's place in the queue. */
export interface QueueEntry {
  id: string;
  state: Open<"waiting" | "matched" | "left" | "dropped">;
  /** Why the service dropped it. */
  reason: string | null;
  match: string | null;
  game: string;
  seats: number;
  options: Options;
  preset: string;
  deals: number;
  clock: ClockRule;
  assist: Assist;
  rating: number;
  rating_band: number | null;
  band_growth: number;
  joined: string;
  ended: string | null;
}

/** A casual match. */
export interface NewMatch {
  game: GameId;
  /** The bots by seat, as `owner/bot`; null is an open seat. */
  seats: (string | null)[];
  options?: Options;
  clock?: Clock;
  assist?: Assist;
  dealer?: number | null;
  entropy?: string | null;
  deals?: number | null;
}

/** The bot in a seat; null while its name is hidden. */
export interface SeenSeat {
  bot: string | null;
  id: string | null;
  version: string | null;
  /** A person plays. */
  person?: true;
}

/** A match as the caller may see it. */
export interface Match {
  id: string;
  game: string;
  options: Options;
  /** What is rated together. */
  preset: string;
  /** The game and the version of its rules. */
  rules: string;
  deals: number;
  deal: number;
  seats: (SeenSeat | null)[];
  clock: ClockRule;
  assist: Assist;
  rated: boolean;
  ladder: string | null;
  round: number | null;
  status: MatchStatus;
  ending: Ending | null;
  /** Whether it is over and does not count. */
  void: boolean;
  created: string;
  started: string | null;
  ended: string | null;
  scores: number[];
  places: number[] | null;
  forfeits: number[];
  /** The turns for which a person got a hint. */
  hints?: number[];
  /** The position of an earlier match at which it began. */
  continues?: { match: string; deal: number; move: number };
  /** By seat, whether it gave entropy of its own to the shuffle. */
  entropy: boolean[];
  commitment: string;
  clocks: SeatClock[];
  /** The seat whose view this is; null for a spectator. */
  seat: number | null;
  now: string;
  turn: number | null;
  to_move: number | null;
  deadline: string | null;
  observation: Observation | null;
  /** How many turns of other matches a worker plays first. */
  turns_ahead?: number;
}

export interface Rate {
  limit: number;
  window_s: number;
}

/** A clock with a name. */
export interface Pace {
  clock: ClockRule;
  from_ms: number;
  start_ms: number;
}

export interface Limits {
  max_wait_s: number;
  max_body_bytes: number;
  body_timeout_s: number;
  max_moves: number;
  max_page: number;
  max_events: number;
  max_polls: number;
  max_waits: number;
  open_registration: boolean;
  start_ms: number;
  open_ms: number;
  settle_ms: number;
  paces: Record<string, Pace>;
  /** A missing entry means no limit. */
  rates: Record<string, Rate>;
  version: string;
}

/** An RFC 9457 problem document. The fields after `request_id` appear only where they help. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  /** What was wrong with this request. */
  detail: string;
  code: ProblemCode;
  /** Whether the same request may succeed when it is sent again unchanged. */
  retryable: boolean;
  /** Quote it to the operator. */
  request_id: string;
  errors?: Record<string, string[]>;
  /** The legal moves of the turn. */
  legal_moves?: string[];
  factored_moves?: MoveForm[];
  free_moves?: string[];
  turn?: number;
  deal?: number;
  /** The match as you see it now. */
  view?: Match;
  /** Milliseconds to wait before retrying. */
  retry_ms?: number;
  reason?: string;
  [field: string]: unknown;
}
