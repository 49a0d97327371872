package kozyr

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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
	open phase = iota
	thinking
	ready
	sent
	made
	over
)

// An entry is the latest turn of a match and what became of it.
type entry struct {
	turn     *Turn
	phase    phase
	move     string
	fellBack bool
	ctx      context.Context
	cancel   context.CancelFunc
	// expires is when the turn times out, and arrival the order of the turns that came.
	expires time.Time
	arrival int
}

// A desk holds the turns that came and the moves that go: all that the loop knows, without input or
// output. It is not safe for concurrent use.
type desk struct {
	ctx        context.Context
	firstLegal bool
	warn       func(Warning, string)

	// since is the cursor of the last response.
	since string
	// again says that something has to be sent again, which is worth a pause.
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
		if order := a.expires.Compare(b.expires); order != 0 {
			return order
		}
		return a.arrival - b.arrival
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

// choose takes the move that was chosen in a turn. A move for a turn that is over is dropped.
func (d *desk) choose(chosen *entry, move string) error {
	turn := chosen.turn
	if !d.isOpen(chosen) {
		return nil
	}
	if left := turn.TimeLeft(); left > 0 && left < nearDeadline {
		d.warn(WarningNearDeadline, fmt.Sprintf("turn %d of %s: %v before its deadline",
			turn.Number, turn.Match, left.Round(time.Millisecond)))
	}
	chosen.move = move
	if !slices.Contains(turn.LegalMoves(), move) && !turn.isFree(move) {
		return d.replace(chosen, turn.LegalMoves())
	}
	chosen.phase = ready
	return nil
}

// isOpen says whether somebody still waits for a move in this turn.
func (d *desk) isOpen(e *entry) bool {
	return d.entries[e.turn.Match] == e && e.phase == thinking
}

// take returns the moves of the next request, at most `most`, and marks them as sent.
func (d *desk) take(most int) ([]*entry, []MatchMove) {
	d.again, d.againAfter = false, 0
	taken := d.in(ready)
	taken = taken[:min(most, len(taken))]
	moves := make([]MatchMove, 0, len(taken))
	for _, each := range taken {
		each.phase = sent
		move := MatchMove{Match: each.turn.Match, Move: each.move}
		if each.turn.isFree(each.move) {
			move.Deal = &each.turn.Deal
		} else {
			move.Turn = &each.turn.Number
		}
		moves = append(moves, move)
	}
	return taken, moves
}

// giveBack makes moves ready again after a request that had no effect.
func (d *desk) giveBack(taken []*entry) {
	for _, each := range taken {
		each.phase = ready
	}
}

// results takes the results of the moves that were sent. It returns the first *IllegalMoveError.
func (d *desk) results(taken []*entry, results []MoveOutcome) error {
	var illegal error
	for i, each := range taken {
		if i >= len(results) {
			each.phase, d.again = ready, true
			continue
		}
		problem := results[i].Problem
		if problem == nil && each.turn.isFree(each.move) {
			each.phase = over
		} else if problem == nil {
			each.phase = made
		} else if err := d.refused(each, problem); err != nil && illegal == nil {
			illegal = err
		}
	}
	return illegal
}

func (d *desk) refused(e *entry, problem *Problem) error {
	switch {
	case problem.Retryable:
		e.phase, d.again = ready, true
		if problem.RetryMs != nil {
			d.againAfter = max(d.againAfter, time.Duration(*problem.RetryMs)*time.Millisecond)
		}
	case problem.Code == ProblemCodeIllegalMove || problem.Code == ProblemCodeNotAMove:
		return d.replace(e, problem.LegalMoves)
	default:
		if e.turn.TimeLeft() <= 0 {
			d.warnLate(e.turn)
		} else {
			d.warn(WarningNotOpen, fmt.Sprintf("turn %d of %s is not open: %s",
				e.turn.Number, e.turn.Match, problem.Detail))
		}
		e.phase, d.since = over, ""
	}
	return nil
}

// arrive takes a turn of a response that came at an instant, the same for all its turns: they are
// ordered by their deadlines. The same turn may come more than once.
func (d *desk) arrive(turn *Turn, now time.Time) {
	known := d.entries[turn.Match]
	if known != nil && known.turn.Number >= turn.Number {
		if known.turn.Number > turn.Number || (known.phase != made && known.phase != over) {
			return
		}
		d.again = true
		if known.phase == made && slices.Contains(turn.LegalMoves(), known.move) {
			known.phase = ready // The service lost the move, or sent the turn twice. It gets the same move.
			return
		}
	}
	if known != nil {
		d.drop(known)
	}
	turn.arrived = now
	d.arrivals++
	fresh := &entry{turn: turn, arrival: d.arrivals, expires: turn.expires()}
	fresh.ctx, fresh.cancel = context.WithCancel(d.ctx)
	d.entries[turn.Match] = fresh
}

// finish takes the finished matches of a response. It returns those that ended since the first.
func (d *desk) finish(listed []FinishedMatch) []FinishedMatch {
	var news []FinishedMatch
	for _, match := range listed {
		if slices.Contains(d.finished, match.Match) {
			continue
		}
		if known := d.entries[match.Match]; known != nil {
			d.drop(known)
			delete(d.entries, match.Match)
		}
		d.finished = append(d.finished, match.Match)
		if d.polled {
			news = append(news, match)
		}
	}
	d.finished = d.finished[max(0, len(d.finished)-remembered):]
	d.polled = true
	return news
}

func (d *desk) replace(e *entry, legal []string) error {
	err := &IllegalMoveError{e.turn.Match, e.turn.Number, e.move, legal}
	if !d.firstLegal || e.fellBack || len(legal) == 0 {
		return err
	}
	d.warn(WarningIllegalMove, err.Error()+"; "+strconv.Quote(legal[0])+" is sent instead")
	e.move, e.phase, e.fellBack = legal[0], ready, true
	return nil
}

func (d *desk) drop(e *entry) {
	if (e.phase == open || e.phase == thinking || e.phase == ready) && e.turn.TimeLeft() <= 0 {
		d.warnLate(e.turn)
	}
	e.cancel()
}

func (d *desk) warnLate(turn *Turn) {
	d.warn(WarningLate, fmt.Sprintf("turn %d of %s was late by %v; the service plays a safe move and counts a strike",
		turn.Number, turn.Match, -turn.TimeLeft().Round(time.Millisecond)))
}
