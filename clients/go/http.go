package kozyr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	firstPause        = 100 * time.Millisecond
	longestPause      = 5 * time.Second
	longestRetryAfter = 60 * time.Second
	// How much longer than its wait a response may take.
	responseMargin = 10 * time.Second
)

// A call is one request, which is sent again until it gets a response.
type call struct {
	method, path string
	body         any
	// The Idempotency-Key of a request that creates something.
	key string
	// How long the service may wait before it responds.
	wait time.Duration
}

// A lostError is a failure that a retry may mend.
type lostError struct {
	error
	after time.Duration
}

func (e *lostError) Unwrap() error { return e.error }

// A backoff makes the growing pauses between the tries of one request.
type backoff struct {
	failures int
	until    time.Time // zero is for ever
}

func newBackoff(patience time.Duration) *backoff {
	if patience == 0 {
		return &backoff{}
	}
	return &backoff{until: time.Now().Add(patience)}
}

// next returns when to try again: after a growing pause, at least as long as the service asks for. The
// error is that of the last try, if patience does not last that long.
func (b *backoff) next(client *Client, lost *lostError) (time.Time, error) {
	longest := min(longestPause, firstPause<<min(b.failures, 16))
	b.failures++
	least := float64(min(lost.after, longestRetryAfter)) * (1 + rand.Float64()/10)
	pause := time.Duration(max(float64(longest)*(0.5+rand.Float64()/2), least))
	again := time.Now().Add(pause)
	if !b.until.IsZero() && !again.Before(b.until) {
		return again, lost.error
	}
	client.warn(WarningRetry, fmt.Sprintf("%v; retry in %v", lost.error, pause.Round(time.Millisecond)))
	return again, nil
}

// do sends a request until it gets a response, and decodes the response into out.
func (c *Client) do(ctx context.Context, request call, out any) error {
	backoff := newBackoff(c.Patience)
	for {
		err := c.once(ctx, request, out)
		var lost *lostError
		if !errors.As(err, &lost) {
			return err
		}
		again, err := backoff.next(c, lost)
		if err != nil {
			return err
		}
		select {
		case <-time.After(time.Until(again)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// once sends a request once. The error is a *lostError if another try may help.
func (c *Client) once(ctx context.Context, request call, out any) error {
	var body []byte
	if request.body != nil {
		var err error
		if body, err = json.Marshal(request.body); err != nil {
			return err
		}
	}
	limited, cancel := context.WithTimeout(ctx, request.wait+responseMargin)
	defer cancel()
	httpRequest, err := http.NewRequestWithContext(limited, request.method, c.url+request.path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	header := httpRequest.Header
	header.Set("Accept", "application/json")
	header.Set("User-Agent", "kozyr-client-go/0.1")
	if c.token != "" {
		header.Set("Authorization", "Bearer "+c.token)
	}
	if request.key != "" {
		// With the canonical spelling, the transport itself sends the request again if a connection ends.
		header["idempotency-key"] = []string{request.key}
	}
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	response, err := c.withoutRedirects().Do(httpRequest)
	if err == nil {
		defer response.Body.Close()
		body, err = io.ReadAll(response.Body)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &lostError{error: &UnreachableError{err}}
	}
	c.checkDeprecation(request, response.Header)
	return read(response, body, out)
}

// withoutRedirects returns the HTTP client, which by default would turn a redirected POST into a GET
// without its body.
func (c *Client) withoutRedirects() *http.Client {
	client := *c.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

func read(response *http.Response, body []byte, out any) error {
	if response.StatusCode/100 == 3 {
		return &UnreachableError{
			fmt.Errorf("http_%d: the service is not at this address, which redirects to %q; set the address of the service",
				response.StatusCode, response.Header.Get("Location")),
		}
	}
	if response.StatusCode/100 == 2 {
		if out == nil {
			return nil
		}
		if err := json.Unmarshal(body, out); err != nil {
			return &UnreachableError{
				fmt.Errorf("the response does not fit; check the address and version of the service: %w", err),
			}
		}
		return nil
	}
	problem := Problem{Retryable: isRetried(response.StatusCode)}
	if json.Unmarshal(body, &problem) != nil || problem.Code == "" {
		problem = Problem{
			Code:      ProblemCode(fmt.Sprintf("http_%d", response.StatusCode)),
			Retryable: isRetried(response.StatusCode),
		}
	}
	err := &ProblemError{response.StatusCode, problem}
	if !problem.Retryable {
		return err
	}
	return &lostError{err, retryAfter(response.Header.Get("Retry-After"))}
}

// isRetried says whether to retry after a status if the response itself does not say.
func isRetried(status int) bool {
	switch status {
	case 408, 425, 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// retryAfter returns what a Retry-After header asks for, in seconds or as a date; 0 without one.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseFloat(header, 64); err == nil {
		return max(0, time.Duration(seconds*float64(time.Second)))
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

func (c *Client) checkDeprecation(request call, header http.Header) {
	if header.Get("Deprecation") == "" {
		return
	}
	route := request.method + " " + request.path
	if _, known := c.deprecated.LoadOrStore(route, true); known {
		return
	}
	message := route + " is deprecated"
	if sunset := header.Get("Sunset"); sunset != "" {
		message += " and may end on " + sunset
	}
	c.warn(WarningDeprecated, message)
}
