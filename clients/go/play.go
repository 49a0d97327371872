package kozyr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"time"
)

const (
	// How long a poll waits if the service allows that long.
	longestWait = 25 * time.Second
	mostMoves   = 256
	// How long the first ready move waits for others, to travel in the same request.
	gatherFor = 50 * time.Millisecond
	// How often the service is asked for news while the bot thinks.
	pollEvery = 250 * time.Millisecond
	// How long Play tries to deliver the last moves when it stops.
	endingPatience = 5 * time.Second
)

// A Chooser returns one of the turn's LegalMoves or FreeMoves. Play calls it in goroutines of their
// own, for several matches at a time. The context is done when the turn is over or Play stops.
type Chooser func(ctx context.Context, turn *Turn) (string, error)

// PlayOptions are the options of Play.
type PlayOptions struct {
	// Matches stops Play after this number of matches has ended. 0 is for ever. Matches that ended before
	// Play do not count.
	Matches int

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

// A choice is what a Chooser returned.
type choice struct {
	entry *entry
	move  string
	err   error
}

type loop struct {
	client  *Client
	options PlayOptions
	chooser Chooser
	desk    desk
	chosen  chan choice // has room for every call of the Chooser, so that none waits for the loop
	running int
	ended   int
	service ServiceState
	// The pace of the loop, which tests change.
	gather, poll time.Duration
}

// Play plays all matches of the bot until options.Matches have ended or ctx is done. It first
// delivers the moves that are chosen, and then returns nil. An error of the Chooser ends it.
func (c *Client) Play(ctx context.Context, chooser Chooser, options *PlayOptions) error {
	if options == nil {
		options = &PlayOptions{}
	}
	return newLoop(c, chooser, *options).run(ctx)
}

func newLoop(client *Client, chooser Chooser, options PlayOptions) *loop {
	if options.Concurrency <= 0 {
		options.Concurrency = runtime.GOMAXPROCS(0)
	}
	return &loop{
		client: client, options: options, chooser: chooser, service: ServiceStateRunning,
		desk:   desk{firstLegal: options.FirstLegal, warn: client.warn, entries: map[string]*entry{}},
		chosen: make(chan choice, options.Concurrency), gather: gatherFor, poll: pollEvery,
	}
}

func (l *loop) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // Ends the thinking.
	patience := l.options.Patience
	var limits Limits
	err := l.client.do(ctx, call{method: http.MethodGet, path: "/v1/limits", patience: patience}, &limits)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	if limits.MaxMoves < 1 {
		return &UnreachableError{errors.New("the limits do not fit; check the address of the service")}
	}
	wait := min(longestWait, time.Duration(limits.MaxWaitS*float64(time.Second)))
	most := min(mostMoves, limits.MaxMoves)
	sending, pauses := ctx, newBackoff(patience)
	for ending := false; ; {
		if err := l.think(ctx); err != nil {
			return err
		}
		if !ending && l.isEnding(ctx) {
			// The moves that are chosen are still delivered.
			ending, wait, patience = true, 0, endingPatience
			sending, pauses = context.WithoutCancel(ctx), newBackoff(endingPatience)
		}
		if ending && !l.desk.has(ready) {
			return nil
		}
		if err := l.exchange(sending, most, wait, patience); err != nil {
			return err
		}
		if !l.desk.again {
			pauses = newBackoff(patience)
			continue
		}
		pause, ok := pauses.next(l.desk.againAfter)
		if !ok {
			return &UnreachableError{errors.New("the service did not take all moves")}
		}
		_ = sleep(sending, pause) // A stop is noticed at the top of the loop.
	}
}

func (l *loop) isEnding(ctx context.Context) bool {
	return ctx.Err() != nil || (l.options.Matches > 0 && l.ended >= l.options.Matches)
}

// think calls the Chooser for open turns, the most urgent first, until moves are due or news may have
// come.
func (l *loop) think(ctx context.Context) error {
	news := time.After(l.poll)
	var due <-chan time.Time
	for !l.isEnding(ctx) {
		for _, each := range l.desk.in(open) {
			if l.running == l.options.Concurrency {
				break
			}
			l.start(ctx, each)
		}
		if due == nil && l.desk.has(ready) {
			due = time.After(l.gather)
		}
		if l.running == 0 {
			return nil
		}
		select {
		case chosen := <-l.chosen:
			if err := l.take(ctx, chosen); err != nil {
				return err
			}
		case <-due:
			return nil
		case <-news:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

func (l *loop) start(ctx context.Context, e *entry) {
	ctx, e.cancel = context.WithCancel(ctx)
	e.phase = thinking
	l.running++
	go func() {
		move, err := l.chooser(ctx, e.turn)
		l.chosen <- choice{e, move, err}
	}()
}

func (l *loop) take(ctx context.Context, chosen choice) error {
	l.running--
	switch {
	case !l.desk.isOpen(chosen.entry):
		return nil // Nobody waits for the move any more.
	case chosen.err == nil:
		return l.desk.choose(chosen.entry, chosen.move)
	case ctx.Err() != nil:
		return nil // The Chooser was stopped.
	}
	return chosen.err
}

// exchange sends what is ready, waits for news if nothing else is to be done, and takes the response.
// A stop aborts it, since the service may hold the request for a long time. Its moves are then sent
// once more, with no wait: a move that was made gets its first result.
func (l *loop) exchange(ctx context.Context, most int, wait, patience time.Duration) error {
	l.desk.again, l.desk.againAfter = false, 0
	waiting := l.desk.in(ready)
	taken := waiting[:min(most, len(waiting))]
	if len(taken) < len(waiting) || l.desk.has(open) || l.desk.has(thinking) {
		wait = 0
	}
	seconds, since := wait.Seconds(), l.desk.since
	batch := MoveBatch{Moves: make([]MatchMove, len(taken)), Wait: &seconds}
	for i, each := range taken {
		batch.Moves[i] = each.wire()
	}
	if since != "" {
		batch.Since = &since
	}
	request := call{method: http.MethodPost, path: "/v1/turns", body: batch, wait: wait, patience: patience}
	var answer MoveResults
	err := l.client.do(ctx, request, &answer)
	var problem *ProblemError
	switch {
	case err == nil:
		return l.read(&answer, taken)
	case ctx.Err() != nil:
		return nil
	case since != "" && errors.As(err, &problem) && problem.Problem.Code == ProblemCodeBadCursor:
		l.desk.since = ""
		return nil
	}
	return err
}

func (l *loop) read(answer *MoveResults, taken []*entry) error {
	l.desk.since = answer.Since
	illegal := l.desk.results(taken, answer.Results)
	now := time.Now()
	for i := range answer.Turns {
		l.desk.arrive(&answer.Turns[i], now)
	}
	for _, match := range l.desk.finish(answer.Finished) {
		l.ended++
		if l.options.OnFinished != nil {
			l.options.OnFinished(match)
		}
	}
	if answer.Service != l.service {
		l.client.warn(WarningService, fmt.Sprintf("the service is %s", answer.Service))
		l.service = answer.Service
	}
	return illegal
}
