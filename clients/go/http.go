package kozyr

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	firstPause        = 100 * time.Millisecond
	longestPause      = 5 * time.Second
	longestRetryAfter = 60 * time.Second
	// How much longer than its wait a response may take.
	responseMargin = 10 * time.Second
	// How long a failure must last for another warning.
	warnAgain = time.Minute
)

// shapes has fields that show that a response comes from a Kozyr service, by method and path.
var shapes = map[string][]string{
	"GET /v1/limits":   {"max_moves"},
	"POST /v1/turns":   {"results", "turns", "finished", "since"},
	"POST /v1/queue":   {"state"},
	"GET /v1/queue":    {"state"},
	"DELETE /v1/queue": {"state"},
}

// A call is one request, which is sent again until it gets a response.
type call struct {
	method, path string
	body         any
	// The Idempotency-Key of a request that creates something.
	key string
	// How long the service may wait before it responds.
	wait time.Duration
	// How much longer than its wait the response may take. 0 is responseMargin.
	margin time.Duration
}

// A lostError is a failure that a retry may mend.
type lostError struct {
	error
	after time.Duration
	late  bool // no response came in time
}

func (e *lostError) Unwrap() error { return e.error }

// A backoff makes the growing pauses between the tries of one request.
type backoff struct {
	failures int
	until    time.Time // zero is for ever
	warnAt   time.Time
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
	if now := time.Now(); !now.Before(b.warnAt) {
		b.warnAt = now.Add(warnAgain)
		client.warn(WarningRetry, fmt.Sprintf("%v; retry in %v", lost.error, pause.Round(time.Millisecond)))
	}
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
	limited, cancel := context.WithTimeout(ctx, request.wait+cmp.Or(request.margin, responseMargin))
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
		return c.failure(err)
	}
	c.checkDeprecation(request, response.Header)
	return c.read(request, response, body, out)
}

// failure returns the error of a request without a response. A certificate is wrong for good only at the
// first contact.
func (c *Client) failure(err error) error {
	var untrusted *tls.CertificateVerificationError
	var noTLS tls.RecordHeaderError
	isTrouble := errors.As(err, &untrusted) || errors.As(err, &noTLS)
	if isTrouble {
		err = fmt.Errorf("%w; check the address, or name the file with your own CA in SSL_CERT_FILE", err)
	}
	if isTrouble && !c.known.Load() {
		return &UnreachableError{err}
	}
	return &lostError{error: &UnreachableError{err}, late: errors.Is(err, context.DeadlineExceeded)}
}

// withoutRedirects returns the HTTP client, which by default would turn a redirected POST into a GET
// without its body.
func (c *Client) withoutRedirects() *http.Client {
	client := *c.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// read decodes a response into out. Once the service is known, a response that is not its own is lost.
func (c *Client) read(request call, response *http.Response, body []byte, out any) error {
	status, header := response.StatusCode, response.Header
	after := retryAfter(header.Get("Retry-After"), header.Get("Date"))
	if problem := problemOf(response, body); problem != nil {
		c.known.Store(true)
		err := &ProblemError{status, *problem}
		if problem.Retryable {
			return &lostError{error: err, after: after}
		}
		return err
	}
	shape, hasShape := shapes[request.method+" "+request.path]
	isSuccess, isCut := status/100 == 2, false
	if isSuccess {
		isValid := json.Valid(body)
		fits := isValid || len(body) == 0 && !hasShape
		for _, field := range shape {
			fits = fits && hasField(body, field)
		}
		if fits && (out == nil || len(body) == 0 || json.Unmarshal(body, out) == nil) {
			c.known.Store(c.known.Load() || hasShape)
			return nil
		}
		kind := header.Get("Content-Type")
		isCut = !isValid && len(body) > 0 && (kind == "" || strings.Contains(kind, "json"))
	}
	err := elsewhere(response)
	if c.known.Load() || isCut || isRetried(status) {
		return &lostError{error: err, after: after}
	}
	return err
}

// problemOf returns the problem document of a response, or nil if it has none of a Kozyr service.
func problemOf(response *http.Response, body []byte) *Problem {
	problem := new(Problem)
	isProblem := strings.HasPrefix(response.Header.Get("Content-Type"), "application/problem+json")
	if !isProblem || json.Unmarshal(body, problem) != nil || problem.Code == "" {
		return nil
	}
	if !strings.HasSuffix(problem.Type, "#"+string(problem.Code)) {
		return nil
	}
	return problem
}

// elsewhere returns the error for a response that is not one of a Kozyr service.
func elsewhere(response *http.Response) error {
	if response.StatusCode/100 == 3 {
		return &UnreachableError{
			fmt.Errorf("http_%d: the service is not at this address, which redirects to %q; set the address of the service",
				response.StatusCode, response.Header.Get("Location")),
		}
	}
	return &ProblemError{response.StatusCode, Problem{Code: ProblemCode(fmt.Sprintf("http_%d", response.StatusCode))}}
}

// hasField says whether a JSON object has a field that is not null.
func hasField(body []byte, field string) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(body, &fields) == nil && len(fields[field]) > 0 && string(fields[field]) != "null"
}

// isRetried says whether to retry after a status whoever it comes from.
func isRetried(status int) bool {
	return status == 408 || status == 425 || status == 429 || status >= 500
}

// retryAfter returns what a Retry-After header asks for, in seconds or as a date; 0 without one. A date
// counts from that of the response, or else from the clock of this machine.
func retryAfter(header, date string) time.Duration {
	if seconds, err := strconv.ParseFloat(header, 64); err == nil {
		return max(0, time.Duration(min(seconds, longestRetryAfter.Seconds())*float64(time.Second)))
	}
	until, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(date)
	if err != nil {
		now = time.Now()
	}
	return max(0, until.Sub(now))
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
