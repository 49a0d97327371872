package kozyr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// How long a poll waits if the service allows that long.
const longestWait = 25 * time.Second

// A search keeps a bot in the queue while it has no match from there: one match after another.
type search struct {
	wish      *JoinQueue      // nil looks for nothing
	entry     *QueueEntry     // nil if the bot has to join
	over      map[string]bool // the matches that ended since the bot sent its join
	due       bool            // the queue comes before the next poll
	key       string          // the Idempotency-Key of a join without a response
	postponed bool            // the last request failed, and no poll was answered since
	// How long a poll may wait: less while the queue fails, since its request follows an idle poll.
	wait time.Duration
}

func newSearch(wish *JoinQueue) *search {
	return &search{wish: wish, over: map[string]bool{}, due: true, wait: longestWait}
}

// next returns the request to send before the next poll, or nil. If Play is ending or the bot leaves, it
// is the last request: a join without a response may have reached the queue.
func (s *search) next(ending, leaving bool) *call {
	waits := s.entry != nil && s.entry.Match == nil
	if leaving && !ending && s.postponed {
		return nil
	}
	ending = ending || leaving
	switch {
	case ending && (waits || s.key != ""):
		return &call{method: http.MethodDelete, path: "/v1/queue"}
	case ending || s.wish == nil || !s.due:
		return nil
	case waits:
		return &call{method: http.MethodGet, path: "/v1/queue"}
	case s.entry != nil:
		return nil
	case s.key == "":
		s.key = newKey()
		clear(s.over)
	}
	return &call{method: http.MethodPost, path: "/v1/queue", body: s.wish, key: s.key}
}

// send sends such a request. The end of the context does not cancel it: the service must not be left
// to pair a bot that is gone. After a failure that a retry may mend, polls go on; the last request
// returns it.
func (s *search) send(ctx context.Context, client *Client, request *call, ending bool) error {
	entry := new(QueueEntry)
	err := client.once(context.WithoutCancel(ctx), *request, entry)
	var problem *ProblemError
	var lost *lostError
	switch {
	case errors.As(err, &lost) && !ending:
		s.postponed = true
		s.due, s.wait = false, min(longestWait, max(time.Second, ceilSecond(lost.after)))
		client.warn(WarningRetry, fmt.Sprintf("%v; retry after the next idle poll", lost))
		return nil
	case errors.As(err, &problem) && problem.Problem.Code == ProblemCodeNotQueued:
		entry.State, err = "left", nil
	}
	if err == nil {
		s.take(entry)
	}
	return err
}

func ceilSecond(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}

func (s *search) take(entry *QueueEntry) {
	joined := s.key != ""
	s.key, s.wait = "", longestWait
	isOver := entry.Match != nil && s.over[*entry.Match]
	isOut := isOver || entry.State == "left" || entry.State == "dropped"
	s.entry, s.due = entry, isOver || isOut && !joined
	if isOut {
		s.entry = nil
	}
}

// finished takes a match that is over.
func (s *search) finished(match string) {
	if s.wish == nil {
		return
	}
	s.over[match], s.due = true, true
	if s.entry != nil && s.entry.Match != nil && *s.entry.Match == match {
		s.entry = nil
	}
}
