package kozyr

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Warning says what a warning is about. A later release may add values.
type Warning string

// The warnings of the client.
const (
	WarningRetry        Warning = "retry"
	WarningLate         Warning = "late"
	WarningNearDeadline Warning = "near_deadline"
	WarningIllegalMove  Warning = "illegal_move"
	WarningNotOpen      Warning = "not_open"
	WarningDeprecated   Warning = "deprecated"
	WarningService      Warning = "service"
)

// A Client is a connection to a Kozyr service with the token of an owner, of a bot, or none. Its
// methods may be called concurrently. Set its fields before the first call.
type Client struct {
	// HTTP sends the requests. Its Timeout must be 0: polls wait for a long time.
	HTTP *http.Client

	// Patience is how long a call other than Play is retried. 0 is for ever.
	Patience time.Duration

	// Warn receives warnings. By default they go to slog.
	Warn func(kind Warning, message string)

	url, token string
	deprecated sync.Map
	// A Kozyr service has answered. From then on, failures of other kinds are taken to heal.
	known atomic.Bool
}

// New returns a client of the service at an address. With an empty address it takes both address
// and token from the environment: KOZYR_URL and KOZYR_TOKEN.
func New(address, token string) (*Client, error) {
	if address == "" {
		address = os.Getenv("KOZYR_URL")
		if token == "" {
			token = os.Getenv("KOZYR_TOKEN")
		}
	}
	if address == "" {
		return nil, errors.New("kozyr: give the address of the service, or set KOZYR_URL")
	}
	parsed, err := url.Parse(address)
	if err == nil && parsed.User != nil {
		return nil, errors.New("kozyr: the address has a user name or a password: leave them out, and give a token")
	}
	if err != nil || parsed.Hostname() == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, fmt.Errorf("kozyr: %q is not an http address", address)
	}
	token = strings.TrimSpace(token)
	if strings.ContainsFunc(token, func(each rune) bool { return each <= ' ' || each > '~' }) {
		return nil, errors.New("kozyr: the token has characters that no token has: copy it again")
	}
	if _, err := http.ProxyFromEnvironment(&http.Request{URL: parsed}); err != nil {
		return nil, fmt.Errorf("kozyr: the proxy of the environment can't be used: %w", err)
	}
	return &Client{
		HTTP:     &http.Client{},
		Patience: time.Minute,
		url:      strings.TrimRight(address, "/"),
		token:    token,
	}, nil
}

// Play plays all matches of the bot until options.Matches have ended, or options.Finish is closed and
// the running matches are over, or ctx is done. It first delivers the moves that are chosen, and then
// returns nil. An error of the Chooser ends it.
func (c *Client) Play(ctx context.Context, chooser Chooser, options *PlayOptions) error {
	if options == nil {
		options = &PlayOptions{}
	}
	return newLoop(c, chooser, *options).run(ctx)
}

// CreateMatch creates a casual match.
func (c *Client) CreateMatch(ctx context.Context, match NewMatch) (*Match, error) {
	created := new(Match)
	return created, c.create(ctx, "/v1/matches", match, created)
}

// Match returns a match as this token may see it.
func (c *Client) Match(ctx context.Context, id string) (*Match, error) {
	match := new(Match)
	return match, c.Do(ctx, http.MethodGet, "/v1/matches/"+url.PathEscape(id), nil, match)
}

// Resign gives up a match.
func (c *Client) Resign(ctx context.Context, id string) error {
	return c.Do(ctx, http.MethodPost, "/v1/matches/"+url.PathEscape(id)+"/resign", nil, nil)
}

// Limits returns the limits of the service.
func (c *Client) Limits(ctx context.Context) (*Limits, error) {
	limits := new(Limits)
	return limits, c.Do(ctx, http.MethodGet, "/v1/limits", nil, limits)
}

// Do sends any request with in as its JSON body, unless in is nil, and decodes the JSON of the
// response into out, unless out is nil. It sends the request again if the response is lost. The
// error is a *ProblemError, an *UnreachableError, or the context's.
func (c *Client) Do(ctx context.Context, method, path string, in, out any) error {
	return c.do(ctx, call{method: method, path: path, body: in}, out)
}

func (c *Client) create(ctx context.Context, path string, in, out any) error {
	return c.do(ctx, call{method: http.MethodPost, path: path, body: in, key: newKey()}, out)
}

// newKey returns an Idempotency-Key.
func newKey() string {
	var key [16]byte
	if _, err := rand.Read(key[:]); err != nil {
		panic(err) // The system has no random numbers.
	}
	return hex.EncodeToString(key[:])
}

func (c *Client) warn(kind Warning, message string) {
	if c.Warn != nil {
		c.Warn(kind, message)
		return
	}
	slog.Warn(message, "kind", string(kind))
}
