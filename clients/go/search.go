package kozyr

import (
	"context"
	"errors"
	"net/http"
)

// A search keeps a bot in the queue while it has no match from there: one match after another.
type search struct {
	wish  *JoinQueue      // nil looks for nothing
	entry *QueueEntry     // nil if the bot has to join
	over  map[string]bool // the matches that ended since the bot joined
	due   bool            // the queue comes before the next poll
	key   string          // the Idempotency-Key of a join without a response
}

func newSearch(wish *JoinQueue) *search {
	return &search{wish: wish, over: map[string]bool{}, due: true}
}

// next returns the request to send before the next poll, or nil. If Play is ending, it is the last
// request: a join without a response may have reached the queue.
func (s *search) next(ending bool) *call {
	waits := s.entry != nil && s.entry.Match == nil
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
	}
	return &call{method: http.MethodPost, path: "/v1/queue", body: s.wish, key: s.key}
}

// send sends such a request. The end of the context does not cancel it: the service must not be left
// to pair a bot that is gone.
func (s *search) send(ctx context.Context, client *Client, request *call) error {
	entry := new(QueueEntry)
	err := client.once(context.WithoutCancel(ctx), *request, entry)
	var problem *ProblemError
	if errors.As(err, &problem) && problem.Problem.Code == ProblemCodeNotQueued {
		entry.State, err = "left", nil
	}
	if err == nil {
		s.take(entry)
	}
	return err
}

func (s *search) take(entry *QueueEntry) {
	joined := s.key != ""
	s.key = ""
	if joined {
		clear(s.over)
	}
	isOut := entry.State == "left" || entry.State == "dropped" || entry.Match != nil && s.over[*entry.Match]
	s.entry, s.due = entry, isOut && !joined
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
