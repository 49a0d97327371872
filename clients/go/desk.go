package kozyr

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

const (
	// A move that is ready with less time left than this is worth a warning.
	nearDeadline = 500 * time.Millisecond
	// How many finished matches are remembered, so that none is reported twice.
	remembered = 2000
)

type phase int

const (
	open     phase = iota // the turn waits for the Chooser
	thinking              // the Chooser runs
	ready                 // the move is chosen and has no result yet
	made                  // the move was made
	over                  // nothing is to be sent any more
)

// An entry is the latest turn of a match and what became of it.
type entry struct {
	turn     *Turn
	phase    phase
	move     string
	fellBack bool
	// arrival is the order of the turns that came, and cancel ends the thinking.
	arrival int
	cancel  context.CancelFunc
}

// wire returns the move to send.
func (e *entry) wire() MatchMove {
	if e.turn.isFree(e.move) {
		return MatchMove{Match: e.turn.Match, Deal: &e.turn.Deal, Move: e.move}
	}
	return MatchMove{Match: e.turn.Match, Turn: &e.turn.Number, Move: e.move}
}

// A desk holds the turns that came and the moves that go: all that the loop knows, without input or
// output. It is not safe for concurrent use.
type desk struct {
	firstLegal bool
	warn       func(Warning, string)

	// since is the cursor of the last response.
	since string
	// again says that something has to be sent again, after a pause of at least againAfter.
	again      bool
	againAfter time.Duration

	entries  map[string]*entry
	finished []string
	polled   bool
	arrivals int
}

// in returns the entries of a phase, the most urgent first.
func (d *desk) in(wanted phase) []*entry {
	var found []*entry
	for _, each := range d.entries {
		if each.phase == wanted {
			found = append(found, each)
		}
	}
	slices.SortFunc(found, func(a, b *entry) int {
		return cmp.Or(a.turn.expires().Compare(b.turn.expires()), a.arrival-b.arrival)
	})
	return found
}

func (d *desk) has(wanted phase) bool {
	for _, each := range d.entries {
		if each.phase == wanted {
			return true
		}
	}
	return false
}

// isOpen says whether somebody still waits for a move in this turn.
func (d *desk) isOpen(e *entry) bool {
	return d.entries[e.turn.Match] == e && e.phase == thinking
}

// choose takes the move that was chosen in an open turn.
func (d *desk) choose(e *entry, move string) error {
	if left := e.turn.TimeLeft(); left > 0 && left < nearDeadline {
		d.warn(WarningNearDeadline, fmt.Sprintf("%v: %v before its deadline", e.turn, left.Round(time.Millisecond)))
	}
	e.move, e.phase = move, ready
	if !slices.Contains(e.turn.LegalMoves(), move) && !e.turn.isFree(move) {
		return d.replace(e, e.turn.LegalMoves())
	}
	return nil
}

// results takes the results of the moves that were sent. It returns the first *IllegalMoveError.
func (d *desk) results(taken []*entry, results []MoveOutcome) (illegal error) {
	for i, each := range taken {
		switch {
		case i >= len(results):
			d.again = true
		case results[i].Problem != nil:
			illegal = cmp.Or(illegal, d.refused(each, results[i].Problem))
		case each.turn.isFree(each.move):
			each.phase = over
		default:
			each.phase = made
		}
	}
	return illegal
}

func (d *desk) refused(e *entry, problem *Problem) error {
	switch {
	case problem.Retryable:
		d.again = true
		if problem.RetryMs != nil {
			d.againAfter = max(d.againAfter, time.Duration(*problem.RetryMs)*time.Millisecond)
		}
	case problem.Code == ProblemCodeIllegalMove || problem.Code == ProblemCodeNotAMove:
		return d.replace(e, problem.LegalMoves)
	default:
		e.phase, d.since = over, ""
		if e.turn.TimeLeft() <= 0 {
			d.warnLate(e.turn)
		} else {
			d.warn(WarningNotOpen, fmt.Sprintf("%v is not open: %s", e.turn, problem.Detail))
		}
	}
	return nil
}

// arrive takes a turn of a response that came at an instant, the same for all its turns: they are
// ordered by their deadlines. The same turn may come more than once.
func (d *desk) arrive(turn *Turn, now time.Time) {
	known := d.entries[turn.Match]
	if known != nil && known.turn.Number >= turn.Number {
		if known.turn.Number > turn.Number || known.phase < made {
			return
		}
		d.again = true
		if known.phase == made && slices.Contains(turn.LegalMoves(), known.move) {
			known.phase = ready // The service lost the move, or sent the turn twice. It gets the same move.
			return
		}
	}
	d.drop(known)
	turn.arrived = now
	d.arrivals++
	d.entries[turn.Match] = &entry{turn: turn, arrival: d.arrivals}
}

// finish takes the finished matches of a response. It returns those that ended since the first.
func (d *desk) finish(listed []FinishedMatch) []FinishedMatch {
	var news []FinishedMatch
	for _, match := range listed {
		if slices.Contains(d.finished, match.Match) {
			continue
		}
		d.drop(d.entries[match.Match])
		delete(d.entries, match.Match)
		d.finished = append(d.finished, match.Match)
		if d.polled {
			news = append(news, match)
		}
	}
	d.finished = d.finished[max(0, len(d.finished)-remembered):]
	d.polled = true
	return news
}

// replace puts the first legal move in place of an illegal one, once, if the options say so.
func (d *desk) replace(e *entry, legal []string) error {
	err := &IllegalMoveError{e.turn.Match, e.turn.Number, e.move, legal}
	if !d.firstLegal || e.fellBack || len(legal) == 0 {
		return err
	}
	d.warn(WarningIllegalMove, fmt.Sprintf("%v; %q is sent instead", err, legal[0]))
	e.move, e.phase, e.fellBack = legal[0], ready, true
	return nil
}

func (d *desk) drop(e *entry) {
	if e == nil {
		return
	}
	if e.phase < made && e.turn.TimeLeft() <= 0 {
		d.warnLate(e.turn)
	}
	if e.cancel != nil {
		e.cancel()
	}
}

func (d *desk) warnLate(turn *Turn) {
	d.warn(WarningLate, fmt.Sprintf("%v was late by %v; the service plays a safe move and counts a strike",
		turn, -turn.TimeLeft().Round(time.Millisecond)))
}
