package kozyr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"time"
)

const (
	mostMoves = 256
	// How long after a response ready moves wait for others, to travel in the same request.
	gatherFor = 50 * time.Millisecond
	// How often the service is asked for news while the bot thinks.
	pollEvery = 250 * time.Millisecond
	// How long Play tries to deliver the last moves when it stops.
	endingPatience = 5 * time.Second
	// A move that is ready with less time left than this is worth a warning.
	nearDeadline = 500 * time.Millisecond
	// How long a request with moves waits for news at most. Its response shows that the moves arrived.
	moveWait = time.Second
	// The shortest and the longest time in which a response to moves is expected, in addition to its wait.
	leastMargin, mostMargin = 500 * time.Millisecond, 10 * time.Second
	// The longest time for other responses: 25 s of waiting and these 5 s leave time in the default clock.
	pollMargin = 5 * time.Second
	// How many finished matches are remembered, so that none is reported twice.
	remembered = 2000
)

type phase int

const (
	open     phase = iota // the turn waits for the Chooser
	thinking              // the Chooser runs
	ready                 // the move is chosen and has no result yet
	made
)

// An entry is the latest turn of a match and what became of it.
type entry struct {
	turn   *Turn
	phase  phase
	move   string
	cancel context.CancelFunc // ends the thinking
}

// wire returns the move to send.
func (e *entry) wire() MatchMove {
	if e.turn.isFree(e.move) {
		return MatchMove{Match: e.turn.Match, Deal: &e.turn.Deal, Move: e.move}
	}
	return MatchMove{Match: e.turn.Match, Turn: &e.turn.Number, Move: e.move}
}

// A loop is the state of Play. It is not safe for concurrent use.
type loop struct {
	client   *Client
	options  PlayOptions
	chooser  Chooser
	search   *search
	limits   Limits
	entries  []*entry          // the most urgent turn is the first
	events   chan func() error // has room for every call of the Chooser, so that none waits for the loop
	running  int
	since    *string       // the cursor of the last response
	again    time.Duration // how long to pause at least, since the last response did not take all moves; or -1
	backoff  *backoff
	resume   time.Time // when the next request may be sent
	finished []string
	polled   bool
	ended    int
	ending   bool // the goal is reached: only moves that are chosen are still sent
	left     bool // after Finish: no match is left
	// The time that the last turn of each running match had.
	budgets map[string]time.Duration
	stretch time.Duration // the factor of the margin: more after a response that was late
	service ServiceState
	// The pace of the loop, which tests change.
	gather, poll time.Duration
}

func newLoop(client *Client, chooser Chooser, options PlayOptions) *loop {
	if options.Concurrency <= 0 {
		options.Concurrency = runtime.GOMAXPROCS(0)
	}
	return &loop{
		client: client, options: options, chooser: chooser, events: make(chan func() error, options.Concurrency),
		search: newSearch(options.Find), backoff: newBackoff(options.Patience), service: ServiceStateRunning,
		gather: gatherFor, poll: pollEvery, budgets: map[string]time.Duration{}, stretch: 1,
	}
}

func (l *loop) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // Ends the thinking.
	for {
		if err := l.think(ctx); err != nil {
			return err
		}
		if l.ending && len(l.in(ready)) == 0 && l.search.next(true, false) == nil {
			return nil
		}
		limited, done := l.untilFinish(ctx)
		err := l.exchange(limited)
		ended := limited.Err()
		done()
		var lost *lostError
		var problem *ProblemError
		switch {
		case err == nil:
			l.backoff, l.stretch = newBackoff(l.options.Patience), 1
		case !l.ending && ended != nil && errors.Is(err, ended):
			// A stop or a finish aborts a request, since the service may hold it for a long time. Its moves are sent
			// once more, with no wait: a move that was made gets its first result.
		case errors.As(err, &lost):
			if lost.late {
				l.stretch = min(2*l.stretch, mostMargin/leastMargin) // The service may be slow.
			}
			if l.resume, err = l.backoff.next(l.client, lost); err != nil {
				return err
			}
		case l.since != nil && errors.As(err, &problem) && problem.Problem.Code == ProblemCodeBadCursor:
			l.since = nil
		default:
			return err
		}
	}
}

// untilFinish returns a context that is also done when Finish is closed, unless it is already: a poll from
// before would begin new matches.
func (l *loop) untilFinish(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if l.ending || l.options.Finish == nil || l.leaving() {
		return ctx, cancel
	}
	go func() {
		select {
		case <-l.options.Finish:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

func (l *loop) leaving() bool {
	select {
	case <-l.options.Finish:
		return true
	default:
		return false
	}
}

// think calls the Chooser for open turns, until moves are due or news may have come.
func (l *loop) think(ctx context.Context) error {
	began := time.Now()
	for {
		leaving := l.leaving()
		isGoalReached := ctx.Err() != nil || l.left || leaving && l.limits.MaxMoves < 1 || (l.options.Matches > 0 && l.ended >= l.options.Matches)
		if !l.ending && isGoalReached {
			l.ending, l.resume, l.options.Patience = true, began, endingPatience
			l.backoff = newBackoff(endingPatience)
		}
		l.start(ctx)
		due, stop, finish := began, ctx.Done(), l.options.Finish
		if leaving {
			finish = nil
		}
		switch {
		case l.ending:
			stop = nil
		case l.running > 0 && len(l.in(ready)) > 0:
			due = began.Add(l.gather)
		case l.running > 0:
			due = began.Add(l.poll)
		}
		select {
		case event := <-l.events:
			if err := event(); err != nil {
				return err
			}
		case <-time.After(max(time.Until(due), time.Until(l.resume))):
			return nil
		case <-stop:
		case <-finish:
		}
	}
}

// start calls the Chooser for the most urgent open turns, unless the loop is ending.
func (l *loop) start(ctx context.Context) {
	for _, each := range l.in(open) {
		if l.ending || l.running == l.options.Concurrency {
			return
		}
		l.running++
		each.phase = thinking
		var turnCtx context.Context
		turnCtx, each.cancel = context.WithCancel(ctx)
		go func() {
			move, err := l.chooser(turnCtx, each.turn)
			l.events <- func() error { return l.take(ctx, each, move, err) }
		}()
	}
}

// take takes what the Chooser returned, unless nobody waits for it any more.
func (l *loop) take(ctx context.Context, e *entry, move string, err error) error {
	l.running--
	switch {
	case l.find(e.turn.Match) != e, err != nil && ctx.Err() != nil:
		return nil // The match went on, or the Chooser was stopped.
	case err != nil:
		return err
	}
	if left := e.turn.TimeLeft(); left > 0 && left < nearDeadline {
		l.client.warn(WarningNearDeadline, fmt.Sprintf("%v: %v before its deadline", e.turn, left.Round(time.Millisecond)))
	}
	e.move, e.phase = move, ready
	if !e.turn.mayAllow(e.move) && !e.turn.isFree(e.move) {
		return l.replace(e, e.turn.LegalMoves())
	}
	return nil
}

// replace puts the first legal move in place of an illegal one, if the options say so.
func (l *loop) replace(e *entry, legal []string) error {
	err := &IllegalMoveError{e.turn.Match, e.turn.Number, e.move, legal}
	if !l.options.FirstLegal || len(legal) == 0 || legal[0] == e.move {
		return err
	}
	l.client.warn(WarningIllegalMove, fmt.Sprintf("%v; %q is sent instead", err, legal[0]))
	e.move = legal[0]
	return nil
}

// exchange looks for an opponent, or sends what is ready and waits for news if nothing else is to be
// done. It takes the response.
func (l *loop) exchange(ctx context.Context) error {
	if l.ending {
		ctx = context.WithoutCancel(ctx) // The moves that are chosen are still delivered.
	}
	if l.limits.MaxMoves < 1 {
		return l.client.once(ctx, call{method: http.MethodGet, path: "/v1/limits"}, &l.limits)
	}
	waiting, leaving := l.in(ready), l.leaving()
	if look := l.search.next(l.ending, leaving); look != nil && (!l.ending || len(waiting) == 0) {
		look.margin = l.margin(nil)
		return l.search.send(ctx, l.client, look, l.ending)
	}
	taken := waiting[:min(len(waiting), mostMoves, l.limits.MaxMoves)]
	var wait time.Duration
	if !l.ending && len(l.in(open, thinking, ready)) == len(taken) {
		wait = l.wait(taken)
	}
	seconds := float64(wait.Milliseconds()) / 1000
	batch := MoveBatch{Moves: make([]MatchMove, len(taken)), Wait: &seconds, Since: l.since}
	for i, each := range taken {
		batch.Moves[i] = each.wire()
	}
	if leaving {
		batch.Leaving = &leaving
	}
	var answer MoveResults
	request := call{method: http.MethodPost, path: "/v1/turns", body: batch, wait: wait, margin: l.margin(taken)}
	if err := l.client.once(ctx, request, &answer); err != nil {
		return err
	}
	return l.read(&answer, taken)
}

// wait returns how long a request may wait: so short that a lost response is noticed while the clocks
// leave time, at most a third of the time of a turn.
func (l *loop) wait(taken []*entry) time.Duration {
	wait := min(l.search.wait, time.Duration(l.limits.MaxWaitS*float64(time.Second)), share(l.shortest(), 3))
	for _, each := range taken {
		wait = min(wait, moveWait, share(each.turn.budget()-each.turn.bank(), 5))
	}
	return wait
}

// margin returns how much longer than its wait a response may take: for moves, half of what is left before
// the bank is used, then an eighth of what is left.
func (l *loop) margin(taken []*entry) time.Duration {
	margin := min(pollMargin, l.shortest()/3)
	if len(taken) > 0 {
		margin = forever
	}
	for _, each := range taken {
		left := each.turn.TimeLeft()
		if free := left - each.turn.bank(); free > 0 {
			margin = min(margin, free/2)
		} else {
			margin = min(margin, left/8)
		}
	}
	return min(mostMargin, max(leastMargin, min(margin, mostMargin))*l.stretch)
}

// shortest returns the shortest time that the running matches gave for their last turns.
func (l *loop) shortest() time.Duration {
	shortest := forever
	for _, each := range l.budgets {
		shortest = min(shortest, each)
	}
	return shortest
}

// share returns this part of a time, cut to whole milliseconds, so that all clients send the same number.
func share(whole time.Duration, parts int64) time.Duration {
	return time.Duration(max(0, whole.Milliseconds())/parts) * time.Millisecond
}

func (l *loop) read(answer *MoveResults, taken []*entry) error {
	l.since = &answer.Since
	l.search.postponed = false
	l.left = l.left || answer.Running != nil && *answer.Running == 0
	illegal := l.results(taken, answer.Results)
	now := time.Now()
	for i := range answer.Turns {
		l.arrive(&answer.Turns[i], now)
	}
	// Turns with the same deadline stay in the order of their arrival.
	slices.SortStableFunc(l.entries, func(a, b *entry) int { return a.turn.expires().Compare(b.turn.expires()) })
	for _, match := range answer.Finished {
		if slices.Contains(l.finished, match.Match) {
			continue
		}
		l.drop(match.Match, nil)
		l.finished = append(l.finished, match.Match)
		delete(l.budgets, match.Match)
		l.search.finished(match.Match)
		l.ended++
		if l.polled && l.options.OnFinished != nil {
			l.options.OnFinished(match)
		}
	}
	isIdle := len(taken)+len(l.in(open, thinking, ready)) == 0
	l.search.due = l.search.due || isIdle
	if !l.polled {
		l.polled, l.ended = true, 0 // The first response lists earlier matches.
	}
	l.finished = l.finished[max(0, len(l.finished)-remembered):]
	if answer.Service != l.service {
		l.client.warn(WarningService, fmt.Sprintf("the service is %s", answer.Service))
		l.service = answer.Service
	}
	if illegal == nil && l.again >= 0 {
		return &lostError{error: &UnreachableError{errors.New("the service did not take all moves")}, after: l.again}
	}
	return illegal
}

// results takes the results of the moves that were sent. It returns the first *IllegalMoveError.
func (l *loop) results(taken []*entry, results []MoveOutcome) (illegal error) {
	l.again = -1
	if len(results) < len(taken) {
		l.again = 0
	}
	for i, each := range taken[:min(len(taken), len(results))] {
		problem := results[i].Problem
		switch {
		case problem == nil:
			each.phase = made
		case problem.Code == ProblemCodeFreeMoveWithTurn:
			seen := &each.turn.Observation
			seen.FreeMoves = append(seen.FreeMoves, each.move) // The match did not list it.
		case problem.Code == ProblemCodeIllegalMove || problem.Code == ProblemCodeNotAMove:
			illegal = cmp.Or(illegal, l.replace(each, problem.LegalMoves))
		default:
			l.again = max(l.again, 0)
			if problem.RetryMs != nil {
				l.again = max(l.again, time.Duration(*problem.RetryMs)*time.Millisecond)
			}
			if !problem.Retryable {
				l.since = nil // The next response has every open turn.
				l.drop(each.turn.Match, problem)
			}
		}
	}
	return illegal
}

// arrive takes a turn of a response that came at an instant. The same turn may come more than once.
func (l *loop) arrive(turn *Turn, now time.Time) {
	known := l.find(turn.Match)
	if known != nil && known.turn.Number == turn.Number && known.phase == made {
		l.again = max(l.again, 0)
		if turn.mayAllow(known.move) {
			known.phase = ready // The service lost the move, or sent the turn twice.
			return
		}
	} else if known != nil && known.turn.Number >= turn.Number {
		return
	}
	l.drop(turn.Match, nil)
	turn.arrived = now
	l.budgets[turn.Match] = turn.budget()
	l.entries = append(l.entries, &entry{turn: turn, cancel: func() {}})
}

// drop forgets the turn of a match, with a warning if it was late or the service refused its move.
func (l *loop) drop(match string, refusal *Problem) {
	e := l.find(match)
	if e == nil {
		return
	}
	e.cancel()
	l.entries = slices.DeleteFunc(l.entries, func(each *entry) bool { return each == e })
	if left := e.turn.TimeLeft(); e.phase != made && left <= 0 {
		late := fmt.Sprintf("%v was late by %v", e.turn, -left.Round(time.Millisecond))
		l.client.warn(WarningLate, late+"; the service plays a safe move and counts a strike")
	} else if refusal != nil {
		l.client.warn(WarningNotOpen, fmt.Sprintf("%v is not open: %s", e.turn, refusal.Detail))
	}
}

// in returns the entries of these phases, the most urgent first.
func (l *loop) in(phases ...phase) []*entry {
	return slices.DeleteFunc(slices.Clone(l.entries), func(e *entry) bool { return !slices.Contains(phases, e.phase) })
}

// find returns the entry of a match, or nil.
func (l *loop) find(match string) *entry {
	if i := slices.IndexFunc(l.entries, func(e *entry) bool { return e.turn.Match == match }); i >= 0 {
		return l.entries[i]
	}
	return nil
}
