package kozyr

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// forever is the time left without a deadline.
const forever = 100 * 365 * 24 * time.Hour

// A Turn is an open turn of your seat.
type Turn struct {
	// Match is the match's id.
	Match string `json:"match"`

	// Number is the number of the turn in its match.
	Number int `json:"turn"`

	// Deal is the deal in progress, from 1.
	Deal int `json:"deal"`

	// Seat is your seat.
	Seat int `json:"seat"`

	// Observation is all that your seat sees.
	Observation Observation `json:"observation"`

	// Clocks are the clocks by seat.
	Clocks []SeatClock `json:"clocks"`

	// Deadline is when the turn times out, in service time. It includes the bank, but not the grace.
	// It is nil without a clock.
	Deadline *time.Time `json:"deadline"`

	// Now is the time of the response, in service time.
	Now time.Time `json:"now"`

	// SinceYourTurn are the events of the match from your last move on, with past=true.
	SinceYourTurn []map[string]any `json:"since_your_turn,omitempty"`

	// Seen are the cards that you do not see now, with past=true.
	Seen *SeenCards `json:"seen,omitempty"`

	arrived time.Time
}

// LegalMoves returns every answer to the turn. Send one of them unchanged.
func (t *Turn) LegalMoves() []string { return t.Observation.LegalMoves }

// FreeMoves returns the moves that you may make without answering the turn. After one, the Chooser
// is called again.
func (t *Turn) FreeMoves() []string { return t.Observation.FreeMoves }

// TimeLeft returns the time to the deadline by a monotonic clock. The clock of this machine may be
// wrong. Without a deadline it returns a hundred years.
func (t *Turn) TimeLeft() time.Duration {
	return time.Until(t.expires())
}

// String returns the turn's number and match, for messages.
func (t *Turn) String() string { return fmt.Sprintf("turn %d of %s", t.Number, t.Match) }

// expires returns when the turn times out, by the monotonic clock. Deadline and Now are service
// time, so only their difference counts.
func (t *Turn) expires() time.Time {
	return t.arrived.Add(t.budget())
}

// budget returns the time from the arrival of the turn to its deadline.
func (t *Turn) budget() time.Duration {
	if t.Deadline == nil {
		return forever
	}
	return t.Deadline.Sub(t.Now)
}

// bank returns the part of the time that is your bank.
func (t *Turn) bank() time.Duration {
	if t.Seat >= len(t.Clocks) {
		return 0
	}
	return time.Duration(t.Clocks[t.Seat].BankMs) * time.Millisecond
}

func (t *Turn) isFree(move string) bool {
	return slices.Contains(t.FreeMoves(), move) && !slices.Contains(t.LegalMoves(), move)
}

// mayAllow tells whether a move is legal, or the match does not list its moves.
func (t *Turn) mayAllow(move string) bool {
	return len(t.LegalMoves()) == 0 || slices.Contains(t.LegalMoves(), move)
}

// An Observation is all that a seat sees. Decode gives the fields of the game.
type Observation struct {
	// Game is the game's id.
	Game GameID

	// LegalMoves are the legal moves of the turn; empty if it is not your turn, or the match does not
	// list them.
	LegalMoves []string

	// FreeMoves are the free moves that you may make now.
	FreeMoves []string

	raw json.RawMessage
}

// Decode stores the observation in the value that v points to, such as a DurakObservation.
func (o *Observation) Decode(v any) error { return json.Unmarshal(o.raw, v) }

// UnmarshalJSON implements json.Unmarshaler.
func (o *Observation) UnmarshalJSON(data []byte) error {
	var common struct {
		Game       GameID   `json:"game"`
		LegalMoves []string `json:"legal_moves"`
		FreeMoves  []string `json:"free_moves"`
	}
	if err := json.Unmarshal(data, &common); err != nil {
		return err
	}
	*o = Observation{common.Game, common.LegalMoves, common.FreeMoves, slices.Clone(data)}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (o Observation) MarshalJSON() ([]byte, error) {
	if o.raw == nil {
		return []byte("null"), nil
	}
	return o.raw, nil
}

// A MoveOutcome is the result of a move, or the problem of a refused one.
type MoveOutcome struct {
	MoveResult

	// Problem says why the move was refused. It is nil for a move that was made.
	Problem *Problem `json:"problem"`
}
