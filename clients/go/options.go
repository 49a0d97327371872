package kozyr

import (
	"context"
	"time"
)

// A Chooser returns one of the turn's LegalMoves or FreeMoves. Play calls it in goroutines of their
// own, for several matches at a time. The context is done when the turn is over or Play stops.
type Chooser func(ctx context.Context, turn *Turn) (string, error)

// PlayOptions are the options of Play.
type PlayOptions struct {
	// Matches stops Play after this number of matches has ended. 0 is for ever. Matches that ended before
	// Play do not count.
	Matches int

	// Find looks for opponents: the bot joins the queue with this wish whenever it has no match from
	// there, and leaves the queue when Play ends.
	Find *JoinQueue

	// Finish ends Play gracefully when it is closed: the bot begins no new match, leaves the queue, and
	// Play returns when the running matches are over. See UntilInterrupted.
	Finish <-chan struct{}

	// OnFinished is called with each match that ends.
	OnFinished func(FinishedMatch)

	// FirstLegal sends the first legal move, with a warning, in place of a move that is not legal.
	// Without it such a move ends Play with an *IllegalMoveError.
	FirstLegal bool

	// Patience is how long the service may be out of reach. 0 is for ever.
	Patience time.Duration

	// Concurrency is how many calls of the Chooser run at a time. 0 is runtime.GOMAXPROCS(0).
	Concurrency int
}
