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
	desk    *desk
	chosen  chan choice
	done    chan struct{} // closed when Play returns
	running int
	service ServiceState
	ended   int
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
		chosen: make(chan choice), done: make(chan struct{}), gather: gatherFor, poll: pollEvery,
	}
}

func (l *loop) run(ctx context.Context) error {
	thinking, cancel := context.WithCancel(ctx)
	defer cancel()
	defer close(l.done)
	l.desk = &desk{
		ctx: thinking, firstLegal: l.options.FirstLegal, warn: l.client.warn, entries: map[string]*entry{},
	}
	err := l.loop(ctx)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

func (l *loop) ending(ctx context.Context) bool {
	return ctx.Err() != nil || (l.options.Matches > 0 && l.ended >= l.options.Matches)
}

func (l *loop) loop(ctx context.Context) error {
	var limits Limits
	request := call{method: http.MethodGet, path: "/v1/limits", patience: l.options.Patience}
	if err := l.client.do(ctx, request, &limits); err != nil {
		return err
	}
	wait := min(longestWait, time.Duration(limits.MaxWaitS*float64(time.Second)))
	most := min(mostMoves, limits.MaxMoves)
	var pauses *backoff
	for ending := false; ; {
		if !l.ending(ctx) {
			if err := l.think(ctx); err != nil {
				return err
			}
		}
		if l.ending(ctx) && !ending {
			ending, pauses = true, nil
		}
		if ending && !l.desk.has(ready) {
			return nil
		}
		if err := l.exchange(ctx, most, wait); err != nil {
			return err
		}
		if !l.desk.again {
			pauses = nil
			continue
		}
		if pauses == nil {
			pauses = newBackoff(l.patience(ending))
		}
		pause, ok := pauses.next(l.desk.againAfter)
		if !ok {
			return &UnreachableError{errors.New("the service did not take all moves")}
		}
		resting := ctx
		if ending {
			resting = context.Background()
		}
		_ = sleep(resting, pause) // An interruption is noticed at the top of the loop.
	}
}

func (l *loop) patience(ending bool) time.Duration {
	if ending {
		return endingPatience
	}
	return l.options.Patience
}

// exchange sends what is ready, waits for news if nothing else is to be done, and takes the response.
func (l *loop) exchange(ctx context.Context, most int, wait time.Duration) error {
	taken, moves := l.desk.take(most)
	if l.ending(ctx) || l.desk.has(ready) || l.desk.has(open) || l.desk.has(thinking) {
		wait = 0
	}
	seconds := wait.Seconds()
	body := MoveBatch{Moves: moves, Wait: &seconds}
	if l.desk.since != "" {
		since := l.desk.since
		body.Since = &since
	}
	var answer MoveResults
	err := l.send(ctx, call{method: http.MethodPost, path: "/v1/turns", body: body, wait: wait}, &answer)
	if err != nil {
		l.desk.giveBack(taken)
		var problem *ProblemError
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return nil
		}
		if body.Since != nil && errors.As(err, &problem) && problem.Problem.Code == ProblemCodeBadCursor {
			l.desk.since = ""
			return nil
		}
		return err
	}
	l.desk.since = answer.Since
	err = l.desk.results(taken, answer.Results)
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
	return err
}

// send sends one request. A stop aborts it, since the service may hold it for a long time. Its moves
// are then sent once more, with no wait: a move that was made gets its first result.
func (l *loop) send(ctx context.Context, request call, answer *MoveResults) error {
	ending := l.ending(ctx)
	request.patience = l.patience(ending)
	if ending {
		ctx = context.WithoutCancel(ctx)
	}
	return l.client.do(ctx, request, answer)
}

// think starts the Chooser for open turns, the most urgent first, until moves are due or news may
// have come.
func (l *loop) think(ctx context.Context) error {
	news := time.NewTimer(l.poll)
	defer news.Stop()
	var due <-chan time.Time
	for {
		for _, each := range l.desk.in(open) {
			if l.running >= l.options.Concurrency {
				break
			}
			l.start(each)
		}
		if due == nil && l.desk.has(ready) {
			due = time.After(l.gather)
		}
		if l.running == 0 {
			return nil
		}
		select {
		case chosen := <-l.chosen:
			if err := l.take(chosen); err != nil {
				return err
			}
		case <-due:
			return nil
		case <-news.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

func (l *loop) start(e *entry) {
	e.phase = thinking
	l.running++
	go func() {
		move, err := l.chooser(e.ctx, e.turn)
		select {
		case l.chosen <- choice{e, move, err}:
		case <-l.done: // Nobody waits for the move any more.
		}
	}()
}

func (l *loop) take(chosen choice) error {
	l.running--
	if !l.desk.isOpen(chosen.entry) {
		return nil // The turn is over.
	}
	if chosen.err != nil {
		return chosen.err
	}
	return l.desk.choose(chosen.entry, chosen.move)
}
