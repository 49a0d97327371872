// Code generated from openapi.yaml by tools/client_types.py. DO NOT EDIT.

package kozyr

import "time"

// Clock: The clock of a match. Omitted fields have their defaults.
type Clock struct {
	// Time for each decision. Default: `5000`
	MoveMs *int `json:"move_ms,omitempty"`
	// Additional time for the whole match. Default: `30000`
	BankMs *int `json:"bank_ms,omitempty"`
	// Added to the bank by each decision made. Default: `0`
	IncrementMs *int `json:"increment_ms,omitempty"`
	// Network allowance for each move; never charged. Default: `250`
	GraceMs *int `json:"grace_ms,omitempty"`
	// The number of timeouts that forfeit the seat. Default: `3`
	Strikes *int `json:"strikes,omitempty"`
}

// ClockRule: All values are in milliseconds, except `strikes`.
type ClockRule struct {
	// Time for each decision
	MoveMs int `json:"move_ms"`
	// Additional time for the whole match
	BankMs int `json:"bank_ms"`
	// Added to the bank by each decision made
	IncrementMs int `json:"increment_ms"`
	// Network allowance for each move; never charged
	GraceMs int `json:"grace_ms"`
	// The number of timeouts that forfeit the seat
	Strikes int `json:"strikes"`
}

// DurakObservation: What one seat, or a spectator, sees of a deal of Durak.
type DurakObservation struct {
	Game string `json:"game"`
	// This deal's number in the match, from 1
	Deal int `json:"deal"`
	// The number of deals in the match
	Deals int `json:"deals"`
	// The dealer of this deal
	Dealer int `json:"dealer"`
	// Points of the finished deals, by seat
	Scores []int `json:"scores"`
	// The seat that sees this; null for a spectator
	Seat *int `json:"seat"`
	// The seat to move; null when the deal is over
	ToMove *int `json:"to_move"`
	// What is asked: attack (open the bout), throw (throw in or pass, the attack goes on), defend
	// (beat or take), give (throw in or pass, the defender takes), exchange (the 6 of trumps after
	// the last draw, or pass); null when the deal is over
	Question *string `json:"question"`
	// Your cards, by rank, then by suit; empty for a spectator
	Hand []string `json:"hand"`
	// The number of cards in each hand, by seat
	HandSizes []int `json:"hand_sizes"`
	// The trump suit: C, D, H or S
	Trump string `json:"trump"`
	// The upturned card that lies under the talon; null when there is no talon
	TrumpCard *string `json:"trump_card"`
	// Cards left to draw, including the upturned one
	Talon int `json:"talon"`
	// Cards in the discard heap
	Discard int `json:"discard"`
	// The principal attacker of this bout; null when the deal is over
	Attacker *int `json:"attacker"`
	// The defender of this bout; null when the deal is over
	Defender *int `json:"defender"`
	// The seats that may attack in this bout, in the order of asking
	Entitled []int `json:"entitled"`
	// The bout so far: each attack card in order of play, with the card that beats it or null
	Pairs [][]*string `json:"pairs"`
	// Whether the defender has said `take`
	Taking bool `json:"taking"`
	// The number of attack cards that may still be played in this bout
	Room int `json:"room"`
	// By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight of
	// all
	Known [][]string `json:"known"`
	// The seats that have no cards left
	Out []int `json:"out"`
	// The seats of each team; null when all play for themselves
	Teams [][]int `json:"teams"`
	// Moves made in this deal, exchanges among them
	MovesMade int `json:"moves_made"`
	// The deal is a draw after this number of moves
	TurnLimit int `json:"turn_limit"`
	// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
	LegalMoves []string `json:"legal_moves"`
	// The free moves that you may make now, whether or not it is your turn; send one with `deal`
	FreeMoves []string `json:"free_moves"`
}

// Ending: rules: played to the end; forfeit: ended early, because after timeouts at most one side
// was left; resigned: ended early, because after resignations at most one side was left; aborted:
// never started; void: does not count
type Ending string

// The values of Ending in this release. A later release may add values.
const (
	EndingRules    Ending = "rules"
	EndingForfeit  Ending = "forfeit"
	EndingResigned Ending = "resigned"
	EndingAborted  Ending = "aborted"
	EndingVoid     Ending = "void"
)

// FinishedMatch: A match of yours that is over.
type FinishedMatch struct {
	// The match's id
	Match string `json:"match"`
	// Your seat
	Seat int `json:"seat"`

	Ending Ending `json:"ending"`
	// By seat
	Scores []int `json:"scores"`
	// By seat
	Places []int `json:"places"`
	// The forfeited seats
	Forfeits []int `json:"forfeits"`
	// When it ended
	Ended time.Time `json:"ended"`
}

// GameID: A game's id
type GameID string

// The values of GameID in this release. A later release may add values.
const (
	GameIDDurak      GameID = "durak"
	GameIDKing       GameID = "king"
	GameIDKryt       GameID = "kryt"
	GameIDSvoiKozyri GameID = "svoi_kozyri"
)

// JoinQueue: A wish for one match.
type JoinQueue struct {
	// As in `GET /v1/games`
	Game GameID `json:"game"`

	Options map[string]any `json:"options,omitempty"`

	Clock *Clock `json:"clock,omitempty"`
	// The number of seats; if omitted, the fewest that the game has
	Seats *int `json:"seats,omitempty"`
	// The number of deals, by default 1. Not for games with a fixed number
	Deals *int `json:"deals,omitempty"`
	// How far an opponent's rating may lie from the bot's own at first, in rating points
	RatingBand *Nullable[int] `json:"rating_band,omitempty"`
	// By how many rating points the band widens each second. Default: `20`
	BandGrowth *int `json:"band_growth,omitempty"`
	// Printable characters of your choice that enter the shuffle
	Entropy *string `json:"entropy,omitempty"`
}

// KingObservation: What one seat, or a spectator, sees of a deal of King.
type KingObservation struct {
	Game string `json:"game"`
	// This deal's number in the match, from 1
	Deal int `json:"deal"`
	// The number of deals in the match
	Deals int `json:"deals"`
	// The dealer of this deal
	Dealer int `json:"dealer"`
	// Points of the finished deals, by seat
	Scores []int `json:"scores"`
	// The seat that sees this; null for a spectator
	Seat *int `json:"seat"`
	// The seat to move; null when the deal is over
	ToMove *int `json:"to_move"`
	// What is asked: declare (trumps or a miser) or play (a card); null when the deal is over
	Question *string `json:"question"`
	// Your cards, by rank, then by suit (before the declaration three); empty for a spectator
	Hand []string `json:"hand"`
	// The number of cards in each hand, by seat
	HandSizes []int `json:"hand_sizes"`
	// What scores in this deal: no_tricks, no_hearts, no_jacks, no_queens, no_last_two,
	// no_king_of_hearts, negative_yeralash, khvalenka or positive_yeralash
	Contract string `json:"contract"`
	// The declaration: C, D, H, S, last or miser; null before it and in deals without one
	Declared *string `json:"declared"`
	// The trump suit, C, D, H or S; null where there is none, or none yet
	Trump *string `json:"trump"`
	// The card that `declare last` has shown; null without one
	TrumpCard *string `json:"trump_card"`
	// Whether the ranks are reversed, 7 high and ace low
	Miser bool `json:"miser"`
	// The trick that is being played: pairs of seat and card, the leader's first
	Trick [][]any `json:"trick"`
	// The trick before it in the same form; empty in the first
	LastTrick [][]any `json:"last_trick"`
	// The number of tricks taken in this deal, by seat
	TricksTaken []int `json:"tricks_taken"`
	// The cards taken in this deal, by seat, in the order of play
	Taken [][]string `json:"taken"`
	// The points of this deal so far, by seat
	DealScores []int `json:"deal_scores"`
	// By seat, the cards that everybody knows to lie in that hand: the one shown, until played
	Known [][]string `json:"known"`
	// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
	LegalMoves []string `json:"legal_moves"`
	// The free moves that you may make now, whether or not it is your turn; send one with `deal`
	FreeMoves []string `json:"free_moves"`
}

// KrytObservation: What one seat, or a spectator, sees of a deal of Kryt'-navalivat'.
type KrytObservation struct {
	Game string `json:"game"`
	// This deal's number in the match, from 1
	Deal int `json:"deal"`
	// The number of deals in the match
	Deals int `json:"deals"`
	// The dealer of this deal
	Dealer int `json:"dealer"`
	// Points of the finished deals, by seat
	Scores []int `json:"scores"`
	// The seat that sees this; null for a spectator
	Seat *int `json:"seat"`
	// The seat that is asked; null when the deal is over
	ToMove *int `json:"to_move"`
	// What is asked: lead (a card to the empty pile), beat (the top card, or pick up), free_lead (a
	// card on top of the pile, whatever lies there); null when the deal is over
	Question *string `json:"question"`
	// Your cards, by rank, then by suit; empty for a spectator
	Hand []string `json:"hand"`
	// The number of cards in each hand, by seat
	HandSizes []int `json:"hand_sizes"`
	// Cards in the pile
	Pile int `json:"pile"`
	// The top card of the pile; null when there is no pile
	Top *string `json:"top"`
	// The cards that a pickup would bring, the top card first; null unless you are asked to beat
	Pickup []string `json:"pickup"`
	// The card right under those of `pickup`, which would be the new top; null if there is none, or
	// unless you are asked to beat
	Under *string `json:"under"`
	// By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight of
	// all
	Known [][]string `json:"known"`
	// The seats that have got rid of all their cards
	Out []int `json:"out"`
	// Moves made in this deal, exchanges among them
	MovesMade int `json:"moves_made"`
	// At this number of moves the deal is a draw
	TurnLimit int `json:"turn_limit"`
	// The trump suit: C, D, H or S
	Trump string `json:"trump"`
	// The suit that no trump beats: S with fixed trumps, else null
	AntiTrump *string `json:"anti_trump"`
	// The upturned card that lies under the stock; null with no stock, or with fixed trumps
	TrumpCard *string `json:"trump_card"`
	// Cards left to draw, the upturned one among them
	Stock int `json:"stock"`
	// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
	LegalMoves []string `json:"legal_moves"`
	// The free moves that you may make now, whether or not it is your turn; send one with `deal`
	FreeMoves []string `json:"free_moves"`
}

// Limits is a schema of the API.
type Limits struct {
	// The longest `wait` of a request, in seconds
	MaxWaitS float64 `json:"max_wait_s"`
	// The largest body of a request
	MaxBodyBytes int `json:"max_body_bytes"`
	// Seconds within which a body must arrive completely
	BodyTimeoutS float64 `json:"body_timeout_s"`
	// Moves in one `POST /v1/turns`
	MaxMoves int `json:"max_moves"`
	// Entries of one page of a list; standings have up to 1000
	MaxPage int `json:"max_page"`
	// Events in one response
	MaxEvents int `json:"max_events"`
	// Polls of one bot that may wait in one process of the service
	MaxPolls int `json:"max_polls"`
	// Requests that may wait for a match's next turn or its events, per bot, or per address without
	// a token
	MaxWaits int `json:"max_waits"`
	// Whether registration needs no invitation
	OpenRegistration bool `json:"open_registration"`
	// A match is aborted if its seats don't show up within this time
	StartMs int `json:"start_ms"`
	// A match is aborted if its open seats aren't taken within this time
	OpenMs int `json:"open_ms"`
	// The delay after deadline and grace before the referee makes the safe move
	SettleMs int `json:"settle_ms"`
	// The rate limits. A missing entry means no limit
	Rates map[string]Rate `json:"rates"`
	// The version of the service
	Version string `json:"version"`
}

// Match: A match as the caller may see it.
type Match struct {
	// The match's id
	ID string `json:"id"`
	// The game's id
	Game string `json:"game"`
	// Every option that applies, defaults too
	Options map[string]any `json:"options"`
	// What is rated together: game, seats, and options that are not their defaults
	Preset string `json:"preset"`
	// The game and the version of its rules
	Rules string `json:"rules"`
	// How many deals the match has
	Deals int `json:"deals"`
	// The deal in progress, from 1
	Deal int `json:"deal"`
	// Who sits where; null is an open seat
	Seats []*SeenSeat `json:"seats"`

	Clock ClockRule `json:"clock"`
	// Whether it counts in ratings
	Rated bool `json:"rated"`
	// The ladder that made it
	Ladder *string `json:"ladder"`
	// The ladder's round
	Round *int `json:"round"`

	Status MatchStatus `json:"status"`
	// How it ended; null before the end
	Ending *Ending `json:"ending"`
	// Whether it is over and does not count, by its ending or by a later annotation
	Void bool `json:"void"`
	// When it was created
	Created time.Time `json:"created"`
	// When its first deal was dealt
	Started *time.Time `json:"started"`
	// When it ended
	Ended *time.Time `json:"ended"`
	// Points of the finished deals, by seat
	Scores []int `json:"scores"`
	// By seat, 1 + the number of seats with a higher score; forfeited seats after all others
	Places []int `json:"places"`
	// The forfeited seats
	Forfeits []int `json:"forfeits"`
	// The position of an earlier match at which it began
	Continues *MatchPlace `json:"continues,omitempty"`
	// By seat, whether it gave entropy of its own to the shuffle
	Entropy []bool `json:"entropy"`
	// SHA-256 of the shuffle's secret and the match's id, in hexadecimal
	Commitment string `json:"commitment"`
	// By seat
	Clocks []SeatClock `json:"clocks"`
	// The seat whose view this is; null for a spectator
	Seat *int `json:"seat"`
	// Service time at this answer
	Now time.Time `json:"now"`
	// The current turn; null if there is none
	Turn *int `json:"turn"`
	// The seat to move; null if there is none
	ToMove *int `json:"to_move"`
	// When the turn times out, including the bank but not the grace; null without a clock
	Deadline *time.Time `json:"deadline"`
	// What this viewer sees of the deal; null while no deal is played
	Observation *Observation `json:"observation"`
	// Only of `GET /v1/matches/{match}`, while the match waits for a worker that plays its house
	// bots: how many turns of other matches come first
	TurnsAhead *int `json:"turns_ahead,omitempty"`
}

// MatchFreeMove: A free move in one of your matches.
type MatchFreeMove struct {
	// The deal to make it in
	Deal int `json:"deal"`
	// The move as text
	Move string `json:"move"`
	// Your own note on the move. Only you see it before everybody may read the match
	Note *string `json:"note,omitempty"`
	// The match's id
	Match string `json:"match"`
}

// MatchMove is a schema of the API.
type MatchMove struct {
	// The turn that is answered
	Turn *int `json:"turn,omitempty"`
	// The move as text, one of `legal_moves`
	Move string `json:"move"`
	// Your own note on the move. Only you see it before everybody may read the match
	Note *string `json:"note,omitempty"`
	// The match's id
	Match string `json:"match"`
	// The deal to make it in
	Deal *int `json:"deal,omitempty"`
}

// MatchPlace is a schema of the API.
type MatchPlace struct {
	// The match that this one continues
	Match string `json:"match"`
	// The deal at which it began
	Deal int `json:"deal"`
	// How many moves of that deal were repeated
	Move int `json:"move"`
}

// MatchPolicy is a schema of the API.
type MatchPolicy struct {
	// The games it plays; null: all
	Games []string `json:"games"`
	// Matches at the same time, at most
	MaxMatches int `json:"max_matches"`
	// The shortest `move_ms`
	MinMoveMs int `json:"min_move_ms"`
	// The smallest `bank_ms`
	MinBankMs int `json:"min_bank_ms"`
	// The kinds of match it plays; null: all
	Kinds []string `json:"kinds"`
	// The only owners, besides its own, that it plays with; null: all
	Owners []string `json:"owners"`
	// Owners that it does not play with
	ExcludedOwners []string `json:"excluded_owners"`
}

// MatchStatus: open: has open seats; waiting: for its seats to show up; running; finished
type MatchStatus string

// The values of MatchStatus in this release. A later release may add values.
const (
	MatchStatusOpen     MatchStatus = "open"
	MatchStatusWaiting  MatchStatus = "waiting"
	MatchStatusRunning  MatchStatus = "running"
	MatchStatusFinished MatchStatus = "finished"
)

// MatchTurnMove: An answer to a turn of one of your matches.
type MatchTurnMove struct {
	// The turn that is answered
	Turn int `json:"turn"`
	// The move as text, one of `legal_moves`
	Move string `json:"move"`
	// Your own note on the move. Only you see it before everybody may read the match
	Note *string `json:"note,omitempty"`
	// The match's id
	Match string `json:"match"`
}

// MoveBatch: Any number of moves, and a wait for the next turns.
type MoveBatch struct {
	// An empty list only waits
	Moves []MatchMove `json:"moves,omitempty"`
	// Seconds to wait for a turn, at most `max_wait_s` of `GET /v1/limits`. Default: `0.0`
	Wait *float64 `json:"wait,omitempty"`
	// The `since` of the last response: leaves out turns and finished matches already delivered
	Since *string `json:"since,omitempty"`
	// The bot finishes its matches and leaves: it does not show up for matches that have not begun,
	// and gets no seat in new rounds of ladders, other than knock-outs
	Leaving *bool `json:"leaving,omitempty"`
}

// MoveResult: The result of a move.
type MoveResult struct {
	// The match's id
	Match string `json:"match"`
	// Your seat
	Seat int `json:"seat"`
	// The turn that was answered; null for a free move
	Turn *int `json:"turn"`
	// The move that was made
	Move string `json:"move"`
	// The time taken
	Ms int `json:"ms"`
	// The part of it charged to your bank
	ChargedMs int `json:"charged_ms"`
	// Whether the move had been made before; the result is the first one
	Replayed bool `json:"replayed"`
}

// MoveResultAndTurns: The result of a move, and what came next.
type MoveResultAndTurns struct {
	// The match's id
	Match string `json:"match"`
	// Your seat
	Seat int `json:"seat"`
	// The turn that was answered; null for a free move
	Turn *int `json:"turn"`
	// The move that was made
	Move string `json:"move"`
	// The time taken
	Ms int `json:"ms"`
	// The part of it charged to your bank
	ChargedMs int `json:"charged_ms"`
	// Whether the move had been made before; the result is the first one
	Replayed bool `json:"replayed"`
	// Your next turn of this match, if it came within the wait
	Next *Turn `json:"next"`
	// The end of the match, if it came within the wait
	Finished *FinishedMatch `json:"finished"`

	Service ServiceState `json:"service"`
}

// MoveResults is a schema of the API.
type MoveResults struct {
	// The result of each move, in the order sent
	Results []MoveOutcome `json:"results"`
	// Your open turns that `since` does not cover
	Turns []Turn `json:"turns"`
	// Matches of yours that are over
	Finished []FinishedMatch `json:"finished"`
	// Send it with your next request
	Since string `json:"since"`

	Service ServiceState `json:"service"`
	// With `leaving`: how many of your matches have begun and are not over. At 0 the wait ends
	Running *int `json:"running,omitempty"`
}

// NewMatch: A casual match.
type NewMatch struct {
	// As in `GET /v1/games`
	Game GameID `json:"game"`

	Options map[string]any `json:"options,omitempty"`

	Clock *Clock `json:"clock,omitempty"`
	// The first dealer; drawn by lot if left out
	Dealer *int `json:"dealer,omitempty"`
	// Printable characters of your choice that enter the shuffle
	Entropy *string `json:"entropy,omitempty"`
	// The bots by seat, as `owner/bot`
	Seats []*string `json:"seats"`
	// The number of deals, by default 1. Not for games with a fixed number
	Deals *int `json:"deals,omitempty"`
}

// Problem: An RFC 9457 problem document. Fields after `request_id` appear only where they help.
type Problem struct {
	// The page that explains the problem
	Type string `json:"type"`
	// A short title, the same for each `code`
	Title string `json:"title"`

	Status int `json:"status"`
	// What was wrong with this request
	Detail string `json:"detail"`

	Code ProblemCode `json:"code"`
	// Whether the same request may succeed when it is sent again unchanged
	Retryable bool `json:"retryable"`
	// Identifies the request; quote it to the operator
	RequestID string `json:"request_id"`
	// The content types that the path supports
	Supported []string `json:"supported,omitempty"`
	// What is wrong with each field or parameter
	Errors map[string][]string `json:"errors,omitempty"`
	// The field that is wrong
	Field *string `json:"field,omitempty"`
	// The expected value, in words
	Expected *string `json:"expected,omitempty"`
	// The required scope
	Scope *string `json:"scope,omitempty"`
	// The legal moves of the turn
	LegalMoves []string `json:"legal_moves,omitempty"`
	// The free moves that you may make now
	FreeMoves []string `json:"free_moves,omitempty"`
	// The deal to send a free move with
	Deal *int `json:"deal,omitempty"`
	// The current turn of the match
	Turn *int `json:"turn,omitempty"`
	// The match as you see it now
	View *Match `json:"view,omitempty"`
	// The seats still open
	OpenSeats []int `json:"open_seats,omitempty"`
	// How the match ended
	Ending *string `json:"ending,omitempty"`
	// Milliseconds to wait before retrying
	RetryMs *int `json:"retry_ms,omitempty"`
	// Which of the `rates` of `GET /v1/limits` was exceeded
	Limit *string `json:"limit,omitempty"`
	// The round that is running
	Round *int `json:"round,omitempty"`
	// The ladder's state
	State *string `json:"state,omitempty"`
	// The bot that can't be seated
	Bot *string `json:"bot,omitempty"`
	// disabled; game, clock, kind or owner: its match policy excludes the game, the clock, the kind
	// of match or the owner of another bot at the table; busy: it has as many matches as it accepts
	Reason *string `json:"reason,omitempty"`
	// Why the ladder's owner banned the bot, in the owner's words
	Why *string `json:"why,omitempty"`
	// The bot's match policy
	MatchPolicy *MatchPolicy `json:"match_policy,omitempty"`
}

// ProblemCode: What is wrong. Later releases may have more codes
type ProblemCode string

// The values of ProblemCode in this release. A later release may add values.
const (
	ProblemCodeBadRequest             ProblemCode = "bad_request"
	ProblemCodeBadJson                ProblemCode = "bad_json"
	ProblemCodeBadCursor              ProblemCode = "bad_cursor"
	ProblemCodeBodyCutShort           ProblemCode = "body_cut_short"
	ProblemCodeNotFound               ProblemCode = "not_found"
	ProblemCodeMethodNotAllowed       ProblemCode = "method_not_allowed"
	ProblemCodeNotAcceptable          ProblemCode = "not_acceptable"
	ProblemCodeBodyTimeout            ProblemCode = "body_timeout"
	ProblemCodeBodyTooLarge           ProblemCode = "body_too_large"
	ProblemCodeWrongHost              ProblemCode = "wrong_host"
	ProblemCodeWrongContentType       ProblemCode = "wrong_content_type"
	ProblemCodeEncodedBody            ProblemCode = "encoded_body"
	ProblemCodeRangeNotSatisfiable    ProblemCode = "range_not_satisfiable"
	ProblemCodeInvalidBody            ProblemCode = "invalid_body"
	ProblemCodeInvalidQuery           ProblemCode = "invalid_query"
	ProblemCodeInvalidHeader          ProblemCode = "invalid_header"
	ProblemCodeTokenMissing           ProblemCode = "token_missing"
	ProblemCodeTokenInvalid           ProblemCode = "token_invalid"
	ProblemCodeScopeMissing           ProblemCode = "scope_missing"
	ProblemCodeWrongTokenKind         ProblemCode = "wrong_token_kind"
	ProblemCodeBadInvitation          ProblemCode = "bad_invitation"
	ProblemCodeNotYourBot             ProblemCode = "not_your_bot"
	ProblemCodeNotYourMatch           ProblemCode = "not_your_match"
	ProblemCodeNotYourLadder          ProblemCode = "not_your_ladder"
	ProblemCodeNotYourToken           ProblemCode = "not_your_token"
	ProblemCodeNoSuchGame             ProblemCode = "no_such_game"
	ProblemCodeNoSuchMatch            ProblemCode = "no_such_match"
	ProblemCodeNoSuchOwner            ProblemCode = "no_such_owner"
	ProblemCodeNoSuchBot              ProblemCode = "no_such_bot"
	ProblemCodeNoSuchToken            ProblemCode = "no_such_token"
	ProblemCodeNoSuchCheck            ProblemCode = "no_such_check"
	ProblemCodeNoSuchGroup            ProblemCode = "no_such_group"
	ProblemCodeNoSuchLadder           ProblemCode = "no_such_ladder"
	ProblemCodeNoSuchPreset           ProblemCode = "no_such_preset"
	ProblemCodeNoSuchRound            ProblemCode = "no_such_round"
	ProblemCodeNoSuchSeason           ProblemCode = "no_such_season"
	ProblemCodeNoSuchWebhook          ProblemCode = "no_such_webhook"
	ProblemCodeNoSuchMessage          ProblemCode = "no_such_message"
	ProblemCodeNoSuchReview           ProblemCode = "no_such_review"
	ProblemCodeNotQueued              ProblemCode = "not_queued"
	ProblemCodeNoBracket              ProblemCode = "no_bracket"
	ProblemCodeStaleTurn              ProblemCode = "stale_turn"
	ProblemCodeNotYourTurn            ProblemCode = "not_your_turn"
	ProblemCodeMatchNotRunning        ProblemCode = "match_not_running"
	ProblemCodeMatchOver              ProblemCode = "match_over"
	ProblemCodeSeatTaken              ProblemCode = "seat_taken"
	ProblemCodeAlreadySeated          ProblemCode = "already_seated"
	ProblemCodeNotJoinable            ProblemCode = "not_joinable"
	ProblemCodeRecordNotReady         ProblemCode = "record_not_ready"
	ProblemCodeGroupRunning           ProblemCode = "group_running"
	ProblemCodeBotUnavailable         ProblemCode = "bot_unavailable"
	ProblemCodeAlreadyQueued          ProblemCode = "already_queued"
	ProblemCodeNameTaken              ProblemCode = "name_taken"
	ProblemCodeWrongLadderState       ProblemCode = "wrong_ladder_state"
	ProblemCodeEntryRefused           ProblemCode = "entry_refused"
	ProblemCodeNotRerunnable          ProblemCode = "not_rerunnable"
	ProblemCodeRoundRunning           ProblemCode = "round_running"
	ProblemCodeNothingToPlay          ProblemCode = "nothing_to_play"
	ProblemCodeSeasonEmpty            ProblemCode = "season_empty"
	ProblemCodeIdempotencyKeyInFlight ProblemCode = "idempotency_key_in_flight"
	ProblemCodeIdempotencyKeyReused   ProblemCode = "idempotency_key_reused"
	ProblemCodeBadValue               ProblemCode = "bad_value"
	ProblemCodeRateLimited            ProblemCode = "rate_limited"
	ProblemCodeTooManyReviews         ProblemCode = "too_many_reviews"
	ProblemCodeTooManyHouseMatches    ProblemCode = "too_many_house_matches"
	ProblemCodeBadTable               ProblemCode = "bad_table"
	ProblemCodeNotAMove               ProblemCode = "not_a_move"
	ProblemCodeFreeMoveWithTurn       ProblemCode = "free_move_with_turn"
	ProblemCodeIllegalMove            ProblemCode = "illegal_move"
	ProblemCodeMatchUnreadable        ProblemCode = "match_unreadable"
	ProblemCodeInternalError          ProblemCode = "internal_error"
	ProblemCodeBusy                   ProblemCode = "busy"
	ProblemCodeEventsNotReady         ProblemCode = "events_not_ready"
	ProblemCodeOvertaken              ProblemCode = "overtaken"
	ProblemCodeServicePaused          ProblemCode = "service_paused"
	ProblemCodeServiceDraining        ProblemCode = "service_draining"
	ProblemCodeStorageFull            ProblemCode = "storage_full"
	ProblemCodeStoreUnavailable       ProblemCode = "store_unavailable"
)

// QueueEntry: A bot's place in the queue.
type QueueEntry struct {
	// Names the entry
	ID string `json:"id"`
	// `waiting`; `matched`: it has a match; `left`: the bot left; `dropped`: the service removed it
	State string `json:"state"`
	// Why it was dropped
	Reason *string `json:"reason"`
	// Its match, once there is one
	Match *string `json:"match"`
	// As in `GET /v1/games`
	Game string `json:"game"`
	// The number of seats
	Seats int `json:"seats"`
	// Every option that applies, defaults too
	Options map[string]any `json:"options"`
	// The preset whose ratings count
	Preset string `json:"preset"`
	// The number of deals
	Deals int `json:"deals"`

	Clock ClockRule `json:"clock"`
	// The bot's rating when it joined; 1500 if unrated
	Rating float64 `json:"rating"`
	// As requested
	RatingBand *int `json:"rating_band"`
	// As requested
	BandGrowth int `json:"band_growth"`
	// When the bot joined
	Joined time.Time `json:"joined"`
	// When it was matched, left or was dropped
	Ended *time.Time `json:"ended"`
}

// Rate is a schema of the API.
type Rate struct {
	// The number of requests
	Limit int `json:"limit"`
	// The length of the window in seconds
	WindowS int `json:"window_s"`
}

// RefusedMove: A refused move of a batch.
type RefusedMove struct {
	// The match in the request
	Match string `json:"match"`
	// The turn in the request; null for a free move
	Turn *int `json:"turn"`
	// The move in the request
	Move string `json:"move"`

	Problem Problem `json:"problem"`
}

// SeatClock is a schema of the API.
type SeatClock struct {
	// The remaining bank
	BankMs int `json:"bank_ms"`
	// Timeouts so far
	Strikes int `json:"strikes"`
}

// SeenSeat: The bot in a seat
type SeenSeat struct {
	// `owner/bot`; null while its name is hidden
	Bot *string `json:"bot"`
	// The bot's id, which never changes; null while its name is hidden
	ID *string `json:"id"`
	// The bot's version when the match was made; null while its name is hidden
	Version *string `json:"version"`
	// A person plays; absent for a bot. Such a match counts in no rating or standing
	Person *bool `json:"person,omitempty"`
}

// ServiceState: running; draining: existing matches are played out and nothing new is created;
// paused: all clocks stand still, moves cost no time, and nothing new is created
type ServiceState string

// The values of ServiceState in this release. A later release may add values.
const (
	ServiceStateRunning  ServiceState = "running"
	ServiceStateDraining ServiceState = "draining"
	ServiceStatePaused   ServiceState = "paused"
)

// SvoiKozyriObservation: What one seat, or a spectator, sees of a deal of Svoi Kozyri.
type SvoiKozyriObservation struct {
	Game string `json:"game"`
	// This deal's number in the match, from 1
	Deal int `json:"deal"`
	// The number of deals in the match
	Deals int `json:"deals"`
	// The dealer of this deal
	Dealer int `json:"dealer"`
	// Points of the finished deals, by seat
	Scores []int `json:"scores"`
	// The seat that sees this; null for a spectator
	Seat *int `json:"seat"`
	// The seat that is asked; null when the deal is over
	ToMove *int `json:"to_move"`
	// What is asked: lead (a card to the empty pile), beat (the top card, or pick up), free_lead (a
	// card on top of the pile, whatever lies there); null when the deal is over
	Question *string `json:"question"`
	// Your cards, by rank, then by suit; empty for a spectator
	Hand []string `json:"hand"`
	// The number of cards in each hand, by seat
	HandSizes []int `json:"hand_sizes"`
	// Cards in the pile
	Pile int `json:"pile"`
	// The top card of the pile; null when there is no pile
	Top *string `json:"top"`
	// The cards that a pickup would bring, the top card first; null unless you are asked to beat
	Pickup []string `json:"pickup"`
	// The card right under those of `pickup`, which would be the new top; null if there is none, or
	// unless you are asked to beat
	Under *string `json:"under"`
	// By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight of
	// all
	Known [][]string `json:"known"`
	// The seats that have got rid of all their cards
	Out []int `json:"out"`
	// Moves made in this deal, exchanges among them
	MovesMade int `json:"moves_made"`
	// At this number of moves the deal is a draw
	TurnLimit int `json:"turn_limit"`
	// By seat, the suit of that player's trumps
	Trumps []string `json:"trumps"`
	// The lowest rank of the pack
	LowestRank string `json:"lowest_rank"`
	// Whether a pickup always takes the whole pile
	WholePile bool `json:"whole_pile"`
	// The cards that were given to the owners of their suits after the deal
	Given []map[string]any `json:"given"`
	// All hands where they lie open, by seat; null where they do not
	Hands [][]string `json:"hands"`
	// The legal moves of this turn; send one with `turn`. Empty if it is not your turn
	LegalMoves []string `json:"legal_moves"`
	// The free moves that you may make now, whether or not it is your turn; send one with `deal`
	FreeMoves []string `json:"free_moves"`
}

// TurnList is a schema of the API.
type TurnList struct {
	// Your open turns that `since` does not cover
	Turns []Turn `json:"turns"`
	// Matches of yours that are over
	Finished []FinishedMatch `json:"finished"`
	// Send it with your next request
	Since string `json:"since"`

	Service ServiceState `json:"service"`
}
