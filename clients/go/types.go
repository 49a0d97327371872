package kozyr

import "time"

// The types of this file are what the service sends and takes. GET /openapi.json describes every field.
// Lists by seat have an entry for each seat. A nil pointer is null, or a field that is left out.

// An Ending says how a match ended. A later release may add values.
type Ending string

// The values of Ending.
const (
	EndingRules    Ending = "rules"
	EndingForfeit  Ending = "forfeit"
	EndingResigned Ending = "resigned"
	EndingAborted  Ending = "aborted"
	EndingVoid     Ending = "void"
)

// A GameID names a game. A later release may add values.
type GameID string

// The values of GameID.
const (
	GameIDDurak      GameID = "durak"
	GameIDKing       GameID = "king"
	GameIDKryt       GameID = "kryt"
	GameIDSvoiKozyri GameID = "svoi_kozyri"
)

// A MatchStatus says whether a match runs. A later release may add values.
type MatchStatus string

// The values of MatchStatus.
const (
	MatchStatusOpen     MatchStatus = "open"
	MatchStatusWaiting  MatchStatus = "waiting"
	MatchStatusRunning  MatchStatus = "running"
	MatchStatusFinished MatchStatus = "finished"
)

// A ServiceState says whether the service runs. A later release may add values.
type ServiceState string

// The values of ServiceState.
const (
	ServiceStateRunning  ServiceState = "running"
	ServiceStateDraining ServiceState = "draining"
	ServiceStatePaused   ServiceState = "paused"
)

// A ProblemCode says what is wrong with a request. docs/protocol.md lists all of them.
type ProblemCode string

// The codes that a bot is most likely to meet.
const (
	ProblemCodeBadCursor        ProblemCode = "bad_cursor"
	ProblemCodeBotUnavailable   ProblemCode = "bot_unavailable"
	ProblemCodeFreeMoveWithTurn ProblemCode = "free_move_with_turn"
	ProblemCodeIllegalMove      ProblemCode = "illegal_move"
	ProblemCodeMatchOver        ProblemCode = "match_over"
	ProblemCodeNotAMove         ProblemCode = "not_a_move"
	ProblemCodeNotQueued        ProblemCode = "not_queued"
	ProblemCodeNotYourTurn      ProblemCode = "not_your_turn"
	ProblemCodeRateLimited      ProblemCode = "rate_limited"
	ProblemCodeStaleTurn        ProblemCode = "stale_turn"
	ProblemCodeTokenInvalid     ProblemCode = "token_invalid"
)

// An Assist says what turns and refusals show of the legal moves.
type Assist string

// The values of Assist.
const (
	AssistList     Assist = "list"
	AssistFactored Assist = "factored"
	AssistNone     Assist = "none"
)

// A MoveForm is a legal move, or several: its letters stand for cards of these lists, no two for the
// same card.
type MoveForm struct {
	Move string   `json:"move"`
	X    []string `json:"X,omitempty"`
	Y    []string `json:"Y,omitempty"`
	Z    []string `json:"Z,omitempty"`
}

// SeenCards are the cards that a seat does not see now.
type SeenCards struct {
	Gone   []string `json:"gone"`   // seen in this deal
	Unseen []string `json:"unseen"` // not seen in it
	Holder *int     `json:"holder"` // the seat that must hold all unseen cards
}

// A SeenDeal is what every observation has.
type SeenDeal struct {
	Deal       int        `json:"deal"` // the number of this deal in the match, from 1
	Deals      int        `json:"deals"`
	Dealer     int        `json:"dealer"`
	Scores     []int      `json:"scores"`  // points of the finished deals, by seat
	Seat       *int       `json:"seat"`    // nil for a spectator
	ToMove     *int       `json:"to_move"` // nil when the deal is over
	Question   *string    `json:"question"`
	Hand       []string   `json:"hand"` // by rank, then by suit
	HandSizes  []int      `json:"hand_sizes"`
	Known      [][]string `json:"known"`       // by seat, the cards that everybody knows to lie in that hand
	LegalMoves []string   `json:"legal_moves"` // empty if it is not your turn, or assist is not list

	// FactoredMoves are all legal moves, if the match has the assist factored.
	FactoredMoves []MoveForm `json:"factored_moves,omitempty"`
	FreeMoves     []string   `json:"free_moves"`
}

// A DurakObservation is what a seat sees of a deal of Durak.
type DurakObservation struct {
	SeenDeal
	Game      string      `json:"game"`
	Trump     string      `json:"trump"`
	TrumpCard *string     `json:"trump_card"` // the upturned card under the talon
	Talon     int         `json:"talon"`      // cards left to draw, including the upturned one
	Discard   int         `json:"discard"`
	Attacker  *int        `json:"attacker"`
	Defender  *int        `json:"defender"`
	Entitled  []int       `json:"entitled"` // the seats that may attack, in the order of asking
	Pairs     [][]*string `json:"pairs"`    // each attack card with the card that beats it, or nil
	Taking    bool        `json:"taking"`   // the defender has said take
	Room      int         `json:"room"`     // how many attack cards may still be played in this bout
	Out       []int       `json:"out"`      // the seats that have no cards left
	Teams     [][]int     `json:"teams"`
	MovesMade int         `json:"moves_made"`
	TurnLimit int         `json:"turn_limit"` // the deal is a draw after this number of moves
}

// A KingObservation is what a seat sees of a deal of King.
type KingObservation struct {
	SeenDeal
	Game        string     `json:"game"`
	Contract    string     `json:"contract"` // what scores in this deal
	Declared    *string    `json:"declared"` // a suit, last or miser
	Trump       *string    `json:"trump"`
	TrumpCard   *string    `json:"trump_card"` // the card that "declare last" has shown
	Miser       bool       `json:"miser"`      // the ranks are reversed, 7 high and ace low
	Trick       [][]any    `json:"trick"`      // pairs of seat and card, the leader's first
	LastTrick   [][]any    `json:"last_trick"`
	TricksTaken []int      `json:"tricks_taken"`
	Taken       [][]string `json:"taken"`
	DealScores  []int      `json:"deal_scores"` // the points of this deal so far
}

// A PileDeal is what the observations of both pile games have.
type PileDeal struct {
	SeenDeal
	Game      string   `json:"game"`
	Pile      int      `json:"pile"` // the number of cards in the pile
	Top       *string  `json:"top"`
	Pickup    []string `json:"pickup"` // the cards that a pickup would bring, the top card first
	Under     *string  `json:"under"`  // the card under those of Pickup
	Out       []int    `json:"out"`
	MovesMade int      `json:"moves_made"`
	TurnLimit int      `json:"turn_limit"`
}

// A KrytObservation is what a seat sees of a deal of Kryt'-navalivat'.
type KrytObservation struct {
	PileDeal
	Trump     string  `json:"trump"`
	AntiTrump *string `json:"anti_trump"` // the suit that no trump beats
	TrumpCard *string `json:"trump_card"`
	Stock     int     `json:"stock"` // cards left to draw, the upturned one among them
}

// A SvoiKozyriObservation is what a seat sees of a deal of Svoi Kozyri.
type SvoiKozyriObservation struct {
	PileDeal
	Trumps     []string         `json:"trumps"` // by seat, the suit of that player's trumps
	LowestRank string           `json:"lowest_rank"`
	WholePile  bool             `json:"whole_pile"`
	Given      []map[string]any `json:"given"` // the cards that went to the owners of their suits after the deal
	Hands      [][]string       `json:"hands"` // nil unless they lie open
}

// A ClockRule is the clock of a match in milliseconds, except Strikes: the timeouts that forfeit a seat.
type ClockRule struct {
	MoveMs      int `json:"move_ms"`
	BankMs      int `json:"bank_ms"`
	IncrementMs int `json:"increment_ms"`
	GraceMs     int `json:"grace_ms"` // network allowance for each move; never charged
	Strikes     int `json:"strikes"`
}

// A Clock is the clock of a new match. Fields that are nil have their defaults.
type Clock struct {
	MoveMs      *int `json:"move_ms,omitempty"`
	BankMs      *int `json:"bank_ms,omitempty"`
	IncrementMs *int `json:"increment_ms,omitempty"`
	GraceMs     *int `json:"grace_ms,omitempty"`
	Strikes     *int `json:"strikes,omitempty"`
	// Pace is a clock by name, as "reasoning", whose values stand for the fields that are nil.
	Pace *string `json:"pace,omitempty"`
}

// A SeatClock has the remaining bank of a seat and its timeouts so far.
type SeatClock struct {
	BankMs  int `json:"bank_ms"`
	Strikes int `json:"strikes"`
}

// A FinishedMatch is a match of yours that is over.
type FinishedMatch struct {
	Match    string    `json:"match"`
	Seat     int       `json:"seat"`
	Ending   Ending    `json:"ending"`
	Scores   []int     `json:"scores"`
	Places   []int     `json:"places"`
	Forfeits []int     `json:"forfeits"` // the forfeited seats
	Ended    time.Time `json:"ended"`
}

// A MatchMove answers a turn, or is a free move, which has a Deal instead of a Turn.
type MatchMove struct {
	Match string     `json:"match"`
	Turn  *int       `json:"turn,omitempty"`
	Deal  *int       `json:"deal,omitempty"`
	Move  string     `json:"move"`
	Note  *string    `json:"note,omitempty"` // only you see it before everybody may read the match
	Facts *MoveFacts `json:"facts,omitempty"`
}

// MoveFacts are what you report about a move. Others see them when the match may be read.
type MoveFacts struct {
	InputTokens  *int     `json:"input_tokens,omitempty"`
	OutputTokens *int     `json:"output_tokens,omitempty"`
	CostMicroUSD *int     `json:"cost_micro_usd,omitempty"` // in millionths of a US dollar
	Mended       []string `json:"mended,omitempty"`
	Thoughts     *string  `json:"thoughts,omitempty"` // at most 8192 bytes
}

// A MoveBatch is the body of POST /v1/turns.
type MoveBatch struct {
	Moves   []MatchMove `json:"moves,omitempty"`
	Wait    *float64    `json:"wait,omitempty"`    // seconds to wait for a turn
	Since   *string     `json:"since,omitempty"`   // that of the last response
	Leaving *bool       `json:"leaving,omitempty"` // the bot finishes its matches and begins no new one
}

// A MoveResult is the result of a move.
type MoveResult struct {
	Match     string `json:"match"`
	Seat      int    `json:"seat"`
	Turn      *int   `json:"turn"` // nil for a free move
	Move      string `json:"move"`
	Ms        int    `json:"ms"`
	ChargedMs int    `json:"charged_ms"` // the part of Ms that was charged to your bank
	Replayed  bool   `json:"replayed"`   // the move had been made before; the result is the first one
}

// MoveResults is the response to POST /v1/turns.
type MoveResults struct {
	Results  []MoveOutcome   `json:"results"` // in the order sent
	Turns    []Turn          `json:"turns"`   // your open turns that Since does not cover
	Finished []FinishedMatch `json:"finished"`
	Since    string          `json:"since"` // send it with your next request
	Service  ServiceState    `json:"service"`
	Running  *int            `json:"running,omitempty"` // with Leaving: your matches that have begun and are not over
}

// A JoinQueue is a wish for one match.
type JoinQueue struct {
	Game       GameID         `json:"game"`
	Options    map[string]any `json:"options,omitempty"`
	Clock      *Clock         `json:"clock,omitempty"`
	Assist     Assist         `json:"assist,omitempty"`
	Seats      *int           `json:"seats,omitempty"`
	Deals      *int           `json:"deals,omitempty"`
	RatingBand *Nullable[int] `json:"rating_band,omitempty"` // how far an opponent's rating may lie at first
	BandGrowth *int           `json:"band_growth,omitempty"` // by how much the band widens each second
	Entropy    *string        `json:"entropy,omitempty"`     // printable characters that enter the shuffle
}

// A QueueEntry is a bot's place in the queue.
type QueueEntry struct {
	ID         string         `json:"id"`
	State      string         `json:"state"`  // waiting, matched, left or dropped
	Reason     *string        `json:"reason"` // why the service dropped it
	Match      *string        `json:"match"`
	Game       string         `json:"game"`
	Seats      int            `json:"seats"`
	Options    map[string]any `json:"options"`
	Preset     string         `json:"preset"`
	Deals      int            `json:"deals"`
	Clock      ClockRule      `json:"clock"`
	Assist     Assist         `json:"assist"`
	Rating     float64        `json:"rating"`
	RatingBand *int           `json:"rating_band"`
	BandGrowth int            `json:"band_growth"`
	Joined     time.Time      `json:"joined"`
	Ended      *time.Time     `json:"ended"`
}

// A NewMatch is a casual match to create.
type NewMatch struct {
	Game    GameID         `json:"game"`
	Seats   []*string      `json:"seats"` // the bots by seat, as owner/bot; nil is an open seat
	Options map[string]any `json:"options,omitempty"`
	Clock   *Clock         `json:"clock,omitempty"`
	Assist  Assist         `json:"assist,omitempty"`
	Dealer  *int           `json:"dealer,omitempty"`
	Entropy *string        `json:"entropy,omitempty"`
	Deals   *int           `json:"deals,omitempty"`
}

// A SeenSeat is the bot in a seat. Its fields are nil while its name is hidden.
type SeenSeat struct {
	Bot     *string `json:"bot"`
	ID      *string `json:"id"`
	Version *string `json:"version"`
	Person  *bool   `json:"person,omitempty"` // a person plays
}

// A MatchPlace is a position of an earlier match.
type MatchPlace struct {
	Match string `json:"match"`
	Deal  int    `json:"deal"`
	Move  int    `json:"move"`
}

// A Match is a match as the caller may see it.
type Match struct {
	ID          string         `json:"id"`
	Game        string         `json:"game"`
	Options     map[string]any `json:"options"`
	Preset      string         `json:"preset"` // what is rated together
	Rules       string         `json:"rules"`  // the game and the version of its rules
	Deals       int            `json:"deals"`
	Deal        int            `json:"deal"`
	Seats       []*SeenSeat    `json:"seats"` // nil is an open seat
	Clock       ClockRule      `json:"clock"`
	Assist      Assist         `json:"assist"`
	Rated       bool           `json:"rated"`
	Ladder      *string        `json:"ladder"`
	Round       *int           `json:"round"`
	Status      MatchStatus    `json:"status"`
	Ending      *Ending        `json:"ending"`
	Void        bool           `json:"void"` // it is over and does not count
	Created     time.Time      `json:"created"`
	Started     *time.Time     `json:"started"`
	Ended       *time.Time     `json:"ended"`
	Scores      []int          `json:"scores"`
	Places      []int          `json:"places"`
	Forfeits    []int          `json:"forfeits"`
	Hints       []int          `json:"hints,omitempty"`     // the turns for which a person got a hint
	Continues   *MatchPlace    `json:"continues,omitempty"` // the position at which it began
	Entropy     []bool         `json:"entropy"`             // by seat, whether it gave entropy of its own
	Commitment  string         `json:"commitment"`
	Clocks      []SeatClock    `json:"clocks"`
	Seat        *int           `json:"seat"` // nil for a spectator
	Now         time.Time      `json:"now"`
	Turn        *int           `json:"turn"`
	ToMove      *int           `json:"to_move"`
	Deadline    *time.Time     `json:"deadline"`
	Observation *Observation   `json:"observation"`
	TurnsAhead  *int           `json:"turns_ahead,omitempty"` // how many turns of other matches a worker plays first
}

// A Rate is a number of requests in a window.
type Rate struct {
	Limit   int `json:"limit"`
	WindowS int `json:"window_s"`
}

// A Pace is a clock with a name.
type Pace struct {
	Clock   ClockRule `json:"clock"`
	FromMs  int       `json:"from_ms"`
	StartMs int       `json:"start_ms"`
}

// Limits are the limits of the service.
type Limits struct {
	MaxWaitS         float64         `json:"max_wait_s"`
	MaxBodyBytes     int             `json:"max_body_bytes"`
	BodyTimeoutS     float64         `json:"body_timeout_s"`
	MaxMoves         int             `json:"max_moves"`
	MaxPage          int             `json:"max_page"`
	MaxEvents        int             `json:"max_events"`
	MaxPolls         int             `json:"max_polls"`
	MaxWaits         int             `json:"max_waits"`
	OpenRegistration bool            `json:"open_registration"`
	StartMs          int             `json:"start_ms"`
	OpenMs           int             `json:"open_ms"`
	SettleMs         int             `json:"settle_ms"`
	Paces            map[string]Pace `json:"paces"`
	Rates            map[string]Rate `json:"rates"` // a missing entry means no limit
	Version          string          `json:"version"`
}

// A Problem is an RFC 9457 problem document. The fields after RequestID appear only where they help.
type Problem struct {
	Type          string              `json:"type"`
	Title         string              `json:"title"`
	Status        int                 `json:"status"`
	Detail        string              `json:"detail"` // what was wrong with this request
	Code          ProblemCode         `json:"code"`
	Retryable     bool                `json:"retryable"`  // the same request may succeed when it is sent again
	RequestID     string              `json:"request_id"` // quote it to the operator
	Errors        map[string][]string `json:"errors,omitempty"`
	LegalMoves    []string            `json:"legal_moves,omitempty"`
	FactoredMoves []MoveForm          `json:"factored_moves,omitempty"`
	FreeMoves     []string            `json:"free_moves,omitempty"`
	Turn          *int                `json:"turn,omitempty"`
	Deal          *int                `json:"deal,omitempty"`
	View          *Match              `json:"view,omitempty"` // the match as you see it now
	RetryMs       *int                `json:"retry_ms,omitempty"`
	Reason        *string             `json:"reason,omitempty"`
}
